//! `jari eval`

mod common;

use common::{Project, check};
use expect_test::expect;

const QUESTIONS: &str = r#"{"id": "a", "query": "repeat a call with growing pauses", "category": "meaning", "targets": [{"path": "src/retry.rs"}]}
{"id": "b", "query": "take a connection from the pool", "category": "words", "targets": [{"path": "src/net/pool.py", "start_line": 1, "end_line": 40}]}
{"id": "c", "query": "connections are pooled", "category": "words", "targets": [{"path": "nowhere.rs"}]}
"#;

fn project() -> Project {
    let project = Project::sample();
    // Not in the project: it would be the best answer to its own questions.
    project.write("../questions.jsonl", QUESTIONS);
    project
}

#[test]
fn figures_come_for_all_and_for_groups_and_the_run_can_be_scored_elsewhere() {
    let project = project();
    let figures = project.json(&["eval", "--queries", "../questions.jsonl", "--run", "run.jsonl", "-q"]);
    let all = &figures["rows"][0];
    assert_eq!((&all["group"], &all["questions"]), (&"all".into(), &3.into()));
    assert!((all["ndcg_10"].as_f64().unwrap() - 2.0 / 3.0).abs() < 1e-9, "{figures}");
    assert!(all["p95_ms"].as_f64() > Some(0.0));
    let run = std::fs::read_to_string(project.path("run.jsonl")).unwrap();
    let first: serde_json::Value = serde_json::from_str(run.lines().next().unwrap()).unwrap();
    assert_eq!((&first["id"], &first["results"][0]["path"]), (&"a".into(), &"src/retry.rs".into()));
    let compared =
        project.jari(&["eval", "--queries", "../questions.jsonl", "--compare", "--format", "csv", "-q"]);
    let ways: Vec<&str> = compared
        .stdout
        .lines()
        .filter(|line| line.contains(",all,"))
        .filter_map(|line| line.split(',').next())
        .collect();
    let expected = [
        "keyword",
        "semantic",
        "hybrid",
        "hybrid rrf",
        "hybrid weighted",
        "hybrid alpha",
        "hybrid without MMR",
        "hybrid without glossary",
    ];
    assert_eq!(ways, expected);
    let calls = |way: &str| {
        let line = compared.stdout.lines().find(|line| line.starts_with(&format!("{way},all,")));
        line.and_then(|line| line.rsplit(',').nth(2).map(str::to_owned))
    };
    assert_eq!((calls("keyword").as_deref(), calls("hybrid").as_deref()), (Some("0"), Some("3")));
}

#[test]
fn ci_can_ask_for_a_least_figure() {
    let project = project();
    let ask = |least: &str| project.jari(&["eval", "--queries", "../questions.jsonl", "--min", least, "-q"]);
    assert_eq!((ask("0.5").code, ask("0.9").code), (0, 1));
}

#[test]
fn questions_that_cannot_be_read_are_named() {
    let project = project();
    project.write(
        "broken.jsonl",
        "{\"id\": \"a\", \"query\": \"x\", \"targets\": [{\"path\": \"a.rs\"}]}\nno object\n",
    );
    check(
        &project.jari(&["eval", "--queries", "broken.jsonl"]),
        &expect![[r#"
        exit: 2
        --- stderr
        error: broken.jsonl:2 is no question: expected ident at line 1 column 2
        hint: a line is {"id": …, "query": …, "targets": [{"path": …}]}
    "#]],
    );
    check(
        &project.jari(&["eval", "--queries", "missing.jsonl"]),
        &expect![[r#"
        exit: 2
        --- stderr
        error: `missing.jsonl` cannot be used: No such file or directory (os error 2)
        hint: check the path
    "#]],
    );
    check(
        &project.jari(&["eval", "--queries", "../questions.jsonl", "--field", "title"]),
        &expect![[r#"
        exit: 2
        --- stderr
        error: ../questions.jsonl:1 is no question: it has no `title`
        hint: a line is {"id": …, "query": …, "targets": [{"path": …}]}
    "#]],
    );
}

#[test]
fn questions_that_nothing_can_answer_rightly_are_refused() {
    let project = project();
    let refused = |question: &str, more: &[&str]| {
        project.write("odd.jsonl", format!("\u{feff}{question}\n"));
        let asked = project.jari(&[&["eval", "--queries", "odd.jsonl", "-q"], more].concat());
        assert_eq!(asked.code, 2, "{question}: {}", asked.stdout);
        asked.stderr
    };
    let lines = r#"{"id": "a", "query": "x", "targets": [{"path": "a.rs", "start_line": 9, "end_line": 3}]}"#;
    assert!(refused(lines, &[]).contains("its lines 9 to 3 end before they begin"));
    assert!(refused(r#"{"id": "a", "query": "x", "targets": []}"#, &[]).contains("it has no `targets`"));
    let whole = r#"{"id": "a", "query": "x", "targets": [{"path": "a.rs"}]}"#;
    assert!(refused(whole, &["--root", "{repo}"]).contains("question a does not say its `repo`"));
    assert!(refused(whole, &["--min", "nan"]).contains("a number from 0 to 1"));
    assert!(refused(whole, &["--run", "odd.jsonl"]).contains("would be written over"));
    assert!(std::fs::read_to_string(project.path("odd.jsonl")).unwrap().contains("a.rs"));
}

#[test]
fn targets_that_are_nowhere_are_told() {
    let project = project();
    let asked = project.jari(&["eval", "--queries", "../questions.jsonl"]);
    let told = "targets that no indexed file can be, so that nothing finds them: 1; the first is `nowhere.rs` of question c";
    assert!(asked.stderr.contains(told), "{}", asked.stderr);
}
