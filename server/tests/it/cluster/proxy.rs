//! A load balancer that alternates between the web nodes, so that tests fail if anything depends on the node.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use reqwest::Client;
use reqwest::redirect::Policy;
use tokio::net::TcpListener;

/// Headers that concern a single connection and are not forwarded.
const OF_CONNECTION: [HeaderName; 4] = [header::CONNECTION, header::TRANSFER_ENCODING, header::UPGRADE, header::TE];

/// The web nodes behind the proxy.
struct Nodes {
    client: Client,
    bases: Vec<String>,
    next: AtomicUsize,
}

/// Starts a proxy for these web nodes and returns its address. It ends with the runtime.
pub(super) async fn start(bases: Vec<String>) -> SocketAddr {
    let client = Client::builder().redirect(Policy::none()).build().unwrap();
    let nodes = Arc::new(Nodes { client, bases, next: AtomicUsize::new(0) });
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, Router::new().fallback(forward).with_state(nodes)).await.unwrap() });
    address
}

/// Forwards a request to the next node, and streams the answer back.
async fn forward(State(nodes): State<Arc<Nodes>>, request: Request) -> Response {
    let base = &nodes.bases[nodes.next.fetch_add(1, Relaxed) % nodes.bases.len()];
    let (parts, body) = request.into_parts();
    let path = parts.uri.path_and_query().map_or("/", |path| path.as_str());
    let has_body = [header::CONTENT_LENGTH, header::TRANSFER_ENCODING].iter().any(|name| parts.headers.contains_key(name));
    let mut asked = nodes.client.request(parts.method, format!("{base}{path}")).headers(of_content(parts.headers));
    asked = asked.header("x-forwarded-for", HeaderValue::from_static("127.0.0.1"));
    if has_body {
        asked = asked.body(reqwest::Body::wrap_stream(body.into_data_stream()));
    }
    match asked.send().await {
        Ok(answer) => {
            let (status, headers) = (answer.status(), of_content(answer.headers().clone()));
            (status, headers, Body::from_stream(answer.bytes_stream())).into_response()
        }
        Err(_) => StatusCode::BAD_GATEWAY.into_response(),
    }
}

fn of_content(mut headers: HeaderMap) -> HeaderMap {
    for name in OF_CONNECTION {
        headers.remove(name);
    }
    headers
}
