//! `jari refs`

use std::path::PathBuf;

use clap::Args;
use jari_engine::graph::references;

use super::Global;
use super::graph::{Options, Question};
use crate::failure::Outcome;

/// List where a name is used: calls, types, imports, inheritance
///
/// Uses are resolved by imports, receivers, types around them and files; a use that may mean several definitions is marked with how many.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  jari refs ConnectionPool\n  jari refs Pool.take --json\n  jari refs src/pool.rs:12\n  jari refs take --possible"
)]
pub(crate) struct Refs {
    /// A name, `Type.method`, or `path:line`
    name: String,

    /// The project, or a folder of it
    #[arg(default_value = ".")]
    folder: PathBuf,

    #[command(flatten)]
    options: Options,
}

impl Refs {
    pub(crate) fn run(self, global: &Global) -> Outcome {
        let Self { name, folder, options } = self;
        Question { verb: "refs", name, folder, hops: 1, options, ask: references }.answer(global)
    }
}
