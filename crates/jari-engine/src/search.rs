//! A question in, places out.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use jari_base::{
    Bm25, Candidates, ChunkKind, Degraded, Explanation, FileId, Filter, Fusion, Intent, Language, LineRange,
    Lookup, Mode, Symbol, Term,
};
use jari_embed::Trouble;
use jari_rank::Lists;
use jari_store::{FileRecord, PathFilter, Snapshot, StoredSection};
use jari_text::Query;

use crate::{Embedding, Error, Opinion, Project, Result};
use crate::{diversify, gather, narrow, pack, pointers, rerank, translation, wording};

pub use jari_rank::{Blend, FoundBy, Plan, Script, Shape};
pub use jari_text::Typed;

pub use crate::gather::Elsewhere;
pub use crate::pack::{Cut, Shown};
pub use crate::preview::Line;

/// A question.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchRequest {
    /// In words, among which there may be filters.
    pub query: String,
    /// Whether what looks like a filter in it is one.
    pub typed_filters: bool,
    /// How it is looked for.
    pub mode: Mode,
    /// What it is asked for; `None` lets its words tell.
    pub intent: Option<Intent>,
    /// How many places at most.
    pub limit: usize,
    /// What may be returned.
    pub filter: Filter,
    /// Whether places that repeat others make room.
    pub diverse: bool,
    /// Whether a Korean question that finds little is asked again in English.
    pub translate: bool,
    /// Whether a [`crate::Translator`] is asked for that, where the project has one.
    pub translator: bool,
    /// Whether a [`crate::Reranker`] is asked, where the project has one.
    pub rerank: bool,
    /// Whether each hit says how its score came to be.
    pub explain: bool,
    /// Show whole texts, with this many lines around them.
    pub context: Option<u32>,
    /// Fit the texts of the hits into this many tokens.
    pub max_tokens: Option<usize>,
    /// What the user's settings say.
    pub tuning: Tuning,
}

/// What settings say of every question.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Tuning {
    /// How words are weighed.
    pub bm25: Bm25,
    /// How words and vectors become one list.
    pub blend: Blend,
    /// What may be spent.
    pub budget: Budget,
}

/// What may be spent on a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Files that are ranked, of all that were scored.
    pub candidates: usize,
    /// Places that are compared with each other, or put in order by a [`crate::Reranker`].
    pub rerank_candidates: usize,
    /// After this, no further step is begun.
    pub time: Option<Duration>,
}

impl Default for Budget {
    /// On 21 repositories 100 files and 200 give the same first ten places.
    fn default() -> Self {
        Self { candidates: 100, rerank_candidates: 30, time: None }
    }
}

impl SearchRequest {
    /// A question with the usual settings.
    pub fn new(query: impl Into<String>) -> Self {
        Self {
            query: query.into(),
            typed_filters: true,
            mode: Mode::Hybrid,
            intent: None,
            limit: 10,
            filter: Filter::default(),
            diverse: true,
            translate: true,
            translator: true,
            rerank: true,
            explain: false,
            context: None,
            max_tokens: None,
            tuning: Tuning::default(),
        }
    }

    /// How it would be answered.
    pub fn plan(&self) -> Plan {
        let typed = self.typed();
        Plan::new(&typed, &Query::new(&typed.words), self.intent)
    }

    /// Whether there is no word in it to look for.
    pub fn is_empty(&self) -> bool {
        Query::new(&self.typed().words).is_empty()
    }

    /// Whether whole texts are to be shown.
    pub fn shows_texts(&self) -> bool {
        self.max_tokens.is_some() || self.context.is_some()
    }

