//! Where the chunks of a document begin and end: by heading, then by structure, within a number of tokens.

use jari_base::{Block, BlockKind, Chunk, ChunkKind, Document, LineRange};
use jari_text::estimate_tokens;
use serde::Deserialize;

use super::block_at;
use crate::lines::Lines;

/// How documents are cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentOptions {
    /// By what.
    pub strategy: Strategy,
    /// Tokens of a chunk, at most, where it can be split.
    pub max_tokens: usize,
    /// Tokens that a piece of a split section repeats of the one before.
    pub overlap: usize,
    /// Sections with fewer tokens join a neighbour of the same parent.
    pub min_tokens: usize,
    /// Deeper headings begin no chunk of their own.
    pub max_depth: u8,
    /// Whether front matter is part of a chunk.
    pub front_matter: bool,
    /// Whether code stays whole while it fits.
    pub code_blocks: bool,
    /// Whether lists stay whole while they fit.
    pub lists: bool,
    /// Whether tables stay whole while they fit.
    pub tables: bool,
}

/// By what documents are cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Strategy {
    /// One chunk a section, however long.
    Heading,
    /// Sections; long ones split between blocks, short ones joined.
    Structural,
    /// Windows of lines, whatever they hold.
    Fixed,
}

impl std::str::FromStr for Strategy {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        match word {
            "heading" => Ok(Self::Heading),
            "structural" => Ok(Self::Structural),
            "fixed" => Ok(Self::Fixed),
            _ => Err(format!("`{word}` is none of structural, heading, fixed")),
        }
    }
}

impl Default for DocumentOptions {
    fn default() -> Self {
        Self {
            strategy: Strategy::Structural,
            max_tokens: 512,
            overlap: 50,
            min_tokens: 100,
            max_depth: 6,
            front_matter: true,
            code_blocks: true,
            lists: true,
            tables: true,
        }
    }
}

/// The chunks of a document. `text_begins` is its first line after front matter.
pub(super) fn chunks(
    document: &Document,
    text_begins: u32,
    breaks: &[u32],
    lines: &Lines<'_>,
    options: &DocumentOptions,
) -> Vec<Chunk> {
    let splitter = Splitter { document, breaks, lines, options, tokens: token_sums(lines) };
    let first = if options.front_matter { 1 } else { text_begins };
    let pieces = match options.strategy {
        Strategy::Fixed => splitter.fixed(first),
        Strategy::Heading => splitter.sections(first),
        Strategy::Structural => {
            let sections = splitter.joined(&splitter.sections(first));
            sections.into_iter().flat_map(|piece| splitter.split(piece)).collect()
        }
    };
    pieces.into_iter().map(|piece| splitter.chunk(piece)).collect()
}

/// A span on its way to a chunk.
#[derive(Clone, Copy)]
struct Piece {
    lines: LineRange,
    section: Option<u32>,
    head: Option<LineRange>,
}

struct Splitter<'a> {
    document: &'a Document,
    breaks: &'a [u32],
    lines: &'a Lines<'a>,
    options: &'a DocumentOptions,
    /// Tokens of all lines before each line.
    tokens: Vec<usize>,
}

fn token_sums(lines: &Lines<'_>) -> Vec<usize> {
    let mut sum = 0;
    let mut sums = vec![0];
    for number in 1..=lines.count() {
        sum += estimate_tokens(lines.line(number));
        sums.push(sum);
    }
    sums
}

