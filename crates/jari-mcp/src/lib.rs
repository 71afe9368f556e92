//! The MCP server: tools, resources and prompts over the façade, on stdio and on HTTP. Both eras of the protocol are
//! served, the stateless one and the one that begins with `initialize`. The only place that knows tokio: the façade is
//! called on threads of its own.

mod answer;
mod arguments;
mod call;
mod http;
mod markdown;
mod prompts;
mod resources;
mod server;
mod stdio;
mod tools;

use std::io;
use std::net::TcpListener;

pub use call::Served;
pub use tools::Tools;

use server::Server;

/// Serves on standard input and output until the input ends.
pub fn serve_stdio(served: Served, tools: Tools) -> io::Result<()> {
    let server = Server::new(served, tools);
    let runtime = runtime()?;
    runtime.block_on(async {
        let (read, write) = rmcp::transport::stdio_pipes();
        match rmcp::serve_server(server, stdio::Lines::new(read, write)).await {
            Ok(running) => running.waiting().await.map(drop).map_err(io::Error::other),
            // A client that goes away before it has said anything.
            Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(io::Error::other(error)),
        }
    })?;
    // A read of standard input that never ends is not waited for.
    runtime.shutdown_background();
    Ok(())
}

/// Serves Streamable HTTP at `/mcp` on `listener` until the process ends. With a `token` every request must bear it.
pub fn serve_http(
    served: Served,
    tools: Tools,
    listener: TcpListener,
    token: Option<String>,
) -> io::Result<()> {
    let server = Server::new(served, tools);
    runtime()?.block_on(http::serve(server, listener, token))
}

/// A runtime with few threads: each that answers keeps memory of its own.
fn runtime() -> io::Result<tokio::runtime::Runtime> {
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(cores.min(4))
        .max_blocking_threads(cores.clamp(2, 8) * 2)
        .enable_all()
        .build()
}
