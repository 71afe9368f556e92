//! The shapes of `install`, `uninstall` and `doctor`.

use schemars::JsonSchema;
use serde::Serialize;

/// What was changed in the settings of agents.
#[derive(Debug, Serialize, JsonSchema)]
pub struct InstallJson {
    /// Whether anything was written.
    pub written: bool,
    /// Each agent with its file.
    pub agents: Vec<InstalledJson>,
}

/// A file of an agent.
#[derive(Debug, Serialize, JsonSchema)]
pub struct InstalledJson {
    /// `claude`, `codex`, …
    pub agent: String,
    /// Its settings.
    pub file: String,
    /// Whether the file differs from what it should be.
    pub changed: bool,
    /// The lines that differ.
    pub diff: String,
}

/// What is right and what is wrong.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DoctorJson {
    /// Whether nothing is wrong.
    pub healthy: bool,
    /// In order.
    pub checks: Vec<CheckJson>,
}

/// One thing that was looked at.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CheckJson {
    /// `program`, `project`, `permissions`, `index`, `watching`, or an agent.
    pub about: String,
    /// Whether it is right.
    pub ok: bool,
    /// What was found.
    pub message: String,
    /// What to type.
    pub hint: Option<String>,
}
