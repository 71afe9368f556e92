//! A throw-away project and the program run in it, as a user would.

#![allow(dead_code, reason = "which helpers are used differs from test file to test file")]

pub(crate) mod random;
pub(crate) mod server;
pub(crate) mod state;
pub(crate) mod tree;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use expect_test::Expect;
use serde_json::Value;
use tempfile::TempDir;

/// A function that is a chunk of its own.
pub(crate) const RETRY: &str = "\
/// Runs `call` until it succeeds, waiting longer each time.
pub fn retry_with_backoff(call: impl Fn() -> bool, most: u32) -> bool {
    for attempt in 0..most {
        if call() {
            return true;
        }
        std::thread::sleep(pause(attempt));
    }
    false
}
";

/// A class with two methods.
pub(crate) const POOL: &str = "\
class Pool:
    \"\"\"Keeps connections open and hands them out.\"\"\"

    def __init__(self, size):
        self.size = size
        self.free = []
        self.taken = []
        self.closed = False

    def take(self, patience):
        \"\"\"Hands out a connection.\"\"\"
        if not self.free:
            raise TimeoutError(patience)
        connection = self.free.pop()
        self.taken.append(connection)
        return connection
";

/// A page with front matter, code, a table and links, some of them broken.
pub(crate) const GUIDE: &str = "\
---
title: The guide
tags: [setup, 2]
---

# Guide

How to use it. And more.

## Install

Run the script. See [usage](usage.md#basics).

```sh
./install
```

### From source

Build it with care.

## Configure

| key | value |
|---|---|
| retries | 3 |

Read [the site](https://a.example) and [gone](gone.md) and [nowhere](usage.md#nowhere).
";

/// A page that the guide links to, one that nobody does, and a component page.
pub(crate) const USAGE: &str = "# Usage\n\n## Basics\n\nBack to the [guide](/docs/guide).\n";

/// A project in a temporary folder, with a home of its own beside it.
pub(crate) struct Project {
    temp: TempDir,
}

impl Project {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let project = Self { temp: tempfile::tempdir().expect("a temporary folder can be made") };
        std::fs::create_dir_all(project.root()).expect("it is empty");
        std::fs::create_dir_all(project.home()).expect("it is empty");
        for (path, text) in files {
            project.write(path, text);
        }
        project
    }

    /// One Rust file, one Python file, one page of text.
    pub(crate) fn sample() -> Self {
        Self::new(&[
            ("src/retry.rs", RETRY),
            ("src/net/pool.py", POOL),
            ("README.md", "# Sample\n\nConnections are pooled, calls are repeated.\n"),
        ])
    }

    /// Pages that link to each other.
    pub(crate) fn documents() -> Self {
        Self::new(&[
            ("docs/guide.md", GUIDE),
            ("docs/usage.md", USAGE),
            ("docs/lonely.md", "# Lonely\n\nNobody links here.\n"),
            ("docs/broken.mdx", "# Broken\n\n<Open>\n\n## Part\n\nText.\n"),
            ("src/retry.rs", RETRY),
        ])
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.temp.path().join("project")
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.temp.path().join("home")
    }

    pub(crate) fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        self.root().join(path)
    }

    pub(crate) fn write(&self, path: impl AsRef<Path>, bytes: impl AsRef<[u8]>) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().expect("it lies in the project")).expect("folders can be made");
        std::fs::write(path, bytes).expect("files can be written");
    }

    pub(crate) fn remove(&self, path: &str) {
        std::fs::remove_file(self.path(path)).expect("it is there");
    }

    pub(crate) fn rename(&self, from: &str, to: &str) {
        std::fs::rename(self.path(from), self.path(to)).expect("it is there");
    }

    /// Gives a file another time and the same contents.
    pub(crate) fn touch(&self, path: &str) {
        let file = std::fs::File::options().append(true).open(self.path(path)).expect("it is there");
        file.set_modified(std::time::SystemTime::UNIX_EPOCH).expect("times can be set");
    }

    /// The program, in the project's folder, knowing nothing of the machine it runs on.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_jari"));
        command
            .args(arguments)
            .current_dir(self.root())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.home())
            .env("XDG_CACHE_HOME", self.home().join("cache"))
            .env("XDG_CONFIG_HOME", self.home().join("config"))
            .stdin(Stdio::null());
        command
    }

    pub(crate) fn jari(&self, arguments: &[&str]) -> Output {
        self.run(&mut self.command(arguments))
    }

    pub(crate) fn run(&self, command: &mut Command) -> Output {
        self.output(command.output().expect("the program starts"))
    }

    /// What a run that has ended left behind.
    pub(crate) fn output(&self, output: std::process::Output) -> Output {
        Output::new(output, self.temp.path())
    }

    /// The answer to `--json`.
    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        self.jari(&[arguments, &["--json"]].concat()).json()
    }

    /// `path:start-end` of each result.
    pub(crate) fn places(&self, arguments: &[&str]) -> Vec<String> {
        let answer = self.json(arguments);
        let results = answer["results"].as_array().expect("results are a list");
        let place = |hit: &Value| {
            format!("{}:{}-{}", hit["path"].as_str().expect("a path"), hit["start_line"], hit["end_line"])
        };
        results.iter().map(place).collect()
    }

    /// The rows of the project's index.
    pub(crate) fn rows(&self, sql: &str) -> Vec<String> {
        rows(&self.path(".jari"), sql)
    }

    /// All files of the index, without the database's shared memory.
    pub(crate) fn index_files(&self) -> Vec<PathBuf> {
        let mut folders = vec![self.path(".jari")];
        let mut files = Vec::new();
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).expect("it is a folder").flatten() {
                let list = if entry.path().is_dir() { &mut folders } else { &mut files };
                list.push(entry.path());
            }
        }
        files.sort();
        files
    }
}

