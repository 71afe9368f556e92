//! Every file of a project, in parallel, with every ignore rule.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use ignore::{DirEntry, WalkBuilder, WalkState};
use jari_base::{Skip, Stamp};

use crate::read::{is_readable, reason, stamp_of};
use crate::rules::{self, Rules};
use crate::seen::{changed, followed, now};
use crate::{Error, Limits, names, read_small};

/// A file the walk met.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Relative to the root, parted by `/`.
    pub path: String,
    /// What the file system says of it.
    pub stamp: Stamp,
    /// Why it is not to be opened, where its name or size tells.
    pub skip: Option<Skip>,
}

/// What a walk met.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Walked {
    /// Sorted by path.
    pub entries: Vec<Entry>,
    /// The folders that were entered, sorted by path, and when names in them last changed.
    pub(crate) folders: Vec<(String, i64)>,
    /// Files elsewhere, or not met, that say what a walk leaves out.
    pub(crate) outside: Vec<(String, Option<Stamp>)>,
    /// When it began.
    pub(crate) began: i64,
}

/// Walks `root`. Links are not followed; files that ignore rules name are not met at all.
pub fn walk(root: &Path, limits: &Limits) -> Result<Walked, Error> {
    let metadata = std::fs::metadata(root).map_err(|source| match source.kind() {
        std::io::ErrorKind::NotFound => Error::NotFound(root.to_owned()),
        _ => Error::Unreadable { path: root.to_owned(), source },
    })?;
    if !metadata.is_dir() {
        return Err(Error::NotAFolder(root.to_owned()));
    }
    let began = now();
    let rules = Arc::new(Rules::of(root));
    let above = ignore_files_above(root);
    let above = above.into_iter().map(|path| (followed(Path::new(&path)), path));
    let met =
        Mutex::new(Met { outside: above.map(|(stamp, path)| (path, stamp)).collect(), ..Met::default() });
    parallel(root, rules.clone()).run(|| {
        let mut part = Part { root, limits, rules: &rules, met: &met, own: Met::default() };
        Box::new(move |entry| part.take(entry))
    });
    let Met { mut entries, mut folders, outside, worktrees } = met.into_inner().expect("no visitor panics");
    for worktree in worktrees {
        let below = format!("{worktree}/");
        entries.retain(|entry| !entry.path.starts_with(&below));
    }
    entries.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    for (path, reason) in rules.refused() {
        note(&mut entries, relative(root, &path), reason);
    }
    folders.sort_unstable();
    Ok(Walked { entries, folders, outside, began })
}

/// Takes note of an ignore file that was not read. A link or a pipe is not met otherwise; and what a shortage kept from us may have left
/// out more.
fn note(entries: &mut Vec<Entry>, path: Option<String>, reason: Skip) {
    let Some(path) = path else { return };
    match entries.binary_search_by(|entry| entry.path.cmp(&path)) {
        Ok(at) if reason == Skip::NotNow => entries[at].skip = Some(reason),
        Ok(_) => {}
        Err(at) => {
            let stamp = Stamp { size: 0, modified: 0 };
            entries.insert(at, Entry { path, stamp, skip: Some(reason) });
        }
    }
}

/// The ignore files that hold for `root` and do not lie in it, whether they are there or not.
pub(crate) fn ignore_files_above(root: &Path) -> Vec<String> {
    let mut paths: Vec<PathBuf> = ignore::gitignore::gitconfig_excludes_path().into_iter().collect();
    for folder in root.ancestors().skip(1) {
        paths.extend(rules::FILES.iter().map(|name| folder.join(name)));
        paths.extend(rules::exclude_file(folder));
    }
    paths.into_iter().map(|path| path.to_string_lossy().into_owned()).collect()
}

/// Every folder that a walk of `root` enters, the root among them.
pub fn folders(root: &Path) -> Vec<PathBuf> {
    let met = Mutex::new(Vec::new());
    parallel(root, Arc::new(Rules::of(root))).run(|| {
        Box::new(|entry| {
            let folder = entry.ok().filter(|entry| entry.file_type().is_some_and(|kind| kind.is_dir()));
            if let Some(folder) = folder {
                met.lock().expect("no visitor panics").push(folder.into_path());
            }
            WalkState::Continue
        })
    });
    met.into_inner().expect("no visitor panics")
}

