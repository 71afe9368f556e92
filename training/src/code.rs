//! Pairs from code: what a doc comment says, and the definition below it without the comment.

use std::path::Path;

use jari_base::{Chunked, LineRange, Symbol, SymbolKind};
use jari_chunk::DocumentOptions;
use jari_source::{Contents, Limits};
use rayon::prelude::*;

use crate::pair::{Kind, Pair};
use crate::prose;

/// Longer definitions are cut: a window of the product is not longer either.
const LONGEST: usize = 3_000;

/// Shorter ones say nothing.
const SHORTEST: usize = 40;

/// Pairs of all files below `folder`.
pub(crate) fn pairs(source: &str, folder: &Path) -> Vec<Pair> {
    let limits = Limits { max_file_size: 400 * 1024, ..Limits::default() };
    let Ok(walked) = jari_source::walk(folder, &limits) else { return Vec::new() };
    let files = walked.entries.into_par_iter().filter(|entry| entry.skip.is_none() && !is_test(&entry.path));
    files
        .flat_map_iter(|entry| match jari_source::read(&folder.join(&entry.path), &limits) {
            Contents::Text { text, .. } => of_file(source, &entry.path, &text),
            Contents::Skipped(_) => Vec::new(),
        })
        .collect()
}

/// Pairs of one file.
fn of_file(source: &str, path: &str, text: &str) -> Vec<Pair> {
    let language = jari_chunk::language_of(path, text);
    let chunked = jari_chunk::chunk(&language, text, &DocumentOptions::default());
    let lines: Vec<&str> = text.lines().collect();
    let documented =
        chunked.symbols.iter().filter(|symbol| symbol.doc.is_some() && is_definition(symbol.kind));
    documented.filter_map(|symbol| of_symbol(source, path, &lines, &chunked, symbol)).collect()
}

fn of_symbol(source: &str, path: &str, lines: &[&str], chunked: &Chunked, symbol: &Symbol) -> Option<Pair> {
    let doc = doc_lines(lines, chunked, symbol)?;
    let query = prose::first_paragraph(slice(lines, doc))?;
    let mut text = String::new();
    for number in symbol.lines.start..=symbol.lines.end {
        if !doc.contains(number) {
            text.push_str(lines.get(number as usize - 1)?);
            text.push('\n');
        }
        if text.len() > LONGEST {
            break;
        }
    }
    let pair = Pair {
        kind: Kind::Code,
        source: source.to_owned(),
        query,
        text,
        heading: jari_embed::path_heading(path),
    };
    (pair.text.trim().len() >= SHORTEST).then_some(pair)
}

/// The comment of a symbol: its chunk knows; of a short symbol inside a larger chunk, the lines around its first sentence.
fn doc_lines(lines: &[&str], chunked: &Chunked, symbol: &Symbol) -> Option<LineRange> {
    let own = chunked.chunks.iter().find(|chunk| {
        chunk.lines.start == symbol.lines.start
            && chunk.symbol.is_some_and(|at| chunked.symbols[at as usize] == *symbol)
    });
    if let Some(doc) = own.and_then(|chunk| chunk.doc) {
        return Some(doc);
    }
    let sentence = symbol.doc.as_deref()?;
    let inside = symbol.lines.start..=symbol.lines.end;
    let said = inside
        .clone()
        .find(|number| lines.get(*number as usize - 1).is_some_and(|line| line.contains(sentence)))?;
    if said <= symbol.lines.start + 1 {
        // Above the definition: as far as comments go.
        let end = inside.clone().take_while(|number| is_comment(lines[*number as usize - 1])).last()?;
        return Some(LineRange::new(symbol.lines.start, end));
    }
    // A docstring: from its quotes to its quotes.
    let quotes =
        |number: &u32| ["\"\"\"", "'''"].iter().any(|quotes| lines[*number as usize - 1].contains(quotes));
    let start = (symbol.lines.start..=said).rev().find(quotes)?;
    let one_line = lines[start as usize - 1].matches("\"\"\"").count() == 2;
    let end = if one_line { start } else { (said.max(start + 1)..=symbol.lines.end).find(quotes)? };
    Some(LineRange::new(start, end))
}

fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    ["//", "#", "*", "/*", "--", ";", "{-", "@doc", "|", "(*"].iter().any(|mark| line.starts_with(mark))
}

fn slice<'a, 'b>(lines: &'b [&'a str], range: LineRange) -> &'b [&'a str] {
    lines.get(range.start as usize - 1..range.end as usize).unwrap_or_default()
}

fn is_definition(kind: SymbolKind) -> bool {
    !matches!(kind, SymbolKind::Field | SymbolKind::Data | SymbolKind::Constant | SymbolKind::Impl)
}

/// Tests say what they test, not what they are; vendored and built files stand elsewhere too.
fn is_test(path: &str) -> bool {
    let folders = [
        "test",
        "tests",
        "testdata",
        "__tests__",
        "spec",
        "vendor",
        "node_modules",
        "third_party",
        "fixtures",
        "dist",
        "umd",
        "esm",
        "cjs",
    ];
    let mut segments = path.split('/').rev();
    let name = segments.next().unwrap_or(path);
    name.contains("_test.")
        || name.contains(".test.")
        || name.contains(".min.")
        || segments.any(|folder| folders.contains(&folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, text: &str, expected: &[(&str, &str)]) {
        let pairs = of_file("source", path, text);
        let shown: Vec<_> = pairs.iter().map(|pair| (pair.query.as_str(), pair.text.trim())).collect();
        assert_eq!(shown, expected, "{path}");
    }

    #[test]
    fn a_doc_comment_asks_for_what_stands_below_it() {
        check(
            "src/a.rs",
            "/// Sends the request again after a pause.\n///\n/// # Panics\n/// Never.\npub fn retry(request: &Request) {\n    pause();\n    send(request);\n}\n",
            &[(
                "Sends the request again after a pause.",
                "pub fn retry(request: &Request) {\n    pause();\n    send(request);\n}",
            )],
        );
    }

    #[test]
    fn a_docstring_is_taken_out_of_the_function() {
        check(
            "a.py",
            "def retry(request):\n    \"\"\"Send the request again.\n\n    :param request: which\n    \"\"\"\n    pause()\n    return send(request)\n",
            &[("Send the request again.", "def retry(request):\n    pause()\n    return send(request)")],
        );
    }

    #[test]
    fn tests_and_built_files_are_left_out() {
        assert!(is_test("src/tests/a.rs") && is_test("a_test.go") && is_test("dist/x.js"));
        assert!(!is_test("src/contest.rs"));
    }
}
