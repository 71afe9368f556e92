//! Reference pages are made from the program's own definitions, so they cannot drift.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

/// The pages that `jari reference` knows.
const PAGES: &[&str] = &["cli", "settings", "languages", "json"];

/// Writes every page.
pub(crate) fn write(root: &Path) -> Result<()> {
    for (page, text) in pages(root)? {
        let path = root.join("docs/reference").join(format!("{page}.md"));
        fs_err::create_dir_all(path.parent().expect("it has a folder"))?;
        fs_err::write(path, text)?;
    }
    Ok(())
}

/// The pages that are not what they should be.
pub(crate) fn outdated(root: &Path) -> Result<Vec<String>> {
    let mut outdated = Vec::new();
    for (page, text) in pages(root)? {
        let path = format!("docs/reference/{page}.md");
        if fs_err::read_to_string(root.join(&path)).unwrap_or_default() != text {
            outdated.push(format!("{path} is out of date: run `cargo xtask reference`"));
        }
    }
    Ok(outdated)
}

fn pages(root: &Path) -> Result<Vec<(&'static str, String)>> {
    PAGES.iter().map(|page| Ok((*page, page_text(root, page)?))).collect()
}

fn page_text(root: &Path, page: &str) -> Result<String> {
    let mut command = Command::new(env!("CARGO"));
    command.args(["run", "--quiet", "--package", "jari", "--", "reference", page]).current_dir(root);
    let output = command.output().context("running cargo")?;
    ensure!(
        output.status.success(),
        "`jari reference {page}` failed:\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).context("the page is text")
}
