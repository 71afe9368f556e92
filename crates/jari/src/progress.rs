//! How long work is shown: a bar on a terminal, plain lines elsewhere, nothing when asked to be quiet. Always on stderr.

use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use jari_engine::ingest::{Progress, Update};

use crate::printer;

/// Work shorter than this needs no bar.
const PATIENCE: Duration = Duration::from_millis(150);

/// Between two plain lines.
const PAUSE: Duration = Duration::from_secs(5);

/// Shows progress.
pub(crate) struct Reporter {
    began: Instant,
    quiet: bool,
    bar: Option<ProgressBar>,
    last_line: Mutex<Instant>,
}

impl Reporter {
    pub(crate) fn new(quiet: bool) -> Self {
        let began = Instant::now();
        let terminal = std::io::stderr().is_terminal() && !quiet;
        let bar = terminal.then(|| {
            let style = ProgressStyle::with_template("indexing  {bar:24}  {pos}/{len} files · {msg}")
                .expect("the template is right");
            ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden())
                .with_style(style.progress_chars("██░"))
        });
        Self { began, quiet, bar, last_line: Mutex::new(began) }
    }

    /// Called for every file.
    pub(crate) fn show(&self, progress: Progress) {
        if self.quiet {
            return;
        }
        if let Some((done, of)) = progress.embedded {
            return self.embedding(done, of);
        }
        let elapsed = self.began.elapsed();
        let Some(bar) = &self.bar else { return self.line(progress) };
        if bar.is_hidden() && elapsed > PATIENCE && progress.files < progress.of {
            bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(12));
        }
        bar.set_length(progress.of as u64);
        bar.set_message(format!(
            "{} chunks · {}",
            printer::count(progress.chunks as u64),
            speed(progress.bytes, elapsed)
        ));
        bar.set_position(progress.files as u64);
    }

    /// A line now and then, for logs.
    fn line(&self, progress: Progress) {
        let mut last = self.last_line.lock().expect("no holder panics");
        if last.elapsed() > PAUSE {
            *last = Instant::now();
            let Progress { files, of, chunks, bytes, embedded: _ } = progress;
            printer::talk(&format!(
                "indexing  {files}/{of} files · {} · {}",
                printer::plural(chunks as u64, "chunk"),
                speed(bytes, self.began.elapsed())
            ));
        }
    }

    /// Called for every answer of a model that is asked for vectors.
    pub(crate) fn embedding(&self, done: usize, of: usize) {
        if self.quiet {
            return;
        }
        let Some(bar) = &self.bar else {
            let mut last = self.last_line.lock().expect("no holder panics");
            if last.elapsed() > PAUSE {
                *last = Instant::now();
                printer::talk(&format!(
                    "embedding {}/{} chunks",
                    printer::count(done as u64),
                    printer::count(of as u64)
                ));
            }
            return;
        };
        if bar.is_hidden() && done < of {
            let style = ProgressStyle::with_template("embedding {bar:24}  {pos}/{len} chunks · {eta} left");
            bar.set_style(style.expect("the template is right").progress_chars("██░"));
            bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(12));
        }
        bar.set_length(of as u64);
        bar.set_position(done as u64);
    }

    /// Called for every vector that a graph takes in.
    pub(crate) fn graph(&self, rows: usize) {
        let mut last = self.last_line.lock().expect("no holder panics");
        if last.elapsed() > PAUSE {
            *last = Instant::now();
            drop(last);
            self.say(&format!("graph     {} vectors linked", printer::count(rows as u64)));
        }
    }

    /// Says something beside the bar.
    pub(crate) fn say(&self, message: &str) {
        if self.quiet {
            return;
        }
        match &self.bar {
            Some(bar) => bar.println(message),
            None => printer::talk(message),
        }
    }

    /// The work is done: one line stays, if there was any work.
    pub(crate) fn finish(&self, update: &Update) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        let files = update.added + update.updated;
        if self.quiet || files == 0 {
            return;
        }
        let elapsed = self.began.elapsed();
        printer::talk(&format!(
            "indexed   {} · {} · {} · {}",
            printer::plural(files as u64, "file"),
            printer::plural(update.chunks as u64, "chunk"),
            speed(update.bytes, elapsed),
            printer::duration(elapsed)
        ));
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }
}

fn speed(bytes: u64, elapsed: Duration) -> String {
    format!("{:.1} MB/s", bytes as f64 / 1e6 / elapsed.as_secs_f64().max(1e-3))
}
