//! What an import brings into a file, read from how it is written. Nothing here knows of trees.

use super::words;

/// One thing that an import brings in.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Import {
    /// Where from; `None` where the language imports files.
    pub(super) module: Option<String>,
    /// A name of the module, `*` for all of them or the module itself, or the file.
    pub(super) name: String,
    /// What it goes by here. Of a module: the name before its members.
    pub(super) alias: Option<String>,
    /// Whether others can take it from here.
    pub(super) handed_on: bool,
    /// Lines below the one where the import begins.
    pub(super) row: u32,
}

/// Reads an import as the language of that `style` writes it.
pub(super) fn read(style: Option<&str>, written: &str) -> Vec<Import> {
    match style {
        Some("python") => python(written),
        Some("rust") => rust(written),
        Some("javascript") => javascript(written),
        Some("go") => go(written),
        Some("dotted") => dotted(written, '.'),
        // A namespace: all of it is brought in.
        Some("csharp") => dotted(written, '\0'),
        Some("php") if !written.starts_with(['"', '\'']) => dotted(written, '\\'),
        _ => vec![Import { name: file(written), ..Import::default() }],
    }
}

/// A file or module as written, without quotes.
fn file(written: &str) -> String {
    let line = words::one_line(words::unquoted(written.trim()));
    line.trim_matches(['<', '>', '"', '\'', '(', ')', ':']).to_owned()
}

fn named(module: &str, name: &str, alias: Option<&str>) -> Import {
    Import {
        module: Some(module.to_owned()).filter(|module| !module.is_empty()),
        name: name.to_owned(),
        alias: alias.filter(|alias| *alias != name).map(str::to_owned),
        ..Import::default()
    }
}

fn whole(module: &str, alias: Option<&str>) -> Import {
    Import {
        module: Some(module.to_owned()),
        name: "*".to_owned(),
        alias: alias.map(str::to_owned),
        ..Import::default()
    }
}

/// `a as b` taken apart.
fn renamed(item: &str) -> (&str, Option<&str>) {
    let item = item.trim();
    match item.split_once(" as ") {
        Some((name, alias)) => (name.trim(), Some(alias.trim())),
        None => (item, None),
    }
}

/// Items parted by commas, each with its row.
fn items(list: &str) -> impl Iterator<Item = (u32, &str)> {
    let mut row = 0;
    list.split(',').filter_map(move |item| {
        let begin = row;
        row += breaks(item);
        (begin..).zip(item.split('\n')).find_map(|(row, line)| {
            let line = line.trim().trim_matches(['(', ')', '{', '}', '\\']).trim();
            let said = if line.starts_with(['#', '/']) { "" } else { line };
            let said = said.split(" #").next().unwrap_or(said).trim();
            (!said.is_empty()).then_some((row, said))
        })
    })
}

fn breaks(text: &str) -> u32 {
    text.bytes().filter(|byte| *byte == b'\n').count() as u32
}

/// `import a.b as c`, `from .a import b, c as d`.
fn python(written: &str) -> Vec<Import> {
    if let Some(list) = written.strip_prefix("import ") {
        let module = |(row, item)| {
            let (module, alias) = renamed(item);
            Import { row, ..whole(module, alias.or(Some(module))) }
        };
        return items(list).map(module).collect();
    }
    let Some((module, list)) = written.strip_prefix("from ").and_then(|rest| rest.split_once("import"))
    else {
        return Vec::new();
    };
    let module = module.trim();
    let one = |(row, item)| match renamed(item) {
        ("*", _) => Import { row, ..whole(module, None) },
        (name, alias) => Import { row, ..named(module, name, alias) },
    };
    items(list).map(one).collect()
}

/// `std::{io, fs::File as F}`, with what stands before `use`.
fn rust(written: &str) -> Vec<Import> {
    let handed_on = written.starts_with("pub");
    let tree = written.find("use ").map_or(written, |at| &written[at + 4..]);
    let mut found = Vec::new();
    rust_tree("", tree.trim().trim_end_matches(';'), 0, &mut found);
    for import in &mut found {
        import.handed_on = handed_on;
    }
    found
}

