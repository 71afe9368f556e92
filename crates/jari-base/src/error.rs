//! The one table of what can go wrong, with the status each surface shows.

use crate::words;

words! {
    /// A stable code for each kind of failure.
    ErrorCode {
        /// A query without a word to look for.
        EmptyQuery = "empty_query",
        /// A flag, setting or argument that cannot be used.
        BadArgument = "bad_argument",
        /// A setting in a file or the environment that cannot be used.
        BadSetting = "bad_setting",
        /// No such file or folder.
        NotFound = "not_found",
        /// A file where a folder is needed.
        NotAFolder = "not_a_folder",
        /// The file system refused to read or write.
        Unreadable = "unreadable",
        /// No room left on the disk.
        DiskFull = "disk_full",
        /// There is no index to answer from.
        NoIndex = "no_index",
        /// The index was written by a newer Jari.
        IndexTooNew = "index_too_new",
        /// Another process is writing the index.
        IndexBusy = "index_busy",
        /// The index is damaged.
        IndexCorrupt = "index_corrupt",
        /// A model that was asked did not answer.
        ModelUnavailable = "model_unavailable",
        /// A fault of ours.
        Internal = "internal",
    }
}

impl ErrorCode {
    /// The HTTP status that says the same.
    pub fn http_status(self) -> u16 {
        match self {
            Self::EmptyQuery | Self::BadArgument | Self::BadSetting | Self::NotAFolder => 400,
            Self::Unreadable => 403,
            Self::NotFound | Self::NoIndex => 404,
            Self::IndexTooNew => 409,
            Self::IndexBusy | Self::ModelUnavailable => 503,
            Self::DiskFull => 507,
            Self::IndexCorrupt | Self::Internal => 500,
        }
    }
}

/// An error a person can act on.
pub trait Explained: std::error::Error {
    /// Its place in the table.
    fn code(&self) -> ErrorCode;

    /// What to type or change, where something helps.
    fn hint(&self) -> Option<String>;
}
