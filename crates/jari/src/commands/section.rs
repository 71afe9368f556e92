//! `jari section`

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use jari_engine::documents::{Entry, Extent, Found, Page, Which, section};
use jari_wire::SectionJson;

use super::Global;
use crate::failure::{Failure, Outcome};
use crate::index::Index;
use crate::printer::{self, FAINT, NAME, PATH};

/// Show one section of a document
///
/// Named by its heading (and headings above it, where there are several of that name), by what a link to it says
/// after `#`, or by the id that an answer gave. Headings match whatever their case and spaces.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  jari section README.md Install\n  jari section docs/guide.md \"Configuration\" \"Environment variables\"\n  jari section docs/guide.md#environment-variables --with-subsections\n  jari section --id docs/guide.md#configuration/environment-variables"
)]
pub(crate) struct Section {
    /// A document; `FILE#anchor` names a section of it
    #[arg(required_unless_present = "id")]
    file: Option<PathBuf>,

    /// Its heading, after those of sections around it
    #[arg(value_name = "HEADING", conflicts_with = "id")]
    headings: Vec<String>,

    /// The id that an answer gave
    #[arg(long)]
    id: Option<String>,

    /// Its subsections too
    #[arg(long)]
    with_subsections: bool,

    /// The source as written; components of MDX are not replaced
    #[arg(long)]
    raw: bool,
}

impl Section {
    pub(crate) fn run(self, global: &Global) -> Outcome {
        let Self { file, headings, id, with_subsections, raw } = self;
        let from_answer = file.is_none();
        let (file, which) = which(file, &headings, id)?;
        let (mut index, mut path) = Index::find_file(&file, global)?;
        if from_answer {
            // The path of an id begins at the project's root, wherever the user stands.
            let here = Index::find(Path::new("."), global)?;
            if here.project.root.join(&file).is_file() {
                (index, path) = (here, file.to_string_lossy().into_owned());
            }
        }
        let page = Page::open(&index.project, &path)?;
        let found = section(&page, &which, Extent { with_subsections, raw })?;
        let is_there = matches!(found, Found::Section(_));
        if global.json {
            printer::json(&SectionJson::new(&page, found))?;
            return Ok(is_there);
        }
        match found {
            Found::Section(section) => {
                let mut out = String::new();
                let titles = printer::heading_path(None, &section.entry.heading_path);
                let place = format!("{}:{}", printer::safe(&page.path), section.lines);
                let _ = writeln!(out, "{PATH}{place}{PATH:#} · {NAME}{titles}{NAME:#}");
                for (number, line) in (section.lines.start..).zip(section.text.lines()) {
                    let _ = writeln!(out, "{FAINT}{number:>6}{FAINT:#}  {}", printer::safe(line));
                }
                printer::data(&out)?;
                if !global.quiet {
                    printer::talk_notes(section.note.as_slice());
                    printer::talk_degraded(&page);
                }
            }
            Found::Nothing { near, sections } => nothing(&page, &which, &near, sections),
        }
        Ok(is_there)
    }
}

/// The file and the section of it that the arguments name.
fn which(
    file: Option<PathBuf>,
    headings: &[String],
    id: Option<String>,
) -> Result<(PathBuf, Which), Failure> {
    if let Some(id) = id {
        // The id of an answer carries its file; one without it needs the argument.
        return match (id.split_once('#'), file) {
            (Some((path, id)), None) => Ok((PathBuf::from(path), Which::Id(id.to_owned()))),
            (Some((_, id)), Some(file)) => Ok((file, Which::Id(id.to_owned()))),
            (None, Some(file)) => Ok((file, Which::Id(id))),
            (None, None) => Err(Failure::argument(
                format!("the id `{id}` names no file"),
                "ids look like docs/guide.md#configuration/environment-variables",
            )),
        };
    }
    let file = file.expect("clap requires a file where there is no id");
    if !headings.is_empty() {
        // Our own way to write a path of headings may be pasted as it is.
        let titles = headings.iter().flat_map(|heading| heading.split(" › ")).map(str::to_owned).collect();
        return Ok((file, Which::Headings(titles)));
    }
    let written = file.to_string_lossy();
    match written.split_once('#') {
        Some((path, anchor)) if !anchor.is_empty() && !file.exists() => {
            // An id from an answer may be pasted as it is.
            let which = if anchor.contains('/') { Which::Id } else { Which::Anchor };
            Ok((PathBuf::from(path), which(anchor.to_owned())))
        }
        _ => {
            let file = written.trim_end_matches('#');
            let hint =
                format!("give its heading: jari section {file} \"Install\"; `jari toc {file}` lists all");
            Err(Failure::argument("no section is named", hint))
        }
    }
}

fn nothing(page: &Page, which: &Which, near: &[Entry], sections: usize) {
    printer::talk_error(&format!("`{}` has no section \"{which}\"", page.path));
    let offer = |entry: &Entry| {
        format!("\"{}\" (line {})", entry.heading_path.join(" › "), entry.section.lines.start)
    };
    let offered: Vec<String> = near.iter().map(offer).collect();
    let all = format!("`jari toc {}` lists all {sections}", page.path);
    printer::talk_hint(&match offered.is_empty() {
        true => "it has no headings".to_owned(),
        false => format!("did you mean {}? {all}", offered.join(" or ")),
    });
}
