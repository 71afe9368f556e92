//! What a user can get wrong, and what can go wrong around them: always a plain word, never a panic.

mod common;

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use common::{Output, POOL, Project, RETRY, check, filtered};
use expect_test::{Expect, expect};

// The question.

#[test]
fn an_empty_query_is_refused() {
    let project = Project::sample();
    check(&project.jari(&["search", ""]), &expect![[r#"
        exit: 2
        --- stderr
        error: the query has no word to look for
        hint: say what you look for: jari search "retry with backoff"
    "#]]);
    check(&project.jari(&["search", "  \t"]), &expect![[r#"
        exit: 2
        --- stderr
        error: the query has no word to look for
        hint: say what you look for: jari search "retry with backoff"
    "#]]);
    assert!(!project.path(".jari").exists(), "nothing was indexed for nothing");
}

#[test]
fn a_query_of_punctuation_is_refused() {
    check(&Project::sample().jari(&["search", "?!… --"]), &expect![[r#"
        exit: 2
        --- stderr
        error: the query has no word to look for
        hint: say what you look for: jari search "retry with backoff"
    "#]]);
}

#[test]
fn no_results_offer_near_names() {
    let project = Project::sample();
    check(&project.jari(&["search", "retri_with_bakoff"]), &expect![[""]]);
    check(&project.jari(&["search", "zebra"]), &expect![[r#"
        exit: 2
        --- stderr
        {"error":{"code":"empty_query","message":"the query has no word to look for","hint":"say what you look for: jari search \"retry with backoff\""}}
    "#]]);
    let answer = project.jari(&["search", "poool", "--json"]).exits(1).json();
    assert_eq!(answer["near"], serde_json::json!(["Pool"]));
}

#[test]
fn an_unknown_flag_is_refused() {
    check(&Project::sample().jari(&["search", "retry", "--fuzzy"]), &expect![[""]]);
    Project::sample().jari(&["serach", "retry"]).exits(2);
    Project::sample().jari(&[]).exits(2);
}

#[test]
fn json_errors_have_code_message_and_hint() {
    let project = Project::sample();
    check(&project.jari(&["search", "", "--json"]), &expect![[""]]);
    check(&project.jari(&["search", "retry", "nowhere", "--json"]), &expect![[""]]);
}

#[test]
fn json_errors_hold_for_flags_too() {
    let project = Project::sample();
    let output = project.jari(&["search", "retry", "--json", "--kind", "methods"]).exits(2);
    let error: serde_json::Value = serde_json::from_str(&output.stderr).expect("one shape for every error");
    assert_eq!(error["error"]["code"], "bad_argument");
}

// The place.

#[test]
fn no_such_path_is_said() {
    check(&Project::sample().jari(&["search", "retry", "nowhere"]), &expect![[""]]);
    for verb in ["index", "update", "status", "clean"] {
        let output = Project::sample().jari(&[verb, "nowhere"]).exits(2);
        assert!(!output.stderr.contains("jari search"), "a hint for another verb: {}", output.stderr);
    }
}

#[test]
fn a_file_instead_of_a_folder_is_said() {
    check(&Project::sample().jari(&["search", "retry", "src/retry.rs"]), &expect![[r#"
        exit: 1
        --- stderr

        nothing found · [time] · index fresh
    "#]]);
}

#[test]
fn an_empty_project_has_nothing() {
    check(&Project::new(&[]).jari(&["search", "retry"]), &expect![[""]]);
    Project::new(&[]).jari(&["tree"]).exits(1);
    Project::new(&[("empty.rs", "")]).jari(&["search", "retry"]).exits(1);
}

#[test]
fn an_unreadable_folder_is_counted_and_the_rest_is_found() {
    let project = Project::sample();
    let locked = project.path("src/net");
    std::fs::set_permissions(&locked, PermissionsExt::from_mode(0o000)).unwrap();
    let permissions_hold = std::fs::read_dir(&locked).is_err();
    let output = project.jari(&["search", "retry with backoff", "--json"]);
    let status = project.json(&["status", "--skipped"]);
    std::fs::set_permissions(&locked, PermissionsExt::from_mode(0o755)).unwrap();
    assert_eq!(output.exits(0).json()["results"][0]["path"], "src/retry.rs");
    if permissions_hold {
        assert_eq!(status["skipped"], serde_json::json!({"unreadable": 1}));
    } else {
        // Root reads everything: then the folder is simply read.
        assert_eq!(status["files"], 3);
    }
}

#[test]
fn a_project_that_cannot_hold_its_index_has_it_in_the_cache() {
    // Root may write into read-only folders, so a file stands where the index should be.
    let project = Project::sample();
    project.write(".jari", "mine");
    check(&project.jari(&["search", "retry with backoff", "-k", "1"]), &expect![[""]]);
    check(&project.jari(&["status"]), &expect![[""]]);
    assert_eq!(std::fs::read_to_string(project.path(".jari")).unwrap(), "mine");
    project.jari(&["clean"]).exits(0);
    project.jari(&["status"]).exits(1);
}

#[test]
fn a_read_only_project_has_its_index_in_the_cache() {
    let project = Project::sample();
    std::fs::set_permissions(project.root(), PermissionsExt::from_mode(0o555)).unwrap();
    let permissions_hold = std::fs::write(project.path("probe"), "").is_err();
    let output = project.jari(&["search", "retry with backoff"]).exits(0);
    std::fs::set_permissions(project.root(), PermissionsExt::from_mode(0o755)).unwrap();
    // Root writes everywhere: then the index is where it always is.
    assert_eq!(output.stderr.contains("note: the project cannot hold its index"), permissions_hold);
    assert_eq!(project.path(".jari").exists(), !permissions_hold);
}

#[test]
fn a_full_disk_is_said() {
    let project = Project::sample();
    for number in 0..200 {
        let words: String = (0..60).map(|word| format!("let w{number}x{word} = {word};\n")).collect();
        project.write(format!("many/m{number}.rs"), format!("fn f{number}() {{\n{words}}}\n"));
    }
    let Some(disk) = Disk::mount(project.home().join("disk")) else {
        return eprintln!("skipped: no small disk can be mounted here");
    };
    let folder = disk.0.join("index");
    let output = project.jari(&["search", "retry", "--index-dir", folder.to_str().unwrap()]);
    check(&output, &expect![[""]]);
}

/// A disk that is soon full, for as long as it lives.
struct Disk(PathBuf);

impl Disk {
    fn mount(at: PathBuf) -> Option<Self> {
        std::fs::create_dir_all(&at).ok()?;
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=200k", "tmpfs"]).arg(&at).stderr(Stdio::null());
        mount.status().ok()?.success().then_some(Self(at))
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

// The index.

/// Breaks an index in one way; the next search must say so and answer right.
#[track_caller]
fn check_repaired(break_it: impl Fn(&Project), note: &Expect) {
    for more in [&[][..], &["--no-update"]] {
        let project = Project::sample();
        project.jari(&["index"]).exits(0);
        break_it(&project);
        let arguments = ["search", "retry with backoff", "-k", "1"];
        let output = project.jari(&[&arguments[..], more].concat()).exits(0);
        assert!(output.stdout.starts_with("src/retry.rs:1-10 · function retry_with_backoff"), "{more:?}: {output:#?}");
        if more.is_empty() {
            note.assert_eq(&notes(&output));
        }
        let after = project.jari(&arguments).exits(0);
        assert_eq!(notes(&after), "", "it is repaired for good");
    }
}

fn notes(output: &Output) -> String {
    output.stderr.lines().filter(|line| line.starts_with("note:")).map(|line| filtered(line) + "\n").collect()
}

#[test]
fn random_bytes_for_a_database_are_replaced() {
    let noise: Vec<u8> = (0..20_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    check_repaired(|project| project.write(".jari/store.db", &noise), &expect![[r#"
        note: the index was damaged (database disk image is malformed) and is made anew
    "#]]);
}

#[test]
fn a_truncated_database_is_replaced() {
    for keep in [100, 4_096, 9_000] {
        let truncate = |project: &Project| {
            let bytes = std::fs::read(project.path(".jari/store.db")).unwrap();
            project.write(".jari/store.db", &bytes[..keep]);
        };
        check_repaired(truncate, &expect![[""]]);
    }
}

#[test]
fn an_empty_database_is_filled() {
    check_repaired(|project| project.write(".jari/store.db", ""), &expect![[""]]);
}

#[test]
fn a_foreign_database_is_replaced() {
    let foreign = |project: &Project| {
        project.remove(".jari/store.db");
        let database = rusqlite::Connection::open(project.path(".jari/store.db")).unwrap();
        database.execute_batch("CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1)").unwrap();
    };
    check_repaired(foreign, &expect![[""]]);
}

#[test]
fn missing_tables_and_rows_are_replaced() {
    for sql in ["DROP TABLE symbols", "DROP TABLE files", "DELETE FROM meta", "DELETE FROM texts", "UPDATE chunks SET kind = 99"] {
        let damage = |project: &Project| {
            let database = rusqlite::Connection::open(project.path(".jari/store.db")).unwrap();
            database.execute_batch(sql).unwrap();
        };
        let project = Project::sample();
        project.jari(&["index"]).exits(0);
        damage(&project);
        let output = project.jari(&["search", "retry with backoff", "-k", "1"]);
        assert!(output.code == 0 && output.stdout.starts_with("src/retry.rs:1-10 "), "{sql}: {output:#?}");
        assert!(notes(&output).starts_with("note: the index was damaged ("), "{sql}: {output:#?}");
    }
}

#[test]
fn deleted_postings_are_made_anew() {
    let delete = |project: &Project| {
        for file in segments(project) {
            std::fs::remove_file(file).unwrap();
        }
    };
    check_repaired(delete, &expect![[""]]);
    check_repaired(|project| std::fs::remove_dir_all(project.path(".jari/lexical")).unwrap(), &expect![[""]]);
}

#[test]
fn any_one_deleted_segment_file_is_noticed() {
    let endings = |project: &Project| -> Vec<PathBuf> { segments(project) };
    let sample = Project::sample();
    sample.jari(&["index"]).exits(0);
    for ending in endings(&sample).iter().filter_map(|file| file.extension()) {
        let project = Project::sample();
        project.jari(&["index"]).exits(0);
        let file = segments(&project).into_iter().find(|file| file.extension() == Some(ending)).unwrap();
        std::fs::remove_file(file).unwrap();
        assert_eq!(project.places(&["search", "backoff"]), ["src/retry.rs:1-10"], "{ending:?}");
    }
}

#[test]
fn flipped_bytes_in_postings_never_panic_and_answer_right() {
    let sample = Project::sample();
    sample.jari(&["index"]).exits(0);
    for ending in segments(&sample).iter().filter_map(|file| file.extension()) {
        for place in [0.0, 0.5, 0.98] {
            let project = Project::sample();
            project.jari(&["index"]).exits(0);
            let file = segments(&project).into_iter().find(|file| file.extension() == Some(ending)).unwrap();
            let mut bytes = std::fs::read(&file).unwrap();
            let at = (bytes.len() as f64 * place) as usize;
            bytes[at..].iter_mut().take(4).for_each(|byte| *byte ^= 0x5a);
            std::fs::write(&file, bytes).unwrap();
            let output = project.jari(&["search", "retry with backoff", "-k", "1"]);
            assert!(
                output.code == 0 && output.stdout.starts_with("src/retry.rs:1-10 "),
                "{ending:?} at {place}: {output:#?}"
            );
        }
    }
}

fn segments(project: &Project) -> Vec<PathBuf> {
    project.index_files().into_iter().filter(|file| file.starts_with(project.path(".jari/lexical"))).collect()
}

#[test]
fn unrelated_files_in_the_index_folder_are_left_alone() {
    let project = Project::sample();
    project.write(".jari/notes.txt", "mine");
    project.write(".jari/lexical.txt", "mine");
    assert_eq!(project.places(&["search", "backoff"]), ["src/retry.rs:1-10"]);
    project.jari(&["index", "--rebuild"]).exits(0);
    assert_eq!(std::fs::read_to_string(project.path(".jari/notes.txt")).unwrap(), "mine");
    assert_eq!(std::fs::read_to_string(project.path(".jari/lexical.txt")).unwrap(), "mine");
}

#[test]
fn an_index_of_a_newer_format_is_refused_and_kept() {
    let project = Project::sample();
    project.jari(&["index"]).exits(0);
    let database = rusqlite::Connection::open(project.path(".jari/store.db")).unwrap();
    database.execute("UPDATE meta SET value = '999' WHERE key = 'format'", []).unwrap();
    drop(database);
    check(&project.jari(&["search", "retry"]), &expect![[""]]);
    for verb in ["index", "update", "status", "tree"] {
        project.jari(&[verb]).exits(2);
    }
    assert_eq!(project.rows("SELECT value FROM meta WHERE key = 'format'"), ["999"]);
    // What the hint says works.
    project.jari(&["clean"]).exits(0);
    project.jari(&["search", "retry"]).exits(0);
}

#[test]
fn status_says_that_an_index_is_damaged() {
    let project = Project::sample();
    project.jari(&["index"]).exits(0);
    project.write(".jari/store.db", "this is no database at all, only some words");
    let output = project.jari(&["status"]);
    assert!(output.stderr.contains("note: the index was damaged"), "{output:#?}");
}

// The settings.

#[test]
fn an_unknown_setting_is_named() {
    let project = Project::sample();
    project.write("jari.toml", "max_file_sise = 5\n");
    check(&project.jari(&["search", "retry"]), &expect![[""]]);
    project.write("jari.toml", "max_file_size = \"large\"\n");
    check(&project.jari(&["search", "retry"]), &expect![[""]]);
    project.write("jari.toml", "bm25_b = 7\n");
    check(&project.jari(&["search", "retry"]), &expect![[""]]);
    project.write("jari.toml", "what is this");
    project.jari(&["search", "retry"]).exits(2);
}

#[test]
fn a_checked_in_setting_cannot_move_the_index() {
    let project = Project::sample();
    project.write("jari.toml", "index_dir = \"/tmp/elsewhere\"\n");
    let output = project.jari(&["search", "retry"]);
    assert!(!Path::new("/tmp/elsewhere").exists());
    assert!(output.stderr.contains("index_dir"), "a setting that does nothing is said: {output:#?}");
}

#[test]
fn a_bad_environment_value_is_named() {
    let project = Project::sample();
    let run = |name, value| project.run(project.command(&["search", "retry"]).env(name, value));
    check(&run("JARI_MAX_FILE_SIZE", "1MB"), &expect![[r#"
        exit: 2
        --- stderr
        error: JARI_MAX_FILE_SIZE is `1MB`, which is no such number
        hint: unset JARI_MAX_FILE_SIZE or give a number
    "#]]);
    check(&run("JARI_BM25_K1", "-3"), &expect![[r#"
        exit: 2
        --- stderr
        error: bm25_k1 is -3
        hint: it lies between 0 and 10; #.## is usual
    "#]]);
    run("JARI_BM25_B", "NaN").exits(2);
}

#[test]
fn the_users_own_settings_hold() {
    let project = Project::sample();
    let folder = project.home().join("config/jari");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config.toml"), "max_file_size = 100\n").unwrap();
    assert_eq!(project.json(&["update"])["skipped"], serde_json::json!({"too large": 2}));
}

// The files.

#[test]
fn odd_file_names_do_not_break() {
    let project = Project::new(&[]);
    project.write("with space.rs", RETRY);
    project.write("결제/처리.py", POOL);
    project.write("star*[x].rs", RETRY);
    project.write("-k.rs", RETRY);
    assert_eq!(project.places(&["search", "backoff"]).len(), 3);
    assert_eq!(project.json(&["tree", "with space.rs"])["file"], "with space.rs");
    assert_eq!(project.json(&["tree", "결제/처리.py"])["file"], "결제/처리.py");
    assert_eq!(project.places(&["search", "backoff", "--path", "with space.rs"]), ["with space.rs:1-10"]);
    assert_eq!(project.places(&["search", "connection", "결제", "-k", "1"]).len(), 1);
    assert!(!project.places(&["search", "결제"]).is_empty(), "a path is searched too");
}

#[test]
fn a_folder_with_glob_characters_can_be_searched_alone() {
    let project = Project::new(&[("a[b]{c}/x.rs", RETRY), ("ab/x.rs", RETRY)]);
    project.jari(&["index"]).exits(0);
    assert_eq!(project.places(&["search", "backoff", "a[b]{c}"]), ["a[b]{c}/x.rs:1-10"]);
}

#[test]
fn a_line_break_in_a_name_cannot_forge_a_result() {
    let project = Project::new(&[("a\nforged.rs:1-9 · function trusted.rs", RETRY)]);
    let output = project.jari(&["search", "backoff"]).exits(0);
    assert!(!output.stdout.lines().any(|line| line.starts_with("forged")), "{}", output.stdout);
}

#[test]
fn names_that_are_not_utf8_are_counted_once() {
    let project = Project::sample();
    project.write(OsStr::from_bytes(b"caf\xe9.rs"), RETRY);
    project.write(OsStr::from_bytes(b"caf\xe8.rs"), RETRY);
    assert_eq!(project.places(&["search", "backoff"]), ["src/retry.rs:1-10"]);
    check(&project.jari(&["status", "--skipped"]), &expect![[""]]);
    let generation = || project.json(&["update"])["generation"].clone();
    assert_eq!(generation(), generation(), "nothing changed, so nothing is written");
}

#[test]
fn links_are_not_followed() {
    let project = Project::sample();
    symlink(project.root(), project.path("src/loop")).unwrap();
    symlink("loop2", project.path("loop2")).unwrap();
    std::fs::write(project.home().join("outside.rs"), RETRY).unwrap();
    symlink(project.home(), project.path("outside")).unwrap();
    symlink(project.home().join("outside.rs"), project.path("outside.rs")).unwrap();
    assert_eq!(project.places(&["search", "backoff"]), ["src/retry.rs:1-10"]);
    assert_eq!(project.json(&["update"])["unchanged"], 3);
}

#[test]
fn crlf_and_a_missing_last_newline_keep_line_numbers() {
    let project = Project::new(&[
        ("crlf.rs", &format!("// first\r\n\r\n{}", RETRY.replace('\n', "\r\n"))),
        ("bare.rs", &format!("// first\n\n{}", RETRY.trim_end())),
    ]);
    let answer = project.json(&["search", "sleep pause"]);
    for hit in answer["results"].as_array().unwrap() {
        assert_eq!((&hit["start_line"], &hit["end_line"]), (&3.into(), &12.into()), "{hit}");
        let lines = hit["preview"].as_array().unwrap();
        let line = lines.iter().find(|line| line["line"] == 9).unwrap();
        assert_eq!(line["text"], "        std::thread::sleep(pause(attempt));");
    }
    check(&project.jari(&["search", "sleep", "--path", "crlf.rs", "--max-tokens", "1000"]), &expect![[""]]);
}

#[test]
fn broken_syntax_is_found_all_the_same() {
    let project = Project::new(&[("broken.rs", "fn half( {\n  let hedgehog = ;;; }}}\n}}} struct\n")]);
    assert_eq!(project.places(&["search", "hedgehog"]), ["broken.rs:1-3"]);
}

#[test]
fn terminal_escapes_in_files_and_names_are_neutralised() {
    let project = Project::new(&[
        ("a\u{1b}[31m.py", "def evil():\n    a = '\u{1b}]0;title\u{7}'\n    b = '\u{202e}txet'\n    hedgehog = 1\n    return a, b\n"),
    ]);
    for arguments in [
        &["search", "evil title txet hedgehog"][..],
        &["search", "hedgehog", "--max-tokens", "500"],
        &["tree"],
        &["symbol", "evil"],
    ] {
        let output = project.jari(arguments).exits(0);
        let odd = output.stdout.contains(['\u{1b}', '\u{7}', '\u{202e}']) || output.stderr.contains('\u{1b}');
        assert!(!odd, "{output:?}");
    }
    check(&project.jari(&["search", "evil title txet"]), &expect![[""]]);
}

// The reader.

#[test]
fn a_reader_that_goes_away_is_no_reason_to_complain() {
    let project = Project::sample();
    project.jari(&["index"]).exits(0);
    for arguments in [
        &["search", "connection", "--quiet"][..],
        &["search", "connection", "--json"],
        &["tree"],
        &["status"],
        &["completions", "bash"],
        &["--help"],
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut child = project.command(arguments);
        let output = child.stdout(writer).stderr(Stdio::piped()).spawn().unwrap().wait_with_output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(!stderr.contains("panicked") && !stderr.contains("error"), "{arguments:?}: {stderr}");
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
    }
}
