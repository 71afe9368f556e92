//! `search_code`, `search_documents`: a question in, places out.

use std::fmt::Write as _;

use jari_base::{ChunkKind, Filter};
use jari_engine::narrow::{self, Only};
use jari_engine::search::{Hit, SearchRequest, search};
use jari_wire::PlaceJson;
use schemars::JsonSchema;
use serde::Deserialize;

use super::Tool;
use crate::answer::{self, Answer, Item};
use crate::arguments::Shape;
use crate::call::{Call, Refusal};

/// How a question is looked for.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Mode {
    Keyword,
    Semantic,
    Hybrid,
}

impl From<Mode> for jari_base::Mode {
    fn from(mode: Mode) -> Self {
        match mode {
            Mode::Keyword => Self::Keyword,
            Mode::Semantic => Self::Semantic,
            Mode::Hybrid => Self::Hybrid,
        }
    }
}

/// What a question is asked for.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Intent {
    Nav,
    Explain,
    Edit,
    Research,
}

impl From<Intent> for jari_base::Intent {
    fn from(intent: Intent) -> Self {
        match intent {
            Intent::Nav => Self::Nav,
            Intent::Explain => Self::Explain,
            Intent::Edit => Self::Edit,
            Intent::Research => Self::Research,
        }
    }
}

/// What a piece of code is.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Function,
    Method,
    Class,
    Module,
    Block,
}

/// Find code by a question, words or names, in English or Korean. Start here when you do not know the file.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct SearchCode {
    query: String,
    /// Default 5
    #[schemars(range(min = 1, max = 50))]
    top_k: Option<usize>,
    mode: Option<Mode>,
    intent: Option<Intent>,
    /// Folder or glob
    path: Option<String>,
    language: Option<String>,
    kind: Option<Kind>,
    #[serde(flatten)]
    shape: Shape,
}

impl Tool for SearchCode {
    const NAME: &'static str = "search_code";
    const TITLE: &'static str = "Search code";

    fn shape(&self) -> Shape {
        self.shape.clone()
    }

    fn run(self, call: &Call<'_>) -> Result<Answer, Refusal> {
        let Self { query, top_k, mode, intent, path, language, kind, shape } = self;
        let kinds = kind.map(|kind| match kind {
            Kind::Function => ChunkKind::Function,
            Kind::Method => ChunkKind::Method,
            Kind::Class => ChunkKind::Class,
            Kind::Module => ChunkKind::Module,
            Kind::Block => ChunkKind::Block,
        });
        let filter = Filter {
            languages: narrow::languages(&language.into_iter().collect::<Vec<_>>(), Some(Only::Code))?,
            kinds: kinds.into_iter().collect(),
            paths: path.map(|path| call.path(&path)).into_iter().collect(),
            ..Filter::default()
        };
        found(call, Asked { query, mode, intent, filter, top_k, usual: 5 }, &shape)
    }
}

/// Find sections of documents (Markdown, MDX, RST, AsciiDoc, text) by a question or words.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct SearchDocuments {
    query: String,
    mode: Option<Mode>,
    intent: Option<Intent>,
    /// Default 10
    #[serde(rename = "topK")]
    #[schemars(range(min = 1, max = 50))]
    top_k: Option<usize>,
    /// Whole sections, not only telling lines
    #[serde(rename = "includeContent")]
    include_content: Option<bool>,
    #[serde(flatten)]
    shape: Shape,
}

impl Tool for SearchDocuments {
    const NAME: &'static str = "search_documents";
    const TITLE: &'static str = "Search documents";

    fn shape(&self) -> Shape {
        self.shape.clone()
    }

    fn run(self, call: &Call<'_>) -> Result<Answer, Refusal> {
        let Self { query, mode, intent, top_k, include_content, shape } = self;
        let filter =
            Filter { languages: narrow::languages(&[], Some(Only::Documents))?, ..Filter::default() };
        let mut answer = found(call, Asked { query, mode, intent, filter, top_k, usual: 10 }, &shape)?;
        if !include_content.unwrap_or(false) {
            answer.items.iter_mut().for_each(|item| item.whole = None);
        }
        Ok(answer)
    }
}

/// A question as a tool was asked it.
pub(super) struct Asked {
    pub(super) query: String,
    pub(super) mode: Option<Mode>,
    pub(super) intent: Option<Intent>,
    pub(super) filter: Filter,
    pub(super) top_k: Option<usize>,
    /// Places where none are asked for, unless the intent wants more.
    pub(super) usual: usize,
}

/// The places that answer.
pub(super) fn found(call: &Call<'_>, asked: Asked, shape: &Shape) -> Result<Answer, Refusal> {
    let Asked { query, mode, intent, filter, top_k, usual } = asked;
    let offset = answer::offset(shape)?;
    let source = call.source(&query, &filter)?;
    let request = SearchRequest::new(query);
    let mode = mode.map_or(request.mode, jari_base::Mode::from);
    let intent = intent.map(jari_base::Intent::from);
    let request = SearchRequest { mode, intent, filter, tuning: call.served.tuning, ..request };
    let top_k = top_k.unwrap_or_else(|| request.plan().places(usual));
    // One more than asked for tells whether there are more.
    let request = SearchRequest { limit: offset + top_k + 1, ..request };
    let snapshot = match source.degraded {
        None => call.served.living.embed_for(source.snapshot, &request)?,
        Some(_) => source.snapshot,
    };
    let response = search(call.project(), &*snapshot, &request)?;
    let notes = source.notes.into_iter().chain(response.trouble.map(|trouble| trouble.to_string())).collect();
    let degraded = source.degraded.or_else(|| response.degraded.map(|degraded| degraded.as_str()));
    let answer = Answer::after(offset, response.hits.iter().map(item)).first(top_k);
    Ok(Answer { near: response.near, notes, degraded, ..answer })
}

/// A hit with its texts.
pub(super) fn item(hit: &Hit) -> Item {
    let mut short = String::new();
    for line in &hit.preview {
        let _ = writeln!(short, "{}: {}", line.number, line.text);
    }
    let head = hit.head.clone().map(|head| head + "\n").unwrap_or_default();
    Item {
        place: PlaceJson::from(hit),
        whole: hit.text.as_ref().map(|text| head + text),
        short: (!short.is_empty()).then_some(short),
    }
}
