//! The fields of the types in a file, and what they are declared to be: a call on `self.pool` means a method of that.

use jari_base::{FieldType, Symbol};
use jari_text::declared_fields;

use crate::lines::Lines;

/// Types inside this many others are not looked at: their lines are those of all around them, too.
const DEEPEST: usize = 8;

/// What the types among `symbols` declare.
pub(crate) fn declared(symbols: &[Symbol], lines: &Lines<'_>) -> Vec<FieldType> {
    let depth = |symbol: &Symbol| symbol.container.as_deref().map_or(0, |around| around.split('.').count());
    let types =
        symbols.iter().enumerate().filter(|(_, symbol)| symbol.kind.is_type() && depth(symbol) < DEEPEST);
    types
        .flat_map(|(at, symbol)| {
            let fields = declared_fields(lines.slice(symbol.lines)).into_iter();
            fields.map(move |(name, declared)| FieldType {
                owner: at as u32,
                name: name.to_owned(),
                declared: declared.to_owned(),
            })
        })
        .collect()
}
