//! What an index holds and answers, in a form that two indexes of one tree share.

use std::path::Path;

use serde_json::Value;

use super::{Project, rows};

/// Asks for every row, by paths instead of numbers, because numbers follow from the order of changes.
const ROWS: &[&str] = &[
    "SELECT path, language, size, hash, skip, chunks, words FROM files ORDER BY path",
    "SELECT path, text, uses FROM files JOIN texts ON texts.file = id LEFT JOIN uses ON uses.file = id ORDER BY path",
    "SELECT path, ordinal, kind, first, last, symbol, doc_first, doc_last, section, head_first, head_last
     FROM chunks JOIN files ON id = file ORDER BY path, ordinal",
    "SELECT path, ordinal, name, folded, kind, container, signature, doc, exported, first, last, chunk
     FROM symbols JOIN files ON id = file ORDER BY path, ordinal",
    "SELECT path, document FROM documents JOIN files ON id = file ORDER BY path",
    "SELECT 'orphans', count(*) FROM chunks WHERE file NOT IN (SELECT id FROM files)",
];

/// Words whose every posting and vector is asked for.
const WORDS: &str =
    "open close measure retry balance render divide collect follow repeat socket ledger hedgehog parser";

/// All rows of the index in `folder`, and every chunk with its scores for many words: these follow from the postings, their
/// counts and lengths, and the vectors.
pub(crate) fn state(project: &Project, folder: &Path) -> Vec<String> {
    let mut state: Vec<String> = ROWS.iter().flat_map(|sql| rows(folder, sql)).collect();
    let folder = folder.to_str().expect("a path of ours");
    let (answer, _) = answer(project, &["search", WORDS, "-k", "1000", "--no-update", "--index-dir", folder]);
    let results = answer["results"].as_array().expect("a list");
    state.extend(results.iter().map(Value::to_string));
    let status = project.json(&["status", "--index-dir", folder]);
    state.push(format!("{} {} {}", status["chunks"], status["symbols"], status["vectors"]["count"]));
    state
}

/// The first line in which two states differ.
pub(crate) fn difference(one: &[String], two: &[String]) -> Option<String> {
    if one == two {
        return None;
    }
    let at = one.iter().zip(two).position(|(one, two)| one != two).unwrap_or(one.len().min(two.len()));
    Some(format!("{} and {} lines; line {at}:\n{:?}\n{:?}", one.len(), two.len(), one.get(at), two.get(at)))
}

/// The answer without what differs from run to run, and what was said beside it.
pub(crate) fn answer(project: &Project, question: &[&str]) -> (Value, String) {
    let output = project.jari(&[question, &["--json"]].concat());
    assert!(output.code == 0 || output.code == 1, "{question:?}: {output:#?}");
    let mut answer = output.json();
    forget(&mut answer);
    (answer, output.stderr)
}

/// Leaves out times, numbers of states, what was said, and how many files an older list of grams makes one look at.
fn forget(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.retain(|key, _| {
                !["took_ms", "generation", "modified", "notes", "looked_at"].contains(&key.as_str())
            });
            map.values_mut().for_each(forget);
        }
        Value::Array(list) => list.iter_mut().for_each(forget),
        _ => {}
    }
}
