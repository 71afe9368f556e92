//! Where chunks begin and end: every line that is not blank lies in one, and items are whole where they fit.

use std::ops::Range;

use jari_base::{Chunk, ChunkKind, LineRange, SymbolKind};

use crate::lines::Lines;
use crate::syntax::{Item, Outline};

/// Items with fewer lines stay in the chunk around them.
const SMALLEST: u32 = 5;

/// Items with more lines are split.
const LARGEST: u32 = 100;

/// Items with more bytes are split, however few their lines: about 1,500 tokens.
const LARGEST_BYTES: usize = 6_000;

/// A type's first lines and its first member are one chunk if they have no more lines.
const OPENING: u32 = 50;

/// Of a piece's lines, how many it shares with the next, in percent.
const OVERLAP: u32 = 12;

/// Words that only close something.
const CLOSING: [&str; 5] = ["end", "endif", "fi", "done", "esac"];

/// Windows for files without structure: lines, and lines shared with the next.
const WINDOW: (u32, u32) = (50, 10);

/// The chunks of a file whose structure is known.
pub(crate) fn chunks(outline: &Outline, lines: &Lines<'_>) -> Vec<Chunk> {
    let mut layout = Layout { outline, lines, members: members(&outline.items), chunks: Vec::new() };
    if lines.count() > 0 {
        let top = std::mem::take(&mut layout.members[outline.items.len()]);
        layout.region(LineRange::new(1, lines.count()), &top, None);
    }
    layout.chunks
}

/// The chunks of a file without structure.
pub(crate) fn windows(lines: &Lines<'_>) -> Vec<Chunk> {
    let (size, shared) = WINDOW;
    let mut chunks = Vec::new();
    let mut start = 1;
    while start <= lines.count() {
        // Long lines make a window shorter, so that a chunk stays a chunk.
        let mut end = (start + size - 1).min(lines.count());
        while end > start && lines.bytes(start, end) > LARGEST_BYTES {
            end = start + (end - start) / 2;
        }
        if let Some(range) = trimmed(LineRange::new(start, end), lines) {
            let kind = ChunkKind::Block;
            chunks.push(Chunk { kind, lines: range, symbol: None, doc: None, section: None, head: None });
        }
        if end == lines.count() {
            break;
        }
        start = if end - start + 1 == size { end + 1 - shared } else { end + 1 };
    }
    chunks
}

struct Layout<'a> {
    outline: &'a Outline,
    lines: &'a Lines<'a>,
    /// For each item the chunk-worthy items right inside it; last, those of the file.
    members: Vec<Vec<usize>>,
    chunks: Vec<Chunk>,
}

/// Items that can be chunks of their own, by the item around them.
fn members(items: &[Item]) -> Vec<Vec<usize>> {
    let mut members = vec![Vec::new(); items.len() + 1];
    for (index, item) in items.iter().enumerate() {
        // A constant makes no chunk; what is defined in its value belongs to what is around it.
        let mut around = item.parent;
        while let Some(parent) = around.filter(|parent| kind_of(&items[*parent]).is_none()) {
            around = items[parent].parent;
        }
        let in_function = around.is_some_and(|parent| kind_of(&items[parent]) != Some(ChunkKind::Class));
        if kind_of(item).is_some() && !in_function {
            members[around.unwrap_or(items.len())].push(index);
        }
    }
    members
}

/// What kind of chunk an item makes; `None` for those that stay in their surroundings.
fn kind_of(item: &Item) -> Option<ChunkKind> {
    match item.symbol.kind {
        SymbolKind::Function | SymbolKind::Macro => Some(ChunkKind::Function),
        SymbolKind::Method => Some(ChunkKind::Method),
        SymbolKind::Constant | SymbolKind::Field => None,
        _ => Some(ChunkKind::Class),
    }
}

