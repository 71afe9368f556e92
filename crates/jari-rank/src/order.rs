//! Which candidate comes first, and why.

use std::collections::HashSet;

use jari_base::{Candidates, ChunkCandidate, ChunkId, ChunkKind, Explanation, FileCandidate, SymbolKind};
use jari_text::{Query, TokenKind, Tokenizer, fold_name};

use crate::weights::{
    AROUND, Applied, DEFINED, LABELS, MEANING, NAME, SIGNALS, Signals, TEXT, Trust, Weights,
};
use crate::{Role, version};

/// Chunks of a file of code that count for it: its three best.
const SUMMED: usize = 3;

/// File names that say nothing: the folder's name stands for them.
const NAMELESS: &[&str] = &["__init__", "index", "init", "lib", "main", "mod"];

/// The least cosine of an answer that no word speaks for. The best answers to real questions have 0.4 and more, questions of
/// words that mean nothing find less.
const NEAR_ENOUGH: f32 = 0.3;

/// What the second and third nearest chunk of a file add to the nearest. On 21 repositories in English 0.2 scores 0.002 more, 1
/// 0.001 to 0.003 less; with Korean questions 0.2 scores 0.004 less, 1 0.006 more.
const NEXT_NEAREST: f32 = 0.35;

/// What meaning counts beside words when the best chunks of a file are chosen.
const MEANING_OF_CHUNK: f32 = 0.5;

/// A second chunk of a file that is listed already counts less: it comes after other files of like score, and fills
/// the list where there are none. With 0.5 repositories score 0.0003 less.
const AGAIN: f32 = 0.3;

/// Where more than this share of the files that were found are documents, the project is its documents, and they are not put behind the code
/// that stands between them as examples. In a tutorial of 711 pages with its examples, Korean headings score 0.723 with it and 0.644
/// without, Korean sentences 0.736 and 0.621; with 0.75 0.678 and 0.692. Who asks for a name that is defined wants that: without this exception the
/// sentences score 0.748, and one of 414 questions to whole repositories loses its answer. None moves with it.
const MOSTLY: f32 = 0.6;

/// A candidate with its score.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    /// The chunk that answers.
    pub chunk: ChunkId,
    /// From 0 to 1.
    pub score: f32,
    /// BM25 of the chunk's text, as the store gave it.
    pub bm25: f32,
    /// The cosine of the chunk's vector with the query's, as the store gave it.
    pub cosine: f32,
    /// What the words of the question one by one count beside all signals together.
    pub word_by_word: f32,
    /// What the role of its file leaves of it.
    pub factor: f32,
    /// How the score came to be.
    pub explanation: Explanation,
}

impl Ranked {
    /// Counts, beside all signals so far, how well a text answers the words of the question one by one, from 0 to 1.
    pub fn count_words(&mut self, answered: f32) {
        let weight = self.word_by_word;
        let words = weight * self.factor * answered;
        let signals = std::mem::take(&mut self.explanation.details);
        self.explanation.details = vec![
            Explanation::node("signals", self.score, signals),
            Explanation::leaf("words of the question one by one", words),
            Explanation::leaf("divided by", 1.0 + weight),
        ];
        self.score = (self.score + words) / (1.0 + weight);
        self.explanation.value = self.score;
    }
}

