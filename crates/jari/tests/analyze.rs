//! `jari analyze`, as a user meets it.

mod common;

use common::{Project, check};
use expect_test::expect;

#[test]
fn a_document_is_taken_stock_of() {
    let project = Project::documents();
    check(
        &project.jari(&["analyze", "docs/guide.md", "-q"]),
        &expect![[r#"
            exit: 0
            --- stdout
            docs/guide.md · The guide
              title: The guide
              tags: [setup, 2]
              28 lines · 53 words · about 100 tokens
              4 headings (down to level 3) · 1 code block · 1 table · 0 lists · 0 images
              code in sh 1
              3 links inside, 1 out, 2 broken · 1 link here
                28  broken: gone.md
                28  broken: usage.md#nowhere
        "#]],
    );
}

#[test]
fn tokens_are_exact_when_asked_for() {
    let project = Project::documents();
    check(
        &project.jari(&["analyze", "docs/usage.md", "--exact-tokens", "-q"]),
        &expect![[r#"
            exit: 0
            --- stdout
            docs/usage.md · Usage
              5 lines · 8 words · 17 tokens
              2 headings (down to level 2) · 0 code blocks · 0 tables · 0 lists · 0 images
              1 link inside, 0 out, 0 broken · 2 links here
        "#]],
    );
}

#[test]
fn front_matter_and_links_are_values_in_json() {
    let project = Project::documents();
    check(
        &project.jari(&["analyze", "docs/guide.md", "--json", "-q"]),
        &expect![[r#"
            exit: 0
            --- stdout
            {"path":"docs/guide.md","language":"markdown","degraded":false,"reason":null,"title":"The guide","front_matter":{"tags":["setup",2],"title":"The guide"},"counts":{"lines":28,"words":53,"tokens":100,"headings":4,"depth":3,"code_blocks":1,"tables":1,"lists":0,"images":0,"internal_links":3,"external_links":1,"broken_links":2},"code_languages":{"sh":1},"sections":[{"section_id":"docs/guide.md#guide","title":"Guide","level":1,"heading_path":["Guide"],"anchor":"guide","start_line":6,"end_line":8,"end_line_with_subsections":28,"start_byte":43,"end_byte":76,"tokens":11,"hash":"9e5808a0e3d81ad235fabaac9d52405f"},{"section_id":"docs/guide.md#guide/install","title":"Install","level":2,"heading_path":["Guide","Install"],"anchor":"install","start_line":10,"end_line":16,"end_line_with_subsections":20,"start_byte":78,"end_byte":156,"tokens":23,"hash":"72fe389f128faf77a9e0ccb5644bae43"},{"section_id":"docs/guide.md#guide/install/from-source","title":"From source","level":3,"heading_path":["Guide","Install","From source"],"anchor":"from-source","start_line":18,"end_line":20,"end_line_with_subsections":20,"start_byte":158,"end_byte":194,"tokens":10,"hash":"ea1455cea1b1b06b1fd887045cbd9184"},{"section_id":"docs/guide.md#guide/configure","title":"Configure","level":2,"heading_path":["Guide","Configure"],"anchor":"configure","start_line":22,"end_line":28,"end_line_with_subsections":28,"start_byte":196,"end_byte":340,"tokens":43,"hash":"c98cb20cf1fdac2ba68137d5ea093cbd"}],"links":[{"from":"docs/guide.md","line":12,"start_byte":110,"end_byte":134,"text":"usage","target":"usage.md#basics","image":false,"external":false,"path":"docs/usage.md","fragment":"basics","exists":true,"broken":null},{"from":"docs/guide.md","line":28,"start_byte":258,"end_byte":287,"text":"the site","target":"https://a.example","image":false,"external":true,"path":null,"fragment":null,"exists":null,"broken":null},{"from":"docs/guide.md","line":28,"start_byte":292,"end_byte":307,"text":"gone","target":"gone.md","image":false,"external":false,"path":"docs/gone.md","fragment":null,"exists":false,"broken":"file"},{"from":"docs/guide.md","line":28,"start_byte":312,"end_byte":339,"text":"nowhere","target":"usage.md#nowhere","image":false,"external":false,"path":"docs/usage.md","fragment":"nowhere","exists":false,"broken":"fragment"}],"backlinks":1,"index":{"state":"fresh","generation":1,"files":5,"skipped":0}}
        "#]],
    );
}
