//! `jari mentions`

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use jari_engine::mentions::{Mention, Spoken, mentions, spoken_of};
use jari_store::Snapshot;
use jari_wire::{MentionsJson, how_said};

use super::Global;
use crate::failure::Outcome;
use crate::index::Index;
use crate::printer::{self, FAINT, NAME, PATH};
use crate::progress::Reporter;

/// Find the sections that speak of some code, or the code that a document speaks of
///
/// A name or a file of code is answered with sections of documents: those that write it as code, link to it, or use it in an
/// example. A document, or `FILE#anchor` for one section of it, is answered with the definitions and files it names.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  jari mentions Pool.take\n  jari mentions src/pool.py\n  jari mentions docs/guide.md#install"
)]
pub(crate) struct Mentions {
    /// A name, a file, or a document with `#anchor`
    what: String,

    /// The project, or a folder of it
    #[arg(default_value = ".")]
    folder: PathBuf,
}

enum Found {
    Sections(Vec<Mention>),
    Code(Vec<Spoken>),
}

impl Mentions {
    pub(crate) fn run(self, global: &Global) -> Outcome {
        let Self { what, folder } = self;
        let (file, anchor) = match what.split_once('#') {
            Some((file, anchor)) if Path::new(file).is_file() => (file.to_owned(), Some(anchor.to_owned())),
            _ => (what.clone(), None),
        };
        let (mut index, wanted) = if Path::new(&file).is_file() {
            Index::find_file(Path::new(&file), global)?
        } else {
            (Index::find(&folder, global)?, file)
        };
        let reporter = Reporter::new(global.quiet);
        let project = index.project.clone();
        let within = Index::find(&folder, global)?.narrowed(jari_base::Filter::default());
        let ask = |snapshot: &dyn Snapshot| {
            let files = snapshot.files()?;
            let is_document =
                files.at(&wanted).is_some_and(|record| jari_chunk::is_document(&record.language));
            Ok(if is_document {
                Found::Code(spoken_of(snapshot, &wanted, anchor.as_deref())?)
            } else {
                Found::Sections(mentions(&project, snapshot, &wanted, &within)?)
            })
        };
        let (ready, found) = index.sync_rows(&reporter, ask)?;
        if !global.quiet {
            printer::talk_notes(&index.notes);
        }
        reporter.finish(&ready.update);
        let shown = Index::describe(&ready);
        let (any, said) = match &found {
            Found::Sections(sections) => (
                !sections.is_empty(),
                format!("{} of `{what}`", printer::plural(sections.len() as u64, "section")),
            ),
            Found::Code(code) => (
                !code.is_empty(),
                format!("{} of the project in `{what}`", printer::plural(code.len() as u64, "name")),
            ),
        };
        if global.json {
            let json = match found {
                Found::Sections(sections) => MentionsJson::sections(&what, sections, shown),
                Found::Code(code) => MentionsJson::code(&what, code, shown),
            };
            printer::json(&json)?;
        } else {
            printer::data(&match &found {
                Found::Sections(sections) => sections_text(sections),
                Found::Code(code) => code_text(code),
            })?;
            if !global.quiet {
                printer::talk(&format!("{FAINT}{}{FAINT:#}", printer::safe(&said)));
            }
        }
        Ok(any)
    }
}

fn sections_text(sections: &[Mention]) -> String {
    let mut out = String::new();
    for Mention { path, heading_path, lines, line, how, count, .. } in sections {
        let titles = printer::heading_path(None, heading_path);
        let more = if *count > 1 { format!(" and {} more", count - 1) } else { String::new() };
        let _ = writeln!(
            out,
            "{PATH}{}:{lines}{PATH:#} · {NAME}{titles}{NAME:#}  {FAINT}{} in line {line}{more}{FAINT:#}",
            printer::safe(path),
            how_said(*how)
        );
    }
    out
}

fn code_text(code: &[Spoken]) -> String {
    let mut out = String::new();
    for Spoken { text, line, places } in code {
        let places: Vec<String> = places
            .iter()
            .map(|(path, lines)| format!("{PATH}{}:{lines}{PATH:#}", printer::safe(path)))
            .collect();
        let _ = writeln!(
            out,
            "{FAINT}{line:>6}{FAINT:#}  {NAME}{}{NAME:#} → {}",
            printer::safe(text),
            places.join(", ")
        );
    }
    out
}
