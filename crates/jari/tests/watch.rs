//! `jari watch`

mod common;

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use common::Project;
use serde_json::Value;

/// `jari watch`, which ends with this.
struct Watching {
    child: Child,
    updates: Box<dyn Iterator<Item = Value>>,
}

impl Watching {
    fn start(project: &Project) -> Self {
        let mut command = project.command(&["watch", "--json"]);
        let mut child = command.stdout(Stdio::piped()).spawn().expect("it starts");
        let lines = BufReader::new(child.stdout.take().expect("it is piped")).lines();
        let update = |line: std::io::Result<String>| {
            serde_json::from_str(&line.expect("it is text")).expect("one object a line")
        };
        Self { child, updates: Box::new(lines.map(update)) }
    }

    fn next(&mut self) -> Value {
        self.updates.next().expect("it goes on")
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_change_of_many_files_is_one_update() {
    let project = Project::sample();
    let mut watching = Watching::start(&project);
    assert_eq!(watching.next()["added"], 3);
    // A folder that is moved in, because files that are written one by one may be seen in the middle on a busy machine.
    for number in 0..300 {
        project.write(format!("../many/{number}.py"), format!("def number_{number}(): pass\n"));
    }
    project.rename("../many", "src/many");
    assert_eq!(watching.next()["added"], 300);
    project.remove("src/many/7.py");
    assert_eq!(watching.next()["removed"], 1);
    project.rename("src/retry.rs", "src/again.rs");
    assert_eq!(watching.next()["renamed"], 1);
}

/// Whether a command took the keeper's word instead of looking at all files.
#[cfg(target_os = "linux")]
fn vouched(project: &Project) -> bool {
    let asked = project.jari(&["grep", "number_7", "--verbose"]).exits(0);
    assert!(asked.stdout.contains("many/0/7.py:1:"), "{asked:?}");
    asked.stderr.contains("vouches")
}

/// A project in which a look at all files takes longer than to ask.
#[cfg(target_os = "linux")]
fn large() -> Project {
    let project = Project::sample();
    for number in 0..4_000 {
        project.write(format!("many/{}/{number}.py", number / 100), format!("def number_{number}(): pass\n"));
    }
    project
}

#[cfg(target_os = "linux")]
#[test]
fn who_watches_vouches_for_what_did_not_change() {
    let project = large();
    assert!(!vouched(&project), "nobody watches");
    let mut watching = Watching::start(&project);
    watching.next();
    let began = Instant::now();
    // It may look a last time.
    while !vouched(&project) {
        assert!(began.elapsed() < Duration::from_secs(20), "nobody ever vouches");
    }
    drop(watching);
    assert!(!vouched(&project), "nobody watches any more");
}

#[cfg(target_os = "linux")]
#[test]
fn what_changes_under_a_watch_is_found_by_the_next_command() {
    let project = large();
    let mut watching = Watching::start(&project);
    watching.next();
    let mut fresh = 0;
    for round in 0..24 {
        let (word, folder) = (format!("appears_{round}"), format!("many/{}", round % 4));
        let text = format!("def {word}(): pass\n");
        match round % 4 {
            0 => project.write(format!("{folder}/1{round}.py"), &text),
            1 => project.write(format!("{folder}/new_{round}/deep/er/file.py"), &text),
            2 => {
                project.write(format!("../aside_{round}/file.py"), &text);
                project.rename(&format!("../aside_{round}"), &format!("{folder}/moved_{round}"));
            }
            _ => {
                // Another folder in the place of one that was watched, and a change in it.
                std::fs::remove_dir_all(project.path("many/30")).expect("it is there");
                project.write("many/30/first.py", "");
                std::thread::sleep(Duration::from_millis(50 * round));
                project.write("many/30/second.py", &text);
            }
        }
        let found = project.json(&["grep", &word]);
        // While the keeper writes, the last state answers, and says that it is the last.
        if found["index"]["state"] == "fresh" {
            fresh += 1;
            assert_eq!(found["lines"], 1, "round {round}: {found}");
        }
        std::thread::sleep(Duration::from_millis(20 * round));
    }
    assert!(fresh > 6, "{fresh} of 24 answers were fresh");
}
