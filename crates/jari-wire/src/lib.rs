//! The JSON shapes of Jari, once, for `--json`, HTTP and MCP.

mod agent;
mod documents;
mod eval;
mod graph;
mod grep;
mod install;
mod mentions;
mod models;

pub use agent::{AnswerJson, PlaceJson};
pub use documents::{AnalysisJson, LinksJson, SectionJson, SkeletonJson, TocJson};
pub use eval::{EvalCost, EvalJson, EvalRowJson, QuestionJson, RunJson, VectorBenchJson, VectorBenchRowJson};
pub use graph::{EdgeJson, GraphJson, ImportJson, ImportsJson, NodeJson};
pub use grep::GrepJson;
pub use install::{CheckJson, DoctorJson, InstallJson, InstalledJson};
pub use mentions::{ConflictsJson, DriftJson, MentionsJson, how_said};
pub use models::{CacheJson, CachedJson, EmbedJson};

use std::collections::BTreeMap;
use std::ops::Range;

use jari_base::{Backend, ChunkKind, Degraded, Explained, Explanation, Intent, List, Mode, Skip, SymbolKind};
use jari_engine::ingest::Update;
use jari_engine::search::{
    Elsewhere, FoundBy, Hit, Pass, SearchRequest, SearchResponse, Shape, Shown, Typed, Words,
};
use jari_engine::status::Status;
use jari_engine::symbols::{Found, SymbolRequest, SymbolResponse};
use jari_engine::tree::Node;
use schemars::JsonSchema;
use serde::Serialize;

/// To the microsecond: more digits are noise.
fn milliseconds(duration: std::time::Duration) -> f64 {
    (duration.as_secs_f64() * 1e6).round() / 1e3
}

/// How far the index can be trusted.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct IndexJson {
    /// `fresh`: what the working tree is; `updating`: it is being brought up to date, this is the last complete state;
    /// `unchecked`: nobody looked for changes. Of a server also `building`: there is no complete state yet; `followed`:
    /// another process keeps it; `failed`: it cannot be brought up to date.
    pub state: &'static str,
    /// Which state of the index answered.
    pub generation: u64,
    /// Files in it.
    pub files: u64,
    /// Files left out.
    pub skipped: u64,
    /// Of a server: files read so far by the update that runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files_done: Option<u64>,
    /// Of a server: files to read in that update.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files_total: Option<u64>,
}

/// The answer to a search.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SearchJson {
    /// As asked.
    query: String,
    /// How it was looked for: `keyword`, `semantic` or `hybrid`.
    #[schemars(with = "String")]
    mode: Mode,
    /// What it was asked for: `nav`, `explain`, `edit` or `research`.
    #[schemars(with = "String")]
    intent: Intent,
    /// What it looks like: `identifier`, `path`, `error`, `quoted` or `sentence`.
    shape: &'static str,
    /// The filters that stood in the query, as they were understood.
    #[serde(skip_serializing_if = "Option::is_none")]
    filters: Option<FiltersJson>,
    /// Best first.
    results: Vec<HitJson>,
    /// How far the index can be trusted.
    index: IndexJson,
    /// Whether something that should have helped did not.
    degraded: bool,
    /// What: `vectors_unavailable`, `embedding_unavailable`, `embedding_in_progress`, `vector_index_unavailable`, `time_budget`,
    /// `reranker_unavailable` or `translator_unavailable`.
    reason: Option<&'static str>,
    /// Time of the search itself.
    took_ms: f64,
    /// What did not fit into `--max-tokens`.
    #[serde(skip_serializing_if = "Option::is_none")]
    cut: Option<CutJson>,
    /// The words that were looked for, with `--explain`: as typed, and of a Korean question that found little also with English
    /// words of the glossary, or of a translator.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    passes: Vec<PassJson>,
    /// Names that look like what was asked for, where nothing was found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    near: Vec<String>,
    /// What the user should know: an index that was made anew, or is kept elsewhere.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

/// Filters that stood in a query.
#[derive(Debug, Serialize, JsonSchema)]
struct FiltersJson {
    /// After `path:`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    paths: Vec<String>,
    /// After `-path:`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    except_paths: Vec<String>,
    /// After `lang:`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    languages: Vec<String>,
    /// After `kind:`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    kinds: Vec<String>,
    /// After `symbol:`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    symbols: Vec<String>,
    /// After a dash.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    without: Vec<String>,
    /// In quotes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    phrases: Vec<String>,
}

