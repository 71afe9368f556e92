//! Documents: what is found in them, how they are cut, and that no text takes long.

use std::fmt::Write as _;
use std::time::Duration;

use cpu_time::ThreadTime;
use expect_test::{Expect, expect};
use jari_base::{Chunked, Document, Language, Note};
use jari_chunk::{DocumentOptions, Strategy};
use proptest::prelude::*;

fn read(language: &'static str, text: &str) -> (Document, Vec<Note>) {
    jari_chunk::document(&Language::named(language), text).expect("it is a language of documents")
}

fn check_outline(language: &'static str, text: &str, expected: &Expect) {
    let (document, _) = read(language, text);
    let mut shown = String::new();
    for section in &document.sections {
        let indent = usize::from(section.level.max(1) - 1) * 2;
        let title = if section.level == 0 { "(before)" } else { &section.title };
        let _ = writeln!(
            shown,
            "{:indent$}{} {}..{} whole {} #{} id {}",
            "", title, section.lines.start, section.lines.end, section.whole.end, section.anchor, section.id
        );
    }
    expected.assert_eq(&shown);
}

fn check_prose(language: &'static str, text: &str, expected: &Expect) {
    let prose = jari_chunk::prose(&Language::named(language), text);
    assert_eq!(prose.lines().count(), text.lines().count(), "line for line");
    expected.assert_eq(&prose);
}

fn chunked(text: &str, options: &DocumentOptions) -> Chunked {
    jari_chunk::chunk(&Language::named("markdown"), text, options)
}

fn spans(chunked: &Chunked) -> Vec<(u32, u32)> {
    chunked.chunks.iter().map(|chunk| (chunk.lines.start, chunk.lines.end)).collect()
}

