//! Whether a folder is ours to write in. What is in an index can be made anew, so it is deleted without asking; all the more it must
//! be an index. A folder is one of ours if it is empty or holds a mark that we left, and nothing in it leads elsewhere.

use std::io::{ErrorKind, Read};
use std::path::Path;
use std::time::Duration;

use jari_store::{Error, Result};

use crate::{errors, format};

/// Made before anything else, and deleted after it; both stay empty. So a process that is killed at any moment leaves one of them, or an
/// empty folder.
const MARKS: &[&str] = &["writer.lock", "keeper.lock"];

/// What the ignore file of an index holds. An index that was copied without its locks may still have it.
pub(crate) const IGNORED: &str = "*\n";

/// How deep files of vectors lie in their folder: below their provider and their model. What lies in other folders is made and deleted and
/// never written to again, and that does not follow links.
const VECTORS_DEPTH: usize = 3;

/// Looks at a folder that is about to be called somebody else's before it is: another process may be making an index in it.
const LOOKS: usize = 3;
const BETWEEN_LOOKS: Duration = Duration::from_millis(10);

/// Refuses a folder that holds somebody else's files, or links of which following one would lead out of it. Nothing is written.
pub(crate) fn check(folder: &Path) -> Result<()> {
    for name in format::NAMES {
        let path = folder.join(name);
        let depth = if *name == "vectors" { VECTORS_DEPTH } else { 0 };
        if is_linked(&path, depth) {
            return Err(Error::NotOurs { path, why: "is a link, and links of an index are not followed" });
        }
    }
    for look in 1.. {
        if is_marked(folder) || is_empty(folder)? || holds_only_ours(folder) {
            return Ok(());
        }
        if look == LOOKS {
            break;
        }
        std::thread::sleep(BETWEEN_LOOKS);
    }
    Err(Error::NotOurs { path: folder.to_owned(), why: "holds files and no index of Jari's" })
}

/// Makes the first mark in a folder that was found to be ours.
pub(crate) fn mark(folder: &Path) -> Result<()> {
    crate::lock::touch(folder, MARKS[0])
}

/// Whether there is a link at `path` or, in folders, up to `depth` below it.
fn is_linked(path: &Path, depth: usize) -> bool {
    let Ok(metadata) = std::fs::symlink_metadata(path) else { return false };
    let inside = || std::fs::read_dir(path).into_iter().flatten().flatten();
    metadata.is_symlink()
        || metadata.is_dir() && depth > 0 && inside().any(|entry| is_linked(&entry.path(), depth - 1))
}

/// Whether there is a lock of ours, or a database that says of itself that it is ours. It is not opened as one: that can change it.
fn is_marked(folder: &Path) -> bool {
    let is_lock = |name: &&str| {
        let there = std::fs::symlink_metadata(folder.join(name));
        there.is_ok_and(|metadata| metadata.is_file() && metadata.len() == 0)
    };
    MARKS.iter().any(is_lock) || is_our_database(&format::database(folder))
}

fn is_our_database(path: &Path) -> bool {
    if !std::fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file()) {
        return false;
    }
    let mut header = [0; 100];
    let read = std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut header));
    read.is_ok()
        && header.starts_with(b"SQLite format 3\0")
        && header[68..72] == format::APPLICATION.to_be_bytes()
}

/// Whether there is nothing to lose; so too where there is no folder.
fn is_empty(folder: &Path) -> Result<bool> {
    match std::fs::read_dir(folder) {
        Ok(mut entries) => Ok(entries.next().is_none()),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(true),
        Err(error) => Err(errors::writing(folder)(error)),
    }
}

/// Whether everything in it is called as in an index, the ignore file is ours, and there is no database: older versions wrote the ignore
/// file first, and could be killed right after.
fn holds_only_ours(folder: &Path) -> bool {
    let ignores = std::fs::read_to_string(folder.join(".gitignore"));
    let known = |name: &std::ffi::OsStr| format::NAMES.iter().any(|known| name == *known);
    ignores.is_ok_and(|text| text.is_empty() || text == IGNORED)
        && !format::database(folder).exists()
        && std::fs::read_dir(folder)
            .is_ok_and(|entries| entries.flatten().all(|entry| known(&entry.file_name())))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a folder with these files is ours.
    fn is_ours(files: &[(&str, &str)]) -> bool {
        let temp = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = temp.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        check(temp.path()).is_ok()
    }

    #[test]
    fn an_empty_folder_and_what_a_killed_run_leaves_are_ours() {
        assert!(is_ours(&[]));
        assert!(check(Path::new("/nonexistent/folder")).is_ok());
        assert!(is_ours(&[("writer.lock", "")]));
        assert!(is_ours(&[("writer.lock", ""), ("store.db", "half")]));
        assert!(is_ours(&[("writer.lock", ""), ("notes.txt", "mine")]));
        assert!(is_ours(&[(".gitignore", "")]));
        assert!(is_ours(&[(".gitignore", "*\n"), ("lexical/a.pos", "x")]));
    }

    #[test]
    fn folders_of_others_are_not() {
        assert!(!is_ours(&[("notes.txt", "mine")]));
        assert!(!is_ours(&[("seen", "mine")]));
        assert!(!is_ours(&[("store.db", "no database at all")]));
        assert!(!is_ours(&[("store.db", ""), (".gitignore", "*\n")]));
        assert!(!is_ours(&[("lexical/mine.txt", "mine")]));
        assert!(!is_ours(&[(".gitignore", "*\n"), ("notes.txt", "mine")]));
        assert!(!is_ours(&[(".gitignore", "target\n")]));
        assert!(!is_ours(&[("writer.lock", "1234")]));
    }

    #[cfg(unix)]
    #[test]
    fn links_in_an_index_are_refused() {
        for name in [
            "lexical",
            "vectors",
            "seen.new",
            "store.db",
            "writer.lock",
            "vectors/bundled/jari",
            "vectors/bundled/jari/index.bin",
        ] {
            let temp = tempfile::tempdir().unwrap();
            let path = temp.path().join("index").join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(temp.path().join("index/keeper.lock"), "").unwrap();
            std::os::unix::fs::symlink(temp.path(), path).unwrap();
            let refused = check(&temp.path().join("index"));
            assert!(matches!(refused, Err(Error::NotOurs { .. })), "{name}: {refused:?}");
        }
    }
}
