//! The twin: everything in memory, written for clarity, against which other stores are compared.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};

use jari_base::{
    Backend, Candidates, ChunkId, Chunked, Degraded, Document, FileId, Filter, Generation, Lookup, Skip,
    Stamp, Symbol, Uses,
};

use crate::contract::word_count;
use crate::grams::{self, ANY_GRAM, GramPostings, GramQuery, GramStatistics};
use crate::lookup::{self, Allowed, ChunkSlot, Definition, Field, Nearest, Posting, Postings};
use crate::{
    Error, FileInput, FileRecord, Files, Meaning, Result, Snapshot, Statistics, Store, StoredChunk,
    StoredSymbol, SymbolLookup, SymbolMode, Totals, VectorStatistics, WriteBatch,
};

/// A store that forgets.
#[derive(Debug, Default)]
pub struct MemoryStore {
    state: Mutex<Arc<State>>,
    writer: Mutex<()>,
    note: Mutex<Option<Vec<u8>>>,
    fold: Option<fn(&str) -> String>,
}

impl MemoryStore {
    /// An empty store. `fold` makes names comparable, as `jari_text::fold_name` does.
    pub fn new(fold: fn(&str) -> String) -> Self {
        Self { fold: Some(fold), ..Self::default() }
    }
}

impl Store for MemoryStore {
    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        let state = self.state.lock().expect("no holder panics").clone();
        Ok(state)
    }

    fn is_outdated(&self) -> bool {
        false
    }

    fn recall(&self) -> Option<Vec<u8>> {
        self.note.lock().expect("no holder panics").clone()
    }

    fn remember(&self, note: &[u8]) {
        *self.note.lock().expect("no holder panics") = Some(note.to_vec());
    }

    fn write(&self) -> Result<Box<dyn WriteBatch + '_>> {
        let lock = match self.writer.try_lock() {
            Ok(lock) => lock,
            Err(TryLockError::WouldBlock) => return Err(Error::Busy),
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
        };
        let mut state = State::clone(&self.state.lock().expect("no holder panics"));
        state.fold = self.fold;
        Ok(Box::new(Batch { store: self, state, _lock: lock }))
    }
}

#[derive(Debug, Clone, Default)]
struct State {
    generation: Generation,
    next: u32,
    kept: BTreeMap<FileId, Kept>,
    files: Arc<Files>,
    /// Chunks by slot.
    slots: Vec<ChunkSlot>,
    fold: Option<fn(&str) -> String>,
}

#[derive(Debug, Clone)]
struct Kept {
    record: FileRecord,
    path_words: String,
    input: Option<Arc<FileInput>>,
}

struct Batch<'a> {
    store: &'a MemoryStore,
    state: State,
    _lock: MutexGuard<'a, ()>,
}

impl Batch<'_> {
    fn number(&mut self, path: &str) -> FileId {
        let known = self.state.kept.values().find(|kept| kept.record.path == path);
        known.map(|kept| kept.record.id).unwrap_or_else(|| {
            self.state.next += 1;
            FileId(self.state.next)
        })
    }

    fn kept(&mut self, file: FileId) -> Result<&mut Kept> {
        self.state.kept.get_mut(&file).ok_or_else(|| Error::Backend(format!("no file {}", file.0)))
    }
}

