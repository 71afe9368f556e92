//! `jari drift`

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use jari_engine::drift::{DriftReport, Finding, drift, drift_since};
use jari_store::Snapshot;
use jari_wire::DriftJson;

use super::Global;
use crate::failure::{Failure, Outcome};
use crate::index::Index;
use crate::printer::{self, FAINT, NAME, PATH};
use crate::progress::Reporter;

/// Find sections of documents that the code has left behind
///
/// Names in code spans that are nowhere in the code, though a commit took them out, or though their type is there; files that are not
/// there, though their folder is. With `--since`, sections that name what was removed, renamed, moved or declared otherwise since a
/// revision, the most likely first. Changelogs, blogs and whatever else tells of the past may name what is gone. Exit codes: 0 none, 1 some, 2 error.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  jari drift\n  jari drift --since origin/main\n  jari drift --write-baseline drift.txt      today's findings are known\n  jari drift --baseline drift.txt            fails on new ones: for CI"
)]
pub(crate) struct Drift {
    /// The project, or a folder of it
    #[arg(default_value = ".")]
    folder: PathBuf,

    /// Look at what changed since this revision of Git
    #[arg(long, value_name = "REV")]
    since: Option<String>,

    /// Leave out findings that this file lists
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,

    /// Write the findings to a baseline file, and exit with 0
    #[arg(long, value_name = "FILE", conflicts_with = "baseline")]
    write_baseline: Option<PathBuf>,
}

impl Drift {
    pub(crate) fn run(self, global: &Global) -> Outcome {
        let Self { folder, since, baseline, write_baseline } = self;
        let known = baseline.as_deref().map(read).transpose()?.unwrap_or_default();
        let mut index = Index::find(&folder, global)?;
        let within = index.narrowed(jari_base::Filter::default());
        let reporter = Reporter::new(global.quiet);
        let project = index.project.clone();
        let ask = |snapshot: &dyn Snapshot| match &since {
            None => drift(&project, snapshot, &within),
            Some(revision) => drift_since(&project, snapshot, revision, &within),
        };
        let (ready, mut report) = index.sync_rows_first(&reporter, ask)?;
        if !global.quiet {
            printer::talk_notes(&index.notes);
            printer::talk_notes(&report.notes);
        }
        reporter.finish(&ready.update);
        if let Some(path) = write_baseline {
            write(&path, &report, global)?;
            if global.json {
                printer::json(&DriftJson::new(since, report, 0, Index::describe(&ready)))?;
            }
            return Ok(true);
        }
        let all = report.findings.len();
        report.findings.retain(|finding| !known.contains(&finding.key()));
        let left_out = all - report.findings.len();
        let clean = report.findings.is_empty();
        if global.json {
            printer::json(&DriftJson::new(since, report, left_out, Index::describe(&ready)))?;
        } else {
            printer::data(&text(&report.findings))?;
            if !global.quiet {
                let found = printer::plural(report.findings.len() as u64, "finding");
                let looked = printer::plural(report.sections as u64, "section");
                let known = if left_out > 0 { format!(" · {left_out} known") } else { String::new() };
                printer::talk(&format!("{FAINT}{found} in {looked}{known}{FAINT:#}"));
            }
        }
        Ok(clean)
    }
}

fn text(findings: &[Finding]) -> String {
    let mut out = String::new();
    for finding in findings {
        let titles = printer::heading_path(None, &finding.heading_path);
        let near = match finding.near.is_empty() {
            true => String::new(),
            false => format!(" · today: {}", finding.near.join(", ")),
        };
        let _ = writeln!(
            out,
            "{PATH}{}:{}{PATH:#} · {NAME}{}{NAME:#}  {}{FAINT}{near} · {titles}  {:.1}{FAINT:#}",
            printer::safe(&finding.path),
            finding.line,
            printer::safe(&finding.name),
            printer::safe(&finding.reason.to_string()),
            finding.likelihood
        );
    }
    out
}

fn read(path: &Path) -> Result<HashSet<String>, Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| {
        Failure::argument(
            format!("`{}` cannot be read: {error}", path.display()),
            "`jari drift --write-baseline FILE` makes one",
        )
    })?;
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    if let Some(other) = lines.clone().find(|line| !is_key(line)) {
        let shown: String = other.chars().take(40).collect();
        return Err(Failure::argument(
            format!("`{}` is no baseline: \"{shown}\" is no finding", path.display()),
            "`jari drift --write-baseline FILE` makes one",
        ));
    }
    Ok(lines.map(str::to_owned).collect())
}

/// `path#section name`, as [`Finding::key`] has it.
fn is_key(line: &str) -> bool {
    line.split_once('#').is_some_and(|(path, rest)| {
        !path.trim().is_empty() && !path.starts_with(char::is_whitespace) && rest.contains(' ')
    })
}

fn write(path: &Path, report: &DriftReport, global: &Global) -> Result<(), Failure> {
    let mut lines: Vec<String> = report.findings.iter().map(Finding::key).collect();
    lines.sort();
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    std::fs::write(path, text).map_err(|error| {
        Failure::argument(format!("`{}` cannot be written: {error}", path.display()), "check the path")
    })?;
    if !global.quiet {
        let found = printer::plural(lines.len() as u64, "finding");
        printer::talk(&format!("{FAINT}{found} written to {}{FAINT:#}", path.display()));
    }
    Ok(())
}
