//! Request: ids, logs and metrics of requests. Each request gets a random id, which is a header of its answer. Requests
//! are logged and counted by their routes. Paths and queries are never logged, because they may contain ids of results
//! or parts of texts.

use std::time::Instant;

use axum::extract::{MatchedPath, Request};
use axum::http::{HeaderValue, Method};
use axum::middleware::Next;
use axum::response::Response;
use tracing::{Instrument as _, debug, info, info_span};

use crate::id::Id;
use crate::ops::metrics;

/// Name of the response header with the id of the request.
pub const REQUEST_ID: &str = "x-request-id";

tokio::task_local! {
    static CURRENT: Id;
}

/// Returns the id of the request that the current task handles, or `None` outside of requests.
pub fn current() -> Option<Id> {
    CURRENT.try_with(|id| *id).ok()
}

/// Gives the request an id, which becomes a header of the answer. Logs and counts the request once its answer begins.
pub async fn observe(request: Request, next: Next) -> Response {
    let begun = Instant::now();
    let (id, method, route) = (Id::random(), method(request.method()), route(&request));
    let span = info_span!("request", %id, method, route);
    let mut response = CURRENT.scope(id, next.run(request)).instrument(span.clone()).await;
    if let Ok(id) = HeaderValue::from_str(&id.to_string()) {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    let (status, took) = (response.status().as_u16(), begun.elapsed());
    metrics::request_answered(method, &route, status, took);
    let ms = took.as_micros() as f64 / 1e3;
    let _in_span = span.enter();
    // Requests of page files and health checks are frequent and therefore logged at a lower level.
    match route.as_str() {
        FILES_ROUTE | "/livez" | "/readyz" => debug!(status, ms, "answered"),
        _ => info!(status, ms, "answered"),
    }
    response
}

/// Route under which requests of page files and of unknown addresses are logged and counted.
const FILES_ROUTE: &str = "/*";

/// Returns the pattern of the route that serves the request, such as `/api/v1/jobs/{id}`. Returns [`FILES_ROUTE`] for
/// page files and unknown addresses.
fn route(request: &Request) -> String {
    let matched = request.extensions().get::<MatchedPath>().map(MatchedPath::as_str);
    // The path of a page file contains a content hash, so that it would be another route after each build.
    matched.filter(|path| !path.starts_with("/pkg/") && !path.contains("__private")).unwrap_or(FILES_ROUTE).to_owned()
}

/// Returns the name of a standard HTTP method, and "other" for all others. Clients can send any name, and each name
/// would become a label in the metrics.
fn method(method: &Method) -> &'static str {
    const KNOWN_METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"];
    KNOWN_METHODS.into_iter().find(|known| *known == method.as_str()).unwrap_or("other")
}
