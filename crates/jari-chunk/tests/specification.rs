//! Every example of the CommonMark specification, and of GitHub's tables and task lists, that has headings, links or code:
//! outline, links and ranges must be those of the expected HTML. The examples are read from the sources of `pulldown-cmark`.

use std::path::PathBuf;
use std::process::Command;

use jari_base::{BlockKind, Document, Language};

#[test]
fn examples_of_the_specifications_are_read_as_they_say() {
    let mut checked = 0;
    let mut wrong = Vec::new();
    for suite in ["spec.rs", "gfm_table.rs", "gfm_tasklist.rs", "gfm_strikethrough.rs"] {
        let source = std::fs::read_to_string(suites().join(suite)).expect("the suite is part of the package");
        for (number, (markdown, html)) in examples(&source).into_iter().enumerate() {
            let expected = Seen::in_html(&html);
            if expected == Seen::default() {
                continue;
            }
            checked += 1;
            let (document, notes) =
                jari_chunk::document(&Language::named("markdown"), &markdown).expect("it is a document");
            assert!(notes.is_empty());
            let found = Seen::in_document(&document);
            if found != expected {
                wrong.push(format!(
                    "{suite} {}\n{markdown}\nexpected {expected:?}\nfound    {found:?}\n",
                    number + 1
                ));
            }
            check_ranges(&document, &markdown);
        }
    }
    assert!(checked > 200, "only {checked} examples were found");
    assert!(wrong.is_empty(), "{} of {checked} are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// Positions are exact: a section begins with its heading, a link with its bracket.
fn check_ranges(document: &Document, text: &str) {
    for section in &document.sections {
        let source = &text[section.bytes.clone()];
        assert_eq!(source, source.trim_end_matches('\n'), "{text:?}");
        assert_eq!(
            text[..section.bytes.start].matches('\n').count() + 1,
            section.lines.start as usize,
            "{text:?}"
        );
        assert_eq!(source.matches('\n').count() + 1, section.lines.count() as usize, "{text:?}");
        if let Some(word) = section
            .title
            .split_whitespace()
            .next()
            .filter(|word| word.bytes().all(|byte| byte.is_ascii_alphanumeric()))
        {
            assert!(source.contains(word), "{source:?} is no section {word:?}");
        }
    }
    for link in &document.links {
        let source = &text[link.bytes.clone()];
        assert!(
            source.starts_with(['[', '!', '<']) || source == link.text,
            "{source:?} is no link in {text:?}"
        );
        assert_eq!(text[..link.bytes.start].matches('\n').count() + 1, link.line as usize);
    }
}

/// What this test compares.
#[derive(Debug, Default, PartialEq)]
struct Seen {
    headings: Vec<(u8, String)>,
    links: Vec<(bool, String)>,
    code: Vec<Option<String>>,
}

impl Seen {
    fn in_document(document: &Document) -> Self {
        let headings = document.sections.iter().filter(|section| section.level > 0);
        let mut links: Vec<_> =
            document.links.iter().map(|link| (link.image, decoded(&link.target))).collect();
        links.sort();
        Self {
            headings: headings.map(|section| (section.level, squeezed(&section.title))).collect(),
            links,
            code: document
                .blocks
                .iter()
                .filter(|block| block.kind == BlockKind::Code)
                .map(|block| block.language.as_deref().map(decoded))
                .collect(),
        }
    }

    /// Headings and code of the top level, links of any.
    fn in_html(html: &str) -> Self {
        let mut seen = Self::default();
        let mut depth = 0;
        let mut heading: Option<(u8, String)> = None;
        let mut rest = html;
        while let Some((text, after)) = rest.split_once('<') {
            if let Some((_, title)) = &mut heading {
                title.push_str(text);
            }
            let Some((tag, after)) = after.split_once('>') else { break };
            rest = after;
            let name = tag.split([' ', '\n', '/']).next().unwrap_or_default();
            match (tag, name) {
                (_, "blockquote" | "ul" | "ol" | "table") => depth += 1,
                ("/blockquote" | "/ul" | "/ol" | "/table", _) => depth -= 1,
                (_, "h1" | "h2" | "h3" | "h4" | "h5" | "h6") if depth == 0 => {
                    heading = Some((name.as_bytes()[1] - b'0', String::new()));
                }
                ("/h1" | "/h2" | "/h3" | "/h4" | "/h5" | "/h6", _) => {
                    seen.headings
                        .extend(heading.take().map(|(level, title)| (level, squeezed(&unescaped(&title)))));
                }
                (_, "a") => seen.links.extend(attribute(tag, "href").map(|target| (false, target))),
                (_, "img") => {
                    if let Some((_, title)) = &mut heading {
                        title.push_str(&attribute(tag, "alt").unwrap_or_default());
                    }
                    seen.links.extend(attribute(tag, "src").map(|target| (true, target)));
                }
                ("pre", _) if depth == 0 && rest.starts_with("<code") => {
                    let code = rest[1..].split('>').next().unwrap_or_default();
                    let class = attribute(code, "class");
                    seen.code
                        .push(class.and_then(|class| class.strip_prefix("language-").map(str::to_owned)));
                }
                _ => {}
            }
        }
        seen.links.sort();
        seen
    }
}

fn attribute(tag: &str, name: &str) -> Option<String> {
    let (_, rest) = tag.split_once(&format!("{name}=\""))?;
    Some(decoded(&unescaped(rest.split('"').next().unwrap_or_default())))
}

fn unescaped(text: &str) -> String {
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
}

/// Addresses compare without their escapes.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let hex = after.get(..2).filter(|_| *first == b'%').and_then(|hex| std::str::from_utf8(hex).ok());
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The folder of the parser's own test suites.
fn suites() -> PathBuf {
    let version = Command::new("rustc").arg("-vV").output().expect("rustc runs");
    let version = String::from_utf8(version.stdout).expect("rustc prints text");
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).expect("rustc names its host");
    // Of other systems' packages not even the manifests need be here.
    let output = Command::new("cargo")
        .args(["metadata", "--format-version", "1", "--offline", "--filter-platform", host])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    let packages = metadata["packages"].as_array().expect("there are packages");
    let parser =
        packages.iter().find(|package| package["name"] == "pulldown-cmark").expect("it is a dependency");
    let manifest = PathBuf::from(parser["manifest_path"].as_str().expect("a path"));
    manifest.with_file_name("tests").join("suite")
}

/// Pairs of Markdown and HTML.
fn examples(source: &str) -> Vec<(String, String)> {
    let strings = |mark: &str| -> Vec<String> {
        let begin = format!("let {mark} = r##\"");
        let parts = source.split(&begin).skip(1);
        parts.map(|part| part.split("\"##;").next().unwrap_or_default().to_owned()).collect()
    };
    strings("original").into_iter().zip(strings("expected")).collect()
}
