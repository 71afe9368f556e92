//! Settings: flags, then the environment, then `jari.toml`, then the user's file, then the defaults.

use std::path::{Path, PathBuf};
use std::time::Duration;

use etcetera::BaseStrategy;
use jari_base::{Backend, Bm25, Fusion};
use jari_chunk::{DocumentOptions, Strategy};
use jari_engine::search::{Blend, Budget, Tuning};
use jari_source::Limits;
use serde::Deserialize;

use crate::failure::Failure;

/// A setting, as the reference page lists it.
pub(crate) struct Setting {
    pub(crate) key: &'static str,
    pub(crate) variable: &'static str,
    pub(crate) default: &'static str,
    pub(crate) project: bool,
    pub(crate) about: &'static str,
}

/// The one list of settings.
pub(crate) const SETTINGS: &[Setting] = &[
    Setting {
        key: "index_dir",
        variable: "JARI_INDEX_DIR",
        default: "`.jari` in the project",
        project: false,
        about: "Where the index is kept. A checked-in `jari.toml` cannot set it.",
    },
    Setting {
        key: "embedding_model",
        variable: "JARI_EMBEDDING_MODEL",
        default: "the one inside the program",
        project: false,
        about: "A folder with a static model in model2vec's format, or a file in Jari's own. A checked-in `jari.toml` cannot set it.",
    },
    Setting {
        key: "embedding_provider",
        variable: "JARI_EMBEDDING_PROVIDER",
        default: "`auto`",
        project: true,
        about: "What makes vectors: `auto` and `bundled` take the model inside the program, or the one `embedding_model` names; `off` leaves words alone.",
    },
    Setting {
        key: "vectors.index",
        variable: "JARI_VECTOR_INDEX",
        default: "`auto`",
        project: true,
        about: "How vectors are searched: `exact` looks at every one, `hnsw` follows a graph, `auto` looks at every one until a graph pays, `off` keeps none.",
    },
    Setting {
        key: "vectors.rebuild",
        variable: "JARI_VECTOR_INDEX_REBUILD",
        default: "`auto`",
        project: true,
        about: "When vectors are made: `auto` whenever some are missing or of another model, `on_start` anew by every process, `manual` only by `jari vectors build`.",
    },
    Setting {
        key: "vectors.max_points",
        variable: "JARI_VECTOR_INDEX_MAX_POINTS",
        default: "`200000`",
        project: true,
        about: "How many vectors are kept at most. Chunks beyond it are found by words alone; `jari status` counts them.",
    },
    Setting {
        key: "vectors.m",
        variable: "JARI_VECTOR_INDEX_M",
        default: "`16`",
        project: true,
        about: "Neighbours that a node of the graph has, 2 to 128.",
    },
    Setting {
        key: "vectors.ef_construction",
        variable: "JARI_VECTOR_INDEX_EF_CONSTRUCTION",
        default: "`200`",
        project: true,
        about: "Nodes in sight while the graph is built.",
    },
    Setting {
        key: "vectors.ef_search",
        variable: "JARI_VECTOR_INDEX_EF_SEARCH",
        default: "`200`",
        project: true,
        about: "Nodes in sight while the graph is searched.",
    },
    Setting {
        key: "max_file_size",
        variable: "JARI_MAX_FILE_SIZE",
        default: "`1048576`",
        project: true,
        about: "Files with more bytes are skipped.",
    },
    Setting {
        key: "index_memory",
        variable: "JARI_INDEX_MEMORY",
        default: "`512`",
        project: false,
        about: "About how many megabytes indexing may use, at least 256; files of the index that the system maps count apart. Less means smaller batches and more time. A checked-in `jari.toml` cannot set it.",
    },
    Setting {
        key: "bm25_k1",
        variable: "JARI_BM25_K1",
        default: "`1.5`",
        project: true,
        about: "How fast repeated words stop adding to a score.",
    },
    Setting {
        key: "bm25_b",
        variable: "JARI_BM25_B",
        default: "`0.75`",
        project: true,
        about: "How much long texts are held back, 0 to 1.",
    },
    Setting {
        key: "search.fusion",
        variable: "JARI_FUSION",
        default: "`auto`",
        project: true,
        about: "How what words and what vectors found becomes one list: `linear` (a weighted sum of signals), `rrf` (ranks alone), `weighted` (0.6 words, 0.4 vectors) or `alpha` (words, and some of the vectors). `auto` is `linear`, the best by measurement.",
    },
    Setting {
        key: "search.alpha",
        variable: "JARI_HYBRID_ALPHA",
        default: "`0.5`",
        project: true,
        about: "What vectors count beside words in the fusion `alpha`, 0 to 100.",
    },
    Setting {
        key: "search.max_candidates",
        variable: "JARI_MAX_CANDIDATES",
        default: "`100`",
        project: true,
        about: "Files that are ranked by all signals, of those that words and vectors found.",
    },
    Setting {
        key: "search.max_rerank_candidates",
        variable: "JARI_MAX_RERANK_CANDIDATES",
        default: "`30`",
        project: true,
        about: "Places that are compared with each other, so that those that repeat others make room.",
    },
    Setting {
        key: "search.time_budget_ms",
        variable: "JARI_TIME_BUDGET_MS",
        default: "`2000`",
        project: true,
        about: "After this many milliseconds a search begins no further step and answers with what it has. `0` is no limit.",
    },
    Setting {
        key: "trigram_max_doc_freq",
        variable: "JARI_TRIGRAM_MAX_DOC_FREQ",
        default: "`0.35`",
        project: true,
        about: "Three letters that stand in a larger part of all files than this, 0 to 1, do not narrow `jari grep`.",
    },
    Setting {
        key: "trigram_max_terms_per_file",
        variable: "JARI_TRIGRAM_MAX_TERMS_PER_FILE",
        default: "`6000`",
        project: true,
        about: "Files with more different runs of three letters than this are not kept apart: `jari grep` always looks at them.",
    },
    Setting {
        key: "documents.strategy",
        variable: "JARI_DOCUMENTS_STRATEGY",
        default: "`structural`",
        project: true,
        about: "How documents are cut: `structural` (sections, long ones split between blocks, short ones joined), `heading` (one chunk a section) or `fixed` (windows of lines).",
    },
    Setting {
        key: "documents.max_tokens",
        variable: "JARI_DOCUMENTS_MAX_TOKENS",
        default: "`512`",
        project: true,
        about: "Tokens of a document's chunk, at most, where it can be split.",
    },
    Setting {
        key: "documents.overlap",
        variable: "JARI_DOCUMENTS_OVERLAP",
        default: "`50`",
        project: true,
        about: "Tokens that a piece of a split section repeats of the one before.",
    },
    Setting {
        key: "documents.min_tokens",
        variable: "JARI_DOCUMENTS_MIN_TOKENS",
        default: "`100`",
        project: true,
        about: "Sections with fewer tokens join a neighbour of the same parent.",
    },
    Setting {
        key: "documents.max_depth",
        variable: "JARI_DOCUMENTS_MAX_DEPTH",
        default: "`6`",
        project: true,
        about: "Deeper headings begin no chunk of their own.",
    },
    Setting {
        key: "documents.front_matter",
        variable: "JARI_DOCUMENTS_FRONT_MATTER",
        default: "`true`",
        project: true,
        about: "Whether front matter is searched.",
    },
    Setting {
        key: "documents.code_blocks",
        variable: "JARI_DOCUMENTS_CODE_BLOCKS",
        default: "`true`",
        project: true,
        about: "Whether code in documents stays whole while it fits.",
    },
    Setting {
        key: "documents.lists",
        variable: "JARI_DOCUMENTS_LISTS",
        default: "`true`",
        project: true,
        about: "Whether lists stay whole while they fit.",
    },
    Setting {
        key: "documents.tables",
        variable: "JARI_DOCUMENTS_TABLES",
        default: "`true`",
        project: true,
        about: "Whether tables stay whole while they fit.",
    },
];

