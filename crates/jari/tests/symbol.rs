//! `jari symbol`, as a user meets it.

mod common;

use common::{Project, check, keys};
use expect_test::expect;

#[test]
fn a_definition_is_found_by_its_name() {
    let project = Project::sample();
    check(
        &project.jari(&["symbol", "retry_with_backoff"]),
        &expect![[r#"
        exit: 0
        --- stdout
        src/retry.rs:1-10 · function retry_with_backoff
                pub fn retry_with_backoff(call: impl Fn() -> bool, most: u32) -> bool
                Runs `call` until it succeeds, waiting longer each time.
        --- stderr
        indexed   3 files · 4 chunks · [speed] · [time]
    "#]],
    );
}

#[test]
fn spelling_styles_are_equal() {
    let project = Project::sample();
    for name in ["RetryWithBackoff", "retry-with-backoff", "retryWithBackoff", "retry_with_backoff()"] {
        assert_eq!(project.places(&["symbol", name]), ["src/retry.rs:1-10"], "{name}");
    }
}

#[test]
fn modes_are_exact_prefix_and_contains() {
    let project = Project::sample();
    assert!(project.places(&["symbol", "retry"]).is_empty());
    assert!(project.places(&["symbol", "backoff", "--mode", "prefix"]).is_empty());
    assert_eq!(project.places(&["symbol", "retry", "--mode", "prefix"]), ["src/retry.rs:1-10"]);
    assert_eq!(project.places(&["symbol", "backoff", "--mode", "contains"]), ["src/retry.rs:1-10"]);
    check(
        &project.jari(&["symbol", "retry", "--mode", "fuzzy"]),
        &expect![[r#"
        exit: 2
        --- stderr
        error: invalid value 'fuzzy' for '--mode <MODE>'
          [possible values: exact, prefix, contains]

        For more information, try '--help'.
    "#]],
    );
}

#[test]
fn a_member_is_named_with_its_type() {
    let project = Project::sample();
    project.write("other.py", "def take(all):\n    a = 1\n    b = 2\n    c = 3\n    return all\n");
    assert_eq!(project.places(&["symbol", "take"]).len(), 2);
    for name in ["Pool.take", "Pool::take", "Pool#take", "pool.take"] {
        assert_eq!(project.places(&["symbol", name]), ["src/net/pool.py:10-16"], "{name}");
    }
    check(
        &project.jari(&["symbol", "Pool.take"]),
        &expect![[r#"
        exit: 0
        --- stdout
        src/net/pool.py:10-16 · method Pool.take
                def take(self, patience)
                Hands out a connection.
    "#]],
    );
    project.jari(&["symbol", "Puddle.take"]).exits(1);
}

#[test]
fn a_misspelt_name_gives_near_names() {
    let project = Project::sample();
    check(
        &project.jari(&["symbol", "retry_with_backof"]),
        &expect![[r#"
        exit: 1
        --- stderr
        indexed   3 files · 4 chunks · [speed] · [time]
        nothing is called `retry_with_backof`
        hint: names like it: retry_with_backoff
    "#]],
    );
    check(
        &project.jari(&["symbol", "zebra"]),
        &expect![[r#"
            exit: 1
            --- stderr
            nothing is called `zebra`
        "#]],
    );
    let answer = project.jari(&["symbol", "Pol", "--json"]).exits(1).json();
    assert_eq!(answer["near"], serde_json::json!(["Pool"]));
}

#[test]
fn kinds_narrow() {
    let project = Project::sample();
    assert_eq!(project.places(&["symbol", "t", "--mode", "contains", "--kind", "method"]).len(), 2);
    assert_eq!(project.places(&["symbol", "pool", "--kind", "class"]), ["src/net/pool.py:1-16"]);
    assert!(project.places(&["symbol", "pool", "--kind", "function"]).is_empty());
    check(
        &project.jari(&["symbol", "pool", "--kind", "klass"]),
        &expect![[r#"
            exit: 2
            --- stderr
            error: invalid value 'klass' for '--kind <KIND>': `klass` is none of function, method, class, struct, enum, interface, trait, impl, module, type, constant, field, macro, data, endpoint

            For more information, try '--help'.
        "#]],
    );
}

#[test]
fn languages_paths_folders_and_limits_narrow() {
    let project = Project::sample();
    project.jari(&["index"]).exits(0);
    let all = ["symbol", "t", "--mode", "contains"];
    let places = |more: &[&str]| project.places(&[&all[..], more].concat());
    assert!(places(&["--lang", "rust"]).iter().all(|place| place.starts_with("src/retry.rs")));
    assert!(places(&["--path", "*.py"]).iter().all(|place| place.starts_with("src/net/pool.py")));
    assert!(places(&["src/net"]).iter().all(|place| place.starts_with("src/net/pool.py")));
    assert_eq!(places(&["-k", "1"]).len(), 1);
}

#[test]
fn json_has_one_shape() {
    let project = Project::sample();
    let answer = project.json(&["symbol", "Pool.take"]);
    assert_eq!(keys(&answer), ["index", "name", "near", "results"]);
    expect![[r#"
        [
          {
            "container": "Pool",
            "doc": "Hands out a connection.",
            "end_line": 16,
            "exported": true,
            "fresh": true,
            "kind": "method",
            "language": "python",
            "name": "take",
            "path": "src/net/pool.py",
            "signature": "def take(self, patience)",
            "start_line": 10
          }
        ]
    "#]]
    .assert_eq(&format!("{:#}\n", answer["results"]));
}

#[test]
fn a_name_without_a_letter_is_refused() {
    check(
        &Project::sample().jari(&["symbol", "::"]),
        &expect![[r#"
        exit: 2
        --- stderr
        error: the name is empty
        hint: give a name or a part of one: jari symbol connect --mode contains
    "#]],
    );
}
