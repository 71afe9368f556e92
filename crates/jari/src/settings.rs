//! Settings: flags, then the environment, then `jari.toml`, then the user's file, then the defaults.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use etcetera::BaseStrategy;
use jari_base::{Backend, Bm25, Fusion};
use jari_chunk::{DocumentOptions, Strategy};
use jari_engine::EmbeddingBudget;
use jari_engine::search::{Blend, Budget, Tuning};
use jari_remote::{Ollama, RerankBudget, Voyage};
use jari_source::Limits;
use serde::Deserialize;
use toml::{Table, Value};

use crate::failure::Failure;

/// A setting, as the reference page lists it.
pub(crate) struct Setting {
    pub(crate) key: &'static str,
    pub(crate) variable: &'static str,
    pub(crate) default: &'static str,
    kind: Kind,
    /// What a checked-in `jari.toml` cannot do, so that it cannot set this.
    pub(crate) own: Option<&'static str>,
    pub(crate) about: &'static str,
}

/// What a value looks like in the environment.
#[derive(Clone, Copy)]
enum Kind {
    Text,
    Number,
    Whole,
    Truth,
    Word(&'static [&'static str]),
}

/// What can make vectors.
const PROVIDERS: &[&str] = &["auto", "bundled", "openai", "voyage", "ollama", "local", "off"];

