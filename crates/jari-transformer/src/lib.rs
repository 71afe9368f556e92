//! A BERT-family encoder from a folder, run on the CPU: texts in, vectors of length one out.
//!
//! A folder is what sentence-transformers writes: `config.json`, `model.safetensors` and `tokenizer.json`, and beside them
//! how tokens become one vector and which words go before a question. The forward pass is our own. Texts of a batch lie one
//! after another without padding, so that a dense layer is one product of matrices; every number is made by the same
//! operations in the same order whatever lies around it, so that a text has the same vector alone and among others, bit for
//! bit, and on every machine that multiplies and adds in one step.

mod encoder;
mod error;
mod kernel;
mod panels;
mod settings;
mod tokens;
mod transformer;
mod weights;

pub use error::Error;
pub use transformer::{Side, Transformer};
