//! `jari links`, as a user meets it.

mod common;

use common::{Project, check};
use expect_test::expect;

#[test]
fn the_project_shows_what_leaves_and_reaches_each_document() {
    let project = Project::documents();
    check(
        &project.jari(&["links", "-q"]),
        &expect![[r#"
        exit: 0
        --- stdout
        docs/broken.mdx  0 out · 0 back
        docs/guide.md  4 out · 1 back · 2 broken
        docs/lonely.md  0 out · 0 back
        docs/usage.md  1 out · 2 back
    "#]],
    );
}

#[test]
fn a_document_shows_where_its_links_lead() {
    let project = Project::documents();
    check(
        &project.jari(&["links", "docs/guide.md", "-q"]),
        &expect![[r#"
            exit: 0
            --- stdout
            docs/guide.md:12  usage.md#basics → docs/usage.md#basics
            docs/guide.md:28  https://a.example
            docs/guide.md:28  gone.md → docs/gone.md  no such file
            docs/guide.md:28  usage.md#nowhere → docs/usage.md#nowhere  no such heading
        "#]],
    );
}

#[test]
fn broken_links_are_found() {
    let project = Project::documents();
    check(
        &project.jari(&["links", "--broken", "-q"]),
        &expect![[r#"
        exit: 0
        --- stdout
        docs/guide.md:28  gone.md → docs/gone.md  no such file
        docs/guide.md:28  usage.md#nowhere → docs/usage.md#nowhere  no such heading
    "#]],
    );
}

#[test]
fn backlinks_are_found_by_file_and_by_place() {
    let project = Project::documents();
    check(
        &project.jari(&["links", "docs/usage.md", "--back", "-q"]),
        &expect![[r#"
            exit: 0
            --- stdout
            docs/guide.md:12  usage.md#basics → docs/usage.md#basics
            docs/guide.md:28  usage.md#nowhere → docs/usage.md#nowhere  no such heading
        "#]],
    );
    check(
        &project.jari(&["links", "docs/usage.md#basics", "--back", "-q"]),
        &expect![[r#"
            exit: 0
            --- stdout
            docs/guide.md:12  usage.md#basics → docs/usage.md#basics
        "#]],
    );
}

#[test]
fn orphans_are_found() {
    let project = Project::documents();
    check(
        &project.jari(&["links", "--orphans", "-q"]),
        &expect![[r#"
        exit: 0
        --- stdout
        docs/broken.mdx
        docs/lonely.md
    "#]],
    );
}

#[test]
fn a_document_that_is_not_there_gets_near_ones() {
    let project = Project::documents();
    check(
        &project.jari(&["links", "docs/gide.md", "-q"]),
        &expect![[r#"
            exit: 2
            --- stderr
            error: no `docs/gide.md` in the index
            hint: did you mean docs/guide.md or docs/usage.md?
        "#]],
    );
}
