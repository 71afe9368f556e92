//! An index that keeps itself up to date: one thread brings it up to the working tree whenever files change, and whoever
//! asks gets the last complete state and how far it can be trusted. Of several processes on one project one keeps the
//! index and the others follow; when the keeper ends, a follower takes over.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use jari_base::{FileId, Generation};
use jari_source::{Coverage, Heard, Watch};
use jari_store::{Replaced, Snapshot, Store};

use crate::backlog::{self, Spending};
use crate::ingest::{self, Progress, Update};
use crate::search::SearchRequest;
use crate::{Embedding, Error, Project, Result};

/// Files are left alone for this long before an update begins, so that what belongs together is one update.
const QUIET: Duration = Duration::from_millis(120);

/// An update begins at the latest this long after the first change, however busy the files are.
const PATIENCE: Duration = Duration::from_secs(2);

/// How long a question waits for an index that is being opened: longer than that, looking through the files is quicker.
const OPENING: Duration = Duration::from_secs(2);

/// Between two looks at the working tree while events are to be had: for file systems that lose them.
const CHECK: Duration = Duration::from_secs(60);

/// Between two looks where there are no events.
const POLL: Duration = Duration::from_secs(3);

/// How soon a follower notices that the keeper is gone, and a failed or busy update is tried again.
const RETRY: Duration = Duration::from_secs(1);

/// Between two looks of a follower for a newer state.
const GLANCE: Duration = Duration::from_millis(200);

/// How long a model is asked for one group of files, before others have their turn.
const AT_ONCE: Duration = Duration::from_secs(60);

/// Chunks of files that nobody looks at that are asked for together.
const TOGETHER: usize = 192;

/// Where an index is kept.
pub trait Home: Send + Sync + 'static {
    /// The folder that holds it.
    fn folder(&self) -> PathBuf;

    /// Whether there seems to be an index already. Cheap.
    fn is_there(&self) -> bool;

    /// Opens the store, making it if there is none; says why it had to start over.
    fn open(&self) -> Result<(Box<dyn Store>, Option<Replaced>)>;

    /// Starts over with nothing, because what is there turned out to be damaged.
    fn replace(&self) -> Result<Box<dyn Store>>;

    /// Another value whenever another state may have been written. Cheap.
    fn stamp(&self) -> u64;

    /// Takes the duty to keep the index up to date. `None` if another process has it; it ends with the value returned.
    fn take_duty(&self) -> Result<Option<Box<dyn Send>>>;

    /// The folder in which other processes ask whoever has that duty, each by a file, whether the working tree has changed; `None` where
    /// no other process sees the index.
    fn desk(&self) -> Option<PathBuf> {
        None
    }

    /// Answers one of them: which state is the working tree's; none if it may have changed.
    fn answer(&self, question: &Path, state: Option<Generation>) {
        let _ = (question, state);
    }
}

/// How far a state can be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// There is no complete state yet.
    Building,
    /// Files changed, or nobody has looked yet: the next state is being made.
    Updating,
    /// It is what the working tree is.
    Fresh,
    /// Another process keeps it up to date.
    Followed,
    /// It could not be brought up to date; the note says why.
    Failed,
}

/// What is known of an index at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// How far it can be trusted.
    pub stage: Stage,
    /// Files read so far, while an update runs.
    pub files_done: usize,
    /// Files to read in that update.
    pub files_total: usize,
    /// What the user should know.
    pub notes: Vec<String>,
}

/// A project and its living index.
pub struct Living {
    /// What is indexed.
    pub project: Project,
    shared: Arc<Shared>,
}

struct Shared {
    project: Project,
    home: Box<dyn Home>,
    inner: Mutex<Inner>,
    /// Signalled when something changed: a file, the state, or that it is time to stop.
    changed: Condvar,
    /// One update at a time in this process.
    updating: Mutex<()>,
    stopped: AtomicBool,
    done: AtomicU64,
    total: AtomicU64,
}

