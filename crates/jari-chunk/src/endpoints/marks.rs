//! Routes that are declared by an annotation above a function: Spring, JAX-RS, Nest, rocket, actix, Symfony.

use super::{Endpoint, VERBS, joined, literal, verb};
use crate::brackets::closing;

/// Words of which one stands in a file that has such annotations; most files have none.
const NEEDLES: [&str; 9] =
    ["Mapping(", "Mapping\n", "@Path(", "@nestjs", "#[get(", "#[post(", "#[put(", "#[delete(", "#[Route("];

pub(super) fn read(text: &str) -> Vec<Endpoint> {
    if !NEEDLES.iter().any(|needle| text.contains(needle)) && !text.contains("#[patch(") {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut prefix = String::new();
    let mut waiting: Vec<(u32, Mark<'_>)> = Vec::new();
    let (mut number, mut rest) = (1, text);
    while !rest.is_empty() {
        let piece = piece(rest);
        let (begins, after) = (number, &rest[piece.len()..]);
        number += memchr::memchr_iter(b'\n', piece.as_bytes()).count() as u32;
        rest = after;
        if let Some(mark) = mark(piece) {
            waiting.push((begins, mark));
            // What closes an attribute of Rust or PHP.
            rest = rest.strip_prefix(']').unwrap_or(rest);
            continue;
        }
        let line = piece.trim();
        let passed = ["//", "*", "/*", ")"].iter().any(|begin| line.starts_with(begin));
        if line.is_empty() || passed || waiting.is_empty() {
            continue;
        }
        let is_type = ["class ", "interface ", "object "]
            .iter()
            .any(|word| line.split_once(word).is_some_and(|(before, _)| !before.contains(['(', '"'])));
        if is_type {
            prefix = around(&waiting).to_owned();
        } else {
            found.extend(answered(&waiting, &prefix));
        }
        waiting.clear();
    }
    found
}

/// What an annotation says of a route.
#[derive(Debug, Clone, Default)]
struct Mark<'a> {
    verbs: Vec<&'static str>,
    paths: Vec<&'a str>,
    /// Whether it declares a route by itself.
    routes: bool,
}

/// What is read next: blanks, an annotation down to the end of its arguments, which may stand on further lines, or what is left of
/// the line with its end.
fn piece(text: &str) -> &str {
    let blanks = text.len() - text.trim_start_matches([' ', '\t']).len();
    if blanks > 0 {
        return &text[..blanks];
    }
    let line = &text[..memchr::memchr(b'\n', text.as_bytes()).map_or(text.len(), |end| end + 1)];
    if !text.starts_with('@') && !text.starts_with("#[") {
        return line;
    }
    let named = |c: char| c.is_alphanumeric() || ['@', '#', '[', '_', '.', ':'].contains(&c);
    let name = text.find(|c| !named(c)).unwrap_or(text.len());
    let Some(arguments) = text[name..].strip_prefix('(') else { return &text[..name] };
    closing(arguments).map_or(line, |end| &text[..name + end + 2])
}

fn mark(piece: &str) -> Option<Mark<'_>> {
    let rest = piece.strip_prefix('@').or_else(|| piece.strip_prefix("#["))?;
    let rest = rest.strip_prefix("rocket::").or_else(|| rest.strip_prefix("actix_web::")).unwrap_or(rest);
    let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
    let (name, arguments) = rest.split_at(end);
    let arguments = arguments.strip_prefix('(').unwrap_or_default();
    let named = ["value", "path", "name"].iter().find_map(|key| {
        let (before, value) = arguments.split_once(key)?;
        let paths = literals(value.trim_start().strip_prefix(['=', ':'])?);
        (!before.contains('"') && !paths.is_empty()).then_some(paths)
    });
    let first = literals(arguments);
    let paths = if first.is_empty() { named.unwrap_or_default() } else { first };
    let rust = piece.starts_with("#[") && name.starts_with(char::is_lowercase);
    Some(match name {
        "RequestMapping" | "Route" => Mark { verbs: said(arguments), paths, routes: true },
        "Path" | "Controller" => Mark { verbs: Vec::new(), paths, routes: false },
        // JAX-RS: the verb is an annotation of its own.
        name if VERBS.contains(&name) => Mark { verbs: said(name), paths: Vec::new(), routes: true },
        name if rust => {
            match verb(name).filter(|_| paths.first().is_some_and(|path| path.starts_with('/'))) {
                Some(verb) => Mark { verbs: vec![verb], paths, routes: true },
                None => Mark::default(),
            }
        }
        name => match verb(name.strip_suffix("Mapping").unwrap_or(name)) {
            Some(verb) => Mark { verbs: vec![verb], paths, routes: true },
            None => Mark::default(),
        },
    })
}

/// The strings that begin `text`: one, or those of a list.
fn literals(text: &str) -> Vec<&str> {
    let mut rest = text.trim_start();
    let list = rest.strip_prefix(['{', '[']);
    rest = list.unwrap_or(rest);
    let mut found = Vec::new();
    while let Some((string, after)) = literal(rest) {
        found.push(string);
        match after.trim_start().strip_prefix(',').filter(|_| list.is_some()) {
            Some(next) => rest = next,
            None => break,
        }
    }
    found
}

/// The verbs that arguments name: `method = RequestMethod.POST`, `methods: ['GET', 'POST']`.
fn said(arguments: &str) -> Vec<&'static str> {
    let words: Vec<&str> = arguments.split(|c: char| !c.is_alphanumeric()).collect();
    VERBS.into_iter().filter(|verb| words.contains(verb)).collect()
}

/// The path that the annotations above a type put before those of its functions. One that declares routes speaks for itself; a name
/// in another (`@Controller("users")` of Spring) may be that of an object.
fn around<'a>(marks: &[(u32, Mark<'a>)]) -> &'a str {
    let said = |routes: bool| marks.iter().filter(move |(_, mark)| mark.routes == routes);
    let mut paths = said(true).chain(said(false)).filter_map(|(_, mark)| mark.paths.first());
    paths.find(|path| !path.is_empty()).copied().unwrap_or_default()
}

/// The routes that the annotations above one function declare: every path with every verb.
fn answered(marks: &[(u32, Mark<'_>)], prefix: &str) -> Vec<Endpoint> {
    let Some((line, route)) = marks.iter().find(|(_, mark)| mark.routes) else { return Vec::new() };
    let all = || std::iter::once(route).chain(marks.iter().map(|(_, mark)| mark));
    let paths = all().map(|mark| mark.paths.as_slice()).find(|paths| !paths.is_empty()).unwrap_or(&[""]);
    let verbs = all().map(|mark| mark.verbs.as_slice()).find(|verbs| !verbs.is_empty()).unwrap_or(&["ANY"]);
    let endpoint = |path: &str, verb: &str| Endpoint {
        verb: verb.to_owned(),
        path: joined(prefix, path),
        line: *line,
        handler: None,
    };
    paths.iter().flat_map(|path| verbs.iter().map(move |verb| endpoint(path, verb))).collect()
}
