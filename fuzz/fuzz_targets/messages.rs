//! Any bytes as messages to the MCP server: `cargo +nightly fuzz run messages -- -detect_leaks=0`. The server runs in this process and is
//! spoken to by its own standard input and output. It answers every call, never by a fault of its own, shows nothing from outside the
//! project, and answers the next right message whatever came before.
//!
//! `fuzz/seeds/messages` holds what agents really say; give it as a second corpus. Such messages are changed as the JSON they are, so
//! that they stay messages: changed as bytes, hardly any long one would get past the parser.

#![no_main]

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex};
use std::time::Duration;

use jari_engine::living::{Home, Living, Stage};
use jari_engine::{Embedding, Project};
use jari_mcp::{Served, Tools};
use jari_store::{MemoryStore, Replaced, Store};
use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};
use serde_json::{Map, Value, json};

/// Stands in files that no answer may show.
const CANARY: &str = "canary-8d1f0c";

/// Whose parameters are anything.
const METHODS: [&str; 6] =
    ["resources/read", "resources/list", "prompts/get", "tools/call", "completion/complete", "initialize"];

const FILES: [(&str, &str); 6] = [
    ("project/src/sample.rs", include_str!("../../crates/jari-chunk/languages/rust/sample.rs")),
    ("project/src/sample.py", include_str!("../../crates/jari-chunk/languages/python/sample.py")),
    (
        "project/README.md",
        "# Sample\n\nSee [usage](docs/usage.md#setup) and `Pool`.\n\n## Parts\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
    ),
    (
        "project/docs/usage.md",
        "# Usage\n\n## Setup\n\nBack to [the sample](../README.md). 결제 내역을 조회한다.\n",
    ),
    ("project/.env", "PASSWORD=canary-8d1f0c\n"),
    ("outside.md", "# canary-8d1f0c\n"),
];

/// What stands in arguments of those who mean no good, or do not look.
const VALUES: [&str; 24] = [
    "null",
    "true",
    "0",
    "-1",
    "1e308",
    "18446744073709551615",
    "[]",
    "{}",
    "\"\"",
    "\"*\"",
    "\"..\"",
    "\"../outside.md\"",
    "\"/etc/passwd\"",
    "\"src/sample.rs:1-9\"",
    "\"src/sample.rs:9-1\"",
    "\".env\"",
    "\"jari:///README.md#sample\"",
    "\"\\u0000\"",
    "\"\\ud55c\\uae00\"",
    "\"(((((a*)*)*)*)*)*\"",
    "\"4294967295@1\"",
    "\"search_code\"",
    "\"tools/call\"",
    "\"path:[ lang:x -\\\"\"",
];

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    match changed(&data[..size], max_size, seed) {
        Some(changed) => {
            data[..changed.len()].copy_from_slice(&changed);
            changed.len()
        }
        None => fuzzer_mutate(data, size, max_size),
    }
});

/// One value of one message is another; `None` where there is no message, or no room.
fn changed(bytes: &[u8], max_size: usize, seed: u32) -> Option<Vec<u8>> {
    let lines = std::str::from_utf8(bytes).ok()?.lines();
    let mut messages: Vec<Value> = lines.map(serde_json::from_str).collect::<Result<_, _>>().ok()?;
    let mut random = u64::from(seed);
    let mut below = |most: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % most.max(1)
    };
    let at = below(messages.len());
    let mut places = Vec::new();
    places_of(messages.get(at)?, String::new(), &mut places);
    let place = &places[below(places.len())];
    let other = messages[at].pointer(&places[below(places.len())])?.clone();
    let (kind, which) = (below(8), below(VALUES.len()));
    match (kind, messages[at].pointer_mut(place)?) {
        (0, _) => drop(messages.remove(at)),
        (1, value) => *value = other,
        (2 | 3, value) => *value = serde_json::from_str(VALUES[which]).ok()?,
        (_, Value::Array(values)) => values.push(other),
        (_, Value::Object(values)) => drop(values.insert("path".to_owned(), other)),
        (_, Value::String(text)) => {
            let mut bytes = text.clone().into_bytes();
            let size = bytes.len();
            bytes.resize(size + 32, 0);
            let size = fuzzer_mutate(&mut bytes, size, size + 32);
            *text = String::from_utf8_lossy(&bytes[..size]).into_owned();
        }
        (_, Value::Number(number)) => *number = number.as_i64()?.wrapping_mul(which as i64 + 2).into(),
        (_, value) => *value = other,
    }
    let lines: Vec<String> = messages.iter().map(Value::to_string).collect();
    Some(lines.join("\n").into_bytes()).filter(|changed| !changed.is_empty() && changed.len() <= max_size)
}

/// All places in a value, as pointers.
fn places_of(value: &Value, at: String, places: &mut Vec<String>) {
    match value {
        Value::Array(values) => {
            for (number, value) in values.iter().enumerate() {
                places_of(value, format!("{at}/{number}"), places);
            }
        }
        Value::Object(values) => {
            for (key, value) in values {
                places_of(value, format!("{at}/{}", key.replace('~', "~0").replace('/', "~1")), places);
            }
        }
        _ => {}
    }
    places.push(at);
}

fuzz_target!(|bytes: &[u8]| {
    let mut server = SERVER.lock().expect("no holder panics");
    if bytes.starts_with(b"{") {
        return server.speak(0, bytes);
    }
    let Some((choice, bytes)) = bytes.split_first() else { return };
    let tools = server.tools.clone();
    match tools.get(usize::from(*choice) % (tools.len() + 4)) {
        Some((name, arguments)) => server.call(name, arguments, bytes),
        None => server.speak(*choice, bytes),
    }
});

