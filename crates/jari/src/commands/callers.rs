//! `jari callers`

use std::path::PathBuf;

use clap::Args;
use jari_engine::graph::callers;

use super::Global;
use super::graph::{Options, Question};
use crate::failure::Outcome;

/// List what calls a function; with --hops, what calls that
///
/// Calls are resolved by imports, receivers, types around them and files. Calls of which nothing tells what they mean are counted, and listed with --possible.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  jari callers retry_with_backoff\n  jari callers Pool.take --hops 3\n  jari callers src/pool.rs:12 --format mermaid"
)]
pub(crate) struct Callers {
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

impl Callers {
    pub(crate) fn run(self, global: &Global) -> Outcome {
        let Self { name, folder, hops, options } = self;
        Question { verb: "callers", name, folder, hops: hops.into(), options, ask: callers }.answer(global)
    }
}
