//! What no compiler checks.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use crate::{reference, say};

/// Which rooms a room may use. A crate that is not listed may use none.
const ARROWS: &[(&str, &[&str])] = &[
    ("jari-base", &[]),
    ("jari-text", &["jari-base"]),
    ("jari-source", &["jari-base"]),
    ("jari-chunk", &["jari-base", "jari-text"]),
    ("jari-kernel", &[]),
    ("jari-embed", &["jari-base", "jari-text", "jari-kernel"]),
    ("jari-transformer", &["jari-base"]),
    ("jari-rank", &["jari-base", "jari-text"]),
    ("jari-graph", &["jari-base", "jari-text"]),
    ("jari-store", &["jari-base"]),
    ("jari-vector", &["jari-base", "jari-kernel"]),
    ("jari-store-local", &["jari-base", "jari-text", "jari-store", "jari-vector"]),
    (
        "jari-engine",
        &[
            "jari-base",
            "jari-text",
            "jari-source",
            "jari-chunk",
            "jari-embed",
            "jari-rank",
            "jari-graph",
            "jari-store",
        ],
    ),
    ("jari-remote", &["jari-base", "jari-text", "jari-embed", "jari-engine"]),
    ("jari-wire", &["jari-base", "jari-store", "jari-engine"]),
    ("jari-mcp", &["jari-base", "jari-text", "jari-store", "jari-engine", "jari-wire"]),
    (
        "jari",
        &[
            "jari-base",
            "jari-text",
            "jari-source",
            "jari-chunk",
            "jari-embed",
            "jari-rank",
            "jari-store",
            "jari-store-local",
            "jari-vector",
            "jari-engine",
            "jari-remote",
            "jari-transformer",
            "jari-wire",
            "jari-mcp",
        ],
    ),
    ("training", &["jari-base", "jari-text", "jari-source", "jari-chunk", "jari-embed"]),
    ("xtask", &["jari"]),
];

/// The only files that may hold `unsafe`. Each block there says why it is sound.
const UNSAFE: &[&str] = &[
    "crates/jari-kernel/src/lib.rs",
    "crates/jari-store-local/src/pages.rs",
    "crates/jari-transformer/src/kernel.rs",
    "crates/jari-vector/src/file.rs",
    "training/src/learn.rs",
];

/// Names that give away where somebody worked.
const PRIVATE: &[&str] = &["/root/", "/home/", "/work/", "/Users/"];

/// Runs every check and reports all that fail.
pub(crate) fn run(root: &Path) -> Result<()> {
    let mut wrong = arrows(root)?;
    wrong.extend(sources(root)?);
    wrong.extend(reference::outdated(root)?);
    if wrong.is_empty() {
        say("tidy");
        return Ok(());
    }
    bail!("{}", wrong.join("\n"))
}

#[derive(Deserialize)]
struct Manifest {
    package: Package,
    #[serde(default)]
    dependencies: toml::Table,
}

#[derive(Deserialize)]
struct Package {
    name: String,
}

/// Arrows between crates point down only.
fn arrows(root: &Path) -> Result<Vec<String>> {
    let mut wrong = Vec::new();
    let mut seen = BTreeSet::new();
    let crates = fs_err::read_dir(root.join("crates"))?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<Vec<_>, _>>()?;
    for folder in crates.into_iter().chain([root.join("training"), root.join("xtask")]) {
        let path = folder.join("Cargo.toml");
        let manifest: Manifest =
            toml::from_str(&fs_err::read_to_string(&path)?).with_context(|| path.display().to_string())?;
        let name = manifest.package.name;
        let Some((_, allowed)) = ARROWS.iter().find(|(room, _)| *room == name) else {
            wrong.push(format!(
                "{name} has no place on the map: add it to ARROWS in xtask/src/tidy.rs and to ARCHITECTURE.md"
            ));
            continue;
        };
        for used in manifest.dependencies.keys().filter(|used| used.starts_with("jari")) {
            if !allowed.contains(&used.as_str()) {
                wrong.push(format!("{name} must not use {used}"));
            }
        }
        seen.insert(name);
    }
    wrong.extend(
        ARROWS
            .iter()
            .filter(|(room, _)| !seen.contains(*room))
            .map(|(room, _)| format!("{room} is on the map but does not exist")),
    );
    Ok(wrong)
}

/// Every source file opens with what lives there, and none speaks of a machine.
fn sources(root: &Path) -> Result<Vec<String>> {
    let mut wrong = Vec::new();
    for file in rust_files(root)? {
        let text = fs_err::read_to_string(&file)?;
        let shown = file.strip_prefix(root).unwrap_or(&file).display();
        if !text.starts_with("//!") {
            wrong.push(format!("{shown} does not open with a `//!` line that says what lives there"));
        }
        wrong.extend(unsafe_blocks(&shown.to_string(), &text));
        for (number, line) in text.lines().enumerate() {
            let private = PRIVATE.iter().any(|path| starts_a_path(line, path)) && !line.contains("PRIVATE");
            if private {
                wrong.push(format!("{shown}:{}: a path of somebody's machine", number + 1));
            }
        }
    }
    Ok(wrong)
}

/// Blocks of `unsafe` that stand in a file that is not named for it, or without a reason right before them.
fn unsafe_blocks(file: &str, text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let blocks = lines.iter().enumerate().filter(|(_, line)| opens_unsafe(line));
    let wrong = blocks.filter_map(|(at, _)| {
        if !UNSAFE.contains(&file) {
            return Some(format!("{file}:{}: `unsafe` outside of the files that UNSAFE names", at + 1));
        }
        let said = lines[at.saturating_sub(REASON_LINES)..=at].iter().any(|line| line.contains("SAFETY:"));
        (!said).then(|| format!("{file}:{}: `unsafe` without `SAFETY:` before it", at + 1))
    });
    wrong.collect()
}

/// How far above a block its reason may stand: one reason can hold for a few lines of a table.
const REASON_LINES: usize = 8;

fn opens_unsafe(line: &str) -> bool {
    !line.starts_with("//") && !line.contains('"') && line.contains("unsafe {")
}

/// Whether `path` stands in `line` as the beginning of a path, and not inside one.
fn starts_a_path(line: &str, path: &str) -> bool {
    line.match_indices(path).any(|(at, _)| !line[..at].ends_with(|c: char| c.is_alphanumeric() || c == ']'))
}

fn rust_files(root: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut folders = vec![root.join("crates"), root.join("training/src"), root.join("xtask/src")];
    while let Some(folder) = folders.pop() {
        for entry in fs_err::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                // Samples are other people's idea of a program.
                if path.file_name().is_some_and(|name| name != "languages" && name != "target") {
                    folders.push(path);
                }
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}
