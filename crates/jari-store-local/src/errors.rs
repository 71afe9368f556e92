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
    use tantivy::directory::error::{OpenReadError, OpenWriteError};
    let full = |error: &std::io::Error| error.kind() == ErrorKind::StorageFull;
    match &error {
        tantivy::TantivyError::IoError(io) if full(io) => Error::DiskFull,
        tantivy::TantivyError::OpenWriteError(OpenWriteError::IoError { io_error, .. }) if full(io_error) => {
            Error::DiskFull
        }
        tantivy::TantivyError::OpenReadError(OpenReadError::FileDoesNotExist(path)) => {
            Error::Corrupt(format!("`{}` is missing", path.display()))
        }
        tantivy::TantivyError::DataCorruption(_)
        | tantivy::TantivyError::OpenDirectoryError(_)
        | tantivy::TantivyError::OpenReadError(_)
        | tantivy::TantivyError::IncompatibleIndex(_)
        | tantivy::TantivyError::SchemaError(_)
        | tantivy::TantivyError::IoError(_) => Error::Corrupt(error.to_string()),
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