impl WriteBatch for Batch<'_> {
    fn continues(&self) -> Generation {
        self.state.generation
    }

    fn clear(&mut self) -> Result<()> {
        self.state.kept.clear();
        Ok(())
    }

    fn put(&mut self, file: FileInput) -> Result<()> {
        let id = self.number(&file.path);
        let record = FileRecord::indexed(id, &file);
        let path_words = file.path_words.clone();
        self.state.kept.insert(id, Kept { record, path_words, input: Some(Arc::new(file)) });
        Ok(())
    }

    fn skip(&mut self, path: &str, stamp: Stamp, reason: Skip) -> Result<()> {
        let id = self.number(path);
        let record = FileRecord::skipped(id, path, stamp, reason);
        self.state.kept.insert(id, Kept { record, path_words: String::new(), input: None });
        Ok(())
    }

    fn embed(&mut self, file: FileId, meaning: Meaning) -> Result<()> {
        if let Some(input) = &mut self.kept(file)?.input {
            Arc::make_mut(input).meaning = Some(meaning);
        }
        Ok(())
    }

    fn touch(&mut self, file: FileId, stamp: Stamp) -> Result<()> {
        self.kept(file)?.record.stamp = stamp;
        Ok(())
    }

    fn rename(&mut self, file: FileId, path: &str, words: &str, stamp: Stamp) -> Result<()> {
        let kept = self.kept(file)?;
        kept.record.path = path.to_owned();
        kept.record.stamp = stamp;
        kept.path_words = words.to_owned();
        // What a chunk of code means depends on where it stands.
        if let Some(input) = &mut kept.input {
            Arc::make_mut(input).meaning = None;
        }
        Ok(())
    }

    fn remove(&mut self, file: FileId) -> Result<()> {
        self.state.kept.remove(&file);
        Ok(())
    }

    fn commit(mut self: Box<Self>) -> Result<Generation> {
        self.state.generation.0 += 1;
        self.state.files =
            Arc::new(Files::new(self.state.kept.values().map(|kept| kept.record.clone()).collect()));
        self.state.slots = self
            .state
            .inputs()
            .flat_map(|(file, input)| {
                input.chunked.chunks.iter().enumerate().map(move |(ordinal, chunk)| ChunkSlot {
                    chunk: ChunkId { file, ordinal: ordinal as u32 },
                    kind: chunk.kind,
                })
            })
            .collect();
        let generation = self.state.generation;
        *self.store.state.lock().expect("no holder panics") = Arc::new(self.state);
        Ok(generation)
    }
}

impl State {
    fn inputs(&self) -> impl Iterator<Item = (FileId, &FileInput)> {
        self.kept.iter().filter_map(|(id, kept)| Some((*id, kept.input.as_deref()?)))
    }

    fn input(&self, file: FileId) -> Option<&FileInput> {
        self.kept.get(&file)?.input.as_deref()
    }

    fn fold(&self, name: &str) -> String {
        self.fold.map_or_else(|| name.to_lowercase(), |fold| fold(name))
    }
}

impl Snapshot for State {
    fn generation(&self) -> Generation {
        self.generation
    }

    fn files(&self) -> Result<Arc<Files>> {
        Ok(self.files.clone())
    }

    fn totals(&self) -> Totals {
        self.files.totals().clone()
    }

    fn candidates(&self, lookup: &Lookup) -> Result<Candidates> {
        lookup::candidates(lookup, &self.files, self)
    }

    fn hydrate(&self, chunks: &[ChunkId]) -> Result<Vec<StoredChunk>> {
        let one = |id: &ChunkId| {
            let input = self.input(id.file)?;
            StoredChunk::of(*id, &input.chunked, &input.text)
        };
        Ok(chunks.iter().filter_map(one).collect())
    }

    fn text(&self, file: FileId) -> Result<Option<String>> {
        Ok(self.input(file).map(|input| input.text.clone()))
    }

    fn chunked(&self, file: FileId) -> Result<Option<Chunked>> {
        Ok(self.input(file).map(|input| input.chunked.clone()))
    }

    fn nearest(&self, vector: &[f32], limit: usize, filter: &Filter) -> Result<Vec<(ChunkId, f32)>> {
        let allowed = Allowed::new(filter, &self.files)?;
        Ok(Postings::nearest(self, vector, limit, &allowed)?.chunks)
    }

    fn vectors(&self, chunks: &[ChunkId]) -> Result<Vec<Option<Vec<f32>>>> {
        let one = |id: &ChunkId| {
            let mut vectors = vectors_of(self.input(id.file)?)?;
            vectors.nth(id.ordinal as usize).map(<[f32]>::to_vec)
        };
        Ok(chunks.iter().map(one).collect())
    }

    fn words(&self, chunks: &[ChunkId]) -> Result<Vec<Option<Vec<u32>>>> {
        let one = |id: &ChunkId| {
            let meaning = self.input(id.file)?.meaning.as_ref()?;
            Some(meaning.words.get(id.ordinal as usize).cloned().unwrap_or_default())
        };
        Ok(chunks.iter().map(one).collect())
    }

    fn unembedded(&self) -> Result<Vec<FileId>> {
        let missing =
            |(_, input): &(FileId, &FileInput)| input.meaning.is_none() && !input.chunked.chunks.is_empty();
        Ok(self.inputs().filter(missing).map(|(file, _)| file).collect())
    }

