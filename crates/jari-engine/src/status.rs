//! What the index holds, and how far it is from the working tree.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use jari_base::{Filter, Generation, Mode, Skip};
use jari_store::{GramStatistics, Snapshot, Statistics, Totals, VectorStatistics};

use crate::search::{SearchRequest, search};
use crate::{Project, Result, grep, ingest};

/// What is asked to see how long an answer takes: common words, so that long lists are read.
const PROBE: &str = "how is an error returned";

/// The state of an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Status {
    /// Which state.
    pub generation: Generation,
    /// Files that are indexed.
    pub files: u64,
    /// Files that are not, by reason.
    pub skipped: BTreeMap<Skip, usize>,
    /// Files by language, most first.
    pub languages: Vec<(String, usize)>,
    /// Files that were added, changed or removed since.
    pub stale: Stale,
    /// Counts and sizes.
    pub statistics: Statistics,
    /// What its grams are like.
    pub grams: GramStatistics,
    /// How long a search by keyword takes, tried just now.
    pub query: Duration,
    /// How long a search among vectors takes, tried just now; none where there are none.
    pub vector_query: Option<Duration>,
}

/// How the working tree has moved on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stale {
    /// Files to be read: new, or with another time or size.
    pub changed: usize,
    /// Files that are gone.
    pub removed: usize,
}

impl Stale {
    /// Whether the index is what the working tree is, as far as sizes and times tell.
    pub fn is_fresh(self) -> bool {
        self == Self::default()
    }
}

/// Looks at a state and at the working tree. Grams in a larger part of all files than `max_gram_frequency` do not narrow.
pub fn status(project: &Project, snapshot: &dyn Snapshot, max_gram_frequency: f32) -> Result<Status> {
    let files = snapshot.files()?;
    let changes = ingest::changes(project, &files, None)?;
    let Totals { indexed, skipped, .. } = files.totals().clone();
    let mut languages: BTreeMap<&str, usize> = BTreeMap::new();
    for record in files.iter().filter(|record| record.skip.is_none()) {
        *languages.entry(record.language.as_str()).or_default() += 1;
    }
    let mut languages: Vec<(String, usize)> =
        languages.into_iter().map(|(name, count)| (name.to_owned(), count)).collect();
    languages.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let probe = SearchRequest { mode: Mode::Keyword, ..SearchRequest::new(PROBE.to_owned()) };
    let statistics = snapshot.statistics()?;
    let vector = project.embedding.as_ref().filter(|embedding| embedding.asked().is_none());
    let vector = vector.and_then(|embedding| embedding.of_question(PROBE).ok().flatten());
    let vector_query = match vector.filter(|_| statistics.vectors.is_some_and(|vectors| vectors.count > 0)) {
        None => None,
        Some(vector) => {
            let began = Instant::now();
            snapshot.nearest(&vector, probe.limit, &Filter::default())?;
            Some(began.elapsed())
        }
    };
    let query = search(project, snapshot, &probe)?.took;
    let Statistics { build_ms, posting_bytes, .. } = statistics;
    tracing::debug!(build_ms, query_ms = query.as_secs_f64() * 1e3, size = posting_bytes, "keyword_index");
    if let Some(VectorStatistics { build_ms, bytes, backend, .. }) = statistics.vectors {
        let query_ms = vector_query.map(|took: Duration| took.as_secs_f64() * 1e3);
        tracing::debug!(build_ms, query_ms, size = bytes, %backend, "vector_index");
    }
    Ok(Status {
        generation: snapshot.generation(),
        files: indexed,
        skipped,
        languages,
        stale: Stale { changed: changes.open.len() + changes.skip.len(), removed: changes.gone.len() },
        statistics,
        grams: snapshot.gram_statistics(grep::most_files(indexed, max_gram_frequency))?,
        query,
        vector_query,
    })
}

/// The files that are not indexed, by path, with the reason.
pub fn skipped(snapshot: &dyn Snapshot) -> Result<Vec<(String, Skip)>> {
    let files = snapshot.files()?;
    Ok(files.iter().filter_map(|record| Some((record.path.clone(), record.skip?))).collect())
}