/// Settings as they hold.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Settings {
    pub(crate) index_dir: Option<PathBuf>,
    pub(crate) embedding_model: Option<PathBuf>,
    pub(crate) embedding_provider: Provider,
    pub(crate) vectors: VectorSettings,
    pub(crate) limits: Limits,
    pub(crate) tuning: Tuning,
    pub(crate) trigrams: Trigrams,
    pub(crate) documents: DocumentOptions,
    /// What was set but does not count.
    pub(crate) notes: Vec<String>,
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
    embedding_model: Option<PathBuf>,
    embedding_provider: Option<Provider>,
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
        let flags = Layer { index_dir, ..Layer::default() };
        let environment = environment(|name| std::env::var(name).ok())?;
        let mut project = file(&root.join("jari.toml"))?;
        let mut notes = Vec::new();
        if project.index_dir.take().is_some() {
            notes.push(
                "`index_dir` in `jari.toml` does not count: a checked-in file cannot move the index"
                    .to_owned(),
            );
        }
        if project.embedding_model.take().is_some() {
            notes.push(
                "`embedding_model` in `jari.toml` does not count: a checked-in file cannot choose the model"
                    .to_owned(),
            );
        }
        if project.index_memory.take().is_some() {
            notes.push(
                "`index_memory` in `jari.toml` does not count: a checked-in file cannot take memory"
                    .to_owned(),
            );
        }
        let user = match etcetera::choose_base_strategy() {
            Ok(base) => file(&base.config_dir().join("jari").join("config.toml"))?,
            Err(_) => Layer::default(),
        };
        let layers = [flags, environment, project, user];
        let defaults = (Limits::default(), Bm25::default());
        // Every field is named, so that a new setting cannot be forgotten here.
        let Layer {
            index_dir,
            embedding_model,
            embedding_provider,
            vectors,
            max_file_size,
            index_memory,
            bm25_k1,
            bm25_b,
            search,
            trigram_max_doc_freq,
            trigram_max_terms_per_file,
            documents,
        } = layers.into_iter().fold(Layer::default(), first);
        let settings = Self {
            index_dir,
            embedding_model,
            embedding_provider: embedding_provider.unwrap_or(Provider::Auto),
            vectors: vectors.settings(),
            limits: Limits {
                max_file_size: max_file_size.unwrap_or(defaults.0.max_file_size),
                memory: index_memory.map_or(defaults.0.memory, |megabytes| megabytes.saturating_mul(1 << 20)),
            },
            tuning: search
                .tuning(Bm25 { k1: bm25_k1.unwrap_or(defaults.1.k1), b: bm25_b.unwrap_or(defaults.1.b) }),
            trigrams: Trigrams {
                max_doc_freq: trigram_max_doc_freq.unwrap_or(0.35),
                max_terms_per_file: trigram_max_terms_per_file.unwrap_or(6000),
            },
            documents: documents.options(),
            notes,
        };
        settings.check()
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

