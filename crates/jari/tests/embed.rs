//! Models that are asked, as a user meets them: `jari embed`, `jari cache`, `--embedding`, and what search says meanwhile.

mod common;
#[cfg(feature = "local")]
#[path = "../../jari-transformer/tests/folder/mod.rs"]
mod folder;
#[path = "../../jari-remote/tests/server/mod.rs"]
mod provider;

use std::process::Command;

use common::{Output, Project, check};
use expect_test::expect;
use provider::{Reply, Server};
use serde_json::json;

/// The program with a provider that its user has named.
struct User<'a> {
    project: &'a Project,
    server: &'a Server,
    name: &'a str,
}

impl User<'_> {
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.project.command(arguments);
        let base = if self.name == "ollama" {
            self.server.address.clone()
        } else {
            format!("{}/v1", self.server.address)
        };
        command
            .env("JARI_EMBEDDING_PROVIDER", self.name)
            .env("JARI_EMBEDDING_DIMS", provider::DIMS.to_string())
            .env(format!("JARI_{}_BASE_URL", self.name.to_uppercase()), base)
            .env("OPENAI_API_KEY", SECRET);
        command
    }

    fn jari(&self, arguments: &[&str]) -> Output {
        let mut output = self.project.run(&mut self.command(arguments));
        let host = self.server.address.trim_start_matches("http://");
        (output.stdout, output.stderr) =
            (output.stdout.replace(host, "HOST"), output.stderr.replace(host, "HOST"));
        output
    }

    fn texts(&self) -> usize {
        self.server.asked().iter().map(|request| request.texts().len()).sum()
    }
}

const SECRET: &str = "sk-hedgehog-0123456789";

#[test]
fn the_first_search_lets_what_it_looks_at_have_vectors_and_the_second_asks_for_nothing_again() {
    let (project, server) = (Project::sample(), Server::embedding());
    let user = User { project: &project, server: &server, name: "openai" };
    let first = user.jari(&["search", "retry with backoff"]).exits(0);
    assert!(first.stdout.starts_with("src/retry.rs:1-10"), "{first:?}");
    let after_first = user.texts();
    assert!(after_first > 1, "a question and some chunks");
    user.jari(&["search", "retry with backoff"]).exits(0);
    assert_eq!(user.texts(), after_first, "the question is in the cache, the chunks are in the index");
}

#[test]
fn embed_says_what_is_missing_and_does_it() {
    let (project, server) = (Project::sample(), Server::embedding());
    for name in ["openai", "voyage", "ollama"] {
        let user = User { project: &project, server: &server, name };
        let before = user.texts();
        let said = user.jari(&["embed", "--quiet"]).exits(0);
        assert!(
            said.stdout.starts_with(&format!("4 chunks of 3 files without vectors of {name} ")),
            "{said:?}"
        );
        assert_eq!(user.texts(), before, "to say it asks nobody");
        let done = user.jari(&["embed", "--all", "--json"]).exits(0).json();
        assert_eq!((&done["missing"], &done["embedded"]), (&json!(4), &json!(4)), "{done}");
        assert_eq!(user.texts(), before + 4);
        let again = user.jari(&["embed", "--all", "--json"]).exits(0).json();
        assert_eq!((&again["missing"], &again["calls"]), (&json!(0), &json!(0)), "{again}");
        let found = user.jari(&["search", "connections", "--json"]).exits(0).json();
        assert_eq!((&found["mode"], &found["degraded"]), (&json!("hybrid"), &json!(false)), "{found}");
    }
    let status = User { project: &project, server: &server, name: "openai" }.jari(&["status"]).exits(0);
    let sends = status.stdout.lines().find(|line| line.starts_with("sends")).expect("a line");
    assert_eq!(
        sends,
        "sends     questions and the chunks of files they look at to HOST (openai text-embedding-3-small@64)"
    );
}

