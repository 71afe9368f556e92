//! Standard input and output: messages one a line. What is no JSON, and what lacks its parameters, is answered by what is wrong with it.

use std::pin::Pin;
use std::task::{Context, Poll};

use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, CustomRequest, ErrorData, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use serde::de::IgnoredAny;
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// What requests must bear. A request that the protocol's types do not take is one of these without it.
const NEEDED: &[(&str, &str)] = &[
    (
        "initialize",
        "`params` with `protocolVersion` (a text), `capabilities` (an object) and `clientInfo` (`name`, `version`)",
    ),
    (
        "prompts/get",
        "`params` with `name` (a text) and, where the prompt takes some, `arguments` (an object)",
    ),
    ("resources/read", "`params` with `uri` (a text): resources/list has them"),
    ("tools/call", "`params` with `name` (a text) and `arguments` (an object): tools/list has them"),
];

/// The longest line that is looked at. What is longer is left to the transport, which has the same limit and says so.
const LONGEST: usize = 16 * 1024 * 1024;

/// Why a request of a known method is none, if that is so.
pub(crate) fn without_params(request: &CustomRequest) -> Option<ErrorData> {
    let (method, needed) = NEEDED.iter().find(|(method, _)| *method == request.method)?;
    let given = match &request.params {
        None | Some(Value::Null) => "has none".to_owned(),
        Some(Value::Object(params)) if params.is_empty() => "has empty ones".to_owned(),
        Some(Value::Object(params)) => {
            format!("has {}", params.keys().map(String::as_str).collect::<Vec<_>>().join(", "))
        }
        Some(_) => "has something that is no object".to_owned(),
    };
    Some(ErrorData::invalid_params(format!("`{method}` needs {needed}; this one {given}"), None))
}

/// Messages by line.
pub(crate) struct Lines<R: AsyncRead + Unpin, W: AsyncWrite> {
    inner: AsyncRwTransport<RoleServer, Checked<R>, W>,
    broken: UnboundedReceiver<()>,
}

impl<R, W> Lines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    pub(crate) fn new(read: R, write: W) -> Self {
        let (sender, broken) = unbounded_channel();
        let checked = Checked { inner: read, line: Vec::new(), ready: Vec::new(), broken: sender };
        Self { inner: AsyncRwTransport::new_server(checked, write), broken }
    }
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = std::io::Error;

    fn send(
        &mut self,
        item: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            let message = tokio::select! {
                // What was broken came before what can be read now.
                biased;
                Some(()) = self.broken.recv() => None,
                message = self.inner.receive() => Some(message),
            };
            let answer = match message {
                None => {
                    let message = "this line is no JSON: a message is one JSON object on one line";
                    ServerJsonRpcMessage::error(ErrorData::parse_error(message, None), None)
                }
                Some(message) => match &message {
                    Some(ClientJsonRpcMessage::Request(request)) => match &request.request {
                        ClientRequest::CustomRequest(custom) => match without_params(custom) {
                            Some(error) => ServerJsonRpcMessage::error(error, Some(request.id.clone())),
                            None => return message,
                        },
                        _ => return message,
                    },
                    Some(_) => return message,
                    // The input has ended; what was broken at its end is answered still.
                    None if self.broken.is_empty() => return None,
                    None => continue,
                },
            };
            self.inner.send(answer).await.ok()?;
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}

/// A reader that leaves out lines that are no JSON, and tells of each.
struct Checked<R> {
    inner: R,
    /// A line that has not ended.
    line: Vec<u8>,
    /// What may be read.
    ready: Vec<u8>,
    broken: UnboundedSender<()>,
}

impl<R> Checked<R> {
    fn take(&mut self, bytes: &[u8]) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(piece);
            if piece.ends_with(b"\n") || self.line.len() > LONGEST {
                self.end_line();
            }
        }
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        let text = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&line);
        let is_blank = text.trim_ascii().is_empty();
        if is_blank || line.len() > LONGEST || serde_json::from_slice::<IgnoredAny>(text).is_ok() {
            self.ready.extend_from_slice(&line);
        } else {
            // With nobody left to answer there is nobody to tell.
            let _ = self.broken.send(());
        }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Checked<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        out: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let mut room = [0; 8 * 1024];
        while self.ready.is_empty() {
            let mut bytes = ReadBuf::new(&mut room);
            match Pin::new(&mut self.inner).poll_read(context, &mut bytes) {
                Poll::Ready(Ok(())) => {}
                other => return other,
            }
            if bytes.filled().is_empty() {
                self.end_line();
                break;
            }
            self.take(bytes.filled());
        }
        let count = self.ready.len().min(out.remaining());
        out.put_slice(&self.ready[..count]);
        self.ready.drain(..count);
        Poll::Ready(Ok(()))
    }
}
