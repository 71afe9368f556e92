//! Where a living index is kept: the local store in its folder, and the duty to keep it.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::sync::Mutex;

use jari_engine::Result;
use jari_engine::living::Home;
use jari_store::{Replaced, Store};
use jari_store_local::{Identity, LocalStore, Options, VectorOptions};

/// An index in a folder.
pub(crate) struct LocalHome {
    pub(crate) folder: PathBuf,
    /// What shapes the contents.
    pub(crate) fingerprint: String,
    /// Which vectors are kept.
    pub(crate) vectors: Option<VectorOptions>,
    /// About how many bytes of memory writing may use.
    pub(crate) memory: usize,
    /// The index that was opened last: only that one can be what turned out to be damaged.
    pub(crate) opened: Mutex<Option<Identity>>,
}

impl LocalHome {
    fn options(&self) -> Options<'_> {
        let Self { fingerprint, vectors, memory, .. } = self;
        Options { fingerprint, fold: jari_text::fold_name, vectors: vectors.as_ref(), memory: *memory }
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
        let opened = LocalStore::open(&self.folder, self.options());
        *self.opened.lock().expect("no holder panics") = Identity::of(&self.folder);
        let (store, replaced) = opened?;
        Ok((Box::new(store), replaced))
    }

    fn replace(&self) -> Result<Box<dyn Store>> {
        let damaged = *self.opened.lock().expect("no holder panics");
        Ok(Box::new(LocalStore::replace(&self.folder, self.options(), damaged)?))
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
}
