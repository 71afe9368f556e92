//! Korean questions to English files: a second look with English words.

use std::collections::HashSet;
use std::sync::OnceLock;

use jari_base::Candidates;
use jari_embed::{Glossary, Trouble};
use jari_text::Query;

/// Puts a Korean question into English. None is used unless the user names one.
pub trait Translator: std::fmt::Debug + Send + Sync {
    /// The question in English, with names, numbers and quotations as they were.
    fn english(&self, question: &str) -> Translated;
}

/// What a [`Translator`] made of a question.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Translated {
    /// `None` if it could not.
    pub text: Option<String>,
    /// How often somebody else was asked for it.
    pub calls: usize,
    /// Why it could not.
    pub trouble: Option<Trouble>,
}

/// What a translation counts beside the word itself, times how sure it is. On 344 Korean questions to 21 repositories 0.4 scores
/// 0.836, 0.7 0.841, 1.2 0.842; without translations they score 0.811.
const TRANSLATION: f32 = 1.0;

/// What of that is left for a word that stands in the index itself: some of the files speak Korean, others may not. Where 25 Korean
/// pages lie beside each of the 21 repositories, the questions score 0.840 with it and 0.828 where such words are not translated; link texts of
/// three Korean documentations gain 0.003 on the mean, questions to Korean articles lose 0.001. With 1 the link texts lose 0.01.
const OF_KNOWN: f32 = 0.5;

/// Translations taken of a word: one scores 0.001 less.
const TRANSLATIONS: usize = 2;

/// Where more than this share of the Korean words stands in the index, the files speak Korean, and nobody is asked for a translation.
const KNOWN: f32 = 0.5;

/// Where more than this share of the Korean words stands neither in the index nor in the glossary, its words do not help.
const WEAK: f32 = 0.34;

/// The question with the English words of the glossary for its Korean ones, if it has any. Names and whatever else is not Korean stay as
/// they are. A Korean word that stands nowhere makes room for its translation, so that it is not counted as a word without an answer: Korean sentences to
/// sections of four English documentations score 0.02 more for it.
pub(crate) fn translated(query: &Query, candidates: &Candidates) -> Option<Query> {
    let mut replaced = HashSet::new();
    let mut words = Vec::new();
    for word in query.korean() {
        let translations = glossary().translations(&word);
        let weight = if is_known(query, candidates, &word) { OF_KNOWN } else { 1.0 };
        words.extend(
            translations.iter().take(TRANSLATIONS).map(|it| (it.word, TRANSLATION * weight * it.probability)),
        );
        if !translations.is_empty() {
            replaced.extend(Query::new(&word).terms);
        }
    }
    replaced.retain(|term| !is_known(query, candidates, term));
    (!words.is_empty()).then(|| query.clone().without(&replaced).with(words))
}

/// Whether neither the index nor the glossary knows much of a Korean question.
pub(crate) fn is_weak(query: &Query, candidates: &Candidates) -> bool {
    let Some(unknown) = unknown(query, candidates) else { return false };
    let lost = unknown.iter().filter(|word| glossary().translations(word).is_empty()).count();
    lost as f32 > WEAK * query.korean().len() as f32
}

/// The question with the words of its translation beside its own.
pub(crate) fn with_words_of(query: Query, english: &str) -> Query {
    let translation = Query::new(english);
    let words = translation.words.iter().filter(|word| !word.grammar);
    let words: Vec<(&str, f32)> = words.map(|word| (word.text.as_str(), TRANSLATION)).collect();
    query.with(words)
}

/// The Korean words of a question that the index does not know, unless it knows most of them: then the files speak Korean.
fn unknown(query: &Query, candidates: &Candidates) -> Option<Vec<String>> {
    let mut korean = query.korean();
    let all = korean.len();
    korean.retain(|word| !is_known(query, candidates, word));
    let found = all - korean.len();
    (all > 0 && found as f32 <= KNOWN * all as f32).then_some(korean)
}

/// Whether a term of the question stands anywhere in the index.
fn is_known(query: &Query, candidates: &Candidates, term: &str) -> bool {
    let at = query.terms.iter().position(|own| own == term);
    at.is_some_and(|at| candidates.rarity.get(at).is_some_and(|rarity| *rarity > 0.0))
}

fn glossary() -> &'static Glossary {
    static GLOSSARY: OnceLock<Glossary> = OnceLock::new();
    GLOSSARY.get_or_init(Glossary::bundled)
}
