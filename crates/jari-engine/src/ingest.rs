//! From the working tree to the store: what changed, read in parallel, written as one batch.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, mpsc};
use std::time::Instant;

use jari_base::{ContentHash, FileId, Generation, Language, Skip, Stamp};
use jari_embed::Trouble;
use jari_source::{Contents, Entry, Seen, Walked};
use jari_store::{FileInput, FileRecord, Files, Meaning, Snapshot, Store, Totals, WriteBatch};
use jari_text::{GramCutter, Tokenizer};
use rayon::prelude::*;

use crate::backlog::{self, Spending};
use crate::{Embedding, Project, Result, fields};

/// Files read but not yet written, at most: bounds memory, and keeps both sides busy.
const IN_FLIGHT: usize = 32;

/// The part of all memory that texts may take which are read and not yet written; with their words, grams and vectors they take
/// about ten times as much.
const READ_SHARE: usize = 64;

/// Chunks that a model is asked for before it is trusted with all.
const TRIAL: usize = 32;

/// Files that get their vectors together.
const EMBEDDED_AT_ONCE: usize = 64;

/// How the working tree differs from a snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Changes {
    /// Files to open: new, or with another stamp than before.
    pub open: Vec<Entry>,
    /// Files to take note of without opening.
    pub skip: Vec<Entry>,
    /// Files that are gone.
    pub gone: Vec<FileId>,
    /// Indexed files as they were.
    pub unchanged: usize,
    /// The working tree itself.
    pub walked: Walked,
}

impl Changes {
    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.open.is_empty() && self.skip.is_empty() && self.gone.is_empty()
    }
}

/// What an update did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Update {
    /// New files that were indexed.
    pub added: usize,
    /// Files whose contents changed.
    pub updated: usize,
    /// Files at a new path with the old contents.
    pub renamed: usize,
    /// Files that are gone.
    pub removed: usize,
    /// Indexed files as they were, the touched but equal ones among them.
    pub unchanged: usize,
    /// All files that are not indexed, by reason.
    pub skipped: BTreeMap<Skip, usize>,
    /// Chunks that were made.
    pub chunks: usize,
    /// Bytes of text that were read.
    pub bytes: u64,
    /// The state that this made, or found.
    pub generation: Generation,
    /// Why chunks are without vectors that should have some.
    pub trouble: Option<Trouble>,
}

/// How far an update has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Progress {
    /// Files done.
    pub files: usize,
    /// Files to do.
    pub of: usize,
    /// Chunks made so far.
    pub chunks: usize,
    /// Bytes read so far.
    pub bytes: u64,
    /// Chunks that have got their vectors from a model that is asked, and those that are to.
    pub embedded: Option<(usize, usize)>,
}

/// Compares the working tree with a snapshot, by size and time of change. Only files are opened that may have changed
/// without a trace, because they were young when the walk before, if it is known, saw them.
pub fn changes(project: &Project, files: &Files, seen: Option<&Seen<'_>>) -> Result<Changes> {
    let walked =
        tracing::debug_span!("walk").in_scope(|| jari_source::walk(&project.root, &project.limits))?;
    let mut changes = Changes::default();
    let mut known = files.iter().peekable();
    // Both sides are sorted by path: one pass beside each other.
    for entry in &walked.entries {
        while let Some(gone) = known.next_if(|record| record.path < entry.path) {
            changes.gone.push(gone.id);
        }
        let record = known.next_if(|record| record.path == entry.path);
        match record {
            Some(record) if is_same(project, record, entry, seen) => {
                changes.unchanged += usize::from(record.skip.is_none());
            }
            _ if entry.skip.is_some() => changes.skip.push(entry.clone()),
            _ => changes.open.push(entry.clone()),
        }
    }
    changes.gone.extend(known.map(|record| record.id));
    changes.walked = walked;
    Ok(changes)
}