/// The best `limit` candidates, best first. Of code one chunk a file comes first, then further chunks of the same files;
/// sections of documents stand each for itself.
pub fn order(query: &Query, candidates: &Candidates, weights: &Weights, limit: usize) -> Vec<Ranked> {
    let asked = Asked::new(query);
    let outdated = version::outdated(candidates.files.iter().map(|file| file.path.as_str()), query);
    let signals: Vec<Signals> =
        candidates.files.iter().map(|file| asked.signals(file, &candidates.rarity)).collect();
    let mut most = [f32::MIN_POSITIVE; SIGNALS];
    for signals in &signals {
        most.iter_mut().zip(signals).for_each(|(most, signal)| *most = most.max(*signal));
    }
    let chunks = || candidates.files.iter().flat_map(|file| &file.chunks);
    // A title with one word of a long question matches little, even if no other title matches more.
    let whole_query: f32 = candidates.rarity.iter().sum();
    let best = Most {
        text: chunks().map(|chunk| chunk.body).fold(f32::MIN_POSITIVE, f32::max),
        meaning: chunks().map(|chunk| chunk.cosine).fold(f32::MIN_POSITIVE, f32::max),
    };

    let trust = Trust::new(query, candidates, best.text, most[DEFINED] >= 1.0);
    let of_files = trust.of_files(&weights.files);
    let of_sections = trust.of_sections(&weights.sections);
    let documents = candidates.files.iter().filter(|file| is_document(file)).count();
    let are_documents_meant =
        most[DEFINED] < 1.0 && documents as f32 > MOSTLY * candidates.files.len() as f32;

    let mut places = Vec::with_capacity(candidates.files.len() * 2);
    for (file, signals) in candidates.files.iter().zip(&signals) {
        let role = match Role::of(&file.path) {
            Role::Product if outdated.contains(file.path.as_str()) => Role::Legacy,
            role => role,
        };
        let factor = match role {
            Role::Document if are_documents_meant => 1.0,
            role => role.factor(query),
        };
        let shares: Signals = std::array::from_fn(|at| signals[at] / most[at]);
        if is_document(file) {
            for chunk in &file.chunks {
                let mut shares = shares;
                shares[TEXT] = chunk.body / best.text;
                shares[NAME] = chunk.name / most[NAME].max(whole_query);
                shares[AROUND] = chunk.doc / most[AROUND].max(whole_query);
                shares[MEANING] = chunk.cosine.max(0.0) / best.meaning;
                places.push(Place::new(Shown::new(chunk), shares, &of_sections, role, factor, 0));
            }
            if !file.chunks.is_empty() {
                continue;
            }
        }
        for (again, shown) in answers(file, &best).into_iter().enumerate() {
            places.push(Place::new(shown, shares, &of_files, role, factor, again));
        }
    }
    let telling = places.iter().enumerate().filter(|(_, place)| place.says_something());
    let mut best: Vec<(f32, usize)> = telling.map(|(at, place)| (place.score, at)).collect();
    // Equal scores stay in the order of the candidates.
    let better = |one: &(f32, usize), two: &(f32, usize)| two.0.total_cmp(&one.0).then(one.1.cmp(&two.1));
    if best.len() > limit {
        best.select_nth_unstable_by(limit, better);
        best.truncate(limit);
    }
    best.sort_unstable_by(better);
    best.into_iter().map(|(_, at)| places[at].explained()).collect()
}

fn is_document(file: &FileCandidate) -> bool {
    file.chunks.iter().any(|chunk| chunk.kind == ChunkKind::Section)
}

/// The most that any chunk has.
struct Most {
    text: f32,
    meaning: f32,
}

/// A chunk that may be shown.
struct Shown {
    chunk: ChunkId,
    is_section: bool,
    bm25: f32,
    cosine: f32,
}

impl Shown {
    /// One that neither words nor vectors found.
    fn unseen(chunk: ChunkId) -> Self {
        Self { chunk, is_section: false, bm25: 0.0, cosine: 0.0 }
    }

    fn new(chunk: &ChunkCandidate) -> Self {
        Self {
            chunk: chunk.chunk,
            is_section: chunk.kind == ChunkKind::Section,
            bm25: chunk.body,
            cosine: chunk.cosine,
        }
    }
}

/// A place on the way to the list.
struct Place<'a> {
    shown: Shown,
    score: f32,
    shares: Signals,
    weights: &'a Applied,
    role: Role,
    factor: f32,
    again: usize,
}

impl<'a> Place<'a> {
    fn new(
        shown: Shown,
        shares: Signals,
        weights: &'a Applied,
        role: Role,
        factor: f32,
        again: usize,
    ) -> Self {
        let sum: f32 = shares.iter().zip(weights.signals).map(|(share, weight)| share * weight).sum();
        let score = sum * factor * again_factor(again);
        Self { shown, score, shares, weights, role, factor, again }
    }

    /// Whether a word or a name matches, or the meaning is near enough to be no accident. A section must say so itself, and so must
    /// further chunks of a file.
    fn says_something(&self) -> bool {
        let Self { shown, shares, again, .. } = self;
        let names = if shown.is_section { &[NAME, AROUND][..] } else { &[][..] };
        let of_file = !shown.is_section && *again == 0;
        let by_file = of_file && (0..SIGNALS).any(|at| at != MEANING && shares[at] > 0.0);
        shown.bm25 > 0.0 || shown.cosine >= NEAR_ENOUGH || by_file || names.iter().any(|at| shares[*at] > 0.0)
    }

