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
        indexed   3 files · 5 chunks · [speed] · [time]

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
    expect!["degraded index mode query reason results took_ms"].assert_eq(&keys(&answer).join(" "));
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
                    #.##  score
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
            --- stderr
            indexed   3 files · 5 chunks · [speed] · [time]

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
        &project.jari(&["search", "connection", "--max-tokens", "100"]),
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
            src/net/pool.py:1-2 · class Pool  #.##
            --- stderr
            indexed   3 files · 5 chunks · [speed] · [time]

            2 places · [time] · index fresh · to fit the budget: 1 by place only, 1 left out
        "#]],
    );
    let answer = project.json(&["search", "connection", "--max-tokens", "100"]);
    assert_eq!(keys(&answer["cut"]), ["dropped", "places", "shortened"]);
    let all = project.json(&["search", "retry backoff", "--max-tokens", "10000"]);
    assert_eq!(all["cut"], serde_json::Value::Null);
    assert_eq!(all["results"][0]["text"], RETRY.trim_end());
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
    let mut places = project.places(&["search", "결제 handler"]);
    places.sort();
    assert_eq!(places, ["bom.rs:1-6", "cp949.rs:1-6", "utf16be.rs:1-6", "utf16le.rs:1-6", "utf8.rs:1-6"]);
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
    assert_eq!(project.places(&["search", "결제"]).len(), 5);
    assert_eq!(project.places(&["search", "처리"]).len(), 5);
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
