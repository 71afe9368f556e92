//! `jari reference`: the reference pages, made from the definitions themselves. `cargo xtask reference` writes them.

use std::fmt::Write as _;

use clap::{Args, Command, CommandFactory, ValueEnum};

use super::Jari;
use crate::failure::Outcome;
use crate::printer;
use crate::settings::SETTINGS;

/// Print a reference page as Markdown
#[derive(Debug, Args)]
pub(crate) struct Reference {
    #[arg(value_enum)]
    page: Page,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Page {
    Cli,
    Settings,
    Languages,
}

impl Reference {
    pub(crate) fn run(self) -> Outcome {
        let text = match self.page {
            Page::Cli => cli(),
            Page::Settings => settings(),
            Page::Languages => languages(),
        };
        printer::data(&text)?;
        Ok(true)
    }
}

const MADE: &str = "<!-- Made by `cargo xtask reference`; do not edit. -->\n";

fn cli() -> String {
    let mut out = format!("# Commands\n{MADE}\n");
    let mut jari = Jari::command().term_width(100);
    jari.build();
    let _ = write!(out, "```\n{}```\n", trimmed(&jari.clone().render_help().to_string()));
    for verb in jari.get_subcommands().filter(|verb| !verb.is_hide_set() && verb.get_name() != "help") {
        let mut verb: Command = verb.clone().term_width(100);
        let help = trimmed(&verb.render_long_help().to_string());
        let _ = write!(out, "\n## jari {}\n\n```\n{help}```\n", verb.get_name());
    }
    out
}

fn trimmed(help: &str) -> String {
    help.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}

fn settings() -> String {
    let mut out = format!(
        "# Settings\n{MADE}\nFlags come first, then the environment, then `jari.toml` at the project's root, then \
         `jari/config.toml` in your configuration folder, then the default.\n\n| key | variable | default | in `jari.toml` | meaning |\n|---|---|---|---|---|\n"
    );
    for setting in SETTINGS {
        let project = if setting.project { "yes" } else { "no" };
        let _ = writeln!(
            out,
            "| `{}` | `{}` | {} | {project} | {} |",
            setting.key, setting.variable, setting.default, setting.about
        );
    }
    out
}

fn languages() -> String {
    let mut out = format!(
        "# Languages\n{MADE}\nLanguages with structure are cut into functions, methods, types and modules; the others into windows of 50 \
         lines. `jari search --lang NAME` takes every name.\n\n| language | structure | files |\n|---|---|---|\n"
    );
    for language in jari_chunk::facts() {
        let structure = if language.structured { "yes" } else { "" };
        let extensions = language.extensions.iter().map(|extension| format!("`.{extension}`"));
        let names = language.filenames.iter().map(|name| format!("`{name}`"));
        let files: Vec<String> = extensions.chain(names).collect();
        let _ = writeln!(out, "| {} | {structure} | {} |", language.name, files.join(" "));
    }
    out
}
