//! The JSON shapes of Jari, once, for `--json`, HTTP and MCP.

use std::collections::BTreeMap;
use std::ops::Range;

use jari_base::{ChunkKind, Explained, Explanation, Skip, SymbolKind};
use jari_engine::ingest::Update;
use jari_engine::search::{Hit, SearchRequest, SearchResponse};
use jari_engine::status::Status;
use jari_engine::symbols::{Found, SymbolRequest, SymbolResponse};
use jari_engine::tree::Node;
use serde::Serialize;

/// How far the index can be trusted.
#[derive(Debug, Clone, Serialize)]
pub struct IndexJson {
    /// `fresh`: what the working tree is; `updating`: another process is bringing it up to date; `unchecked`: nobody
    /// looked for changes.
    pub state: &'static str,
    /// Which state of the index answered.
    pub generation: u64,
    /// Files in it.
    pub files: u64,
    /// Files left out.
    pub skipped: u64,
}

/// The answer to a search.
#[derive(Debug, Serialize)]
pub struct SearchJson {
    query: String,
    mode: &'static str,
    results: Vec<HitJson>,
    index: IndexJson,
    /// Whether something that should have helped did not.
    degraded: bool,
    /// What.
    reason: Option<String>,
    took_ms: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    cut: Option<CutJson>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    near: Vec<String>,
}

/// A place that answers.
#[derive(Debug, Serialize)]
pub struct HitJson {
    path: String,
    start_line: u32,
    end_line: u32,
    kind: ChunkKind,
    language: String,
    symbol: Option<String>,
    signature: Option<String>,
    scores: ScoresJson,
    fresh: bool,
    preview: Vec<LineJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    matched_terms: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<Explanation>,
}

#[derive(Debug, Serialize)]
struct ScoresJson {
    bm25: f32,
    vector: Option<f32>,
    #[serde(rename = "final")]
    last: f32,
}

#[derive(Debug, Serialize)]
struct LineJson {
    line: u32,
    text: String,
    /// Byte ranges of `text`, from and to.
    highlights: Vec<[usize; 2]>,
}

#[derive(Debug, Serialize)]
struct CutJson {
    shortened: usize,
    places: usize,
    dropped: usize,
}

impl SearchJson {
    /// Puts an answer into its shape. Texts are shown only where a token budget asked for them.
    pub fn new(request: &SearchRequest, response: SearchResponse, index: IndexJson) -> Self {
        let with_text = request.max_tokens.is_some();
        Self {
            query: request.query.clone(),
            mode: "keyword",
            results: response.hits.into_iter().map(|hit| hit_json(hit, with_text)).collect(),
            index,
            degraded: false,
            reason: None,
            took_ms: (response.took.as_secs_f64() * 1e6).round() / 1e3,
            cut: response.cut.map(|cut| CutJson {
                shortened: cut.shortened,
                places: cut.places,
                dropped: cut.dropped,
            }),
            near: response.near,
        }
    }
}

fn hit_json(hit: Hit, with_text: bool) -> HitJson {
    let range = |range: Range<usize>| [range.start, range.end];
    HitJson {
        path: hit.path,
        start_line: hit.lines.start,
        end_line: hit.lines.end,
        kind: hit.kind,
        language: hit.language.to_string(),
        symbol: hit.symbol.as_ref().map(jari_base::Symbol::qualified),
        signature: hit.symbol.map(|symbol| symbol.signature),
        scores: ScoresJson { bm25: hit.bm25, vector: None, last: hit.score },
        fresh: hit.fresh,
        preview: hit
            .preview
            .into_iter()
            .map(|line| LineJson {
                line: line.number,
                text: line.text,
                highlights: line.highlights.into_iter().map(range).collect(),
            })
            .collect(),
        text: hit.text.filter(|_| with_text),
        matched_terms: hit.matched,
        explanation: hit.explanation,
    }
}

/// Definitions of a name.
#[derive(Debug, Serialize)]
pub struct SymbolsJson {
    name: String,
    results: Vec<SymbolJson>,
    near: Vec<String>,
    index: IndexJson,
}

/// A definition.
#[derive(Debug, Serialize)]
pub struct SymbolJson {
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    start_line: u32,
    end_line: u32,
    name: String,
    kind: SymbolKind,
    container: Option<String>,
    signature: String,
    doc: Option<String>,
    exported: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fresh: Option<bool>,
}

impl SymbolsJson {
    /// Puts definitions into their shape.
    pub fn new(request: &SymbolRequest, response: SymbolResponse, index: IndexJson) -> Self {
        let found = |found: Found| SymbolJson {
            path: Some(found.path),
            language: Some(found.language.to_string()),
            fresh: Some(found.fresh),
            ..symbol_json(found.symbol)
        };
        Self {
            name: request.name.clone(),
            results: response.found.into_iter().map(found).collect(),
            near: response.near,
            index,
        }
    }
}

fn symbol_json(symbol: jari_base::Symbol) -> SymbolJson {
    SymbolJson {
        path: None,
        start_line: symbol.lines.start,
        end_line: symbol.lines.end,
        name: symbol.name,
        kind: symbol.kind,
        container: symbol.container,
        signature: symbol.signature,
        doc: symbol.doc,
        exported: symbol.exported,
        language: None,
        fresh: None,
    }
}

