//! `jari search`

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use jari_base::{ChunkKind, Degraded, Filter, Fusion, Intent, Mode};
use jari_embed::Trouble;
use jari_engine::Project;
use jari_engine::search::{Elsewhere, Hit, Pass, SearchRequest, SearchResponse, Typed, Words};
use jari_store::Snapshot;
use jari_wire::SearchJson;

use super::{Global, Narrow, Only};
use crate::failure::{Failure, Outcome};
use crate::index::{Index, Ready};
use crate::printer::{self, FAINT, NAME, PATH};
use crate::progress::Reporter;

/// Find the places that answer a question
///
/// Indexes the project on first use; afterwards only what changed is read. Words, names and questions all work, in
/// English and in Korean. Between the words there may be filters: lang:rust, path:src/net, -path:tests, kind:function,
/// symbol:Name, -word, and "a phrase", which alone must stand in every place.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  jari search \"retry with backoff\"\n  jari search ConnectionPool src --lang rust\n  jari search \"where is the config parsed\" --path 'src/**' -k 5\n  jari search 'retry lang:go -path:vendor -deprecated'\n  jari search '\"connection reset by peer\"' --context 3\n  jari search \"결제 handler\" --json --max-tokens 2000"
)]
pub(crate) struct Search {
    /// What to look for
    query: String,

    /// The project, or a folder of it
    #[arg(default_value = ".")]
    folder: PathBuf,

    #[command(flatten)]
    narrow: Narrow,

    /// Only chunks of this kind: function, method, class, module, block, section (repeat for several)
    #[arg(long, value_name = "KIND", value_parser = kind)]
    kind: Vec<ChunkKind>,

    /// Only code, or only documents
    #[arg(long, value_name = "WHAT")]
    only: Option<Only>,

    #[command(flatten)]
    asking: Asking,
}

/// How a question is asked and answered, whichever verb asks it.
#[derive(Debug, Args)]
pub(super) struct Asking {
    /// How to look: by words, by meaning, or by both
    #[arg(long, value_name = "MODE", default_value = "hybrid", value_parser = super::mode)]
    mode: Mode,

    /// How many places at most [default: 10; 15 for `research`]
    #[arg(long, short = 'k', value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    limit: Option<u16>,

    /// What it is asked for, where its words do not tell: nav, explain, edit, research
    #[arg(long, value_name = "INTENT", value_parser = intent)]
    intent: Option<Intent>,

    /// How words and vectors become one list: linear, rrf, weighted, alpha
    #[arg(long, value_name = "WAY", value_parser = fusion)]
    fusion: Option<Fusion>,

    /// Keep places that repeat others where their score puts them
    #[arg(long)]
    no_mmr: bool,

    /// Show how each score came to be, and which lists found it
    #[arg(long)]
    explain: bool,

    /// Show whole texts, with N lines around them
    #[arg(long, short = 'C', value_name = "N", num_args = 0..=1, default_missing_value = "0")]
    context: Option<u32>,

    /// Show texts fitted into this many tokens
    #[arg(long, value_name = "N")]
    max_tokens: Option<usize>,

    /// Ask these models instead of the one that is set, and join their lists: PROVIDER or PROVIDER:MODEL, with commas between
    #[arg(long, value_name = "MODELS", value_delimiter = ',')]
    embedding: Vec<String>,

    /// Answer from the index as it is, without looking for changes
    #[arg(long)]
    no_update: bool,
}

fn kind(word: &str) -> Result<ChunkKind, String> {
    word.parse()
}

fn intent(word: &str) -> Result<Intent, String> {
    word.parse()
}

fn fusion(word: &str) -> Result<Fusion, String> {
    word.parse()
}

impl Search {
    pub(crate) fn run(self, global: &Global) -> Outcome {
        let Self { query, folder, narrow, kind, only, asking } = self;
        let filter = Filter { kinds: kind, ..narrow.filter(only)? };
        asking.answer(query, &folder, filter, global)
    }
}

