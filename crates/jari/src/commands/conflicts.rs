//! `jari conflicts`

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::Args;
use jari_engine::conflicts::{Conflict, conflicts};
use jari_store::Snapshot;
use jari_wire::ConflictsJson;

use super::Global;
use crate::failure::Outcome;
use crate::index::Index;
use crate::printer::{self, FAINT, NAME, PATH};
use crate::progress::Reporter;

/// Find settings that documents state different defaults for, or other ones than the code
///
/// Compared are defaults in tables, in sentences that say what something defaults to, and below headings that are a setting's name; of
/// settings written LIKE_THIS or --like-this, with each other and with what the code gives them. Places are shown side by side: the most
/// binding first (code, decisions, READMEs, reference, other pages), then the newest. Exit codes: 0 none, 1 some, 2 error.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  jari conflicts\n  jari conflicts docs\n  jari conflicts --name POOL_SIZE --json"
)]
pub(crate) struct Conflicts {
    /// The project, or a folder of it
    #[arg(default_value = ".")]
    folder: PathBuf,

    /// Only this setting
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
}

impl Conflicts {
    pub(crate) fn run(self, global: &Global) -> Outcome {
        let Self { folder, name } = self;
        let mut index = Index::find(&folder, global)?;
        let within = index.narrowed(jari_base::Filter::default());
        let reporter = Reporter::new(global.quiet);
        let project = index.project.clone();
        let ask = |snapshot: &dyn Snapshot| conflicts(&project, snapshot, name.as_deref(), &within);
        let (ready, report) = index.sync_rows_first(&reporter, ask)?;
        if !global.quiet {
            printer::talk_notes(&index.notes);
        }
        reporter.finish(&ready.update);
        let (found, settings) = (report.conflicts.len(), report.settings);
        if global.json {
            printer::json(&ConflictsJson::new(report, Index::describe(&ready)))?;
            return Ok(found == 0);
        }
        printer::data(&text(&report.conflicts))?;
        if !global.quiet {
            let (found, of) =
                (printer::plural(found as u64, "conflict"), printer::plural(settings as u64, "setting"));
            printer::talk(&format!("{FAINT}{found} in {of} with a stated default{FAINT:#}"));
        }
        Ok(found == 0)
    }
}

fn text(conflicts: &[Conflict]) -> String {
    let mut out = String::new();
    for Conflict { name, statements } in conflicts {
        let _ = writeln!(out, "{NAME}{}{NAME:#}", printer::safe(name));
        for statement in statements {
            let place = format!("{}:{}", printer::safe(&statement.path), statement.line);
            let date = statement.date.as_deref().unwrap_or("no date");
            let titles = match statement.heading_path.is_empty() {
                true => String::new(),
                false => format!(" · {}", printer::heading_path(None, &statement.heading_path)),
            };
            let _ = writeln!(
                out,
                "  {PATH}{place}{PATH:#} · {}  {FAINT}{} · {date}{titles}{FAINT:#}",
                printer::safe(&statement.value),
                statement.standing.as_str()
            );
        }
    }
    out
}
