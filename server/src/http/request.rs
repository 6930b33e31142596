//! Observation of requests: each request has a random id, which its answer carries, and is logged and counted by its
//! route. Paths and queries are never logged, because they may contain ids of results or parts of texts.

use std::time::Instant;

use axum::extract::{MatchedPath, Request};
use axum::http::{HeaderValue, Method};
use axum::middleware::Next;
use axum::response::Response;
use tracing::{Instrument as _, debug, info, info_span};

use crate::id::Id;
use crate::ops::metrics;

/// Response header with the id of the request.
pub const REQUEST_ID: &str = "x-request-id";

tokio::task_local! {
    static CURRENT: Id;
}

/// Returns the id of the request that the current task answers.
pub fn current() -> Option<Id> {
    CURRENT.try_with(|id| *id).ok()
}

/// Assigns an id to the request, and logs and counts it once its answer begins.
pub async fn observe(request: Request, next: Next) -> Response {
    let begun = Instant::now();
    let (id, method, route) = (Id::random(), method(request.method()), route(&request));
    let span = info_span!("request", %id, method, route);
    let mut response = CURRENT.scope(id, next.run(request)).instrument(span.clone()).await;
    if let Ok(id) = HeaderValue::from_str(&id.to_string()) {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    let (status, took) = (response.status().as_u16(), begun.elapsed());
    metrics::answered(method, &route, status, took);
    let ms = took.as_micros() as f64 / 1e3;
    let _in_span = span.enter();
    // Logged at a lower level, because page files come by the dozen and health checks every few seconds.
    match route.as_str() {
        FILES_ROUTE | "/livez" | "/readyz" => debug!(status, ms, "answered"),
        _ => info!(status, ms, "answered"),
    }
    response
}

/// Pseudo-route of page files and unknown addresses.
const FILES_ROUTE: &str = "/*";

/// Returns the route pattern that the path matches.
fn route(request: &Request) -> String {
    let matched = request.extensions().get::<MatchedPath>().map(MatchedPath::as_str);
    // The folder of page files is named by a content hash.
    matched.filter(|path| !path.starts_with("/pkg/") && !path.contains("__private")).unwrap_or(FILES_ROUTE).to_owned()
}

/// Returns a known method, or "other", because clients can send any method name.
fn method(method: &Method) -> &'static str {
    const KNOWN_METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"];
    KNOWN_METHODS.into_iter().find(|known| *known == method.as_str()).unwrap_or("other")
}
