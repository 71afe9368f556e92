//! One batch of changes: a SQLite transaction and a tantivy writer that end together.

use std::path::PathBuf;
use std::time::Instant;

use jari_base::{ChunkKind, FileId, Generation, Skip, Stamp};
use jari_store::{ANY_GRAM, Error, FileInput, FileRecord, Result, WriteBatch};
use rusqlite::Connection;

use crate::LocalStore;
use crate::lexical::Writer;
use crate::lock::WriterLock;
use crate::vectors::{self, VectorOptions, Vectors};
use crate::{errors, format, lists, rows};

/// A write-ahead log larger than this is folded back into the database at once.
const LOG_BYTES: u64 = 16 * 1024 * 1024;

pub(crate) struct Batch {
    folder: PathBuf,
    connection: Connection,
    fold: fn(&str) -> String,
    fingerprint: String,
    /// Opened by the first change that touches postings.
    writer: Option<Writer>,
    options: Option<VectorOptions>,
    /// Opened by the first vectors.
    vectors: Option<jari_vector::Writer>,
    next: u32,
    continues: Generation,
    fresh: bool,
    cleared: bool,
    grams: lists::Writer,
    names: lists::Writer,
    began: Instant,
    _lock: WriterLock,
}

impl Batch {
    pub(crate) fn begin(store: &LocalStore, lock: WriterLock) -> Result<Self> {
        let folder = &store.folder;
        let connection = format::open(&format::database(folder))?;
        connection.pragma_update(None, "cache_size", -32_768).map_err(errors::sqlite)?;
        connection.set_prepared_statement_cache_capacity(32);
        connection.execute_batch("BEGIN IMMEDIATE").map_err(errors::sqlite)?;
        let next = rows::next_file(&connection)?;
        let continues = rows::generation(&connection)?;
        let fresh = rows::segments(&connection)?.is_none();
        Ok(Self {
            folder: folder.to_owned(),
            connection,
            fold: store.fold,
            fingerprint: store.fingerprint.clone(),
            writer: None,
            options: store.vectors.clone(),
            vectors: None,
            next,
            continues,
            fresh,
            cleared: false,
            grams: lists::Writer::new(&lists::GRAMS),
            names: lists::Writer::new(&lists::NAMES),
            began: Instant::now(),
            _lock: lock,
        })
    }

    fn writer(&mut self) -> Result<&mut Writer> {
        if self.writer.is_none() {
            let segments = rows::segments(&self.connection)?;
            self.writer = Some(Writer::open(&format::lexical(&self.folder), segments, self.fresh)?);
        }
        Ok(self.writer.as_mut().expect("it was opened above"))
    }

    fn put_vectors(
        &mut self,
        file: FileId,
        key: u64,
        kinds: impl Iterator<Item = ChunkKind>,
        vectors: &[f32],
    ) -> Result<()> {
        let Some(options) = &self.options else { return Ok(()) };
        if self.vectors.is_none() {
            let open = if self.cleared { jari_vector::Writer::anew } else { jari_vector::Writer::open };
            let writer = open(&options.folder(&self.folder), &options.space, options.most);
            self.vectors = Some(writer.map_err(vectors::error)?);
        }
        let writer = self.vectors.as_mut().expect("it was opened above");
        let kinds: Vec<u8> = kinds.map(|kind| kind as u8).collect();
        writer.put(file.0, key, &kinds, vectors).map(drop).map_err(vectors::error)
    }

    /// Vectors go first: without their rows they are of no file, and nobody misses them.
    fn write_out_vectors(&mut self) -> Result<()> {
        let (Some(writer), Some(options)) = (self.vectors.take(), &self.options) else { return Ok(()) };
        let kept = writer.rows() as u64;
        writer.save().map_err(vectors::error)?;
        // A first look that costs little: the files themselves are read only where there seems to be waste.
        let chunks = rows::chunks(&self.connection)?;
        if kept > chunks + chunks / 4 {
            Vectors::open(&self.folder, options, &rows::files(&self.connection)?).compact(&self.folder)?;
        }
        Ok(())
    }

