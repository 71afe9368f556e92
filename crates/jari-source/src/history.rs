//! What Git remembers of a folder: files as they were, and words that are gone. Git itself is asked; nothing is changed, and no program
//! that a repository names is run.

use std::collections::{HashMap, HashSet};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// What cannot be asked of Git.
#[derive(Debug, thiserror::Error)]
pub enum HistoryError {
    /// There is no Git, or no repository.
    #[error("`{}` has no history that Git could tell of", .0.display())]
    NoRepository(std::path::PathBuf),
    /// No such state.
    #[error("no revision is called `{0}`")]
    NoRevision(String),
    /// Git ended in the middle.
    #[error("git failed: {0}")]
    Failed(String),
}

/// A file that differs from what it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// Where it was, relative to the folder; `None` if it was not there.
    pub old: Option<String>,
    /// Where it is; `None` if it is gone.
    pub new: Option<String>,
}

/// The last commit that took a word away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Removal {
    /// Its short name.
    pub commit: String,
    /// When it was made: `2024-05-01`.
    pub date: String,
}

/// The day of the last commit that changed a file below `root`: `2024-05-01`; `None` where Git does not know.
pub fn last_changed(root: &Path, path: &str) -> Option<String> {
    let day = output(git(root).args(["log", "-1", "--format=%cs", "--"]).arg(path)).ok()?;
    Some(day.trim().to_owned()).filter(|day| !day.is_empty())
}

/// Files below `root` that differ between a revision and the working tree.
pub fn changed_since(root: &Path, revision: &str) -> Result<Vec<Changed>, HistoryError> {
    let commit = commit(root, revision)?;
    let listed = output(
        git(root)
            .args(["diff", "--relative", "--name-status", "-z", "-M", "--no-ext-diff"])
            .arg(&commit)
            .arg("--"),
    )?;
    let mut parts = listed.split('\0');
    let mut changed = Vec::new();
    while let Some(status) = parts.next().filter(|status| !status.is_empty()) {
        let first = parts.next().map(str::to_owned);
        changed.push(match status.as_bytes()[0] {
            b'A' => Changed { old: None, new: first },
            b'D' => Changed { old: first, new: None },
            b'R' | b'C' => Changed { old: first, new: parts.next().map(str::to_owned) },
            _ => Changed { old: first.clone(), new: first },
        });
    }
    Ok(changed)
}

/// The texts of files as they were at a revision; what is no text is left out.
pub fn texts_at<'p>(
    root: &Path,
    revision: &str,
    paths: &[&'p str],
) -> Result<HashMap<&'p str, String>, HistoryError> {
    let commit = commit(root, revision)?;
    let mut child = git(root)
        .args(["cat-file", "--batch"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let mut asked = child.stdin.take().ok_or_else(|| HistoryError::Failed("no way to ask".to_owned()))?;
    let answers = child.stdout.take().ok_or_else(|| HistoryError::Failed("no answer".to_owned()))?;
    let mut texts = HashMap::new();
    std::thread::scope(|scope| {
        // Asked and answered side by side, because either may be more than a pipe holds.
        scope.spawn(move || {
            for path in paths {
                if writeln!(asked, "{commit}:./{path}").is_err() {
                    return;
                }
            }
        });
        let mut answers = BufReader::new(answers);
        for path in paths {
            let mut head = String::new();
            answers.read_line(&mut head)?;
            // `<name> blob <size>`, or `<name> missing`.
            let Some(size) = head.trim_end().rsplit(' ').next().and_then(|size| size.parse::<usize>().ok())
            else {
                continue;
            };
            let mut bytes = vec![0; size + 1];
            answers.read_exact(&mut bytes)?;
            bytes.pop();
            if let Ok(text) = String::from_utf8(bytes) {
                texts.insert(*path, text);
            }
        }
        Ok::<(), HistoryError>(())
    })?;
    let _ = child.wait();
    Ok(texts)
}

/// What commits took away.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Gone {
    /// Names and flags that were defined.
    pub names: HashMap<String, Removal>,
    /// Files, relative to the folder.
    pub files: HashMap<String, Removal>,
    /// When the newest commit was made.
    pub newest: String,
    /// Whether older commits are not there.
    pub shallow: bool,
    /// The date of the commit at which time was up.
    pub until: Option<String>,
}

