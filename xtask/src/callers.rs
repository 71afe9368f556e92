//! `cargo xtask callers`: how well `jari callers` finds the direct callers of functions that were checked by hand, beside a search for
//! the word.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result};
use clap::Args;
use serde::Deserialize;

use crate::ask::Asked;
use crate::say;

/// Compare `jari callers` with callers that were checked by hand
#[derive(Debug, Args)]
pub(crate) struct Callers {
    #[command(flatten)]
    asked: Asked,
}

#[derive(Deserialize)]
struct Checked {
    function: Vec<Function>,
}

#[derive(Deserialize)]
struct Function {
    repository: String,
    language: String,
    name: String,
    word: String,
    extensions: Vec<String>,
    callers: BTreeSet<String>,
}

#[derive(Deserialize)]
struct Answer {
    edges: Vec<Edge>,
}

#[derive(Deserialize)]
struct Edge {
    path: String,
    line: u32,
}

/// Places that are right, wrong and missing.
#[derive(Default)]
struct Score {
    right: usize,
    wrong: usize,
    missing: usize,
}

impl Score {
    fn add(&mut self, found: &BTreeSet<String>, checked: &BTreeSet<String>) {
        self.right += found.intersection(checked).count();
        self.wrong += found.difference(checked).count();
        self.missing += checked.difference(found).count();
    }

    fn shown(&self) -> String {
        let share = |of: usize| self.right as f64 / of.max(1) as f64;
        let (found, all) = (self.right + self.wrong, self.right + self.missing);
        format!(
            "precision {:.3} · recall {:.3} · {} right, {} wrong, {} missing",
            share(found),
            share(all),
            self.right,
            self.wrong,
            self.missing
        )
    }
}

impl Callers {
    pub(crate) fn run(&self, root: &Path) -> Result<()> {
        let checked = fs_err::read_to_string(root.join("xtask/callers.toml"))?;
        let Checked { function } = toml::from_str(&checked).context("xtask/callers.toml")?;
        let (mut ours, mut words) = (Score::default(), Score::default());
        let mut indexed: BTreeSet<&str> = BTreeSet::new();
        for function in &function {
            if indexed.insert(&function.repository) {
                self.asked.ask(&["index"], &function.repository)?;
            }
            let found = self.callers(function)?;
            let repository = self.asked.folder(&function.repository);
            let by_word = lines_with(&repository, &function.word, &function.extensions)?;
            ours.add(&found, &function.callers);
            words.add(&by_word, &function.callers);
            report(function, &found);
        }
        let languages: BTreeSet<&str> = function.iter().map(|function| function.language.as_str()).collect();
        say(&format!("{} functions in {} languages", function.len(), languages.len()));
        say(&format!("jari callers  {}", ours.shown()));
        say(&format!("word search   {}", words.shown()));
        Ok(())
    }

    fn callers(&self, function: &Function) -> Result<BTreeSet<String>> {
        let arguments = ["callers", &function.name, "--limit", "10000"];
        let Answer { edges } = self.asked.json(&arguments, &function.repository)?;
        Ok(edges.into_iter().map(|edge| format!("{}:{}", edge.path, edge.line)).collect())
    }
}

fn report(function: &Function, found: &BTreeSet<String>) {
    let Function { repository, name, callers, .. } = function;
    say(&format!("{repository} {name}: {} of {}", found.intersection(callers).count(), callers.len()));
    for place in found.difference(callers) {
        say(&format!("  wrong    {place}"));
    }
    for place in callers.difference(found) {
        say(&format!("  missing  {place}"));
    }
}

/// The lines that hold a word, as `path:line`.
fn lines_with(root: &Path, word: &str, extensions: &[String]) -> Result<BTreeSet<String>> {
    let mut found = BTreeSet::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs_err::read_dir(&folder)? {
            let entry = entry?;
            let path = entry.path();
            let hidden = entry.file_name().to_string_lossy().starts_with('.');
            if entry.file_type()?.is_dir() && !hidden {
                folders.push(path);
                continue;
            }
            let wanted =
                path.extension().is_some_and(|ending| extensions.iter().any(|one| ending == one.as_str()));
            let Some(text) = wanted.then(|| fs_err::read_to_string(&path).ok()).flatten() else { continue };
            let name = path.strip_prefix(root)?.to_string_lossy().replace('\\', "/");
            let lines = (1..).zip(text.lines()).filter(|(_, line)| has_word(line, word));
            found.extend(lines.map(|(number, _): (u32, _)| format!("{name}:{number}")));
        }
    }
    Ok(found)
}

fn has_word(line: &str, word: &str) -> bool {
    let in_word = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word)
        .any(|(at, _)| !line[..at].ends_with(in_word) && !line[at + word.len()..].starts_with(in_word))
}