    fn typed(&self) -> Typed {
        if self.typed_filters {
            Typed::new(&self.query)
        } else {
            Typed { words: self.query.clone(), ..Typed::default() }
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
    /// What was asked, as it was understood.
    pub plan: Plan,
    /// The filters that stood in the query.
    pub typed: Typed,
    /// The words that were looked for, each time, where asked for.
    pub passes: Vec<Pass>,
    /// What should have helped and did not.
    pub degraded: Option<Degraded>,
    /// Why a model that was asked did not.
    pub trouble: Option<Trouble>,
    /// Names that look like what was asked for, where nothing was found.
    pub near: Vec<String>,
    /// What did not fit into `max_tokens`.
    pub cut: Option<Cut>,
    /// How often models were asked.
    pub calls: Calls,
    /// How long it took.
    pub took: Duration,
}

/// How often models were asked for an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Calls {
    /// The one that makes vectors.
    pub embedding: usize,
    /// The one that puts the best in order.
    pub reranker: usize,
    /// The one that translates.
    pub translator: usize,
}

impl Calls {
    /// Those of another question as well.
    pub fn add(&mut self, more: Self) {
        let Self { embedding, reranker, translator } = more;
        self.embedding += embedding;
        self.reranker += reranker;
        self.translator += translator;
    }
}

/// Whose words were looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Words {
    /// The user's.
    Typed,
    /// Words of the glossary beside them.
    Glossary,
    /// Words of a translator beside them.
    Translator,
}

/// One look into the index.
#[derive(Debug, Clone, PartialEq)]
pub struct Pass {
    /// Whose words.
    pub words: Words,
    /// The words, and how rare each is; 0 of one that stands nowhere.
    pub terms: Vec<(String, f32)>,
    /// Files that were found.
    pub files: usize,
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
    /// The whole text, where it fits into `max_tokens`.
    pub text: Option<String>,
    /// The lines of `text`: its own, and those around it that were asked for.
    pub text_lines: LineRange,
    /// How much of it is shown.
    pub shown: Shown,
    /// Where the same text stands again.
    pub elsewhere: Vec<Elsewhere>,
    /// Words of the query that stand in it.
    pub matched: Vec<String>,
    /// Which lists it was on, where asked for.
    pub found_by: Vec<FoundBy>,
    /// How the score came to be, where asked for.
    pub explanation: Option<Explanation>,
}

/// Answers a question from one state of the index.
pub fn search(project: &Project, snapshot: &dyn Snapshot, request: &SearchRequest) -> Result<SearchResponse> {
    search_by(&[(project, snapshot)], request)
}

/// Answers a question with several models: the same project with the vectors of each. Of their lists the ranks count alone, because
/// scores of different models cannot be compared.
pub fn search_by(models: &[(&Project, &dyn Snapshot)], request: &SearchRequest) -> Result<SearchResponse> {
    let (began, _span) = (Instant::now(), tracing::debug_span!("search").entered());
    let typed = request.typed();
    let query = Query::new(&typed.words);
    let Some(((project, snapshot), others)) = models.split_first().filter(|_| !query.is_empty()) else {
        return Err(Error::EmptyQuery);
    };
    let plan = tracing::debug_span!("plan").in_scope(|| Plan::new(&typed, &query, request.intent));
    let filter = narrow::typed(&typed, request.filter.clone())?;
    let allowed = PathFilter::new(&filter)
        .map_err(|error| Error::BadFilter(format!("the path filter cannot be read: {error}")))?;
    let asked =
        Asked { request, typed: &typed, plan: &plan, query: &query, filter: &filter, allowed: &allowed };

    let limit = if others.is_empty() { request.limit } else { asked.pool() };
    let (mut hits, mut looked) = asked.find(project, *snapshot, limit)?;
    if !others.is_empty() {
        let mut lists = vec![hits];
        for (project, snapshot) in others {
            let (hits, other) = asked.find(project, *snapshot, limit)?;
            lists.push(hits);
            looked.join(other);
        }
        hits = gather::fused(lists, request.limit);
    }
    if request.shows_texts() {
        pack::grow(*snapshot, &mut hits, request.context.unwrap_or_default(), request.max_tokens)?;
    }
    let cut = match request.max_tokens {
        Some(budget) => pack::fit(*snapshot, &mut hits, budget, plan.intent)?,
        None => None,
    };
    let near =
        if hits.is_empty() && cut.is_none() { near_names(*snapshot, &looked.query)? } else { Vec::new() };
    let Looked { mode, degraded, trouble, passes, calls, .. } = looked;
    let took = began.elapsed();
    Ok(SearchResponse { hits, mode, plan, typed, passes, degraded, trouble, near, cut, calls, took })
}

