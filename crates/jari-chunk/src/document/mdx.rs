//! MDX: Markdown with components, expressions and imports. They are found by one pass of our own and hidden from the
//! Markdown parser, byte for byte, so that positions stay; what is no valid MDX is read as Markdown, with a note.
//!
//! The `markdown` crate reads MDX strictly, but takes quadratic time on plain lists of headings, links and tables
//! (140 kB of links: 5 s, where this takes 4 ms).

use super::markdown::{Markup, read_from};
use super::markup::{NoTag, Tag, Value, expression, tag};
use super::{Edit, Reading, front};
use crate::lines::Lines;

/// Reads an MDX file.
pub(super) fn read(text: &str, lines: &Lines<'_>) -> Reading {
    let front = front::read(text);
    let start = front.as_ref().map_or(0, |front| front.end);
    let scan = Scan::new(text, start, lines);
    let mut reading = if scan.valid {
        let shown = hidden(text, &scan.pieces);
        read_from(text, &shown, start, lines, Markup::Hidden)
    } else {
        Reading { fallback: true, ..read_from(text, text, start, lines, Markup::Html) }
    };
    // Of two edits at one place the first counts: what a component says, not that it is markup.
    let said =
        scan.pieces.into_iter().filter(|piece| scan.valid || !text[piece.bytes.clone()].contains('\n'));
    reading.edits = said.chain(std::mem::take(&mut reading.edits)).collect();
    reading.links.extend(scan.found.links);
    reading.links.sort_by_key(|link| link.bytes.start);
    reading.links.dedup_by(|a, b| a.bytes == b.bytes);
    reading.anchors.extend(scan.found.anchors);
    reading.front_matter = front.map(|front| front.values).unwrap_or_default();
    reading
}

/// `text` with the pieces made blank. Line breaks stay.
fn hidden(text: &str, pieces: &[Edit]) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut at = 0;
    for piece in pieces {
        shown.push_str(&text[at..piece.bytes.start]);
        shown.extend(text[piece.bytes.clone()].bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
        at = piece.bytes.end;
    }
    shown.push_str(&text[at..]);
    shown
}

/// Everything that is not Markdown, in order.
struct Scan<'t> {
    text: &'t str,
    lines: &'t Lines<'t>,
    pieces: Vec<Edit>,
    found: Reading,
    /// Names of components that are open.
    open: Vec<&'t str>,
    valid: bool,
    /// From here on an unclosed brace or tag leaves nothing to find.
    expressions: bool,
    tags: bool,
    /// Lengths of runs of backticks that nothing closes before this byte.
    unclosed: [usize; 16],
    /// The end of the last paragraph that was looked at.
    paragraph: usize,
}

impl<'t> Scan<'t> {
    fn new(text: &'t str, start: usize, lines: &'t Lines<'t>) -> Self {
        let mut scan = Self {
            text,
            lines,
            pieces: Vec::new(),
            found: Reading::default(),
            open: Vec::new(),
            valid: true,
            expressions: true,
            tags: true,
            unclosed: [0; 16],
            paragraph: 0,
        };
        scan.all(start);
        scan.valid &= scan.open.is_empty();
        scan
    }

    fn all(&mut self, start: usize) {
        let bytes = self.text.as_bytes();
        let mut at = start;
        let mut line_begins = true;
        let mut block_begins = true;
        while at < bytes.len() {
            if line_begins {
                if let Some(end) = self.fence(at).or_else(|| self.module(at, block_begins)) {
                    at = end;
                    block_begins = false;
                    continue;
                }
                let rest = &self.text[at..];
                block_begins = rest.trim_start_matches([' ', '\t', '\r']).starts_with('\n');
                line_begins = false;
            }
            match bytes[at] {
                b'\n' => {
                    line_begins = true;
                    at += 1;
                }
                b'\\' => at += 1 + usize::from(bytes.get(at + 1).is_some_and(u8::is_ascii_punctuation)),
                b'`' => at = self.code_span(at),
                b'{' => at = self.expression(at),
                b'<' => at = self.tag(at),
                _ => {
                    let next = bytes[at..].iter().position(|byte| b"\n\\`{<".contains(byte));
                    at = next.map_or(bytes.len(), |next| at + next);
                }
            }
        }
    }

    /// The end of the fenced code that begins on the line at `at`.
    fn fence(&self, at: usize) -> Option<usize> {
        let line = self.text[at..].lines().next()?;
        let inner = line.trim_start();
        let mark = inner.bytes().next().filter(|byte| *byte == b'`' || *byte == b'~')?;
        let length = inner.bytes().take_while(|byte| *byte == mark).count();
        if length < 3 || (mark == b'`' && inner[length..].contains('`')) {
            return None;
        }
        let mut end = at;
        for (number, line) in self.text[at..].split_inclusive('\n').enumerate() {
            end += line.len();
            let inner = line.trim();
            if number > 0 && inner.len() >= length && inner.bytes().all(|byte| byte == mark) {
                break;
            }
        }
        Some(end)
    }

