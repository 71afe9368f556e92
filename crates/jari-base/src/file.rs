//! What is known of a file without its text.

use serde::{Deserialize, Serialize};

use crate::words;

/// A file's number in one index. It stays the same through edits and renames and is never given out twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FileId(pub u32);

/// A chunk: the n-th of its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ChunkId {
    /// The file it is a span of.
    pub file: FileId,
    /// Its position among the file's chunks, from 0.
    pub ordinal: u32,
}

/// A state of the index. Each batch of changes makes the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub struct Generation(pub u64);

/// The hash of a file's bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ContentHash(pub [u8; 16]);

/// What the file system says of a file before it is read. Equal stamps are taken as equal contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Stamp {
    /// Bytes on disk.
    pub size: u64,
    /// Time of the last change, in nanoseconds since 1970.
    pub modified: i64,
}

words! {
    /// Why a file that the walk met is not in the index.
    Skip {
        /// Holds NUL bytes or no text in any encoding we read.
        Binary = "binary",
        /// Over the size limit.
        TooLarge = "too large",
        /// A machine squeezed it: lines no person reads.
        Minified = "minified",
        /// Says of itself, or by its name, that a machine wrote it.
        Generated = "generated",
        /// Named as keys and credentials are. Its contents are never read.
        Secret = "secret",
        /// The file system refused.
        Unreadable = "unreadable",
        /// The system was short of something, file descriptors most often. It is tried again by every update.
        NotNow = "not opened now",
    }
}
