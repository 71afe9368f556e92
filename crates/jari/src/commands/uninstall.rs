//! `jari uninstall`

use clap::Args;

use super::Global;
use super::install::Which;
use crate::agents;
use crate::failure::Outcome;

/// Undo `jari install`
///
/// A file that nobody else changed since is given back byte for byte; from others our entry alone is taken out.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  jari uninstall\n  jari uninstall --agent claude --scope project --dry-run"
)]
pub(crate) struct Uninstall {
    #[command(flatten)]
    which: Which,
}

impl Uninstall {
    pub(crate) fn run(self, global: &Global) -> Outcome {
        self.which.change("uninstall", global, &|_, _, place, text| match agents::find(text, place)? {
            Some(_) => agents::without(text, place),
            None => Ok(text.to_owned()),
        })
    }
}
