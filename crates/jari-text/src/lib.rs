//! The only tokenizer: index and query agree on what a word is because both ask here.

mod count;
mod grams;
mod hangul;
mod highlight;
mod identifier;
mod query;
mod spelling;
mod stem;
mod tokenize;
mod typed;
mod types;

pub use count::{estimate_tokens, truncated};
pub use grams::{GRAM_VERSION, GramCutter, fold_char, grams};
pub use highlight::highlights;
pub use identifier::{fold_name, parts};
pub use query::{Query, QueryWord};
pub use spelling::{slips, spelling, spelling_grams};
pub use tokenize::{Token, TokenKind, Tokenizer};
pub use typed::Typed;
pub use types::{declared_fields, declared_type, returned_type};

/// Changes whenever the same text gives other words than before: an index made by another version is made anew.
pub const VERSION: u32 = 1;
