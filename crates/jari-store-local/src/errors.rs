//! From the libraries' errors to the contract's.

use std::io::ErrorKind;
use std::path::Path;

use jari_store::Error;

pub(crate) fn sqlite(error: rusqlite::Error) -> Error {
    use rusqlite::ErrorCode::{
        DatabaseBusy, DatabaseCorrupt, DatabaseLocked, DiskFull, NotADatabase, Unknown,
    };
    match error.sqlite_error_code() {
        // `Unknown` is how SQLite calls a table or column that is not there.
        Some(DatabaseCorrupt | NotADatabase | Unknown) => Error::Corrupt(error.to_string()),
        Some(DiskFull) => Error::DiskFull,
        Some(DatabaseBusy | DatabaseLocked) => Error::Busy,
        _ => match error {
            // A row that is not what was written.
            rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::IntegralValueOutOfRange(..)
            | rusqlite::Error::Utf8Error(..)
            | rusqlite::Error::QueryReturnedNoRows => Error::Corrupt(error.to_string()),
            error => Error::Backend(error.to_string()),
        },
    }
}

#[expect(clippy::needless_pass_by_value, reason = "the shape `map_err` wants")]
pub(crate) fn tantivy(error: tantivy::TantivyError) -> Error {
    use tantivy::TantivyError;
    use tantivy::directory::error::{OpenDirectoryError, OpenReadError, OpenWriteError};
    match &error {
        TantivyError::IoError(io)
        | TantivyError::OpenDirectoryError(OpenDirectoryError::IoError { io_error: io, .. })
        | TantivyError::OpenReadError(OpenReadError::IoError { io_error: io, .. })
        | TantivyError::OpenWriteError(OpenWriteError::IoError { io_error: io, .. }) => system(io),
        TantivyError::OpenReadError(OpenReadError::FileDoesNotExist(path)) => {
            Error::Corrupt(format!("`{}` is missing", path.display()))
        }
        TantivyError::DataCorruption(_)
        | TantivyError::OpenDirectoryError(_)
        | TantivyError::OpenReadError(_)
        | TantivyError::IncompatibleIndex(_)
        | TantivyError::SchemaError(_) => Error::Corrupt(error.to_string()),
        // Its own words speak of threads and workers.
        TantivyError::ErrorInThread(_) => Error::Backend("postings could not be written".to_owned()),
        _ => Error::Backend(error.to_string()),
    }
}

/// What the system refused says nothing of the bytes: only what was read and makes no sense is damaged.
fn system(error: &std::io::Error) -> Error {
    match (error.kind(), error.raw_os_error()) {
        (ErrorKind::StorageFull, _) => Error::DiskFull,
        (ErrorKind::NotFound, _) | (_, None) => Error::Corrupt(error.to_string()),
        _ => Error::Backend(error.to_string()),
    }
}

/// The error, or the full disk that caused it: neither library always says so.
pub(crate) fn or_full(folder: &Path, error: Error) -> Error {
    match error {
        Error::Backend(_) | Error::Corrupt(_) if is_full(folder) => Error::DiskFull,
        error => error,
    }
}

/// The same for one that came up while writing: then it is the writing that failed, and the last complete state is as it was.
pub(crate) fn while_writing(folder: &Path, error: Error) -> Error {
    match or_full(folder, error) {
        Error::Backend(why) => {
            Error::NotWritable { path: folder.to_owned(), source: std::io::Error::other(why) }
        }
        error => error,
    }
}

fn is_full(folder: &Path) -> bool {
    let probe = folder.join(format!("probe-{}", std::process::id()));
    let written = std::fs::write(&probe, [0; 64 * 1024]);
    // It was ours a moment ago.
    let _ = std::fs::remove_file(&probe);
    written.is_err_and(|error| error.kind() == ErrorKind::StorageFull)
}

/// Writing at `path` failed.
pub(crate) fn writing(path: &Path) -> impl FnOnce(std::io::Error) -> Error + '_ {
    move |source| match source.kind() {
        ErrorKind::StorageFull => Error::DiskFull,
        _ => Error::NotWritable { path: path.to_owned(), source },
    }
}
