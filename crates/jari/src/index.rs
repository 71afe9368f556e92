//! From a path on the command line to an index that can answer.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use jari_base::{Backend, Filter, Skip};
use jari_engine::backlog::{self, Spending};
use jari_engine::ingest::{self, Progress, Update};
use jari_engine::search::SearchRequest;
use jari_engine::{Error, Project};
use jari_source::Place;
use jari_store::{Replaced, Snapshot, Store};
use jari_store_local::{Identity, LocalStore};
use jari_wire::IndexJson;

use crate::commands::Global;
use crate::failure::Failure;
use crate::home::{Contents, LocalHome};
use crate::models::{self, Talking};
use crate::printer;
use crate::progress::Reporter;
use crate::settings::{self, Rebuild, Settings, VectorIndex, VectorSettings};

/// How often a command starts over with an index that cannot be used.
const REPAIRS: usize = 5;

/// How long it starts over without counting where others delete or replace the index under its eyes.
const PATIENCE: Duration = Duration::from_secs(30);

/// A project and its index.
pub(crate) struct Index {
    pub(crate) project: Project,
    pub(crate) settings: Settings,
    pub(crate) folder: PathBuf,
    /// The part of the project that the user named; empty for all of it.
    pub(crate) within: String,
    pub(crate) notes: Vec<String>,
    store: Option<LocalStore>,
}

/// A state that can answer, and how far it can be trusted.
pub(crate) struct Ready {
    pub(crate) snapshot: Arc<dyn Snapshot>,
    pub(crate) update: Update,
    pub(crate) state: State,
}

impl Ready {
    /// How far the state can be trusted and what it leaves out, for people.
    pub(crate) fn said(&self) -> String {
        let said = match self.state {
            State::Fresh => "index fresh",
            State::Incomplete => "index incomplete",
            State::Updating => "index being updated by another process; this is the last complete state",
            State::Unchecked => "index not checked for changes",
        };
        match Index::describe(self).skipped {
            0 => said.to_owned(),
            skipped => {
                format!("{said} · {} skipped (jari status --skipped)", printer::plural(skipped, "file"))
            }
        }
    }
}

