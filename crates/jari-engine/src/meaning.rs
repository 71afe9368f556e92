//! What chunks and questions mean, as vectors.

use std::sync::Arc;

use jari_base::{Chunked, Space};
use jari_embed::{Document, Model};

/// Changes whenever the same model gives the same chunks other vectors than before.
const VERSION: u32 = 1;

/// The model, and when it is used.
#[derive(Clone)]
pub struct Embedding {
    /// Makes vectors.
    pub model: Arc<Model>,
    /// Who provides it: `bundled`, or `folder` for one that the user chose.
    pub provider: &'static str,
    /// Whether chunks get their vectors while they are indexed. Otherwise only those that have one are found by meaning.
    pub eager: bool,
}

impl std::fmt::Debug for Embedding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.provider, self.model.name())
    }
}

impl Embedding {
    /// Which vectors may be compared, of chunks that were cut as `contents` says.
    pub fn space(&self, contents: &str) -> Space {
        let model = &self.model;
        let made_by = format!("{:016x} {VERSION} {contents}", model.fingerprint());
        let fingerprint = jari_base::fingerprint(made_by.as_bytes());
        Space {
            provider: self.provider.to_owned(),
            model: model.name().to_owned(),
            dims: model.dims(),
            fingerprint,
        }
    }

    /// The vectors of a file's chunks, one after the other.
    pub(crate) fn of_chunks(&self, path: &str, text: &str, chunked: &Chunked) -> Vec<f32> {
        let mut vectors = Vec::with_capacity(chunked.chunks.len() * self.model.dims());
        for chunk in &chunked.chunks {
            let heading = jari_embed::heading(path, chunked, chunk);
            let document = Document { text: chunk.lines.slice(text), heading: &heading };
            vectors.extend_from_slice(&self.model.embed_document(&document));
        }
        vectors
    }

    /// The vector of a question; `None` if it has no word that the model knows.
    pub(crate) fn of_question(&self, question: &str) -> Option<Vec<f32>> {
        let vector = self.model.embed(&[question]).pop()?;
        (!vector.is_zero()).then(|| vector.into_inner())
    }
}