#[derive(Default)]
struct Inner {
    store: Option<Arc<dyn Store>>,
    snapshot: Option<Arc<dyn Snapshot>>,
    /// What the home's stamp was when `snapshot` was opened, and when that was last looked at.
    stamp: u64,
    glanced: Option<Instant>,
    /// Whether somebody has looked whether there is an index.
    looked: bool,
    /// When files first and last changed since the last update began.
    dirty: Option<(Instant, Instant)>,
    updating: bool,
    /// Whether the last update is still to come, or did not succeed.
    behind: bool,
    follows: bool,
    /// Whether the index was found damaged and is still to be made anew.
    damaged: bool,
    failed: Option<String>,
    /// The number, the figures and the length of the last update that changed something.
    last: Option<(u64, Update, Duration)>,
    /// Files that somebody looks at and that have no vectors, the last asked for first.
    wanted: Vec<FileId>,
    /// How often vectors were asked for, whatever came of it.
    tries: u64,
    /// Why there are no file events.
    polling: Option<String>,
    /// How far folders are watched, where there are events; and how far they were when the walk of the last update began.
    coverage: Option<Coverage>,
    covered: Option<u64>,
    /// The state that the last update made or found.
    brought: Option<Generation>,
    replaced: Option<String>,
}

impl Inner {
    /// The number of the last complete state.
    fn state(&self) -> Option<Generation> {
        self.snapshot.as_ref().map(|snapshot| snapshot.generation()).filter(|state| state.0 > 0)
    }

    fn stage(&self) -> Stage {
        if self.failed.is_some() {
            Stage::Failed
        } else if self.state().is_none() {
            Stage::Building
        } else if self.follows {
            Stage::Followed
        } else if self.updating || self.behind || self.dirty.is_some() {
            Stage::Updating
        } else {
            Stage::Fresh
        }
    }
}

impl Living {
    /// Begins to keep the index of `project`. Returns at once: all work is done by a thread.
    pub fn start(project: Project, home: impl Home) -> Self {
        let shared = Arc::new(Shared {
            project: project.clone(),
            home: Box::new(home),
            inner: Mutex::default(),
            changed: Condvar::new(),
            updating: Mutex::default(),
            stopped: AtomicBool::new(false),
            done: AtomicU64::new(0),
            total: AtomicU64::new(0),
        });
        let keeper = shared.clone();
        let keeper = move || keeper.run();
        if let Err(error) = std::thread::Builder::new().name("index".to_owned()).spawn(keeper) {
            let mut inner = shared.inner();
            (inner.looked, inner.failed) = (true, Some(format!("no thread for the index: {error}")));
        }
        if project.embedding.as_ref().is_some_and(|embedding| embedding.asked().is_some()) {
            let maker = shared.clone();
            let maker =
                std::thread::Builder::new().name("vectors".to_owned()).spawn(move || maker.make_vectors());
            // Without the thread words answer alone, as without the model.
            drop(maker);
        }
        Self { project, shared }
    }

    /// Lets the files that a question looks at have their vectors, where a model must be asked for them, and waits as long as the
    /// budget allows. Returns the newest state.
    pub fn embed_for(
        &self,
        snapshot: Arc<dyn Snapshot>,
        request: &SearchRequest,
    ) -> Result<Arc<dyn Snapshot>> {
        let embedding = self.project.embedding.as_ref();
        let Some(embedding) = embedding.filter(|embedding| embedding.makes_on_demand(request.mode)) else {
            return Ok(snapshot);
        };
        let deadline = Instant::now() + embedding.budget.time;
        let snapshot = self.shared.learn_dims(embedding, deadline).unwrap_or(snapshot);
        let files = backlog::looked_at(&self.project, &*snapshot, request)?;
        if files.is_empty() || embedding.budget.chunks == 0 {
            return Ok(snapshot);
        }
        let mut inner = self.shared.inner();
        let tries = inner.tries;
        // What is looked at now comes before what was looked at then, and is asked for once.
        inner.wanted.retain(|file| !files.contains(file));
        inner.wanted.splice(0..0, files.iter().copied());
        self.shared.changed.notify_all();
        loop {
            let newest = inner.snapshot.clone().unwrap_or_else(|| snapshot.clone());
            let tried = inner.tries > tries && !inner.wanted.iter().any(|file| files.contains(file));
            let rest = deadline.saturating_duration_since(Instant::now());
            if tried || rest.is_zero() || self.shared.stopped() {
                return Ok(newest);
            }
            inner = self.shared.changed.wait_timeout(inner, rest).expect("no holder panics").0;
        }
    }

