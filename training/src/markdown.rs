//! Markdown as a list of blocks: headings, paragraphs, list items, table rows, code. `jari_chunk` keeps lists and tables
//! whole, and translations are aligned item by item; so this goes over the events of the same parser.

use std::path::Path;

use jari_source::{Contents, Limits};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use rayon::prelude::*;

use crate::pair::{Kind, Pair};

/// A section's text is cut here.
const LONGEST: usize = 3_000;

/// Words of a heading that is a question rather than a label.
const TITLE_WORDS: std::ops::RangeInclusive<usize> = 2..=14;

/// A piece of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Block {
    /// Its level and title.
    Heading(usize, String),
    /// A paragraph, list item or table row.
    Text(String),
    /// A block of code.
    Code(String),
}

impl Block {
    /// What it says.
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Heading(_, text) | Self::Text(text) | Self::Code(text) => text,
        }
    }
}

/// The blocks of a page. Links say their text, tags nothing.
pub(crate) fn blocks(page: &str) -> Vec<Block> {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_HEADING_ATTRIBUTES
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    let mut blocks = Vec::new();
    let mut said = String::new();
    for event in Parser::new_ext(page, options) {
        match event {
            Event::Text(text) | Event::Code(text) => said.push_str(&text),
            Event::SoftBreak | Event::HardBreak | Event::End(TagEnd::TableCell) => said.push(' '),
            Event::End(TagEnd::Heading(level)) => {
                blocks.push(Block::Heading(level as usize, one_line(&mut said)));
            }
            Event::End(TagEnd::CodeBlock) => blocks.push(Block::Code(std::mem::take(&mut said))),
            Event::End(TagEnd::MetadataBlock(_)) => said.clear(),
            // An item may hold paragraphs and lists: each of them ends what was said before.
            Event::End(TagEnd::Paragraph | TagEnd::Item | TagEnd::TableHead | TagEnd::TableRow)
            | Event::Start(Tag::List(_) | Tag::CodeBlock(_) | Tag::Paragraph) => {
                let text = one_line(&mut said);
                if text.chars().any(char::is_alphanumeric) {
                    blocks.push(Block::Text(text));
                }
            }
            _ => {}
        }
    }
    blocks
}

/// Pairs of all English pages below `folder`.
pub(crate) fn pairs(source: &str, folder: &Path) -> Vec<Pair> {
    let limits = Limits::default();
    let Ok(walked) = jari_source::walk(folder, &limits) else { return Vec::new() };
    let pages = walked
        .entries
        .into_par_iter()
        .filter(|entry| entry.path.ends_with(".md") || entry.path.ends_with(".mdx"));
    pages
        .flat_map_iter(|entry| match jari_source::read(&folder.join(&entry.path), &limits) {
            Contents::Text { text, .. } => sections(source, &entry.path, &text),
            Contents::Skipped(_) => Vec::new(),
        })
        .collect()
}

/// Pairs of headings and what stands below them; the page's own title and the file's path stand above each.
fn sections(source: &str, path: &str, page: &str) -> Vec<Pair> {
    let blocks = blocks(page);
    let title = blocks.iter().find_map(|block| match block {
        Block::Heading(_, title) => Some(title.clone()),
        _ => None,
    });
    let mut pairs = Vec::new();
    for (at, block) in blocks.iter().enumerate() {
        let Block::Heading(_, query) = block else { continue };
        let below = blocks[at + 1..].iter().take_while(|block| !matches!(block, Block::Heading(..)));
        let mut text = below.map(Block::text).collect::<Vec<_>>().join("\n");
        text.truncate(text.floor_char_boundary(LONGEST));
        let english = query.is_ascii() && TITLE_WORDS.contains(&query.split_whitespace().count());
        if english && text.split_whitespace().count() >= 12 {
            let above = title.as_ref().filter(|title| *title != query).map_or("", String::as_str);
            let heading = format!("{path} {above}");
            pairs.push(Pair {
                kind: Kind::Section,
                source: source.to_owned(),
                query: query.clone(),
                text,
                heading,
            });
        }
    }
    pairs
}

/// Takes what was said, with one space between words.
fn one_line(said: &mut String) -> String {
    std::mem::take(said).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_headings_texts_items_and_code() {
        let page = "---\ntitle: x\n---\n# Title {#title}\nSee [the guide](./guide.md)\n<br>now.\n\n- one\n- two\n  - three\n\n|a|b|\n|-|-|\n|c|d|\n\n```js\nlet a;\n```\n";
        let expected = [
            Block::Heading(1, "Title".to_owned()),
            Block::Text("See the guide now.".to_owned()),
            Block::Text("one".to_owned()),
            Block::Text("two".to_owned()),
            Block::Text("three".to_owned()),
            Block::Text("a b".to_owned()),
            Block::Text("c d".to_owned()),
            Block::Code("let a;\n".to_owned()),
        ];
        assert_eq!(blocks(page), expected);
    }

    #[test]
    fn a_heading_asks_for_its_section() {
        let page = "# Guide\n## Retry a request\nEvery call is repeated at most three times, with a growing pause between the calls.\n";
        let pairs = sections("source", "docs/net.md", page);
        assert_eq!(pairs.len(), 1);
        assert_eq!(pairs[0].query, "Retry a request");
        assert_eq!(pairs[0].heading, "docs/net.md Guide");
    }
}