impl Splitter<'_> {
    fn chunk(&self, piece: Piece) -> Chunk {
        let Piece { mut lines, section, head } = piece;
        while lines.start < lines.end && self.lines.is_blank(lines.start) {
            lines.start += 1;
        }
        Chunk { kind: ChunkKind::Section, lines, symbol: None, doc: None, section, head }
    }

    fn tokens(&self, range: LineRange) -> usize {
        self.tokens[range.end as usize] - self.tokens[range.start as usize - 1]
    }

    /// Each section with the deeper ones that begin no chunk.
    fn sections(&self, first: u32) -> Vec<Piece> {
        let mut pieces: Vec<Piece> = Vec::new();
        for (at, section) in self.document.sections.iter().enumerate() {
            let start = section.lines.start.max(first);
            if start > section.lines.end || (start..=section.lines.end).all(|line| self.lines.is_blank(line))
            {
                continue;
            }
            match pieces.last_mut() {
                Some(last) if section.level > self.options.max_depth => last.lines.end = section.lines.end,
                _ => {
                    let lines = LineRange::new(start, section.lines.end);
                    pieces.push(Piece { lines, section: Some(at as u32), head: None });
                }
            }
        }
        pieces
    }

    /// Short sections join the next of the same parent while both fit into a chunk; a heading with nothing below it
    /// joins its first subsection, and nothing before it.
    fn joined(&self, pieces: &[Piece]) -> Vec<Piece> {
        let mut joined: Vec<Piece> = Vec::with_capacity(pieces.len());
        let mut after_bare = false;
        for (at, piece) in pieces.iter().enumerate() {
            let is_bare = pieces.get(at + 1).is_some_and(|next| self.is_bare(*piece, *next));
            match joined.last_mut() {
                // It is about the subsection.
                Some(last) if after_bare => {
                    *last = Piece { lines: LineRange::new(last.lines.start, piece.lines.end), ..*piece };
                }
                Some(last) if !is_bare && self.joins(*last, *piece) => last.lines.end = piece.lines.end,
                _ => joined.push(*piece),
            }
            after_bare = is_bare;
        }
        joined
    }

    /// Whether a section is only the heading of what follows it.
    fn is_bare(&self, piece: Piece, next: Piece) -> bool {
        piece.section.is_some()
            && self.parent(next) == piece.section
            && (piece.lines.start + 1..=piece.lines.end).all(|line| self.lines.is_blank(line))
    }

    fn joins(&self, last: Piece, next: Piece) -> bool {
        let (last_tokens, next_tokens) = (self.tokens(last.lines), self.tokens(next.lines));
        let fits = last_tokens + next_tokens <= self.options.max_tokens;
        let short = last_tokens < self.options.min_tokens || next_tokens < self.options.min_tokens;
        fits && short && self.parent(last) == self.parent(next)
    }

    /// The section around that of a piece.
    fn parent(&self, piece: Piece) -> Option<u32> {
        self.document.sections[piece.section? as usize].parent
    }

    /// A piece as it is if it fits, else cut between blocks, and inside a block only where that alone is too large.
    fn split(&self, piece: Piece) -> Vec<Piece> {
        let most = self.options.max_tokens;
        if self.tokens(piece.lines) <= most {
            return vec![piece];
        }
        let mut pieces: Vec<Piece> = Vec::new();
        let mut open: Option<Piece> = None;
        for atom in self.atoms(piece.lines) {
            let grown =
                open.map(|open| Piece { lines: LineRange::new(open.lines.start, atom.lines.end), ..open });
            match grown {
                Some(grown) if self.tokens(grown.lines) + self.head_tokens(grown.head) <= most => {
                    open = Some(grown);
                }
                Some(_) => {
                    let done = open.take().expect("it was grown from it");
                    pieces.push(done);
                    open = Some(self.next(done, atom));
                }
                None => open = Some(Piece { section: piece.section, ..atom }),
            }
        }
        pieces.extend(open);
        pieces
    }

    /// The piece that begins with `atom` and repeats the end of the one before.
    fn next(&self, done: Piece, atom: Piece) -> Piece {
        let mut start = atom.lines.start;
        while start > done.lines.start + 1 {
            let above = LineRange::new(start - 1, atom.lines.start - 1);
            let fits = self.tokens(above) <= self.options.overlap
                && self.tokens(above) + self.tokens(atom.lines) <= self.options.max_tokens;
            if !fits || (self.is_kept_whole(start - 1) && atom.head.is_none()) {
                break;
            }
            start -= 1;
        }
        // Inside a block that is split, nothing above it is repeated but its head.
        let start = if let Some(head) = atom.head { start.max(head.end + 1) } else { start };
        let section = self.document.section_at(atom.lines.start);
        Piece { lines: LineRange::new(start, atom.lines.end), section, head: atom.head }
    }

    fn head_tokens(&self, head: Option<LineRange>) -> usize {
        head.map_or(0, |head| self.tokens(head))
    }

    fn is_kept_whole(&self, line: u32) -> bool {
        block_at(&self.document.blocks, line)
            .is_some_and(|block| matches!(block.kind, BlockKind::Code | BlockKind::Table | BlockKind::List))
    }

    /// What is not cut: blocks that fit, items of lists that do not, lines of anything else. Lines between blocks go
    /// with what follows them.
    fn atoms(&self, range: LineRange) -> Vec<Piece> {
        let mut atoms = Vec::new();
        let mut start = range.start;
        let mut number = range.start;
        while number <= range.end {
            let Some(block) = block_at(&self.document.blocks, number) else {
                number += 1;
                continue;
            };
            let end = block.lines.end.min(range.end);
            let whole = LineRange::new(number, end);
            if self.keeps(block) && self.tokens(whole) <= self.options.max_tokens {
                atoms.push(self.atom(start, end, None));
            } else {
                self.cut(block, start, whole, &mut atoms);
            }
            start = end + 1;
            number = end + 1;
        }
        if start <= range.end {
            match atoms.last_mut() {
                Some(last) => last.lines.end = range.end,
                None => atoms.push(self.atom(start, range.end, None)),
            }
        }
        atoms
    }

    fn atom(&self, start: u32, end: u32, head: Option<LineRange>) -> Piece {
        Piece { lines: LineRange::new(start, end), section: self.document.section_at(start), head }
    }

    fn keeps(&self, block: &Block) -> bool {
        match block.kind {
            BlockKind::Code => self.options.code_blocks,
            BlockKind::List => self.options.lists,
            BlockKind::Table => self.options.tables,
            BlockKind::Paragraph | BlockKind::Quote | BlockKind::Markup => true,
        }
    }

    /// A block line by line, or item by item where it is a list. The first piece takes the lines before it along.
    fn cut(&self, block: &Block, before: u32, range: LineRange, atoms: &mut Vec<Piece>) {
        // A block may begin before the part of it that lies here.
        let head_end = block.head.map_or(range.start, |head| head.end.clamp(range.start, range.end));
        let mut start = before;
        for line in head_end..=range.end {
            let next_is_item = self.breaks.binary_search(&(line + 1)).is_ok();
            let item = LineRange::new(start, line);
            let full = self.tokens(item) >= self.options.max_tokens / 2;
            if block.kind == BlockKind::List && !next_is_item && !full && line < range.end {
                continue;
            }
            // A head that fills a chunk by itself says nothing about the lines below it.
            let head = block
                .head
                .filter(|head| head.end < start && self.tokens(*head) <= self.options.max_tokens / 4);
            atoms.push(self.atom(start, line, head));
            start = line + 1;
        }
    }

    /// Windows of lines from `first` on.
    fn fixed(&self, first: u32) -> Vec<Piece> {
        let mut pieces: Vec<Piece> = Vec::new();
        let mut start = first;
        while start <= self.lines.count() {
            let mut end = start;
            while end < self.lines.count()
                && self.tokens(LineRange::new(start, end + 1)) <= self.options.max_tokens
            {
                end += 1;
            }
            if (start..=end).any(|line| !self.lines.is_blank(line)) {
                pieces.push(self.atom(start, end, None));
            }
            if end == self.lines.count() {
                break;
            }
            let mut next = end + 1;
            while next > start + 1 && self.tokens(LineRange::new(next - 1, end)) <= self.options.overlap {
                next -= 1;
            }
            start = next;
        }
        pieces
    }
}