/// A question, understood.
struct Asked<'a> {
    request: &'a SearchRequest,
    typed: &'a Typed,
    plan: &'a Plan,
    query: &'a Query,
    filter: &'a Filter,
    allowed: &'a PathFilter,
}

impl Asked<'_> {
    /// Places that may change their order before the best are taken.
    fn pool(&self) -> usize {
        self.request.limit.max(self.request.tuning.budget.rerank_candidates).max(wording::PLACES)
    }

    /// The places that answer, in order.
    fn find(&self, project: &Project, snapshot: &dyn Snapshot, limit: usize) -> Result<(Vec<Hit>, Looked)> {
        let Self { request, typed, plan, query, filter, allowed } = *self;
        // The model is asked for the words without the filters between them.
        let asked = if typed.filters() { &typed.words } else { &request.query };
        let clock = Clock::new(request.tuning.budget.time);
        let look = Look { project, snapshot, request, filter, allowed, clock };
        let mut looked = look.at(query.clone(), asked)?;

        let conditions = gather::Conditions::new(typed);
        // What conditions leave out is known only when texts are read, so all that was found may be needed.
        let pool = if conditions.is_empty() { self.pool() } else { usize::MAX };
        let mut ranked = tracing::debug_span!("order").in_scope(|| {
            jari_rank::ranked(
                &looked.query,
                plan,
                &looked.candidates,
                looked.mode,
                request.tuning.blend,
                pool,
            )
        });
        let model = project.embedding.as_ref().and_then(Embedding::table);
        // One name is looked for as it is, and scores made of ranks lie too close to each other to be added to.
        let by_ranks = looked.mode == Mode::Hybrid && request.tuning.blend.fusion == Fusion::Rrf;
        let one_name = matches!(plan.shape, Shape::Identifier | Shape::Path);
        let worded = looked.mode != Mode::Keyword && !by_ranks && !one_name;
        if let Some(model) = model.filter(|_| worded && look.clock.in_time()) {
            let known = (&looked.query, &looked.candidates);
            tracing::debug_span!("wording")
                .in_scope(|| wording::order(model, snapshot, asked, known, &mut ranked))?;
        }
        let mut read = HashMap::new();
        if looked.mode != Mode::Semantic && look.clock.in_time() {
            pointers::follow(snapshot, &looked.query, (filter, allowed), &mut ranked, &mut read)?;
        }
        if let Some(reranker) = project.reranker.as_ref().filter(|_| request.rerank) {
            let opinion = match look.clock.in_time() {
                true => look.clock.outside(|| rerank::rerank(&**reranker, snapshot, request, &mut ranked))?,
                false => Opinion::default(),
            };
            looked.calls.reranker += opinion.calls;
            looked.trouble = looked.trouble.or(opinion.trouble);
            let failed = opinion.order.is_none();
            looked.degraded = looked.degraded.or(failed.then_some(Degraded::RerankerUnavailable));
        }
        if request.diverse && look.clock.in_time() {
            diversify::diversify(snapshot, &mut ranked, request.tuning.budget.rerank_candidates)?;
        } else if request.diverse {
            looked.degraded = Some(Degraded::TimeBudget);
        }
        let gathered = gather::gather(snapshot, ranked, &conditions, limit, read)?;
        let lists = request.explain.then(|| Lists::new(&looked.candidates));
        let hits = gather::hits(project, snapshot, gathered, &looked.query, lists.as_ref())?;
        Ok((hits, looked))
    }
}

/// A question on its way to the store.
struct Look<'a> {
    project: &'a Project,
    snapshot: &'a dyn Snapshot,
    request: &'a SearchRequest,
    filter: &'a Filter,
    allowed: &'a PathFilter,
    clock: Clock,
}

/// The time of a search. What others take, who have limits of their own, does not count.
struct Clock(Cell<Option<Instant>>);

impl Clock {
    fn new(time: Option<Duration>) -> Self {
        Self(Cell::new(time.map(|time| Instant::now() + time)))
    }

    fn deadline(&self) -> Option<Instant> {
        self.0.get()
    }

