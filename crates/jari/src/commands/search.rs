//! `jari search`

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::Args;
use jari_base::{ChunkKind, Degraded, Filter, Mode};
use jari_engine::search::{Hit, SearchRequest, SearchResponse};
use jari_store::Snapshot;
use jari_wire::SearchJson;

use super::{Global, Narrow, Only};
use crate::failure::Outcome;
use crate::index::{Index, Ready};
use crate::printer::{self, FAINT, NAME, PATH};
use crate::progress::Reporter;

/// Find the places that answer a question
///
/// Indexes the project on first use; afterwards only what changed is read. Words, names and questions all work, in
/// English and in Korean.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  jari search \"retry with backoff\"\n  jari search ConnectionPool src --lang rust\n  jari search \"where is the config parsed\" --path 'src/**' -k 5\n  jari search \"결제 handler\" --json --max-tokens 2000"
)]
pub(crate) struct Search {
    /// What to look for
    query: String,

    /// The project, or a folder of it
    #[arg(default_value = ".")]
    folder: PathBuf,

    /// How to look: by words, by meaning, or by both
    #[arg(long, value_name = "MODE", default_value = "hybrid", value_parser = super::mode)]
    mode: Mode,

    /// How many places at most
    #[arg(long, short = 'k', value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=1000))]
    limit: u16,

    #[command(flatten)]
    narrow: Narrow,

    /// Only chunks of this kind: function, method, class, module, block, section (repeat for several)
    #[arg(long, value_name = "KIND", value_parser = kind)]
    kind: Vec<ChunkKind>,

    /// Only code, or only documents
    #[arg(long, value_name = "WHAT")]
    only: Option<Only>,

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

fn kind(word: &str) -> Result<ChunkKind, String> {
    word.parse()
}

impl Search {
    pub(crate) fn run(self, global: &Global) -> Outcome {
        let Self { query, folder, mode, limit, narrow, kind, only, explain, max_tokens, no_update } = self;
        let filter = Filter { kinds: kind, ..narrow.filter(only)? };
        let request = SearchRequest {
            mode,
            limit: limit.into(),
            filter,
            explain,
            max_tokens,
            ..SearchRequest::new(query)
        };
        Question { request, folder, no_update }.answer(global)
    }
}

/// A question about a folder, whichever verb asked it.
pub(super) struct Question {
    pub(super) request: SearchRequest,
    pub(super) folder: PathBuf,
    pub(super) no_update: bool,
}

impl Question {
    pub(super) fn answer(self, global: &Global) -> Outcome {
        let Self { request, folder, no_update } = self;
        if jari_text::Query::new(&request.query).is_empty() {
            return Err(jari_engine::Error::EmptyQuery.into());
        }
        let mut index = Index::find(&folder, global)?;
        let filter = index.narrowed(request.filter);
        let request = SearchRequest { filter, bm25: index.settings.bm25, ..request };
        let reporter = Reporter::new(global.quiet);
        let project = index.project.clone();
        let ask = |snapshot: &dyn Snapshot| jari_engine::search::search(&project, snapshot, &request);
        let looked = if no_update { index.look(ask)? } else { None };
        let (ready, response) = match looked {
            Some(looked) => looked,
            None => index.sync(&reporter, ask)?,
        };
        show(Answered { request, response, ready }, &index, &reporter, global)
    }
}

/// An answer, and what it answers.
pub(super) struct Answered {
    pub(super) request: SearchRequest,
    pub(super) response: SearchResponse,
    pub(super) ready: Ready,
}

/// Prints an answer; says whether there was one.
pub(super) fn show(answered: Answered, index: &Index, reporter: &Reporter, global: &Global) -> Outcome {
    let Answered { request, response, ready } = answered;
    if !global.quiet {
        printer::talk_notes(&index.notes);
        if let Some(degraded) = response.degraded {
            printer::talk_notes(&[said(degraded).to_owned()]);
        }
    }
    reporter.finish(&ready.update);
    let found = !response.hits.is_empty() || response.cut.is_some();
    if global.json {
        printer::json(&SearchJson::new(&request, response, Index::describe(&ready), index.notes.clone()))?;
    } else {
        printer::data(&text(&request, &response))?;
        if !global.quiet {
            summary(&response, &ready);
        }
    }
    Ok(found)
}

/// What the user should know.
fn said(degraded: Degraded) -> &'static str {
    match degraded {
        Degraded::VectorsUnavailable => "there are no vectors: words answer alone",
        Degraded::VectorIndexUnavailable => {
            "there is no graph over the vectors yet, so every one was looked at: `jari vectors build` makes it"
        }
    }
}

fn text(request: &SearchRequest, response: &SearchResponse) -> String {
    let mut out = String::new();
    for hit in &response.hits {
        headline(&mut out, hit);
        match &hit.text {
            Some(text) if request.max_tokens.is_some() => {
                for line in hit.head.iter().flat_map(|head| head.lines()) {
                    let _ = writeln!(out, "{FAINT}{:>6}{FAINT:#}  {}", "…", printer::safe(line));
                }
                for (number, line) in (hit.lines.start..).zip(text.lines()) {
                    let _ = writeln!(out, "{FAINT}{number:>6}{FAINT:#}  {}", printer::safe(line));
                }
            }
            _ => hit.preview.iter().for_each(|line| printer::line(&mut out, line)),
        }
        if let Some(explanation) = &hit.explanation {
            printer::explanation(&mut out, explanation, 0);
        }
    }
    out
}

fn headline(out: &mut String, hit: &Hit) {
    let place = format!("{}:{}", printer::safe(&hit.path), hit.lines);
    let what = match (&hit.symbol, &hit.section) {
        (Some(symbol), _) => {
            format!(" · {} {NAME}{}{NAME:#}", symbol.kind, printer::safe(&symbol.qualified()))
        }
        (None, Some(section)) => match printer::heading_path(section.title.as_deref(), &section.heading_path)
        {
            path if path.is_empty() => String::new(),
            path => format!(" · {NAME}{path}{NAME:#}"),
        },
        (None, None) => format!(" · {}", hit.kind),
    };
    let stale = if hit.fresh { "" } else { " · changed since" };
    let _ = writeln!(out, "{PATH}{place}{PATH:#}{what}  {FAINT}{:.2}{stale}{FAINT:#}", hit.score);
}

fn summary(response: &SearchResponse, ready: &Ready) {
    let mut said = match response.hits.len() {
        0 if response.cut.is_some() => "nothing fits the budget".to_owned(),
        0 => "nothing found".to_owned(),
        places => printer::plural(places as u64, "place"),
    };
    let _ = write!(said, " · {}", printer::duration(response.took));
    let _ = write!(said, " · {}", ready.said());
    if let Some(cut) = response.cut {
        let mut parts = Vec::new();
        for (number, what) in
            [(cut.shortened, "shortened"), (cut.places, "by place only"), (cut.dropped, "left out")]
        {
            if number > 0 {
                parts.push(format!("{number} {what}"));
            }
        }
        let _ = write!(said, " · to fit the budget: {}", parts.join(", "));
    }
    let gap = if response.hits.is_empty() { "" } else { "\n" };
    printer::talk(&format!("{gap}{FAINT}{said}{FAINT:#}"));
    if !response.near.is_empty() {
        printer::talk_hint(&format!("names like it: {}", response.near.join(", ")));
    }
}
