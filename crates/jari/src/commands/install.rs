//! `jari install`

use std::fmt::Write as _;
use std::io::{IsTerminal, Write as _};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use jari_wire::{InstallJson, InstalledJson};

use super::Global;
use crate::agents::{self, Agent, Folders, Place, Scope};
use crate::failure::{Failure, Outcome};
use crate::printer::{self, FAINT, NAME, PATH};

/// Tell coding agents about Jari
///
/// Finds the agents on this machine, shows the exact change to the settings of each, and writes it. Everything else in
/// the files, comments too, stays as it is; `jari uninstall` undoes it.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  jari install\n  jari install --agent claude --scope project\n  jari install --dry-run\n  jari install --agent codex --agent cursor --yes"
)]
pub(crate) struct Install {
    #[command(flatten)]
    which: Which,
}

/// Which settings of which agents.
#[derive(Debug, Args)]
pub(super) struct Which {
    /// Which agent (repeat for several; `all` for all that are found) [default: all]
    #[arg(long, value_name = "AGENT", value_enum)]
    agent: Vec<Choice>,

    /// Whose settings
    #[arg(long, value_enum, default_value_t = Scope::User)]
    scope: Scope,

    /// Show the change and write nothing
    #[arg(long)]
    dry_run: bool,

    /// Do not ask
    #[arg(long, short)]
    yes: bool,
}

/// An agent, or all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Choice {
    All,
    One(Agent),
}

impl ValueEnum for Choice {
    fn value_variants<'a>() -> &'a [Self] {
        use Agent::*;
        const ALL: &[Choice] = &[
            Choice::One(Claude),
            Choice::One(Codex),
            Choice::One(Cursor),
            Choice::One(Vscode),
            Choice::One(Zed),
            Choice::One(Windsurf),
            Choice::One(Gemini),
            Choice::One(Opencode),
            Choice::All,
        ];
        ALL
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        match self {
            Self::All => Some(clap::builder::PossibleValue::new("all")),
            Self::One(agent) => agent.to_possible_value(),
        }
    }
}

impl Install {
    pub(crate) fn run(self, global: &Global) -> Outcome {
        let program = std::env::current_exe().and_then(|program| program.canonicalize());
        let program = program.map_err(|error| {
            Failure::argument(
                format!("the path of this program is not known: {error}"),
                "run it by its full path",
            )
        })?;
        self.which.change("install", global, &|agent, scope, place, text| {
            let entry = agent.entry(scope, &program);
            match agents::find(text, place)? {
                Some(found) if found == entry => Ok(text.to_owned()),
                _ => agents::with(text, place, &entry),
            }
        })
    }
}

/// A file that is to change.
struct Change {
    agent: Agent,
    place: Place,
    before: Option<String>,
    /// `None`: the file goes.
    after: Option<String>,
}

/// What becomes of a file's text.
type Edit<'a> = &'a dyn Fn(Agent, Scope, &Place, &str) -> Result<String, String>;

impl Which {
    /// Shows what `edit` changes in the settings of the chosen agents, and writes it.
    pub(super) fn change(&self, verb: &'static str, global: &Global, edit: Edit<'_>) -> Outcome {
        let folders = folders()?;
        let chosen = self.chosen(&folders)?;
        let mut changes = Vec::new();
        for agent in chosen {
            let Some(place) = agent.place(self.scope, &folders) else {
                return Err(Failure::argument(
                    format!("{} has no settings of a project", agent.title()),
                    format!("jari {verb} --agent {} --scope user", agent.word()),
                ));
            };
            let before = text_of(&place.file)?;
            let text = before.as_deref().unwrap_or_default();
            let after = edit(agent, self.scope, &place, text).map_err(|why| unusable(&place.file, &why))?;
            let after = restored(verb, &place.file, before.as_deref(), after);
            changes.push(Change { agent, place, before, after });
        }
        if global.json && !self.dry_run && !self.yes {
            return Err(Failure::argument("with --json nobody can be asked", "add --yes, or --dry-run"));
        }
        let shown: String = changes.iter().map(|change| show(verb, change)).collect();
        if !global.json {
            printer::data(&shown)?;
        }
        let pending = changes.iter().any(|change| change.before != change.after);
        if pending && !self.dry_run {
            if !self.yes && !agreed()? {
                printer::talk("nothing was written");
                return Ok(false);
            }
            for change in changes.iter().filter(|change| change.before != change.after) {
                write(verb, change)?;
            }
        }
        if global.json {
            let json = changes.iter().map(|change| InstalledJson {
                agent: change.agent.word(),
                file: change.place.file.display().to_string(),
                changed: change.before != change.after,
                diff: diff(
                    change.before.as_deref().unwrap_or_default(),
                    change.after.as_deref().unwrap_or_default(),
                ),
            });
            printer::json(&InstallJson { written: pending && !self.dry_run, agents: json.collect() })?;
        } else if pending && !global.quiet {
            let next = match (self.dry_run, verb) {
                (true, _) => "nothing was written: this is what would be",
                (false, "install") => {
                    "done; restart the agents, then ask one: \"where is … in this project?\""
                }
                (false, _) => "done; restart the agents",
            };
            printer::talk(&format!("{FAINT}{next}{FAINT:#}"));
        }
        Ok(!changes.is_empty())
    }

