//! The verbs. Each has its file here and its tests in `tests/<verb>.rs`.

mod analyze;
mod bench;
mod cache;
mod callees;
mod callers;
mod clean;
mod completions;
mod conflicts;
mod docs;
mod doctor;
mod drift;
mod embed;
mod eval;
mod graph;
mod grep;
mod implementations;
mod imports;
mod index;
mod install;
mod links;
mod mcp;
mod mentions;
mod refs;
mod search;
mod section;
mod similar;
mod skeleton;
mod status;
mod symbol;
mod toc;
mod tree;
mod uninstall;
mod update;
mod vectors;
mod watch;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use jari_engine::narrow;

use crate::failure::Outcome;

/// Finds the place that answers: path:start-end, in code and in documents, offline.
#[derive(Debug, Parser)]
#[command(name = "jari", version, max_term_width = 100, after_help = EXIT_CODES, propagate_version = true)]
pub(crate) struct Jari {
    #[command(flatten)]
    pub(crate) global: Global,

    #[command(subcommand)]
    pub(crate) verb: Verb,
}

const EXIT_CODES: &str = "Exit codes: 0 found or done, 1 nothing found, 2 error.\n\nStart with:  jari search \"where are requests retried\"";

/// What every verb understands.
#[derive(Debug, Clone, Args)]
pub(crate) struct Global {
    /// Print one JSON object instead of text
    #[arg(long, global = true)]
    pub(crate) json: bool,

    /// Say nothing on stderr but errors
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,

    /// Say on stderr what is done and how long each step takes
    #[arg(long, short, global = true)]
    pub(crate) verbose: bool,

    /// Keep the index in this folder instead of `.jari` in the project [env: JARI_INDEX_DIR]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) index_dir: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    Search(search::Search),
    Docs(docs::Docs),
    Grep(grep::Grep),
    Similar(similar::Similar),
    Symbol(symbol::Symbol),
    Refs(refs::Refs),
    Callers(callers::Callers),
    Callees(callees::Callees),
    Implementations(implementations::Implementations),
    Imports(imports::Imports),
    Tree(tree::Tree),
    Toc(toc::Toc),
    Section(section::Section),
    Skeleton(skeleton::Skeleton),
    Analyze(analyze::Analyze),
    Links(links::Links),
    Mentions(mentions::Mentions),
    Drift(drift::Drift),
    Conflicts(conflicts::Conflicts),
    Index(index::Index),
    Update(update::Update),
    Status(status::Status),
    Vectors(vectors::Vectors),
    Embed(embed::Embed),
    Cache(cache::Cache),
    Eval(eval::Eval),
    Bench(bench::Bench),
    Watch(watch::Watch),
    Clean(clean::Clean),
    Mcp(mcp::Mcp),
    Install(install::Install),
    Uninstall(uninstall::Uninstall),
    Doctor(doctor::Doctor),
    Completions(completions::Completions),
}

/// Runs a verb; the answer is whether something was found.
pub(crate) fn run(jari: Jari) -> Outcome {
    let Jari { global, verb } = jari;
    match verb {
        Verb::Search(search) => search.run(&global),
        Verb::Docs(docs) => docs.run(&global),
        Verb::Grep(grep) => grep.run(&global),
        Verb::Similar(similar) => similar.run(&global),
        Verb::Symbol(symbol) => symbol.run(&global),
        Verb::Refs(refs) => refs.run(&global),
        Verb::Callers(callers) => callers.run(&global),
        Verb::Callees(callees) => callees.run(&global),
        Verb::Implementations(implementations) => implementations.run(&global),
        Verb::Imports(imports) => imports.run(&global),
        Verb::Tree(tree) => tree.run(&global),
        Verb::Toc(toc) => toc.run(&global),
        Verb::Section(section) => section.run(&global),
        Verb::Skeleton(skeleton) => skeleton.run(&global),
        Verb::Analyze(analyze) => analyze.run(&global),
        Verb::Links(links) => links.run(&global),
        Verb::Mentions(mentions) => mentions.run(&global),
        Verb::Drift(drift) => drift.run(&global),
        Verb::Conflicts(conflicts) => conflicts.run(&global),
        Verb::Index(index) => index.run(&global),
        Verb::Update(update) => update.run(&global),
        Verb::Status(status) => status.run(&global),
        Verb::Vectors(vectors) => vectors.run(&global),
        Verb::Embed(embed) => embed.run(&global),
        Verb::Cache(cache) => cache.run(&global),
        Verb::Eval(eval) => eval.run(&global),
        Verb::Bench(bench) => bench.run(&global),
        Verb::Watch(watch) => watch.run(&global),
        Verb::Clean(clean) => clean.run(&global),
        Verb::Mcp(mcp) => mcp.run(&global),
        Verb::Install(install) => install.run(&global),
        Verb::Uninstall(uninstall) => uninstall.run(&global),
        Verb::Doctor(doctor) => doctor.run(&global),
        Verb::Completions(completions) => completions.run(),
    }
}

fn mode(word: &str) -> Result<jari_base::Mode, String> {
    word.parse()
}

/// Which files and kinds may be returned.
#[derive(Debug, Clone, Args)]
pub(crate) struct Narrow {
    /// Only files in this language (repeat for several)
    #[arg(long, short, value_name = "LANGUAGE")]
    lang: Vec<String>,

    /// Only files whose path matches this glob; a folder stands for all below it (repeat for several)
    #[arg(long, value_name = "GLOB")]
    path: Vec<String>,
}

/// Code or documents alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Only {
    /// Everything that is no document
    Code,
    /// Markdown, MDX, reStructuredText, AsciiDoc and plain text
    Docs,
}

impl Narrow {
    /// As a filter; languages that do not exist are refused.
    fn filter(&self, only: Option<Only>) -> Result<jari_base::Filter, crate::failure::Failure> {
        let only = only.map(|only| match only {
            Only::Code => narrow::Only::Code,
            Only::Docs => narrow::Only::Documents,
        });
        let languages = narrow::languages(&self.lang, only)?;
        Ok(jari_base::Filter { languages, paths: self.path.clone(), ..jari_base::Filter::default() })
    }
}