    fn explained(&self) -> Ranked {
        let Self { shown, score, shares, weights, role, factor, again } = self;
        let Shown { chunk, bm25, cosine, .. } = *shown;
        let Applied { signals: weights, word_by_word } = **weights;
        let (score, factor, again) = (*score, *factor, *again);
        let parts: Vec<Explanation> = (0..SIGNALS)
            .filter(|at| shares[*at] * weights[*at] > 0.0)
            .map(|at| {
                let details = vec![
                    Explanation::leaf("weight", weights[at]),
                    Explanation::leaf("share of the best candidate's", shares[at]),
                ];
                Explanation::node(LABELS[at], weights[at] * shares[at], details)
            })
            .collect();
        let sum: f32 = parts.iter().map(|part| part.value).sum();
        let mut details = vec![Explanation::node("sum of signals", sum, parts)];
        if factor != 1.0 {
            details.push(Explanation::leaf(format!("factor: {}", role.label()), factor));
        }
        if again > 0 {
            details.push(Explanation::leaf("factor: the file is listed already", again_factor(again)));
        }
        let explanation = Explanation::node("score", score, details);
        Ranked { chunk, score, bm25, cosine, word_by_word, factor, explanation }
    }
}

/// What the n-th chunk of a file that is listed already counts.
fn again_factor(again: usize) -> f32 {
    if again == 0 { 1.0 } else { AGAIN / again as f32 }
}

/// The chunks of a file that may be shown, best first: a definition that was asked for, then by words and meaning.
fn answers(file: &FileCandidate, most: &Most) -> Vec<Shown> {
    let shown = |id: ChunkId| {
        let known = file.chunks.iter().find(|chunk| chunk.chunk == id);
        known.map_or(Shown::unseen(id), Shown::new)
    };
    let both = |chunk: &ChunkCandidate| {
        (chunk.body + chunk.name) / most.text + MEANING_OF_CHUNK * chunk.cosine.max(0.0) / most.meaning
    };
    let mut chunks: Vec<(f32, ChunkId)> =
        file.chunks.iter().map(|chunk| (both(chunk), chunk.chunk)).collect();
    chunks.sort_by(|one, two| two.0.total_cmp(&one.0));
    let defined = file.definitions.iter().map(|definition| definition.chunk);
    let mut answers: Vec<Shown> = Vec::with_capacity(SUMMED);
    for id in defined.chain(chunks.into_iter().map(|(_, chunk)| chunk)) {
        if answers.len() == SUMMED {
            break;
        }
        if answers.iter().all(|shown| shown.chunk != id) {
            answers.push(shown(id));
        }
    }
    if answers.is_empty() {
        // Only the path matches: the file's beginning stands for it.
        answers.push(Shown::unseen(ChunkId { file: file.file, ordinal: 0 }));
    }
    answers
}

/// What of the query the signals look at.
struct Asked<'a> {
    query: &'a Query,
    terms: HashSet<&'a str>,
    code: HashSet<String>,
    capitalised: HashSet<String>,
    /// Words that stand side by side as one, so that `test client` covers `testclient.py`.
    joined: HashSet<String>,
}

impl<'a> Asked<'a> {
    fn new(query: &'a Query) -> Self {
        let meant = query.words.iter().filter(|word| !word.grammar).count();
        let folded = |word: &str| fold_name(word.rsplit(['.', ':', '#', '>']).next().unwrap_or(word));
        Self {
            query,
            terms: query.terms.iter().map(String::as_str).collect(),
            code: query
                .words
                .iter()
                .filter(|word| word.code || meant == 1)
                .map(|word| folded(&word.text))
                .collect(),
            capitalised: query
                .words
                .iter()
                .filter(|word| word.capitalised)
                .map(|word| folded(&word.text))
                .collect(),
            joined: query.compounds().into_iter().collect(),
        }
    }

    fn signals(&self, file: &FileCandidate, rarity: &[f32]) -> Signals {
        let best_name = file.chunks.iter().map(|chunk| chunk.name).fold(0.0, f32::max);
        let (stem, covered) = self.stem(file, rarity);
        let defined = |test: &dyn Fn(&str, SymbolKind) -> bool| {
            let any = file.definitions.iter().any(|found| test(&fold_name(&found.name), found.kind));
            f32::from(u8::from(any))
        };
        [
            file.chunks.iter().take(SUMMED).map(|chunk| chunk.body).sum(),
            file.bm25,
            file.path_bm25,
            stem,
            covered,
            best_name,
            file.chunks.iter().map(|chunk| chunk.doc).fold(0.0, f32::max),
            defined(&|name, _| self.code.contains(name)),
            defined(&|name, kind| self.capitalised.contains(name) && is_type(kind)),
            defined(&|name, _| !self.code.contains(name) && !self.capitalised.contains(name)),
            nearest(file),
        ]
    }

