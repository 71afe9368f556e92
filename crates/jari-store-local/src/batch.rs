//! One batch of changes: a SQLite transaction and a tantivy writer that end together.

use std::collections::HashSet;
use std::path::PathBuf;
use std::time::Instant;

use jari_base::{ChunkKind, FileId, Generation, Skip, Stamp};
use jari_store::{ANY_GRAM, FileInput, FileRecord, Meaning, Result, WriteBatch};
use jari_vector::Written;
use rusqlite::Connection;
use tracing::debug_span;

use crate::lexical::Writer;
use crate::lock::WriterLock;
use crate::vectors::{self, VectorOptions, Vectors};
use crate::{LOG_BYTES, LocalStore};
use crate::{errors, format, lists, rows};

/// The parts of all memory that pages of the database, and grams that wait to be sorted, may use.
const CACHE_SHARE: usize = 16;
const GRAMS_SHARE: usize = 16;

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
    /// Vectors on disk once this batch is written, live or not.
    kept: u64,
    next: u32,
    continues: Generation,
    fresh: bool,
    cleared: bool,
    memory: usize,
    grams: lists::Writer,
    names: lists::Writer,
    spelled: lists::Writer,
    /// Spellings that this batch has looked up.
    spellings: HashSet<u64>,
    began: Instant,
    _lock: WriterLock,
}

