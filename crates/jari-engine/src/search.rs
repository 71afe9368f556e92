//! A question in, places out.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use jari_base::{
    Bm25, Candidates, ChunkKind, Degraded, Explanation, Filter, Language, LineRange, Lookup, Mode, Symbol,
    Term,
};
use jari_rank::Weights;
use jari_store::{FileRecord, PathFilter, Snapshot, StoredSection};
use jari_text::{Query, Tokenizer, estimate_tokens};

use crate::near::Near;
use crate::{Error, Project, Result};
use crate::{preview, translation};

pub use crate::preview::Line;

/// Files that are ranked, of all that were scored. On 21 repositories 100 and 200 give the same first ten places.
const CANDIDATES: usize = 100;

/// Lines of a preview.
const PREVIEW: usize = 4;

/// Tokens that `path:start-end` and the symbol's name take in an answer.
const PLACE_TOKENS: usize = 24;

/// A question.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchRequest {
    /// In words.
    pub query: String,
    /// How it is looked for.
    pub mode: Mode,
    /// How many places at most.
    pub limit: usize,
    /// What may be returned.
    pub filter: Filter,
    /// Whether each hit says how its score came to be.
    pub explain: bool,
    /// Fit the texts of the hits into this many tokens.
    pub max_tokens: Option<usize>,
    /// How words are weighed.
    pub bm25: Bm25,
}

impl SearchRequest {
    /// A question with the usual settings.
    pub fn new(query: impl Into<String>) -> Self {
        Self {
            query: query.into(),
            mode: Mode::Hybrid,
            limit: 10,
            filter: Filter::default(),
            explain: false,
            max_tokens: None,
            bm25: Bm25::default(),
        }
    }
}

/// An answer.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchResponse {
    /// Best first.
    pub hits: Vec<Hit>,
    /// How they were found.
    pub mode: Mode,
    /// What should have helped and did not.
    pub degraded: Option<Degraded>,
    /// Names that look like what was asked for, where nothing was found.
    pub near: Vec<String>,
    /// What did not fit into `max_tokens`.
    pub cut: Option<Cut>,
    /// How long it took.
    pub took: Duration,
}

/// A place that answers.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// Relative to the root.
    pub path: String,
    /// Where.
    pub lines: LineRange,
    /// What it holds.
    pub kind: ChunkKind,
    /// The file's language.
    pub language: Language,
    /// What is defined there.
    pub symbol: Option<Symbol>,
    /// The section of a document that holds the best line.
    pub section: Option<StoredSection>,
    /// The head of a table or fence that was split above it.
    pub head: Option<String>,
    /// From 0 to 1.
    pub score: f32,
    /// BM25 of the text.
    pub bm25: f32,
    /// How near its vector is to the question's; 0 where vectors were not asked.
    pub cosine: f32,
    /// Whether the file is still what was indexed.
    pub fresh: bool,
    /// The lines that show why.
    pub preview: Vec<Line>,
    /// The whole text, where `max_tokens` was given and it fits.
    pub text: Option<String>,
    /// Words of the query that stand in it.
    pub matched: Vec<String>,
    /// How the score came to be, where asked for.
    pub explanation: Option<Explanation>,
}

/// What did not fit into the token budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cut {
    /// Hits shown by their telling lines instead of their whole text.
    pub shortened: usize,
    /// Hits shown by their place alone.
    pub places: usize,
    /// Hits left out.
    pub dropped: usize,
}

