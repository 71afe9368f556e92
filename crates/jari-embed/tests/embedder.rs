//! Asking a model: as seldom as possible, as often as needed, and never without end.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use jari_embed::{Cache, Embedded, Embedder, Limits, Patience, Provider, Remedy, Side, Trouble};

/// A model whose answers a test decides, call by call.
struct Scripted<F> {
    answer: F,
    calls: AtomicUsize,
    limits: Limits,
}

impl<F> Scripted<F>
where
    F: Fn(usize, &[&str]) -> Result<Vec<Vec<f32>>, Trouble> + Send + Sync,
{
    fn new(answer: F) -> Self {
        let limits = Limits { batch: 96, batch_tokens: 100_000, text_tokens: 8_000 };
        Self { answer, calls: AtomicUsize::new(0), limits }
    }

    fn asked(self, cache: Option<Arc<Cache>>) -> Embedder
    where
        F: 'static,
    {
        Embedder::new(Box::new(self), cache, QUICK)
    }
}

impl<F> Provider for Scripted<F>
where
    F: Fn(usize, &[&str]) -> Result<Vec<Vec<f32>>, Trouble> + Send + Sync,
{
    fn name(&self) -> &str {
        "scripted"
    }

    fn model(&self) -> &str {
        "m"
    }

    fn dims(&self) -> Option<usize> {
        Some(2)
    }

    fn destination(&self) -> Option<&str> {
        None
    }

    fn limits(&self) -> Limits {
        self.limits
    }

    fn embed_batch(&self, texts: &[&str], _: Side, _: Duration) -> Result<Vec<Vec<f32>>, Trouble> {
        (self.answer)(self.calls.fetch_add(1, Ordering::SeqCst), texts)
    }
}

/// The pauses of a test.
const QUICK: Patience = Patience {
    timeout: Duration::from_secs(1),
    attempts: 3,
    pause: Duration::from_millis(1),
    longest_pause: Duration::from_millis(2),
    cooling: Duration::from_millis(2),
    at_once: 2,
};

/// A vector that tells its text.
fn vector(text: &str) -> Vec<f32> {
    let angle = text.bytes().fold(7_u32, |sum, byte| sum.wrapping_mul(31).wrapping_add(u32::from(byte)));
    let angle = f64::from(angle) / f64::from(u32::MAX) * 6.0;
    vec![angle.cos() as f32, angle.sin() as f32]
}

fn vectors(texts: &[&str]) -> Vec<Vec<f32>> {
    texts.iter().map(|text| vector(text)).collect()
}

fn all(embedder: &Embedder, texts: &[&str]) -> Embedded {
    embedder.embed(texts, Side::Document, None, &|_| {})
}

fn is_vector_of(text: &str, found: Option<&Vec<f32>>) -> bool {
    found.is_some_and(|found| found.iter().zip(vector(text)).all(|(one, two)| (one - two).abs() < 1e-6))
}

