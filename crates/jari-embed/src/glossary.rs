//! Korean words and what they are called in English code, with how sure that is: what training learned, readable.

use std::collections::HashMap;

/// The table beside the model: `Korean<TAB>English<TAB>probability`, the surest translation of a word first.
const BUNDLED: &str = include_str!("../../../models/glossary.ko-en.tsv");

/// A translation of a word.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Translation<'a> {
    /// A lower-case English word, not stemmed.
    pub word: &'a str,
    /// How often the Korean word meant it, from 0 to 1.
    pub probability: f32,
}

/// Korean to English, by words as the tokenizer gives them.
pub struct Glossary {
    words: HashMap<&'static str, Vec<Translation<'static>>>,
}

impl Glossary {
    /// The glossary inside the binary.
    pub fn bundled() -> Self {
        Self::new(BUNDLED)
    }

    fn new(lines: &'static str) -> Self {
        let mut words: HashMap<_, Vec<_>> = HashMap::new();
        for line in lines.lines().filter(|line| !line.starts_with('#')) {
            let mut fields = line.split('\t');
            if let (Some(korean), Some(word), Some(probability)) =
                (fields.next(), fields.next(), fields.next())
                && let Ok(probability) = probability.parse()
            {
                words.entry(korean).or_default().push(Translation { word, probability });
            }
        }
        Self { words }
    }

    /// What a Korean word without its particle may mean, the surest first.
    pub fn translations(&self, korean: &str) -> &[Translation<'static>] {
        self.words.get(korean).map_or(&[], Vec::as_slice)
    }

    /// How many Korean words it knows.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether it knows no word.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_words_and_translations_with_the_surest_first() {
        let glossary = Glossary::new("# a comment\n요청\trequest\t0.8\n요청\tquery\t0.1\nbroken line\n");
        let words: Vec<_> =
            glossary.translations("요청").iter().map(|translation| translation.word).collect();
        assert_eq!(words, ["request", "query"]);
        assert!(glossary.translations("없음").is_empty());
        assert_eq!(glossary.len(), 1);
    }

    #[test]
    fn the_words_of_programming_are_in_the_bundled_one() {
        let glossary = Glossary::bundled();
        for (korean, english) in
            [("요청", "request"), ("함수", "function"), ("서버", "server"), ("파일", "file")]
        {
            let found = glossary.translations(korean).first().map(|translation| translation.word);
            assert_eq!(found, Some(english));
        }
    }
}