    fn write_out(&mut self) -> Result<Generation> {
        self.write_out_vectors()?;
        if let Some(writer) = self.writer.take() {
            rows::set_meta(&self.connection, "segments", writer.finish()?)?;
        }
        self.grams.finish(&self.connection)?;
        self.names.finish(&self.connection)?;
        if self.fresh {
            rows::set_meta(&self.connection, "build_ms", self.began.elapsed().as_millis() as i64)?;
        }
        let generation = Generation(self.continues.0 + 1);
        rows::set_meta(&self.connection, "generation", generation.0 as i64)?;
        rows::set_meta(&self.connection, "next_file", self.next)?;
        rows::set_meta(&self.connection, "fingerprint", &self.fingerprint)?;
        self.connection.execute_batch("COMMIT").map_err(errors::sqlite)?;
        let log = std::fs::metadata(self.folder.join("store.db-wal")).map_or(0, |metadata| metadata.len());
        if log > LOG_BYTES {
            // Readers may hold it back; then a later batch does it.
            let folded = self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
            folded
                .map_err(errors::sqlite)
                .or_else(|error| if let Error::Busy = error { Ok(()) } else { Err(error) })?;
        }
        Ok(generation)
    }

    fn put_rows_and_postings(&mut self, file: &FileInput) -> Result<()> {
        let (id, known) = self.number(&file.path)?;
        if known {
            rows::remove_contents(&self.connection, id)?;
        }
        let record = FileRecord::indexed(id, file);
        rows::put_file(&self.connection, &record)?;
        rows::put_contents(&self.connection, id, file, self.fold)?;
        if let Some(vectors) = &file.vectors {
            let kinds = file.chunked.chunks.iter().map(|chunk| chunk.kind);
            self.put_vectors(id, vectors::key(&file.path, file.hash), kinds, vectors)?;
        }
        self.grams.put(&self.connection, id, file.grams.as_deref().unwrap_or(&[ANY_GRAM]))?;
        self.names.put(&self.connection, id, &rows::name_numbers(&file.chunked.references))?;
        self.writer()?.put(id, file, known)
    }

    /// The number of the file at `path`, and whether it was known.
    fn number(&mut self, path: &str) -> Result<(FileId, bool)> {
        if let Some(known) = rows::number_of(&self.connection, path)? {
            return Ok((known, true));
        }
        self.next += 1;
        Ok((FileId(self.next - 1), false))
    }
}

impl WriteBatch for Batch {
    fn continues(&self) -> Generation {
        self.continues
    }

    fn clear(&mut self) -> Result<()> {
        rows::clear(&self.connection)?;
        self.grams.clear(&self.connection)?;
        self.names.clear(&self.connection)?;
        self.fresh = true;
        self.cleared = true;
        self.writer()?.clear()
    }

    fn put(&mut self, file: FileInput) -> Result<()> {
        self.put_rows_and_postings(&file).map_err(|error| errors::or_full(&self.folder, error))
    }

    fn skip(&mut self, path: &str, stamp: Stamp, reason: Skip) -> Result<()> {
        let (id, known) = self.number(path)?;
        if known {
            rows::remove_contents(&self.connection, id)?;
            self.writer()?.remove(id);
        }
        let record = FileRecord::skipped(id, path, stamp, reason);
        rows::put_file(&self.connection, &record)
    }

    fn embed(&mut self, file: FileId, vectors: Vec<f32>) -> Result<()> {
        let Some((path, hash)) = rows::path_and_hash(&self.connection, file)? else { return Ok(()) };
        let kinds = rows::kinds(&self.connection, file)?;
        self.put_vectors(file, vectors::key(&path, hash), kinds.into_iter(), &vectors)
            .map_err(|error| errors::or_full(&self.folder, error))
    }

    fn touch(&mut self, file: FileId, stamp: Stamp) -> Result<()> {
        rows::touch(&self.connection, file, stamp)
    }

    fn rename(&mut self, file: FileId, path: &str, words: &str, stamp: Stamp) -> Result<()> {
        rows::rename(&self.connection, file, path)?;
        rows::touch(&self.connection, file, stamp)?;
        self.writer()?.rename(file, words)
    }

    fn remove(&mut self, file: FileId) -> Result<()> {
        rows::remove_contents(&self.connection, file)?;
        rows::remove_file(&self.connection, file)?;
        self.writer()?.remove(file);
        Ok(())
    }

    fn commit(mut self: Box<Self>) -> Result<Generation> {
        self.write_out().map_err(|error| errors::or_full(&self.folder, error))
    }
}
