//! Files that wait for vectors of a model that takes its time: what somebody looks at first, then what changed last, then the rest.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use jari_base::{FileId, Mode};
use jari_embed::{Side, Trouble};
use jari_store::{Files, Meaning, Snapshot, Store};

use crate::meaning::{self, Embedding};
use crate::search::{self, SearchRequest};
use crate::{Project, Result};

/// Chunks that are asked for and written together: so many that few calls are not full. When the process ends before they are written,
/// the cache has those that were answered.
const TOGETHER: usize = 2048;

/// Files that a question looks at: twice what is shown.
const LOOKED_AT: usize = 20;

/// How long a writer is waited for. What cannot be written is in the cache, and written the next time.
const PATIENCE: Duration = Duration::from_secs(2);

/// What may be spent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spending {
    /// `None` waits for the model, through failures that pass.
    pub deadline: Option<Instant>,
    /// Chunks.
    pub chunks: usize,
}

/// What came of it.
#[derive(Clone, Default)]
pub struct Outcome {
    /// The newest state, where one was written.
    pub snapshot: Option<Arc<dyn Snapshot>>,
    /// Chunks of files that have all their vectors now.
    pub chunks: usize,
    /// How often the model was asked.
    pub calls: usize,
    /// Why it ended early, if it was neither time nor number.
    pub trouble: Option<Trouble>,
}

/// The files without vectors, those first that changed last.
pub fn missing(snapshot: &dyn Snapshot) -> Result<Vec<FileId>> {
    let files = snapshot.files()?;
    let mut missing = snapshot.unembedded()?;
    missing.sort_by_key(|file| Reverse(files.get(*file).map(|record| record.stamp.modified)));
    Ok(missing)
}

/// The files without vectors among those that a question looks at, best first.
pub fn looked_at(project: &Project, snapshot: &dyn Snapshot, request: &SearchRequest) -> Result<Vec<FileId>> {
    let missing: HashSet<FileId> = snapshot.unembedded()?.into_iter().collect();
    if missing.is_empty() {
        return Ok(Vec::new());
    }
    let by_words = SearchRequest {
        mode: Mode::Keyword,
        limit: LOOKED_AT,
        max_tokens: None,
        context: None,
        ..request.clone()
    };
    let words_alone = Project { embedding: None, reranker: None, translator: None, ..project.clone() };
    let files = snapshot.files()?;
    let mut looked_at: Vec<FileId> = Vec::new();
    for hit in search::search(&words_alone, snapshot, &by_words)?.hits {
        let file = files.at(&hit.path).map(|record| record.id).filter(|file| missing.contains(file));
        looked_at.extend(file.filter(|file| !looked_at.contains(file)));
    }
    Ok(looked_at)
}

/// Leaves as many files, from the first, as have `most` chunks together; one at least, if any may be.
pub fn fit(snapshot: &dyn Snapshot, mut files: Vec<FileId>, most: usize) -> Result<Vec<FileId>> {
    let known = snapshot.files()?;
    let mut chunks = 0;
    files.retain(|file| {
        let fits = chunks < most;
        chunks += known.get(*file).map_or(0, |record| record.chunks as usize);
        fits
    });
    Ok(files)
}

/// What vectors of some files would cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Estimate {
    /// Files.
    pub files: usize,
    /// Their chunks.
    pub chunks: usize,
    /// Chunks that the model must be asked for; of the others the cache knows.
    pub asked: usize,
    /// Tokens of those, by our estimate.
    pub tokens: usize,
}

/// What vectors of `files` would cost. Nobody is asked.
pub fn estimate(project: &Project, snapshot: &dyn Snapshot, files: &[FileId]) -> Result<Estimate> {
    let mut estimate = Estimate::default();
    let Some(embedder) = project.embedding.as_ref().and_then(Embedding::asked) else { return Ok(estimate) };
    let mut rest = files;
    while !rest.is_empty() {
        let (taken, group) = self::group(snapshot, rest)?;
        rest = &rest[taken..];
        estimate.files += group.len();
        let texts: Vec<&str> =
            group.iter().flat_map(|waiting| waiting.texts.iter().map(String::as_str)).collect();
        estimate.chunks += texts.len();
        for text in embedder.unknown(&texts, Side::Document) {
            estimate.asked += 1;
            estimate.tokens += jari_text::estimate_tokens(text);
        }
    }
    Ok(estimate)
}