fn parallel(root: &Path, rules: Arc<Rules>) -> ignore::WalkParallel {
    let under_git = rules::is_under_git(root);
    let mut builder = WalkBuilder::new(root);
    builder
        // It would open whatever is called like an ignore file.
        .standard_filters(false)
        .threads(std::thread::available_parallelism().map_or(2, usize::from))
        .filter_entry(move |entry| {
            if entry.depth() == 0 {
                return true;
            }
            let folder = entry.file_type().is_some_and(|kind| kind.is_dir());
            let name = entry.file_name().to_string_lossy();
            let out = folder
                && (names::is_always_out(&name) || !under_git && names::is_derived(entry.path(), &name));
            !out && !rules.leave_out(entry.path(), folder)
        });
    builder.build_parallel()
}

#[derive(Default)]
struct Met {
    entries: Vec<Entry>,
    folders: Vec<(String, i64)>,
    outside: Vec<(String, Option<Stamp>)>,
    /// Linked working trees inside the root: the same files once more.
    worktrees: Vec<String>,
}

/// What one thread met; handed over when the thread is done.
struct Part<'a> {
    root: &'a Path,
    limits: &'a Limits,
    rules: &'a Rules,
    met: &'a Mutex<Met>,
    own: Met,
}

impl Part<'_> {
    fn take(&mut self, entry: Result<DirEntry, ignore::Error>) -> WalkState {
        match entry {
            Ok(entry) => {
                let kind = entry.file_type();
                if kind.is_some_and(|kind| kind.is_file()) {
                    self.file(&entry);
                } else if kind.is_some_and(|kind| kind.is_dir()) {
                    self.folder(&entry);
                }
            }
            Err(error) => self.refused(&error),
        }
        WalkState::Continue
    }

    /// Comes before anything in it is read, so that later changes leave another time behind.
    fn folder(&mut self, entry: &DirEntry) {
        let path = relative(self.root, entry.path()).unwrap_or_default();
        let Ok(metadata) = entry.metadata() else { return };
        self.own.folders.push((path, changed(&metadata)));
        for (file, stamp) in self.rules.enter(entry.path()) {
            self.own.outside.push((file.to_string_lossy().into_owned(), Some(stamp)));
        }
    }

    fn file(&mut self, entry: &DirEntry) {
        let Some(path) = relative(self.root, entry.path()) else { return };
        let name = path.rsplit('/').next().unwrap_or(&path);
        if name == ".git" {
            // The `.git` file of a linked working tree names the tree it belongs to; a submodule's does not.
            let linked = read_small(entry.path())
                .is_ok_and(|(text, _)| String::from_utf8_lossy(&text).contains("/worktrees/"));
            if let Some((folder, _)) = path.rsplit_once('/').filter(|_| linked) {
                self.own.worktrees.push(folder.to_owned());
            }
            return;
        }
        let metadata = match entry.metadata() {
            Ok(metadata) => metadata,
            Err(error) => return self.unreadable(path, reason_of(&error)),
        };
        let stamp = stamp_of(&metadata);
        let too_large = (stamp.size > self.limits.max_file_size).then_some(Skip::TooLarge);
        // Only its own part counts: the folders above the root may be called anything.
        let below = entry.path().strip_prefix(self.root).unwrap_or(entry.path());
        let not_utf8 = below.to_str().is_none().then_some(Skip::Unreadable);
        let closed = (!is_readable(&metadata)).then_some(Skip::Unreadable);
        let skip = not_utf8.or_else(|| names::skip_at(&path)).or(too_large).or(closed);
        self.own.entries.push(Entry { path, stamp, skip });
    }

    /// A folder or file that the system does not let us see: counted, so that it is not silently missing.
    fn refused(&mut self, error: &ignore::Error) {
        if let Some(path) = path_of(error).and_then(|path| relative(self.root, &path)) {
            self.unreadable(path, reason_of(error));
        }
    }

    fn unreadable(&mut self, path: String, reason: Skip) {
        let stamp = Stamp { size: 0, modified: 0 };
        self.own.entries.push(Entry { path, stamp, skip: Some(reason) });
    }
}

