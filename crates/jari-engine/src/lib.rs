//! The façade: what Jari can do, as functions over plain structs. Every surface (terminal, MCP, HTTP) calls these.

pub mod backlog;
pub mod conflicts;
mod diversify;
pub mod documents;
pub mod drift;
pub mod eval;
mod fields;
mod gather;
pub mod graph;
pub mod grep;
pub mod ingest;
pub mod links;
pub mod living;
mod meaning;
pub mod mentions;
pub mod narrow;
mod near;
mod pack;
mod pattern;
mod pointers;
mod preview;
mod rerank;
pub mod scan;
pub mod search;
pub mod secrets;
pub mod similar;
pub mod status;
pub mod symbols;
mod translation;
pub mod tree;
mod wording;

use std::path::PathBuf;
use std::sync::Arc;

use jari_base::{ErrorCode, Explained, Language, Skip};
use jari_chunk::DocumentOptions;
use jari_source::Limits;

pub use meaning::{Embedding, EmbeddingBudget, Encoder};
pub use rerank::{Opinion, Reranker};
pub use translation::{Translated, Translator};

/// A project: a folder of files and how they are taken in.
#[derive(Debug, Clone)]
pub struct Project {
    /// Its top folder.
    pub root: PathBuf,
    /// What is taken in.
    pub limits: Limits,
    /// How documents are cut.
    pub documents: DocumentOptions,
    /// What makes vectors of chunks and questions; `None` for words alone.
    pub embedding: Option<Embedding>,
    /// What puts the best places in order, after all else; `None` leaves them as they are.
    pub reranker: Option<Arc<dyn Reranker>>,
    /// What puts Korean questions into English, where words of the glossary do not help; `None` leaves it at those.
    pub translator: Option<Arc<dyn Translator>>,
    /// Files with more different grams are not cut, and `grep` always looks at them.
    pub max_grams: usize,
}

impl Project {
    /// Everything that shapes the contents of an index: a change of any of it means a new index.
    pub fn fingerprint(&self) -> String {
        let Limits { max_file_size, memory: _ } = self.limits;
        let DocumentOptions {
            strategy,
            max_tokens,
            overlap,
            min_tokens,
            max_depth,
            front_matter,
            code_blocks,
            lists,
            tables,
        } = &self.documents;
        format!(
            "chunks {} words {} grams {} of {} fields {} masks {} largest {max_file_size} documents {strategy:?} {max_tokens} {overlap} {min_tokens} \
             {max_depth} {front_matter} {code_blocks} {lists} {tables}",
            jari_chunk::VERSION,
            jari_text::VERSION,
            jari_text::GRAM_VERSION,
            self.max_grams,
            fields::VERSION,
            jari_source::MASK_VERSION
        )
    }
}

