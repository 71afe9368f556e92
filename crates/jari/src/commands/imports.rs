//! `jari imports`

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::Args;
use jari_base::ReferenceKind;
use jari_engine::graph::{Import, imports};
use jari_store::Snapshot;
use jari_wire::ImportsJson;

use super::Global;
use crate::failure::Outcome;
use crate::index::Index;
use crate::printer::{self, FAINT, NAME, PATH};
use crate::progress::Reporter;

/// List what a file imports, and which files of the project that is
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  jari imports src/main.rs\n  jari imports app/models.py --json")]
pub(crate) struct Imports {
    /// The file
    file: PathBuf,
}

impl Imports {
    pub(crate) fn run(self, global: &Global) -> Outcome {
        let Self { file } = self;
        if file.is_dir() {
            return Err(jari_engine::Error::IsAFolder(file.display().to_string()).into());
        }
        let (mut index, path) = Index::find_file(&file, global)?;
        let reporter = Reporter::new(global.quiet);
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

fn text(path: &str, imports: &[Import]) -> String {
    let mut out = String::new();
    for Import { reference, files } in imports {
        let place = format!("{}:{}", printer::safe(path), reference.line);
        let name = printer::safe(&reference.name);
        let alias = reference.alias.as_deref().map(|alias| format!(" as {}", printer::safe(alias)));
        let module = reference.qualifier.as_deref().map(|module| format!(" of {}", printer::safe(module)));
        let on = if reference.kind == ReferenceKind::Export { " · handed on" } else { "" };
        let files = match files.len() {
            0 => String::new(),
            _ => format!(" → {}", printer::safe(&files.join(", "))),
        };
        let _ = writeln!(
            out,
            "{PATH}{place}{PATH:#} · {NAME}{name}{NAME:#}{}{}{FAINT}{on}{files}{FAINT:#}",
            alias.unwrap_or_default(),
            module.unwrap_or_default()
        );
    }
    out
}