/// The one list of settings.
pub(crate) const SETTINGS: &[Setting] = &[
    Setting {
        key: "index_dir",
        variable: "JARI_INDEX_DIR",
        default: "`.jari` in the project",
        kind: Kind::Text,
        own: Some("move the index"),
        about: "Where the index is kept.",
    },
    Setting {
        key: "embedding.provider",
        variable: "JARI_EMBEDDING_PROVIDER",
        default: "`auto`",
        kind: Kind::Word(PROVIDERS),
        own: None,
        about: "What makes vectors: `auto` and `bundled` take the model inside the program, or the folder `embedding.model` names; `local` runs a transformer from that folder; `openai` (and all that speak like it), `voyage` and `ollama` are asked over HTTP; `off` leaves words alone. A checked-in `jari.toml` can choose `auto`, `bundled` and `off`.",
    },
    Setting {
        key: "embedding.model",
        variable: "JARI_EMBEDDING_MODEL",
        default: "the provider's own",
        kind: Kind::Text,
        own: Some("choose the model"),
        about: "A model's name, or a folder: a static model in model2vec's format, a file in Jari's own, or for `local` a BERT-like encoder.",
    },
    Setting {
        key: "embedding.dims",
        variable: "JARI_EMBEDDING_DIMS",
        default: "the model's own",
        kind: Kind::Whole,
        own: Some("choose the model"),
        about: "How long vectors shall be, for models that let one choose.",
    },
    Setting {
        key: "embedding.eager",
        variable: "JARI_EMBEDDINGS_EAGER",
        default: "`true` for the bundled model, else `false`",
        kind: Kind::Truth,
        own: Some("spend time or money"),
        about: "Whether all chunks get their vectors when they are indexed. Otherwise a search lets the files it looks at have theirs, and `jari embed --all` all others.",
    },
    Setting {
        key: "embedding.max_time_ms",
        variable: "JARI_MAX_EMBEDDING_TIME_MS",
        default: "`2000`",
        kind: Kind::Whole,
        own: Some("spend time or money"),
        about: "How many milliseconds a search waits for a model that is asked, before words answer alone.",
    },
    Setting {
        key: "embedding.max_chunks",
        variable: "JARI_MAX_CHUNKS_EMBEDDED_PER_REQUEST",
        default: "`256`",
        kind: Kind::Whole,
        own: Some("spend time or money"),
        about: "How many chunks get their vectors from a model that is asked because of one search.",
    },
    Setting {
        key: "embedding.concurrency",
        variable: "JARI_EMBEDDING_CONCURRENCY",
        default: "`2`",
        kind: Kind::Whole,
        own: Some("spend time or money"),
        about: "Calls to a model at the same time, 1 to 8.",
    },
    Setting {
        key: "embedding.timeout_ms",
        variable: "JARI_EMBEDDING_TIMEOUT_MS",
        default: "`30000`",
        kind: Kind::Whole,
        own: Some("spend time or money"),
        about: "How many milliseconds one call may take.",
    },
    Setting {
        key: "embedding.cache_mb",
        variable: "JARI_EMBEDDING_CACHE_MB",
        default: "`1024`",
        kind: Kind::Whole,
        own: Some("spend time or money"),
        about: "Megabytes of answers of models that are kept for all projects of a user: `jari cache`. `0` keeps none.",
    },
    Setting {
        key: "openai.base_url",
        variable: "JARI_OPENAI_BASE_URL",
        default: "`https://api.openai.com/v1`",
        kind: Kind::Text,
        own: Some("send anything anywhere"),
        about: "Where `openai` is asked: any server with OpenAI's `/embeddings`.",
    },
    Setting {
        key: "openai.api_key_env",
        variable: "JARI_OPENAI_API_KEY_ENV",
        default: "`OPENAI_API_KEY`",
        kind: Kind::Text,
        own: Some("send anything anywhere"),
        about: "The variable that holds its key. Without it, none is sent.",
    },
    Setting {
        key: "voyage.base_url",
        variable: "JARI_VOYAGE_BASE_URL",
        default: "`https://api.voyageai.com/v1`",
        kind: Kind::Text,
        own: Some("send anything anywhere"),
        about: "Where `voyage` is asked.",
    },
    Setting {
        key: "voyage.api_key_env",
        variable: "JARI_VOYAGE_API_KEY_ENV",
        default: "`VOYAGE_API_KEY`",
        kind: Kind::Text,
        own: Some("send anything anywhere"),
        about: "The variable that holds its key.",
    },
    Setting {
        key: "ollama.base_url",
        variable: "JARI_OLLAMA_BASE_URL",
        default: "`http://localhost:11434`",
        kind: Kind::Text,
        own: Some("send anything anywhere"),
        about: "Where `ollama` is asked.",
    },
    Setting {
        key: "ollama.api_key_env",
        variable: "JARI_OLLAMA_API_KEY_ENV",
        default: "none",
        kind: Kind::Text,
        own: Some("send anything anywhere"),
        about: "The variable that holds a key, where one is wanted.",
    },
    Setting {
        key: "llm.base_url",
        variable: "JARI_LLM_BASE_URL",
        default: "none",
        kind: Kind::Text,
        own: Some("send anything anywhere"),
        about: "A server with OpenAI's `/chat/completions`, for `llm.rerank` and `llm.translate_ko_en`.",
    },
    Setting {
        key: "llm.model",
        variable: "JARI_LLM_MODEL",
        default: "none",
        kind: Kind::Text,
        own: Some("send anything anywhere"),
        about: "Which of its models.",
    },
    Setting {
        key: "llm.api_key_env",
        variable: "JARI_LLM_API_KEY_ENV",
        default: "`OPENAI_API_KEY`",
        kind: Kind::Text,
        own: Some("send anything anywhere"),
        about: "The variable that holds its key. Without it, none is sent.",
    },
    Setting {
        key: "llm.rerank",
        variable: "JARI_LLM_RERANK",
        default: "`false`",
        kind: Kind::Truth,
        own: Some("send anything anywhere"),
        about: "Whether it puts the best places of a search in order.",
    },
    Setting {
        key: "llm.rerank_max_tokens",
        variable: "JARI_LLM_RERANK_MAX_TOKENS",
        default: "`6000`",
        kind: Kind::Whole,
        own: Some("spend time or money"),
        about: "Tokens of places that it reads for that.",
    },
    Setting {
        key: "llm.rerank_timeout_ms",
        variable: "JARI_LLM_RERANK_TIMEOUT_MS",
        default: "`5000`",
        kind: Kind::Whole,
        own: Some("spend time or money"),
        about: "How many milliseconds that may take, before the order stays as it is.",
    },
    Setting {
        key: "llm.translate_ko_en",
        variable: "JARI_TRANSLATE_KO_EN",
        default: "`false`",
        kind: Kind::Truth,
        own: Some("send anything anywhere"),
        about: "Whether it translates Korean questions whose words neither the index nor the glossary knows.",
    },
    Setting {
        key: "llm.translate_timeout_ms",
        variable: "JARI_TRANSLATE_TIMEOUT_MS",
        default: "`3000`",
        kind: Kind::Whole,
        own: Some("spend time or money"),
        about: "How many milliseconds that may take.",
    },
    Setting {
        key: "vectors.index",
        variable: "JARI_VECTOR_INDEX",
        default: "`auto`",
        kind: Kind::Word(&["auto", "off", "exact", "hnsw"]),
        own: None,
        about: "How vectors are searched: `exact` looks at every one, `hnsw` follows a graph, `auto` looks at every one until a graph pays, `off` keeps none.",
    },
    Setting {
        key: "vectors.rebuild",
        variable: "JARI_VECTOR_INDEX_REBUILD",
        default: "`auto`",
        kind: Kind::Word(&["auto", "on_start", "manual"]),
        own: None,
        about: "When vectors are made: `auto` whenever some are missing or of another model, `on_start` anew by every process, `manual` only by `jari vectors build`.",
    },
    Setting {
        key: "vectors.max_points",
        variable: "JARI_VECTOR_INDEX_MAX_POINTS",
        default: "`200000`",
        kind: Kind::Whole,
        own: None,
        about: "How many vectors are kept at most. Chunks beyond it are found by words alone; `jari status` counts them.",
    },
    Setting {
        key: "vectors.m",
        variable: "JARI_VECTOR_INDEX_M",
        default: "`16`",
        kind: Kind::Whole,
        own: None,
        about: "Neighbours that a node of the graph has, 2 to 128.",
    },
    Setting {
        key: "vectors.ef_construction",
        variable: "JARI_VECTOR_INDEX_EF_CONSTRUCTION",
        default: "`200`",
        kind: Kind::Whole,
        own: None,
        about: "Nodes in sight while the graph is built.",
    },
    Setting {
        key: "vectors.ef_search",
        variable: "JARI_VECTOR_INDEX_EF_SEARCH",
        default: "`200`",
        kind: Kind::Whole,
        own: None,
        about: "Nodes in sight while the graph is searched.",
    },
    Setting {
        key: "max_file_size",
        variable: "JARI_MAX_FILE_SIZE",
        default: "`1048576`",
        kind: Kind::Whole,
        own: None,
        about: "Files with more bytes are skipped.",
    },
    Setting {
        key: "index_memory",
        variable: "JARI_INDEX_MEMORY",
        default: "`512`",
        kind: Kind::Whole,
        own: Some("take memory"),
        about: "About how many megabytes indexing may use, at least 256; files of the index that the system maps count apart. Less means smaller batches and more time.",
    },
    Setting {
        key: "bm25_k1",
        variable: "JARI_BM25_K1",
        default: "`1.5`",
        kind: Kind::Number,
        own: None,
        about: "How fast repeated words stop adding to a score.",
    },
    Setting {
        key: "bm25_b",
        variable: "JARI_BM25_B",
        default: "`0.75`",
        kind: Kind::Number,
        own: None,
        about: "How much long texts are held back, 0 to 1.",
    },
    Setting {
        key: "search.fusion",
        variable: "JARI_FUSION",
        default: "`auto`",
        kind: Kind::Word(&["auto", "linear", "rrf", "weighted", "alpha"]),
        own: None,
        about: "How what words and what vectors found becomes one list: `linear` (a weighted sum of signals), `rrf` (ranks alone), `weighted` (0.6 words, 0.4 vectors) or `alpha` (words, and some of the vectors). `auto` is `linear`, the best by measurement.",
    },
    Setting {
        key: "search.alpha",
        variable: "JARI_HYBRID_ALPHA",
        default: "`0.5`",
        kind: Kind::Number,
        own: None,
        about: "What vectors count beside words in the fusion `alpha`, 0 to 100.",
    },
    Setting {
        key: "search.max_candidates",
        variable: "JARI_MAX_CANDIDATES",
        default: "`100`",
        kind: Kind::Whole,
        own: None,
        about: "Files that are ranked by all signals, of those that words and vectors found.",
    },
    Setting {
        key: "search.max_rerank_candidates",
        variable: "JARI_MAX_RERANK_CANDIDATES",
        default: "`30`",
        kind: Kind::Whole,
        own: None,
        about: "Places that are compared with each other, so that those that repeat others make room.",
    },
    Setting {
        key: "search.time_budget_ms",
        variable: "JARI_TIME_BUDGET_MS",
        default: "`2000`",
        kind: Kind::Whole,
        own: None,
        about: "After this many milliseconds a search begins no further step and answers with what it has. `0` is no limit.",
    },
    Setting {
        key: "trigram_max_doc_freq",
        variable: "JARI_TRIGRAM_MAX_DOC_FREQ",
        default: "`0.35`",
        kind: Kind::Number,
        own: None,
        about: "Three letters that stand in a larger part of all files than this, 0 to 1, do not narrow `jari grep`.",
    },
    Setting {
        key: "trigram_max_terms_per_file",
        variable: "JARI_TRIGRAM_MAX_TERMS_PER_FILE",
        default: "`10000`",
        kind: Kind::Whole,
        own: None,
        about: "Files with more different runs of three letters than this are not kept apart: `jari grep` always looks at them.",
    },
    Setting {
        key: "documents.strategy",
        variable: "JARI_DOCUMENTS_STRATEGY",
        default: "`structural`",
        kind: Kind::Word(&["structural", "heading", "fixed"]),
        own: None,
        about: "How documents are cut: `structural` (sections, long ones split between blocks, short ones joined), `heading` (one chunk a section) or `fixed` (windows of lines).",
    },
    Setting {
        key: "documents.max_tokens",
        variable: "JARI_DOCUMENTS_MAX_TOKENS",
        default: "`512`",
        kind: Kind::Whole,
        own: None,
        about: "Tokens of a document's chunk, at most, where it can be split.",
    },
    Setting {
        key: "documents.overlap",
        variable: "JARI_DOCUMENTS_OVERLAP",
        default: "`50`",
        kind: Kind::Whole,
        own: None,
        about: "Tokens that a piece of a split section repeats of the one before.",
    },
    Setting {
        key: "documents.min_tokens",
        variable: "JARI_DOCUMENTS_MIN_TOKENS",
        default: "`100`",
        kind: Kind::Whole,
        own: None,
        about: "Sections with fewer tokens join a neighbour of the same parent.",
    },
    Setting {
        key: "documents.max_depth",
        variable: "JARI_DOCUMENTS_MAX_DEPTH",
        default: "`6`",
        kind: Kind::Whole,
        own: None,
        about: "Deeper headings begin no chunk of their own.",
    },
    Setting {
        key: "documents.front_matter",
        variable: "JARI_DOCUMENTS_FRONT_MATTER",
        default: "`true`",
        kind: Kind::Truth,
        own: None,
        about: "Whether front matter is searched.",
    },
    Setting {
        key: "documents.code_blocks",
        variable: "JARI_DOCUMENTS_CODE_BLOCKS",
        default: "`true`",
        kind: Kind::Truth,
        own: None,
        about: "Whether code in documents stays whole while it fits.",
    },
    Setting {
        key: "documents.lists",
        variable: "JARI_DOCUMENTS_LISTS",
        default: "`true`",
        kind: Kind::Truth,
        own: None,
        about: "Whether lists stay whole while they fit.",
    },
    Setting {
        key: "documents.tables",
        variable: "JARI_DOCUMENTS_TABLES",
        default: "`true`",
        kind: Kind::Truth,
        own: None,
        about: "Whether tables stay whole while they fit.",
    },
];

