//! Which folder is the project.

use std::path::{Path, PathBuf};

use crate::Error;

/// What marks the top of a project, nearest first.
const MARKS: &[&str] = &[".jari", "jari.toml", ".git", ".hg", ".svn"];

/// A project, and the part of it a user spoke of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The top of the project: what is indexed.
    pub root: PathBuf,
    /// The folder the user named, relative to the root; empty for all of it.
    pub within: String,
    /// Whether something marks the root; else it is the root because the user named it.
    pub marked: bool,
}

/// The project around `path`: the nearest folder above that has an index, a settings file or version control; else
/// `path` itself.
pub fn locate(path: &Path) -> Result<Place, Error> {
    let folder = path.canonicalize().map_err(|source| match source.kind() {
        std::io::ErrorKind::NotFound => Error::NotFound(path.to_owned()),
        _ => Error::Unreadable { path: path.to_owned(), source },
    })?;
    if !folder.is_dir() {
        return Err(Error::NotAFolder(path.to_owned()));
    }
    std::fs::read_dir(&folder).map_err(|source| Error::Unreadable { path: path.to_owned(), source })?;
    let marked = |folder: &&Path| MARKS.iter().any(|mark| folder.join(mark).exists());
    let found = folder.ancestors().find(marked);
    let root = found.unwrap_or(&folder).to_owned();
    let within = folder.strip_prefix(&root).expect("an ancestor is a prefix");
    let within = within.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/");
    Ok(Place { within, marked: found.is_some(), root })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_mark_above_is_the_root() {
        let temp = tempfile::tempdir().unwrap();
        let top = temp.path().canonicalize().unwrap();
        std::fs::create_dir_all(top.join("a/b/c")).unwrap();
        assert_eq!(
            locate(&top.join("a/b")).unwrap(),
            Place { root: top.join("a/b"), within: String::new(), marked: false }
        );
        std::fs::create_dir(top.join("a/.git")).unwrap();
        assert_eq!(
            locate(&top.join("a/b/c")).unwrap(),
            Place { root: top.join("a"), within: "b/c".to_owned(), marked: true }
        );
    }

    #[test]
    fn what_is_no_folder_is_said() {
        let temp = tempfile::tempdir().unwrap();
        let file = temp.path().join("file.rs");
        std::fs::write(&file, "").unwrap();
        assert!(matches!(locate(&file), Err(Error::NotAFolder(_))));
        assert!(matches!(locate(&temp.path().join("none")), Err(Error::NotFound(_))));
    }
}
