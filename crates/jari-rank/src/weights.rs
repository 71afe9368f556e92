//! What each signal counts, and how far the words of a question are trusted against its meaning.

use jari_base::{Candidates, FileCandidate, Mode};
use jari_text::Query;

use crate::Shape;

/// How much each signal counts, for files of code and for sections of documents.
///
/// A signal is divided by its maximum over the candidates first, so weights compare.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights {
    /// For files of code, of which the best chunks are shown.
    ///
    /// Chosen on 21 repositories, in part and as a whole, and on functions (`docs/evaluation.md`), by trying other values around them: most move a
    /// set by less than 0.003, which is noise. Without meaning repositories score 0.018 less, Korean questions to them 0.035. The file as one text
    /// counted 4 once: Korean questions score 0.007 more with it, English ones 0.002 and functions 0.01 less.
    pub files: SignalWeights,
    /// For sections of documents, each on its own.
    ///
    /// Chosen on 468 link texts of a documentation in two languages and 1,715 questions to Korean articles, and compared on three
    /// documentations that were not used before (`docs/evaluation.md`). The text alone
    /// scores 0.09 less on the first; halving or doubling a weight costs up to 0.015, and what comes from paths helps to find the
    /// page (0.44 to 0.52) more than the section.
    pub sections: SignalWeights,
}

/// One weight for each signal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SignalWeights {
    /// Words in the sum of the file's three best chunks, or in the section.
    pub text: f32,
    /// The file as one text.
    pub file: f32,
    /// The words of the path.
    pub path: f32,
    /// Words of the query in the file's own name, by rarity.
    pub stem: f32,
    /// Every word of the file's name is in the query.
    pub stem_covered: f32,
    /// The best match with the names a chunk defines, or with the section's title.
    pub name: f32,
    /// Words in the titles around the section.
    pub around: f32,
    /// A name written as code in the query is defined here.
    pub defined: f32,
    /// A capitalised word of the query is a type here.
    pub defined_type: f32,
    /// Neighbouring words of the query form a name defined here.
    pub compound: f32,
    /// What it means: the cosines of the file's three nearest chunks, or of the section.
    pub meaning: f32,
}

impl Default for Weights {
    fn default() -> Self {
        let files = SignalWeights {
            text: 2.5,
            file: 1.3,
            path: 1.0,
            stem: 0.75,
            stem_covered: 1.0,
            name: 1.5,
            around: 0.0,
            defined: 2.0,
            defined_type: 0.65,
            compound: 0.8,
            meaning: 3.0,
        };
        let sections = SignalWeights {
            text: 4.5,
            file: 1.6,
            path: 0.3,
            stem: 0.3,
            stem_covered: 0.2,
            name: 2.0,
            around: 0.8,
            defined: 0.0,
            defined_type: 0.0,
            compound: 0.0,
            meaning: 3.5,
        };
        Self { files, sections }
    }
}

impl Weights {
    /// The weights for a question of some shape that is looked for by words, by meaning or by both.
    pub fn of(mode: Mode, shape: Shape) -> Self {
        let Self { files, sections } = Self::default();
        let narrowed = |weights: SignalWeights| match mode {
            Mode::Hybrid => weights.shaped(shape),
            Mode::Keyword => SignalWeights { meaning: 0.0, ..weights.shaped(shape) },
            Mode::Semantic => SignalWeights { meaning: 1.0, ..SignalWeights::NONE },
        };
        Self { files: narrowed(files), sections: narrowed(sections) }
    }
}

impl SignalWeights {
    /// A path is looked for among paths. Other shapes gain nothing from weights of their own.
    fn shaped(self, shape: Shape) -> Self {
        match shape {
            Shape::Path => Self {
                path: PATH * self.path,
                stem: PATH * self.stem,
                stem_covered: PATH * self.stem_covered,
                ..self
            },
            Shape::Identifier | Shape::ErrorMessage | Shape::Quoted | Shape::Sentence => self,
        }
    }

    const NONE: Self = Self {
        text: 0.0,
        file: 0.0,
        path: 0.0,
        stem: 0.0,
        stem_covered: 0.0,
        name: 0.0,
        around: 0.0,
        defined: 0.0,
        defined_type: 0.0,
        compound: 0.0,
        meaning: 0.0,
    };
}

/// How much more paths count where one was asked for.
const PATH: f32 = 4.0;

/// How many signals there are.
pub(crate) const SIGNALS: usize = 11;

/// One value for each signal.
pub(crate) type Signals = [f32; SIGNALS];

/// Where in [`Signals`] some of them stand.
pub(crate) const TEXT: usize = 0;
pub(crate) const NAME: usize = 5;
pub(crate) const AROUND: usize = 6;
pub(crate) const DEFINED: usize = 7;
pub(crate) const MEANING: usize = 10;

/// What an explanation calls them.
pub(crate) const LABELS: [&str; SIGNALS] = [
    "words in the text",
    "words in the file",
    "words in the path",
    "words in the file's name",
    "the file's name is in the query",
    "words in defined names or the title",
    "words in the titles around",
    "defines the name asked for",
    "defines the type asked for",
    "defines neighbouring words as one name",
    "means the same",
];

