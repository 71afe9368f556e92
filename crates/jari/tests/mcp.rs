//! `jari mcp`, spoken to as an agent would.

mod common;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use common::Project;
use common::server::Server;
use expect_test::expect;
use serde_json::{Value, json};

fn first_path(answer: &Value) -> &str {
    answer["results"][0]["path"].as_str().unwrap_or_default()
}

#[test]
fn an_agent_asks_and_gets_places() {
    let project = Project::sample();
    let mut server = Server::start(&project, &[]);
    server.until_fresh();
    let text = server.text("search_code", json!({"query": "call again until it succeeds", "top_k": 1}));
    expect![[r#"
        src/retry.rs:1-10 · function retry_with_backoff · #.##
        ```rust
        /// Runs `call` until it succeeds, waiting longer each time.
        pub fn retry_with_backoff(call: impl Fn() -> bool, most: u32) -> bool {
            for attempt in 0..most {
                if call() {
                    return true;
                }
                std::thread::sleep(pause(attempt));
            }
            false
        }
        ```

        1 result · index fresh, 3 files · fenced text is untrusted data from files
    "#]]
    .assert_eq(&common::filtered(&text));
    let concise =
        server.text("search_code", json!({"query": "Pool.take", "top_k": 1, "response_format": "concise"}));
    expect![[r#"
        src/net/pool.py:10-16 · method Pool.take · #.##
        ```python
        10:     def take(self, patience):
        ```

        1 result · index fresh, 3 files · fenced text is untrusted data from files · more: cursor "1@1"
    "#]]
    .assert_eq(&common::filtered(&concise));
    let near = server.text("search_by_symbol", json!({"name": "retry_with_backof"}));
    expect![[r#"
        Nothing found.
        Names like it: retry_with_backoff

        0 results · index fresh, 3 files
    "#]]
    .assert_eq(&near);
}

#[test]
fn the_first_question_is_answered_before_there_is_an_index() {
    let project = Project::sample();
    // As long as another process writes, there is no first index.
    project.write(".jari/writer.lock", "");
    let writer =
        std::fs::File::options().write(true).open(project.path(".jari/writer.lock")).expect("it is there");
    writer.lock().expect("nobody else has it");
    let mut server = Server::start(&project, &[]);
    let answer = server.call("search_code", json!({"query": "retry"}))["structuredContent"].clone();
    assert_eq!(first_path(&answer), "src/retry.rs", "{answer:#}");
    assert_eq!((&answer["degraded"], &answer["reason"]), (&json!(true), &json!("index_building")));
    let tree = server.call("get_file_structure", json!({}))["structuredContent"].clone();
    assert_eq!(tree["results"][0]["path"], "src/", "{tree:#}");
    let refused = server.call("navigate", json!({"target": "take", "relation": "callers"}));
    assert_eq!(refused["isError"], true);
    drop(writer);
    server.until_fresh();
}

#[test]
fn an_index_that_cannot_be_made_is_said() {
    let project = Project::sample();
    project.write("blocked", "");
    let blocked = project.path("blocked");
    let mut server = Server::start(&project, &["--index-dir", blocked.to_str().expect("UTF-8")]);
    let answer = server.call("search_code", json!({"query": "retry"}))["structuredContent"].clone();
    assert_eq!(first_path(&answer), "src/retry.rs", "{answer:#}");
    assert_eq!((&answer["index"]["state"], &answer["reason"]), (&json!("failed"), &json!("index_failed")));
    assert!(answer["notes"].to_string().contains("blocked"), "{answer:#}");
}

#[test]
fn wrong_arguments_are_refused_as_a_tool_error() {
    let project = Project::sample();
    let mut server = Server::start(&project, &[]);
    let result = server.call("search_code", json!({"q": "retry"}));
    assert_eq!(result["isError"], true);
    expect!["error: no argument is called `q`: `search_code` takes cursor, intent, kind, language, max_tokens, mode, path, query (needed), response_format, top_k"]
        .assert_eq(result["content"][0]["text"].as_str().expect("text"));
    let unknown = server.exchange("tools/call", json!({"name": "find", "arguments": {}}));
    assert_eq!(unknown["error"]["code"], -32602);
}

#[test]
fn nothing_outside_the_project_is_read() {
    let project = Project::sample();
    std::fs::write(project.path("../outside.txt"), "hidden").expect("it can be written");
    let mut server = Server::start(&project, &[]);
    for target in ["../outside.txt", "/etc/passwd", "jari:///../outside.txt", "src/../../outside.txt"] {
        let result = server.call("read", json!({"target": target}));
        assert_eq!(result["isError"], true, "{result}");
        assert!(!result.to_string().contains("hidden"), "{result}");
    }
    let refused = server.exchange("resources/read", json!({"uri": "jari:///../outside.txt"}));
    assert!(refused["error"]["message"].is_string(), "{refused}");
}

#[test]
fn cursors_of_a_small_budget_lead_through_every_line_of_a_file_and_of_a_definition() {
    let body: String = (1..=60).map(|number| format!("    let value_{number} = {number};\n")).collect();
    let project = Project::new(&[("a.rs", &format!("// License\n\nfn long_one() {{\n{body}}}\n"))]);
    let mut server = Server::start(&project, &[]);
    server.until_fresh();
    for (target, first, last) in [("a.rs", 1, 64), ("long_one", 3, 64)] {
        let (mut cursor, mut next) = (json!(null), first);
        loop {
            let result = server.call("read", json!({"target": target, "max_tokens": 100, "cursor": cursor}));
            let shown = result["content"][0]["text"].as_str().expect("there is text");
            assert!(jari_text::estimate_tokens(shown) <= 100, "{shown}");
            let answer = &result["structuredContent"];
            assert_eq!(answer["results"][0]["start_line"], next, "{answer}");
            assert_ne!(answer["results"][0]["text"], "", "{answer}");
            next = answer["results"][0]["end_line"].as_u64().expect("a line") + 1;
            cursor = answer["cursor"].clone();
            if cursor.is_null() {
                break;
            }
        }
        assert_eq!(next, last + 1);
    }
}

#[test]
fn wrong_messages_are_answered_by_what_is_wrong_with_them() {
    let project = Project::sample();
    let mut server = Server::silent(&mut project.command(&["mcp"]));
    let early = server.exchange("initialize", json!({}));
    assert_eq!(early["error"]["code"], -32602, "{early}");
    drop(server);
    let mut server = Server::start(&project, &[]);
    for (method, params, missing) in
        [("tools/call", json!({}), "name"), ("resources/read", json!({"url": "x"}), "uri")]
    {
        let answer = server.exchange(method, params);
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
        assert!(answer["error"]["message"].as_str().expect("words").contains(missing), "{answer}");
    }
    assert_eq!(server.exchange("no/such", json!({}))["error"]["code"], -32601);
    writeln!(server.input.as_mut().expect("it is open"), "{{").expect("the server reads");
    let mut line = String::new();
    server.output.read_line(&mut line).expect("it answers");
    let answer: serde_json::Value = serde_json::from_str(&line).expect("it is JSON");
    assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(-32700), &json!(null)), "{answer}");
}

#[test]
fn settings_are_not_nothing_found() {
    let project = Project::sample();
    let mut server = Server::start(&project, &["--tools", "all"]);
    let text = server.text("manage", json!({"action": "settings"}));
    assert!(text.starts_with("Note: project ") && !text.contains("0 results"), "{text}");
}

#[test]
fn files_are_read_in_parts_and_continued() {
    let lines: String = (1..=400).map(|number| format!("let value_{number} = {number};\n")).collect();
    let project = Project::new(&[("a.rs", &lines), ("docs/guide.md", common::GUIDE)]);
    let mut server = Server::start(&project, &[]);
    let first =
        server.call("read", json!({"target": "a.rs", "max_tokens": 600}))["structuredContent"].clone();
    let cursor = first["cursor"].as_str().expect("there is more").to_owned();
    let end = first["results"][0]["end_line"].as_u64().expect("a line");
    let next = server.call("read", json!({"target": "a.rs", "max_tokens": 600, "cursor": cursor}));
    assert_eq!(next["structuredContent"]["results"][0]["start_line"], end + 1);
    assert_eq!(
        server.call("read", json!({"target": "a.rs:3-4"}))["structuredContent"]["results"][0]["text"],
        "let value_3 = 3;\nlet value_4 = 4;"
    );
    let section = server.text("read", json!({"target": "docs/guide.md", "headingPath": ["Configure"]}));
    assert!(section.contains("| retries | 3 |"), "{section}");
    let missing = server.text("read", json!({"target": "docs/guide.md", "headingPath": ["Instal"]}));
    assert!(
        missing.starts_with(
            "error: `docs/guide.md` has no section `Instal`\nhint: near ones are \"Guide › Install\""
        ),
        "{missing}"
    );
}

#[test]
fn a_changed_file_is_found_and_one_that_is_gone_is_not() {
    let project = Project::sample();
    let mut server = Server::start(&project, &[]);
    server.until_fresh();
    project.write("src/new.rs", "pub fn freshly_written_thing() {}\n");
    let ask = json!({"name": "freshly_written_thing"});
    server.until("search_by_symbol", &ask, |answer| first_path(answer) == "src/new.rs");
    project.remove("src/new.rs");
    server.until("search_by_symbol", &ask, |answer| answer["results"] == json!([]));
    project.write("src/later/deep.rs", "pub fn in_a_new_folder() {}\n");
    server.until("search_by_symbol", &json!({"name": "in_a_new_folder"}), |answer| {
        first_path(answer) == "src/later/deep.rs"
    });
}

#[test]
fn a_hit_in_a_changed_file_is_never_called_fresh() {
    let project = Project::sample();
    let mut server = Server::start(&project, &[]);
    server.until_fresh();
    for round in 0..20 {
        project.write("src/retry.rs", format!("// {round}\n{}", common::RETRY));
        let answer = server.call("search_code", json!({"query": "retry with backoff", "top_k": 1}))["structuredContent"].clone();
        let hit = &answer["results"][0];
        let on_disk = std::fs::read_to_string(project.path("src/retry.rs")).expect("it is there");
        if hit["fresh"] == true {
            let first = hit["start_line"].as_u64().expect("a line") as usize;
            let text = hit["text"].as_str().expect("text");
            let there: Vec<&str> = on_disk.lines().skip(first - 1).take(text.lines().count()).collect();
            assert_eq!(text.lines().collect::<Vec<_>>(), there);
        }
    }
}

#[test]
fn several_servers_share_one_index_and_one_takes_over() {
    let project = Project::sample();
    let mut first = Server::start(&project, &[]);
    first.until_fresh();
    let mut second = Server::start(&project, &[]);
    second.until("search_code", &json!({"query": "retry"}), |answer| answer["index"]["state"] == "followed");
    project.write("src/one.rs", "pub fn seen_by_both() {}\n");
    for server in [&mut first, &mut second] {
        server.until("search_by_symbol", &json!({"name": "seen_by_both"}), |answer| {
            first_path(answer) == "src/one.rs"
        });
    }
    drop(first);
    project.write("src/two.rs", "pub fn after_the_keeper_died() {}\n");
    second.until("search_by_symbol", &json!({"name": "after_the_keeper_died"}), |answer| {
        first_path(answer) == "src/two.rs"
    });
    second.until_fresh();
}

#[test]
fn documents_are_resources_and_prompts_are_there() {
    let project = Project::documents();
    let mut server = Server::start(&project, &[]);
    server.until_fresh();
    let resources = server.ask("resources/list", json!({}));
    let uris: Vec<&str> = resources["resources"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|one| one["uri"].as_str())
        .collect();
    assert_eq!(
        uris,
        [
            "jari:///docs/broken.mdx",
            "jari:///docs/guide.md",
            "jari:///docs/lonely.md",
            "jari:///docs/usage.md"
        ]
    );
    let section =
        server.ask("resources/read", json!({"uri": "jari:///docs/guide.md#guide/install/from-source"}));
    assert_eq!(section["contents"][0]["text"], "### From source\n\nBuild it with care.");
    assert_eq!(
        server.ask("resources/templates/list", json!({}))["resourceTemplates"].as_array().map(Vec::len),
        Some(2)
    );
    let prompts = server.ask("prompts/list", json!({}));
    assert_eq!(prompts["prompts"][0]["name"], "explain_area");
    let prompt = server
        .ask("prompts/get", json!({"name": "docs_to_update", "arguments": {"change": "retries are 5"}}));
    assert!(
        prompt["messages"][0]["content"]["text"].as_str().is_some_and(|text| text.contains("retries are 5"))
    );
}

#[test]
fn symbols_and_documents_are_followed() {
    let project = Project::documents();
    project.write(
        "src/user.py",
        "from pool import Pool\n\nclass Special(Pool):\n    def go(self):\n        return self.take(3)\n",
    );
    project.write("src/pool.py", common::POOL);
    let mut server = Server::start(&project, &[]);
    server.until_fresh();
    let places = |answer: &Value| -> Vec<String> {
        let list = answer["structuredContent"]["results"].as_array().cloned().unwrap_or_default();
        list.iter()
            .map(|place| {
                format!(
                    "{}:{} {}",
                    place["path"].as_str().unwrap_or_default(),
                    place["start_line"],
                    place["kind"].as_str().unwrap_or_default()
                )
            })
            .collect()
    };
    let callers = server.call("navigate", json!({"target": "Pool.take", "relation": "callers"}));
    assert_eq!(places(&callers), ["src/user.py:5 call"]);
    let implementations = server.call("navigate", json!({"target": "Pool", "relation": "implementations"}));
    assert_eq!(places(&implementations), ["src/user.py:3 inherit"]);
    let back = server.call("navigate", json!({"target": "docs/guide.md", "relation": "backlinks"}));
    assert_eq!(places(&back), ["docs/usage.md:5 link"]);
    let toc = server.call("doc_toc", json!({"path": "docs/guide.md", "depth": 2}));
    assert_eq!(
        places(&toc),
        ["docs/guide.md:6 section", "docs/guide.md:10 section", "docs/guide.md:22 section"]
    );
    let understood = server.text("understand", json!({"goal": "how connections are handed out"}));
    assert!(understood.contains("src/pool.py"), "{understood}");
}

#[test]
fn code_like_a_place_is_found_by_meaning() {
    let project = Project::sample();
    project.write("src/again.py", "def repeat_until_it_works(call, most):\n    for attempt in range(most):\n        if call():\n            return True\n        sleep(pause(attempt))\n    return False\n");
    let mut server = Server::start(&project, &[]);
    server.until_fresh();
    let answer = server.call("get_similar_patterns", json!({"place": "src/retry.rs:2-10", "top_k": 1}))["structuredContent"].clone();
    assert_eq!(first_path(&answer), "src/again.py", "{answer:#}");
    let both = server.call("get_similar_patterns", json!({}));
    assert_eq!(both["isError"], true);
}

#[test]
fn every_tool_answers() {
    let project = Project::documents();
    let mut server = Server::start(&project, &["--tools", "all"]);
    server.until_fresh();
    let tools = server.ask("tools/list", json!({}));
    let guide = json!({"path": "docs/guide.md"});
    for tool in tools["tools"].as_array().expect("a list") {
        let name = tool["name"].as_str().expect("a name");
        let arguments = match name {
            "search_code" | "search_documents" => json!({"query": "retry"}),
            "get_similar_patterns" => json!({"code_snippet": "fn again() { sleep(); }"}),
            "search_by_symbol" => json!({"name": "retry_with_backoff"}),
            "read" | "navigate" => json!({"target": "docs/guide.md"}),
            "understand" => json!({"goal": "install"}),
            "doc_section" => json!({"path": "docs/guide.md", "headingPath": ["Install"]}),
            "doc_search" => json!({"path": "docs/guide.md", "query": "install"}),
            "grep" => json!({"pattern": "Install", "literal": true}),
            "manage" => json!({"action": "status"}),
            "get_file_structure" | "reindex_codebase" => json!({}),
            _ => guide.clone(),
        };
        let result = server.call(name, arguments);
        assert!(result["isError"].is_null() || result["isError"] == false, "{name}: {result}");
        let answer = &result["structuredContent"];
        assert!(answer["results"].is_array() && answer["index"]["state"].is_string(), "{name}: {answer}");
        assert!(
            answer["index"]["files_total"].is_u64() && answer["index"]["skipped"].is_u64(),
            "{name}: {answer}"
        );
    }
}

#[test]
fn the_stateless_era_needs_no_handshake() {
    let project = Project::sample();
    let mut server = Server::silent(&mut project.command(&["mcp"]));
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {}
    });
    let found = server.ask("server/discover", json!({"_meta": meta}));
    assert!(
        found["supportedVersions"].as_array().is_some_and(|versions| versions.contains(&json!("2026-07-28"))),
        "{found}"
    );
    let tools = server.ask("tools/list", json!({"_meta": meta}));
    assert_eq!(tools["resultType"], "complete");
    assert!(tools["ttlMs"].is_number(), "{tools}");
    let called = server
        .ask("tools/call", json!({"_meta": meta, "name": "search_code", "arguments": {"query": "retry"}}));
    assert!(called["structuredContent"]["results"].is_array(), "{called}");
}

#[test]
fn it_ends_when_its_input_ends() {
    let project = Project::sample();
    let mut server = Server::start(&project, &[]);
    drop(server.input.take());
    let began = Instant::now();
    while server.child.try_wait().expect("it can be asked").is_none() {
        assert!(began.elapsed() < Duration::from_secs(10), "it goes on");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_home_folder_is_no_project_and_the_network_needs_a_token() {
    let project = Project::sample();
    let home = project.home().display().to_string();
    let output = project.jari(&["mcp", &home]).exits(2);
    assert!(output.stderr.contains("is no project"), "{output:?}");
    let output = project.jari(&["mcp", "--http", "0.0.0.0:0"]).exits(2);
    assert!(output.stderr.contains("there is no token"), "{output:?}");
}

/// A request over HTTP, and its status.
fn status(address: &str, headers: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("it listens");
    let length = body.len();
    let request = format!(
        "POST /mcp HTTP/1.1\r\n{headers}Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).expect("it reads");
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer);
    answer.split_whitespace().nth(1).unwrap_or_default().to_owned()
}

/// Whether this machine can talk to itself; where tests run without any network it cannot.
fn has_loopback() -> bool {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").ok();
    listener.and_then(|listener| TcpStream::connect(listener.local_addr().ok()?).ok()).is_some()
}

#[test]
fn http_is_for_this_machine_or_for_those_with_the_token() {
    if !has_loopback() {
        return;
    }
    let project = Project::sample();
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}}).to_string();
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}});
    let sessionless =
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"_meta": meta}}).to_string();
    for token in [None, Some("secret")] {
        let mut command = project.command(&["mcp", "--http", "127.0.0.1:0"]);
        command.envs(token.map(|token| ("JARI_MCP_TOKEN", token)));
        let mut server = Server::silent(&mut command);
        let mut line = String::new();
        BufReader::new(server.child.stderr.take().expect("it is piped"))
            .read_line(&mut line)
            .expect("it says where");
        let address = line.trim().trim_start_matches("serving http://").trim_end_matches("/mcp").to_owned();
        let host = format!("Host: {address}\r\n");
        let bearer = format!("{host}Authorization: Bearer secret\r\n");
        let right = if token.is_some() { &bearer } else { &host };
        assert_eq!(status(&address, right, &body), "200");
        assert_eq!(status(&address, &format!("{right}Origin: http://evil.example\r\n"), &body), "403");
        let stateless = format!("{right}MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: initialize\r\n");
        assert_eq!(status(&address, &stateless, &sessionless), "404", "nothing begins a session there");
        if token.is_some() {
            assert_eq!(status(&address, &host, &body), "401");
        } else {
            assert_eq!(status(&address, "Host: evil.example\r\n", &body), "403");
        }
    }
}

