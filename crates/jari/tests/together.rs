//! Many processes on one project: all are answered, none sees half a state, none leaves anything behind.

mod common;

use std::collections::BTreeSet;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, RwLock};
use std::time::{Duration, Instant};

use common::random::Random;
use common::state::{difference, state};
use common::{Output, Project, tree};

const FILES: usize = 12;

/// Files that always change together.
const MARKED: usize = 8;

/// How long processes are let loose: `short` seconds where every change is tested, or what `JARI_TEST_SECONDS` says.
fn seconds(short: u64) -> Duration {
    let long = std::env::var("JARI_TEST_SECONDS").ok().and_then(|seconds| seconds.parse().ok());
    Duration::from_secs(long.unwrap_or(short))
}

/// Runs each of `acts` over and over in a thread of its own, until the time is up; returns what they complained of.
fn let_loose(length: Duration, acts: &[&(dyn Fn(usize) -> Result<(), String> + Sync)]) -> Vec<String> {
    let (stop, complaints) = (AtomicBool::new(false), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for act in acts {
            scope.spawn(|| {
                for round in 0.. {
                    if stop.load(Ordering::Relaxed) {
                        return;
                    }
                    if let Err(complaint) = act(round) {
                        complaints.lock().expect("no thread panics").push(complaint);
                    }
                }
            });
        }
        std::thread::sleep(length);
        stop.store(true, Ordering::Relaxed);
    });
    complaints.into_inner().expect("no thread panics")
}

fn mark(project: &Project, version: usize) {
    for number in 0..MARKED {
        project.write(
            format!("marked/m{number}.py"),
            format!("def marker_{number}():\n    return 'version{version}x'\n"),
        );
    }
}

#[test]
fn no_reader_sees_half_of_a_change() {
    let project = tree::project(FILES);
    mark(&project, 0);
    project.jari(&["index"]).exits(0);
    // Files cannot change together; so nobody reads them while they do.
    let files = RwLock::new(());
    let (version, seen) = (AtomicUsize::new(0), Mutex::new(BTreeSet::new()));
    let edit = |_| {
        std::thread::sleep(Duration::from_millis(60));
        let _alone = files.write().expect("no thread panics");
        mark(&project, version.fetch_add(1, Ordering::Relaxed) + 1);
        Ok(())
    };
    let update = |round: usize| {
        let _with_others = files.read().expect("no thread panics");
        let verb: &[&str] = if round % 5 == 4 { &["index", "--rebuild"] } else { &["update"] };
        finished(&project.jari(verb))
    };
    let read = |_| {
        let output = project.jari(&[
            "search",
            "marker return",
            "--path",
            "marked/**",
            "-k",
            "50",
            "--no-update",
            "--json",
        ]);
        finished(&output)?;
        let found: BTreeSet<String> = output
            .stdout
            .split("version")
            .skip(1)
            .filter_map(|rest| rest.split_once('x').map(|(number, _)| number.to_owned()))
            .filter(|number| number.parse::<usize>().is_ok())
            .collect();
        let places = output.json()["results"].as_array().map_or(0, Vec::len);
        if found.len() != 1 || places != MARKED {
            return Err(format!("{places} places of versions {found:?}: {}", output.stdout));
        }
        seen.lock().expect("no thread panics").extend(found);
        Ok(())
    };
    let complaints = let_loose(seconds(5), &[&edit, &update, &update, &read, &read, &read, &read]);
    assert!(complaints.is_empty(), "{} complaints\n{}", complaints.len(), complaints.join("\n"));
    let seen = seen.into_inner().expect("no thread panics").len();
    assert!(seen > 2, "readers saw only {seen} versions: nothing was tested");
}

/// Whether a command ended well, or with the one refusal that is documented.
fn finished(output: &Output) -> Result<(), String> {
    let busy = output.stderr.contains("another process is writing the index");
    if output.code <= 1 || busy { Ok(()) } else { Err(format!("{output:?}")) }
}