    fn documents(&self, visit: &mut dyn FnMut(FileId, Document)) -> Result<()> {
        for (file, input) in self.inputs() {
            if let Some(document) = &input.chunked.document {
                visit(file, document.clone());
            }
        }
        Ok(())
    }

    fn symbols(&self, lookup: &SymbolLookup) -> Result<Vec<StoredSymbol>> {
        let named = |(_, symbol): &(usize, &Symbol)| {
            let folded = self.fold(&symbol.name);
            match lookup.mode {
                SymbolMode::Exact => folded == lookup.folded,
                SymbolMode::Prefix => folded.starts_with(&lookup.folded),
                SymbolMode::Contains => folded.contains(&lookup.folded),
            }
        };
        let of_file = |(file, input): (FileId, &FileInput)| -> Vec<StoredSymbol> {
            let found = input.chunked.symbols.iter().enumerate().filter(named);
            let stored = |(at, symbol): (usize, &Symbol)| StoredSymbol {
                file,
                ordinal: at as u32,
                symbol: symbol.clone(),
            };
            found.map(stored).collect()
        };
        lookup.choose(self.inputs().flat_map(of_file).collect(), &self.files)
    }

    fn symbol_names(&self, visit: &mut dyn FnMut(&str)) -> Result<()> {
        let names: BTreeSet<&str> = self
            .inputs()
            .flat_map(|(_, input)| input.chunked.symbols.iter().map(|symbol| symbol.name.as_str()))
            .collect();
        names.into_iter().for_each(visit);
        Ok(())
    }

    fn names_like(
        &self,
        _grams: &[u32],
        _folded: &[String],
        near: &mut dyn FnMut(&str) -> bool,
    ) -> Result<Vec<String>> {
        let mut found: BTreeMap<String, &str> = BTreeMap::new();
        for symbol in self.inputs().flat_map(|(_, input)| &input.chunked.symbols) {
            found.entry(self.fold(&symbol.name)).or_insert(&symbol.name);
        }
        found.retain(|folded, _| near(folded));
        Ok(found.into_values().map(str::to_owned).collect())
    }

    fn users(&self, name: &str) -> Result<Vec<FileId>> {
        let uses = |input: &FileInput| input.chunked.references.iter().any(|one| one.name == name);
        Ok(self.inputs().filter(|(_, input)| uses(input)).map(|(file, _)| file).collect())
    }

    fn uses(&self, file: FileId) -> Result<Uses> {
        let uses = |input: &FileInput| Uses::new(&input.chunked.references, &input.chunked.fields);
        Ok(self.input(file).map(uses).unwrap_or_default())
    }

    fn definition(&self, file: FileId, ordinal: u32) -> Result<Option<Symbol>> {
        Ok(self.input(file).and_then(|input| input.chunked.symbols.get(ordinal as usize)).cloned())
    }

    fn defined(&self, file: FileId) -> Result<Vec<Symbol>> {
        Ok(self.input(file).map(|input| input.chunked.symbols.clone()).unwrap_or_default())
    }

    fn narrow(&self, query: &GramQuery, most: u64) -> Result<Option<Vec<FileId>>> {
        grams::narrow(query, most, self)
    }

    fn gram_statistics(&self, most: u64) -> Result<GramStatistics> {
        let grams: BTreeSet<u32> =
            self.inputs().flat_map(|(_, input)| input.grams.iter().flatten().copied()).collect();
        let mut common = 0;
        for gram in &grams {
            common += u64::from(self.gram_files(*gram)?.len() as u64 > most);
        }
        Ok(GramStatistics {
            grams: grams.len() as u64,
            common,
            uncut: self.gram_files(ANY_GRAM)?.len() as u64,
        })
    }

    fn statistics(&self) -> Result<Statistics> {
        let symbols = self.inputs().map(|(_, input)| input.chunked.symbols.len() as u64).sum();
        let count =
            self.inputs().filter_map(|(_, input)| vectors_of(input)).map(|vectors| vectors.len() as u64);
        let count: u64 = count.sum();
        let chunks = self.files.totals().chunks;
        let missing = chunks - count;
        let vectors = (count > 0).then_some(VectorStatistics {
            count,
            missing,
            bytes: 0,
            backend: Backend::Exact,
            build_ms: 0,
        });
        Ok(Statistics { chunks, symbols, vectors, ..Statistics::default() })
    }
}

