//! One file in; chunks, symbols, references, fields, sections, links and notes out. Pure: no IO, no store, and no input makes it fail.

mod brackets;
mod detect;
mod document;
mod endpoints;
mod fields;
mod layout;
mod lines;
mod path;
mod spec;
mod syntax;

pub use detect::{language_of, languages};
pub use document::{CodeSpan, DocumentOptions, Strategy, code_spans, document, is_document, prose};
pub use spec::{LanguageFacts, facts};

use jari_base::{Chunked, Language, Note};

use crate::lines::Lines;

/// Changes whenever the same text gives other chunks than before: an index made by another version is made anew.
pub const VERSION: u32 = 10;

/// Reads one file.
pub fn chunk(language: &Language, text: &str, documents: &DocumentOptions) -> Chunked {
    let lines = Lines::new(text);
    if let Some(chunked) = document::chunk(language, text, &lines, documents) {
        return chunked;
    }
    let Some(spec) = spec::of(language).filter(|spec| spec.grammar.is_some()) else {
        return windows(&lines, Note::NoGrammar);
    };
    let Some(outline) = syntax::read(spec, text, &lines) else {
        return windows(&lines, Note::Unparsed);
    };
    let mut chunked = Chunked {
        chunks: layout::chunks(&outline, &lines),
        notes: if outline.broken { vec![Note::BrokenSyntax] } else { Vec::new() },
        symbols: outline.items.into_iter().map(|item| item.symbol).collect(),
        references: outline.references,
        ..Chunked::default()
    };
    endpoints::add(language, text, &mut chunked);
    chunked.fields = fields::declared(&chunked.symbols, text, &lines);
    chunked
}

fn windows(lines: &Lines<'_>, note: Note) -> Chunked {
    let chunks = layout::windows(lines);
    Chunked { notes: if chunks.is_empty() { Vec::new() } else { vec![note] }, chunks, ..Chunked::default() }
}
