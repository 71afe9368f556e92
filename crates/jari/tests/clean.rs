//! `jari clean`, as a user meets it.

mod common;

use common::{Project, check};
use expect_test::expect;

#[test]
fn the_index_is_deleted_and_nothing_else() {
    let project = Project::sample();
    project.jari(&["index"]).exits(0);
    check(
        &project.jari(&["clean"]),
        &expect![[r#"
        exit: 0
        --- stdout
        deleted [TEMP]/project/.jari
    "#]],
    );
    assert!(!project.path(".jari").exists());
    assert!(project.path("src/retry.rs").exists());
}

#[test]
fn a_file_of_the_users_survives() {
    let project = Project::sample();
    project.jari(&["index"]).exits(0);
    project.write(".jari/notes.txt", "mine");
    project.jari(&["clean"]).exits(0);
    assert_eq!(project.index_files(), [project.path(".jari/notes.txt")]);
}

#[test]
fn without_an_index_there_is_nothing_to_delete() {
    let project = Project::sample();
    project.jari(&["index"]).exits(0);
    project.jari(&["clean"]).exits(0);
    check(
        &project.jari(&["clean"]),
        &expect![[r#"
        exit: 1
        --- stderr
        there is no index at [TEMP]/project/.jari
    "#]],
    );
    check(
        &project.jari(&["clean", "--json"]),
        &expect![[r#"
        exit: 1
        --- stdout
        {"index_dir":"[TEMP]/project/.jari","removed":false}
    "#]],
    );
}

#[test]
fn an_index_elsewhere_is_deleted_too() {
    let project = Project::sample();
    let elsewhere = project.home().join("elsewhere");
    let flag = ["--index-dir", elsewhere.to_str().unwrap()];
    project.jari(&[&["index"], &flag[..]].concat()).exits(0);
    project.jari(&[&["clean"], &flag[..]].concat()).exits(0);
    assert!(!elsewhere.exists());
}

#[test]
fn a_subfolder_does_not_stand_for_the_project_without_saying_so() {
    let project = Project::sample();
    project.jari(&["index"]).exits(0);
    let output = project.jari(&["clean", "src"]).exits(0);
    assert!(output.stdout.contains("project/.jari"), "what was deleted is named: {}", output.stdout);
}
