//! `jari imports`

use std::path::PathBuf;

use clap::Args;
use jari_base::{Reference, ReferenceKind};
use jari_engine::graph::{Import, Importer, importers, imports};
use jari_store::Snapshot;
use jari_wire::ImportsJson;

use super::Global;
use crate::failure::Outcome;
use crate::index::Index;
use crate::printer::{self, FAINT, NAME, PATH};
use crate::progress::Reporter;

/// List what a file imports, and which files of the project that is; with --reverse, who imports it
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  jari imports src/main.rs\n  jari imports src/pool.rs --reverse\n  jari imports app/models.py --json"
)]
pub(crate) struct Imports {
    /// The file
    file: PathBuf,

    /// List who imports the file instead
    #[arg(long)]
    reverse: bool,
}

impl Imports {
    pub(crate) fn run(self, global: &Global) -> Outcome {
        let Self { file, reverse } = self;
        if file.is_dir() {
            return Err(jari_engine::Error::IsAFolder(file.display().to_string()).into());
        }
        let (mut index, path) = Index::find_file(&file, global)?;
        let reporter = Reporter::new(global.quiet);
        if reverse {
            return who_imports(&mut index, &path, &reporter, global);
        }
        let ask = |snapshot: &dyn Snapshot| imports(snapshot, &path);
        let (ready, found) = index.sync_rows(&reporter, ask)?;
        if !global.quiet {
            printer::talk_notes(&index.notes);
        }
        reporter.finish(&ready.update);
        if global.json {
            printer::json(&ImportsJson::new(&path, &found, Index::describe(&ready)))?;
        } else {
            printer::data(&text(&path, &found))?;
            if !global.quiet {
                let inside = found.iter().filter(|import| !import.files.is_empty()).count();
                let count = printer::plural(found.len() as u64, "import");
                printer::talk(&format!("{FAINT}{count} · {inside} of the project{FAINT:#}"));
            }
        }
        Ok(!found.is_empty())
    }
}

fn who_imports(index: &mut Index, path: &str, reporter: &Reporter, global: &Global) -> Outcome {
    let (ready, found) = index.sync_rows(reporter, |snapshot: &dyn Snapshot| importers(snapshot, path))?;
    if !global.quiet {
        printer::talk_notes(&index.notes);
    }
    reporter.finish(&ready.update);
    if global.json {
        printer::json(&ImportsJson::reverse(path, &found, Index::describe(&ready)))?;
        return Ok(!found.is_empty());
    }
    let to = [path.to_owned()];
    let lines = found.iter().map(|Importer { path, reference }| line(path, reference, &to));
    printer::data(&lines.collect::<String>())?;
    if !global.quiet {
        let (count, path) = (printer::plural(found.len() as u64, "import"), printer::safe(path));
        printer::talk(&format!("{FAINT}{count} of {path}{FAINT:#}"));
    }
    Ok(!found.is_empty())
}

fn text(path: &str, imports: &[Import]) -> String {
    imports.iter().map(|Import { reference, files }| line(path, reference, files)).collect()
}

/// `src/a.py:1 · Pool of .pool → src/pool.py`
fn line(path: &str, reference: &Reference, files: &[String]) -> String {
    let place = format!("{}:{}", printer::safe(path), reference.line);
    let name = printer::safe(&reference.name);
    let alias = reference.alias.as_deref().map(|alias| format!(" as {}", printer::safe(alias)));
    let module = reference.qualifier.as_deref().map(|module| format!(" of {}", printer::safe(module)));
    let on = if reference.kind == ReferenceKind::Export { " · handed on" } else { "" };
    let files = match files.len() {
        0 => String::new(),
        _ => format!(" → {}", printer::safe(&files.join(", "))),
    };
    format!(
        "{PATH}{place}{PATH:#} · {NAME}{name}{NAME:#}{}{}{FAINT}{on}{files}{FAINT:#}\n",
        alias.unwrap_or_default(),
        module.unwrap_or_default()
    )
}
