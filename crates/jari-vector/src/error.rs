//! Why vectors cannot be read or written.

use std::io;

/// Why vectors cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There are none.
    #[error("there are no vectors")]
    Missing,
    /// They are of another model, or of texts that were cut in another way.
    #[error("the vectors were made by another model or version")]
    Other,
    /// The file is not what was written.
    #[error("the file of vectors is damaged: {0}")]
    Damaged(&'static str),
    /// The disk failed.
    #[error("the vectors cannot be read: {0}")]
    Reading(#[source] io::Error),
    /// The disk failed, or is full.
    #[error("the vectors cannot be written: {0}")]
    Writing(#[source] io::Error),
}