fn rust_tree(prefix: &str, tree: &str, row: u32, found: &mut Vec<Import>) {
    if let Some((path, list)) = tree.split_once('{') {
        let prefix = join(prefix, path.trim().trim_end_matches("::"));
        let mut row = row + breaks(path);
        let list = list.trim_end().strip_suffix('}').unwrap_or(list);
        for item in at_top(list) {
            let blank = item.len() - item.trim_start().len();
            let item_row = row + breaks(&item[..blank]);
            row += breaks(item);
            rust_tree(&prefix, item.trim(), item_row, found);
        }
        return;
    }
    let (path, alias) = renamed(tree);
    let (module, name) = match path.rsplit_once("::") {
        Some((module, name)) => (join(prefix, module), name),
        None => (prefix.to_owned(), path),
    };
    let import = match name {
        "" => return,
        "*" => whole(&module, None),
        "self" => {
            let (outer, name) = module.rsplit_once("::").unwrap_or(("", &module));
            named(outer, name, alias)
        }
        name => named(&module, name, alias),
    };
    found.push(Import { row, ..import });
}

fn join(prefix: &str, path: &str) -> String {
    [prefix, path].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("::")
}

/// Items parted by commas that stand in no inner braces.
fn at_top(list: &str) -> Vec<&str> {
    let (mut depth, mut start, mut found) = (0, 0, Vec::new());
    for (at, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                found.push(&list[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(&list[start..]);
    found
}

/// `import a, { b as c } from './d'`, `export * from './d'`, `{ a, b: c } = require('./d')`.
fn javascript(written: &str) -> Vec<Import> {
    let Some((module, head)) = quoted_last(written) else { return Vec::new() };
    let handed_on = head.starts_with("export");
    let required = head.contains("require") || head.contains("import(");
    let head = head.trim_start_matches("export").trim_start_matches("import").trim_start();
    let head = head.strip_prefix("type ").unwrap_or(head).trim();
    let head = match required {
        true => head.split_once('=').map(|(head, _)| head).unwrap_or_default(),
        false => head.trim_end_matches('(').trim_end().strip_suffix("from").unwrap_or_default(),
    };
    let (outside, list) = match head.split_once('{') {
        Some((outside, list)) => (outside, list.split('}').next().unwrap_or_default()),
        None => (head, ""),
    };
    let mut found = Vec::new();
    for item in outside.split(',').map(str::trim).filter(|item| !item.is_empty()) {
        found.push(match item.strip_prefix('*') {
            Some(alias) => whole(module, alias.trim().strip_prefix("as ").map(str::trim)),
            None if required => whole(module, Some(item)),
            None => named(module, "default", Some(item)),
        });
    }
    let row = breaks(outside);
    for (below, item) in items(list) {
        let item = item.strip_prefix("type ").unwrap_or(item).replace(':', " as ");
        let item = item.split('=').next().unwrap_or_default();
        let (name, alias) = renamed(item);
        found.push(Import { row: row + below, ..named(module, name, alias) });
    }
    if found.is_empty() {
        found.push(Import { name: module.to_owned(), ..Import::default() });
    }
    for import in &mut found {
        import.handed_on = handed_on;
    }
    found
}

/// The last string of a text, and what stands before it.
fn quoted_last(written: &str) -> Option<(&str, &str)> {
    let end = written.rfind(['"', '\'', '`'])?;
    let quote = written[end..].chars().next()?;
    let start = written[..end].rfind(quote)?;
    Some((&written[start + 1..end], written[..start].trim_end().trim_end_matches('(').trim_end()))
}

/// `alias "a/b"` of an import, or the path alone.
fn go(written: &str) -> Vec<Import> {
    let Some((module, alias)) = quoted_last(written) else { return Vec::new() };
    let last = |module: &str| {
        let mut parts = module.rsplit('/');
        let last = parts.next().unwrap_or_default();
        // `example.com/pool/v2` is `pool`.
        let version = last.strip_prefix('v').is_some_and(|number| number.parse::<u32>().is_ok());
        let name = if version { parts.next().unwrap_or(last) } else { last };
        name.split('.').next().unwrap_or(name).trim_start_matches("go-").to_owned()
    };
    match alias.trim() {
        "." => vec![whole(module, None)],
        "" => vec![whole(module, Some(&last(module)))],
        alias => vec![whole(module, Some(alias))],
    }
}

/// `a.b.C`, `static a.b.C.d`, `a.b.*`, `a.b.{C, D => E}`, with other separators in other languages.
fn dotted(written: &str, separator: char) -> Vec<Import> {
    let bare = written.trim().trim_end_matches(';').trim_start_matches(separator);
    let mut bare = bare;
    for word in ["import ", "static ", "using ", "global ", "function ", "const "] {
        bare = bare.strip_prefix(word).unwrap_or(bare).trim_start();
    }
    let (path, alias) = renamed(bare);
    if let Some((module, list)) = path.split_once('{') {
        let module = module.trim_end_matches(separator).trim();
        let one = |(row, item): (u32, &str)| {
            let item = item.replace("=>", " as ");
            let (name, alias) = renamed(&item);
            match name {
                "*" | "_" => Import { row, ..whole(module, None) },
                name => Import { row, ..named(module, name, alias) },
            }
        };
        return items(list).map(one).collect();
    }
    let path = words::one_line(path);
    match path.rsplit_once(separator) {
        Some((module, "*" | "_")) => vec![whole(module, None)],
        Some((module, name)) => vec![named(module, name, alias)],
        None if separator == '\\' => vec![named("", &path, alias)],
        None => vec![whole(&path, alias)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(style: &str, written: &str, expected: &str) {
        let shown: Vec<String> = read(Some(style), written)
            .iter()
            .map(|import| {
                let module =
                    import.module.as_deref().map(|module| format!("{module} → ")).unwrap_or_default();
                let alias = import.alias.as_deref().map(|alias| format!(" as {alias}")).unwrap_or_default();
                let row = if import.row > 0 { format!(" +{}", import.row) } else { String::new() };
                let on = if import.handed_on { " handed on" } else { "" };
                format!("{module}{}{alias}{row}{on}", import.name)
            })
            .collect();
        assert_eq!(shown.join("; "), expected, "{written}");
    }

    #[test]
    fn python_imports_modules_and_names() {
        check("python", "import os, a.b as c", "os → * as os; a.b → * as c");
        check("python", "from .a import b, c as d", ".a → b; .a → c as d");
        check("python", "from a import (\n    b,  # why\n    c,\n)", "a → b +1; a → c +2");
        check("python", "from a import *", "a → *");
    }

    #[test]
    fn rust_trees_are_flattened() {
        check("rust", "use std::collections::HashMap;", "std::collections → HashMap");
        check("rust", "use a::{b::C, d::{self, E as F}, g::*};", "a::b → C; a → d; a::d → E as F; a::g → *");
        check("rust", "pub use self::pool::Pool;", "self::pool → Pool handed on");
        check("rust", "use a::{\n    b,\n    c,\n};", "a → b +1; a → c +2");
        check("rust", "use tokio;", "tokio");
    }

    #[test]
    fn javascript_imports_exports_and_requires() {
        check(
            "javascript",
            "import a, { b, c as d } from './e';",
            "./e → default as a; ./e → b; ./e → c as d",
        );
        check("javascript", "import * as a from \"./e\"", "./e → * as a");
        check("javascript", "import type { A } from './e'", "./e → A");
        check("javascript", "import './e'", "./e");
        check("javascript", "export * from './e'", "./e → * handed on");
        check("javascript", "export { a } from './e'", "./e → a handed on");
        check("javascript", "{ a, b: c } = require('./e')", "./e → a; ./e → b as c");
        check("javascript", "e = require('./e')", "./e → * as e");
        check("javascript", "require('./e')", "./e");
    }

    #[test]
    fn others_name_packages_and_types() {
        check("go", "\"net/http\"", "net/http → * as http");
        check("go", "p \"example.com/pool/v2\"", "example.com/pool/v2 → * as p");
        check("go", "\"example.com/pool/v2\"", "example.com/pool/v2 → * as pool");
        check("dotted", "import static a.b.C.d;", "a.b.C → d");
        check("dotted", "import a.b.*;", "a.b → *");
        check("dotted", "import a.b.{C, D => E}", "a.b → C; a.b → D as E");
        check("php", "A\\B\\C as D", "A\\B → C as D");
        check("php", "Socket", "Socket");
        check("csharp", "using System.Text;", "System.Text → *");
        check("", "<net/pool.h>", "net/pool.h");
    }
}
