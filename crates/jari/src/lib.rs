//! The command line, as a library: the binary runs it, and `cargo xtask reference` writes its pages.

mod agents;
mod commands;
mod drawing;
mod failure;
mod home;
mod index;
mod log;
mod models;
mod printer;
mod progress;
pub mod reference;
mod settings;

use std::process::ExitCode;

use clap::Parser;

use crate::commands::Jari;
use crate::failure::Failure;

/// Something was found, or done.
const FOUND: u8 = 0;
/// Nothing was found; nothing went wrong.
const NOTHING: u8 = 1;
/// It could not be done.
const ERROR: u8 = 2;

/// Runs the program with the arguments of the process.
pub fn main() -> ExitCode {
    let jari = match Jari::try_parse() {
        Ok(jari) => jari,
        Err(error) => return misused(&error),
    };
    let (json, quiet) = (jari.global.json, jari.global.quiet);
    if jari.global.verbose {
        log::talk();
    }
    let ended = commands::run(jari);
    if !quiet {
        printer::talk_masks();
    }
    match ended {
        Ok(found) => ExitCode::from(if found { FOUND } else { NOTHING }),
        Err(failure) if failure.is_broken_pipe() => ExitCode::from(FOUND),
        Err(failure) => {
            failure.print(json);
            ExitCode::from(ERROR)
        }
    }
}

/// Arguments that are none, or that ask for help.
fn misused(error: &clap::Error) -> ExitCode {
    if error.use_stderr() && std::env::args_os().any(|argument| argument == "--json") {
        let text = error.render().to_string();
        let (message, rest) = text.trim().split_once('\n').unwrap_or((text.trim(), ""));
        let hint = rest.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("; ");
        Failure::argument(message.trim_start_matches("error: "), hint).print(true);
    } else {
        // With nobody left to read it, there is nothing more to do.
        let _ = error.print();
    }
    ExitCode::from(if error.use_stderr() { ERROR } else { FOUND })
}