    /// The end of the `import` or `export` that begins on the line at `at`: the first blank line outside brackets.
    fn module(&mut self, at: usize, block_begins: bool) -> Option<usize> {
        let rest = &self.text[at..];
        let begins =
            rest.starts_with("import ") || rest.starts_with("import{") || rest.starts_with("export ");
        if !begins
            || !(block_begins || at == 0 || self.pieces.last().is_some_and(|piece| piece.bytes.end == at))
        {
            return None;
        }
        let mut end = at;
        let mut depth = 0i32;
        for line in rest.split_inclusive('\n') {
            if depth <= 0 && line.trim().is_empty() {
                break;
            }
            let count = |marks: [u8; 3]| line.bytes().filter(|byte| marks.contains(byte)).count() as i32;
            depth += count(*b"{([") - count(*b"})]");
            end += line.len();
        }
        self.pieces.push(Edit { bytes: at..end, text: String::new() });
        Some(end)
    }

    /// The end of the code span that begins at `at`, or of its backticks if nothing closes it in its paragraph.
    fn code_span(&mut self, at: usize) -> usize {
        let bytes = self.text.as_bytes();
        let run = |from: usize| bytes[from..].iter().take_while(|byte| **byte == b'`').count();
        let length = run(at);
        let known = self.unclosed.get(length).copied().unwrap_or(usize::MAX);
        if at < known {
            return at + length;
        }
        if at >= self.paragraph {
            let end = memchr::memmem::find(&bytes[at..], b"\n\n");
            self.paragraph = end.map_or(bytes.len(), |end| at + end);
        }
        let paragraph = self.paragraph;
        let mut next = at + length;
        while let Some(found) = memchr::memchr(b'`', &bytes[next..paragraph]) {
            let here = run(next + found);
            next += found + here;
            if here == length {
                return next;
            }
        }
        self.unclosed[length] = paragraph;
        at + length
    }

    fn expression(&mut self, at: usize) -> usize {
        let end = if self.expressions { expression(self.text, at) } else { None };
        let Some(end) = end else {
            self.valid = false;
            self.expressions = false;
            return at + 1;
        };
        let text = said(&self.text[at + 1..end - 1]);
        self.pieces.push(Edit { bytes: at..end, text });
        end
    }

    fn tag(&mut self, at: usize) -> usize {
        if !self.tags {
            return at + 1;
        }
        match tag(self.text, at) {
            Ok(tag) => {
                self.matches(&tag);
                self.found.take_tag(&tag, at, self.lines);
                self.pieces.push(Edit { bytes: at..tag.end, text: placeholder(&tag) });
                tag.end
            }
            Err(NoTag::Comparison) => at + 1,
            Err(NoTag::Malformed) => {
                self.valid = false;
                at + 1
            }
            Err(NoTag::Unclosed) => {
                self.valid = false;
                self.tags = false;
                at + 1
            }
        }
    }

    fn matches(&mut self, tag: &Tag<'t>) {
        match (tag.closing, tag.closed) {
            (true, _) => self.valid &= self.open.pop() == Some(tag.name),
            (false, false) => self.open.push(tag.name),
            (false, true) => {}
        }
    }
}

/// What prose says for a component: its name and its plain properties.
fn placeholder(tag: &Tag<'_>) -> String {
    if tag.closing || tag.name.is_empty() {
        return String::new();
    }
    let mut said = format!("[[mdx:{}", tag.name);
    for attribute in tag.attributes.iter().filter(|attribute| !attribute.name.is_empty()) {
        let value = match attribute.value {
            Value::Bare => None,
            Value::Text(text) => Some(format!("\"{text}\"")),
            Value::Expression(value) => match literal(value.trim()) {
                Some(value) => Some(value.replace('\'', "\"")),
                None => continue,
            },
        };
        said.push(' ');
        said.push_str(attribute.name);
        if let Some(value) = value {
            said.push('=');
            said.push_str(&value);
        }
    }
    said.push_str("]]");
    said
}

/// A string, number or boolean; nothing else is shown.
fn literal(value: &str) -> Option<&str> {
    let quoted = |quote: char| {
        let inner = value.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
        inner.is_some_and(|inner| !inner.contains([quote, '\\']))
    };
    let plain = matches!(value, "true" | "false") || value.parse::<f64>().is_ok_and(f64::is_finite);
    (plain || quoted('"') || quoted('\'')).then_some(value)
}

/// What prose says for an expression.
fn said(inner: &str) -> String {
    let inner = inner.trim();
    let comment = inner.starts_with("/*") && inner.ends_with("*/");
    // `{#id}` names a heading, and `{{< … >}}` is a shortcode.
    if inner.is_empty()
        || comment
        || inner.starts_with('#')
        || inner.starts_with("{<")
        || inner.starts_with("{%")
    {
        return String::new();
    }
    let is_name = inner
        .chars()
        .enumerate()
        .all(|(at, c)| c.is_alphabetic() || c == '_' || c == '$' || (at > 0 && c.is_numeric()));
    if is_name { format!("[[mdx:{inner}]]") } else { "[[mdx:expr]]".to_owned() }
}
