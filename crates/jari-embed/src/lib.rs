//! Texts in, vectors out: the model inside the binary, or one from a folder. The same text gives the same vector, alone
//! or among others, on every machine.

mod error;
mod features;
mod folder;
mod glossary;
mod heading;
mod model;
mod table;
mod vector;

pub use error::Error;
pub use features::{Feature, damp, features, grams, hash};
pub use glossary::{Glossary, Translation};
pub use heading::{heading, path_heading};
pub use model::{Document, Model};
pub use table::{Damage, write};
pub use vector::Vector;
