//! What a store promises.

use std::sync::Arc;

use jari_base::{
    Backend, Candidates, Chunk, ChunkId, ChunkKind, Chunked, ContentHash, Document, FileId, Filter,
    Generation, Language, LineRange, Link, Lookup, Skip, Stamp, Symbol, SymbolKind, Uses,
};

use crate::{Error, FileRecord, Files, GramQuery, GramStatistics, PathFilter, Result, Totals};

/// A place where an index is kept.
pub trait Store: Send + Sync {
    /// The newest complete state. It does not change, whatever is written meanwhile.
    fn snapshot(&self) -> Result<Arc<dyn Snapshot>>;

    /// The same for those who ask for neither candidates nor all files: what only these need is opened, and looked at for damage,
    /// when they are asked for after all.
    fn rows(&self) -> Result<Arc<dyn Snapshot>> {
        self.snapshot()
    }

    /// Whether what it holds was made by another version or with other settings: the next update starts over.
    fn is_outdated(&self) -> bool;

    /// Whether whoever holds the newest state should open it again: older states that were held have made the store keep more
    /// than it needs.
    fn wants_reopening(&self) -> bool {
        false
    }

    /// What was last given to [`Store::remember`], if it is still there.
    fn recall(&self) -> Option<Vec<u8>>;

    /// The state that is the working tree's at this moment, by the word of a process that watches the tree; its answer is waited for while
    /// `wanted` says so. `None` if nobody watches, or something may have changed.
    fn vouched(&self, wanted: &dyn Fn() -> bool) -> Option<Generation> {
        let _ = wanted;
        None
    }

    /// Keeps a note beside the index, in place of the one before. It belongs to no state and may be lost at any time.
    fn remember(&self, note: &[u8]);

    /// Begins a batch of changes; at most one at a time, over all processes. [`crate::Error::Busy`] if there is one.
    fn write(&self) -> Result<Box<dyn WriteBatch + '_>>;
}

/// One state of the index.
pub trait Snapshot: Send + Sync {
    /// Which state.
    fn generation(&self) -> Generation;

    /// Every known file, indexed or skipped.
    fn files(&self) -> Result<Arc<Files>>;

    /// One of them.
    fn file(&self, file: FileId) -> Result<Option<FileRecord>> {
        Ok(self.files()?.get(file).cloned())
    }

    /// Sums over all of them.
    fn totals(&self) -> Totals;

    /// Trip 1 of a query: what might answer, with the numbers that ranking needs.
    fn candidates(&self, lookup: &Lookup) -> Result<Candidates>;

    /// Trip 2 of a query: the texts of the winners, in the order asked for. Unknown ids are left out.
    fn hydrate(&self, chunks: &[ChunkId]) -> Result<Vec<StoredChunk>>;

    /// The text of a file as it was indexed.
    fn text(&self, file: FileId) -> Result<Option<String>>;

    /// Everything the chunker found in a file.
    fn chunked(&self, file: FileId) -> Result<Option<Chunked>>;

    /// The chunks whose vectors are nearest, nearest first; nothing where there are no vectors.
    fn nearest(&self, vector: &[f32], limit: usize, filter: &Filter) -> Result<Vec<(ChunkId, f32)>>;

    /// The vector of each of these chunks, where there is one.
    fn vectors(&self, chunks: &[ChunkId]) -> Result<Vec<Option<Vec<f32>>>>;

    /// The words of each of these chunks as the model numbers them; `None` where it made nothing of one.
    fn words(&self, chunks: &[ChunkId]) -> Result<Vec<Option<Vec<u32>>>>;

    /// The indexed files whose vectors are missing and would find room.
    fn unembedded(&self) -> Result<Vec<FileId>>;

    /// Calls `visit` with every document.
    fn documents(&self, visit: &mut dyn FnMut(FileId, Document)) -> Result<()>;

    /// Definitions by name: exact spelling first, then short names, then exported ones, then by path and line.
    fn symbols(&self, lookup: &SymbolLookup) -> Result<Vec<StoredSymbol>>;

    /// Calls `visit` with every name that is defined somewhere, each once.
    fn symbol_names(&self, visit: &mut dyn FnMut(&str)) -> Result<()>;

    /// Names that may be meant by one that nobody defines, each as one of its definitions spells it. `near` is asked, by their
    /// folded form, of those that share most of `grams`, of those in `folded`, and perhaps of others; those it refuses are left out.
    fn names_like(
        &self,
        grams: &[u32],
        folded: &[String],
        near: &mut dyn FnMut(&str) -> bool,
    ) -> Result<Vec<String>>;

    /// The files that may use a name, spelled exactly so, by number: called, named as a type, imported, inherited from.
    /// A few that do not may be among them.
    fn users(&self, name: &str) -> Result<Vec<FileId>>;

    /// A file's uses of names.
    fn uses(&self, file: FileId) -> Result<Uses>;