impl Layout<'_> {
    /// Lays out the lines of a file, or of one item with members: members on their own, what is between them together.
    fn region(&mut self, range: LineRange, members: &[usize], owner: Option<usize>) {
        let mut free = range.start;
        for &member in members {
            let item = &self.outline.items[member].symbol;
            let start = item.lines.start.max(free);
            if item.lines.count() < SMALLEST || item.lines.end < start || start > range.end {
                continue;
            }
            let lines = LineRange::new(start, item.lines.end.min(range.end));
            let with_head = LineRange::new(free, lines.end);
            match owner.filter(|_| free == range.start) {
                Some(owner) if self.is_only_named(with_head, lines, owner) => self.item(with_head, member),
                Some(owner) if self.opens_with(with_head, member, owner) => {
                    self.split(with_head, ChunkKind::Class, Some(owner));
                }
                _ => {
                    self.between(free, lines.start - 1, owner, free == range.start);
                    self.item(lines, member);
                }
            }
            free = lines.end + 1;
        }
        self.between(free, range.end, owner, free == range.start);
    }

    /// Whether a module says nothing before its first member but what it is called, so that this may as well be said there.
    fn is_only_named(&self, all: LineRange, member: LineRange, owner: usize) -> bool {
        let is_module = self.outline.items[owner].symbol.kind == SymbolKind::Module;
        is_module && self.said(all.start..member.start, None) < SMALLEST
    }

    /// Whether a type says so little before its first member, often the one that makes it, that both are one chunk.
    fn opens_with(&self, all: LineRange, member: usize, owner: usize) -> bool {
        let (owner, member) = (&self.outline.items[owner], &self.outline.items[member]);
        owner.symbol.kind != SymbolKind::Module
            && kind_of(member) != Some(ChunkKind::Class)
            && self.said(all.start..member.symbol.lines.start, owner.doc) < SMALLEST
            && all.count() <= OPENING
            && self.lines.bytes(all.start, all.end) <= LARGEST_BYTES
    }

    /// How many lines say something, beside those of a doc comment.
    fn said(&self, lines: Range<u32>, doc: Option<LineRange>) -> u32 {
        let says = |line: &u32| !self.lines.is_blank(*line) && doc.is_none_or(|doc| !doc.contains(*line));
        lines.filter(says).count() as u32
    }

    fn item(&mut self, lines: LineRange, index: usize) {
        let item = &self.outline.items[index];
        let kind = kind_of(item).unwrap_or(ChunkKind::Class);
        let members = std::mem::take(&mut self.members[index]);
        let has_members =
            members.iter().any(|member| self.outline.items[*member].symbol.lines.count() >= SMALLEST);
        if kind == ChunkKind::Class && has_members {
            self.region(lines, &members, Some(index));
        } else {
            self.split(lines, kind, Some(index));
        }
    }

    /// The lines between members: a type's header, fields and short members, or a module's.
    fn between(&mut self, start: u32, end: u32, owner: Option<usize>, first: bool) {
        if start > end {
            return;
        }
        let Some(range) = trimmed(LineRange::new(start, end), self.lines) else { return };
        let says_something = (range.start..=range.end).any(|line| {
            let mut words = self.lines.line(line).split(|c: char| !c.is_alphanumeric());
            words.any(|word| !word.is_empty() && !CLOSING.contains(&word))
        });
        if !says_something && !first {
            // Closing braces belong to what they close, if it is not full.
            if let Some(last) = self.chunks.last_mut()
                && range.end - last.lines.start < LARGEST
            {
                last.lines.end = last.lines.end.max(range.end);
                return;
            }
        }
        let kind = if owner.is_some() { ChunkKind::Class } else { ChunkKind::Module };
        self.split(range, kind, owner);
    }

    /// One chunk where it fits, else pieces that begin at shallow lines and share some lines with the one before.
    fn split(&mut self, range: LineRange, kind: ChunkKind, symbol: Option<usize>) {
        let doc = symbol.and_then(|symbol| self.outline.items[symbol].doc);
        let mut start = range.start;
        loop {
            let piece = self.piece(start, range.end);
            if let Some(lines) = trimmed(LineRange::new(start, piece), self.lines) {
                // A long comment may fill several pieces.
                let doc = doc.and_then(|doc| doc.overlap(lines));
                let symbol = symbol.map(|symbol| symbol as u32);
                self.chunks.push(Chunk { kind, lines, symbol, doc, section: None, head: None });
            }
            if piece == range.end {
                return;
            }
            let shared = ((piece - start + 1) * OVERLAP / 100).min(piece - start);
            start = piece + 1 - shared;
        }
    }

    /// The last line of the piece that begins at `start`.
    fn piece(&self, start: u32, end: u32) -> u32 {
        let fits = |last: u32| last - start < LARGEST && self.lines.bytes(start, last) <= LARGEST_BYTES;
        if fits(end) {
            return end;
        }
        let longest = (start..=end).take_while(|last| fits(*last)).last().unwrap_or(start);
        // Equal pieces rather than a full one and a crumb.
        let left = end - start + 1;
        let size = longest - start + 1;
        let even = left.div_ceil(left.div_ceil(size));
        let (low, high) = (start + even * 2 / 3, (start + even + size / 10).min(longest));
        (low..=high).min_by_key(|last| (self.depth_after(*last, end), high - *last)).unwrap_or(longest)
    }

    /// How deep the line that would open the next piece lies.
    fn depth_after(&self, last: u32, end: u32) -> u16 {
        let next = (last + 1..=end).find(|line| !self.lines.is_blank(*line)).unwrap_or(end);
        self.outline.depths[next as usize - 1]
    }
}

/// The range without blank lines at its ends; `None` if nothing is left.
fn trimmed(range: LineRange, lines: &Lines<'_>) -> Option<LineRange> {
    let start = (range.start..=range.end).find(|line| !lines.is_blank(*line))?;
    let end = (start..=range.end).rev().find(|line| !lines.is_blank(*line))?;
    Some(LineRange::new(start, end))
}
