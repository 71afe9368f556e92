//! A name in, its definitions out; never another name in its stead.

use jari_base::{Filter, Language, Symbol, SymbolKind};
use jari_store::{Snapshot, StoredSymbol, SymbolLookup, SymbolMode};
use jari_text::fold_name;

use crate::search::is_fresh;
use crate::{Error, Project, Result, near};

/// Which definitions to find.
#[derive(Debug, Clone, PartialEq)]
pub struct SymbolRequest {
    /// A name, or a part of one; `Type.method` names a member.
    pub name: String,
    /// How it must match.
    pub mode: SymbolMode,
    /// Kinds to return; empty for all.
    pub kinds: Vec<SymbolKind>,
    /// Languages and paths to return.
    pub filter: Filter,
    /// How many at most.
    pub limit: usize,
}

/// Definitions.
#[derive(Debug, Clone, PartialEq)]
pub struct SymbolResponse {
    /// Exact spelling first.
    pub found: Vec<Found>,
    /// Names that look like the one asked for, where it is not defined.
    pub near: Vec<String>,
}

/// A definition.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// Relative to the root.
    pub path: String,
    /// The file's language.
    pub language: Language,
    /// What is defined.
    pub symbol: Symbol,
    /// Whether the file is still what was indexed.
    pub fresh: bool,
}

/// Finds definitions by name.
pub fn symbols(
    project: &Project,
    snapshot: &dyn Snapshot,
    request: &SymbolRequest,
) -> Result<SymbolResponse> {
    let (container, name) = split(&request.name);
    let folded = fold_name(name);
    if folded.is_empty() {
        return Err(Error::EmptyName);
    }
    jari_store::PathFilter::new(&request.filter)
        .map_err(|error| Error::BadFilter(format!("the path filter cannot be read: {error}")))?;
    let lookup = SymbolLookup {
        folded,
        name: name.to_owned(),
        mode: request.mode,
        kinds: request.kinds.clone(),
        filter: request.filter.clone(),
        // With a container the list is thinned out below.
        limit: if container.is_some() { usize::MAX } else { request.limit },
    };
    let files = snapshot.files()?;
    let wanted = container.map(fold_name);
    let inside = |symbol: &Symbol| {
        let around = symbol.container.as_deref().unwrap_or_default();
        wanted.as_ref().is_none_or(|wanted| around.split('.').any(|part| fold_name(part) == *wanted))
    };
    let found: Vec<Found> = snapshot
        .symbols(&lookup)?
        .into_iter()
        .filter(|stored| inside(&stored.symbol))
        .take(request.limit)
        .filter_map(|stored| {
            let record = files.get(stored.file)?;
            Some(Found {
                path: record.path.clone(),
                language: record.language.clone(),
                symbol: stored.symbol,
                fresh: is_fresh(project, record),
            })
        })
        .collect();
    let near = if found.is_empty() { near::names(snapshot, name)? } else { Vec::new() };
    Ok(SymbolResponse { found, near })
}

/// `("Pool", "take")` of `Pool.take`, `Pool::take` and `Pool#take`.
pub(crate) fn split(name: &str) -> (Option<&str>, &str) {
    let name = name.trim().trim_end_matches("()");
    // The address of an endpoint is one name.
    if name.contains(" /") {
        return (None, name);
    }
    match name.rfind(['.', ':', '#']) {
        Some(at) if at > 0 && at + 1 < name.len() => {
            let container = name[..at].trim_end_matches(':');
            (
                container.rsplit(['.', ':', '#']).next().filter(|container| !container.is_empty()),
                &name[at + 1..],
            )
        }
        _ => (None, name),
    }
}

/// Definitions of a name, whatever its style, without a filter.
pub(crate) fn named(snapshot: &dyn Snapshot, name: &str, limit: usize) -> Result<Vec<StoredSymbol>> {
    let folded = fold_name(name);
    if folded.is_empty() {
        return Ok(Vec::new());
    }
    let (name, mode, filter) = (name.to_owned(), SymbolMode::Exact, Filter::default());
    Ok(snapshot.symbols(&SymbolLookup { folded, name, mode, kinds: Vec::new(), filter, limit })?)
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn a_container_may_stand_before_the_name() {
        assert_eq!(split("Pool.take"), (Some("Pool"), "take"));
        assert_eq!(split("net::Pool::take()"), (Some("Pool"), "take"));
        assert_eq!(split("take"), (None, "take"));
        assert_eq!(split(".hidden"), (None, ".hidden"));
    }
}
