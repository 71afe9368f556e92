//! `jari watch`

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use jari_engine::living::{Living, Stage};
use jari_wire::UpdateJson;

use super::{Global, update};
use crate::failure::{Failure, Outcome};
use crate::index::Index;
use crate::printer;

/// Keep the index up to date while files change
///
/// Changes that belong together are one update. `jari mcp` does the same by itself. Ends with Ctrl-C.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  jari watch\n  jari watch ~/src/project --json")]
pub(crate) struct Watch {
    /// The project
    #[arg(default_value = ".")]
    folder: PathBuf,
}

impl Watch {
    pub(crate) fn run(self, global: &Global) -> Outcome {
        let Self { folder } = self;
        let index = Index::find(&folder, global)?;
        index.check_folder()?;
        if !global.quiet {
            printer::talk_notes(&index.notes);
        }
        let living = Living::start(index.project.clone(), index.home());
        let mut said: Vec<String> = Vec::new();
        let mut shown = None;
        loop {
            living.wait(Duration::from_secs(1));
            let condition = living.condition();
            for note in condition.notes.iter().filter(|_| !global.quiet) {
                if !said.contains(note) {
                    printer::talk_notes(std::slice::from_ref(note));
                    said.push(note.clone());
                }
            }
            if condition.stage == Stage::Followed && !said.iter().any(|note| note == FOLLOWS) {
                said.push(FOLLOWS.to_owned());
                if !global.quiet {
                    printer::talk(FOLLOWS);
                }
            }
            let Some((number, update, took)) = living.last_update().filter(|last| shown != Some(last.0))
            else {
                continue;
            };
            shown = Some(number);
            let printed = match global.json {
                true => printer::json(&UpdateJson::new(update, took, Vec::new())),
                false => printer::data(&update::text(&update)),
            };
            match printed {
                Err(Failure::Output(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => {
                    return Ok(true);
                }
                other => other?,
            }
        }
    }
}

const FOLLOWS: &str = "another process keeps this index; waiting to take over";
