//! What chunks and questions mean, as vectors.

use std::sync::Arc;
use std::time::{Duration, Instant};

use jari_base::{Chunked, Mode, Space};
use jari_embed::{Document, Embedder, Meant, Model, Side, Trouble};
use jari_store::Meaning;

/// Changes whenever the same model gives the same chunks other vectors than before.
const VERSION: u32 = 3;

/// What makes vectors, and when.
#[derive(Clone)]
pub struct Embedding {
    /// Makes vectors.
    pub encoder: Encoder,
    /// Whether all chunks get their vectors while they are indexed. Otherwise only those that have one are found by meaning, and
    /// a question lets the files it looks at have theirs.
    pub eager: bool,
    /// What a question may spend on vectors of files that have none.
    pub budget: EmbeddingBudget,
}

/// What makes vectors.
#[derive(Clone)]
pub enum Encoder {
    /// A table at hand: it costs nothing and cannot fail.
    Read {
        /// Who provides it: `bundled`, or `folder` for one that the user chose.
        provider: &'static str,
        /// The table.
        model: Arc<Model>,
    },
    /// A model that takes its time, may cost money and may fail.
    Asked(Arc<Embedder>),
}

/// What one question may spend on vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EmbeddingBudget {
    /// Before words answer alone.
    pub time: Duration,
    /// Chunks that get theirs.
    pub chunks: usize,
}

impl Default for EmbeddingBudget {
    fn default() -> Self {
        Self { time: Duration::from_secs(2), chunks: 256 }
    }
}

impl std::fmt::Debug for Embedding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.provider(), self.model())
    }
}

impl Embedding {
    /// The model inside the binary, or another table.
    pub fn read(provider: &'static str, model: Model) -> Self {
        let encoder = Encoder::Read { provider, model: Arc::new(model) };
        Self { encoder, eager: true, budget: EmbeddingBudget::default() }
    }

    /// Who makes vectors.
    pub fn provider(&self) -> &str {
        match &self.encoder {
            Encoder::Read { provider, .. } => provider,
            Encoder::Asked(embedder) => embedder.provider().name(),
        }
    }

    /// With which model.
    pub fn model(&self) -> &str {
        match &self.encoder {
            Encoder::Read { model, .. } => model.name(),
            Encoder::Asked(embedder) => embedder.provider().model(),
        }
    }

    /// The length of vectors, where it is known.
    pub fn dims(&self) -> Option<usize> {
        match &self.encoder {
            Encoder::Read { model, .. } => Some(model.dims()),
            Encoder::Asked(embedder) => embedder.dims(),
        }
    }

    /// The table at hand, where it is one.
    pub(crate) fn table(&self) -> Option<&Model> {
        match &self.encoder {
            Encoder::Read { model, .. } => Some(model),
            Encoder::Asked(_) => None,
        }
    }

    /// The model that is asked, where it is one.
    pub fn asked(&self) -> Option<&Arc<Embedder>> {
        match &self.encoder {
            Encoder::Read { .. } => None,
            Encoder::Asked(embedder) => Some(embedder),
        }
    }

    /// Whether a question in this mode may let files have vectors: a model must be asked for them, and would answer.
    pub fn makes_on_demand(&self, mode: Mode) -> bool {
        mode != Mode::Keyword && self.asked().is_some_and(|embedder| embedder.is_available())
    }

    /// Which vectors may be compared, of chunks that were cut as `contents` says; `None` while nobody knows how long they are.
    pub fn space(&self, contents: &str) -> Option<Space> {
        let fingerprint = match &self.encoder {
            Encoder::Read { model, .. } => model.fingerprint(),
            Encoder::Asked(embedder) => embedder.provider().fingerprint(),
        };
        let dims = self.dims()?;
        let made_by = format!("{fingerprint:016x} {VERSION} {contents}");
        let fingerprint = jari_base::fingerprint(made_by.as_bytes());
        Some(Space {
            provider: self.provider().to_owned(),
            model: self.model().to_owned(),
            dims,
            fingerprint,
        })
    }

    /// What a table at hand makes of a file's chunks.
    pub(crate) fn of_chunks(&self, path: &str, text: &str, chunked: &Chunked) -> Option<Meaning> {
        let Encoder::Read { model, .. } = &self.encoder else { return None };
        let mut meaning = Meaning {
            vectors: Vec::with_capacity(chunked.chunks.len() * model.dims()),
            words: Vec::with_capacity(chunked.chunks.len()),
        };
        for chunk in &chunked.chunks {
            let heading = jari_embed::heading(path, chunked, chunk);
            let around = jari_embed::around(path, chunked, chunk);
            let Meant { vector, words } =
                model.read(&Document { text: chunk.lines.slice(text), heading: &heading, around: &around });
            meaning.vectors.extend_from_slice(&vector);
            meaning.words.push(words);
        }
        Some(meaning)
    }

    /// The vectors of questions; `None` of one that has no word that the model knows.
    pub fn of_questions(&self, questions: &[&str]) -> Result<Vec<Option<Vec<f32>>>, Trouble> {
        match &self.encoder {
            Encoder::Read { model, .. } => {
                let known = |vector: jari_embed::Vector| (!vector.is_zero()).then(|| vector.into_inner());
                Ok(model.embed(questions).into_iter().map(known).collect())
            }
            Encoder::Asked(embedder) => {
                let deadline = Some(Instant::now() + self.budget.time);
                let embedded = embedder.embed(questions, Side::Question, deadline, &|_| {});
                match embedded.vectors.iter().any(Option::is_none) {
                    false => Ok(embedded.vectors),
                    true => Err(embedded
                        .trouble
                        .unwrap_or_else(|| Trouble::passing("time was up before the model answered"))),
                }
            }
        }
    }

    /// The vector of one question.
    pub(crate) fn of_question(&self, question: &str) -> Result<Option<Vec<f32>>, Trouble> {
        Ok(self.of_questions(&[question])?.pop().flatten())
    }
}

/// What a model that is asked gets to read of a file's chunks: each below what stands above it.
pub(crate) fn texts(path: &str, text: &str, chunked: &Chunked) -> Vec<String> {
    let of = |chunk| {
        let heading = jari_embed::heading(path, chunked, chunk);
        let text = chunk.lines.slice(text);
        if heading.is_empty() { text.to_owned() } else { format!("{heading}\n\n{text}") }
    };
    chunked.chunks.iter().map(of).collect()
}
