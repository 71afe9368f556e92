//! Names and sentences out of what is written in a file; nothing here knows of trees.

use std::borrow::Cow;

use jari_text::declared_type;

/// Longest signature kept, in bytes.
const SIGNATURE: usize = 240;

/// Longest way to a name that is kept, in bytes.
const QUALIFIER: usize = 80;

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

/// What a name is taken from, given what stands before it: `self.client` of `self.client.`, `connect()` of
/// `connect(a, b).`, `"` of a literal; nothing if the name stands alone. `separators` are those of the language besides the common.
pub(super) fn qualifier(before: &str, separators: &[&str]) -> Option<String> {
    let mut rest = separated(before, separators)?;
    let mut parts: Vec<&str> = Vec::new();
    loop {
        rest = rest.trim_end();
        let mut called = "";
        while let Some(open) = rest.ends_with([')', ']', '>']).then(|| opening(rest)) {
            called = match rest[open..].chars().next() {
                Some('(') => "()",
                Some('[') => "[]",
                _ => called,
            };
            rest = rest[..open].trim_end_matches("::").trim_end();
            if !called.is_empty() {
                parts.push(called);
            }
            if open == 0 {
                break;
            }
        }
        if rest.ends_with(['"', '\'', '`']) && called.is_empty() && parts.is_empty() {
            return Some("\"".to_owned());
        }
        let start = rest.trim_end_matches(|c: char| c.is_alphanumeric() || "_$@!?".contains(c)).len();
        if start < rest.len() {
            parts.push(&rest[start..]);
        }
        match separated(&rest[..start], separators) {
            Some(more) if start < rest.len() || !called.is_empty() => {
                parts.push(if rest[..start].trim_end().ends_with("::") { "::" } else { "." });
                rest = more;
            }
            _ => break,
        }
        if parts.iter().map(|part| part.len()).sum::<usize>() > QUALIFIER {
            break;
        }
    }
    parts.reverse();
    let joined = parts.concat();
    Some(joined.trim_start_matches(['.', ':']).to_owned()).filter(|joined| !joined.is_empty())
}

/// What stands before the separator that ends `before`.
fn separated<'w>(before: &'w str, separators: &[&str]) -> Option<&'w str> {
    let before = before.trim_end();
    let common = ["?->", "->", "?.", "!.", "&.", "::", "."];
    let ends = |separator: &&&str| before.ends_with(**separator);
    let separator = common.iter().chain(separators).find(ends)?;
    let rest = &before[..before.len() - separator.len()];
    // `..` and `...` are ranges and spreads; PHP's `\\Pool` begins at the top.
    let begins = separators.contains(separator) && rest.ends_with(char::is_whitespace);
    (!rest.ends_with('.') && !begins).then_some(rest)
}

/// Where the bracket opens that ends `text`; 0 if it does not.
fn opening(text: &str) -> usize {
    let mut depth = 0;
    for (at, byte) in text.bytes().enumerate().rev() {
        match byte {
            b')' | b']' | b'>' => depth += 1,
            b'(' | b'[' | b'<' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at;
        }
    }
    0
}

/// The type of what an expression makes, where its words show it: `Pool` of `Pool::new()`, `new Pool()`, `&Pool{}`, `Pool(3)`,
/// `net.NewPool()`.
pub(super) fn made_type(written: &str) -> Option<&str> {
    let mut rest = written.trim();
    for word in ["await ", "&mut ", "&", "*", "new ", "try ", "try? ", "try! "] {
        rest = rest.strip_prefix(word).unwrap_or(rest).trim_start();
    }
    let end = rest.find(|c: char| !(c.is_alphanumeric() || "_.:\\$".contains(c))).unwrap_or(rest.len());
    let (path, after) = rest.split_at(end);
    // Go's `new(node)` and `value.(*Context)`, TypeScript's `value as Context`.
    let said = match (path, rest.rsplit_once(".("), rest.rsplit_once(" as ")) {
        ("new", _, _) => after.strip_prefix('('),
        (_, Some((_, said)), _) if said.ends_with(')') => Some(said),
        (_, _, Some((_, said))) => Some(said),
        _ => None,
    };
    if let Some(said) = said {
        return declared_type(said);
    }
    let is_type = |part: &&str| part.starts_with(|c: char| c.is_uppercase());
    let mut parts = path.split(['.', ':', '\\']).filter(|part| !part.is_empty()).rev();
    let last = parts.next()?;
    let before = parts.next();
    let ends = ended(after)?;
    let made = match (last, before) {
        (last, _) if is_type(&last) && last.starts_with("New") && last.len() > 3 && ends == '(' => {
            Some(&last[3..])
        }
        // A constructor; a constant has no brackets. What stands before braces is a type, however it is spelled.
        (last, _) if is_type(&last) => Some(last),
        (last, _) if ends == '{' => return Some(last),
        (_, Some(before)) if ends == '(' => Some(before),
        _ => None,
    };
    made.filter(is_type).filter(|made| made.chars().any(char::is_lowercase) || made.len() == 1)
}

