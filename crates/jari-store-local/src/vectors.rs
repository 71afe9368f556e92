//! The vectors beside the rows. They are tied to a file by its path and contents alone, so no commit has to hold both together:
//! vectors that are ahead of the rows or behind them are of other contents, and count as missing.

use std::path::{Path, PathBuf};

use jari_base::{Backend, ChunkId, Degraded, FileId, Space};
use jari_store::{Allowed, Error, FileRecord, Files, Nearest, Result, VectorStatistics};
use jari_vector::{Built, Filter, Index, Near, Options, Writer};

use crate::format;

/// Which vectors are kept, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VectorOptions {
    /// What makes them.
    pub space: Space,
    /// `None` looks at every one until a graph pays.
    pub backend: Option<Backend>,
    /// How many are kept at most.
    pub most: usize,
    /// Neighbours a node of the graph has.
    pub m: usize,
    /// Nodes in sight while the graph is built.
    pub ef_construction: usize,
    /// Nodes in sight while it is searched.
    pub ef_search: usize,
}

impl VectorOptions {
    pub(crate) fn folder(&self, index: &Path) -> PathBuf {
        format::vectors(index).join(self.space.folder())
    }

    fn search(&self) -> Options {
        Options { backend: self.backend, ef_search: self.ef_search }
    }
}

/// Of a file's path and contents: what its vectors were made of.
pub(crate) fn key(path: &str, hash: jari_base::ContentHash) -> u64 {
    jari_base::fingerprint(path.as_bytes().iter().chain(&hash.0))
}

fn key_of(record: &FileRecord) -> Option<u64> {
    record.hash.map(|hash| key(&record.path, hash))
}

/// The vectors of the files of one state.
pub(crate) struct Vectors {
    options: VectorOptions,
    /// Whether there is anything to have vectors of.
    any: bool,
    folder: PathBuf,
    index: std::result::Result<Index, jari_vector::Error>,
}

impl Vectors {
    pub(crate) fn open(folder: &Path, options: &VectorOptions, files: &Files) -> Self {
        let live = |file: u32, key: u64| files.get(FileId(file)).and_then(key_of) == Some(key);
        let folder = options.folder(folder);
        let index = Index::open(&folder, &options.space, options.search(), live);
        Self { options: options.clone(), any: files.totals().chunks > 0, folder, index }
    }

    pub(crate) fn nearest(&self, vector: &[f32], limit: usize, allowed: &Allowed<'_>) -> Nearest {
        let Ok(index) = &self.index else {
            let degraded = self.any.then_some(Degraded::VectorsUnavailable);
            return Nearest { chunks: Vec::new(), degraded };
        };
        let kinds: Vec<u8> = allowed.kinds().iter().map(|kind| *kind as u8).collect();
        let found = index.search(vector, limit, &Filter { files: allowed.files(), kinds: &kinds });
        let chunk = |Near { file, ordinal, score }| (ChunkId { file: FileId(file), ordinal }, score);
        let degraded = match index {
            index if index.is_empty() && self.any => Some(Degraded::VectorsUnavailable),
            index if index.lacks_graph() => Some(Degraded::VectorIndexUnavailable),
            _ => None,
        };
        Nearest { chunks: found.into_iter().map(chunk).collect(), degraded }
    }

    pub(crate) fn cosines(&self, vector: &[f32], files: &[FileId], each: &mut dyn FnMut(&[f32])) {
        match &self.index {
            Ok(index) => index.cosines(vector, files.iter().map(|file| file.0), each),
            Err(_) => files.iter().for_each(|_| each(&[])),
        }
    }

    pub(crate) fn vector(&self, chunk: ChunkId) -> Option<Vec<f32>> {
        self.index.as_ref().ok()?.vector(chunk.file.0, chunk.ordinal)
    }

    pub(crate) fn words(&self, chunk: ChunkId) -> Option<Vec<u32>> {
        self.index.as_ref().ok()?.words(chunk.file.0, chunk.ordinal)
    }

    pub(crate) fn unembedded(&self, files: &Files) -> Vec<FileId> {
        let holds = |file: FileId| self.index.as_ref().is_ok_and(|index| index.holds(file.0));
        let mut room = self.options.most.saturating_sub(self.index.as_ref().map_or(0, Index::rows));
        let mut missing: Vec<FileId> = Vec::new();
        for record in files.iter().filter(|record| record.skip.is_none() && record.chunks > 0) {
            if !holds(record.id) && record.chunks as usize <= room {
                room -= record.chunks as usize;
                missing.push(record.id);
            }
        }
        missing
    }

    pub(crate) fn statistics(&self, files: &Files) -> VectorStatistics {
        let index = self.index.as_ref().ok();
        let count = index.map_or(0, |index| index.len() as u64);
        let built = index.map(|_| Built::read(&self.folder)).unwrap_or_default();
        VectorStatistics {
            count,
            missing: files.totals().chunks.saturating_sub(count),
            bytes: index.map_or(0, Index::bytes),
            backend: index.map_or(Backend::Exact, Index::backend),
            build_ms: (built.rows + built.graph).as_millis() as u64,
        }
    }

    /// Leaves behind what is dead, where that is much.
    pub(crate) fn compact(&self) -> Result<()> {
        match &self.index {
            Ok(index) if index.is_wasteful() => {
                Writer::compact(&self.folder, &self.options.space, index).map_err(error)
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn lacks_graph(&self) -> bool {
        self.index.as_ref().is_ok_and(Index::lacks_graph)
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it is what `map_err` hands over")]
pub(crate) fn error(error: jari_vector::Error) -> Error {
    Error::Backend(error.to_string())
}
