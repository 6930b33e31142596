//! Middleware for every request: refuses compressed bodies and requests of other sites that would change something,
//! closes slow uploads, adds security headers, and turns panics into problem documents.

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

use crate::ServerState;
use crate::clients::MIN_BYTES_PER_SECOND;
use crate::error::{ApiProblem, ProblemKind};
use crate::http::api::unpack::is_identity;

/// Path of uploads, the only requests whose bodies may be compressed.
const UPLOADS_PATH: &str = "/api/v1/texts";

/// Creates the answer to a request that a page of another site sent and that would change something. Requests of
/// programs other than browsers pass the check, because they send no origin.
pub fn cross_site_problem(_: ProtectionError) -> Response {
    ApiProblem::new(ProblemKind::CrossSite, "Requests that change something are accepted only from this site’s own pages.").into_response()
}

/// Refuses a request with a compressed body, unless it is an upload. Only the handler of uploads decompresses bodies.
pub async fn reject_compressed_body(request: Request, next: Next) -> Response {
    let is_plain = |coding: &HeaderValue| coding.to_str().is_ok_and(|coding| is_identity(coding.trim()));
    if request.uri().path() != UPLOADS_PATH && !request.headers().get_all(header::CONTENT_ENCODING).iter().all(is_plain) {
        return ApiProblem::coding("").into_response();
    }
    next.run(request).await
}

/// Aborts a request whose body arrives at less than [`MIN_BYTES_PER_SECOND`] bytes per second on average. The first
/// seconds of a request, as many as the setting `client_seconds`, are not included in the average.
pub async fn limit_body_time(In(state): In<ServerState>, request: Request, next: Next) -> Response {
    let patience = Duration::from_secs(state.config.client_seconds);
    let begun = Instant::now();
    let request = request.map(|body| {
        if body.is_end_stream() {
            return body;
        }
        let pieces = stream::unfold((body.into_data_stream(), 0u64), move |(mut body, mut bytes)| async move {
            let until = begun + patience + Duration::from_secs(bytes / MIN_BYTES_PER_SECOND);
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

/// Adds headers to the answers of the API, so that browsers neither run the content of an answer, nor show it in
/// frames, nor store it. Event streams have caching headers of their own.
pub async fn add_data_headers(request: Request, next: Next) -> Response {
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

/// Content security policy of the page's files, such as scripts and styles. It also applies to code in web workers.
const FILES_POLICY: &str = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; \
                        object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/// Value of the header `Permissions-Policy`: browser features that no page needs, so that injected code cannot use them
/// either.
const DENIED_PERMISSIONS: &str = "camera=(), microphone=(), geolocation=(), payment=(), usb=(), serial=(), midi=(), \
                                     accelerometer=(), gyroscope=(), magnetometer=(), browsing-topics=()";

/// Adds the security headers of pages to every answer, but keeps those that the answer has already.
pub async fn add_security_headers(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let rows = [
        (header::CONTENT_SECURITY_POLICY, FILES_POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("permissions-policy"), DENIED_PERMISSIONS),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ];
    for (name, value) in rows {
        response.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}

/// Creates the answer to a request whose handler panicked. The panic's message appears neither in the answer nor in the
/// log, because it may quote a visitor's text. The log has the position of the panic in the code.
pub fn panic_problem(_: Box<dyn std::any::Any + Send>) -> Response {
    ApiProblem::internal("a handler panicked").into_response()
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    /// A panic message may quote a visitor's text.
    #[test]
    fn panic_message_is_not_logged() {
        #[derive(Clone, Default)]
        struct LogBuffer(Arc<Mutex<Vec<u8>>>);
        impl io::Write for LogBuffer {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                self.0.lock().unwrap().write(bytes)
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let log = LogBuffer::default();
        let writer = log.clone();
        let subscriber = tracing_subscriber::fmt().with_writer(move || writer.clone()).finish();
        let answer = tracing::subscriber::with_default(subscriber, || panic_problem(Box::new("flibbertigibbet".to_owned())));
        let log = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
        assert_eq!(answer.status(), axum::http::StatusCode::INTERNAL_SERVER_ERROR);
        assert!(log.contains("a handler panicked") && !log.contains("flibbertigibbet"), "{log}");
    }
}
