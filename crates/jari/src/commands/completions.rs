//! `jari completions`

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use super::Jari;
use crate::failure::Outcome;
use crate::printer;

/// Print the completion script of a shell
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  jari completions bash > ~/.local/share/bash-completion/completions/jari\n  jari completions zsh > ~/.zfunc/_jari\n  jari completions fish > ~/.config/fish/completions/jari.fish"
)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(self) -> Outcome {
        let Self { shell } = self;
        let mut script = Vec::new();
        clap_complete::generate(shell, &mut Jari::command(), "jari", &mut script);
        printer::data(&String::from_utf8_lossy(&script))?;
        Ok(true)
    }
}
