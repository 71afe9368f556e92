//! The vocabulary of Jari: what a file, a chunk, a symbol, a candidate and an explanation are. No IO.

mod candidate;
mod chunk;
mod document;
mod error;
mod explanation;
mod file;
mod hash;
mod language;
mod span;
mod symbol;
mod table;
mod uses;
mod vector;

pub use candidate::{
    Bm25, Candidates, ChunkCandidate, DefinitionCandidate, Degraded, FileCandidate, Filter, Fusion, Intent,
    List, Lookup, Mode, Term,
};
pub use chunk::{Chunk, ChunkKind, Chunked, Note};
pub use document::{Block, BlockKind, Document, Link, Section, Value};
pub use error::{ErrorCode, Explained};
pub use explanation::Explanation;
pub use file::{ChunkId, ContentHash, FileId, Generation, Skip, Stamp};
pub use hash::fingerprint;
pub use language::Language;
pub use span::LineRange;
pub use symbol::{FieldType, Reference, ReferenceKind, Symbol, SymbolKind};
pub use uses::Uses;
pub use vector::{Backend, Space};

/// A closed set of words: the enum, its spelling on every surface, and the way back from the spelling.
macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($(#[$variant_meta:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
        #[repr(u8)]
        pub enum $name { $($(#[$variant_meta])* #[serde(rename = $word)] $variant,)+ }

        impl $name {
            /// Every value, in the order of declaration.
            pub const ALL: &'static [$name] = &[$($name::$variant,)+];

            /// The word users and stored rows know it by.
            pub fn as_str(self) -> &'static str {
                match self { $($name::$variant => $word,)+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = String;

            fn from_str(word: &str) -> Result<Self, String> {
                Self::ALL.iter().copied().find(|value| value.as_str() == word).ok_or_else(|| {
                    let all: Vec<_> = Self::ALL.iter().map(|value| value.as_str()).collect();
                    format!("`{word}` is none of {}", all.join(", "))
                })
            }
        }
    };
}
pub(crate) use words;
