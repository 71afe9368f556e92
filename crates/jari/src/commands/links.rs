//! `jari links`

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::Args;
use jari_engine::links::{Broken, Edge, Graph, Target};
use jari_store::Snapshot;
use jari_wire::{IndexJson, LinksJson};

use super::Global;
use crate::failure::{Failure, Outcome};
use crate::index::Index;
use crate::printer::{self, FAINT, PATH};
use crate::progress::Reporter;

/// Show the links between documents
///
/// Of one document where its links lead; of the project how many leave and reach each. `--broken` finds links that lead
/// nowhere, `--orphans` documents that no other links to, `--back` who links to a file or to `FILE#anchor`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  jari links\n  jari links docs/guide.md\n  jari links --broken\n  jari links docs/guide.md#install --back"
)]
pub(crate) struct Links {
    /// A document, or a folder of the project
    #[arg(default_value = ".")]
    file: PathBuf,

    /// Only links that lead nowhere
    #[arg(long, conflicts_with_all = ["orphans", "back"])]
    broken: bool,

    /// Documents that no other links to
    #[arg(long, conflicts_with = "back")]
    orphans: bool,

    /// Links of other documents to this file
    #[arg(long)]
    back: bool,
}

impl Links {
    pub(crate) fn run(self, global: &Global) -> Outcome {
        let Self { file, broken, orphans, back } = self;
        let (file, fragment) = anchored(file);
        let (mut index, path) = Index::find_file(&file, global)?;
        let of_project = file.is_dir();
        if back && of_project {
            return Err(Failure::argument(
                "--back needs a file",
                "name one: jari links docs/guide.md --back",
            ));
        }
        let reporter = Reporter::new(global.quiet);
        let project = index.project.clone();
        let graph = |snapshot: &dyn Snapshot| {
            let graph = Graph::new(&project, snapshot)?;
            // A document that does not exist is said to be missing, whatever is asked of it.
            if !of_project && !back {
                graph.outbound(&path)?;
            }
            Ok(graph)
        };
        let (ready, graph) = index.sync_rows(&reporter, graph)?;
        if !global.quiet {
            printer::talk_notes(&index.notes);
        }
        reporter.finish(&ready.update);
        let shown = Index::describe(&ready);
        let below = |from: &str| path.is_empty() || from == path || from.starts_with(&format!("{path}/"));
        if orphans {
            let found: Vec<&str> = graph.orphans().into_iter().filter(|path| below(path)).collect();
            return list_orphans(&found, shown, global);
        }
        if of_project && !broken {
            return overview(&graph, below, shown, global);
        }
        let (view, edges) = if back {
            ("back", graph.back(&path, fragment.as_deref()))
        } else if broken {
            ("broken", graph.broken(None).into_iter().filter(|edge| below(&edge.from)).collect())
        } else {
            ("outbound", graph.outbound(&path)?)
        };
        list(view, &edges, shown, global)
    }
}

/// `FILE#anchor` taken apart.
fn anchored(file: PathBuf) -> (PathBuf, Option<String>) {
    let written = file.to_string_lossy().into_owned();
    match written.split_once('#') {
        Some((path, anchor)) if !file.exists() => (PathBuf::from(path), Some(anchor.to_owned())),
        _ => (file, None),
    }
}

fn list(view: &'static str, edges: &[&Edge], index: IndexJson, global: &Global) -> Outcome {
    if global.json {
        printer::json(&LinksJson::links(view, edges, index))?;
        return Ok(!edges.is_empty());
    }
    let mut out = String::new();
    for edge in edges {
        let place = format!("{}:{}", printer::safe(&edge.from), edge.link.line);
        let leads = match &edge.target {
            Target::External => String::new(),
            Target::Inside { path, fragment, broken } => {
                let fragment = fragment.as_deref().map(|fragment| format!("#{fragment}")).unwrap_or_default();
                let path = if path.is_empty() { "./" } else { path };
                let path = printer::safe(&format!("{path}{fragment}"));
                match broken {
                    None => format!(" → {path}"),
                    Some(Broken::File) => format!(" → {path}  no such file"),
                    Some(Broken::Fragment) => format!(" → {path}  no such heading"),
                }
            }
        };
        let what = if edge.link.image { " image" } else { "" };
        let target = printer::safe(&edge.link.target);
        let _ = writeln!(out, "{PATH}{place}{PATH:#}{what}  {target}{FAINT}{leads}{FAINT:#}");
    }
    printer::data(&out)?;
    if !global.quiet {
        let broken = edges.iter().filter(|edge| edge.broken().is_some()).count();
        let broken = if broken > 0 { format!(" · {broken} broken") } else { String::new() };
        printer::talk(&format!("{FAINT}{}{broken}{FAINT:#}", printer::plural(edges.len() as u64, "link")));
    }
    Ok(!edges.is_empty())
}

fn list_orphans(paths: &[&str], index: IndexJson, global: &Global) -> Outcome {
    if global.json {
        printer::json(&LinksJson::orphans(paths, index))?;
    } else {
        printer::data(
            &paths.iter().map(|path| format!("{PATH}{}{PATH:#}\n", printer::safe(path))).collect::<String>(),
        )?;
        if !global.quiet {
            let documents = printer::plural(paths.len() as u64, "document");
            printer::talk(&format!("{FAINT}{documents} that no other links to{FAINT:#}"));
        }
    }
    Ok(!paths.is_empty())
}

fn overview(graph: &Graph, below: impl Fn(&str) -> bool, index: IndexJson, global: &Global) -> Outcome {
    let rows: Vec<_> = graph.overview().into_iter().filter(|row| below(&row.path)).collect();
    let found = !rows.is_empty();
    if global.json {
        printer::json(&LinksJson::overview(rows, index))?;
        return Ok(found);
    }
    let mut out = String::new();
    for row in &rows {
        let broken = if row.broken > 0 { format!(" · {} broken", row.broken) } else { String::new() };
        let path = printer::safe(&row.path);
        let _ = writeln!(
            out,
            "{PATH}{path}{PATH:#}  {FAINT}{} out · {} back{broken}{FAINT:#}",
            row.outbound, row.backlinks
        );
    }
    printer::data(&out)?;
    if !global.quiet {
        let broken: usize = rows.iter().map(|row| row.broken).sum();
        let hint = if broken > 0 { " (jari links --broken)" } else { "" };
        let documents = printer::plural(rows.len() as u64, "document");
        printer::talk(&format!("{FAINT}{documents} · {broken} broken{hint}{FAINT:#}"));
    }
    Ok(found)
}
