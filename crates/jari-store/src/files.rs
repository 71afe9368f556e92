//! The known files, all at once: small enough to hold, and every query needs some of it.

use std::collections::BTreeMap;

use jari_base::{ContentHash, FileId, Language, Skip, Stamp};

use crate::FileInput;

/// What a store knows of a file without opening its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileRecord {
    /// Its number.
    pub id: FileId,
    /// Relative to the root.
    pub path: String,
    /// Its language.
    pub language: Language,
    /// What the file system said when it was read.
    pub stamp: Stamp,
    /// Hash of its bytes; `None` if they were never read.
    pub hash: Option<ContentHash>,
    /// Why it is not indexed, if it is not.
    pub skip: Option<Skip>,
    /// How many chunks it has.
    pub chunks: u32,
    /// How many words its chunks have.
    pub words: u32,
}

impl FileRecord {
    /// Of a file that is indexed.
    pub fn indexed(id: FileId, file: &FileInput) -> Self {
        Self {
            id,
            path: file.path.clone(),
            language: file.language.clone(),
            stamp: file.stamp,
            hash: Some(file.hash),
            skip: None,
            chunks: file.chunked.chunks.len() as u32,
            words: file.word_count(),
        }
    }

    /// Of a file that is not.
    pub fn skipped(id: FileId, path: &str, stamp: Stamp, reason: Skip) -> Self {
        Self {
            id,
            path: path.to_owned(),
            language: Language::UNKNOWN,
            stamp,
            hash: None,
            skip: Some(reason),
            chunks: 0,
            words: 0,
        }
    }
}

/// All files of one state, by path and by number.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Files {
    records: Vec<FileRecord>,
    /// For each number, one more than its place in `records`; 0 for none.
    places: Vec<u32>,
    /// For each number, how many words the file has: a query asks for thousands of them.
    words: Vec<u32>,
    totals: Totals,
}

/// Sums over all files of one state.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Totals {
    /// Files that are indexed.
    pub indexed: u64,
    /// Files that are not, by reason.
    pub skipped: BTreeMap<Skip, usize>,
    /// Chunks.
    pub chunks: u64,
    /// Words of chunks.
    pub words: u64,
}

impl Totals {
    /// Files that are known and not indexed.
    pub fn skipped_in_all(&self) -> usize {
        self.skipped.values().sum()
    }
}

impl Files {
    /// Puts records in order.
    pub fn new(mut records: Vec<FileRecord>) -> Self {
        // Nearly sorted: numbers are given out in the order of paths.
        records.sort_by(|a, b| a.path.cmp(&b.path));
        let most = records.iter().map(|record| record.id.0 as usize + 1).max().unwrap_or(0);
        let mut places = vec![0; most];
        let mut words = vec![0; most];
        let mut totals = Totals::default();
        for (place, record) in records.iter().enumerate() {
            places[record.id.0 as usize] = place as u32 + 1;
            words[record.id.0 as usize] = record.words;
            totals.words += u64::from(record.words);
            totals.chunks += u64::from(record.chunks);
            match record.skip {
                None => totals.indexed += 1,
                Some(reason) => *totals.skipped.entry(reason).or_default() += 1,
            }
        }
        Self { records, places, words, totals }
    }

    /// All of them, sorted by path.
    pub fn iter(&self) -> std::slice::Iter<'_, FileRecord> {
        self.records.iter()
    }

    /// The file with this number.
    pub fn get(&self, id: FileId) -> Option<&FileRecord> {
        let place = self.places.get(id.0 as usize).copied().filter(|place| *place > 0)?;
        Some(&self.records[place as usize - 1])
    }

    /// How many words the file with this number has; `None` if there is no such file.
    pub fn words(&self, id: FileId) -> Option<u32> {
        let number = id.0 as usize;
        self.places.get(number).filter(|place| **place > 0).and(self.words.get(number)).copied()
    }

    /// The file at this path.
    pub fn at(&self, path: &str) -> Option<&FileRecord> {
        self.records
            .binary_search_by(|record| record.path.as_str().cmp(path))
            .ok()
            .map(|place| &self.records[place])
    }

    /// One more than the largest number given out.
    pub fn numbers(&self) -> usize {
        self.places.len()
    }

    /// Sums over all of them.
    pub fn totals(&self) -> &Totals {
        &self.totals
    }

    /// Words a chunk has on the mean.
    pub fn mean_chunk(&self) -> f32 {
        self.totals.words as f32 / self.totals.chunks.max(1) as f32
    }

    /// Words a file has on the mean.
    pub fn mean_file(&self) -> f32 {
        self.totals.words as f32 / self.totals.indexed.max(1) as f32
    }
}
