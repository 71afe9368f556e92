//! The storage contract, the look-up every store shares, an in-memory twin, and the suite all stores pass.

pub mod conformance;
mod contract;
mod error;
mod files;
mod filter;
mod grams;
mod lookup;
mod memory;

pub use contract::{
    ChunkWords, FileInput, Meaning, Replaced, Snapshot, Statistics, Store, StoredChunk, StoredSection,
    StoredSymbol, SymbolLookup, SymbolMode, VectorStatistics, WriteBatch,
};
pub use error::{Error, Result, is_out_of_descriptors};
pub use files::{FileRecord, Files, Totals};
pub use filter::PathFilter;
pub use grams::{ANY_GRAM, GramPostings, GramQuery, GramStatistics, narrow};
pub use lookup::{Allowed, ChunkSlot, Definition, Field, Nearest, Posting, Postings, candidates};
pub use memory::MemoryStore;
