//! `get_file_structure`: what is where.

use jari_engine::tree::{Node, tree};
use jari_wire::PlaceJson;
use schemars::JsonSchema;
use serde::Deserialize;

use super::Tool;
use crate::answer::{self, Answer, Item};
use crate::arguments::Shape;
use crate::call::{Call, Refusal};

/// Folders and files below a path, or the definitions of one file.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct GetFileStructure {
    /// Default: the project
    path: Option<String>,
    /// Levels of folders, default 3
    #[schemars(range(min = 1, max = 20))]
    depth: Option<usize>,
    #[serde(flatten)]
    shape: Shape,
}

impl Tool for GetFileStructure {
    const NAME: &'static str = "get_file_structure";
    const TITLE: &'static str = "Show structure";

    fn shape(&self) -> Shape {
        self.shape.clone()
    }

    fn run(self, call: &Call<'_>) -> Result<Answer, Refusal> {
        let Self { path, depth, shape } = self;
        let path = call.path(path.as_deref().unwrap_or_default());
        let source = call.paths()?;
        let mut items = Vec::new();
        match tree(&*source.snapshot, &path, depth.unwrap_or(3))? {
            Node::File { name, language, symbols } => {
                let symbol = |symbol: &jari_base::Symbol| Item {
                    place: PlaceJson {
                        language: Some(language.to_string()),
                        ..PlaceJson::symbol(&name, symbol)
                    },
                    whole: None,
                    short: Some(symbol.signature.clone()),
                };
                items.extend(symbols.iter().map(symbol));
            }
            Node::Folder { nodes, .. } => nodes.iter().for_each(|node| flat(node, &path, &mut items)),
        }
        let answer = Answer::after(answer::offset(&shape)?, items);
        Ok(Answer { notes: source.notes, degraded: source.degraded, ..answer })
    }
}

/// A node and what is below it, one item each.
fn flat(node: &Node, above: &str, items: &mut Vec<Item>) {
    let below = |name: &str| if above.is_empty() { name.to_owned() } else { format!("{above}/{name}") };
    match node {
        Node::Folder { name, files, nodes } => {
            let path = below(name);
            let count = if *files == 1 { "1 file".to_owned() } else { format!("{files} files") };
            let place = PlaceJson {
                path: format!("{path}/"),
                kind: "folder".to_owned(),
                name: Some(count),
                fresh: true,
                ..PlaceJson::default()
            };
            items.push(place.into());
            nodes.iter().for_each(|node| flat(node, &path, items));
        }
        Node::File { name, language, .. } => {
            let place = PlaceJson {
                path: below(name),
                kind: "file".to_owned(),
                language: Some(language.to_string()),
                fresh: true,
                ..PlaceJson::default()
            };
            items.push(place.into());
        }
    }
}