/// How many places are shown where nobody said.
const PLACES: usize = 10;

impl Asking {
    pub(super) fn answer(self, query: String, folder: &Path, filter: Filter, global: &Global) -> Outcome {
        let Self { mode, limit, intent, fusion, no_mmr, explain, context, max_tokens, embedding, no_update } =
            self;
        let diverse = !no_mmr;
        let request = SearchRequest {
            mode,
            intent,
            diverse,
            explain,
            context,
            max_tokens,
            ..SearchRequest::new(query)
        };
        if request.is_empty() {
            return Err(jari_engine::Error::EmptyQuery.into());
        }
        let mut others: Vec<Index> = Vec::new();
        for model in &embedding {
            others.push(Index::by_model(folder, global, model)?);
        }
        let mut index = if others.is_empty() { Index::find(folder, global)? } else { others.remove(0) };
        let mut tuning = index.settings.tuning;
        tuning.blend.fusion = fusion.unwrap_or(tuning.blend.fusion);
        let limit = limit.map_or_else(|| request.plan().places(PLACES), usize::from);
        let request = SearchRequest { limit, filter: index.narrowed(filter), tuning, ..request };
        let reporter = Reporter::new(global.quiet);
        let project = index.project.clone();
        let ask = |snapshot: &dyn Snapshot| jari_engine::search::search(&project, snapshot, &request);
        let waits = |index: &Index| {
            index.project.embedding.as_ref().is_some_and(|embedding| embedding.asked().is_some())
        };
        let looked = if no_update && others.is_empty() { index.look(ask)? } else { None };
        let (ready, response) = match looked {
            Some(looked) => looked,
            None if others.is_empty() && !waits(&index) => index.sync(&reporter, ask)?,
            None => by_models(&mut index, &mut others, &request, &reporter)?,
        };
        show(Answered { request, response, ready }, &index, &reporter, global)
    }
}

/// Asks the models of all indexes of one project, each after it had its time to make vectors.
fn by_models(
    index: &mut Index,
    others: &mut [Index],
    request: &SearchRequest,
    reporter: &Reporter,
) -> Result<(Ready, SearchResponse), Failure> {
    let mut ready = Vec::new();
    for index in std::iter::once(&mut *index).chain(&mut *others) {
        let (state, ()) = index.sync(reporter, |_| Ok(()))?;
        ready.push(index.embed_for(request, state)?);
    }
    let projects = std::iter::once(&index.project).chain(others.iter().map(|index| &index.project));
    let models: Vec<(&Project, &dyn Snapshot)> =
        projects.zip(&ready).map(|(project, ready)| (project, &*ready.snapshot)).collect();
    let response = jari_engine::search::search_by(&models, request)?;
    index.notes.extend(others.iter().flat_map(|other| other.notes.clone()));
    Ok((ready.remove(0), response))
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
        printer::talk_notes(response.degraded.map(|degraded| said(degraded, &response)).as_slice());
    }
    reporter.finish(&ready.update);
    let found = !response.hits.is_empty() || response.cut.is_some();
    if global.json {
        printer::json(&SearchJson::new(&request, response, Index::describe(&ready), index.notes.clone()))?;
    } else {
        printer::data(&text(&request, &response))?;
        if request.explain {
            passes(&response);
        }
        if !global.quiet {
            summary(&response, &ready);
        }
    }
    Ok(found)
}

