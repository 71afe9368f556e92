//! Candidates in, an ordered and explained list out. Pure arithmetic: no store, no files.

mod order;
mod role;
mod version;

pub use order::{Ranked, SignalWeights, Weights, order};
pub use role::Role;
