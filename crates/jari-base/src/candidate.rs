//! What travels between a query's plan, a store and the ranking: trip 1 of a query.

use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::{ChunkId, ChunkKind, FileId, Language, LineRange, SymbolKind, words};

/// What a store is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Lookup {
    /// The words of the query, as `jari-text` makes them, each once.
    pub terms: Vec<Term>,
    /// Names, folded, whose definitions are wanted wherever they stand.
    pub names: Vec<String>,
    /// What the query means, where vectors are to be asked too.
    pub vector: Option<Vec<f32>>,
    /// What may be returned at all.
    pub filter: Filter,
    /// How many files to return at most.
    pub limit: usize,
    /// How words are weighed.
    pub bm25: Bm25,
    /// When to stop with what there is.
    pub deadline: Option<Instant>,
}

words! {
    /// How a question is looked for.
    Mode {
        /// By its words.
        Keyword = "keyword",
        /// By what it means.
        Semantic = "semantic",
        /// By both.
        Hybrid = "hybrid",
    }
}

words! {
    /// What a question is asked for.
    Intent {
        /// To get to a place.
        Nav = "nav",
        /// To understand how something works.
        Explain = "explain",
        /// To change something.
        Edit = "edit",
        /// To see all there is.
        Research = "research",
    }
}

words! {
    /// How what words found and what vectors found become one list.
    Fusion {
        /// A weighted sum of signals, each divided by its maximum.
        Linear = "linear",
        /// Of both lists the ranks alone.
        Rrf = "rrf",
        /// A weighted sum of both lists' scores, each spread from 0 to 1.
        Weighted = "weighted",
        /// The words' scores, and some of the vectors'.
        Alpha = "alpha",
    }
}

words! {
    /// A list of candidates that one way of looking made.
    List {
        /// Words in the text.
        Keyword = "keyword",
        /// Words in the file's path.
        Path = "path",
        /// Names that are defined.
        Symbol = "symbol",
        /// Meaning.
        Vector = "vector",
    }
}

words! {
    /// What should have helped with an answer and did not.
    Degraded {
        /// No vectors: the answer is by words alone.
        VectorsUnavailable = "vectors_unavailable",
        /// The model that makes vectors did not answer: the answer is by words alone.
        EmbeddingUnavailable = "embedding_unavailable",
        /// Not all chunks have vectors yet: meaning tells nothing of the others.
        EmbeddingInProgress = "embedding_in_progress",
        /// There are vectors, but not the graph that was asked for: every one was looked at.
        VectorIndexUnavailable = "vector_index_unavailable",
        /// Time was up: steps that were left would have made it better.
        TimeBudget = "time_budget",
        /// What should have put the best in order failed, so the order is the usual one.
        RerankerUnavailable = "reranker_unavailable",
        /// What should have translated the question failed, so the glossary's words are all there is.
        TranslatorUnavailable = "translator_unavailable",
    }
}

/// A word of the query.
#[derive(Debug, Clone, PartialEq)]
pub struct Term {
    /// As it stands in the postings.
    pub text: String,
    /// How much a match counts.
    pub weight: f32,
}

/// Parameters of BM25.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Bm25 {
    /// How fast repeated words stop adding.
    pub k1: f32,
    /// How much long texts are held back, 0 to 1.
    pub b: f32,
}

impl Default for Bm25 {
    fn default() -> Self {
        Self { k1: 1.5, b: 0.75 }
    }
}

/// Limits on what may be returned. Empty lists allow everything.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filter {
    /// Languages by name.
    pub languages: Vec<String>,
    /// Kinds of chunks.
    pub kinds: Vec<ChunkKind>,
    /// Globs over paths; a folder stands for all below it.
    pub paths: Vec<String>,
    /// Globs of which one must match as well.
    pub also_paths: Vec<String>,
    /// Globs of which none may match.
    pub except_paths: Vec<String>,
}

/// What a store answers.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Candidates {
    /// Best first by the store's own rough sum; at most `limit`, and beyond it files with a definition asked for.
    pub files: Vec<FileCandidate>,
    /// Each term's rarity (inverse document frequency), in the order of [`Lookup::terms`].
    pub rarity: Vec<f32>,
    /// Whether vectors were asked and did not help as they should.
    pub degraded: Option<Degraded>,
}

/// A file with reasons to be an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct FileCandidate {
    /// Which one.
    pub file: FileId,
    /// Where it stands, relative to the root.
    pub path: String,
    /// Its language.
    pub language: Language,
    /// BM25 of the file as one text.
    pub bm25: f32,
    /// BM25 of the words of its path.
    pub path_bm25: f32,
    /// Its best chunks by words, best first, at most eight; then those of its nearest chunks that are not among them, at most
    /// eight.
    pub chunks: Vec<ChunkCandidate>,
    /// Definitions of names that were asked for.
    pub definitions: Vec<DefinitionCandidate>,
}

/// A chunk of a candidate file.
#[derive(Debug, Clone, PartialEq)]
pub struct ChunkCandidate {
    /// Which one.
    pub chunk: ChunkId,
    /// What it holds.
    pub kind: ChunkKind,
    /// BM25 over its text.
    pub body: f32,
    /// BM25 over the names it defines; of a section, over its title.
    pub name: f32,
    /// BM25 over its doc comment; of a section, over the titles around it.
    pub doc: f32,
    /// How near its vector is to the query's; 0 where there is none.
    pub cosine: f32,
}

/// A definition of a name that was asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct DefinitionCandidate {
    /// The name as written.
    pub name: String,
    /// What it is.
    pub kind: SymbolKind,
    /// Where it stands.
    pub lines: LineRange,
    /// The chunk that shows it, below its doc comment.
    pub chunk: ChunkId,
}
