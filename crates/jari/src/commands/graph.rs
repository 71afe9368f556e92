//! What `refs`, `callers`, `callees` and `implementations` have in common: their flags, and how they print.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueEnum};
use jari_engine::graph::{Ask, Certainty, Edge, GraphAnswer, GraphRequest};
use jari_store::Snapshot;
use jari_text::estimate_tokens;
use jari_wire::GraphJson;

use super::Global;
use crate::drawing;
use crate::failure::{Failure, Outcome};
use crate::index::Index;
use crate::printer::{self, FAINT, NAME, PATH};
use crate::progress::Reporter;

#[derive(Debug, Args)]
pub(crate) struct Options {
    /// How many at most
    #[arg(long, short = 'k', value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u16).range(1..=10_000))]
    limit: u16,

    /// List uses, too, of which nothing tells whether they mean this
    #[arg(long)]
    possible: bool,

    /// How to show them
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Text)]
    format: Format,

    /// Fit the answer into this many tokens
    #[arg(long, value_name = "N")]
    max_tokens: Option<usize>,

    /// How long to look, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 2000, value_parser = clap::value_parser!(u32).range(1..=600_000))]
    max_time: u32,

    /// Answer from the index as it is, without looking for changes
    #[arg(long)]
    no_update: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A line for each
    Text,
    /// Graphviz
    Dot,
    /// Mermaid
    Mermaid,
}

/// A question about a name.
pub(super) struct Question {
    pub(super) verb: &'static str,
    pub(super) name: String,
    pub(super) folder: PathBuf,
    pub(super) hops: usize,
    pub(super) options: Options,
    pub(super) ask: Ask,
}

impl Question {
    pub(super) fn answer(self, global: &Global) -> Outcome {
        let Self { verb, name, folder, hops, options, ask } = self;
        let Options { limit, possible, format, max_tokens, max_time, no_update } = options;
        if global.json && format != Format::Text {
            let hint = "leave out one of them";
            return Err(Failure::argument("--json and --format exclude each other", hint));
        }
        let time = Duration::from_millis(max_time.into());
        let mut index = Index::find(&folder, global)?;
        let within = index.narrowed(jari_base::Filter::default());
        let name = from_root(name, &index, global);
        let request = GraphRequest { name, hops, possible, limit: limit.into(), time, within };
        let reporter = Reporter::new(global.quiet);
        let project = index.project.clone();
        let ask = |snapshot: &dyn Snapshot| ask(&project, snapshot, &request, &|| false);
        let looked = if no_update { index.look_at_rows(ask)? } else { None };
        let (ready, mut answer) = match looked {
            Some(looked) => looked,
            None => index.sync_rows(&reporter, ask)?,
        };
        if !global.quiet {
            printer::talk_notes(&index.notes);
        }
        reporter.finish(&ready.update);
        let found = !answer.edges.is_empty() || answer.crowd.is_some();
        if let Some(most) = max_tokens {
            fit(&mut answer, most);
        }
        if global.json {
            printer::json(&GraphJson::new(&request.name, verb, &answer, Index::describe(&ready)))?;
            return Ok(found);
        }
        match format {
            Format::Text => printer::data(&text(&answer))?,
            Format::Dot => printer::data(&drawing::dot(&answer.edges))?,
            Format::Mermaid => printer::data(&drawing::mermaid(&answer.edges))?,
        }
        if !global.quiet {
            talk(verb, &request, &answer);
        }
        Ok(found)
    }
}

/// `path:line` as the index knows it, where it names a file from the folder we stand in; else as it is.
fn from_root(name: String, index: &Index, global: &Global) -> String {
    let Some((path, line)) = name.rsplit_once(':') else { return name };
    if line.parse::<u32>().is_err() || !Path::new(path).is_file() {
        return name;
    }
    match Index::find_file(Path::new(path), global) {
        Ok((found, file)) if found.project.root == index.project.root => format!("{file}:{line}"),
        _ => name,
    }
}

