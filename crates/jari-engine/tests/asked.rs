//! A model that is asked: what gets vectors when, and what answers meanwhile.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use jari_base::{Degraded, Mode};
use jari_embed::{Cache, Embedder, Limits, Patience, Provider, Side, Trouble};
use jari_engine::backlog::{self, Spending};
use jari_engine::search::{SearchRequest, SearchResponse, search};
use jari_engine::{Embedding, EmbeddingBudget, Encoder, Project, ingest};
use jari_source::Limits as Files;
use jari_store::{MemoryStore, Snapshot, Store};

/// A model that knows one thing: whether a text speaks of fruit.
#[derive(Default)]
struct Fruit {
    asked: AtomicUsize,
    texts: AtomicUsize,
    down: AtomicBool,
}

struct Shared(Arc<Fruit>);

impl Provider for Shared {
    fn name(&self) -> &str {
        "fruit"
    }

    fn model(&self) -> &str {
        "one"
    }

    fn dims(&self) -> Option<usize> {
        Some(2)
    }

    fn destination(&self) -> Option<&str> {
        Some("orchard")
    }

    fn limits(&self) -> Limits {
        Limits { batch: 4, batch_tokens: 10_000, text_tokens: 1_000 }
    }

    fn embed_batch(&self, texts: &[&str], _: Side, _: Duration) -> Result<Vec<Vec<f32>>, Trouble> {
        let Fruit { asked, texts: read, down } = &*self.0;
        asked.fetch_add(1, Ordering::SeqCst);
        if down.load(Ordering::SeqCst) {
            return Err(Trouble::lasting("the orchard is closed", "come back in spring"));
        }
        read.fetch_add(texts.len(), Ordering::SeqCst);
        let fruit = |text: &&str| ["apple", "pear", "fruit"].iter().any(|word| text.contains(word));
        Ok(texts.iter().map(|text| if fruit(text) { vec![1.0, 0.1] } else { vec![0.1, 1.0] }).collect())
    }
}

struct Case {
    model: Arc<Fruit>,
    project: Project,
    store: MemoryStore,
    _folder: tempfile::TempDir,
}

fn case(files: &[(String, String)], eager: bool, chunks: usize) -> Case {
    case_with(None, files, eager, chunks)
}

fn case_with(cache: Option<Arc<Cache>>, files: &[(String, String)], eager: bool, chunks: usize) -> Case {
    let folder = tempfile::tempdir().expect("a folder");
    for (path, text) in files {
        std::fs::write(folder.path().join(path), text).expect("a file");
    }
    let model = Arc::new(Fruit::default());
    let embedder =
        Embedder::new(Box::new(Shared(model.clone())), cache, Patience { at_once: 1, ..Patience::default() });
    let budget = EmbeddingBudget { time: Duration::from_secs(5), chunks };
    let project = Project {
        root: folder.path().to_owned(),
        limits: Files::default(),
        documents: Default::default(),
        embedding: Some(Embedding { encoder: Encoder::Asked(Arc::new(embedder)), eager, budget }),
        reranker: None,
        translator: None,
        max_grams: 6000,
    };
    Case { model, project, store: MemoryStore::new(jari_text::fold_name), _folder: folder }
}

/// Files about shops, of which some sell fruit without the word.
fn shops(count: usize) -> Vec<(String, String)> {
    let goods = |number: usize| if number.is_multiple_of(2) { "apple" } else { "screw" };
    (0..count)
        .map(|n| (format!("shop_{n}.py"), format!("def sell_{n}():\n    return '{}'\n", goods(n))))
        .collect()
}

impl Case {
    fn update(&self) -> (Arc<dyn Snapshot>, ingest::Update) {
        ingest::update(&self.project, &self.store, &|_| {}).expect("it is indexed")
    }

    fn ask(&self, question: &str) -> SearchResponse {
        let snapshot = self.store.snapshot().expect("a state");
        search(&self.project, &*snapshot, &SearchRequest::new(question)).expect("an answer")
    }

    /// As a command does: first the files that the question looks at have their vectors, as far as the budget goes.
    fn look(&self, question: &str) -> SearchResponse {
        let snapshot = self.store.snapshot().expect("a state");
        let files =
            backlog::looked_at(&self.project, &*snapshot, &SearchRequest::new(question)).expect("files");
        let budget = self.project.embedding.as_ref().expect("there is one").budget;
        let spending = Spending { deadline: Some(Instant::now() + budget.time), chunks: budget.chunks };
        backlog::embed(&self.project, &self.store, &files, spending, &|_| {}).expect("vectors");
        self.ask(question)
    }

    fn texts(&self) -> usize {
        self.model.texts.load(Ordering::SeqCst)
    }
}

