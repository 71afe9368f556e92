//! Plain text: headings where an underline makes them certain, else paragraphs. Many projects write reStructuredText in `.txt`.

use jari_base::{Block, BlockKind, LineRange, Link};

use super::{Heading, Reading, autolink, rst};
use crate::lines::Lines;

/// Reads a plain text.
pub(super) fn read(text: &str, lines: &Lines<'_>) -> Reading {
    if rst::is_rst(lines) {
        return rst::read(text, lines);
    }
    let mut reading = Reading::default();
    underlined(&mut reading, lines, |mark| b"=-~".contains(&mark));
    paragraphs(&mut reading, lines);
    for (bytes, target) in autolink::find(text) {
        let (line, text) = (lines.number_at(bytes.start), text[bytes.clone()].to_owned());
        reading.links.push(Link { target, text, image: false, line, bytes });
    }
    reading
}

/// Titles with a line of marks below, and perhaps the same above. Levels follow the order in which marks turn up.
pub(super) fn underlined(reading: &mut Reading, lines: &Lines<'_>, is_mark: fn(u8) -> bool) {
    let mut levels: Vec<(u8, bool)> = Vec::new();
    let marks = |number: u32| {
        let line = lines.line(number).trim_end();
        let first = line.bytes().next().filter(|byte| is_mark(*byte))?;
        (line.len() >= 3 && line.bytes().all(|byte| byte == first)).then_some((first, line.chars().count()))
    };
    let mut number = 2;
    while number <= lines.count() {
        let title = lines.line(number - 1).trim_end();
        let found = marks(number).filter(|(_, length)| {
            let blank_above = number < 3 || lines.is_blank(number - 2) || marks(number - 2).is_some();
            !title.trim().is_empty()
                && *length >= title.chars().count()
                && blank_above
                && marks(number - 1).is_none()
        });
        let Some((mark, _)) = found else {
            number += 1;
            continue;
        };
        let over = number >= 3 && marks(number - 2).is_some_and(|(above, _)| above == mark);
        let level = levels.iter().position(|known| *known == (mark, over)).unwrap_or_else(|| {
            levels.push((mark, over));
            levels.len() - 1
        });
        let first = if over { number - 2 } else { number - 1 };
        let bytes = lines.start(first)..lines.start(number) + lines.line(number).trim_end().len();
        let title = title.trim().to_owned();
        reading.headings.push(Heading { title, level: (level as u8 + 1).min(6), id: None, bytes });
        number += 2;
    }
}

/// Blocks between blank lines and headings.
pub(super) fn paragraphs(reading: &mut Reading, lines: &Lines<'_>) {
    let mut is_heading = vec![false; lines.count() as usize + 2];
    for heading in &reading.headings {
        let range = lines.range(&heading.bytes);
        is_heading[range.start as usize..=range.end as usize].fill(true);
    }
    let mut start = None;
    for number in 1..=lines.count() + 1 {
        let ends = number > lines.count() || is_heading[number as usize] || lines.is_blank(number);
        match start {
            None if !ends => start = Some(number),
            Some(first) if ends => {
                let lines = LineRange::new(first, number - 1);
                reading.blocks.push(Block { kind: BlockKind::Paragraph, lines, language: None, head: None });
                start = None;
            }
            _ => {}
        }
    }
}
