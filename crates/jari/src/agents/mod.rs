//! The agents that can use Jari: where each keeps its settings, and what Jari's entry looks like there.

mod edit;
mod undo;

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use etcetera::BaseStrategy;

pub(crate) use edit::{Value, find, with, without};
pub(crate) use undo::{forget, original, remember};

/// The name of our entry.
pub(crate) const NAME: &str = "jari";

/// A coding agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Agent {
    /// Claude Code
    Claude,
    /// OpenAI Codex
    Codex,
    /// Cursor
    Cursor,
    /// Visual Studio Code
    Vscode,
    /// Zed
    Zed,
    /// Windsurf
    Windsurf,
    /// Gemini CLI
    Gemini,
    /// opencode
    Opencode,
}

/// For whom an agent is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Scope {
    /// For you, in every project
    User,
    /// For everybody who works on this project: a file to check in
    Project,
}

/// A file of settings and where our entry goes in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) file: PathBuf,
    pub(crate) format: Format,
    /// The names from the top to the table of servers.
    pub(crate) table: &'static [&'static str],
}

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// JSON, comments allowed.
    Json,
    Toml,
}

/// The folders that settings are looked for in.
pub(crate) struct Folders {
    home: PathBuf,
    config: PathBuf,
    project: PathBuf,
}

impl Folders {
    /// Those of the user and of `project`; `None` if the user has no home.
    pub(crate) fn new(project: &Path) -> Option<Self> {
        let base = etcetera::choose_base_strategy().ok()?;
        Some(Self {
            home: base.home_dir().to_owned(),
            config: base.config_dir(),
            project: project.to_owned(),
        })
    }

    /// Where programs of a window system keep what users set.
    fn application(&self) -> PathBuf {
        if cfg!(target_os = "macos") {
            self.home.join("Library/Application Support")
        } else {
            self.config.clone()
        }
    }
}

impl Agent {
    /// As users write it.
    pub(crate) fn word(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    /// As its makers call it.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Claude => "Claude Code",
            Self::Codex => "Codex",
            Self::Cursor => "Cursor",
            Self::Vscode => "VS Code",
            Self::Zed => "Zed",
            Self::Windsurf => "Windsurf",
            Self::Gemini => "Gemini CLI",
            Self::Opencode => "opencode",
        }
    }

    /// Whether it seems to be on this machine: it has settings, or its program is found.
    pub(crate) fn is_here(self, folders: &Folders) -> bool {
        let (home, config) = (&folders.home, &folders.config);
        let (traces, program) = match self {
            Self::Claude => (vec![home.join(".claude.json"), home.join(".claude")], "claude"),
            Self::Codex => (vec![codex_home(home)], "codex"),
            Self::Cursor => (vec![home.join(".cursor")], "cursor"),
            Self::Vscode => (vec![folders.application().join("Code/User")], "code"),
            Self::Zed => (vec![config.join("zed")], "zed"),
            Self::Windsurf => (vec![home.join(".codeium/windsurf")], "windsurf"),
            Self::Gemini => (vec![home.join(".gemini")], "gemini"),
            Self::Opencode => (vec![config.join("opencode")], "opencode"),
        };
        traces.iter().any(|trace| trace.exists()) || on_path(program).is_some()
    }

    /// Where it keeps its servers; `None` if it has no settings of that scope.
    pub(crate) fn place(self, scope: Scope, folders: &Folders) -> Option<Place> {
        let (home, config, project) = (&folders.home, &folders.config, &folders.project);
        let (user, shared) = match self {
            Self::Claude => (home.join(".claude.json"), Some(project.join(".mcp.json"))),
            Self::Codex => (codex_home(home).join("config.toml"), Some(project.join(".codex/config.toml"))),
            Self::Cursor => (home.join(".cursor/mcp.json"), Some(project.join(".cursor/mcp.json"))),
            Self::Vscode => {
                (folders.application().join("Code/User/mcp.json"), Some(project.join(".vscode/mcp.json")))
            }
            Self::Zed => (config.join("zed/settings.json"), Some(project.join(".zed/settings.json"))),
            Self::Windsurf => (home.join(".codeium/windsurf/mcp_config.json"), None),
            Self::Gemini => (home.join(".gemini/settings.json"), Some(project.join(".gemini/settings.json"))),
            Self::Opencode => {
                (either_json(&config.join("opencode/opencode")), Some(either_json(&project.join("opencode"))))
            }
        };
        let file = if scope == Scope::User { Some(user) } else { shared };
        Some(Place { file: file?, format: self.format(), table: self.table() })
    }

    fn format(self) -> Format {
        if self == Self::Codex { Format::Toml } else { Format::Json }
    }

    fn table(self) -> &'static [&'static str] {
        match self {
            Self::Codex => &["mcp_servers"],
            Self::Vscode => &["servers"],
            Self::Zed => &["context_servers"],
            Self::Opencode => &["mcp"],
            Self::Claude | Self::Cursor | Self::Windsurf | Self::Gemini => &["mcpServers"],
        }
    }

    /// Our entry. What a project shares names no path of one machine; what a user has works without a search path.
    pub(crate) fn entry(self, scope: Scope, program: &Path) -> Value {
        let command = match scope {
            Scope::User => program.display().to_string(),
            Scope::Project => NAME.to_owned(),
        };
        // These start servers elsewhere, and say where the project is.
        let says_where = self == Self::Vscode || self == Self::Cursor && scope == Scope::Project;
        let mut arguments = vec![Value::text("mcp")];
        arguments.extend(says_where.then(|| Value::text("${workspaceFolder}")));
        let text = |key: &str, text: &str| (key.to_owned(), Value::text(text));
        Value::Table(match self {
            Self::Opencode => {
                let mut whole = vec![Value::Text(command)];
                whole.extend(arguments);
                vec![text("type", "local"), ("command".to_owned(), Value::List(whole))]
            }
            Self::Claude | Self::Vscode => {
                vec![
                    text("type", "stdio"),
                    text("command", &command),
                    ("args".to_owned(), Value::List(arguments)),
                ]
            }
            _ => vec![text("command", &command), ("args".to_owned(), Value::List(arguments))],
        })
    }
}

fn codex_home(home: &Path) -> PathBuf {
    std::env::var_os("CODEX_HOME").map_or_else(|| home.join(".codex"), PathBuf::from)
}

/// `path.jsonc` if it is there, else `path.json`.
fn either_json(path: &Path) -> PathBuf {
    let with_comments = path.with_extension("jsonc");
    if with_comments.is_file() { with_comments } else { path.with_extension("json") }
}

/// Where a program is found.
pub(crate) fn on_path(program: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    let name = format!("{program}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&folders).map(|folder| folder.join(&name)).find(|path| path.is_file())
}
