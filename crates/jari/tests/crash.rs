//! The program is killed, or the disk fails under it: the last complete state answers, and one update makes all good.

mod common;

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use common::random::{Random, rounds};
use common::state::{answer, difference, state};
use common::{Project, tree};
use serde_json::Value;

const FILES: usize = 40;

#[test]
fn killed_at_any_moment_it_answers_and_one_update_makes_it_whole() {
    let project = tree::project(FILES);
    let long = timed(|| drop(project.jari(&["index"]).exits(0)));
    let mut random = Random::seeded(11);
    let (mut wrong, mut killed) = (Vec::new(), 0);
    for round in 0..rounds(30) {
        tree::edit(&project, FILES, round + 1, &mut random);
        let verb: &[&str] = match random.below(4) {
            0 => &["index", "--rebuild"],
            1 => &["index"],
            _ => &["update"],
        };
        // An update is shorter than the index it changes, and the machine may be idler now than when it was measured.
        let moment = Duration::from_micros(random.below(long.as_micros() as usize / 2) as u64);
        killed += usize::from(kill_after(project.command(verb), moment));
        if let Err(why) = recovers(&project) {
            wrong.push(format!("round {round}, {verb:?} killed after {moment:?}: {why}"));
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
    assert!(killed * 4 > rounds(30), "only {killed} were still alive when they were killed");
}

/// Starts a command and kills it; says whether it was still alive.
fn kill_after(mut command: Command, moment: Duration) -> bool {
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program starts");
    std::thread::sleep(moment);
    let _ = child.kill();
    child.wait().expect("it ended").signal().is_some()
}

fn timed(act: impl FnOnce()) -> Duration {
    let began = Instant::now();
    act();
    began.elapsed()
}

/// Whether the index opens and answers as it is, and is that of the working tree after one update.
fn recovers(project: &Project) -> Result<(), String> {
    let asked = project.jari(&["search", "balance the ledger", "--no-update"]);
    if asked.code > 1 || asked.stderr.contains("damaged") {
        return Err(format!("it does not answer: {asked:?}"));
    }
    let updated = project.jari(&["update"]);
    if updated.code != 0 || updated.stderr.contains("damaged") {
        return Err(format!("it is not updated: {updated:?}"));
    }
    let fresh = project.home().join("fresh");
    let _ = std::fs::remove_dir_all(&fresh);
    project.jari(&["index", "--index-dir", fresh.to_str().expect("a path of ours")]).exits(0);
    match difference(&state(project, &project.path(".jari")), &state(project, &fresh)) {
        Some(difference) => Err(difference),
        None => Ok(()),
    }
}

/// Fails one call to the system, for whoever is started with it.
struct Faults {
    library: PathBuf,
}

impl Faults {
    /// `None` where there is no compiler, or no way to put a library before the system's.
    fn build(folder: &Path) -> Option<Self> {
        let library = folder.join("fault.so");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fault/fault.c");
        let mut compile = Command::new("cc");
        compile.args(["-shared", "-fPIC", "-O1", "-o"]).arg(&library).arg(source).args(["-ldl"]);
        let compiled = cfg!(target_os = "linux") && compile.status().is_ok_and(|status| status.success());
        compiled.then_some(Self { library })
    }

    /// `command`, whose call number `at` that writes below `folder` fails as `kind` says; calls are counted into `count`.
    fn inject(&self, command: &mut Command, folder: &Path, kind: &str, at: usize, count: &Path) {
        command
            .env("LD_PRELOAD", &self.library)
            .env("FAULT_FOLDER", folder)
            .env("FAULT_KIND", kind)
            .env("FAULT_AT", at.to_string())
            .env("FAULT_COUNT", count);
    }
}

const QUESTION: &[&str] = &["search", "balance the ledger and retry", "-k", "50"];

#[test]
fn a_disk_that_fails_at_any_step_loses_nothing() {
    let project = tree::project(FILES);
    let Some(faults) = Faults::build(&project.home()) else {
        return eprintln!("skipped: no C compiler to build the faults with");
    };
    project.jari(&["index"]).exits(0);
    let before = answer(&project, QUESTION).0;
    let whole = Saved::of(&project);
    for number in (0..FILES).step_by(3) {
        tree::write(&project, number, 1);
    }
    let after = {
        let fresh = project.home().join("fresh");
        answer(&project, &[QUESTION, &["--index-dir", fresh.to_str().expect("a path of ours")]].concat()).0
    };
    assert_ne!(before, after, "the edits must tell");
    let mut random = Random::seeded(23);
    let (mut wrong, mut failed) = (Vec::new(), 0);
    for (kind, verb) in [
        ("error", "update"),
        ("full", "update"),
        ("short", "update"),
        ("sync", "update"),
        ("error", "rebuild"),
        ("full", "rebuild"),
        ("sync", "rebuild"),
    ] {
        let verb: &[&str] = if verb == "rebuild" { &["index", "--rebuild"] } else { &["update"] };
        let run = |at: usize| {
            whole.restore(&project);
            let count = project.home().join("count");
            let mut command = project.command(verb);
            faults.inject(&mut command, &project.path(".jari"), kind, at, &count);
            let output = project.run(&mut command);
            let calls: usize =
                std::fs::read_to_string(count).expect("calls are counted").trim().parse().expect("a number");
            (output, calls)
        };
        let (_, calls) = run(0);
        assert!(calls > 3, "{kind}: {calls} calls");
        let most = rounds(6).min(calls);
        for round in 0..most {
            // Every part of a batch gets its share.
            let at = 1 + (calls * round + random.below(calls)) / most;
            let (output, _) = run(at);
            failed += usize::from(output.code != 0);
            let why = if output.code > 2 || output.code == 2 && !output.stderr.contains("error: ") {
                Some(format!("{output:?}"))
            } else {
                survives(&project, &before, &after).err()
            };
            wrong.extend(
                why.map(|why| {
                    format!("{kind} at call {at} of {calls} in {verb:?}: {why}\n{}", output.stderr)
                }),
            );
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
    assert!(failed > 5, "only {failed} commands noticed a fault");
}

#[test]
fn files_that_a_shortage_kept_from_us_are_said_and_tried_again() {
    let project = tree::project(FILES);
    let Some(faults) = Faults::build(&project.home()) else {
        return eprintln!("skipped: no C compiler to build the faults with");
    };
    let files = || project.json(&["status"])["files"].as_u64().expect("a number");
    project.jari(&["index"]).exits(0);
    let all = files();
    std::fs::remove_dir_all(project.path(".jari")).expect("an index to delete");

    let kept = project.path(tree::path(0));
    let mut short = project.command(QUESTION);
    faults.inject(&mut short, &kept, "descriptors", 0, &project.home().join("count"));
    let short = project.run(&mut short);
    assert!(short.stderr.contains("1 file could not be opened now"), "{short:?}");
    assert!(!short.stderr.contains("index fresh"), "{short:?}");
    assert_eq!(files(), all - 1);

    let next = project.jari(QUESTION).exits(0);
    assert!(next.stderr.contains("index fresh"), "{next:?}");
    assert_eq!(files(), all);
}

/// Whether the index holds one of two states whole, and the newer one after an update.
fn survives(project: &Project, before: &Value, after: &Value) -> Result<(), String> {
    let (mut asked, said) = answer(project, &[QUESTION, &["--no-update"]].concat());
    // Whether lines are fresh is another matter: they are compared with the disk.
    let same = |one: &mut Value, two: &Value| places(one) == places(two);
    if said.contains("damaged") || !same(&mut asked, before) && !same(&mut asked, after) {
        return Err(format!("neither state answers: {said} {asked:.600}"));
    }
    let (found, said) = answer(project, QUESTION);
    if found != *after || said.contains("damaged") {
        return Err(format!("not up to date: {said} {found:.600}"));
    }
    Ok(())
}

/// Where the results stand, with their scores.
fn places(answer: &Value) -> Vec<String> {
    let results = answer["results"].as_array().expect("a list");
    results.iter().map(|hit| format!("{} {} {}", hit["path"], hit["start_line"], hit["scores"])).collect()
}

/// The files of an index.
struct Saved(Vec<(PathBuf, Vec<u8>)>);

impl Saved {
    fn of(project: &Project) -> Self {
        let read = |path: PathBuf| (path.clone(), std::fs::read(path).expect("it is there"));
        Self(project.index_files().into_iter().map(read).collect())
    }

    fn restore(&self, project: &Project) {
        let _ = std::fs::remove_dir_all(project.path(".jari"));
        for (path, bytes) in &self.0 {
            project.write(path, bytes);
        }
    }
}
