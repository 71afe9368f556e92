//! What stands on disk, and what is done about it when it is not ours, old, new or broken.

use std::path::{Path, PathBuf};

use jari_store::{Error, Replaced, Result};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension};

use crate::lock::WriterLock;
use crate::{errors, lock, ownership, pages};

/// The format this version writes. A higher one is refused, a lower one is made anew. It stands in the database's header, whose
/// page is checked like all others, in every format to come.
pub const FORMAT: u32 = 8;

/// From here on pages have checksums, and the header the number of the format.
pub(crate) const FIRST_CHECKED_FORMAT: u32 = 5;

/// Marks the database as ours: "Jari" in ASCII.
pub(crate) const APPLICATION: i32 = 0x4a61_7269;

const SCHEMA: &str = "
    CREATE TABLE meta (key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
    CREATE TABLE files (
        id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, language TEXT NOT NULL, size INTEGER NOT NULL,
        modified INTEGER NOT NULL, hash BLOB, skip TEXT, chunks INTEGER NOT NULL, words INTEGER NOT NULL);
    CREATE TABLE texts (file INTEGER PRIMARY KEY, text BLOB NOT NULL);
    CREATE TABLE uses (file INTEGER PRIMARY KEY, uses BLOB NOT NULL);
    CREATE TABLE chunks (
        file INTEGER NOT NULL, ordinal INTEGER NOT NULL, kind INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
        symbol INTEGER, doc_first INTEGER, doc_last INTEGER, section INTEGER, head_first INTEGER, head_last INTEGER,
        PRIMARY KEY (file, ordinal)) WITHOUT ROWID;
    CREATE TABLE grams (key INTEGER PRIMARY KEY, lists BLOB NOT NULL);
    CREATE TABLE names (key INTEGER PRIMARY KEY, lists BLOB NOT NULL);
    CREATE TABLE spellings (id INTEGER PRIMARY KEY, folded TEXT NOT NULL UNIQUE);
    CREATE TABLE spelled (key INTEGER PRIMARY KEY, lists BLOB NOT NULL);
    CREATE TABLE documents (file INTEGER PRIMARY KEY, document BLOB NOT NULL);
    CREATE TABLE symbols (
        file INTEGER NOT NULL, ordinal INTEGER NOT NULL, name TEXT NOT NULL, folded TEXT NOT NULL, kind INTEGER NOT NULL,
        container TEXT, signature TEXT NOT NULL, doc TEXT, exported INTEGER NOT NULL, first INTEGER NOT NULL,
        last INTEGER NOT NULL, chunk INTEGER NOT NULL, PRIMARY KEY (file, ordinal)) WITHOUT ROWID;
    CREATE INDEX symbols_by_name ON symbols (
        folded, file, ordinal, name, kind, container, signature, doc, exported, first, last, chunk);
";

/// Everything that can stand in the folder of an index.
pub(crate) const NAMES: &[&str] = &[
    ".gitignore",
    "asked",
    "keeper.lock",
    "lexical",
    "seen",
    "seen.new",
    "store.db",
    "store.db-journal",
    "store.db-shm",
    "store.db-wal",
    "vectors",
    "writer.lock",
];

/// The rows.
pub(crate) fn database(folder: &Path) -> PathBuf {
    folder.join("store.db")
}

/// How long the write-ahead log is.
pub(crate) fn log_bytes(folder: &Path) -> u64 {
    std::fs::metadata(folder.join("store.db-wal")).map_or(0, |metadata| metadata.len())
}

/// The postings.
pub(crate) fn lexical(folder: &Path) -> PathBuf {
    folder.join("lexical")
}

/// The vectors of all models.
pub(crate) fn vectors(folder: &Path) -> PathBuf {
    folder.join("vectors")
}

/// What the last walk saw.
pub(crate) fn note(folder: &Path) -> PathBuf {
    folder.join("seen")
}

/// Whether `folder` holds an index of this format; what is there but cannot be used is an error.
pub(crate) fn is_ours(folder: &Path) -> Result<bool> {
    match inspect(folder)? {
        Found::Ours => Ok(true),
        Found::Nothing => Ok(false),
        Found::Unusable(Replaced::Damaged(why)) => Err(Error::Corrupt(why)),
        Found::Unusable(Replaced::Foreign | Replaced::Outdated) => {
            Err(Error::Corrupt("it is no index".to_owned()))
        }
    }
}

/// What shaped the contents of the index; `None` if it has none yet.
pub(crate) fn fingerprint(folder: &Path) -> Result<Option<String>> {
    text(&open_to_read(&database(folder))?, "fingerprint")
}

/// Makes sure that `folder` holds an index of this format.
pub(crate) fn prepare(folder: &Path) -> Result<Option<Replaced>> {
    ownership::check(folder)?;
    fs_err::create_dir_all(folder).map_err(errors::writing(folder))?;
    ownership::mark(folder)?;
    let ignore = folder.join(".gitignore");
    if !ignore.exists() {
        fs_err::write(&ignore, ownership::IGNORED).map_err(errors::writing(&ignore))?;
    }
    let found = inspect(folder)?;
    let reason = match found {
        Found::Ours => return Ok(None),
        Found::Nothing => None,
        Found::Unusable(reason) => Some(reason),
    };
    // Two processes may come here at once: the second finds what the first has made.
    let _lock = WriterLock::wait(folder)?;
    if let Found::Ours = inspect(folder)? {
        return Ok(None);
    }
    wipe(folder)?;
    create(folder)?;
    Ok(reason)
}

enum Found {
    Ours,
    Nothing,
    Unusable(Replaced),
}

fn inspect(folder: &Path) -> Result<Found> {
    let path = database(folder);
    if !path.exists() {
        return Ok(Found::Nothing);
    }

    let read = || -> Result<Found> {
        let connection = open_to_read(&path)?;
        let application: i32 =
            connection.query_row("PRAGMA application_id", [], |row| row.get(0)).map_err(errors::sqlite)?;
        if application == 0
            && connection
                .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get::<_, i64>(0))
                .map_err(errors::sqlite)?
                == 0
        {
            return Ok(Found::Nothing);
        }
        if application != APPLICATION {
            return Ok(Found::Unusable(Replaced::Foreign));
        }
        let format: u32 =
            connection.query_row("PRAGMA user_version", [], |row| row.get(0)).map_err(errors::sqlite)?;
        match format {
            found if found > FORMAT => Err(Error::TooNew { path: folder.to_owned(), found, known: FORMAT }),
            FORMAT if lexical(folder).is_dir() => Ok(Found::Ours),
            FORMAT => Ok(Found::Unusable(Replaced::Damaged("its postings are missing".to_owned()))),
            _ => Ok(Found::Unusable(Replaced::Outdated)),
        }
    };
    match read() {
        // Only what is known to be damaged: an error of the disk is no reason to throw an index away.
        Err(Error::Corrupt(why)) => Ok(Found::Unusable(Replaced::Damaged(why))),
        other => other,
    }
}

