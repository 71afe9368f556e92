//! `jari section`, as a user meets it.

mod common;

use common::{Project, check};
use expect_test::expect;

#[test]
fn a_heading_names_a_section() {
    let project = Project::documents();
    check(
        &project.jari(&["section", "docs/guide.md", "  INSTALL "]),
        &expect![[r#"
            exit: 0
            --- stdout
            docs/guide.md:10-16 · Guide › Install
                10  ## Install
                11  
                12  Run the script. See [usage](usage.md#basics).
                13  
                14  ```sh
                15  ./install
                16  ```
        "#]],
    );
}

#[test]
fn subsections_come_along_when_asked_for() {
    let project = Project::documents();
    check(
        &project.jari(&["section", "docs/guide.md", "Install", "--with-subsections"]),
        &expect![[r#"
            exit: 0
            --- stdout
            docs/guide.md:10-20 · Guide › Install
                10  ## Install
                11  
                12  Run the script. See [usage](usage.md#basics).
                13  
                14  ```sh
                15  ./install
                16  ```
                17  
                18  ### From source
                19  
                20  Build it with care.
        "#]],
    );
}

#[test]
fn headings_above_and_anchors_and_ids_name_it_too() {
    let project = Project::documents();
    check(
        &project.jari(&["section", "docs/guide.md", "Install", "From source", "-q"]),
        &expect![[r#"
            exit: 0
            --- stdout
            docs/guide.md:18-20 · Guide › Install › From source
                18  ### From source
                19  
                20  Build it with care.
        "#]],
    );
    check(
        &project.jari(&["section", "docs/guide.md#from-source", "-q"]),
        &expect![[r#"
            exit: 0
            --- stdout
            docs/guide.md:18-20 · Guide › Install › From source
                18  ### From source
                19  
                20  Build it with care.
        "#]],
    );
    check(
        &project.jari(&["section", "--id", "docs/guide.md#guide/install/from-source", "-q"]),
        &expect![[r#"
            exit: 0
            --- stdout
            docs/guide.md:18-20 · Guide › Install › From source
                18  ### From source
                19  
                20  Build it with care.
        "#]],
    );
}

#[test]
fn a_misspelt_heading_gets_near_ones_and_no_substitute() {
    let project = Project::documents();
    check(
        &project.jari(&["section", "docs/guide.md", "Instal"]),
        &expect![[r#"
            exit: 1
            --- stderr
            error: `docs/guide.md` has no section "Instal"
            hint: did you mean "Guide › Install" (line 10) or "Guide" (line 6) or "Guide › Configure" (line 22)? `jari toc docs/guide.md` lists all 4
        "#]],
    );
    check(
        &project.jari(&["section", "docs/guide.md", "Instal", "--json"]),
        &expect![[r#"
            exit: 1
            --- stdout
            {"path":"docs/guide.md","language":"markdown","degraded":false,"reason":null,"section":null,"start_line":null,"end_line":null,"text":null,"note":null,"error":"no_results","near":[{"section_id":"docs/guide.md#guide/install","title":"Install","level":2,"heading_path":["Guide","Install"],"anchor":"install","start_line":10,"end_line":16,"end_line_with_subsections":20,"start_byte":78,"end_byte":156,"tokens":23,"hash":"72fe389f128faf77a9e0ccb5644bae43"},{"section_id":"docs/guide.md#guide","title":"Guide","level":1,"heading_path":["Guide"],"anchor":"guide","start_line":6,"end_line":8,"end_line_with_subsections":28,"start_byte":43,"end_byte":76,"tokens":11,"hash":"9e5808a0e3d81ad235fabaac9d52405f"},{"section_id":"docs/guide.md#guide/configure","title":"Configure","level":2,"heading_path":["Guide","Configure"],"anchor":"configure","start_line":22,"end_line":28,"end_line_with_subsections":28,"start_byte":196,"end_byte":340,"tokens":43,"hash":"c98cb20cf1fdac2ba68137d5ea093cbd"}]}
        "#]],
    );
}

#[test]
fn an_old_path_leads_to_where_the_section_is_now() {
    let project = Project::documents();
    check(
        &project.jari(&["section", "docs/guide.md", "Setup", "From source"]),
        &expect![[r#"
            exit: 0
            --- stdout
            docs/guide.md:18-20 · Guide › Install › From source
                18  ### From source
                19  
                20  Build it with care.
            --- stderr
            note: no section is at `Setup › From source` any more; the nearest is `Guide › Install › From source`
        "#]],
    );
    check(
        &project.jari(&["section", "--id", "docs/guide.md#old/configure"]),
        &expect![[r#"
            exit: 0
            --- stdout
            docs/guide.md:22-28 · Guide › Configure
                22  ## Configure
                23  
                24  | key | value |
                25  |---|---|
                26  | retries | 3 |
                27  
                28  Read [the site](https://a.example) and [gone](gone.md) and [nowhere](usage.md#nowhere).
            --- stderr
            note: no section is at `old/configure` any more; the nearest is `Guide › Configure`
        "#]],
    );
}

#[test]
fn no_heading_is_a_mistake_that_is_explained() {
    let project = Project::documents();
    check(
        &project.jari(&["section", "docs/guide.md"]),
        &expect![[r#"
        exit: 2
        --- stderr
        error: no section is named
        hint: give its heading: jari section docs/guide.md "Install"; `jari toc docs/guide.md` lists all
    "#]],
    );
}
