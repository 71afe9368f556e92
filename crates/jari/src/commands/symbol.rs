//! `jari symbol`

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use jari_base::SymbolKind;
use jari_engine::symbols::{SymbolRequest, SymbolResponse, symbols};
use jari_store::SymbolMode;
use jari_wire::SymbolsJson;

use super::{Global, Narrow};
use crate::failure::Outcome;
use crate::index::Index;
use crate::printer::{self, FAINT, NAME, PATH};
use crate::progress::Reporter;

/// Find definitions by name
///
/// Spelling styles are equal: `parse_header` finds `ParseHeader`. `Type.method` names a member.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  jari symbol ConnectionPool\n  jari symbol Pool.take\n  jari symbol parse --mode prefix --kind function\n  jari symbol config --mode contains --path src -k 50"
)]
pub(crate) struct Symbol {
    /// The name, or a part of it
    name: String,

    /// The project, or a folder of it
    #[arg(default_value = ".")]
    folder: PathBuf,

    /// How the name must match
    #[arg(long, value_enum, default_value_t = Mode::Exact)]
    mode: Mode,

    #[command(flatten)]
    narrow: Narrow,

    /// Only symbols of this kind: function, method, class, struct, enum, interface, trait, … (repeat for several)
    #[arg(long, value_name = "KIND", value_parser = kind)]
    kind: Vec<SymbolKind>,

    /// How many at most
    #[arg(long, short = 'k', value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=1000))]
    limit: u16,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Mode {
    /// The whole name
    Exact,
    /// Its beginning
    Prefix,
    /// Any part of it
    Contains,
}

fn kind(word: &str) -> Result<SymbolKind, String> {
    word.parse()
}

impl Symbol {
    pub(crate) fn run(self, global: &Global) -> Outcome {
        let Self { name, folder, mode, narrow, kind, limit } = self;
        let filter = narrow.filter(None)?;
        let mut index = Index::find(&folder, global)?;
        let request = SymbolRequest {
            name,
            mode: match mode {
                Mode::Exact => SymbolMode::Exact,
                Mode::Prefix => SymbolMode::Prefix,
                Mode::Contains => SymbolMode::Contains,
            },
            kinds: kind,
            filter: index.narrowed(filter),
            limit: limit.into(),
        };
        let reporter = Reporter::new(global.quiet);
        let project = index.project.clone();
        let (ready, response) =
            index.sync_rows(&reporter, |snapshot| symbols(&project, snapshot, &request))?;
        if !global.quiet {
            printer::talk_notes(&index.notes);
        }
        reporter.finish(&ready.update);
        let found = !response.found.is_empty();
        if global.json {
            printer::json(&SymbolsJson::new(&request, response, Index::describe(&ready)))?;
        } else {
            printer::data(&text(&response))?;
            if !found && !global.quiet {
                not_found(&request, &response);
            }
        }
        Ok(found)
    }
}

fn text(response: &SymbolResponse) -> String {
    let mut out = String::new();
    for found in &response.found {
        let symbol = &found.symbol;
        let place = format!("{}:{}", printer::safe(&found.path), symbol.lines);
        let stale = if found.fresh { "" } else { " · changed since" };
        let name = printer::safe(&symbol.qualified());
        let _ = writeln!(
            out,
            "{PATH}{place}{PATH:#} · {} {NAME}{name}{NAME:#}{FAINT}{stale}{FAINT:#}",
            symbol.kind
        );
        let _ = writeln!(out, "        {}", printer::safe(&symbol.signature));
        if let Some(doc) = &symbol.doc {
            let _ = writeln!(out, "        {FAINT}{}{FAINT:#}", printer::safe(doc));
        }
    }
    out
}

fn not_found(request: &SymbolRequest, response: &SymbolResponse) {
    printer::talk(&format!("nothing is called `{}`", printer::safe(&request.name)));
    if !response.near.is_empty() {
        printer::talk_hint(&format!("names like it: {}", response.near.join(", ")));
    }
}
