//! The world of files: which there are, what they hold, why some are left out. Nothing outside the root is read.

mod decode;
mod history;
mod names;
mod read;
mod root;
mod rules;
mod secrets;
mod seen;
mod walk;
mod watch;

pub use history::{
    Changed, Gone, HistoryError, Removal, changed_since, identifiers, last_changed, removals, texts_at,
};
pub use names::skip_by_path;
pub use read::{Contents, read, read_small, read_small_of_user, read_unmasked, stamp};
pub use root::{Place, locate};
pub use secrets::{MASK, MASK_VERSION, masked};
pub use seen::Seen;
pub use walk::{Entry, Walked, folders, walk};
pub use watch::{Coverage, Heard, Watch, hears_all};

use std::path::PathBuf;

/// Limits on what is taken in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Files with more bytes are skipped.
    pub max_file_size: u64,
    /// About how many bytes of memory indexing may use. Less means smaller batches, not another index.
    pub memory: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_file_size: 1024 * 1024, memory: 512 * 1024 * 1024 }
    }
}

/// A root that cannot be walked.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Nothing is there.
    #[error("no such file or folder: `{}`", .0.display())]
    NotFound(PathBuf),
    /// A file where a folder is needed.
    #[error("`{}` is a file, not a folder", .0.display())]
    NotAFolder(PathBuf),
    /// The file system refused.
    #[error("cannot read `{}`: {source}", .path.display())]
    Unreadable {
        /// Which path.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

impl jari_base::Explained for Error {
    fn code(&self) -> jari_base::ErrorCode {
        match self {
            Self::NotFound(_) => jari_base::ErrorCode::NotFound,
            Self::NotAFolder(_) => jari_base::ErrorCode::NotAFolder,
            Self::Unreadable { .. } => jari_base::ErrorCode::Unreadable,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::NotFound(_) => {
                Some("check the spelling; a path is taken from the current folder".to_owned())
            }

            Self::NotAFolder(file) => {
                let folder = file.parent().filter(|parent| !parent.as_os_str().is_empty());
                let folder = folder.map_or_else(|| ".".to_owned(), |parent| parent.display().to_string());
                Some(format!("give the folder `{folder}`"))
            }
            Self::Unreadable { .. } => Some("check the permissions of the folder".to_owned()),
        }
    }
}
