//! What a comment says, without the marks that make it a comment.

/// A question has at least and at most so many words.
const WORDS: std::ops::RangeInclusive<usize> = 3..=40;

/// Words that begin the part of a comment that lists rather than tells.
const LISTS: &[&str] = &[
    "args:",
    "arguments:",
    "parameters",
    "params:",
    "returns:",
    "return:",
    "raises:",
    "example:",
    "examples:",
    "usage:",
    "note:",
    "see also",
    "attributes:",
    "attributes",
    "parameters:",
    "yields:",
    "todo",
    "fixme",
    "copyright",
    "spdx",
    "license",
    "eslint",
];

/// The first paragraph of a comment, if it is an English sentence of a fitting length.
pub(crate) fn first_paragraph(lines: &[&str]) -> Option<String> {
    let mut words: Vec<String> = Vec::new();
    for line in lines {
        let line = bare(line);
        if line.is_empty() {
            if words.is_empty() {
                continue;
            }
            break;
        }
        let lower = line.to_lowercase();
        if line.starts_with(['@', ':', '\\', '#', '=']) || LISTS.iter().any(|list| lower.starts_with(list)) {
            break;
        }
        if line.chars().all(|c| !c.is_alphanumeric()) {
            break;
        }
        words.extend(line.split_whitespace().map(str::to_owned));
    }
    let english = words.join(" ");
    let letters = english.chars().filter(char::is_ascii_alphabetic).count();
    (WORDS.contains(&words.len()) && letters * 10 >= english.chars().count() * 6).then_some(english)
}

/// A line of a comment without its marks and tags: `/// <summary>Adds.</summary>` says `Adds.`
fn bare(line: &str) -> String {
    let mut line = line.trim();
    for mark in [
        "///",
        "//!",
        "/**",
        "/*!",
        "/*",
        "//",
        "--|",
        "-- |",
        "--",
        "{-|",
        "{-",
        "(**",
        "##",
        "#",
        ";;",
        "*",
        "@doc",
        "@moduledoc",
        "~S",
        "r\"\"\"",
        "\"\"\"",
        "'''",
    ] {
        if let Some(rest) = line.strip_prefix(mark) {
            line = rest.trim_start();
        }
    }
    for mark in ["*/", "-}", "\"\"\"", "'''"] {
        if let Some(rest) = line.strip_suffix(mark) {
            line = rest.trim_end();
        }
    }
    let mut said = String::with_capacity(line.len());
    let mut rest = line.trim_matches('"');
    while let Some((before, tag)) = rest.split_once('<') {
        said.push_str(before);
        match tag.split_once('>') {
            Some((inside, after)) if is_tag(inside) => {
                said.push(' ');
                rest = after;
            }
            _ => {
                said.push('<');
                rest = tag;
            }
        }
    }
    said.push_str(rest);
    let said = said.replace("{@code ", "").replace("{@link ", "").replace(['`', '{', '}', '|'], " ");
    said.trim().to_owned()
}

fn is_tag(inside: &str) -> bool {
    let name = inside.trim_start_matches('/');
    name.starts_with(|c: char| c.is_ascii_lowercase()) && inside.len() < 60
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_and_tags_are_no_words() {
        let paragraph = |text: &str| first_paragraph(&text.lines().collect::<Vec<_>>());
        assert_eq!(
            paragraph("/**\n * Sorts the list\n * in place.\n *\n * @param list which\n */").unwrap(),
            "Sorts the list in place."
        );
        assert_eq!(
            paragraph("/// <summary>\n/// Adds two numbers.\n/// </summary>").unwrap(),
            "Adds two numbers."
        );
        assert_eq!(
            paragraph("\"\"\"Return the smallest of all.\"\"\"").unwrap(),
            "Return the smallest of all."
        );
        assert_eq!(paragraph("-- | Splits a text at commas.").unwrap(), "Splits a text at commas.");
        assert_eq!(paragraph("// too short"), None);
        assert_eq!(paragraph("/// @param one two three four"), None);
    }
}
