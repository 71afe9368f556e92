//! `navigate`: from a symbol or a document to what belongs to it.

use std::collections::HashSet;

use jari_base::LineRange;
use jari_engine::documents::{Page, toc};
use jari_engine::graph::{self, Ask, Edge, GraphAnswer, GraphRequest};
use jari_engine::links::{Graph, Target};
use jari_store::{Snapshot, SymbolMode};
use jari_wire::PlaceJson;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Tool, symbols};
use crate::answer::{self, Answer, Item};
use crate::arguments::Shape;
use crate::call::{Call, Refusal};

/// Uses in one answer.
const SHOWN: usize = 50;

/// What belongs to a symbol or document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Relation {
    Definition,
    References,
    Callers,
    Callees,
    Implementations,
    Toc,
    Links,
    Backlinks,
}

/// From a symbol to its definition, references, callers, callees, implementations; from a document to its toc, links, backlinks.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Navigate {
    /// A symbol, or a document's path
    target: String,
    relation: Option<Relation>,
    /// Callers of callers, links of links
    #[schemars(range(min = 1, max = 3))]
    hops: Option<usize>,
    #[serde(flatten)]
    shape: Shape,
}

impl Tool for Navigate {
    const NAME: &'static str = "navigate";
    const TITLE: &'static str = "Navigate";

    fn shape(&self) -> Shape {
        self.shape.clone()
    }

    fn run(self, call: &Call<'_>) -> Result<Answer, Refusal> {
        let Self { target, relation, hops, shape } = self;
        let offset = answer::offset(&shape)?;
        let hops = hops.unwrap_or(1);
        let path = call.path(&target);
        let is_file = call.project().root.join(&path).is_file();
        match relation.unwrap_or(if is_file { Relation::Toc } else { Relation::Definition }) {
            Relation::Definition => symbols::definitions(call, target, SymbolMode::Exact, offset),
            Relation::References => follow(call, target, hops, offset, graph::references),
            Relation::Callers => follow(call, target, hops, offset, graph::callers),
            Relation::Callees => follow(call, target, hops, offset, graph::callees),
            Relation::Implementations => follow(call, target, hops, offset, graph::implementations),
            Relation::Toc => outline(call, &path, 6, offset),
            Relation::Links => links(call, &path, hops, offset),
            Relation::Backlinks => backlinks(call, &path, offset),
        }
    }
}

/// The outline of a document.
pub(super) fn outline(call: &Call<'_>, path: &str, depth: u8, offset: usize) -> Result<Answer, Refusal> {
    let page = Page::open(call.project(), path)?;
    let entries = toc(&page, depth)?;
    let item = |entry: &_| Item::from(PlaceJson::section(path, entry));
    Ok(Answer::after(offset, entries.iter().map(item)))
}

/// What the graph says of a name: each use with its place, what it means and why.
fn follow(call: &Call<'_>, name: String, hops: usize, offset: usize, ask: Ask) -> Result<Answer, Refusal> {
    let snapshot = call.whole()?;
    let request = GraphRequest { hops, limit: offset + SHOWN, ..GraphRequest::new(name) };
    let found = ask(call.project(), &*snapshot, &request, call.cancelled)?;
    let mut lines = Lines::new(&*snapshot);
    let mut items: Vec<Item> = found.edges.iter().skip(offset).map(|edge| lines.item(edge)).collect();
    if found.crowd.is_some() {
        items.extend(found.definitions.iter().map(|node| PlaceJson::symbol(&node.path, &node.symbol).into()));
    }
    let notes = notes(&request.name, &found);
    let more = found.total > offset + SHOWN;
    Ok(Answer { items, offset, more, near: found.near, notes, ..Answer::default() })
}

/// What a list of uses leaves out.
fn notes(name: &str, found: &GraphAnswer) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(files) = found.crowd {
        let defined = found.defined;
        notes.push(format!(
            "`{name}` has {defined} definitions and is used in {files} files: name one as Type.method or path:line"
        ));
    } else if found.defined > 1 {
        notes.push(format!("`{name}` has {} definitions; each use says which it means", found.defined));
    }
    if found.possible > 0 {
        notes.push(format!(
            "{} more uses may mean it; nothing tells what their receivers are",
            found.possible
        ));
    }
    if found.outside > 0 {
        notes.push(format!("{} calls lead out of the project", found.outside));
    }
    notes
}

/// Lines of files, of which the last one stays at hand.
pub(super) struct Lines<'a> {
    snapshot: &'a dyn Snapshot,
    last: Option<(String, String)>,
}

impl<'a> Lines<'a> {
    pub(super) fn new(snapshot: &'a dyn Snapshot) -> Self {
        Self { snapshot, last: None }
    }

    /// A use with its line. A text that cannot be read now leaves the place.
    pub(super) fn item(&mut self, found: &Edge) -> Item {
        if self.last.as_ref().is_none_or(|(path, _)| *path != found.path) {
            let text = super::text(self.snapshot, &found.path);
            self.last = Some((found.path.clone(), text.unwrap_or_default()));
        }
        let text = self.last.as_ref().map_or("", |(_, text)| text);
        let line = LineRange::new(found.line, found.line).slice(text).trim();
        let line = (!line.is_empty()).then(|| line.chars().take(160).collect());
        Item { place: PlaceJson::from(found), whole: None, short: line }
    }
}

/// The links of a document; with more hops, those of the documents it leads to.
fn links(call: &Call<'_>, path: &str, hops: usize, offset: usize) -> Result<Answer, Refusal> {
    let graph = Graph::new(call.project(), &*call.whole()?)?;
    let mut items: Vec<Item> = Vec::new();
    let mut seen = HashSet::from([path.to_owned()]);
    let mut frontier = vec![path.to_owned()];
    graph.outbound(path)?;
    for _ in 0..hops {
        let mut next = Vec::new();
        for from in std::mem::take(&mut frontier) {
            // What a document leads to may be code, which has no links.
            for edge in graph.outbound(&from).unwrap_or_default() {
                items.push(PlaceJson::from(edge).into());
                if let Target::Inside { path, broken: None, .. } = &edge.target
                    && seen.insert(path.clone())
                {
                    next.push(path.clone());
                }
            }
        }
        frontier = next;
    }
    Ok(Answer::after(offset, items))
}

/// Links of other documents to a file, or to `path#anchor` in it.
pub(super) fn backlinks(call: &Call<'_>, path: &str, offset: usize) -> Result<Answer, Refusal> {
    let graph = Graph::new(call.project(), &*call.whole()?)?;
    let (path, anchor) = path.split_once('#').map_or((path, None), |(path, anchor)| (path, Some(anchor)));
    let items = graph.back(path, anchor).into_iter().map(|edge| PlaceJson::from(edge).into());
    Ok(Answer::after(offset, items))
}
