//! Questions with known answers, as they come; runs and figures, as they go.

use std::collections::BTreeMap;

use jari_engine::eval::{Figures, Place, Question, Target};
use jari_engine::search::Calls;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Figures are also given for questions that have one of these in common.
const GROUPS: &[&str] = &["category", "language", "lang", "exact", "kind"];

/// A question, as one line of a file has it.
#[derive(Debug, Deserialize)]
pub struct QuestionJson {
    id: String,
    repo: Option<String>,
    root: Option<String>,
    targets: Vec<TargetJson>,
    #[serde(default)]
    sources: Vec<TargetJson>,
    #[serde(flatten)]
    other: BTreeMap<String, serde_json::Value>,
}

#[derive(Debug, Deserialize)]
struct TargetJson {
    path: String,
    start_line: Option<u32>,
    end_line: Option<u32>,
    #[serde(default)]
    spans: Vec<[u32; 2]>,
}

impl QuestionJson {
    /// The question; what is asked stands in `field`.
    pub fn question(self, field: &str) -> Result<Question, String> {
        let Self { id, repo, root, targets, sources, other } = self;
        let query = other.get(field).and_then(|query| query.as_str());
        let query = query.ok_or_else(|| format!("it has no `{field}`"))?.to_owned();
        let group = |key: &&str| match other.get(*key)? {
            serde_json::Value::String(word) => Some(format!("{key}={word}")),
            serde_json::Value::Bool(yes) => Some(format!("{key}={yes}")),
            _ => None,
        };
        let groups = GROUPS.iter().filter_map(group).collect();
        let all = |targets: Vec<TargetJson>| -> Vec<Target> {
            let target = |TargetJson { path, start_line, end_line, spans }| Target {
                path,
                start_line,
                end_line,
                spans,
            };
            targets.into_iter().map(target).collect()
        };
        if targets.is_empty() {
            return Err("it has no `targets`".to_owned());
        }
        let lines = |target: &TargetJson| target.start_line.zip(target.end_line);
        let spans = |target: &TargetJson| {
            target.spans.iter().map(|[first, last]| (*first, *last)).collect::<Vec<_>>()
        };
        let mut ranges = targets.iter().flat_map(|target| spans(target).into_iter().chain(lines(target)));
        if let Some((first, last)) = ranges.find(|(first, last)| last < first) {
            return Err(format!("its lines {first} to {last} end before they begin"));
        }
        Ok(Question { id, query, repo, root, targets: all(targets), sources: all(sources), groups })
    }
}

/// The places of one answer, as one line of a run has them.
#[derive(Debug, Serialize)]
pub struct RunJson<'a> {
    id: &'a str,
    results: Vec<PlaceJson<'a>>,
}

#[derive(Debug, Serialize)]
struct PlaceJson<'a> {
    path: &'a str,
    start_line: u32,
    end_line: u32,
}

impl<'a> RunJson<'a> {
    /// The answer to the question called `id`.
    pub fn new(id: &'a str, places: &'a [Place]) -> Self {
        let place = |Place { path, start_line, end_line }: &'a Place| PlaceJson {
            path,
            start_line: *start_line,
            end_line: *end_line,
        };
        Self { id, results: places.iter().map(place).collect() }
    }
}

/// How fast and how exact vectors are searched.
#[derive(Debug, Serialize, JsonSchema)]
pub struct VectorBenchJson {
    /// How many questions were asked.
    pub questions: usize,
    /// One for each number of vectors and way to search them.
    pub rows: Vec<VectorBenchRowJson>,
}

/// How fast and how exact some vectors are searched in one way.
#[derive(Debug, Serialize, JsonSchema)]
pub struct VectorBenchRowJson {
    /// How many vectors.
    pub points: usize,
    /// `plain`: a scan of numbers in full precision; `exact` and `hnsw`: the indexes.
    pub way: &'static str,
    /// How many of the ten nearest are found, 0 to 1.
    pub recall_10: f64,
    /// The median time of a search.
    pub p50_ms: f64,
    /// The time that 95 of 100 searches keep within.
    pub p95_ms: f64,
    /// The time to make it.
    pub build_ms: f64,
    /// The time to open it.
    pub open_ms: f64,
    /// What it takes on disk, and at most in memory.
    pub bytes: u64,
}

/// How good answers are.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EvalJson {
    /// One for each way to ask and group of questions.
    pub rows: Vec<EvalRowJson>,
}

/// How good the answers to a group of questions are.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EvalRowJson {
    /// The way to ask.
    way: String,
    /// `all`, `mean over projects`, or a property of the questions: `category=symbol`.
    group: String,
    /// How many questions.
    questions: usize,
    /// NDCG over the first ten places.
    ndcg_10: f64,
    /// How often an answer is the first place.
    hit_1: f64,
    /// How often an answer is among the first five.
    hit_5: f64,
    /// How often an answer is among the first ten.
    hit_10: f64,
    /// Mean reciprocal rank.
    mrr: f64,
    /// Mean time of an answer.
    mean_ms: Option<f64>,
    /// The time that 95 of 100 answers keep within.
    p95_ms: Option<f64>,
    /// How often the model was asked for vectors.
    embedding_calls: Option<usize>,
    /// How often a model was asked to put places in order.
    reranker_calls: Option<usize>,
    /// How often a model was asked to translate.
    translator_calls: Option<usize>,
}

/// What answers to all questions cost.
#[derive(Debug, Clone, Copy)]
pub struct EvalCost {
    /// Mean time, in milliseconds.
    pub mean_ms: f64,
    /// The 95th percentile.
    pub p95_ms: f64,
    /// How often models were asked.
    pub calls: Calls,
}

impl EvalRowJson {
    /// A row; `cost` is known of all questions together.
    pub fn new(way: &str, group: &str, questions: usize, figures: Figures, cost: Option<EvalCost>) -> Self {
        let Figures { ndcg, hit_1, hit_5, hit_10, mrr } = figures;
        Self {
            way: way.to_owned(),
            group: group.to_owned(),
            questions,
            ndcg_10: ndcg,
            hit_1,
            hit_5,
            hit_10,
            mrr,
            mean_ms: cost.map(|cost| cost.mean_ms),
            p95_ms: cost.map(|cost| cost.p95_ms),
            embedding_calls: cost.map(|cost| cost.calls.embedding),
            reranker_calls: cost.map(|cost| cost.calls.reranker),
            translator_calls: cost.map(|cost| cost.calls.translator),
        }
    }
}
