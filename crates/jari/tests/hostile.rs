//! Projects and messages that are made to hurt: bounded time, bounded memory, no panic.

mod common;

use std::ffi::OsStr;
use std::io::{BufRead, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use common::random::{Random, rounds};
use common::server::Server;
use common::{Output, Project, RETRY, tree};
use serde_json::json;

#[test]
fn odd_files_are_counted_and_cost_nothing() {
    let project = Project::sample();
    let sparse = std::fs::File::create(project.path("sparse.py")).unwrap();
    sparse.set_len(1 << 30).unwrap();
    std::fs::File::create(project.path("sparse.md")).unwrap().set_len(1 << 20).unwrap();
    assert!(Command::new("mkfifo").arg(project.path("pipe.rs")).status().unwrap().success());
    let _socket = std::os::unix::net::UnixListener::bind(project.path("socket.rs")).unwrap();
    symlink("/dev/zero", project.path("zero.rs")).unwrap();
    symlink("/dev/stdin", project.path("stdin.rs")).unwrap();
    project.write(OsStr::from_bytes(b"\xff\xfe.rs"), RETRY);
    project.write("long.txt", "word ".repeat(200_000));
    project.write("long.rs", format!("fn long() {{ {} }}", "call(1); ".repeat(100_000)));
    let (output, memory) = measured(&project, &["index", "--json"]);
    let update = output.exits(0).json();
    assert_eq!(update["added"], 5, "{update}");
    assert_eq!(update["skipped"], json!({"binary": 1, "too large": 1, "unreadable": 1}), "{update}");
    assert!(memory < 400 << 20, "{} MB", memory >> 20);
}

#[test]
fn many_tiny_files_and_generated_code_stay_in_bounds() {
    let project = Project::new(&[]);
    for number in 0..3_000 {
        project.write(format!("d{}/f{number}.py", number % 40), format!("x{number} = {number}\n"));
    }
    // Compresses to nothing and unfolds into thousands of definitions, a thousand times the same.
    let bomb: String = (0..12_000)
        .map(|number| format!("def f{number}(a):\n    return [[a] * {number}] * {number}\n"))
        .collect();
    for number in 0..4 {
        project.write(format!("bomb{number}.py"), &bomb[..1_000_000.min(bomb.len())]);
    }
    project.write("deep.json", "[".repeat(400_000));
    project.write("deep.md", "> ".repeat(200_000));
    project.write("table.md", format!("|{}\n|{}\n", "a|".repeat(50_000), "-|".repeat(50_000)));
    let began = Instant::now();
    let (output, memory) = measured(&project, &["index"]);
    output.exits(0);
    assert!(began.elapsed() < Duration::from_secs(120), "{:?}", began.elapsed());
    assert!(memory < 512 << 20, "{} MB", memory >> 20);
}

/// Runs a command; returns what it left behind, and the most memory that it used, as far as Linux tells.
fn measured(project: &Project, arguments: &[&str]) -> (Output, u64) {
    let mut command = project.command(arguments);
    let mut child =
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0;
    while child.try_wait().expect("it can be asked").is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
        most = most.max(kilobytes.unwrap_or_default() << 10);
        std::thread::sleep(Duration::from_millis(3));
    }
    (project.output(child.wait_with_output().expect("it ended")), most)
}

#[test]
fn few_file_descriptors_are_enough_or_said() {
    let project = tree::project(60);
    for most in ["64", "32", "20"] {
        let jari = project.command(&["search", "balance the ledger"]);
        let mut limited = Command::new("sh");
        limited
            .args(["-c", &format!("ulimit -n {most} && exec \"$@\""), "sh"])
            .arg(jari.get_program())
            .args(jari.get_args())
            .current_dir(project.root())
            .env("HOME", project.home());
        let output = project.run(&mut limited);
        assert!(output.code == 0 || output.stderr.contains("error: "), "{most}: {output:?}");
        assert!(most != "64" || output.code == 0, "{output:?}");
        assert!(!output.stderr.contains("damaged"), "{most}: {output:?}");
    }
    project.jari(&["search", "balance the ledger"]).exits(0);
}