    fn chosen(&self, folders: &Folders) -> Result<Vec<Agent>, Failure> {
        let mut chosen: Vec<Agent> = Vec::new();
        for choice in &self.agent {
            if let Choice::One(agent) = choice
                && !chosen.contains(agent)
            {
                chosen.push(*agent);
            }
        }
        if self.agent.is_empty() || self.agent.contains(&Choice::All) {
            let here = Agent::value_variants().iter().copied().filter(|agent| agent.is_here(folders));
            let fits = here.filter(|agent| agent.place(self.scope, folders).is_some());
            chosen
                .extend(fits.filter(|agent| !self.agent.contains(&Choice::One(*agent))).collect::<Vec<_>>());
        }
        if chosen.is_empty() {
            return Err(Failure::argument(
                "no coding agent was found on this machine",
                "name one: jari install --agent claude",
            ));
        }
        Ok(chosen)
    }
}

/// Where settings are looked for: the user's folders, and the project we stand in.
pub(super) fn folders() -> Result<Folders, Failure> {
    let project = jari_source::locate(Path::new("."))?.root;
    Folders::new(&project).ok_or_else(|| Failure::argument("there is no home folder", "set HOME"))
}

/// The text of a file; `None` if there is none.
pub(super) fn text_of(file: &Path) -> Result<Option<String>, Failure> {
    match std::fs::read_to_string(file) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unusable(file, &error.to_string())),
    }
}

/// What undoing leaves: every byte as it was, where nobody else wrote since; no file, where there was none.
fn restored(verb: &str, file: &Path, before: Option<&str>, after: String) -> Option<String> {
    let Some(now) = before.filter(|now| verb == "uninstall" && *now != after) else {
        return (before.is_some() || !after.is_empty()).then_some(after);
    };
    agents::original(file, now).unwrap_or(Some(after))
}

fn unusable(file: &Path, why: &str) -> Failure {
    Failure::setting(
        format!("`{}` cannot be used: {why}", file.display()),
        "mend it, or choose other agents with --agent",
    )
}

fn show(verb: &str, change: &Change) -> String {
    let Change { agent, place, before, after } = change;
    let mut out = String::new();
    let file = printer::safe(&place.file.display().to_string());
    let (before, after) = (before.as_deref().unwrap_or_default(), after.as_deref().unwrap_or_default());
    let state = match (before == after, verb) {
        (true, "install") => "is told already",
        (true, _) => "is not told",
        (false, _) => "changes",
    };
    let _ = writeln!(out, "{NAME}{}{NAME:#} {state} · {PATH}{file}{PATH:#}", agent.title());
    for line in diff(before, after).lines() {
        let _ = writeln!(out, "  {}", printer::safe(line));
    }
    out
}

/// The lines that differ, with two around them.
fn diff(before: &str, after: &str) -> String {
    const AROUND: usize = 2;
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let same_start = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let rest = old.len().min(new.len()) - same_start;
    let same_end =
        old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(old, new)| old == new).count();
    let mut out = String::new();
    if same_start == old.len() && same_start == new.len() {
        return out;
    }
    let mut lines = |mark: &str, lines: &[&str]| {
        for line in lines {
            let _ = writeln!(out, "{mark} {line}");
        }
    };
    lines(" ", &old[same_start.saturating_sub(AROUND)..same_start]);
    lines("-", &old[same_start..old.len() - same_end]);
    lines("+", &new[same_start..new.len() - same_end]);
    lines(" ", &new[new.len() - same_end..(new.len() - same_end + AROUND).min(new.len())]);
    out
}

/// Asks the user.
fn agreed() -> Result<bool, Failure> {
    if !std::io::stdin().is_terminal() {
        return Err(Failure::argument(
            "nobody can be asked whether to write this",
            "add --yes, or --dry-run",
        ));
    }
    // With stderr closed nobody sees the question, and no answer comes.
    let _ = write!(anstream::stderr(), "write this? [y/N] ");
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer).map_err(Failure::Output)?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

/// Writes a file whole or not at all, where it really is if it is a link.
fn write(verb: &str, change: &Change) -> Result<(), Failure> {
    let Change { place, before, after, .. } = change;
    let file: PathBuf = place.file.canonicalize().unwrap_or_else(|_| place.file.clone());
    let cannot = |error: std::io::Error| unusable(&file, &error.to_string());
    match after {
        None => std::fs::remove_file(&file).map_err(cannot)?,
        Some(after) => {
            if let Some(folder) = file.parent() {
                std::fs::create_dir_all(folder).map_err(cannot)?;
            }
            let mut name = file.file_name().unwrap_or_default().to_owned();
            name.push(format!(".jari-{}", std::process::id()));
            let beside = file.with_file_name(name);
            let written = std::fs::write(&beside, after)
                .and_then(|()| match std::fs::metadata(&file) {
                    Ok(metadata) => std::fs::set_permissions(&beside, metadata.permissions()),
                    Err(_) => Ok(()),
                })
                .and_then(|()| std::fs::rename(&beside, &file));
            written.inspect_err(|_| drop(std::fs::remove_file(&beside))).map_err(cannot)?;
        }
    }
    match (verb, after) {
        ("install", Some(after)) => agents::remember(&place.file, before.as_deref(), after),
        _ => agents::forget(&place.file),
    }
    Ok(())
}
