//! `jari embed`

use std::fmt::Write as _;
use std::io::{BufRead, IsTerminal};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use clap::Args;
use jari_embed::Embedder;
use jari_engine::backlog::{self, Estimate};
use jari_wire::EmbedJson;

use super::Global;
use crate::failure::{Failure, Outcome};
use crate::index::Index;
use crate::printer;
use crate::progress::Reporter;

/// Give chunks their vectors, with a model that is asked
///
/// Says what is missing and what it would cost; with --all it is done. What is done stays done: a run that was interrupted goes on
/// where it ended. The model inside the program needs none of this.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  JARI_EMBEDDING_PROVIDER=ollama jari embed\n  jari embed --embedding openai:text-embedding-3-large --all\n  jari embed --all --yes"
)]
pub(crate) struct Embed {
    /// The project
    #[arg(default_value = ".")]
    folder: PathBuf,

    /// All chunks that have none
    #[arg(long)]
    all: bool,

    /// Do not ask before something may cost money
    #[arg(long, short)]
    yes: bool,

    /// Another model than the one that is set: PROVIDER or PROVIDER:MODEL
    #[arg(long, value_name = "MODEL")]
    embedding: Option<String>,
}

impl Embed {
    pub(crate) fn run(self, global: &Global) -> Outcome {
        let Self { folder, all, yes, embedding } = self;
        let mut index = match embedding {
            Some(model) => Index::by_model(&folder, global, &model)?,
            None => Index::find(&folder, global)?,
        };
        let Some(embedder) =
            index.project.embedding.as_ref().and_then(|embedding| embedding.asked().cloned())
        else {
            return Err(Failure::argument(
                "no model is set that has to be asked: vectors are made while files are indexed",
                "JARI_EMBEDDING_PROVIDER, or --embedding openai, voyage, ollama or local; `jari vectors build` makes those of a \
                 model at hand anew",
            ));
        };
        let reporter = Reporter::new(global.quiet);
        // One thing at a time: an eager model would be asked here already, before anybody said yes.
        if let Some(embedding) = &mut index.project.embedding {
            embedding.eager = false;
        }
        // Vectors can be kept once their length is known.
        embedder.learn_dims(Some(Instant::now() + index.settings.embedding.timeout))?;
        let (ready, missing) = index.sync(&reporter, backlog::missing)?;
        reporter.finish(&ready.update);
        let estimate = backlog::estimate(&index.project, &*ready.snapshot, &missing)?;
        let mut json = EmbedJson {
            model: format!("{} {}", embedder.provider().name(), embedder.provider().model()),
            missing: estimate.chunks,
            to_ask: estimate.asked,
            tokens: estimate.tokens,
            dollars: dollars(&embedder, &estimate),
            ..EmbedJson::default()
        };
        if !global.quiet {
            printer::talk_notes(&index.notes);
        }
        if !global.json && (!all || !global.quiet) {
            let said = said(&embedder, &estimate);
            if all { printer::talk(&said) } else { printer::data(&format!("{said}\n"))? }
        }
        if all && estimate.chunks > 0 {
            agree(&embedder, &estimate, yes)?;
            let done = AtomicUsize::new(0);
            let count = |more: usize| {
                let done = done.fetch_add(more, Ordering::Relaxed) + more;
                reporter.embedding(done, estimate.chunks);
            };
            let (_, outcome) = index.embed_all(ready, &count)?;
            reporter.finish(&jari_engine::ingest::Update::default());
            (json.embedded, json.calls) = (outcome.chunks, outcome.calls);
            if let Some(trouble) = outcome.trouble {
                let done = printer::plural(outcome.chunks as u64, "chunk");
                let hint = trouble
                    .hint
                    .clone()
                    .unwrap_or_else(|| "run it again later: it goes on where it ended".to_owned());
                return Err(Failure::asked(format!("{trouble}; {done} done until then"), hint));
            }
            if !global.json && !global.quiet {
                let (chunks, calls) = (outcome.chunks as u64, outcome.calls as u64);
                printer::talk(&format!(
                    "embedded  {} · {} · {}",
                    printer::plural(chunks, "chunk"),
                    printer::plural(calls, "call"),
                    printer::duration(reporter.elapsed())
                ));
            }
        }
        if global.json {
            printer::json(&json)?;
        }
        Ok(true)
    }
}

fn dollars(embedder: &Embedder, estimate: &Estimate) -> Option<f64> {
    Some(embedder.provider().price()? * estimate.tokens as f64 / 1e6)
}

/// What is missing, and what it would cost.
fn said(embedder: &Embedder, estimate: &Estimate) -> String {
    let provider = embedder.provider();
    let name = format!("{} {}", provider.name(), provider.model());
    if estimate.chunks == 0 {
        return format!("all chunks have vectors of {name}");
    }
    let mut said = format!(
        "{} of {} without vectors of {name}",
        printer::plural(estimate.chunks as u64, "chunk"),
        printer::plural(estimate.files as u64, "file")
    );
    if estimate.asked < estimate.chunks {
        let _ = write!(
            said,
            ", {} of them known or repeated",
            printer::count((estimate.chunks - estimate.asked) as u64)
        );
    }
    let _ = write!(said, " · about {} tokens", printer::count(estimate.tokens as u64));
    if let Some(dollars) = dollars(embedder, estimate) {
        let _ = match dollars {
            0.0..0.01 => write!(said, " · less than $0.01"),
            _ => write!(said, " · about ${dollars:.2}"),
        };
    }
    if let Some(destination) = provider.destination() {
        let _ = write!(said, " · sent to {destination}");
    }
    said
}

/// Whether it may begin: what stays on this machine costs nothing.
fn agree(embedder: &Embedder, estimate: &Estimate, yes: bool) -> Result<(), Failure> {
    let host = embedder.provider().destination().unwrap_or("localhost");
    let port = host.rfind(':').filter(|at| host[at + 1..].chars().all(|c| c.is_ascii_digit()));
    let at_home = jari_remote::is_home(&host[..port.unwrap_or(host.len())]);
    if yes || at_home || estimate.asked == 0 {
        return Ok(());
    }
    let refused = || {
        Failure::argument(
            format!("texts would be sent to {host}, and nobody agreed"),
            "jari embed --all --yes",
        )
    };
    if !std::io::stdin().is_terminal() {
        return Err(refused());
    }
    printer::talk("go on? [y/N]");
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer).map_err(Failure::Output)?;
    if matches!(answer.trim().to_lowercase().as_str(), "y" | "yes") { Ok(()) } else { Err(refused()) }
}
