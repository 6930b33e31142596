//! Guard: what holds for every request. Other sites' pages may not change anything here, bodies are not compressed, answers carry the headers that
//! protect a visitor, and a panic becomes a problem document.

use std::io;
use std::time::{Duration, Instant};

use axum::body::{Body, HttpBody as _};
use axum::extract::{Request, State as In};
use axum::http::{HeaderName, HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use futures::{StreamExt as _, stream};
use tokio::time::timeout_at;
use tower_http::csrf::ProtectionError;

use crate::State;
use crate::api::unpack::is_identity;
use crate::error::{Kind, Problem};

/// Where texts are uploaded.
const UPLOADS: &str = "/api/v1/texts";

/// Bytes a second that a client sends of a body at least, over all of its time, and takes of a file.
pub(crate) const SLOWEST: u64 = 4096;

/// The answer to a request that would change something and was sent by another site's page. Programs that are no browser are not told from
/// this site's own pages: they name neither the site nor the page that they are at.
pub fn other_site(_: ProtectionError) -> Response {
    Problem::new(Kind::CrossSite, "Requests that change something are accepted only from this site’s own pages.").into_response()
}

/// Refuses a request whose body is compressed, which would be read as it is. Uploads see to it themselves.
pub async fn plain_body(request: Request, next: Next) -> Response {
    let is_plain = |coding: &HeaderValue| coding.to_str().is_ok_and(|coding| is_identity(coding.trim()));
    if request.uri().path() != UPLOADS && !request.headers().get_all(header::CONTENT_ENCODING).iter().all(is_plain) {
        return Problem::coding("").into_response();
    }
    next.run(request).await
}

/// Breaks a body off that comes more slowly than clients send: after some time, at less than [`SLOWEST`].
pub async fn body_in_time(In(state): In<State>, request: Request, next: Next) -> Response {
    let patience = Duration::from_secs(state.config.client_seconds);
    let begun = Instant::now();
    let request = request.map(|body| {
        if body.is_end_stream() {
            return body;
        }
        let pieces = stream::unfold((body.into_data_stream(), 0u64), move |(mut body, mut bytes)| async move {
            let until = begun + patience + Duration::from_secs(bytes / SLOWEST);
            let piece = match timeout_at(until.into(), body.next()).await {
                Ok(piece) => piece?.map_err(io::Error::other),
                Err(_) => Err(io::ErrorKind::TimedOut.into()),
            };
            bytes += piece.as_ref().map_or(0, |piece| piece.len() as u64);
            Some((piece, (body, bytes)))
        });
        Body::from_stream(pieces)
    });
    next.run(request).await
}

/// Answers of the API are data: nothing in them may run, and nobody may frame them.
pub async fn data_only(request: Request, next: Next) -> Response {
    let is_event_stream = request.method() == Method::GET && request.uri().path().ends_with("/events");
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    let rows = [
        (header::CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
    ];
    for (name, value) in rows {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if !is_event_stream {
        headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    }
    response
}

/// What may run in files of the page: a worker goes by the rules that come with its own script.
const OF_FILES: &str = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; \
                        object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/// What no page here asks a browser for, so that nothing that gets into one can.
const NOTHING_OF_THE_DEVICE: &str = "camera=(), microphone=(), geolocation=(), payment=(), usb=(), serial=(), midi=(), \
                                     accelerometer=(), gyroscope=(), magnetometer=(), browsing-topics=()";

/// Headers that every answer carries, where nobody has set others.
pub async fn protected(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let rows = [
        (header::CONTENT_SECURITY_POLICY, OF_FILES),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("permissions-policy"), NOTHING_OF_THE_DEVICE),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ];
    for (name, value) in rows {
        response.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}

/// What a panic in a handler is answered with. Its message may quote a text and is not written anywhere; the log has its place.
pub fn panicked(_: Box<dyn std::any::Any + Send>) -> Response {
    Problem::internal("a handler panicked").into_response()
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    /// A message may quote what somebody compares.
    #[test]
    fn what_a_panic_says_is_not_logged() {
        #[derive(Clone, Default)]
        struct Log(Arc<Mutex<Vec<u8>>>);
        impl io::Write for Log {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                self.0.lock().unwrap().write(bytes)
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let log = Log::default();
        let writer = log.clone();
        let subscriber = tracing_subscriber::fmt().with_writer(move || writer.clone()).finish();
        let answer = tracing::subscriber::with_default(subscriber, || panicked(Box::new("flibbertigibbet".to_owned())));
        let log = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
        assert_eq!(answer.status(), axum::http::StatusCode::INTERNAL_SERVER_ERROR);
        assert!(log.contains("a handler panicked") && !log.contains("flibbertigibbet"), "{log}");
    }
}
