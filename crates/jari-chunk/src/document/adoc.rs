//! AsciiDoc: titles, delimited blocks, anchors and the usual links.

use jari_base::{Block, BlockKind, LineRange, Link};

use super::{Heading, Reading, autolink, is_code};
use crate::lines::Lines;

/// Delimiters of blocks whose lines are not text, and what they hold.
const DELIMITERS: [(&str, BlockKind); 6] = [
    ("----", BlockKind::Code),
    ("....", BlockKind::Code),
    ("```", BlockKind::Code),
    ("|===", BlockKind::Table),
    ("++++", BlockKind::Markup),
    ("////", BlockKind::Markup),
];

/// Nobody looks further for the end of a link.
const LONGEST_LINK: usize = 500;

/// Reads an AsciiDoc file.
pub(super) fn read(text: &str, lines: &Lines<'_>) -> Reading {
    let mut reading = Reading::default();
    let mut number = 1;
    let mut language = None;
    let mut id = None;
    while number <= lines.count() {
        let line = lines.line(number).trim_end();
        if line.is_empty() {
            number += 1;
            continue;
        }
        if let Some((kind, end)) = delimited(lines, number, line) {
            let head = (kind == BlockKind::Code && end > number).then(|| LineRange::new(number, number));
            let lines = LineRange::new(number, end);
            reading.blocks.push(Block { kind, lines, language: language.take(), head });
            number = end + 1;
            continue;
        }
        if let Some((level, title)) = title(line) {
            let bytes = lines.start(number)..lines.start(number) + line.len();
            reading.headings.push(Heading { title: title.replace('`', ""), level, id: id.take(), bytes });
            number += 1;
            continue;
        }
        if let Some(attributes) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            let named = attributes.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
            if let Some(name) = named.or_else(|| attributes.strip_prefix('#')) {
                let name = name.split([',', '.', '%']).next().unwrap_or(name).to_owned();
                reading.anchors.push(name.clone());
                id = Some(name);
            }
            let mut words = attributes.split(',');
            if words.next() == Some("source") {
                language = words.next().map(|word| word.trim().to_owned());
            }
            number += 1;
            continue;
        }
        let first = number;
        while number <= lines.count()
            && !lines.is_blank(number)
            && title(lines.line(number).trim_end()).is_none()
        {
            if number > first && delimited(lines, number, lines.line(number).trim_end()).is_some() {
                break;
            }
            number += 1;
        }
        let kind = match line.as_bytes()[0] {
            b'*' | b'-' | b'.' if line.contains(' ') => BlockKind::List,
            _ => BlockKind::Paragraph,
        };
        let lines = LineRange::new(first, number - 1);
        reading.blocks.push(Block { kind, lines, language: None, head: None });
    }
    macros(&mut reading, text, lines);
    reading
}

/// The part of a line in which a link that begins there may end.
fn near(rest: &str) -> &str {
    &rest[..rest.floor_char_boundary(LONGEST_LINK)]
}

/// The level and text of `== Title`.
fn title(line: &str) -> Option<(u8, &str)> {
    let text = line.trim_start_matches('=');
    let level = line.len() - text.len();
    let text = text.strip_prefix(' ')?.trim();
    ((1..=6).contains(&level) && !text.is_empty()).then_some((level as u8, text))
}

/// What the delimiter on a line opens, and the line that closes it.
fn delimited(lines: &Lines<'_>, number: u32, line: &str) -> Option<(BlockKind, u32)> {
    let (mark, kind) = DELIMITERS.iter().find(|(mark, _)| line.starts_with(mark))?;
    let last = mark.bytes().last()?;
    if *mark != "```" && !line.bytes().skip(mark.len()).all(|byte| byte == last) {
        return None;
    }
    let closes =
        |line: &str| if *mark == "```" { line == "```" } else { line == lines.line(number).trim_end() };
    let end = (number + 1..=lines.count()).find(|next| closes(lines.line(*next).trim_end()));
    Some((*kind, end.unwrap_or(lines.count())))
}

/// `link:target[text]`, `xref:target[text]`, `image::target[text]`, `<<id,text>>`, `https://…[text]`.
fn macros(reading: &mut Reading, text: &str, lines: &Lines<'_>) {
    for number in 1..=lines.count() {
        if is_code(&reading.blocks, number) {
            continue;
        }
        let line = lines.line(number);
        let start = lines.start(number);
        let mut found = Vec::new();
        for (mark, image) in [("link:", false), ("xref:", false), ("image::", true), ("image:", true)] {
            for (at, _) in line.match_indices(mark) {
                let rest = near(&line[at + mark.len()..]);
                let Some((target, after)) = rest.split_once('[') else { continue };
                if target.is_empty() || target.contains(char::is_whitespace) || target.starts_with(':') {
                    continue;
                }
                let Some((said, _)) = after.split_once(']') else { continue };
                let end = at + mark.len() + target.len() + said.len() + 2;
                found.push((at..end, target.to_owned(), said.to_owned(), image));
            }
        }
        for (at, _) in line.match_indices("<<") {
            let rest = near(&line[at + 2..]);
            let rest = rest.split("<<").next().unwrap_or(rest);
            if let Some((inner, _)) = rest.split_once(">>") {
                let (target, said) = inner.split_once(',').unwrap_or((inner, inner));
                let target =
                    if target.contains(['#', '.']) { target.to_owned() } else { format!("#{target}") };
                found.push((at..at + inner.len() + 4, target, said.trim().to_owned(), false));
            }
        }
        found.sort_by_key(|(range, ..)| range.start);
        let known = found.len();
        for (range, target) in autolink::find(line) {
            let before = found[..known].partition_point(|(known, ..)| known.start <= range.start);
            if before == 0 || !found[before - 1].0.contains(&range.start) {
                let target = target.split('[').next().unwrap_or(&target).to_owned();
                found.push((range.clone(), target, line[range].to_owned(), false));
            }
        }
        for (range, target, said, image) in found {
            let bytes = start + range.start..(start + range.end).min(text.len());
            reading.links.push(Link { target, text: said, image, line: number, bytes });
        }
    }
    reading.links.sort_by_key(|link| link.bytes.start);
}