/// Settings as they hold.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Settings {
    pub(crate) index_dir: Option<PathBuf>,
    pub(crate) embedding: EmbeddingSettings,
    pub(crate) openai: Place,
    pub(crate) voyage: Place,
    pub(crate) ollama: Place,
    pub(crate) llm: LlmSettings,
    pub(crate) vectors: VectorSettings,
    pub(crate) limits: Limits,
    pub(crate) tuning: Tuning,
    pub(crate) trigrams: Trigrams,
    pub(crate) documents: DocumentOptions,
    /// What was set but does not count.
    pub(crate) notes: Vec<String>,
}

/// What makes vectors.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct EmbeddingSettings {
    pub(crate) provider: Provider,
    pub(crate) model: Option<String>,
    pub(crate) dims: Option<usize>,
    pub(crate) eager: Option<bool>,
    pub(crate) budget: EmbeddingBudget,
    pub(crate) concurrency: usize,
    pub(crate) timeout: Duration,
    /// Bytes.
    pub(crate) cache: u64,
}

/// Where somebody is asked.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Place {
    pub(crate) base_url: String,
    /// The variable that holds the key.
    pub(crate) api_key_env: Option<String>,
}

/// A model that talks.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LlmSettings {
    /// Which, and where; `None` for none.
    pub(crate) chat: Option<(Place, String)>,
    pub(crate) rerank: Option<RerankBudget>,
    pub(crate) translate: Option<Duration>,
}

