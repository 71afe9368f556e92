//! Speed and memory on real repositories, as ratios against other programs in the same run.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use clap::Args;
use serde::Serialize;

use crate::measure::{self, Cost};
use crate::say;

/// Repositories of growing size.
const SIZES: &[&str] = &["tokio", "rust-analyzer", "django", "rust"];

/// Measure speed and memory
#[derive(Debug, Args)]
pub(crate) struct Bench {
    /// A folder with checkouts called tokio, rust-analyzer, django and rust; those missing are left out
    corpora: PathBuf,

    /// A Python with semble 0.7.0, to compare indexing with; `SEMBLE_MODEL_NAME` names its model folder
    #[arg(long)]
    semble: Option<PathBuf>,

    /// Write the figures as JSON, too
    #[arg(long)]
    json: Option<PathBuf>,
}

/// One figure, and the bar it is held against.
#[derive(Debug, Serialize)]
struct Figure {
    what: String,
    value: f64,
    unit: &'static str,
    bar: Option<f64>,
    met: Option<bool>,
}

struct Report(Vec<Figure>);

impl Report {
    /// A figure that must not exceed its bar.
    fn at_most(&mut self, what: impl Into<String>, value: f64, unit: &'static str, bar: f64) {
        self.add(what.into(), value, unit, Some(bar), value <= bar);
    }

    /// A figure that must reach its bar.
    fn at_least(&mut self, what: impl Into<String>, value: f64, unit: &'static str, bar: f64) {
        self.add(what.into(), value, unit, Some(bar), value >= bar);
    }

    /// A figure without a bar.
    fn plain(&mut self, what: impl Into<String>, value: f64, unit: &'static str) {
        self.add(what.into(), value, unit, None, true);
    }

    fn add(&mut self, what: String, value: f64, unit: &'static str, bar: Option<f64>, met: bool) {
        let against = bar
            .map(|bar| format!("   bar {bar} {unit}: {}", if met { "met" } else { "MISSED" }))
            .unwrap_or_default();
        say(&format!("{what:58} {value:10.2} {unit}{against}"));
        self.0.push(Figure { what, value, unit, bar, met: bar.map(|_| met) });
    }
}

impl Bench {
    pub(crate) fn run(self, root: &Path) -> Result<()> {
        let jari = build(root)?;
        let mut report = Report(Vec::new());
        let indexes = tempdir()?;
        let mut per_megabyte = Vec::new();
        for name in SIZES {
            let corpus = self.corpora.join(name);
            if !corpus.is_dir() {
                say(&format!("{name}: not in {}, left out", self.corpora.display()));
                continue;
            }
            let index = indexes.join(name);
            let cold = cold(&jari, &corpus, &index, if *name == "rust" { 1 } else { 3 })?;
            report.plain(format!("{name}: cold index, wall"), cold.wall, "s");
            report.plain(format!("{name}: cold index, CPU"), cold.cpu, "s");
            let megabytes = indexed_megabytes(&jari, &corpus, &index)?;
            report.plain(format!("{name}: text indexed"), megabytes, "MB");
            per_megabyte.push((name, cold.cpu / megabytes));
            let unchanged = measure::best(5, || Ok(command(&jari, &["update"], &corpus, &index)))?;
            report.plain(format!("{name}: nothing changed, wall"), unchanged.wall * 1e3, "ms");
            match *name {
                "tokio" => {
                    let first = first_answer(&jari, &corpus, &index)?;
                    report.at_most("tokio: first answer on an unindexed tree, wall", first.wall, "s", 1.5);
                }
                "rust-analyzer" => {
                    let search = measure::best(9, || {
                        Ok(command(&jari, &["search", "completion of method calls"], &corpus, &index))
                    })?;
                    report.at_most(
                        "rust-analyzer: whole search process, wall",
                        search.wall * 1e3,
                        "ms",
                        100.0,
                    );
                }
                "django" => {
                    self.against_semble(&corpus, cold, &mut report)?;
                    one_edit(&jari, &corpus, &indexes, unchanged, &mut report)?;
                    let (median, slow) = latency(root, &corpus, &index)?;
                    report.at_most("django: keyword query in process, p50", median, "ms", 1.0);
                    report.at_most("django: keyword query in process, p95", slow, "ms", 5.0);
                }
                _ => {
                    report.at_most("rust: peak memory of the cold index", cold.peak, "MB", 1024.0);
                    match measure::best(5, || Ok(listing(&corpus))) {
                        Ok(rg) => report.at_most(
                            "rust: nothing changed, times `rg --files`",
                            unchanged.wall / rg.wall,
                            "x",
                            2.5,
                        ),
                        Err(error) => say(&format!("`rg --files` is not compared: {error:#}")),
                    }
                }
            }
        }
        if let (Some((_, small)), Some((name, large))) = (per_megabyte.first(), per_megabyte.last()) {
            report.plain(format!("CPU a megabyte, {name} against tokio"), large / small, "x");
        }
        small_project(&jari, &indexes, &mut report)?;
        fs_err::remove_dir_all(&indexes)?;
        if let Some(path) = self.json {
            fs_err::write(path, serde_json::to_string_pretty(&report.0)?)?;
        }
        Ok(())
    }

