//! Makes the bundled model: `training pairs`, `training learn`, `training evaluate`. `README.md` tells the whole way.

mod align;
mod bm25;
mod code;
mod evaluate;
mod learn;
mod lexicon;
mod licence;
mod make;
mod markdown;
mod overlap;
mod pair;
mod prose;
mod random;
mod sources;
mod start;
mod translations;
mod vocabulary;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Debug, Parser)]
#[command(about = "Makes the bundled model")]
struct Training {
    #[command(subcommand)]
    step: Step,
}

#[derive(Debug, Subcommand)]
enum Step {
    /// Read the downloaded sources and write pairs of questions and answers
    Pairs(make::Pairs),
    /// Learn a table from pairs and write the model and the glossary
    Learn(make::Learn),
    /// Answer a file of questions over a folder and write the run
    Evaluate(evaluate::Evaluate),
}

fn main() -> ExitCode {
    let Training { step } = Training::parse();
    let done = match step {
        Step::Pairs(pairs) => pairs.run(),
        Step::Learn(learn) => learn.run(),
        Step::Evaluate(evaluate) => evaluate.run(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

/// Prints a line.
#[expect(clippy::print_stdout, reason = "a tool talks to whoever runs it")]
fn say(line: &str) {
    println!("{line}");
}
