//! `jari update`, as a user meets it.

mod common;

use common::{Project, RETRY, check, keys};
use expect_test::expect;

#[test]
fn every_change_is_counted() {
    let project = Project::sample();
    project.write("old.txt", "an old page\n");
    project.write("gone.txt", "soon gone\n");
    project.jari(&["index"]).exits(0);
    project.write("new.txt", "a new page\n");
    project.write("README.md", "# Sample\n\nEdited.\n");
    project.rename("old.txt", "moved.txt");
    project.remove("gone.txt");
    check(&project.jari(&["update"]), &expect![[""]].assert_eq(&keys(&answer).join(" "));
    assert_eq!(answer["bytes"], RETRY.len() + common::POOL.len() + 54);
}

#[test]
fn a_touched_but_equal_file_is_not_read_again() {
    let project = Project::sample();
    project.jari(&["index"]).exits(0);
    project.touch("src/retry.rs");
    let answer = project.json(&["update"]);
    assert_eq!((&answer["unchanged"], &answer["chunks"], &answer["updated"]), (&3.into(), &0.into(), &0.into()));
    let again = project.json(&["update"]);
    assert_eq!(again["generation"], answer["generation"], "the new time is remembered");
}

#[test]
fn a_rename_keeps_its_rows() {
    let project = Project::sample();
    project.jari(&["index"]).exits(0);
    let id = |path: &str| project.rows(&format!("SELECT id, chunks FROM files WHERE path = '{path}'"));
    let before = id("src/retry.rs");
    std::fs::create_dir(project.path("lib")).unwrap();
    project.rename("src/retry.rs", "lib/again.rs");
    let answer = project.json(&["update"]);
    assert_eq!((&answer["renamed"], &answer["chunks"], &answer["removed"]), (&1.into(), &0.into(), &0.into()));
    assert_eq!(id("lib/again.rs"), before);
    assert!(id("src/retry.rs").is_empty());
    assert_eq!(project.places(&["search", "again"]), ["lib/again.rs:1-10"]);
    assert_eq!(project.places(&["search", "backoff"]), ["lib/again.rs:1-10"]);
}

#[test]
fn a_whole_folder_can_be_renamed() {
    let project = Project::sample();
    project.jari(&["index"]).exits(0);
    project.rename("src", "lib");
    check(&project.jari(&["update"]), &expect![[r#"
        exit: 0
        --- stdout
        0 added · 0 updated · 2 renamed · 0 removed · 1 unchanged · 0 skipped
        --- stderr
        indexed   2 files · 0 chunks · [speed] · [time]
    "#]]);
    assert_eq!(project.places(&["search", "backoff"]), ["lib/retry.rs:1-10"]);
}

#[test]
fn two_files_can_trade_places() {
    let project = Project::new(&[("a.txt", "alpha\n"), ("b.txt", "bravo\n")]);
    project.jari(&["index"]).exits(0);
    project.rename("a.txt", "c.txt");
    project.rename("b.txt", "a.txt");
    project.rename("c.txt", "b.txt");
    project.jari(&["update"]).exits(0);
    assert_eq!(project.places(&["search", "alpha"]), ["b.txt:1-1"]);
    assert_eq!(project.places(&["search", "bravo"]), ["a.txt:1-1"]);
}

#[test]
fn a_file_that_becomes_binary_leaves_the_index() {
    let project = Project::sample();
    project.jari(&["index"]).exits(0);
    project.write("src/retry.rs", b"\0\x01\x02 backoff");
    check(&project.jari(&["update"]), &expect![[r#"
        exit: 0
        --- stdout
        0 added · 0 updated · 0 renamed · 0 removed · 2 unchanged · 1 skipped (1 binary)
    "#]]);
    assert!(project.places(&["search", "backoff"]).is_empty());
    project.write("src/retry.rs", RETRY);
    project.jari(&["update"]).exits(0);
    assert_eq!(project.places(&["search", "backoff"]), ["src/retry.rs:1-10"]);
}

#[test]
fn an_ignore_rule_that_comes_later_removes_files() {
    let project = Project::sample();
    project.jari(&["index"]).exits(0);
    project.write(".gitignore", "net/\n");
    check(&project.jari(&["update"]), &expect![[r#"
        exit: 0
        --- stdout
        0 added · 0 updated · 0 renamed · 0 removed · 3 unchanged · 1 skipped (1 secret)
    "#]]);
    project.write(".jariignore", "*.rs\n");
    project.jari(&["update"]).exits(0);
    assert_eq!(project.rows("SELECT path FROM files ORDER BY path"), [".gitignore", ".jariignore", "README.md"]);
}

#[test]
fn nothing_changed_writes_nothing() {
    let project = Project::sample();
    project.write(".env", "KEY=1\n");
    project.jari(&["index"]).exits(0);
    let state = || {
        let modified = |path: &std::path::PathBuf| std::fs::metadata(path).unwrap().modified().unwrap();
        project.index_files().into_iter().map(|path| (modified(&path), path)).collect::<Vec<_>>()
    };
    let before = state();
    check(&project.jari(&["update"]), &expect![[""]]);
    assert_eq!(project.json(&["update"])["generation"], 1);
    assert_eq!(state(), before);
}

#[test]
fn files_git_ignores_are_not_met() {
    let project = Project::new(&[
        (".git/HEAD", "ref: refs/heads/main\n"),
        (".git/info/exclude", "excluded.rs\n"),
        (".gitignore", "*.log\n/build/\n"),
        ("a.rs", "fn a() {}\n"),
        ("a.log", "noise\n"),
        ("build/b.rs", "fn b() {}\n"),
        ("deep/.gitignore", "local.rs\n"),
        ("deep/build/c.rs", "fn c() {}\n"),
        ("deep/local.rs", "fn local() {}\n"),
        ("excluded.rs", "fn excluded() {}\n"),
    ]);
    project.jari(&["update"]).exits(0);
    let paths = project.rows("SELECT path FROM files ORDER BY path");
    assert_eq!(paths, [".gitignore", "a.rs", "deep/.gitignore", "deep/build/c.rs"]);
}