/// The first layer that has a value wins.
fn first(above: Layer, below: Layer) -> Layer {
    let Layer {
        index_dir,
        embedding_model,
        embedding_provider,
        vectors,
        max_file_size,
        index_memory,
        bm25_k1,
        bm25_b,
        search,
        trigram_max_doc_freq,
        trigram_max_terms_per_file,
        documents,
    } = below;
    Layer {
        index_dir: above.index_dir.or(index_dir),
        embedding_model: above.embedding_model.or(embedding_model),
        embedding_provider: above.embedding_provider.or(embedding_provider),
        vectors: VectorLayer {
            index: above.vectors.index.or(vectors.index),
            rebuild: above.vectors.rebuild.or(vectors.rebuild),
            max_points: above.vectors.max_points.or(vectors.max_points),
            m: above.vectors.m.or(vectors.m),
            ef_construction: above.vectors.ef_construction.or(vectors.ef_construction),
            ef_search: above.vectors.ef_search.or(vectors.ef_search),
        },
        max_file_size: above.max_file_size.or(max_file_size),
        index_memory: above.index_memory.or(index_memory),
        bm25_k1: above.bm25_k1.or(bm25_k1),
        bm25_b: above.bm25_b.or(bm25_b),
        search: SearchLayer {
            fusion: above.search.fusion.or(search.fusion),
            alpha: above.search.alpha.or(search.alpha),
            max_candidates: above.search.max_candidates.or(search.max_candidates),
            max_rerank_candidates: above.search.max_rerank_candidates.or(search.max_rerank_candidates),
            time_budget_ms: above.search.time_budget_ms.or(search.time_budget_ms),
        },
        trigram_max_doc_freq: above.trigram_max_doc_freq.or(trigram_max_doc_freq),
        trigram_max_terms_per_file: above.trigram_max_terms_per_file.or(trigram_max_terms_per_file),
        documents: DocumentLayer {
            strategy: above.documents.strategy.or(documents.strategy),
            max_tokens: above.documents.max_tokens.or(documents.max_tokens),
            overlap: above.documents.overlap.or(documents.overlap),
            min_tokens: above.documents.min_tokens.or(documents.min_tokens),
            max_depth: above.documents.max_depth.or(documents.max_depth),
            front_matter: above.documents.front_matter.or(documents.front_matter),
            code_blocks: above.documents.code_blocks.or(documents.code_blocks),
            lists: above.documents.lists.or(documents.lists),
            tables: above.documents.tables.or(documents.tables),
        },
    }
}

