//! A server that speaks as providers do, and misbehaves when told to. It listens on this machine alone.

#![allow(dead_code, unreachable_pub, clippy::unwrap_used, reason = "each test file uses its part of it")]

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

/// Elements of a vector.
pub const DIMS: usize = 64;

/// What was asked.
#[derive(Debug, Clone)]
pub struct Request {
    pub path: String,
    pub headers: HashMap<String, String>,
    pub body: Value,
}

impl Request {
    /// The texts of a request for embeddings.
    pub fn texts(&self) -> Vec<String> {
        let input = self.body["input"].as_array().cloned().unwrap_or_default();
        input.iter().map(|text| text.as_str().unwrap_or_default().to_owned()).collect()
    }
}

/// What is answered.
pub enum Reply {
    Json(u16, Value),
    /// With a header.
    Headed(u16, &'static str, &'static str, Value),
    /// After a while.
    Slow(Duration, Value),
    /// The first half, and the end of the connection.
    Half(Value),
    /// Nothing but the end of the connection.
    Hangup,
}

/// Answers until it is dropped.
pub struct Server {
    pub address: String,
    asked: Arc<Mutex<Vec<Request>>>,
    stopped: Arc<AtomicBool>,
}

impl Server {
    /// `answer` gets the number of the request, from 0, and the request.
    pub fn start(answer: impl Fn(usize, &Request) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let (asked, stopped) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicBool::new(false)));
        let (all, stop, answer) = (asked.clone(), stopped.clone(), Arc::new(answer));
        let number = Arc::new(AtomicUsize::new(0));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                if stop.load(Ordering::SeqCst) {
                    return;
                }
                let (Ok(stream), all, answer, number) = (stream, all.clone(), answer.clone(), number.clone())
                else {
                    continue;
                };
                std::thread::spawn(move || {
                    if let Some(request) = read(&stream) {
                        let number = number.fetch_add(1, Ordering::SeqCst);
                        all.lock().unwrap().push(request.clone());
                        write(stream, answer(number, &request));
                    }
                });
            }
        });
        Self { address, asked, stopped }
    }

    /// A server that makes vectors in every format it is asked in.
    pub fn embedding() -> Self {
        Self::start(|_, request| Reply::Json(200, embeddings(request)))
    }

    /// Everything that was asked so far.
    pub fn asked(&self) -> Vec<Request> {
        self.asked.lock().unwrap().clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::SeqCst);
        // Wakes the listener, so that it sees that it is over.
        let _ = TcpStream::connect(self.address.trim_start_matches("http://"));
    }
}

fn read(stream: &TcpStream) -> Option<Request> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let path = line.split(' ').nth(1)?.to_owned();
    let mut headers = HashMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        headers.insert(name.to_lowercase(), value.to_owned());
    }
    let length = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Request { path, headers, body: serde_json::from_slice(&body).unwrap_or(Value::Null) })
}

fn write(mut stream: TcpStream, reply: Reply) {
    let (status, header, body, sent) = match reply {
        Reply::Json(status, body) => (status, String::new(), body.to_string(), 1),
        Reply::Headed(status, name, value, body) => {
            (status, format!("{name}: {value}\r\n"), body.to_string(), 1)
        }
        Reply::Slow(pause, body) => {
            std::thread::sleep(pause);
            (200, String::new(), body.to_string(), 1)
        }
        Reply::Half(body) => (200, String::new(), body.to_string(), 2),
        Reply::Hangup => return,
    };
    let head = format!(
        "HTTP/1.1 {status} Status\r\ncontent-type: application/json\r\n{header}content-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    // Whoever asked may be gone.
    let _ = stream
        .write_all(head.as_bytes())
        .and_then(|()| stream.write_all(&body.as_bytes()[..body.len() / sent]));
}

/// Vectors for a request, in the format of the path it asked at.
pub fn embeddings(request: &Request) -> Value {
    let vectors: Vec<Vec<f32>> = request.texts().iter().map(|text| vector(text)).collect();
    if request.path.ends_with("/api/embed") {
        return json!({"model": request.body["model"], "embeddings": vectors, "total_duration": 14143917, "prompt_eval_count": 8});
    }
    let data: Vec<Value> = vectors
        .iter()
        .enumerate()
        // Backwards: the numbers tell the order.
        .rev()
        .map(|(index, vector)| json!({"object": "embedding", "index": index, "embedding": vector}))
        .collect();
    json!({"object": "list", "data": data, "model": request.body["model"], "usage": {"prompt_tokens": 8, "total_tokens": 8}})
}

/// A vector of a text's words: texts with words in common are near.
pub fn vector(text: &str) -> Vec<f32> {
    let mut vector = vec![0.0; DIMS];
    vector[0] = 0.1;
    for word in text.to_lowercase().split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        let hash = word.bytes().fold(5381_usize, |hash, byte| hash.wrapping_mul(33) ^ usize::from(byte));
        vector[hash % DIMS] += 1.0;
    }
    vector
}

/// What a model that talks says, in its format.
pub fn said(text: &str) -> Value {
    json!({
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1_760_000_000, "model": "m",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11}
    })
}
