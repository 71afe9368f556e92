//! Sections that name what changed since a revision.

use std::collections::{BTreeMap, HashMap, HashSet};

use jari_base::{Document, Filter, Symbol};
use jari_chunk::{code_spans, is_document, language_of};
use jari_source::identifiers;
use jari_store::Snapshot;

use super::{
    DriftReport, Reason, at, finding, finish, is_declared, is_of_tests, says_it_is_gone, speaks_of_the_past,
};
use crate::mentions::{Named, each_document, is_telling};
use crate::{Project, Result};

/// Sections that name what changed since a revision of Git, of documents that `within` lets through.
pub fn drift_since(
    project: &Project,
    snapshot: &dyn Snapshot,
    revision: &str,
    within: &Filter,
) -> Result<DriftReport> {
    let changed = jari_source::changed_since(&project.root, revision)?;
    let is_code = |path: &str| !is_document(&language_of(path, ""));
    let old_paths: Vec<&str> =
        changed.iter().filter_map(|changed| changed.old.as_deref()).filter(|path| is_code(path)).collect();
    let old_texts = jari_source::texts_at(&project.root, revision, &old_paths)?;
    let files = snapshot.files()?;
    let mut before: BTreeMap<String, Symbol> = BTreeMap::new();
    let mut now: Vec<Symbol> = Vec::new();
    let mut moved: HashMap<String, Option<String>> = HashMap::new();
    for change in &changed {
        if let Some(old) = change.old.as_deref().filter(|old| change.new.as_deref() != Some(old)) {
            moved.insert(old.to_owned(), change.new.clone());
        }
        if let Some(text) = change.old.as_deref().and_then(|old| old_texts.get(old)) {
            let language = language_of(change.old.as_deref().unwrap_or_default(), text);
            let chunked = jari_chunk::chunk(&language, text, &project.documents);
            before.extend(chunked.symbols.into_iter().map(|symbol| (symbol.qualified(), symbol)));
        }
        if let Some(record) = change.new.as_deref().and_then(|new| files.at(new)) {
            now.extend(snapshot.defined(record.id)?);
        }
    }
    let today: HashMap<String, &Symbol> = now.iter().map(|symbol| (symbol.qualified(), symbol)).collect();
    let mut all_names: HashSet<String> = HashSet::new();
    snapshot.symbol_names(&mut |name| {
        all_names.insert(name.to_owned());
    })?;

    // What may stand before a name of the project: its types, folders and files.
    let mut known = all_names.clone();
    for record in files.iter().filter(|record| !is_document(&record.language)) {
        known.extend(record.path.split(['/', '.']).map(str::to_owned));
    }
    let mut declared: HashMap<&str, usize> = HashMap::new();
    for symbol in before.values() {
        *declared.entry(&symbol.name).or_default() += 1;
    }

    // By the last part of the name, because that is what documents write.
    let mut changes: HashMap<&str, Change> = HashMap::new();
    for (qualified, old) in &before {
        let told = match today.get(qualified) {
            Some(new) if new.signature == old.signature => None,
            // Of a name that several have, a document does not tell which it means.
            Some(new)
                if is_declared(old.kind)
                    && declared.get(old.name.as_str()) == Some(&1)
                    && !old.name.starts_with("__") =>
            {
                Some((Reason::Redeclared { from: old.signature.clone(), to: new.signature.clone() }, 0.5))
            }
            Some(_) => None,
            None if all_names.contains(&old.name) => None,
            None => Some(match successor(old, &before, &today) {
                Some(to) => (Reason::Renamed { to }, 1.0),
                None => (Reason::Removed, 0.9),
            }),
        };
        if let Some((reason, likelihood)) = told {
            let gone = matches!(reason, Reason::Removed | Reason::Renamed { .. });
            let shared = gone && is_used(snapshot, &old.name)?;
            changes.entry(&old.name).or_insert(Change { reason, likelihood, shared });
        }
    }
    let mut report = DriftReport::default();
    each_document(snapshot, within, |path, document, text| {
        report.sections += document.sections.len();
        if !speaks_of_the_past(path, &[]) && !is_of_tests(path) {
            look_for(path, document, text, &changes, &known, &moved, &mut report);
        }
    })?;
    finish(&mut report);
    Ok(report)
}