    /// The last complete state, if there is one. One that is there is waited for while it is opened.
    pub fn snapshot(&self) -> Option<Arc<dyn Snapshot>> {
        if self.shared.home.is_there() {
            let inner = self.shared.inner();
            let opened = self.shared.changed.wait_timeout_while(inner, OPENING, |inner| !inner.looked);
            drop(opened.expect("no holder panics"));
        }
        self.shared.glance();
        self.shared.inner().snapshot.clone().filter(|snapshot| snapshot.generation().0 > 0)
    }

    /// How far the last complete state can be trusted.
    pub fn condition(&self) -> Condition {
        let inner = self.shared.inner();
        let stage = inner.stage();
        let polling = inner.polling.as_ref().map(|why| {
            format!("no file events ({why}): changes are looked for every {} seconds", POLL.as_secs())
        });
        Condition {
            stage,
            files_done: self.shared.done.load(Ordering::Relaxed) as usize,
            files_total: self.shared.total.load(Ordering::Relaxed) as usize,
            notes: [inner.failed.clone(), polling, inner.replaced.clone()].into_iter().flatten().collect(),
        }
    }

    /// Brings the index up to the working tree now, or makes it anew; waits for others that write. `cancelled` ends the
    /// waiting, not an update that has begun.
    pub fn reindex(&self, anew: bool, cancelled: &dyn Fn() -> bool) -> Result<Update> {
        loop {
            match self.shared.bring(anew) {
                Err(Error::Store(jari_store::Error::Busy)) if !cancelled() => std::thread::sleep(GLANCE),
                other => return other,
            }
        }
    }

    /// Forgets a state that turned out to be damaged, and has the index made anew.
    pub fn damaged(&self, why: &str) {
        let mut inner = self.shared.inner();
        inner.snapshot = None;
        inner.store = None;
        inner.damaged = true;
        inner.failed = Some(why.to_owned());
        drop(inner);
        self.shared.wake();
    }

    /// What the last update did that changed something: its number, its figures, and how long it took.
    pub fn last_update(&self) -> Option<(u64, Update, Duration)> {
        self.shared.inner().last.clone()
    }

    /// Waits until something changed, or `patience` is over.
    pub fn wait(&self, patience: Duration) {
        let inner = self.shared.inner();
        drop(self.shared.changed.wait_timeout(inner, patience).expect("no holder panics"));
    }
}

impl Drop for Living {
    fn drop(&mut self) {
        self.shared.stopped.store(true, Ordering::Relaxed);
        // A long update is not waited for: what it has not committed is not there.
        self.shared.changed.notify_all();
    }
}

impl Shared {
    fn run(self: &Arc<Self>) {
        self.look();
        while !self.stopped() {
            match self.home.take_duty() {
                Ok(Some(duty)) => {
                    self.inner().follows = false;
                    self.keep();
                    drop(duty);
                }
                Ok(None) => {
                    self.inner().follows = true;
                    self.mend();
                    self.glance();
                    self.pause(RETRY);
                }
                Err(error) => {
                    self.inner().failed = Some(error.to_string());
                    self.pause(RETRY);
                }
            }
        }
    }

