//! Streamable HTTP: who may ask, and the connections. Browsers may ask from this machine only.

use std::convert::Infallible;
use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{AUTHORIZATION, HeaderMap, WWW_AUTHENTICATE};
use hyper::service::{Service, service_fn};
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};

use crate::server::Server;

/// Origins of pages that were served from this machine.
const ORIGINS: [&str; 3] = ["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"];

/// Between two tries to take a connection, after one failed.
const PAUSE: Duration = Duration::from_millis(100);

/// How long a client may take to send its headers.
const HEADERS: Duration = Duration::from_secs(30);

type Answer = Response<BoxBody<Bytes, Infallible>>;

/// Serves every connection until the process ends.
pub(crate) async fn serve(server: Server, listener: TcpListener, token: Option<String>) -> io::Result<()> {
    let mut config =
        StreamableHttpServerConfig::default().with_allowed_origins(ORIGINS).enforce_origin_validation();
    if token.is_some() {
        // Its name in the network is not known here; who has no token is refused whatever name was used.
        config = config.disable_allowed_hosts();
    }
    let sessions = Arc::new(LocalSessionManager::default());
    let service = StreamableHttpService::new(move || Ok(server.clone()), sessions, config);
    let (service, token) = (TowerToHyperService::new(service), Arc::new(token));
    listener.set_nonblocking(true)?;
    let listener = tokio::net::TcpListener::from_std(listener)?;
    loop {
        // One connection that cannot be taken is no reason to stop.
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        let (service, token) = (service.clone(), token.clone());
        tokio::spawn(async move {
            let answer = service_fn(move |request: Request<Incoming>| {
                let (service, token) = (service.clone(), token.clone());
                async move {
                    match refused(request.uri().path(), request.headers(), token.as_deref()) {
                        Some(status) => Ok(refusal(status)),
                        None => service.call(request).await,
                    }
                }
            });
            let mut connection = hyper::server::conn::http1::Builder::new();
            connection.timer(TokioTimer::new()).header_read_timeout(HEADERS);
            // A client that breaks off is no fault of ours.
            let _ = connection.serve_connection(TokioIo::new(stream), answer).await;
        });
    }
}

/// Why a request does not reach the protocol.
fn refused(path: &str, headers: &HeaderMap, token: Option<&str>) -> Option<StatusCode> {
    if let Some(token) = token {
        let given = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        let given = given.and_then(|value| value.strip_prefix("Bearer ")).unwrap_or_default();
        if !equal(given.as_bytes(), token.as_bytes()) {
            return Some(StatusCode::UNAUTHORIZED);
        }
    }
    (path != "/mcp").then_some(StatusCode::NOT_FOUND)
}

/// Compares in a time that does not tell where the first difference is.
fn equal(given: &[u8], wanted: &[u8]) -> bool {
    given.len() == wanted.len() && given.iter().zip(wanted).fold(0, |differs, (a, b)| differs | (a ^ b)) == 0
}

fn refusal(status: StatusCode) -> Answer {
    let text = match status {
        StatusCode::UNAUTHORIZED => "a token is needed: Authorization: Bearer …\n",
        _ => "MCP is served at /mcp\n",
    };
    let mut answer = Response::new(Full::new(Bytes::from(text)).boxed());
    *answer.status_mut() = status;
    if status == StatusCode::UNAUTHORIZED {
        answer.headers_mut().insert(WWW_AUTHENTICATE, hyper::header::HeaderValue::from_static("Bearer"));
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, authorization: Option<&'static str>, token: Option<&str>, expected: Option<u16>) {
        let mut headers = HeaderMap::new();
        if let Some(value) = authorization {
            headers.insert(AUTHORIZATION, hyper::header::HeaderValue::from_static(value));
        }
        assert_eq!(
            refused(path, &headers, token).map(|status| status.as_u16()),
            expected,
            "{path} {authorization:?}"
        );
    }

    #[test]
    fn a_token_is_asked_for_before_anything_else() {
        check("/mcp", None, None, None);
        check("/other", None, None, Some(404));
        check("/mcp", None, Some("secret"), Some(401));
        check("/other", Some("Bearer wrong!"), Some("secret"), Some(401));
        check("/mcp", Some("Bearer secret"), Some("secret"), None);
        check("/mcp", Some("secret"), Some("secret"), Some(401));
    }
}
