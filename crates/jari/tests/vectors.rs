//! `jari vectors`, and what becomes of vectors when the index changes.

mod common;

use common::{Project, check};
use expect_test::expect;
use serde_json::Value;

fn vectors(project: &Project) -> Value {
    project.json(&["status"])["vector_index"].clone()
}

#[test]
fn meaning_finds_what_words_do_not() {
    let project = Project::sample();
    let places = project.places(&["search", "연결을 풀에서 꺼내기", "-k", "1"]);
    assert!(places[0].starts_with("src/net/pool.py"), "{places:?}");
    let found = project.json(&["search", "backoff", "--mode", "semantic", "-k", "1"]);
    assert_eq!(found["mode"], "semantic");
    assert!(found["results"][0]["scores"]["vector"].as_f64() > Some(0.3), "{found}");
    assert!(
        project.json(&["search", "backoff", "--mode", "keyword"])["results"][0]["scores"]["vector"].is_null()
    );
}

#[test]
fn a_word_that_stands_nowhere_gets_near_names_and_no_substitute() {
    let answer = Project::sample().json(&["search", "retry_with_backof"]);
    let unknown = Project::sample().json(&["search", "zzqxv"]);
    assert_eq!(unknown["results"], serde_json::json!([]));
    assert!(answer["results"].as_array().is_some_and(|results| !results.is_empty()), "{answer}");
}

#[test]
fn vectors_follow_the_files() {
    let project = Project::sample();
    project.jari(&["index", "-q"]);
    let before = vectors(&project);
    assert_eq!((&before["missing"], &before["backend"]), (&0.into(), &"exact".into()));
    project.rename("src/retry.rs", "src/backoff.rs");
    project.write("src/new.py", "def parse_settings(path):\n    return open(path).read()\n");
    project.remove("README.md");
    project.jari(&["update", "-q"]);
    let after = vectors(&project);
    assert_eq!(after["missing"], 0, "{after}");
    let places = project.places(&["search", "read settings from a file", "--mode", "semantic", "-k", "1"]);
    assert_eq!(places, ["src/new.py:1-2"]);
}

#[test]
fn lost_or_damaged_vectors_are_made_again() {
    let project = Project::sample();
    project.jari(&["index", "-q"]);
    let file = project.path(".jari/vectors/bundled/jari/index.bin");
    let whole = std::fs::read(&file).unwrap();
    let mut flipped = whole.clone();
    flipped[200] ^= 1;
    for damaged in [&flipped[..], &whole[..90], b"no vectors"] {
        std::fs::write(&file, damaged).unwrap();
        assert_eq!(project.json(&["search", "backoff", "--no-update"])["reason"], "vectors_unavailable");
        let found = project.json(&["search", "backoff"]);
        assert_eq!((&found["degraded"], &found["mode"]), (&false.into(), &"hybrid".into()));
        assert_eq!(std::fs::read(&file).unwrap(), whole, "equal files give equal vectors");
    }
    std::fs::remove_dir_all(project.path(".jari/vectors")).unwrap();
    assert_eq!(project.json(&["search", "backoff"])["degraded"], false);
}

#[test]
fn a_limit_leaves_chunks_out_and_counts_them() {
    let project = Project::sample();
    project.run(project.command(&["index", "-q"]).env("JARI_VECTOR_INDEX_MAX_POINTS", "1"));
    let vectors = vectors(&project);
    assert!(vectors["count"].as_u64() <= Some(1) && vectors["missing"].as_u64() >= Some(3), "{vectors}");
}

#[test]
fn manual_vectors_wait_until_they_are_asked_for() {
    let project = Project::sample();
    let manual = |arguments: &[&str]| {
        project.run(project.command(arguments).env("JARI_VECTOR_INDEX_REBUILD", "manual"))
    };
    let found = manual(&["search", "backoff", "--json"]).json();
    assert_eq!((&found["mode"], &found["reason"]), (&"keyword".into(), &"vectors_unavailable".into()));
    manual(&["vectors", "build", "-q"]);
    assert_eq!(manual(&["search", "backoff", "--json"]).json()["mode"], "hybrid");
}

#[test]
fn a_graph_is_built_where_it_is_wanted() {
    let project = Project::sample();
    let graph = |arguments: &[&str]| project.run(project.command(arguments).env("JARI_VECTOR_INDEX", "hnsw"));
    let found = graph(&["search", "backoff", "--json"]).json();
    assert_eq!(found["degraded"], false, "{found}");
    assert_eq!(graph(&["status", "--json"]).json()["vector_index"]["backend"], "hnsw");
    std::fs::remove_file(project.path(".jari/vectors/bundled/jari/hnsw.bin")).unwrap();
    let without = graph(&["search", "backoff", "--no-update", "--json"]).json();
    assert_eq!(
        (&without["reason"], &without["mode"]),
        (&"vector_index_unavailable".into(), &"hybrid".into())
    );
    assert_eq!(without["results"], found["results"]);
}

#[test]
fn vectors_that_are_off_are_not_kept() {
    let project = Project::sample();
    let off = |arguments: &[&str]| project.run(project.command(arguments).env("JARI_VECTOR_INDEX", "off"));
    off(&["index", "-q"]);
    assert!(!project.path(".jari/vectors").exists());
    check(
        &off(&["vectors", "build"]),
        &expect![[r#"
        exit: 2
        --- stderr
        error: vectors are off
        hint: unset JARI_EMBEDDING_PROVIDER and JARI_VECTOR_INDEX, or set them to `auto`
    "#]],
    );
    check(
        &project.run(project.command(&["search", "x"]).env("JARI_VECTOR_INDEX", "much")),
        &expect![[r#"
            exit: 2
            --- stderr
            error: JARI_VECTOR_INDEX is `much`, which is not one of auto, off, exact, hnsw
            hint: unset JARI_VECTOR_INDEX or give one of auto, off, exact, hnsw
        "#]],
    );
}

#[test]
fn ways_to_search_are_compared_on_the_projects_own_chunks() {
    let project = Project::sample();
    let measured = project.json(&["bench", "vectors", "--points", "2,100"]);
    let ways: Vec<&str> =
        measured["rows"].as_array().unwrap().iter().filter_map(|row| row["way"].as_str()).collect();
    assert_eq!(ways, ["plain", "exact", "hnsw", "plain", "exact", "hnsw"]);
    assert!(measured["rows"].as_array().unwrap().iter().all(|row| row["recall_10"] == 1.0), "{measured}");
}