    /// Makes vectors with a model that is asked, until the process ends: of files that somebody looks at, and of all others where the
    /// user wants so.
    fn make_vectors(&self) {
        while !self.stopped() {
            let files = self.next_wanted();
            let Some(embedding) = self.project.embedding.as_ref().filter(|_| !files.is_empty()) else {
                continue;
            };
            let made = self.store().and_then(|store| {
                let chunks = if embedding.eager { usize::MAX } else { embedding.budget.chunks };
                let spending = Spending { deadline: Some(Instant::now() + AT_ONCE), chunks };
                backlog::embed(&self.project, &*store, &files, spending, &|_| {})
            });
            let stamp = self.home.stamp();
            let mut inner = self.inner();
            inner.tries += 1;
            let failed = match made {
                Ok(outcome) => {
                    if let Some(snapshot) = outcome.snapshot {
                        (inner.snapshot, inner.stamp) = (Some(snapshot), stamp);
                    }
                    outcome.trouble.is_some()
                }
                Err(_) => true,
            };
            drop(inner);
            self.changed.notify_all();
            if failed {
                self.pause(RETRY);
            }
        }
    }

    /// The files to make vectors of next; waits for some.
    fn next_wanted(&self) -> Vec<FileId> {
        let Some(embedding) = &self.project.embedding else { return Vec::new() };
        let mut inner = self.inner();
        if embedding.eager && inner.wanted.is_empty() {
            drop(inner);
            let learnt = self.learn_dims(embedding, Instant::now() + AT_ONCE);
            let snapshot = learnt.or_else(|| self.inner().snapshot.clone());
            let files = snapshot.and_then(|snapshot| {
                let missing = backlog::missing(&*snapshot).ok()?;
                backlog::fit(&*snapshot, missing, TOGETHER).ok()
            });
            if let Some(files) = files.filter(|files| !files.is_empty()) {
                return files;
            }
            inner = self.inner();
        }
        // An update wakes it, too: its files may lack vectors.
        if inner.wanted.is_empty() && !self.stopped() {
            inner = self.changed.wait_timeout(inner, CHECK).expect("no holder panics").0;
        }
        std::mem::take(&mut inner.wanted)
    }

    /// Where nobody knew how long vectors are, asks, and opens the store anew, which can keep them now; returns its state.
    fn learn_dims(&self, embedding: &Embedding, deadline: Instant) -> Option<Arc<dyn Snapshot>> {
        let embedder = embedding.asked().filter(|embedder| embedder.dims().is_none())?;
        embedder.learn_dims(Some(deadline)).ok()?;
        self.inner().store = None;
        let snapshot = self.store().ok()?.snapshot().ok()?;
        self.inner().snapshot = Some(snapshot.clone());
        Some(snapshot)
    }

    /// Opens what is there, so that it can answer before anything is updated.
    fn look(&self) {
        let stamp = self.home.stamp();
        let opened = self.store().and_then(|store| Ok(store.snapshot()?));
        let mut inner = self.inner();
        match opened {
            Ok(snapshot) => (inner.snapshot, inner.stamp) = (Some(snapshot), stamp),
            Err(error) => {
                inner.damaged = matches!(error, Error::Store(jari_store::Error::Corrupt(_)));
                inner.failed = Some(error.to_string());
            }
        }
        (inner.looked, inner.behind) = (true, true);
        drop(inner);
        self.changed.notify_all();
    }

    /// Keeps the index until the process ends.
    fn keep(self: &Arc<Self>) {
        let mut watch = self.watch();
        while !self.stopped() {
            if watch.as_mut().is_some_and(|watch| watch.refresh().is_err()) {
                // Gone before the next one begins: both have the same desk.
                drop(watch.take());
                watch = self.watch();
            }
            if self.inner().damaged {
                self.start_over();
            }
            let began = Instant::now();
            let wait = match self.bring(false) {
                Ok(_) if watch.is_some() => CHECK,
                Ok(_) => POLL,
                Err(Error::Store(jari_store::Error::Corrupt(_))) => {
                    self.start_over();
                    continue;
                }
                Err(_) => RETRY,
            };
            // While files change all the time, two thirds of it are for those who ask.
            self.pause((began.elapsed() * 2).min(PATIENCE));
            self.wait_for_changes(wait);
        }
    }

