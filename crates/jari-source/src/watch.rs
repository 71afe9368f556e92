//! File events of a project. They say that something changed and nothing more: what changed is told by the next walk,
//! so that a checkout of thousands of files is one update and a lost event costs nothing.

use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use notify::event::{AccessKind, AccessMode, MetadataKind, ModifyKind, RemoveKind};
use notify::{Config, Event, EventKind, EventKindMask, RecommendedWatcher, RecursiveMode, Watcher};

use crate::{names, walk};

/// What a watcher hears of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heard<'a> {
    /// Something changed.
    Change,
    /// A file was put on the desk. Whatever changed before that was heard of before this.
    Question(&'a Path),
}

/// Watches a project for as long as it lives.
#[derive(Debug)]
pub struct Watch {
    root: PathBuf,
    /// Of the root: another folder may take its place.
    identity: Option<(u64, u64)>,
    watcher: RecommendedWatcher,
    watched: HashSet<PathBuf>,
    desk: Option<PathBuf>,
    noted: Arc<Noted>,
}

/// How far all folders are watched. What a walk finds is kept up by events only if no folder came since it began.
#[derive(Debug, Clone)]
pub struct Coverage(Arc<Noted>);

impl Coverage {
    /// A number that stays the same while every folder is watched and none comes; `None` while some may not be watched.
    pub fn version(&self) -> Option<u64> {
        let watched = self.0.watched.load(Ordering::SeqCst);
        (self.0.grown.load(Ordering::SeqCst) == watched).then_some(watched)
    }
}

/// What events say of folders.
#[derive(Debug, Default)]
struct Noted {
    /// How often folders may have come.
    grown: AtomicU64,
    /// How often of that they were looked for, and watched.
    watched: AtomicU64,
    /// Whether events were lost, and with them perhaps that a watched folder is gone.
    lost: AtomicBool,
    /// Paths that were deleted or moved: a folder that stands there now is another one, which nobody watches.
    gone: Mutex<HashSet<PathBuf>>,
}

