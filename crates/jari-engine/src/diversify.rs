//! Places that repeat others make room: by their vectors, or by their words where there are none.

use jari_base::{ChunkId, fingerprint};
use jari_rank::Ranked;
use jari_store::Snapshot;
use jari_text::Tokenizer;

use crate::{Result, rerank};

/// Puts the first `most` places into an order in which each adds something to those above it.
pub(crate) fn diversify(snapshot: &dyn Snapshot, ranked: &mut Vec<Ranked>, most: usize) -> Result<()> {
    let most = most.min(ranked.len());
    let first = &ranked[..most];
    let scores: Vec<f32> = first.iter().map(|ranked| ranked.score).collect();
    let ids: Vec<ChunkId> = first.iter().map(|ranked| ranked.chunk).collect();
    let vectors: Option<Vec<Vec<f32>>> = snapshot.vectors(&ids)?.into_iter().collect();
    let order = match vectors {
        Some(vectors) => jari_rank::diverse(&scores, |one, two| cosine(&vectors[one], &vectors[two])),
        None => {
            let words = words(snapshot, &ids)?;
            jari_rank::diverse(&scores, |one, two| overlap(&words[one], &words[two]))
        }
    };
    rerank::reorder(ranked, most, &order);
    Ok(())
}

/// The cosine from which on two places say the same, more or less; below it they merely speak of one topic, as the best answers do. From 0 on
/// MMR costs 0.007 on 21 repositories, 0.02 on functions and 0.01 on link texts. From 0.85 on it costs 0.002 on whole repositories and 0.007 on
/// functions without comments, and link texts gain 0.003; from 0.93 on nothing moves by more than 0.003 (`docs/evaluation.md`).
const ALIKE: f32 = 0.93;

fn cosine(one: &[f32], two: &[f32]) -> f32 {
    let cosine = jari_embed::product(one, two);
    ((cosine - ALIKE) / (1.0 - ALIKE)).max(0.0)
}

/// The words of each place, each once, as sorted numbers.
fn words(snapshot: &dyn Snapshot, ids: &[ChunkId]) -> Result<Vec<Vec<u64>>> {
    let chunks = snapshot.hydrate(ids)?;
    let of = |id: &ChunkId| {
        let text = chunks.iter().find(|chunk| chunk.id == *id).map_or("", |chunk| chunk.text.as_str());
        let mut words = Vec::new();
        Tokenizer::of_thread(|tokenizer| {
            tokenizer.tokens(text, |token| words.push(fingerprint(token.text.as_bytes())));
        });
        words.sort_unstable();
        words.dedup();
        words
    };
    Ok(ids.iter().map(of).collect())
}

/// The share of words that both have.
fn overlap(one: &[u64], two: &[u64]) -> f32 {
    let mut rest = two;
    let is_shared = |word: &&u64| {
        while rest.first().is_some_and(|first| first < *word) {
            rest = &rest[1..];
        }
        rest.first() == Some(*word)
    };
    let both = one.iter().filter(is_shared).count() as f32;
    let all = one.len() as f32 + two.len() as f32 - both;
    if all > 0.0 { both / all } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::overlap;

    #[test]
    fn the_share_of_words_is_counted_once_each() {
        assert_eq!(overlap(&[1, 3, 5], &[1, 3, 5]), 1.0);
        assert_eq!(overlap(&[1, 3, 5], &[2, 3, 4, 5, 6]), 2.0 / 6.0);
        assert_eq!(overlap(&[9], &[1, 2]), 0.0);
        assert_eq!(overlap(&[], &[]), 0.0);
    }
}
