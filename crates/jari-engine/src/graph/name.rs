//! From what a user typed to the definitions that are meant.

use jari_base::SymbolKind;
use jari_graph::{Definition, Types as _};
use jari_text::fold_name;

use super::lookup::Lookups;
use crate::symbols::split;
use crate::{Error, Result};

/// The definitions that a name means: a place, a member of a type, or all of that name; those spelled exactly so before
/// others.
pub(super) fn definitions(lookups: &Lookups<'_>, name: &str) -> Result<Vec<Definition>> {
    if let Some(found) = at_place(lookups, name)? {
        return Ok(vec![found]);
    }
    let (container, last) = split(name);
    if fold_name(last).is_empty() {
        return Err(Error::EmptyName);
    }
    let all = lookups.spelled_anyhow(last)?;
    let wanted = container.map(fold_name);
    let inside = |definition: &Definition| {
        let around = definition.symbol.container.as_deref().unwrap_or_default();
        wanted.as_ref().is_none_or(|wanted| around.split('.').any(|part| fold_name(part) == *wanted))
    };
    let mut found: Vec<Definition> = all.iter().filter(|one| inside(one)).cloned().collect();
    if let (true, Some(container)) = (found.is_empty(), container) {
        found = inherited(lookups, container, &all)?;
    }
    if found.iter().any(|definition| definition.symbol.name == last) {
        found.retain(|definition| definition.symbol.name == last);
    }
    // The blocks that implement a type are not the type.
    if found.iter().any(|definition| definition.symbol.kind != SymbolKind::Impl) {
        found.retain(|definition| definition.symbol.kind != SymbolKind::Impl);
    }
    Ok(found)
}

/// Those of `all` that a type has from one above it, the nearest first: `Client.send` may be `BaseClient.send`.
fn inherited(lookups: &Lookups<'_>, container: &str, all: &[Definition]) -> Result<Vec<Definition>> {
    if all.is_empty() {
        return Ok(Vec::new());
    }
    let types = lookups.spelled_anyhow(container)?;
    for named in types.iter().filter(|one| one.symbol.kind.is_type()) {
        for above in lookups.above(&named.symbol.name).iter() {
            let members = all.iter().filter(|one| one.owner() == Some(above.as_str()));
            let members: Vec<Definition> = members.cloned().collect();
            if !members.is_empty() {
                return Ok(members);
            }
        }
    }
    Ok(Vec::new())
}

/// The innermost definition at `path:line`; `None` if that is no place.
fn at_place(lookups: &Lookups<'_>, name: &str) -> Result<Option<Definition>> {
    let Some((path, line)) = name.rsplit_once(':') else { return Ok(None) };
    let Ok(line) = line.parse::<u32>() else { return Ok(None) };
    let path = path.trim_start_matches("./");
    let Some(record) = lookups.files.at(path).filter(|record| record.skip.is_none()) else {
        return Err(crate::tree::no_such_path(&lookups.files, path));
    };
    let defined = lookups.defined(record.id)?;
    let around = defined.iter().enumerate().rev().find(|(_, symbol)| symbol.lines.contains(line));
    let Some((ordinal, symbol)) = around else {
        let lines = lookups.snapshot.text(record.id)?.map_or(0, |text| text.lines().count());
        return Err(Error::NoSuchLine { path: path.to_owned(), line, lines });
    };
    Ok(Some(lookups.definition(record, ordinal as u32, symbol.clone())))
}