/// The vectors of a file's chunks.
fn vectors_of(input: &FileInput) -> Option<std::slice::ChunksExact<'_, f32>> {
    let vectors = &input.meaning.as_ref()?.vectors;
    Some(vectors.chunks_exact((vectors.len() / input.chunked.chunks.len().max(1)).max(1)))
}

fn product(one: &[f32], two: &[f32]) -> f32 {
    one.iter().zip(two).map(|(one, two)| one * two).sum()
}

impl GramPostings for State {
    fn gram_files(&self, gram: u32) -> Result<Vec<u32>> {
        let has =
            |input: &FileInput| input.grams.as_ref().map_or(gram == ANY_GRAM, |grams| grams.contains(&gram));
        Ok(self.inputs().filter(|(_, input)| has(input)).map(|(file, _)| file.0).collect())
    }
}

impl Postings for State {
    /// Chunks first, then a slot for each file's path.
    fn slots(&self) -> usize {
        self.slots.len() + self.files.numbers()
    }

    fn postings(&self, field: Field, term: &str, all: &mut Vec<Posting>) -> Result<()> {
        let posting = |slot: usize, words: &str| {
            let count = words.lines().filter(|word| *word == term).count() as u32;
            (count > 0).then(|| Posting { slot: slot as u32, count, length: word_count(words) })
        };
        if field == Field::Path {
            for (id, kept) in self.kept.iter().filter(|(_, kept)| kept.input.is_some()) {
                all.extend(posting(self.slots.len() + id.0 as usize, &kept.path_words));
            }
            return Ok(());
        }
        let words = self.inputs().flat_map(|(_, input)| &input.words);
        for (slot, words) in words.enumerate() {
            let words = match field {
                Field::Name => &words.name,
                Field::Doc => &words.doc,
                Field::Body | Field::Path => &words.body,
            };
            all.extend(posting(slot, words));
        }
        Ok(())
    }

    fn file(&self, slot: u32) -> FileId {
        match self.slots.get(slot as usize) {
            Some(at) => at.chunk.file,
            None => FileId(slot - self.slots.len() as u32),
        }
    }

    fn first_slot(&self, file: FileId) -> Option<u32> {
        self.slots.iter().position(|slot| slot.chunk.file == file).map(|slot| slot as u32)
    }

    fn nearest(&self, vector: &[f32], limit: usize, allowed: &Allowed<'_>) -> Result<Nearest> {
        let mut chunks = Vec::new();
        let mut any = false;
        for (file, input) in self.inputs().filter(|(file, _)| allowed.file(*file)) {
            for (ordinal, (chunk, kept)) in
                input.chunked.chunks.iter().zip(vectors_of(input).into_iter().flatten()).enumerate()
            {
                any = true;
                if allowed.kind(chunk.kind) && kept.iter().any(|element| *element != 0.0) {
                    chunks.push((ChunkId { file, ordinal: ordinal as u32 }, product(vector, kept)));
                }
            }
        }
        chunks.sort_by(|one, two| two.1.total_cmp(&one.1));
        chunks.truncate(limit);
        Ok(Nearest {
            chunks,
            degraded: (!any && self.files.totals().chunks > 0).then_some(Degraded::VectorsUnavailable),
        })
    }

    fn cosines(&self, vector: &[f32], files: &[FileId], each: &mut dyn FnMut(&[f32])) {
        for file in files {
            let vectors = self.input(*file).and_then(vectors_of).into_iter().flatten();
            each(&vectors.map(|kept| product(vector, kept)).collect::<Vec<f32>>());
        }
    }

    fn chunk(&self, slot: u32) -> ChunkSlot {
        self.slots[slot as usize]
    }

    fn definitions(&self, names: &[String], limit: usize) -> Result<Vec<Definition>> {
        let mut found = Vec::new();
        for name in names {
            let all = self.inputs().flat_map(|(file, input)| {
                let named = |symbol: &&Symbol| self.fold(&symbol.name) == *name;
                input.chunked.symbols.iter().filter(named).filter_map(move |symbol| {
                    let ordinal = input.chunked.chunk_of(symbol)?;
                    let chunk = ChunkId { file, ordinal };
                    Some(Definition {
                        name: symbol.name.clone(),
                        kind: symbol.kind,
                        lines: symbol.lines,
                        chunk,
                    })
                })
            });
            found.extend(all.take(limit));
        }
        Ok(found)
    }
}
