//! `jari cache`

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use clap::{Args, Subcommand};
use jari_embed::{Cache as Answers, Kept};
use jari_wire::{CacheJson, CachedJson};

use super::Global;
use crate::failure::{Failure, Outcome};
use crate::models;
use crate::printer::{self, NAME};
use crate::settings::{self, Settings};

/// Look at what models answered, or forget it
///
/// Vectors and orders of models that are asked are kept for all projects, by the hash of what was asked: nothing is paid for twice.
/// Of texts nothing is kept but their hash.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  jari cache stats\n  jari cache prune --older-than 30\n  jari cache prune --max-mb 200\n  jari cache clear"
)]
pub(crate) struct Cache {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// What is kept, by model
    Stats,
    /// Forget everything
    Clear,
    /// Forget what was not asked for in a long time
    Prune {
        /// In this many days
        #[arg(long, value_name = "DAYS")]
        older_than: Option<u32>,

        /// Until no more megabytes than this are left [default: the setting `embedding.cache_mb`]
        #[arg(long, value_name = "N")]
        max_mb: Option<u64>,
    },
}

impl Cache {
    pub(crate) fn run(self, global: &Global) -> Outcome {
        let settings = Settings::resolve(Path::new("."), None)?;
        let cache = open(&settings)?;
        let failed = |message: String| Failure::asked(message, "delete the file: models are asked again");
        let gone = match self.what {
            What::Stats => None,
            What::Clear => Some(cache.clear().map_err(failed)?),
            What::Prune { older_than, max_mb } => {
                let old = older_than.map_or(Ok(0), |days| cache.forget_older(days)).map_err(failed)?;
                let most =
                    max_mb.map_or(settings.embedding.cache, |megabytes| megabytes.saturating_mul(1 << 20));
                Some(old + cache.shrink(most).map_err(failed)?)
            }
        };
        show(&cache, &cache.kept().map_err(failed)?, gone, global)?;
        Ok(true)
    }
}

fn open(settings: &Settings) -> Result<Arc<Answers>, Failure> {
    models::cache(settings).ok_or_else(|| {
        let place = settings::answers_file().map(|path| path.display().to_string()).unwrap_or_default();
        Failure::setting(
            format!("there is no cache: it is off, or `{place}` cannot be used"),
            "set embedding.cache_mb above 0, and check the permissions of the file",
        )
    })
}

fn show(cache: &Answers, kept: &[Kept], gone: Option<u64>, global: &Global) -> Result<(), Failure> {
    if global.json {
        let models = kept.iter().map(|Kept { model, entries, bytes }| CachedJson {
            model: model.clone(),
            entries: *entries,
            bytes: *bytes,
        });
        return printer::json(&CacheJson {
            path: cache.path().display().to_string(),
            bytes: cache.bytes(),
            max_bytes: cache.most(),
            models: models.collect(),
            forgotten: gone,
        });
    }
    let mut out = String::new();
    if let Some(gone) = gone {
        let _ = writeln!(out, "forgot    {}", printer::plural(gone, "answer"));
    }
    let _ = writeln!(out, "file      {}", printer::safe(&cache.path().display().to_string()));
    let _ = writeln!(out, "size      {} of {}", printer::bytes(cache.bytes()), printer::bytes(cache.most()));
    for Kept { model, entries, bytes } in kept {
        let (entries, bytes) = (printer::plural(*entries, "answer"), printer::bytes(*bytes));
        let _ = writeln!(out, "{NAME}{}{NAME:#} · {entries} · {bytes}", printer::safe(model));
    }
    printer::data(&out)
}
