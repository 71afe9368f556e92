//! Brings vectors to disk.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use jari_base::Space;

use crate::file::{Rows, RowsWriter, take_place};
use crate::hnsw::{Builder, Graph};
use crate::meta::{Built, Meta};
use crate::{Error, Index};

/// More extents than this, and each query begins too often anew.
const EXTENTS: usize = 32;

/// Whether a file of rows should be written anew: a third is dead, or there are too many extents.
pub(crate) fn is_wasteful(rows: usize, live: usize, extents: usize) -> bool {
    rows > live + live / 2 || extents > EXTENTS + rows / 8_192
}

/// Vectors that are on disk, and perhaps not yet in their place.
pub struct Written {
    folder: PathBuf,
    space: Space,
    rows: usize,
    checksum: u32,
    aside: Option<PathBuf>,
    built: Built,
}

impl Written {
    /// Makes them those that are read.
    pub fn publish(self) -> Result<(), Error> {
        let Self { folder, space, rows, checksum, aside, built } = self;
        if let Some(aside) = aside {
            take_place(&aside, &folder)?;
        }
        // Only where there is a graph is it asked whether it still fits: that means to read the rows again.
        let graph = Graph::is_there(&folder).then(|| Rows::open(&folder, &space)).transpose()?;
        let graph = graph.and_then(|rows| Graph::open(&folder, &rows).ok()).map(|graph| graph.parameters());
        Meta { space: &space, rows, checksum, graph, built }.write(&folder)
    }
}

/// Writes vectors. At most one at a time may write into a folder.
pub struct Writer {
    folder: PathBuf,
    space: Space,
    rows: RowsWriter,
    most: usize,
    /// How long those took that are added to; `None` where all are new.
    before: Option<Built>,
    began: Instant,
}

impl Writer {
    /// Adds to the vectors in `folder`; what cannot be used is replaced. At most `most` rows are kept.
    pub fn open(folder: &Path, space: &Space, most: usize) -> Result<Self, Error> {
        match Rows::open(folder, space) {
            Ok(rows) => {
                let (rows, before) = (RowsWriter::append(folder, &rows)?, Some(Built::read(folder)));
                Ok(Self {
                    folder: folder.to_owned(),
                    space: space.clone(),
                    rows,
                    most,
                    before,
                    began: Instant::now(),
                })
            }
            Err(Error::Missing | Error::Other | Error::Damaged(_)) => Self::anew(folder, space, most),
            Err(error) => Err(error),
        }
    }

    /// Begins with none; those that are there serve until these are published.
    pub fn anew(folder: &Path, space: &Space, most: usize) -> Result<Self, Error> {
        let rows = RowsWriter::create(folder, space)?;
        let (folder, space) = (folder.to_owned(), space.clone());
        Ok(Self { folder, space, rows, most, before: None, began: Instant::now() })
    }

    /// Adds the vectors of a file's chunks, one after the other, in the place of those it had, and the words of each chunk, where
    /// there are any. Says whether there was room.
    pub fn put(
        &mut self,
        file: u32,
        key: u64,
        kinds: &[u8],
        vectors: &[f32],
        words: &[Vec<u32>],
    ) -> Result<bool, Error> {
        if self.rows.len() + kinds.len() > self.most {
            return Ok(false);
        }
        self.rows.put(file, key, kinds, vectors, words)?;
        Ok(true)
    }

    /// How many rows there will be, live or not.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// Writes everything out. What was begun anew is not read before it is published.
    pub fn write_out(self) -> Result<Written, Error> {
        let Self { folder, space, rows: writer, before, began, .. } = self;
        let rows = writer.len();
        let (checksum, aside) = writer.finish()?;
        let built = before.unwrap_or_else(|| Built { rows: began.elapsed(), graph: Duration::ZERO });
        Ok(Written { folder, space, rows, checksum, aside, built })
    }

    /// Writes everything out, for all to read.
    pub fn save(self) -> Result<(), Error> {
        self.write_out()?.publish()
    }

    /// Writes what is alive in `index` into a file of its own, which takes the place of the old one.
    pub fn compact(folder: &Path, space: &Space, index: &Index) -> Result<(), Error> {
        let mut writer = Self { before: Some(Built::read(folder)), ..Self::anew(folder, space, usize::MAX)? };
        let (rows, runs) = index.live_runs();
        for run in runs {
            writer.rows.copy(rows, run)?;
        }
        writer.save()
    }

    /// Builds the graph over the rows that are there.
    pub fn build_graph(
        folder: &Path,
        space: &Space,
        m: usize,
        ef_construction: usize,
        progress: impl FnMut(usize),
    ) -> Result<(), Error> {
        let began = Instant::now();
        let rows = Rows::open(folder, space)?;
        Builder::new(&rows, m, ef_construction).build(progress).save(folder)?;
        let checksum = rows.checksum(rows.len()).unwrap_or_default();
        let built = Built { graph: began.elapsed(), ..Built::read(folder) };
        Meta { space, rows: rows.len(), checksum, graph: Some((m, ef_construction)), built }.write(folder)
    }
}
