//! `jari status`, as a user meets it.

mod common;

use common::{Project, check, keys};
use expect_test::expect;

/// Files of every kind that is not indexed, with one secret to look for.
fn with_skipped() -> Project {
    let project = Project::sample();
    project.write(".env", "PASSWORD=hunter2hunter2\n");
    project.write("deploy/server.pem", "hunter2hunter2\n");
    project
        .write("key.txt", "-----BEGIN RSA PRIVATE KEY-----\nhunter2hunter2\n-----END RSA PRIVATE KEY-----\n");
    project.write("data", b"\x7fELF\0\0\0");
    project.write("big.txt", "many words ".repeat(60));
    project.write("app.min.js", "var a\n");
    project.write("Cargo.lock", "version = 4\n");
    project.write("jari.toml", "max_file_size = 600\n");
    project
}

#[test]
fn no_index_is_exit_code_1() {
    let project = Project::sample();
    check(
        &project.jari(&["status"]),
        &expect![[r#"
            exit: 1
            --- stdout
            project   [TEMP]/project
            index     [TEMP]/project/.jari
            state     none · `jari index` makes one, `jari search` does it by itself
            sends     nothing
        "#]],
    );
    assert!(!project.path(".jari").exists(), "looking makes nothing");
    assert_eq!(project.jari(&["status", "--json"]).exits(1).json()["state"], "none");
}

#[test]
fn an_index_that_is_what_the_files_are_is_fresh() {
    let project = Project::sample();
    project.jari(&["index"]).exits(0);
    check(
        &project.jari(&["status"]),
        &expect![[r#"
            exit: 0
            --- stdout
            project   [TEMP]/project
            index     [TEMP]/project/.jari
            state     fresh · generation 1
            holds     3 files · 4 chunks · 4 symbols
            size      [size] rows · [size] postings
            keywords  built in [time] · [time] a search
            trigrams  384 · 39 too common to narrow · 0 files always looked at
            vectors   4 · exact · [size] · 0 chunks without · built in [time] · [time] a search
            model     bundled · 256 dimensions
            languages markdown 1 · python 1 · rust 1
            skipped   nothing
            sends     nothing
        "#]],
    );
    assert_eq!(project.json(&["status"])["state"], "fresh");
}

#[test]
fn an_edit_makes_it_stale_and_looking_does_not_index() {
    let project = Project::sample();
    project.jari(&["index"]).exits(0);
    project.write("README.md", "other words\n");
    project.remove("src/retry.rs");
    check(
        &project.jari(&["status"]),
        &expect![[r#"
            exit: 0
            --- stdout
            project   [TEMP]/project
            index     [TEMP]/project/.jari
            state     stale: 1 changed, 1 removed since (jari update) · generation 1
            holds     3 files · 4 chunks · 4 symbols
            size      [size] rows · [size] postings
            keywords  built in [time] · [time] a search
            trigrams  384 · 39 too common to narrow · 0 files always looked at
            vectors   4 · exact · [size] · 0 chunks without · built in [time] · [time] a search
            model     bundled · 256 dimensions
            languages markdown 1 · python 1 · rust 1
            skipped   nothing
            sends     nothing
        "#]],
    );
    let answer = project.json(&["status"]);
    assert_eq!(answer["stale"], serde_json::json!({"changed": 1, "removed": 1}));
    assert_eq!(answer["generation"], 1);
}

#[test]
fn skipped_files_are_listed_with_the_reason() {
    let project = with_skipped();
    project.jari(&["index"]).exits(0);
    check(
        &project.jari(&["status", "--skipped"]),
        &expect![[r#"
            exit: 0
            --- stdout
            project   [TEMP]/project
            index     [TEMP]/project/.jari
            state     fresh · generation 1
            holds     4 files · 5 chunks · 4 symbols
            size      [size] rows · [size] postings
            keywords  built in [time] · [time] a search
            trigrams  396 · 44 too common to narrow · 0 files always looked at
            vectors   5 · exact · [size] · 0 chunks without · built in [time] · [time] a search
            model     bundled · 256 dimensions
            languages markdown 1 · python 1 · rust 1 · toml 1
            skipped   binary 1 · too large 1 · minified 1 · generated 1 · secret 3
                secret  .env
             generated  Cargo.lock
              minified  app.min.js
             too large  big.txt
                binary  data
                secret  deploy/server.pem
                secret  key.txt
            sends     nothing
        "#]],
    );
    let answer = project.json(&["status", "--skipped"]);
    assert_eq!(answer["skipped_files"][0], serde_json::json!({"path": ".env", "reason": "secret"}));
}

#[test]
fn the_size_limit_can_be_set_in_the_environment() {
    let project = Project::sample();
    let mut index = project.command(&["index", "--json"]);
    let answer = project.run(index.env("JARI_MAX_FILE_SIZE", "100")).exits(0).json();
    assert_eq!(answer["skipped"], serde_json::json!({"too large": 2}));
}

#[test]
fn a_secret_is_nowhere_in_the_index() {
    let project = with_skipped();
    project.jari(&["index"]).exits(0);
    for file in project.index_files() {
        let bytes = std::fs::read(&file).unwrap();
        let found = bytes.windows(7).any(|window| window.eq_ignore_ascii_case(b"hunter2"));
        assert!(!found, "{}", file.display());
    }
    assert!(project.places(&["search", "hunter2hunter2"]).is_empty());
    assert!(project.places(&["search", "password"]).is_empty());
    // Texts are packed; what is packed has no row of a skipped file.
    let packed = project.rows("SELECT path FROM texts JOIN files ON id = file WHERE skip IS NOT NULL");
    assert!(packed.is_empty(), "{packed:?}");
}

#[test]
fn json_has_one_shape() {
    let project = Project::sample();
    project.jari(&["index"]).exits(0);
    let answer = project.json(&["status"]);
    expect!["bytes chunks files generation index_dir keyword_index languages model notes root sends skipped stale state symbols trigrams vector_index"]
        .assert_eq(&keys(&answer).join(" "));
    assert_eq!(answer["languages"], serde_json::json!({"markdown": 1, "python": 1, "rust": 1}));
}

#[test]
fn looking_with_other_settings_keeps_the_index() {
    let project = Project::sample();
    project.jari(&["index"]).exits(0);
    let mut other = project.command(&["status"]);
    project.run(other.env("JARI_MAX_FILE_SIZE", "100"));
    assert_eq!(project.json(&["status"])["files"], 3, "status only looks");
}

#[test]
fn an_indexed_project_without_files_has_an_index() {
    let project = Project::new(&[]);
    project.jari(&["index"]).exits(0);
    project.jari(&["status"]).exits(0);
}

#[test]
fn a_model_that_cannot_be_used_is_named() {
    let project = Project::sample();
    project.jari(&["index"]).exits(0);
    project.write("model/tokenizer.json", "{}");
    check(
        &project.run(project.command(&["status", "-q"]).env("JARI_EMBEDDING_MODEL", "model")),
        &expect![[r#"
            exit: 2
            --- stderr
            error: `model/tokenizer.json` cannot be used: missing field `model` at line 1 column 2
            hint: models of the potion family (`potion-base-8M` and its kin) are known to work
        "#]],
    );
    check(
        &project.run(project.command(&["status", "-q"]).env("JARI_EMBEDDING_MODEL", "nowhere")),
        &expect![[r#"
            exit: 2
            --- stderr
            error: there is no `nowhere`
            hint: a model is a folder in model2vec's format (`model.safetensors` and `tokenizer.json`), or a file that Jari's training made
        "#]],
    );
}

#[test]
fn status_tells_how_long_both_sides_took_to_build_and_verbose_says_the_same() {
    let project = Project::sample();
    project.jari(&["index"]).exits(0);
    let status = project.json(&["status"]);
    for side in ["keyword_index", "vector_index"] {
        for figure in ["build_ms", "query_ms", "size"] {
            assert!(status[side][figure].is_number(), "{side}.{figure}: {status}");
        }
    }
    let said = project.jari(&["status", "--verbose"]).exits(0);
    for side in ["keyword_index build_ms=", "vector_index build_ms="] {
        assert!(said.stderr.contains(side), "{}", said.stderr);
    }
}

#[test]
fn what_is_said_of_steps_holds_no_text() {
    let project = Project::sample();
    project.write("src/fruit.rs", "/// A persimmon in the orchard.\nfn harvest() {}\n");
    let said = project.jari(&["search", "persimmon", "--verbose"]).exits(0);
    for step in
        ["walk: ", "commit: ", "search:candidates: ", "search:order: ", "search:hydrate: ", "time.busy="]
    {
        assert!(said.stderr.contains(step), "{step}: {}", said.stderr);
    }
    assert!(!said.stderr.contains("persimmon") && !said.stderr.contains("orchard"), "{}", said.stderr);
}
