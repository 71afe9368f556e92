//! Which list found a place, and at which rank.

use std::collections::HashMap;

use jari_base::{Candidates, ChunkCandidate, ChunkId, FileId, List};

/// A list that holds a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FoundBy {
    /// Which list.
    pub list: List,
    /// Counted from 1.
    pub rank: usize,
}

/// All lists of one look-up.
pub struct Lists {
    keyword: HashMap<ChunkId, usize>,
    vector: HashMap<ChunkId, usize>,
    symbol: HashMap<ChunkId, usize>,
    path: HashMap<FileId, usize>,
}

impl Lists {
    /// Puts every candidate into the lists that hold it.
    pub fn new(candidates: &Candidates) -> Self {
        let chunks = || candidates.files.iter().flat_map(|file| &file.chunks);
        let by =
            |score: fn(&ChunkCandidate) -> f32| numbered(chunks().map(|chunk| (chunk.chunk, score(chunk))));
        let defined = candidates.files.iter().flat_map(|file| &file.definitions);
        Self {
            keyword: by(|chunk| chunk.body),
            vector: by(|chunk| chunk.cosine),
            symbol: numbered(defined.map(|definition| (definition.chunk, 1.0))),
            path: numbered(candidates.files.iter().map(|file| (file.file, file.path_bm25))),
        }
    }

    /// The lists that hold a place.
    pub fn of(&self, chunk: ChunkId) -> Vec<FoundBy> {
        [
            (List::Keyword, self.keyword.get(&chunk)),
            (List::Path, self.path.get(&chunk.file)),
            (List::Symbol, self.symbol.get(&chunk)),
            (List::Vector, self.vector.get(&chunk)),
        ]
        .into_iter()
        .filter_map(|(list, rank)| rank.map(|rank| FoundBy { list, rank: *rank }))
        .collect()
    }
}

/// Ranks from 1 of everything that scores at all; of equal scores the first is first.
fn numbered<T: std::hash::Hash + Eq + Copy>(scored: impl Iterator<Item = (T, f32)>) -> HashMap<T, usize> {
    let mut scored: Vec<(T, f32)> = scored.filter(|(_, score)| *score > 0.0).collect();
    scored.sort_by(|one, two| two.1.total_cmp(&one.1));
    let mut ranks = HashMap::with_capacity(scored.len());
    for (thing, _) in scored {
        let next = ranks.len() + 1;
        ranks.entry(thing).or_insert(next);
    }
    ranks
}