    /// How much of the query, by rarity, is in the file's own name; and whether all of that name is in the query.
    fn stem(&self, file: &FileCandidate, rarity: &[f32]) -> (f32, f32) {
        let name = telling_name(&file.path);
        let joined = f32::from(u8::from(self.joined.contains(&fold_name(name))));
        // Where no word of the path is asked for, none of the name is.
        if file.path_bm25 == 0.0 {
            return (0.0, joined);
        }
        let mut words: HashSet<String> = HashSet::new();
        Tokenizer::of_thread(|tokenizer| {
            tokenizer.tokens(name, |token| {
                if matches!(token.kind, TokenKind::Word | TokenKind::Foreign) {
                    words.insert(token.text.to_owned());
                }
            });
        });
        let covered = !words.is_empty() && words.iter().all(|word| self.terms.contains(word.as_str()));
        let matched: f32 = self
            .query
            .terms
            .iter()
            .zip(rarity)
            .filter(|(term, _)| words.contains(*term))
            .map(|(_, rarity)| rarity)
            .sum();
        let all: f32 = rarity.iter().sum::<f32>().max(f32::MIN_POSITIVE);
        (matched / all, f32::from(u8::from(covered)).max(joined))
    }
}

/// The cosine of a file's nearest chunk, and some of those of the next two.
fn nearest(file: &FileCandidate) -> f32 {
    let mut cosines: Vec<f32> = file.chunks.iter().map(|chunk| chunk.cosine.max(0.0)).collect();
    cosines.sort_by(|one, two| two.total_cmp(one));
    let next: f32 = cosines.iter().take(SUMMED).skip(1).sum();
    cosines.first().copied().unwrap_or_default() + NEXT_NEAREST * next
}

/// The file's name without its ending, or its folder's name where that says nothing.
fn telling_name(path: &str) -> &str {
    let mut steps = path.rsplit('/');
    let name = steps.next().unwrap_or(path);
    let stem = name.split('.').find(|part| !part.is_empty()).unwrap_or(name);
    if NAMELESS.contains(&stem) { steps.next().unwrap_or(stem) } else { stem }
}

fn is_type(kind: SymbolKind) -> bool {
    use SymbolKind::{Class, Enum, Interface, Module, Struct, Trait, Type};
    matches!(kind, Class | Struct | Enum | Interface | Trait | Type | Module)
}

#[cfg(test)]
mod tests {
    use jari_base::{ChunkCandidate, DefinitionCandidate, FileId, Language, LineRange};

    use super::*;

    fn file(number: u32, path: &str, bm25: f32) -> FileCandidate {
        let chunk = ChunkId { file: FileId(number), ordinal: 0 };
        FileCandidate {
            file: FileId(number),
            path: path.to_owned(),
            language: Language::UNKNOWN,
            bm25,
            path_bm25: if path.contains("retry") { 0.1 } else { 0.0 },
            chunks: vec![ChunkCandidate {
                chunk,
                kind: ChunkKind::Function,
                body: bm25,
                name: 0.0,
                doc: 0.0,
                cosine: 0.0,
            }],
            definitions: Vec::new(),
        }
    }