impl Drop for Part<'_> {
    fn drop(&mut self) {
        let mut met = self.met.lock().expect("no visitor panics");
        met.entries.append(&mut self.own.entries);
        met.folders.append(&mut self.own.folders);
        met.outside.append(&mut self.own.outside);
        met.worktrees.append(&mut self.own.worktrees);
    }
}

fn relative(root: &Path, path: &Path) -> Option<String> {
    let path = path.strip_prefix(root).ok()?;
    let mut shown = String::new();
    // Names that are not UTF-8 stay different from each other.
    for chunk in path.as_os_str().as_encoded_bytes().utf8_chunks() {
        shown.push_str(chunk.valid());
        chunk.invalid().iter().for_each(|byte| shown.push_str(&format!("\\x{byte:02x}")));
    }
    (!shown.is_empty()).then(|| shown.replace(std::path::MAIN_SEPARATOR, "/"))
}

fn reason_of(error: &ignore::Error) -> Skip {
    error.io_error().map_or(Skip::Unreadable, reason)
}

fn path_of(error: &ignore::Error) -> Option<PathBuf> {
    match error {
        ignore::Error::WithPath { path, err } => path_of(err).or_else(|| err.is_io().then(|| path.clone())),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => path_of(err),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project(files: &[(&str, &str)]) -> tempfile::TempDir {
        let temp = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = temp.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        temp
    }

    fn check(files: &[(&str, &str)], expected: &[&str]) {
        let temp = project(files);
        let walked = walk(temp.path(), &Limits::default()).unwrap();
        assert_eq!(walked.entries.iter().map(|entry| entry.path.as_str()).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn ignore_files_hold_at_every_level() {
        check(
            &[
                (".git/info/exclude", "excluded.rs\n"),
                (".git/HEAD", ""),
                (".gitignore", "*.log\n"),
                (".jariignore", "fixtures/\n"),
                ("a.log", ""),
                ("excluded.rs", ""),
                ("fixtures/x.rs", ""),
                ("keep.rs", ""),
                ("sub/.gitignore", "/inner.rs\n"),
                ("sub/deeper/inner.rs", ""),
                ("sub/inner.rs", ""),
            ],
            &[".gitignore", ".jariignore", "keep.rs", "sub/.gitignore", "sub/deeper/inner.rs"],
        );
    }

    #[test]
    fn nearer_rules_and_those_of_our_own_win() {
        check(
            &[
                (".git/HEAD", ""),
                (".gitignore", "*.log\n/made/\n"),
                (".jariignore", "!kept.log\n"),
                ("kept.log", ""),
                ("lost.log", ""),
                ("made/a.rs", ""),
                ("sub/.gitignore", "!*.log\n"),
                ("sub/found.log", ""),
                ("sub/made/a.rs", ""),
            ],
            &[".gitignore", ".jariignore", "kept.log", "sub/.gitignore", "sub/found.log", "sub/made/a.rs"],
        );
    }

    #[test]
    fn a_repository_inside_another_does_not_heed_its_git_rules() {
        check(
            &[
                (".git/HEAD", ""),
                (".gitignore", "*.log\n"),
                (".ignore", "*.tmp\n"),
                ("inner/.git/HEAD", ""),
                ("inner/a.log", ""),
                ("inner/a.tmp", ""),
                ("inner/deeper/b.log", ""),
                ("outer/a.log", ""),
            ],
            &[".gitignore", ".ignore", "inner/a.log", "inner/deeper/b.log"],
        );
    }

    #[test]
    fn rules_above_the_root_hold_inside_one_repository() {
        let temp = project(&[(".git/HEAD", ""), (".gitignore", "*.log\n"), ("p/a.log", ""), ("p/a.rs", "")]);
        let walked = walk(&temp.path().join("p"), &Limits::default()).unwrap();
        assert_eq!(walked.entries.iter().map(|entry| entry.path.as_str()).collect::<Vec<_>>(), ["a.rs"]);
        std::fs::remove_dir_all(temp.path().join(".git")).unwrap();
        let walked = walk(&temp.path().join("p"), &Limits::default()).unwrap();
        assert_eq!(walked.entries.len(), 2);
    }

    #[cfg(unix)]
    #[test]
    fn ignore_files_that_are_links_pipes_or_devices_are_not_read_and_said() {
        for name in [".gitignore", ".ignore", ".jariignore"] {
            for target in ["/dev/zero", "../outside", "pipe"] {
                let temp = project(&[("outside", "*.rs\n"), ("p/sub/a.rs", ""), ("p/sub/b.rs", "")]);
                let (root, ignores) = (temp.path().join("p"), temp.path().join("p/sub").join(name));
                match target {
                    "pipe" => {
                        let made = std::process::Command::new("mkfifo").arg(&ignores).status().unwrap();
                        assert!(made.success());
                    }
                    target => std::os::unix::fs::symlink(target, &ignores).unwrap(),
                }
                let walked = walk(&root, &Limits::default()).unwrap();
                let met: Vec<_> =
                    walked.entries.iter().map(|entry| (entry.path.as_str(), entry.skip)).collect();
                let odd = format!("sub/{name}");
                let unreadable = Some(Skip::Unreadable);
                assert_eq!(met, [(odd.as_str(), unreadable), ("sub/a.rs", None), ("sub/b.rs", None)]);
                assert_eq!(folders(&root).len(), 2);
            }
        }
        let temp = project(&[(".git/info/x", ""), ("a.rs", "")]);
        std::os::unix::fs::symlink("/dev/zero", temp.path().join(".git/info/exclude")).unwrap();
        let walked = walk(temp.path(), &Limits::default()).unwrap();
        assert_eq!(
            walked.entries.iter().map(|entry| entry.path.as_str()).collect::<Vec<_>>(),
            [".git/info/exclude", "a.rs"]
        );
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_project_below_a_folder_of_any_name_is_read() {
        use std::os::unix::ffi::OsStrExt;
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().join(std::ffi::OsStr::from_bytes(b"caf\xe9/p"));
        std::fs::create_dir_all(&root).unwrap();
        std::fs::write(root.join("a.rs"), "").unwrap();
        std::fs::write(root.join(std::ffi::OsStr::from_bytes(b"\xe9.rs")), "").unwrap();
        let walked = walk(&root, &Limits::default()).unwrap();
        let met: Vec<_> = walked.entries.iter().map(|entry| (entry.path.as_str(), entry.skip)).collect();
        assert_eq!(met, [("\\xe9.rs", Some(Skip::Unreadable)), ("a.rs", None)]);
    }

    #[test]
    fn outside_git_build_folders_are_left_out() {
        let files = [
            ("Cargo.toml", ""),
            ("node_modules/a.js", ""),
            ("src/target/x.rs", ""),
            ("target/debug/a.rs", ""),
        ];
        check(&files, &["Cargo.toml", "src/target/x.rs"]);
        check(&[(".git/HEAD", ""), ("node_modules/a.js", "")], &["node_modules/a.js"]);
    }

    #[test]
    fn linked_worktrees_are_not_read_twice_but_submodules_are_read() {
        check(
            &[
                ("a.rs", ""),
                ("lib/.git", "gitdir: ../.git/modules/lib\n"),
                ("lib/b.rs", ""),
                ("trees/one/.git", "gitdir: /p/.git/worktrees/one\n"),
                ("trees/one/a.rs", ""),
            ],
            &["a.rs", "lib/b.rs"],
        );
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        let temp = project(&[("a/x.rs", "")]);
        std::os::unix::fs::symlink(temp.path(), temp.path().join("a/loop")).unwrap();
        std::os::unix::fs::symlink("/etc/hostname", temp.path().join("outside")).unwrap();
        let walked = walk(temp.path(), &Limits::default()).unwrap();
        assert_eq!(walked.entries.len(), 1);
    }

    #[test]
    fn names_and_sizes_are_told_without_opening() {
        let temp = project(&[(".env", "KEY=1"), ("big.txt", &"x".repeat(100))]);
        let walked = walk(temp.path(), &Limits { max_file_size: 10, ..Limits::default() }).unwrap();
        let skips: Vec<_> = walked.entries.iter().map(|entry| entry.skip).collect();
        assert_eq!(skips, [Some(Skip::Secret), Some(Skip::TooLarge)]);
    }
}
