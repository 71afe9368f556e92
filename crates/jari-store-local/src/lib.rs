//! The embedded store: rows in SQLite, postings in tantivy, one commit for both.

mod batch;
mod directory;
mod errors;
mod format;
mod lexical;
mod lists;
mod lock;
mod rows;
mod snapshot;
mod vectors;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use jari_store::{Replaced, Result, Snapshot, Store, WriteBatch};

use crate::batch::Batch;
use crate::lock::WriterLock;
use crate::snapshot::LocalSnapshot;
use crate::vectors::Vectors;

pub use crate::format::FORMAT;
pub use crate::vectors::VectorOptions;

/// An index in a folder.
#[derive(Debug)]
pub struct LocalStore {
    folder: PathBuf,
    fold: fn(&str) -> String,
    fingerprint: String,
    vectors: Option<VectorOptions>,
    outdated: bool,
}

/// How to open a store.
#[derive(Debug, Clone, Copy)]
pub struct Options<'a> {
    /// What shapes the contents: chunker, tokenizer, settings. An index with another fingerprint is outdated.
    pub fingerprint: &'a str,
    /// Makes names comparable, as `jari_text::fold_name` does.
    pub fold: fn(&str) -> String,
    /// Which vectors are kept; `None` for none.
    pub vectors: Option<&'a VectorOptions>,
}

impl LocalStore {
    /// Opens the index in `folder`, making it if there is none. What cannot be read is replaced by an empty index, and
    /// the reason returned; only an index of a newer format is left alone and refused.
    pub fn open(folder: &Path, options: Options<'_>) -> Result<(Self, Option<Replaced>)> {
        let replaced = format::prepare(folder).map_err(|error| errors::or_full(folder, error))?;
        let fingerprint = format::fingerprint(folder)?;
        let outdated = fingerprint.is_some_and(|found| found != options.fingerprint);
        let store = Self {
            folder: folder.to_owned(),
            fold: options.fold,
            fingerprint: options.fingerprint.to_owned(),
            vectors: options.vectors.cloned(),
            outdated,
        };
        Ok((store, replaced))
    }

    /// Opens the index in `folder` for those who only look: `None` if there is none, and what cannot be used is an error.
    pub fn look(folder: &Path, options: Options<'_>) -> Result<Option<Self>> {
        if !format::is_ours(folder)? {
            return Ok(None);
        }
        Self::open(folder, options).map(|(store, _)| Some(store))
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
        if !format::database(folder).is_file() {
            return Ok(false);
        }
        let lock = WriterLock::wait(folder)?;
        format::wipe(folder)?;
        drop(lock);
        format::forget(folder);
        Ok(true)
    }

    /// Deletes the vectors, so that the next update makes them anew.
    pub fn forget_vectors(&self) -> Result<()> {
        let Some(options) = &self.vectors else { return Ok(()) };
        let _lock = WriterLock::wait(&self.folder)?;
        let folder = options.folder(&self.folder);
        match fs_err::remove_dir_all(&folder) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(errors::writing(&folder)(error))
            }
            _ => Ok(()),
        }
    }

    /// Whether vectors are to be searched along a graph that is not there, or covers too few of them.
    pub fn lacks_graph(&self) -> Result<bool> {
        let Some(options) = &self.vectors else { return Ok(false) };
        let files = self.snapshot()?.files();
        Ok(Vectors::open(&self.folder, options, &files).lacks_graph())
    }

    /// Builds the graph over the vectors that are there; `progress` hears how many are in it.
    pub fn build_graph(&self, progress: impl FnMut(usize)) -> Result<()> {
        let Some(options) = &self.vectors else { return Ok(()) };
        let _lock = WriterLock::wait(&self.folder)?;
        let VectorOptions { space, m, ef_construction, .. } = options;
        jari_vector::Writer::build_graph(&options.folder(&self.folder), space, *m, *ef_construction, progress)
            .map_err(vectors::error)
    }

    /// Waits until no other process writes.
    pub fn wait_for_writer(&self) -> Result<()> {
        WriterLock::wait(&self.folder).map(drop)
    }
}

