//! Asks a [`Provider`] as seldom as possible and as often as needed: batches, a cache, new attempts, and pauses where nothing helps.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use crate::batches::{Piece, batches};
use crate::cache::Key;
use crate::circuit::Circuit;
use crate::{Cache, Provider, Remedy, Side, Trouble, Vector};

/// Whoever has all the time waits for the other side to come back, but not through more pauses in a row than this.
const PAUSES: u32 = 6;

/// A text of fewer tokens is too long for no model.
const SMALL: usize = 128;

/// A text that every model can read, to learn how long its vectors are.
const PROBE: &str = "place";

/// How long and how often to ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// For one call.
    pub timeout: Duration,
    /// Attempts of one call, where time is short.
    pub attempts: u32,
    /// Before the second attempt; it doubles with every further one.
    pub pause: Duration,
    /// At most.
    pub longest_pause: Duration,
    /// How long nobody is asked after three failures in a row.
    pub cooling: Duration,
    /// Calls at the same time.
    pub at_once: usize,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(30),
            attempts: 4,
            pause: Duration::from_millis(500),
            longest_pause: Duration::from_secs(30),
            cooling: Duration::from_secs(5),
            at_once: 2,
        }
    }
}

/// A model that is asked.
pub struct Embedder {
    provider: Box<dyn Provider>,
    cache: Option<Arc<Cache>>,
    patience: Patience,
    circuit: Circuit,
    dims: OnceLock<usize>,
    calls: AtomicUsize,
    answered: AtomicBool,
}

/// What came of asking.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Embedded {
    /// Of length one, in the order of the texts; `None` where there is none yet.
    pub vectors: Vec<Option<Vec<f32>>>,
    /// Why some are missing, if it was not the time.
    pub trouble: Option<Trouble>,
    /// How often the model was asked.
    pub calls: usize,
}

impl Embedder {
    /// Asks `provider`, and remembers in `cache` what it answered.
    pub fn new(provider: Box<dyn Provider>, cache: Option<Arc<Cache>>, patience: Patience) -> Self {
        Self {
            provider,
            cache,
            circuit: Circuit::new(patience.cooling),
            patience,
            dims: OnceLock::new(),
            calls: AtomicUsize::new(0),
            answered: AtomicBool::new(false),
        }
    }

    /// Who is asked.
    pub fn provider(&self) -> &dyn Provider {
        &*self.provider
    }

    /// The length of its vectors, where that is known.
    pub fn dims(&self) -> Option<usize> {
        let known = self.dims.get().copied();
        known.or_else(|| {
            let remembered = || Some(self.cache.as_ref()?.fact(&self.scope())? as usize);
            let known = self.provider.dims().or_else(remembered).filter(|known| *known > 0)?;
            Some(*self.dims.get_or_init(|| known))
        })
    }

    /// Whether it would be asked now.
    pub fn is_available(&self) -> bool {
        self.circuit.is_closed()
    }

    /// Whether it has answered a question of this process.
    pub fn has_answered(&self) -> bool {
        self.answered.load(Ordering::Relaxed)
    }

    /// Whether answers are kept.
    pub fn has_cache(&self) -> bool {
        self.cache.is_some()
    }

    /// How often it was asked.
    pub fn calls(&self) -> usize {
        self.calls.load(Ordering::Relaxed)
    }

    /// The length of its vectors, asked for where it is not known.
    pub fn learn_dims(&self, deadline: Option<Instant>) -> Result<usize, Trouble> {
        if let Some(dims) = self.dims() {
            return Ok(dims);
        }
        let answer = self.ask(&[PROBE], Side::Document, deadline)?;
        let dims = answer.first().map_or(0, Vec::len);
        if let Some(cache) = &self.cache {
            cache.remember(&self.scope(), dims as u64);
        }
        Ok(*self.dims.get_or_init(|| dims))
    }