#[test]
fn patterns_are_linear_and_limited_in_size() {
    let project = Project::new(&[("a.txt", &format!("{}!\n", "a".repeat(50_000)))]);
    project.jari(&["index"]).exits(0);
    let began = Instant::now();
    for pattern in
        ["(a+)+$", "(a|aa)+$", "(.*)*$", "^(([a-z])+.)+[A-Z]([a-z])+$", "(a*)*(a*)*(a*)*b", "(?i)(x+x+)+y"]
    {
        let output = project.jari(&["grep", pattern]);
        assert!(output.code <= 1, "{pattern}: {output:?}");
    }
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    for pattern in [
        "a{1000}{1000}",
        "(((((((((a{99}){99}){99}){99}){99}){99}){99}){99}){99}",
        "\\pL{5000}",
        &"(".repeat(5_000),
        "(?P<x>a)\\1",
        "[z-a]",
    ] {
        let output = project.jari(&["grep", pattern]);
        assert!(output.code == 2 && output.stderr.contains("error: "), "{pattern:.40}: {output:?}");
    }
}

/// Messages that no client would send. The server answers the next right one, or ends; it never panics and never hangs.
#[test]
fn odd_messages_do_not_break_the_server() {
    let project = Project::sample();
    let mut server = Server::start(&project, &["--tools", "all"]);
    server.until_fresh();
    let tools = server.ask("tools/list", json!({}));
    let names: Vec<String> = tools["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap().to_owned())
        .collect();
    let mut random = Random::seeded(41);
    let odd = [
        json!(null),
        json!(-1),
        json!(1e308),
        json!(""),
        json!("\u{0}"),
        json!("x".repeat(100_000)),
        json!([]),
        json!([[[[]]]]),
        json!({"a": {}}),
        json!(true),
        json!(u64::MAX),
        json!("../../etc/passwd"),
        json!("\u{202e}\u{1b}[2J"),
        json!("a:9999999999-1"),
        json!("#"),
        json!("가나다"),
    ];
    for _ in 0..rounds(60) {
        let tool = random.pick(&names).clone();
        let schema =
            tools["tools"].as_array().unwrap().iter().find(|entry| entry["name"] == tool.as_str()).unwrap();
        let mut arguments = json!({});
        for key in schema["inputSchema"]["properties"].as_object().into_iter().flatten().map(|(key, _)| key) {
            if random.below(2) == 0 {
                arguments[key] = random.pick(&odd).clone();
            }
        }
        // Making everything anew for nothing would only take time.
        if tool != "reindex_codebase" {
            let mut call = json!({"name": tool});
            call["arguments"] = arguments.clone();
            let message = server.exchange("tools/call", call);
            assert!(
                message["result"].is_object() || message["error"].is_object(),
                "{tool} {arguments}: {message}"
            );
            assert!(!message.to_string().contains("a fault in Jari"), "{tool} {arguments}: {message}");
        }
    }
    for line in [
        "",
        "{",
        "null",
        "[]",
        "{}",
        "\"x\"",
        "{\"jsonrpc\":\"2.0\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":1}",
        "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"tools/list\"}",
        "\u{0}\u{1}",
        &"[".repeat(10_000),
    ] {
        let _ = writeln!(server.input.as_mut().expect("it is open"), "{line}");
    }
    let began = Instant::now();
    let _ = writeln!(
        server.input.as_mut().expect("it is open"),
        "{}",
        json!({"jsonrpc": "2.0", "id": 987_654, "method": "tools/list"})
    );
    let mut line = String::new();
    while !line.contains("987654") {
        line.clear();
        assert!(server.output.read_line(&mut line).expect("it can be read") > 0, "the server ended");
        assert!(began.elapsed() < Duration::from_secs(20), "it does not answer");
    }
}
