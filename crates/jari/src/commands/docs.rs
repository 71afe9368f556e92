//! `jari docs`

use std::path::PathBuf;

use clap::Args;

use super::search::Asking;
use super::{Global, Narrow, Only};
use crate::failure::Outcome;

/// Find the sections of documents that answer a question
///
/// Like `jari search --only docs`: Markdown, MDX, reStructuredText, AsciiDoc and plain text, section by section.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  jari docs \"how do I install it\"\n  jari docs \"설치 방법\" docs -k 3\n  jari docs \"retry policy\" --json --max-tokens 2000"
)]
pub(crate) struct Docs {
    /// What to look for
    query: String,

    /// The project, or a folder of it
    #[arg(default_value = ".")]
    folder: PathBuf,

    #[command(flatten)]
    narrow: Narrow,

    #[command(flatten)]
    asking: Asking,
}

impl Docs {
    pub(crate) fn run(self, global: &Global) -> Outcome {
        let Self { query, folder, narrow, asking } = self;
        asking.answer(query, &folder, narrow.filter(Some(Only::Docs))?, global)
    }
}