    /// The same tree through semble's own index.
    fn against_semble(&self, corpus: &Path, ours: Cost, report: &mut Report) -> Result<()> {
        let Some(python) = &self.semble else {
            say("semble is not compared: give a Python that has it with --semble");
            return Ok(());
        };
        let program = "import sys; from semble import SembleIndex; SembleIndex.from_path(sys.argv[1])";
        let theirs = measure::best(2, || {
            let mut command = Command::new(python);
            command.args(["-c", program]).arg(corpus).env("HF_HUB_OFFLINE", "1");
            Ok(command)
        })?;
        report.at_least("django: CPU of semble / ours", theirs.cpu / ours.cpu, "x", 4.0);
        report.at_least("django: wall of semble / ours", theirs.wall / ours.wall, "x", 7.0);
        Ok(())
    }
}

fn build(root: &Path) -> Result<PathBuf> {
    let mut command = Command::new(env!("CARGO"));
    command
        .args(["build", "--release", "--quiet", "--package", "jari", "--message-format=json"])
        .current_dir(root);
    let output = command.output().context("building jari")?;
    ensure!(output.status.success(), "the build failed:\n{}", String::from_utf8_lossy(&output.stderr));
    let messages = String::from_utf8(output.stdout)?;
    let executable = messages
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .find_map(|message| message["executable"].as_str().map(PathBuf::from));
    executable.context("cargo names the executable")
}

fn command(jari: &Path, words: &[&str], corpus: &Path, index: &Path) -> Command {
    let mut command = Command::new(jari);
    command.args(words).arg(corpus).arg("--index-dir").arg(index).arg("--quiet");
    command
}

fn cold(jari: &Path, corpus: &Path, index: &Path, times: usize) -> Result<Cost> {
    measure::best(times, || {
        if index.exists() {
            fs_err::remove_dir_all(index)?;
        }
        Ok(command(jari, &["index"], corpus, index))
    })
}

fn first_answer(jari: &Path, corpus: &Path, index: &Path) -> Result<Cost> {
    let other = index.with_extension("first");
    measure::best(3, || {
        if other.exists() {
            fs_err::remove_dir_all(&other)?;
        }
        Ok(command(jari, &["search", "spawn a task"], corpus, &other))
    })
}

fn listing(corpus: &Path) -> Command {
    let mut command = Command::new("rg");
    command.args(["--files", "--hidden", "--no-require-git"]).arg(corpus);
    command
}

/// Megabytes of text in the index.
fn indexed_megabytes(jari: &Path, corpus: &Path, index: &Path) -> Result<f64> {
    let other = index.with_extension("count");
    let output = Command::new(jari)
        .args(["index", "--json", "--quiet", "--index-dir"])
        .arg(&other)
        .arg(corpus)
        .output()?;
    let update: serde_json::Value = serde_json::from_slice(&output.stdout).context("jari index --json")?;
    fs_err::remove_dir_all(&other)?;
    Ok(update["bytes"].as_f64().unwrap_or_default() / 1e6)
}

/// One file of a copy is edited; what the next search costs beyond one where nothing changed.
fn one_edit(jari: &Path, corpus: &Path, indexes: &Path, unchanged: Cost, report: &mut Report) -> Result<()> {
    let copy = indexes.join("edited");
    ensure!(
        Command::new("cp").arg("-r").arg(corpus).arg(&copy).status()?.success(),
        "copying the tree failed"
    );
    let index = indexes.join("edited-index");
    measure::run(&mut command(jari, &["index"], &copy, &index))?;
    let file = copy.join("django/db/models/query.py");
    let mut edits = 0;
    let edited = measure::best(5, || {
        edits += 1;
        let text = fs_err::read_to_string(&file)?;
        fs_err::write(&file, format!("{text}\n\ndef added_by_edit_{edits}():\n    return {edits}\n"))?;
        Ok(command(jari, &["search", "added_by_edit"], &copy, &index))
    })?;
    report.at_most(
        "django: one file edited, CPU beyond the walk",
        (edited.cpu - unchanged.cpu).max(0.0) * 1e3,
        "ms",
        150.0,
    );
    report.plain("django: one file edited, whole search, wall", edited.wall * 1e3, "ms");
    Ok(())
}

/// Median and 95th percentile in milliseconds, by the engine's own example.
fn latency(root: &Path, corpus: &Path, index: &Path) -> Result<(f64, f64)> {
    let mut command = Command::new(env!("CARGO"));
    command.args(["run", "--release", "--quiet", "--package", "jari-engine", "--example", "latency", "--"]);
    let output = command.arg(corpus).arg(index).current_dir(root).output()?;
    ensure!(output.status.success(), "the example failed:\n{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout)?;
    let mut figures = text.split_whitespace().filter_map(|word| word.parse().ok());
    figures.next().zip(figures.next()).context("two figures")
}

fn small_project(jari: &Path, indexes: &Path, report: &mut Report) -> Result<()> {
    let project = indexes.join("small");
    fs_err::create_dir_all(&project)?;
    for number in 0..100 {
        fs_err::write(
            project.join(format!("file_{number}.py")),
            format!("def function_{number}():\n    return {number}\n"),
        )?;
    }
    let index = indexes.join("small-index");
    measure::run(&mut command(jari, &["index"], &project, &index))?;
    let unchanged = measure::best(9, || Ok(command(jari, &["update"], &project, &index)))?;
    report.at_most("100 files: nothing changed, wall", unchanged.wall * 1e3, "ms", 50.0);
    Ok(())
}

fn tempdir() -> Result<PathBuf> {
    let folder = std::env::temp_dir().join(format!("jari-bench-{}", std::process::id()));
    fs_err::create_dir_all(&folder)?;
    Ok(folder)
}
