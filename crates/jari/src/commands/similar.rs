//! `jari similar`

use std::io::Read as _;
use std::path::PathBuf;

use clap::Args;
use jari_base::Mode;
use jari_engine::search::SearchRequest;
use jari_engine::similar::{Like, similar};
use jari_store::Snapshot;

use super::search::{self, Answered};
use super::{Global, Narrow};
use crate::failure::{Failure, Outcome};
use crate::index::Index;
use crate::progress::Reporter;

/// Find places that mean the same as one, or as a snippet
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  jari similar src/http/retry.rs:41\n  jari similar --snippet 'for attempt in range(3):'\n  git diff | jari similar --snippet -"
)]
pub(crate) struct Similar {
    /// A file and one of its lines: FILE:LINE
    #[arg(value_name = "FILE:LINE", required_unless_present = "snippet")]
    place: Option<String>,

    /// Like this text instead; `-` reads it from stdin
    #[arg(long, value_name = "TEXT", conflicts_with = "place")]
    snippet: Option<String>,

    /// How many places at most
    #[arg(long, short = 'k', value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=1000))]
    limit: u16,

    #[command(flatten)]
    narrow: Narrow,
}

impl Similar {
    pub(crate) fn run(self, global: &Global) -> Outcome {
        let Self { place, snippet, limit, narrow } = self;
        let filter = narrow.filter(None)?;
        let limit = usize::from(limit);
        let (mut index, at, text) = match (place, snippet) {
            (Some(place), _) => {
                let (file, line) = parsed(&place)?;
                let (index, path) = Index::find_file(&file, global)?;
                (index, Some((path, line)), place)
            }
            (None, snippet) => {
                let text = read(snippet.unwrap_or_default())?;
                (Index::find(&PathBuf::from("."), global)?, None, text)
            }
        };
        let project = index.project.clone();
        let filter = if at.is_some() { filter } else { index.narrowed(filter) };
        let reporter = Reporter::new(global.quiet);
        let (ready, response) = index.sync(&reporter, |snapshot: &dyn Snapshot| {
            let like = match &at {
                Some((path, line)) => Like::at(snapshot, path, *line)?,
                None => Like { text: text.clone(), place: None },
            };
            similar(&project, snapshot, &like, filter.clone(), limit)
        })?;
        let request = SearchRequest { mode: Mode::Semantic, limit, filter, ..SearchRequest::new(text) };
        search::show(Answered { request, response, ready }, &index, &reporter, global)
    }
}

/// `src/a.rs:41` as a file and a line.
fn parsed(place: &str) -> Result<(PathBuf, u32), Failure> {
    let parts = place.rsplit_once(':').and_then(|(file, line)| {
        // A range stands for its first line.
        let line = line.split('-').next().unwrap_or(line).parse().ok().filter(|line| *line > 0)?;
        Some((PathBuf::from(file), line))
    });
    parts.ok_or_else(|| {
        Failure::argument(format!("`{place}` names no line"), "write FILE:LINE, for example src/main.rs:12")
    })
}

fn read(snippet: String) -> Result<String, Failure> {
    if snippet != "-" {
        return Ok(snippet);
    }
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).map_err(|error| {
        Failure::argument(format!("stdin cannot be read: {error}"), "it must be UTF-8 text")
    })?;
    Ok(text)
}