    /// Those of `texts` that it would have to be asked for, each once.
    pub fn unknown<'a>(&self, texts: &[&'a str], side: Side) -> Vec<&'a str> {
        let mut seen = HashSet::new();
        let mut texts: Vec<&str> = texts.iter().copied().filter(|text| seen.insert(*text)).collect();
        if let Some(dims) = self.dims() {
            let keys: Vec<Key> = texts.iter().map(|text| self.key(text, side, dims)).collect();
            let mut known = self.cached(&keys, dims).into_iter();
            texts.retain(|_| known.next().flatten().is_none());
        }
        texts
    }

    /// A vector for each text, until `deadline`. Where there is none, failures are waited out for some minutes. `done` hears of
    /// every text that has its vector. Equal texts are asked for once.
    pub fn embed(
        &self,
        texts: &[&str],
        side: Side,
        deadline: Option<Instant>,
        done: &(dyn Fn(usize) + Sync),
    ) -> Embedded {
        let before = self.calls();
        let dims = match self.learn_dims(deadline) {
            Ok(dims) => dims,
            Err(trouble) => {
                let vectors = vec![None; texts.len()];
                return Embedded { vectors, trouble: Some(trouble), calls: self.calls() - before };
            }
        };
        let keys: Vec<Key> = texts.iter().map(|text| self.key(text, side, dims)).collect();
        let mut vectors = self.cached(&keys, dims);
        done(vectors.iter().flatten().count());
        let mut places: HashMap<&Key, Vec<usize>> = HashMap::new();
        for (at, key) in keys.iter().enumerate().filter(|(at, _)| vectors[*at].is_none()) {
            places.entry(key).or_default().push(at);
        }
        let limits = self.provider.limits();
        // One of each, in the order they came.
        let firsts =
            (0..texts.len()).filter(|at| places.get(&keys[*at]).is_some_and(|places| places[0] == *at));
        let pieces = firsts.map(|at| Piece::new(at, texts[at], &limits));
        let work = Work {
            queue: Mutex::new(batches(pieces, &limits).into()),
            keys: &keys,
            dims,
            side,
            deadline,
            state: Mutex::new((Vec::new(), None)),
        };
        let took = |answers: &[Answer]| done(answers.iter().map(|(at, _)| places[&keys[*at]].len()).sum());
        let threads = self.patience.at_once.clamp(1, work.queue().len().max(1));
        std::thread::scope(|scope| {
            for _ in 1..threads {
                scope.spawn(|| self.work(&work, &took));
            }
            self.work(&work, &took);
        });
        let (answers, trouble) = work.state.into_inner().expect("no worker panics");
        for (at, vector) in answers {
            for place in &places[&keys[at]] {
                vectors[*place] = Some(vector.clone());
            }
        }
        Embedded { vectors, trouble, calls: self.calls() - before }
    }

    /// Takes batch after batch, until there is none, or no use.
    fn work(&self, work: &Work<'_>, took: &(dyn Fn(&[Answer]) + Sync)) {
        while let Some(mut batch) = work.next() {
            // Another process may have asked meanwhile.
            let known = work.known(self, &batch);
            batch.retain(|piece| known.iter().all(|(at, _)| *at != piece.at));
            took(&known);
            work.take(known);
            if batch.is_empty() {
                continue;
            }
            let texts: Vec<&str> = batch.iter().map(|piece| piece.text).collect();
            match self.ask(&texts, work.side, work.deadline) {
                Ok(vectors) => {
                    let answers: Vec<_> = batch.iter().map(|piece| piece.at).zip(vectors).collect();
                    self.keep(work.keys, &answers);
                    took(&answers);
                    work.take(answers);
                }
                // Where not even a small text is small enough, it is not the size.
                Err(trouble)
                    if trouble.remedy == Remedy::Less && (self.has_answered() || !is_small(&batch)) =>
                {
                    match smaller(&batch) {
                        Some(parts) => work.queue().extend(parts),
                        None => work.note(trouble),
                    }
                }
                Err(trouble) => {
                    work.queue().clear();
                    work.note(trouble);
                }
            }
        }
    }

    /// One call, with as many attempts as there is time and sense for.
    fn ask(&self, texts: &[&str], side: Side, deadline: Option<Instant>) -> Result<Vec<Vec<f32>>, Trouble> {
        let mut attempt = 0;
        loop {
            let admitted = match self.circuit.admit() {
                Ok(admitted) => admitted,
                Err((pause, trouble)) => {
                    // Who never answered is not waited for: it is more likely that something is set wrong.
                    let hopeless = trouble.remedy == Remedy::Change
                        || !self.has_answered()
                        || self.circuit.openings() > PAUSES;
                    if hopeless || deadline.is_some() {
                        return Err(trouble);
                    }
                    std::thread::sleep(pause);
                    continue;
                }
            };
            let rest = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            if rest.is_some_and(|rest| rest.is_zero()) {
                return Err(out_of_time());
            }
            self.calls.fetch_add(1, Ordering::Relaxed);
            let timeout = self.patience.timeout.min(rest.unwrap_or(Duration::MAX));
            let answer = self.provider.embed_batch(texts, side, timeout);
            let trouble = match answer.and_then(|answer| self.checked(answer, texts.len())) {
                Ok(vectors) => {
                    self.answered.store(true, Ordering::Relaxed);
                    admitted.succeeded();
                    return Ok(vectors);
                }
                Err(trouble) => trouble,
            };
            // A batch that is too large was read, and our own deadline is no failure of the other side.
            let ours = deadline.is_some_and(|deadline| deadline <= Instant::now());
            if trouble.remedy == Remedy::Less {
                admitted.succeeded();
                return Err(trouble);
            }
            if ours && matches!(trouble.remedy, Remedy::Retry(_)) {
                return Err(trouble);
            }
            admitted.failed(&trouble);
            attempt += 1;
            let Remedy::Retry(wished) = trouble.remedy else { return Err(trouble) };
            let pause = wished.unwrap_or_else(|| self.pause(attempt)).min(self.patience.longest_pause);
            let in_time = deadline.is_none_or(|deadline| Instant::now() + pause < deadline);
            if !in_time || (deadline.is_some() && attempt >= self.patience.attempts) {
                return Err(trouble);
            }
            std::thread::sleep(pause);
        }
    }

    /// Twice as long each time, and never quite the same: those who failed together should not come back together.
    fn pause(&self, attempt: u32) -> Duration {
        let whole = self.patience.pause.saturating_mul(2_u32.saturating_pow(attempt - 1));
        whole.min(self.patience.longest_pause).mul_f64(0.5 + 0.5 * fastrand::f64())
    }

    /// Whether these can be vectors of that many texts; brings them to length one.
    fn checked(&self, vectors: Vec<Vec<f32>>, texts: usize) -> Result<Vec<Vec<f32>>, Trouble> {
        let provider = self.provider.name();
        if vectors.len() != texts {
            let message = format!("{provider} answered {texts} texts with {} vectors", vectors.len());
            return Err(Trouble::passing(message));
        }
        let expected = self.dims().or_else(|| vectors.first().map(Vec::len)).unwrap_or_default();
        if let Some(other) = vectors.iter().find(|vector| vector.len() != expected || vector.is_empty()) {
            // What was remembered of it does not hold any more.
            if let Some(cache) = self.cache.as_ref().filter(|_| self.provider.dims().is_none()) {
                cache.remember(&self.scope(), 0);
            }
            let message = format!(
                "{provider} gives vectors of {} elements where {expected} are expected of `{}`",
                other.len(),
                self.provider.model()
            );
            return Err(Trouble::lasting(
                message,
                "set JARI_EMBEDDING_DIMS to what the model gives, or unset it and try again",
            ));
        }
        // Numbers whose squares cannot be added up have no direction, and neither have zeros.
        let square = |vector: &Vec<f32>| vector.iter().map(|element| element * element).sum::<f32>();
        if vectors.iter().map(square).any(|square| !square.is_normal()) {
            return Err(Trouble::passing(format!("{provider} answered with numbers that are no vector")));
        }
        Ok(vectors.into_iter().map(|vector| Vector::normalised(vector).into_inner()).collect())
    }

    /// Whose answers these are.
    fn scope(&self) -> String {
        let (name, model) = (self.provider.name(), self.provider.model());
        match self.provider.destination().filter(|_| self.provider.fingerprint() != 0) {
            Some(place) => format!("{name} {model} at {place}"),
            None => format!("{name} {model}"),
        }
    }

    fn key(&self, text: &str, side: Side, dims: usize) -> Key {
        let Self { provider, .. } = self;
        let side = if side == Side::Question { "question" } else { "document" };
        let fingerprint = provider.fingerprint();
        Cache::key(&[provider.name(), provider.model(), &format!("{dims} {fingerprint:x}"), side, text])
    }

    fn cached(&self, keys: &[Key], dims: usize) -> Vec<Option<Vec<f32>>> {
        let Some(cache) = &self.cache else { return vec![None; keys.len()] };
        let vector = |bytes: Vec<u8>| {
            let elements: Vec<f32> =
                bytes.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
            (elements.len() == dims && elements.iter().all(|element| element.is_finite())).then_some(elements)
        };
        cache.get(keys).into_iter().map(|bytes| bytes.and_then(vector)).collect()
    }

    fn keep(&self, keys: &[Key], answers: &[Answer]) {
        let Some(cache) = &self.cache else { return };
        let bytes = |vector: &[f32]| vector.iter().flat_map(|element| element.to_le_bytes()).collect();
        let rows: Vec<(Key, Vec<u8>)> =
            answers.iter().map(|(at, vector)| (keys[*at], bytes(vector))).collect();
        // What is not kept is asked for again.
        let _ = cache.put(&self.scope(), &rows);
    }
}

