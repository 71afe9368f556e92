//! What a process cost: wall time, CPU time, peak memory. Read from `/proc`, so on Linux only.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

/// Kernel ticks in a second, on every Linux that we know of.
const TICKS: f64 = 100.0;

/// What a process cost.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Cost {
    pub(crate) wall: f64,
    pub(crate) cpu: f64,
    /// In megabytes.
    pub(crate) peak: f64,
}

/// Runs a command to its end.
pub(crate) fn run(command: &mut Command) -> Result<Cost> {
    let began = Instant::now();
    let shown = format!("{command:?}");
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| shown.clone())?;
    let mut cost = Cost::default();
    loop {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        cost.peak = cost.peak.max(peak(&status));
        // A process that has ended but was not waited for still tells what it used.
        if let Some((state, cpu)) = stat(child.id()) {
            cost.cpu = cost.cpu.max(cpu);
            if state == 'Z' {
                break;
            }
        } else {
            bail!("/proc does not tell about `{shown}`");
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    cost.wall = began.elapsed().as_secs_f64();
    ensure!(child.wait()?.success(), "`{shown}` failed");
    Ok(cost)
}

/// The cheapest of several runs: noise only ever adds.
pub(crate) fn best(times: usize, mut make: impl FnMut() -> Result<Command>) -> Result<Cost> {
    let mut best: Option<Cost> = None;
    for _ in 0..times {
        let cost = run(&mut make()?)?;
        let best = best.get_or_insert(cost);
        *best = Cost {
            wall: best.wall.min(cost.wall),
            cpu: best.cpu.min(cost.cpu),
            peak: best.peak.max(cost.peak),
        };
    }
    best.context("at least one run")
}

fn stat(process: u32) -> Option<(char, f64)> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (_, fields) = stat.rsplit_once(") ")?;
    let mut fields = fields.split(' ');
    let state = fields.next()?.chars().next()?;
    // Fields 14 and 15 of the line, of which three are taken; children that were waited for are 16 and 17.
    let ticks: f64 = fields.skip(10).take(4).filter_map(|field| field.parse::<f64>().ok()).sum();
    Some((state, ticks / TICKS))
}

fn peak(status: &str) -> f64 {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<f64>().ok())
        .map_or(0.0, |kilobytes| kilobytes / 1024.0)
}