/// How vectors are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct VectorSettings {
    pub(crate) index: VectorIndex,
    pub(crate) rebuild: Rebuild,
    pub(crate) max_points: usize,
    pub(crate) m: usize,
    pub(crate) ef_construction: usize,
    pub(crate) ef_search: usize,
}

/// A setting that is one of few words.
macro_rules! choice {
    ($(#[$meta:meta])* $name:ident { $($(#[$variant_meta:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
        pub(crate) enum $name { $($(#[$variant_meta])* #[serde(rename = $word)] $variant,)+ }

        impl std::str::FromStr for $name {
            type Err = ();

            fn from_str(word: &str) -> Result<Self, ()> {
                match word { $($word => Ok(Self::$variant),)+ _ => Err(()) }
            }
        }
    };
}

choice! {
    /// What makes vectors.
    Provider {
        /// The model at hand.
        Auto = "auto",
        /// The same, by name.
        Bundled = "bundled",
        /// A server that speaks like OpenAI's.
        OpenAi = "openai",
        /// Voyage.
        Voyage = "voyage",
        /// Ollama.
        Ollama = "ollama",
        /// A transformer in a folder.
        Local = "local",
        /// Nothing.
        Off = "off",
    }
}

choice! {
    /// How vectors are searched.
    VectorIndex {
        /// By what pays.
        Auto = "auto",
        /// Not at all.
        Off = "off",
        /// By looking at every one.
        Exact = "exact",
        /// Along a graph.
        Hnsw = "hnsw",
    }
}

impl VectorIndex {
    pub(crate) fn backend(self) -> Option<Backend> {
        match self {
            Self::Exact => Some(Backend::Exact),
            Self::Hnsw => Some(Backend::Hnsw),
            Self::Auto | Self::Off => None,
        }
    }
}

choice! {
    /// How two lists become one.
    FusionSetting {
        /// The best by measurement.
        Auto = "auto",
        /// A weighted sum of signals.
        Linear = "linear",
        /// Ranks alone.
        Rrf = "rrf",
        /// A weighted sum of two scores.
        Weighted = "weighted",
        /// Words, and some of the vectors.
        Alpha = "alpha",
    }
}

choice! {
    /// When vectors are made.
    Rebuild {
        /// When some are missing.
        Auto = "auto",
        /// By every process that begins.
        OnStart = "on_start",
        /// When asked for.
        Manual = "manual",
    }
}

/// Guard-rails of the trigram index.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Trigrams {
    pub(crate) max_doc_freq: f32,
    pub(crate) max_terms_per_file: usize,
}

/// Settings as one place has them.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Layer {
    index_dir: Option<PathBuf>,
    embedding: EmbeddingLayer,
    openai: PlaceLayer,
    voyage: PlaceLayer,
    ollama: PlaceLayer,
    llm: LlmLayer,
    vectors: VectorLayer,
    max_file_size: Option<u64>,
    index_memory: Option<usize>,
    bm25_k1: Option<f32>,
    bm25_b: Option<f32>,
    search: SearchLayer,
    trigram_max_doc_freq: Option<f32>,
    trigram_max_terms_per_file: Option<usize>,
    documents: DocumentLayer,
}

impl Layer {
    fn settings(self, notes: Vec<String>) -> Settings {
        let (limits, bm25) = (Limits::default(), Bm25::default());
        // Every field is named, so that a new setting cannot be forgotten here.
        let Self {
            index_dir,
            embedding,
            openai,
            voyage,
            ollama,
            llm,
            vectors,
            max_file_size,
            index_memory,
            bm25_k1,
            bm25_b,
            search,
            trigram_max_doc_freq,
            trigram_max_terms_per_file,
            documents,
        } = self;
        Settings {
            index_dir,
            embedding: embedding.settings(),
            openai: openai.settings("https://api.openai.com/v1", Some("OPENAI_API_KEY")),
            voyage: voyage.settings(Voyage::BASE, Some("VOYAGE_API_KEY")),
            ollama: ollama.settings(Ollama::BASE, None),
            llm: llm.settings(),
            vectors: vectors.settings(),
            limits: Limits {
                max_file_size: max_file_size.unwrap_or(limits.max_file_size),
                memory: index_memory.map_or(limits.memory, |megabytes| megabytes.saturating_mul(1 << 20)),
            },
            tuning: search.tuning(Bm25 { k1: bm25_k1.unwrap_or(bm25.k1), b: bm25_b.unwrap_or(bm25.b) }),
            trigrams: Trigrams {
                max_doc_freq: trigram_max_doc_freq.unwrap_or(0.35),
                max_terms_per_file: trigram_max_terms_per_file.unwrap_or(10_000),
            },
            documents: documents.options(),
            notes,
        }
    }
}

/// The part of a layer about what makes vectors.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct EmbeddingLayer {
    provider: Option<Provider>,
    model: Option<String>,
    dims: Option<usize>,
    eager: Option<bool>,
    max_time_ms: Option<u64>,
    max_chunks: Option<usize>,
    concurrency: Option<usize>,
    timeout_ms: Option<u64>,
    cache_mb: Option<u64>,
}

impl EmbeddingLayer {
    fn settings(self) -> EmbeddingSettings {
        let usual = EmbeddingBudget::default();
        EmbeddingSettings {
            provider: self.provider.unwrap_or(Provider::Auto),
            model: self.model,
            dims: self.dims,
            eager: self.eager,
            budget: EmbeddingBudget {
                time: self.max_time_ms.map_or(usual.time, Duration::from_millis),
                chunks: self.max_chunks.unwrap_or(usual.chunks),
            },
            concurrency: self.concurrency.unwrap_or(2),
            timeout: Duration::from_millis(self.timeout_ms.unwrap_or(30_000)),
            cache: self.cache_mb.unwrap_or(1024).saturating_mul(1 << 20),
        }
    }
}

/// The part of a layer about where somebody is asked.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct PlaceLayer {
    base_url: Option<String>,
    api_key_env: Option<String>,
}

