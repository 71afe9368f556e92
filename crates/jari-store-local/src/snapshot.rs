//! One state of the index, held by a read transaction.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

use jari_base::{
    Candidates, ChunkId, Chunked, Degraded, Document, FileId, Filter, Generation, Lookup, Symbol, Uses,
};
use jari_store::{
    ANY_GRAM, Allowed, ChunkSlot, Definition, Error, Field, FileRecord, Files, GramPostings, GramQuery,
    GramStatistics, Nearest, Posting, Postings, Result, Snapshot, Statistics, StoredChunk, StoredSymbol,
    SymbolLookup, Totals,
};
use rusqlite::Connection;
use tracing::debug_span;

use crate::lexical::Reader;
use crate::recent::Recent;
use crate::vectors::{VectorOptions, Vectors};
use crate::{LOG_BYTES, errors, format, lists, rows};

/// A writer may sweep files between our look at the list and their opening: then the next state is there already.
const TRIES: usize = 5;

/// Kilobytes of pages that are kept: SQLite's own 2,000 hold neither the rows of chunks nor those of symbols that questions come back to.
const PAGE_CACHE: i64 = 8_000;

/// Spellings that are compared letter by letter, at most: those that share most runs of letters.
const LIKELY: usize = 512;

pub(crate) struct LocalSnapshot {
    folder: PathBuf,
    connection: Mutex<Connection>,
    generation: Generation,
    totals: Totals,
    /// Read by the first who asks.
    files: OnceLock<Arc<Files>>,
    /// Opened by the first who asks.
    reader: OnceLock<Reader>,
    options: Option<VectorOptions>,
    /// Opened by the first who asks.
    vectors: OnceLock<Vectors>,
    /// What answers were taken from lately.
    recent: Mutex<Recent>,
    gram_segments: Vec<lists::Segment>,
    name_segments: Vec<lists::Segment>,
    spelled_segments: Vec<lists::Segment>,
}

impl LocalSnapshot {
    /// The newest state, whole.
    pub(crate) fn open(folder: &Path, options: Option<&VectorOptions>) -> Result<Self> {
        Self::retried(|| {
            let snapshot = Self::try_open(folder, options)?;
            snapshot.all_files()?;
            snapshot.reader()?;
            Ok(snapshot)
        })
    }

    /// The newest state, its files and postings when they are asked for.
    pub(crate) fn open_rows(folder: &Path, options: Option<&VectorOptions>) -> Result<Self> {
        Self::retried(|| Self::try_open(folder, options))
    }

    fn retried(open: impl Fn() -> Result<Self>) -> Result<Self> {
        let mut last = None;
        for _ in 0..TRIES {
            match open() {
                Err(Error::Corrupt(why)) => last = Some(Error::Corrupt(why)),
                other => return other,
            }
        }
        Err(last.expect("every try failed"))
    }

    fn try_open(folder: &Path, options: Option<&VectorOptions>) -> Result<Self> {
        let _span = debug_span!("open").entered();
        let connection = format::open_to_read(&format::database(folder))?;
        if format::log_bytes(folder) > LOG_BYTES {
            // As far as other readers let us, and without waiting. Where all of it is folded back, we read the database alone
            // and the next writer begins the log anew.
            let _ = connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
        }
        connection.pragma_update(None, "cache_size", -PAGE_CACHE).map_err(errors::sqlite)?;
        // The transaction begins with its first read and holds that state until the snapshot is dropped.
        connection.execute_batch("BEGIN").map_err(errors::sqlite)?;
        let generation = rows::generation(&connection)?;
        let totals = rows::totals(&connection)?;
        let gram_segments = lists::segments(&connection, &lists::GRAMS)?;
        let name_segments = lists::segments(&connection, &lists::NAMES)?;
        let spelled_segments = lists::segments(&connection, &lists::SPELLED)?;
        Ok(Self {
            folder: folder.to_owned(),
            connection: Mutex::new(connection),
            generation,
            totals,
            files: OnceLock::new(),
            reader: OnceLock::new(),
            recent: Mutex::default(),
            gram_segments,
            name_segments,
            spelled_segments,
            options: options.cloned(),
            vectors: OnceLock::new(),
        })
    }

    fn all_files(&self) -> Result<&Arc<Files>> {
        if let Some(files) = self.files.get() {
            return Ok(files);
        }
        let _span = debug_span!("read files").entered();
        let files = Arc::new(rows::files(&self.rows())?);
        Ok(self.files.get_or_init(|| files))
    }

