//! `jari clean`

use std::path::PathBuf;

use clap::Args;
use jari_wire::CleanJson;

use super::Global;
use crate::failure::Outcome;
use crate::index::Index;
use crate::printer;

/// Delete the index of a project
///
/// Everything in it is derived from the files and can be made again. Exit code 1 if there was none.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  jari clean\n  jari clean ~/src/project")]
pub(crate) struct Clean {
    /// The project
    #[arg(default_value = ".")]
    folder: PathBuf,
}

impl Clean {
    pub(crate) fn run(self, global: &Global) -> Outcome {
        let Self { folder } = self;
        let index = Index::find(&folder, global)?;
        let removed = index.clean()?;
        let index_dir = index.folder.display().to_string();
        if global.json {
            printer::json(&CleanJson { index_dir, removed })?;
        } else if removed {
            printer::data(&format!("deleted {}\n", printer::safe(&index_dir)))?;
        } else {
            printer::talk(&format!("there is no index at {}", printer::safe(&index_dir)));
        }
        Ok(removed)
    }
}
