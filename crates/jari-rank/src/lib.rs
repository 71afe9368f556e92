//! Candidates in, an ordered and explained list out. Pure arithmetic: no store, no files.

mod diversity;
mod fusion;
mod lists;
mod order;
mod plan;
mod role;
mod version;
mod weights;

pub use diversity::diverse;
pub use fusion::{Blend, ranked};
pub use lists::{FoundBy, Lists};
pub use order::{Ranked, order};
pub use plan::{Plan, Script, Shape};
pub use role::Role;
pub use weights::{SignalWeights, Weights};