impl Store for LocalStore {
    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        let snapshot = LocalSnapshot::open(&self.folder, self.vectors.as_ref())
            .map_err(|error| errors::or_full(&self.folder, error))?;
        Ok(Arc::new(snapshot))
    }

    fn is_outdated(&self) -> bool {
        self.outdated
    }

    fn recall(&self) -> Option<Vec<u8>> {
        std::fs::read(format::note(&self.folder)).ok()
    }

    fn remember(&self, note: &[u8]) {
        // Written aside, so that readers see the old one or the new one. It may fail, and two may write at once: what is not
        // whole is not believed.
        let aside = self.folder.join("seen.new");
        let kept =
            std::fs::write(&aside, note).and_then(|()| std::fs::rename(&aside, format::note(&self.folder)));
        if kept.is_err() {
            let _ = std::fs::remove_file(aside);
        }
    }

    fn write(&self) -> Result<Box<dyn WriteBatch + '_>> {
        let lock = WriterLock::try_take(&self.folder)?;
        Ok(Box::new(Batch::begin(self, lock).map_err(|error| errors::or_full(&self.folder, error))?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fold(name: &str) -> String {
        name.replace('_', "").to_lowercase()
    }

    const OPTIONS: Options<'_> = Options { fingerprint: "test", fold, vectors: None };

    fn vectors() -> VectorOptions {
        let (provider, model) = ("test".to_owned(), "two".to_owned());
        let space = jari_base::Space { provider, model, dims: 2, fingerprint: 1 };
        VectorOptions { space, backend: None, most: 1_000, m: 4, ef_construction: 10, ef_search: 10 }
    }

    /// A store whose folder goes with it.
    struct Temporary {
        store: LocalStore,
        _folder: tempfile::TempDir,
    }

    impl Store for Temporary {
        fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
            self.store.snapshot()
        }

        fn is_outdated(&self) -> bool {
            self.store.is_outdated()
        }

        fn recall(&self) -> Option<Vec<u8>> {
            self.store.recall()
        }

        fn remember(&self, note: &[u8]) {
            self.store.remember(note);
        }

        fn write(&self) -> Result<Box<dyn WriteBatch + '_>> {
            self.store.write()
        }
    }

    #[test]
    fn the_local_store_conforms() {
        jari_store::conformance::run(|| {
            let folder = tempfile::tempdir().unwrap();
            let options = Options { vectors: Some(&vectors()), ..OPTIONS };
            let (store, replaced) = LocalStore::open(folder.path(), options).unwrap();
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
    fn another_fingerprint_is_outdated_until_the_next_batch_and_a_newer_format_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (store, _) = LocalStore::open(folder.path(), OPTIONS).unwrap();
        store.write().unwrap().commit().unwrap();
        let other = Options { fingerprint: "other", ..OPTIONS };
        let (store, replaced) = LocalStore::open(folder.path(), other).unwrap();
        assert!(store.is_outdated() && replaced.is_none());
        store.write().unwrap().commit().unwrap();
        assert!(!LocalStore::open(folder.path(), other).unwrap().0.is_outdated());
        let database = rusqlite::Connection::open(folder.path().join("store.db")).unwrap();
        database.execute("UPDATE meta SET value = '999' WHERE key = 'format'", []).unwrap();
        let refused = LocalStore::open(folder.path(), OPTIONS);
        assert!(matches!(refused, Err(jari_store::Error::TooNew { found: 999, .. })));
    }

    #[test]
    fn a_flipped_bit_in_the_postings_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let (store, _) = LocalStore::open(folder.path(), OPTIONS).unwrap();
        let mut batch = store.write().unwrap();
        batch.put(jari_store::conformance::example("a.rs")).unwrap();
        batch.commit().unwrap();
        for entry in std::fs::read_dir(folder.path().join("lexical")).unwrap() {
            let path = entry.unwrap().path();
            let bytes = std::fs::read(&path).unwrap();
            let mut flipped = bytes.clone();
            flipped[bytes.len() / 3] ^= 4;
            std::fs::write(&path, flipped).unwrap();
            assert!(
                matches!(store.snapshot().map(drop), Err(jari_store::Error::Corrupt(_))),
                "{}",
                path.display()
            );
            std::fs::write(&path, bytes).unwrap();
        }
        store.snapshot().unwrap();
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