/// What the user should know.
fn said(degraded: Degraded, response: &SearchResponse) -> String {
    let said = match degraded {
        Degraded::EmbeddingUnavailable => "words answer alone",
        Degraded::EmbeddingInProgress if response.mode == Mode::Keyword => {
            "words answer alone until these files have vectors: embedding in progress, ask again, or `jari embed --all`"
        }
        Degraded::EmbeddingInProgress => {
            "not all files have vectors yet: embedding in progress with every search, or at once with `jari embed --all`"
        }
        Degraded::TranslatorUnavailable => "the glossary's words are all there is",
        Degraded::VectorsUnavailable => "there are no vectors: words answer alone",
        Degraded::VectorIndexUnavailable => {
            "there is no graph over the vectors yet, so every one was looked at: `jari vectors build` makes it"
        }
        Degraded::TimeBudget => {
            "time was up, so this is what was found until then: JARI_TIME_BUDGET_MS gives more"
        }
        Degraded::RerankerUnavailable => {
            "what should have put the best in order failed: the order is the usual one"
        }
    };
    match &response.trouble {
        Some(Trouble { message, hint: Some(hint), .. }) => format!("{said}: {message} ({hint})"),
        Some(Trouble { message, .. }) => format!("{said}: {message}"),
        None => said.to_owned(),
    }
}

fn text(request: &SearchRequest, response: &SearchResponse) -> String {
    let mut out = String::new();
    for hit in &response.hits {
        headline(&mut out, hit);
        match &hit.text {
            Some(text) if request.shows_texts() => {
                for line in hit.head.iter().flat_map(|head| head.lines()) {
                    let _ = writeln!(out, "{FAINT}{:>6}{FAINT:#}  {}", "…", printer::safe(line));
                }
                for (number, line) in (hit.text_lines.start..).zip(text.lines()) {
                    let _ = writeln!(out, "{FAINT}{number:>6}{FAINT:#}  {}", printer::safe(line));
                }
            }
            _ => hit.preview.iter().for_each(|line| printer::line(&mut out, line)),
        }
        for Elsewhere { path, lines } in &hit.elsewhere {
            let _ = writeln!(out, "{FAINT}        the same: {}:{lines}{FAINT:#}", printer::safe(path));
        }
        if !hit.found_by.is_empty() {
            let lists = hit.found_by.iter().map(|found| format!("{} {}", found.list, found.rank));
            let _ = writeln!(out, "{FAINT}  found by {}{FAINT:#}", lists.collect::<Vec<_>>().join(", "));
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

/// Which words were looked for, and how rare they are.
fn passes(response: &SearchResponse) {
    for Pass { words, terms, files } in &response.passes {
        let terms: Vec<String> = terms.iter().map(|(term, rarity)| format!("{term} {rarity:.1}")).collect();
        let which = match words {
            Words::Typed => "as typed",
            Words::Glossary => "with the glossary",
            Words::Translator => "with a translation",
        };
        printer::talk(&format!(
            "{FAINT}looked {which}: {} · {}{FAINT:#}",
            terms.join(", "),
            printer::plural(*files as u64, "file")
        ));
    }
}

/// The filters of a query as they were understood.
fn filters(typed: &Typed) -> Vec<String> {
    let said =
        |what: &str, values: &[String]| (!values.is_empty()).then(|| format!("{what} {}", values.join(", ")));
    let phrases = if typed.only_phrases { said("with", &typed.phrases) } else { None };
    [
        said("in", &typed.paths),
        said("not in", &typed.except_paths),
        said("language", &typed.languages),
        said("kind", &typed.kinds),
        said("defining", &typed.symbols),
        phrases,
        said("without", &typed.without),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn summary(response: &SearchResponse, ready: &Ready) {
    let mut said = match response.hits.len() {
        0 if response.cut.is_some() => "nothing fits the budget".to_owned(),
        0 => "nothing found".to_owned(),
        places => printer::plural(places as u64, "place"),
    };
    for filter in filters(&response.typed) {
        let _ = write!(said, " · {}", printer::safe(&filter));
    }
    let _ = write!(said, " · {}", printer::duration(response.took));
    let _ = write!(said, " · {}", ready.said());
    if let Some(cut) = response.cut {
        let mut parts = Vec::new();
        for (number, what) in [
            (cut.skeletons, "shortened"),
            (cut.signatures, "by signature"),
            (cut.places, "by place only"),
            (cut.dropped, "left out"),
        ] {
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
