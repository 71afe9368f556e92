//! Documents: one file in; title, sections, links and chunks out. Pure, linear in the size of the file, and no input makes
//! it fail.

mod adoc;
mod autolink;
mod front;
mod markdown;
mod markup;
mod mdx;
mod plain;
mod rst;
mod sections;
mod spans;
mod split;

pub use spans::{CodeSpan, code_spans};
pub use split::{DocumentOptions, Strategy};

use std::borrow::Cow;
use std::ops::Range;

use jari_base::{Block, BlockKind, Chunked, Document, Language, Link, Note, Value};

use crate::lines::Lines;

/// What a reader finds in a text, before it is ordered into sections.
#[derive(Default)]
struct Reading {
    front_matter: Vec<(String, Value)>,
    /// Where the text begins, after front matter.
    start: usize,
    headings: Vec<Heading>,
    /// Blocks that no other block holds.
    blocks: Vec<Block>,
    links: Vec<Link>,
    anchors: Vec<String>,
    /// Lines at which a block may be split: where items of a list begin.
    breaks: Vec<u32>,
    edits: Vec<Edit>,
    fallback: bool,
}

/// A heading that stands in no list or quotation.
struct Heading {
    title: String,
    level: u8,
    /// An id that the author gave.
    id: Option<String>,
    bytes: Range<usize>,
}

/// What prose says instead of a part of the source.
struct Edit {
    bytes: Range<usize>,
    text: String,
}

/// The block that holds `line`. Blocks are in order and do not overlap.
fn block_at(blocks: &[Block], line: u32) -> Option<&Block> {
    let at = blocks.partition_point(|block| block.lines.end < line);
    blocks.get(at).filter(|block| block.lines.contains(line))
}

/// Whether `line` is code, in which nothing is a link.
fn is_code(blocks: &[Block], line: u32) -> bool {
    block_at(blocks, line).is_some_and(|block| block.kind == BlockKind::Code)
}

/// Whether files of this language are documents.
pub fn is_document(language: &Language) -> bool {
    reader(language).is_some()
}

/// What is known of a document, and what could not be read as it should; `None` where the language is none of
/// documents.
pub fn document(language: &Language, text: &str) -> Option<(Document, Vec<Note>)> {
    let lines = Lines::new(text);
    let reading = reader(language)?(text, &lines);
    let notes = notes(&reading);
    Some((sections::document(reading, text, &lines), notes))
}

/// The text as a reader sees it: components, shortcodes and markup replaced by what they say. Line for line the source.
pub fn prose<'t>(language: &Language, text: &'t str) -> Cow<'t, str> {
    let Some(read) = reader(language) else { return Cow::Borrowed(text) };
    edited(text, read(text, &Lines::new(text)).edits)
}

/// The chunks of a document; `None` where the language is none of documents.
pub(crate) fn chunk(
    language: &Language,
    text: &str,
    lines: &Lines<'_>,
    options: &DocumentOptions,
) -> Option<Chunked> {
    let mut reading = reader(language)?(text, lines);
    let notes = notes(&reading);
    let breaks = std::mem::take(&mut reading.breaks);
    let text_begins = lines.number_at(reading.start.min(text.len().saturating_sub(1)));
    let document = sections::document(reading, text, lines);
    let chunks = split::chunks(&document, text_begins, &breaks, lines, options);
    Some(Chunked { chunks, document: Some(document), notes, ..Chunked::default() })
}

type Reader = fn(&str, &Lines<'_>) -> Reading;

fn reader(language: &Language) -> Option<Reader> {
    match language.as_str() {
        "markdown" => Some(markdown::read),
        "mdx" => Some(mdx::read),
        "rst" => Some(rst::read),
        "asciidoc" => Some(adoc::read),
        "text" => Some(plain::read),
        _ => None,
    }
}

fn notes(reading: &Reading) -> Vec<Note> {
    if reading.fallback { vec![Note::ParserFallback] } else { Vec::new() }
}

/// Applies edits; each keeps as many line breaks as it takes away.
fn edited(text: &str, mut edits: Vec<Edit>) -> Cow<'_, str> {
    if edits.is_empty() {
        return Cow::Borrowed(text);
    }
    edits.sort_by_key(|edit| edit.bytes.start);
    let mut prose = String::with_capacity(text.len());
    let mut at = 0;
    for edit in edits {
        // Of two that overlap, the first one counts.
        if edit.bytes.start < at {
            continue;
        }
        prose.push_str(&text[at..edit.bytes.start]);
        // A text of several lines, say of an attribute, becomes one: its breaks are those of the source below.
        prose.extend(edit.text.chars().map(|c| if c == '\n' { ' ' } else { c }));
        prose.extend(text[edit.bytes.clone()].chars().filter(|c| *c == '\n'));
        at = edit.bytes.end;
    }
    prose.push_str(&text[at..]);
    Cow::Owned(prose)
}
