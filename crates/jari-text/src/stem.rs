//! English stems, remembered: code repeats its words, so most stems are looked up rather than worked out.

use std::collections::HashMap;

use rust_stemmers::{Algorithm, Stemmer};

/// More distinct words than this and the memory starts over, so that a large tree cannot fill it.
const REMEMBERED: usize = 50_000;

pub(crate) struct Stems {
    stemmer: Stemmer,
    known: HashMap<Box<str>, Box<str>>,
}

impl Stems {
    pub(crate) fn new() -> Self {
        Self { stemmer: Stemmer::create(Algorithm::English), known: HashMap::new() }
    }

    /// The stem of a lower-case ASCII word. Words of up to three letters are their own.
    pub(crate) fn stem<'a>(&'a mut self, word: &'a str) -> &'a str {
        if word.len() <= 3 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
            return word;
        }
        if !self.known.contains_key(word) {
            if self.known.len() >= REMEMBERED {
                self.known.clear();
            }
            self.known.insert(word.into(), self.stemmer.stem(word).into());
        }
        &self.known[word]
    }
}
