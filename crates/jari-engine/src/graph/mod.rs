//! Who uses what: from a name to the places that mean it, over as many steps as asked for. Edges are not stored: a file keeps its
//! uses, an index by name leads to the files, and what a use means is worked out when somebody asks. So a change of one file
//! changes its own rows alone, and edges that point into it are right at once.

mod lookup;
mod name;
mod uses;
mod walk;

use std::time::Duration;

use jari_base::{Filter, Language, Reference, ReferenceKind, Symbol};
pub use jari_graph::Certainty;
use jari_graph::Definition;
use jari_store::{FileRecord, Snapshot};

use lookup::Tree;

use crate::{Project, Result};

/// What to follow, and how far.
#[derive(Debug, Clone, PartialEq)]
pub struct GraphRequest {
    /// `take`, `Pool.take`, `Pool::take`, `src/pool.rs:12`, or `GET /users/{id}`.
    pub name: String,
    /// Steps from one use to the next.
    pub hops: usize,
    /// Whether uses are listed of which nothing tells whether they mean it.
    pub possible: bool,
    /// Edges to return.
    pub limit: usize,
    /// How long to look.
    pub time: Duration,
    /// Which files the uses may stand in.
    pub within: Filter,
}

impl GraphRequest {
    /// One hop, within the usual bounds.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            hops: 1,
            possible: false,
            limit: 50,
            time: Duration::from_secs(2),
            within: Filter::default(),
        }
    }
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GraphAnswer {
    /// The definitions that the name means, best first. Not all, if there are very many.
    pub definitions: Vec<Node>,
    /// How many there are.
    pub defined: usize,
    /// By hop, then surest first, then by path and line.
    pub edges: Vec<Edge>,
    /// How many there are, as far as was looked.
    pub total: usize,
    /// Uses of the name that may mean it, though nothing tells: left out unless asked for.
    pub possible: usize,
    /// Calls of things that the project does not define. Of callees alone.
    pub outside: usize,
    /// Files that use the name, where it has so many definitions that none was followed.
    pub crowd: Option<usize>,
    /// Whether the walk ended because the answer was full: further away there may be more.
    pub full: bool,
    /// Whether time ran out.
    pub timed_out: bool,
    /// Names that look like one that is not defined.
    pub near: Vec<String>,
}

/// A definition.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Relative to the root.
    pub path: String,
    /// The file's language.
    pub language: Language,
    /// What is defined.
    pub symbol: Symbol,
}

impl From<&Definition> for Node {
    fn from(definition: &Definition) -> Self {
        let Definition { path, language, symbol, .. } = definition;
        Self { path: path.clone(), language: language.clone(), symbol: symbol.clone() }
    }
}

/// A use and what it means.
#[derive(Debug, Clone, PartialEq)]
pub struct Edge {
    /// Where the use stands, relative to the root.
    pub path: String,
    /// The file's language.
    pub language: Language,
    /// On which line.
    pub line: u32,
    /// How the name is used.
    pub kind: ReferenceKind,
    /// The definition around the use; none at the top of a file.
    pub from: Option<Symbol>,
    /// What is used.
    pub to: Node,
    /// How sure it is.
    pub certainty: Certainty,
    /// Why.
    pub reason: String,
    /// Definitions that the use may mean, this one among them.
    pub candidates: usize,
    /// Steps from the name that was asked for.
    pub hop: usize,
    /// Whether the file is still what was indexed.
    pub fresh: bool,
}

/// A question to the graph: one of the functions below.
pub type Ask = fn(&Project, &dyn Snapshot, &GraphRequest, &dyn Fn() -> bool) -> Result<GraphAnswer>;

/// Uses of a name: calls, types, imports, inheritance.
pub fn references(
    project: &Project,
    snapshot: &dyn Snapshot,
    request: &GraphRequest,
    cancelled: &dyn Fn() -> bool,
) -> Result<GraphAnswer> {
    walk::inwards(project, snapshot, request, cancelled, |_| true)
}

/// What calls a name; with more hops, what calls that.
pub fn callers(
    project: &Project,
    snapshot: &dyn Snapshot,
    request: &GraphRequest,
    cancelled: &dyn Fn() -> bool,
) -> Result<GraphAnswer> {
    walk::inwards(project, snapshot, request, cancelled, |kind| kind == ReferenceKind::Call)
}

/// What extends, implements or mixes in a type, and what does so with that; of a method, those that stand in for it.
pub fn implementations(
    project: &Project,
    snapshot: &dyn Snapshot,
    request: &GraphRequest,
    cancelled: &dyn Fn() -> bool,
) -> Result<GraphAnswer> {
    walk::below(project, snapshot, request, cancelled)
}

/// What a definition calls; with more hops, what that calls.
pub fn callees(
    project: &Project,
    snapshot: &dyn Snapshot,
    request: &GraphRequest,
    cancelled: &dyn Fn() -> bool,
) -> Result<GraphAnswer> {
    walk::outwards(project, snapshot, request, cancelled)
}

/// An import of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Import {
    /// As the file has it.
    pub reference: Reference,
    /// Files of the project that it means: one, or those of a package; none if it is from outside.
    pub files: Vec<String>,
}

/// What a file imports, in order.
pub fn imports(snapshot: &dyn Snapshot, path: &str) -> Result<Vec<Import>> {
    let files = snapshot.files()?;
    let Some(record) = files.at(path).filter(|record| record.skip.is_none()) else {
        return Err(crate::tree::no_such_path(&files, path));
    };
    let tree = Tree::new(&files);
    let import = |reference: Reference| {
        let files = tree.imported(record, &reference).into_iter().map(str::to_owned).collect();
        Import { reference, files }
    };
    Ok(snapshot.uses(record.id)?.of_kind(ReferenceKind::is_import).into_iter().map(import).collect())
}

/// A file that imports another.
#[derive(Debug, Clone, PartialEq)]
pub struct Importer {
    /// Relative to the root.
    pub path: String,
    /// As it has it.
    pub reference: Reference,
}

/// The imports that mean a file, by path and line. Every file of the project is asked, because nothing is stored for it.
pub fn importers(snapshot: &dyn Snapshot, path: &str) -> Result<Vec<Importer>> {
    let files = snapshot.files()?;
    let Some(meant) = files.at(path).filter(|record| record.skip.is_none()) else {
        return Err(crate::tree::no_such_path(&files, path));
    };
    let tree = Tree::new(&files);
    let mut found = Vec::new();
    for record in files.iter().filter(|record| record.skip.is_none() && record.path != path) {
        for reference in snapshot.uses(record.id)?.of_kind(ReferenceKind::is_import) {
            if tree.means(record, &reference, meant) {
                found.push(Importer { path: record.path.clone(), reference });
            }
        }
    }
    Ok(found)
}

/// An edge as it is found; the walk says how sure it is, and in the end whether it is fresh.
fn edge(record: &FileRecord, reference: &Reference, from: Option<Symbol>, to: Node) -> Edge {
    Edge {
        path: record.path.clone(),
        language: record.language.clone(),
        line: reference.line,
        kind: reference.kind,
        from,
        to,
        certainty: Certainty::Certain,
        reason: String::new(),
        candidates: 1,
        hop: 1,
        fresh: true,
    }
}
