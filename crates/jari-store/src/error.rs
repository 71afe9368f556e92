//! What can go wrong in a store.

use std::path::PathBuf;

use jari_base::{ErrorCode, Explained};

/// What a store's calls return.
pub type Result<T> = std::result::Result<T, Error>;

/// A failure of a store.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Another process holds the writer's lock.
    #[error("another process is writing the index")]
    Busy,
    /// Written by a later version.
    #[error("the index at `{}` has format {found}; this version reads up to {known}", .path.display())]
    TooNew {
        /// The index.
        path: PathBuf,
        /// Its format.
        found: u32,
        /// The newest we read.
        known: u32,
    },
    /// Not what was written. Everything in it can be made anew.
    #[error("the index is damaged: {0}")]
    Corrupt(String),
    /// No room left.
    #[error("the disk is full")]
    DiskFull,
    /// The place where the index should be cannot be written.
    #[error("cannot write the index at `{}`: {source}", .path.display())]
    NotWritable {
        /// Where.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The folder where the index should be is somebody else's: nothing in it was changed.
    #[error("`{}` {why}", .path.display())]
    NotOurs {
        /// Where.
        path: PathBuf,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The backend failed for another reason.
    #[error("{0}")]
    Backend(String),
}

/// Whether a process, or the system, has as many files open as it may: `EMFILE` and `ENFILE`, which are the same numbers on all Unixes.
pub fn is_out_of_descriptors(error: &std::io::Error) -> bool {
    cfg!(unix) && matches!(error.raw_os_error(), Some(23 | 24))
}

impl Explained for Error {
    fn code(&self) -> ErrorCode {
        match self {
            Self::Busy => ErrorCode::IndexBusy,
            Self::TooNew { .. } => ErrorCode::IndexTooNew,
            Self::Corrupt(_) => ErrorCode::IndexCorrupt,
            Self::DiskFull => ErrorCode::DiskFull,
            Self::NotWritable { .. } => ErrorCode::Unreadable,
            Self::NotOurs { .. } => ErrorCode::BadArgument,
            Self::Backend(_) => ErrorCode::Internal,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Busy => {
                Some("wait for it to finish, or search meanwhile: the last complete index answers".to_owned())
            }
            Self::TooNew { .. } => {
                Some("use the newer jari that wrote it, or start over with: jari clean".to_owned())
            }
            Self::Corrupt(_) => Some("make it anew: jari index --rebuild".to_owned()),
            Self::DiskFull => {
                Some("free some room, or put the index elsewhere with --index-dir DIR".to_owned())
            }
            Self::NotWritable { source, .. } if is_out_of_descriptors(source) => {
                Some("let it open more files at once: ulimit -n 1024".to_owned())
            }
            Self::NotWritable { .. } => Some("put the index elsewhere with --index-dir DIR".to_owned()),
            Self::NotOurs { .. } => Some(
                "nothing in it was changed; keep the index in a new or empty folder: --index-dir DIR or JARI_INDEX_DIR"
                    .to_owned(),
            ),
            Self::Backend(_) => None,
        }
    }
}