/// What became of a name.
struct Change {
    reason: Reason,
    likelihood: f32,
    /// Whether somebody else has something of that name, too.
    shared: bool,
}

/// Whether code uses a name that the project does not define: then it is somebody else's, and documents may mean that.
fn is_used(snapshot: &dyn Snapshot, name: &str) -> Result<bool> {
    for file in snapshot.users(name)? {
        if snapshot.uses(file)?.names().any(|(used, _)| used == name) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Adds what one document says of what changed.
fn look_for(
    path: &str,
    document: &Document,
    text: &str,
    changes: &HashMap<&str, Change>,
    known: &HashSet<String>,
    moved: &HashMap<String, Option<String>>,
    report: &mut DriftReport,
) {
    let spans = code_spans(document, text);
    for (line, number) in text.lines().zip(1..) {
        if says_it_is_gone(line) {
            continue;
        }
        for word in identifiers(line) {
            let Some(Change { reason, likelihood, shared }) = changes.get(word) else { continue };
            if word.len() < 3 || is_foreign(line, word, known) || *shared && !is_own(line, word, known) {
                continue;
            }
            // A plain word of a sentence is no name of code, unless it is marked as such.
            let marked = || {
                spans.iter().filter(|span| span.line == number).any(
                    |span| matches!(Named::new(span.text), Some(Named::Name { last, .. }) if last == word),
                )
            };
            if !is_telling(word, word) && !marked() {
                continue;
            }
            let said = at(path, document, number, word);
            if let Some(said) = said.filter(|said| !speaks_of_the_past("", &said.heading_path)) {
                report.names += 1;
                report.findings.push(finding(&said, reason.clone(), *likelihood));
            }
        }
    }
    for span in &spans {
        let Some(Named::File(file)) = Named::new(span.text) else { continue };
        let Some((_, to)) = moved.iter().find(|(old, _)| *old == file || old.ends_with(&format!("/{file}")))
        else {
            continue;
        };
        if let Some(said) =
            at(path, document, span.line, file).filter(|said| !speaks_of_the_past("", &said.heading_path))
        {
            let reason = to.clone().map_or(Reason::FileRemoved, |to| Reason::Moved { to });
            report.findings.push(finding(&said, reason, 0.9));
        }
    }
}

/// Whether `word` is said to be of something that the project does not have: `Context` of `other.Context`.
fn is_foreign(line: &str, word: &str, known: &HashSet<String>) -> bool {
    line.match_indices(word).all(|(at, _)| head(line, at).is_some_and(|head| !known.contains(head)))
}

/// Whether `word` is said to be of something that the project has: `Context` of `project.Context`.
fn is_own(line: &str, word: &str, known: &HashSet<String>) -> bool {
    line.match_indices(word).any(|(at, _)| head(line, at).is_some_and(|head| known.contains(head)))
}

/// What stands before a name, joined to it: `project` of `project.Context`.
fn head(line: &str, at: usize) -> Option<&str> {
    let before = line[..at].trim_end_matches(['.', ':']);
    identifiers(&line[..at]).last().filter(|head| before.len() < at && before.ends_with(head))
}

/// What a symbol that is gone is called now: new in the same container and of the same kind, with a like declaration.
fn successor(
    old: &Symbol,
    before: &BTreeMap<String, Symbol>,
    today: &HashMap<String, &Symbol>,
) -> Option<String> {
    let without = |symbol: &Symbol| symbol.signature.replace(&symbol.name, "");
    let new =
        today.iter().filter(|(qualified, _)| !before.contains_key(*qualified)).map(|(_, symbol)| *symbol);
    let alike = new.filter(|new| new.kind == old.kind && new.container == old.container).filter_map(|new| {
        let name = strsim::normalized_levenshtein(&old.name, &new.name);
        let rest = strsim::normalized_levenshtein(&without(old), &without(new));
        // A long declaration that is the same but for the name speaks for itself.
        let is_successor = (name > 0.5 && rest > 0.6) || (rest > 0.95 && without(old).len() > 20);
        is_successor.then_some((name + rest, new))
    });
    alike.max_by(|one, two| one.0.total_cmp(&two.0)).map(|(_, new)| new.name.clone())
}
