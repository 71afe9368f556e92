//! `jari skeleton`

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::Args;
use jari_engine::documents::{Bone, Page, skeleton};
use jari_wire::SkeletonJson;

use super::Global;
use crate::failure::Outcome;
use crate::index::Index;
use crate::printer::{self, FAINT, NAME};

/// Show a file without its bodies
///
/// Of a document the outline with how each section begins, its size and its links; of code the signatures and the first
/// line of their docs.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  jari skeleton README.md\n  jari skeleton src/main.rs --json")]
pub(crate) struct Skeleton {
    /// A document or a file of code
    file: PathBuf,
}

impl Skeleton {
    pub(crate) fn run(self, global: &Global) -> Outcome {
        let (index, path) = Index::find_file(&self.file, global)?;
        let page = Page::open(&index.project, &path)?;
        let skeleton = skeleton(&index.project, &page);
        let (out, found) = text(&skeleton);
        if global.json {
            printer::json(&SkeletonJson::new(&page, skeleton))?;
        } else {
            printer::data(&out)?;
            if !global.quiet {
                printer::talk_degraded(&page);
            }
        }
        Ok(found)
    }
}

fn text(skeleton: &jari_engine::documents::Skeleton) -> (String, bool) {
    let mut out = String::new();
    match skeleton {
        jari_engine::documents::Skeleton::Document { sections, .. } => {
            sections.iter().for_each(|bone| section(&mut out, bone));
            (out, !sections.is_empty())
        }
        jari_engine::documents::Skeleton::Code(symbols) => {
            for symbol in symbols {
                let indent = symbol.container.as_deref().map_or(0, |around| around.split('.').count()) * 2;
                let line = symbol.lines.start;
                let signature = printer::safe(&symbol.signature);
                let _ = writeln!(out, "{FAINT}{line:>6}{FAINT:#}  {:indent$}{signature}", "");
                if let Some(doc) = &symbol.doc {
                    let _ = writeln!(out, "        {:indent$}  {FAINT}{}{FAINT:#}", "", printer::safe(doc));
                }
            }
            (out, !symbols.is_empty())
        }
    }
}

fn section(out: &mut String, bone: &Bone) {
    let section = &bone.entry.section;
    let indent = usize::from(section.level).saturating_sub(1) * 2;
    let title = if section.level == 0 { "(before the first heading)" } else { &section.title };
    let mut size = printer::plural(bone.entry.tokens as u64, "token");
    for (number, what) in [(bone.links, "link"), (bone.code_blocks, "code block")] {
        if number > 0 {
            let _ = write!(size, " · {}", printer::plural(number as u64, what));
        }
    }
    let (line, title) = (section.lines.start, printer::safe(title));
    let _ = writeln!(
        out,
        "{FAINT}{line:>6}{FAINT:#}  {:indent$}{NAME}{title}{NAME:#}  {FAINT}{size}{FAINT:#}",
        ""
    );
    if let Some(sentence) = &bone.first_sentence {
        let _ = writeln!(out, "        {:indent$}  {}", "", printer::safe(sentence));
    }
}