/// The rows of the index in `folder`, columns parted by ` | `.
pub(crate) fn rows(folder: &Path, sql: &str) -> Vec<String> {
    // Only to read: what a plain connection writes has no checksums.
    let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY;
    let database =
        rusqlite::Connection::open_with_flags(folder.join("store.db"), flags).expect("there is an index");
    let mut statement = database.prepare(sql).expect("the query is right");
    let columns = statement.column_count();
    let rows = statement.query_map([], |row| {
        let cell = |at| Ok(shown(&row.get(at)?));
        Ok((0..columns).map(cell).collect::<rusqlite::Result<Vec<_>>>()?.join(" | "))
    });
    rows.and_then(Iterator::collect).expect("rows can be read")
}

fn shown(value: &rusqlite::types::Value) -> String {
    use rusqlite::types::Value;
    match value {
        Value::Null => "-".to_owned(),
        Value::Integer(number) => number.to_string(),
        Value::Real(number) => number.to_string(),
        Value::Text(text) => text.clone(),
        Value::Blob(bytes) => bytes.escape_ascii().to_string(),
    }
}

/// What a run of the program left behind.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// Stands for the temporary folder in what is shown.
    temp: String,
}

impl Output {
    /// Whatever happened, a panic or a signal is never right.
    fn new(output: std::process::Output, temp: &Path) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("output is UTF-8");
        let (stdout, stderr) = (text(output.stdout), text(output.stderr));
        assert!(!stderr.contains("panicked"), "{stderr}");
        let code =
            output.status.code().unwrap_or_else(|| panic!("ended by a signal: {}\n{stderr}", output.status));
        Self { code, stdout, stderr, temp: temp.display().to_string() }
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// `text`, with a word for the temporary folder, also where its path has become a name.
    fn without_temp(&self, text: &str) -> String {
        let name = self.temp.replace(|c: char| !c.is_alphanumeric(), "-");
        without_hash(&text.replace(&self.temp, "[TEMP]").replace(&name, "[TEMP]"))
    }

    /// Asserts how it ended.
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{self:#?}");
        self
    }
}

/// Compares a whole run with what a user should see.
#[track_caller]
pub(crate) fn check(output: &Output, expected: &Expect) {
    let mut shown = format!("exit: {}\n", output.code);
    for (name, text) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
        if !text.is_empty() {
            let _ = write!(shown, "--- {name}\n{}", filtered(&output.without_temp(text)));
        }
    }
    expected.assert_eq(&shown);
}

/// The name of an index in the cache ends in a hash of the project's path, which is another one in every run.
fn without_hash(text: &str) -> String {
    const MARK: &str = "[TEMP]-project-";
    let mut parts = text.split(MARK);
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |out, part| out + MARK + "[hash]" + part.get(16..).unwrap_or_default())
}

/// Hides what differs from run to run: times, sizes, scores. `12 ms` → `[time]`, `1.5 MB/s` → `[speed]`, `0.87` → `#.##`.
pub(crate) fn filtered(text: &str) -> String {
    const UNITS: &[(&str, &str)] = &[
        (" ms", "[time]"),
        (" s\n", "[time]\n"),
        (" s ", "[time] "),
        (" MB/s", "[speed]"),
        (" kB", "[size]"),
        (" MB", "[size]"),
        (" B ", "[size] "),
    ];
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, number) = rest.split_at(at);
        let whole = digits(number);
        let decimals = number[whole..].strip_prefix('.').map_or(0, digits);
        let (number, after) = number.split_at(if decimals > 0 { whole + 1 + decimals } else { whole });
        out.push_str(before);
        match UNITS.iter().find(|(unit, _)| after.starts_with(unit)) {
            Some((unit, shown)) => {
                out.push_str(shown);
                rest = &after[unit.len()..];
            }
            None => {
                out.push_str(if decimals > 0 || before.ends_with("\"took_ms\":") { "#.##" } else { number });
                rest = after;
            }
        }
    }
    out + rest
}

/// How many digits `text` begins with.
fn digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

/// The keys of an object, in order.
pub(crate) fn keys(value: &Value) -> Vec<&str> {
    value.as_object().expect("it is an object").keys().map(String::as_str).collect()
}
