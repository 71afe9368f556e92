//! An answer without an index: a walk, a plain look for words, and the few files that hold most of them, read and kept in
//! memory for the one question. What it finds is ranked as always; what it did not look at is said.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use jari_base::{ContentHash, FileId, Filter, Skip};
use jari_source::{Contents, Entry};
use jari_store::{FileInput, FileRecord, MemoryStore, PathFilter, Snapshot, Store};
use jari_text::{Query, Tokenizer};
use memchr::memmem::Finder;

use crate::{Error, Project, Result, fields};

/// Files that are read in full, of all that hold a word: enough for a list of ten.
const READ: usize = 24;

/// A word that stands in the path counts as much as this many in the text.
const IN_PATH: f32 = 2.0;

/// A state for one question.
pub struct Scan {
    /// The files that hold most of the words.
    pub snapshot: Arc<dyn Snapshot>,
    /// Files that were looked at.
    pub looked: usize,
    /// Files there are.
    pub of: usize,
}

/// Looks through the files that `filter` allows for the words of `query`, for at most about `time`.
pub fn scan(project: &Project, query: &str, filter: &Filter, time: Duration) -> Result<Scan> {
    let ends = Instant::now() + time;
    let entries = files(project, filter)?;
    let query = Query::new(query);
    let needles = needles(&query);
    let next = AtomicUsize::new(0);
    let looked = AtomicUsize::new(0);
    let best: Mutex<Vec<(f32, usize)>> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                let mut own = Vec::new();
                while Instant::now() < ends {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(entry) = entries.get(at) else { break };
                    looked.fetch_add(1, Ordering::Relaxed);
                    own.extend(score(project, entry, &needles).map(|score| (score, at)));
                }
                best.lock().expect("no holder panics").append(&mut own);
            });
        }
    });
    let mut best = best.into_inner().expect("no holder panics");
    best.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    best.truncate(READ);
    let chosen = best.iter().map(|(_, at)| &entries[*at]);
    let snapshot = snapshot(project, chosen, true)?;
    Ok(Scan { snapshot, looked: looked.into_inner(), of: entries.len() })
}

/// The paths of a project, without what is in the files.
pub fn paths(project: &Project) -> Result<Arc<dyn Snapshot>> {
    let entries = files(project, &Filter::default())?;
    snapshot(project, entries.iter(), false)
}

/// The files that may be returned.
fn files(project: &Project, filter: &Filter) -> Result<Vec<Entry>> {
    let allowed = PathFilter::new(filter)
        .map_err(|error| Error::BadFilter(format!("the path filter cannot be read: {error}")))?;
    let mut entries = jari_source::walk(&project.root, &project.limits)?.entries;
    entries.retain(|entry| {
        let language = jari_chunk::language_of(&entry.path, "");
        let record = FileRecord::skipped(FileId(0), &entry.path, entry.stamp, Skip::Unreadable);
        entry.skip.is_none() && allowed.allows(&FileRecord { language, ..record })
    });
    Ok(entries)
}

/// Each word as typed and as its stem, in small letters.
fn needles(query: &Query) -> Vec<Vec<u8>> {
    let meant = query.words.iter().filter(|word| !word.grammar).map(|word| word.text.to_lowercase());
    let mut needles: Vec<String> = query.terms.iter().cloned().chain(meant).collect();
    needles.sort_unstable();
    needles.dedup();
    needles.into_iter().map(String::into_bytes).collect()
}

/// How many of the words a file holds, a little more for those that stand in it often or in its path.
fn score(project: &Project, entry: &Entry, needles: &[Vec<u8>]) -> Option<f32> {
    let mut bytes = std::fs::read(project.root.join(&entry.path)).ok()?;
    bytes.make_ascii_lowercase();
    let path = entry.path.to_lowercase();
    let one = |needle: &Vec<u8>| {
        let finder = Finder::new(needle);
        let times = finder.find_iter(&bytes).take(20).count();
        let in_path = if finder.find(path.as_bytes()).is_some() { IN_PATH } else { 0.0 };
        if times == 0 { in_path } else { 1.0 + (times as f32).ln() / 4.0 + in_path }
    };
    let score: f32 = needles.iter().map(one).sum();
    // A long file holds more of every word.
    let length = 1.0 + (bytes.len() as f32 / 20_000.0).ln_1p() / 4.0;
    (score > 0.0).then_some(score / length)
}

fn snapshot<'e>(
    project: &Project,
    entries: impl Iterator<Item = &'e Entry>,
    with_text: bool,
) -> Result<Arc<dyn Snapshot>> {
    let store = MemoryStore::new(jari_text::fold_name);
    let mut batch = store.write()?;
    let mut tokenizer = Tokenizer::default();
    for entry in entries {
        let contents = match with_text {
            true => jari_source::read(&project.root.join(&entry.path), &project.limits),
            false => Contents::Text { text: String::new(), hash: ContentHash([0; 16]) },
        };
        if let Contents::Text { text, hash } = contents {
            batch.put(input(project, entry, text, hash, &mut tokenizer))?;
        }
    }
    batch.commit()?;
    Ok(store.snapshot()?)
}

fn input(
    project: &Project,
    entry: &Entry,
    text: String,
    hash: ContentHash,
    tokenizer: &mut Tokenizer,
) -> FileInput {
    let Entry { path, stamp, .. } = entry.clone();
    let language = jari_chunk::language_of(&path, &text);
    let chunked = jari_chunk::chunk(&language, &text, &project.documents);
    let words = fields::chunk_words(tokenizer, &jari_chunk::prose(&language, &text), &chunked);
    let path_words = fields::path_words(tokenizer, &path);
    FileInput { path, path_words, language, stamp, hash, text, chunked, words, meaning: None, grams: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::{SearchRequest, search};

    #[test]
    fn an_answer_without_an_index_is_ranked_as_always() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().to_owned();
        std::fs::write(root.join("retry.py"), "def retry(call):\n    return call()\n").unwrap();
        std::fs::write(root.join("other.py"), "def send(call):\n    return call()\n").unwrap();
        let project = Project {
            root,
            limits: Default::default(),
            documents: Default::default(),
            embedding: None,
            reranker: None,
            translator: None,
            max_grams: 10_000,
        };
        let scan =
            scan(&project, "where are calls retried", &Filter::default(), Duration::from_secs(9)).unwrap();
        assert_eq!((scan.looked, scan.of), (2, 2));
        let found = search(&project, &*scan.snapshot, &SearchRequest::new("retry a call")).unwrap();
        assert_eq!(found.hits[0].path, "retry.py");
        assert!(found.hits[0].fresh);
    }
}
