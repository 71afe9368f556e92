//! Which English word a Korean one stands for: IBM model 1, learned from translations in both directions.

use jari_embed::{Feature, features};
use jari_text::{TokenKind, Tokenizer};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::pair::{Kind, Pair};

/// Rounds of expectation and maximisation; later ones change little.
const ROUNDS: usize = 6;

/// Longer sentences say little about each of their words.
const LONGEST: usize = 60;

/// English words that are grammar: they meet every Korean word.
const GRAMMAR: &[&str] = &[
    "a", "about", "after", "all", "also", "an", "and", "any", "are", "as", "at", "be", "been", "before",
    "but", "by", "can", "do", "does", "each", "for", "from", "has", "have", "he", "how", "i", "if", "in",
    "into", "is", "it", "its", "may", "more", "most", "no", "not", "of", "on", "one", "only", "or", "other",
    "our", "out", "over", "s", "see", "she", "should", "so", "some", "such", "t", "than", "that", "the",
    "their", "them", "then", "there", "these", "they", "this", "those", "to", "up", "use", "used", "using",
    "very", "was", "we", "were", "what", "when", "where", "which", "while", "who", "will", "with", "would",
    "you", "your",
];

/// For each word of one side, the words of the other with their probabilities, the surest first.
pub(crate) type Table = FxHashMap<String, Vec<(String, f32)>>;

/// What was learned.
pub(crate) struct Lexicon {
    /// Korean words and parts of words to English words.
    pub(crate) english: Table,
    /// English words to Korean words.
    pub(crate) korean: Table,
    /// In how many sentences each Korean word stands.
    counts: FxHashMap<String, u32>,
}

impl Lexicon {
    /// Learns from the translations among `pairs`.
    pub(crate) fn learn(pairs: &[Pair]) -> Self {
        let sentences: Vec<Sentence> = pairs
            .par_iter()
            .filter(|pair| pair.kind == Kind::Translation)
            .map(Sentence::new)
            .filter(|sentence| sentence.english.len() <= LONGEST && !sentence.parts.is_empty())
            .collect();
        let from_korean: Vec<_> =
            sentences.iter().map(|sentence| (&sentence.parts, &sentence.english)).collect();
        let from_english: Vec<_> =
            sentences.iter().map(|sentence| (&sentence.english, &sentence.words)).collect();
        let (english, korean) = rayon::join(|| model(&from_korean), || model(&from_english));
        let mut counts: FxHashMap<String, u32> = FxHashMap::default();
        for word in sentences.iter().flat_map(|sentence| &sentence.words) {
            *counts.entry(word.clone()).or_default() += 1;
        }
        Self { english, korean, counts }
    }

    /// Translations that both directions agree on, readable: `Korean<TAB>English<TAB>probability`.
    pub(crate) fn glossary(&self) -> String {
        let mut lines = Vec::new();
        for (word, count) in &self.counts {
            let syllables = word.chars().count();
            if *count < 4 || !(1..=8).contains(&syllables) || word.ends_with(VERB_ENDINGS) {
                continue;
            }
            for (english, probability) in self.english.get(word).into_iter().flatten().take(3) {
                let back = self
                    .korean
                    .get(english.as_str())
                    .into_iter()
                    .flatten()
                    .find(|(korean, _)| korean == word);
                let back = back.map_or(0.0, |(_, probability)| *probability);
                let sure = *probability >= 0.12 && back >= 0.03 && probability * back >= 0.02;
                if sure && english.len() > 1 && english.bytes().all(|byte| byte.is_ascii_alphabetic()) {
                    lines.push((word.as_str(), english.as_str(), *probability));
                }
            }
        }
        lines.sort_by(|one, two| one.0.cmp(two.0).then(two.2.total_cmp(&one.2)).then(one.1.cmp(two.1)));
        let mut text =
            "# Korean, English, probability: learned from translations, see MODEL_CARD.md.\n".to_owned();
        lines.iter().for_each(|(korean, english, probability)| {
            text.push_str(&format!("{korean}\t{english}\t{probability:.2}\n"));
        });
        text
    }
}

/// A translation as words.
struct Sentence {
    parts: Vec<String>,
    words: Vec<String>,
    english: Vec<String>,
}

impl Sentence {
    fn new(pair: &Pair) -> Self {
        Self {
            parts: korean_parts(&pair.query),
            words: korean_words(&pair.query),
            english: english(&pair.text),
        }
    }
}

/// Ends of conjugated verbs, which the tokenizer does not take off: `합니다` is no word to translate.
const VERB_ENDINGS: &[char] =
    &['다', '요', '며', '면', '고', '서', '한', '된', '할', '될', '는', '은', '을', '를', '게', '록'];

/// Korean words of a text without their particles, each once.
fn korean_words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    Tokenizer::of_thread(|tokenizer| {
        tokenizer.tokens(text, |token| {
            if token.kind == TokenKind::Foreign && is_korean(token.text) {
                words.push(token.text.to_owned());
            }
        });
    });
    distinct(words)
}

