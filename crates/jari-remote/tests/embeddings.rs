//! Providers of embeddings: what they are asked, what they answer, and what comes of answers that are none.

mod server;

use std::time::{Duration, Instant};

use expect_test::{Expect, expect};
use jari_embed::{Embedder, Patience, Provider, Remedy, Side, Trouble};
use jari_remote::{Endpoint, Ollama, OpenAi, Voyage};
use serde_json::json;
use server::{DIMS, Reply, Request, Server};

const PATIENCE: Duration = Duration::from_secs(5);

/// A variable that every machine has: its value stands for a key.
const KEY: &str = "PATH";

fn endpoint(server: &Server, path: &str) -> Endpoint {
    Endpoint::new("test", &format!("{}{path}", server.address), Some(KEY)).expect("an address")
}

fn asked(request: &Request, expected: &Expect) {
    let key = std::env::var(KEY).expect("every machine has it");
    let authorization = request.headers["authorization"].replace(key.trim(), "KEY");
    expected.assert_eq(&format!("{} {} {}", request.path, authorization, request.body));
}

#[test]
fn openai_is_asked_in_its_format_and_its_answers_are_put_in_order() {
    let server = Server::embedding();
    let provider = OpenAi::new(endpoint(&server, "/v1/"), OpenAi::MODEL, None);
    let vectors = provider.embed_batch(&["one", "two"], Side::Document, PATIENCE).expect("an answer");
    assert_eq!(vectors, [server::vector("one"), server::vector("two")]);
    asked(
        &server.asked()[0],
        &expect![[
            r#"/v1/embeddings Bearer KEY {"encoding_format":"float","input":["one","two"],"model":"text-embedding-3-small"}"#
        ]],
    );
    let shorter = OpenAi::new(endpoint(&server, "/v1"), OpenAi::MODEL, Some(DIMS));
    shorter.embed_batch(&["one"], Side::Question, PATIENCE).expect("an answer");
    assert_eq!(server.asked()[1].body["dimensions"], DIMS);
    assert_eq!((shorter.model(), shorter.dims()), ("text-embedding-3-small@64", Some(DIMS)));
    assert_eq!((provider.dims(), provider.price()), (Some(1536), None), "a price is OpenAI's own");
}

#[test]
fn voyage_is_told_which_side_a_text_stands_on() {
    let server = Server::embedding();
    let provider = Voyage::new(endpoint(&server, "/v1"), "voyage-3", None);
    provider.embed_batch(&["one"], Side::Question, PATIENCE).expect("an answer");
    provider.embed_batch(&["one"], Side::Document, PATIENCE).expect("an answer");
    asked(
        &server.asked()[0],
        &expect![[
            r#"/v1/embeddings Bearer KEY {"input":["one"],"input_type":"query","model":"voyage-3","truncation":true}"#
        ]],
    );
    assert_eq!(server.asked()[1].body["input_type"], "document");
}

#[test]
fn ollama_gets_the_prefixes_of_its_models() {
    let server = Server::embedding();
    let ask = |model: &str, side| {
        let provider = Ollama::new(endpoint(&server, ""), model, None);
        provider.embed_batch(&["one"], side, PATIENCE).expect("an answer");
        server.asked().last().expect("it was asked").texts().remove(0)
    };
    assert_eq!(ask(Ollama::MODEL, Side::Question), "search_query: one");
    assert_eq!(ask("nomic-embed-text:v1.5", Side::Document), "search_document: one");
    assert_eq!(ask("jeffh/intfloat-multilingual-e5-large:f16", Side::Document), "passage: one");
    assert_eq!(ask("all-minilm", Side::Question), "one");
    asked(
        &server.asked()[0],
        &expect![[
            r#"/api/embed Bearer KEY {"input":["search_query: one"],"model":"nomic-embed-text","truncate":true}"#
        ]],
    );
}

fn trouble(reply: impl Fn() -> Reply + Send + Sync + 'static) -> Trouble {
    let server = Server::start(move |_, _| reply());
    let provider = OpenAi::new(endpoint(&server, "/v1"), "m", None);
    let trouble =
        provider.embed_batch(&["one"], Side::Document, Duration::from_millis(400)).expect_err("no answer");
    let message = trouble.message.replace(server.address.trim_start_matches("http://"), "HOST");
    Trouble { message, ..trouble }
}

