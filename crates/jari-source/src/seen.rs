//! What a walk saw, kept so that the next one can often be spared. Files that come, go or move change the time of their
//! folder, and edits change their own: where every time is as it was, there is nothing to find.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use jari_base::{Skip, Stamp};
use serde::{Deserialize, Serialize};

#[cfg(unix)]
use crate::read::may_read;
use crate::read::stamp_of;
use crate::walk::{Walked, ignore_files_above};

/// Changes whenever a walk of the same tree would meet other files than before.
const VERSION: u32 = 3;

/// A change that comes this soon after another may leave the same time behind. Clocks of file systems tick every few
/// milliseconds; those that count whole seconds show it.
const TICK: i64 = 20_000_000;
const SLOW_TICK: i64 = 2_000_000_000;

/// Folders that one thread takes at a time.
const SHARE: usize = 32;

/// What a walk saw.
#[derive(Debug, Serialize, Deserialize)]
pub struct Seen<'a> {
    version: u32,
    #[serde(borrow)]
    root: &'a str,
    /// The state of the index that holds it all.
    generation: u64,
    /// When the walk began.
    began: i64,
    /// Ignore files that are no part of the tree, or that hide themselves.
    outside: Vec<(&'a str, Option<Stamp>)>,
    /// Folders, packed by shares: threads unpack what they look at.
    shares: Vec<&'a [u8]>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Folder<'a> {
    /// Relative to the root.
    #[serde(borrow)]
    path: &'a str,
    changed: i64,
    /// The names of files right in it.
    files: Vec<(&'a str, Stamp)>,
}

impl Walked {
    /// What is worth keeping of a walk of `root` that made or found this state of the index; `None` if times do not tell
    /// whether something changed.
    pub fn seen(&self, root: &Path, generation: u64) -> Option<Vec<u8>> {
        // What cannot be read may become readable without a trace.
        if self.entries.iter().any(|entry| matches!(entry.skip, Some(Skip::Unreadable | Skip::NotNow))) {
            return None;
        }
        let mut folders: Vec<Folder<'_>> = self
            .folders
            .iter()
            .map(|(path, changed)| Folder { path, changed: *changed, files: Vec::new() })
            .collect();
        for entry in &self.entries {
            let (folder, name) = entry.path.rsplit_once('/').unwrap_or(("", &entry.path));
            let at = folders.binary_search_by(|known| known.path.cmp(folder)).ok()?;
            folders[at].files.push((name, entry.stamp));
        }
        let shares: Vec<Vec<u8>> =
            folders.chunks(SHARE).map(|share| postcard::to_stdvec(share).ok()).collect::<Option<_>>()?;
        let seen = Seen {
            version: VERSION,
            root: root.to_str()?,
            generation,
            began: self.began,
            outside: self.outside.iter().map(|(path, stamp)| (path.as_str(), *stamp)).collect(),
            shares: shares.iter().map(Vec::as_slice).collect(),
        };
        let body = postcard::to_stdvec(&seen).ok()?;
        Some([blake3::hash(&body).as_bytes(), body.as_slice()].concat())
    }
}

impl<'a> Seen<'a> {
    /// Reads what was kept; `None` if it is not what was written.
    pub fn read(kept: &'a [u8]) -> Option<Self> {
        let (hash, body) = kept.split_at_checked(blake3::OUT_LEN)?;
        let seen: Self = postcard::from_bytes(body).ok().filter(|_| blake3::hash(body).as_bytes() == hash)?;
        (seen.version == VERSION).then_some(seen)
    }

    /// Whether this state of the index was made of it.
    pub fn is_of(&self, generation: u64) -> bool {
        self.generation == generation
    }

    /// Whether the tree at `root` is still what the walk saw, as far as names, sizes and times tell. Once somebody who watches the tree has
    /// `vouched` for it, only ignore files elsewhere and the first folders are looked at, the root among them.
    pub fn holds(&self, root: &Path, vouched: &AtomicBool) -> bool {
        if Some(self.root) != root.to_str() {
            return false;
        }
        let Some(tree) = Tree::open(root) else { return false };
        let (next, differs) = (AtomicUsize::new(0), AtomicBool::new(false));
        let look = || {
            while !differs.load(Ordering::Relaxed) {
                let holds = match next.fetch_add(1, Ordering::Relaxed).checked_sub(1) {
                    None => self.outside_holds(root),
                    Some(share) if share > 0 && vouched.load(Ordering::Relaxed) => break,
                    Some(share) => match self.shares.get(share) {
                        Some(share) => self.share_holds(&tree, share),
                        None => break,
                    },
                };
                differs.fetch_or(!holds, Ordering::Relaxed);
            }
        };
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        std::thread::scope(|scope| {
            for _ in 1..threads.min(self.shares.len()) {
                scope.spawn(look);
            }
            look();
        });
        !differs.into_inner()
    }

    /// Whether a change after the walk would have left a later time behind than this one.
    pub fn is_settled(&self, time: i64) -> bool {
        let tick = if time % 1_000_000_000 == 0 { SLOW_TICK } else { TICK };
        time + tick < self.began
    }

    /// Whether the ignore files that are no part of the tree are what they were.
    fn outside_holds(&self, root: &Path) -> bool {
        let known = |path: &String| self.outside.iter().any(|(outside, _)| outside == path);
        let is_same = |(path, stamp): &(&str, Option<Stamp>)| {
            followed(Path::new(path)) == *stamp && stamp.is_none_or(|stamp| self.is_settled(stamp.modified))
        };
        ignore_files_above(root).iter().all(known) && self.outside.iter().all(is_same)
    }

    fn share_holds(&self, tree: &Tree, share: &[u8]) -> bool {
        let folders: Vec<Folder<'_>> = postcard::from_bytes(share).unwrap_or_default();
        !folders.is_empty() && folders.iter().all(|folder| self.folder_holds(tree, folder))
    }

    fn folder_holds(&self, tree: &Tree, folder: &Folder<'_>) -> bool {
        let is_same = |time: i64| time == folder.changed && self.is_settled(time);
        let inner = if folder.files.len() < WORTH_OPENING { None } else { tree.enter(folder.path) };
        let changed = match &inner {
            Some(inner) => inner.changed(""),
            None => tree.changed(folder.path),
        };
        changed.is_some_and(is_same)
            && folder.files.iter().all(|(name, stamp)| {
                let now = match &inner {
                    Some(inner) => inner.stamp(name),
                    None if folder.path.is_empty() => tree.stamp(name),
                    None => tree.stamp(&format!("{}/{name}", folder.path)),
                };
                now == Some(*stamp) && self.is_settled(stamp.modified)
            })
    }
}

/// From this many files on it is cheaper to open their folder than to go all the way to each.
const WORTH_OPENING: usize = 3;

/// A folder from which one looks at what is below it: the way to it is gone once, not for each file.
#[cfg(unix)]
struct Tree(rustix::fd::OwnedFd);

#[cfg(unix)]
impl Tree {
    fn open(path: &Path) -> Option<Self> {
        Self::opened(rustix::fs::CWD, path.as_os_str().as_encoded_bytes(), rustix::fs::OFlags::empty())
    }

    /// A folder below; `None` if it cannot be opened.
    fn enter(&self, folder: &str) -> Option<Self> {
        Self::opened(&self.0, here(folder).as_bytes(), rustix::fs::OFlags::NOFOLLOW)
    }

    fn opened(from: impl rustix::fd::AsFd, path: &[u8], flags: rustix::fs::OFlags) -> Option<Self> {
        use rustix::fs::{Mode, OFlags};
        let flags = flags | OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        #[cfg(target_os = "linux")]
        let flags = flags | OFlags::PATH;
        rustix::fs::openat(from, path, flags, Mode::empty()).ok().map(Self)
    }

    /// When names in a folder last changed; `None` if it is none any more.
    fn changed(&self, folder: &str) -> Option<i64> {
        let status = self.status(here(folder), rustix::fs::FileType::Directory)?;
        Some(nanoseconds(status.st_ctime, status.st_ctime_nsec as i64))
    }

    /// What the file system says of a file; `None` if it is no regular file any more, or none that we may read.
    fn stamp(&self, file: &str) -> Option<Stamp> {
        let status = self.status(file, rustix::fs::FileType::RegularFile)?;
        if !may_read(status.st_mode, status.st_uid) {
            return None;
        }
        let modified = nanoseconds(status.st_mtime, status.st_mtime_nsec as i64);
        // Times before 1970 count as none, as they do everywhere.
        Some(Stamp { size: status.st_size as u64, modified: modified.max(0) })
    }

    fn status(&self, path: &str, kind: rustix::fs::FileType) -> Option<rustix::fs::Stat> {
        use rustix::fs::{AtFlags, FileType};
        let status = rustix::fs::statat(&self.0, path, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        (FileType::from_raw_mode(status.st_mode) == kind).then_some(status)
    }
}

/// What a folder is called from within itself.
#[cfg(unix)]
fn here(folder: &str) -> &str {
    if folder.is_empty() { "." } else { folder }
}

#[cfg(not(unix))]
struct Tree(std::path::PathBuf);

#[cfg(not(unix))]
impl Tree {
    fn open(path: &Path) -> Option<Self> {
        Some(Self(path.to_owned()))
    }

    fn enter(&self, folder: &str) -> Option<Self> {
        Some(Self(self.0.join(folder)))
    }

    fn changed(&self, folder: &str) -> Option<i64> {
        let metadata = std::fs::symlink_metadata(self.0.join(folder)).ok()?;
        metadata.is_dir().then(|| changed(&metadata))
    }

    fn stamp(&self, file: &str) -> Option<Stamp> {
        crate::stamp(&self.0.join(file))
    }
}

#[cfg(unix)]
fn nanoseconds(seconds: i64, rest: i64) -> i64 {
    seconds * 1_000_000_000 + rest
}

/// When names in a folder last changed. Nobody can set this time back.
#[cfg(unix)]
pub(crate) fn changed(metadata: &std::fs::Metadata) -> i64 {
    use std::os::unix::fs::MetadataExt;
    nanoseconds(metadata.ctime(), metadata.ctime_nsec())
}

/// When names in a folder last changed.
#[cfg(not(unix))]
pub(crate) fn changed(metadata: &std::fs::Metadata) -> i64 {
    stamp_of(metadata).modified
}

/// What the file system says of a file, or of what a link leads to.
pub(crate) fn followed(path: &Path) -> Option<Stamp> {
    std::fs::metadata(path).ok().map(|metadata| stamp_of(&metadata))
}

pub(crate) fn now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as i64)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::{Limits, walk};

    /// A settled tree, and what a walk of it saw.
    fn tree() -> (tempfile::TempDir, Vec<u8>) {
        let temp = tempfile::tempdir().unwrap();
        for (path, text) in [
            (".git/info/exclude", "out/\n"),
            (".gitignore", "*.log\n"),
            ("a.rs", "fn a() {}\n"),
            ("hidden/.gitignore", "*\n"),
            ("hidden/b.rs", ""),
            ("sub/deeper/c.rs", ""),
        ] {
            let path = temp.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        std::thread::sleep(Duration::from_millis(40));
        let walked = walk(temp.path(), &Limits::default()).unwrap();
        let seen = walked.seen(temp.path(), 1).unwrap();
        (temp, seen)
    }

    /// Whether it holds where nobody vouches for it.
    fn holds(seen: &Seen<'_>, root: &Path) -> bool {
        seen.holds(root, &AtomicBool::new(false))
    }

    #[track_caller]
    fn check(expected: bool, change: impl Fn(&Path)) {
        let (temp, seen) = tree();
        let seen = Seen::read(&seen).unwrap();
        assert!(holds(&seen, temp.path()), "before the change");
        change(temp.path());
        assert_eq!(holds(&seen, temp.path()), expected);
    }

    #[test]
    fn what_somebody_vouches_for_holds_but_for_ignore_files_elsewhere() {
        let temp = tempfile::tempdir().unwrap();
        for folder in 0..100 {
            std::fs::create_dir(temp.path().join(format!("{folder:03}"))).unwrap();
        }
        let (last, exclude) = (temp.path().join("099/a.rs"), temp.path().join(".git/info/exclude"));
        std::fs::create_dir_all(exclude.parent().unwrap()).unwrap();
        std::fs::write(&exclude, "").unwrap();
        std::fs::write(&last, "").unwrap();
        std::thread::sleep(Duration::from_millis(40));
        let seen = walk(temp.path(), &Limits::default()).unwrap().seen(temp.path(), 1).unwrap();
        let seen = Seen::read(&seen).unwrap();
        let vouched = AtomicBool::new(true);
        std::fs::write(&last, "fn b() {}\n").unwrap();
        assert!(seen.holds(temp.path(), &vouched) && !holds(&seen, temp.path()));
        std::fs::write(&exclude, "sub/\n").unwrap();
        assert!(!seen.holds(temp.path(), &vouched));
    }

    #[test]
    fn what_is_as_it_was_holds() {
        check(true, |_| {});
        check(true, |root| drop(std::fs::read(root.join("a.rs")).unwrap()));
    }

    #[test]
    fn every_change_is_noticed() {
        check(false, |root| std::fs::write(root.join("a.rs"), "fn b() {}\n").unwrap());
        check(false, |root| std::fs::write(root.join("new.rs"), "").unwrap());
        check(false, |root| std::fs::create_dir(root.join("sub/empty")).unwrap());
        check(false, |root| std::fs::remove_file(root.join("sub/deeper/c.rs")).unwrap());
        check(false, |root| {
            std::fs::rename(root.join("sub/deeper/c.rs"), root.join("sub/deeper/d.rs")).unwrap();
        });
        check(false, |root| std::fs::rename(root.join("sub"), root.join("other")).unwrap());
        check(false, |root| std::fs::write(root.join(".gitignore"), "*.rs\n").unwrap());
    }

    #[test]
    fn ignore_files_that_are_not_met_count_too() {
        check(false, |root| std::fs::write(root.join(".git/info/exclude"), "sub/\n").unwrap());
        check(false, |root| std::fs::write(root.join("hidden/.gitignore"), "\n").unwrap());
    }

    #[test]
    fn ignored_files_count_only_where_they_come_and_go() {
        check(true, |root| std::fs::write(root.join("hidden/b.rs"), "changed").unwrap());
        check(false, |root| std::fs::write(root.join("new.log"), "").unwrap());
    }

    #[test]
    fn times_younger_than_the_clock_can_tell_do_not_count() {
        let temp = tempfile::tempdir().unwrap();
        std::fs::write(temp.path().join("a.rs"), "").unwrap();
        let kept = walk(temp.path(), &Limits::default()).unwrap().seen(temp.path(), 1).unwrap();
        assert!(!holds(&Seen::read(&kept).unwrap(), temp.path()));
    }

    #[test]
    fn another_state_another_root_and_damage_do_not_hold() {
        let (temp, mut seen) = tree();
        assert!(!Seen::read(&seen).unwrap().is_of(2));
        assert!(!holds(&Seen::read(&seen).unwrap(), &temp.path().join("sub")));
        let middle = seen.len() / 2;
        seen[middle] ^= 1;
        assert!(Seen::read(&seen).is_none() && Seen::read(&seen[..20]).is_none());
    }
}