/// The place of a text among all, and its vector.
type Answer = (usize, Vec<f32>);

/// Batches on their way.
struct Work<'a> {
    queue: Mutex<VecDeque<Vec<Piece<'a>>>>,
    /// Of all texts.
    keys: &'a [Key],
    dims: usize,
    side: Side,
    deadline: Option<Instant>,
    /// Answers so far, by the place of their text, and what went wrong.
    state: Mutex<(Vec<Answer>, Option<Trouble>)>,
}

impl<'a> Work<'a> {
    fn queue(&self) -> std::sync::MutexGuard<'_, VecDeque<Vec<Piece<'a>>>> {
        self.queue.lock().expect("no worker panics")
    }

    fn take(&self, answers: Vec<Answer>) {
        self.state.lock().expect("no worker panics").0.extend(answers);
    }

    fn note(&self, trouble: Trouble) {
        self.state.lock().expect("no worker panics").1 = Some(trouble);
    }

    /// What the cache has learned since, of a batch.
    fn known(&self, embedder: &Embedder, batch: &[Piece<'_>]) -> Vec<Answer> {
        let keys: Vec<Key> = batch.iter().map(|piece| self.keys[piece.at]).collect();
        let cached = embedder.cached(&keys, self.dims);
        batch.iter().zip(cached).filter_map(|(piece, vector)| Some((piece.at, vector?))).collect()
    }

    fn next(&self) -> Option<Vec<Piece<'a>>> {
        let in_time = self.deadline.is_none_or(|deadline| Instant::now() < deadline);
        if in_time { self.queue().pop_front() } else { None }
    }
}

/// Whether a batch is one text that is too long for no model.
fn is_small(batch: &[Piece<'_>]) -> bool {
    matches!(batch, [piece] if piece.tokens < SMALL)
}

/// A batch that was too large, in two; a single text, cut in half.
fn smaller<'a>(batch: &[Piece<'a>]) -> Option<Vec<Vec<Piece<'a>>>> {
    match batch {
        [] => None,
        [piece] => Some(vec![vec![piece.half()?]]),
        batch => {
            let (one, two) = batch.split_at(batch.len() / 2);
            Some(vec![one.to_vec(), two.to_vec()])
        }
    }
}

fn out_of_time() -> Trouble {
    Trouble::passing("time was up before the model answered")
}
