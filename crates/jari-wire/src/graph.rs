//! The JSON of the code graph: definitions, and the uses that lead to them.

use jari_base::ReferenceKind;
use jari_engine::graph::{Edge, GraphAnswer, Import, Importer, Node};
use schemars::JsonSchema;
use serde::Serialize;

use crate::IndexJson;

/// The answer of `refs`, `callers`, `callees` and `implementations`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct GraphJson {
    /// As asked.
    name: String,
    /// `refs`, `callers`, `callees` or `implementations`.
    relation: &'static str,
    /// The definitions that the name means; the first few, if there are very many.
    definitions: Vec<NodeJson>,
    /// How many definitions there are.
    defined: usize,
    /// By hop, then surest first, then by path and line.
    edges: Vec<EdgeJson>,
    /// How many edges there are; fewer are shown where `--limit` or `--max-tokens` cut them.
    total: usize,
    /// Uses left out because nothing tells whether they mean this definition; `--possible` lists them.
    possible: usize,
    /// Of callees: calls of things that the project does not define.
    outside: usize,
    /// Files that use the name, where it has too many definitions to follow: name one of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    crowd: Option<usize>,
    /// Whether the walk ended because the answer was full, so that there may be more further away.
    full: bool,
    /// Whether time ran out, so that there may be more.
    timed_out: bool,
    /// Names that look like one that is not defined.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    near: Vec<String>,
    /// How far the index can be trusted.
    index: IndexJson,
}

/// A definition.
#[derive(Debug, Serialize, JsonSchema)]
pub struct NodeJson {
    /// Relative to the project's root.
    path: String,
    /// First line.
    start_line: u32,
    /// Last line.
    end_line: u32,
    /// What it is.
    kind: &'static str,
    /// With what is around it.
    name: String,
}

/// A use of a definition.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EdgeJson {
    /// Where the use stands.
    path: String,
    /// On which line.
    line: u32,
    /// How it is used: `call`, `type`, `import`, `export` or `inherit`.
    #[schemars(with = "String")]
    kind: ReferenceKind,
    /// The definition around the use.
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<NodeJson>,
    /// What is used.
    to: NodeJson,
    /// `certain`, `likely` or `possible`.
    certainty: &'static str,
    /// Why.
    reason: String,
    /// Definitions that the use may mean, this one among them.
    candidates: usize,
    /// Steps from the name that was asked for.
    hop: usize,
    /// Whether the file is still what was indexed.
    fresh: bool,
}

/// What a file imports, or who imports it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ImportsJson {
    /// The file.
    path: String,
    /// In order; with `--reverse` those of others that mean the file.
    imports: Vec<ImportJson>,
    /// How far the index can be trusted.
    index: IndexJson,
}

/// One thing that is imported.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ImportJson {
    /// With `--reverse`: the file that has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    /// On which line.
    line: u32,
    /// `import`, or `export` where it is handed on.
    #[schemars(with = "String")]
    kind: ReferenceKind,
    /// What is brought in: a name, `*`, or a file.
    name: String,
    /// The module as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    module: Option<String>,
    /// What it goes by here.
    #[serde(skip_serializing_if = "Option::is_none")]
    alias: Option<String>,
    /// Files of the project that are meant; none if it is from outside.
    files: Vec<String>,
}

impl GraphJson {
    /// Puts an answer into its shape.
    pub fn new(name: &str, relation: &'static str, answer: &GraphAnswer, index: IndexJson) -> Self {
        Self {
            name: name.to_owned(),
            relation,
            definitions: answer.definitions.iter().map(NodeJson::from).collect(),
            defined: answer.defined,
            edges: answer.edges.iter().map(EdgeJson::from).collect(),
            total: answer.total,
            possible: answer.possible,
            outside: answer.outside,
            crowd: answer.crowd,
            full: answer.full,
            timed_out: answer.timed_out,
            near: answer.near.clone(),
            index,
        }
    }
}

impl ImportsJson {
    /// Puts the imports of a file into their shape.
    pub fn new(path: &str, imports: &[Import], index: IndexJson) -> Self {
        Self { path: path.to_owned(), imports: imports.iter().map(ImportJson::from).collect(), index }
    }

    /// Puts the imports that mean a file into their shape.
    pub fn reverse(path: &str, importers: &[Importer], index: IndexJson) -> Self {
        let json = |Importer { path: from, reference }: &Importer| {
            let import = Import { reference: reference.clone(), files: vec![path.to_owned()] };
            ImportJson { path: Some(from.clone()), ..ImportJson::from(&import) }
        };
        Self { path: path.to_owned(), imports: importers.iter().map(json).collect(), index }
    }
}

impl NodeJson {
    fn new(path: &str, symbol: &jari_base::Symbol) -> Self {
        Self {
            path: path.to_owned(),
            start_line: symbol.lines.start,
            end_line: symbol.lines.end,
            kind: symbol.kind.as_str(),
            name: symbol.qualified(),
        }
    }
}

impl From<&Node> for NodeJson {
    fn from(node: &Node) -> Self {
        Self::new(&node.path, &node.symbol)
    }
}

impl From<&Edge> for EdgeJson {
    fn from(edge: &Edge) -> Self {
        Self {
            path: edge.path.clone(),
            line: edge.line,
            kind: edge.kind,
            from: edge.from.as_ref().map(|symbol| NodeJson::new(&edge.path, symbol)),
            to: NodeJson::from(&edge.to),
            certainty: edge.certainty.as_str(),
            reason: edge.reason.clone(),
            candidates: edge.candidates,
            hop: edge.hop,
            fresh: edge.fresh,
        }
    }
}

impl From<&Import> for ImportJson {
    fn from(import: &Import) -> Self {
        let Import { reference, files } = import;
        Self {
            path: None,
            line: reference.line,
            kind: reference.kind,
            name: reference.name.clone(),
            module: reference.qualifier.clone(),
            alias: reference.alias.clone(),
            files: files.clone(),
        }
    }
}