#[test]
fn everything_at_once_leaves_an_index_that_is_whole() {
    let project = tree::project(FILES);
    let watch = Watching::start(&project);
    let edits = Mutex::new(Random::seeded(3));
    let version = AtomicUsize::new(1);
    let edit = |_| {
        std::thread::sleep(Duration::from_millis(100));
        let version = version.fetch_add(1, Ordering::Relaxed);
        tree::edit(&project, FILES, version, &mut edits.lock().expect("no thread panics"));
        Ok(())
    };
    let run = |arguments: &'static [&'static str]| {
        let project = &project;
        move |_: usize| finished(&project.jari(arguments)).map_err(|why| format!("{arguments:?}: {why}"))
    };
    let clean = |_| {
        std::thread::sleep(Duration::from_millis(700));
        finished(&project.jari(&["clean"])).map_err(|why| format!("clean: {why}"))
    };
    let log = AtomicUsize::new(0);
    let measure = |_| {
        std::thread::sleep(Duration::from_millis(20));
        let size = std::fs::metadata(project.path(".jari/store.db-wal")).map_or(0, |metadata| metadata.len());
        log.fetch_max(size as usize, Ordering::Relaxed);
        Ok(())
    };
    let search = run(&["search", "balance the ledger"]);
    let look = run(&["search", "retry", "--no-update"]);
    let grep = run(&["grep", "divide_[a-z]+"]);
    let update = run(&["update"]);
    let rebuild = run(&["index", "--rebuild"]);
    let status = run(&["status"]);
    let complaints =
        let_loose(seconds(6), &[&edit, &measure, &search, &look, &grep, &update, &rebuild, &clean, &status]);
    drop(watch);
    assert!(complaints.is_empty(), "{} complaints\n{}", complaints.len(), complaints.join("\n"));
    assert!(log.into_inner() < 32 << 20, "the log grows");
    is_whole(&project);
}

/// After all is over: nobody holds a lock, and the index is that of the working tree.
fn is_whole(project: &Project) {
    let updated = project.jari(&["update"]).exits(0);
    assert!(!updated.stderr.contains("waiting"), "{updated:?}");
    let fresh = project.home().join("fresh");
    project.jari(&["index", "--index-dir", fresh.to_str().expect("a path of ours")]).exits(0);
    let difference = difference(&state(project, &project.path(".jari")), &state(project, &fresh));
    assert_eq!(difference, None);
    let names: BTreeSet<String> = std::fs::read_dir(project.path(".jari"))
        .expect("the files of a test can be used")
        .map(|entry| {
            entry.expect("the files of a test can be used").file_name().to_string_lossy().into_owned()
        })
        .collect();
    // A keeper that was killed leaves its desk, with nothing on it.
    let known =
        [".gitignore", "asked", "keeper.lock", "lexical", "seen", "store.db", "vectors", "writer.lock"];
    let questions = std::fs::read_dir(project.path(".jari/asked")).map_or(0, Iterator::count);
    assert_eq!(questions, 0, "questions are left behind");
    let left: Vec<_> = names.iter().filter(|name| !known.contains(&name.as_str())).collect();
    assert!(left.is_empty(), "left behind: {left:?}");
}

/// `jari watch`, for as long as it lives.
struct Watching(Child);

impl Watching {
    fn start(project: &Project) -> Self {
        let mut command: Command = project.command(&["watch"]);
        Self(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts"))
    }

    fn kill(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        self.kill();
    }
}

#[test]
fn when_the_keeper_is_killed_another_takes_over() {
    let project = tree::project(FILES);
    project.jari(&["index"]).exits(0);
    let mut keeper = Watching::start(&project);
    std::thread::sleep(Duration::from_millis(400));
    let _follower = Watching::start(&project);
    std::thread::sleep(Duration::from_millis(400));
    keeper.kill();
    project.write("new.py", "def brand_new_hedgehog():\n    pass\n");
    let began = Instant::now();
    let found =
        || !project.places(&["search", "brand_new_hedgehog", "--no-update", "--path", "new.py"]).is_empty();
    while !found() {
        assert!(began.elapsed() < Duration::from_secs(10), "nobody took over");
        std::thread::sleep(Duration::from_millis(30));
    }
    // A second to notice, the quiet before an update, and the update; twice that where the machine is busy.
    assert!(began.elapsed() < Duration::from_secs(4), "{:?}", began.elapsed());
    eprintln!("taken over after {:?}", began.elapsed());
}

#[test]
fn when_a_writer_is_killed_the_next_begins_at_once() {
    let project = tree::project(400);
    let mut writer = project.command(&["index"]);
    let mut writer = writer.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    let lock = project.path(".jari/writer.lock");
    let held = || std::fs::File::open(&lock).is_ok_and(|file| file.try_lock().is_err());
    let began = Instant::now();
    while !held() {
        assert!(began.elapsed() < Duration::from_secs(10), "the writer never took its lock");
    }
    let _ = writer.kill();
    let _ = writer.wait();
    let killed = Instant::now();
    assert!(!held(), "the lock ends with its process");
    project.jari(&["update"]).exits(0);
    assert!(killed.elapsed() < Duration::from_secs(8), "{:?}", killed.elapsed());
}
