//! `jari tree`

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use jari_engine::tree::{Node, tree};
use jari_wire::TreeJson;

use super::Global;
use crate::failure::{Failure, Outcome};
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
        let (folder, file) = folder_and_file(&path)?;
        let mut index = Index::find(&folder, global)?;
        let parts = [index.within.as_str(), &file];
        let within = parts.iter().filter(|part| !part.is_empty()).copied().collect::<Vec<_>>().join("/");
        let reporter = Reporter::new(global.quiet);
        let (ready, node) = index.sync(&reporter, |snapshot| tree(snapshot, &within, depth))?;
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

/// A path that exists is taken from where it stands; one that does not is looked for in the index, which knows near names.
fn folder_and_file(path: &Path) -> Result<(PathBuf, String), Failure> {
    if path.is_dir() {
        return Ok((path.to_owned(), String::new()));
    }
    if path.is_absolute() && !path.exists() {
        return Err(jari_source::Error::NotFound(path.to_owned()).into());
    }
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if parent.is_dir() {
        Ok((parent.to_owned(), name))
    } else {
        let written = path.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/");
        Ok((PathBuf::from("."), written.trim_start_matches("./").to_owned()))
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
