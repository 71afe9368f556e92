//! What a file of settings was before we wrote to it, so that undoing gives back every byte.

use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;

/// Between the two texts of a record. It stands in no settings.
const BETWEEN: &str = "\n\u{0}written\u{0}\n";

/// Marks a file that was not there.
const ABSENT: &str = "\u{0}absent\u{0}";

/// Keeps what `file` was, and what it became. Losing this costs only the exactness of an undo.
pub(crate) fn remember(file: &Path, before: Option<&str>, after: &str) {
    let Some(record) = record(file) else { return };
    // The first one is the original as long as nobody else wrote in between.
    let before = match std::fs::read_to_string(&record) {
        Ok(kept) if kept.split_once(BETWEEN).map(|(_, written)| written) == before => {
            kept.split_once(BETWEEN).map(|(original, _)| original.to_owned()).unwrap_or_default()
        }
        _ => before.unwrap_or(ABSENT).to_owned(),
    };
    let folder = record.parent().map(std::fs::create_dir_all);
    if matches!(folder, Some(Ok(()))) {
        let _ = std::fs::write(record, format!("{before}{BETWEEN}{after}"));
    }
}

/// What `file` was before us, if it is still as we wrote it: its text, or nothing if it was not there.
pub(crate) fn original(file: &Path, now: &str) -> Option<Option<String>> {
    let kept = std::fs::read_to_string(record(file)?).ok()?;
    let (before, written) = kept.split_once(BETWEEN)?;
    (written == now).then(|| (before != ABSENT).then(|| before.to_owned()))
}

/// Forgets what a file was.
pub(crate) fn forget(file: &Path) {
    if let Some(record) = record(file) {
        let _ = std::fs::remove_file(record);
    }
}

/// Where the record of `file` is kept.
fn record(file: &Path) -> Option<PathBuf> {
    let base = etcetera::choose_base_strategy().ok()?;
    let name: String =
        file.to_string_lossy().chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
    let telling = &name[name.ceil_char_boundary(name.len().saturating_sub(180))..];
    Some(base.data_dir().join("jari").join("undo").join(telling))
}
