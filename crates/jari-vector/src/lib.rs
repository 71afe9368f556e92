//! Vectors in, the nearest out.
//!
//! Vectors belong to the chunks of files. [`Writer`] keeps them in a file that grows at its end; [`Index`] reads it in place
//! and searches it, by looking at every row ([`jari_base::Backend::Exact`]) or along a graph ([`jari_base::Backend::Hnsw`]). Whoever asks says
//! which files are alive, by a key of their contents: rows of others are as good as gone, so that what is on disk may lag
//! behind or run ahead of the store without ever giving a wrong answer.

mod error;
mod file;
mod hnsw;
mod index;
mod meta;
mod row;
mod words;
mod writer;

pub use error::Error;
pub use index::{Filter, Index, Near, Options};
pub use meta::Built;
pub use writer::{Writer, Written};