/// A request that cannot be answered.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A model that had to be asked did not answer.
    #[error(transparent)]
    Model(#[from] jari_embed::Trouble),
    /// Nothing to look for.
    #[error("the query has no word to look for")]
    EmptyQuery,
    /// A name without a letter or digit.
    #[error("the name is empty")]
    EmptyName,
    /// A pattern without a character.
    #[error("the pattern is empty")]
    EmptyPattern,
    /// A pattern that cannot be used.
    #[error("the pattern cannot be used: {0}")]
    BadPattern(String),
    /// A filter that cannot be used.
    #[error("{0}")]
    BadFilter(String),
    /// A language nobody knows.
    #[error("no language is called `{0}`")]
    UnknownLanguage(String),
    /// Languages of which none is code, or none a document.
    #[error("no file in {} is {}", .languages.join(" or "), if *.only == narrow::Only::Documents { "a document" } else { "code" })]
    NoneOf {
        /// As asked for.
        languages: Vec<String>,
        /// What they should be.
        only: narrow::Only,
    },
    /// No such path in the index.
    #[error("no `{path}` in the index")]
    NoSuchPath {
        /// As asked for.
        path: String,
        /// Paths that look like it.
        near: Vec<String>,
    },
    /// A line that holds nothing, or is not there.
    #[error("there is nothing at line {line} of `{path}`")]
    NoSuchLine {
        /// Relative to the root.
        path: String,
        /// As asked for.
        line: u32,
        /// How many it has.
        lines: usize,
    },
    /// No such file in the project.
    #[error("no file `{path}` in the project")]
    NoSuchFile {
        /// As asked for, relative to the root.
        path: String,
        /// Files beside it that look like it.
        near: Vec<String>,
    },
    /// A folder where a file is needed.
    #[error("`{0}` is a folder")]
    IsAFolder(String),
    /// A file outside the project.
    #[error("`{0}` leads out of the project")]
    Outside(String),
    /// A file whose contents are not shown.
    #[error("`{path}` is not shown: it is {reason}")]
    NotReadable {
        /// Relative to the root.
        path: String,
        /// Why.
        reason: Skip,
    },
    /// A file that has no sections.
    #[error("`{path}` is no document but {language}")]
    NotADocument {
        /// Relative to the root.
        path: String,
        /// What it is.
        language: Language,
    },
    /// The files could not be walked.
    #[error(transparent)]
    Source(#[from] jari_source::Error),
    /// Git was asked in vain.
    #[error(transparent)]
    History(#[from] jari_source::HistoryError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] jari_store::Error),
}

impl Explained for Error {
    fn code(&self) -> ErrorCode {
        match self {
            Self::EmptyQuery | Self::EmptyName | Self::EmptyPattern => ErrorCode::EmptyQuery,
            Self::BadFilter(_) | Self::BadPattern(_) | Self::UnknownLanguage(_) | Self::NoneOf { .. } => {
                ErrorCode::BadArgument
            }
            Self::NoSuchPath { .. } | Self::NoSuchFile { .. } | Self::NoSuchLine { .. } => {
                ErrorCode::NotFound
            }
            Self::NotADocument { .. } | Self::IsAFolder(_) | Self::Outside(_) => ErrorCode::BadArgument,
            Self::NotReadable { .. } => ErrorCode::Unreadable,
            Self::History(_) => ErrorCode::BadArgument,
            Self::Model(error) => error.code(),
            Self::Source(error) => error.code(),
            Self::Store(error) => error.code(),
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::EmptyQuery => Some("say what you look for: jari search \"retry with backoff\"".to_owned()),
            Self::EmptyName => {
                Some("give a name or a part of one: jari symbol connect --mode contains".to_owned())
            }
            Self::EmptyPattern => Some("say what the lines hold: jari grep 'fn \\w+_with'".to_owned()),
            Self::BadPattern(_) => Some("to look for the text as it is written: jari grep -F".to_owned()),
            Self::NotReadable { reason: Skip::TooLarge, .. } => {
                Some("raise the limit: JARI_MAX_FILE_SIZE, in bytes".to_owned())
            }
            Self::BadFilter(_) => {
                Some("filters are path:src lang:rust kind:function symbol:Name -word; with a blank after the colon it is text".to_owned())
            }
            Self::NotReadable { .. } => None,
            Self::UnknownLanguage(name) => {
                let meant = narrow::language_like(name).map(|known| format!("did you mean {known}? "));
                let all = jari_chunk::languages().join(", ");
                Some(format!("{}languages are {all}", meant.unwrap_or_default()))
            }
            Self::NoneOf { .. } => Some("leave out --lang or --only".to_owned()),
            Self::IsAFolder(path) => Some(format!("name a file; `jari tree {path}` shows what is in it")),
            Self::NoSuchLine { lines, .. } => Some(format!("it has {lines} lines; name one with text on it")),
            Self::Outside(_) => Some("nothing outside the project is read".to_owned()),
            Self::NoSuchFile { near, .. } if near.is_empty() => {
                Some("`jari tree` shows the files of the project".to_owned())
            }
            Self::NoSuchFile { near, .. } => Some(format!("did you mean {}?", near.join(" or "))),
            Self::NotADocument { path, .. } => Some(format!("`jari skeleton {path}` shows its definitions")),
            Self::NoSuchPath { near, .. } if near.is_empty() => {
                Some("`jari tree` shows what is indexed, `jari status --skipped` what is not".to_owned())
            }
            Self::NoSuchPath { near, .. } => Some(format!("did you mean {}?", near.join(" or "))),
            Self::History(jari_source::HistoryError::NoRevision(_)) => {
                Some("name a commit, a branch or a tag: `git log --oneline` lists commits".to_owned())
            }
            Self::History(jari_source::HistoryError::NoRepository(_)) => {
                Some("it needs `git`, and a folder that is under its control".to_owned())
            }
            Self::History(jari_source::HistoryError::Failed(_)) => None,
            Self::Model(error) => error.hint(),
            Self::Source(error) => error.hint(),
            Self::Store(error) => error.hint(),
        }
    }
}

/// What the façade's calls return.
pub type Result<T> = std::result::Result<T, Error>;
