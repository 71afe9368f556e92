//! The fields of the types in a file, and what they are declared to be: a call on `self.pool` means a method of that.

use jari_base::{FieldType, Symbol};
use jari_text::declared_fields;

use crate::lines::Lines;

/// How often a file's bytes are looked at, at most: the lines of a type are those of all types around it, too.
const ROUNDS: usize = 16;

/// What the types among `symbols` declare.
pub(crate) fn declared(symbols: &[Symbol], text: &str, lines: &Lines<'_>) -> Vec<FieldType> {
    let mut left = ROUNDS * text.len();
    let mut found = Vec::new();
    // A type of one line has its members beside it, and perhaps others, too.
    let of_lines = |symbol: &Symbol| symbol.lines.end > symbol.lines.start;
    let types = symbols.iter().enumerate().filter(|(_, symbol)| symbol.kind.is_type() && of_lines(symbol));
    for (at, symbol) in types {
        let declaration = lines.slice(symbol.lines);
        if declaration.len() > left {
            break;
        }
        left -= declaration.len();
        found.extend(declared_fields(declaration).into_iter().map(|(name, declared)| FieldType {
            owner: at as u32,
            name: name.to_owned(),
            declared: declared.to_owned(),
        }));
    }
    found
}