    fn in_time(&self) -> bool {
        self.deadline().is_none_or(|deadline| Instant::now() < deadline)
    }

    /// Stands still while others work.
    fn outside<T>(&self, work: impl FnOnce() -> T) -> T {
        let began = Instant::now();
        let done = work();
        self.0.set(self.deadline().map(|deadline| deadline + began.elapsed()));
        done
    }
}

/// What the store answered.
struct Looked {
    /// With the words of the last pass.
    query: Query,
    candidates: Candidates,
    mode: Mode,
    degraded: Option<Degraded>,
    trouble: Option<Trouble>,
    passes: Vec<Pass>,
    calls: Calls,
}

/// Files that words found whose vectors must be there before meaning may change their order.
const FIRST: usize = 10;

impl Look<'_> {
    fn at(&self, query: Query, asked: &str) -> Result<Looked> {
        let Self { project, request, .. } = self;
        let embedding = project.embedding.as_ref().filter(|_| request.mode != Mode::Keyword);
        let (vector, calls, trouble) = self.clock.outside(|| meaning_of(embedding, asked));
        // Without a vector the words answer alone, and the answer says so.
        let mut mode = if vector.is_some() { request.mode } else { Mode::Keyword };
        let mut candidates = self.candidates(&query, mode, vector.as_deref())?;
        let mut degraded = match candidates.degraded {
            _ if trouble.is_some() => Some(Degraded::EmbeddingUnavailable),
            None if mode != request.mode => Some(Degraded::VectorsUnavailable),
            degraded => degraded,
        };
        if degraded == Some(Degraded::VectorsUnavailable) {
            if mode == Mode::Semantic {
                candidates = self.candidates(&query, Mode::Hybrid, vector.as_deref())?;
            }
            mode = Mode::Keyword;
        }
        let waits = vector.is_some() && embedding.is_some_and(|embedding| embedding.asked().is_some());
        if waits {
            let missing = self.snapshot.unembedded()?;
            if mode == Mode::Hybrid && lack_vectors(&candidates, &missing) {
                mode = Mode::Keyword;
                candidates = self.candidates(&query, mode, None)?;
            }
            if mode == Mode::Keyword || self.may_return(&missing)? {
                degraded = Some(Degraded::EmbeddingInProgress);
            }
        }
        let vector = vector.filter(|_| mode != Mode::Keyword);
        let mut looked = Looked { passes: Vec::new(), query, candidates, mode, degraded, trouble, calls };
        looked.note_pass(request.explain, Words::Typed);
        if request.translate && mode != Mode::Semantic {
            self.translate(&mut looked, vector, asked)?;
        }
        if mode == Mode::Hybrid && is_unknown_name(&looked.query, &looked.candidates) {
            looked.candidates.files.clear();
        }
        Ok(looked)
    }

    /// Whether one of `files` may be returned.
    fn may_return(&self, files: &[FileId]) -> Result<bool> {
        let known = self.snapshot.files()?;
        Ok(files.iter().filter_map(|file| known.get(*file)).any(|record| self.allowed.allows(record)))
    }

    /// Looks again with English words beside or instead of Korean ones: those of the glossary first, and those of
    /// a translator where the user has one and the glossary does not help.
    fn translate(&self, looked: &mut Looked, vector: Option<Vec<f32>>, asked: &str) -> Result<()> {
        let Self { project, request, .. } = self;
        let typed = looked.query.clone();
        let weak = translation::is_weak(&typed, &looked.candidates);
        if let Some(translated) = translation::translated(&typed, &looked.candidates) {
            looked.candidates = self.candidates(&translated, looked.mode, vector.as_deref())?;
            looked.query = translated;
            looked.note_pass(request.explain, Words::Glossary);
        }
        let Some(translator) = project.translator.as_ref().filter(|_| weak && request.translator) else {
            return Ok(());
        };
        let english = self.clock.outside(|| translator.english(asked));
        looked.calls.translator += english.calls;
        looked.trouble = looked.trouble.take().or(english.trouble);
        let Some(english) = english.text else {
            looked.degraded = looked.degraded.or(Some(Degraded::TranslatorUnavailable));
            return Ok(());
        };
        let embedding = project.embedding.as_ref().filter(|_| vector.is_some());
        let (meant, calls, _) = self.clock.outside(|| meaning_of(embedding, &english));
        looked.calls.embedding += calls.embedding;
        let query = translation::with_words_of(typed, &english);
        looked.candidates = self.candidates(&query, looked.mode, meant.or(vector).as_deref())?;
        looked.query = query;
        looked.note_pass(request.explain, Words::Translator);
        Ok(())
    }

    fn candidates(&self, query: &Query, mode: Mode, vector: Option<&[f32]>) -> Result<Candidates> {
        let by_words = mode != Mode::Semantic;
        let terms = query.terms.iter().zip(&query.weights).filter(|_| by_words);
        Ok(self.snapshot.candidates(&Lookup {
            terms: terms.map(|(term, weight)| Term { text: term.clone(), weight: *weight }).collect(),
            names: if by_words { query.names() } else { Vec::new() },
            vector: vector.map(<[f32]>::to_vec),
            filter: self.filter.clone(),
            limit: self.request.tuning.budget.candidates,
            bm25: self.request.tuning.bm25,
            deadline: self.clock.deadline(),
        })?)
    }
}

