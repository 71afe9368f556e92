//! What `--verbose` says: each step, and how long it took. Steps carry numbers and names of ours, never text of files.

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

/// Prints steps to stderr from now on.
pub(crate) fn talk() {
    // Ours alone: other crates' events may hold what passes through them.
    let ours = Targets::new().with_target("jari", LevelFilter::DEBUG);
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .with_span_events(FmtSpan::CLOSE)
        .with_ansi(false)
        .with_level(false)
        .with_target(false)
        // Times of steps, not of the clock.
        .with_timer(())
        .compact();
    // Another subscriber can only be there in tests of a whole process.
    let _ = tracing_subscriber::registry().with(lines).with(ours).try_init();
}
