//! One list of what words found and what vectors found.

use std::collections::HashMap;

use jari_base::{Candidates, ChunkId, Explanation, Fusion, Mode};
use jari_text::Query;

use crate::{Plan, Ranked, Weights, order};

/// How much of each list is looked at.
const DEEP: usize = 200;

/// What softens the difference between ranks in `rrf`, as the method was published.
const RRF_K: f32 = 60.0;

/// What words count in `weighted`; vectors count the rest.
const WORDS: f32 = 0.6;

/// How both lists become one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Blend {
    /// The way.
    pub fusion: Fusion,
    /// What vectors count beside words in [`Fusion::Alpha`].
    pub alpha: f32,
}

impl Default for Blend {
    /// Linear: on 21 repositories it scores 0.900 and the others 0.882 to 0.897, on functions 0.520 and 0.46 to 0.47, on Korean
    /// headings 0.860 and 0.80 to 0.83 (`docs/evaluation.md`).
    fn default() -> Self {
        Self { fusion: Fusion::Linear, alpha: 0.5 }
    }
}

/// The best `limit` candidates, best first.
pub fn ranked(
    query: &Query,
    plan: &Plan,
    candidates: &Candidates,
    mode: Mode,
    blend: Blend,
    limit: usize,
) -> Vec<Ranked> {
    let list = |mode, limit| order(query, candidates, &Weights::of(mode, plan.shape), limit);
    if mode != Mode::Hybrid || blend.fusion == Fusion::Linear {
        return list(mode, limit);
    }
    fuse(blend, list(Mode::Keyword, DEEP), list(Mode::Semantic, DEEP), limit)
}

fn fuse(blend: Blend, words: Vec<Ranked>, vectors: Vec<Ranked>, limit: usize) -> Vec<Ranked> {
    let by_words = Marks::new(blend.fusion, &words);
    let by_vectors = Marks::new(blend.fusion, &vectors);
    let (of_words, of_vectors) = match blend.fusion {
        Fusion::Linear | Fusion::Rrf => (0.5, 0.5),
        Fusion::Weighted => (WORDS, 1.0 - WORDS),
        Fusion::Alpha => (1.0 / (1.0 + blend.alpha), blend.alpha / (1.0 + blend.alpha)),
    };
    let mut seen = std::collections::HashSet::new();
    let mut fused: Vec<Ranked> = words
        .into_iter()
        .chain(vectors)
        .filter(|ranked| seen.insert(ranked.chunk))
        .map(|ranked| {
            let parts = vec![
                by_words.explained("by words", ranked.chunk, of_words),
                by_vectors.explained("by vectors", ranked.chunk, of_vectors),
            ];
            let score = parts.iter().map(|part| part.value).sum();
            let label = format!("score, {}", blend.fusion);
            Ranked { score, explanation: Explanation::node(label, score, parts), ..ranked }
        })
        .collect();
    // The sort is stable: equal scores stay in the order of the words.
    fused.sort_by(|a, b| b.score.total_cmp(&a.score));
    fused.truncate(limit);
    fused
}

/// What each place of one list gets for standing in it, from 0 to 1.
struct Marks(HashMap<ChunkId, f32>);

impl Marks {
    fn new(fusion: Fusion, list: &[Ranked]) -> Self {
        let most = list.first().map_or(1.0, |ranked| ranked.score).max(f32::MIN_POSITIVE);
        let least = list.last().map_or(0.0, |ranked| ranked.score);
        let mark = |(at, ranked): (usize, &Ranked)| {
            let mark = match fusion {
                Fusion::Rrf => (RRF_K + 1.0) / (RRF_K + 1.0 + at as f32),
                Fusion::Weighted if most > least => (ranked.score - least) / (most - least),
                Fusion::Weighted | Fusion::Alpha | Fusion::Linear => ranked.score / most,
            };
            (ranked.chunk, mark)
        };
        Self(list.iter().enumerate().map(mark).collect())
    }

    fn explained(&self, label: &'static str, chunk: ChunkId, weight: f32) -> Explanation {
        let mark = self.0.get(&chunk).copied().unwrap_or_default();
        let details = vec![Explanation::leaf("weight", weight), Explanation::leaf("mark in its list", mark)];
        Explanation::node(label, weight * mark, details)
    }
}

#[cfg(test)]
mod tests {
    use jari_base::FileId;

    use super::*;

    fn list(places: &[(u32, f32)]) -> Vec<Ranked> {
        let ranked = |(file, score): &(u32, f32)| Ranked {
            chunk: ChunkId { file: FileId(*file), ordinal: 0 },
            score: *score,
            bm25: 0.0,
            cosine: 0.0,
            word_by_word: 0.0,
            factor: 1.0,
            explanation: Explanation::leaf("score", *score),
        };
        places.iter().map(ranked).collect()
    }

    fn fused(fusion: Fusion, alpha: f32) -> Vec<u32> {
        let words = list(&[(1, 0.9), (2, 0.85), (3, 0.1)]);
        let vectors = list(&[(3, 0.8), (2, 0.7), (4, 0.2)]);
        let fused = fuse(Blend { fusion, alpha }, words, vectors, 10);
        assert!(fused.iter().all(|ranked| (0.0..=1.0).contains(&ranked.score)));
        fused.iter().map(|ranked| ranked.chunk.file.0).collect()
    }

    #[test]
    fn ways_differ_in_what_they_look_at() {
        assert_eq!(fused(Fusion::Rrf, 0.5), [3, 2, 1, 4], "ranks 3 and 1, 2 and 2, 1 and none");
        assert_eq!(fused(Fusion::Weighted, 0.5), [2, 1, 3, 4]);
        assert_eq!(fused(Fusion::Alpha, 0.0), [1, 2, 3, 4], "words alone");
        assert_eq!(fused(Fusion::Alpha, 10.0), [3, 2, 4, 1], "vectors nearly alone");
    }
}
