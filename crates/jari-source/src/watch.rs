//! File events of a project. They say that something changed and nothing more: what changed is told by the next walk,
//! so that a checkout of thousands of files is one update and a lost event costs nothing.

use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use notify::event::{MetadataKind, ModifyKind};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use crate::{names, walk};

/// Watches a project for as long as it lives.
#[derive(Debug)]
pub struct Watch {
    root: PathBuf,
    watcher: RecommendedWatcher,
    watched: HashSet<PathBuf>,
    /// Whether folders may have come since they were last looked for.
    grown: Arc<AtomicBool>,
}

impl Watch {
    /// Watches every folder that a walk of `root` enters, and the branch that Git is on. `wake` is called from another
    /// thread; nothing in the folder `without` counts. The error says why events cannot be had.
    pub fn start(root: &Path, without: &Path, wake: impl Fn() + Send + 'static) -> Result<Self, String> {
        let (root, without) = (root.to_owned(), without.to_owned());
        let grown = Arc::new(AtomicBool::new(true));
        let (top, noted) = (root.clone(), grown.clone());
        let watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
            // An error is an event that was lost: better to look once too often.
            if event.as_ref().is_ok_and(|event| !counts(&top, &without, event)) {
                return;
            }
            if event.as_ref().map_or(true, may_bring_folders) {
                noted.store(true, Ordering::Relaxed);
            }
            wake();
        })
        .map_err(|error| why(&error))?;
        let mut watch = Self { root, watcher, watched: HashSet::new(), grown };
        watch.refresh()?;
        Ok(watch)
    }

    /// Watches the folders that came since. Call it before the walk that follows an event.
    pub fn refresh(&mut self) -> Result<(), String> {
        if !self.grown.swap(false, Ordering::Relaxed) {
            return Ok(());
        }
        // Only Linux watches folder by folder; elsewhere one watch holds for all below it.
        if !cfg!(target_os = "linux") {
            return self.add(self.root.clone(), RecursiveMode::Recursive);
        }
        for folder in walk::folders(&self.root).into_iter().chain(git_folder(&self.root)) {
            self.add(folder, RecursiveMode::NonRecursive)?;
        }
        self.watched.retain(|folder| folder.is_dir());
        Ok(())
    }

    fn add(&mut self, folder: PathBuf, mode: RecursiveMode) -> Result<(), String> {
        if self.watched.contains(&folder) {
            return Ok(());
        }
        match self.watcher.watch(&folder, mode) {
            Err(error) if folder.is_dir() => return Err(why(&error)),
            // It went away while we looked.
            Err(_) => {}
            Ok(()) => drop(self.watched.insert(folder)),
        }
        Ok(())
    }
}

fn why(error: &notify::Error) -> String {
    match error.kind {
        notify::ErrorKind::MaxFilesWatch => "the system gives out no more watches".to_owned(),
        _ => error.to_string(),
    }
}

/// Whether an event can change what a walk finds.
fn counts(root: &Path, without: &Path, event: &Event) -> bool {
    let read_only = matches!(
        event.kind,
        EventKind::Access(_) | EventKind::Modify(ModifyKind::Metadata(MetadataKind::AccessTime))
    );
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
    let text = std::fs::read_to_string(git).ok()?;
    let folder = root.join(text.trim().strip_prefix("gitdir:")?.trim());
    folder.is_dir().then_some(folder)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    /// Whether `change` is noticed in a project with the folders `src`, `.git` and `idx`.
    fn noticed(change: impl FnOnce(&Path)) -> bool {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap();
        for folder in ["src", ".git", "idx", "made"] {
            std::fs::create_dir(root.join(folder)).unwrap();
        }
        std::fs::write(root.join(".gitignore"), "made\n").unwrap();
        let (sender, receiver) = mpsc::channel();
        let send = move || {
            let _ = sender.send(());
        };
        let _watch = Watch::start(&root, &root.join("idx"), send).unwrap();
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
}
