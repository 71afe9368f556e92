//! `jari toc`, as a user meets it.

mod common;

use common::{Project, check};
use expect_test::expect;

#[test]
fn the_outline_shows_lines_titles_and_sizes() {
    let project = Project::documents();
    check(
        &project.jari(&["toc", "docs/guide.md"]),
        &expect![[r#"
        exit: 0
        --- stdout
                The guide
             6  Guide  11 tokens
            10    Install  23 tokens
            18      From source  10 tokens
            22    Configure  43 tokens
    "#]],
    );
}

#[test]
fn depth_ends_the_outline() {
    let project = Project::documents();
    check(
        &project.jari(&["toc", "docs/guide.md", "--depth", "1"]),
        &expect![[r#"
        exit: 0
        --- stdout
                The guide
             6  Guide  11 tokens
    "#]],
    );
}

#[test]
fn json_has_ids_ranges_and_hashes() {
    let project = Project::documents();
    check(
        &project.jari(&["toc", "docs/usage.md", "--json"]),
        &expect![[r#"
            exit: 0
            --- stdout
            {"path":"docs/usage.md","language":"markdown","degraded":false,"reason":null,"title":"Usage","sections":[{"section_id":"docs/usage.md#usage","title":"Usage","level":1,"heading_path":["Usage"],"anchor":"usage","start_line":1,"end_line":1,"end_line_with_subsections":5,"start_byte":0,"end_byte":7,"tokens":3,"hash":"fa34f01cb80645fbc28845dfae3e86f7"},{"section_id":"docs/usage.md#usage/basics","title":"Basics","level":2,"heading_path":["Usage","Basics"],"anchor":"basics","start_line":3,"end_line":5,"end_line_with_subsections":5,"start_byte":9,"end_byte":53,"tokens":12,"hash":"8c0be9326f6e6f97c293547552a2a62b"}]}
        "#]],
    );
}

#[test]
fn a_file_of_code_has_no_outline() {
    let project = Project::documents();
    check(
        &project.jari(&["toc", "src/retry.rs"]),
        &expect![[r#"
            exit: 2
            --- stderr
            error: `src/retry.rs` is no document but rust
            hint: `jari skeleton src/retry.rs` shows its definitions
        "#]],
    );
}

#[test]
fn invalid_mdx_is_read_all_the_same() {
    let project = Project::documents();
    check(
        &project.jari(&["toc", "docs/broken.mdx"]),
        &expect![[r#"
            exit: 0
            --- stdout
                 1  Broken  6 tokens
                 5    Part  6 tokens
            --- stderr
            note: `docs/broken.mdx` is not valid mdx: read by a tolerant parser
        "#]],
    );
    check(
        &project.jari(&["toc", "docs/broken.mdx", "--json"]),
        &expect![[r#"
            exit: 0
            --- stdout
            {"path":"docs/broken.mdx","language":"mdx","degraded":true,"reason":"parser_fallback","title":"Broken","sections":[{"section_id":"docs/broken.mdx#broken","title":"Broken","level":1,"heading_path":["Broken"],"anchor":"broken","start_line":1,"end_line":3,"end_line_with_subsections":7,"start_byte":0,"end_byte":16,"tokens":6,"hash":"ee29e91ede1b840482d4b36204c1e843"},{"section_id":"docs/broken.mdx#broken/part","title":"Part","level":2,"heading_path":["Broken","Part"],"anchor":"part","start_line":5,"end_line":7,"end_line_with_subsections":7,"start_byte":18,"end_byte":32,"tokens":6,"hash":"add16043b3c5f8f0170a6ede5827fcfa"}]}
        "#]],
    );
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let project = Project::documents();
    check(
        &project.jari(&["toc", "docs/gide.md"]),
        &expect![[r#"
            exit: 2
            --- stderr
            error: no file `docs/gide.md` in the project
            hint: did you mean docs/guide.md?
        "#]],
    );
}
