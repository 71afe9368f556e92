//! The embedded store: rows in SQLite, postings in tantivy, one commit for both.

mod batch;
mod directory;
mod errors;
mod format;
mod lexical;
mod lock;
mod rows;
mod snapshot;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use jari_store::{Replaced, Result, Snapshot, Store, WriteBatch};

use crate::batch::Batch;
use crate::lock::WriterLock;
use crate::snapshot::LocalSnapshot;

pub use crate::format::FORMAT;

/// An index in a folder.
#[derive(Debug)]
pub struct LocalStore {
    folder: PathBuf,
    /// Makes names comparable.
    fold: fn(&str) -> String,
}

/// How to open a store.
#[derive(Debug, Clone, Copy)]
pub struct Options<'a> {
    /// What shapes the contents: chunker, tokenizer, settings. An index with another fingerprint starts over.
    pub fingerprint: &'a str,
    /// Makes names comparable, as `jari_text::fold_name` does.
    pub fold: fn(&str) -> String,
}

impl LocalStore {
    /// Opens the index in `folder`, making it if there is none. What cannot be used is replaced by an empty index, and
    /// the reason returned; only an index of a newer format is left alone and refused.
    pub fn open(folder: &Path, options: Options<'_>) -> Result<(Self, Option<Replaced>)> {
        let replaced = format::prepare(folder, options.fingerprint)?;
        Ok((Self { folder: folder.to_owned(), fold: options.fold }, replaced))
    }

    /// Whether `folder` holds an index of ours.
    pub fn exists(folder: &Path) -> bool {
        format::database(folder).is_file()
    }

    /// Starts over with nothing, because what is there turned out to be damaged.
    pub fn replace(folder: &Path, options: Options<'_>) -> Result<Self> {
        let lock = WriterLock::wait(folder)?;
        format::wipe(folder)?;
        drop(lock);
        Self::open(folder, options).map(|(store, _)| store)
    }

    /// Deletes the index, and nothing else that may stand in the folder; says whether there was one.
    pub fn delete(folder: &Path) -> Result<bool> {
        if !Self::exists(folder) {
            return Ok(false);
        }
        let lock = WriterLock::wait(folder)?;
        format::wipe(folder)?;
        drop(lock);
        format::forget(folder)?;
        Ok(true)
    }

    /// Waits until no other process writes.
    pub fn wait_for_writer(&self) -> Result<()> {
        WriterLock::wait(&self.folder).map(drop)
    }
}

impl Store for LocalStore {
    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        Ok(Arc::new(LocalSnapshot::open(&self.folder)?))
    }

    fn write(&self) -> Result<Box<dyn WriteBatch + '_>> {
        let lock = WriterLock::try_take(&self.folder)?;
        Ok(Box::new(Batch::begin(&self.folder, self.fold, lock)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fold(name: &str) -> String {
        name.replace('_', "").to_lowercase()
    }

    const OPTIONS: Options<'_> = Options { fingerprint: "test", fold };

    /// A store whose folder goes with it.
    struct Temporary {
        store: LocalStore,
        _folder: tempfile::TempDir,
    }

    impl Store for Temporary {
        fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
            self.store.snapshot()
        }

        fn write(&self) -> Result<Box<dyn WriteBatch + '_>> {
            self.store.write()
        }
    }

    #[test]
    fn the_local_store_conforms() {
        jari_store::conformance::run(|| {
            let folder = tempfile::tempdir().unwrap();
            let (store, replaced) = LocalStore::open(folder.path(), OPTIONS).unwrap();
            assert_eq!(replaced, None);
            Temporary { store, _folder: folder }
        });
    }

    #[test]
    fn what_is_no_index_is_replaced_and_said() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("store.db"), "this is no database, only some text to look at")
            .unwrap();
        let (store, replaced) = LocalStore::open(folder.path(), OPTIONS).unwrap();
        assert!(matches!(replaced, Some(Replaced::Damaged(_))), "{replaced:?}");
        assert_eq!(store.snapshot().unwrap().files().iter().count(), 0);
    }

    #[test]
    fn another_fingerprint_starts_over_and_a_newer_format_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        LocalStore::open(folder.path(), OPTIONS).unwrap();
        let (_, replaced) = LocalStore::open(folder.path(), Options { fingerprint: "other", fold }).unwrap();
        assert_eq!(replaced, Some(Replaced::Outdated));
        let database = rusqlite::Connection::open(folder.path().join("store.db")).unwrap();
        database.execute("UPDATE meta SET value = '999' WHERE key = 'format'", []).unwrap();
        let refused = LocalStore::open(folder.path(), OPTIONS);
        assert!(matches!(refused, Err(jari_store::Error::TooNew { found: 999, .. })));
    }

    #[test]
    fn a_foreign_database_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let database = rusqlite::Connection::open(folder.path().join("store.db")).unwrap();
        database.execute("CREATE TABLE theirs (x)", []).unwrap();
        drop(database);
        let (_, replaced) = LocalStore::open(folder.path(), OPTIONS).unwrap();
        assert_eq!(replaced, Some(Replaced::Foreign));
    }
}
