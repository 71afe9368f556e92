//! `jari skeleton`, as a user meets it.

mod common;

use common::{Project, check};
use expect_test::expect;

#[test]
fn a_document_shows_how_each_section_begins() {
    let project = Project::documents();
    check(
        &project.jari(&["skeleton", "docs/guide.md"]),
        &expect![[r#"
        exit: 0
        --- stdout
             1  (before the first heading)  15 tokens
             6  Guide  11 tokens
                  How to use it.
            10    Install  23 tokens · 1 link · 1 code block
                    Run the script.
            18      From source  10 tokens
                      Build it with care.
            22    Configure  43 tokens · 3 links
                    Read [the site](https://a.example) and [gone](gone.md) and [nowhere](usage.md#nowhere).
    "#]],
    );
}

#[test]
fn code_shows_signatures_and_docs() {
    let project = Project::documents();
    check(
        &project.jari(&["skeleton", "src/retry.rs"]),
        &expect![[r#"
        exit: 0
        --- stdout
             1  pub fn retry_with_backoff(call: impl Fn() -> bool, most: u32) -> bool
                  Runs `call` until it succeeds, waiting longer each time.
    "#]],
    );
}
