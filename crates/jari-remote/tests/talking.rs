//! Models that talk: orders that are checked and mended once, translations that keep names.

mod server;

use std::sync::Arc;
use std::time::{Duration, Instant};

use jari_embed::Cache;
use jari_engine::{Opinion, Reranker, Translator};
use jari_remote::{Chat, Endpoint, LlmReranker, LlmTranslator, RerankBudget};
use server::{Reply, Server, said};

const BUDGET: RerankBudget = RerankBudget { tokens: 300, time: Duration::from_millis(500) };

fn chat(server: &Server) -> Arc<Chat> {
    let endpoint = Endpoint::new("test", &format!("{}/v1", server.address), None).expect("an address");
    Arc::new(Chat::new(endpoint, "m"))
}

fn order(said: &[&str]) -> Opinion {
    let answers: Vec<String> = said.iter().map(|&said| said.to_owned()).collect();
    let server = Server::start(move |number, _| match answers.get(number) {
        Some(answer) => Reply::Json(200, server::said(answer)),
        None => Reply::Json(500, serde_json::json!("no more")),
    });
    LlmReranker::new(chat(&server), None, BUDGET)
        .order("where are requests retried", &["one", "two", "three"])
}

#[test]
fn an_order_is_checked_and_mended_once() {
    let outcome = |said: &[&str]| {
        let Opinion { order, calls, trouble } = order(said);
        assert_eq!(order.is_none(), trouble.is_some(), "who cannot tell says why");
        (order, calls)
    };
    assert_eq!(outcome(&["{\"order\": [2, 0, 1]}"]), (Some(vec![2, 0, 1]), 1));
    assert_eq!(outcome(&["The best is 2.", "{\"order\": [2]}"]), (Some(vec![2]), 2));
    assert_eq!(outcome(&["The best is 2.", "{\"order\": [7]}", "{\"order\": [1]}"]), (None, 2));
    assert_eq!(outcome(&[]), (None, 1));
}

#[test]
fn a_model_reads_the_question_and_a_share_of_each_place() {
    let server = Server::start(|_, _| Reply::Json(200, said("{\"order\": [1, 0]}")));
    let long = "retry ".repeat(2_000);
    LlmReranker::new(chat(&server), None, BUDGET).order("where are requests retried", &[&long, "short"]);
    let request = server.asked().remove(0);
    assert_eq!((&*request.path, &request.body["model"]), ("/v1/chat/completions", &"m".into()));
    let read = request.body["messages"][1]["content"].as_str().expect("a text");
    assert!(read.starts_with("Question: where are requests retried\n") && read.contains("short"));
    assert!(read.len() < 2_000, "{} bytes of {}", read.len(), long.len());
}

#[test]
fn the_same_order_is_asked_for_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let cache = Arc::new(Cache::open(&folder.path().join("answers.db"), 1 << 20).expect("a file"));
    let server = Server::start(|_, _| Reply::Json(200, said("{\"order\": [1, 0]}")));
    let reranker = LlmReranker::new(chat(&server), Some(cache), BUDGET);
    let ask = |question: &str| reranker.order(question, &["one", "two"]);
    assert_eq!((ask("a").calls, ask("a").calls, ask("b").calls), (1, 0, 1));
    assert_eq!(ask("a").order, Some(vec![1, 0]));
}

#[test]
fn a_slow_model_costs_its_budget_and_no_more_and_after_three_times_nothing() {
    let server = Server::start(|_, _| Reply::Slow(Duration::from_secs(3), said("{\"order\": [1, 0]}")));
    let budget = RerankBudget { time: Duration::from_millis(100), ..BUDGET };
    let reranker = LlmReranker::new(chat(&server), None, budget);
    let ask = || reranker.order("a", &["one", "two"]).order;
    let began = Instant::now();
    assert_eq!((ask(), ask(), ask()), (None, None, None));
    assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
    assert_eq!(ask(), None);
    assert_eq!(server.asked().len(), 3, "the fourth was not asked");
}

#[test]
fn a_model_that_lets_nobody_choose_its_temperature_is_asked_without() {
    let server = Server::start(|_, request| match request.body.get("temperature") {
        Some(_) => {
            Reply::Json(400, serde_json::json!({"error": {"message": "Unsupported value: 'temperature'"}}))
        }
        None => Reply::Json(200, said("{\"order\": [1, 0]}")),
    });
    assert_eq!(
        LlmReranker::new(chat(&server), None, BUDGET).order("a", &["one", "two"]).order,
        Some(vec![1, 0])
    );
}

#[test]
fn a_translation_keeps_names_or_is_none() {
    let translate = |answer: &'static str| {
        let server = Server::start(move |_, _| Reply::Json(200, said(answer)));
        let translated = LlmTranslator::new(chat(&server), Duration::from_secs(5))
            .english("`HttpClient`는 왜 3번 재시도하나요?");
        let sent = server.asked().remove(0).body["messages"][1]["content"].clone();
        assert_eq!(sent, "[[0]]는 왜 [[1]]번 재시도하나요?");
        assert_eq!(translated.calls, 1);
        translated.text
    };
    assert_eq!(
        translate("why does [[0]] retry [[1]] times?").as_deref(),
        Some("why does `HttpClient` retry 3 times?")
    );
    assert_eq!(translate("why does HttpClient retry [[1]] times?"), None);
}