    /// Begins to watch; a failure is noted.
    fn watch(self: &Arc<Self>) -> Option<Watch> {
        let shared = Arc::downgrade(self);
        let hear = move |heard: Heard<'_>| match (shared.upgrade(), heard) {
            (Some(shared), Heard::Change) => shared.wake(),
            (Some(shared), Heard::Question(question)) => shared.home.answer(question, shared.vouched()),
            (None, _) => {}
        };
        let root = &self.project.root;
        let desk = self.home.desk().filter(|_| jari_source::hears_all(root));
        // What was covered by another watch is not by this one.
        self.inner().covered = None;
        let watch = Watch::start(root, &self.home.folder(), desk, hear);
        let mut inner = self.inner();
        inner.coverage = watch.as_ref().ok().map(Watch::coverage);
        watch.map_err(|why| inner.polling = Some(why)).ok()
    }

    /// Brings the index up to the working tree, and publishes the state that this makes.
    fn bring(&self, anew: bool) -> Result<Update> {
        let _one = self.updating.lock().expect("no holder panics");
        let began = Instant::now();
        let mut inner = self.inner();
        // What changes from now on is for the next update.
        inner.dirty = None;
        inner.updating = true;
        let covered = inner.coverage.as_ref().and_then(Coverage::version);
        drop(inner);
        let (done, total) = (&self.done, &self.total);
        let counted = |now: Progress| {
            done.store(now.files as u64, Ordering::Relaxed);
            total.store(now.of as u64, Ordering::Relaxed);
        };
        let brought = self.store().and_then(|store| {
            // A model that is asked has a thread of its own: what words can tell does not wait for it.
            let asked = self.project.embedding.as_ref().is_some_and(|embedding| embedding.asked().is_some());
            let how = match (anew, asked) {
                (true, true) => ingest::rebuild_unasked,
                (true, false) => ingest::rebuild,
                (false, true) => ingest::update_unasked,
                (false, false) => ingest::update,
            };
            let brought = how(&self.project, &*store, &counted)?;
            if store.is_outdated() {
                // The batch wrote the new fingerprint: opened again, it is up to date.
                self.inner().store = None;
                self.inner().replaced = Some(Replaced::Outdated.to_string());
            }
            Ok(brought)
        });
        let stamp = self.home.stamp();
        let mut inner = self.inner();
        inner.updating = false;
        // A folder that came while nobody watched it is to be watched, and looked at once more.
        if inner.dirty.is_none()
            && inner.coverage.as_ref().is_some_and(|coverage| coverage.version().is_none())
        {
            inner.dirty = Some((began, began));
        }
        inner.covered = covered;
        let result = match brought {
            Ok((snapshot, update)) => {
                inner.brought = Some(snapshot.generation());
                (inner.snapshot, inner.stamp) = (Some(snapshot), stamp);
                (inner.failed, inner.behind) = (None, false);
                if changed(&update) || inner.last.is_none() {
                    let number = inner.last.as_ref().map_or(1, |last| last.0 + 1);
                    inner.last = Some((number, update.clone(), began.elapsed()));
                }
                Ok(update)
            }
            Err(error) => {
                let busy = matches!(error, Error::Store(jari_store::Error::Busy));
                if !busy {
                    inner.failed = Some(error.to_string());
                    // It may have been deleted: the next try opens what is there then.
                    inner.store = None;
                }
                inner.behind = true;
                Err(error)
            }
        };
        drop(inner);
        self.reopen_if_wanted();
        self.changed.notify_all();
        result
    }

    /// The state before was held until now; opened again, the newest one lets the store tidy up.
    fn reopen_if_wanted(&self) {
        let Some(store) = self.inner().store.clone().filter(|store| store.wants_reopening()) else { return };
        if let Ok(snapshot) = store.snapshot() {
            self.inner().snapshot = Some(snapshot);
        }
    }

    /// What a follower does about damage, as any command would: the keeper may never meet it. If the keeper is faster, its state is
    /// the one that the next glance finds.
    fn mend(&self) {
        if self.inner().damaged {
            self.start_over();
            // A failure is noted, and "busy" means that another one mends.
            let _ = self.bring(false);
        }
    }

    /// Replaces a damaged index by an empty one.
    fn start_over(&self) {
        let _one = self.updating.lock().expect("no holder panics");
        let store = self.home.replace();
        let mut inner = self.inner();
        inner.snapshot = None;
        match store {
            Ok(store) => {
                inner.replaced = inner.failed.take().map(|why| Replaced::Damaged(why).to_string());
                inner.store = Some(Arc::from(store));
                inner.damaged = false;
            }
            Err(error) => inner.failed = Some(error.to_string()),
        }
        drop(inner);
        self.pause(GLANCE);
    }

    fn store(&self) -> Result<Arc<dyn Store>> {
        if let Some(store) = self.inner().store.clone() {
            return Ok(store);
        }
        let (store, replaced) = self.home.open()?;
        let store: Arc<dyn Store> = Arc::from(store);
        let mut inner = self.inner();
        inner.store = Some(store.clone());
        inner.replaced = replaced.map(|replaced| replaced.to_string()).or(inner.replaced.take());
        Ok(store)
    }

    /// Takes over a newer state that another process wrote.
    fn glance(&self) {
        let mut inner = self.inner();
        if inner.updating || inner.glanced.is_some_and(|at| at.elapsed() < GLANCE) {
            return;
        }
        inner.glanced = Some(Instant::now());
        let stamp = self.home.stamp();
        let Some(store) = inner.store.clone().filter(|_| stamp != inner.stamp) else { return };
        drop(inner);
        // A state that cannot be opened now is still there at the next look.
        if let Ok(snapshot) = store.snapshot() {
            let mut inner = self.inner();
            (inner.snapshot, inner.stamp) = (Some(snapshot), stamp);
        }
    }

    /// The state that is the working tree's, as far as events tell.
    fn vouched(&self) -> Option<Generation> {
        let inner = self.inner();
        let covered = inner
            .covered
            .is_some_and(|covered| inner.coverage.as_ref().and_then(Coverage::version) == Some(covered));
        inner.brought.filter(|_| covered && inner.stage() == Stage::Fresh)
    }

    /// Files changed.
    fn wake(&self) {
        let now = Instant::now();
        let mut inner = self.inner();
        let first = inner.dirty.map_or(now, |(first, _)| first);
        inner.dirty = Some((first, now));
        drop(inner);
        self.changed.notify_all();
    }

    /// Waits until files changed and are quiet again, or for at most `longest`.
    fn wait_for_changes(&self, longest: Duration) {
        let began = Instant::now();
        let mut inner = self.inner();
        while !self.stopped() {
            let now = Instant::now();
            let until = match inner.dirty {
                Some((first, last)) => (last + QUIET).min(first + PATIENCE),
                None => began + longest,
            };
            let Some(rest) = until.checked_duration_since(now).filter(|rest| !rest.is_zero()) else { return };
            inner = self.changed.wait_timeout(inner, rest).expect("no holder panics").0;
        }
    }

    /// Waits for `length`, or until it is time to stop.
    fn pause(&self, length: Duration) {
        let inner = self.inner();
        let waited = self.changed.wait_timeout_while(inner, length, |_| !self.stopped());
        drop(waited.expect("no holder panics"));
    }

    fn stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().expect("no holder panics")
    }
}

fn changed(update: &Update) -> bool {
    update.added + update.updated + update.renamed + update.removed > 0
}
