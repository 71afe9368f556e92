//! `jari tree`

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::Args;
use jari_engine::tree::{Node, tree};
use jari_wire::TreeJson;

use super::Global;
use crate::failure::Outcome;
use crate::index::Index;
use crate::printer::{self, FAINT, PATH};
use crate::progress::Reporter;

/// Show what is where: folders and files, or the definitions of one file
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  jari tree\n  jari tree src --depth 2\n  jari tree src/main.rs")]
pub(crate) struct Tree {
    /// A folder or a file of the project
    #[arg(default_value = ".")]
    path: PathBuf,

    /// How many levels of folders
    #[arg(long, short, value_name = "N", default_value_t = 3)]
    depth: usize,
}

impl Tree {
    pub(crate) fn run(self, global: &Global) -> Outcome {
        let Self { path, depth } = self;
        let (mut index, within) = Index::find_file(&path, global)?;
        let reporter = Reporter::new(global.quiet);
        let (ready, node) = index.sync_rows(&reporter, |snapshot| tree(snapshot, &within, depth))?;
        if !global.quiet {
            printer::talk_notes(&index.notes);
        }
        reporter.finish(&ready.update);
        let found = !matches!(&node, Node::Folder { files: 0, .. });
        if global.json {
            printer::json(&TreeJson::from(node))?;
        } else {
            let mut out = String::new();
            text(&mut out, &node, 0);
            printer::data(&out)?;
        }
        Ok(found)
    }
}

fn text(out: &mut String, node: &Node, depth: usize) {
    let indent = depth * 2;
    match node {
        Node::Folder { name, files, nodes } => {
            let files = printer::plural(*files as u64, "file");
            let _ = writeln!(
                out,
                "{:indent$}{PATH}{}/{PATH:#}  {FAINT}{files}{FAINT:#}",
                "",
                printer::safe(name)
            );
            nodes.iter().for_each(|node| text(out, node, depth + 1));
        }
        Node::File { name, language, symbols } => {
            let _ = writeln!(out, "{:indent$}{}  {FAINT}{language}{FAINT:#}", "", printer::safe(name));
            for symbol in symbols {
                let inside = symbol.container.as_deref().map_or(0, |container| container.split('.').count());
                let line = symbol.lines.start;
                let signature = printer::safe(&symbol.signature);
                let _ = writeln!(
                    out,
                    "{FAINT}{line:>6}{FAINT:#}  {:indent$}{signature}",
                    "",
                    indent = inside * 2
                );
            }
        }
    }
}
