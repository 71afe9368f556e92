//! Where a living index is kept: the local store in its folder, and the duty to keep it.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use jari_base::Generation;
use jari_engine::living::Home;
use jari_engine::{Embedding, Result};
use jari_store::{Replaced, Store};
use jari_store_local::{Identity, LocalStore, Options, VectorOptions};

use crate::settings::VectorSettings;

/// An index in a folder.
pub(crate) struct LocalHome {
    pub(crate) folder: PathBuf,
    pub(crate) contents: Contents,
    /// The index that was opened last: only that one can be what turned out to be damaged.
    pub(crate) opened: Mutex<Option<Identity>>,
}

/// What shapes an index.
#[derive(Clone)]
pub(crate) struct Contents {
    /// Of everything but vectors.
    pub(crate) fingerprint: String,
    /// What makes vectors.
    pub(crate) embedding: Option<Embedding>,
    /// How they are kept.
    pub(crate) vectors: VectorSettings,
    /// About how many bytes of memory writing may use.
    pub(crate) memory: usize,
}

impl Contents {
    /// Calls `open` with what the store wants to know. Which vectors it keeps is known once their length is.
    pub(crate) fn open<T>(&self, open: impl FnOnce(Options<'_>) -> T) -> T {
        let Self { fingerprint, embedding, vectors, memory } = self;
        let VectorSettings { index, rebuild: _, max_points, m, ef_construction, ef_search } = *vectors;
        let space = embedding.as_ref().and_then(|embedding| embedding.space(fingerprint));
        let backend = index.backend();
        let vectors = space.map(|space| VectorOptions {
            space,
            backend,
            most: max_points,
            m,
            ef_construction,
            ef_search,
        });
        open(Options { fingerprint, fold: jari_text::fold_name, vectors: vectors.as_ref(), memory: *memory })
    }
}

impl Home for LocalHome {
    fn folder(&self) -> PathBuf {
        self.folder.clone()
    }

    fn is_there(&self) -> bool {
        self.folder.join("store.db").is_file()
    }

    fn open(&self) -> Result<(Box<dyn Store>, Option<Replaced>)> {
        let opened = self.contents.open(|options| LocalStore::open(&self.folder, options));
        *self.opened.lock().expect("no holder panics") = Identity::of(&self.folder);
        let (store, replaced) = opened?;
        Ok((Box::new(store), replaced))
    }

    fn replace(&self) -> Result<Box<dyn Store>> {
        let mut opened = self.opened.lock().expect("no holder panics");
        let store = self.contents.open(|options| LocalStore::replace(&self.folder, options, *opened))?;
        // What another process had made in its place may be damaged, too: next time that one is replaced.
        *opened = Identity::of(&self.folder);
        Ok(Box::new(store))
    }

    /// Every commit writes to the database or to its log.
    fn stamp(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        for name in ["store.db", "store.db-wal"] {
            let metadata = std::fs::metadata(self.folder.join(name)).ok();
            metadata.map(|metadata| (metadata.len(), metadata.modified().ok())).hash(&mut hasher);
        }
        hasher.finish()
    }

    fn take_duty(&self) -> Result<Option<Box<dyn Send>>> {
        let duty = LocalStore::take_duty(&self.folder)?;
        Ok(duty.map(|duty| Box::new(duty) as Box<dyn Send>))
    }

    fn desk(&self) -> Option<PathBuf> {
        Some(LocalStore::desk(&self.folder))
    }

    fn answer(&self, question: &Path, state: Option<Generation>) {
        LocalStore::answer(question, state);
    }
}