    /// The definitions of a file, in order of their first line.
    fn defined(&self, file: FileId) -> Result<Vec<Symbol>>;

    /// One of them, by its place in that order.
    fn definition(&self, file: FileId, ordinal: u32) -> Result<Option<Symbol>>;

    /// The files that may hold a substring, by number; `None` if the grams do not tell. Files that are gone, or have changed, may
    /// be among them. Grams in more than `most` files are not used.
    fn narrow(&self, query: &GramQuery, most: u64) -> Result<Option<Vec<FileId>>>;

    /// What its grams are like, where those in more than `most` files are not used.
    fn gram_statistics(&self, most: u64) -> Result<GramStatistics>;

    /// Counts and sizes.
    fn statistics(&self) -> Result<Statistics>;
}

/// A batch of changes. Nothing of it is seen before [`WriteBatch::commit`], and then all of it; dropping it undoes it.
pub trait WriteBatch {
    /// The state that this batch continues.
    fn continues(&self) -> Generation;

    /// Forgets everything that was known before this batch.
    fn clear(&mut self) -> Result<()>;

    /// Adds a file, or replaces what is known of the file at that path.
    fn put(&mut self, file: FileInput) -> Result<()>;

    /// Takes note of a file that is not indexed.
    fn skip(&mut self, path: &str, stamp: Stamp, reason: Skip) -> Result<()>;

    /// Gives a file that is known what a model made of its chunks.
    fn embed(&mut self, file: FileId, meaning: Meaning) -> Result<()>;

    /// The file is as it was; only its stamp changed.
    fn touch(&mut self, file: FileId, stamp: Stamp) -> Result<()>;

    /// The file is as it was, at another path. `words` are those of the new path.
    fn rename(&mut self, file: FileId, path: &str, words: &str, stamp: Stamp) -> Result<()>;

    /// Forgets a file.
    fn remove(&mut self, file: FileId) -> Result<()>;

    /// Makes all of it visible at once.
    fn commit(self: Box<Self>) -> Result<Generation>;
}

/// A file as it enters a store. Words come from `jari-text`, one a line.
#[derive(Debug, Clone, PartialEq)]
pub struct FileInput {
    /// Relative to the root.
    pub path: String,
    /// Words of the path.
    pub path_words: String,
    /// Its language.
    pub language: Language,
    /// What the file system said when it was read.
    pub stamp: Stamp,
    /// Hash of its bytes.
    pub hash: ContentHash,
    /// Its text.
    pub text: String,
    /// What it is made of.
    pub chunked: Chunked,
    /// The words of each chunk, in the order of `chunked.chunks`.
    pub words: Vec<ChunkWords>,
    /// What a model made of the chunks, where one did.
    pub meaning: Option<Meaning>,
    /// The grams of its text, each once; `None` if there are too many to keep.
    pub grams: Option<Vec<u32>>,
}

impl FileInput {
    /// How many words its chunks have.
    pub fn word_count(&self) -> u32 {
        self.words.iter().map(|words| word_count(&words.body)).sum()
    }
}

/// What a model made of the chunks of a file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Meaning {
    /// Their vectors, one after the other.
    pub vectors: Vec<f32>,
    /// The words of each as the model numbers them, sorted; none of a model that has no words.
    pub words: Vec<Vec<u32>>,
}

/// How many words there are, one a line.
pub(crate) fn word_count(words: &str) -> u32 {
    let breaks = words.bytes().filter(|byte| *byte == b'\n').count();
    (breaks + usize::from(!words.is_empty() && !words.ends_with('\n'))) as u32
}

/// The words of one chunk, by field.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChunkWords {
    /// Of the names it defines.
    pub name: String,
    /// Of its doc comment.
    pub doc: String,
    /// Of all its text.
    pub body: String,
}

/// A chunk with its text.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredChunk {
    /// Which one.
    pub id: ChunkId,
    /// What it holds.
    pub kind: ChunkKind,
    /// Where it stands.
    pub lines: LineRange,
    /// The symbol it is the body of.
    pub symbol: Option<Symbol>,
    /// The sections it touches, in order, where it is of a document.
    pub sections: Vec<StoredSection>,
    /// Its lines.
    pub text: String,
    /// The head of a table or fence that was split above it.
    pub head: Option<String>,
    /// The links that stand in it, where it is of a document.
    pub links: Vec<Link>,
}

/// A section as a hit names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredSection {
    /// Its id, without the path.
    pub id: String,
    /// The titles from the outermost section to it.
    pub heading_path: Vec<String>,
    /// What the document calls itself.
    pub title: Option<String>,
    /// Its own lines.
    pub lines: LineRange,
}