fn environment(variable: impl Fn(&str) -> Option<String>) -> Result<Layer, Failure> {
    let variables = Variables { variable };
    Ok(Layer {
        index_dir: variables.parsed("JARI_INDEX_DIR", "a folder")?,
        embedding_model: variables.parsed("JARI_EMBEDDING_MODEL", "a folder")?,
        embedding_provider: variables.parsed("JARI_EMBEDDING_PROVIDER", "one of auto, bundled, off")?,
        vectors: VectorLayer {
            index: variables.parsed("JARI_VECTOR_INDEX", "one of auto, off, exact, hnsw")?,
            rebuild: variables.parsed("JARI_VECTOR_INDEX_REBUILD", "one of auto, on_start, manual")?,
            max_points: variables.parsed("JARI_VECTOR_INDEX_MAX_POINTS", "a number")?,
            m: variables.parsed("JARI_VECTOR_INDEX_M", "a number")?,
            ef_construction: variables.parsed("JARI_VECTOR_INDEX_EF_CONSTRUCTION", "a number")?,
            ef_search: variables.parsed("JARI_VECTOR_INDEX_EF_SEARCH", "a number")?,
        },
        max_file_size: variables.parsed("JARI_MAX_FILE_SIZE", "a number")?,
        index_memory: variables.parsed("JARI_INDEX_MEMORY", "a number")?,
        bm25_k1: variables.parsed("JARI_BM25_K1", "a number")?,
        bm25_b: variables.parsed("JARI_BM25_B", "a number")?,
        search: SearchLayer {
            fusion: variables.parsed("JARI_FUSION", "one of auto, linear, rrf, weighted, alpha")?,
            alpha: variables.parsed("JARI_HYBRID_ALPHA", "a number")?,
            max_candidates: variables.parsed("JARI_MAX_CANDIDATES", "a number")?,
            max_rerank_candidates: variables.parsed("JARI_MAX_RERANK_CANDIDATES", "a number")?,
            time_budget_ms: variables.parsed("JARI_TIME_BUDGET_MS", "a number")?,
        },
        trigram_max_doc_freq: variables.parsed("JARI_TRIGRAM_MAX_DOC_FREQ", "a number")?,
        trigram_max_terms_per_file: variables.parsed("JARI_TRIGRAM_MAX_TERMS_PER_FILE", "a number")?,
        documents: DocumentLayer {
            strategy: variables.parsed("JARI_DOCUMENTS_STRATEGY", "one of structural, heading, fixed")?,
            max_tokens: variables.parsed("JARI_DOCUMENTS_MAX_TOKENS", "a number")?,
            overlap: variables.parsed("JARI_DOCUMENTS_OVERLAP", "a number")?,
            min_tokens: variables.parsed("JARI_DOCUMENTS_MIN_TOKENS", "a number")?,
            max_depth: variables.parsed("JARI_DOCUMENTS_MAX_DEPTH", "a number")?,
            front_matter: variables.parsed("JARI_DOCUMENTS_FRONT_MATTER", "true or false")?,
            code_blocks: variables.parsed("JARI_DOCUMENTS_CODE_BLOCKS", "true or false")?,
            lists: variables.parsed("JARI_DOCUMENTS_LISTS", "true or false")?,
            tables: variables.parsed("JARI_DOCUMENTS_TABLES", "true or false")?,
        },
    })
}

struct Variables<F> {
    variable: F,
}

impl<F: Fn(&str) -> Option<String>> Variables<F> {
    /// The value of a variable; one that is empty counts as unset.
    fn parsed<V: std::str::FromStr>(&self, name: &str, wanted: &str) -> Result<Option<V>, Failure> {
        let Some(value) = (self.variable)(name).filter(|value| !value.is_empty()) else { return Ok(None) };
        let parsed = value.trim().parse().ok();
        parsed.map(Some).ok_or_else(|| {
            let message = format!("{name} is `{value}`, which is not {wanted}");
            Failure::setting(message, format!("unset {name} or give {wanted}"))
        })
    }
}

fn file(path: &Path) -> Result<Layer, Failure> {
    let Ok(text) = std::fs::read_to_string(path) else { return Ok(Layer::default()) };
    toml::from_str(&text).map_err(|error| {
        let known: Vec<_> = SETTINGS.iter().map(|setting| setting.key).collect();
        let message = format!("`{}` cannot be used: {}", path.display(), error.to_string().trim());
        Failure::setting(message, format!("the settings are {}", known.join(", ")))
    })
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
        let near = Layer { bm25_b: Some(0.5), ..Layer::default() };
        let far = Layer { bm25_b: Some(0.9), max_file_size: Some(7), ..Layer::default() };
        let both = first(near, far);
        assert_eq!((both.bm25_b, both.max_file_size), (Some(0.5), Some(7)));
    }

    #[test]
    fn every_setting_has_its_variable() {
        let seen = std::cell::RefCell::new(Vec::new());
        environment(|name| {
            seen.borrow_mut().push(name.to_owned());
            None
        })
        .expect("nothing is set");
        let listed: Vec<_> = SETTINGS.iter().map(|setting| setting.variable.to_owned()).collect();
        assert_eq!(seen.into_inner(), listed);
    }

    #[test]
    fn words_where_a_number_belongs_are_refused() {
        assert!(environment(|name| (name == "JARI_BM25_B").then(|| "much".to_owned())).is_err());
    }
}
