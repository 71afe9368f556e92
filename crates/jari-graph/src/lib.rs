//! From a use of a name to the definitions it may mean, ranked, with the reason. Pure: no IO, no store.

mod habits;
mod module;
mod resolve;

pub use habits::Family;
pub use module::{Closeness, anchors, leads, steps};
pub use resolve::{
    Candidate, Certainty, Definition, Named, Place, Reason, Types, best_first, looks_around, resolve,
};
