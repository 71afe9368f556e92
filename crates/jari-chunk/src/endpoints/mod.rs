//! What a program answers to over a network, as definitions: `GET /users/{id}`. Declarations of the common frameworks are read from
//! the calls and annotations of a file; what only looks like one is left out rather than guessed.

mod calls;
mod contracts;
mod marks;
mod rails;

use jari_base::{Chunked, Language, LineRange, Reference, ReferenceKind, Symbol, SymbolKind};

/// Verbs of HTTP, as they are shown.
const VERBS: [&str; 7] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

/// A declaration that was found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Endpoint {
    /// `GET`; `ANY` where the declaration does not say; `QUERY`, `MUTATION`, `SUBSCRIPTION` and `RPC` of other protocols.
    verb: String,
    /// `/users/{id}`.
    path: String,
    /// Where it is declared.
    line: u32,
    /// The function that answers, as written: `views.show`.
    handler: Option<String>,
}

/// Adds the endpoints of a file to its definitions, and an edge from each to the function that answers.
pub(crate) fn add(language: &Language, text: &str, chunked: &mut Chunked) {
    let mut found = match language.as_str() {
        "python" | "javascript" | "typescript" | "tsx" | "go" | "rust" | "php" => {
            calls::read(language, text, chunked)
        }
        "ruby" => rails::read(text),
        "yaml" | "json" => contracts::open_api(text),
        "graphql" => contracts::graphql(chunked),
        "protobuf" => contracts::proto(text),
        _ => Vec::new(),
    };
    if matches!(language.as_str(), "java" | "kotlin" | "typescript" | "rust" | "php") {
        found.extend(marks::read(text));
    }
    found.sort_by(|one, other| (one.line, &one.path, &one.verb).cmp(&(other.line, &other.path, &other.verb)));
    found.dedup();
    if !found.is_empty() {
        insert(text, chunked, found);
    }
}

/// Puts endpoints among the definitions, in order of their lines; what points to a definition by number follows it.
fn insert(text: &str, chunked: &mut Chunked, found: Vec<Endpoint>) {
    let lines: Vec<&str> = text.lines().collect();
    let mut all: Vec<(Option<usize>, Symbol, Option<Reference>)> = Vec::new();
    for endpoint in found {
        let Some(line) = lines.get(endpoint.line as usize - 1) else { continue };
        let answers = endpoint.handler.as_deref().map(|handler| named(handler, endpoint.line));
        let is_mark = line.trim_start().starts_with(['@', '#']);
        let answers = answers.or_else(|| below(&chunked.symbols, endpoint.line).filter(|_| is_mark));
        let symbol = Symbol {
            name: format!("{} {}", endpoint.verb, endpoint.path),
            kind: SymbolKind::Endpoint,
            container: None,
            signature: line.trim().chars().take(240).collect(),
            doc: None,
            exported: true,
            lines: LineRange::new(endpoint.line, endpoint.line),
        };
        all.push((None, symbol, answers));
    }
    let known = std::mem::take(&mut chunked.symbols).into_iter().enumerate();
    all.extend(known.map(|(at, symbol)| (Some(at), symbol, None)));
    all.sort_by_key(|(at, symbol, _)| (symbol.lines.start, at.is_none(), *at));
    let mut places = vec![0; all.len()];
    for (place, (at, _, _)) in all.iter().enumerate() {
        if let Some(at) = at {
            places[*at] = place as u32;
        }
    }
    let chunks = chunked.chunks.iter_mut().filter_map(|chunk| chunk.symbol.as_mut());
    let within = chunked.references.iter_mut().filter_map(|reference| reference.within.as_mut());
    for number in chunks.chain(within) {
        *number = places[*number as usize];
    }
    for (place, (_, symbol, answers)) in all.into_iter().enumerate() {
        chunked.references.extend(answers.map(|one| Reference { within: Some(place as u32), ..one }));
        chunked.symbols.push(symbol);
    }
    chunked.references.sort_by_key(|reference| reference.line);
}

/// The function that a declaration names.
fn named(handler: &str, line: u32) -> Reference {
    let (qualifier, name) = match handler.rfind(['.', ':']) {
        Some(at) => (Some(handler[..at].trim_end_matches(':').to_owned()), &handler[at + 1..]),
        None => (None, handler),
    };
    Reference { qualifier, ..Reference::new(name, ReferenceKind::Call, line) }
}

/// The function that a declaration stands above.
fn below(symbols: &[Symbol], line: u32) -> Option<Reference> {
    let callable = |symbol: &&Symbol| matches!(symbol.kind, SymbolKind::Function | SymbolKind::Method);
    let found = symbols.iter().filter(callable).rev().find(|symbol| symbol.lines.contains(line))?;
    let owner = found.container.as_deref().and_then(|container| container.rsplit('.').next());
    let is_method = found.kind == SymbolKind::Method;
    let receiver = owner.filter(|_| is_method).map(str::to_owned);
    let qualifier = receiver.as_ref().map(|_| "self".to_owned());
    Some(Reference { qualifier, receiver, ..Reference::new(&found.name, ReferenceKind::Call, line) })
}

/// The verb that a method or annotation is named after.
fn verb(name: &str) -> Option<&'static str> {
    VERBS.iter().copied().find(|verb| verb.eq_ignore_ascii_case(name))
}

/// The string that begins `text`, and what follows it; `None` if it is none, or is put together.
fn literal(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let text = text.strip_prefix('r').filter(|rest| rest.starts_with(['"', '\''])).unwrap_or(text);
    let quote = text.chars().next().filter(|c| ['"', '\'', '`'].contains(c))?;
    let (string, rest) = text[1..].split_once(quote)?;
    let plain = !string.contains(['\n', '\\']) && !string.contains("${") && !string.contains("#{");
    plain.then_some((string, rest))
}

/// A path with its parameters in braces: `/users/{id}` of `/users/:id`, `/users/<int:id>` and `/users/{id:[0-9]+}`.
fn normal(path: &str) -> String {
    let steps = path.trim_start_matches('/').split('/').map(|step| {
        let inner = match (step.strip_prefix(':'), step.strip_prefix('<'), step.strip_prefix('{')) {
            (Some(name), _, _) => name.split(['(', '?', '.']).next(),
            (_, Some(inner), _) => inner.trim_end_matches('>').rsplit(':').next(),
            (_, _, Some(inner)) => inner.trim_end_matches('}').split(':').next(),
            _ => None,
        };
        inner
            .map_or_else(|| step.to_owned(), |name| format!("{{{}}}", name.trim_end_matches(['?', '>', '}'])))
    });
    format!("/{}", steps.collect::<Vec<_>>().join("/"))
}

/// One path below another.
fn joined(prefix: &str, path: &str) -> String {
    let (prefix, path) = (prefix.trim_matches('/'), path.trim_start_matches('/'));
    match (prefix.is_empty(), path.is_empty()) {
        (true, _) => normal(path),
        (false, true) => normal(prefix),
        (false, false) => normal(&format!("{prefix}/{path}")),
    }
}

#[cfg(test)]
mod tests;
