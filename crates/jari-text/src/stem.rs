//! English stems, remembered: code repeats its words, so most stems are looked up rather than worked out.

use rust_stemmers::{Algorithm, Stemmer};
use rustc_hash::FxHashMap;

/// More distinct words than this and the memory starts over, so that a large tree cannot fill it.
const REMEMBERED: usize = 50_000;

pub(crate) struct Stems {
    stemmer: Stemmer,
    /// For each word, where its stem stands in `stems`.
    known: FxHashMap<Box<str>, u32>,
    stems: Vec<Box<str>>,
}

impl Stems {
    pub(crate) fn new() -> Self {
        Self { stemmer: Stemmer::create(Algorithm::English), known: FxHashMap::default(), stems: Vec::new() }
    }

    /// The stem of a lower-case ASCII word. Words of up to three letters are their own.
    pub(crate) fn stem<'a>(&'a mut self, word: &'a str) -> &'a str {
        if word.len() <= 3 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
            return word;
        }
        let at = match self.known.get(word) {
            Some(at) => *at,
            None => self.learn(word),
        };
        &self.stems[at as usize]
    }

    fn learn(&mut self, word: &str) -> u32 {
        if self.stems.len() >= REMEMBERED {
            self.known.clear();
            self.stems.clear();
        }
        let at = self.stems.len() as u32;
        self.stems.push(self.stemmer.stem(word).into());
        self.known.insert(word.into(), at);
        at
    }
}
