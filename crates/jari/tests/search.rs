//! `jari search`, as a user meets it.

mod common;

use std::thread;

use common::{POOL, Project, RETRY, check, keys};
use expect_test::expect;

/// "Handles a payment" as a comment, and a function around it.
const PAYMENT: &str = "\
// 결제를 처리하는 handler
fn pay(amount: u64) -> bool {
    let order = open(amount);
    let charged = order.charge();
    charged.is_ok()
}
";

#[test]
fn the_first_search_indexes_and_finds_a_function_by_words() {
    let project = Project::sample();
    check(
        &project.jari(&["search", "retry with backoff"]),
        &expect![[r#"
        exit: 0
        --- stdout
        src/retry.rs:1-10 · function retry_with_backoff  #.##
             1  /// Runs `call` until it succeeds, waiting longer each time.
             2  pub fn retry_with_backoff(call: impl Fn() -> bool, most: u32) -> bool {
        --- stderr
        indexed   3 files · 4 chunks · [speed] · [time]

        1 place · [time] · index fresh
    "#]],
    );
}

#[test]
fn the_second_search_does_not_index_again() {
    let project = Project::sample();
    project.jari(&["search", "retry with backoff"]).exits(0);
    check(
        &project.jari(&["search", "hands out connection", "-k", "1"]),
        &expect![[r#"
        exit: 0
        --- stdout
        src/net/pool.py:10-16 · method Pool.take  #.##
            10      def take(self, patience):
            11          """Hands out a connection."""
            14          connection = self.free.pop()
            15          self.taken.append(connection)
        --- stderr

        1 place · [time] · index fresh
    "#]],
    );
    assert_eq!(project.json(&["search", "connection"])["index"]["generation"], 1);
}

#[test]
fn words_match_names_in_every_spelling() {
    let text =
        "export function parseHTTPHeader(raw: string) {\n  const a = 1;\n  const b = 2;\n  return raw;\n}\n";
    let project = Project::new(&[("a.ts", text)]);
    for query in ["parseHTTPHeader", "parse_http_header", "parse http header", "headers"] {
        assert_eq!(project.places(&["search", query]), ["a.ts:1-5"], "{query}");
    }
}

#[test]
fn json_has_one_shape() {
    let project = Project::sample();
    let output = project.jari(&["search", "retry with backoff", "--json", "--quiet"]).exits(0);
    assert_eq!(output.stderr, "");
    assert_eq!(output.stdout.lines().count(), 1);
    let answer = output.json();
    expect!["degraded index intent mode query reason results shape took_ms"]
        .assert_eq(&keys(&answer).join(" "));
    expect!["files generation skipped state"].assert_eq(&keys(&answer["index"]).join(" "));
    let hit = &answer["results"][0];
    expect!["end_line fresh kind language matched_terms path preview scores signature start_line symbol"]
        .assert_eq(&keys(hit).join(" "));
    expect!["bm25 final vector"].assert_eq(&keys(&hit["scores"]).join(" "));
    expect![[r#"
        [
          {
            "highlights": [],
            "line": 1,
            "text": "/// Runs `call` until it succeeds, waiting longer each time."
          },
          {
            "highlights": [
              [
                7,
                12
              ],
              [
                18,
                25
              ]
            ],
            "line": 2,
            "text": "pub fn retry_with_backoff(call: impl Fn() -> bool, most: u32) -> bool {"
          }
        ]
    "#]]
    .assert_eq(&format!("{:#}\n", hit["preview"]));
    assert_eq!(hit["symbol"], "retry_with_backoff");
    let line = &hit["preview"][1];
    let (from, to) = (line["highlights"][0][0].as_u64(), line["highlights"][0][1].as_u64());
    let text = line["text"].as_str().unwrap();
    assert_eq!(&text[from.unwrap() as usize..to.unwrap() as usize], "retry");
}

#[test]
fn limit_is_how_many_places_at_most() {
    let project = Project::sample();
    assert!(project.places(&["search", "connection"]).len() > 1);
    assert_eq!(project.places(&["search", "connection", "-k", "1"]).len(), 1);
    assert_eq!(project.places(&["search", "connection", "--limit", "2"]).len(), 2);
    check(
        &project.jari(&["search", "connection", "-k", "0"]),
        &expect![[r#"
        exit: 2
        --- stderr
        error: invalid value '0' for '--limit <N>': 0 is not in 1..=1000

        For more information, try '--help'.
    "#]],
    );
}

#[test]
fn languages_narrow_and_unknown_ones_are_refused() {
    let project = Project::sample();
    let places = project.places(&["search", "connection call", "--lang", "Python"]);
    assert!(
        !places.is_empty() && places.iter().all(|place| place.starts_with("src/net/pool.py")),
        "{places:?}"
    );
    let both = project.places(&["search", "connection call", "--lang", "python", "-l", "rust"]);
    assert!(both.iter().any(|place| place.starts_with("src/retry.rs")), "{both:?}");
    let refused = project.jari(&["search", "connection", "--lang", "pyton"]).exits(2);
    assert!(refused.stderr.starts_with("error: no language is called `pyton`\nhint: "), "{}", refused.stderr);
    assert!(refused.stderr.contains("python, "), "{}", refused.stderr);
}

#[test]
fn paths_narrow_by_glob_and_by_folder() {
    let project = Project::sample();
    for glob in ["src/net", "src/net/", "./src/net", "src/**/*.py", "*.py", "net", "src/net/pool.py"] {
        let places = project.places(&["search", "connection call", "--path", glob]);
        assert!(!places.is_empty(), "{glob}");
        assert!(places.iter().all(|place| place.starts_with("src/net/pool.py")), "{glob}: {places:?}");
    }
    check(
        &project.jari(&["search", "connection", "--path", "a[b"]),
        &expect![[r#"
            exit: 2
            --- stderr
            error: the path filter cannot be read: `a[b`: unclosed character class; missing ']'
            hint: filters are path:src lang:rust kind:function symbol:Name -word; with a blank after the colon it is text
        "#]],
    );
}

#[test]
fn kinds_narrow() {
    let project = Project::sample();
    let kinds = |kind: &str| project.json(&["search", "connection call", "--kind", kind]);
    assert_eq!(kinds("method")["results"][0]["symbol"], "Pool.take");
    assert_eq!(kinds("function")["results"][0]["symbol"], "retry_with_backoff");
    check(
        &project.jari(&["search", "connection", "--kind", "methods"]),
        &expect![[r#"
            exit: 2
            --- stderr
            error: invalid value 'methods' for '--kind <KIND>': `methods` is none of function, method, class, module, block, section

            For more information, try '--help'.
        "#]],
    );
}

#[test]
fn a_score_explains_itself() {
    let project = Project::sample();
    check(
        &project.jari(&["search", "retry with backoff", "--explain", "-k", "1"]),
        &expect![[r#"
            exit: 0
            --- stdout
            src/retry.rs:1-10 · function retry_with_backoff  #.##
                 1  /// Runs `call` until it succeeds, waiting longer each time.
                 2  pub fn retry_with_backoff(call: impl Fn() -> bool, most: u32) -> bool {
              found by keyword 1, path 1, vector 1
                    #.##  score
                       #.##  signals
                          #.##  sum of signals
                             #.##  words in the text
                                #.##  weight
                                #.##  share of the best candidate's
                             #.##  words in the file
                                #.##  weight
                                #.##  share of the best candidate's
                             #.##  words in the path
                                #.##  weight
                                #.##  share of the best candidate's
                             #.##  words in the file's name
                                #.##  weight
                                #.##  share of the best candidate's
                             #.##  the file's name is in the query
                                #.##  weight
                                #.##  share of the best candidate's
                             #.##  words in defined names or the title
                                #.##  weight
                                #.##  share of the best candidate's
                             #.##  means the same
                                #.##  weight
                                #.##  share of the best candidate's
                       #.##  words of the question one by one
                       #.##  divided by
            --- stderr
            indexed   3 files · 4 chunks · [speed] · [time]
            looked as typed: retri #.##, backoff #.## · 3 files

            1 place · [time] · index fresh
        "#]],
    );
    let answer = project.json(&["search", "retry", "--explain", "-k", "1"]);
    assert_eq!(keys(&answer["results"][0]["explanation"]), ["details", "label", "value"]);
}

#[test]
fn max_tokens_shows_whole_texts_and_says_what_was_cut() {
    let project = Project::sample();
    check(
        &project.jari(&["search", "connection", "--max-tokens", "110"]),
        &expect![[r#"
            exit: 0
            --- stdout
            src/net/pool.py:10-16 · method Pool.take  #.##
                10      def take(self, patience):
                11          """Hands out a connection."""
                12          if not self.free:
                13              raise TimeoutError(patience)
                14          connection = self.free.pop()
                15          self.taken.append(connection)
                16          return connection
            --- stderr
            indexed   3 files · 4 chunks · [speed] · [time]

            1 place · [time] · index fresh · to fit the budget: 2 left out
        "#]],
    );
    let answer = project.json(&["search", "connection", "--max-tokens", "100"]);
    assert_eq!(keys(&answer["cut"]), ["dropped", "places", "shortened", "signatures"]);
    let all = project.json(&["search", "retry backoff", "--max-tokens", "10000"]);
    assert_eq!(all["cut"], serde_json::Value::Null);
    assert_eq!(all["results"][0]["text"], RETRY.trim_end());
}

#[test]
fn long_headings_and_paths_stay_within_max_tokens() {
    let heading = "configure the connection pool ".repeat(300);
    let folder = "연결풀의설정을설명하는문서가모여있는폴더";
    let project = Project::new(&[
        ("docs/long.md", &format!("# {heading}\n\n## {heading}\n\nThe connection waits.\n")),
        (&format!("{folder}/{folder}/{folder}/연결.md"), "# 연결\n\nThe connection waits.\n"),
        ("docs/short.md", "# Pool\n\nThe connection waits.\n"),
    ]);
    for intent in ["nav", "research"] {
        for budget in [40, 100, 300, 1_000] {
            let most = budget.to_string();
            let arguments = ["search", "connection waits", "--intent", intent, "--max-tokens", &most];
            let output = project.jari(&arguments).exits(0);
            let tokens = jari_text::estimate_tokens(&output.stdout);
            assert!(tokens <= budget, "{tokens} of {budget}: {}", output.stdout);
            assert!(budget < 100 || !output.stdout.is_empty(), "{budget}: {}", output.stderr);
        }
    }
}

#[test]
fn max_tokens_too_small_for_anything_is_not_taken_for_nothing_found() {
    let project = Project::sample();
    let output = project.jari(&["search", "connection", "--max-tokens", "1"]).exits(0);
    assert!(!output.stderr.contains("nothing found"), "{}", output.stderr);
    assert!(output.stderr.contains("3 left out"), "{}", output.stderr);
}

#[test]
fn a_search_from_a_subfolder_shows_only_that_subfolder() {
    let project = Project::sample();
    project.jari(&["index"]).exits(0);
    assert!(project.places(&["search", "connection call"]).len() > 1);
    let mut from_inside = project.command(&["search", "connection call", "--json"]);
    let inside = project.run(from_inside.current_dir(project.path("src/net"))).exits(0).json();
    let named = project.json(&["search", "connection call", "src/net"]);
    for answer in [inside, named] {
        let results = answer["results"].as_array().unwrap();
        assert!(!results.is_empty());
        assert!(results.iter().all(|hit| hit["path"] == "src/net/pool.py"), "{results:?}");
    }
    assert!(!project.path("src/net/.jari").exists(), "there is one index, at the root");
}

#[test]
fn a_subfolder_and_a_path_narrow_together() {
    let project = Project::sample();
    project.jari(&["index"]).exits(0);
    assert!(!project.places(&["search", "connection", "src", "--path", "*.py"]).is_empty());
    assert!(!project.places(&["search", "connection", "src", "--path", "net"]).is_empty());
    assert!(project.places(&["search", "connection", "src/net", "--path", "*.rs"]).is_empty());
}

#[test]
fn korean_is_found_in_every_encoding() {
    let project = Project::sample();
    project.write("utf8.rs", PAYMENT);
    project.write("bom.rs", [b"\xef\xbb\xbf", PAYMENT.as_bytes()].concat());
    let utf16 = |bytes: fn(u16) -> [u8; 2]| -> Vec<u8> {
        "\u{feff}".encode_utf16().chain(PAYMENT.encode_utf16()).flat_map(bytes).collect()
    };
    project.write("utf16le.rs", utf16(u16::to_le_bytes));
    project.write("utf16be.rs", utf16(u16::to_be_bytes));
    // "// 결제를 처리하는 handler" as CP949 writes it.
    let comment = b"// \xb0\xe1\xc1\xa6\xb8\xa6 \xc3\xb3\xb8\xae\xc7\xcf\xb4\xc2 handler";
    let code = &PAYMENT[PAYMENT.find('\n').unwrap()..];
    project.write("cp949.rs", [comment, code.as_bytes()].concat());
    // One text, whatever its encoding: one place that names the others.
    let hit = &project.json(&["search", "결제 handler"])["results"][0];
    let others = hit["elsewhere"].as_array().unwrap().iter().chain([hit]);
    let mut places: Vec<String> = others
        .map(|place| format!("{}:{}-{}", place["path"], place["start_line"], place["end_line"]))
        .collect();
    places.sort();
    let expected = ["bom.rs", "cp949.rs", "utf16be.rs", "utf16le.rs", "utf8.rs"];
    assert_eq!(places, expected.map(|path| format!("\"{path}\":1-6")));
    check(
        &project.jari(&["search", "결제 handler", "--path", "cp949.rs"]),
        &expect![[r#"
        exit: 0
        --- stdout
        cp949.rs:1-6 · function pay  #.##
             1  // 결제를 처리하는 handler
        --- stderr

        1 place · [time] · index fresh
    "#]],
    );
    for word in ["결제", "처리"] {
        let hit = &project.json(&["search", word])["results"][0];
        assert_eq!(hit["elsewhere"].as_array().map(Vec::len), Some(4), "{word}: {hit}");
    }
}

#[test]
fn an_edit_is_visible_to_the_next_search() {
    let project = Project::sample();
    project.jari(&["index"]).exits(0);
    assert!(project.places(&["search", "hedgehog"]).is_empty());
    project.write("src/retry.rs", RETRY.replace("attempt", "hedgehog"));
    check(
        &project.jari(&["search", "hedgehog"]),
        &expect![[r#"
        exit: 0
        --- stdout
        src/retry.rs:1-10 · function retry_with_backoff  #.##
             1  /// Runs `call` until it succeeds, waiting longer each time.
             3      for hedgehog in 0..most {
             7          std::thread::sleep(pause(hedgehog));
        --- stderr
        indexed   1 file · 1 chunk · [speed] · [time]

        1 place · [time] · index fresh
    "#]],
    );
}

#[test]
fn a_deleted_file_is_gone() {
    let project = Project::sample();
    assert!(!project.places(&["search", "backoff"]).is_empty());
    project.remove("src/retry.rs");
    assert!(project.places(&["search", "backoff"]).is_empty());
}

#[test]
fn no_update_answers_from_the_index_as_it_is() {
    let project = Project::sample();
    project.jari(&["index"]).exits(0);
    project.write("src/retry.rs", "// nothing here any more\n");
    project.write("src/new.rs", RETRY);
    check(
        &project.jari(&["search", "retry with backoff", "--no-update", "-k", "1"]),
        &expect![[r#"
        exit: 0
        --- stdout
        src/retry.rs:1-10 · function retry_with_backoff  #.## · changed since
             1  /// Runs `call` until it succeeds, waiting longer each time.
             2  pub fn retry_with_backoff(call: impl Fn() -> bool, most: u32) -> bool {
        --- stderr

        1 place · [time] · index not checked for changes
    "#]],
    );
    assert_eq!(project.json(&["search", "backoff", "--no-update"])["index"]["state"], "unchecked");
}

#[test]
fn no_update_without_an_index_makes_one() {
    let project = Project::sample();
    assert_eq!(project.places(&["search", "backoff", "--no-update"]), ["src/retry.rs:1-10"]);
}

#[test]
fn quiet_says_nothing_but_the_answer() {
    let project = Project::sample();
    let output = project.jari(&["search", "backoff", "--quiet"]).exits(0);
    assert_eq!(output.stderr, "");
    assert!(output.stdout.starts_with("src/retry.rs:1-10 "), "{}", output.stdout);
}

#[test]
fn two_first_searches_at_once_both_answer_right() {
    let project = Project::sample();
    for number in 0..150 {
        project.write(format!("many/m{number}.py"), POOL.replace("Pool", &format!("Pool{number}")));
    }
    let answers: Vec<_> = thread::scope(|scope| {
        let runs: Vec<_> =
            (0..3).map(|_| scope.spawn(|| project.json(&["search", "retry with backoff"]))).collect();
        runs.into_iter().map(|run| run.join().unwrap()).collect()
    });
    for answer in answers {
        assert_eq!(answer["results"][0]["path"], "src/retry.rs", "{answer}");
        assert_eq!(answer["index"]["files"], 153, "{answer}");
    }
}

#[test]
fn a_search_beside_an_update_sees_one_state_or_the_other() {
    let project = Project::new(&[]);
    let write = |word: &str| {
        for number in 0..60 {
            project.write(format!("m{number}.txt"), format!("{word} number {number}\n"));
        }
    };
    write("before");
    project.jari(&["index"]).exits(0);
    write("afterwards");
    thread::scope(|scope| {
        let update = scope.spawn(|| project.jari(&["update"]).exits(0));
        for _ in 0..5 {
            let arguments = ["search", "before afterwards", "--no-update", "-k", "100"];
            let answer = project.json(&arguments);
            let results = answer["results"].as_array().unwrap();
            let terms: Vec<_> = results.iter().map(|hit| &hit["matched_terms"]).collect();
            assert_eq!(terms.len(), 60, "{answer}");
            assert!(terms.iter().all(|term| *term == terms[0]), "{terms:?}");
        }
        update.join().unwrap();
    });
}

#[test]
fn a_search_beside_a_rebuild_still_answers() {
    let project = Project::sample();
    for number in 0..60 {
        project.write(format!("many/m{number}.py"), POOL.replace("Pool", &format!("Pool{number}")));
    }
    project.jari(&["index"]).exits(0);
    thread::scope(|scope| {
        let rebuilds =
            scope.spawn(|| (0..3).for_each(|_| drop(project.jari(&["index", "--rebuild"]).exits(0))));
        let searches = ["--quiet", "--no-update"].map(|more| {
            let project = &project;
            scope.spawn(move || {
                (0..6).for_each(|_| {
                    let output = project.jari(&["search", "retry with backoff", more]).exits(0);
                    assert!(output.stdout.starts_with("src/retry.rs:1-10 "), "{more}: {output:#?}");
                });
            })
        });
        let ended = searches.map(thread::ScopedJoinHandle::join);
        rebuilds.join().unwrap();
        ended.into_iter().for_each(|search| search.unwrap());
    });
}

#[test]
fn filters_may_stand_among_the_words() {
    let project = Project::sample();
    let places = |query: &str| project.places(&["search", query]);
    let all = places("connection");
    assert!(all.len() > 1 && all.iter().any(|place| place.starts_with("src/net/pool.py:10")), "{all:?}");
    assert!(places("connection path:src/net").iter().all(|place| place.starts_with("src/net/")));
    assert!(places("connection -path:src/net").iter().all(|place| !place.starts_with("src/net/")));
    assert_eq!(places("call lang:rust"), ["src/retry.rs:1-10"]);
    assert_eq!(places("connection symbol:take"), ["src/net/pool.py:10-16"]);
    assert_eq!(places("connection kind:method -closed"), ["src/net/pool.py:10-16"]);
    assert_eq!(places("\"hands out a connection\""), ["src/net/pool.py:10-16"]);
    check(
        &project.jari(&["search", "\"hands in a connection\" lang:python -closed"]),
        &expect![[r#"
        exit: 1
        --- stderr
        nothing found · language python · with hands in a connection · without closed · [time] · index fresh
    "#]],
    );
    check(
        &project.jari(&["search", "connection kind:banana"]),
        &expect![[r#"
            exit: 2
            --- stderr
            error: `kind:banana` cannot be used: `banana` is none of function, method, class, module, block, section
            hint: filters are path:src lang:rust kind:function symbol:Name -word; with a blank after the colon it is text
        "#]],
    );
    check(
        &project.jari(&["search", "connection lang:rust", "--lang", "python"]),
        &expect![[r#"
            exit: 2
            --- stderr
            error: nothing can be `lang:rust`: other filters leave it out
            hint: filters are path:src lang:rust kind:function symbol:Name -word; with a blank after the colon it is text
        "#]],
    );
    check(
        &project.jari(&["search", "lang:rust"]),
        &expect![[r#"
        exit: 2
        --- stderr
        error: the query has no word to look for
        hint: say what you look for: jari search "retry with backoff"
    "#]],
    );
}

#[test]
fn filters_are_told_as_they_were_understood() {
    let project = Project::sample();
    let answer = project.json(&["search", "how does retry work lang:rust -pool"]);
    assert_eq!((&answer["intent"], &answer["shape"]), (&"explain".into(), &"sentence".into()));
    assert_eq!(answer["filters"], serde_json::json!({ "languages": ["rust"], "without": ["pool"] }));
    assert_eq!(project.json(&["search", "retry", "--intent", "edit"])["intent"], "edit");
}

#[test]
fn the_same_text_in_another_file_is_one_place() {
    let project = Project::new(&[("a.rs", RETRY), ("copy/b.rs", RETRY)]);
    let answer = project.json(&["search", "retry with backoff"]);
    let results = answer["results"].as_array().unwrap();
    assert_eq!(results.len(), 1, "{answer}");
    let mut paths =
        [&results[0]["path"], &results[0]["elsewhere"][0]["path"]].map(|path| path.as_str().unwrap());
    paths.sort_unstable();
    assert_eq!(paths, ["a.rs", "copy/b.rs"]);
    check(
        &project.jari(&["search", "retry with backoff"]),
        &expect![[r#"
        exit: 0
        --- stdout
        copy/b.rs:1-10 · function retry_with_backoff  #.##
             1  /// Runs `call` until it succeeds, waiting longer each time.
             2  pub fn retry_with_backoff(call: impl Fn() -> bool, most: u32) -> bool {
                the same: a.rs:1-10
        --- stderr

        1 place · [time] · index fresh
    "#]],
    );
}

#[test]
fn pieces_of_one_function_are_one_place() {
    let mut text = "def settle(orders):\n    \"\"\"Settles all orders.\"\"\"\n".to_owned();
    for step in 0..150 {
        text += &format!("    orders[{step}].settle(amount_{step}, currency_{step}, \"settled\")\n");
    }
    let project = Project::new(&[("a.py", &text)]);
    assert_eq!(project.places(&["search", "settle orders"]), ["a.py:1-152"]);
}

#[test]
fn context_shows_whole_texts_and_lines_around_them() {
    let project = Project::sample();
    let answer = project.json(&["search", "hands out connection", "-k", "1", "--context", "2"]);
    let hit = &answer["results"][0];
    assert_eq!((&hit["start_line"], &hit["text_start_line"]), (&10.into(), &8.into()));
    let text = hit["text"].as_str().unwrap();
    assert!(text.starts_with("        self.closed = False") && text.ends_with("return connection"), "{text}");
}

#[test]
fn an_explanation_names_the_lists_and_the_passes() {
    let project = Project::new(&[("retry.rs", RETRY), ("pool.py", POOL)]);
    let hit = &project.json(&["search", "retry_with_backoff", "--explain"])["results"][0];
    assert!(
        hit["found_by"].as_array().unwrap().contains(&serde_json::json!({ "list": "symbol", "rank": 1 })),
        "{hit}"
    );
    let korean = project.json(&["search", "연결 풀", "--explain"]);
    let passes = korean["passes"].as_array().unwrap();
    assert_eq!((&passes[0]["words"], &passes[1]["words"]), (&"typed".into(), &"glossary".into()), "{korean}");
}

#[test]
fn fusions_differ_and_unknown_ones_are_refused() {
    let project = Project::sample();
    for fusion in ["linear", "rrf", "weighted", "alpha"] {
        let hit =
            &project.json(&["search", "hands out connection", "--fusion", fusion, "--explain"])["results"][0];
        let label = hit["explanation"]["label"].as_str().unwrap();
        let expected = if fusion == "linear" { "score".to_owned() } else { format!("score, {fusion}") };
        assert_eq!(label, expected);
    }
    check(
        &project.jari(&["search", "connection", "--fusion", "magic"]),
        &expect![[r#"
        exit: 2
        --- stderr
        error: invalid value 'magic' for '--fusion <WAY>': `magic` is none of linear, rrf, weighted, alpha

        For more information, try '--help'.
    "#]],
    );
}

#[test]
fn korean_questions_find_english_code_beside_korean_pages() {
    let project = Project::sample();
    project.write("README.ko.md", "# 풀\n\n연결을 꺼내 쓰고 재시도 횟수를 정합니다.\n");
    let found = project.json(&["search", "연결 재시도", "--mode", "keyword", "--only", "code"]);
    let hits = found["results"].as_array().unwrap();
    let paths: Vec<&str> = hits.iter().filter_map(|hit| hit["path"].as_str()).collect();
    assert!(paths.contains(&"src/retry.rs") && paths.contains(&"src/net/pool.py"), "{found}");
}

#[test]
fn a_phrase_after_a_dash_leaves_places_out() {
    let project = Project::sample();
    let found = |query: &str| {
        let found = project.json(&["search", query, "--mode", "keyword"]);
        found["results"].as_array().map_or(0, Vec::len)
    };
    let all = found("connection");
    assert!(found("connection -\"hands out a connection\"") < all);
    assert_eq!(found("connection -\"hands out two connections\""), all);
}
