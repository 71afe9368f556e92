//! `jari vectors`

use std::path::PathBuf;

use clap::{Args, Subcommand};
use jari_base::Backend;

use super::{Global, update};
use crate::failure::Outcome;
use crate::index::Index;
use crate::progress::Reporter;

/// Make the vectors of a project anew
#[derive(Debug, Args)]
pub(crate) struct Vectors {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    Build(Build),
}

/// Make all vectors anew, and the graph over them where one is wanted
///
/// Vectors are made while files are indexed, so this is needed only where `vectors.rebuild` is `manual`, or to try a graph.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  jari vectors build\n  jari vectors build --backend hnsw")]
struct Build {
    /// The project
    #[arg(default_value = ".")]
    folder: PathBuf,

    /// How they will be searched: exact or hnsw, which needs a graph
    #[arg(long, value_name = "BACKEND", value_parser = backend)]
    backend: Option<Backend>,
}

fn backend(word: &str) -> Result<Backend, String> {
    word.parse()
}

impl Vectors {
    pub(crate) fn run(self, global: &Global) -> Outcome {
        let What::Build(Build { folder, backend }) = self.what;
        let mut index = Index::find(&folder, global)?;
        let reporter = Reporter::new(global.quiet);
        let ready = index.build_vectors(backend, &reporter)?;
        update::report(&index, ready, &reporter, global)
    }
}