/// Korean words and parts of words that have a row in the table, each once.
fn korean_parts(text: &str) -> Vec<String> {
    let mut parts = Vec::new();
    features(text, |feature| {
        if let Feature::Foreign(part, _) = feature
            && is_korean(part)
        {
            parts.push(part.to_owned());
        }
    });
    distinct(parts)
}

fn is_korean(word: &str) -> bool {
    word.starts_with(|c: char| ('가'..='힣').contains(&c))
}

fn english(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    features(text, |feature| {
        if let Feature::Word(word) = feature
            && GRAMMAR.binary_search(&word).is_err()
        {
            words.push(word.to_owned());
        }
    });
    distinct(words)
}

fn distinct(words: Vec<String>) -> Vec<String> {
    let mut seen = FxHashSet::default();
    words.into_iter().filter(|word| seen.insert(word.clone())).collect()
}

/// How probable each target word is for each source word, without an order of words.
fn model(sentences: &[(&Vec<String>, &Vec<String>)]) -> Table {
    let (mut sources, mut targets) = (Names::default(), Names::default());
    // Source 0 stands for nothing: it takes the words that translate no word.
    sources.number("");
    let numbered: Vec<(Vec<u32>, Vec<u32>)> = sentences
        .iter()
        .map(|(source, target)| {
            let mut from = vec![0];
            from.extend(source.iter().map(|word| sources.number(word)));
            (from, target.iter().map(|word| targets.number(word)).collect())
        })
        .collect();
    let mut cells: Vec<u64> = numbered
        .iter()
        .flat_map(|(from, to)| from.iter().flat_map(|source| to.iter().map(|target| cell(*source, *target))))
        .collect();
    cells.par_sort_unstable();
    cells.dedup();
    let place =
        |cell: u64| cells.binary_search(&cell).expect("every cell of a sentence was collected") as u32;
    // For each target word of each sentence, the cells it may belong to.
    let meetings: Vec<Vec<u32>> = numbered
        .par_iter()
        .flat_map_iter(|(from, to)| {
            to.iter().map(|target| from.iter().map(|source| place(cell(*source, *target))).collect())
        })
        .collect();
    let mut probability = vec![1.0f32; cells.len()];
    for _ in 0..ROUNDS {
        let mut expected = vec![0.0f64; cells.len()];
        for here in &meetings {
            let all: f32 = here.iter().map(|at| probability[*at as usize]).sum();
            here.iter().for_each(|at| expected[*at as usize] += f64::from(probability[*at as usize] / all));
        }
        let mut totals = vec![0.0f64; sources.names.len()];
        cells.iter().zip(&expected).for_each(|(cell, count)| totals[(cell >> 32) as usize] += count);
        for ((cell, count), probability) in cells.iter().zip(&expected).zip(&mut probability) {
            // A little is taken off each count, so that what met once is not certain.
            *probability = ((count - 0.2).max(1e-9) / totals[(cell >> 32) as usize]) as f32;
        }
    }
    let mut table = Table::default();
    for group in
        cells.iter().zip(&probability).collect::<Vec<_>>().chunk_by(|one, two| one.0 >> 32 == two.0 >> 32)
    {
        let mut best: Vec<_> = group.iter().filter(|(_, probability)| **probability > 0.02).collect();
        best.sort_by(|one, two| two.1.total_cmp(one.1).then(one.0.cmp(two.0)));
        let name = |cell: u64| targets.names[cell as u32 as usize].clone();
        let best: Vec<_> =
            best.iter().take(8).map(|(cell, probability)| (name(**cell), **probability)).collect();
        table.insert(sources.names[(group[0].0 >> 32) as usize].clone(), best);
    }
    table
}

fn cell(source: u32, target: u32) -> u64 {
    u64::from(source) << 32 | u64::from(target)
}

#[derive(Default)]
struct Names {
    names: Vec<String>,
    numbers: FxHashMap<String, u32>,
}

impl Names {
    fn number(&mut self, name: &str) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = self.names.len() as u32;
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_meet_again_and_again_are_translations() {
        let pair = |korean: &str, english: &str| Pair {
            kind: Kind::Translation,
            source: String::new(),
            query: korean.to_owned(),
            text: english.to_owned(),
            heading: String::new(),
        };
        let mut pairs = Vec::new();
        for _ in 0..4 {
            pairs.extend([
                pair("요청 전송", "send the request"),
                pair("요청 취소", "cancel a request"),
                pair("파일 전송", "send a file"),
                pair("파일 취소", "cancel the file"),
            ]);
        }
        let lexicon = Lexicon::learn(&pairs);
        assert_eq!(lexicon.english["요청"][0].0, "request");
        assert_eq!(lexicon.korean["file"][0].0, "파일");
        let glossary = lexicon.glossary();
        assert!(glossary.contains("취소\tcancel\t") && !glossary.contains("취소\tfile"), "{glossary}");
    }

    #[test]
    fn the_list_of_grammar_is_sorted() {
        assert!(GRAMMAR.is_sorted());
    }
}