impl FiltersJson {
    fn new(typed: Typed) -> Option<Self> {
        let filters = typed.filters();
        let Typed {
            words: _,
            paths,
            except_paths,
            unknown: _,
            languages,
            kinds,
            symbols,
            without,
            phrases,
            only_phrases: _,
        } = typed;
        filters.then_some(Self { paths, except_paths, languages, kinds, symbols, without, phrases })
    }
}

/// One look into the index.
#[derive(Debug, Serialize, JsonSchema)]
struct PassJson {
    /// Whose words: `typed`, or those of the `glossary` or a `translator` beside them.
    words: &'static str,
    /// The words and how rare each is among files; 0 of one that stands nowhere.
    terms: Vec<(String, f32)>,
    /// Files that were found.
    files: usize,
}

/// A list that holds a place.
#[derive(Debug, Serialize, JsonSchema)]
struct FoundByJson {
    /// `keyword`, `path`, `symbol` or `vector`.
    #[schemars(with = "String")]
    list: List,
    /// Counted from 1.
    rank: usize,
}

/// Where the same text stands again.
#[derive(Debug, Serialize, JsonSchema)]
struct ElsewhereJson {
    /// Relative to the project's root.
    path: String,
    /// First line.
    start_line: u32,
    /// Last line.
    end_line: u32,
}

fn shape(shape: Shape) -> &'static str {
    match shape {
        Shape::Identifier => "identifier",
        Shape::Path => "path",
        Shape::ErrorMessage => "error",
        Shape::Quoted => "quoted",
        Shape::Sentence => "sentence",
    }
}

/// A place that answers.
#[derive(Debug, Serialize, JsonSchema)]
pub struct HitJson {
    /// Relative to the project's root.
    path: String,
    /// First line, counted from 1.
    start_line: u32,
    /// Last line.
    end_line: u32,
    /// What it holds: `function`, `method`, `class`, `module`, `block` or `section`.
    #[schemars(with = "String")]
    kind: ChunkKind,
    /// The file's language.
    language: String,
    /// What is defined there, with what surrounds it: `Type.method`.
    symbol: Option<String>,
    /// Its declaration on one line.
    signature: Option<String>,
    /// Of a section: its stable id.
    #[serde(skip_serializing_if = "Option::is_none")]
    section_id: Option<String>,
    /// Of a section: the titles from the outermost section to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    heading_path: Option<Vec<String>>,
    /// Of a section: what its document calls itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// How well it matches.
    scores: ScoresJson,
    /// Whether the file is still what was indexed.
    fresh: bool,
    /// The lines that show why.
    preview: Vec<LineJson>,
    /// The head of a table or code fence that was split above it, with `--max-tokens` or `--context`.
    #[serde(skip_serializing_if = "Option::is_none")]
    head: Option<String>,
    /// The whole text, with `--max-tokens` or `--context`.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// The line on which `text` begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    text_start_line: Option<u32>,
    /// How much is shown, with `--max-tokens` or `--context`: `whole`, or where that did not fit `skeleton`, `signature` (both in `preview`) or `place`.
    #[serde(skip_serializing_if = "Option::is_none")]
    shown: Option<&'static str>,
    /// Where the same text stands again.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    elsewhere: Vec<ElsewhereJson>,
    /// Words of the query that stand in it, as written.
    matched_terms: Vec<String>,
    /// Which lists it was on, with `--explain`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    found_by: Vec<FoundByJson>,
    /// How the score came to be, with `--explain`: `{label, value, details}`, a tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<serde_json::Value>")]
    explanation: Option<Explanation>,
}

/// How well a place matches.
#[derive(Debug, Serialize, JsonSchema)]
struct ScoresJson {
    /// BM25 of the chunk's text.
    bm25: f32,
    /// Cosine with the query; none where search is by keyword.
    vector: Option<f32>,
    /// From 0 to 1; what the order follows.
    #[serde(rename = "final")]
    last: f32,
}

/// A line of a file.
#[derive(Debug, Serialize, JsonSchema)]
struct LineJson {
    /// Its number.
    line: u32,
    /// Its text, cut if it is very long.
    text: String,
    /// Byte ranges of `text`, from and to.
    highlights: Vec<[usize; 2]>,
}