impl PlaceLayer {
    fn settings(self, base_url: &str, api_key_env: Option<&str>) -> Place {
        Place {
            base_url: self.base_url.unwrap_or_else(|| base_url.to_owned()),
            api_key_env: self.api_key_env.or(api_key_env.map(str::to_owned)),
        }
    }
}

/// The part of a layer about a model that talks.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct LlmLayer {
    base_url: Option<String>,
    model: Option<String>,
    api_key_env: Option<String>,
    rerank: Option<bool>,
    rerank_max_tokens: Option<usize>,
    rerank_timeout_ms: Option<u64>,
    translate_ko_en: Option<bool>,
    translate_timeout_ms: Option<u64>,
}

impl LlmLayer {
    fn settings(self) -> LlmSettings {
        let api_key_env = Some(self.api_key_env.unwrap_or_else(|| "OPENAI_API_KEY".to_owned()));
        let budget = RerankBudget {
            tokens: self.rerank_max_tokens.unwrap_or(6000),
            time: Duration::from_millis(self.rerank_timeout_ms.unwrap_or(5000)),
        };
        let patience = Duration::from_millis(self.translate_timeout_ms.unwrap_or(3000));
        LlmSettings {
            chat: self
                .base_url
                .zip(self.model)
                .map(|(base_url, model)| (Place { base_url, api_key_env }, model)),
            rerank: self.rerank.unwrap_or(false).then_some(budget),
            translate: self.translate_ko_en.unwrap_or(false).then_some(patience),
        }
    }
}

/// The part of a layer about vectors.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct VectorLayer {
    index: Option<VectorIndex>,
    rebuild: Option<Rebuild>,
    max_points: Option<usize>,
    m: Option<usize>,
    ef_construction: Option<usize>,
    ef_search: Option<usize>,
}

impl VectorLayer {
    fn settings(self) -> VectorSettings {
        VectorSettings {
            index: self.index.unwrap_or(VectorIndex::Auto),
            rebuild: self.rebuild.unwrap_or(Rebuild::Auto),
            max_points: self.max_points.unwrap_or(200_000),
            m: self.m.unwrap_or(16),
            ef_construction: self.ef_construction.unwrap_or(200),
            ef_search: self.ef_search.unwrap_or(200),
        }
    }
}

/// The part of a layer about questions.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct SearchLayer {
    fusion: Option<FusionSetting>,
    alpha: Option<f32>,
    max_candidates: Option<usize>,
    max_rerank_candidates: Option<usize>,
    time_budget_ms: Option<u64>,
}

impl SearchLayer {
    fn tuning(self, bm25: Bm25) -> Tuning {
        let usual = Tuning::default();
        let fusion = match self.fusion.unwrap_or(FusionSetting::Auto) {
            FusionSetting::Auto => usual.blend.fusion,
            FusionSetting::Linear => Fusion::Linear,
            FusionSetting::Rrf => Fusion::Rrf,
            FusionSetting::Weighted => Fusion::Weighted,
            FusionSetting::Alpha => Fusion::Alpha,
        };
        let time = Duration::from_millis(self.time_budget_ms.unwrap_or(2000));
        Tuning {
            bm25,
            blend: Blend { fusion, alpha: self.alpha.unwrap_or(usual.blend.alpha) },
            budget: Budget {
                candidates: self.max_candidates.unwrap_or(usual.budget.candidates),
                rerank_candidates: self.max_rerank_candidates.unwrap_or(usual.budget.rerank_candidates),
                time: Some(time).filter(|time| !time.is_zero()),
            },
        }
    }
}