/// Gives `files` their vectors, in this order. What was paid for is never lost: what cannot be written stays in the cache of the
/// model. `progress` hears of every chunk that is done.
pub fn embed(
    project: &Project,
    store: &dyn Store,
    files: &[FileId],
    spending: Spending,
    progress: &(dyn Fn(usize) + Sync),
) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    let Some(embedding) = &project.embedding else { return Ok(outcome) };
    let mut left = spending.chunks;
    let mut rest = files;
    while !rest.is_empty() && left > 0 && outcome.trouble.is_none() && in_time(spending.deadline) {
        let snapshot = store.snapshot()?;
        let (taken, group) = group(&*snapshot, rest)?;
        rest = &rest[taken..];
        drop(snapshot);
        let whole = ask(embedding, group, spending.deadline, &mut left, &mut outcome, progress);
        outcome.chunks += whole.iter().map(|(waiting, _)| waiting.texts.len()).sum::<usize>();
        if let Some(newest) = write(store, whole)? {
            outcome.snapshot = Some(newest);
        }
    }
    Ok(outcome)
}

/// A file and what the model reads of it.
struct Waiting {
    file: FileId,
    path: String,
    hash: Option<jari_base::ContentHash>,
    texts: Vec<String>,
}

/// The first of `files`, until enough chunks are together; and how many files that were.
fn group(snapshot: &dyn Snapshot, files: &[FileId]) -> Result<(usize, Vec<Waiting>)> {
    let known = snapshot.files()?;
    let (mut taken, mut chunks, mut group) = (0, 0, Vec::new());
    for file in files {
        if chunks >= TOGETHER {
            break;
        }
        taken += 1;
        let read = (known.get(*file), snapshot.text(*file)?, snapshot.chunked(*file)?);
        if let (Some(record), Some(text), Some(chunked)) = read {
            let texts = meaning::texts(&record.path, &text, &chunked);
            chunks += texts.len();
            group.push(Waiting { file: *file, path: record.path.clone(), hash: record.hash, texts });
        }
    }
    Ok((taken, group))
}

/// Asks for the vectors of a group, at most for `left` chunks that nobody asked for before: the cache keeps them, and the next time it is
/// the turn of the others. Returns the files that have all of theirs.
fn ask(
    embedding: &Embedding,
    group: Vec<Waiting>,
    deadline: Option<Instant>,
    left: &mut usize,
    outcome: &mut Outcome,
    progress: &(dyn Fn(usize) + Sync),
) -> Vec<(Waiting, Vec<f32>)> {
    let Some(embedder) = embedding.asked() else { return Vec::new() };
    let texts: Vec<&str> =
        group.iter().flat_map(|waiting| waiting.texts.iter().map(String::as_str)).collect();
    let mut later: HashSet<String> = HashSet::new();
    // Who may spend without end need not count.
    if *left < usize::MAX {
        let mut unknown = embedder.unknown(&texts, Side::Document);
        let first = group.first().map_or(0, |waiting| waiting.texts.len());
        // Without a cache nothing lasts but whole files.
        let most = if embedder.has_cache() { *left } else { (*left).max(first) };
        later.extend(unknown.split_off(unknown.len().min(most)).into_iter().map(str::to_owned));
        *left = left.saturating_sub(unknown.len());
    }
    let asked: Vec<&str> = texts.iter().copied().filter(|text| !later.contains(*text)).collect();
    let embedded = embedder.embed(&asked, Side::Document, deadline, progress);
    outcome.calls += embedded.calls;
    // Whoever set a deadline knows that it can end this way.
    outcome.trouble = embedded.trouble.filter(|_| in_time(deadline));
    let mut vectors = embedded.vectors.into_iter();
    let mut whole = Vec::new();
    for waiting in group {
        let mut own = Vec::with_capacity(waiting.texts.len());
        for text in &waiting.texts {
            own.push(if later.contains(text.as_str()) { None } else { vectors.next().flatten() });
        }
        if let Some(own) = own.into_iter().collect::<Option<Vec<Vec<f32>>>>() {
            whole.push((waiting, own.concat()));
        }
    }
    whole
}

/// Writes vectors of files that are still what they were; `None` if another process writes all the while.
fn write(store: &dyn Store, whole: Vec<(Waiting, Vec<f32>)>) -> Result<Option<Arc<dyn Snapshot>>> {
    if whole.is_empty() {
        return Ok(None);
    }
    let began = Instant::now();
    let mut batch = loop {
        match store.write() {
            Err(jari_store::Error::Busy) if began.elapsed() < PATIENCE => {
                std::thread::sleep(Duration::from_millis(20));
            }
            Err(jari_store::Error::Busy) => return Ok(None),
            other => break other?,
        }
    };
    // Nobody else writes now, so this is what the batch continues.
    let files = store.snapshot()?.files()?;
    for (waiting, vectors) in whole {
        if is_same(&files, &waiting) {
            batch.embed(waiting.file, Meaning { vectors, words: Vec::new() })?;
        }
    }
    batch.commit()?;
    Ok(Some(store.snapshot()?))
}

fn is_same(files: &Files, waiting: &Waiting) -> bool {
    let same = |record: &jari_store::FileRecord| record.path == waiting.path && record.hash == waiting.hash;
    files.get(waiting.file).is_some_and(same)
}

fn in_time(deadline: Option<Instant>) -> bool {
    deadline.is_none_or(|deadline| Instant::now() < deadline)
}
