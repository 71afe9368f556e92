//! `jari callees`

use std::path::PathBuf;

use clap::Args;
use jari_engine::graph::callees;

use super::Global;
use super::graph::{Options, Question};
use crate::failure::Outcome;

/// List what a function calls; with --hops, what that calls
///
/// Calls of things that the project does not define are counted, not listed.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  jari callees main\n  jari callees Pool.take --hops 2\n  jari callees src/pool.rs:12 --format dot | dot -Tsvg > calls.svg"
)]
pub(crate) struct Callees {
    /// A name, `Type.method`, or `path:line`
    name: String,

    /// The project, or a folder of it
    #[arg(default_value = ".")]
    folder: PathBuf,

    /// How many steps to follow, 1 to 10
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=10))]
    hops: u8,

    #[command(flatten)]
    options: Options,
}

impl Callees {
    pub(crate) fn run(self, global: &Global) -> Outcome {
        let Self { name, folder, hops, options } = self;
        Question { verb: "callees", name, folder, hops: hops.into(), options, ask: callees }.answer(global)
    }
}
