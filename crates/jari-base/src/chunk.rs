//! What one file becomes.

use serde::{Deserialize, Serialize};

use crate::{Document, FieldType, LineRange, Reference, Symbol, words};

words! {
    /// What a chunk holds.
    ChunkKind {
        /// A function.
        Function = "function",
        /// A function that belongs to a type.
        Method = "method",
        /// A type's header, doc, fields and short members; also traits, interfaces, enums and modules.
        Class = "class",
        /// Imports, constants, short items and top-level code.
        Module = "module",
        /// Lines of a file without structure.
        Block = "block",
        /// A section of a document, or a piece of one.
        Section = "section",
    }
}

/// A span of a file that can be an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chunk {
    /// What it holds.
    pub kind: ChunkKind,
    /// Where it stands.
    pub lines: LineRange,
    /// The symbol it is the body of, as an index into [`Chunked::symbols`].
    pub symbol: Option<u32>,
    /// The lines of its doc comment or docstring, inside `lines`.
    pub doc: Option<LineRange>,
    /// The section it begins in, as an index into [`Document::sections`].
    pub section: Option<u32>,
    /// Lines above `lines` that belong to it too: the head of a table or fence that was split.
    pub head: Option<LineRange>,
}

/// One file, read. Every line that is not blank lies in at least one chunk.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Chunked {
    /// In order of their first line.
    pub chunks: Vec<Chunk>,
    /// Definitions, in order of their first line.
    pub symbols: Vec<Symbol>,
    /// Uses of names, in order of their line.
    pub references: Vec<Reference>,
    /// The fields whose types are declared, in order of what has them.
    pub fields: Vec<FieldType>,
    /// Title, sections and links, where the file is a document.
    pub document: Option<Document>,
    /// What could not be read as it should.
    pub notes: Vec<Note>,
}

words! {
    /// Something a reader of the index should know about a file.
    Note {
        /// No grammar for its language: windows of lines.
        NoGrammar = "no grammar",
        /// Syntax errors: structure where the parser found it.
        BrokenSyntax = "broken syntax",
        /// So broken, or so deep, that it was cut into windows of lines.
        Unparsed = "unparsed",
        /// Not what its strict parser accepts: read by a tolerant one.
        ParserFallback = "parser_fallback",
    }
}

impl Chunked {
    /// The chunk that holds `line`: of several, the one that begins nearest above it.
    pub fn chunk_at(&self, line: u32) -> Option<u32> {
        let holds = |(_, chunk): &(usize, &Chunk)| chunk.lines.contains(line);
        self.chunks
            .iter()
            .enumerate()
            .filter(holds)
            .max_by_key(|(_, chunk)| chunk.lines.start)
            .map(|(ordinal, _)| ordinal as u32)
    }

    /// The chunk that shows what `symbol` is: the one with its first line that is no comment above it.
    pub fn chunk_of(&self, symbol: &Symbol) -> Option<u32> {
        let first = self.chunk_at(symbol.lines.start)?;
        let rest = self.chunks.iter().zip(0..).skip(first as usize);
        let inside = rest.take_while(|(chunk, _)| chunk.lines.start <= symbol.lines.end);
        let is_comment = |chunk: &Chunk| {
            let own = LineRange::new(chunk.lines.start.max(symbol.lines.start), chunk.lines.end);
            chunk.doc.is_some_and(|doc| doc.overlap(own) == Some(own))
        };
        let mut shows = inside.filter(|(chunk, _)| !is_comment(chunk));
        Some(shows.next().map_or(first, |(_, at)| at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SymbolKind;

    #[test]
    fn a_definition_is_shown_below_its_comment() {
        let chunk = |start, end, doc: Option<(u32, u32)>| Chunk {
            kind: ChunkKind::Class,
            lines: LineRange::new(start, end),
            symbol: Some(0),
            doc: doc.map(|(start, end)| LineRange::new(start, end)),
            section: None,
            head: None,
        };
        let symbol = |start, end| Symbol {
            name: "Engine".into(),
            kind: SymbolKind::Class,
            container: None,
            signature: String::new(),
            doc: None,
            exported: true,
            lines: LineRange::new(start, end),
        };
        let check = |chunks: &[Chunk], symbol: Symbol, expected: Option<u32>| {
            let chunked = Chunked { chunks: chunks.to_vec(), ..Chunked::default() };
            assert_eq!(chunked.chunk_of(&symbol), expected);
        };
        let long =
            [chunk(1, 40, Some((1, 40))), chunk(36, 80, Some((36, 80))), chunk(76, 120, Some((76, 90)))];
        check(&long, symbol(1, 120), Some(2));
        check(&long[..1], symbol(1, 120), Some(0));
        // The line of the module around it stands above the comment; that of the definition above a docstring.
        let above = [chunk(1, 40, Some((2, 40))), chunk(36, 120, Some((36, 50)))];
        check(&above, symbol(2, 120), Some(1));
        check(&above, symbol(1, 120), Some(0));
        check(&[chunk(1, 9, Some((1, 3)))], symbol(1, 9), Some(0));
        check(&[chunk(1, 3, Some((1, 3))), chunk(5, 9, None)], symbol(1, 3), Some(0));
        check(&[], symbol(1, 3), None);
    }
}