fn is_same(project: &Project, record: &FileRecord, entry: &Entry, seen: Option<&Seen<'_>>) -> bool {
    let same_reason = match (record.skip, entry.skip) {
        (Some(Skip::NotNow), None) => false,
        // It may have become readable without any change of its stamp.
        (Some(Skip::Unreadable), None) => std::fs::File::open(project.root.join(&entry.path)).is_err(),
        (before, Some(now)) => before == Some(now),
        (_, None) => true,
    };
    // What its name or size keeps out is not opened.
    let settled = entry.skip.is_some() || seen.is_none_or(|seen| seen.is_settled(entry.stamp.modified));
    record.stamp == entry.stamp && same_reason && (settled || has_same_contents(project, record))
}

fn has_same_contents(project: &Project, record: &FileRecord) -> bool {
    match jari_source::read(&project.root.join(&record.path), &project.limits) {
        Contents::Text { hash, .. } => record.hash == Some(hash),
        Contents::Skipped(reason) => record.skip == Some(reason),
    }
}

/// Brings the store up to the working tree, and returns the state that shows it. All changes become visible at once;
/// nothing is written if there are none, so any number of processes may call this on an index that is up to date.
pub fn update(
    project: &Project,
    store: &dyn Store,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<(Arc<dyn Snapshot>, Update)> {
    let found = update_by(project, store, progress, LOOKING, &mut |_| ())?;
    with_vectors(project, store, found, progress)
}

/// The same for questions: if a process watches the tree, its word is taken for what has not changed. While the working tree is looked at,
/// `meanwhile` has the state of the last time: most often it is the one that is returned.
pub fn update_meanwhile(
    project: &Project,
    store: &dyn Store,
    progress: &(dyn Fn(Progress) + Sync),
    meanwhile: &mut dyn FnMut(&dyn Snapshot),
) -> Result<(Arc<dyn Snapshot>, Update)> {
    let found = update_by(project, store, progress, ASKING, meanwhile)?;
    with_vectors(project, store, found, progress)
}

/// The same without asking a model: vectors are made only of a table at hand.
pub fn update_unasked(
    project: &Project,
    store: &dyn Store,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<(Arc<dyn Snapshot>, Update)> {
    update_by(project, store, progress, LOOKING, &mut |_| ())
}

/// Gives vectors to what has none, where the model is eager.
fn with_vectors(
    project: &Project,
    store: &dyn Store,
    (snapshot, update): (Arc<dyn Snapshot>, Update),
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<(Arc<dyn Snapshot>, Update)> {
    let (snapshot, trouble) = match project.embedding.as_ref().filter(|embedding| embedding.eager) {
        None => (snapshot, None),
        Some(embedding) if embedding.asked().is_some() => {
            ask_for_missing(project, store, snapshot, progress)?
        }
        Some(embedding) => (embed_missing(embedding, store, snapshot)?, None),
    };
    Ok((snapshot.clone(), Update { generation: snapshot.generation(), trouble, ..update }))
}

/// The same with a model that is asked. Where it does not answer, words do, and what is missing is asked for the next time.
fn ask_for_missing(
    project: &Project,
    store: &dyn Store,
    snapshot: Arc<dyn Snapshot>,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<(Arc<dyn Snapshot>, Option<Trouble>)> {
    let missing = backlog::missing(&*snapshot)?;
    let Some(embedding) = project.embedding.as_ref().filter(|_| !missing.is_empty()) else {
        return Ok((snapshot, None));
    };
    let files = snapshot.files()?;
    let of: usize =
        missing.iter().filter_map(|file| files.get(*file)).map(|record| record.chunks as usize).sum();
    let done = AtomicUsize::new(0);
    let count = |more: usize| {
        let done = done.fetch_add(more, Ordering::Relaxed) + more;
        // What the trial did of a file that it did not finish is counted again.
        progress(Progress { embedded: Some((done.min(of), of)), ..Progress::default() });
    };
    // Nobody waits long for a model that does not answer at all; one that does is waited for.
    let first = Instant::now() + embedding.budget.time;
    let trial = Spending { deadline: Some(first), chunks: TRIAL };
    let tried = backlog::embed(project, store, &missing, trial, &count)?;
    let silent = embedding.asked().is_some_and(|embedder| !embedder.has_answered()) && tried.chunks == 0;
    if silent {
        let late = || Trouble::passing("time was up before the model answered");
        return Ok((snapshot, Some(tried.trouble.unwrap_or_else(late))));
    }
    let snapshot = tried.snapshot.unwrap_or(snapshot);
    let spending = Spending { deadline: None, chunks: usize::MAX };
    let outcome = backlog::embed(project, store, &backlog::missing(&*snapshot)?, spending, &count)?;
    Ok((outcome.snapshot.unwrap_or(snapshot), outcome.trouble))
}

/// The same as [`update_meanwhile`], for those who ask no vectors: files that moved or lost theirs get them with the next [`update`], and the file of vectors
/// is not opened.
pub fn update_rows(
    project: &Project,
    store: &dyn Store,
    progress: &(dyn Fn(Progress) + Sync),
    meanwhile: &mut dyn FnMut(&dyn Snapshot),
) -> Result<(Arc<dyn Snapshot>, Update)> {
    update_by(project, store, progress, How { open: |store| store.rows(), ..ASKING }, meanwhile)
}

/// How an update learns what there is to do.
#[derive(Clone, Copy)]
struct How {
    /// Opens the last state.
    open: fn(&dyn Store) -> jari_store::Result<Arc<dyn Snapshot>>,
    /// Asks somebody else for the state that is the tree's, as long as it is wanted; `None` asks nobody.
    vouched: Option<Ask>,
}

/// [`Store::vouched`].
type Ask = fn(&dyn Store, &dyn Fn() -> bool) -> Option<Generation>;

/// By looking, whatever others say.
const LOOKING: How = How { open: |store| store.snapshot(), vouched: None };

/// By looking, unless somebody who watches the tree knows sooner.
const ASKING: How = How { vouched: Some(|store, wanted| store.vouched(wanted)), ..LOOKING };

fn update_by(
    project: &Project,
    store: &dyn Store,
    progress: &(dyn Fn(Progress) + Sync),
    how: How,
    meanwhile: &mut dyn FnMut(&dyn Snapshot),
) -> Result<(Arc<dyn Snapshot>, Update)> {
    if store.is_outdated() {
        return rebuild_unasked(project, store, progress);
    }
    let note = store.recall();
    let seen = note.as_deref().and_then(Seen::read);
    let is_seen =
        |snapshot: &dyn Snapshot| seen.as_ref().is_some_and(|seen| seen.is_of(snapshot.generation().0));
    // Most of the time of an answer goes here, and one has nothing to do with the other.
    let (vouched, looked) = (AtomicBool::new(false), AtomicBool::new(false));
    let (snapshot, holds) = std::thread::scope(|scope| {
        let look = || {
            let _span = tracing::debug_span!("look for changes").entered();
            let holds = seen.as_ref().is_some_and(|seen| seen.holds(&project.root, &vouched));
            looked.store(true, Ordering::Relaxed);
            holds
        };
        let looking = scope.spawn(look);
        if let (Some(seen), Some(ask)) = (&seen, how.vouched) {
            let (vouched, looked) = (&vouched, &looked);
            scope.spawn(move || {
                let state = ask(store, &|| !looked.load(Ordering::Relaxed));
                if state.is_some_and(|state| seen.is_of(state.0)) {
                    tracing::debug!("the keeper of the index vouches for it");
                    vouched.store(true, Ordering::Relaxed);
                }
            });
        }
        let snapshot = (how.open)(store);
        if let Ok(snapshot) = &snapshot
            && is_seen(&**snapshot)
        {
            meanwhile(&**snapshot);
        }
        (snapshot, looking.join().expect("it does not panic"))
    });
    let mut snapshot = snapshot?;
    if holds && is_seen(&*snapshot) {
        let update = summary(&*snapshot);
        return Ok((snapshot, update));
    }
    let mut files = snapshot.files()?;
    let mut changes = changes(project, &files, seen.as_ref())?;
    // A project without a file has an index, too.
    if changes.is_empty() && snapshot.generation().0 > 0 {
        remember(project, store, &changes, &*snapshot);
        let update = summary(&*snapshot);
        return Ok((snapshot, update));
    }
    let batch = store.write()?;
    if batch.continues() != snapshot.generation() {
        // Another process wrote between our look and our lock.
        snapshot = store.snapshot()?;
        files = snapshot.files()?;
        changes = self::changes(project, &files, seen.as_ref())?;
    }
    // Its read transaction would keep the log from being folded back.
    drop(snapshot);
    write(project, store, batch, &files, &changes, progress)
}

/// Gives vectors to files that have none: those that moved, and all where vectors are new or were lost.
fn embed_missing(
    embedding: &Embedding,
    store: &dyn Store,
    snapshot: Arc<dyn Snapshot>,
) -> Result<Arc<dyn Snapshot>> {
    let missing = snapshot.unembedded()?;
    if missing.is_empty() {
        return Ok(snapshot);
    }
    let mut batch = match store.write() {
        // Whoever writes now does the same; meanwhile what there is answers.
        Err(jari_store::Error::Busy) => return Ok(snapshot),
        other => other?,
    };
    if batch.continues() != snapshot.generation() {
        return Ok(store.snapshot()?);
    }
    let files = snapshot.files()?;
    for group in missing.chunks(EMBEDDED_AT_ONCE) {
        let mut read = Vec::with_capacity(group.len());
        for file in group {
            if let (Some(record), Some(text), Some(chunked)) =
                (files.get(*file), snapshot.text(*file)?, snapshot.chunked(*file)?)
            {
                read.push((record, text, chunked));
            }
        }
        let meanings: Vec<Option<Meaning>> = read
            .par_iter()
            .map(|(record, text, chunked)| embedding.of_chunks(&record.path, text, chunked))
            .collect();
        for ((record, _, _), meaning) in read.iter().zip(meanings) {
            if let Some(meaning) = meaning {
                batch.embed(record.id, meaning)?;
            }
        }
    }
    drop(snapshot);
    batch.commit()?;
    Ok(store.snapshot()?)
}

/// Reads every file anew. Until it is done, readers see the state before.
pub fn rebuild(
    project: &Project,
    store: &dyn Store,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<(Arc<dyn Snapshot>, Update)> {
    let made = rebuild_unasked(project, store, progress)?;
    with_vectors(project, store, made, progress)
}

/// The same without asking a model: vectors are made only of a table at hand.
pub fn rebuild_unasked(
    project: &Project,
    store: &dyn Store,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<(Arc<dyn Snapshot>, Update)> {
    let mut batch = store.write()?;
    batch.clear()?;
    let files = Files::default();
    let changes = changes(project, &files, None)?;
    write(project, store, batch, &files, &changes, progress)
}

/// Applies `changes` to what is known of `files`, as one batch.
fn write(
    project: &Project,
    store: &dyn Store,
    mut batch: Box<dyn WriteBatch + '_>,
    files: &Files,
    changes: &Changes,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<(Arc<dyn Snapshot>, Update)> {
    let _span =
        tracing::debug_span!("update", files = changes.open.len(), gone = changes.gone.len()).entered();
    let mut update = Update { unchanged: changes.unchanged, ..Update::default() };
    for entry in &changes.skip {
        batch.skip(&entry.path, entry.stamp, entry.skip.unwrap_or(Skip::Unreadable))?;
    }
    let gone = Mutex::new(Gone::new(&changes.gone, files));
    read_all(project, files, &changes.open, &gone, progress, |opened| {
        take(&mut *batch, &mut update, opened)
    })?;
    for file in gone.into_inner().expect("no reader panics").files {
        batch.remove(file)?;
        update.removed += 1;
    }
    batch.commit()?;
    let snapshot = store.snapshot()?;
    remember(project, store, changes, &*snapshot);
    let Update { skipped, generation, .. } = summary(&*snapshot);
    Ok((snapshot, Update { skipped, generation, ..update }))
}

/// Takes note of what the walk saw, so that the next update may be spared one. `state` was made of it.
fn remember(project: &Project, store: &dyn Store, changes: &Changes, state: &dyn Snapshot) {
    let skipped = state.totals().skipped;
    // Files that could not be opened, although nothing told beforehand, may be opened the next time without any change of theirs.
    if [Skip::Unreadable, Skip::NotNow].iter().any(|reason| skipped.contains_key(reason)) {
        return;
    }
    if let Some(note) = changes.walked.seen(&project.root, state.generation().0) {
        store.remember(&note);
    }
}

/// What a snapshot holds, as an update that changed nothing.
fn summary(snapshot: &dyn Snapshot) -> Update {
    let Totals { indexed, skipped, .. } = snapshot.totals();
    Update { skipped, unchanged: indexed as usize, generation: snapshot.generation(), ..Update::default() }
}

/// A file that was opened.
enum Opened {
    /// Its contents are new.
    Changed { file: Box<FileInput>, known: bool },
    /// Its contents are as before.
    Touched { file: FileId, stamp: Stamp },
    /// Its contents stood at another path before.
    Moved { file: FileId, path: String, words: String, stamp: Stamp },
    /// Its contents are not indexed.
    Skipped { path: String, stamp: Stamp, reason: Skip },
}

fn take(batch: &mut dyn WriteBatch, update: &mut Update, opened: Opened) -> Result<()> {
    match opened {
        Opened::Changed { file, known } => {
            update.chunks += file.chunked.chunks.len();
            update.bytes += file.text.len() as u64;
            *(if known { &mut update.updated } else { &mut update.added }) += 1;
            batch.put(*file)?;
        }
        Opened::Touched { file, stamp } => {
            update.unchanged += 1;
            batch.touch(file, stamp)?;
        }
        Opened::Moved { file, path, words, stamp } => {
            update.renamed += 1;
            batch.rename(file, &path, &words, stamp)?;
        }
        Opened::Skipped { path, stamp, reason } => batch.skip(&path, stamp, reason)?,
    }
    Ok(())
}

/// Files that are gone from their path: each may turn up at another.
struct Gone {
    files: Vec<FileId>,
    by_contents: HashMap<(ContentHash, Language), FileId>,
}

impl Gone {
    fn new(gone: &[FileId], files: &Files) -> Self {
        let record = |file: &FileId| files.get(*file);
        let by_contents = gone
            .iter()
            .filter_map(record)
            .filter_map(|record| Some(((record.hash?, record.language.clone()), record.id)));
        Self { files: gone.to_vec(), by_contents: by_contents.collect() }
    }

    /// The file that had these contents, once.
    fn claim(&mut self, hash: ContentHash, language: &Language) -> Option<FileId> {
        let file = self.by_contents.remove(&(hash, language.clone()))?;
        self.files.retain(|gone| *gone != file);
        Some(file)
    }
}

/// Bounds what is read and not yet written: one slow file must not let all that follow it pile up.
struct Window {
    state: Mutex<InFlight>,
    moved: Condvar,
    most: u64,
}

struct InFlight {
    /// Files written so far; all before this one are.
    written: usize,
    bytes: u64,
}

impl Window {
    fn new(most: u64) -> Self {
        Self { state: Mutex::new(InFlight { written: 0, bytes: 0 }), moved: Condvar::new(), most }
    }

    /// Waits until there is room for file number `at`. The next one to be written always has some.
    fn enter(&self, at: usize, bytes: u64) {
        let state = self.state.lock().expect("no reader panics");
        let full = |state: &mut InFlight| at > state.written && state.bytes + bytes > self.most;
        let mut state = self.moved.wait_while(state, full).expect("no reader panics");
        state.bytes += bytes;
    }

    /// The next file was written.
    fn leave(&self, bytes: u64) {
        let mut state = self.state.lock().expect("no reader panics");
        state.written += 1;
        state.bytes = state.bytes.saturating_sub(bytes);
        drop(state);
        self.moved.notify_all();
    }
}

/// Opens the window when the writer or a reader ends, however that comes: then nobody may wait for it.
struct WindowGuard<'a>(&'a Window);

impl Drop for WindowGuard<'_> {
    fn drop(&mut self) {
        if let Ok(mut state) = self.0.state.lock() {
            state.written = usize::MAX / 2;
        }
        self.0.moved.notify_all();
    }
}

/// Opens all of `entries` in parallel and hands them to `take`, in order, on this thread.
fn read_all(
    project: &Project,
    files: &Files,
    entries: &[Entry],
    gone: &Mutex<Gone>,
    progress: &(dyn Fn(Progress) + Sync),
    mut take: impl FnMut(Opened) -> Result<()>,
) -> Result<()> {
    let next = AtomicUsize::new(0);
    let window = Window::new((project.limits.memory / READ_SHARE) as u64);
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(entries.len());
    let (sender, receiver) = mpsc::sync_channel(IN_FLIGHT);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let (sender, next, window) = (sender.clone(), &next, &window);
            scope.spawn(move || {
                let _opens = WindowGuard(window);
                let (mut tokenizer, mut cutter) = (Tokenizer::default(), GramCutter::default());
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(entry) = entries.get(at) else { return };
                    window.enter(at, entry.stamp.size);
                    let opened = open(project, files, entry, gone, &mut tokenizer, &mut cutter);
                    // The receiver is gone when writing failed: nothing more to do.
                    if sender.send((at, opened)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let _opens = WindowGuard(&window);
        let mut done = Progress { of: entries.len(), ..Progress::default() };
        let mut early = BTreeMap::new();
        for (at, opened) in receiver {
            early.insert(at, opened);
            // In the order of the walk, so that equal trees give equal indexes.
            while let Some(opened) = early.remove(&done.files) {
                done.files += 1;
                if let Opened::Changed { file, .. } = &opened {
                    done.chunks += file.chunked.chunks.len();
                    done.bytes += file.text.len() as u64;
                }
                take(opened)?;
                window.leave(entries[done.files - 1].stamp.size);
                progress(done);
            }
        }
        Ok(())
    })
}

fn open(
    project: &Project,
    files: &Files,
    entry: &Entry,
    gone: &Mutex<Gone>,
    tokenizer: &mut Tokenizer,
    cutter: &mut GramCutter,
) -> Opened {
    let Entry { path, stamp, .. } = entry;
    let (path, stamp) = (path.clone(), *stamp);
    let (text, hash) = match jari_source::read(&project.root.join(&path), &project.limits) {
        Contents::Skipped(reason) => return Opened::Skipped { path, stamp, reason },
        Contents::Text { text, hash } => (text, hash),
    };
    let known = files.at(&path);
    if let Some(known) = known.filter(|known| known.hash == Some(hash) && known.skip.is_none()) {
        return Opened::Touched { file: known.id, stamp };
    }
    let language = jari_chunk::language_of(&path, &text);
    if known.is_none() {
        let moved = gone.lock().expect("no reader panics").claim(hash, &language);
        if let Some(file) = moved {
            let words = fields::path_words(tokenizer, &path);
            return Opened::Moved { file, path, words, stamp };
        }
    }
    let chunked = jari_chunk::chunk(&language, &text, &project.documents);
    let words = fields::chunk_words(tokenizer, &jari_chunk::prose(&language, &text), &chunked);
    let path_words = fields::path_words(tokenizer, &path);
    let embedding = project.embedding.as_ref().filter(|embedding| embedding.eager);
    let meaning = embedding.and_then(|embedding| embedding.of_chunks(&path, &text, &chunked));
    let grams = cutter.cut(&text, project.max_grams);
    let file =
        Box::new(FileInput { path, path_words, language, stamp, hash, text, chunked, words, meaning, grams });
    Opened::Changed { file, known: known.is_some_and(|known| known.skip.is_none()) }
}
