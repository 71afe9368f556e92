//! Markdown: CommonMark with GitHub's extensions, by `pulldown-cmark`. It reads 300 MB a second and stays linear on the
//! inputs that made the other parsers quadratic (`tests/documents.rs`).

use std::ops::Range;

use jari_base::{Block, BlockKind, LineRange, Link};
use pulldown_cmark::{CodeBlockKind, Event, LinkType, Options, Parser, Tag, TagEnd};

use super::sections::slug;
use super::{Edit, Heading, Reading, autolink, front, markup};
use crate::lines::Lines;

/// Longer texts of links are cut: images may nest, and each repeats what it holds.
const LONGEST_TEXT: usize = 300;

/// Reads a Markdown file.
pub(super) fn read(text: &str, lines: &Lines<'_>) -> Reading {
    let front = front::read(text);
    let start = front.as_ref().map_or(0, |front| front.end);
    let mut reading = read_from(text, text, start, lines, Markup::Html);
    reading.front_matter = front.map(|front| front.values).unwrap_or_default();
    reading
}

/// What tags are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Markup {
    /// HTML: left out of prose, but for the texts of images.
    Html,
    /// JSX that was hidden from the parser.
    Hidden,
}

/// Reads `text` from `start` on. The parser sees `shown`, which is `text` with some bytes made blank.
pub(super) fn read_from(text: &str, shown: &str, start: usize, lines: &Lines<'_>, markup: Markup) -> Reading {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS;
    let reading = Reading { start, ..Reading::default() };
    let mut reader = Reader {
        text,
        lines,
        markup,
        reading,
        containers: 0,
        heading: None,
        links: Vec::new(),
        images: 0,
        run: 0..0,
        code: false,
    };
    for (event, range) in Parser::new_ext(&shown[start..], options).into_offset_iter() {
        // A blank may stand where a character of several bytes was hidden.
        let (first, end) = (range.start + start, range.end + start);
        reader.event(event, text.floor_char_boundary(first)..text.ceil_char_boundary(end));
    }
    reader.running_text(0..0);
    reader.reading
}

struct Reader<'t> {
    text: &'t str,
    lines: &'t Lines<'t>,
    markup: Markup,
    reading: Reading,
    /// How many lists, quotations and the like are open.
    containers: usize,
    heading: Option<OpenHeading>,
    links: Vec<Link>,
    /// How many of them are images.
    images: usize,
    /// Text that came in pieces.
    run: Range<usize>,
    code: bool,
}

struct OpenHeading {
    heading: Heading,
    /// Where the author's id begins; nothing from there on is title.
    id_at: usize,
}

