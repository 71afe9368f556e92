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
        let Self { query, top_k, mode, path, language, kind, shape } = self;
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
        };
        found(call, query, mode, filter, top_k.unwrap_or(5), &shape)
    }
}

/// Find sections of documents (Markdown, MDX, RST, AsciiDoc, text) by a question or words.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct SearchDocuments {
    query: String,
    mode: Option<Mode>,
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
        let Self { query, mode, top_k, include_content, shape } = self;
        let filter =
            Filter { languages: narrow::languages(&[], Some(Only::Documents))?, ..Filter::default() };
        let mut answer = found(call, query, mode, filter, top_k.unwrap_or(10), &shape)?;
        if !include_content.unwrap_or(false) {
            answer.items.iter_mut().for_each(|item| item.whole = None);
        }
        Ok(answer)
    }
}

/// The places that answer `query`.
pub(super) fn found(
    call: &Call<'_>,
    query: String,
    mode: Option<Mode>,
    filter: Filter,
    top_k: usize,
    shape: &Shape,
) -> Result<Answer, Refusal> {
    let offset = answer::offset(shape)?;
    let source = call.source(&query, &filter)?;
    let usual = SearchRequest::new(query);
    let mode = mode.map_or(usual.mode, jari_base::Mode::from);
    // One more than asked for tells whether there are more.
    let limit = offset + top_k + 1;
    let request = SearchRequest { mode, limit, filter, bm25: call.served.bm25, ..usual };
    let response = search(call.project(), &*source.snapshot, &request)?;
    let degraded = source.degraded.or_else(|| response.degraded.map(|degraded| degraded.as_str()));
    let answer = Answer::after(offset, response.hits.iter().map(item)).first(top_k);
    Ok(Answer { near: response.near, notes: source.notes, degraded, ..answer })
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
