//! Which words get a row, and texts as rows.

use jari_embed::{Feature, damp, features, grams, hash};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::pair::{Kind, Pair};

/// How large each part of the table is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sizes {
    /// Rows for ASCII words.
    pub(crate) words: usize,
    /// Rows for Korean words and parts of them.
    pub(crate) foreign: usize,
    /// Rows for letter runs, a power of two.
    pub(crate) grams: usize,
}

/// A word that fewer texts hold is not learned, but read by its letters.
const RAREST: u32 = 4;

/// The words with a row each; rows for letter runs come after them.
pub(crate) struct Vocabulary {
    pub(crate) words: Vec<String>,
    numbers: FxHashMap<String, u32>,
    grams: usize,
    /// Where the words of other scripts begin.
    pub(crate) foreign_from: usize,
}

/// A text as rows with their damped weights, sorted by row.
pub(crate) type Rows = Vec<(u32, f32)>;

impl Vocabulary {
    /// The most frequent words of all pairs.
    pub(crate) fn new(pairs: &[Pair], sizes: Sizes) -> Self {
        let (ascii, foreign) = counts(pairs);
        let mut words = most_frequent(ascii, sizes.words);
        let foreign_from = words.len();
        words.extend(most_frequent(foreign, sizes.foreign));
        let numbers = words.iter().enumerate().map(|(number, word)| (word.clone(), number as u32)).collect();
        Self { words, numbers, grams: sizes.grams, foreign_from }
    }

    /// Rows of the table: words and letter runs.
    pub(crate) fn rows(&self) -> usize {
        self.words.len() + self.grams
    }

    /// The row of a word.
    pub(crate) fn number(&self, word: &str) -> Option<u32> {
        self.numbers.get(word).copied()
    }

    /// The rows of the letter runs of a word, with their weights.
    pub(crate) fn gram_rows(&self, word: &str) -> Rows {
        let mut rows = Vec::new();
        grams(word, |gram| {
            rows.push((self.words.len() as u32 + (gram as u32 & (self.grams as u32 - 1)), 0.0));
        });
        let share = 1.0 / rows.len().max(1) as f32;
        rows.iter_mut().for_each(|(_, weight)| *weight = share);
        rows
    }

    /// A text as the reader of the model will see it.
    pub(crate) fn encode(&self, text: &str) -> Rows {
        let mut rows = Vec::new();
        features(text, |feature| self.push(feature, &mut rows));
        damped(rows)
    }

    fn push(&self, feature: Feature<'_>, rows: &mut Rows) {
        match feature {
            Feature::Word(word) => match self.number(word) {
                Some(number) => rows.push((number, 1.0)),
                None => rows.append(&mut self.gram_rows(word)),
            },
            Feature::Foreign(word, weight) => rows.extend(self.number(word).map(|number| (number, weight))),
        }
    }
}

fn damped(mut rows: Rows) -> Rows {
    rows.sort_by_key(|(row, _)| *row);
    rows.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
    rows.iter_mut().for_each(|(_, weight)| *weight = damp(*weight));
    rows
}

type Counts = FxHashMap<String, u32>;

/// In how many texts each word stands: ASCII words, and words of other scripts.
fn counts(pairs: &[Pair]) -> (Counts, Counts) {
    let parts: Vec<(Counts, Counts)> = pairs
        .par_chunks(pairs.len().div_ceil(8).max(1))
        .map(|part| {
            let (mut ascii, mut foreign) = (Counts::default(), Counts::default());
            for pair in part {
                let mut seen = rustc_hash::FxHashSet::default();
                for text in [&pair.query, &pair.text] {
                    features(text, |feature| match feature {
                        Feature::Word(word) => count(word, 1, &mut seen, &mut ascii),
                        // Korean inside code is somebody's string.
                        Feature::Foreign(word, _) if pair.kind == Kind::Translation => {
                            count(word, 2, &mut seen, &mut foreign);
                        }
                        Feature::Foreign(..) => {}
                    });
                }
            }
            (ascii, foreign)
        })
        .collect();
    let mut total = (Counts::default(), Counts::default());
    for (ascii, foreign) in parts {
        ascii.into_iter().for_each(|(word, count)| *total.0.entry(word).or_default() += count);
        foreign.into_iter().for_each(|(word, count)| *total.1.entry(word).or_default() += count);
    }
    total
}

fn count(word: &str, salt: u64, seen: &mut rustc_hash::FxHashSet<u64>, counts: &mut Counts) {
    if seen.insert(hash(word.as_bytes()) ^ salt) {
        match counts.get_mut(word) {
            Some(count) => *count += 1,
            None => drop(counts.insert(word.to_owned(), 1)),
        }
    }
}

/// The most frequent first; equal ones by the alphabet, so that the choice is always the same.
fn most_frequent(counts: Counts, most: usize) -> Vec<String> {
    let mut words: Vec<(String, u32)> = counts.into_iter().filter(|(_, count)| *count >= RAREST).collect();
    words.sort_unstable_by(|one, two| two.1.cmp(&one.1).then_with(|| one.0.cmp(&two.0)));
    words.truncate(most);
    words.into_iter().map(|(word, _)| word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frequent_words_have_rows_and_others_letters() {
        let pair = Pair {
            kind: Kind::Translation,
            source: String::new(),
            query: "요청 재시도".to_owned(),
            text: "retry the request".to_owned(),
            heading: String::new(),
        };
        let pairs = vec![pair; 4];
        let vocabulary = Vocabulary::new(&pairs, Sizes { words: 2, foreign: 10, grams: 16 });
        assert_eq!(vocabulary.words[..2], ["request", "retry"]);
        assert_eq!(vocabulary.encode("request request")[0], (0, damp(2.0)));
        assert!(vocabulary.encode("the").iter().all(|(row, _)| *row as usize >= vocabulary.words.len()));
        assert!(vocabulary.number("요청").is_some());
        assert_eq!(vocabulary.encode("없음"), []);
    }
}
