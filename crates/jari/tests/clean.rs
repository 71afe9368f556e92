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
fn a_folder_of_somebody_elses_is_left_as_it_is_by_every_command() {
    let project = Project::sample();
    let theirs = project.home().join("theirs");
    for (path, text) in [("notes.txt", "mine"), ("lexical/a.txt", "mine"), (".gitignore", "target\n")] {
        let path = theirs.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let flag = ["--index-dir", theirs.to_str().unwrap()];
    for verb in [
        &["search", "retry"][..],
        &["grep", "retry"],
        &["index", "--rebuild"],
        &["update"],
        &["status"],
        &["watch"],
        &["doctor"],
        &["vectors", "build"],
        &["clean"],
    ] {
        let output = project.jari(&[verb, &flag].concat()).exits(2);
        assert!(output.stderr.contains("holds files and no index of Jari's"), "{verb:?}: {output:?}");
        assert_eq!(std::fs::read_dir(&theirs).unwrap().count(), 3, "{verb:?}");
    }
    assert_eq!(std::fs::read_to_string(theirs.join("lexical/a.txt")).unwrap(), "mine");
    assert_eq!(std::fs::read_to_string(theirs.join(".gitignore")).unwrap(), "target\n");
}

#[test]
fn a_subfolder_does_not_stand_for_the_project_without_saying_so() {
    let project = Project::sample();
    project.jari(&["index"]).exits(0);
    let output = project.jari(&["clean", "src"]).exits(0);
    assert!(output.stdout.contains("project/.jari"), "what was deleted is named: {}", output.stdout);
}
