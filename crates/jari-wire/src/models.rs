//! Models that are asked: `jari embed` and `jari cache`.

use schemars::JsonSchema;
use serde::Serialize;

/// What `jari embed` found and did.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct EmbedJson {
    /// Provider and model.
    pub model: String,
    /// Chunks that had no vectors.
    pub missing: usize,
    /// Those of them that the model had to be asked for; the cache knew the others.
    pub to_ask: usize,
    /// Tokens of those, by estimate.
    pub tokens: usize,
    /// What that costs, where the price is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dollars: Option<f64>,
    /// With `--all`: chunks that have theirs now.
    pub embedded: usize,
    /// With `--all`: how often the model was asked.
    pub calls: usize,
}

/// What models answered, as it is kept.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CacheJson {
    /// The file.
    pub path: String,
    /// Its bytes in use.
    pub bytes: u64,
    /// How many it may have.
    pub max_bytes: u64,
    /// By model.
    pub models: Vec<CachedJson>,
    /// Answers that `clear` or `prune` forgot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forgotten: Option<u64>,
}

/// Answers of one model.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CachedJson {
    /// Provider and model.
    pub model: String,
    /// How many.
    pub entries: u64,
    /// Their bytes.
    pub bytes: u64,
}
