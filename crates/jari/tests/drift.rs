//! `jari mentions` and `jari drift`, as a user meets them.

mod common;

use std::process::Command;

use common::{POOL, Project, RETRY, check};
use expect_test::expect;

const GUIDE: &str = "\
# Guide

## Retrying

`retry_with_backoff` calls again; its waits are in `src/retry.rs`, see [the file](../src/retry.rs).

## Pooling

`Pool.take()` hands out a connection.

```python
pool = Pool(3)
connection = pool.take(2)
```
";

fn git(project: &Project, arguments: &[&str]) {
    let run = Command::new("git")
        .args(["-c", "user.name=a", "-c", "user.email=a@a.example", "-c", "commit.gpgsign=false"])
        .args(arguments)
        .current_dir(project.path("."))
        .output()
        .expect("git runs");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
}

fn commit(project: &Project, message: &str) {
    git(project, &["add", "-A"]);
    git(project, &["commit", "-qm", message]);
}

fn documented() -> Project {
    let project = Project::new(&[
        ("src/retry.rs", RETRY),
        ("src/pool.py", POOL),
        ("docs/guide.md", GUIDE),
        (".gitignore", ".jari\n"),
    ]);
    git(&project, &["init", "-q"]);
    commit(&project, "first");
    project
}

#[test]
fn sections_are_found_by_the_code_they_speak_of_and_code_by_its_section() {
    let project = documented();
    check(
        &project.jari(&["mentions", "Pool.take", "-q"]),
        &expect![[r#"
        exit: 0
        --- stdout
        docs/guide.md:7-14 · Guide › Pooling  span in line 9 and 1 more
    "#]],
    );
    check(
        &project.jari(&["mentions", "src/retry.rs", "-q"]),
        &expect![[r#"
        exit: 0
        --- stdout
        docs/guide.md:3-5 · Guide › Retrying  span in line 5 and 1 more
    "#]],
    );
    check(
        &project.jari(&["mentions", "docs/guide.md#retrying"]),
        &expect![[r#"
        exit: 0
        --- stdout
             5  retry_with_backoff → src/retry.rs:1-10
             5  src/retry.rs → src/retry.rs:1-1
        --- stderr
        2 names of the project in `docs/guide.md#retrying`
    "#]],
    );
    check(
        &project.jari(&["mentions", "docs/guide.md#nowhere"]),
        &expect![[r#"
        exit: 2
        --- stderr
        error: no `docs/guide.md#nowhere` in the index
        hint: did you mean docs/guide.md#guide or docs/guide.md#retrying or docs/guide.md#pooling?
    "#]],
    );
    assert_eq!(project.jari(&["mentions", "nothing_of_that_name"]).code, 1);
    let found = project.json(&["mentions", "retry_with_backoff"]);
    assert_eq!(found["sections"][0]["section_id"], "docs/guide.md#guide/retrying", "{found}");
}

#[test]
fn what_documents_still_name_is_reported_once_it_is_gone() {
    let project = documented();
    assert_eq!(project.jari(&["drift"]).code, 0, "nothing has changed yet");
    project.write("src/retry.rs", RETRY.replace("retry_with_backoff", "retry_with_backoffs"));
    project.write("src/pool.py", POOL.replace("def take(self, patience)", "def take(self, patience, fair)"));
    commit(&project, "second");
    let since = project.jari(&["drift", "--since", "HEAD~1", "-q"]);
    check(
        &since,
        &expect![[r#"
            exit: 1
            --- stdout
            docs/guide.md:5 · retry_with_backoff  is called `retry_with_backoffs` now · Guide › Retrying  #.##
            docs/guide.md:9 · take  was `def take(self, patience)`, is `def take(self, patience, fair)` · Guide › Pooling  #.##
        "#]],
    );
    let plain = project.jari(&["drift"]).exits(1);
    assert!(
        plain.stdout.starts_with("docs/guide.md:5 · retry_with_backoff  is not there any more since "),
        "{plain:?}"
    );
    assert!(plain.stdout.contains("today: retry_with_backoffs"), "{plain:?}");
    project.jari(&["drift", "--write-baseline", "../known.txt"]).exits(0);
    check(
        &project.jari(&["drift", "--baseline", "../known.txt"]),
        &expect![[r#"
        exit: 0
        --- stderr
        0 findings in 3 sections · 2 known
    "#]],
    );
    let found = project.json(&["drift", "-q"]);
    assert_eq!(
        (&found["findings"][0]["reason"], &found["sections"]),
        (&"taken_out".into(), &3.into()),
        "{found}"
    );
}

#[test]
fn examples_that_call_what_does_not_take_it_are_reported() {
    let example = |title: &str, call: &str| {
        format!("## {title}\n\nSo:\n\n```python\nfrom shop import Pool, open_pool\n\n{call}\n```\n\n")
    };
    let page = [
        "# Guide\n\n".to_owned(),
        example("Right", "pool = Pool(3)\npool.take(2)\nopen_pool(size=3)\nopen_pool(*sizes)"),
        example("Unknown", "open_pool(size=3, patience=2)"),
        example("Too many", "pool = Pool(3)\npool.take(2, 3)"),
        example("Missing", "open_pool()"),
        example("Errors", "open_pool(1, 2, 3)  # TypeError: wrong"),
        example("Deprecated", "open_pool(1, 2, 3)"),
        example("Their own", "def open_pool(a, b):\n    pass\n"),
    ];
    let theirs = "# Others\n\n```python\nfrom elsewhere import open_pool\nopen_pool(1, 2, 3)\n```\n";
    let project = Project::new(&[
        (
            "shop/__init__.py",
            &format!(
                "{POOL}\n\ndef open_pool(size):\n    \"\"\"open_pool(a, b) opens it.\"\"\"\n    pool = Pool(size)\n    return pool\n"
            ),
        ),
        ("docs/guide.md", &page[..7].concat()),
        ("docs/others.md", theirs),
        ("docs/own.md", &page[7]),
    ]);
    check(
        &project.jari(&["drift", "-q"]),
        &expect![[r#"
            exit: 1
            --- stdout
            docs/guide.md:23 · open_pool  is given `patience`, which it does not take: `def open_pool(size)` · Guide › Unknown  #.##
            docs/guide.md:34 · take  is given 2 arguments and takes 1: `def take(self, patience)` · Guide › Too many  #.##
            docs/guide.md:44 · open_pool  is not given `size`, which it needs: `def open_pool(size)` · Guide › Missing  #.##
        "#]],
    );
    let found = project.json(&["drift", "-q"]);
    assert_eq!(found["findings"][0]["reason"], "uncallable");
}

#[test]
fn changelogs_and_lines_that_say_so_may_name_what_is_gone() {
    let project = documented();
    project.write("CHANGELOG.md", "# Changes\n\n`retry_with_backoff` is new.\n");
    project.write("docs/guide.md", "# Guide\n\n`retry_with_backoff` was removed.\n");
    project.write("src/retry.rs", RETRY.replace("retry_with_backoff", "retry_with_backoffs"));
    commit(&project, "second");
    assert_eq!(project.jari(&["drift"]).code, 0);
    assert_eq!(project.jari(&["drift", "--since", "HEAD~1"]).code, 0);
}

#[test]
fn files_that_moved_and_revisions_that_do_not_exist() {
    let project = documented();
    std::fs::rename(project.path("src/retry.rs"), project.path("src/again.rs")).unwrap();
    commit(&project, "second");
    let found = project.json(&["drift", "--since", "HEAD~1", "-q"]);
    assert_eq!(
        (&found["findings"][0]["reason"], &found["findings"][0]["name"]),
        (&"moved".into(), &"src/retry.rs".into())
    );
    check(
        &project.jari(&["drift", "--since", "nowhere"]),
        &expect![[r#"
        exit: 2
        --- stderr
        error: no revision is called `nowhere`
        hint: name a commit, a branch or a tag: `git log --oneline` lists commits
    "#]],
    );
    check(
        &project.jari(&["drift", "--baseline", "missing.txt"]),
        &expect![[r#"
        exit: 2
        --- stderr
        error: `missing.txt` cannot be read: No such file or directory (os error 2)
        hint: `jari drift --write-baseline FILE` makes one
    "#]],
    );
    // A name may hold the very word by which a sentence says that something is gone.
    project.write("docs/more.md", "# More\n\nCall `removed_helper`.\n");
    project.write("src/more.py", "def removed_helper(a):\n    return a\n");
    commit(&project, "third");
    project.write("src/more.py", "def other(a):\n    return a\n");
    commit(&project, "fourth");
    let found = project.json(&["drift", "--since", "HEAD~1", "-q"]);
    assert_eq!(found["findings"][0]["name"], "removed_helper", "{found}");
    let bare = Project::new(&[("a.rs", RETRY)]);
    check(
        &bare.jari(&["drift", "--since", "HEAD"]),
        &expect![[r#"
        exit: 2
        --- stderr
        error: `[TEMP]/project` has no history that Git could tell of
        hint: it needs `git`, and a folder that is under its control
    "#]],
    );
}

#[test]
fn a_folder_narrows_what_is_counted_and_mentioned() {
    let project = documented();
    project.write("other/notes.md", "# Notes\n\n`Pool.take()` again.\n");
    assert_eq!(project.json(&["drift", "other", "-q"])["sections"], 1);
    assert_eq!(
        project.json(&["mentions", "Pool.take", "other"])["sections"].as_array().map(Vec::len),
        Some(1)
    );
}

#[test]
fn a_baseline_is_written_as_json_too_and_anything_else_is_refused() {
    let project = documented();
    let written = project.jari(&["drift", "--write-baseline", "../known.txt", "--json"]).exits(0).json();
    assert_eq!(written["findings"].as_array().map(Vec::len), Some(0));
    check(
        &project.jari(&["drift", "--baseline", "src/pool.py"]),
        &expect![[r#"
        exit: 2
        --- stderr
        error: `src/pool.py` is no baseline: "class Pool:" is no finding
        hint: `jari drift --write-baseline FILE` makes one
    "#]],
    );
}

#[test]
fn a_name_that_the_code_still_has_from_elsewhere_is_not_drift() {
    let project = documented();
    project.write("src/context.py", "class SSLContext:\n    pass\n");
    project.write("docs/tls.md", "# TLS\n\nPass an `SSLContext`.\n");
    commit(&project, "second");
    project.write("src/context.py", "from ssl import SSLContext\n\n\ndef make():\n    return SSLContext()\n");
    commit(&project, "third");
    project.jari(&["drift", "--since", "HEAD~1"]).exits(0);
    project.write("docs/tls.md", "# TLS\n\nPass a `context.SSLContext`, or `ssl.SSLContext`.\n");
    let found = project.json(&["drift", "--since", "HEAD~1", "-q"]);
    assert_eq!(found["findings"].as_array().map(Vec::len), Some(1), "{found}");
}