#[test]
fn what_was_paid_for_is_not_paid_for_again() {
    let (project, server) = (Project::sample(), Server::embedding());
    let user = User { project: &project, server: &server, name: "openai" };
    user.jari(&["embed", "--all"]).exits(0);
    let paid = user.texts();
    project.jari(&["clean", "--yes"]);
    std::fs::remove_dir_all(project.path(".jari")).ok();
    user.jari(&["embed", "--all"]).exits(0);
    assert_eq!(user.texts(), paid, "another index of the same texts asks nobody");
    // Switching to the bundled model and back costs nothing.
    project.jari(&["search", "retry"]).exits(0);
    let back = user.jari(&["embed", "--json"]).exits(0).json();
    assert_eq!(back["missing"], 0);
    let stats = project.json(&["cache", "stats"]);
    // Another server may call another model the same, so its place belongs to the name.
    let place = server.address.trim_start_matches("http://");
    assert_eq!(stats["models"][0]["model"], format!("openai text-embedding-3-small@64 at {place}"));
    assert_eq!(stats["models"][0]["entries"], 4);
    let file = std::fs::read(stats["path"].as_str().expect("a path")).expect("it is there");
    let held = |text: &str| file.windows(text.len()).any(|window| window == text.as_bytes());
    assert!(!held("retry") && !held("Keeps connections"), "of a text nothing but its hash is kept");
    let cleared = project.json(&["cache", "clear"]);
    assert_eq!((&cleared["forgotten"], &cleared["models"]), (&json!(4), &json!([])));
}

