//! `navigate`: from a symbol or a document to what belongs to it.

use std::collections::HashSet;

use jari_base::{LineRange, ReferenceKind};
use jari_engine::documents::{Page, toc};
use jari_engine::links::{Graph, Target};
use jari_engine::symbols::Found;
use jari_engine::uses::{self, Use};
use jari_store::{Snapshot, SymbolMode};
use jari_wire::PlaceJson;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Tool, symbols};
use crate::answer::{self, Answer, Item};
use crate::arguments::Shape;
use crate::call::{Call, Refusal};

/// Names that are followed from one hop to the next.
const FRONTIER: usize = 12;

/// Uses in one answer.
const SHOWN: usize = 50;

/// What is not told apart as long as no types are resolved.
const BY_NAME: &str = "uses are matched by name, not by type: another thing of the same name counts, too";

/// What belongs to a symbol or document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Relation {
    Definition,
    References,
    Callers,
    Implementations,
    Toc,
    Links,
    Backlinks,
}

/// From a symbol to its definition, references, callers, implementations; from a document to its toc, links, backlinks.
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
            Relation::References => used(call, &target, hops, offset, &|_| true),
            Relation::Callers => used(call, &target, hops, offset, &|kind| kind == ReferenceKind::Call),
            Relation::Implementations => implementations(call, &target, offset),
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

/// Where a name is used; with more hops, where what uses it is used.
fn used(
    call: &Call<'_>,
    name: &str,
    hops: usize,
    offset: usize,
    wanted: &dyn Fn(ReferenceKind) -> bool,
) -> Result<Answer, Refusal> {
    let snapshot = call.whole()?;
    let mut found: Vec<(Use, Option<String>)> = Vec::new();
    let mut notes = vec![BY_NAME.to_owned()];
    let mut seen: HashSet<String> = HashSet::from([name.to_owned()]);
    let mut frontier = vec![name.to_owned()];
    for hop in 1..=hops {
        let mut next = Vec::new();
        for name in std::mem::take(&mut frontier) {
            let most = offset + SHOWN + 1;
            let here = uses::uses(call.project(), &*snapshot, &name, wanted, most, call.cancelled)?;
            if here.cut {
                notes.push(format!(
                    "`{name}` stands in very many files: only those that speak of it most were looked through"
                ));
            }
            for one in here.uses {
                if let Some(within) = &one.within
                    && seen.insert(within.name.clone())
                {
                    next.push(within.name.clone());
                }
                found.push((one, (hop > 1).then(|| format!("of {name}, {hop} hops"))));
            }
        }
        next.truncate(FRONTIER);
        frontier = next;
    }
    let near = if found.is_empty() { near(call, &*snapshot, name)? } else { Vec::new() };
    let mut lines = Lines::new(&*snapshot);
    let shown = found.iter().skip(offset).take(SHOWN).map(|(one, relation)| {
        let item = lines.item(one);
        Item { place: PlaceJson { relation: relation.clone(), ..item.place }, ..item }
    });
    let (items, more) = (shown.collect(), found.len() > offset + SHOWN);
    Ok(Answer { items, offset, more, near, notes, ..Answer::default() })
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
    pub(super) fn item(&mut self, found: &Use) -> Item {
        if self.last.as_ref().is_none_or(|(path, _)| *path != found.path) {
            let files = self.snapshot.files();
            let text = files.at(&found.path).and_then(|record| self.snapshot.text(record.id).ok().flatten());
            self.last = Some((found.path.clone(), text.unwrap_or_default()));
        }
        let text = self.last.as_ref().map_or("", |(_, text)| text);
        let line = LineRange::new(found.line, found.line).slice(text).trim();
        let line = (!line.is_empty()).then(|| line.chars().take(160).collect());
        Item { place: PlaceJson::from(found), whole: None, short: line }
    }
}

/// Names like one that is not used.
fn near(call: &Call<'_>, snapshot: &dyn Snapshot, name: &str) -> Result<Vec<String>, Refusal> {
    let request = jari_engine::symbols::SymbolRequest {
        name: name.to_owned(),
        mode: SymbolMode::Exact,
        kinds: Vec::new(),
        filter: jari_base::Filter::default(),
        limit: 1,
    };
    Ok(jari_engine::symbols::symbols(call.project(), snapshot, &request)?.near)
}

/// What extends, implements or derives from a type.
fn implementations(call: &Call<'_>, name: &str, offset: usize) -> Result<Answer, Refusal> {
    let snapshot = call.whole()?;
    let found = uses::implementations(call.project(), &*snapshot, name, call.cancelled)?;
    let item = |found: &Found| Item {
        place: PlaceJson::from(found),
        whole: None,
        short: Some(found.symbol.signature.clone()),
    };
    let near = if found.is_empty() { near(call, &*snapshot, name)? } else { Vec::new() };
    let notes = vec![format!("told by declarations that name `{name}`; {BY_NAME}")];
    Ok(Answer { near, notes, ..Answer::after(offset, found.iter().map(item)) })
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
