//! Plain BM25 over the product's own words: what vectors are compared with.

use jari_text::Tokenizer;
use rustc_hash::FxHashMap;

const K1: f32 = 1.5;
const B: f32 = 0.75;

/// Counts of words in texts.
pub(crate) struct Bm25 {
    /// For each word, the texts that hold it, and how often.
    postings: FxHashMap<String, Vec<(u32, f32)>>,
    lengths: Vec<f32>,
}

impl Bm25 {
    pub(crate) fn new(texts: &[String]) -> Self {
        let mut postings: FxHashMap<String, Vec<(u32, f32)>> = FxHashMap::default();
        let mut lengths = Vec::with_capacity(texts.len());
        for (at, text) in texts.iter().enumerate() {
            let mut counts: FxHashMap<String, f32> = FxHashMap::default();
            words(text, |word| *counts.entry(word.to_owned()).or_default() += 1.0);
            lengths.push(counts.values().sum());
            counts
                .into_iter()
                .for_each(|(word, count)| postings.entry(word).or_default().push((at as u32, count)));
        }
        Self { postings, lengths }
    }

    /// A score for each text.
    pub(crate) fn scores(&self, query: &str) -> Vec<f32> {
        let mut scores = vec![0.0; self.lengths.len()];
        let mean = self.lengths.iter().sum::<f32>() / self.lengths.len().max(1) as f32;
        words(query, |word| {
            let Some(found) = self.postings.get(word) else { return };
            let (all, holding) = (self.lengths.len() as f32, found.len() as f32);
            let rarity = (1.0 + (all - holding + 0.5) / (holding + 0.5)).ln();
            for (at, count) in found {
                let length = 1.0 - B + B * self.lengths[*at as usize] / mean;
                scores[*at as usize] += rarity * count * (K1 + 1.0) / (count + K1 * length);
            }
        });
        scores
    }
}

fn words(text: &str, mut emit: impl FnMut(&str)) {
    Tokenizer::of_thread(|tokenizer| tokenizer.tokens(text, |token| emit(token.text)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_words_count_more_than_common_ones() {
        let texts = ["retry the request", "the file", "the request"].map(str::to_owned);
        let scores = Bm25::new(&texts).scores("retry the file");
        assert!(scores[0] > scores[2] && scores[1] > scores[2]);
    }
}