#[test]
fn sections_have_exact_ranges_anchors_and_lasting_ids() {
    let text = "\
---
title: Guide
---
Before.

# Setup

## Install {#get}

Text.

## Use

### Options

## Use

Setext
======
> # Not a section
";
    check_outline(
        "markdown",
        text,
        &expect![[r#"
            (before) 1..4 whole 4 # id 
            Setup 6..6 whole 16 #setup id setup
              Install 8..10 whole 10 #get id setup/install
              Use 12..12 whole 14 #use id setup/use
                Options 14..14 whole 14 #options id setup/use/options
              Use 16..16 whole 16 #use-1 id setup/use~2
            Setext 18..20 whole 20 #setext id setext
        "#]],
    );
    let ids = |text: &str| -> Vec<String> {
        read("markdown", text).0.sections.into_iter().map(|section| section.id).collect()
    };
    assert_eq!(ids(text), ids(&text.replace("Text.", "Text.\n\nAnother line.\n\nAnd one more.")));
}

#[test]
fn the_title_is_that_of_the_front_matter_else_the_first_heading() {
    let title = |text: &str| read("markdown", text).0.title;
    assert_eq!(title("---\ntitle: A\n---\n# B\n").as_deref(), Some("A"));
    assert_eq!(title("+++\ntitle = \"A\"\n+++\n").as_deref(), Some("A"));
    assert_eq!(title("## C\n\n# B `code`\n").as_deref(), Some("B code"));
    assert_eq!(title("text\n"), None);
}

#[test]
fn links_of_every_kind_are_found_with_their_places() {
    let text = "[a *b*](x.md \"t\") and ![alt](i.png)\n\n<a href=\"y.md#z\">q</a> [r] `[no](no.md)`\n\nhttps://e.example/x, w\n\n[r]: ../r.md\n";
    let (document, _) = read("markdown", text);
    let shown: Vec<_> = document
        .links
        .iter()
        .map(|link| {
            (link.line, link.image, link.target.as_str(), link.text.as_str(), &text[link.bytes.clone()])
        })
        .collect();
    assert_eq!(
        shown,
        [
            (1, false, "x.md", "a b", "[a *b*](x.md \"t\")"),
            (1, true, "i.png", "alt", "![alt](i.png)"),
            (3, false, "y.md#z", "", "<a href=\"y.md#z\">"),
            (3, false, "../r.md", "r", "[r]"),
            (5, false, "https://e.example/x", "https://e.example/x", "https://e.example/x"),
        ]
    );
}

#[test]
fn components_become_what_they_say() {
    check_prose(
        "mdx",
        "\
import Callout from './Callout'
export const meta = {
  a: 1,

  b: 2,
}

# Use {/*use-it*/}

<Callout type=\"warning\" title=\"Caution\" />
<Tabs items={['a']} count={3} open {...rest}>
  Text **kept** with <Badge /> and {userId} and {user.name + 1}.
</Tabs>

`{code}` and

```jsx
<Kept a={1} />
```
",
        &expect![[r#"







            # Use 

            [[mdx:Callout type="warning" title="Caution"]]
            [[mdx:Tabs count=3 open]]
              Text **kept** with [[mdx:Badge]] and [[mdx:userId]] and [[mdx:expr]].


            `{code}` and

            ```jsx
            <Kept a={1} />
            ```
        "#]],
    );
}

#[test]
fn a_property_of_several_lines_adds_none() {
    check_prose("mdx", "<A title=\"x\ny\" />\n", &expect!["[[mdx:A title=\"x y\"]]\n\n"]);
}

#[test]
fn expressions_and_components_hide_what_looks_like_a_heading() {
    let text = "# A\n\n<Code\n  text={`\n# not a heading\n`}\n/>\n\n{`\n# nor this\n`}\n\n## B {/*b-id*/}\n\n<Box>\n\n### C\n\n</Box>\n";
    check_outline(
        "mdx",
        text,
        &expect![[r#"
              A 1..11 whole 19 #a id a
                B 13..15 whole 19 #b-id id a/b
                  C 17..19 whole 19 #c id a/b/c
        "#]],
    );
    assert!(read("mdx", text).1.is_empty());
}

#[test]
fn what_is_no_valid_mdx_keeps_its_outline_and_says_so() {
    for broken in ["<Open>\n", "{unclosed\n", "<a b=\"\n", "</Close>\n", "<3\n", "<!-- comment -->\n"] {
        let text = format!("# A\n\n{broken}\n## B\n\ntext\n");
        let (document, notes) = read("mdx", &text);
        let titles: Vec<_> = document.sections.iter().map(|section| section.title.as_str()).collect();
        assert_eq!((titles, notes), (vec!["A", "B"], vec![Note::ParserFallback]), "{broken}");
    }
    assert!(read("mdx", "a < b\n\n<br/>\n").1.is_empty());
}

#[test]
fn containers_and_shortcodes_are_no_noise() {
    check_prose(
        "markdown",
        "::: tip A title\nInside.\n:::\n\n{{< note >}}Kept.{{< /note >}}\n\n<div align=\"center\"><img src=\"x.png\" alt=\"A plan\"></div>\n\n<!-- hidden -->\n",
        &expect![[r#"
             A title
            Inside.


            Kept.

            A plan


        "#]],
    );
}

#[test]
fn other_formats_are_read_by_their_headings() {
    let rst = "=====\nTitle\n=====\n\nPart\n----\n\nSee `the site <https://a.example>`_ and :doc:`other`.\n\n.. code-block:: python\n\n   x = 1\n\nNext\n----\n";
    check_outline(
        "rst",
        rst,
        &expect![[r#"
              Title 1..3 whole 15 #title id title
                Part 5..12 whole 12 #part id title/part
                Next 14..15 whole 15 #next id title/next
        "#]],
    );
    let targets: Vec<String> = read("rst", rst).0.links.into_iter().map(|link| link.target).collect();
    assert_eq!(targets, ["https://a.example", "other"]);
    let adoc = "= Title\n\n[#part]\n== Part\n\n----\n== code\n----\n\nxref:other.adoc#x[there] and link:https://a.example[site].\n\n=== Deep\n";
    check_outline(
        "asciidoc",
        adoc,
        &expect![[r#"
              Title 1..3 whole 12 #title id title
                Part 4..10 whole 12 #part id title/part
                  Deep 12..12 whole 12 #deep id title/part/deep
        "#]],
    );
    let targets: Vec<String> = read("asciidoc", adoc).0.links.into_iter().map(|link| link.target).collect();
    assert_eq!(targets, ["other.adoc#x", "https://a.example"]);
    check_outline(
        "text",
        "Notes\n=====\n\nSome text\n\nMore\n----\nand more\n",
        &expect![[r#"
              Notes 1..4 whole 8 #notes id notes
                More 6..8 whole 8 #more id notes/more
        "#]],
    );
}

#[test]
fn directives_keep_their_bodies_and_toctrees_are_links() {
    let text = ".. _start:\n\nThe ``name``\n============\n\n.. toctree::\n   :maxdepth: 2\n\n   intro/index\n   The end <end>\n\n.. code-block:: python\n\n   a = 'https://a.example/'\n\n   b = 2\n\nThen::\n\n    c\n\n    d\n\n.. image:: plan.png\n\nMore\n====\n.. toctree::\n\n   last\n";
    for language in ["rst", "text"] {
        let (document, _) = read(language, text);
        let heading = &document.sections[1];
        assert_eq!((heading.title.as_str(), heading.anchor.as_str()), ("The name", "start"));
        let targets: Vec<&str> = document.links.iter().map(|link| link.target.as_str()).collect();
        assert_eq!(targets, ["intro/index", "end", "plan.png", "last"]);
        let code = document.blocks.iter().filter(|block| block.kind == jari_base::BlockKind::Code);
        let spans: Vec<_> = code.map(|block| (block.lines.start, block.lines.end)).collect();
        assert_eq!(spans, [(12, 16), (20, 22)]);
    }
}

#[test]
fn anchors_of_every_kind_are_known() {
    let text = "# A\n\n## Example\n\n## example-1\n\n## Example\n\nText. {#here}\n\n> ## Quoted part\n\n## Short [#brief]\n";
    let (document, _) = read("markdown", text);
    let anchors: Vec<&str> = document.sections.iter().map(|section| section.anchor.as_str()).collect();
    assert_eq!(anchors, ["a", "example", "example-1", "example-2", "brief"]);
    assert_eq!(document.anchors, ["here", "quoted-part"]);
    assert_eq!(document.sections[4].title, "Short");
}

#[test]
fn a_head_that_fills_a_chunk_is_not_repeated() {
    let table = format!("{}\n{}\n{}", "|a".repeat(2_000), "|-".repeat(2_000), "|b\n".repeat(200));
    let split = chunked(&table, &DocumentOptions::default());
    assert!(split.chunks.len() < 10, "{:?}", spans(&split));
    assert!(split.chunks.iter().all(|chunk| chunk.head.is_none()));
}

#[test]
fn small_sections_join_a_neighbour_of_the_same_parent() {
    let words = "word ".repeat(120);
    let text = format!("# Top\n\n{words}\n\n## A\n\nshort\n\n## B\n\nshort\n\n# Other\n\n{words}\n");
    let joined = chunked(&text, &DocumentOptions::default());
    assert_eq!(spans(&joined), [(1, 3), (5, 11), (13, 15)]);
    let apart = chunked(&text, &DocumentOptions { min_tokens: 0, ..DocumentOptions::default() });
    assert_eq!(spans(&apart), [(1, 3), (5, 7), (9, 11), (13, 15)]);
}

#[test]
fn a_heading_with_nothing_below_it_stands_with_its_first_subsection() {
    let paragraph = "some words of a paragraph that goes on for a while. ".repeat(12);
    // Lines 1 to 7 are short, and so is the heading of line 5; what follows it fills two chunks.
    let text = format!("# Top\n\n## A\n\n## Usage\n\n### First\n\n{}", format!("{paragraph}\n\n").repeat(6));
    let chunked = chunked(&text, &DocumentOptions::default());
    assert_eq!(spans(&chunked), [(1, 3), (5, 13), (15, 19)]);
    let sections = &chunked.document.as_ref().expect("it is a document").sections;
    let about = |at: usize| sections[chunked.chunks[at].section.expect("a section") as usize].title.as_str();
    assert_eq!((about(0), about(1), about(2)), ("A", "First", "First"));
}

#[test]
fn long_sections_are_split_between_blocks_with_overlap() {
    let paragraph = "some words of a paragraph that goes on for a while. ".repeat(12);
    let text = format!("# A\n\n{}", format!("{paragraph}\n\nA short end.\n\n").repeat(6));
    let split = chunked(&text, &DocumentOptions::default());
    assert_eq!(spans(&split), [(1, 13), (13, 25)]);
    assert!(split.chunks.iter().all(|chunk| chunk.section == Some(0)));
}

#[test]
fn tables_and_fences_stay_whole_or_repeat_their_head() {
    let table =
        format!("# T\n\n| name | value |\n|---|---|\n{}", "| some name | some longer value |\n".repeat(100));
    let split = chunked(&table, &DocumentOptions::default());
    assert!(split.chunks.len() > 1);
    assert!(
        split.chunks[1..].iter().all(|chunk| chunk.head.is_some_and(|head| (head.start, head.end) == (3, 4)))
    );
    let fence = format!("text\n\n```rust\n{}```\n", "let value = compute(argument);\n".repeat(100));
    let split = chunked(&fence, &DocumentOptions::default());
    assert!(split.chunks.len() > 1);
    assert!(
        split.chunks[1..].iter().all(|chunk| chunk.head.is_some_and(|head| (head.start, head.end) == (3, 3)))
    );
    let small = format!("{}\n\n```rust\n{}```\n", "words ".repeat(400), "let value = 1;\n".repeat(20));
    assert_eq!(spans(&chunked(&small, &DocumentOptions::default())), [(1, 1), (3, 24)]);
}

#[test]
fn a_list_that_is_too_long_is_split_between_items() {
    let item = format!("- {}\n  continued\n", "some words of an item ".repeat(8));
    let split = chunked(
        &format!("# L\n\n{}", item.repeat(30)),
        &DocumentOptions { overlap: 0, ..DocumentOptions::default() },
    );
    assert!(split.chunks.len() > 1);
    assert!(split.chunks[1..].iter().all(|chunk| chunk.lines.start % 2 == 1), "{:?}", spans(&split));
}

#[test]
fn strategies_and_depth_cut_otherwise() {
    let words = "word ".repeat(300);
    let text = format!("# A\n\n{words}\n{words}\n{words}\n\n## B\n\n{words}\n\n### C\n\n{words}\n");
    let with = |options| spans(&chunked(&text, &options));
    let usual = DocumentOptions::default;
    assert_eq!(with(DocumentOptions { strategy: Strategy::Heading, ..usual() }), [(1, 5), (7, 9), (11, 13)]);
    assert_eq!(
        with(DocumentOptions { strategy: Strategy::Heading, max_depth: 2, ..usual() }),
        [(1, 5), (7, 13)]
    );
    assert_eq!(
        with(DocumentOptions { strategy: Strategy::Fixed, ..usual() }),
        [(1, 3), (4, 4), (5, 8), (7, 12), (11, 13)]
    );
    let front = "---\ntitle: A\n---\n\n# B\n\ntext\n";
    assert_eq!(spans(&chunked(front, &DocumentOptions { front_matter: false, ..usual() })), [(5, 7)]);
}

const DOCUMENTS: [&str; 5] = ["markdown", "mdx", "rst", "asciidoc", "text"];

/// Pieces that a hostile or broken document is made of.
const PIECES: [&str; 28] = [
    "[",
    "![",
    "[](",
    "[a](b) ",
    "{",
    "{a} ",
    "<a>",
    "<A b={",
    "</a>",
    "<",
    "<!--",
    "> ",
    "- ",
    "* a\n",
    "*a ",
    "` `` ",
    "```\n",
    "|a|\n|-|\n",
    "# a\n\n",
    "import a\n\n",
    "---\n",
    "a\n===\n",
    ":::\n",
    "{{< ",
    "`a <b>`_ ",
    "link:",
    "(http://a.b ",
    "www.a_b ",
];

/// Eight times the text may take sixteen times the CPU time; quadratic growth would take sixty-four. Times are the best of
/// several runs, and a machine that is busy gets further chances.
#[test]
fn time_grows_with_the_text_and_no_faster() {
    for language in DOCUMENTS {
        for piece in PIECES {
            let time = |size: usize| -> Duration {
                let text = piece.repeat(size / piece.len());
                (0..3).map(|_| timed(language, &text)).min().expect("it ran")
            };
            let mut seen = Vec::new();
            let grows = (0..4).any(|_| {
                let (short, long) = (time(20_000), time(160_000));
                seen.push((short, long));
                // Under a few milliseconds the clock says more about the machine than about us.
                long < Duration::from_millis(10) || long <= short * 16
            });
            assert!(grows, "{language}: {piece:?} again and again: {seen:?}");
        }
    }
}

fn timed(language: &'static str, text: &str) -> Duration {
    let began = ThreadTime::now();
    let chunked = jari_chunk::chunk(&Language::named(language), text, &DocumentOptions::default());
    let prose = jari_chunk::prose(&Language::named(language), text);
    let took = began.elapsed();
    drop((chunked, prose));
    took
}

#[test]
fn hostile_documents_are_read() {
    let nested = "[".repeat(100_000) + &"]".repeat(100_000);
    let line = "a long line [with](links) ".repeat(2_000_000);
    let deep = format!("---\na: {}\n", "[".repeat(50_000));
    for language in DOCUMENTS {
        for text in [
            nested.as_str(),
            &deep,
            "---\ntitle: a",
            "```\nnever closed",
            "<a\n",
            "\u{feff}# a",
            "\0\0",
            "#\r#\r",
        ] {
            timed(language, text);
        }
        assert!(timed(language, &line) < Duration::from_secs(30), "{language}: 50 MB on one line");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_a_document(
        text in "(\\PC{0,12}|[\\[\\](){}<>#*`~|:=\\-\"'/! \n]{0,12}|# \\w{1,5}\n|```\\w?\n|---\n|\\| a \\|\n|- \\w{1,4}\n|\r\n){0,30}",
        strategy in prop_oneof![Just(Strategy::Heading), Just(Strategy::Structural), Just(Strategy::Fixed)],
    ) {
        let options = DocumentOptions { strategy, max_tokens: 32, overlap: 8, min_tokens: 8, ..DocumentOptions::default() };
        for language in DOCUMENTS {
            check_any(&Language::named(language), &text, &options);
        }
    }

    #[test]
    fn any_bytes_are_a_document(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let text = String::from_utf8_lossy(&bytes);
        for language in DOCUMENTS {
            check_any(&Language::named(language), &text, &DocumentOptions::default());
        }
    }
}

/// What fuzzing found, kept.
#[test]
fn texts_that_once_failed_are_read() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/found");
    for entry in std::fs::read_dir(folder).expect("it is part of the crate").flatten() {
        let bytes = std::fs::read(entry.path()).expect("it is a file");
        let text = String::from_utf8_lossy(&bytes);
        for (language, strategy) in DOCUMENTS.iter().flat_map(|language| {
            [Strategy::Structural, Strategy::Heading, Strategy::Fixed].map(|strategy| (*language, strategy))
        }) {
            let small = DocumentOptions {
                strategy,
                max_tokens: 64,
                overlap: 16,
                min_tokens: 16,
                ..DocumentOptions::default()
            };
            check_any(&Language::named(language), &text, &small);
        }
    }
}

/// No line is lost, all is in order, and positions are what they say.
fn check_any(language: &Language, text: &str, options: &DocumentOptions) {
    let chunked = jari_chunk::chunk(language, text, options);
    let lines: Vec<&str> = text.lines().collect();
    let mut held = vec![false; lines.len()];
    for chunk in &chunked.chunks {
        held[chunk.lines.start as usize - 1..chunk.lines.end as usize].fill(true);
        assert!(chunk.head.is_none_or(|head| head.end < chunk.lines.start), "{chunk:?}");
    }
    for (line, held) in lines.iter().zip(held) {
        assert!(held || line.trim().is_empty(), "{language}: {line:?} lies in no chunk of {text:?}");
    }
    let document = chunked.document.expect("it is a document");
    assert!(document.sections.is_sorted_by_key(|section| section.lines.start), "{language}: {text:?}");
    for section in &document.sections {
        assert!(text.get(section.bytes.clone()).is_some(), "{language}: {section:?}");
        assert_eq!(text[..section.bytes.start].matches('\n').count() + 1, section.lines.start as usize);
        assert!(section.whole.end >= section.lines.end);
    }
    for link in &document.links {
        assert!(text.get(link.bytes.clone()).is_some(), "{language}: {link:?} in {text:?}");
    }
    assert!(document.blocks.is_sorted_by_key(|block| block.lines.start), "{language}: {text:?}");
    assert_eq!(jari_chunk::prose(language, text).matches('\n').count(), text.matches('\n').count());
}
