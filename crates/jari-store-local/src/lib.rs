//! The embedded store: rows in SQLite, postings in tantivy, one commit for both.

mod batch;
mod directory;
mod errors;
mod format;
mod lexical;
mod lists;
mod lock;
mod ownership;
mod pages;
mod recent;
mod rows;
mod snapshot;
mod vectors;
mod vouch;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use jari_base::Generation;
use jari_store::{Replaced, Result, Snapshot, Store, WriteBatch};

use crate::batch::Batch;
use crate::lock::WriterLock;
use crate::snapshot::LocalSnapshot;
use crate::vectors::Vectors;

pub use crate::format::FORMAT;
pub use crate::vectors::VectorOptions;

/// A write-ahead log larger than this is folded back into the database.
pub(crate) const LOG_BYTES: u64 = 8 * 1024 * 1024;

/// An index in a folder.
#[derive(Debug)]
pub struct LocalStore {
    folder: PathBuf,
    fold: fn(&str) -> String,
    fingerprint: String,
    vectors: Option<VectorOptions>,
    memory: usize,
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
    /// About how many bytes of memory writing may use.
    pub memory: usize,
}

/// Tells an index from one that was made in its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity {
    number: u64,
    made: Option<std::time::SystemTime>,
}

impl Identity {
    /// Of the index in `folder`; `None` if there is none.
    pub fn of(folder: &Path) -> Option<Self> {
        let metadata = std::fs::metadata(format::database(folder)).ok()?;
        #[cfg(unix)]
        let number = std::os::unix::fs::MetadataExt::ino(&metadata);
        #[cfg(not(unix))]
        let number = 0;
        Some(Self { number, made: metadata.created().ok() })
    }
}

impl LocalStore {
    /// Whether an index can be kept in `folder`: an error if it holds somebody else's files, or links. Nothing is written.
    pub fn check(folder: &Path) -> Result<()> {
        ownership::check(folder)
    }

    /// Opens the index in `folder`, making it if there is none. What cannot be read is replaced by an empty index, and
    /// the reason returned; an index of a newer format and a folder of somebody else's are left alone and refused.
    pub fn open(folder: &Path, options: Options<'_>) -> Result<(Self, Option<Replaced>)> {
        let replaced = format::prepare(folder).map_err(|error| errors::or_full(folder, error))?;
        let fingerprint = format::fingerprint(folder)?;
        let outdated = fingerprint.is_some_and(|found| found != options.fingerprint);
        let store = Self {
            folder: folder.to_owned(),
            fold: options.fold,
            fingerprint: options.fingerprint.to_owned(),
            vectors: options.vectors.cloned(),
            memory: options.memory,
            outdated,
        };
        Ok((store, replaced))
    }

    /// Opens the index in `folder` for those who only look: `None` if there is none, and what cannot be used is an error.
    pub fn look(folder: &Path, options: Options<'_>) -> Result<Option<Self>> {
        ownership::check(folder)?;
        if !format::is_ours(folder)? {
            return Ok(None);
        }
        Self::open(folder, options).map(|(store, _)| Some(store))
    }

    /// Starts over with nothing, because `damaged` turned out to be so. What another process has made in its place is kept.
    pub fn replace(folder: &Path, options: Options<'_>, damaged: Option<Identity>) -> Result<Self> {
        ownership::check(folder)?;
        let lock = WriterLock::wait(folder)?;
        if Identity::of(folder) == damaged {
            format::wipe(folder)?;
        }
        drop(lock);
        Self::open(folder, options).map(|(store, _)| store)
    }