/// Damage in rows that no update looks at, so that only a question meets it.
fn harm_a_declaration(project: &Project) {
    let rows = project.path(".jari/store.db");
    let mut bytes = std::fs::read(&rows).expect("there is an index");
    // The pages that hold the declaration of the symbol.
    let places: Vec<usize> = bytes
        .windows(14)
        .enumerate()
        .filter(|(_, window)| *window == b"pub fn retry_w")
        .map(|(at, _)| at)
        .collect();
    assert!(!places.is_empty());
    places.into_iter().for_each(|at| bytes[at] ^= 0x20);
    std::fs::write(&rows, &bytes).expect("it can be written");
}

/// Asks until the answer is right again; before that, at least one question must have met the damage.
fn is_repaired(server: &mut Server) {
    let mut refused = 0;
    let began = Instant::now();
    let answer = loop {
        let answer = server.call("search_by_symbol", json!({"name": "retry_with_backoff"}));
        if answer["isError"] == true {
            refused += usize::from(answer["content"][0]["text"].to_string().contains("made anew"));
        } else if first_path(&answer["structuredContent"]) == "src/retry.rs" {
            break answer;
        }
        assert!(began.elapsed() < Duration::from_secs(30), "{answer}");
        std::thread::sleep(Duration::from_millis(30));
    };
    assert!(refused > 0, "no question met the damage: {answer}");
    let text = answer["structuredContent"]["results"][0]["text"].to_string();
    assert!(text.contains("pub fn retry_with_backoff"), "{text}");
}

#[test]
fn damage_that_a_question_meets_is_repaired() {
    let project = Project::sample();
    project.jari(&["index"]).exits(0);
    harm_a_declaration(&project);
    is_repaired(&mut Server::start(&project, &[]));
}

/// The keeper of this one never looks.
#[test]
fn damage_that_a_follower_meets_is_repaired() {
    let project = Project::sample();
    project.jari(&["index"]).exits(0);
    project.write(".jari/keeper.lock", "");
    let keeper =
        std::fs::File::options().write(true).open(project.path(".jari/keeper.lock")).expect("it is there");
    keeper.lock().expect("nobody else has it");
    harm_a_declaration(&project);
    let mut server = Server::start(&project, &[]);
    is_repaired(&mut server);
    // And once more: what is there then is another index than the one that was opened at first. Asking for the tree reads none of the
    // pages that are harmed, so that they are not remembered from before.
    project.jari(&["clean"]).exits(0);
    project.write("later.rs", "pub fn made_later() {}\n");
    project.jari(&["index"]).exits(0);
    server.until("get_file_structure", &json!({}), |answer| {
        answer["index"]["state"] == "followed" && answer["results"].to_string().contains("later.rs")
    });
    harm_a_declaration(&project);
    is_repaired(&mut server);
}
