//! Where a name is used: calls, types and imports as the files' syntax shows them. No types are resolved, so that two
//! things of one name are not told apart; callers of this must say so.

use jari_base::{FileCandidate, Filter, Language, Lookup, ReferenceKind, Symbol, SymbolKind, Term};
use jari_store::Snapshot;
use jari_text::Query;

use crate::search::is_fresh;
use crate::symbols::Found;
use crate::{Project, Result};

/// Files that are looked through, those that hold the name's words most first. Each costs about a quarter of a millisecond.
const FILES: usize = 150;

/// A use of a name.
#[derive(Debug, Clone, PartialEq)]
pub struct Use {
    /// Relative to the root.
    pub path: String,
    /// The file's language.
    pub language: Language,
    /// Where.
    pub line: u32,
    /// How.
    pub kind: ReferenceKind,
    /// The definition it stands in.
    pub within: Option<Symbol>,
    /// Whether the file is still what was indexed.
    pub fresh: bool,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Uses {
    /// By file, best file first, then by line.
    pub uses: Vec<Use>,
    /// Whether there were more files than were looked through.
    pub cut: bool,
}

/// The uses of `name`, spelled exactly so, that `wanted` picks: `most` of them, and those in the same file as the last.
/// Ends early when `cancelled`.
pub fn uses(
    project: &Project,
    snapshot: &dyn Snapshot,
    name: &str,
    wanted: impl Fn(ReferenceKind) -> bool,
    most: usize,
    cancelled: &dyn Fn() -> bool,
) -> Result<Uses> {
    let name = last_part(name);
    let candidates = candidates(snapshot, name)?;
    let mut found = Uses { cut: candidates.len() >= FILES, ..Uses::default() };
    let files = snapshot.files();
    for candidate in candidates {
        if cancelled() || found.uses.len() >= most {
            found.cut = false;
            break;
        }
        let (Some(record), Some(chunked)) = (files.get(candidate.file), snapshot.chunked(candidate.file)?)
        else {
            continue;
        };
        let mut fresh = None;
        for reference in chunked.references {
            // An import names a path; its last part is what is brought in.
            let last = reference.name.rsplit(['.', ':', '/', '\\']).next().unwrap_or_default();
            if last.trim_matches(['"', '\'', '{', '}', ' ']) != name || !wanted(reference.kind) {
                continue;
            }
            let mut around = chunked.symbols.iter().rev();
            let within = around.find(|symbol| symbol.lines.contains(reference.line));
            found.uses.push(Use {
                path: record.path.clone(),
                language: record.language.clone(),
                line: reference.line,
                kind: reference.kind,
                within: within.cloned(),
                fresh: *fresh.get_or_insert_with(|| is_fresh(project, record)),
            });
        }
    }
    Ok(found)
}

/// Definitions whose declaration names the type `name`: what extends, implements or derives from it. Ends early when
/// `cancelled`.
pub fn implementations(
    project: &Project,
    snapshot: &dyn Snapshot,
    name: &str,
    cancelled: &dyn Fn() -> bool,
) -> Result<Vec<Found>> {
    const KINDS: [SymbolKind; 7] = [
        SymbolKind::Class,
        SymbolKind::Struct,
        SymbolKind::Enum,
        SymbolKind::Interface,
        SymbolKind::Trait,
        SymbolKind::Impl,
        SymbolKind::Type,
    ];
    let name = last_part(name);
    let names = |signature: &str| {
        signature.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| word == name)
    };
    let files = snapshot.files();
    let mut found = Vec::new();
    for candidate in candidates(snapshot, name)? {
        if cancelled() {
            break;
        }
        let (Some(record), Some(chunked)) = (files.get(candidate.file), snapshot.chunked(candidate.file)?)
        else {
            continue;
        };
        let declares =
            |symbol: &Symbol| KINDS.contains(&symbol.kind) && symbol.name != name && names(&symbol.signature);
        for symbol in chunked.symbols.into_iter().filter(declares) {
            let (path, language) = (record.path.clone(), record.language.clone());
            found.push(Found { path, language, symbol, fresh: is_fresh(project, record) });
        }
    }
    Ok(found)
}

/// `take` of `Pool.take`, `Pool::take()` and `Pool#take`.
fn last_part(name: &str) -> &str {
    name.rsplit(['.', ':', '#']).next().unwrap_or(name).trim_end_matches("()")
}

/// The files that hold the words of a name, those that hold them most first.
fn candidates(snapshot: &dyn Snapshot, name: &str) -> Result<Vec<FileCandidate>> {
    let term = |text: &String| Term { text: text.clone(), weight: 1.0 };
    let lookup = Lookup {
        terms: Query::new(name).terms.iter().map(term).collect(),
        names: Vec::new(),
        filter: Filter::default(),
        limit: FILES,
        bm25: Default::default(),
        deadline: None,
        vector: None,
    };
    Ok(snapshot.candidates(&lookup)?.files)
}
