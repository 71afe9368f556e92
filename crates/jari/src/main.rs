//! `jari`: finds the place that answers.

mod commands;
mod failure;
mod index;
mod printer;
mod progress;
mod settings;

use std::process::ExitCode;

use clap::Parser;

use crate::commands::Jari;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Something was found, or done.
const FOUND: u8 = 0;
/// Nothing was found; nothing went wrong.
const NOTHING: u8 = 1;
/// It could not be done.
const ERROR: u8 = 2;

fn main() -> ExitCode {
    let jari = Jari::parse();
    let json = jari.global.json;
    match commands::run(jari) {
        Ok(found) => ExitCode::from(if found { FOUND } else { NOTHING }),
        Err(failure) if failure.is_broken_pipe() => ExitCode::from(FOUND),
        Err(failure) => {
            failure.print(json);
            ExitCode::from(ERROR)
        }
    }
}
