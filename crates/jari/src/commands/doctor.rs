//! `jari doctor`

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use jari_engine::status;
use jari_wire::{CheckJson, DoctorJson};

use super::install::{folders, text_of};
use super::{Global, mcp};
use crate::agents::{self, Agent, Folders, Scope, Value};
use crate::failure::Outcome;
use crate::index::Index;
use crate::printer::{self, FAINT, NAME};

/// Check the program, the index and the agents' settings, and say what to type
///
/// Looks only. Exit code 1 if something is wrong.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  jari doctor\n  jari doctor ~/src/project --json")]
pub(crate) struct Doctor {
    /// The project
    #[arg(default_value = ".")]
    folder: PathBuf,
}

impl Doctor {
    pub(crate) fn run(self, global: &Global) -> Outcome {
        let Self { folder } = self;
        let mut checks = vec![program()];
        checks.extend(project(&folder, global)?);
        let folders = folders()?;
        let here: Vec<Agent> =
            Agent::value_variants().iter().copied().filter(|agent| agent.is_here(&folders)).collect();
        if here.is_empty() {
            checks.push(right("agents", "none was found on this machine"));
        }
        checks.extend(here.into_iter().map(|agent| told(agent, &folders)));
        let healthy = checks.iter().all(|check| check.ok);
        if global.json {
            printer::json(&DoctorJson { healthy, checks })?;
        } else {
            printer::data(&text(&checks))?;
        }
        Ok(healthy)
    }
}

fn right(about: &str, message: impl Into<String>) -> CheckJson {
    CheckJson { about: about.to_owned(), ok: true, message: message.into(), hint: None }
}

fn wrong(about: &str, message: impl Into<String>, hint: impl Into<String>) -> CheckJson {
    CheckJson { about: about.to_owned(), ok: false, message: message.into(), hint: Some(hint.into()) }
}

/// Whether what is typed as `jari` is this program.
fn program() -> CheckJson {
    let version = env!("CARGO_PKG_VERSION");
    let own = std::env::current_exe().and_then(|own| own.canonicalize()).unwrap_or_default();
    match agents::on_path(agents::NAME).map(|found| found.canonicalize().unwrap_or(found)) {
        Some(found) if found == own => right("program", format!("{version} at {}", own.display())),
        Some(found) => wrong(
            "program",
            format!("this is {}, but `jari` is {}", own.display(), found.display()),
            "remove one of them, or change the order of PATH",
        ),
        None => wrong(
            "program",
            format!("{version} at {}, which is not on PATH", own.display()),
            format!("add {} to PATH", own.parent().unwrap_or(Path::new(".")).display()),
        ),
    }
}

/// The project, whether its index can be written, and what it holds.
fn project(folder: &Path, global: &Global) -> Result<Vec<CheckJson>, crate::failure::Failure> {
    let mut index = Index::find(folder, global)?;
    index.check_folder()?;
    let root = index.project.root.clone();
    let mut checks = vec![match mcp::refuse_home(&root) {
        Ok(()) => right("project", root.display().to_string()),
        Err(_) => {
            wrong("project", format!("`{}` is no project", root.display()), "go to one: cd ~/src/project")
        }
    }];
    checks.extend(index.notes.iter().map(|note| right("note", note.clone())));
    let place = index.folder.display().to_string();
    checks.push(match writable(&index.folder) {
        true => right("permissions", format!("{place} can be written")),
        false => {
            wrong("permissions", format!("{place} cannot be written"), "choose another: --index-dir DIR")
        }
    });
    let project = index.project.clone();
    let most = index.settings.trigrams.max_doc_freq;
    let looked = index.look(|snapshot| status::status(&project, snapshot, most))?;
    checks.push(match looked {
        None => right("index", "none yet: the first search makes it"),
        Some((_, state)) if state.stale.is_fresh() => right("index", format!("fresh, {} files", state.files)),
        Some((_, state)) => right(
            "index",
            format!(
                "{} changed, {} removed since; the next search brings it up to date",
                state.stale.changed, state.stale.removed
            ),
        ),
    });
    checks.extend(watches(&root));
    Ok(checks)
}

/// Whether the nearest folder that is there lets files be made.
fn writable(folder: &Path) -> bool {
    let there = folder.ancestors().find(|folder| folder.is_dir());
    there.is_some_and(|there| tempfile_in(there).is_ok())
}

fn tempfile_in(folder: &Path) -> std::io::Result<()> {
    let probe = folder.join(format!(".jari-doctor-{}", std::process::id()));
    std::fs::OpenOptions::new().write(true).create_new(true).open(&probe)?;
    std::fs::remove_file(probe)
}

/// Whether the system gives out enough watches for the folders of the project. Only Linux counts them.
fn watches(root: &Path) -> Option<CheckJson> {
    let most = std::fs::read_to_string("/proc/sys/fs/inotify/max_user_watches").ok()?;
    let most: usize = most.trim().parse().ok()?;
    let needed = jari_source::folders(root).len();
    Some(match needed * 2 <= most {
        true => right("watching", format!("{needed} folders of {most} watches")),
        false => wrong(
            "watching",
            format!("{needed} folders, and the system gives out {most} watches: changes will be polled for"),
            "sudo sysctl fs.inotify.max_user_watches=524288",
        ),
    })
}

/// Whether an agent is told about this program, in one of its files.
fn told(agent: Agent, folders: &Folders) -> CheckJson {
    let title = agent.title();
    for scope in [Scope::User, Scope::Project] {
        let Some(place) = agent.place(scope, folders) else { continue };
        let file = place.file.display();
        let text = match text_of(&place.file) {
            Ok(Some(text)) => text,
            Ok(None) => continue,
            Err(_) => return wrong(title, format!("{file} cannot be read"), "check its permissions"),
        };
        match agents::find(&text, &place) {
            Err(why) => return wrong(title, format!("{file} cannot be used: {why}"), "mend it"),
            Ok(None) => {}
            Ok(Some(entry)) => {
                let command = command(&entry);
                let found = command.as_deref().is_some_and(|command| {
                    Path::new(command).is_file() || agents::on_path(command).is_some()
                });
                let hint = format!("jari install --agent {} --yes", agent.word());
                return match found {
                    true => right(title, format!("told in {file}")),
                    false => wrong(
                        title,
                        format!("{file} names `{}`, which is not there", command.unwrap_or_default()),
                        hint,
                    ),
                };
            }
        }
    }
    // An agent that was never told is no fault.
    CheckJson {
        hint: Some(format!("jari install --agent {}", agent.word())),
        ..right(title, "not told about Jari")
    }
}

/// The program that an entry starts.
fn command(entry: &Value) -> Option<String> {
    let Value::Table(fields) = entry else { return None };
    match &fields.iter().find(|(key, _)| key == "command")?.1 {
        Value::Text(command) => Some(command.clone()),
        Value::List(words) => words
            .first()
            .and_then(|word| if let Value::Text(word) = word { Some(word.clone()) } else { None }),
        Value::Table(_) => None,
    }
}

fn text(checks: &[CheckJson]) -> String {
    let mut out = String::new();
    for check in checks {
        let mark = if check.ok { "ok" } else { "wrong" };
        let _ = writeln!(out, "{mark:<6}{NAME}{}{NAME:#} · {}", check.about, printer::safe(&check.message));
        if let Some(hint) = &check.hint {
            let _ = writeln!(out, "      {FAINT}{}{FAINT:#}", printer::safe(hint));
        }
    }
    out
}
