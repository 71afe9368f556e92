//! `jari mcp`, spoken to as an agent would.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::Project;

/// A running server and the pipes to it. It ends with the test.
pub(crate) struct Server {
    pub(crate) child: Child,
    pub(crate) input: Option<ChildStdin>,
    pub(crate) output: BufReader<ChildStdout>,
    number: u64,
}

impl Server {
    /// Starts a server and shakes hands as clients of 2025 do.
    pub(crate) fn start(project: &Project, arguments: &[&str]) -> Self {
        let mut server = Self::silent(&mut project.command(&[&["mcp"], arguments].concat()));
        let client = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}});
        let hello = server.ask("initialize", client);
        assert_eq!(hello["protocolVersion"], "2025-06-18");
        server.tell("notifications/initialized", json!({}));
        server
    }

    pub(crate) fn silent(command: &mut Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("it is piped"));
        Self { child, input, output, number: 0 }
    }

    pub(crate) fn send(&mut self, message: &Value) {
        writeln!(self.input.as_mut().expect("it is open"), "{message}").expect("the server reads");
    }

    pub(crate) fn tell(&mut self, method: &str, params: Value) {
        let mut message = json!({"jsonrpc": "2.0", "method": method});
        message["params"] = params;
        self.send(&message);
    }

    /// The whole message that answers.
    pub(crate) fn exchange(&mut self, method: &str, params: Value) -> Value {
        self.number += 1;
        let number = self.number;
        let mut message = json!({"jsonrpc": "2.0", "id": number, "method": method});
        message["params"] = params;
        self.send(&message);
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).expect("it answers") > 0, "the server ended");
            let message: Value = serde_json::from_str(&line).expect("stdout is protocol and nothing else");
            if message["id"] == number {
                return message;
            }
        }
    }

    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        let message = self.exchange(method, params);
        assert!(message["error"].is_null(), "{message}");
        message["result"].clone()
    }

    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let mut call = json!({"name": tool});
        call["arguments"] = arguments;
        self.ask("tools/call", call)
    }

    /// The text of a call's result.
    pub(crate) fn text(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments);
        result["content"][0]["text"].as_str().expect("there is text").to_owned()
    }

    /// Asks until `good` holds of the structured result.
    pub(crate) fn until(&mut self, tool: &str, arguments: &Value, good: impl Fn(&Value) -> bool) -> Value {
        let began = Instant::now();
        loop {
            let answer = self.call(tool, arguments.clone())["structuredContent"].clone();
            if good(&answer) {
                return answer;
            }
            assert!(began.elapsed() < Duration::from_secs(30), "{answer:#}");
            std::thread::sleep(Duration::from_millis(30));
        }
    }

    pub(crate) fn until_fresh(&mut self) {
        self.until("search_code", &json!({"query": "anything"}), |answer| {
            answer["index"]["state"] == "fresh"
        });
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
