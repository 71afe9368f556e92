//! `doc_toc`, `doc_section`, `doc_skeleton`, `doc_analyze`, `doc_references`, `doc_search`: one document.

use jari_base::Filter;
use jari_engine::documents::{Page, Which, toc};
use jari_engine::links::{Graph, analyze};
use jari_wire::{AnalysisJson, PlaceJson};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Tool, navigate, read, search};
use crate::answer::{self, Answer};
use crate::arguments::Shape;
use crate::call::{Call, Refusal};

/// The outline of a document, with the ids that `read` takes.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct DocToc {
    path: String,
    /// Deepest level, default 3
    #[schemars(range(min = 1, max = 6))]
    depth: Option<u8>,
    #[serde(flatten)]
    shape: Shape,
}

impl Tool for DocToc {
    const NAME: &'static str = "doc_toc";
    const TITLE: &'static str = "Show outline";

    fn shape(&self) -> Shape {
        self.shape.clone()
    }

    fn run(self, call: &Call<'_>) -> Result<Answer, Refusal> {
        let Self { path, depth, shape } = self;
        navigate::outline(call, &call.path(&path), depth.unwrap_or(3), answer::offset(&shape)?)
    }
}

/// One section of a document with its subsections, by id or by titles.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct DocSection {
    path: String,
    #[serde(rename = "sectionId")]
    section_id: Option<String>,
    /// Titles, outermost first; the last alone will do
    #[serde(rename = "headingPath")]
    heading_path: Option<Vec<String>>,
    #[serde(flatten)]
    shape: Shape,
}

impl Tool for DocSection {
    const NAME: &'static str = "doc_section";
    const TITLE: &'static str = "Read a section";

    fn shape(&self) -> Shape {
        self.shape.clone()
    }

    fn run(self, call: &Call<'_>) -> Result<Answer, Refusal> {
        let Self { path, section_id, heading_path, shape } = self;
        let which = match (section_id, heading_path) {
            (Some(id), _) => Which::Id(id.split_once('#').map_or(id.clone(), |(_, id)| id.to_owned())),
            (None, Some(titles)) if !titles.is_empty() => Which::Headings(titles),
            _ => return Err("`sectionId` or `headingPath` is missing".to_owned().into()),
        };
        read::of_section(&Page::open(call.project(), &call.path(&path))?, &which, &shape)
    }
}

/// A document without its bodies: each heading with how its section begins.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct DocSkeleton {
    path: String,
    #[serde(flatten)]
    shape: Shape,
}

impl Tool for DocSkeleton {
    const NAME: &'static str = "doc_skeleton";
    const TITLE: &'static str = "Show skeleton";

    fn shape(&self) -> Shape {
        self.shape.clone()
    }

    fn run(self, call: &Call<'_>) -> Result<Answer, Refusal> {
        let page = Page::open(call.project(), &call.path(&self.path))?;
        page.document()?;
        Ok(Answer::after(answer::offset(&self.shape)?, read::bones(call, &page)))
    }
}

/// Title, front matter, counts and links of a document.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct DocAnalyze {
    path: String,
}

impl Tool for DocAnalyze {
    const NAME: &'static str = "doc_analyze";
    const TITLE: &'static str = "Analyze a document";

    fn run(self, call: &Call<'_>) -> Result<Answer, Refusal> {
        let page = Page::open(call.project(), &call.path(&self.path))?;
        let snapshot = call.whole()?;
        let analysis = analyze(call.project(), &*snapshot, &page)?;
        let counts = analysis.counts;
        let note = format!(
            "{} · {} lines · {} words · about {} tokens · {} headings · {} code blocks · {} tables · {} links in, {} out of the project, {} broken · {} backlinks",
            analysis.title.as_deref().unwrap_or("no title"),
            counts.lines,
            counts.words,
            counts.tokens,
            counts.headings,
            counts.code_blocks,
            counts.tables,
            counts.internal,
            counts.external,
            counts.broken,
            analysis.backlinks
        );
        let entries = toc(&page, 6)?;
        let items = entries.iter().map(|entry| PlaceJson::section(&page.path, entry).into());
        let mut answer = Answer::after(0, items);
        let (index, _) = call.index();
        answer.details =
            serde_json::to_value(AnalysisJson::new(&page, analysis, Vec::new(), None, index)).ok();
        answer.notes.push(note);
        Ok(answer)
    }
}

/// Links of a document and links of other documents to it; broken ones are marked.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct DocReferences {
    path: String,
    #[serde(flatten)]
    shape: Shape,
}

impl Tool for DocReferences {
    const NAME: &'static str = "doc_references";
    const TITLE: &'static str = "Show links";

    fn shape(&self) -> Shape {
        self.shape.clone()
    }

    fn run(self, call: &Call<'_>) -> Result<Answer, Refusal> {
        let path = call.path(&self.path);
        let graph = Graph::new(call.project(), &*call.whole()?)?;
        let edges = graph.outbound(&path)?.into_iter().chain(graph.back(&path, None));
        Ok(Answer::after(answer::offset(&self.shape)?, edges.map(|edge| PlaceJson::from(edge).into())))
    }
}

/// Find sections inside one document.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct DocSearch {
    path: String,
    query: String,
    /// Default 5
    #[serde(rename = "topK")]
    #[schemars(range(min = 1, max = 50))]
    top_k: Option<usize>,
    #[serde(flatten)]
    shape: Shape,
}

impl Tool for DocSearch {
    const NAME: &'static str = "doc_search";
    const TITLE: &'static str = "Search a document";

    fn shape(&self) -> Shape {
        self.shape.clone()
    }

    fn run(self, call: &Call<'_>) -> Result<Answer, Refusal> {
        let Self { path, query, top_k, shape } = self;
        let path = call.path(&path);
        Page::open(call.project(), &path)?.document()?;
        let filter = Filter { paths: vec![path], ..Filter::default() };
        let asked = search::Asked { query, mode: None, intent: None, filter, top_k, usual: 5 };
        search::found(call, asked, &shape)
    }
}
