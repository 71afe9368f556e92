//! reStructuredText: titles by their underlines, literal blocks, targets and the usual links.

use jari_base::{BlockKind, Link};

use super::{Reading, autolink, plain};
use crate::lines::Lines;

/// Reads a reStructuredText file.
pub(super) fn read(text: &str, lines: &Lines<'_>) -> Reading {
    let mut reading = Reading::default();
    plain::underlined(&mut reading, lines, |mark| mark.is_ascii_punctuation());
    plain::paragraphs(&mut reading, lines);
    for block in &mut reading.blocks {
        let first = lines.line(block.lines.start);
        let directive = first.trim_start().strip_prefix(".. ").and_then(|rest| rest.split_once("::"));
        block.kind = match directive {
            Some(("code-block" | "code" | "sourcecode", language)) => {
                block.language = Some(language.trim().to_owned()).filter(|language| !language.is_empty());
                BlockKind::Code
            }
            Some(("list-table" | "csv-table" | "table", _)) => BlockKind::Table,
            Some(_) => BlockKind::Markup,
            None if first.starts_with([' ', '\t']) => BlockKind::Code,
            None if ["- ", "* ", "+ ", "#. ", "1. "].iter().any(|mark| first.starts_with(mark)) => {
                BlockKind::List
            }
            None => BlockKind::Paragraph,
        };
    }
    for number in 1..=lines.count() {
        if let Some(target) = lines.line(number).trim_start().strip_prefix(".. _") {
            reading.anchors.extend(target.split(':').next().map(|name| name.trim_matches('`').to_owned()));
        }
    }
    roles(&mut reading, text, lines);
    let known = reading.links.len();
    for (bytes, target) in autolink::find(text) {
        let before = reading.links[..known].partition_point(|link| link.bytes.start <= bytes.start);
        let inside = before > 0 && reading.links[before - 1].bytes.contains(&bytes.start);
        if !inside {
            let (line, text) = (lines.number_at(bytes.start), text[bytes.clone()].to_owned());
            reading.links.push(Link { target, text, image: false, line, bytes });
        }
    }
    reading.links.sort_by_key(|link| link.bytes.start);
    reading
}

/// `` `text <target>`_ `` and `` :doc:`text <target>` ``.
fn roles(reading: &mut Reading, text: &str, lines: &Lines<'_>) {
    let mut at = 0;
    while let Some(start) = text[at..].find('`').map(|start| at + start) {
        if text[start..].starts_with("``") {
            let skipped = text[start..].bytes().take_while(|byte| *byte == b'`').count();
            let close = text[start + skipped..]
                .find("``")
                .filter(|end| !text[start..start + skipped + end].contains("\n\n"));
            at = close.map_or(start + skipped, |end| start + skipped + end + 2);
            continue;
        }
        let rest = &text[start + 1..];
        let Some(length) = rest.find('`') else { return };
        let inner = &rest[..length];
        if inner.contains("\n\n") {
            // A lone backtick; what follows may begin with the next one.
            at = start + 1;
            continue;
        }
        at = start + length + 2;
        let link = text[at..].starts_with('_');
        let document = text[..start].ends_with(":doc:");
        let (said, target) = match inner.rsplit_once('<') {
            Some((said, target)) => (said.trim(), target.trim_end_matches('>')),
            None => (inner, inner),
        };
        if (link && inner.contains('<')) || document {
            let target = if document { document_path(target) } else { target.to_owned() };
            let line = lines.number_at(start);
            reading.links.push(Link { target, text: said.to_owned(), image: false, line, bytes: start..at });
        }
    }
}

/// `:doc:` names a document without its ending.
fn document_path(target: &str) -> String {
    if target.ends_with(".rst") { target.to_owned() } else { format!("{target}.rst") }
}
