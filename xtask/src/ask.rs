//! A binary that chores ask about repositories, each with an index of its own.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use clap::Args;
use serde::de::DeserializeOwned;

/// Whom to ask, and about what.
#[derive(Debug, Args)]
pub(crate) struct Asked {
    /// The folder that holds the repositories
    #[arg(long, value_name = "DIR")]
    pub(crate) corpora: PathBuf,

    /// The binary to ask
    #[arg(long, value_name = "FILE", default_value = "target/release/jari")]
    jari: PathBuf,

    /// Where indexes are kept
    #[arg(long, value_name = "DIR", default_value = "target/asked")]
    indexes: PathBuf,

    /// What makes vectors
    #[arg(long, value_name = "PROVIDER", default_value = "off")]
    embedding: String,
}

impl Asked {
    /// What a command prints in a repository. That nothing is found is an answer.
    pub(crate) fn ask(&self, arguments: &[&str], repository: &str) -> Result<Vec<u8>> {
        let jari = fs_err::canonicalize(&self.jari)?;
        let index = self.indexes.join(&self.embedding).join(repository);
        fs_err::create_dir_all(&index)?;
        let mut command = Command::new(jari);
        command.args(arguments).arg("--quiet").arg("--index-dir").arg(fs_err::canonicalize(index)?);
        command.current_dir(self.folder(repository)).env("JARI_EMBEDDING_PROVIDER", &self.embedding);
        let output = command.output()?;
        if output.status.code().is_none_or(|code| code > 1) {
            bail!("{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        }
        Ok(output.stdout)
    }

    /// The same, as JSON.
    pub(crate) fn json<T: DeserializeOwned>(&self, arguments: &[&str], repository: &str) -> Result<T> {
        let printed = self.ask(&[arguments, &["--json", "--no-update"]].concat(), repository)?;
        serde_json::from_slice(&printed).with_context(|| arguments.join(" "))
    }

    pub(crate) fn folder(&self, repository: &str) -> PathBuf {
        Path::new(&self.corpora).join(repository)
    }
}
