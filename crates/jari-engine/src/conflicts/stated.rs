//! Where a text states the default of a setting. Pure: text in, names and values out.

use std::collections::HashSet;

use jari_base::Document;

/// Words that lead to a default, longest first.
const MARKS: &[&str] = &[
    "default value is ",
    "default value: ",
    "defaults to ",
    "default is ",
    "default: ",
    "default = ",
    "default ",
    "기본값은 ",
    "기본값: ",
    "기본값 ",
];

/// Words after a default by which it holds only sometimes, or is counted in another unit than code counts in.
const HEDGES: &[&str] = &[
    " if ",
    " when ",
    " unless ",
    " otherwise",
    " or ",
    " in debug",
    " on windows",
    " except ",
    " minute",
    " hour",
    " day",
    " week",
    " month",
    " millisecond",
    " ms",
    " kb",
    " mb",
    " gb",
    " kib",
    " mib",
    " gib",
    " percent",
    "%",
    "분",
    "시간",
    "일",
];

/// Heads of a column with defaults.
const DEFAULT: &[&str] = &["default", "default value", "defaults", "기본값", "기본"];

/// How far a flag's declaration may go on.
const DECLARATION: usize = 600;

/// A default that a document states.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Stated<'t> {
    pub(super) name: &'t str,
    pub(super) value: &'t str,
    pub(super) line: u32,
}

/// All that a document states outside its examples.
pub(super) fn stated<'t>(document: &'t Document, text: &'t str, fenced: &HashSet<u32>) -> Vec<Stated<'t>> {
    let mut found = Vec::new();
    // The columns of names and defaults of the table we are in.
    let mut table: Option<(usize, usize)> = None;
    for (line, number) in text.lines().zip(1..) {
        if fenced.contains(&number) {
            continue;
        }
        if line.trim_start().starts_with('|') {
            let cells = cells(line);
            match table {
                None => table = columns(&cells),
                Some((name, default)) => {
                    if let (Some(name), Some(value)) = (cells.get(name), cells.get(default))
                        && let (Some(name), Some(value)) = (only_name(name), cell_value(value))
                    {
                        found.push(Stated { name, value, line: number });
                    }
                }
            }
            continue;
        }
        table = None;
        found.extend(in_sentence(document, line, number));
    }
    found
}

/// The value that a declaration gives: `5` of `const NAME: u32 = 5;` and `NAME = 5`.
pub(super) fn assigned<'t>(signature: &'t str, name: &str) -> Option<&'t str> {
    let (before, after) = signature.split_once(name)?;
    let (kind, value) = after.split_once('=')?;
    let is_plain = !before.contains(['=', '(', '"']) && !kind.contains(['(', '"', '=', '{', '\'']);
    let value = value.split(" //").next().unwrap_or(value).split(" #").next().unwrap_or(value).trim();
    (is_plain && !value.starts_with(['=', '>'])).then(|| value.trim_end_matches(';'))
}

/// Values that code falls back to where a variable of the environment or a flag is not given, with their lines.
pub(super) fn fallen_back_to<'t>(text: &'t str, name: &str) -> Vec<(u32, &'t str)> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices(name) {
        let line = text[..at].bytes().filter(|byte| *byte == b'\n').count() as u32 + 1;
        let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
        let (before, after) = (&text[start..at], &text[at + name.len()..]);
        let value = if name.starts_with("--") {
            after.starts_with(['"', '\'']).then(|| flag_default(after)).flatten()
        } else {
            environment_default(before, after)
        };
        found.extend(value.map(|value| (line, value)));
    }
    found
}

/// Whether a name is written as constants are, with more than one word: such names mean one thing in a project.
pub(super) fn is_constant(name: &str) -> bool {
    name.trim_matches('_').contains('_')
        && name.len() > 5
        && name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
}

/// Whether a name means one setting: a constant, or a flag of several words.
fn is_setting(name: &str) -> bool {
    let flag = |flag: &str| {
        flag.contains('-')
            && flag.len() > 5
            && flag.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
    };
    is_constant(name) || name.strip_prefix("--").is_some_and(flag)
}

fn cells(line: &str) -> Vec<&str> {
    line.trim().trim_matches('|').split('|').map(str::trim).collect()
}

/// The columns of names and of defaults, if this is a head that has both.
fn columns(head: &[&str]) -> Option<(usize, usize)> {
    let plain = |cell: &&str| cell.trim_matches(['*', '_', '`', ' ']).to_lowercase();
    let default = head.iter().position(|cell| DEFAULT.contains(&plain(cell).as_str()))?;
    (default > 0).then_some((0, default))
}

/// The one setting that a cell names.
fn only_name(cell: &str) -> Option<&str> {
    let name = cell.trim_matches(['`', '*', ' ']);
    is_setting(name).then_some(name)
}

fn cell_value(cell: &str) -> Option<&str> {
    match cell.strip_prefix('`') {
        Some(rest) => {
            let (value, after) = rest.split_once('`')?;
            (!hedged(after)).then_some(value)
        }
        None => (!hedged(&format!(" {cell}"))).then_some(cell),
    }
}