impl Watch {
    /// Watches every folder that a walk of `root` enters, and the branch that Git is on. `hear` is called from another
    /// thread; nothing in the folder `without` counts, but for files that come into the folder `desk`, which is made for that and
    /// goes with the watch. The error says why events cannot be had.
    pub fn start(
        root: &Path,
        without: &Path,
        desk: Option<PathBuf>,
        hear: impl Fn(Heard<'_>) + Send + 'static,
    ) -> Result<Self, String> {
        let (root, without) = (root.to_owned(), without.to_owned());
        let noted = Arc::new(Noted { grown: AtomicU64::new(1), ..Noted::default() });
        let (top, notes, questions) = (root.clone(), noted.clone(), desk.clone());
        let handle = move |event: notify::Result<Event>| {
            if let (Ok(event), Some(desk)) = (&event, &questions)
                && let Some(question) = question(desk, event)
            {
                return hear(Heard::Question(question));
            }
            // An error is an event that was lost: better to look once too often.
            if event.as_ref().is_ok_and(|event| !counts(&top, &without, event)) {
                return;
            }
            notes.take(event.as_ref().ok());
            hear(Heard::Change);
        };
        // That a file is read changes nothing, and to be told costs whoever reads it more than the reading. That it is closed by who may have
        // written to it is all there is to hear of writes through memory.
        let config = Config::default().with_event_kinds(EventKindMask::CORE | EventKindMask::ACCESS_CLOSE);
        let watcher = RecommendedWatcher::new(handle, config).map_err(|error| why(&error))?;
        if let Some(desk) = &desk {
            // Questions that nobody answered.
            let _ = std::fs::remove_dir_all(desk);
        }
        let (identity, watched) = (identity(&root), HashSet::new());
        let mut watch = Self { root, identity, watcher, watched, desk, noted };
        watch.refresh()?;
        Ok(watch)
    }

    /// How far all folders are watched, for those who do not have the watch itself.
    pub fn coverage(&self) -> Coverage {
        Coverage(self.noted.clone())
    }

    /// Watches the folders that came since. Call it before every walk. After an error this watch can no longer be relied on; another may.
    pub fn refresh(&mut self) -> Result<(), String> {
        if self.noted.lost.load(Ordering::SeqCst) {
            return Err("events were lost".to_owned());
        }
        if identity(&self.root) != self.identity {
            return Err("the folder is another one".to_owned());
        }
        self.lay_desk()?;
        let mut grown = self.noted.grown.load(Ordering::SeqCst);
        // Only Linux watches folder by folder; elsewhere one watch holds for all below it.
        let any_new = if cfg!(target_os = "linux") {
            self.watch_folders()?
        } else {
            self.add(self.root.clone(), RecursiveMode::Recursive)?
        };
        // Ignore files elsewhere, modes and what marks a project can bring folders without any event.
        if any_new && grown == self.noted.watched.load(Ordering::SeqCst) {
            grown = self.noted.grown.fetch_add(1, Ordering::SeqCst) + 1;
        }
        self.noted.watched.store(grown, Ordering::SeqCst);
        Ok(())
    }

    /// Watches all folders that a walk enters; says whether there were new ones.
    fn watch_folders(&mut self) -> Result<bool, String> {
        let mut ever_new = false;
        let gone = std::mem::take(&mut *self.noted.gone.lock().expect("no holder panics"));
        self.watched.retain(|folder| folder.is_dir() && !folder.ancestors().any(|path| gone.contains(path)));
        loop {
            let mut any_new = false;
            for folder in walk::folders(&self.root).into_iter().chain(git_folder(&self.root)) {
                any_new |= self.add(folder, RecursiveMode::NonRecursive)?;
            }
            // In a folder that was not yet watched, others may have come unseen.
            if !any_new {
                return Ok(ever_new);
            }
            ever_new = true;
        }
    }

    /// Makes the desk if it is not there, or not any more.
    fn lay_desk(&mut self) -> Result<(), String> {
        let Some(desk) = self.desk.clone() else { return Ok(()) };
        if std::fs::create_dir(&desk).is_ok() {
            self.watched.remove(&desk);
        }
        // A link would lead elsewhere.
        if std::fs::symlink_metadata(&desk).is_ok_and(|metadata| metadata.is_dir()) {
            self.add(desk, RecursiveMode::NonRecursive)?;
        }
        Ok(())
    }

    /// Watches a folder; says whether it was not watched before.
    fn add(&mut self, folder: PathBuf, mode: RecursiveMode) -> Result<bool, String> {
        if self.watched.contains(&folder) {
            return Ok(false);
        }
        match self.watcher.watch(&folder, mode) {
            Err(error) if folder.is_dir() => Err(why(&error)),
            // It went away while we looked.
            Err(_) => Ok(false),
            Ok(()) => Ok(self.watched.insert(folder)),
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if let Some(desk) = &self.desk {
            // Nobody answers any more.
            let _ = std::fs::remove_dir_all(desk);
        }
    }
}

impl Noted {
    /// Takes note of what an event, or one that was lost, says of folders.
    fn take(&self, event: Option<&Event>) {
        let leaves = |event: &&Event| match event.kind {
            EventKind::Remove(kind) => kind != RemoveKind::File,
            kind => matches!(kind, EventKind::Modify(ModifyKind::Name(_))),
        };
        if let Some(event) = event.filter(leaves) {
            self.gone.lock().expect("no holder panics").extend(event.paths.iter().cloned());
        }
        if event.is_none_or(Event::need_rescan) {
            self.lost.store(true, Ordering::SeqCst);
        }
        if event.is_none_or(may_bring_folders) {
            self.grown.fetch_add(1, Ordering::SeqCst);
        }
    }
}

/// The question that an event brings to the desk.
fn question<'e>(desk: &Path, event: &'e Event) -> Option<&'e Path> {
    let comes = matches!(event.kind, EventKind::Create(_));
    event.paths.first().filter(|path| comes && path.parent() == Some(desk)).map(PathBuf::as_path)
}

