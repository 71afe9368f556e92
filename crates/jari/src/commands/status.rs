//! `jari status`

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use jari_engine::status::{self, Status as State};
use jari_wire::StatusJson;

use super::Global;
use crate::failure::Outcome;
use crate::index::Index;
use crate::models;
use crate::printer::{self, FAINT, NAME};

/// Show what the index holds and how far it is from the working tree
///
/// Looks only; nothing is indexed. Exit code 1 if there is no index.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  jari status\n  jari status --skipped\n  jari status --json | jq .stale")]
pub(crate) struct Status {
    /// The project
    #[arg(default_value = ".")]
    folder: PathBuf,

    /// List the files that are not indexed, with the reason
    #[arg(long)]
    skipped: bool,
}

impl Status {
    pub(crate) fn run(self, global: &Global) -> Outcome {
        let Self { folder, skipped } = self;
        let mut index = Index::find(&folder, global)?;
        let project = index.project.clone();
        let most = index.settings.trigrams.max_doc_freq;
        let looked = index.look(|snapshot| {
            let files = skipped.then(|| status::skipped(snapshot)).transpose()?;
            Ok((status::status(&project, snapshot, most)?, files))
        })?;
        let (state, files) = looked.map_or((None, None), |(_, (state, files))| (Some(state), files));
        if !global.quiet {
            printer::talk_notes(&index.notes);
        }
        let (model, sends) = (models::named(&index), models::sends(&index));
        let found = state.is_some();
        let (root, folder) = (index.project.root.display().to_string(), index.folder.display().to_string());
        if global.json {
            printer::json(&StatusJson::new(root, folder, state, files, (model, sends), index.notes))?;
        } else {
            let mut out = String::new();
            let _ = writeln!(out, "project   {}", printer::safe(&root));
            let _ = writeln!(out, "index     {}", printer::safe(&folder));
            match (&state, files) {
                (None, _) => {
                    let _ = writeln!(
                        out,
                        "state     {NAME}none{NAME:#} · `jari index` makes one, `jari search` does it by itself"
                    );
                }
                (Some(state), files) => {
                    text(&mut out, state, &model);
                    for (path, reason) in files.unwrap_or_default() {
                        let _ = writeln!(out, "{FAINT}{reason:>10}{FAINT:#}  {}", printer::safe(&path));
                    }
                }
            }
            let sends = if sends.is_empty() { "nothing".to_owned() } else { sends.join(" · ") };
            let _ = writeln!(out, "sends     {}", printer::safe(&sends));
            printer::data(&out)?;
        }
        Ok(found)
    }
}

fn text(out: &mut String, state: &State, model: &str) {
    let State { generation, files, skipped, languages, stale, statistics, grams, query, vector_query } =
        state;
    let fresh = if stale.is_fresh() {
        "fresh".to_owned()
    } else {
        format!("stale: {} changed, {} removed since (jari update)", stale.changed, stale.removed)
    };
    let _ = writeln!(out, "state     {NAME}{fresh}{NAME:#} · generation {}", generation.0);
    let counts = [(*files, "file"), (statistics.chunks, "chunk"), (statistics.symbols, "symbol")];
    let counts: Vec<String> = counts.iter().map(|(number, thing)| printer::plural(*number, thing)).collect();
    let _ = writeln!(out, "holds     {}", counts.join(" · "));
    let sizes = (printer::bytes(statistics.row_bytes), printer::bytes(statistics.posting_bytes));
    let _ = writeln!(out, "size      {} rows · {} postings", sizes.0, sizes.1);
    let build = Duration::from_millis(statistics.build_ms);
    let _ = writeln!(
        out,
        "keywords  built in {} · {} a search",
        printer::duration(build),
        printer::duration(*query)
    );
    let _ = writeln!(
        out,
        "trigrams  {} · {} too common to narrow · {} always looked at",
        printer::count(grams.grams),
        printer::count(grams.common),
        printer::plural(grams.uncut, "file")
    );
    let vectors = match statistics.vectors {
        None => "off".to_owned(),
        Some(vectors) => {
            let mut said = format!(
                "{} · {} · {} · {} without · built in {}",
                printer::count(vectors.count),
                vectors.backend,
                printer::bytes(vectors.bytes),
                printer::plural(vectors.missing, "chunk"),
                printer::duration(Duration::from_millis(vectors.build_ms))
            );
            if let Some(query) = vector_query {
                let _ = write!(said, " · {} a search", printer::duration(*query));
            }
            said
        }
    };
    let _ = writeln!(out, "vectors   {vectors}");
    let _ = writeln!(out, "model     {}", printer::safe(model));
    let languages: Vec<String> =
        languages.iter().map(|(name, count)| format!("{name} {}", printer::count(*count as u64))).collect();
    let _ = writeln!(out, "languages {}", languages.join(" · "));
    let reasons: Vec<String> =
        skipped.iter().map(|(reason, count)| format!("{reason} {}", printer::count(*count as u64))).collect();
    let reasons = if reasons.is_empty() { "nothing".to_owned() } else { reasons.join(" · ") };
    let _ = writeln!(out, "skipped   {reasons}");
}