    fn check(query: &str, files: Vec<FileCandidate>, expected: &[u32]) {
        let query = Query::new(query);
        let rarity = vec![1.0; query.terms.len()];
        let ranked = order(&query, &Candidates { files, rarity, degraded: None }, &Weights::default(), 10);
        assert_eq!(ranked.iter().map(|ranked| ranked.chunk.file.0).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn more_words_come_first() {
        check("retry request", vec![file(1, "a.rs", 1.0), file(2, "b.rs", 2.0)], &[2, 1]);
    }

    #[test]
    fn the_file_named_so_comes_first() {
        check("retry request", vec![file(1, "src/other.rs", 2.0), file(2, "src/retry.rs", 1.5)], &[2, 1]);
    }

    #[test]
    fn tests_come_after_what_they_test() {
        check("retry", vec![file(1, "tests/a.rs", 2.0), file(2, "src/b.rs", 1.9)], &[2, 1]);
        check("tests of retry", vec![file(1, "tests/a.rs", 2.0), file(2, "src/b.rs", 1.0)], &[1, 2]);
    }

    #[test]
    fn a_definition_asked_for_comes_first_and_is_what_is_shown() {
        let mut defines = file(2, "b.rs", 1.0);
        let chunk = ChunkId { file: FileId(2), ordinal: 7 };
        let lines = LineRange::new(1, 9);
        defines.definitions.push(DefinitionCandidate {
            name: "retry_all".into(),
            kind: SymbolKind::Function,
            lines,
            chunk,
        });
        let query = Query::new("retry_all");
        let files = vec![file(1, "a.rs", 1.4), defines];
        let ranked = order(
            &query,
            &Candidates { files, rarity: vec![1.0; 3], degraded: None },
            &Weights::default(),
            10,
        );
        assert_eq!(ranked[0].chunk, chunk);
        assert!(ranked[0].score <= 1.0);
    }

    #[test]
    fn a_name_of_which_nothing_is_asked_for_is_not_covered() {
        let query = Query::new("timeout");
        let asked = Asked::new(&query);
        let named = |path: &str| FileCandidate { path_bm25: 0.1, ..file(1, path, 1.0) };
        assert_eq!(asked.stem(&named("src/_config.py"), &[1.0]), (0.0, 0.0));
        assert_eq!(asked.stem(&named("src/_timeout.py"), &[1.0]), (1.0, 1.0));
    }

    #[test]
    fn words_side_by_side_cover_a_name_that_writes_them_as_one() {
        for (query, path) in
            [("requests of the test client", "lib/testclient.py"), ("URL-encoded forms", "urlencoded.ex")]
        {
            let query = Query::new(query);
            let asked = Asked::new(&query);
            assert_eq!(asked.stem(&file(1, path, 1.0), &[1.0; 4]), (0.0, 1.0), "{path}");
        }
        let query = Query::new("client of the test");
        assert_eq!(Asked::new(&query).stem(&file(1, "lib/testclient.py", 1.0), &[1.0; 2]), (0.0, 0.0));
    }

    #[test]
    fn a_definition_asked_for_comes_before_what_means_the_same() {
        let mut defines = file(1, "1.py", 0.2);
        let chunk = defines.chunks[0].chunk;
        let (name, kind, lines) = ("sell_4".to_owned(), SymbolKind::Function, LineRange::new(1, 2));
        defines.definitions.push(DefinitionCandidate { name, kind, lines, chunk });
        let mut near = file(2, "2.py", 0.1);
        near.chunks[0].cosine = 0.9;
        check("sell_4", vec![near, defines], &[1, 2]);
    }

    #[test]
    fn meaning_counts_more_where_no_name_has_a_word() {
        let query = Query::new("retry request");
        let candidates =
            |path: &str| Candidates { files: vec![file(1, path, 5.0)], rarity: vec![1.0; 2], degraded: None };
        let meaning = |path: &str| {
            let weights = Weights::default();
            let ranked = order(&query, &candidates(path), &weights, 1);
            let sum = &ranked[0].explanation.details[0];
            sum.details.iter().map(|part| part.details[0].value).sum::<f32>()
        };
        let word_by_word =
            |path: &str| order(&query, &candidates(path), &Weights::default(), 1)[0].word_by_word;
        assert!(word_by_word("1.py") > word_by_word("retry.py"));
        assert!(meaning("1.py") < meaning("retry.py"), "what is not words is left for meaning");
    }

    #[test]
    fn explanations_add_up() {
        let query = Query::new("retry");
        let files = vec![file(1, "tests/retry.rs", 1.0)];
        let ranked =
            order(&query, &Candidates { files, rarity: vec![1.0], degraded: None }, &Weights::default(), 10);
        let explanation = &ranked[0].explanation;
        let sum = &explanation.details[0];
        let parts: f32 = sum.details.iter().map(|part| part.value).sum();
        assert!((parts - sum.value).abs() < 1e-6);
        assert!((sum.value * explanation.details[1].value - ranked[0].score).abs() < 1e-6);
    }

    #[test]
    fn words_one_by_one_count_beside_all_signals_and_tests_stay_behind() {
        let query = Query::new("retry request");
        let files = vec![file(1, "src/a.rs", 1.0), file(2, "tests/b.rs", 1.0)];
        let candidates = Candidates { files, rarity: vec![1.0; 2], degraded: None };
        let mut ranked = order(&query, &candidates, &Weights::default(), 10);
        let before: Vec<f32> = ranked.iter().map(|ranked| ranked.score).collect();
        ranked.iter_mut().for_each(|ranked| ranked.count_words(1.0));
        for (ranked, before) in ranked.iter().zip(before) {
            let [signals, words, divisor] = &ranked.explanation.details[..] else { panic!("three parts") };
            assert_eq!(signals.value, before);
            assert!(((signals.value + words.value) / divisor.value - ranked.score).abs() < 1e-6);
            assert!(ranked.score > before && ranked.score <= 1.0);
        }
        assert!(ranked[0].score > ranked[1].score, "what tests say counts as little as they do");
    }
}