/// Whether every change of files at `path` comes through this machine's kernel and is heard of: not so on network drives, and only Linux
/// tells all kinds of events in the order in which they happened.
#[cfg(target_os = "linux")]
pub fn hears_all(path: &Path) -> bool {
    /// ext, XFS, Btrfs, F2FS, bcachefs, ZFS, tmpfs, and overlays of those: `statfs` has their numbers.
    const OWN: [u64; 8] =
        [0xef53, 0x5846_5342, 0x9123_683e, 0xf2f5_2010, 0xca45_1a4e, 0x2fc1_2fc1, 0x0102_1994, 0x794c_7630];
    rustix::fs::statfs(path).is_ok_and(|status| OWN.contains(&(status.f_type as u64 & 0xffff_ffff)))
}

/// Whether every change of files at `path` comes through this machine's kernel and is heard of in the order in which it happened.
#[cfg(not(target_os = "linux"))]
pub fn hears_all(_path: &Path) -> bool {
    false
}

/// Tells a folder from another that takes its place.
#[cfg(unix)]
fn identity(folder: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(folder).ok().map(|metadata| (metadata.dev(), metadata.ino()))
}

/// Tells a folder that is there from one that is gone.
#[cfg(not(unix))]
fn identity(folder: &Path) -> Option<(u64, u64)> {
    folder.is_dir().then_some((0, 0))
}

fn why(error: &notify::Error) -> String {
    match error.kind {
        notify::ErrorKind::MaxFilesWatch => "the system gives out no more watches".to_owned(),
        _ => error.to_string(),
    }
}

/// Whether an event can change what a walk finds.
fn counts(root: &Path, without: &Path, event: &Event) -> bool {
    let read_only = match event.kind {
        EventKind::Access(kind) => kind != AccessKind::Close(AccessMode::Write),
        kind => kind == EventKind::Modify(ModifyKind::Metadata(MetadataKind::AccessTime)),
    };
    let ours = |path: &PathBuf| !path.starts_with(without) && is_of_project(root, path);
    event.need_rescan() || !read_only && event.paths.iter().any(ours)
}

/// Whether an event may have brought a folder, or made one count that ignore rules kept out.
fn may_bring_folders(event: &Event) -> bool {
    let comes = matches!(event.kind, EventKind::Create(_) | EventKind::Modify(ModifyKind::Name(_)));
    let rules =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().ends_with("ignore"));
    event.need_rescan() || event.paths.iter().any(|path| comes && path.is_dir() || rules(path))
}

/// Version control's own files say nothing but which branch is checked out.
fn is_of_project(root: &Path, path: &Path) -> bool {
    let inside = path.strip_prefix(root).unwrap_or(path);
    let out = inside
        .components()
        .any(|step| matches!(step, Component::Normal(name) if names::is_always_out(&name.to_string_lossy())));
    !out || path.file_name().is_some_and(|name| name == "HEAD")
}

