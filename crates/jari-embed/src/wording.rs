//! A question word by word. One vector for a whole text blurs its words; here each word of the question looks for the word of a
//! text that is nearest to it.

use jari_kernel::Kernel;
use rustc_hash::FxHashMap;

use crate::features::{Feature, features, is_word};
use crate::table::Table;

/// How many words ahead the machine is told which rows it will need: they lie far apart.
const FETCHED_AHEAD: usize = 8;

/// The words of a question, and how near words of texts were to them so far.
pub struct Wording<'m> {
    table: &'m Table,
    kernel: Kernel,
    /// The number of each word of the question.
    numbers: Vec<u32>,
    /// Their vectors in bytes, one after the other, and how long each is.
    rows: Vec<i8>,
    lengths: Vec<f32>,
    /// What each counts: what the caller says, times the root of how long its vector is in the table. Training made words that tell little short, so `the`
    /// counts less than `parser`. Against all alike, link texts and Korean sentences gain 0.004 and 0.005, functions without comments
    /// 0.002; functions with them lose 0.004, Korean questions 0.001.
    shares: Vec<f32>,
    /// Where in `near` a word of a text has its values.
    known: FxHashMap<u32, usize>,
    /// For each such word, its cosine with each word of the question.
    near: Vec<f32>,
    /// Room for products.
    products: Vec<i32>,
}

impl<'m> Wording<'m> {
    /// `None` if the model knows no word of the question. `weight` says what each counts besides what the model thinks of it.
    pub(crate) fn new(table: &'m Table, question: &str, weight: impl Fn(&str) -> f32) -> Option<Self> {
        let mut wording = Self {
            table,
            kernel: Kernel::of_machine(),
            numbers: Vec::new(),
            rows: Vec::new(),
            lengths: Vec::new(),
            shares: Vec::new(),
            known: FxHashMap::default(),
            near: Vec::new(),
            products: Vec::new(),
        };
        let mut words: Vec<String> = Vec::new();
        features(question, |feature| match feature {
            Feature::Word(word) => words.push(word.to_owned()),
            Feature::Foreign(word, weight) if is_word(weight) => words.push(word.to_owned()),
            Feature::Foreign(..) => {}
        });
        for (at, word) in words.iter().enumerate() {
            if !words[..at].contains(word) {
                wording.ask(word, weight(word));
            }
        }
        (!wording.lengths.is_empty()).then_some(wording)
    }

    /// Adds a word of the question, unless the model has nothing for it.
    fn ask(&mut self, word: &str, weight: f32) {
        let mut numbers = Vec::new();
        let sum = self.table.sum_and_words(word, &mut numbers);
        let norm = sum.iter().map(|element| element * element).sum::<f32>().sqrt();
        let (row, _) = jari_kernel::bytes(&sum);
        let length = self.length(&row);
        if length > 0.0 {
            // The whole word comes first. A Korean one that is not known has none that a text could have.
            self.numbers.push(numbers.first().copied().unwrap_or(u32::MAX));
            self.rows.extend(row);
            self.lengths.push(length);
            self.shares.push(norm.sqrt() * weight);
        }
    }

    /// How well the words of the question are answered by those of a text ([`crate::Meant::words`]): 1 if each stands there.
    pub fn answered(&mut self, words: &[u32]) -> f32 {
        let mut best = vec![0.0_f32; self.lengths.len()];
        for (place, word) in words.iter().enumerate() {
            if let Some(row) = words.get(place + FETCHED_AHEAD).and_then(|soon| self.table.row_of(*soon)) {
                jari_kernel::fetch(row);
            }
            let at = self.nearness(*word);
            let near = &self.near[at..at + best.len()];
            best.iter_mut().zip(near).for_each(|(best, near)| *best = best.max(*near));
        }
        let answered: f32 = best.iter().zip(&self.shares).map(|(best, share)| best * share).sum();
        answered / self.shares.iter().sum::<f32>()
    }

    /// Where in `near` the values of a word stand.
    fn nearness(&mut self, word: u32) -> usize {
        if let Some(at) = self.known.get(&word) {
            return *at;
        }
        let at = self.near.len();
        self.known.insert(word, at);
        if let Some(row) = self.table.row_of(word) {
            self.compare(row);
        } else if let Some(foreign) = self.table.foreign(word) {
            self.compare(&jari_kernel::bytes(&self.table.sum(foreign)).0);
        } else {
            // Of a word that the model does not know it is only known whether it is one of the question.
            self.near.extend(self.numbers.iter().map(|own| f32::from(u8::from(*own == word))));
        }
        at
    }

    /// Adds the cosines of a word with those of the question.
    fn compare(&mut self, row: &[i8]) {
        let length = self.length(row).max(f32::MIN_POSITIVE);
        self.products.clear();
        (self.kernel.dots)(row, &self.rows, &mut self.products);
        let cosine = |(product, own): (&i32, &f32)| *product as f32 / (length * own);
        self.near.extend(self.products.iter().zip(&self.lengths).map(cosine));
    }

    fn length(&self, row: &[i8]) -> f32 {
        ((self.kernel.dot)(row, row) as f32).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use crate::{Document, Model};

    /// How well `texts` answer `question`.
    fn answered(question: &str, texts: [&str; 3]) -> [f32; 3] {
        let model = Model::bundled();
        let mut wording = model.wording(question, |_| 1.0).expect("its words are known");
        texts.map(|text| wording.answered(&model.read(&Document { text, heading: "", around: "" }).words))
    }

    #[test]
    fn words_are_answered_by_themselves_then_by_what_is_near_them_and_not_by_others() {
        let texts = ["fn delete(folder) the", "fn remove_directory() the", "fn parse_number() the"];
        let [same, near, other] = answered("delete the folder", texts);
        assert!((same - 1.0).abs() < 1e-4, "{same}");
        assert!(same > near && near > other + 0.1, "{same} {near} {other}");
    }

    #[test]
    fn words_that_tell_little_count_little() {
        let [telling, other, both] = answered("the parser", ["parser", "the", "the parser"]);
        assert!(telling > other + 0.05 && both > telling, "{telling} {other} {both}");
    }

    #[test]
    fn words_count_as_the_caller_says() {
        let model = Model::bundled();
        let parser = model.read(&Document { text: "parser", heading: "", around: "" }).words;
        let answered = |weight: f32| {
            let of = |word: &str| if word == "parser" { weight } else { 1.0 };
            model.wording("parser folder", of).expect("its words are known").answered(&parser)
        };
        assert!(answered(2.0) > answered(1.0) + 0.05, "{} {}", answered(2.0), answered(1.0));
    }

    #[test]
    fn one_language_answers_another() {
        let [near, same, other] = answered("폴더 삭제", ["delete folder", "폴더를 삭제", "parse number"]);
        assert!(near > other + 0.1, "{near} {other}");
        assert!((same - 1.0).abs() < 1e-2, "{same}");
    }

    #[test]
    fn a_word_that_nobody_knows_is_answered_by_itself() {
        let [same, other, none] = answered("xqzvwkt", ["xqzvwkt = 1", "qqjjxxwv = 1", ""]);
        assert!(same == 1.0 && other < 0.5 && none == 0.0, "{same} {other} {none}");
    }

    #[test]
    fn nothing_known_has_no_wording() {
        assert!(Model::bundled().wording("?! …", |_| 1.0).is_none());
    }
}
