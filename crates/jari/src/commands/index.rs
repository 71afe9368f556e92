//! `jari index`

use std::path::PathBuf;

use clap::Args;

use super::{Global, update};
use crate::failure::Outcome;
use crate::progress::Reporter;

/// Index a project, or bring its index up to date
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  jari index\n  jari index ~/src/project --rebuild\n  jari index --index-dir /tmp/index ."
)]
pub(crate) struct Index {
    /// The project
    #[arg(default_value = ".")]
    folder: PathBuf,

    /// Throw the index away and make it anew
    #[arg(long)]
    rebuild: bool,
}

impl Index {
    pub(crate) fn run(self, global: &Global) -> Outcome {
        let Self { folder, rebuild } = self;
        let mut index = crate::index::Index::find(&folder, global)?;
        let reporter = Reporter::new(global.quiet);
        let ready = if rebuild { index.rebuild(&reporter)? } else { index.update(&reporter)? };
        update::report(&index, ready, &reporter, global)
    }
}
