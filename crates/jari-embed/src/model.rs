//! The model: one interface, whichever table is behind it.

use std::borrow::Cow;
use std::path::Path;

use rayon::prelude::*;

use crate::folder::Folder;
use crate::table::Table;
use crate::{Damage, Error, Vector, Wording};

/// Texts a thread takes at once: enough that handing them out costs nothing.
const BATCH: usize = 32;

/// What a heading weighs in a folder's model, which does not say: the middle of what measured well for several models.
const HEADING_WEIGHT: f32 = 0.4;

/// A piece of a file, to be embedded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Document<'a> {
    /// What it says.
    pub text: &'a str,
    /// What stands above it: the titles around a section, or the path of a file of code. May be empty.
    pub heading: &'a str,
    /// What else is said of it: words here are its own, but draw its vector nowhere. May be empty.
    pub around: &'a str,
}

/// What a model makes of a document.
#[derive(Debug, Clone, PartialEq)]
pub struct Meant {
    /// Its text, drawn towards its heading.
    pub vector: Vector,
    /// Its words as the model numbers them, each once, sorted; none of a model without words.
    pub words: Vec<u32>,
}

/// Makes vectors. Sharing one between threads is free.
pub struct Model {
    name: String,
    inner: Inner,
    heading_weight: f32,
}

enum Inner {
    Table(Table),
    Folder(Folder),
}

impl Model {
    /// The model inside the binary.
    pub fn bundled() -> Self {
        let bytes: &'static [u8] = include_bytes!("../../../models/jari.embd");
        let table = Table::new(Cow::Borrowed(bytes)).expect("a test reads the model that is built in");
        Self { name: "jari".to_owned(), heading_weight: table.heading_weight(), inner: Inner::Table(table) }
    }

    /// The model at `path`: a folder in model2vec's format, or a file of Jari's own.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let name = path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if path.is_dir() {
            let inner = Inner::Folder(Folder::open(path)?);
            return Ok(Self { name, inner, heading_weight: HEADING_WEIGHT });
        }
        let bytes = fs_err::read(path).map_err(|source| match source.kind() {
            std::io::ErrorKind::NotFound => Error::Missing { path: path.to_owned() },
            _ => Error::Unreadable { path: path.to_owned(), source },
        })?;
        let model =
            Self::from_bytes(bytes).map_err(|damage| Error::Damaged { path: path.to_owned(), damage })?;
        Ok(Self { name, ..model })
    }

    /// A model of Jari's own format, checked whole.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, Damage> {
        let table = Table::new(Cow::Owned(bytes))?;
        table.verify()?;
        Ok(Self {
            name: "jari".to_owned(),
            heading_weight: table.heading_weight(),
            inner: Inner::Table(table),
        })
    }

    /// The same model with another weight for headings.
    pub fn with_heading_weight(self, heading_weight: f32) -> Self {
        Self { heading_weight, ..self }
    }

    /// What it is called: `jari` for the one inside the binary, else by its folder or file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The length of its vectors.
    pub fn dims(&self) -> usize {
        match &self.inner {
            Inner::Table(table) => table.dims(),
            Inner::Folder(folder) => folder.dims(),
        }
    }

    /// Tells models apart: vectors of models with different fingerprints must not meet.
    pub fn fingerprint(&self) -> u64 {
        match &self.inner {
            Inner::Table(table) => table.checksum(),
            Inner::Folder(folder) => folder.checksum(),
        }
    }

    /// A vector for each text, in order. For questions, and for texts without anything above them.
    pub fn embed(&self, texts: &[&str]) -> Vec<Vector> {
        texts.par_iter().with_min_len(BATCH).map(|text| self.text(text)).collect()
    }

    /// A vector for each document, in order.
    pub fn embed_documents(&self, documents: &[Document<'_>]) -> Vec<Vector> {
        documents.par_iter().with_min_len(BATCH).map(|document| self.read(document).vector).collect()
    }

    /// The vector and the words of a document.
    pub fn read(&self, document: &Document<'_>) -> Meant {
        let Document { text, heading, around } = *document;
        let mut words = Vec::with_capacity(text.len() / 4);
        let text = self.add_words(text, &mut words);
        let vector = match heading {
            "" => text,
            heading => {
                let heading = self.add_words(heading, &mut words);
                let drawn = |(text, heading): (&f32, &f32)| text + self.heading_weight * heading;
                Vector::normalised(text.iter().zip(heading.iter()).map(drawn).collect())
            }
        };
        if !around.is_empty() {
            self.add_words(around, &mut words);
        }
        words.sort_unstable();
        words.dedup();
        Meant { vector, words }
    }

    /// The vector of a text; its words are added to `words`.
    fn add_words(&self, text: &str, words: &mut Vec<u32>) -> Vector {
        Vector::normalised(match &self.inner {
            Inner::Table(table) => table.sum_and_words(text, words),
            Inner::Folder(folder) => folder.sum(text),
        })
    }

    /// A question word by word, each counting `weight` times what the model thinks of it; `None` if the model knows none of its words, or is
    /// a folder's, whose pieces are no words.
    pub fn wording(&self, question: &str, weight: impl Fn(&str) -> f32) -> Option<Wording<'_>> {
        match &self.inner {
            Inner::Table(table) => Wording::new(table, question, weight),
            Inner::Folder(_) => None,
        }
    }

    /// The sum of a text's rows before it is brought to length one: training begins with it.
    pub fn sum(&self, text: &str) -> Vec<f32> {
        match &self.inner {
            Inner::Table(table) => table.sum(text),
            Inner::Folder(folder) => folder.sum(text),
        }
    }

    fn text(&self, text: &str) -> Vector {
        Vector::normalised(self.sum(text))
    }
}
