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

#[cfg(test)]
mod tests {
    use jari_base::{ChunkKind, FileCandidate, Language};

    use super::*;

    fn file(number: u32, path_bm25: f32, chunks: &[(f32, f32)]) -> FileCandidate {
        let chunk = |(ordinal, (body, cosine)): (usize, &(f32, f32))| ChunkCandidate {
            chunk: ChunkId { file: FileId(number), ordinal: ordinal as u32 },
            kind: ChunkKind::Function,
            body: *body,
            name: 0.0,
            doc: 0.0,
            cosine: *cosine,
        };
        FileCandidate {
            file: FileId(number),
            path: format!("{number}.rs"),
            language: Language::named("rust"),
            bm25: 1.0,
            path_bm25,
            chunks: chunks.iter().enumerate().map(chunk).collect(),
            definitions: Vec::new(),
        }
    }

    #[test]
    fn a_place_stands_on_the_lists_it_scores_in() {
        let files = vec![file(1, 0.0, &[(2.0, 0.1), (0.0, 0.9)]), file(2, 3.0, &[(5.0, 0.0)])];
        let lists = Lists::new(&Candidates { files, ..Candidates::default() });
        let of = |file, ordinal| {
            let found = lists.of(ChunkId { file: FileId(file), ordinal });
            found.iter().map(|found| format!("{} {}", found.list, found.rank)).collect::<Vec<_>>().join(", ")
        };
        assert_eq!(of(1, 0), "keyword 2, vector 2");
        assert_eq!(of(1, 1), "vector 1");
        assert_eq!(of(2, 0), "keyword 1, path 1");
    }
}