/// What did not fit into the token budget.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CutJson {
    /// Hits shown by their skeleton: declarations and telling lines.
    pub shortened: usize,
    /// Hits shown by their signature.
    pub signatures: usize,
    /// Hits shown by their place alone.
    pub places: usize,
    /// Hits left out.
    pub dropped: usize,
}

impl SearchJson {
    /// Puts an answer into its shape. Texts are shown only where a token budget asked for them.
    pub fn new(
        request: &SearchRequest,
        response: SearchResponse,
        index: IndexJson,
        notes: Vec<String>,
    ) -> Self {
        let with_text = request.shows_texts();
        let by_meaning = response.mode != Mode::Keyword;
        Self {
            query: request.query.clone(),
            mode: response.mode,
            intent: response.plan.intent,
            shape: shape(response.plan.shape),
            filters: FiltersJson::new(response.typed),
            results: response.hits.into_iter().map(|hit| hit_json(hit, with_text, by_meaning)).collect(),
            index,
            degraded: response.degraded.is_some(),
            reason: response.degraded.map(Degraded::as_str),
            took_ms: milliseconds(response.took),
            cut: response.cut.map(|cut| CutJson {
                shortened: cut.skeletons,
                signatures: cut.signatures,
                places: cut.places,
                dropped: cut.dropped,
            }),
            passes: response
                .passes
                .into_iter()
                .map(|Pass { words, terms, files }| PassJson { words: whose(words), terms, files })
                .collect(),
            near: response.near,
            notes: notes.into_iter().chain(response.trouble.map(|trouble| trouble.to_string())).collect(),
        }
    }
}

fn whose(words: Words) -> &'static str {
    match words {
        Words::Typed => "typed",
        Words::Glossary => "glossary",
        Words::Translator => "translator",
    }
}

fn hit_json(hit: Hit, with_text: bool, by_meaning: bool) -> HitJson {
    let range = |range: Range<usize>| [range.start, range.end];
    let section_id = hit.section.as_ref().map(|section| documents::section_id(&hit.path, &section.id));
    let (heading_path, title) =
        hit.section.map_or((None, None), |section| (Some(section.heading_path), section.title));
    HitJson {
        path: hit.path,
        start_line: hit.lines.start,
        end_line: hit.lines.end,
        kind: hit.kind,
        language: hit.language.to_string(),
        symbol: hit.symbol.as_ref().map(jari_base::Symbol::qualified),
        signature: hit.symbol.map(|symbol| symbol.signature),
        section_id,
        heading_path,
        title,
        scores: ScoresJson {
            bm25: hit.bm25,
            vector: Some(hit.cosine).filter(|_| by_meaning),
            last: hit.score,
        },
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
        head: hit.head.filter(|_| with_text && hit.text.is_some()),
        text_start_line: (with_text && hit.text.is_some()).then_some(hit.text_lines.start),
        text: hit.text.filter(|_| with_text),
        shown: with_text.then_some(match hit.shown {
            Shown::Whole => "whole",
            Shown::Skeleton => "skeleton",
            Shown::Signature => "signature",
            Shown::Place => "place",
        }),
        elsewhere: hit
            .elsewhere
            .into_iter()
            .map(|Elsewhere { path, lines }| ElsewhereJson {
                path,
                start_line: lines.start,
                end_line: lines.end,
            })
            .collect(),
        found_by: hit.found_by.into_iter().map(|FoundBy { list, rank }| FoundByJson { list, rank }).collect(),
        matched_terms: hit.matched,
        explanation: hit.explanation,
    }
}

/// Definitions of a name.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SymbolsJson {
    /// As asked.
    name: String,
    /// Exact spelling first.
    results: Vec<SymbolJson>,
    /// Names that look like it, where it is not defined.
    near: Vec<String>,
    /// How far the index can be trusted.
    index: IndexJson,
}

