//! From the libraries' errors to the contract's.

use std::io::ErrorKind;
use std::path::Path;

use jari_store::Error;

pub(crate) fn sqlite(error: rusqlite::Error) -> Error {
    use rusqlite::ErrorCode::{DatabaseBusy, DatabaseCorrupt, DatabaseLocked, DiskFull, NotADatabase};
    match error.sqlite_error_code() {
        Some(DatabaseCorrupt | NotADatabase) => Error::Corrupt(error.to_string()),
        Some(DiskFull) => Error::DiskFull,
        Some(DatabaseBusy | DatabaseLocked) => Error::Busy,
        _ => match error {
            // A row that is not what was written.
            rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::IntegralValueOutOfRange(..)
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
        | tantivy::TantivyError::OpenReadError(_)
        | tantivy::TantivyError::IncompatibleIndex(_)
        | tantivy::TantivyError::SchemaError(_)
        | tantivy::TantivyError::IoError(_) => Error::Corrupt(error.to_string()),
        _ => Error::Backend(error.to_string()),
    }
}

/// Writing at `path` failed.
pub(crate) fn writing(path: &Path) -> impl FnOnce(std::io::Error) -> Error + '_ {
    move |source| match source.kind() {
        ErrorKind::StorageFull => Error::DiskFull,
        _ => Error::NotWritable { path: path.to_owned(), source },
    }
}
