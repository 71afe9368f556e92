//! Whatever happens to the files: an update gives the index that a fresh one would be, what is called fresh is what is on disk, and
//! every file is counted.

mod common;

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use common::random::{Random, rounds};
use common::state::{difference, state};
use common::{Project, tree};
use serde_json::Value;

const FILES: usize = 24;

#[test]
fn after_any_edits_an_update_is_a_fresh_index_and_nothing_is_claimed_in_vain() {
    let project = tree::project(FILES);
    project.jari(&["index"]).exits(0);
    let mut random = Random::seeded(5);
    for round in 0..rounds(8) {
        let mut done = Vec::new();
        for _ in 0..1 + random.below(7) {
            done.push(edit(&project, round, &mut random));
        }
        let context = format!("round {round}: {done:#?}");
        // Before anybody has updated: stale hits must not be called fresh.
        check_fresh(&project, &["--no-update"], &context);
        let counts = project.json(&["update"]);
        check_fresh(&project, &[], &context);
        check_counts(&project, &counts, &context);
        let fresh = project.home().join("fresh");
        let _ = std::fs::remove_dir_all(&fresh);
        project.jari(&["index", "--index-dir", fresh.to_str().expect("a path of ours")]).exits(0);
        let difference = difference(&state(&project, &project.path(".jari")), &state(&project, &fresh));
        assert!(difference.is_none(), "{context}\n{}", difference.unwrap_or_default());
    }
}

/// All files below the root that a walk meets.
fn files(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let kind = entry.file_type().expect("it has a kind");
        if kind.is_dir() && entry.file_name() != ".jari" {
            files(&entry.path(), into);
        } else if kind.is_file() {
            into.push(entry.path());
        }
    }
}

fn all_files(project: &Project) -> Vec<PathBuf> {
    let mut found = Vec::new();
    files(&project.root(), &mut found);
    found.sort();
    found
}

/// Makes room for a file: a folder may have taken its place, or one that nobody may write to.
fn clear(path: &Path) {
    let _ = std::fs::remove_dir_all(path).or_else(|_| std::fs::remove_file(path));
}

/// Does something to the tree; says what.
fn edit(project: &Project, round: usize, random: &mut Random) -> String {
    let mut there = all_files(project);
    // Rules that are moved about are no rules, and counting would need to know them.
    there.retain(|path| path.file_name().is_some_and(|name| name != ".gitignore"));
    let file = random.pick(&there).clone();
    let number = random.below(FILES);
    let beside = |name: String| file.with_file_name(name);
    let shown = file.display();
    match random.below(12) {
        0 | 1 => {
            clear(&project.path(tree::path(number)));
            tree::write(project, number, round + 1);
            format!("write {}", tree::path(number))
        }
        2 if there.len() > 4 => {
            std::fs::remove_file(&file).expect("the files of a test can be used");
            format!("delete {shown}")
        }
        3 => {
            let to = beside(format!("renamed_{round}_{number}.py"));
            std::fs::rename(&file, &to).expect("the files of a test can be used");
            format!("rename {shown} to {}", to.display())
        }
        4 => {
            let mode = *random.pick(&[0o644, 0o755, 0o000]);
            std::fs::set_permissions(&file, PermissionsExt::from_mode(mode))
                .expect("the files of a test can be used");
            format!("chmod {mode:o} {shown}")
        }
        5 => {
            let link = beside(format!("link_{round}_{number}.rs"));
            let _ = symlink(&file, &link);
            format!("link {}", link.display())
        }
        6 => {
            let name = file.file_name().expect("it has a name").to_string_lossy().into_owned();
            let to = beside(if name.chars().any(char::is_uppercase) {
                name.to_lowercase()
            } else {
                name.to_uppercase()
            });
            clear(&to);
            std::fs::rename(&file, &to).expect("the files of a test can be used");
            format!("case {shown}")
        }
        7 => {
            // A folder where a file was.
            std::fs::remove_file(&file).expect("the files of a test can be used");
            std::fs::create_dir(&file).expect("the files of a test can be used");
            std::fs::write(file.join("inner.py"), tree::text(number * 4 + 1, round))
                .expect("the files of a test can be used");
            format!("folder {shown}")
        }
        8 => {
            // The same size and, where the clock is slow, the same time.
            let mut bytes = std::fs::read(&file).unwrap_or_default();
            if let Some(last) = bytes.iter_mut().rev().find(|byte| byte.is_ascii_digit()) {
                *last = if *last == b'9' { b'0' } else { *last + 1 };
            }
            let _ = std::fs::write(&file, bytes);
            format!("same size {shown}")
        }
        9 => {
            let blob = beside("blob.py".to_owned());
            clear(&blob);
            std::fs::write(blob, b"\0\x01binary\0").expect("the files of a test can be used");
            format!("binary beside {shown}")
        }
        10 => {
            project.write(".gitignore", format!("*_{}.rs\n", random.below(30)));
            "ignore rules".to_owned()
        }
        _ => {
            let (one, two) = (random.pick(&there).clone(), file.clone());
            let aside = project.home().join("aside");
            std::fs::rename(&one, &aside).expect("the files of a test can be used");
            if one != two {
                std::fs::rename(&two, &one).expect("the files of a test can be used");
            }
            std::fs::rename(&aside, &two).expect("the files of a test can be used");
            format!("swap {shown} and {}", one.display())
        }
    }
}