/// Files that were taken away, and of `words` those of which a commit took a definition out of a file that `counts`, and the last commit that did. At most `commits` are looked at, and
/// not after `deadline`.
pub fn removals(
    root: &Path,
    words: &HashSet<&str>,
    counts: impl Fn(&str) -> bool,
    commits: usize,
    deadline: Instant,
) -> Result<Gone, HistoryError> {
    let mut child = git(root)
        .args([
            "log",
            "-p",
            "-U0",
            "--relative",
            "--no-color",
            "--no-ext-diff",
            "--no-textconv",
            "--no-renames",
            "--no-merges",
        ])
        .args(["--format=commit %h %cs", &format!("-n{commits}"), "--", "."])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|_| HistoryError::NoRepository(root.to_owned()))?;
    let lines = child.stdout.take().ok_or_else(|| HistoryError::Failed("no answer".to_owned()))?;
    let mut gone = Gone::default();
    let mut removal = Removal { commit: String::new(), date: String::new() };
    let (mut path, mut counted) = (String::new(), false);
    for line in BufReader::new(lines).split(b'\n') {
        let Ok(line) = line else { break };
        let line = String::from_utf8_lossy(&line);
        if let Some(named) = line.strip_prefix("commit ") {
            let (commit, date) = named.split_once(' ').unwrap_or((named, ""));
            removal = Removal { commit: commit.to_owned(), date: date.to_owned() };
            if gone.newest.is_empty() {
                gone.newest = date.to_owned();
            }
            if Instant::now() >= deadline {
                gone.until = Some(date.to_owned());
                break;
            }
        } else if let Some(old) = line.strip_prefix("--- ") {
            path = old.strip_prefix("a/").unwrap_or_default().to_owned();
            counted = counts(&path);
        } else if line == "+++ /dev/null" {
            gone.files.entry(path.clone()).or_insert_with(|| removal.clone());
        } else if let Some(removed) = line.strip_prefix('-').filter(|_| counted) {
            let names = identifiers(removed).filter(|word| words.contains(word) && defines(removed, word));
            for name in names.chain(flags(removed).filter(|flag| words.contains(flag))) {
                gone.names.entry(name.to_owned()).or_insert_with(|| removal.clone());
            }
        }
    }
    let _ = child.kill();
    let _ = child.wait();
    if gone.newest.is_empty() {
        return Err(HistoryError::NoRepository(root.to_owned()));
    }
    let shallow = output(git(root).args(["rev-parse", "--is-shallow-repository"]))?;
    Ok(Gone { shallow: shallow.trim() == "true", ..gone })
}

/// Flags in quotes, as programs declare them: `flag` of `"--flag"`.
fn flags(line: &str) -> impl Iterator<Item = &str> {
    let quoted = line.split(['"', '\'']).filter_map(|part| part.strip_prefix("--"));
    quoted.filter(|flag| flag.chars().all(|c| c.is_ascii_alphanumeric() || c == '-'))
}

/// Words after which a name is defined, in any language.
const DEFINING: &[&str] = &[
    "class",
    "const",
    "def",
    "defmacro",
    "defp",
    "enum",
    "fn",
    "fun",
    "func",
    "function",
    "interface",
    "let",
    "macro_rules!",
    "module",
    "object",
    "protocol",
    "static",
    "struct",
    "trait",
    "type",
    "union",
    "val",
    "var",
];

/// Whether a line defines a name, as far as its words tell: after a word that says so, or at its beginning with a value or type behind it.
fn defines(line: &str, name: &str) -> bool {
    line.match_indices(name).any(|(at, _)| {
        let (before, after) = (line[..at].trim_end(), line[at + name.len()..].trim_start());
        let keyword = before.rsplit([' ', '\t', '(']).next().is_some_and(|word| DEFINING.contains(&word));
        let assigned = before.is_empty()
            && (after.starts_with(':') || (after.starts_with('=') && !after.starts_with("==")));
        keyword || assigned
    })
}

/// The names in a text: letters, digits, `_` and `$`.
pub fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')).filter(|word| !word.is_empty())
}

fn commit(root: &Path, revision: &str) -> Result<String, HistoryError> {
    let inside =
        git(root).args(["rev-parse", "--git-dir"]).stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !inside.is_ok_and(|status| status.success()) {
        return Err(HistoryError::NoRepository(root.to_owned()));
    }
    let name = format!("{revision}^{{commit}}");
    let told = output(git(root).args(["rev-parse", "--verify", "--quiet", "--end-of-options", &name]));
    match told {
        Ok(commit) if !commit.trim().is_empty() => Ok(commit.trim().to_owned()),
        _ => Err(HistoryError::NoRevision(revision.to_owned())),
    }
}

fn git(root: &Path) -> Command {
    let mut command = Command::new("git");
    command
        .arg("-C")
        .arg(root)
        .args(["-c", "core.fsmonitor=false", "-c", "core.quotePath=false"])
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env_remove("GIT_EXTERNAL_DIFF")
        .stdin(Stdio::null());
    command
}

fn output(command: &mut Command) -> Result<String, HistoryError> {
    let output = command.output()?;
    if !output.status.success() {
        let told = String::from_utf8_lossy(&output.stderr).lines().next().unwrap_or_default().to_owned();
        return Err(HistoryError::Failed(told));
    }
    String::from_utf8(output.stdout).map_err(|_| HistoryError::Failed("names that are no UTF-8".to_owned()))
}

impl From<std::io::Error> for HistoryError {
    fn from(error: std::io::Error) -> Self {
        Self::Failed(error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_define_are_told_from_lines_that_use() {
        for line in [
            "pub fn take(&self)",
            "def take(self):",
            "    take = 3",
            "take: int",
            "export const take = () => {}",
        ] {
            assert!(defines(line, "take"), "{line}");
        }
        for line in ["pool.take()", "if take == 3:", "# take it", "return take", "x = take"] {
            assert!(!defines(line, "take"), "{line}");
        }
    }
}