impl StoredChunk {
    /// A chunk of a file, taken from all that is known of it; `None` if there is no such chunk.
    pub fn of(id: ChunkId, chunked: &Chunked, text: &str) -> Option<Self> {
        let chunk = chunked.chunks.get(id.ordinal as usize)?;
        let symbol = chunk.symbol.and_then(|symbol| chunked.symbols.get(symbol as usize)).cloned();
        Some(Self::new(id, chunk, symbol, chunked.document.as_ref(), text))
    }

    /// Puts a chunk together from its parts. `text` is that of the whole file.
    pub fn new(
        id: ChunkId,
        chunk: &Chunk,
        symbol: Option<Symbol>,
        document: Option<&Document>,
        text: &str,
    ) -> Self {
        let Chunk { kind, lines, head, .. } = *chunk;
        let sections = document.map(|document| StoredSection::touched(document, lines)).unwrap_or_default();
        let head = head.map(|head| head.slice(text).to_owned());
        let links = document.map(|document| document.links.as_slice()).unwrap_or_default();
        let links = links.iter().filter(|link| lines.contains(link.line)).cloned().collect();
        Self { id, kind, lines, symbol, sections, text: lines.slice(text).to_owned(), head, links }
    }
}

impl StoredSection {
    /// The sections that `lines` touch.
    fn touched(document: &Document, lines: LineRange) -> Vec<Self> {
        let Some(first) = document.section_at(lines.start) else { return Vec::new() };
        let touched = document.sections.iter().enumerate().skip(first as usize);
        touched
            .take_while(|(_, section)| section.lines.start <= lines.end)
            .map(|(at, section)| Self {
                id: section.id.clone(),
                heading_path: document.heading_path(at as u32),
                title: document.title.clone(),
                lines: section.lines,
            })
            .collect()
    }
}

/// A definition with its file.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredSymbol {
    /// In which file.
    pub file: FileId,
    /// Its place among the file's definitions.
    pub ordinal: u32,
    /// What is defined.
    pub symbol: Symbol,
}

/// Which definitions to return.
#[derive(Debug, Clone, PartialEq)]
pub struct SymbolLookup {
    /// The name, folded by `jari_text::fold_name`; a container may stand before it, parted by a dot and unfolded.
    pub folded: String,
    /// The name as typed.
    pub name: String,
    /// How it must match.
    pub mode: SymbolMode,
    /// Kinds to return; empty for all.
    pub kinds: Vec<SymbolKind>,
    /// Languages and paths to return.
    pub filter: Filter,
    /// How many at most.
    pub limit: usize,
}

impl SymbolLookup {
    /// From definitions whose name matches, those that kind and filter let through, in the promised order.
    pub fn choose(&self, mut found: Vec<StoredSymbol>, files: &Files) -> Result<Vec<StoredSymbol>> {
        let filter = PathFilter::new(&self.filter).map_err(Error::Backend)?;
        found.retain(|found| {
            let kind = self.kinds.is_empty() || self.kinds.contains(&found.symbol.kind);
            kind && files.get(found.file).is_some_and(|record| filter.allows(record))
        });
        let path = |found: &StoredSymbol| files.get(found.file).map(|record| record.path.as_str());
        found.sort_by_cached_key(|found| {
            let Symbol { name, exported, lines, .. } = &found.symbol;
            (*name != self.name, name.chars().count(), !exported, path(found), lines.start)
        });
        found.truncate(self.limit);
        Ok(found)
    }
}

/// How a name must match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SymbolMode {
    /// The whole name, whatever its style.
    Exact,
    /// The beginning.
    Prefix,
    /// Any part.
    Contains,
}

/// Counts and sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Statistics {
    /// Chunks.
    pub chunks: u64,
    /// Definitions.
    pub symbols: u64,
    /// Bytes of rows on disk.
    pub row_bytes: u64,
    /// Bytes of postings on disk.
    pub posting_bytes: u64,
    /// How long the batch took that made the index from nothing, in milliseconds.
    pub build_ms: u64,
    /// Vectors, where they are kept.
    pub vectors: Option<VectorStatistics>,
}

/// Counts and sizes of vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VectorStatistics {
    /// Chunks that have one.
    pub count: u64,
    /// Chunks that have none: not yet, or because there is no room for more.
    pub missing: u64,
    /// Their bytes on disk.
    pub bytes: u64,
    /// How they are searched.
    pub backend: Backend,
    /// How long they took to build when all were made together, and the graph over them, in milliseconds.
    pub build_ms: u64,
}

/// Why a store started over with nothing in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Replaced {
    /// It could not be read.
    Damaged(String),
    /// It was something else.
    Foreign,
    /// An earlier version made it, or other settings.
    Outdated,
}

impl std::fmt::Display for Replaced {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Damaged(why) => write!(f, "the index was damaged ({why}) and is made anew"),
            Self::Foreign => f.write_str("what stood in the index's place was no index; it is made anew"),
            Self::Outdated => {
                f.write_str("the index was made by another version or with other settings and is made anew")
            }
        }
    }
}