/// Leaves out the last edges until the rest fit.
fn fit(answer: &mut GraphAnswer, most: usize) {
    let mut left = most;
    let fits = |edge: &&Edge| {
        let rest = left.checked_sub(estimate_tokens(&line(edge)));
        left = rest.unwrap_or(0);
        rest.is_some()
    };
    let kept = answer.edges.iter().take_while(fits).count();
    answer.edges.truncate(kept);
}

fn text(answer: &GraphAnswer) -> String {
    let mut out = String::new();
    if answer.crowd.is_some() {
        for node in &answer.definitions {
            let place = format!("{}:{}", printer::safe(&node.path), node.symbol.lines);
            let name = printer::safe(&node.symbol.qualified());
            let _ = writeln!(out, "{PATH}{place}{PATH:#} · {} {NAME}{name}{NAME:#}", node.symbol.kind);
        }
    }
    for edge in &answer.edges {
        let _ = writeln!(out, "{}", line(edge));
    }
    out
}

/// `src/a.rs:12 · call in Client.send → Pool.take  likely: receiver is called like Pool · 2 hops`
fn line(edge: &Edge) -> String {
    let place = format!("{}:{}", printer::safe(&edge.path), edge.line);
    let from = edge.from.as_ref().map(|symbol| printer::safe(&symbol.qualified()));
    let from = from.map(|from| format!(" in {NAME}{from}{NAME:#}")).unwrap_or_default();
    let to = printer::safe(&edge.to.symbol.qualified());
    let sure = match edge.certainty {
        Certainty::Certain => String::new(),
        other => format!("{}: ", other.as_str()),
    };
    let others = match edge.candidates {
        0 | 1 => String::new(),
        _ if edge.reason.starts_with("one of") => String::new(),
        count => format!(", one of {count}"),
    };
    let hop = if edge.hop > 1 { format!(" · {} hops", edge.hop) } else { String::new() };
    let stale = if edge.fresh { "" } else { " · changed since" };
    let reason = printer::safe(&edge.reason);
    format!(
        "{PATH}{place}{PATH:#} · {}{from} → {to}  {FAINT}{sure}{reason}{others}{hop}{stale}{FAINT:#}",
        edge.kind
    )
}

/// Says how much there is, and what to type where the answer is not all of it.
fn talk(verb: &str, request: &GraphRequest, answer: &GraphAnswer) {
    let name = printer::safe(&request.name);
    if answer.defined == 0 {
        printer::talk(&format!("nothing is called `{name}`"));
        if !answer.near.is_empty() {
            printer::talk_hint(&format!("names like it: {}", answer.near.join(", ")));
        }
        return;
    }
    if let Some(files) = answer.crowd {
        let defined = printer::plural(answer.defined as u64, "definition");
        let used = printer::plural(files as u64, "file");
        printer::talk(&format!("`{name}` has {defined} and is used in {used}: name one of them"));
        if let Some(node) = answer.definitions.first() {
            let (path, line) = (&node.path, node.symbol.lines.start);
            let named = node.symbol.qualified();
            // Without anything around it, its place is all that tells it apart.
            let by_name =
                if named == node.symbol.name { String::new() } else { format!("jari {verb} {named}, or ") };
            printer::talk_hint(&format!("{by_name}jari {verb} {path}:{line}"));
        }
        return;
    }
    let what = match verb {
        "refs" => "use",
        "implementations" => "implementation",
        _ => "call",
    };
    let at_least = if answer.full && request.hops > 1 { "at least " } else { "" };
    let mut said = format!("{at_least}{}", printer::plural(answer.total as u64, what));
    if answer.edges.len() < answer.total {
        let _ = write!(said, ", the first {} shown (-k for more)", answer.edges.len());
    }
    if answer.defined > 1 {
        let _ = write!(said, " of {}", printer::plural(answer.defined as u64, "definition"));
    }
    if answer.possible > 0 && !request.possible {
        let what = if verb == "callees" { "several things" } else { "it" };
        let _ = write!(said, " · {} that may mean {what} (--possible)", answer.possible);
    }
    if answer.outside > 0 {
        let _ = write!(said, " · {} of things outside the project", answer.outside);
    }
    if answer.timed_out {
        said.push_str(" · time ran out (--max-time)");
    }
    printer::talk(&format!("{FAINT}{said}{FAINT:#}"));
}
