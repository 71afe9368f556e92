//! Endpoints that a contract declares: OpenAPI, GraphQL, Protocol Buffers.

use jari_base::Chunked;

use super::{Endpoint, joined, verb};

/// The operations below `paths` of an OpenAPI file in YAML or in JSON of one key a line, told by their indentation.
pub(super) fn open_api(text: &str) -> Vec<Endpoint> {
    let head: String = text.chars().take(4_000).collect();
    let keys = ["openapi:", "swagger:", "\"openapi\":", "\"swagger\":"];
    if !keys.iter().any(|key| head.contains(key)) || !text.contains("paths") {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut paths: Option<usize> = None;
    let mut path: Option<(usize, &str)> = None;
    for (number, line) in (1..).zip(text.lines()) {
        let Some((indent, key)) = key(line) else { continue };
        if key == "paths" && paths.is_none() {
            paths = Some(indent);
            continue;
        }
        let Some(top) = paths else { continue };
        if indent <= top {
            break;
        }
        if key.starts_with('/') && path.is_none_or(|(outer, _)| indent <= outer) {
            path = Some((indent, key));
            continue;
        }
        let Some((outer, path)) = path else { continue };
        let shallow = indent > outer && indent <= outer + 4;
        if let Some(verb) = verb(key).filter(|_| shallow && key.starts_with(char::is_lowercase)) {
            found.push(Endpoint {
                verb: verb.to_owned(),
                path: joined("", path),
                line: number,
                handler: None,
            });
        }
    }
    found
}

/// A key and how far it is indented.
fn key(line: &str) -> Option<(usize, &str)> {
    let bare = line.trim_start();
    let key = match bare.strip_prefix(['"', '\'']) {
        Some(quoted) => {
            quoted.split_once(['"', '\'']).filter(|(_, rest)| rest.trim_start().starts_with(':'))?.0
        }
        None => bare.split_once(':')?.0,
    };
    (!key.contains([' ', '#', '-']) || key.starts_with('/')).then_some((line.len() - bare.len(), key))
}

/// The fields of GraphQL's types of operations.
pub(super) fn graphql(chunked: &Chunked) -> Vec<Endpoint> {
    let operation = |container: &str| match container {
        "Query" => Some("QUERY"),
        "Mutation" => Some("MUTATION"),
        "Subscription" => Some("SUBSCRIPTION"),
        _ => None,
    };
    let fields = chunked.symbols.iter().filter_map(|symbol| {
        let verb = symbol.container.as_deref().and_then(operation)?;
        Some(Endpoint {
            verb: verb.to_owned(),
            path: symbol.name.clone(),
            line: symbol.lines.start,
            handler: None,
        })
    });
    fields.collect()
}

/// The methods of a service, as gRPC calls them.
pub(super) fn proto(text: &str) -> Vec<Endpoint> {
    let mut package = String::new();
    let mut service = "";
    let mut found = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim_start();
        let name = |rest: &str| rest.trim_start().find(|c: char| !(c.is_alphanumeric() || "_.".contains(c)));
        if let Some(rest) = line.strip_prefix("package ") {
            package = rest.trim().trim_end_matches(';').trim().to_owned() + ".";
        } else if let Some(rest) = line.strip_prefix("service ") {
            let rest = rest.trim_start();
            service = &rest[..name(rest).unwrap_or(rest.len())];
        } else if let Some(rest) = line.strip_prefix("rpc ").filter(|_| !service.is_empty()) {
            let rest = rest.trim_start();
            let method = &rest[..name(rest).unwrap_or(rest.len())];
            let path = format!("/{package}{service}/{method}");
            found.push(Endpoint { verb: "RPC".to_owned(), path, line: number, handler: None });
        }
    }
    found
}
