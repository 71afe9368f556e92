//! From the libraries' errors to the contract's.

use std::io::{ErrorKind, Write};
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
            let source = shortage(folder).unwrap_or_else(|| std::io::Error::other(why));
            Error::NotWritable { path: folder.to_owned(), source }
        }
        error => error,
    }
}

/// Files that are open at once while a segment of postings is written, about.
const OPEN_AT_ONCE: usize = 8;

/// The error of opening one file too many, if so few can still be opened that this can be why: tantivy does not say so.
fn shortage(folder: &Path) -> Option<std::io::Error> {
    let opened: std::io::Result<Vec<_>> = (0..OPEN_AT_ONCE).map(|_| std::fs::File::open(folder)).collect();
    opened.err().filter(jari_store::is_out_of_descriptors)
}

fn is_full(folder: &Path) -> bool {
    let probe = folder.join(format!("probe-{}", std::process::id()));
    // Nothing that stands there is written to, least of all through a link.
    let written = std::fs::File::create_new(&probe).and_then(|mut file| {
        let written = file.write_all(&[0; 64 * 1024]);
        // It was ours a moment ago.
        let _ = std::fs::remove_file(&probe);
        written
    });
    written.is_err_and(|error| error.kind() == ErrorKind::StorageFull)
}

/// Writing at `path` failed.
pub(crate) fn writing(path: &Path) -> impl FnOnce(std::io::Error) -> Error + '_ {
    move |source| match source.kind() {
        ErrorKind::StorageFull => Error::DiskFull,
        _ => Error::NotWritable { path: path.to_owned(), source },
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use tantivy::TantivyError;
    use tantivy::directory::error::OpenReadError;

    use super::*;

    /// An errno of the system, as a call that failed gives it.
    fn of_system(number: i32) -> io::Error {
        io::Error::from_raw_os_error(number)
    }

    const EIO: i32 = 5;
    const ENOSPC: i32 = 28;

    #[test]
    fn only_what_was_read_and_makes_no_sense_is_damage() {
        let is_damage = |error: TantivyError| matches!(tantivy(error), Error::Corrupt(_));
        assert!(is_damage(TantivyError::SchemaError("no such field".to_owned())));
        assert!(is_damage(io::Error::new(ErrorKind::UnexpectedEof, "too short").into()));
        assert!(is_damage(OpenReadError::FileDoesNotExist("a.pos".into()).into()));
        assert!(!is_damage(of_system(EIO).into()), "a disk that fails says nothing of the bytes");
        assert!(!is_damage(OpenReadError::wrap_io_error(of_system(EIO), "a.pos".into()).into()));
        assert!(!is_damage(TantivyError::ErrorInThread("a worker died".to_owned())));
        assert!(!is_damage(TantivyError::InvalidArgument("a bad one".to_owned())));
    }

    #[test]
    fn a_full_disk_is_said_to_be_full() {
        assert!(matches!(tantivy(of_system(ENOSPC).into()), Error::DiskFull));
        assert!(matches!(writing(Path::new("x"))(of_system(ENOSPC)), Error::DiskFull));
        let code = |code| rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(code), None);
        assert!(matches!(sqlite(code(rusqlite::ffi::SQLITE_FULL)), Error::DiskFull));
        assert!(matches!(sqlite(code(rusqlite::ffi::SQLITE_BUSY)), Error::Busy));
        assert!(matches!(sqlite(code(rusqlite::ffi::SQLITE_CORRUPT)), Error::Corrupt(_)));
        assert!(matches!(sqlite(code(rusqlite::ffi::SQLITE_IOERR)), Error::Backend(_)));
        assert!(matches!(sqlite(rusqlite::Error::QueryReturnedNoRows), Error::Corrupt(_)));
    }

    #[test]
    fn too_many_open_files_are_named_with_what_to_type() {
        use jari_base::Explained;
        let error = writing(Path::new("x"))(of_system(24));
        assert!(error.to_string().contains("files"), "{error}");
        assert!(error.hint().unwrap().contains("ulimit -n"), "{error:?}");
    }

    #[test]
    fn a_failure_while_writing_names_the_folder_and_damage_stays_damage() {
        let folder = tempfile::tempdir().unwrap();
        let failed = while_writing(folder.path(), Error::Backend("it did not work".to_owned()));
        assert!(matches!(failed, Error::NotWritable { path, .. } if path == folder.path()));
        let damaged = while_writing(folder.path(), Error::Corrupt("it makes no sense".to_owned()));
        assert!(matches!(damaged, Error::Corrupt(_)));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "looking for room leaves nothing");
    }
}
