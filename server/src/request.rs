//! Requests as whoever runs the server sees them: each has a random id, which its answer carries, and is logged and counted by its route. A
//! path may hold the id of a result and a query parts of a text, so that neither is written anywhere.

use std::time::Instant;

use axum::extract::{MatchedPath, Request};
use axum::http::{HeaderValue, Method};
use axum::middleware::Next;
use axum::response::Response;
use tracing::{Instrument as _, debug, info, info_span};

use crate::id::Id;
use crate::metrics;

/// Header of the id of a request.
pub const REQUEST_ID: &str = "x-request-id";

tokio::task_local! {
    static CURRENT: Id;
}

/// The id of the request that is being answered, on the task that answers it.
pub fn current() -> Option<Id> {
    CURRENT.try_with(|id| *id).ok()
}

/// Gives the request an id, and logs and counts it once its answer begins.
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
    // Files of the page come by the dozen, and checks every few seconds.
    match route.as_str() {
        FILES | "/livez" | "/readyz" => debug!(status, ms, "answered"),
        _ => info!(status, ms, "answered"),
    }
    response
}

/// Route of the page's files and of addresses that there are not.
const FILES: &str = "/*";

/// The pattern that the path fits.
fn route(request: &Request) -> String {
    let matched = request.extensions().get::<MatchedPath>().map(MatchedPath::as_str);
    // Files lie in a folder that is named by their content.
    matched.filter(|path| !path.starts_with("/pkg/") && !path.contains("__private")).unwrap_or(FILES).to_owned()
}

/// Anybody may send a method of their own.
fn method(method: &Method) -> &'static str {
    const KNOWN: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"];
    KNOWN.into_iter().find(|known| *known == method.as_str()).unwrap_or("other")
}