/// What an update did.
#[derive(Debug, Serialize)]
pub struct UpdateJson {
    added: usize,
    updated: usize,
    renamed: usize,
    removed: usize,
    unchanged: usize,
    skipped: BTreeMap<Skip, usize>,
    chunks: usize,
    bytes: u64,
    generation: u64,
    took_ms: f64,
    notes: Vec<String>,
}

impl UpdateJson {
    /// Puts an update into its shape.
    pub fn new(update: Update, took: std::time::Duration, notes: Vec<String>) -> Self {
        let Update { added, updated, renamed, removed, unchanged, skipped, chunks, bytes, generation } =
            update;
        let took_ms = (took.as_secs_f64() * 1e6).round() / 1e3;
        Self {
            added,
            updated,
            renamed,
            removed,
            unchanged,
            skipped,
            chunks,
            bytes,
            generation: generation.0,
            took_ms,
            notes,
        }
    }
}

/// The state of an index.
#[derive(Debug, Serialize)]
pub struct StatusJson {
    root: String,
    index_dir: String,
    /// `fresh`, `stale` or `none`.
    state: &'static str,
    generation: u64,
    files: u64,
    chunks: u64,
    symbols: u64,
    skipped: BTreeMap<Skip, usize>,
    languages: BTreeMap<String, usize>,
    stale: StaleJson,
    bytes: BytesJson,
    /// The embedding model; none answers yet.
    model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    skipped_files: Option<Vec<SkippedJson>>,
    notes: Vec<String>,
}

#[derive(Debug, Default, Serialize)]
struct StaleJson {
    changed: usize,
    removed: usize,
}

#[derive(Debug, Default, Serialize)]
struct BytesJson {
    rows: u64,
    postings: u64,
}

#[derive(Debug, Serialize)]
struct SkippedJson {
    path: String,
    reason: Skip,
}

impl StatusJson {
    /// Puts a state into its shape; `None` where there is no index.
    pub fn new(
        root: String,
        index_dir: String,
        status: Option<Status>,
        skipped_files: Option<Vec<(String, Skip)>>,
        notes: Vec<String>,
    ) -> Self {
        let state = match &status {
            None => "none",
            Some(status) if status.stale.is_fresh() => "fresh",
            Some(_) => "stale",
        };
        let shape = |path_reason: (String, Skip)| SkippedJson { path: path_reason.0, reason: path_reason.1 };
        let skipped_files = skipped_files.map(|files| files.into_iter().map(shape).collect());
        let empty = Self {
            root,
            index_dir,
            state,
            generation: 0,
            files: 0,
            chunks: 0,
            symbols: 0,
            skipped: BTreeMap::new(),
            languages: BTreeMap::new(),
            stale: StaleJson::default(),
            bytes: BytesJson::default(),
            model: None,
            skipped_files,
            notes,
        };
        let Some(status) = status else { return empty };
        Self {
            generation: status.generation.0,
            files: status.files,
            chunks: status.statistics.chunks,
            symbols: status.statistics.symbols,
            skipped: status.skipped,
            languages: status.languages.into_iter().collect(),
            stale: StaleJson { changed: status.stale.changed, removed: status.stale.removed },
            bytes: BytesJson { rows: status.statistics.row_bytes, postings: status.statistics.posting_bytes },
            ..empty
        }
    }
}

/// A folder or a file of the tree.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum TreeJson {
    /// A folder.
    Folder {
        /// Its name.
        folder: String,
        /// Files below it.
        files: usize,
        /// What is right in it.
        nodes: Vec<TreeJson>,
    },
    /// A file.
    File {
        /// Its name.
        file: String,
        /// Its language.
        language: String,
        /// Its definitions, where it was asked for alone.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        symbols: Vec<SymbolJson>,
    },
}

impl From<Node> for TreeJson {
    fn from(node: Node) -> Self {
        match node {
            Node::Folder { name, files, nodes } => {
                Self::Folder { folder: name, files, nodes: nodes.into_iter().map(Self::from).collect() }
            }
            Node::File { name, language, symbols } => Self::File {
                file: name,
                language: language.to_string(),
                symbols: symbols.into_iter().map(symbol_json).collect(),
            },
        }
    }
}

/// What cleaning did.
#[derive(Debug, Serialize)]
pub struct CleanJson {
    /// Where the index was.
    pub index_dir: String,
    /// Whether there was one.
    pub removed: bool,
}

/// A failure.
#[derive(Debug, Serialize)]
pub struct ErrorJson {
    error: ErrorBody,
}

#[derive(Debug, Serialize)]
struct ErrorBody {
    code: &'static str,
    message: String,
    hint: Option<String>,
}

impl ErrorJson {
    /// Puts an explained error into its shape.
    pub fn new(error: &dyn Explained) -> Self {
        Self {
            error: ErrorBody { code: error.code().as_str(), message: error.to_string(), hint: error.hint() },
        }
    }
}
