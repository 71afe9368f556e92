//! One writer over all processes. The lock is the operating system's, so it ends with the process that holds it.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

use jari_store::{Error, Result};

use crate::errors;

/// Held while a batch is written.
#[derive(Debug)]
pub(crate) struct WriterLock(#[expect(dead_code, reason = "held for its lock")] File);

impl WriterLock {
    /// Takes the lock, or says that another process has it.
    pub(crate) fn try_take(folder: &Path) -> Result<Self> {
        try_lock(folder, "writer.lock")?.map(Self).ok_or(Error::Busy)
    }

    /// Takes the lock when it is free.
    pub(crate) fn wait(folder: &Path) -> Result<Self> {
        loop {
            let (path, file) = open(folder, "writer.lock")?;
            file.lock().map_err(errors::writing(folder))?;
            if still_stands(&path, &file) {
                return Ok(Self(file));
            }
        }
    }
}

/// The lock of this name in `folder`; `None` if another process has it.
pub(crate) fn try_lock(folder: &Path, name: &str) -> Result<Option<File>> {
    loop {
        let (path, file) = open(folder, name)?;
        match file.try_lock() {
            Ok(()) if still_stands(&path, &file) => return Ok(Some(file)),
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(source)) => return Err(errors::writing(&path)(source)),
        }
    }
}

/// Makes the file of a lock without taking it.
pub(crate) fn touch(folder: &Path, name: &str) -> Result<()> {
    open(folder, name).map(drop)
}

fn open(folder: &Path, name: &str) -> Result<(PathBuf, File)> {
    let path = folder.join(name);
    let opened = || OpenOptions::new().create(true).truncate(false).write(true).open(&path);
    // Whoever deletes the index takes the folder away between our making it and this.
    let file = opened().or_else(|error| match error.kind() {
        std::io::ErrorKind::NotFound => std::fs::create_dir_all(folder).and_then(|()| opened()),
        _ => Err(error),
    });
    let file = file.map_err(errors::writing(&path))?;
    Ok((path, file))
}

/// Whether the file that we locked is still the one that others find: it may have been deleted while we waited, and then
/// somebody else can hold the lock of its successor.
#[cfg(unix)]
fn still_stands(path: &Path, file: &File) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |metadata: std::fs::Metadata| (metadata.dev(), metadata.ino());
    let there = std::fs::metadata(path).map(identity).ok();
    there.is_some() && there == file.metadata().map(identity).ok()
}

/// Files that are open cannot be deleted here.
#[cfg(not(unix))]
fn still_stands(_path: &Path, _file: &File) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_that_was_deleted_is_no_lock() {
        let folder = tempfile::tempdir().unwrap();
        let first = WriterLock::wait(folder.path()).unwrap();
        assert!(matches!(WriterLock::try_take(folder.path()), Err(Error::Busy)));
        let waiting = std::thread::scope(|scope| {
            let waiter = scope.spawn(|| WriterLock::wait(folder.path()).unwrap());
            std::thread::sleep(std::time::Duration::from_millis(50));
            std::fs::remove_file(folder.path().join("writer.lock")).unwrap();
            drop(first);
            waiter.join().unwrap()
        });
        // It holds what is there now, not what was there when it began to wait.
        assert!(matches!(WriterLock::try_take(folder.path()), Err(Error::Busy)));
        drop(waiting);
        WriterLock::try_take(folder.path()).unwrap();
    }

    #[test]
    fn a_folder_that_was_deleted_is_made_again() {
        let folder = tempfile::tempdir().unwrap();
        WriterLock::wait(&folder.path().join("gone")).unwrap();
    }
}