#[test]
fn every_refusal_says_what_helps() {
    let key = std::env::var(KEY).expect("every machine has it");
    let table: Vec<(Reply, Remedy, &str)> = vec![
        (
            Reply::Json(
                401,
                json!({"error": {"message": format!("Incorrect API key provided: {key}."), "code": "invalid_api_key"}}),
            ),
            Remedy::Change,
            "test at HOST refused with status 401: Incorrect API key provided: …. (invalid_api_key)",
        ),
        (
            Reply::Json(404, json!({"error": {"message": "The model `m` does not exist"}})),
            Remedy::Change,
            "test at HOST refused with status 404: The model `m` does not exist",
        ),
        (
            Reply::Headed(429, "retry-after", "7", json!({"error": {"message": "Rate limit reached"}})),
            Remedy::Retry(Some(Duration::from_secs(7))),
            "test at HOST refused with status 429: Rate limit reached",
        ),
        (
            Reply::Json(
                429,
                json!({"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}}),
            ),
            Remedy::Change,
            "test at HOST refused with status 429: You exceeded your current quota (insufficient_quota)",
        ),
        (Reply::Json(500, json!("oops")), Remedy::Retry(None), "test at HOST refused with status 500: oops"),
        (
            Reply::Json(503, json!({"detail": "loading"})),
            Remedy::Retry(None),
            "test at HOST refused with status 503: loading",
        ),
        (
            Reply::Json(
                400,
                json!({"error": {"message": "This model's maximum context length is 8192 tokens"}}),
            ),
            Remedy::Less,
            "test at HOST refused with status 400: This model's maximum context length is 8192 tokens",
        ),
        (Reply::Json(413, json!({})), Remedy::Less, "test at HOST refused with status 413: {}"),
        (
            Reply::Json(400, json!({"error": "bad input"})),
            Remedy::Change,
            "test at HOST refused with status 400: bad input",
        ),
        (
            Reply::Headed(302, "location", "http://elsewhere.invalid/", json!({})),
            Remedy::Change,
            "test at HOST refused with status 302: {}",
        ),
        (
            Reply::Json(
                500,
                json!({"error": {"message": "input is too large to process. increase the physical batch size"}}),
            ),
            Remedy::Less,
            "test at HOST refused with status 500: input is too large to process. increase the physical batch size",
        ),
        (
            Reply::Json(400, json!({"error": {"message": "dimensions must not exceed the maximum of 1024"}})),
            Remedy::Change,
            "test at HOST refused with status 400: dimensions must not exceed the maximum of 1024",
        ),
        (
            Reply::Json(200, json!({"data": format!("your key {key} is wrong")})),
            Remedy::Retry(None),
            "test at HOST answered with what is no answer: invalid type: string \"your key … is wrong\", expected a sequence at line 1 column",
        ),
        (
            Reply::Json(200, json!({"error": "no model is loaded"})),
            Remedy::Retry(None),
            "test at HOST answered with what is no answer: no model is loaded",
        ),
        (
            Reply::Json(200, json!({"data": [{"index": 1, "embedding": [1.0]}]})),
            Remedy::Retry(None),
            "the numbers of the answers are not those of the questions",
        ),
        (
            Reply::Json(200, json!({"odd": true})),
            Remedy::Retry(None),
            "test at HOST answered with what is no answer: missing field `data` at line 1 column 12",
        ),
    ];
    for (reply, remedy, message) in table {
        let reply = std::sync::Mutex::new(Some(reply));
        let trouble =
            trouble(move || reply.lock().expect("no holder panics").take().expect("it is asked once"));
        assert_eq!(trouble.remedy, remedy, "{message}");
        assert!(trouble.message.starts_with(message), "{}\n{message}", trouble.message);
        assert!(!format!("{trouble:?}").contains(&key), "no key in a message");
        assert!(remedy != Remedy::Change || trouble.hint.is_some(), "{message}");
    }
}

#[test]
fn slow_broken_and_missing_answers_may_pass() {
    let slow = trouble(|| Reply::Slow(Duration::from_secs(2), json!({"data": []})));
    assert_eq!(slow.remedy, Remedy::Retry(None));
    assert!(slow.message.contains("timeout"), "{slow:?}");
    let half = trouble(|| Reply::Half(json!({"data": [{"index": 0, "embedding": [1.0, 2.0]}]})));
    assert_eq!(half.remedy, Remedy::Retry(None), "{half:?}");
    let gone = trouble(|| Reply::Hangup);
    assert_eq!(gone.remedy, Remedy::Retry(None), "{gone:?}");
    let nobody = Endpoint::new("test", "http://127.0.0.1:1", None).expect("an address");
    let nobody = OpenAi::new(nobody, "m", None)
        .embed_batch(&["one"], Side::Document, PATIENCE)
        .expect_err("nobody is there");
    assert_eq!(nobody.hint.as_deref(), Some("is it running, and is its address right?"), "{nobody:?}");
}

#[test]
fn vectors_of_another_length_and_numbers_that_are_none_are_refused() {
    let ask = |element: serde_json::Value| {
        let server = Server::start(move |_, _| {
            Reply::Json(200, json!({"data": [{"index": 0, "embedding": [1.0, element]}]}))
        });
        let provider = OpenAi::new(endpoint(&server, "/v1"), "m", Some(3));
        let quick = Patience {
            pause: Duration::from_millis(1),
            longest_pause: Duration::from_millis(1),
            ..Patience::default()
        };
        let embedder = Embedder::new(Box::new(provider), None, quick);
        let deadline = Some(Instant::now() + PATIENCE);
        embedder.embed(&["one"], Side::Document, deadline, &|_| {}).trouble.expect("it is refused").message
    };
    assert_eq!(ask(json!(1.0)), "openai gives vectors of 2 elements where 3 are expected of `m@3`");
    let server = Server::start(move |_, _| {
        Reply::Json(200, json!({"data": [{"index": 0, "embedding": [1.0, null]}]}))
    });
    let provider = OpenAi::new(endpoint(&server, "/v1"), "m", Some(2));
    let vectors = provider.embed_batch(&["one"], Side::Document, PATIENCE).expect("an answer");
    assert!(vectors[0][1].is_nan(), "what is no number is not taken for one");
}

#[test]
fn an_address_must_be_one() {
    for address in ["", "localhost:8080", "ftp://localhost", "http://", "http://user:secret@localhost/v1"] {
        let trouble = Endpoint::new("test", address, None).expect_err(address);
        assert!(trouble.hint.is_some_and(|hint| hint.contains("http")), "{address}");
    }
}
