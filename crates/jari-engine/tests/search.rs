//! Steps of a search that its surfaces cannot show by themselves: budgets, reranking, diversity.

use std::sync::Arc;
use std::time::Duration;

use jari_base::Degraded;
use jari_engine::search::{Budget, SearchRequest, SearchResponse, Tuning, search};
use jari_engine::{Opinion, Project, Reranker, ingest};
use jari_source::Limits;
use jari_store::MemoryStore;

/// The last first.
#[derive(Debug)]
struct Backwards;

impl Reranker for Backwards {
    fn order(&self, _: &str, texts: &[&str]) -> Opinion {
        Opinion { order: Some((0..texts.len()).rev().collect()), calls: 1, trouble: None }
    }
}

/// One that cannot tell.
#[derive(Debug)]
struct Broken;

impl Reranker for Broken {
    fn order(&self, _: &str, _: &[&str]) -> Opinion {
        Opinion::default()
    }
}

fn asked(
    files: &[(&str, &str)],
    reranker: Option<Arc<dyn Reranker>>,
    request: &SearchRequest,
) -> SearchResponse {
    let folder = tempfile::tempdir().expect("a folder");
    for (path, text) in files {
        std::fs::write(folder.path().join(path), text).expect("a file");
    }
    let project = Project {
        root: folder.path().to_owned(),
        limits: Limits::default(),
        documents: Default::default(),
        embedding: None,
        reranker,
        translator: None,
        max_grams: 6000,
    };
    let store = MemoryStore::new(jari_text::fold_name);
    let (snapshot, _) = ingest::update(&project, &store, &|_| {}).expect("it is indexed");
    search(&project, &*snapshot, request).expect("an answer")
}

fn paths(response: &SearchResponse) -> Vec<&str> {
    response.hits.iter().map(|hit| hit.path.as_str()).collect()
}

const FILES: &[(&str, &str)] = &[
    ("a.rs", "fn retry_request() { retry(); request(); }\n"),
    ("b.rs", "fn retry_later() { wait(); retry_slowly(); }\n"),
    ("c.rs", "fn unrelated() { retry_never(); }\n"),
];

fn without_diversity() -> SearchRequest {
    SearchRequest { diverse: false, ..SearchRequest::new("retry request") }
}

#[test]
fn a_reranker_puts_the_first_in_order_and_a_broken_one_leaves_them() {
    let usual = asked(FILES, None, &without_diversity());
    let turned = asked(FILES, Some(Arc::new(Backwards)), &without_diversity());
    let broken = asked(FILES, Some(Arc::new(Broken)), &without_diversity());
    assert_eq!(
        (paths(&usual), usual.degraded),
        (vec!["a.rs", "b.rs", "c.rs"], Some(Degraded::VectorsUnavailable))
    );
    assert_eq!(paths(&turned), ["c.rs", "b.rs", "a.rs"]);
    assert!(turned.hits.is_sorted_by(|one, two| one.score >= two.score), "scores fall");
    assert_eq!(paths(&broken), paths(&usual));
    let keyword = SearchRequest { mode: jari_base::Mode::Keyword, ..without_diversity() };
    assert_eq!(asked(FILES, Some(Arc::new(Broken)), &keyword).degraded, Some(Degraded::RerankerUnavailable));
}

#[test]
fn a_reranker_sees_no_more_than_the_budget_allows() {
    let budget = Budget { rerank_candidates: 2, ..Budget::default() };
    let request = SearchRequest { tuning: Tuning { budget, ..Tuning::default() }, ..without_diversity() };
    assert_eq!(paths(&asked(FILES, Some(Arc::new(Backwards)), &request)), ["b.rs", "a.rs", "c.rs"]);
}

#[test]
fn when_time_is_up_there_is_an_answer_that_says_so() {
    let budget = Budget { time: Some(Duration::ZERO), ..Budget::default() };
    let request = SearchRequest {
        tuning: Tuning { budget, ..Tuning::default() },
        ..SearchRequest::new("retry request")
    };
    let response = asked(FILES, None, &request);
    assert_eq!(response.degraded, Some(Degraded::TimeBudget));
    assert!(!response.hits.is_empty());
}

#[test]
fn what_repeats_another_makes_room() {
    let same = "retry(); request(); again(); twice(); thrice(); often(); always(); forever(); patiently(); slowly();";
    let long = format!("fn retry_request() {{ {same} more(); }}");
    let nearly = format!("fn retry_request() {{ {same} most(); }}");
    let files = [
        ("a.rs", long.as_str()),
        ("b.rs", nearly.as_str()),
        ("c.rs", "fn retry_request() { wholly(); unlike(); others(); }"),
    ];
    let plain = asked(&files, None, &without_diversity());
    let diverse = asked(&files, None, &SearchRequest { diverse: true, ..without_diversity() });
    assert_eq!(
        (paths(&plain), paths(&diverse)),
        (vec!["a.rs", "b.rs", "c.rs"], vec!["a.rs", "c.rs", "b.rs"])
    );
}

#[test]
fn what_a_document_points_to_in_the_words_of_the_question_goes_before_it() {
    let files = [
        ("guide.md", "# Guide\n\nTo begin, see how to [undo a failed payment](payments.md#refund).\n"),
        ("payments.md", "# Payments\n\nCards and transfers.\n\n## Refund\n\nMoney goes back to the buyer.\n"),
    ];
    let request = |query: &str| SearchRequest { explain: true, ..SearchRequest::new(query) };
    let response = asked(&files, None, &request("undo a failed payment"));
    assert_eq!(paths(&response)[..2], ["payments.md", "guide.md"]);
    assert_eq!(response.hits[0].lines.start, 5, "the section that the link names");
    let explained = format!("{:?}", response.hits[0].explanation);
    assert!(explained.contains("points to it in the words of the question"), "{explained}");

    let other = asked(&files, None, &request("begin the guide"));
    assert_eq!(paths(&other)[0], "guide.md", "the link says something else");
    let only = asked(&files, None, &request("undo a failed payment path:guide.md"));
    assert_eq!(paths(&only), ["guide.md"], "what is not wanted is not pointed to");
}
