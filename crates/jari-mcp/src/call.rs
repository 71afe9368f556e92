//! What a tool is given: the project, a state of its index that can answer, and whether anybody still waits.

use std::sync::Arc;
use std::time::Duration;

use jari_base::{Explained, Filter};
use jari_engine::living::{Living, Stage};
use jari_engine::search::Tuning;
use jari_engine::{Error, Project, scan};
use jari_store::Snapshot;
use jari_wire::IndexJson;

/// How long files are looked through where there is no index yet.
const SCAN: Duration = Duration::from_millis(700);

/// A project as it is served.
pub struct Served {
    /// The project and its index.
    pub living: Living,
    /// What settings say of questions.
    pub tuning: Tuning,
    /// Grams in a larger part of all files than this do not narrow a search for a pattern.
    pub max_gram_frequency: f32,
    /// Where the index is kept.
    pub index_dir: String,
    /// Which model makes vectors.
    pub model: String,
    /// What leaves this machine, and where it goes.
    pub sends: Vec<String>,
    /// What the user should know of the settings.
    pub notes: Vec<String>,
}

/// One call of a tool.
pub(crate) struct Call<'a> {
    pub(crate) served: &'a Served,
    /// Whether nobody waits for the answer any more.
    pub(crate) cancelled: &'a dyn Fn() -> bool,
}

/// A state that can answer, and what must be said of it.
pub(crate) struct Source {
    pub(crate) snapshot: Arc<dyn Snapshot>,
    pub(crate) degraded: Option<&'static str>,
    pub(crate) notes: Vec<String>,
}

impl Call<'_> {
    pub(crate) fn project(&self) -> &Project {
        &self.served.living.project
    }

    /// The last complete state of the index; while there is none, the files that hold the words of `query`.
    pub(crate) fn source(&self, query: &str, filter: &Filter) -> Result<Source, Refusal> {
        if let Some(snapshot) = self.complete() {
            return Ok(Source { snapshot, degraded: None, notes: Vec::new() });
        }
        let scanned = scan::scan(self.project(), query, filter, SCAN)?;
        let part = match scanned.looked < scanned.of {
            true => format!("{} of {} files", scanned.looked, scanned.of),
            false => format!("{} files", scanned.of),
        };
        let (degraded, why) = self.without_index();
        let note = format!("{why}: this is a plain look for words in {part}");
        Ok(Source { snapshot: scanned.snapshot, degraded: Some(degraded), notes: vec![note] })
    }

    /// Why there is no index that could answer.
    fn without_index(&self) -> (&'static str, &'static str) {
        match self.served.living.condition().stage {
            Stage::Failed => ("index_failed", "there is no index"),
            _ => {
                ("index_building", "the index is being made for the first time, ask again for better results")
            }
        }
    }

    /// The last complete state of the index; while there is none, the paths alone.
    pub(crate) fn paths(&self) -> Result<Source, Refusal> {
        match self.complete() {
            Some(snapshot) => Ok(Source { snapshot, degraded: None, notes: Vec::new() }),
            None => {
                let snapshot = scan::paths(self.project())?;
                let (degraded, why) = self.without_index();
                let note = format!("{why}: this was read from the folders");
                Ok(Source { snapshot, degraded: Some(degraded), notes: vec![note] })
            }
        }
    }

    /// The last complete state of the index, for questions that need all of it.
    pub(crate) fn whole(&self) -> Result<Arc<dyn Snapshot>, Refusal> {
        self.complete().ok_or_else(|| {
            let now = self.served.living.condition();
            let message = format!(
                "this needs the whole index, which is being made for the first time ({} of {} files)",
                now.files_done, now.files_total
            );
            let hint = match now.notes.first() {
                Some(note) => note.clone(),
                None => "ask again in a few seconds; search_code and read answer already".to_owned(),
            };
            Refusal::new(message, hint)
        })
    }

    fn complete(&self) -> Option<Arc<dyn Snapshot>> {
        self.served.living.snapshot()
    }

    /// How far the index can be trusted now.
    pub(crate) fn index(&self) -> (IndexJson, Vec<String>) {
        let condition = self.served.living.condition();
        let snapshot = self.served.living.snapshot();
        (IndexJson::living(&condition, snapshot.as_deref()), condition.notes)
    }

    /// A path as the index knows it, from what a model wrote: absolute, with `./` or `..`, or as a resource.
    pub(crate) fn path(&self, written: &str) -> String {
        let written = written.strip_prefix(crate::resources::SCHEME).unwrap_or(written);
        let plain = written.trim_start_matches("./").trim_end_matches('/');
        let plain = if plain == "." { "" } else { plain };
        let real = self.project().root.join(plain).canonicalize();
        let inside =
            real.ok().and_then(|real| Some(real.strip_prefix(&self.project().root).ok()?.to_owned()));
        match inside {
            Some(inside) if written.starts_with('/') || written.contains("..") => {
                inside.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/")
            }
            _ => plain.to_owned(),
        }
    }
}

/// Why a tool does not answer, in words a model can act on.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
    /// Whether the index is damaged: it is to be made anew.
    pub(crate) damaged: bool,
}

impl Refusal {
    pub(crate) fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { message: message.into(), hint: Some(hint.into()), damaged: false }
    }
}

impl From<String> for Refusal {
    fn from(message: String) -> Self {
        Self { message, hint: None, damaged: false }
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        let hint = match &error {
            Error::NoSuchPath { near, .. } | Error::NoSuchFile { near, .. } if near.is_empty() => {
                Some("get_file_structure shows the files of the project".to_owned())
            }
            Error::IsAFolder(_) => Some("get_file_structure shows what is in it".to_owned()),
            Error::NotADocument { .. } => Some("read it with view `skeleton`".to_owned()),
            Error::EmptyQuery | Error::EmptyName => Some("give a word to look for".to_owned()),
            Error::NoneOf { .. } => Some("leave out `language`".to_owned()),
            Error::Store(jari_store::Error::Corrupt(_)) => {
                Some("it is being made anew: ask again in a few seconds".to_owned())
            }
            error => error.hint(),
        };
        let damaged = matches!(error, Error::Store(jari_store::Error::Corrupt(_)));
        Self { message: error.to_string(), hint, damaged }
    }
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "error: {}", self.message)?;
        self.hint.as_ref().map_or(Ok(()), |hint| write!(f, "\nhint: {hint}"))
    }
}