/// The part of a layer about documents.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct DocumentLayer {
    strategy: Option<Strategy>,
    max_tokens: Option<usize>,
    overlap: Option<usize>,
    min_tokens: Option<usize>,
    max_depth: Option<u8>,
    front_matter: Option<bool>,
    code_blocks: Option<bool>,
    lists: Option<bool>,
    tables: Option<bool>,
}

impl DocumentLayer {
    fn options(self) -> DocumentOptions {
        let usual = DocumentOptions::default();
        DocumentOptions {
            strategy: self.strategy.unwrap_or(usual.strategy),
            max_tokens: self.max_tokens.unwrap_or(usual.max_tokens),
            overlap: self.overlap.unwrap_or(usual.overlap),
            min_tokens: self.min_tokens.unwrap_or(usual.min_tokens),
            max_depth: self.max_depth.unwrap_or(usual.max_depth),
            front_matter: self.front_matter.unwrap_or(usual.front_matter),
            code_blocks: self.code_blocks.unwrap_or(usual.code_blocks),
            lists: self.lists.unwrap_or(usual.lists),
            tables: self.tables.unwrap_or(usual.tables),
        }
    }
}

impl Settings {
    /// What holds for the project at `root`; `index_dir` is the flag.
    pub(crate) fn resolve(root: &Path, index_dir: Option<PathBuf>) -> Result<Self, Failure> {
        let mut flags = Table::new();
        if let Some(index_dir) = index_dir {
            flags.insert("index_dir".to_owned(), Value::String(index_dir.to_string_lossy().into_owned()));
        }
        let environment = environment(|name| std::env::var(name).ok())?;
        let mut project = project_file(&root.join("jari.toml"))?;
        let notes = take_own(&mut project);
        let mut user = match etcetera::choose_base_strategy() {
            Ok(base) => user_file(&base.config_dir().join("jari").join("config.toml"))?,
            Err(_) => Table::new(),
        };
        // A model belongs to the provider it was set with.
        let chosen = |layer: &Table| layer.get("embedding").and_then(|table| table.get("provider")).is_some();
        let replaced = chosen(&project) && !chosen(&environment);
        if let Some(Value::Table(table)) = user.get_mut("embedding").filter(|_| replaced) {
            table.retain(|name, _| name != "model" && name != "dims");
        }
        let merged = [environment, project, user].into_iter().fold(flags, first);
        let layer = Layer::deserialize(merged).map_err(|error| {
            Failure::setting(format!("settings cannot be used: {}", error.to_string().trim()), HINT)
        })?;
        layer.settings(notes).check()
    }

    /// The same with another model: `PROVIDER` or `PROVIDER:MODEL`.
    pub(crate) fn with_model(mut self, said: &str) -> Result<Self, Failure> {
        let said = said.trim();
        let (provider, model) =
            said.split_once(':').map_or((said, None), |(provider, model)| (provider, Some(model)));
        let Ok(provider) = provider.parse() else {
            return Err(Failure::argument(
                format!("no model is called `{said}`"),
                format!("PROVIDER or PROVIDER:MODEL, where PROVIDER is one of {}", PROVIDERS.join(", ")),
            ));
        };
        // The model that is set belongs to the provider that is set.
        let same = provider == self.embedding.provider;
        let model = model.map(str::to_owned).or(self.embedding.model.filter(|_| same));
        let dims = self.embedding.dims.filter(|_| same);
        self.embedding = EmbeddingSettings { provider, model, dims, ..self.embedding };
        Ok(self)
    }

    fn check(self) -> Result<Self, Failure> {
        let Tuning { bm25: Bm25 { k1, b }, blend, budget } = self.tuning;
        if !(0.0..=10.0).contains(&k1) {
            return Err(Failure::setting(
                format!("bm25_k1 is {k1}"),
                "it lies between 0 and 10; 1.5 is usual",
            ));
        }
        if !(0.0..=1.0).contains(&b) {
            return Err(Failure::setting(format!("bm25_b is {b}"), "it lies between 0 and 1; 0.75 is usual"));
        }
        if !(0.0..=100.0).contains(&blend.alpha) {
            return Err(Failure::setting(
                format!("search.alpha is {}", blend.alpha),
                "it lies between 0 and 100; 0.5 is usual",
            ));
        }
        if budget.candidates == 0 {
            return Err(Failure::setting("search.max_candidates is 0", "it is at least 1; 100 is usual"));
        }
        if !(1..=8).contains(&self.embedding.concurrency) || self.embedding.dims == Some(0) {
            let EmbeddingSettings { concurrency, dims, .. } = &self.embedding;
            return Err(Failure::setting(
                format!(
                    "embedding.concurrency is {concurrency}, embedding.dims {}",
                    dims.unwrap_or_default()
                ),
                "the first lies between 1 and 8, the second is above 0",
            ));
        }
        let LlmSettings { chat, rerank, translate } = &self.llm;
        if chat.is_none() && (rerank.is_some() || translate.is_some()) {
            return Err(Failure::setting(
                "llm.rerank and llm.translate_ko_en need a model that talks",
                "set llm.base_url and llm.model (JARI_LLM_BASE_URL, JARI_LLM_MODEL)",
            ));
        }
        if self.limits.memory < 256 << 20 {
            return Err(Failure::setting(
                format!("index_memory is {}", self.limits.memory >> 20),
                "it is at least 256, in megabytes; 512 is usual",
            ));
        }
        let VectorSettings { m, ef_construction, ef_search, .. } = self.vectors;
        if !(2..=128).contains(&m) || ef_construction == 0 || ef_search == 0 {
            return Err(Failure::setting(
                format!(
                    "vectors.m is {m}, vectors.ef_construction {ef_construction}, vectors.ef_search {ef_search}"
                ),
                "m lies between 2 and 128, the others above 0; 16, 200 and 200 are usual",
            ));
        }
        let Trigrams { max_doc_freq, .. } = self.trigrams;
        if !(0.0..=1.0).contains(&max_doc_freq) {
            return Err(Failure::setting(
                format!("trigram_max_doc_freq is {max_doc_freq}"),
                "it lies between 0 and 1; 0.35 is usual",
            ));
        }
        let DocumentOptions { max_tokens, overlap, .. } = self.documents;
        if max_tokens < 32 || overlap * 2 > max_tokens {
            return Err(Failure::setting(
                format!("documents.max_tokens is {max_tokens} and documents.overlap {overlap}"),
                "a chunk has at least 32 tokens, and the overlap is at most half of it; 512 and 50 are usual",
            ));
        }
        Ok(self)
    }
}