#[test]
fn chunks_are_stored_always_and_vectors_are_made_of_what_somebody_looks_at() {
    let case = case(&shops(60), false, 256);
    case.update();
    assert_eq!(case.texts(), 0, "indexing asks nobody");
    let before = case.ask("sell_4");
    assert_eq!((before.mode, before.degraded), (Mode::Keyword, Some(Degraded::EmbeddingInProgress)));
    let asked = case.texts();
    let response = case.look("sell_4");
    assert_eq!(response.hits[0].path, "shop_4.py");
    assert!(
        case.texts() > asked && case.texts() < asked + 30,
        "{} of 60 were looked at",
        case.texts() - asked
    );
}

#[test]
fn files_that_words_find_have_vectors_before_meaning_counts() {
    let case = case(&shops(6), false, 256);
    case.update();
    let response = case.look("def return sell fruit");
    assert_eq!((response.mode, response.degraded), (Mode::Hybrid, None));
    assert!(response.hits[..3].iter().all(|hit| hit.cosine > 0.9), "fruit first: {:?}", response.hits);
}

#[test]
fn a_budget_that_is_too_small_answers_by_words_and_goes_on_the_next_time() {
    let case = case(&shops(8), false, 3);
    case.update();
    let question = "def return sell";
    let degraded: Vec<_> = (0..3).map(|_| (case.look(question).mode, case.ask(question).degraded)).collect();
    assert_eq!(
        degraded,
        [
            (Mode::Keyword, Some(Degraded::EmbeddingInProgress)),
            (Mode::Keyword, Some(Degraded::EmbeddingInProgress)),
            (Mode::Hybrid, None),
        ]
    );
}

#[test]
fn an_eager_model_is_asked_while_files_are_indexed_and_only_for_what_is_new() {
    let case = case(&shops(10), true, 0);
    case.update();
    assert_eq!(case.texts(), 10);
    std::fs::write(case.project.root.join("shop_3.py"), "def sell_3():\n    return 'pear'\n")
        .expect("written");
    case.update();
    assert_eq!(case.texts(), 11);
    assert_eq!((case.ask("fruit").mode, case.ask("fruit").degraded), (Mode::Hybrid, None));
}

#[test]
fn a_model_that_does_not_answer_costs_its_vectors_and_nothing_else() {
    let case = case(&shops(10), true, 0);
    case.model.down.store(true, Ordering::SeqCst);
    let (snapshot, update) = case.update();
    assert_eq!((snapshot.files().unwrap().totals().indexed, update.added), (10, 10));
    assert_eq!(update.trouble.map(|trouble| trouble.message).as_deref(), Some("the orchard is closed"));
    let response = case.ask("sell_4");
    assert_eq!((response.mode, response.degraded), (Mode::Keyword, Some(Degraded::EmbeddingUnavailable)));
    assert_eq!(response.hits[0].path, "shop_4.py");
    let asked = case.model.asked.load(Ordering::SeqCst);
    assert_eq!(asked, 1, "a lasting trouble is one call");
}

#[test]
fn an_estimate_asks_nobody() {
    let case = case(&shops(10), false, 256);
    let (snapshot, _) = case.update();
    let missing = backlog::missing(&*snapshot).expect("files");
    let estimate = backlog::estimate(&case.project, &*snapshot, &missing).expect("an estimate");
    assert_eq!((estimate.files, estimate.chunks, estimate.asked, case.texts()), (10, 10, 10, 0));
    assert!(estimate.tokens > 50, "{estimate:?}");
}

#[test]
fn what_changed_last_comes_first() {
    let case = case(&shops(3), false, 256);
    let old = std::time::SystemTime::now() - Duration::from_secs(1000);
    for name in ["shop_0.py", "shop_2.py"] {
        let file = std::fs::File::options().append(true).open(case.project.root.join(name)).expect("a file");
        file.set_modified(old).expect("its time is set");
    }
    let (snapshot, _) = case.update();
    let files = snapshot.files().unwrap();
    let first = backlog::missing(&*snapshot).expect("files")[0];
    assert_eq!(files.get(first).map(|record| record.path.as_str()), Some("shop_1.py"));
}

#[test]
fn a_file_with_more_chunks_than_the_budget_has_its_vectors_after_some_questions() {
    let answers = tempfile::tempdir().expect("a folder");
    let cache = Arc::new(Cache::open(&answers.path().join("answers.db"), 1 << 20).expect("a file"));
    let functions = |n: usize| {
        format!(
            "def sell_{n}(shop):\n    first = shop.read({n})\n    second = first + {n}\n    return second * {n}\n\n\n"
        )
    };
    let files = [("long.py".to_owned(), (0..40).map(functions).collect::<String>()), shops(1).remove(0)];
    let case = case_with(Some(cache), &files, false, 1);
    case.update();
    let modes: Vec<Mode> = (0..50).map(|_| case.look("sell shop").mode).collect();
    assert_eq!((modes[0], modes[49]), (Mode::Keyword, Mode::Hybrid), "{modes:?}");
    assert!(case.texts() < 60, "{} texts for about 41 chunks and a question", case.texts());
}
