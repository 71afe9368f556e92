//! A question word by word. One vector for a whole text blurs its words; here each word of the question looks for the word of a
//! text that is nearest to it.

use rustc_hash::FxHashMap;

use crate::Vector;
use crate::features::{Feature, features, hash};
use crate::table::Table;
use crate::vector::product;

/// The words of a question, and how near words of texts were to them so far.
pub struct Wording<'m> {
    table: &'m Table,
    words: Vec<Vector>,
    /// Where in `near` a word of a text has its values.
    known: FxHashMap<u64, usize>,
    /// For each such word, its cosine with each word of the question.
    near: Vec<f32>,
    /// Room for the vector of one word.
    sum: Vec<f32>,
}

impl<'m> Wording<'m> {
    /// `None` if the model knows no word of the question.
    pub(crate) fn new(table: &'m Table, question: &str) -> Option<Self> {
        let mut keys = Vec::new();
        let mut words = Vec::new();
        each_word(question, |word| {
            let key = hash(word.as_bytes());
            if !keys.contains(&key) {
                keys.push(key);
                words.push(Vector::normalised(table.sum(word)));
            }
        });
        words.retain(|word| !word.is_zero());
        let (known, near, sum) = (FxHashMap::default(), Vec::new(), Vec::new());
        (!words.is_empty()).then_some(Self { table, words, known, near, sum })
    }

    /// How well the words of the question are answered by those of `texts`, taken together: 1 if each stands there.
    pub fn answered(&mut self, texts: &[&str]) -> f32 {
        let mut best = vec![0.0_f32; self.words.len()];
        for text in texts {
            each_word(text, |word| {
                let at = self.nearness(word);
                let near = &self.near[at..at + best.len()];
                best.iter_mut().zip(near).for_each(|(best, near)| *best = best.max(*near));
            });
        }
        best.iter().sum::<f32>() / best.len() as f32
    }

    /// Where in `near` the values of a word stand.
    fn nearness(&mut self, word: &str) -> usize {
        let key = hash(word.as_bytes());
        if let Some(at) = self.known.get(&key) {
            return *at;
        }
        let at = self.near.len();
        self.table.sum_of_word(word, &mut self.sum);
        let length = product(&self.sum, &self.sum).sqrt().max(f32::MIN_POSITIVE);
        self.near.extend(self.words.iter().map(|own| product(own, &self.sum) / length));
        self.known.insert(key, at);
        at
    }
}

/// Whole words, and the beginnings of Korean ones; pairs of syllables inside them are too many and too vague.
fn each_word(text: &str, mut visit: impl FnMut(&str)) {
    features(text, |feature| match feature {
        Feature::Word(word) => visit(word),
        Feature::Foreign(word, weight) if weight >= 1.0 => visit(word),
        Feature::Foreign(..) => {}
    });
}

#[cfg(test)]
mod tests {
    use crate::Model;

    #[test]
    fn words_are_answered_by_themselves_then_by_what_is_near_them_and_not_by_others() {
        let model = Model::bundled();
        let mut wording = model.wording("delete the folder").expect("its words are known");
        let same = wording.answered(&["fn delete(folder)", "the"]);
        let near = wording.answered(&["fn remove_directory()", "the"]);
        let other = wording.answered(&["fn parse_number()", "the"]);
        assert!((same - 1.0).abs() < 1e-4, "{same}");
        assert!(same > near && near > other + 0.1, "{same} {near} {other}");
    }

    #[test]
    fn one_language_answers_another() {
        let model = Model::bundled();
        let mut wording = model.wording("폴더 삭제").expect("its words are known");
        let (near, other) = (wording.answered(&["delete folder"]), wording.answered(&["parse number"]));
        assert!(near > other + 0.1, "{near} {other}");
    }

    #[test]
    fn nothing_known_has_no_wording() {
        assert!(Model::bundled().wording("?! …").is_none());
    }
}
