//! One writer over all processes. The lock is the operating system's, so it ends with the process that holds it.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;

use jari_store::{Error, Result};

use crate::errors;

/// Held while a batch is written.
#[derive(Debug)]
pub(crate) struct WriterLock(#[expect(dead_code, reason = "held for its lock")] File);

impl WriterLock {
    /// Takes the lock, or says that another process has it.
    pub(crate) fn try_take(folder: &Path) -> Result<Self> {
        let file = open(folder)?;
        match file.try_lock() {
            Ok(()) => Ok(Self(file)),
            Err(TryLockError::WouldBlock) => Err(Error::Busy),
            Err(TryLockError::Error(source)) => Err(errors::writing(folder)(source)),
        }
    }

    /// Takes the lock when it is free.
    pub(crate) fn wait(folder: &Path) -> Result<Self> {
        let file = open(folder)?;
        file.lock().map_err(errors::writing(folder))?;
        Ok(Self(file))
    }
}

fn open(folder: &Path) -> Result<File> {
    let path = folder.join("writer.lock");
    OpenOptions::new().create(true).truncate(false).write(true).open(&path).map_err(errors::writing(&path))
}
