//! `jari docs`

use std::path::PathBuf;

use clap::Args;
use jari_base::Mode;
use jari_engine::search::SearchRequest;

use super::search::Question;
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

    /// How to look: by words, by meaning, or by both
    #[arg(long, value_name = "MODE", default_value = "hybrid", value_parser = super::mode)]
    mode: Mode,

    /// How many sections at most
    #[arg(long, short = 'k', value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=1000))]
    limit: u16,

    #[command(flatten)]
    narrow: Narrow,

    /// Show how each score came to be
    #[arg(long)]
    explain: bool,

    /// Show whole texts, fitted into this many tokens
    #[arg(long, value_name = "N")]
    max_tokens: Option<usize>,

    /// Answer from the index as it is, without looking for changes
    #[arg(long)]
    no_update: bool,
}

impl Docs {
    pub(crate) fn run(self, global: &Global) -> Outcome {
        let Self { query, folder, mode, limit, narrow, explain, max_tokens, no_update } = self;
        let filter = narrow.filter(Some(Only::Docs))?;
        let limit = limit.into();
        let request = SearchRequest { mode, limit, filter, explain, max_tokens, ..SearchRequest::new(query) };
        Question { request, folder, no_update }.answer(global)
    }
}