fn in_sentence<'t>(document: &'t Document, line: &'t str, number: u32) -> Option<Stated<'t>> {
    let lower = line.to_ascii_lowercase();
    let (at, mark) = MARKS.iter().find_map(|mark| lower.find(mark).map(|at| (at, *mark)))?;
    let (value, after) = leading_value(line[at + mark.len()..].trim_start_matches(':').trim_start())?;
    let sentence = after.split(". ").next().unwrap_or(after);
    if hedged(sentence) {
        return None;
    }
    let before = &line[..at];
    let mut names: Vec<&str> = before.split('`').map(str::trim).filter(|part| is_setting(part)).collect();
    names.dedup();
    let name = match names[..] {
        [name] => name,
        // Below a heading that is a setting's name, a line may begin with its default.
        [] if before.trim_matches(['*', '-', '_', ' ', '(']).is_empty() => {
            let section = &document.sections[document.section_at(number)? as usize];
            let title = section.title.trim_matches('`');
            is_setting(title).then_some(title)?
        }
        _ => return None,
    };
    Some(Stated { name, value, line: number })
}

/// A piece of code or a number at the beginning, and what follows.
fn leading_value(text: &str) -> Option<(&str, &str)> {
    let ticks = text.bytes().take_while(|byte| *byte == b'`').count();
    if ticks > 0 {
        let (value, after) = text[ticks..].split_once(&text[..ticks])?;
        return Some((value, after));
    }
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '_')).unwrap_or(text.len());
    let after = &text[end..];
    // `5s`, `1.5` and `3/4` go on.
    (end > 0 && !after.starts_with(|c: char| c.is_alphanumeric() || "./-,".contains(c) && after.len() > 1))
        .then_some((&text[..end], after))
}

fn hedged(after: &str) -> bool {
    let lower = after.to_lowercase();
    HEDGES.iter().any(|hedge| lower.contains(hedge))
}

/// `environ.get("NAME", "5")`, `process.env.NAME ?? 5`.
fn environment_default<'t>(before: &str, after: &'t str) -> Option<&'t str> {
    let call = before.trim_end_matches(['"', '\'']);
    if call.len() < before.len() && call.ends_with('(') && call.to_lowercase().contains("env") {
        let rest = after.strip_prefix(['"', '\''])?.trim_start().strip_prefix(',')?;
        return argument(rest);
    }
    if before.ends_with("env.") {
        let rest = after.trim_start();
        let rest = rest.strip_prefix("??").or_else(|| rest.strip_prefix("||"))?;
        let end = rest.find([';', ',', ')', '\n']).unwrap_or(rest.len());
        return Some(rest[..end].trim());
    }
    None
}

/// The default of `add_argument("--flag", …, default=5)`.
fn flag_default(after: &str) -> Option<&str> {
    let end = after.char_indices().nth(DECLARATION).map_or(after.len(), |(at, _)| at);
    let mut depth = 0;
    let close = after[..end].char_indices().find(|(_, c)| {
        depth += match c {
            '(' | '[' | '{' => 1,
            ')' | ']' | '}' => -1,
            _ => 0,
        };
        depth < 0
    });
    let declaration = &after[..close?.0];
    let at = declaration.find("default=")?;
    argument(&after[at + "default=".len()..])
}

/// The argument at the beginning.
fn argument(text: &str) -> Option<&str> {
    let mut depth = 0;
    let end = text.char_indices().find(|(_, c)| {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        depth < 0 || depth == 0 && matches!(c, ',' | '\n')
    });
    Some(text[..end?.0].trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[(&str, &str)]) {
        let chunked = jari_chunk::chunk(&jari_base::Language::named("markdown"), text, &Default::default());
        let document = chunked.document.unwrap();
        let fenced = crate::mentions::code_lines(&document, text).into_iter().map(|(line, _)| line).collect();
        let found: Vec<_> =
            stated(&document, text, &fenced).iter().map(|one| (one.name, one.value)).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn tables_sentences_and_headings_state_defaults() {
        check(
            "| Name | Default |\n|---|---|\n| `RETRY_LIMIT` | `3` |\n| `name` | 4 |\n",
            &[("RETRY_LIMIT", "3")],
        );
        check("`RETRY_LIMIT` says how often, and defaults to `5`.\n", &[("RETRY_LIMIT", "5")]);
        check("- `POOL_SIZE` (default 8): connections\n", &[("POOL_SIZE", "8")]);
        check("## `POOL_SIZE`\n\nDefault: `8` (connections)\n", &[("POOL_SIZE", "8")]);
        check("`POOL_SIZE`의 기본값은 `8`입니다.\n", &[("POOL_SIZE", "8")]);
    }

    #[test]
    fn what_holds_sometimes_or_in_examples_is_not_stated() {
        check("`RETRY_LIMIT` defaults to `5` if the network is slow.\n", &[]);
        check("`CACHE_TTL` defaults to `5` minutes.\n", &[]);
        check("`RETRY_LIMIT` and `POOL_SIZE` default to `5`.\n", &[]);
        check("```\nRETRY_LIMIT defaults to `5`\n```\n", &[]);
    }

    #[test]
    fn code_gives_values_to_constants_variables_and_flags() {
        assert_eq!(assigned("pub const RETRY_LIMIT: u32 = 5;", "RETRY_LIMIT"), Some("5"));
        assert_eq!(assigned("RETRY_LIMIT = 5", "RETRY_LIMIT"), Some("5"));
        assert_eq!(assigned("def f(RETRY_LIMIT=5):", "RETRY_LIMIT"), None);
        let python = "a = os.environ.get(\"POOL_SIZE\", \"8\")\nb = os.getenv('POOL_SIZE', 9)\n";
        assert_eq!(fallen_back_to(python, "POOL_SIZE"), [(1, "\"8\""), (2, "9")]);
        assert_eq!(fallen_back_to("const n = process.env.POOL_SIZE ?? 8;", "POOL_SIZE"), [(1, "8")]);
        let parser = "parser.add_argument(\n  \"--pool-size\",\n  type=int, default=8)\n";
        assert_eq!(fallen_back_to(parser, "--pool-size"), [(2, "8")]);
    }
}