/// A definition.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SymbolJson {
    /// Relative to the project's root; left out inside a file's own tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    /// First line, its doc comment included.
    start_line: u32,
    /// Last line.
    end_line: u32,
    /// Its own name.
    name: String,
    /// `function`, `method`, `class`, `struct`, `enum`, `interface`, `trait`, `impl`, `module`, `type`, `constant`, `field`,
    /// `macro` or `data`.
    #[schemars(with = "String")]
    kind: SymbolKind,
    /// The names around it: `Outer.Inner`.
    container: Option<String>,
    /// Its declaration on one line.
    signature: String,
    /// First line of its doc comment.
    doc: Option<String>,
    /// Whether other files can see it, as far as syntax tells.
    exported: bool,
    /// The file's language.
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<String>,
    /// Whether the file is still what was indexed.
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
#[derive(Debug, Serialize, JsonSchema)]
pub struct UpdateJson {
    /// New files that were indexed.
    added: usize,
    /// Files whose contents changed.
    updated: usize,
    /// Files at a new path with the old contents.
    renamed: usize,
    /// Files that are gone.
    removed: usize,
    /// Indexed files as they were.
    unchanged: usize,
    /// Files that are not indexed, by reason.
    #[schemars(with = "BTreeMap<String, usize>")]
    skipped: BTreeMap<Skip, usize>,
    /// Chunks that were made.
    chunks: usize,
    /// Bytes of text that were read.
    bytes: u64,
    /// The state that this made, or found.
    generation: u64,
    /// Time in all.
    took_ms: f64,
    /// What the user should know: an index that was made anew, or is kept elsewhere.
    notes: Vec<String>,
}

impl UpdateJson {
    /// Puts an update into its shape.
    pub fn new(update: Update, took: std::time::Duration, notes: Vec<String>) -> Self {
        let Update {
            added, updated, renamed, removed, unchanged, skipped, chunks, bytes, generation, ..
        } = update;
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
            took_ms: milliseconds(took),
            notes,
        }
    }
}

/// The state of an index.
#[derive(Debug, Serialize, JsonSchema)]
pub struct StatusJson {
    /// The project.
    root: String,
    /// Where the index is.
    index_dir: String,
    /// `fresh`, `stale` or `none`.
    state: &'static str,
    /// Which state.
    generation: u64,
    /// Files that are indexed.
    files: u64,
    /// Chunks.
    chunks: u64,
    /// Definitions.
    symbols: u64,
    /// Files that are not indexed, by reason.
    #[schemars(with = "BTreeMap<String, usize>")]
    skipped: BTreeMap<Skip, usize>,
    /// Files by language.
    languages: BTreeMap<String, usize>,
    /// How the working tree has moved on.
    stale: StaleJson,
    /// Sizes on disk.
    bytes: BytesJson,
    /// The keyword side of the index.
    keyword_index: KeywordJson,
    /// What narrows `jari grep`.
    trigrams: TrigramsJson,
    /// The vectors; none where they are off.
    vector_index: Option<VectorIndexJson>,
    /// The embedding model at hand.
    model: String,
    /// What leaves this machine, and where it goes; empty where nothing does.
    sends: Vec<String>,
    /// With `--skipped`: each file that is not indexed.
    #[serde(skip_serializing_if = "Option::is_none")]
    skipped_files: Option<Vec<SkippedJson>>,
    /// What the user should know.
    notes: Vec<String>,
}

/// How the working tree has moved on.
#[derive(Debug, Default, Serialize, JsonSchema)]
struct StaleJson {
    /// Files that are new or have another time or size.
    changed: usize,
    /// Files that are gone.
    removed: usize,
}

/// The vectors.
#[derive(Debug, Serialize, JsonSchema)]
struct VectorIndexJson {
    /// Chunks that have one.
    count: u64,
    /// Chunks that have none: not yet, or because there is no room for more.
    missing: u64,
    /// Bytes on disk.
    size: u64,
    /// How they are searched: `exact` or `hnsw`.
    #[schemars(with = "String")]
    backend: Backend,
    /// The time of a search among them, tried now.
    query_ms: Option<f64>,
    /// How long it took to make all of them, and the graph over them where there is one.
    build_ms: u64,
}

/// Sizes on disk.
#[derive(Debug, Default, Serialize, JsonSchema)]
struct BytesJson {
    /// SQLite.
    rows: u64,
    /// tantivy.
    postings: u64,
}

/// The keyword side of the index.
#[derive(Debug, Default, Serialize, JsonSchema)]
struct KeywordJson {
    /// How long it took to make the index from nothing.
    build_ms: u64,
    /// How long a search by keyword takes, tried just now.
    query_ms: f64,
    /// Bytes of postings on disk.
    size: u64,
}