impl Batch {
    pub(crate) fn begin(store: &LocalStore, lock: WriterLock) -> Result<Self> {
        let folder = &store.folder;
        let connection = format::open(&format::database(folder))?;
        // Negative numbers count in kilobytes.
        let cache = (store.memory / CACHE_SHARE / 1024).min(32_768) as i64;
        connection.pragma_update(None, "cache_size", -cache).map_err(errors::sqlite)?;
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
            kept: 0,
            next,
            continues,
            fresh,
            cleared: false,
            memory: store.memory,
            grams: lists::Writer::new(&lists::GRAMS, store.memory / GRAMS_SHARE),
            names: lists::Writer::new(&lists::NAMES, store.memory / GRAMS_SHARE),
            spelled: lists::Writer::new(&lists::SPELLED, store.memory / GRAMS_SHARE),
            spellings: HashSet::new(),
            began: Instant::now(),
            _lock: lock,
        })
    }

    fn writer(&mut self) -> Result<&mut Writer> {
        if self.writer.is_none() {
            let segments = rows::segments(&self.connection)?;
            self.writer = Some(Writer::open(
                &format::lexical(&self.folder),
                segments,
                self.fresh.then_some(self.memory),
            )?);
        }
        Ok(self.writer.as_mut().expect("it was opened above"))
    }

    fn put_vectors(
        &mut self,
        file: FileId,
        key: u64,
        kinds: impl Iterator<Item = ChunkKind>,
        meaning: &Meaning,
    ) -> Result<()> {
        let Some(options) = &self.options else { return Ok(()) };
        if self.vectors.is_none() {
            let open = if self.cleared { jari_vector::Writer::anew } else { jari_vector::Writer::open };
            let writer = open(&options.folder(&self.folder), &options.space, options.most);
            self.vectors = Some(writer.map_err(vectors::error)?);
        }
        let writer = self.vectors.as_mut().expect("it was opened above");
        let kinds: Vec<u8> = kinds.map(|kind| kind as u8).collect();
        writer.put(file.0, key, &kinds, &meaning.vectors, &meaning.words).map(drop).map_err(vectors::error)
    }

    /// Vectors go first: without their rows they are of no file, and nobody misses them. Those that replace all others wait
    /// beside them until the rows are committed, so that the state before has its own until then.
    fn write_out_vectors(&mut self) -> Result<Option<Written>> {
        let Some(writer) = self.vectors.take() else { return Ok(None) };
        self.kept = writer.rows() as u64;
        writer.write_out().map(Some).map_err(vectors::error)
    }

    /// After the commit nothing may fail any more: vectors that are missing are made by the next update, and waste is left
    /// behind by a later one.
    fn publish_vectors(&self, written: Option<Written>) {
        let (Some(written), Some(options)) = (written, &self.options) else { return };
        let _ = written.publish();
        // A first look that costs little: the files themselves are read only where there seems to be waste.
        let chunks = rows::totals(&self.connection).map(|totals| totals.chunks);
        let wasteful = chunks.is_ok_and(|chunks| self.kept > chunks + chunks / 4);
        if let (true, Ok(files)) = (wasteful, rows::files(&self.connection)) {
            let _ = Vectors::open(&self.folder, options, &files).compact();
        }
    }

    fn write_out(&mut self) -> Result<Generation> {
        let _span = debug_span!("commit").entered();
        let vectors = debug_span!("write vectors").in_scope(|| self.write_out_vectors())?;
        if let Some(writer) = self.writer.take() {
            let known = rows::sums(&self.connection)?;
            let (segments, sums) = debug_span!("write postings").in_scope(|| writer.finish(&known))?;
            rows::set_segments(&self.connection, segments, &sums)?;
        }
        debug_span!("write grams").in_scope(|| self.grams.finish(&self.connection))?;
        debug_span!("write names").in_scope(|| {
            self.names.finish(&self.connection)?;
            self.spelled.finish(&self.connection)
        })?;
        if self.fresh {
            rows::set_meta(&self.connection, "build_ms", self.began.elapsed().as_millis() as i64)?;
        }
        let generation = Generation(self.continues.0 + 1);
        rows::set_meta(&self.connection, "generation", generation.0 as i64)?;
        rows::set_meta(&self.connection, "next_file", self.next)?;
        rows::set_totals(&self.connection)?;
        rows::set_meta(&self.connection, "fingerprint", &self.fingerprint)?;
        self.connection.execute_batch("COMMIT").map_err(errors::sqlite)?;
        self.publish_vectors(vectors);
        self.fold_back_log();
        Ok(generation)
    }

    /// Readers may hold it back, and then a later batch or reader does it: what is committed is committed.
    fn fold_back_log(&self) {
        if format::log_bytes(&self.folder) > LOG_BYTES {
            // Nobody is waited for.
            let _ = self.connection.busy_timeout(std::time::Duration::ZERO);
            let _ = self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        }
    }

    fn put_rows_and_postings(&mut self, file: &FileInput) -> Result<()> {
        let (id, known) = self.number(&file.path)?;
        if known {
            rows::remove_contents(&self.connection, id)?;
        }
        let record = FileRecord::indexed(id, file);
        rows::put_file(&self.connection, &record)?;
        rows::put_contents(&self.connection, id, file, self.fold)?;
        if let Some(meaning) = &file.meaning {
            let kinds = file.chunked.chunks.iter().map(|chunk| chunk.kind);
            self.put_vectors(id, vectors::key(&file.path, file.hash), kinds, meaning)?;
        }
        self.grams.put(&self.connection, id, file.grams.as_deref().unwrap_or(&[ANY_GRAM]))?;
        self.names.put(&self.connection, id, &rows::name_numbers(&file.chunked.references))?;
        self.put_spellings(file)?;
        self.writer()?.put(id, file, known)
    }

    /// Spellings stay when their names go: who asks looks whether somebody still defines them.
    fn put_spellings(&mut self, file: &FileInput) -> Result<()> {
        for symbol in &file.chunked.symbols {
            let folded = (self.fold)(&symbol.name);
            if folded.is_empty() || !self.spellings.insert(jari_base::fingerprint(folded.as_bytes())) {
                continue;
            }
            if let Some(number) = rows::put_spelling(&self.connection, &folded)? {
                let grams = jari_text::spelling_grams(&jari_text::spelling(&folded));
                self.spelled.put(&self.connection, FileId(number), &grams)?;
            }
        }
        Ok(())
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
        self.spelled.clear(&self.connection)?;
        self.spellings.clear();
        self.fresh = true;
        self.cleared = true;
        self.writer()?.clear()
    }

    fn put(&mut self, file: FileInput) -> Result<()> {
        self.put_rows_and_postings(&file).map_err(|error| errors::while_writing(&self.folder, error))
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

    fn embed(&mut self, file: FileId, meaning: Meaning) -> Result<()> {
        let Some((path, hash)) = rows::path_and_hash(&self.connection, file)? else { return Ok(()) };
        let kinds = rows::kinds(&self.connection, file)?;
        self.put_vectors(file, vectors::key(&path, hash), kinds.into_iter(), &meaning)
            .map_err(|error| errors::while_writing(&self.folder, error))
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
        self.write_out().map_err(|error| errors::while_writing(&self.folder, error))
    }
}