#[test]
fn two_models_answer_together() {
    let (project, server) = (Project::sample(), Server::embedding());
    let user = User { project: &project, server: &server, name: "openai" };
    let found = user
        .jari(&["search", "retry with backoff", "--embedding", "bundled,openai", "--json"])
        .exits(0)
        .json();
    assert_eq!(
        (&found["results"][0]["path"], &found["mode"]),
        (&json!("src/retry.rs"), &json!("hybrid")),
        "{found}"
    );
    let folders: Vec<bool> = ["bundled", "openai"]
        .iter()
        .map(|name| project.path(format!(".jari/vectors/{name}")).is_dir())
        .collect();
    assert_eq!(folders, [true, true], "each has vectors of its own");
    check(
        &project.jari(&["search", "retry", "--embedding", "opnai"]),
        &expect![[r#"
            exit: 2
            --- stderr
            error: no model is called `opnai`
            hint: PROVIDER or PROVIDER:MODEL, where PROVIDER is one of auto, bundled, openai, voyage, ollama, local, off
        "#]],
    );
}

#[test]
fn a_refused_key_is_one_message_and_words_answer() {
    let project = Project::sample();
    let server = Server::start(|_, _| {
        Reply::Json(
            401,
            json!({"error": {"message": format!("Incorrect API key provided: {SECRET}"), "code": "invalid_api_key"}}),
        )
    });
    let user = User { project: &project, server: &server, name: "openai" };
    let output = user.jari(&["search", "retry with backoff"]);
    check(
        &output,
        &expect![[r#"
        exit: 0
        --- stdout
        src/retry.rs:1-10 · function retry_with_backoff  #.##
             1  /// Runs `call` until it succeeds, waiting longer each time.
             2  pub fn retry_with_backoff(call: impl Fn() -> bool, most: u32) -> bool {
        --- stderr
        note: words answer alone: openai at HOST refused with status 401: Incorrect API key provided: … (invalid_api_key) (check the key in OPENAI_API_KEY)
        indexed   3 files · 4 chunks · [speed] · [time]

        1 place · [time] · index fresh
    "#]],
    );
    assert_eq!(server.asked().len(), 1, "nobody is asked twice with a key that was refused");
    let json = user.jari(&["search", "retry", "--json"]).exits(0).json();
    assert_eq!(
        (&json["mode"], &json["reason"]),
        (&json!("keyword"), &json!("embedding_unavailable")),
        "{json}"
    );
    check(
        &user.jari(&["embed", "--all"]),
        &expect![[r#"
        exit: 2
        --- stderr
        4 chunks of 3 files without vectors of openai text-embedding-3-small@64 · about 198 tokens · sent to HOST
        error: openai at HOST refused with status 401: Incorrect API key provided: … (invalid_api_key); 0 chunks done until then
        hint: check the key in OPENAI_API_KEY
    "#]],
    );
}

#[test]
fn no_key_is_ever_shown_or_kept() {
    for status in [200, 400, 401, 404, 429, 500] {
        let project = Project::sample();
        let server = Server::start(move |_, request| match status {
            200 => Reply::Json(200, provider::embeddings(request)),
            // A server that repeats what it was sent.
            _ => Reply::Json(status, json!({"error": {"message": format!("{:?}", request.headers)}})),
        });
        let user = User { project: &project, server: &server, name: "openai" };
        for arguments in [
            &["search", "retry", "--explain"][..],
            &["search", "retry", "--json"],
            &["search", "retry later", "--verbose"],
            &["status"],
            &["status", "--json"],
            &["doctor"],
            &["embed", "--all"],
            &["embed", "--all", "--json"],
            &["cache", "stats", "--json"],
        ] {
            let mut command = user.command(arguments);
            command.env("JARI_EMBEDDING_TIMEOUT_MS", "300").env("JARI_MAX_EMBEDDING_TIME_MS", "300");
            // What passes is waited for by `embed`; here it need not.
            if [429, 500].contains(&status) && arguments[0] == "embed" {
                continue;
            }
            let output = project.run(&mut command);
            assert!(
                !output.stdout.contains("hedgehog") && !output.stderr.contains("hedgehog"),
                "{status} {arguments:?} {output:?}"
            );
        }
        assert!(
            server
                .asked()
                .iter()
                .any(|request| request.headers["authorization"] == format!("Bearer {SECRET}"))
        );
        let mut folders = vec![project.home(), project.root()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).expect("it is a folder").flatten() {
                match entry.path().is_dir() {
                    true => folders.push(entry.path()),
                    false => {
                        let bytes = std::fs::read(entry.path()).expect("it is there");
                        assert!(
                            !bytes.windows(8).any(|window| window == b"hedgehog"),
                            "{}",
                            entry.path().display()
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn a_key_in_the_environment_and_a_checked_in_file_send_nothing_anywhere() {
    let (project, server) = (Project::sample(), Server::embedding());
    project.write(
        "jari.toml",
        format!("[embedding]\nprovider = \"openai\"\n[openai]\nbase_url = \"{}/v1\"\n", server.address),
    );
    let mut command = project.command(&["search", "retry"]);
    let output = project.run(command.env("OPENAI_API_KEY", SECRET)).exits(0);
    assert_eq!(server.asked().len(), 0);
    for key in ["embedding.provider", "openai.base_url"] {
        let note = format!(
            "note: `{key}` in `jari.toml` does not count: a checked-in file cannot send anything anywhere"
        );
        assert!(output.stderr.contains(&note), "{output:?}");
    }
}

#[test]
fn a_provider_that_is_down_or_slow_costs_its_budget_and_words_answer() {
    let project = Project::sample();
    let slow = Server::start(|_, request| {
        Reply::Slow(std::time::Duration::from_secs(20), provider::embeddings(request))
    });
    let user = User { project: &project, server: &slow, name: "ollama" };
    let mut command = user.command(&["search", "retry with backoff", "--json"]);
    let began = std::time::Instant::now();
    let found = project.run(command.env("JARI_MAX_EMBEDDING_TIME_MS", "200")).exits(0).json();
    assert!(began.elapsed().as_secs() < 10, "{:?}", began.elapsed());
    assert_eq!(
        (&found["reason"], &found["results"][0]["path"]),
        (&json!("embedding_unavailable"), &json!("src/retry.rs"))
    );
    let mut command = project.command(&["search", "retry with backoff"]);
    command.env("JARI_EMBEDDING_PROVIDER", "ollama").env("JARI_OLLAMA_BASE_URL", "http://127.0.0.1:1");
    let output = project.run(&mut command).exits(0);
    assert!(
        output.stderr.contains("words answer alone: ollama at 127.0.0.1:1 cannot be reached"),
        "{output:?}"
    );
}

#[test]
fn ten_thousand_chunks_survive_a_provider_that_fails_every_fifth_call() {
    use std::collections::HashMap;
    use std::sync::{Arc, Mutex};
    let project = Project::new(&[]);
    for file in 0..100 {
        let functions: String = (0..100)
            .map(|n| format!("def handler_{file}_{n}(request):\n    \"\"\"Answers request {n} of part {file}.\"\"\"\n    first = request.read({n})\n    second = first + {file}\n    third = second * {n}\n    return third\n\n\n"))
            .collect();
        project.write(format!("part_{file}.py"), functions);
    }
    let seen: Arc<Mutex<HashMap<String, usize>>> = Arc::default();
    let counted = seen.clone();
    let server = Server::start(move |number, request| {
        // Not every fifth, but one in five, as a die would fall: 3, 7, 8, 15, 21 …
        if (number * number * 7 + number * 3) % 25 < 5 {
            return match number % 4 {
                0 => Reply::Headed(
                    429,
                    "retry-after-ms",
                    "1",
                    json!({"error": {"message": "Rate limit reached"}}),
                ),
                1 => Reply::Json(500, json!({})),
                2 => Reply::Hangup,
                _ => Reply::Half(provider::embeddings(request)),
            };
        }
        let mut seen = counted.lock().expect("no holder panics");
        request.texts().into_iter().for_each(|text| *seen.entry(text).or_default() += 1);
        Reply::Json(200, provider::embeddings(request))
    });
    let user = User { project: &project, server: &server, name: "openai" };
    let done = user.jari(&["embed", "--all", "--json"]).exits(0).json();
    let chunks = done["missing"].as_u64().expect("a number");
    assert!(chunks >= 10_000, "{done}");
    assert_eq!(done["embedded"], chunks);
    let seen = seen.lock().expect("no holder panics");
    assert_eq!(seen.values().filter(|times| **times != 1).count(), 0, "each exactly once");
    assert_eq!(seen.len() as u64, chunks);
    let least = chunks.div_ceil(96);
    let calls = server.asked().len() as u64;
    assert!(calls * 10 <= least * 14, "{calls} calls, {least} at least");
    let status = user.jari(&["status", "--json"]).exits(0).json();
    assert_eq!(
        (&status["vector_index"]["count"], &status["vector_index"]["missing"]),
        (&json!(chunks), &json!(0))
    );
}

#[test]
fn a_server_for_agents_makes_vectors_of_what_they_look_at() {
    let (project, server) = (Project::sample(), Server::embedding());
    let user = User { project: &project, server: &server, name: "openai" };
    let mut agent = common::server::Server::silent(&mut user.command(&["mcp"]));
    let client = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}});
    agent.ask("initialize", client);
    agent.tell("notifications/initialized", json!({}));
    agent.until_fresh();
    let question = json!({"query": "retry a call with backoff, take a connection of the pool"});
    let found = agent.until("search_code", &question, |answer| {
        answer["degraded"].is_null() || answer["degraded"] == false
    });
    assert_eq!(found["results"][0]["path"], "src/net/pool.py", "{found:#}");
    let asked = user.texts();
    agent.call("search_code", question);
    assert_eq!(user.texts(), asked, "nothing is asked for twice");
}

/// The program with a model that talks.
fn talking(project: &Project, server: &Server, arguments: &[&str]) -> Command {
    let mut command = project.command(arguments);
    command
        .env("JARI_LLM_BASE_URL", format!("{}/v1", server.address))
        .env("JARI_LLM_MODEL", "m")
        .env("JARI_LLM_RERANK", "1")
        .env("JARI_TRANSLATE_KO_EN", "1");
    command
}

/// Says that the last place is the best, and translates one question.
fn talker() -> Server {
    Server::start(|_, request| {
        let read = request.body["messages"][1]["content"].as_str().unwrap_or_default();
        let places = read.matches("<place number").count();
        match places {
            0 => Reply::Json(200, provider::said("hand out a connection of [[0]]")),
            places => Reply::Json(200, provider::said(&format!("{{\"order\": [{}]}}", places - 1))),
        }
    })
}

#[test]
fn a_model_that_talks_puts_places_in_order_and_eval_counts_its_calls() {
    let (project, server) = (Project::sample(), talker());
    let usual = project.places(&["search", "connections calls", "--mode", "keyword"]);
    let turned = project.run(&mut talking(
        &project,
        &server,
        &["search", "connections calls", "--mode", "keyword", "--json"],
    ));
    let turned = turned.exits(0).json();
    assert!(usual.len() > 1, "{usual:?}");
    let last = usual.last().expect("there are some").split(':').next().unwrap_or_default();
    assert_eq!(turned["results"][0]["path"], last, "{turned}");
    project.write(
        "questions.jsonl",
        "{\"id\": \"1\", \"query\": \"connections calls\", \"targets\": [{\"path\": \"README.md\"}]}\n",
    );
    let table = project.run(&mut talking(
        &project,
        &server,
        &["eval", "--queries", "questions.jsonl", "--level", "file", "--compare", "--format", "csv"],
    ));
    let table = table.exits(0).stdout;
    let calls = |way: &str| {
        let row = table
            .lines()
            .find(|line| line.starts_with(&format!("{way},all")))
            .unwrap_or_else(|| panic!("{way}: {table}"));
        row.split(',').rev().take(3).map(str::to_owned).collect::<Vec<_>>()
    };
    // Translator, reranker, embedding.
    assert_eq!(calls("hybrid"), ["0", "1", "1"]);
    assert_eq!(calls("hybrid without reranker"), ["0", "0", "1"]);
    assert!(table.contains("hybrid without translator,all"), "{table}");
    let status = project.run(&mut talking(&project, &server, &["status", "--json"])).json();
    assert_eq!(status["sends"].as_array().map(Vec::len), Some(2), "{status}");
}

#[test]
fn a_translator_is_asked_where_the_glossary_knows_nothing() {
    let (project, server) = (Project::sample(), talker());
    let ask = |question: &str| {
        let mut command =
            talking(&project, &server, &["search", question, "--mode", "keyword", "--explain", "--json"]);
        project.run(command.env("JARI_LLM_RERANK", "0"))
    };
    let found = ask("Pool에서 쪼가리뭉치얼개 꿰맞춤새갈래 꺼내기").exits(0).json();
    let words: Vec<&str> =
        found["passes"].as_array().into_iter().flatten().filter_map(|pass| pass["words"].as_str()).collect();
    assert_eq!(words.last(), Some(&"translator"), "{found}");
    assert_eq!(found["results"][0]["path"], "src/net/pool.py", "{found}");
    let asked = server.asked().len();
    ask("연결 재시도").exits(0);
    assert_eq!(server.asked().len(), asked, "what the glossary knows is not asked for");
}

#[cfg(feature = "local")]
#[test]
fn a_transformer_in_a_folder_makes_vectors_and_nothing_leaves_the_machine() {
    let project = Project::sample();
    let model = project.home().join("tiny");
    folder::write(&model, folder::PLAIN);
    let jari = |provider: &str, folder: &std::path::Path, arguments: &[&str]| {
        let mut command = project.command(arguments);
        project.run(command.env("JARI_EMBEDDING_PROVIDER", provider).env("JARI_EMBEDDING_MODEL", folder))
    };
    // The folder tells what it is.
    let done = jari("auto", &model, &["embed", "--all", "--json"]).exits(0).json();
    assert_eq!((&done["model"], &done["embedded"]), (&json!("local tiny"), &json!(4)), "{done}");
    let found = jari("local", &model, &["search", "retry request", "--json"]).exits(0).json();
    assert_eq!((&found["mode"], &found["degraded"]), (&json!("hybrid"), &json!(false)), "{found}");
    assert_eq!(jari("local", &model, &["status", "--json"]).json()["sends"], json!([]));
    check(
        &jari("local", &project.home().join("nowhere"), &["search", "retry"]),
        &expect![[r#"
        exit: 2
        --- stderr
        error: there is no `[TEMP]/home/nowhere/config.json`
        hint: an encoder is a folder with `config.json`, `model.safetensors` and `tokenizer.json`
    "#]],
    );
    let mut command = project.command(&["search", "retry"]);
    check(
        &project.run(command.env("JARI_EMBEDDING_PROVIDER", "local")),
        &expect![[r#"
        exit: 2
        --- stderr
        error: `local` needs the folder of a transformer
        hint: JARI_EMBEDDING_MODEL=path/to/folder with config.json, model.safetensors and tokenizer.json
    "#]],
    );
}
