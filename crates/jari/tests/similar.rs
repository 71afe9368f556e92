//! `jari similar`

mod common;

use common::{Project, check};
use expect_test::expect;

fn project() -> Project {
    let project = Project::sample();
    project.write(
        "src/again.py",
        "def repeat_until_it_works(call, most):\n    for attempt in range(most):\n        if call():\n            return True\n        sleep(pause(attempt))\n    return False\n",
    );
    project
}

#[test]
fn a_place_is_like_others_but_not_like_itself() {
    let places = project().places(&["similar", "src/retry.rs:3"]);
    assert_eq!(places.first().map(String::as_str), Some("src/again.py:1-6"), "{places:?}");
    assert!(places.iter().all(|place| !place.starts_with("src/retry.rs:1-")), "{places:?}");
}

#[test]
fn a_snippet_may_come_from_stdin() {
    let project = project();
    let mut command = project.command(&["similar", "--snippet", "-", "-k", "1", "-q"]);
    let folder = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(folder.path(), "def until_it_works(call, most):\n    for attempt in range(most):\n        if call():\n            return True\n").unwrap();
    command.stdin(std::fs::File::open(folder.path()).unwrap());
    let output = project.run(&mut command);
    assert!(output.stdout.starts_with("src/again.py:1-6"), "{output:?}");
}

#[test]
fn what_names_no_line_is_refused_with_a_hint() {
    let project = project();
    check(
        &project.jari(&["similar", "src/retry.rs"]),
        &expect![[r#"
        exit: 2
        --- stderr
        error: `src/retry.rs` names no line
        hint: write FILE:LINE, for example src/main.rs:12
    "#]],
    );
    check(
        &project.jari(&["similar", "src/retry.rs:900", "-q"]),
        &expect![[r#"
        exit: 2
        --- stderr
        error: there is nothing at line 900 of `src/retry.rs`
        hint: it has 10 lines; name one with text on it
    "#]],
    );
    check(
        &project.jari(&["similar", "src/retyr.rs:1", "-q"]),
        &expect![[r#"
        exit: 2
        --- stderr
        error: no `src/retyr.rs` in the index
        hint: did you mean src/retry.rs?
    "#]],
    );
}