impl Reader<'_> {
    fn event(&mut self, event: Event<'_>, range: Range<usize>) {
        if let Event::Text(said) = &event
            && !self.code
        {
            self.say(said, &range);
            if range.start == self.run.end && !self.run.is_empty() {
                self.run.end = range.end;
            } else {
                self.running_text(range);
            }
            return;
        }
        self.running_text(0..0);
        match event {
            Event::Start(tag) => self.start(tag, &range),
            Event::End(tag) => self.end(tag),
            Event::Code(said) => self.say(&said, &range),
            Event::SoftBreak | Event::HardBreak => self.say(" ", &range),
            Event::InlineHtml(_) => self.html(range),
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>, range: &Range<usize>) {
        let top = self.containers == 0;
        match tag {
            Tag::Heading { level, .. } => self.open_heading(level as u8, range),
            Tag::Paragraph if top => {
                self.containers_in_prose(range);
                self.block(BlockKind::Paragraph, range, None, 0);
            }
            Tag::CodeBlock(kind) => {
                self.code = true;
                if top {
                    self.code_block(&kind, range);
                }
            }
            Tag::HtmlBlock => {
                self.html(range.clone());
                if top {
                    self.block(BlockKind::Markup, range, None, 0);
                }
            }
            Tag::List(_) => {
                if top {
                    self.block(BlockKind::List, range, None, 0);
                }
                self.containers += 1;
            }
            Tag::Item => {
                if self.containers == 1 {
                    self.reading.breaks.push(self.lines.number_at(range.start));
                }
                self.containers += 1;
            }
            Tag::BlockQuote(_) | Tag::FootnoteDefinition(_) => {
                if top {
                    self.block(BlockKind::Quote, range, None, 0);
                }
                self.containers += 1;
            }
            Tag::Table(_) => {
                if top {
                    self.block(BlockKind::Table, range, None, 2);
                }
                self.containers += 1;
            }
            Tag::Link { dest_url, link_type: LinkType::Email, .. } => {
                self.open_link(format!("mailto:{dest_url}"), false, range);
            }
            Tag::Link { dest_url, .. } => self.open_link(dest_url.to_string(), false, range),
            Tag::Image { dest_url, .. } => self.open_link(dest_url.to_string(), true, range),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) => {
                let Some(OpenHeading { mut heading, .. }) = self.heading.take() else { return };
                heading.title = heading.title.split_whitespace().collect::<Vec<_>>().join(" ");
                if self.containers == 0 {
                    self.reading.headings.push(heading);
                } else {
                    // Inside a list or quotation it begins no section, but can be linked to.
                    self.reading.anchors.push(heading.id.unwrap_or_else(|| slug(&heading.title)));
                }
            }
            TagEnd::CodeBlock => self.code = false,
            TagEnd::List(_)
            | TagEnd::Item
            | TagEnd::BlockQuote(_)
            | TagEnd::FootnoteDefinition
            | TagEnd::Table => {
                self.containers -= 1;
            }
            TagEnd::Link | TagEnd::Image => {
                let Some(link) = self.links.pop() else { return };
                if let Some(around) = self.links.last_mut() {
                    push_bounded(&mut around.text, &link.text);
                }
                // What an image holds is its description.
                self.images -= usize::from(link.image);
                if self.images == 0 {
                    self.reading.links.push(link);
                }
            }
            _ => {}
        }
    }

    /// Takes note of what a reader sees.
    fn say(&mut self, said: &str, range: &Range<usize>) {
        if let Some(open) = self.heading.as_mut().filter(|open| range.start < open.id_at) {
            let shown = range.end.min(open.id_at) - range.start;
            open.heading.title.push_str(said.get(..shown.min(said.len())).unwrap_or(said));
        }
        if let Some(link) = self.links.last_mut() {
            push_bounded(&mut link.text, said);
        }
    }

    /// Ends the run of text before `next`, and looks for addresses in it.
    fn running_text(&mut self, next: Range<usize>) {
        let run = std::mem::replace(&mut self.run, next);
        if run.is_empty() || !self.links.is_empty() {
            return;
        }
        for (range, target) in autolink::find(&self.text[run.clone()]) {
            let bytes = run.start + range.start..run.start + range.end;
            let text = self.text[bytes.clone()].to_owned();
            let line = self.lines.number_at(bytes.start);
            self.reading.links.push(Link { target, text, image: false, line, bytes });
        }
    }

    fn open_heading(&mut self, level: u8, range: &Range<usize>) {
        let source = &self.text[range.clone()];
        let (id, id_at) = match author_id(source) {
            Some((id, at)) => (Some(id.to_owned()), range.start + at),
            None => (None, range.end),
        };
        let heading = Heading { title: String::new(), level, id, bytes: trimmed(self.text, range) };
        self.heading = Some(OpenHeading { heading, id_at });
    }

    fn open_link(&mut self, target: String, image: bool, range: &Range<usize>) {
        let line = self.lines.number_at(range.start);
        self.images += usize::from(image);
        self.links.push(Link { target, text: String::new(), image, line, bytes: range.clone() });
    }

    fn code_block(&mut self, kind: &CodeBlockKind<'_>, range: &Range<usize>) {
        match kind {
            CodeBlockKind::Fenced(info) => {
                let language: String =
                    info.chars().take_while(|c| !c.is_whitespace() && *c != '{' && *c != ',').collect();
                self.block(BlockKind::Code, range, Some(language).filter(|language| !language.is_empty()), 1);
            }
            // MDX knows no indented code: it is text inside a component.
            CodeBlockKind::Indented if self.markup == Markup::Hidden => {
                self.block(BlockKind::Paragraph, range, None, 0);
            }
            CodeBlockKind::Indented => self.block(BlockKind::Code, range, None, 0),
        }
    }

    /// `head`: how many of its first lines every piece repeats.
    fn block(&mut self, kind: BlockKind, range: &Range<usize>, language: Option<String>, head: u32) {
        let lines = self.lines.range(&trimmed(self.text, range));
        let head =
            (head > 0 && lines.count() > head).then(|| LineRange::new(lines.start, lines.start + head - 1));
        self.reading.blocks.push(Block { kind, lines, language, head });
    }

    /// Links and ids of HTML; what it leaves in prose.
    fn html(&mut self, range: Range<usize>) {
        let mut at = range.start;
        while let Some(next) =
            memchr::memchr(b'<', &self.text.as_bytes()[at..range.end]).map(|next| at + next)
        {
            let slice = &self.text[..range.end];
            if slice[next..].starts_with("<!--") {
                at = memchr::memmem::find(&slice.as_bytes()[next..], b"-->")
                    .map_or(range.end, |end| next + end + 3);
                self.reading.edits.push(Edit { bytes: next..at, text: String::new() });
                continue;
            }
            match markup::tag(slice, next) {
                Ok(tag) => {
                    at = tag.end;
                    self.reading.take_tag(&tag, next, self.lines);
                    if self.markup == Markup::Html {
                        let said = [tag.text("alt"), tag.text("title")];
                        let text = said.into_iter().flatten().collect::<Vec<_>>().join(" ");
                        self.reading.edits.push(Edit { bytes: next..at, text });
                    }
                }
                Err(markup::NoTag::Unclosed) => return,
                Err(_) => at = next + 1,
            }
        }
    }

    /// Shortcodes and container fences of site generators are not what a reader reads.
    fn containers_in_prose(&mut self, range: &Range<usize>) {
        let source = &self.text[range.clone()];
        // `{#id}` names the paragraph it stands by.
        for part in source.split("{#").skip(1) {
            let id: String =
                part.chars().take_while(|c| c.is_alphanumeric() || "-_.:".contains(*c)).collect();
            self.reading.anchors.extend(Some(id).filter(|id| !id.is_empty()));
        }
        if source.contains(":::") {
            let mut at = range.start;
            for line in source.split_inclusive('\n') {
                let inner = line.trim_start();
                let bare = inner.trim_start_matches(':');
                if inner.len() - bare.len() >= 3 {
                    let start = at + line.len() - inner.len();
                    // `:::tip Title` keeps its title.
                    let named = bare
                        .trim_start()
                        .find(|c: char| c.is_whitespace())
                        .unwrap_or(bare.trim_start().len());
                    let skipped = bare.len() - bare.trim_start().len() + named;
                    self.reading.edits.push(Edit {
                        bytes: start..at + line.len() - bare.len() + skipped.min(bare.trim_end().len()),
                        text: String::new(),
                    });
                }
                at += line.len();
            }
        }
        for (open, close) in [("{{<", ">}}"), ("{{%", "%}}")] {
            let mut at = range.start;
            while let Some(start) = self.text[at..range.end].find(open).map(|start| at + start) {
                let Some(end) = self.text[start..range.end].find(close).map(|end| start + end + 3) else {
                    break;
                };
                self.reading.edits.push(Edit { bytes: start..end, text: String::new() });
                at = end;
            }
        }
    }
}

