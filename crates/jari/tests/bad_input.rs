//! What a user can get wrong, and what can go wrong around them: always a plain word, never a panic.

mod common;

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use common::{Output, POOL, Project, RETRY, check, filtered};
use expect_test::{Expect, expect};

// The question.

#[test]
fn an_empty_query_is_refused() {
    let project = Project::sample();
    check(
        &project.jari(&["search", ""]),
        &expect![[r#"
        exit: 2
        --- stderr
        error: the query has no word to look for
        hint: say what you look for: jari search "retry with backoff"
    "#]],
    );
    check(
        &project.jari(&["search", "  \t"]),
        &expect![[r#"
        exit: 2
        --- stderr
        error: the query has no word to look for
        hint: say what you look for: jari search "retry with backoff"
    "#]],
    );
    assert!(!project.path(".jari").exists(), "nothing was indexed for nothing");
}

#[test]
fn a_query_of_punctuation_is_refused() {
    check(
        &Project::sample().jari(&["search", "?!… --"]),
        &expect![[r#"
        exit: 2
        --- stderr
        error: the query has no word to look for
        hint: say what you look for: jari search "retry with backoff"
    "#]],
    );
}

#[test]
fn no_results_offer_near_names() {
    let project = Project::sample();
    check(
        &project.jari(&["search", "poool"]),
        &expect![[r#"
            exit: 1
            --- stderr
            indexed   3 files · 4 chunks · [speed] · [time]
            nothing found · [time] · index fresh
            hint: names like it: Pool
        "#]],
    );
    check(
        &project.jari(&["search", "zebra"]),
        &expect![[r#"
            exit: 1
            --- stderr
            nothing found · [time] · index fresh
        "#]],
    );
    let answer = project.jari(&["search", "Poool", "--json"]).exits(1).json();
    assert_eq!(answer["near"], serde_json::json!(["Pool"]));
}

#[test]
fn an_unknown_flag_is_refused() {
    check(
        &Project::sample().jari(&["search", "retry", "--fuzzy"]),
        &expect![[r#"
        exit: 2
        --- stderr
        error: unexpected argument '--fuzzy' found

          tip: to pass '--fuzzy' as a value, use '-- --fuzzy'

        Usage: jari search <QUERY> [FOLDER]

        For more information, try '--help'.
    "#]],
    );
    Project::sample().jari(&["serach", "retry"]).exits(2);
    Project::sample().jari(&[]).exits(2);
}

#[test]
fn json_errors_have_code_message_and_hint() {
    let project = Project::sample();
    check(
        &project.jari(&["search", "", "--json"]),
        &expect![[r#"
        exit: 2
        --- stderr
        {"error":{"code":"empty_query","message":"the query has no word to look for","hint":"say what you look for: jari search \"retry with backoff\""}}
    "#]],
    );
    check(
        &project.jari(&["search", "retry", "nowhere", "--json"]),
        &expect![[r#"
        exit: 2
        --- stderr
        {"error":{"code":"not_found","message":"no such file or folder: `nowhere`","hint":"check the spelling; a path is taken from the current folder"}}
    "#]],
    );
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
    check(
        &Project::sample().jari(&["search", "retry", "nowhere"]),
        &expect![[r#"
        exit: 2
        --- stderr
        error: no such file or folder: `nowhere`
        hint: check the spelling; a path is taken from the current folder
    "#]],
    );
    for verb in ["index", "update", "status", "clean"] {
        let output = Project::sample().jari(&[verb, "nowhere"]).exits(2);
        assert!(!output.stderr.contains("jari search"), "a hint for another verb: {}", output.stderr);
    }
}

#[test]
fn a_file_instead_of_a_folder_is_said() {
    check(
        &Project::sample().jari(&["search", "retry", "src/retry.rs"]),
        &expect![[r#"
        exit: 2
        --- stderr
        error: `src/retry.rs` is a file, not a folder
        hint: give the folder `src`
    "#]],
    );
}

#[test]
fn an_empty_project_has_nothing() {
    check(
        &Project::new(&[]).jari(&["search", "retry"]),
        &expect![[r#"
            exit: 1
            --- stderr
            nothing found · [time] · index fresh
        "#]],
    );
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
    check(
        &project.jari(&["search", "retry with backoff", "-k", "1"]),
        &expect![[r#"
            exit: 0
            --- stdout
            src/retry.rs:1-10 · function retry_with_backoff  #.##
                 1  /// Runs `call` until it succeeds, waiting longer each time.
                 2  pub fn retry_with_backoff(call: impl Fn() -> bool, most: u32) -> bool {
            --- stderr
            note: the project cannot hold its index; it is kept in `[TEMP]/home/cache/jari/indexes/[TEMP]-project-[hash]`
            indexed   4 files · 5 chunks · [speed] · [time]

            1 place · [time] · index fresh
        "#]],
    );
    check(
        &project.jari(&["status"]),
        &expect![[r#"
            exit: 0
            --- stdout
            project   [TEMP]/project
            index     [TEMP]/home/cache/jari/indexes/[TEMP]-project-[hash]
            state     fresh · generation 1
            holds     4 files · 5 chunks · 4 symbols
            size      [size] rows · [size] postings
            keywords  built in [time] · [time] a search
            trigrams  386 · 39 too common to narrow · 0 files always looked at
            vectors   5 · exact · [size] · 0 chunks without · built in [time] · [time] a search
            model     bundled · 256 dimensions
            languages markdown 1 · python 1 · rust 1 · unknown 1
            skipped   nothing
            sends     nothing
            --- stderr
            note: the project cannot hold its index; it is kept in `[TEMP]/home/cache/jari/indexes/[TEMP]-project-[hash]`
        "#]],
    );
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
fn two_projects_in_the_cache_do_not_share_an_index() {
    let project =
        Project::new(&[("a-b/.jari", ""), ("a-b/x.rs", RETRY), ("a/b/.jari", ""), ("a/b/y.rs", RETRY)]);
    assert_eq!(project.places(&["search", "backoff", "a-b"]), ["x.rs:1-10"]);
    assert_eq!(project.places(&["search", "backoff", "a/b"]), ["y.rs:1-10"]);
    assert_eq!(project.places(&["search", "backoff", "a-b", "--no-update"]), ["x.rs:1-10"]);
}

#[test]
fn a_full_disk_is_said_wherever_it_fills() {
    let project = Project::sample();
    for number in 0..100 {
        let words: String = (0..40).map(|word| format!("let w{number}x{word} = {word};\n")).collect();
        project.write(format!("many/m{number}.rs"), format!("fn f{number}() {{\n{words}}}\n"));
    }
    for size in ["16k", "40k", "64k", "100k", "130k"] {
        let Some(disk) = Disk::mount(project.home().join("disk"), size) else {
            return eprintln!("skipped: no small disk can be mounted here");
        };
        let folder = disk.0.join("index");
        let output = project.jari(&["search", "retry", "--index-dir", folder.to_str().unwrap()]).exits(2);
        let said = "error: the disk is full\nhint: free some room, or put the index elsewhere with --index-dir DIR\n";
        assert_eq!(output.stderr, said, "{size}");
    }
}

#[test]
fn a_disk_that_fills_during_an_update_keeps_the_index() {
    let project = Project::sample();
    let Some(disk) = Disk::mount(project.home().join("disk"), "400k") else {
        return eprintln!("skipped: no small disk can be mounted here");
    };
    let folder = disk.0.join("index");
    let search = ["search", "retry with backoff", "--index-dir", folder.to_str().unwrap()];
    project.jari(&search).exits(0);
    let filler = disk.0.join("filler");
    // Ends when the disk is full.
    let _ = std::fs::write(&filler, vec![0; 500_000]);
    project.write("src/retry.rs", RETRY.replace("attempt", "hedgehog"));
    let full = project.jari(&search).exits(2);
    assert!(full.stderr.starts_with("error: the disk is full\nhint: "), "{}", full.stderr);
    let old = project.jari(&[&search[..], &["--no-update"]].concat()).exits(0);
    assert!(old.stdout.contains("changed since"), "the last complete state answers: {old:#?}");
    std::fs::remove_file(filler).unwrap();
    let new = project.jari(&search).exits(0);
    assert_eq!(notes(&new), "", "nothing was damaged");
    assert!(answers(&new), "{new:#?}");
}

/// A disk that is soon full, for as long as it lives.
struct Disk(PathBuf);

impl Disk {
    fn mount(at: PathBuf, size: &str) -> Option<Self> {
        std::fs::create_dir_all(&at).ok()?;
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"]).arg(&at).stderr(Stdio::null());
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
    let project = Project::sample();
    project.jari(&["index"]).exits(0);
    break_it(&project);
    let search = || project.jari(&["search", "retry with backoff", "-k", "1"]).exits(0);
    let output = search();
    assert!(answers(&output), "{output:#?}");
    note.assert_eq(&notes(&output));
    assert_eq!(notes(&search()), "", "it is repaired for good");
}

fn answers(output: &Output) -> bool {
    output.code == 0 && output.stdout.starts_with("src/retry.rs:1-10 · function retry_with_backoff")
}

/// The notes of a run, without the paths in them.
fn notes(output: &Output) -> String {
    let hidden = |part: &str| if part.contains('/') { "[PATH]".to_owned() } else { filtered(part) };
    let note = |line: &str| line.split('`').map(hidden).collect::<Vec<_>>().join("`") + "\n";
    output.stderr.lines().filter(|line| line.starts_with("note:")).map(note).collect()
}

fn run_sql(project: &Project, sql: &str) {
    let database = rusqlite::Connection::open(project.path(".jari/store.db")).expect("it can be opened");
    database.execute_batch(sql).expect("the statement is right");
}

#[test]
fn random_bytes_for_a_database_are_replaced() {
    let noise: Vec<u8> = (0..20_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    check_repaired(
        |project| project.write(".jari/store.db", &noise),
        &expect![[r#"
        note: the index was damaged (file is not a database) and is made anew
    "#]],
    );
}

#[test]
fn a_truncated_database_is_replaced() {
    for keep in [100, 4_096, 9_000] {
        let truncate = |project: &Project| {
            let bytes = std::fs::read(project.path(".jari/store.db")).unwrap();
            project.write(".jari/store.db", &bytes[..keep]);
        };
        check_repaired(
            truncate,
            &expect![[r#"
            note: the index was damaged (database disk image is malformed) and is made anew
        "#]],
        );
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
        run_sql(project, "CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1)");
    };
    check_repaired(
        foreign,
        &expect![[r#"
        note: what stood in the index's place was no index; it is made anew
    "#]],
    );
}

#[test]
fn missing_tables_and_rows_are_made_anew() {
    let damages = [
        "DROP TABLE symbols",
        "DROP TABLE files",
        "DROP TABLE meta",
        "DELETE FROM meta",
        "DELETE FROM meta WHERE key = 'generation'",
        "DELETE FROM texts",
        "UPDATE chunks SET kind = 99",
        "UPDATE files SET hash = x'00'",
    ];
    let wrong = |sql: &&str| {
        let project = Project::sample();
        project.jari(&["index"]).exits(0);
        run_sql(&project, sql);
        let output = project.jari(&["search", "retry with backoff", "-k", "1"]);
        (!answers(&output) || notes(&output).is_empty()).then(|| format!("{sql}: {output:#?}"))
    };
    let wrong: Vec<_> = damages.iter().filter_map(wrong).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_damaged_index_is_made_anew_under_no_update_too() {
    let damages: [&dyn Fn(&Project); 4] = [
        &|project| project.write(".jari/store.db", "this is no database at all, only some words"),
        &|project| project.write(".jari/store.db", ""),
        &|project| segments(project).into_iter().for_each(|file| std::fs::remove_file(file).unwrap()),
        &|project| run_sql(project, "UPDATE meta SET value = 'other settings' WHERE key = 'fingerprint'"),
    ];
    for damage in damages {
        let project = Project::sample();
        project.jari(&["index"]).exits(0);
        damage(&project);
        let output = project.jari(&["search", "retry with backoff", "-k", "1", "--no-update"]);
        assert!(answers(&output), "{output:#?}");
    }
}

#[test]
fn deleted_postings_are_made_anew() {
    let delete = |project: &Project| {
        for file in segments(project) {
            std::fs::remove_file(file).unwrap();
        }
    };
    check_repaired(
        delete,
        &expect![[r#"
        note: the index was damaged (`[PATH]` is missing) and is made anew
    "#]],
    );
    check_repaired(
        |project| std::fs::remove_dir_all(project.path(".jari/lexical")).unwrap(),
        &expect![[r#"
            note: the index was damaged (its postings are missing) and is made anew
        "#]],
    );
}

#[test]
fn any_one_deleted_segment_file_is_noticed() {
    let sample = Project::sample();
    sample.jari(&["index"]).exits(0);
    for ending in segments(&sample).iter().filter_map(|file| file.extension()) {
        let project = Project::sample();
        project.jari(&["index"]).exits(0);
        let file = segments(&project).into_iter().find(|file| file.extension() == Some(ending)).unwrap();
        std::fs::remove_file(file).unwrap();
        assert_eq!(project.places(&["search", "backoff"]), ["src/retry.rs:1-10"], "{ending:?}");
    }
}

#[test]
fn flipped_bytes_in_postings_never_panic_and_answer_right() {
    let project = Project::sample();
    project.jari(&["index"]).exits(0);
    let whole: Vec<_> =
        project.index_files().into_iter().map(|file| (std::fs::read(&file).unwrap(), file)).collect();
    let postings: Vec<PathBuf> = segments(&project).into_iter().take(6).collect();
    let mut wrong = Vec::new();
    for (bytes, file) in whole.iter().filter(|(_, file)| postings.contains(file)) {
        for at in (1..bytes.len()).step_by(bytes.len().div_ceil(9)) {
            std::fs::remove_dir_all(project.path(".jari")).unwrap();
            whole.iter().for_each(|(bytes, file)| project.write(file, bytes));
            let mut flipped = bytes.clone();
            flipped[at] ^= 0xff;
            project.write(file, flipped);
            let run = project.command(&["search", "retry with backoff", "-k", "1"]).output().unwrap();
            let answer = String::from_utf8(run.stdout).unwrap();
            if !answer.starts_with("src/retry.rs:1-10 ") {
                let said = String::from_utf8(run.stderr).unwrap();
                wrong.push(format!("{} byte {at}: {:?} {said:.200}", file.display(), run.status.code()));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}

fn segments(project: &Project) -> Vec<PathBuf> {
    project.index_files().into_iter().filter(|file| file.starts_with(project.path(".jari/lexical"))).collect()
}

#[test]
fn unrelated_files_in_the_index_folder_are_left_alone() {
    let project = Project::sample();
    project.jari(&["index"]).exits(0);
    project.write(".jari/notes.txt", "mine");
    project.write(".jari/lexical.txt", "mine");
    project.write(".jari/store.db", "this is no database any more");
    assert_eq!(project.places(&["search", "backoff"]), ["src/retry.rs:1-10"]);
    project.jari(&["index", "--rebuild"]).exits(0);
    assert_eq!(std::fs::read_to_string(project.path(".jari/notes.txt")).unwrap(), "mine");
    assert_eq!(std::fs::read_to_string(project.path(".jari/lexical.txt")).unwrap(), "mine");
}

/// Writes the number of a format into the database's header, as another version of the program would.
fn set_format(project: &Project, format: u32) {
    let mut bytes = std::fs::read(project.path(".jari/store.db")).expect("there is an index");
    bytes[60..64].copy_from_slice(&format.to_be_bytes());
    let sum = crc32fast::hash(&[&[0; 8], &bytes[..4092]].concat());
    bytes[4092..4096].copy_from_slice(&sum.to_le_bytes());
    project.write(".jari/store.db", bytes);
}

#[test]
fn an_index_of_a_newer_format_is_refused_and_kept() {
    let project = Project::sample();
    project.jari(&["index"]).exits(0);
    set_format(&project, 999);
    check(
        &project.jari(&["search", "retry"]),
        &expect![[r#"
            exit: 2
            --- stderr
            error: the index at `[TEMP]/project/.jari` has format 999; this version reads up to 8
            hint: use the newer jari that wrote it, or start over with: jari clean
        "#]],
    );
    for verb in ["index", "update", "status", "tree"] {
        project.jari(&[verb]).exits(2);
    }
    assert_eq!(project.rows("PRAGMA user_version"), ["999"]);
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
    assert!(output.stderr.contains("note: the index is damaged"), "{output:#?}");
    let bytes = std::fs::read_to_string(project.path(".jari/store.db")).unwrap();
    assert!(bytes.starts_with("this is no database"), "looking changes nothing");
}

// The settings.

#[test]
fn an_unknown_setting_is_named() {
    let project = Project::sample();
    project.write("jari.toml", "max_file_sise = 5\n");
    check(
        &project.jari(&["search", "retry"]),
        &expect![[r#"
            exit: 2
            --- stderr
            error: `[TEMP]/project/jari.toml` cannot be used: line 1: unknown field `max_file_sise`, expected one of `index_dir`, `embedding`, `openai`, `voyage`, `ollama`, `llm`, `vectors`, `max_file_size`, `index_memory`, `bm25_k1`, `bm25_b`, `search`, `trigram_max_doc_freq`, `trigram_max_terms_per_file`, `documents`
            hint: the settings are index_dir, embedding.provider, embedding.model, embedding.dims, embedding.eager, embedding.max_time_ms, embedding.max_chunks, embedding.concurrency, embedding.timeout_ms, embedding.cache_mb, openai.base_url, openai.api_key_env, voyage.base_url, voyage.api_key_env, ollama.base_url, ollama.api_key_env, llm.base_url, llm.model, llm.api_key_env, llm.rerank, llm.rerank_max_tokens, llm.rerank_timeout_ms, llm.translate_ko_en, llm.translate_timeout_ms, vectors.index, vectors.rebuild, vectors.max_points, vectors.m, vectors.ef_construction, vectors.ef_search, max_file_size, index_memory, bm25_k1, bm25_b, search.fusion, search.alpha, search.max_candidates, search.max_rerank_candidates, search.time_budget_ms, trigram_max_doc_freq, trigram_max_terms_per_file, documents.strategy, documents.max_tokens, documents.overlap, documents.min_tokens, documents.max_depth, documents.front_matter, documents.code_blocks, documents.lists, documents.tables
        "#]],
    );
    project.write("jari.toml", "max_file_size = \"large\"\n");
    check(
        &project.jari(&["search", "retry"]),
        &expect![[r#"
            exit: 2
            --- stderr
            error: `[TEMP]/project/jari.toml` cannot be used: line 1: invalid type: string "large", expected u64
            hint: the settings are index_dir, embedding.provider, embedding.model, embedding.dims, embedding.eager, embedding.max_time_ms, embedding.max_chunks, embedding.concurrency, embedding.timeout_ms, embedding.cache_mb, openai.base_url, openai.api_key_env, voyage.base_url, voyage.api_key_env, ollama.base_url, ollama.api_key_env, llm.base_url, llm.model, llm.api_key_env, llm.rerank, llm.rerank_max_tokens, llm.rerank_timeout_ms, llm.translate_ko_en, llm.translate_timeout_ms, vectors.index, vectors.rebuild, vectors.max_points, vectors.m, vectors.ef_construction, vectors.ef_search, max_file_size, index_memory, bm25_k1, bm25_b, search.fusion, search.alpha, search.max_candidates, search.max_rerank_candidates, search.time_budget_ms, trigram_max_doc_freq, trigram_max_terms_per_file, documents.strategy, documents.max_tokens, documents.overlap, documents.min_tokens, documents.max_depth, documents.front_matter, documents.code_blocks, documents.lists, documents.tables
        "#]],
    );
    project.write("jari.toml", "bm25_b = 7\n");
    check(
        &project.jari(&["search", "retry"]),
        &expect![[r#"
        exit: 2
        --- stderr
        error: bm25_b is 7
        hint: it lies between 0 and 1; #.## is usual
    "#]],
    );
    project.write("jari.toml", "what is this");
    project.jari(&["search", "retry"]).exits(2);
}

#[test]
fn a_checked_in_setting_cannot_move_the_index() {
    let project = Project::sample();
    let elsewhere = project.home().join("elsewhere");
    project.write("jari.toml", format!("index_dir = {elsewhere:?}\n"));
    let output = project.jari(&["search", "retry"]);
    assert!(!elsewhere.exists());
    assert!(output.stderr.contains("index_dir"), "a setting that does nothing is said: {output:#?}");
}

#[test]
fn a_bad_environment_value_is_named() {
    let project = Project::sample();
    let run = |name, value| project.run(project.command(&["search", "retry"]).env(name, value));
    check(
        &run("JARI_MAX_FILE_SIZE", "1MB"),
        &expect![[r#"
            exit: 2
            --- stderr
            error: JARI_MAX_FILE_SIZE is `1MB`, which is not a number
            hint: unset JARI_MAX_FILE_SIZE or give a number
        "#]],
    );
    check(
        &run("JARI_BM25_K1", "-3"),
        &expect![[r#"
        exit: 2
        --- stderr
        error: bm25_k1 is -3
        hint: it lies between 0 and 10; #.## is usual
    "#]],
    );
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
    let found = project.json(&["search", "backoff"]);
    assert_eq!(
        found["results"][0]["elsewhere"].as_array().map(Vec::len),
        Some(2),
        "three files, one text: {found}"
    );
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
fn names_that_are_not_utf8_are_counted_and_change_nothing() {
    let project = Project::sample();
    project.write(OsStr::from_bytes(b"caf\xe9.rs"), RETRY);
    assert_eq!(project.places(&["search", "backoff"]), ["src/retry.rs:1-10"]);
    check(
        &project.jari(&["status", "--skipped"]),
        &expect![[r#"
            exit: 0
            --- stdout
            project   [TEMP]/project
            index     [TEMP]/project/.jari
            state     fresh · generation 1
            holds     3 files · 4 chunks · 4 symbols
            size      [size] rows · [size] postings
            keywords  built in [time] · [time] a search
            trigrams  384 · 39 too common to narrow · 0 files always looked at
            vectors   4 · exact · [size] · 0 chunks without · built in [time] · [time] a search
            model     bundled · 256 dimensions
            languages markdown 1 · python 1 · rust 1
            skipped   unreadable 1
            unreadable  caf\xe9.rs
            sends     nothing
        "#]],
    );
    // Shown alike, and still two files.
    project.write(OsStr::from_bytes(b"caf\xe8.rs"), RETRY);
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
    check(
        &project.jari(&["search", "sleep", "--path", "crlf.rs", "--max-tokens", "1000"]),
        &expect![[r#"
        exit: 0
        --- stdout
        crlf.rs:3-12 · function retry_with_backoff  #.##
             3  /// Runs `call` until it succeeds, waiting longer each time.
             4  pub fn retry_with_backoff(call: impl Fn() -> bool, most: u32) -> bool {
             5      for attempt in 0..most {
             6          if call() {
             7              return true;
             8          }
             9          std::thread::sleep(pause(attempt));
            10      }
            11      false
            12  }
        --- stderr

        1 place · [time] · index fresh
    "#]],
    );
}

#[test]
fn broken_syntax_is_found_all_the_same() {
    let project = Project::new(&[("broken.rs", "fn half( {\n  let hedgehog = ;;; }}}\n}}} struct\n")]);
    assert_eq!(project.places(&["search", "hedgehog"]), ["broken.rs:1-3"]);
}

#[test]
fn terminal_escapes_in_files_and_names_are_neutralised() {
    let project = Project::new(&[(
        "a\u{1b}[31m.py",
        "def evil():\n    a = '\u{1b}]0;title\u{7}'\n    b = '\u{202e}txet'\n    hedgehog = 1\n    return a, b\n",
    )]);
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
    check(
        &project.jari(&["search", "evil title txet"]),
        &expect![[r#"
        exit: 0
        --- stdout
        a␛[31m.py:1-5 · function evil  #.##
             1  def evil():
             2      a = '␛]0;title␇'
             3      b = '�txet'
        --- stderr

        1 place · [time] · index fresh
    "#]],
    );
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

#[test]
fn a_file_elsewhere_does_not_make_its_folder_a_project() {
    let project = Project::sample();
    project.jari(&["index"]).exits(0);
    project.write("../elsewhere/a.py", POOL);
    for verb in ["imports", "mentions"] {
        project.jari(&[verb, "../elsewhere/a.py"]).exits(2);
        assert!(!project.path("../elsewhere/.jari").exists(), "{verb} indexed a folder that is not ours");
    }
}

#[cfg(unix)]
#[test]
fn arguments_that_are_no_text_are_refused_like_others() {
    use std::os::unix::ffi::OsStrExt as _;
    let project = Project::sample();
    let odd = std::ffi::OsStr::from_bytes(b"\xff router");
    for arguments in [&["search"][..], &["grep", "foo", "--bogus"]] {
        let refused = project.run(project.command(arguments).arg(odd));
        assert_eq!(refused.code, 2, "{arguments:?}: {}", refused.stderr);
        assert!(!refused.stderr.contains("panicked"), "{arguments:?}: {}", refused.stderr);
    }
}
