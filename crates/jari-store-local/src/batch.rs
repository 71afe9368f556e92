//! One batch of changes: a SQLite transaction and a tantivy writer that end together.

use std::path::PathBuf;

use jari_base::{FileId, Generation, Skip, Stamp};
use jari_store::{Error, FileInput, FileRecord, Result, WriteBatch};
use rusqlite::Connection;

use crate::LocalStore;
use crate::lexical::Writer;
use crate::lock::WriterLock;
use crate::{errors, format, rows};

/// A write-ahead log larger than this is folded back into the database at once.
const LOG_BYTES: u64 = 16 * 1024 * 1024;

pub(crate) struct Batch {
    folder: PathBuf,
    connection: Connection,
    fold: fn(&str) -> String,
    fingerprint: String,
    /// Opened by the first change that touches postings.
    writer: Option<Writer>,
    next: u32,
    continues: Generation,
    fresh: bool,
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
            next,
            continues,
            fresh,
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

    fn write_out(&mut self) -> Result<Generation> {
        if let Some(writer) = self.writer.take() {
            rows::set_meta(&self.connection, "segments", writer.finish()?)?;
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
        self.fresh = true;
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
