//! `jari implementations`

use std::path::PathBuf;

use clap::Args;
use jari_engine::graph::implementations;

use super::Global;
use super::graph::{Options, Question};
use crate::failure::Outcome;

/// List what extends or implements a type, or stands in for a method
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  jari implementations Store\n  jari implementations Store.put\n  jari implementations Shape --format dot"
)]
pub(crate) struct Implementations {
    /// A name, `Type.method`, or `path:line`
    name: String,

    /// The project, or a folder of it
    #[arg(default_value = ".")]
    folder: PathBuf,

    #[command(flatten)]
    options: Options,
}

impl Implementations {
    pub(crate) fn run(self, global: &Global) -> Outcome {
        let Self { name, folder, options } = self;
        Question { verb: "implementations", name, folder, hops: 1, options, ask: implementations }
            .answer(global)
    }
}
