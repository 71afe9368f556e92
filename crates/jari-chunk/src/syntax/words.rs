//! Names and sentences out of what is written in a file; nothing here knows of trees.

use std::borrow::Cow;

/// Longest signature kept, in bytes.
const SIGNATURE: usize = 240;

/// Marks that open the lines of comments and docstrings.
const OPENING: [char; 12] = ['/', '*', '#', '!', '-', ';', '%', '"', '\'', '{', '|', ' '];

pub(super) fn unquoted(written: &str) -> &str {
    let quotes = ['"', '\'', '`'];
    // A quote that only ends a name is part of it: Haskell's `fold'`.
    if written.starts_with(quotes) { written.trim_matches(quotes) } else { written }
}

pub(super) fn one_line(written: &str) -> String {
    let mut line = String::with_capacity(written.len());
    for word in written.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

/// `Pool::take` of `Pool<T>::take(&self)`.
pub(super) fn without_generics(written: &str) -> Cow<'_, str> {
    if !written.contains(['<', '(', '[', '{', '\n']) {
        return written.into();
    }
    let mut bare = String::new();
    let mut depth = 0;
    for c in written.chars() {
        match c {
            '<' => depth += 1,
            '>' if depth > 0 => depth -= 1,
            _ if depth > 0 => {}
            '(' | '[' | '{' | '\n' => break,
            c => bare.push(c),
        }
    }
    bare.into()
}

/// `("Pool", "take")` of `Pool::take`, `Pool.take` and `Pool:take`; `letters` are characters of names here.
pub(super) fn split_qualified<'w>(written: &'w str, letters: &str) -> (Option<&'w str>, &'w str) {
    let separator = |c: char| ['.', ':'].contains(&c) && !letters.contains(c);
    match written.rfind(separator) {
        Some(at) if at > 0 && at + 1 < written.len() && !written.contains(char::is_whitespace) => {
            let around = written[..at].trim_end_matches([':', '.']);
            let around = around.rsplit(['.', ':']).next().unwrap_or(around);
            (Some(around).filter(|around| !around.is_empty()), &written[at + 1..])
        }
        _ => (None, written),
    }
}

/// `Engine` of `(e *Engine[T])`.
pub(super) fn type_name(written: &str) -> &str {
    let bare = written.split('[').next().unwrap_or(written);
    let mut words = bare.rsplit(|c: char| !(c.is_alphanumeric() || c == '_'));
    words.find(|word| !word.is_empty()).unwrap_or_default()
}

/// `send` of `self.client.send` and of `client(…).send`; nothing if no name ends the expression.
pub(super) fn last_name<'w>(written: &'w str, letters: &str) -> Option<&'w str> {
    let in_name = |c: char| c.is_alphanumeric() || "_$!?'".contains(c) || letters.contains(c);
    let member = written.trim_end_matches(in_name).ends_with(['.', ':']);
    let bare = if member { written } else { written.split(['<', '(', '[', '{', '\n']).next()?.trim() };
    let name = &bare[bare.trim_end_matches(in_name).len()..];
    let first = name.chars().next()?;
    (first.is_alphabetic() || first == '_' || first == '$').then_some(name)
}

/// The first line, with those after it while a parenthesis is open.
pub(super) fn closed_lines(text: &str) -> &str {
    let mut open = 0;
    let end = text.find(|c| {
        match c {
            '(' => open += 1,
            ')' => open -= 1,
            _ => {}
        }
        c == '\n' && open <= 0
    });
    &text[..end.unwrap_or(text.len())]
}

/// The head of a declaration on one line, without the marks that open its body.
pub(super) fn signature(head: &str) -> String {
    let mut signature = String::with_capacity(head.len().min(SIGNATURE + 8));
    for word in head.split_whitespace() {
        if signature.len() + word.len() > SIGNATURE {
            signature.push_str(" …");
            break;
        }
        if !signature.is_empty() {
            signature.push(' ');
        }
        signature.push_str(word);
    }
    let bare = signature.trim_end_matches("=>").trim_end_matches(['{', '=', ':', ' ', '\\']);
    signature.truncate(bare.len());
    signature
}

/// The first line of a comment that says something, without its marks.
pub(super) fn first_doc_line(comment: &str) -> Option<String> {
    comment.lines().find_map(|line| {
        let said = line.trim().trim_start_matches("(*").trim_start_matches("<!--");
        let said = said.trim_start_matches(OPENING);
        let closing = ["*/", "*)", "-}", "-->"];
        let said = closing.iter().fold(said, |said, mark| said.trim_end_matches(mark));
        let said = untagged(said.trim_end_matches(['"', '\'']).trim());
        said.chars().any(char::is_alphanumeric).then(|| said.to_owned())
    })
}

/// `Takes one.` of `<summary>Takes one.</summary>`.
fn untagged(said: &str) -> &str {
    let said = said.strip_prefix('<').and_then(|tag| tag.split_once('>')).map_or(said, |(_, rest)| rest);
    let end = said.rfind("</").filter(|_| said.ends_with('>')).unwrap_or(said.len());
    said[..end].trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cut_out_of_what_surrounds_them() {
        assert_eq!(without_generics("Pool<T<U>>::take(&self)"), "Pool::take");
        assert_eq!(split_qualified("net::Pool::take", ""), (Some("Pool"), "take"));
        assert_eq!(split_qualified("Pool:take", ""), (Some("Pool"), "take"));
        assert_eq!(split_qualified("print.pool", "."), (None, "print.pool"));
        assert_eq!(split_qualified("it works. mostly", ""), (None, "it works. mostly"));
        assert_eq!(type_name("(e *Engine[T])"), "Engine");
        assert_eq!(unquoted("\"a b\""), "a b");
        assert_eq!(unquoted("fold'"), "fold'");
    }

    #[test]
    fn the_last_name_is_what_is_used() {
        assert_eq!(last_name("self.client.send", ""), Some("send"));
        assert_eq!(last_name("client(\n    1,\n).send", ""), Some("send"));
        assert_eq!(last_name("Vec<u8>", ""), Some("Vec"));
        assert_eq!(last_name("read.csv", "."), Some("read.csv"));
        assert_eq!(last_name("(|| 3)", ""), None);
        assert_eq!(last_name("3", ""), None);
    }

    #[test]
    fn signatures_are_one_line_of_bounded_length() {
        assert_eq!(signature("fn take(\n    &self,\n) -> u8 {"), "fn take( &self, ) -> u8");
        assert_eq!(signature("const send = async () =>"), "const send = async ()");
        let long = signature(&"word ".repeat(100));
        assert!(long.len() < SIGNATURE + 5 && long.ends_with(" …"));
        assert_eq!(closed_lines("int take(\n  int a)\n  __attribute__"), "int take(\n  int a)");
    }

    #[test]
    fn docs_are_the_first_line_that_says_something() {
        let check = |comment, said| assert_eq!(first_doc_line(comment).as_deref(), said, "{comment}");
        check("/// Takes one.", Some("Takes one."));
        check("/**\n * Takes one.\n */", Some("Takes one."));
        check("(** Takes one. *)", Some("Takes one."));
        check("<!-- Takes one. -->", Some("Takes one."));
        check("{-| Takes one. -}", Some("Takes one."));
        check("/// <summary>Takes one.</summary>", Some("Takes one."));
        check("///////", None);
    }
}