/// What helps where a value cannot be used.
const HINT: &str = "`docs/reference/settings.md` lists all settings and what they take";

/// The first layer that has a value wins.
fn first(mut above: Table, below: Table) -> Table {
    for (key, value) in below {
        match (above.get_mut(&key), value) {
            (Some(Value::Table(above)), Value::Table(below)) => {
                *above = first(std::mem::take(above), below);
            }
            (Some(_), _) => {}
            (None, value) => {
                above.insert(key, value);
            }
        }
    }
    above
}

/// Takes what a checked-in file cannot set out of its layer; says so.
fn take_own(project: &mut Table) -> Vec<String> {
    let mut notes = Vec::new();
    for setting in SETTINGS {
        let (table, name) =
            setting.key.split_once('.').map_or((None, setting.key), |(table, name)| (Some(table), name));
        let layer = match table {
            None => Some(&mut *project),
            Some(table) => project.get_mut(table).and_then(Value::as_table_mut),
        };
        let Some((layer, value)) =
            layer.and_then(|layer| layer.get(name).cloned().map(|value| (layer, value)))
        else {
            continue;
        };
        let elsewhere = setting.key == "embedding.provider"
            && !matches!(value.as_str(), Some("auto" | "bundled" | "off"));
        if let Some(what) = setting.own.or(elsewhere.then_some("send anything anywhere")) {
            layer.remove(name);
            notes.push(format!(
                "`{}` in `jari.toml` does not count: a checked-in file cannot {what}",
                setting.key
            ));
        }
    }
    notes
}

fn environment(variable: impl Fn(&str) -> Option<String>) -> Result<Table, Failure> {
    let mut layer = Table::new();
    for setting in SETTINGS {
        // One that is empty counts as unset.
        let Some(said) = variable(setting.variable).filter(|said| !said.is_empty()) else { continue };
        let value = setting.kind.value(said.trim()).ok_or_else(|| {
            let (name, wanted) = (setting.variable, setting.kind.wanted());
            let message = format!("{name} is `{said}`, which is not {wanted}");
            Failure::setting(message, format!("unset {name} or give {wanted}"))
        })?;
        put(&mut layer, setting.key, value);
    }
    Ok(layer)
}

fn put(layer: &mut Table, key: &str, value: Value) {
    match key.split_once('.') {
        None => {
            layer.insert(key.to_owned(), value);
        }
        Some((table, rest)) => {
            let table = layer.entry(table).or_insert_with(|| Value::Table(Table::new()));
            if let Value::Table(table) = table {
                put(table, rest, value);
            }
        }
    }
}

impl Kind {
    fn value(self, said: &str) -> Option<Value> {
        match self {
            Self::Text => Some(Value::String(said.to_owned())),
            Self::Number => said.parse().ok().map(Value::Float),
            Self::Whole => said
                .parse::<u64>()
                .ok()
                .map(|number| Value::Integer(number.min(i64::MAX as u64).cast_signed())),
            Self::Truth => match said.to_lowercase().as_str() {
                "true" | "1" | "yes" | "on" => Some(Value::Boolean(true)),
                "false" | "0" | "no" | "off" => Some(Value::Boolean(false)),
                _ => None,
            },
            Self::Word(words) => words.contains(&said).then(|| Value::String(said.to_owned())),
        }
    }

    fn wanted(self) -> String {
        match self {
            Self::Text => "a text".to_owned(),
            Self::Number | Self::Whole => "a number".to_owned(),
            Self::Truth => "true or false".to_owned(),
            Self::Word(words) => format!("one of {}", words.join(", ")),
        }
    }
}

/// The settings of the project. A stranger may have written them, so they stand in a regular file or nowhere.
fn project_file(path: &Path) -> Result<Table, Failure> {
    match jari_source::read_small(path) {
        Ok((text, _)) => parsed(path, &text),
        Err(error) if is_absent(&error) => Ok(Table::new()),
        Err(error) => Err(unread(path, &error)),
    }
}

