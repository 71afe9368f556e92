//! `jari update`

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::Args;
use jari_engine::ingest;
use jari_wire::UpdateJson;

use super::Global;
use crate::failure::Outcome;
use crate::index::{Index, Ready};
use crate::printer;
use crate::progress::Reporter;

/// Bring the index up to the working tree and say what changed
///
/// Only files whose size or time changed are opened, and only those whose contents changed are read again.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  jari update\n  jari update ~/src/project --json")]
pub(crate) struct Update {
    /// The project
    #[arg(default_value = ".")]
    folder: PathBuf,
}

impl Update {
    pub(crate) fn run(self, global: &Global) -> Outcome {
        let Self { folder } = self;
        let mut index = Index::find(&folder, global)?;
        let reporter = Reporter::new(global.quiet);
        let ready = index.update(&reporter)?;
        report(&index, ready, &reporter, global)
    }
}

/// Says what `index` or `update` did.
pub(super) fn report(index: &Index, ready: Ready, reporter: &Reporter, global: &Global) -> Outcome {
    if !global.quiet {
        printer::talk_notes(&index.notes);
    }
    reporter.finish(&ready.update);
    if global.json {
        printer::json(&UpdateJson::new(ready.update, reporter.elapsed(), index.notes.clone()))?;
    } else {
        printer::data(&text(&ready.update))?;
    }
    Ok(true)
}

/// What an update did, on one line.
pub(super) fn text(update: &ingest::Update) -> String {
    let ingest::Update { added, updated, renamed, removed, unchanged, skipped, .. } = update;
    let skipped_in_all: usize = skipped.values().sum();
    let mut out = format!(
        "{added} added · {updated} updated · {renamed} renamed · {removed} removed · {unchanged} unchanged"
    );
    let _ = write!(out, " · {skipped_in_all} skipped");
    if skipped_in_all > 0 {
        let reasons: Vec<String> =
            skipped.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
        let _ = write!(out, " ({})", reasons.join(", "));
    }
    out.push('\n');
    out
}