    fn reader(&self) -> Result<&Reader> {
        if let Some(reader) = self.reader.get() {
            return Ok(reader);
        }
        let _span = debug_span!("open postings").entered();
        let (segments, sums) = {
            let rows = self.rows();
            (rows::segments(&rows)?, rows::sums(&rows)?)
        };
        let reader = Reader::open(&format::lexical(&self.folder), segments, &sums)?;
        Ok(self.reader.get_or_init(|| reader))
    }

    /// For those who were let in by [`Self::candidates`].
    fn opened(&self) -> &Reader {
        self.reader.get().expect("whoever asks for candidates opens it")
    }

    fn opened_vectors(&self) -> Result<Option<&Vectors>> {
        let Some(options) = &self.options else { return Ok(None) };
        let files = self.all_files()?;
        let open = || {
            let _span = debug_span!("open vectors").entered();
            Vectors::open(&self.folder, options, files)
        };
        Ok(Some(self.vectors.get_or_init(open)))
    }

    fn rows(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().expect("no holder panics")
    }

    fn recent(&self) -> MutexGuard<'_, Recent> {
        self.recent.lock().expect("no holder panics")
    }
}

impl Snapshot for LocalSnapshot {
    fn generation(&self) -> Generation {
        self.generation
    }

    fn files(&self) -> Result<Arc<Files>> {
        self.all_files().cloned()
    }

    fn file(&self, file: FileId) -> Result<Option<FileRecord>> {
        match self.files.get() {
            Some(files) => Ok(files.get(file).cloned()),
            None => rows::file(&self.rows(), file),
        }
    }

    fn totals(&self) -> Totals {
        self.totals.clone()
    }

    fn candidates(&self, lookup: &Lookup) -> Result<Candidates> {
        let _span = debug_span!("candidates").entered();
        self.reader()?;
        if lookup.vector.is_some() {
            self.opened_vectors()?;
        }
        jari_store::candidates(lookup, self.all_files()?, self)
    }

    fn hydrate(&self, chunks: &[ChunkId]) -> Result<Vec<StoredChunk>> {
        let _span = debug_span!("hydrate", chunks = chunks.len()).entered();
        let (rows, mut recent) = (self.rows(), self.recent());
        let hydrated = chunks.iter().map(|id| rows::hydrated(&rows, *id, &mut recent));
        hydrated.filter_map(Result::transpose).collect()
    }

    fn text(&self, file: FileId) -> Result<Option<String>> {
        if let Some(opened) = self.recent().file(file) {
            return Ok(Some(opened.text.clone()));
        }
        rows::text(&self.rows(), file)
    }

    fn chunked(&self, file: FileId) -> Result<Option<Chunked>> {
        rows::chunked(&self.rows(), file)
    }

    fn nearest(&self, vector: &[f32], limit: usize, filter: &Filter) -> Result<Vec<(ChunkId, f32)>> {
        let allowed = Allowed::new(filter, self.all_files()?)?;
        Ok(Postings::nearest(self, vector, limit, &allowed)?.chunks)
    }

    fn vectors(&self, chunks: &[ChunkId]) -> Result<Vec<Option<Vec<f32>>>> {
        let vectors = self.opened_vectors()?;
        Ok(chunks.iter().map(|id| vectors?.vector(*id)).collect())
    }

    fn words(&self, chunks: &[ChunkId]) -> Result<Vec<Option<Vec<u32>>>> {
        let vectors = self.opened_vectors()?;
        Ok(chunks.iter().map(|id| vectors?.words(*id)).collect())
    }

    fn unembedded(&self) -> Result<Vec<FileId>> {
        let Some(vectors) = self.opened_vectors()? else { return Ok(Vec::new()) };
        Ok(vectors.unembedded(self.all_files()?))
    }

    fn documents(&self, visit: &mut dyn FnMut(FileId, Document)) -> Result<()> {
        rows::documents(&self.rows(), visit)
    }

    fn symbols(&self, lookup: &SymbolLookup) -> Result<Vec<StoredSymbol>> {
        let found = rows::symbols(&self.rows(), lookup)?;
        lookup.choose(found, self.all_files()?)
    }

    fn symbol_names(&self, visit: &mut dyn FnMut(&str)) -> Result<()> {
        rows::symbol_names(&self.rows(), visit)
    }

