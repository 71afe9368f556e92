//! Code inside running text: `` `name` `` of Markdown and AsciiDoc, ``` ``name`` ``` and roles of reStructuredText.

use jari_base::{BlockKind, Document};

/// A piece of code inside running text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodeSpan<'t> {
    /// What stands between the marks.
    pub text: &'t str,
    /// Where.
    pub line: u32,
}

/// The pieces of code in the running text of a document, in order. What a fence holds is no such piece.
pub fn code_spans<'t>(document: &Document, text: &'t str) -> Vec<CodeSpan<'t>> {
    let code: Vec<_> = document.blocks.iter().filter(|block| block.kind == BlockKind::Code).collect();
    let first = document.sections.first().map_or(1, |section| section.lines.start);
    let mut spans = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        let after = code.partition_point(|block| block.lines.end < number);
        let fenced = code.get(after).is_some_and(|block| block.lines.contains(number));
        if number >= first && !fenced {
            of_line(line, number, &mut spans);
        }
    }
    spans
}

/// A run of marks ends at the next run of the same length.
fn of_line<'t>(line: &'t str, number: u32, spans: &mut Vec<CodeSpan<'t>>) {
    let mut rest = line;
    while let Some(open) = rest.find('`') {
        let after = &rest[open..];
        let length = after.bytes().take_while(|byte| *byte == b'`').count();
        let inside = &after[length..];
        let Some(close) = closing(inside, length) else { return };
        let text = inside[..close].trim();
        if !text.is_empty() {
            spans.push(CodeSpan { text, line: number });
        }
        rest = &inside[close + length..];
    }
}

/// Where the run begins that closes one of `length` marks.
fn closing(text: &str, length: usize) -> Option<usize> {
    let mut at = 0;
    while let Some(found) = text[at..].find('`') {
        let run = text[at + found..].bytes().take_while(|byte| *byte == b'`').count();
        if run == length {
            return Some(at + found);
        }
        at += found + run;
    }
    None
}

#[cfg(test)]
mod tests {
    use jari_base::Language;

    use super::*;

    #[test]
    fn spans_stand_outside_fences() {
        let text = "# A `b`\n\nUse `run()` or ``a ` b``, not ` `.\n\n```sh\n`no`\n```\nopen ` end\n";
        let (document, _) = crate::document(&Language::named("markdown"), text).expect("a document");
        let spans = code_spans(&document, text);
        let spans: Vec<_> = spans.iter().map(|span| (span.line, span.text)).collect();
        assert_eq!(spans, [(1, "b"), (3, "run()"), (3, "a ` b")]);
    }

    #[test]
    fn roles_of_restructured_text_are_spans() {
        let text = "Title\n=====\n\nSee :meth:`Pool.take` and ``retry``.\n";
        let (document, _) = crate::document(&Language::named("rst"), text).expect("a document");
        let spans: Vec<_> = code_spans(&document, text).iter().map(|span| span.text).collect();
        assert_eq!(spans, ["Pool.take", "retry"]);
    }
}