/// `ingest::update` or `ingest::rebuild`.
type Bring = fn(&Project, &dyn Store, Hears<'_>) -> Brought;

/// `ingest::update_meanwhile` or `ingest::update_rows`.
type BringMeanwhile = fn(&Project, &dyn Store, Hears<'_>, &mut dyn FnMut(&dyn Snapshot)) -> Brought;

/// Who hears how far it is.
type Hears<'a> = &'a (dyn Fn(Progress) + Sync);

type Brought = Result<(Arc<dyn Snapshot>, Update), Error>;

/// How far a state can be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// It is what the working tree is.
    Fresh,
    /// The same, but for files that the system could not give us. The next command tries them again.
    Incomplete,
    /// Another process is bringing it up to date.
    Updating,
    /// Nobody looked.
    Unchecked,
}

impl Index {
    /// Finds the project around `path`. Nothing is written yet.
    pub(crate) fn find(path: &Path, global: &Global) -> Result<Self, Failure> {
        Self::at(jari_source::locate(path)?, global)
    }

    fn at(place: Place, global: &Global) -> Result<Self, Failure> {
        let settings = Settings::resolve(&place.root, global.index_dir.clone())?;
        Self::with(place, settings)
    }

    fn with(place: Place, settings: Settings) -> Result<Self, Failure> {
        let (limits, documents) = (settings.limits.clone(), settings.documents.clone());
        let embedding = models::embedding(&settings)?;
        let Talking { reranker, translator } = models::talking(&settings)?;
        let max_grams = settings.trigrams.max_terms_per_file;
        let project =
            Project { root: place.root, limits, documents, embedding, reranker, translator, max_grams };
        let mut notes = settings.notes.clone();
        let folder = match &settings.index_dir {
            Some(folder) => folder.clone(),
            None => default_folder(&project.root, &mut notes)?,
        };
        Ok(Self { project, settings, folder, within: place.within, notes, store: None })
    }

    /// The same project with another model: `PROVIDER` or `PROVIDER:MODEL`.
    pub(crate) fn by_model(path: &Path, global: &Global, model: &str) -> Result<Self, Failure> {
        let place = jari_source::locate(path)?;
        let settings = Settings::resolve(&place.root, global.index_dir.clone())?;
        Self::with(place, settings.with_model(model)?)
    }

    /// Finds the project around a file or folder, and its path in the project.
    pub(crate) fn find_file(path: &Path, global: &Global) -> Result<(Self, String), Failure> {
        let (folder, file) = folder_and_file(path)?;
        let place = jari_source::locate(&folder)?;
        let here = jari_source::locate(Path::new("."))?;
        // Where nothing marks a project, it is the folder we stand in, not that of the file.
        if let (false, Ok(below)) = (place.marked, place.root.strip_prefix(&here.root)) {
            let below = below.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/");
            return Ok((Self::at(here, global)?, joined(&below, &file)));
        }
        // A folder that is no project, and not ours, is not indexed because a file of it was named.
        if !place.marked {
            return Err(Error::Outside(path.display().to_string()).into());
        }
        let index = Self::at(place, global)?;
        let within = joined(&index.within, &file);
        Ok((index, within))
    }

    /// Asks the index as it is: nothing is written, and the working tree is not looked at. `None` if there is no index
    /// that can answer.
    pub(crate) fn look<T>(
        &mut self,
        ask: impl Fn(&dyn Snapshot) -> Result<T, Error>,
    ) -> Result<Option<(Ready, T)>, Failure> {
        self.look_by(Store::snapshot, ask)
    }

    /// The same for those who ask for neither candidates nor vectors.
    pub(crate) fn look_at_rows<T>(
        &mut self,
        ask: impl Fn(&dyn Snapshot) -> Result<T, Error>,
    ) -> Result<Option<(Ready, T)>, Failure> {
        self.look_by(Store::rows, ask)
    }

    fn look_by<T>(
        &mut self,
        open: fn(&LocalStore) -> jari_store::Result<Arc<dyn Snapshot>>,
        ask: impl Fn(&dyn Snapshot) -> Result<T, Error>,
    ) -> Result<Option<(Ready, T)>, Failure> {
        let looked = self.contents().open(|options| LocalStore::look(&self.folder, options));
        let looked = looked.map_err(Error::from).and_then(|store| {
            let Some(store) = store else { return Ok(None) };
            let snapshot = open(&store)?;
            let answer = ask(&*snapshot)?;
            Ok(Some((snapshot, answer)).filter(|(snapshot, _)| snapshot.generation().0 > 0))
        });
        match looked {
            Ok(None) => Ok(None),
            Ok(Some((snapshot, answer))) => {
                Ok(Some((Ready { snapshot, update: Update::default(), state: State::Unchecked }, answer)))
            }
            Err(Error::Store(jari_store::Error::Corrupt(why))) => {
                self.notes.push(format!(
                    "the index is damaged ({why}); the next search or `jari index` makes it anew"
                ));
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Brings the index up to the working tree, then asks it.
    pub(crate) fn sync<T>(
        &mut self,
        reporter: &Reporter,
        ask: impl Fn(&dyn Snapshot) -> Result<T, Error>,
    ) -> Result<(Ready, T), Failure> {
        self.learn_dims();
        self.sync_by(ingest::update_meanwhile, reporter, ask)
    }

    /// Where nobody knows yet how long a model's vectors are, it is asked, so that they can be kept. If it does not answer, the question
    /// will not be answered either, and that is said.
    fn learn_dims(&self) {
        if let Some((embedding, embedder)) =
            self.project.embedding.as_ref().and_then(|embedding| Some((embedding, embedding.asked()?)))
        {
            let _ = embedder.learn_dims(Some(Instant::now() + embedding.budget.time));
        }
    }

    /// Lets the files that a question looks at have their vectors, as far as the budget goes.
    pub(crate) fn embed_for(&mut self, request: &SearchRequest, ready: Ready) -> Result<Ready, Failure> {
        let project = self.project.clone();
        let embedding = project.embedding.as_ref();
        let Some(embedding) = embedding.filter(|embedding| embedding.makes_on_demand(request.mode)) else {
            return Ok(ready);
        };
        let began = Instant::now();
        let budget = embedding.budget;
        let files = backlog::looked_at(&project, &*ready.snapshot, request)?;
        if files.is_empty() {
            return Ok(ready);
        }
        let spending = Spending { deadline: Some(began + budget.time), chunks: budget.chunks };
        let outcome = backlog::embed(&project, self.store()?, &files, spending, &|_| {})?;
        Ok(Ready { snapshot: outcome.snapshot.unwrap_or(ready.snapshot.clone()), ..ready })
    }

    /// Gives all chunks their vectors; `progress` hears of each.
    pub(crate) fn embed_all(
        &mut self,
        ready: Ready,
        progress: &(dyn Fn(usize) + Sync),
    ) -> Result<(Ready, backlog::Outcome), Failure> {
        let project = self.project.clone();
        let missing = backlog::missing(&*ready.snapshot)?;
        let spending = Spending { deadline: None, chunks: usize::MAX };
        let outcome = backlog::embed(&project, self.store()?, &missing, spending, progress)?;
        let snapshot = outcome.snapshot.clone().unwrap_or(ready.snapshot.clone());
        Ok((Ready { snapshot, ..ready }, outcome))
    }

    /// The same for those who ask no vectors.
    pub(crate) fn sync_rows<T>(
        &mut self,
        reporter: &Reporter,
        ask: impl Fn(&dyn Snapshot) -> Result<T, Error>,
    ) -> Result<(Ready, T), Failure> {
        // A model that is asked need not even be opened.
        if self.project.embedding.as_ref().is_some_and(|embedding| embedding.asked().is_some()) {
            self.project.embedding = None;
        }
        self.sync_by(ingest::update_rows, reporter, ask)
    }

    /// The same for questions that take long: they are not asked before the state is known to be that of the tree.
    pub(crate) fn sync_rows_first<T>(
        &mut self,
        reporter: &Reporter,
        ask: impl Fn(&dyn Snapshot) -> Result<T, Error>,
    ) -> Result<(Ready, T), Failure> {
        self.repaired(|index| {
            let rows = |project: &Project, store: &dyn Store, hears: Hears<'_>| {
                ingest::update_rows(project, store, hears, &mut |_| ())
            };
            let ready = index.bring_or_last(rows, reporter)?;
            let answer = ask(&*ready.snapshot)?;
            Ok((ready, answer))
        })
    }

    /// The last state is asked while the working tree is looked at, and again only if it was not the state of the tree.
    fn sync_by<T>(
        &mut self,
        how: BringMeanwhile,
        reporter: &Reporter,
        ask: impl Fn(&dyn Snapshot) -> Result<T, Error>,
    ) -> Result<(Ready, T), Failure> {
        self.repaired(|index| {
            let early = Cell::new(None);
            let asked = |project: &Project, store: &dyn Store, hears: Hears<'_>| {
                how(project, store, hears, &mut |last| {
                    early.set(Some((last.generation(), std::ptr::from_ref(last).cast::<()>(), ask(last))));
                })
            };
            let ready = index.bring_or_last(asked, reporter)?;
            let here = std::ptr::from_ref(&*ready.snapshot).cast::<()>();
            let answer = match early.into_inner() {
                // The same state opened again may have a graph that it lacked.
                Some((generation, place, answer))
                    if generation == ready.snapshot.generation() && place == here =>
                {
                    answer?
                }
                _ => ask(&*ready.snapshot)?,
            };
            Ok((ready, answer))
        })
    }

    /// Brings the index up to the working tree; while another process does so, the last state must do.
    fn bring_or_last(
        &mut self,
        how: impl FnOnce(&Project, &dyn Store, Hears<'_>) -> Brought,
        reporter: &Reporter,
    ) -> Result<Ready, Error> {
        match self.bring(how, reporter) {
            Err(Error::Store(jari_store::Error::Busy)) => self.last_state(reporter),
            other => other,
        }
    }

    /// Brings the index up to the working tree; waits for a process that is doing so.
    pub(crate) fn update(&mut self, reporter: &Reporter) -> Result<Ready, Failure> {
        self.learn_dims();
        self.repaired(|index| index.bring_after_others(ingest::update, reporter))
    }

    /// Makes the index anew. Until it is done, the old one answers.
    pub(crate) fn rebuild(&mut self, reporter: &Reporter) -> Result<Ready, Failure> {
        self.repaired(|index| index.bring_after_others(ingest::rebuild, reporter))
    }

    fn bring(
        &mut self,
        how: impl FnOnce(&Project, &dyn Store, Hears<'_>) -> Brought,
        reporter: &Reporter,
    ) -> Result<Ready, Error> {
        let project = self.project.clone();
        let VectorSettings { index, rebuild, .. } = self.settings.vectors;
        let wants_graph =
            index == VectorIndex::Hnsw && rebuild != Rebuild::Manual && project.embedding.is_some();
        let store = self.store()?;
        let outdated = store.is_outdated();
        let (mut snapshot, update) = how(&project, store, &|progress| reporter.show(progress))?;
        let trouble =
            update.trouble.as_ref().map(|trouble| format!("not all vectors could be made: {trouble}"));
        if wants_graph && store.lacks_graph()? {
            store.build_graph(|rows| reporter.graph(rows))?;
            snapshot = store.snapshot()?;
        }
        self.notes.extend(trouble);
        if outdated {
            self.notes.push(Replaced::Outdated.to_string());
            // The batch wrote the new fingerprint: opened again, it is up to date.
            self.store = None;
        }
        let not_now = update.skipped.get(&Skip::NotNow).copied().unwrap_or_default();
        if not_now == 0 {
            return Ok(Ready { snapshot, update, state: State::Fresh });
        }
        self.notes.push(format!(
            "{} could not be opened now, because the system is short of file descriptors or memory, or a disk fails; the next command tries again (`ulimit -n` shows how many may be open)",
            printer::plural(not_now as u64, "file")
        ));
        Ok(Ready { snapshot, update, state: State::Incomplete })
    }

    fn bring_after_others(&mut self, how: Bring, reporter: &Reporter) -> Result<Ready, Error> {
        let mut said = false;
        loop {
            match self.bring(how, reporter) {
                Err(Error::Store(jari_store::Error::Busy)) => {
                    if !std::mem::replace(&mut said, true) {
                        reporter.say("waiting for another process that is writing this index");
                    }
                    self.store()?.wait_for_writer()?;
                }
                other => return other,
            }
        }
    }

    /// Another process writes. Its first index is waited for; while it updates one, the last complete state answers.
    fn last_state(&mut self, reporter: &Reporter) -> Result<Ready, Error> {
        let snapshot = self.store()?.snapshot()?;
        if snapshot.generation().0 > 0 {
            return Ok(Ready { snapshot, update: Update::default(), state: State::Updating });
        }
        drop(snapshot);
        self.bring_after_others(ingest::update, reporter)
    }

    /// Where a living index of the project is kept.
    pub(crate) fn home(&self) -> LocalHome {
        LocalHome { folder: self.folder.clone(), contents: self.contents(), opened: Mutex::default() }
    }

    /// Makes all vectors anew, and the graph over them where one is wanted.
    pub(crate) fn build_vectors(
        &mut self,
        backend: Option<Backend>,
        reporter: &Reporter,
    ) -> Result<Ready, Failure> {
        let Some(embedding) = &mut self.project.embedding else {
            return Err(Failure::argument(
                "vectors are off",
                "unset JARI_EMBEDDING_PROVIDER and JARI_VECTOR_INDEX, or set them to `auto`",
            ));
        };
        let wants_graph = backend.or(self.settings.vectors.index.backend()) == Some(Backend::Hnsw);
        if embedding.asked().is_none() {
            embedding.eager = true;
            self.store()?.forget_vectors()?;
        } else if !wants_graph {
            return Err(Failure::argument(
                "vectors of a model that is asked are not made anew",
                "`jari embed --all` makes those that are missing, `jari vectors build --backend hnsw` a graph over those there are",
            ));
        }
        let ready = self.update(reporter)?;
        if !wants_graph {
            return Ok(ready);
        }
        let store = self.store()?;
        store.build_graph(|rows| reporter.graph(rows))?;
        Ok(Ready { snapshot: store.snapshot()?, ..ready })
    }

    /// Refuses a folder for the index that is somebody else's, for those who open it only later.
    pub(crate) fn check_folder(&self) -> Result<(), Failure> {
        Ok(LocalStore::check(&self.folder)?)
    }

    /// Deletes the index; says whether there was one.
    pub(crate) fn clean(&self) -> Result<bool, Failure> {
        Ok(LocalStore::delete(&self.folder)?)
    }

    /// Runs `act`; if the index turns out to be damaged, starts over with an empty one and runs it once more. Where another
    /// process deletes or replaces the index under our eyes, it looks like damage too.
    fn repaired<T>(&mut self, act: impl Fn(&mut Self) -> Result<T, Error>) -> Result<T, Failure> {
        let (began, mut left, mut said) = (Instant::now(), REPAIRS, false);
        loop {
            let before = Identity::of(&self.folder);
            match act(self) {
                Err(Error::Store(jari_store::Error::Corrupt(why))) if left > 0 => {
                    let is_ours = before.is_some() && Identity::of(&self.folder) == before;
                    if !said && is_ours {
                        self.notes.push(Replaced::Damaged(why).to_string());
                        said = true;
                    }
                    if is_ours || began.elapsed() > PATIENCE {
                        left -= 1;
                    }
                    let replaced =
                        self.contents().open(|options| LocalStore::replace(&self.folder, options, before));
                    self.store = match replaced {
                        // Others were faster once more.
                        Err(jari_store::Error::Corrupt(_)) => None,
                        replaced => Some(replaced?),
                    };
                }
                other => return Ok(other?),
            }
        }
    }

    /// `filter`, limited to the part of the project that the user named.
    pub(crate) fn narrowed(&self, mut filter: Filter) -> Filter {
        if !self.within.is_empty() {
            filter.paths = match filter.paths.len() {
                0 => vec![format!("{}/**", literal(&self.within))],
                _ => filter.paths.iter().map(|path| format!("{}/**/{path}", literal(&self.within))).collect(),
            };
        }
        filter
    }

    /// How a state is described in an answer.
    pub(crate) fn describe(ready: &Ready) -> IndexJson {
        let totals = ready.snapshot.totals();
        IndexJson {
            state: match ready.state {
                State::Fresh => "fresh",
                State::Incomplete | State::Updating => "updating",
                State::Unchecked => "unchecked",
            },
            generation: ready.snapshot.generation().0,
            files: totals.indexed,
            skipped: totals.skipped_in_all() as u64,
            ..IndexJson::default()
        }
    }

    /// What shapes the index.
    fn contents(&self) -> Contents {
        Contents {
            fingerprint: self.project.fingerprint(),
            embedding: self.project.embedding.clone(),
            vectors: self.settings.vectors,
            memory: self.project.limits.memory,
        }
    }

    fn store(&mut self) -> Result<&LocalStore, Error> {
        if self.store.is_none() {
            let (store, replaced) =
                self.contents().open(|options| LocalStore::open(&self.folder, options))?;
            self.notes.extend(replaced.map(|replaced| replaced.to_string()));
            if self.settings.vectors.rebuild == Rebuild::OnStart {
                store.forget_vectors()?;
            }
            self.store = Some(store);
        }
        Ok(self.store.as_ref().expect("it was opened above"))
    }
}

fn joined(folder: &str, file: &str) -> String {
    [folder, file].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/")
}

/// A path that exists is taken from where it stands; one that does not is looked for in the index, which knows near names.
fn folder_and_file(path: &Path) -> Result<(PathBuf, String), Failure> {
    if path.is_dir() {
        return Ok((path.to_owned(), String::new()));
    }
    if path.is_absolute() && !path.exists() {
        return Err(jari_source::Error::NotFound(path.to_owned()).into());
    }
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if parent.is_dir() {
        Ok((parent.to_owned(), name))
    } else {
        let written = path.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/");
        Ok((PathBuf::from("."), written.trim_start_matches("./").to_owned()))
    }
}

/// `.jari` in the project, or the user's cache where the project cannot be written.
fn default_folder(root: &Path, notes: &mut Vec<String>) -> Result<PathBuf, Failure> {
    let folder = root.join(".jari");
    let usable = match std::fs::symlink_metadata(&folder) {
        // It may be checked in, and would let a stranger choose which folder is written to.
        Ok(metadata) if metadata.is_symlink() => {
            let why = "is a link, and would keep the index elsewhere";
            return Err(Error::from(jari_store::Error::NotOurs { path: folder, why }).into());
        }
        // What is not ours is refused where it is opened, and not tried out here.
        Ok(_) if LocalStore::check(&folder).is_err() => true,
        Ok(metadata) => metadata.is_dir() && writable(&folder),
        Err(_) => writable(root),
    };
    if usable {
        return Ok(folder);
    }
    let Some(cache) = settings::cache_dir(root) else { return Ok(folder) };
    notes.push(format!("the project cannot hold its index; it is kept in `{}`", cache.display()));
    Ok(cache)
}

/// Whether a file can be made in `folder`.
fn writable(folder: &Path) -> bool {
    let probe = folder.join(format!(".jari-probe-{}", std::process::id()));
    let made = std::fs::OpenOptions::new().write(true).create_new(true).open(&probe).is_ok();
    if made {
        // It was ours a moment ago; if it cannot be deleted, the next write will tell.
        let _ = std::fs::remove_file(&probe);
    }
    made
}

fn literal(path: &str) -> String {
    path.chars().flat_map(|c| if "*?[]{}\\".contains(c) { vec!['[', c, ']'] } else { vec![c] }).collect()
}
