//! `jari watch`

mod common;

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use common::Project;
use serde_json::Value;

#[test]
fn a_change_of_many_files_is_one_update() {
    let project = Project::sample();
    let mut child = project.command(&["watch", "--json"]).stdout(Stdio::piped()).spawn().expect("it starts");
    let mut lines = BufReader::new(child.stdout.take().expect("it is piped")).lines();
    let mut next = || -> Value {
        let line = lines.next().expect("it goes on").expect("it is text");
        serde_json::from_str(&line).expect("one object a line")
    };
    assert_eq!(next()["added"], 3);
    // A folder that is moved in, because files that are written one by one may be seen in the middle on a busy machine.
    for number in 0..300 {
        project.write(format!("../many/{number}.py"), format!("def number_{number}(): pass\n"));
    }
    project.rename("../many", "src/many");
    assert_eq!(next()["added"], 300);
    project.remove("src/many/7.py");
    assert_eq!(next()["removed"], 1);
    project.rename("src/retry.rs", "src/again.rs");
    assert_eq!(next()["renamed"], 1);
    child.kill().expect("it runs");
    child.wait().expect("it ended");
}
