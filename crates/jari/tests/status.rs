//! `jari status`, as a user meets it.

mod common;

use common::{Project, check, keys};
use expect_test::expect;

/// Files of every kind that is not indexed, with one secret to look for.
fn with_skipped() -> Project {
    let project = Project::sample();
    project.write(".env", "PASSWORD=hunter2hunter2\n");
    project.write("deploy/server.pem", "hunter2hunter2\n");
    project.write("key.txt", "-----BEGIN RSA PRIVATE KEY-----\nhunter2hunter2\n-----END RSA PRIVATE KEY-----\n");
    project.write("data", b"\x7fELF\0\0\0");
    project.write("big.txt", "many words ".repeat(60));
    project.write("app.min.js", "var a\n");
    project.write("Cargo.lock", "version = 4\n");
    project.write("jari.toml", "max_file_size = 600\n");
    project
}

#[test]
fn no_index_is_exit_code_1() {
    let project = Project::sample();
    check(&project.jari(&["status"]), &expect![[""]].assert_eq(&keys(&answer).join(" "));
    assert_eq!(answer["languages"], serde_json::json!({"markdown": 1, "python": 1, "rust": 1}));
}

#[test]
fn looking_with_other_settings_keeps_the_index() {
    let project = Project::sample();
    project.jari(&["index"]).exits(0);
    let mut other = project.command(&["status"]);
    project.run(other.env("JARI_MAX_FILE_SIZE", "100"));
    assert_eq!(project.json(&["status"])["files"], 3, "status only looks");
}

#[test]
fn an_indexed_project_without_files_has_an_index() {
    let project = Project::new(&[]);
    project.jari(&["index"]).exits(0);
    project.jari(&["status"]).exits(0);
}
