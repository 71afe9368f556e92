//! Ranking beats counting which words are present, on real files: this repository's own.
//!
//! With `JARI_EVAL_QUERIES` (a file of questions) and `JARI_EVAL_CORPUS` (a folder of repositories) the same comparison
//! is made on an evaluation set; `docs/evaluation.md` has the figures.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use jari_engine::search::{SearchRequest, search};
use jari_engine::{Project, ingest};
use jari_source::Limits;
use jari_store::{MemoryStore, Snapshot, Store};
use jari_store_local::{LocalStore, Options};
use jari_text::{Query, Tokenizer};

/// A question and the files that answer it.
struct Question {
    text: String,
    answers: Vec<String>,
}

#[test]
fn ranking_beats_counting_present_words_on_this_repository() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .and_then(Path::parent)
        .expect("crates/jari-engine")
        .to_owned();
    let ask = |text: &str, answer: &str| Question { text: text.to_owned(), answers: vec![answer.to_owned()] };
    let questions = [
        ask("how are identifiers split at camel case and digits", "crates/jari-text/src/identifier.rs"),
        ask("strip Korean particles from a word", "crates/jari-text/src/hangul.rs"),
        ask("where are secrets and binaries told by their file name", "crates/jari-source/src/names.rs"),
        ask("decode files in the CP949 encoding", "crates/jari-source/src/decode.rs"),
        ask("walk a project with ignore rules", "crates/jari-source/src/walk.rs"),
        ask("only one writer at a time over all processes", "crates/jari-store-local/src/lock.rs"),
        ask("what lines make a chunk too large to keep whole", "crates/jari-chunk/src/layout.rs"),
        ask("which language is a file written in", "crates/jari-chunk/src/detect.rs"),
        ask("factor for tests, documents and vendored code", "crates/jari-rank/src/role.rs"),
        ask("names that look like one that was not found", "crates/jari-engine/src/near.rs"),
        ask("settings from the environment and from jari.toml", "crates/jari/src/settings.rs"),
        ask("progress bar on a terminal", "crates/jari/src/progress.rs"),
    ];
    let store = MemoryStore::new(jari_text::fold_name);
    let project = Project {
        root,
        limits: Limits::default(),
        documents: Default::default(),
        embedding: None,
        reranker: None,
        translator: None,
        max_grams: 6000,
    };
    let (snapshot, _) = ingest::update(&project, &store, &|_| {}).expect("the repository is indexed");
    let (ranked, counted) = hits_at_5(&project, &*snapshot, &questions);
    assert!(ranked > counted, "ranked {ranked}, counted {counted} of {}", questions.len());
    assert!(ranked >= 10, "{ranked} of {}", questions.len());
}

#[test]
fn ranking_beats_counting_present_words_on_an_evaluation_set() {
    let variable = |name| std::env::var_os(name).map(PathBuf::from);
    let (Some(queries), Some(corpus)) = (variable("JARI_EVAL_QUERIES"), variable("JARI_EVAL_CORPUS")) else {
        return report("not run: JARI_EVAL_QUERIES and JARI_EVAL_CORPUS are not set");
    };
    let mut repositories: BTreeMap<(String, String), Vec<Question>> = BTreeMap::new();
    for line in std::fs::read_to_string(queries).expect("the questions").lines() {
        let row: serde_json::Value = serde_json::from_str(line).expect("one object a line");
        let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
        let targets = row["targets"].as_array().into_iter().flatten();
        let answers = targets.filter_map(|target| Some(target["path"].as_str()?.to_owned())).collect();
        repositories
            .entry((text("repo"), text("root")))
            .or_default()
            .push(Question { text: text("query"), answers });
    }
    let (mut ranked, mut counted, mut asked) = (0, 0, 0);
    for ((repository, root), questions) in &repositories {
        let project = Project {
            root: corpus.join(repository).join(root),
            limits: Limits::default(),
            documents: Default::default(),
            embedding: None,
            reranker: None,
            translator: None,
            max_grams: 6000,
        };
        let index = tempfile::tempdir().expect("a folder for the index");
        let fingerprint = project.fingerprint();
        let options = Options {
            fingerprint: &fingerprint,
            fold: jari_text::fold_name,
            vectors: None,
            memory: 512 << 20,
        };
        let (store, _) = LocalStore::open(index.path(), options).expect("a new index");
        let (snapshot, _) = ingest::update(&project, &store as &dyn Store, &|_| {}).expect("it is indexed");
        let (of_ranking, of_counting) = hits_at_5(&project, &*snapshot, questions);
        ranked += of_ranking;
        counted += of_counting;
        asked += questions.len();
    }
    report(&format!("hit@5 of {asked}: ranked {ranked}, counted {counted}"));
    assert!(ranked > counted);
}

/// For how many questions an answer is among the first five: by ranking, and by counting which words are present.
fn hits_at_5(project: &Project, snapshot: &dyn Snapshot, questions: &[Question]) -> (usize, usize) {
    let mut words_of: Vec<(String, HashSet<String>)> = Vec::new();
    let mut tokenizer = Tokenizer::default();
    for record in snapshot.files().expect("files are known").iter().filter(|record| record.skip.is_none()) {
        let text = snapshot.text(record.id).expect("the store answers").unwrap_or_default();
        words_of.push((record.path.clone(), tokenizer.lines(&text).lines().map(str::to_owned).collect()));
    }
    let is_answer = |path: &str, question: &Question| {
        question.answers.iter().any(|answer| answer == path || answer.ends_with(&format!("/{path}")))
    };
    let (mut ranked, mut counted) = (0, 0);
    for question in questions {
        // The questions stand in this very file.
        let others = |path: &&str| !path.ends_with("tests/ranking.rs");
        let response =
            search(project, snapshot, &SearchRequest::new(question.text.as_str())).expect("an answer");
        let mut paths: Vec<&str> = response.hits.iter().map(|hit| hit.path.as_str()).filter(others).collect();
        paths.dedup();
        ranked += usize::from(paths.iter().take(5).any(|path| is_answer(path, question)));

        let query = Query::new(&question.text);
        let present =
            |words: &HashSet<String>| query.terms.iter().filter(|term| words.contains(*term)).count();
        let mut by_count: Vec<(usize, &str)> =
            words_of.iter().map(|(path, words)| (present(words), path.as_str())).collect();
        by_count.retain(|(_, path)| others(path));
        by_count.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(b.1)));
        counted += usize::from(by_count.iter().take(5).any(|(_, path)| is_answer(path, question)));
    }
    (ranked, counted)
}

fn report(line: &str) {
    eprintln!("{line}");
}