impl SignalWeights {
    /// In the order of the signals.
    fn in_order(&self) -> Signals {
        let Self {
            text,
            file,
            path,
            stem,
            stem_covered,
            name,
            around,
            defined,
            defined_type,
            compound,
            meaning,
        } = *self;
        [text, file, path, stem, stem_covered, name, around, defined, defined_type, compound, meaning]
    }
}

/// What the words of a question one by one count beside all signals together. Without them functions score 0.012 less; files of 21
/// repositories gain 0.001, and with 0.3 they would lose 0.002. Functions in files without telling names score 0.002 more with 0.3
/// than with 0.2. Of sections of four documentations, 0.6 instead of 0.3 brings link texts 0.001 to 0.03 and Korean sentences to English
/// ones 0.003 to 0.04; it costs Korean questions to Korean articles 0.015, of which more weight for the text gives back a third.
const WORD_BY_WORD: f32 = 0.2;
const WORD_BY_WORD_WITHOUT_NAMES: f32 = 0.3;
const WORD_BY_WORD_OF_SECTIONS: f32 = 0.6;

/// How far the words of a query can be trusted, and how much more its meaning counts where they cannot.
pub(crate) struct Trust {
    /// How far the words of the query say what is meant: of a question in another language, few stand anywhere in the index.
    words: f32,
    /// Where even the best chunk holds little of what was asked for, words say little about any.
    meaning: f32,
    /// Whether any path has a word of the question, or anything is defined under its words.
    any_named: bool,
}

/// The weights for one question.
#[derive(Clone, Copy)]
pub(crate) struct Applied {
    /// Of each signal, adding up to 1.
    pub(crate) signals: Signals,
    /// Of the words of the question one by one, beside all signals together.
    pub(crate) word_by_word: f32,
}

/// The best chunk's BM25 for each unit of the query's rarity from which on words are trusted fully; the power with which meaning
/// gains below it; and the most it gains. On functions without their comments, where words are few, this gives 0.38
/// instead of 0.32, on functions with them 0.50 instead of 0.46, and repositories asked in sentences stay as they are. Sections have
/// words enough: there it costs up to 0.07.
const WELL_MATCHED: f32 = 2.0;

/// The same where no path has a word of the question and nothing is defined under its words, as in files without telling names.
/// Functions in such files score 0.514, without comments 0.391; with 4 they score 0.510 and 0.390.
const WELL_MATCHED_WITHOUT_NAMES: f32 = 3.0;
const GAIN: f32 = 2.0;
const MOST_GAIN: f32 = 15.0;

/// Words from which on a text names many things that it does not ask for, as bug reports do: without this bound 19 of 23 find a file of
/// their fix among ten, with it 20.
const LONG: usize = 20;

impl Trust {
    pub(crate) fn new(query: &Query, candidates: &Candidates, best_text: f32, defined: bool) -> Self {
        let terms = || query.weights.iter().zip(&candidates.rarity);
        let all: f32 = terms().map(|(weight, _)| weight).sum();
        let found: f32 = terms().filter(|(_, rarity)| **rarity > 0.0).map(|(weight, _)| weight).sum();
        // Words that stand nowhere count by the root of their number: what is found of a sentence says more than what is found of two words.
        // By their number Korean sentences to sections of four English documentations score 0.013 to 0.06 less, Korean headings 0.007 more
        // on one of them, 0.008 less on another, and the same on two.
        let lost = (all - found).max(0.0).sqrt();
        let asked: f32 = terms().map(|(weight, rarity)| weight * rarity).sum();
        let matched = best_text / asked.max(f32::MIN_POSITIVE);
        let named = |file: &FileCandidate| file.path_bm25 > 0.0 || !file.definitions.is_empty();
        let any_named = candidates.files.iter().any(named);
        let well_matched = if any_named { WELL_MATCHED } else { WELL_MATCHED_WITHOUT_NAMES };
        let gain = (well_matched / matched.max(f32::MIN_POSITIVE)).powf(GAIN).clamp(1.0, MOST_GAIN);
        Self {
            // Never nothing, so that what words find stays in order where there is nothing else.
            words: (found / (found + lost).max(f32::MIN_POSITIVE)).max(0.01),
            // Who asks for a name that is defined wants that, whatever sounds like it.
            meaning: if defined && query.words.len() <= LONG { 1.0 } else { gain },
            any_named,
        }
    }

    pub(crate) fn of_files(&self, weights: &SignalWeights) -> Applied {
        let word_by_word = if self.any_named { WORD_BY_WORD } else { WORD_BY_WORD_WITHOUT_NAMES };
        Applied { signals: self.applied(weights, self.meaning), word_by_word }
    }

    pub(crate) fn of_sections(&self, weights: &SignalWeights) -> Applied {
        Applied { signals: self.applied(weights, 1.0), word_by_word: WORD_BY_WORD_OF_SECTIONS }
    }

    fn applied(&self, weights: &SignalWeights, meaning: f32) -> Signals {
        let mut weights = weights.in_order();
        for (at, weight) in weights.iter_mut().enumerate() {
            *weight *= if at == MEANING { meaning } else { self.words };
        }
        let whole: f32 = weights.iter().sum();
        weights.map(|weight| weight / whole)
    }
}