    /// Deletes the index, and nothing else that may stand in the folder; says whether there was one.
    pub fn delete(folder: &Path) -> Result<bool> {
        ownership::check(folder)?;
        if !format::database(folder).is_file() {
            return Ok(false);
        }
        // Held until its own file is gone: whoever waits for it begins again.
        let _lock = WriterLock::wait(folder)?;
        format::wipe(folder)?;
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
        let files = self.snapshot()?.files()?;
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

    /// Takes the duty to keep the index in `folder` up to date: `None` if another process has it. It ends with what is returned.
    pub fn take_duty(folder: &Path) -> Result<Option<std::fs::File>> {
        ownership::check(folder)?;
        lock::try_lock(folder, "keeper.lock")
    }

    /// The folder in which others ask whoever has that duty, each by a file, whether the working tree has changed.
    pub fn desk(folder: &Path) -> PathBuf {
        vouch::desk(folder)
    }

    /// Answers one of them: which state is the working tree's; none if it may have changed.
    pub fn answer(question: &Path, state: Option<Generation>) {
        vouch::answer(question, state);
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

    fn rows(&self) -> Result<Arc<dyn Snapshot>> {
        let snapshot = LocalSnapshot::open_rows(&self.folder, self.vectors.as_ref())
            .map_err(|error| errors::or_full(&self.folder, error))?;
        Ok(Arc::new(snapshot))
    }

    fn is_outdated(&self) -> bool {
        self.outdated
    }

    fn wants_reopening(&self) -> bool {
        format::log_bytes(&self.folder) > LOG_BYTES
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

    fn vouched(&self, wanted: &dyn Fn() -> bool) -> Option<Generation> {
        vouch::ask(&self.folder, wanted)
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

    const OPTIONS: Options<'_> = Options { fingerprint: "test", fold, vectors: None, memory: 512 << 20 };

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
        std::fs::write(folder.path().join("writer.lock"), "").unwrap();
        std::fs::write(folder.path().join("store.db"), "this is no database, only some text to look at")
            .unwrap();
        let (store, replaced) = LocalStore::open(folder.path(), OPTIONS).unwrap();
        assert!(matches!(replaced, Some(Replaced::Damaged(_))), "{replaced:?}");
        assert_eq!(store.snapshot().unwrap().files().unwrap().iter().count(), 0);
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
        let database = format::open(&format::database(folder.path())).unwrap();
        database.pragma_update(None, "user_version", 999).unwrap();
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

    /// One process that keeps the index always holds some state, and opens the next before it lets go of the last.
    #[test]
    fn the_log_stays_small_although_some_state_is_always_held() {
        let folder = tempfile::tempdir().unwrap();
        let (store, _) = LocalStore::open(folder.path(), OPTIONS).unwrap();
        let mut held = store.snapshot().unwrap();
        let mut longest = 0;
        for round in 0..50_u32 {
            let mut batch = store.write().unwrap();
            let mut file = jari_store::conformance::example("a.rs");
            file.text.extend(
                (0..60_000).map(|at| char::from(b' ' + (round.wrapping_mul(at * at + 7) % 90) as u8)),
            );
            file.text.push_str(&format!(
                "{:?}",
                std::array::from_fn::<u64, 20_000, _>(|at| (at as u64 + 1)
                    .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                    ^ u64::from(round))
            ));
            batch.put(file).unwrap();
            batch.commit().unwrap();
            held = store.snapshot().unwrap();
            if store.wants_reopening() {
                held = store.snapshot().unwrap();
            }
            longest = longest.max(format::log_bytes(folder.path()));
        }
        assert_eq!(held.generation().0, 50);
        assert!(longest > LOG_BYTES, "the test writes too little: {longest}");
        assert!(longest < 2 * LOG_BYTES, "{longest}");
    }

    #[test]
    fn a_foreign_database_is_replaced_only_in_a_folder_of_ours() {
        let folder = tempfile::tempdir().unwrap();
        let database = rusqlite::Connection::open(folder.path().join("store.db")).unwrap();
        database.execute("CREATE TABLE theirs (x)", []).unwrap();
        drop(database);
        let before = std::fs::read(folder.path().join("store.db")).unwrap();
        let refused = |result: Result<()>| matches!(result, Err(jari_store::Error::NotOurs { .. }));
        assert!(refused(LocalStore::open(folder.path(), OPTIONS).map(drop)));
        assert!(refused(LocalStore::look(folder.path(), OPTIONS).map(drop)));
        assert!(refused(LocalStore::replace(folder.path(), OPTIONS, None).map(drop)));
        assert!(refused(LocalStore::delete(folder.path()).map(drop)));
        assert!(refused(LocalStore::take_duty(folder.path()).map(drop)));
        assert_eq!(std::fs::read(folder.path().join("store.db")).unwrap(), before);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing was written");
        std::fs::write(folder.path().join("writer.lock"), "").unwrap();
        let (_, replaced) = LocalStore::open(folder.path(), OPTIONS).unwrap();
        assert_eq!(replaced, Some(Replaced::Foreign));
    }
}
