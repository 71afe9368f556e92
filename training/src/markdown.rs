//! Markdown as a list of blocks: headings, paragraphs, list items, code. Enough for pairs; the product reads it better.

use std::path::Path;

use jari_source::{Contents, Limits};
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
    /// A fenced block.
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

/// The blocks of a page.
pub(crate) fn blocks(page: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut text = String::new();
    let mut code: Option<String> = None;
    let mut lines = page.lines().peekable();
    if lines.peek() == Some(&"---") {
        lines.next();
        lines.by_ref().take_while(|line| *line != "---").for_each(drop);
    }
    for line in lines {
        let trimmed = line.trim();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            match code.take() {
                Some(inside) => blocks.push(Block::Code(inside)),
                None => {
                    flush(&mut text, &mut blocks);
                    code = Some(String::new());
                }
            }
        } else if let Some(inside) = &mut code {
            inside.push_str(line);
            inside.push('\n');
        } else if let Some((level, title)) = heading(trimmed) {
            flush(&mut text, &mut blocks);
            blocks.push(Block::Heading(level, plain(title)));
        } else if trimmed.is_empty() {
            flush(&mut text, &mut blocks);
        } else {
            if is_item(trimmed) {
                flush(&mut text, &mut blocks);
            }
            text.push_str(trimmed);
            text.push('\n');
        }
    }
    flush(&mut text, &mut blocks);
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

fn flush(text: &mut String, blocks: &mut Vec<Block>) {
    let said = plain(text.trim());
    if said.chars().any(char::is_alphanumeric) && !said.starts_with('<') {
        blocks.push(Block::Text(said));
    }
    text.clear();
}

fn heading(line: &str) -> Option<(usize, &str)> {
    let level = line.bytes().take_while(|byte| *byte == b'#').count();
    let title = line[level..].strip_prefix(' ')?.trim().trim_end_matches('#').trim_end();
    (1..=6).contains(&level).then_some((level, title))
}

fn is_item(line: &str) -> bool {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    line.starts_with("- ")
        || line.starts_with("* ")
        || line.starts_with('|')
        || line.starts_with("+ ")
        || (digits > 0 && line[digits..].starts_with(". "))
}

/// Without link targets, anchors and tags: `[text](target)` says `text`.
fn plain(line: &str) -> String {
    let mut said = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find([']', '{', '<']) {
        said.push_str(&rest[..at]);
        let (mark, after) = rest[at..].split_at(1);
        let end = match mark {
            "]" if after.starts_with('(') => after.find(')'),
            "{" if after.starts_with('#') => after.find('}'),
            "<" if after.starts_with(|c: char| c.is_ascii_lowercase() || c == '/' || c == '!') => {
                after.find('>')
            }
            _ => None,
        };
        match end {
            Some(end) => rest = &after[end + 1..],
            None => {
                said.push_str(if mark == "]" { "" } else { mark });
                rest = after;
            }
        }
    }
    said.push_str(rest);
    said.replace(['[', '*', '`'], "").split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_headings_texts_items_and_code() {
        let page = "---\ntitle: x\n---\n# Title {#title}\nSee [the guide](./guide.md)\nnow.\n\n- one\n- two\n```js\nlet a;\n```\n";
        let expected = [
            Block::Heading(1, "Title".to_owned()),
            Block::Text("See the guide now.".to_owned()),
            Block::Text("- one".to_owned()),
            Block::Text("- two".to_owned()),
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
