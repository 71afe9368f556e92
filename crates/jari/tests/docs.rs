//! `jari docs`, as a user meets it.

mod common;

use common::{Project, check};
use expect_test::expect;

#[test]
fn sections_are_found_with_their_heading_path() {
    let project = Project::documents();
    check(
        &project.jari(&["docs", "build from source", "-q"]),
        &expect![[r#"
        exit: 0
        --- stdout
        docs/guide.md:18-20 · The guide › Guide › Install › From source  #.##
            18  ### From source
            20  Build it with care.
    "#]],
    );
}

#[test]
fn modes_without_vectors_answer_by_keyword_and_say_so() {
    let project = Project::documents();
    check(
        &project.run(
            project
                .command(&["docs", "retries", "--mode", "semantic", "-k", "1"])
                .env("JARI_EMBEDDING_PROVIDER", "off"),
        ),
        &expect![[r#"
            exit: 0
            --- stdout
            docs/guide.md:22-28 · The guide › Guide › Configure  #.##
                22  ## Configure
                26  | retries | 3 |
            --- stderr
            note: there are no vectors: words answer alone
            indexed   5 files · 9 chunks · [speed] · [time]

            1 place · [time] · index fresh
        "#]],
    );
}

#[test]
fn search_mixes_code_and_sections_unless_told() {
    let project = Project::documents();
    check(
        &project.jari(&["search", "retries retry", "-q", "-k", "5"]),
        &expect![[r#"
        exit: 0
        --- stdout
        src/retry.rs:1-10 · function retry_with_backoff  #.##
             1  /// Runs `call` until it succeeds, waiting longer each time.
             2  pub fn retry_with_backoff(call: impl Fn() -> bool, most: u32) -> bool {
        docs/guide.md:22-28 · The guide › Guide › Configure  #.##
            22  ## Configure
            26  | retries | 3 |
    "#]],
    );
    check(
        &project.jari(&["search", "retries retry", "--only", "code", "-q"]),
        &expect![[r#"
        exit: 0
        --- stdout
        src/retry.rs:1-10 · function retry_with_backoff  #.##
             1  /// Runs `call` until it succeeds, waiting longer each time.
             2  pub fn retry_with_backoff(call: impl Fn() -> bool, most: u32) -> bool {
    "#]],
    );
    check(
        &project.jari(&["search", "retries retry", "--only", "docs", "-q"]),
        &expect![[r#"
        exit: 0
        --- stdout
        docs/guide.md:22-28 · The guide › Guide › Configure  #.##
            22  ## Configure
            26  | retries | 3 |
    "#]],
    );
}
