//! `jari toc`

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::Args;
use jari_engine::documents::{Page, toc};
use jari_wire::TocJson;

use super::Global;
use crate::failure::Outcome;
use crate::index::Index;
use crate::printer::{self, FAINT, PATH};

/// Show the outline of a document
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  jari toc README.md\n  jari toc docs/guide.md --depth 2 --json")]
pub(crate) struct Toc {
    /// A document
    file: PathBuf,

    /// How many levels of headings
    #[arg(long, short, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u8).range(1..=6))]
    depth: u8,
}

impl Toc {
    pub(crate) fn run(self, global: &Global) -> Outcome {
        let Self { file, depth } = self;
        let (index, path) = Index::find_file(&file, global)?;
        let page = Page::open(&index.project, &path)?;
        let title = page.document()?.title.clone();
        let entries = toc(&page, depth)?;
        let found = !entries.is_empty();
        if global.json {
            printer::json(&TocJson::new(&page, title, entries))?;
            return Ok(found);
        }
        let mut out = String::new();
        let first = entries.first().map(|entry| entry.section.title.clone());
        if title.is_some() && title != first {
            let title = title.as_deref().unwrap_or_default();
            let _ = writeln!(out, "        {PATH}{}{PATH:#}", printer::safe(title));
        }
        for entry in entries {
            let indent = (usize::from(entry.section.level) - 1) * 2;
            let (line, title) = (entry.section.lines.start, printer::safe(&entry.section.title));
            let tokens = printer::plural(entry.tokens as u64, "token");
            let _ =
                writeln!(out, "{FAINT}{line:>6}{FAINT:#}  {:indent$}{title}  {FAINT}{tokens}{FAINT:#}", "");
        }
        printer::data(&out)?;
        if !global.quiet {
            printer::talk_degraded(&page);
            if !found {
                printer::talk(&format!("`{}` has no headings", printer::safe(&page.path)));
            }
        }
        Ok(found)
    }
}
