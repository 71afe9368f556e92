//! From headings to sections: who holds whom, where each ends, and what it is called for good.

use std::collections::HashMap;

use jari_base::{ContentHash, Document, LineRange, Section, Value};

use super::{Heading, Reading};
use crate::lines::Lines;

/// Orders what a reader found.
pub(super) fn document(reading: Reading, text: &str, lines: &Lines<'_>) -> Document {
    let Reading { front_matter, headings, blocks, links, anchors, .. } = reading;
    let named = front_matter.iter().find(|(name, _)| name == "title").and_then(|(_, value)| match value {
        Value::Text(title) => Some(title.clone()),
        Value::Integer(number) => Some(number.to_string()),
        _ => None,
    });
    let first = || headings.iter().find(|heading| heading.level == 1).map(|heading| heading.title.clone());
    let title = named.or_else(first).filter(|title| !title.trim().is_empty());
    let sections = sections(&headings, text, lines);
    Document { title, front_matter, sections, links, anchors, blocks }
}

fn sections(headings: &[Heading], text: &str, lines: &Lines<'_>) -> Vec<Section> {
    let mut starts: Vec<u32> = headings.iter().map(|heading| lines.number_at(heading.bytes.start)).collect();
    let before = starts.first().map_or(lines.count(), |first| first - 1);
    let preamble = (1..=before).any(|number| !lines.is_blank(number));
    let mut sections: Vec<Section> = Vec::with_capacity(headings.len() + 1);
    let mut names = Names::default();
    // The sections around the one at hand, outermost first.
    let mut around: Vec<u32> = Vec::new();
    if preamble {
        sections.push(section(
            String::new(),
            0,
            None,
            String::new(),
            String::new(),
            LineRange::new(1, before),
            text,
            lines,
        ));
    }
    starts.push(lines.count() + 1);
    for (at, heading) in headings.iter().enumerate() {
        while around.last().is_some_and(|last| sections[*last as usize].level >= heading.level) {
            close(&mut sections, around.pop());
        }
        let parent = around.last().copied();
        let above = parent.map_or("", |parent| sections[parent as usize].id.as_str());
        let slug = slug(&heading.title);
        let id = names.id(above, &slug);
        let anchor = heading.id.clone().unwrap_or_else(|| names.anchor(&slug));
        let own = LineRange::new(starts[at], starts[at + 1].max(starts[at] + 1) - 1);
        around.push(sections.len() as u32);
        sections.push(section(heading.title.clone(), heading.level, parent, id, anchor, own, text, lines));
    }
    for last in around.into_iter().rev() {
        close(&mut sections, Some(last));
    }
    sections
}

#[expect(clippy::too_many_arguments, reason = "they are the fields of what it makes")]
fn section(
    title: String,
    level: u8,
    parent: Option<u32>,
    id: String,
    anchor: String,
    own: LineRange,
    text: &str,
    lines: &Lines<'_>,
) -> Section {
    let own = without_blank_end(own, lines);
    let bytes = lines.start(own.start)
        ..lines.start(own.end) + lines.line(own.end).trim_end_matches(['\r', '\n']).len();
    let hash = blake3::hash(text[bytes.clone()].as_bytes());
    let hash = ContentHash(std::array::from_fn(|at| hash.as_bytes()[at]));
    Section { title, level, parent, id, anchor, lines: own, whole: own, bytes, hash }
}

/// A section ends where the next one of its level or above begins: with the last line of its last subsection.
fn close(sections: &mut [Section], section: Option<u32>) {
    let Some(at) = section.map(|section| section as usize) else { return };
    sections[at].whole.end = sections.last().map_or(sections[at].lines.end, |last| last.lines.end);
}

fn without_blank_end(range: LineRange, lines: &Lines<'_>) -> LineRange {
    let end = (range.start..=range.end).rev().find(|number| !lines.is_blank(*number));
    LineRange::new(range.start, end.unwrap_or(range.start))
}

/// Ids and anchors that are taken.
#[derive(Default)]
struct Names {
    ids: HashMap<String, u32>,
    anchors: HashMap<String, u32>,
}

impl Names {
    /// `above/slug`, and `above/slug~2` for the second of that name.
    fn id(&mut self, above: &str, slug: &str) -> String {
        let plain = if above.is_empty() { slug.to_owned() } else { format!("{above}/{slug}") };
        let seen = self.ids.entry(plain.clone()).or_default();
        *seen += 1;
        if *seen == 1 { plain } else { format!("{plain}~{seen}") }
    }

    /// `slug`, then `slug-1`, as GitHub numbers them.
    fn anchor(&mut self, slug: &str) -> String {
        let mut seen = self.anchors.get(slug).copied().unwrap_or(0);
        let mut anchor = if seen == 0 { slug.to_owned() } else { format!("{slug}-{seen}") };
        // A title may look like a numbered one.
        while seen > 0 && self.anchors.contains_key(&anchor) {
            seen += 1;
            anchor = format!("{slug}-{seen}");
        }
        self.anchors.insert(slug.to_owned(), seen + 1);
        if anchor != slug {
            self.anchors.insert(anchor.clone(), 1);
        }
        anchor
    }
}

/// A title as sites write it in addresses: letters and digits of any script, spaces as hyphens.
pub(super) fn slug(title: &str) -> String {
    let kept = |c: char| c.is_alphanumeric() || c == '-' || c == '_' || c == ' ';
    let slug: String = title
        .trim()
        .chars()
        .flat_map(char::to_lowercase)
        .filter(|c| kept(*c))
        .map(|c| if c == ' ' { '-' } else { c })
        .collect();
    if slug.is_empty() { "section".to_owned() } else { slug }
}

#[cfg(test)]
mod tests {
    use super::slug;

    #[test]
    fn slugs_are_those_of_sites() {
        assert_eq!(slug("What's `new` in 2.0?"), "whats-new-in-20");
        assert_eq!(slug("설치 방법"), "설치-방법");
        assert_eq!(slug("a - b"), "a---b");
        assert_eq!(slug("!?"), "section");
    }
}
