//! reStructuredText: titles by their underlines, directives with their bodies, targets and the usual links.

use std::ops::Range;

use jari_base::{Block, BlockKind, LineRange, Link};

use super::{Reading, autolink, is_code, plain};
use crate::lines::Lines;

/// Reads a reStructuredText file.
pub(super) fn read(text: &str, lines: &Lines<'_>) -> Reading {
    let mut reading = Reading::default();
    plain::underlined(&mut reading, lines, |mark| mark.is_ascii_punctuation());
    plain::paragraphs(&mut reading, lines);
    let headings: Vec<u32> =
        reading.headings.iter().map(|heading| lines.number_at(heading.bytes.start)).collect();
    reading.blocks = with_bodies(std::mem::take(&mut reading.blocks), &headings, lines);
    for number in 1..=lines.count() {
        reading.anchors.extend(label(lines.line(number)));
    }
    for heading in &mut reading.headings {
        heading.title = heading.title.replace('`', "");
        let above = (1..lines.number_at(heading.bytes.start)).rev().find(|number| !lines.is_blank(*number));
        heading.id = above.and_then(|above| label(lines.line(above)));
    }
    directives(&mut reading, lines);
    roles(&mut reading, text, lines);
    addresses(&mut reading, text, lines);
    reading
}

/// Whether a plain text is one of these: it has a directive or a label.
pub(super) fn is_rst(lines: &Lines<'_>) -> bool {
    (1..=lines.count())
        .any(|number| directive(lines.line(number)).is_some() || label(lines.line(number)).is_some())
}

/// `name` of `.. _name:`
fn label(line: &str) -> Option<String> {
    let name = line.trim().strip_prefix(".. _")?.strip_suffix(':')?;
    Some(name.trim_matches('`').to_owned())
}

/// The name and argument of `.. name:: argument`.
fn directive(line: &str) -> Option<(&str, &str)> {
    let (name, argument) = line.trim_start().strip_prefix(".. ")?.split_once("::")?;
    let is_name =
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_:".contains(&byte));
    is_name.then(|| (name, argument.trim()))
}

/// What blocks are; the indented blocks below a directive or a `::` are its body and belong to one block.
fn with_bodies(blocks: Vec<Block>, headings: &[u32], lines: &Lines<'_>) -> Vec<Block> {
    let mut joined: Vec<Block> = Vec::with_capacity(blocks.len());
    // Whether indented lines go on with the last block.
    let mut open = false;
    for mut block in blocks {
        let first = lines.line(block.lines.start);
        let indented = first.starts_with([' ', '\t']);
        let after = joined.last().map_or(0, |last| last.lines.end);
        let parted = headings.partition_point(|heading| *heading < block.lines.start)
            > headings.partition_point(|heading| *heading <= after);
        if indented && open && !parted {
            let last = joined.last_mut().expect("a body is open");
            last.lines = LineRange::new(last.lines.start, block.lines.end);
            continue;
        }
        open = false;
        match directive(first) {
            Some(("code-block" | "code" | "sourcecode" | "console", language)) => {
                block.kind = BlockKind::Code;
                block.language = Some(language.to_owned()).filter(|language| !language.is_empty());
                open = true;
            }
            Some(("list-table" | "csv-table" | "table", _)) => (block.kind, open) = (BlockKind::Table, true),
            Some(_) => (block.kind, open) = (BlockKind::Markup, true),
            None if indented => {
                let literal =
                    joined.last().is_some_and(|last| lines.line(last.lines.end).trim_end().ends_with("::"));
                (block.kind, open) =
                    if literal { (BlockKind::Code, true) } else { (BlockKind::Quote, false) };
            }
            None if ["- ", "* ", "+ ", "#. ", "1. "].iter().any(|mark| first.starts_with(mark)) => {
                block.kind = BlockKind::List;
            }
            None if is_ruled(first) => block.kind = BlockKind::Table,
            None => {}
        }
        joined.push(block);
    }
    joined
}

/// `==== ====` and `+---+---+` begin tables.
fn is_ruled(line: &str) -> bool {
    let line = line.trim();
    (line.starts_with("==") && line.contains(' ') || line.starts_with("+-"))
        && line.bytes().all(|byte| b"= +-".contains(&byte))
}

/// Pages of a `toctree`, and images.
fn directives(reading: &mut Reading, lines: &Lines<'_>) {
    for block in &reading.blocks {
        let Some((name, argument)) = directive(lines.line(block.lines.start)) else { continue };
        let mut link = |target: &str, text: &str, image: bool, number: u32| {
            let line = lines.line(number);
            let start = lines.start(number) + line.len() - line.trim_start().len();
            let bytes = start..lines.start(number) + line.trim_end().len();
            let link = Link { target: target.to_owned(), text: text.to_owned(), image, line: number, bytes };
            reading.links.push(link);
        };
        match name {
            // `plan.*` stands for several formats.
            "image" | "figure" if !argument.is_empty() && !argument.contains('*') => {
                link(argument, "", true, block.lines.start);
            }
            "toctree" => {
                for number in block.lines.start + 1..=block.lines.end {
                    let entry = lines.line(number).trim();
                    let (text, target) = said_and_target(entry);
                    if !entry.is_empty()
                        && !entry.starts_with(':')
                        && !target.contains('*')
                        && target != "self"
                    {
                        link(target, text, false, number);
                    }
                }
            }
            _ => {}
        }
    }
}

/// `("text", "target")` of `text <target>`; a target alone is its own text.
fn said_and_target(inner: &str) -> (&str, &str) {
    match inner.rsplit_once('<') {
        Some((said, target)) => (said.trim(), target.trim_end_matches('>')),
        None => (inner, inner),
    }
}

/// `` `text <target>`_ `` and `` :doc:`text <target>` ``, whose document has no ending.
fn roles(reading: &mut Reading, text: &str, lines: &Lines<'_>) {
    let mut at = 0;
    while let Some(start) = text[at..].find('`').map(|start| at + start) {
        if text[start..].starts_with("``") {
            let skipped = text[start..].bytes().take_while(|byte| *byte == b'`').count();
            let close = text[start + skipped..].find("``");
            let close = close.filter(|end| !text[start..start + skipped + end].contains("\n\n"));
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
        let document = text[..start].ends_with(":doc:");
        if document || (text[at..].starts_with('_') && inner.contains('<')) {
            let (said, target) = said_and_target(inner);
            // `<name_>` is another name for a target, not a place.
            if target.ends_with('_') {
                continue;
            }
            let (target, text, line) = (target.to_owned(), said.to_owned(), lines.number_at(start));
            reading.links.push(Link { target, text, image: false, line, bytes: start..at });
        }
    }
}

/// Addresses in running text; those in code are code.
fn addresses(reading: &mut Reading, text: &str, lines: &Lines<'_>) {
    reading.links.sort_by_key(|link| link.bytes.start);
    let known = reading.links.len();
    for (bytes, target) in autolink::find(text) {
        let line = lines.number_at(bytes.start);
        if !is_linked(&reading.links[..known], &bytes) && !is_code(&reading.blocks, line) {
            let text = text[bytes.clone()].to_owned();
            reading.links.push(Link { target, text, image: false, line, bytes });
        }
    }
    reading.links.sort_by_key(|link| link.bytes.start);
}

fn is_linked(links: &[Link], bytes: &Range<usize>) -> bool {
    let before = links.partition_point(|link| link.bytes.start <= bytes.start);
    before > 0 && links[before - 1].bytes.contains(&bytes.start)
}
