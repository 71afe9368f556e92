//! `jari analyze`

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::Args;
use jari_base::Value;
use jari_engine::documents::{Page, toc};
use jari_engine::links::{Analysis, analyze};
use jari_wire::AnalysisJson;

use super::Global;
use crate::failure::{Failure, Outcome};
use crate::index::Index;
use crate::printer::{self, FAINT, NAME, PATH};
use crate::progress::Reporter;

/// Take stock of a document: title, front matter, counts, links
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  jari analyze README.md\n  jari analyze docs/guide.mdx --exact-tokens --json"
)]
pub(crate) struct Analyze {
    /// A document
    file: PathBuf,

    /// Count tokens as the cl100k vocabulary does, not by estimate
    #[arg(long)]
    exact_tokens: bool,
}

impl Analyze {
    pub(crate) fn run(self, global: &Global) -> Outcome {
        let Self { file, exact_tokens } = self;
        let (mut index, path) = Index::find_file(&file, global)?;
        let page = Page::open(&index.project, &path)?;
        let entries = toc(&page, 6)?;
        let exact = if exact_tokens { Some(count_exactly(&page.text)?) } else { None };
        let reporter = Reporter::new(global.quiet);
        let project = index.project.clone();
        let (ready, analysis) =
            index.sync_rows_first(&reporter, |snapshot| analyze(&project, snapshot, &page))?;
        if !global.quiet {
            printer::talk_notes(&index.notes);
            printer::talk_degraded(&page);
        }
        reporter.finish(&ready.update);
        if global.json {
            printer::json(&AnalysisJson::new(&page, analysis, entries, exact, Index::describe(&ready)))?;
        } else {
            printer::data(&text(&page, &analysis, exact))?;
        }
        Ok(true)
    }
}

fn count_exactly(text: &str) -> Result<usize, Failure> {
    let vocabulary = tiktoken_rs::cl100k_base().map_err(|error| {
        Failure::argument(format!("the vocabulary cannot be read: {error}"), "leave out --exact-tokens")
    })?;
    Ok(vocabulary.encode_ordinary(text).len())
}

fn text(page: &Page, analysis: &Analysis, exact: Option<usize>) -> String {
    let mut out = String::new();
    let title = analysis.title.as_deref().unwrap_or("(no title)");
    let _ =
        writeln!(out, "{PATH}{}{PATH:#} · {NAME}{}{NAME:#}", printer::safe(&page.path), printer::safe(title));
    for (name, value) in &analysis.front_matter {
        let _ = writeln!(out, "  {FAINT}{}:{FAINT:#} {}", printer::safe(name), printer::safe(&shown(value)));
    }
    let counts = &analysis.counts;
    let tokens = match exact {
        Some(exact) => printer::plural(exact as u64, "token"),
        None => format!("about {}", printer::plural(counts.tokens as u64, "token")),
    };
    let _ = writeln!(
        out,
        "  {} · {} · {tokens}",
        printer::plural(counts.lines as u64, "line"),
        printer::plural(counts.words as u64, "word")
    );
    let _ = writeln!(
        out,
        "  {} (down to level {}) · {} · {} · {} · {}",
        printer::plural(counts.headings as u64, "heading"),
        counts.depth,
        printer::plural(counts.code_blocks as u64, "code block"),
        printer::plural(counts.tables as u64, "table"),
        printer::plural(counts.lists as u64, "list"),
        printer::plural(counts.images as u64, "image"),
    );
    let languages: Vec<String> = analysis
        .code_languages
        .iter()
        .map(|(name, number)| format!("{} {number}", printer::safe(name)))
        .collect();
    if !languages.is_empty() {
        let _ = writeln!(out, "  code in {}", languages.join(", "));
    }
    let _ = writeln!(
        out,
        "  {} inside, {} out, {} broken · {} here",
        printer::plural(counts.internal as u64, "link"),
        counts.external,
        counts.broken,
        printer::plural(analysis.backlinks as u64, "link"),
    );
    for edge in analysis.links.iter().filter(|edge| edge.broken().is_some()) {
        let _ = writeln!(
            out,
            "{FAINT}{:>6}{FAINT:#}  broken: {}",
            edge.link.line,
            printer::safe(&edge.link.target)
        );
    }
    out
}

fn shown(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Integer(number) => number.to_string(),
        Value::Float(number) => number.to_string(),
        Value::Text(text) => text.clone(),
        Value::List(values) => format!("[{}]", values.iter().map(shown).collect::<Vec<_>>().join(", ")),
        Value::Map(values) => {
            let pairs: Vec<String> =
                values.iter().map(|(name, value)| format!("{name}: {}", shown(value))).collect();
            format!("{{{}}}", pairs.join(", "))
        }
    }
}