static SERVER: LazyLock<Mutex<Server>> = LazyLock::new(|| Mutex::new(Server::start()));

struct Server {
    input: File,
    output: BufReader<File>,
    number: u64,
    /// Their names, and those of their arguments.
    tools: Vec<(String, Vec<String>)>,
}

impl Server {
    fn start() -> Self {
        let folder = folder();
        let project = Project {
            root: folder.join("project").canonicalize().expect("it was made"),
            limits: Default::default(),
            documents: Default::default(),
            embedding: Some(Embedding::read("bundled", jari_embed::Model::bundled())),
            reranker: None,
            translator: None,
            max_grams: 100_000,
        };
        let living = Living::start(project, InMemory(folder));
        while living.condition().stage != Stage::Fresh {
            living.wait(Duration::from_millis(100));
        }
        let served = Served {
            living,
            tuning: Default::default(),
            max_gram_frequency: 0.5,
            index_dir: String::new(),
            model: String::new(),
            sends: Vec::new(),
            notes: Vec::new(),
        };
        let (read, input) = rustix::pipe::pipe().expect("a pipe can be made");
        let (output, write) = rustix::pipe::pipe().expect("a pipe can be made");
        rustix::stdio::dup2_stdin(&read).expect("it can be replaced");
        rustix::stdio::dup2_stdout(&write).expect("it can be replaced");
        std::thread::spawn(|| jari_mcp::serve_stdio(served, Tools::All));
        let mut server = Self {
            input: input.into(),
            output: BufReader::new(output.into()),
            number: 1 << 40,
            tools: Vec::new(),
        };
        let client = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "fuzz", "version": "1"}});
        server.exchange("initialize", client);
        server.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        let listed = server.exchange("tools/list", json!({}));
        for tool in listed["result"]["tools"].as_array().expect("tools are listed") {
            let arguments = tool["inputSchema"]["properties"].as_object().expect("they have a schema");
            let name = tool["name"].as_str().expect("they have names").to_owned();
            // Making everything anew for nothing would only take time.
            if name != "reindex_codebase" {
                server.tools.push((name, arguments.keys().cloned().collect()));
            }
        }
        server
    }

    /// Calls a tool. Each line is an argument, as JSON or else as text; an empty one is left out.
    fn call(&mut self, name: &str, arguments: &[String], bytes: &[u8]) {
        let text = String::from_utf8_lossy(bytes).replace(CANARY, "");
        let value = |line: &str| serde_json::from_str(line).unwrap_or_else(|_| Value::from(line));
        let given = arguments.iter().zip(text.split('\n')).filter(|(_, line)| !line.is_empty());
        let given: Map<String, Value> = given.map(|(name, line)| (name.clone(), value(line))).collect();
        let answer = self.exchange("tools/call", json!({"name": name, "arguments": given}));
        assert!(answer["result"].is_object() || answer["error"].is_object(), "{name} {given:?}: {answer}");
    }

    /// Says anything; with an odd choice as the parameters of a method, else as it is.
    fn speak(&mut self, choice: u8, bytes: &[u8]) {
        for line in String::from_utf8_lossy(bytes).replace(CANARY, "").lines() {
            match serde_json::from_str::<Value>(line) {
                Ok(params) if choice % 2 == 1 => {
                    let method = METHODS[usize::from(choice / 2) % METHODS.len()];
                    self.send(
                        &json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string(),
                    );
                }
                _ => self.send(line),
            }
        }
        assert!(self.exchange("tools/list", json!({}))["result"].is_object());
    }

    fn send(&mut self, line: &str) {
        writeln!(self.input, "{line}").expect("the server reads");
    }

    fn exchange(&mut self, method: &str, params: Value) -> Value {
        self.number += 1;
        let number = self.number;
        self.send(&json!({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).to_string());
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).expect("it answers in UTF-8") > 0, "the server ended");
            assert!(!line.contains("a fault in Jari") && !line.contains(CANARY), "{params}: {line}");
            let message: Value = serde_json::from_str(&line).expect("it says protocol and nothing else");
            if message["id"] == number {
                return message;
            }
        }
    }
}

/// The project, in memory where the system has such a folder.
fn folder() -> PathBuf {
    let memory = Path::new("/dev/shm");
    let folder = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
    let folder = folder.join(format!("jari-fuzz-messages-{}", std::process::id()));
    for (path, text) in FILES {
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().expect("it has one")).expect("folders can be made");
        std::fs::write(path, text).expect("files can be written");
    }
    folder
}

struct InMemory(PathBuf);

impl Home for InMemory {
    fn folder(&self) -> PathBuf {
        self.0.clone()
    }

    fn is_there(&self) -> bool {
        true
    }

    fn open(&self) -> jari_engine::Result<(Box<dyn Store>, Option<Replaced>)> {
        Ok((Box::new(MemoryStore::new(jari_text::fold_name)), None))
    }

    fn replace(&self) -> jari_engine::Result<Box<dyn Store>> {
        Ok(Box::new(MemoryStore::new(jari_text::fold_name)))
    }

    fn stamp(&self) -> u64 {
        0
    }

    fn take_duty(&self) -> jari_engine::Result<Option<Box<dyn Send>>> {
        Ok(Some(Box::new(())))
    }
}
