//! Observation of requests. Each request gets a random id, which its answer carries, and is logged and counted by its
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

/// Assigns an id to the request. Logs and counts the request once its answer begins.
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
    // Requests of page files and health checks are logged at a lower level, because they are frequent.
    match route.as_str() {
        FILES_ROUTE | "/livez" | "/readyz" => debug!(status, ms, "answered"),
        _ => info!(status, ms, "answered"),
    }
    response
}

/// Route under which page files and unknown addresses are logged and counted.
const FILES_ROUTE: &str = "/*";

/// Returns the pattern of the route that serves the request, such as `/api/v1/jobs/{id}`.
fn route(request: &Request) -> String {
    let matched = request.extensions().get::<MatchedPath>().map(MatchedPath::as_str);
    // The path of page files contains a content hash, which is no route.
    matched.filter(|path| !path.starts_with("/pkg/") && !path.contains("__private")).unwrap_or(FILES_ROUTE).to_owned()
}

/// Returns the name of a standard method, or "other". Clients can send any name, and each one would be a label of the
/// metrics.
fn method(method: &Method) -> &'static str {
    const KNOWN_METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"];
    KNOWN_METHODS.into_iter().find(|known| *known == method.as_str()).unwrap_or("other")
}
