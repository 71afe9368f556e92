//! Reference pages are made from the program's own definitions, so they cannot drift.

use std::path::Path;

use anyhow::Result;

/// Writes every page.
pub(crate) fn write(root: &Path) -> Result<()> {
    for (page, text) in jari_cli::reference::pages() {
        let path = root.join("docs/reference").join(format!("{page}.md"));
        fs_err::create_dir_all(path.parent().expect("it has a folder"))?;
        fs_err::write(path, text)?;
    }
    Ok(())
}

/// The pages that are not what they should be.
pub(crate) fn outdated(root: &Path) -> Result<Vec<String>> {
    let mut outdated = Vec::new();
    for (page, text) in jari_cli::reference::pages() {
        let path = format!("docs/reference/{page}.md");
        if fs_err::read_to_string(root.join(&path)).unwrap_or_default() != text {
            outdated.push(format!("{path} is out of date: run `cargo xtask reference`"));
        }
    }
    Ok(outdated)
}