impl Looked {
    fn note_pass(&mut self, explain: bool, words: Words) {
        if !explain {
            return;
        }
        let rarity = self.candidates.rarity.iter().copied().chain(std::iter::repeat(0.0));
        let terms = self.query.terms.iter().cloned().zip(rarity).collect();
        self.passes.push(Pass { words, terms, files: self.candidates.files.len() });
    }

    /// What another model's look adds to what is said of the answer.
    fn join(&mut self, other: Self) {
        let Self { query: _, candidates: _, mode, degraded, trouble, passes: _, calls } = other;
        if self.mode == Mode::Keyword {
            self.mode = mode;
        }
        self.degraded = self.degraded.or(degraded);
        self.trouble = self.trouble.take().or(trouble);
        self.calls.add(calls);
    }
}

/// The vector of a question, what it cost, and why there is none, where that is a failure.
fn meaning_of(embedding: Option<&Embedding>, asked: &str) -> (Option<Vec<f32>>, Calls, Option<Trouble>) {
    let Some(embedding) = embedding else { return (None, Calls::default(), None) };
    let before = embedding.asked().map(|embedder| embedder.calls());
    let vector = embedding.of_question(asked);
    let asked = embedding.asked().zip(before).map(|(embedder, before)| embedder.calls() - before);
    let calls = Calls { embedding: asked.unwrap_or(1), ..Calls::default() };
    match vector {
        Ok(vector) => (vector, calls, None),
        Err(trouble) => (None, calls, Some(trouble)),
    }
}

/// Whether one of the first files that words found has no vectors: beside those that have some it would sink for no reason.
fn lack_vectors(candidates: &Candidates, missing: &[FileId]) -> bool {
    let missing: HashSet<&FileId> = missing.iter().collect();
    let mut by_words: Vec<_> = candidates.files.iter().filter(|file| file.bm25 > 0.0).collect();
    by_words.sort_by(|one, two| two.bm25.total_cmp(&one.bm25));
    by_words.iter().take(FIRST).any(|file| missing.contains(&file.file))
}

/// Whether the question is one word that stands nowhere: what merely sounds like it is no answer, near names are.
fn is_unknown_name(query: &Query, candidates: &Candidates) -> bool {
    query.words.iter().filter(|word| !word.grammar).count() == 1
        && query.korean().is_empty()
        && candidates.rarity.iter().all(|rarity| *rarity == 0.0)
        && candidates.files.iter().all(|file| file.definitions.is_empty())
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

/// Names near to those the query speaks of.
fn near_names(snapshot: &dyn Snapshot, query: &Query) -> Result<Vec<String>> {
    let mut names: Vec<String> = Vec::new();
    for word in query.words.iter().filter(|word| !word.grammar) {
        for name in crate::near::names(snapshot, &word.text)? {
            if names.len() < 5 && !names.contains(&name) {
                names.push(name);
            }
        }
    }
    Ok(names)
}
