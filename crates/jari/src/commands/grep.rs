//! `jari grep`

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::Args;
use jari_engine::grep::{FileMatches, GrepRequest, GrepSummary, MatchLine, Wanted, grep, plan};
use jari_store::Snapshot;
use jari_wire::GrepJson;

use super::{Global, Narrow};
use crate::failure::Outcome;
use crate::index::{Index, Ready};
use crate::printer::{self, FAINT, PATH};
use crate::progress::Reporter;

/// Stands between lines that do not follow each other, where lines around matches are shown.
const GAP: &str = "--\n";

/// A reader at a terminal notices no difference, and a write for each file would take as long as the look at it.
const PRINTED_AT_ONCE: usize = 32 * 1024;

/// Find the lines that a regular expression matches
///
/// The syntax and the lines are ripgrep's. The index tells which files are worth a look; what is printed is what stands in
/// them now. Files that are not indexed (jari status --skipped) are not looked at.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  jari grep 'fn \\w+_with_backoff'\n  jari grep -F 'a[0]' src -C 2\n  jari grep -i 'todo|fixme' --lang rust -c\n  jari grep '결제' --path 'docs/**' --json"
)]
pub(crate) struct Grep {
    /// A regular expression; with -F the text itself
    pattern: String,

    /// The project, or a folder of it
    #[arg(default_value = ".")]
    folder: PathBuf,

    /// Upper and lower case are equal
    #[arg(long, short)]
    ignore_case: bool,

    /// The pattern is no expression but the text itself
    #[arg(long, short = 'F')]
    fixed_strings: bool,

    /// Only whole words
    #[arg(long, short)]
    word_regexp: bool,

    /// Print only how many lines of each file match
    #[arg(long, short, conflicts_with = "files_with_matches")]
    count: bool,

    /// Print only the paths of files with a match
    #[arg(long, short = 'l')]
    files_with_matches: bool,

    /// Lines to show after each match
    #[arg(long, short = 'A', value_name = "N")]
    after_context: Option<u16>,

    /// Lines to show before each match
    #[arg(long, short = 'B', value_name = "N")]
    before_context: Option<u16>,

    /// Lines to show before and after each match
    #[arg(long, short = 'C', value_name = "N", default_value_t = 0)]
    context: u16,

    /// Matching lines of one file, at most
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    max_count: Option<u64>,

    /// Matching lines in all, at most
    #[arg(long, short = 'k', value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    limit: Option<u64>,

    /// Only files in this language (repeat for several)
    #[arg(long, value_name = "LANGUAGE")]
    lang: Vec<String>,

    /// Only files whose path matches this glob; a folder stands for all below it (repeat for several)
    #[arg(long, value_name = "GLOB")]
    path: Vec<String>,

    /// Look only at files the index knows to hold it, without looking for changes
    #[arg(long)]
    no_update: bool,
}

impl Grep {
    pub(crate) fn run(self, global: &Global) -> Outcome {
        let Self {
            pattern,
            folder,
            ignore_case,
            fixed_strings,
            word_regexp,
            count,
            files_with_matches,
            after_context,
            before_context,
            context,
            max_count,
            limit,
            lang,
            path,
            no_update,
        } = self;
        let wanted = match (count, files_with_matches) {
            (true, _) => Wanted::Count,
            (_, true) => Wanted::File,
            _ => Wanted::Lines {
                before: before_context.unwrap_or(context).into(),
                after: after_context.unwrap_or(context).into(),
            },
        };
        let filter = Narrow { lang, path }.filter(None)?;
        let mut index = Index::find(&folder, global)?;
        let request = GrepRequest {
            pattern,
            literal: fixed_strings,
            ignore_case,
            word: word_regexp,
            filter: index.narrowed(filter),
            wanted,
            max_count,
            limit,
            max_gram_frequency: index.settings.trigrams.max_doc_freq,
        };
        request.check()?;
        let reporter = Reporter::new(global.quiet);
        let ask = |snapshot: &dyn Snapshot| plan(snapshot, &request);
        let looked = if no_update { index.look_at_rows(ask)? } else { None };
        let (ready, plan) = match looked {
            Some(looked) => looked,
            None => index.sync_rows(&reporter, ask)?,
        };
        if !global.quiet {
            printer::talk_notes(&index.notes);
        }
        reporter.finish(&ready.update);
        if global.json {
            let mut files = Vec::new();
            let summary = grep(&index.project, &request, plan, &mut |found| {
                files.push(found);
                true
            })?;
            let found = summary.files > 0;
            printer::json(&GrepJson::new(&request, files, summary, Index::describe(&ready), index.notes))?;
            return Ok(found);
        }
        let (mut printed, mut is_first, mut out) = (Ok(()), true, String::new());
        let summary = grep(&index.project, &request, plan, &mut |found| {
            let gap = if request.has_context() && !is_first { GAP } else { "" };
            out.push_str(gap);
            out.push_str(&text(&request, &found));
            is_first = false;
            if out.len() >= PRINTED_AT_ONCE {
                printed = printer::data(&out);
                out.clear();
            }
            printed.is_ok()
        })?;
        printed.and_then(|()| printer::data(&out))?;
        if !global.quiet {
            talk(&summary, &ready);
        }
        Ok(summary.files > 0)
    }
}

fn text(request: &GrepRequest, found: &FileMatches) -> String {
    let path = printer::safe(&found.path);
    match request.wanted {
        Wanted::File => format!("{PATH}{path}{PATH:#}\n"),
        Wanted::Count => format!("{PATH}{path}{PATH:#}:{}\n", found.count),
        Wanted::Lines { .. } => {
            let mut out = String::new();
            let mut last = None;
            for line in &found.lines {
                if request.has_context() && last.is_some_and(|last| last + 1 < line.number) {
                    out.push_str(GAP);
                }
                last = Some(line.number);
                matching(&mut out, &path, line);
            }
            out
        }
    }
}

/// `path:12:text` for a match, `path-13-text` near one.
fn matching(out: &mut String, path: &str, line: &MatchLine) {
    let mark = if line.is_match { ':' } else { '-' };
    let _ = write!(out, "{PATH}{path}{PATH:#}{mark}{}{mark}", line.number);
    printer::marked(out, &line.text, &line.matches);
    out.push('\n');
}

fn talk(summary: &GrepSummary, ready: &Ready) {
    let GrepSummary { files, lines, looked_at, of, cut, unreadable, took } = summary;
    let mut said = match files {
        0 => "nothing found".to_owned(),
        _ => format!("{} in {}", printer::plural(*lines, "line"), printer::plural(*files, "file")),
    };
    let _ = write!(said, " · {}", printer::duration(*took));
    let _ = write!(said, " · {} of {} looked at", printer::count(*looked_at), printer::plural(*of, "file"));
    let _ = write!(said, " · {}", ready.said());
    if *cut {
        said.push_str(" · there may be more (--limit)");
    }
    let gap = if *files == 0 { "" } else { "\n" };
    printer::talk(&format!("{gap}{FAINT}{said}{FAINT:#}"));
    let unreadable: Vec<String> = unreadable
        .iter()
        .map(|(path, reason)| format!("`{path}` was not looked at: it is {reason}"))
        .collect();
    printer::talk_notes(&unreadable);
}