fn text(connection: &Connection, key: &str) -> Result<Option<String>> {
    connection
        .query_row("SELECT value FROM meta WHERE key = ?", [key], |row| row.get(0))
        .optional()
        .map_err(errors::sqlite)
}

fn create(folder: &Path) -> Result<()> {
    let connection = open(&database(folder))?;
    let made = || -> rusqlite::Result<()> {
        pages::reserve(&connection)?;
        connection.pragma_update(None, "journal_mode", "wal")?;
        connection.execute_batch("BEGIN IMMEDIATE")?;
        connection.pragma_update(None, "application_id", APPLICATION)?;
        connection.pragma_update(None, "user_version", FORMAT)?;
        connection.execute_batch(SCHEMA)?;
        let mut insert = connection.prepare("INSERT INTO meta VALUES (?, ?)")?;
        insert.execute(("generation", 0))?;
        insert.execute(("next_file", 1))?;
        connection.execute_batch("COMMIT")
    };
    made().map_err(errors::sqlite)?;
    let lexical = lexical(folder);
    fs_err::create_dir_all(&lexical).map_err(errors::writing(&lexical))
}

/// A connection with the settings every use wants.
pub(crate) fn open(path: &Path) -> Result<Connection> {
    configured(path, OpenFlags::default()).map_err(|error| match error.sqlite_error_code() {
        Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
            Error::NotWritable { path: path.to_owned(), source: std::io::Error::other(error.to_string()) }
        }
        _ => errors::sqlite(error),
    })
}

fn configured(path: &Path, flags: OpenFlags) -> rusqlite::Result<Connection> {
    let connection = pages::open(path, flags)?;
    connection.busy_timeout(std::time::Duration::from_secs(5))?;
    connection.pragma_update(None, "synchronous", "normal")?;
    // Plans depend on the statement alone: else SQLite plans anew for every value that is bound.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(connection)
}

/// A connection for those who only read. Where the log's index cannot be made (a full disk, a read-only folder), it is
/// kept in memory, or, without a log, the database is read as it stands.
pub(crate) fn open_to_read(path: &Path) -> Result<Connection> {
    use ErrorCode::{CannotOpen, DiskFull, ReadOnly, SystemIoFailure};
    let flags = OpenFlags::default().difference(OpenFlags::SQLITE_OPEN_CREATE);
    let looked = configured(path, flags).and_then(|connection| {
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
        Ok(connection)
    });
    match looked.map_err(|error| (error.sqlite_error_code(), error)) {
        Ok(connection) => return Ok(connection),
        Err(_) if !path.exists() => return Err(Error::Corrupt("it was deleted".to_owned())),
        Err((Some(SystemIoFailure | CannotOpen | ReadOnly | DiskFull), _)) => {}
        Err((_, error)) => return Err(errors::sqlite(error)),
    }
    let log = std::fs::metadata(path.with_file_name("store.db-wal")).map_or(0, |metadata| metadata.len());
    if log > 0 {
        let connection = pages::open(path, flags).map_err(errors::sqlite)?;
        connection.pragma_update(None, "locking_mode", "exclusive").map_err(errors::sqlite)?;
        return Ok(connection);
    }
    let name = path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    pages::open(Path::new(&format!("file:{name}?immutable=1")), flags).map_err(errors::sqlite)
}

/// Deletes what an index is made of, and nothing else.
pub(crate) fn wipe(folder: &Path) -> Result<()> {
    for name in ["store.db", "store.db-wal", "store.db-shm", "seen", "seen.new"] {
        let path = folder.join(name);
        match fs_err::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(errors::writing(&path)(error));
            }
            _ => {}
        }
    }
    for name in ["lexical", "vectors", "asked"] {
        let path = folder.join(name);
        match fs_err::remove_dir_all(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(errors::writing(&path)(error));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Deletes the folder itself if nothing of a user's is left in it. The caller holds the writer's lock.
pub(crate) fn forget(folder: &Path) {
    // A lock that somebody holds stays, so that no second one can be taken beside it.
    if let Ok(Some(_keeper)) = lock::try_lock(folder, "keeper.lock") {
        let _ = fs_err::remove_file(folder.join("keeper.lock"));
    }
    for name in [".gitignore", "writer.lock"] {
        // They may be gone already; then there is nothing to do.
        let _ = fs_err::remove_file(folder.join(name));
    }
    let _ = fs_err::remove_dir(folder);
}