/// What narrows `jari grep`: runs of three letters, or of two where they are Hangul.
#[derive(Debug, Default, Serialize, JsonSchema)]
struct TrigramsJson {
    /// Different ones.
    distinct: u64,
    /// Of those, how many stand in too many files to narrow anything (`JARI_TRIGRAM_MAX_DOC_FREQ`).
    common: u64,
    /// Files with too many of them (`JARI_TRIGRAM_MAX_TERMS_PER_FILE`): always looked at.
    uncut_files: u64,
}

/// A file that is not indexed.
#[derive(Debug, Serialize, JsonSchema)]
struct SkippedJson {
    /// Relative to the project's root.
    path: String,
    /// Why.
    #[schemars(with = "String")]
    reason: Skip,
}

impl StatusJson {
    /// Puts a state into its shape; `None` where there is no index.
    pub fn new(
        root: String,
        index_dir: String,
        status: Option<Status>,
        skipped_files: Option<Vec<(String, Skip)>>,
        (model, sends): (String, Vec<String>),
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
            keyword_index: KeywordJson::default(),
            trigrams: TrigramsJson::default(),
            vector_index: None,
            model,
            sends,
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
            keyword_index: KeywordJson {
                build_ms: status.statistics.build_ms,
                query_ms: milliseconds(status.query),
                size: status.statistics.posting_bytes,
            },
            trigrams: TrigramsJson {
                distinct: status.grams.grams,
                common: status.grams.common,
                uncut_files: status.grams.uncut,
            },
            vector_index: status.statistics.vectors.map(|vectors| VectorIndexJson {
                count: vectors.count,
                missing: vectors.missing,
                size: vectors.bytes,
                backend: vectors.backend,
                query_ms: status.vector_query.map(milliseconds),
                build_ms: vectors.build_ms,
            }),
            bytes: BytesJson { rows: status.statistics.row_bytes, postings: status.statistics.posting_bytes },
            ..empty
        }
    }
}

/// A folder or a file of the tree.
#[derive(Debug, Serialize, JsonSchema)]
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
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
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
#[derive(Debug, Serialize, JsonSchema)]
pub struct CleanJson {
    /// Where the index was.
    pub index_dir: String,
    /// Whether there was one.
    pub removed: bool,
}

/// A failure.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ErrorJson {
    /// What went wrong.
    error: ErrorBody,
}

/// What went wrong.
#[derive(Debug, Serialize, JsonSchema)]
struct ErrorBody {
    /// A stable word.
    code: &'static str,
    /// What happened to which thing.
    message: String,
    /// What to type or change.
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

/// Every shape with the commands that print it, as JSON Schema.
pub fn schemas() -> Vec<(&'static str, serde_json::Value)> {
    vec![
        ("jari search, jari docs", schemars::schema_for!(SearchJson).into()),
        ("jari grep", schemars::schema_for!(GrepJson).into()),
        ("jari symbol", schemars::schema_for!(SymbolsJson).into()),
        (
            "jari refs, jari callers, jari callees, jari implementations",
            schemars::schema_for!(GraphJson).into(),
        ),
        ("jari imports", schemars::schema_for!(ImportsJson).into()),
        ("jari tree", schemars::schema_for!(TreeJson).into()),
        ("jari toc", schemars::schema_for!(TocJson).into()),
        ("jari section", schemars::schema_for!(SectionJson).into()),
        ("jari skeleton", schemars::schema_for!(SkeletonJson).into()),
        ("jari analyze", schemars::schema_for!(AnalysisJson).into()),
        ("jari links", schemars::schema_for!(LinksJson).into()),
        ("jari mentions", schemars::schema_for!(MentionsJson).into()),
        ("jari drift", schemars::schema_for!(DriftJson).into()),
        ("jari conflicts", schemars::schema_for!(ConflictsJson).into()),
        ("jari index, jari update, each line of jari watch", schemars::schema_for!(UpdateJson).into()),
        ("jari status", schemars::schema_for!(StatusJson).into()),
        ("jari clean", schemars::schema_for!(CleanJson).into()),
        ("jari install, jari uninstall", schemars::schema_for!(InstallJson).into()),
        ("jari doctor", schemars::schema_for!(DoctorJson).into()),
        ("every tool of jari mcp that returns places", schemars::schema_for!(AnswerJson).into()),
        ("jari embed", schemars::schema_for!(EmbedJson).into()),
        ("jari cache", schemars::schema_for!(CacheJson).into()),
        ("errors, on stderr", schemars::schema_for!(ErrorJson).into()),
    ]
}