/// The folder that holds the `HEAD` of the working tree at `root`.
fn git_folder(root: &Path) -> Option<PathBuf> {
    let git = root.join(".git");
    if git.is_dir() {
        return Some(git);
    }
    let text = String::from_utf8(crate::read_small(&git).ok()?.0).ok()?;
    let folder = root.join(text.trim().strip_prefix("gitdir:")?.trim());
    folder.is_dir().then_some(folder)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    /// A project with the folders `src`, `.git`, `idx` and `made`, the last ignored, and a watch that tells what it hears.
    fn watched() -> (tempfile::TempDir, PathBuf, Watch, mpsc::Receiver<String>) {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap();
        for folder in ["src", ".git", "idx", "made"] {
            std::fs::create_dir(root.join(folder)).unwrap();
        }
        std::fs::write(root.join(".gitignore"), "made\n").unwrap();
        let (sender, receiver) = mpsc::channel();
        let send = move |heard: Heard<'_>| {
            let _ = sender.send(match heard {
                Heard::Change => "change".to_owned(),
                Heard::Question(path) => path.file_name().unwrap().to_string_lossy().into_owned(),
            });
        };
        let watch = Watch::start(&root, &root.join("idx"), Some(root.join("idx/desk")), send).unwrap();
        (temp, root, watch, receiver)
    }

    /// Whether `change` is noticed.
    fn noticed(change: impl FnOnce(&Path)) -> bool {
        let (_temp, root, _watch, receiver) = watched();
        change(&root);
        receiver.recv_timeout(Duration::from_millis(400)).is_ok()
    }

    #[test]
    fn what_a_walk_would_find_is_noticed() {
        assert!(noticed(|root| std::fs::write(root.join("src/a.rs"), "x").unwrap()));
        assert!(noticed(|root| std::fs::create_dir(root.join("new")).unwrap()));
        assert!(noticed(|root| std::fs::write(root.join(".git/HEAD"), "ref: x").unwrap()));
    }

    #[test]
    fn our_index_ignored_folders_and_version_control_are_not() {
        assert!(!noticed(|root| std::fs::write(root.join("idx/store.db"), "x").unwrap()));
        assert!(!noticed(|root| std::fs::write(root.join("made/a.rs"), "x").unwrap()));
        assert!(!noticed(|root| std::fs::write(root.join(".git/index.lock"), "x").unwrap()));
        assert!(!noticed(|root| drop(std::fs::read(root.join(".gitignore")))));
    }

    #[test]
    fn what_changed_before_a_question_is_heard_of_before_it() {
        let (_temp, root, mut watch, receiver) = watched();
        let heard = |patience| receiver.recv_timeout(Duration::from_millis(patience)).ok();
        for round in 0..50 {
            std::fs::write(root.join("src/a.rs"), round.to_string()).unwrap();
            std::fs::write(root.join(format!("idx/desk/{round}")), "").unwrap();
            assert_eq!(heard(2_000).as_deref(), Some("change"), "round {round}");
            while heard(2_000).unwrap() == "change" {}
        }
        // The desk is laid again where somebody deleted it.
        std::fs::remove_dir_all(root.join("idx/desk")).unwrap();
        watch.refresh().unwrap();
        std::fs::write(root.join("idx/desk/again"), "").unwrap();
        while heard(2_000).unwrap() != "again" {}
        drop(watch);
        assert!(!root.join("idx/desk").exists(), "nobody answers any more");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn folders_that_take_the_place_of_others_are_watched() {
        let (_temp, root, mut watch, receiver) = watched();
        let quiet = || while receiver.recv_timeout(Duration::from_millis(100)).is_ok() {};
        let before = watch.coverage().version();
        std::fs::create_dir(root.join("new")).unwrap();
        quiet();
        assert!(before.is_some() && watch.coverage().version().is_none(), "a folder came");
        watch.refresh().unwrap();
        assert!(watch.coverage().version() > before);
        // One was deleted and made again, the other stands where another stood.
        std::fs::remove_dir(root.join("src")).unwrap();
        std::fs::rename(root.join("new"), root.join("src")).unwrap();
        std::fs::create_dir(root.join("new")).unwrap();
        quiet();
        watch.refresh().unwrap();
        for path in ["src/a.rs", "new/a.rs"] {
            std::fs::write(root.join(path), "").unwrap();
            assert!(receiver.recv_timeout(Duration::from_millis(400)).is_ok(), "{path}");
            quiet();
        }
    }

    #[test]
    fn folders_that_come_while_folders_are_looked_for_are_watched() {
        let (_temp, root, mut watch, receiver) = watched();
        let deep = root.join("one/two/three");
        std::fs::create_dir_all(&deep).unwrap();
        while receiver.recv_timeout(Duration::from_millis(100)).is_ok() {}
        watch.refresh().unwrap();
        std::fs::write(deep.join("a.rs"), "").unwrap();
        assert!(receiver.recv_timeout(Duration::from_millis(400)).is_ok());
    }
}
