//! Where a living index is kept: the local store in its folder, and the duty to keep it.

use std::fs::{File, OpenOptions, TryLockError};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;

use jari_engine::Result;
use jari_engine::living::Home;
use jari_store::{Error, Replaced, Store};
use jari_store_local::{LocalStore, Options, VectorOptions};

/// An index in a folder.
pub(crate) struct LocalHome {
    pub(crate) folder: PathBuf,
    /// What shapes the contents.
    pub(crate) fingerprint: String,
    /// Which vectors are kept.
    pub(crate) vectors: Option<VectorOptions>,
}

impl LocalHome {
    fn options(&self) -> Options<'_> {
        let Self { fingerprint, vectors, .. } = self;
        Options { fingerprint, fold: jari_text::fold_name, vectors: vectors.as_ref() }
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
        let (store, replaced) = LocalStore::open(&self.folder, self.options())?;
        Ok((Box::new(store), replaced))
    }

    fn replace(&self) -> Result<Box<dyn Store>> {
        Ok(Box::new(LocalStore::replace(&self.folder, self.options())?))
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

    /// The lock is the operating system's, so it ends with the process that holds it.
    fn take_duty(&self) -> Result<Option<Box<dyn Send>>> {
        let path = self.folder.join("keeper.lock");
        let opened = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
        let refused = |source| Error::NotWritable { path: path.clone(), source };
        let file: File = opened.map_err(refused)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Box::new(file))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(source)) => Err(refused(source).into()),
        }
    }
}