/// Every hit that is called fresh shows lines that stand in the file now.
#[track_caller]
fn check_fresh(project: &Project, flags: &[&str], context: &str) {
    let question = ["search", "measure balance retry socket ledger version", "-k", "60"];
    let answer = project.json(&[&question[..], flags].concat());
    let (mut fresh, mut stale) = (0, 0);
    for hit in answer["results"].as_array().expect("a list") {
        if hit["fresh"] != true {
            stale += 1;
            continue;
        }
        fresh += 1;
        let path = hit["path"].as_str().expect("a path");
        let text = std::fs::read_to_string(project.path(path)).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        for line in hit["preview"].as_array().into_iter().flatten() {
            let number = line["line"].as_u64().expect("a number") as usize;
            let there = lines.get(number - 1).map(|line| line.trim_end());
            assert_eq!(there, line["text"].as_str(), "{path}:{number}\n{context}");
        }
    }
    assert!(!flags.is_empty() || stale == 0, "{stale} stale hits after an update, {fresh} fresh\n{context}");
}

/// Indexed and skipped files together are those that are there and not ignored.
#[track_caller]
fn check_counts(project: &Project, update: &Value, context: &str) {
    let rules = std::fs::read_to_string(project.path(".gitignore")).unwrap_or_default();
    let ignored = |path: &PathBuf| {
        let name = path.file_name().expect("it has a name").to_string_lossy().into_owned();
        rules.lines().any(|rule| name.ends_with(rule.trim_start_matches('*')))
            || path.components().any(|part| {
                rules
                    .lines()
                    .any(|rule| part.as_os_str().to_string_lossy().ends_with(rule.trim_start_matches('*')))
            })
    };
    let walked = all_files(project).iter().filter(|path| !ignored(path)).count() as u64;
    let number = |key: &str| update[key].as_u64().unwrap_or_default();
    let skipped: u64 =
        update["skipped"].as_object().map_or(0, |map| map.values().filter_map(Value::as_u64).sum());
    let indexed = ["added", "updated", "renamed", "unchanged"].map(number).iter().sum::<u64>();
    assert_eq!(indexed + skipped, walked, "{update}\n{context}");
    let status = project.json(&["status"]);
    let all: u64 =
        status["skipped"].as_object().map_or(0, |map| map.values().filter_map(Value::as_u64).sum());
    assert_eq!(status["files"].as_u64().unwrap_or_default() + all, walked, "{status}\n{context}");
}