#[test]
fn ten_thousand_chunks_survive_a_model_that_fails_every_fifth_call() {
    let texts: Vec<String> = (0..10_000).map(|number| format!("chunk {number}")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    // Failures as a fair die would throw them, the same in every run.
    let dice = Mutex::new(fastrand::Rng::with_seed(20));
    let embedded_by_model: Arc<Mutex<HashMap<String, usize>>> = Arc::default();
    let seen = embedded_by_model.clone();
    let embedder = Scripted::new(move |_, texts: &[&str]| {
        if dice.lock().expect("no holder panics").f64() < 0.2 {
            return Err(Trouble::passing("busy"));
        }
        let mut seen = seen.lock().expect("no holder panics");
        texts.iter().for_each(|text| *seen.entry((*text).to_owned()).or_default() += 1);
        Ok(vectors(texts))
    })
    .asked(None);
    let counted = AtomicUsize::new(0);
    let embedded = embedder.embed(&texts, Side::Document, None, &|more| {
        counted.fetch_add(more, Ordering::Relaxed);
    });
    assert_eq!((embedded.trouble, counted.into_inner()), (None, 10_000));
    assert!(texts.iter().zip(&embedded.vectors).all(|(text, found)| is_vector_of(text, found.as_ref())));
    let seen = embedded_by_model.lock().expect("no holder panics");
    assert_eq!(seen.len(), 10_000);
    assert!(seen.values().all(|times| *times == 1), "each exactly once");
    let least = 10_000_usize.div_ceil(96);
    assert!(embedded.calls * 10 <= least * 14, "{} calls, {least} at least", embedded.calls);
}

#[test]
fn what_was_asked_once_is_not_asked_again_by_another_process() {
    let folder = tempfile::tempdir().expect("a folder");
    let open = || Arc::new(Cache::open(&folder.path().join("answers.db"), 1 << 20).expect("a file"));
    let texts = ["one", "two", "one"];
    let first = all(&Scripted::new(|_, texts: &[&str]| Ok(vectors(texts))).asked(Some(open())), &texts);
    assert_eq!((first.calls, first.trouble), (1, None));
    let silent = Scripted::new(|_, _: &[&str]| Err(Trouble::passing("nobody is there"))).asked(Some(open()));
    let second = all(&silent, &texts);
    assert_eq!((second.calls, second.trouble), (0, None));
    assert_eq!(first.vectors, second.vectors);
    assert!(is_vector_of("two", second.vectors[1].as_ref()));
    // A question is not a document.
    let question =
        silent.embed(&["one"], Side::Question, Some(Instant::now() + Duration::from_millis(50)), &|_| {});
    assert_eq!(question.vectors, [None]);
}

#[test]
fn three_failures_in_a_row_end_the_asking_and_time_brings_it_back() {
    let patience = Patience { cooling: Duration::from_millis(60), ..QUICK };
    let answers =
        |call, texts: &[&str]| if call < 3 { Err(Trouble::passing("down")) } else { Ok(vectors(texts)) };
    let embedder = Embedder::new(Box::new(Scripted::new(answers)), None, patience);
    let soon = || Some(Instant::now() + Duration::from_secs(5));
    let failed = embedder.embed(&["a"], Side::Question, soon(), &|_| {});
    assert_eq!((failed.calls, embedder.is_available()), (3, false));
    let refused = embedder.embed(&["a"], Side::Question, soon(), &|_| {});
    assert_eq!((refused.calls, refused.trouble.map(|trouble| trouble.remedy)), (0, Some(Remedy::Wait)));
    std::thread::sleep(Duration::from_millis(70));
    assert!(embedder.is_available(), "it may be tried again");
    let tried = embedder.embed(&["a"], Side::Question, soon(), &|_| {});
    assert_eq!((tried.calls, tried.trouble), (1, None));
}

#[test]
fn a_refused_key_is_one_call_and_one_message() {
    let refused = || Trouble::lasting("the key was refused", "check it");
    let embedder = Scripted::new(move |_, _: &[&str]| Err(refused())).asked(None);
    let texts: Vec<String> = (0..500).map(|number| format!("chunk {number}")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let embedded = all(&embedder, &texts);
    assert!(embedded.calls <= 2, "{} calls: one for each that runs at the same time", embedded.calls);
    assert_eq!(embedded.trouble, Some(refused()));
}

#[test]
fn somebody_who_never_comes_back_is_given_up() {
    let embedder = Scripted::new(|_, _: &[&str]| Err(Trouble::passing("down"))).asked(None);
    let embedded = all(&embedder, &["a", "b"]);
    assert_eq!(
        (embedded.vectors, embedded.trouble.map(|trouble| trouble.message)),
        (vec![None, None], Some("down".to_owned()))
    );
    assert!(embedded.calls < 20, "{}", embedded.calls);
}

#[test]
fn a_batch_that_is_too_large_is_halved_and_a_text_that_is_too_long_is_cut() {
    let answer = |_, texts: &[&str]| {
        if texts.len() > 4 || texts.iter().any(|text| text.len() > 100) {
            return Err(Trouble { remedy: Remedy::Less, ..Trouble::passing("too much") });
        }
        Ok(vectors(texts))
    };
    let long = "long ".repeat(60);
    let mut texts = vec!["a", "b", "c", "d", "e", "f", "g"];
    texts.push(&long);
    let embedded = all(&Scripted::new(answer).asked(None), &texts);
    assert_eq!((embedded.trouble, embedded.vectors.iter().flatten().count()), (None, 8));
    assert!(is_vector_of("g", embedded.vectors[6].as_ref()));
}

#[test]
fn answers_that_are_none_are_not_believed() {
    type Answer = fn(&[&str]) -> Vec<Vec<f32>>;
    let table: [(&str, Answer, &str); 6] = [
        ("too few", |_| vec![], "answered 1 texts with 0 vectors"),
        ("too short", |_| vec![vec![1.0]], "vectors of 1 elements where 2 are expected of `m`"),
        ("no numbers", |_| vec![vec![f32::NAN, 1.0]], "numbers that are no vector"),
        ("endless", |_| vec![vec![f32::INFINITY, 1.0]], "numbers that are no vector"),
        ("too large", |_| vec![vec![3e38, 1.0]], "numbers that are no vector"),
        ("zeros", |_| vec![vec![0.0, 0.0]], "numbers that are no vector"),
    ];
    for (name, answer, said) in table {
        let embedder = Scripted::new(move |_, texts: &[&str]| Ok(answer(texts))).asked(None);
        let deadline = Some(Instant::now() + Duration::from_secs(1));
        let embedded = embedder.embed(&["a"], Side::Document, deadline, &|_| {});
        assert_eq!(embedded.vectors, [None], "{name}");
        let message = embedded.trouble.expect(name).message;
        assert!(message.contains(said), "{name}: {message}");
    }
}

#[test]
fn a_deadline_keeps_what_is_done() {
    let slow = |_, texts: &[&str]| {
        std::thread::sleep(Duration::from_millis(30));
        Ok(vectors(texts))
    };
    let scripted =
        Scripted { limits: Limits { batch: 1, batch_tokens: 100, text_tokens: 100 }, ..Scripted::new(slow) };
    let embedder = Embedder::new(Box::new(scripted), None, Patience { at_once: 1, ..QUICK });
    let texts: Vec<String> = (0..50).map(|number| format!("chunk {number}")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let embedded =
        embedder.embed(&texts, Side::Document, Some(Instant::now() + Duration::from_millis(200)), &|_| {});
    let done = embedded.vectors.iter().flatten().count();
    assert!((1..50).contains(&done), "{done}");
    assert_eq!(embedded.trouble, None);
}
