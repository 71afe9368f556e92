//! `reindex_codebase`, `manage`: the index itself.

use std::time::Instant;

use jari_engine::status;
use jari_wire::{StatusJson, UpdateJson};
use schemars::JsonSchema;
use serde::Deserialize;

use super::Tool;
use crate::answer::Answer;
use crate::call::{Call, Refusal};

/// How the index is brought up to date.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum How {
    #[default]
    Update,
    Rebuild,
}

/// Bring the index up to date now and say what changed. Rarely needed: it follows the files by itself.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct ReindexCodebase {
    mode: Option<How>,
}

impl Tool for ReindexCodebase {
    const NAME: &'static str = "reindex_codebase";
    const TITLE: &'static str = "Reindex";
    const WRITES: bool = true;

    fn run(self, call: &Call<'_>) -> Result<Answer, Refusal> {
        reindex(call, self.mode.unwrap_or_default() == How::Rebuild)
    }
}

fn reindex(call: &Call<'_>, anew: bool) -> Result<Answer, Refusal> {
    let began = Instant::now();
    let update = call.served.living.reindex(anew, call.cancelled)?;
    let note = format!(
        "{} added · {} updated · {} renamed · {} removed · {} unchanged · {} skipped",
        update.added,
        update.updated,
        update.renamed,
        update.removed,
        update.unchanged,
        update.skipped.values().sum::<usize>()
    );
    let details = serde_json::to_value(UpdateJson::new(update, began.elapsed(), Vec::new())).ok();
    Ok(Answer { notes: vec![note], details, ..Answer::default() })
}

/// What is to be done.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Action {
    Status,
    Reindex,
    Rebuild,
    Warmup,
    Settings,
}

/// The index: its status, reindex, rebuild, warmup (wait until it can answer), settings (which hold, and what is wrong).
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Manage {
    action: Action,
}

impl Tool for Manage {
    const NAME: &'static str = "manage";
    const TITLE: &'static str = "Manage the index";
    const WRITES: bool = true;

    fn run(self, call: &Call<'_>) -> Result<Answer, Refusal> {
        match self.action {
            Action::Status => state(call),
            Action::Reindex => reindex(call, false),
            Action::Rebuild => reindex(call, true),
            Action::Warmup => {
                while call.whole().is_err() && !(call.cancelled)() && call.index().0.state != "failed" {
                    call.served.living.wait(std::time::Duration::from_millis(100));
                }
                state(call)
            }
            Action::Settings => {
                let project = call.project();
                let details = serde_json::json!({
                    "root": project.root.display().to_string(),
                    "index_dir": call.served.index_dir,
                    "max_file_size": project.limits.max_file_size,
                    "bm25_k1": call.served.tuning.bm25.k1,
                    "bm25_b": call.served.tuning.bm25.b,
                });
                let mut notes = vec![
                    format!("project {}", project.root.display()),
                    format!("index {}", call.served.index_dir),
                    format!("files up to {} bytes", project.limits.max_file_size),
                    format!("bm25 k1 {} b {}", call.served.tuning.bm25.k1, call.served.tuning.bm25.b),
                ];
                notes.extend(call.served.notes.iter().cloned());
                Ok(Answer { notes, details: Some(details), ..Answer::default() })
            }
        }
    }
}

fn state(call: &Call<'_>) -> Result<Answer, Refusal> {
    let snapshot = call.whole()?;
    let state = status::status(call.project(), &*snapshot, call.served.max_gram_frequency)?;
    let note = format!(
        "{} files · {} chunks · {} symbols · {} changed and {} removed since",
        state.files,
        state.statistics.chunks,
        state.statistics.symbols,
        state.stale.changed,
        state.stale.removed
    );
    let root = call.project().root.display().to_string();
    let models = (call.served.model.clone(), call.served.sends.clone());
    let shape = StatusJson::new(root, call.served.index_dir.clone(), Some(state), None, models, Vec::new());
    Ok(Answer { notes: vec![note], details: serde_json::to_value(shape).ok(), ..Answer::default() })
}