/// Answers a question from one state of the index.
pub fn search(project: &Project, snapshot: &dyn Snapshot, request: &SearchRequest) -> Result<SearchResponse> {
    let began = Instant::now();
    let mut query = Query::new(&request.query);
    if query.is_empty() {
        return Err(Error::EmptyQuery);
    }
    PathFilter::new(&request.filter)
        .map_err(|error| Error::BadFilter(format!("the path filter cannot be read: {error}")))?;
    let vector = match request.mode {
        Mode::Keyword => None,
        Mode::Semantic | Mode::Hybrid => {
            project.embedding.as_ref().and_then(|embedding| embedding.of_question(&request.query))
        }
    };
    // Without a vector the words answer alone, and the answer says so.
    let mut mode = if vector.is_some() { request.mode } else { Mode::Keyword };
    let look = |query: &Query, mode: Mode| {
        let by_words = mode != Mode::Semantic;
        let terms = query.terms.iter().zip(&query.weights).filter(|_| by_words);
        snapshot.candidates(&Lookup {
            terms: terms.map(|(term, weight)| Term { text: term.clone(), weight: *weight }).collect(),
            names: if by_words { query.names() } else { Vec::new() },
            vector: vector.clone(),
            filter: request.filter.clone(),
            limit: CANDIDATES,
            bm25: request.bm25,
        })
    };
    let mut candidates = look(&query, mode)?;
    let degraded = match candidates.degraded {
        None if mode != request.mode => Some(Degraded::VectorsUnavailable),
        degraded => degraded,
    };
    if degraded == Some(Degraded::VectorsUnavailable) && mode == Mode::Semantic {
        candidates = look(&query, Mode::Hybrid)?;
    }
    if degraded == Some(Degraded::VectorsUnavailable) {
        mode = Mode::Keyword;
    }
    if mode != Mode::Semantic
        && let Some(translated) = translation::translated(&query, &candidates)
    {
        candidates = look(&translated, mode)?;
        query = translated;
    }
    if mode == Mode::Hybrid && is_unknown_name(&query, &candidates) {
        candidates.files.clear();
    }
    let ranked = jari_rank::order(&query, &candidates, &Weights::of(mode), request.limit);
    let chunks: Vec<_> = ranked.iter().map(|ranked| ranked.chunk).collect();
    let terms: HashSet<&str> = query.terms.iter().map(String::as_str).collect();
    let files = snapshot.files();
    let mut hits = Vec::with_capacity(chunks.len());
    // A store leaves out chunks it does not know, so pairs are matched by id.
    for chunk in snapshot.hydrate(&chunks)? {
        let Some(ranked) = ranked.iter().find(|ranked| ranked.chunk == chunk.id) else { continue };
        let Some(record) = files.get(chunk.id.file) else { continue };
        let (preview, matched) = Tokenizer::of_thread(|tokenizer| {
            preview::telling_lines(tokenizer, &chunk.text, chunk.lines, &terms, PREVIEW)
        });
        hits.push(Hit {
            path: record.path.clone(),
            lines: chunk.lines,
            kind: chunk.kind,
            language: record.language.clone(),
            symbol: chunk.symbol,
            section: telling_section(chunk.sections, &preview),
            head: chunk.head,
            score: ranked.score,
            bm25: ranked.bm25,
            cosine: ranked.cosine,
            fresh: is_fresh(project, record),
            preview,
            text: Some(chunk.text),
            matched,
            explanation: request.explain.then(|| ranked.explanation.clone()),
        });
    }
    let cut = request.max_tokens.map(|budget| fit(&mut hits, budget)).filter(|cut| *cut != Cut::default());
    let near = if hits.is_empty() { near_names(snapshot, &query)? } else { Vec::new() };
    Ok(SearchResponse { hits, mode, degraded, near, cut, took: began.elapsed() })
}

/// Whether the question is one word that stands nowhere: what merely sounds like it is no answer, near names are.
fn is_unknown_name(query: &Query, candidates: &Candidates) -> bool {
    query.words.iter().filter(|word| !word.grammar).count() == 1
        && query.korean().is_empty()
        && candidates.rarity.iter().all(|rarity| *rarity == 0.0)
        && candidates.files.iter().all(|file| file.definitions.is_empty())
}

/// Of the sections that a hit touches, the one whose lines show most of the query; of equal ones the first.
fn telling_section(sections: Vec<StoredSection>, preview: &[Line]) -> Option<StoredSection> {
    let marks = |section: &StoredSection| -> usize {
        let shown = preview.iter().filter(|line| section.lines.contains(line.number));
        shown.map(|line| line.highlights.len()).sum()
    };
    sections.into_iter().rev().max_by_key(marks)
}

/// Whether the file on disk is the file that was indexed.
pub(crate) fn is_fresh(project: &Project, record: &FileRecord) -> bool {
    let path = project.root.join(&record.path);
    match jari_source::stamp(&path) {
        None => false,
        Some(stamp) if stamp == record.stamp => true,
        Some(_) => {
            let contents = jari_source::read(&path, &project.limits);
            matches!(contents, jari_source::Contents::Text { hash, .. } if record.hash == Some(hash))
        }
    }
}

/// Shortens hits from the first to the last until they fit: whole text, telling lines, place alone, nothing.
fn fit(hits: &mut Vec<Hit>, budget: usize) -> Cut {
    let mut left = budget;
    let mut cut = Cut::default();
    let mut kept = 0;
    for hit in hits.iter_mut() {
        let whole = PLACE_TOKENS + hit.text.as_deref().map_or(0, estimate_tokens);
        let lines =
            PLACE_TOKENS + hit.preview.iter().map(|line| estimate_tokens(&line.text) + 2).sum::<usize>();
        if whole <= left {
            left -= whole;
        } else if lines <= left {
            left -= lines;
            hit.text = None;
            cut.shortened += 1;
        } else if PLACE_TOKENS <= left {
            left -= PLACE_TOKENS;
            hit.text = None;
            hit.preview.clear();
            cut.places += 1;
        } else {
            break;
        }
        kept += 1;
    }
    cut.dropped = hits.len() - kept;
    hits.truncate(kept);
    cut
}

/// Names near to those the query speaks of.
fn near_names(snapshot: &dyn Snapshot, query: &Query) -> Result<Vec<String>> {
    let words = query.words.iter().filter(|word| !word.grammar);
    let mut nears: Vec<Near<'_>> = words.map(|word| Near::new(&word.text)).collect();
    snapshot.symbol_names(&mut |name| nears.iter_mut().for_each(|near| near.offer(name)))?;
    let mut names: Vec<String> = Vec::new();
    for name in nears.into_iter().flat_map(Near::names) {
        if names.len() < 5 && !names.contains(&name) {
            names.push(name);
        }
    }
    Ok(names)
}