/// The settings of the user. What the system keeps from us counts as none.
fn user_file(path: &Path) -> Result<Table, Failure> {
    match jari_source::read_small_of_user(path) {
        Ok((text, _)) => parsed(path, &text),
        Err(error) if is_absent(&error) || error.kind() == ErrorKind::PermissionDenied => Ok(Table::new()),
        Err(error) => Err(unread(path, &error)),
    }
}

fn is_absent(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

fn unread(path: &Path, error: &std::io::Error) -> Failure {
    Failure::setting(
        format!("`{}` cannot be read: {error}", path.display()),
        "settings stand in a regular file with at most 1 MB; write one, or delete this",
    )
}

fn parsed(path: &Path, text: &[u8]) -> Result<Table, Failure> {
    let Ok(text) = std::str::from_utf8(text) else {
        return Err(Failure::setting(
            format!("`{}` cannot be used: it is not UTF-8", path.display()),
            "save it as UTF-8",
        ));
    };
    // Once for its types, where errors name lines, and once as it is.
    let read = toml::from_str::<Layer>(text).and_then(|_| toml::from_str(text));
    read.map_err(|error| {
        let known: Vec<_> = SETTINGS.iter().map(|setting| setting.key).collect();
        // The line itself is not shown: a key may stand in it.
        let line = error.span().map_or(1, |span| text[..span.start].matches('\n').count() + 1);
        let why = error.message().trim().replace('\n', "; ");
        let why = jari_source::masked(&why);
        Failure::setting(
            format!("`{}` cannot be used: line {line}: {why}", path.display()),
            format!("the settings are {}", known.join(", ")),
        )
    })
}

/// What models answered, for all projects of the user.
pub(crate) fn answers_file() -> Option<PathBuf> {
    let base = etcetera::choose_base_strategy().ok()?;
    Some(base.cache_dir().join("jari").join("answers.db"))
}

/// Where an index is kept when the project cannot hold it: in the user's cache, by the project's path.
pub(crate) fn cache_dir(root: &Path) -> Option<PathBuf> {
    let base = etcetera::choose_base_strategy().ok()?;
    let path: String =
        root.to_string_lossy().chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
    // File names end at 255 bytes, and the end of a path is its telling part.
    let telling = &path[path.ceil_char_boundary(path.len().saturating_sub(180))..];
    // `a-b` and `a/b` do not share a folder.
    let hash = jari_base::fingerprint(root.as_os_str().as_encoded_bytes());
    Some(base.cache_dir().join("jari").join("indexes").join(format!("{telling}-{hash:016x}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearer_layers_win() {
        let near = toml::from_str("bm25_b = 0.5\n[search]\nalpha = 2.0\n").expect("it is right");
        let far =
            toml::from_str("bm25_b = 0.9\nmax_file_size = 7\n[search]\nalpha = 3.0\nmax_candidates = 9\n");
        let both = Layer::deserialize(first(near, far.expect("it is right"))).expect("all are settings");
        assert_eq!((both.bm25_b, both.max_file_size), (Some(0.5), Some(7)));
        assert_eq!((both.search.alpha, both.search.max_candidates), (Some(2.0), Some(9)));
    }

    #[test]
    fn every_setting_can_be_set_by_its_variable() {
        for setting in SETTINGS {
            let said = match setting.kind {
                Kind::Text => "text",
                Kind::Number | Kind::Whole => "7",
                Kind::Truth => "yes",
                Kind::Word(words) => words[0],
            };
            let set =
                environment(|name| (name == setting.variable).then(|| said.to_owned())).expect(setting.key);
            assert_eq!(set.len(), 1, "{}", setting.key);
            Layer::deserialize(set).expect(setting.key);
        }
    }

    #[test]
    fn every_field_is_a_setting() {
        let known: Vec<&str> = SETTINGS.iter().map(|setting| setting.key).collect();
        let fields = |table: &str| {
            let text =
                if table.is_empty() { "nonsense = 1".to_owned() } else { format!("[{table}]\nnonsense = 1") };
            let error = toml::from_str::<Layer>(&text).expect_err("there is no such field").to_string();
            let listed = error.split("expected ").nth(1).expect("it lists them").to_owned();
            listed.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>()
        };
        for field in fields("") {
            let below = known.iter().any(|key| key.starts_with(&format!("{field}.")));
            assert!(below || known.contains(&&*field), "{field}");
            for inner in if below { fields(&field) } else { Vec::new() } {
                let key = format!("{field}.{inner}");
                assert!(known.contains(&&*key), "{key}");
            }
        }
    }

    #[test]
    fn words_where_a_number_belongs_are_refused() {
        assert!(environment(|name| (name == "JARI_BM25_B").then(|| "much".to_owned())).is_err());
    }

    #[test]
    fn a_checked_in_file_sends_nothing_anywhere() {
        for setting in SETTINGS.iter().filter(|setting| setting.own.is_some()) {
            let mut project = Table::new();
            put(&mut project, setting.key, Value::String("x".to_owned()));
            assert_eq!(take_own(&mut project).len(), 1, "{}", setting.key);
        }
        let providers = |word: &str| {
            let mut project =
                toml::from_str(&format!("[embedding]\nprovider = \"{word}\"")).expect("it is right");
            take_own(&mut project).len()
        };
        assert_eq!(PROVIDERS.iter().map(|word| providers(word)).collect::<Vec<_>>(), [0, 0, 1, 1, 1, 1, 0]);
    }
}
