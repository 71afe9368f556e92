//! How a command learns from the process that keeps the index whether the working tree has changed: it lays an empty file on the desk,
//! and the keeper, who watches the desk together with the tree, writes into it which state is the tree's.
//!
//! Events come in the order in which things happened. So when the keeper hears of the question, it has heard of every change that came
//! before it, and "nothing changed" is true for the moment in which it was asked.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jari_base::Generation;

/// Between two looks for the answer.
const GLANCE: Duration = Duration::from_micros(100);

/// What an answer is long.
const LENGTH: usize = size_of::<u64>();

/// Where questions are laid.
pub(crate) fn desk(folder: &Path) -> PathBuf {
    folder.join("asked")
}

/// Asks whoever keeps the index in `folder` for the state that is the working tree's now, and waits while `wanted` says so. `None` if
/// nobody keeps it, or there is no such state.
pub(crate) fn ask(folder: &Path, wanted: &dyn Fn() -> bool) -> Option<Generation> {
    static ASKED: AtomicU32 = AtomicU32::new(0);
    if !is_kept(folder) {
        return None;
    }
    let number = ASKED.fetch_add(1, Ordering::Relaxed);
    // A name is never used again: an answer to the question before it would be too early for this one.
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
    let path = desk(folder).join(format!("{now}-{}-{number}", std::process::id()));
    let mut question = OpenOptions::new().read(true).write(true).create_new(true).open(&path).ok()?;
    let mut answer = [0; LENGTH];
    while wanted() {
        std::thread::sleep(GLANCE);
        if question.metadata().is_ok_and(|metadata| metadata.len() >= LENGTH as u64) {
            question.rewind().and_then(|()| question.read_exact(&mut answer)).ok()?;
            let state = u64::from_le_bytes(answer);
            return (state > 0).then_some(Generation(state));
        }
    }
    // It may be answered and gone by now.
    let _ = std::fs::remove_file(path);
    None
}

/// Answers a question: which state is the working tree's; none if it may have changed.
pub(crate) fn answer(question: &Path, state: Option<Generation>) {
    // What is no question may be anything, a link to a file of the user's among it.
    let asks = |metadata: std::fs::Metadata| metadata.is_file() && metadata.len() == 0;
    if !std::fs::symlink_metadata(question).is_ok_and(asks) {
        return;
    }
    let state = state.map_or(0, |Generation(state)| state);
    let written = OpenOptions::new().write(true).open(question);
    // Who asked has it open. If it cannot be written, they look for themselves.
    let _ = written.and_then(|mut file| file.write_all(&state.to_le_bytes()));
    let _ = std::fs::remove_file(question);
}

/// Whether some process has the duty to keep the index.
fn is_kept(folder: &Path) -> bool {
    let lock = File::open(folder.join("keeper.lock")).map(|lock| lock.try_lock_shared());
    matches!(lock, Ok(Err(TryLockError::WouldBlock)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lock;

    const FOREVER: &(dyn Fn() -> bool + Sync) = &|| true;

    /// Asks in a folder that is kept; `reply` is what the keeper does with a question.
    fn asked(wanted: &(dyn Fn() -> bool + Sync), reply: impl Fn(&Path)) -> Option<Generation> {
        let folder = tempfile::tempdir().unwrap();
        let _duty = lock::try_lock(folder.path(), "keeper.lock").unwrap().unwrap();
        std::fs::create_dir(desk(folder.path())).unwrap();
        let found = std::thread::scope(|scope| {
            let asking = scope.spawn(|| ask(folder.path(), wanted));
            while !asking.is_finished() {
                for entry in std::fs::read_dir(desk(folder.path())).unwrap().flatten() {
                    reply(&entry.path());
                }
            }
            asking.join().unwrap()
        });
        assert_eq!(std::fs::read_dir(desk(folder.path())).unwrap().count(), 0, "nothing is left on the desk");
        found
    }

    #[test]
    fn the_keeper_names_the_state_or_none() {
        assert_eq!(asked(FOREVER, |question| answer(question, Some(Generation(7)))), Some(Generation(7)));
        assert_eq!(asked(FOREVER, |question| answer(question, None)), None);
    }

    #[test]
    fn a_keeper_who_does_not_answer_is_not_waited_for_longer_than_wanted() {
        let began = std::time::Instant::now();
        assert_eq!(asked(&|| began.elapsed() < Duration::from_millis(20), |_| ()), None);
    }

    #[test]
    fn where_nobody_keeps_the_index_nobody_is_asked() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(desk(folder.path())).unwrap();
        assert_eq!(ask(folder.path(), FOREVER), None);
        drop(lock::try_lock(folder.path(), "keeper.lock").unwrap().unwrap());
        assert_eq!(ask(folder.path(), FOREVER), None, "the keeper has ended");
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_question_is_not_written_to() {
        let folder = tempfile::tempdir().unwrap();
        let (theirs, link) = (folder.path().join("theirs"), folder.path().join("link"));
        std::fs::write(&theirs, "").unwrap();
        std::os::unix::fs::symlink(&theirs, &link).unwrap();
        answer(&link, Some(Generation(7)));
        assert_eq!(std::fs::read(&theirs).unwrap(), b"");
        std::fs::write(&theirs, "text").unwrap();
        answer(&theirs, Some(Generation(7)));
        assert_eq!(std::fs::read(&theirs).unwrap(), b"text");
    }
}