    fn names_like(
        &self,
        grams: &[u32],
        folded: &[String],
        near: &mut dyn FnMut(&str) -> bool,
    ) -> Result<Vec<String>> {
        let rows = self.rows();
        let mut shared: HashMap<u32, u32> = HashMap::new();
        for gram in grams {
            for spelling in lists::files(&rows, &lists::SPELLED, &self.spelled_segments, *gram)? {
                *shared.entry(spelling).or_default() += 1;
            }
        }
        let mut spellings: Vec<(u32, u32)> = shared.into_iter().collect();
        spellings.sort_unstable_by_key(|(spelling, count)| (Reverse(*count), *spelling));
        let mut likely: Vec<String> = Vec::new();
        for (spelling, _) in spellings.into_iter().take(LIKELY) {
            likely.extend(rows::spelling(&rows, spelling)?);
        }
        likely.extend_from_slice(folded);
        likely.sort_unstable();
        likely.dedup();
        likely.retain(|folded| near(folded));
        likely.iter().filter_map(|folded| rows::name_spelt(&rows, folded).transpose()).collect()
    }

    fn users(&self, name: &str) -> Result<Vec<FileId>> {
        let number = rows::name_number(name);
        let files = lists::files(&self.rows(), &lists::NAMES, &self.name_segments, number)?;
        let known = self.all_files()?;
        let indexed = |file: &u32| known.get(FileId(*file)).is_some_and(|record| record.skip.is_none());
        Ok(files.into_iter().filter(indexed).map(FileId).collect())
    }

    fn uses(&self, file: FileId) -> Result<Uses> {
        Ok(rows::uses(&self.rows(), file)?.map(|(uses, _)| uses).unwrap_or_default())
    }

    fn definition(&self, file: FileId, ordinal: u32) -> Result<Option<Symbol>> {
        rows::symbol(&self.rows(), file, ordinal)
    }

    fn defined(&self, file: FileId) -> Result<Vec<Symbol>> {
        rows::symbols_of(&self.rows(), file)
    }

    fn narrow(&self, query: &GramQuery, most: u64) -> Result<Option<Vec<FileId>>> {
        jari_store::narrow(query, most, self)
    }

    fn gram_statistics(&self, most: u64) -> Result<GramStatistics> {
        let mut frequencies = lists::frequencies(&self.rows())?;
        frequencies.remove(&ANY_GRAM);
        let common = frequencies.values().filter(|frequency| **frequency > most).count();
        let known = self.all_files()?;
        let uncut = self.gram_files(ANY_GRAM)?.into_iter().filter(|file| known.get(FileId(*file)).is_some());
        Ok(GramStatistics {
            grams: frequencies.len() as u64,
            common: common as u64,
            uncut: uncut.count() as u64,
        })
    }

    fn statistics(&self) -> Result<Statistics> {
        let size = |path: PathBuf| std::fs::metadata(path).map_or(0, |metadata| metadata.len());
        let postings = std::fs::read_dir(format::lexical(&self.folder));
        let vectors =
            self.opened_vectors()?.map(|vectors| Ok(vectors.statistics(self.all_files()?))).transpose()?;
        let rows = self.rows();
        Ok(Statistics {
            chunks: self.totals.chunks,
            symbols: rows::count(&rows, "symbols")?,
            row_bytes: size(format::database(&self.folder)) + format::log_bytes(&self.folder),
            posting_bytes: postings
                .map_or(0, |entries| entries.flatten().map(|entry| size(entry.path())).sum()),
            vectors,
            build_ms: rows::build_ms(&rows)?,
        })
    }
}

impl GramPostings for LocalSnapshot {
    fn gram_files(&self, gram: u32) -> Result<Vec<u32>> {
        lists::files(&self.rows(), &lists::GRAMS, &self.gram_segments, gram)
    }
}

impl Postings for LocalSnapshot {
    fn slots(&self) -> usize {
        self.opened().slots()
    }

    fn postings(&self, field: Field, term: &str, all: &mut Vec<Posting>) -> Result<()> {
        self.reader()?.postings(field, term, all)
    }

    fn file(&self, slot: u32) -> FileId {
        self.opened().file(slot)
    }

    fn first_slot(&self, file: FileId) -> Option<u32> {
        self.opened().first_slot(file)
    }

    fn nearest(&self, vector: &[f32], limit: usize, allowed: &Allowed<'_>) -> Result<Nearest> {
        let none = || Nearest { chunks: Vec::new(), degraded: Some(Degraded::VectorsUnavailable) };
        Ok(self.opened_vectors()?.map_or_else(none, |vectors| vectors.nearest(vector, limit, allowed)))
    }

    fn cosines(&self, vector: &[f32], files: &[FileId], each: &mut dyn FnMut(&[f32])) {
        match self.vectors.get() {
            Some(vectors) => vectors.cosines(vector, files, each),
            None => files.iter().for_each(|_| each(&[])),
        }
    }

    fn chunk(&self, slot: u32) -> ChunkSlot {
        self.opened().chunk(slot)
    }

    fn definitions(&self, names: &[String], limit: usize) -> Result<Vec<Definition>> {
        rows::definitions(&self.rows(), names, limit)
    }
}
