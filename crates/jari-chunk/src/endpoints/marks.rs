//! Routes that are declared by an annotation above a function: Spring, JAX-RS, Nest, rocket, actix, Symfony.

use super::{Endpoint, VERBS, joined, literal, verb};

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
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim_start();
        if let Some(mark) = mark(line) {
            waiting.push((number, mark));
            continue;
        }
        let passed = ["//", "*", "/*", ")"].iter().any(|begin| line.starts_with(begin));
        if line.is_empty() || passed || waiting.is_empty() {
            continue;
        }
        let is_type = ["class ", "interface ", "object "]
            .iter()
            .any(|word| line.split_once(word).is_some_and(|(before, _)| !before.contains(['(', '"'])));
        if is_type {
            prefix = waiting.iter().find_map(|(_, mark)| mark.path).unwrap_or_default().to_owned();
        } else {
            found.extend(answered(&waiting, &prefix));
        }
        waiting.clear();
    }
    found
}

/// What an annotation says of a route.
#[derive(Debug, Clone, Copy, Default)]
struct Mark<'a> {
    verb: Option<&'static str>,
    path: Option<&'a str>,
    /// Whether it declares a route by itself.
    routes: bool,
}

fn mark(line: &str) -> Option<Mark<'_>> {
    let rest = line.strip_prefix('@').or_else(|| line.strip_prefix("#["))?;
    let rest = rest.strip_prefix("rocket::").or_else(|| rest.strip_prefix("actix_web::")).unwrap_or(rest);
    let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
    let (name, arguments) = rest.split_at(end);
    let arguments = arguments.strip_prefix('(').unwrap_or_default();
    let named = ["value", "path", "name"].iter().find_map(|key| {
        let (before, value) = arguments.split_once(key)?;
        let value = value.trim_start().strip_prefix(['=', ':'])?.trim_start().trim_start_matches(['{', '[']);
        (!before.contains('"')).then(|| literal(value)).flatten()
    });
    let path = literal(arguments).or(named).map(|(path, _)| path);
    let said = |rest: &str| VERBS.into_iter().find(|verb| rest.contains(verb));
    let rust = line.starts_with("#[") && name.starts_with(char::is_lowercase);
    Some(match name {
        "RequestMapping" | "Route" => Mark { verb: said(arguments), path: path.or(Some("")), routes: true },
        "Path" | "Controller" => Mark { verb: None, path: path.or(Some("")), routes: false },
        // JAX-RS: the verb is an annotation of its own.
        name if VERBS.contains(&name) => Mark { verb: verb(name), path: None, routes: true },
        name if rust => {
            let verb = verb(name).filter(|_| path.is_some_and(|path| path.starts_with('/')));
            Mark { verb, path, routes: verb.is_some() }
        }
        name => match name.strip_suffix("Mapping").or(Some(name)).and_then(verb) {
            Some(verb) => Mark { verb: Some(verb), path: path.or(Some("")), routes: true },
            None => Mark::default(),
        },
    })
}

/// The route that the annotations above one function declare.
fn answered(marks: &[(u32, Mark<'_>)], prefix: &str) -> Option<Endpoint> {
    let (line, route) = marks.iter().find(|(_, mark)| mark.routes)?;
    let path = route.path.filter(|path| !path.is_empty());
    let path = path.or_else(|| marks.iter().find_map(|(_, mark)| mark.path)).unwrap_or_default();
    let verb = route.verb.or_else(|| marks.iter().find_map(|(_, mark)| mark.verb)).unwrap_or("ANY");
    Some(Endpoint { verb: verb.to_owned(), path: joined(prefix, path), line: *line, handler: None })
}
