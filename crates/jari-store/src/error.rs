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
    /// The backend failed for another reason.
    #[error("{0}")]
    Backend(String),
}

impl Explained for Error {
    fn code(&self) -> ErrorCode {
        match self {
            Self::Busy => ErrorCode::IndexBusy,
            Self::TooNew { .. } => ErrorCode::IndexTooNew,
            Self::Corrupt(_) => ErrorCode::IndexCorrupt,
            Self::DiskFull => ErrorCode::DiskFull,
            Self::NotWritable { .. } => ErrorCode::Unreadable,
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
            Self::NotWritable { .. } => Some("put the index elsewhere with --index-dir DIR".to_owned()),
            Self::Backend(_) => None,
        }
    }
}