/// The function whose result an expression is: `connect` of `net.connect(a)?`; nothing where more is done with it.
pub(super) fn called(written: &str) -> Option<&str> {
    let mut rest = written.trim();
    for word in ["await ", "try ", "try? ", "try! "] {
        rest = rest.strip_prefix(word).unwrap_or(rest).trim_start();
    }
    let end = rest.find(|c: char| !(c.is_alphanumeric() || "_.:\\$>-".contains(c))).unwrap_or(rest.len());
    let (path, after) = rest.split_at(end);
    let name = path.rsplit(['.', ':', '\\', '>']).next().unwrap_or(path);
    (ended(after)? == '(' && !name.is_empty() && name.len() <= QUALIFIER).then_some(name)
}

/// The bracket that opens `after`, if nothing follows where it closes but words that leave the type as it is.
fn ended(after: &str) -> Option<char> {
    let after = after.trim_start();
    let mut after = match after.starts_with('<') {
        true => after[closing(after)?..].trim_start(),
        false => after,
    };
    let bracket = after.chars().next().filter(|c| ['(', '{'].contains(c))?;
    after = after[closing(after)?..].trim();
    loop {
        let rest =
            [".unwrap()", ".await", "?", "!", ";", ".clone()"].iter().find_map(|end| after.strip_prefix(end));
        let rest = rest.or_else(|| {
            let message = after.strip_prefix(".expect")?;
            Some(&message[closing(message)?..])
        });
        match rest {
            Some(rest) => after = rest.trim_start(),
            None => return after.is_empty().then_some(bracket),
        }
    }
}

/// Behind the bracket that closes the one `text` begins with. `<` is a bracket only where it begins.
fn closing(text: &str) -> Option<usize> {
    let angles = text.starts_with('<');
    let mut depth = 0;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            b'<' if angles => depth += 1,
            b'>' if angles => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
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
    fn a_qualifier_is_what_stands_before_a_name() {
        let check = |before, expected: Option<&str>| {
            assert_eq!(qualifier(before, &[":"]).as_deref(), expected, "{before}");
        };
        check("self.client.", Some("self.client"));
        check("connect(\n    1,\n)\n    .", Some("connect()"));
        check("Pool::<u8>::new(a(b)).", Some("Pool::new()"));
        check("net::Pool::", Some("net::Pool"));
        check("pools[1].", Some("pools[]"));
        check("\", \".", Some("\""));
        check("$this->pool->", Some("$this.pool"));
        check("return pool.", Some("pool"));
        check("pool:", Some("pool"));
        check("(await open()).", Some("()"));
        check("new ", None);
        check("0..", None);
        check("", None);
    }

    #[test]
    fn constructors_show_types() {
        let made = |written, expected: Option<&str>| assert_eq!(made_type(written), expected, "{written}");
        made("Pool::new(3)", Some("Pool"));
        made("Pool::connect(url).await?", Some("Pool"));
        made("Pool::builder().size(3)", None);
        made("new Pool<User>(3)", Some("Pool"));
        made("net.Pool(size=3)", Some("Pool"));
        made("&http.Client{Timeout: 3}", Some("Client"));
        made("net.NewPool(3)", Some("Pool"));
        made("connect()", None);
        made("new(node)", Some("node"));
        made("&node{a: 1}", Some("node"));
        made("pool.Get().(*Context)", Some("Context"));
        made("new Pool((a) => a < 3)", Some("Pool"));
        assert_eq!(called("net.connect(a, b(c)).await?"), Some("connect"));
        assert_eq!(called("connect(a).size()"), None);
        assert_eq!(called("3"), None);
        made("LIMIT", None);
        made("Some(3)", Some("Some"));
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
