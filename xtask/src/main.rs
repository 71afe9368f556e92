//! The project's own chores: `cargo xtask tidy`, `cargo xtask reference`, `cargo xtask bench`, `cargo xtask callers`,
//! `cargo xtask hop`.

mod ask;
mod bench;
mod callers;
mod hop;
mod measure;
mod reference;
mod tidy;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Debug, Parser)]
#[command(about = "The project's own chores")]
struct Xtask {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Debug, Subcommand)]
enum Chore {
    /// Check what no compiler checks: the arrows between crates, opening lines, reference pages
    Tidy,
    /// Write the reference pages under docs/reference
    Reference,
    /// Measure speed and memory on real repositories
    Bench(bench::Bench),
    Callers(callers::Callers),
    Hop(hop::Hop),
}

fn main() -> ExitCode {
    let Xtask { chore } = Xtask::parse();
    let done = match chore {
        Chore::Tidy => tidy::run(&root()),
        Chore::Reference => reference::write(&root()),
        Chore::Bench(bench) => bench.run(&root()),
        Chore::Callers(callers) => callers.run(&root()),
        Chore::Hop(hop) => hop.run(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

/// The top of the checkout.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace").to_owned()
}

/// Prints a line.
#[expect(clippy::print_stdout, reason = "a chore talks to whoever runs it")]
fn say(line: &str) {
    println!("{line}");
}
