//! Texts in, vectors out. [`Model`] is a table at hand, inside the binary or from a folder: the same text gives the same vector, alone or
//! among others, on every machine. [`Embedder`] asks a [`Provider`] that takes its time, may cost money and may fail.

mod batches;
mod cache;
mod circuit;
mod embedder;
mod error;
mod features;
mod folder;
mod glossary;
mod heading;
mod model;
mod provider;
mod table;
mod vector;
mod wording;

pub use cache::{Cache, Kept, Key};
pub use circuit::Circuit;
pub use embedder::{Embedded, Embedder, Patience};
pub use error::Error;
pub use features::{Feature, damp, features, grams, hash};
pub use glossary::{Glossary, Translation};
pub use heading::{around, heading, path_heading};
pub use model::{Document, Meant, Model};
pub use provider::{Limits, Provider, Remedy, Side, Trouble};
pub use table::{Damage, write};
pub use vector::{Vector, product};
pub use wording::Wording;
