//! What is where: folders with what they hold, files with their definitions.

use jari_base::{Language, Symbol};
use jari_store::{Files, Snapshot};

use crate::near::Near;
use crate::{Error, Result};

/// A folder or a file.
#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    /// A folder.
    Folder {
        /// Its name.
        name: String,
        /// Indexed files below it, at any depth.
        files: usize,
        /// What is right in it; empty where the depth ends.
        nodes: Vec<Node>,
    },
    /// A file.
    File {
        /// Its name.
        name: String,
        /// Its language.
        language: Language,
        /// Its definitions, where a single file was asked for.
        symbols: Vec<Symbol>,
    },
}

/// The tree below `path` (empty for all), `depth` levels of it. A file is shown with its definitions.
pub fn tree(snapshot: &dyn Snapshot, path: &str, depth: usize) -> Result<Node> {
    let files = snapshot.files()?;
    if let Some(record) = files.at(path).filter(|record| record.skip.is_none()) {
        let symbols = snapshot.chunked(record.id)?.map(|chunked| chunked.symbols).unwrap_or_default();
        return Ok(Node::File { name: record.path.clone(), language: record.language.clone(), symbols });
    }
    let below = if path.is_empty() { String::new() } else { format!("{path}/") };
    let entries: Vec<(&str, &Language)> = files
        .iter()
        .filter(|record| record.skip.is_none())
        .filter_map(|record| Some((record.path.strip_prefix(&below)?, &record.language)))
        .collect();
    if entries.is_empty() && !path.is_empty() {
        return Err(no_such_path(&files, path));
    }
    let name = if path.is_empty() { "." } else { path };
    Ok(folder(name, &entries, depth))
}

/// The error for a path that is not indexed, with those that look like it.
pub(crate) fn no_such_path(files: &Files, path: &str) -> Error {
    Error::NoSuchPath { path: path.to_owned(), near: near(files, path) }
}

/// A folder from its files, sorted by path.
fn folder(name: &str, entries: &[(&str, &Language)], depth: usize) -> Node {
    let mut nodes = Vec::new();
    let mut at = 0;
    while depth > 0 && at < entries.len() {
        let (path, language) = entries[at];
        match path.split_once('/') {
            None => {
                nodes.push(Node::File {
                    name: path.to_owned(),
                    language: language.clone(),
                    symbols: Vec::new(),
                });
                at += 1;
            }
            Some((child, _)) => {
                let inside = |entry: &&(&str, &Language)| {
                    entry.0.split_once('/').is_some_and(|(folder, _)| folder == child)
                };
                let count = entries[at..].iter().take_while(inside).count();
                let below: Vec<_> = entries[at..at + count]
                    .iter()
                    .map(|(path, language)| (&path[child.len() + 1..], *language))
                    .collect();
                nodes.push(folder(child, &below, depth - 1));
                at += count;
            }
        }
    }
    nodes.sort_by_key(|node| matches!(node, Node::File { .. }));
    Node::Folder { name: name.to_owned(), files: entries.len(), nodes }
}

/// Paths and folders that look like `path`.
fn near(files: &Files, path: &str) -> Vec<String> {
    let mut near = Near::new(path);
    for record in files.iter().filter(|record| record.skip.is_none()) {
        near.offer(&record.path);
        for (at, _) in record.path.match_indices('/') {
            near.offer(&record.path[..at]);
        }
    }
    near.names()
}
