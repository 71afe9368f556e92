//! tantivy's directory, with the list of segments kept in SQLite: so that one commit shows rows and postings together.
//!
//! tantivy publishes a state by writing `meta.json`. Here that write stays in memory until SQLite commits it beside the
//! rows. Files are never deleted under tantivy's own rules, because the committed state may still name them; what no
//! committed state names is swept at the start of the next batch.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use jari_store::{Error, Result as StoreResult};
use serde::{Deserialize, Serialize};
use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    DirectoryLock, FileHandle, Lock, MmapDirectory, WatchCallback, WatchHandle, WritePtr,
};
use tantivy::{Directory, IndexMeta};

use crate::errors;

const META: &str = "meta.json";

/// See the module.
#[derive(Debug, Clone)]
pub(crate) struct SharedCommit {
    files: MmapDirectory,
    small: Arc<Mutex<HashMap<PathBuf, Vec<u8>>>>,
}

impl SharedCommit {
    /// The directory in `folder` at the state that `meta` names; `None` for a new one.
    pub(crate) fn open(folder: &Path, meta: Option<Vec<u8>>) -> tantivy::Result<Self> {
        let files = MmapDirectory::open(folder)?;
        let small = meta.map(|meta| (PathBuf::from(META), meta)).into_iter().collect();
        Ok(Self { files, small: Arc::new(Mutex::new(small)) })
    }

    /// The list of segments as last written.
    pub(crate) fn meta(&self) -> Option<Vec<u8>> {
        self.small.lock().expect("no holder panics").get(Path::new(META)).cloned()
    }
}

/// What a file of a committed state holds. tantivy's own checksums stand in the files, and so cannot tell one from another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Sum {
    name: String,
    bytes: u64,
    checksum: u32,
}

impl SharedCommit {
    /// The checksums of the files in `folder` that belong to `meta`; those of `known` are not read again, for no file changes.
    pub(crate) fn sums(&self, folder: &Path, meta: &IndexMeta, known: &[Sum]) -> StoreResult<Vec<Sum>> {
        let mut names: Vec<String> = names(folder);
        names.retain(|name| is_needed(name, meta));
        names.sort();
        let known = |name: &String| known.iter().find(|sum| sum.name == *name).cloned();
        names.into_iter().map(|name| known(&name).map_or_else(|| self.sum(name), Ok)).collect()
    }

    /// Compares every file with what was committed: tantivy trusts its files, and a flipped bit would be a panic or a wrong
    /// answer. It costs about a millisecond for each ten megabytes.
    pub(crate) fn check(&self, sums: &[Sum]) -> StoreResult<()> {
        match sums.iter().find_map(|sum| match self.sum(sum.name.clone()) {
            Ok(found) => {
                (found != *sum).then(|| Error::Corrupt(format!("`{}` is not what was written", sum.name)))
            }
            Err(error) => Some(error),
        }) {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    fn sum(&self, name: String) -> StoreResult<Sum> {
        let file =
            self.files.get_file_handle(Path::new(&name)).map_err(|error| errors::tantivy(error.into()))?;
        let bytes = file.read_bytes(0..file.len()).map_err(|error| errors::tantivy(error.into()))?;
        Ok(Sum { name, bytes: bytes.len() as u64, checksum: crc32fast::hash(&bytes) })
    }
}

/// Deletes every file in `folder` that belongs to no segment of `meta`.
pub(crate) fn sweep(folder: &Path, meta: Option<&IndexMeta>) {
    for name in names(folder) {
        if !meta.is_some_and(|meta| is_needed(&name, meta)) {
            // What cannot be deleted now is deleted another time.
            let _ = std::fs::remove_file(folder.join(name));
        }
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

fn is_needed(name: &str, meta: &IndexMeta) -> bool {
    let Some((id, part)) = name.split_once('.') else { return false };
    let Some(segment) = meta.segments.iter().find(|segment| segment.id().uuid_string() == id) else {
        return false;
    };
    // Of the lists of deleted documents only the newest counts.
    part.strip_suffix(".del").is_none_or(|opstamp| segment.delete_opstamp() == opstamp.parse().ok())
}

impl Directory for SharedCommit {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        self.files.get_file_handle(path)
    }

    fn delete(&self, _path: &Path) -> Result<(), DeleteError> {
        Ok(())
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        if path == Path::new(META) { Ok(self.meta().is_some()) } else { self.files.exists(path) }
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        self.files.open_write(path)
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        let small = self.small.lock().expect("no holder panics");
        small.get(path).cloned().ok_or_else(|| OpenReadError::FileDoesNotExist(path.to_owned()))
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        self.small.lock().expect("no holder panics").insert(path.to_owned(), data.to_vec());
        Ok(())
    }

    fn sync_directory(&self) -> io::Result<()> {
        self.files.sync_directory()
    }

    /// The store's own writer lock stands for all of tantivy's.
    fn acquire_lock(&self, _lock: &Lock) -> Result<DirectoryLock, LockError> {
        Ok(DirectoryLock::from(Box::new(())))
    }

    fn watch(&self, _callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        Ok(WatchHandle::empty())
    }
}
