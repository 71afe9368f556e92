//! What ignore files leave out of a walk. They belong to the project, and may be anything: links, pipes, devices. So they are read here
//! and not by the walker, and only where they are regular files of a size that people write. Git does not follow links to them either.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, RwLock};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use jari_base::{Skip, Stamp};

use crate::read::{read_small, read_small_of_user, reason};

/// Files that say what a walk leaves out; what the first says goes before what the others say, whichever folder they lie in. Git's own
/// [`exclude_file`] comes after them, and the user's after all.
pub(crate) const FILES: &[&str] = &[".jariignore", ".ignore", ".gitignore"];

/// From here on they are Git's: a repository inside another does not heed those above it.
const OF_GIT: usize = 2;

/// The rules for one walk, read folder by folder.
pub(crate) struct Rules {
    root: PathBuf,
    /// What holds for the root and does not lie in it.
    above: Option<Arc<Level>>,
    /// Of the user, for all projects.
    global: Gitignore,
    levels: RwLock<HashMap<PathBuf, Option<Arc<Level>>>>,
    refused: Mutex<Vec<(PathBuf, Skip)>>,
}

/// The rules of one folder.
struct Level {
    /// Those of the nearest folder above that has some.
    above: Option<Arc<Level>>,
    /// In the order of [`FILES`], and Git's own last.
    matchers: Vec<Gitignore>,
    is_repository: bool,
}

impl Rules {
    /// The rules for a walk of `root`.
    pub(crate) fn of(root: &Path) -> Self {
        let global = ignore::gitignore::gitconfig_excludes_path()
            .and_then(|path| read_small_of_user(&path).ok())
            .map_or_else(Gitignore::empty, |(text, _)| matcher(root, &text));
        let rules = Self {
            root: root.to_owned(),
            above: None,
            global,
            levels: RwLock::default(),
            refused: Mutex::default(),
        };
        // Outside Git a folder above has nothing to do with the project.
        let above: Vec<&Path> = match is_under_git(root) {
            true => root.ancestors().skip(1).collect(),
            false => Vec::new(),
        };
        let above = above.into_iter().rev().fold(None, |above, folder| rules.read(folder, above).0);
        Self { above, ..rules }
    }

    /// Reads the rules of a folder that the walk enters; returns the files that hold them. It comes before anything in the folder is
    /// asked about.
    pub(crate) fn enter(&self, folder: &Path) -> Vec<(PathBuf, Stamp)> {
        let above = match folder.parent() {
            Some(parent) if folder != self.root => self.level(parent),
            _ => self.above.clone(),
        };
        let (level, files) = self.read(folder, above);
        self.levels.write().expect("no holder panics").insert(folder.to_owned(), level);
        files
    }

    /// Whether a file or folder is left out.
    pub(crate) fn leave_out(&self, path: &Path, is_folder: bool) -> bool {
        let level = path.parent().and_then(|folder| self.level(folder));
        for kind in 0..=FILES.len() {
            let mut nearest = level.as_ref();
            while let Some(level) = nearest {
                match level.matchers[kind].matched(path, is_folder) {
                    Match::None if kind >= OF_GIT && level.is_repository => break,
                    Match::None => nearest = level.above.as_ref(),
                    Match::Ignore(_) => return true,
                    Match::Whitelist(_) => return false,
                }
            }
        }
        self.global.matched(path, is_folder).is_ignore()
    }

    /// The ignore files that were not read, and why.
    pub(crate) fn refused(&self) -> Vec<(PathBuf, Skip)> {
        std::mem::take(&mut *self.refused.lock().expect("no holder panics"))
    }

    /// What holds in a folder at the root or below.
    fn level(&self, folder: &Path) -> Option<Arc<Level>> {
        if let Some(level) = self.levels.read().expect("no holder panics").get(folder) {
            return level.clone();
        }
        self.enter(folder);
        self.levels.read().expect("no holder panics").get(folder).cloned().flatten()
    }

    /// The rules of one folder on top of those `above`; that are the same where it has none.
    fn read(&self, folder: &Path, above: Option<Arc<Level>>) -> (Option<Arc<Level>>, Vec<(PathBuf, Stamp)>) {
        let mut files = Vec::new();
        let mut read = |path: Option<PathBuf>| {
            let Some(path) = path else { return Gitignore::empty() };
            match read_small(&path) {
                Ok((text, stamp)) => {
                    files.push((path, stamp));
                    matcher(folder, &text)
                }
                Err(error) => {
                    self.refuse(path, &error);
                    Gitignore::empty()
                }
            }
        };
        let mut matchers: Vec<Gitignore> = FILES.iter().map(|name| read(Some(folder.join(name)))).collect();
        let git = folder.join(".git");
        // Most folders have none.
        let there = std::fs::symlink_metadata(&git).ok();
        let is_repository = there.is_some();
        matchers.push(read(there.as_ref().and_then(|_| exclude_file(folder))));
        files.extend(there.filter(|there| there.is_file()).map(|there| (git, crate::read::stamp_of(&there))));
        if matchers.iter().all(Gitignore::is_empty) && !is_repository {
            return (above, files);
        }
        (Some(Arc::new(Level { above, matchers, is_repository })), files)
    }

    /// Takes note of an ignore file that was not read. One that is not there, or is a folder, is none.
    fn refuse(&self, path: PathBuf, error: &std::io::Error) {
        let none = match error.raw_os_error() {
            Some(_) => {
                matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory)
            }
            None => path.is_dir(),
        };
        if !none {
            self.refused.lock().expect("no holder panics").push((path, reason(error)));
        }
    }
}

/// Whether `root` lies in a working tree of Git's.
pub(crate) fn is_under_git(root: &Path) -> bool {
    root.ancestors().any(|folder| folder.join(".git").exists())
}

/// Git's own ignore file of the repository whose top is `folder`. A linked working tree shares that of the tree it was made from.
pub(crate) fn exclude_file(folder: &Path) -> Option<PathBuf> {
    let git = folder.join(".git");
    if !std::fs::symlink_metadata(&git).is_ok_and(|there| there.is_file()) {
        return Some(git.join("info/exclude"));
    }
    let text = |path: &Path| String::from_utf8(read_small(path).ok()?.0).ok();
    let own = folder.join(text(&git)?.strip_prefix("gitdir:")?.trim());
    let common = text(&own.join("commondir")).map_or(own.clone(), |common| own.join(common.trim()));
    Some(common.join("info/exclude"))
}

/// The rules in `text`, for what is below `folder`. A line that cannot be understood says nothing.
fn matcher(folder: &Path, text: &[u8]) -> Gitignore {
    let text = String::from_utf8_lossy(text);
    let mut builder = GitignoreBuilder::new(folder);
    for line in text.trim_start_matches('\u{feff}').lines() {
        let _ = builder.add_line(None, line);
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}
