//! `jari index`, as a user meets it.

mod common;

use common::{Project, check};
use expect_test::expect;

#[test]
fn indexing_says_what_was_done() {
    check(
        &Project::sample().jari(&["index"]),
        &expect![[r#"
        exit: 0
        --- stdout
        3 added · 0 updated · 0 renamed · 0 removed · 0 unchanged · 0 skipped
        --- stderr
        indexed   3 files · 4 chunks · [speed] · [time]
    "#]],
    );
}

#[test]
fn indexing_again_changes_nothing() {
    let project = Project::sample();
    project.jari(&["index"]).exits(0);
    check(
        &project.jari(&["index"]),
        &expect![[r#"
        exit: 0
        --- stdout
        0 added · 0 updated · 0 renamed · 0 removed · 3 unchanged · 0 skipped
    "#]],
    );
}

#[test]
fn rebuilding_starts_over() {
    let project = Project::sample();
    project.jari(&["index"]).exits(0);
    check(
        &project.jari(&["index", "--rebuild"]),
        &expect![[r#"
        exit: 0
        --- stdout
        3 added · 0 updated · 0 renamed · 0 removed · 0 unchanged · 0 skipped
        --- stderr
        indexed   3 files · 4 chunks · [speed] · [time]
    "#]],
    );
}

#[test]
fn rebuilding_where_there_is_no_index_makes_one() {
    let project = Project::sample();
    let answer = project.jari(&["index", "--rebuild", "--json"]).exits(0).json();
    assert_eq!(answer["added"], 3);
}

#[test]
fn the_index_can_stand_elsewhere() {
    let project = Project::sample();
    let elsewhere = project.home().join("elsewhere");
    let flag = ["index", "--index-dir", elsewhere.to_str().unwrap()];
    project.jari(&flag).exits(0);
    let mut by_variable = project.command(&["update", "--json"]);
    let answer = project.run(by_variable.env("JARI_INDEX_DIR", &elsewhere)).exits(0).json();
    assert_eq!(answer["unchanged"], 3);
    assert!(!project.path(".jari").exists());
}

#[test]
fn an_index_inside_the_project_under_another_name_is_not_indexed_itself() {
    let project = Project::sample();
    project.jari(&["index", "--index-dir", "cache"]).exits(0);
    let again = project.jari(&["index", "--index-dir", "cache", "--json"]).exits(0).json();
    assert_eq!((&again["unchanged"], &again["added"]), (&3.into(), &0.into()), "{again}");
}

#[test]
fn the_index_hides_itself_from_git() {
    let project = Project::sample();
    project.jari(&["index"]).exits(0);
    assert_eq!(std::fs::read_to_string(project.path(".jari/.gitignore")).unwrap(), "*\n");
}

#[test]
fn other_settings_make_a_new_index() {
    let project = Project::sample();
    project.jari(&["index"]).exits(0);
    project.write("jari.toml", "max_file_size = 100\n");
    check(
        &project.jari(&["index"]),
        &expect![[r#"
            exit: 0
            --- stdout
            2 added · 0 updated · 0 renamed · 0 removed · 0 unchanged · 2 skipped (2 too large)
            --- stderr
            note: the index was made by another version or with other settings and is made anew
            indexed   2 files · 2 chunks · [speed] · [time]
        "#]],
    );
}

#[test]
fn incremental_updates_give_what_a_rebuild_gives() {
    let project = Project::sample();
    project.jari(&["index"]).exits(0);
    let steps: [&dyn Fn(); 6] = [
        &|| project.write("src/retry.rs", common::RETRY.replace("attempt", "hedgehog")),
        &|| project.rename("src/net/pool.py", "src/pond.py"),
        &|| project.write("src/more.py", common::POOL.replace("Pool", "Lake")),
        &|| project.remove("README.md"),
        &|| {
            project.write("README.md", "# Again\n\nConnections are back.\n");
            project.write("src/more.py", "\0\0\0");
        },
        &|| {
            project.write("src/more.py", common::POOL.replace("Pool", "Sea"));
            project.touch("src/pond.py");
        },
    ];
    for step in steps {
        step();
        project.jari(&["update"]).exits(0);
    }
    let fresh = project.home().join("fresh");
    let elsewhere = ["--index-dir", fresh.to_str().unwrap()];
    project.jari(&[&["index"], &elsewhere[..]].concat()).exits(0);
    for sql in [
        "SELECT path, language, size, modified, hash, skip, chunks, words FROM files ORDER BY path",
        "SELECT path, ordinal, kind, first, last, symbol, doc_first, doc_last FROM chunks JOIN files ON id = file \
         ORDER BY path, ordinal",
        "SELECT path, ordinal, name, folded, kind, container, signature, doc, exported, first, last, chunk FROM symbols \
         JOIN files ON id = file ORDER BY path, ordinal",
        "SELECT path, text, uses FROM files JOIN texts ON texts.file = id JOIN uses ON uses.file = id ORDER BY path",
    ] {
        let incremental = project.rows(sql);
        assert!(!incremental.is_empty());
        assert_eq!(incremental, common::rows(&fresh, sql), "{sql}");
    }
    for query in ["connection", "retry hedgehog", "take patience", "sea", "lake", "sample"] {
        let answer = |more: &[&str]| {
            project.json(&[&["search", query, "--explain"], more].concat())["results"].clone()
        };
        assert_eq!(answer(&[]), answer(&elsewhere), "{query}");
    }
}