impl Reading {
    /// Links and ids that a tag holds.
    pub(super) fn take_tag(&mut self, tag: &markup::Tag<'_>, start: usize, lines: &Lines<'_>) {
        // A component may give its heading an id, as in `titleId="x"`.
        let names_it =
            |name: &str| name == "id" || name.ends_with("Id") || (name == "name" && tag.name == "a");
        for attribute in tag.attributes.iter().filter(|attribute| names_it(attribute.name)) {
            if let markup::Value::Text(id) = attribute.value {
                self.anchors.push(id.to_owned());
            }
        }
        let image = tag.name.eq_ignore_ascii_case("img") || tag.name == "Image";
        if let Some(target) = tag.text(if image { "src" } else { "href" }).filter(|target| !target.is_empty())
        {
            let text = tag.text("alt").unwrap_or_default().to_owned();
            let line = lines.number_at(start);
            self.links.push(Link { target: target.to_owned(), text, image, line, bytes: start..tag.end });
        }
    }
}

/// The id that an author gave a heading, and where it begins: `{#id}`, `{/*id*/}`, `[#id]`.
fn author_id(heading: &str) -> Option<(&str, usize)> {
    // Of a heading with an underline the first lines count.
    let last = heading.trim_end();
    let last = match last.rsplit_once('\n') {
        Some((title, line)) if line.trim().bytes().all(|byte| byte == b'=' || byte == b'-') => title,
        _ => last,
    };
    let last = last.trim_end().trim_end_matches('#').trim_end();
    let (inner_end, open) = match last.strip_suffix('}') {
        Some(inner_end) => (inner_end, '{'),
        // `[#id]`, as some site generators write it.
        None => (last.strip_suffix(']').filter(|_| last.contains("[#"))?, '['),
    };
    let start = inner_end.rfind(open)?;
    let inner = inner_end[start + 1..].trim();
    let id = match inner.strip_prefix('#') {
        Some(id) => id.split_whitespace().next().unwrap_or_default(),
        None => inner.strip_prefix("/*")?.strip_suffix("*/")?.trim(),
    };
    (!id.is_empty() && !id.contains(char::is_whitespace)).then_some((id, start))
}

fn push_bounded(text: &mut String, more: &str) {
    let room = LONGEST_TEXT.saturating_sub(text.len());
    let end = more.char_indices().map(|(at, _)| at).chain([more.len()]).take_while(|at| *at <= room).last();
    text.push_str(&more[..end.unwrap_or(0)]);
}

/// Without blank lines at its end.
fn trimmed(text: &str, range: &Range<usize>) -> Range<usize> {
    range.start..range.start + text[range.clone()].trim_end().len().max(1)
}
