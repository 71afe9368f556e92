//! What a grammar stumbles over, made plain: bytes are replaced and never moved, so that places stay true.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use crate::brackets::closing;

/// `text` as the grammar of a language can read it.
pub(super) fn readable<'t>(language: &str, text: &'t str) -> Cow<'t, str> {
    match language {
        "bash" => without_wide_bounds(text),
        "kotlin" => without_annotated_constructors(text),
        "sql" => without_dollar_quotes(text),
        // Behind `#if` the grammar's scanner takes a NUL for the end of its own word, and reads on beyond that (tree-sitter-swift 0.7.4).
        "swift" if text.contains('\0') => Cow::Owned(text.replace('\0', " ")),
        _ => Cow::Borrowed(text),
    }
}

/// Bash without the first character behind `{`, `{1` or `{1..9` that is not ASCII: the grammar's scanner asks C whether it is a digit, and C
/// looks that up in a table of 256 (tree-sitter-bash 0.25.1, a crash where nothing lies behind it).
fn without_wide_bounds(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let behind_digits =
        |from: usize| from + bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut wide: Vec<Range<usize>> = Vec::new();
    for open in memchr::memchr_iter(b'{', bytes) {
        let mut end = behind_digits(open + 1);
        if bytes[end..].starts_with(b"..") {
            end = behind_digits(end + 2);
        }
        let next = text[end..].chars().next().filter(|next| !next.is_ascii());
        wide.extend(next.map(|next| end..end + next.len_utf8()));
    }
    if wide.is_empty() {
        return Cow::Borrowed(text);
    }
    filled(text, wide, b'x')
}

/// Kotlin without the annotations of constructors that stand on a line of their own, as formatters put them: the grammar ends the class before
/// such a line and reads nothing below it (tree-sitter-kotlin-ng 1.1.0).
fn without_annotated_constructors(text: &str) -> Cow<'_, str> {
    let mut annotations: Vec<Range<usize>> = Vec::new();
    let mut blank: Vec<Range<usize>> = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let mut rest = line.trim_start();
        while let Some(after) = annotation(rest) {
            let at = start + line.len() - rest.len();
            annotations.push(at..at + rest.len() - after.len());
            rest = after.trim_start();
        }
        let declared = ["public ", "internal ", "protected ", "private "];
        let rest = declared.iter().find_map(|word| rest.strip_prefix(word)).unwrap_or(rest).trim_start();
        let constructor =
            rest.strip_prefix("constructor").is_some_and(|rest| rest.trim_start().starts_with('('));
        if constructor {
            blank.append(&mut annotations);
        } else if !rest.is_empty() {
            annotations.clear();
        }
        start += line.len();
    }
    if blank.is_empty() {
        return Cow::Borrowed(text);
    }
    filled(text, blank, b' ')
}

/// `text` with all bytes of some ranges of characters replaced.
fn filled(text: &str, ranges: Vec<Range<usize>>, byte: u8) -> Cow<'_, str> {
    let mut plain = text.as_bytes().to_vec();
    ranges.into_iter().for_each(|range| plain[range].fill(byte));
    Cow::Owned(String::from_utf8(plain).expect("whole characters were replaced by ASCII"))
}

/// What stands behind an annotation at the beginning of `text`: `@Name`, `@a.b.Name`, `@Name("value")`.
fn annotation(text: &str) -> Option<&str> {
    let rest = text.strip_prefix('@')?;
    let rest = rest.trim_start_matches(|c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':'));
    let Some(arguments) = rest.strip_prefix('(') else { return Some(rest) };
    closing(arguments).map(|end| &arguments[end + 1..])
}

/// SQL with `$tag$…$tag$` made plain strings of the same length: the grammar's scanner loses the memory of every tag, once for each token
/// behind it (tree-sitter-sequel 0.3.11). What stands in such a string is not read.
fn without_dollar_quotes(text: &str) -> Cow<'_, str> {
    let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
    let mut tags: Vec<(usize, &str)> = Vec::new();
    for at in memchr::memchr_iter(b'$', text.as_bytes()) {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let name = text[at + 1..].find(|c| !is_part(c)).unwrap_or(0);
        if text[at + 1 + name..].starts_with('$') {
            let tag = &text[at..at + name + 2];
            places.entry(tag).or_default().push(at);
            tags.push((at, tag));
        }
    }
    if tags.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut plain = text.as_bytes().to_vec();
    let mut done = 0;
    for (open, tag) in tags {
        if open < done {
            continue;
        }
        let same = &places[tag];
        let inside = open + tag.len();
        let close = same.get(same.partition_point(|place| *place < inside)).copied();
        done = close.unwrap_or(open) + tag.len();
        plain[open..done].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
        if close.is_some() {
            (plain[open], plain[done - 1]) = (b'\'', b'\'');
        }
    }
    Cow::Owned(String::from_utf8(plain).expect("whole characters were replaced by ASCII"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn annotations_of_constructors_are_blank_where_they_begin_a_line() {
        let check = |text: &str, expected: &str| assert_eq!(readable("kotlin", text), expected);
        check("class A\n@Inject constructor(b: B)\n", "class A\n        constructor(b: B)\n");
        check("class A\n  @Named(\"가 (b)\") @a.B\n  internal constructor (b: B)\n", &{
            let blank = " ".repeat("@Named(\"가 (b)\") @a.B".len());
            format!("class A\n  {blank}\n  internal constructor (b: B)\n")
        });
        for other in
            ["@Test\nfun constructor() {}\n", "@A(\nconstructor(b)", "@Inject\nclass A constructor(b: B)\n"]
        {
            check(other, other);
        }
    }

    #[test]
    fn bash_has_only_ascii_where_its_scanner_looks_for_digits() {
        let check = |text: &str, expected: &str| assert_eq!(readable("bash", text), expected);
        check("echo {한글,{12가..3}\n", "echo {xxx글,{12xxx..3}\n");
        check("{1..\u{31860}} {..é", "{1..xxxx} {..xx");
        let narrow = "a() { echo 한글 ${b} {1..9} {a,b} {.가\n}";
        check(narrow, narrow);
    }

    #[test]
    fn swift_has_no_nul() {
        assert_eq!(readable("swift", "#if\0\0\nlet a = 1\n"), "#if  \nlet a = 1\n");
    }

    #[test]
    fn an_annotated_constructor_hides_no_definition() {
        let text = "class A<T>\n@Inject\nconstructor(val b: B) {\n    fun c(): Int = 1\n}\n\ninterface D\n";
        let chunked = crate::chunk(&jari_base::Language::named("kotlin"), text, &Default::default());
        let names: Vec<&str> = chunked.symbols.iter().map(|symbol| symbol.name.as_str()).collect();
        assert_eq!(names, ["A", "b", "c", "D"]);
    }
}
