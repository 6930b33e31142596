//! Problems: every error answer is a problem document (RFC 9457), with a stable type for programs and a sentence for
//! people ([`ApiProblem`], [`ProblemKind`]).
//!
//! - [`request`]: messages for requests that cannot be parsed

use std::fmt::Display;
use std::io;

use axum::Json;
use axum::extract::rejection::{BytesRejection, PathRejection, QueryRejection};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use explain::wire;
use kernels::failure::JobFailure;
use kernels::job::Task;
use kernels::run::Halt;

use crate::storage::ports::{self, StorageErrorKind};

pub mod request;

/// A kind of problem. Each kind has one HTTP status, one title, and one type that never changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProblemKind {
    /// The texts or the options of a job cannot be used.
    BadInput,
    /// The uploaded file is not plain text.
    NotText,
    /// The job or the requested computation exceeds a limit.
    TooLarge,
    /// The request cannot be parsed.
    Malformed,
    /// The task does not exist.
    UnknownTask,
    /// The address does not exist.
    NotFound,
    /// The job, link or file at this address has expired or was deleted.
    Gone,
    /// The job has no result, has not ended, or its result lacks the requested part.
    NoResult,
    /// The queue of jobs is full.
    QueueFull,
    /// The client has reached a limit for one client.
    RateLimited,
    /// The idempotency key was already used with a different request.
    KeyReused,
    /// The request body is larger than the server accepts.
    UploadTooLarge,
    /// The storage of the server is full.
    NoSpace,
    /// The engine of the job failed.
    Engine,
    /// The server stopped before the job ended.
    Interrupted,
    /// The job or query ran longer than its time limit.
    OutOfTime,
    /// The address does not support this HTTP method.
    MethodNotAllowed,
    /// The result cannot be exported in this format.
    UnsupportedFormat,
    /// The content coding (compression) of the request body is not supported.
    UnsupportedCoding,
    /// The media type of the request body is not accepted at this address.
    UnsupportedType,
    /// The token that permits the requested deletion is missing or wrong.
    Forbidden,
    /// A page of another website sent the request.
    CrossSite,
    /// The server cannot handle the request at the moment, because it is busy or cannot reach its storage.
    NotReady,
    /// The server has a bug, or failed unexpectedly.
    Internal,
}

impl ProblemKind {
    /// All kinds of problems, in the order of declaration.
    pub const ALL: [Self; 24] = [
        Self::BadInput,
        Self::NotText,
        Self::TooLarge,
        Self::Malformed,
        Self::UnknownTask,
        Self::NotFound,
        Self::Gone,
        Self::NoResult,
        Self::QueueFull,
        Self::RateLimited,
        Self::KeyReused,
        Self::UploadTooLarge,
        Self::NoSpace,
        Self::Engine,
        Self::Interrupted,
        Self::OutOfTime,
        Self::MethodNotAllowed,
        Self::UnsupportedFormat,
        Self::UnsupportedCoding,
        Self::UnsupportedType,
        Self::Forbidden,
        Self::CrossSite,
        Self::NotReady,
        Self::Internal,
    ];

    /// Returns the HTTP status of answers with this problem.
    pub fn status(self) -> u16 {
        self.row().0.as_u16()
    }

    /// Returns the last part of the URI that is the problem's type, such as `too-large`.
    pub fn slug(self) -> &'static str {
        self.row().1
    }

    /// Returns the HTTP status, the last part of the type URI, and the title of the problem, in this order.
    fn row(self) -> (StatusCode, &'static str, &'static str) {
        use StatusCode as S;
        match self {
            Self::BadInput => (S::UNPROCESSABLE_ENTITY, "bad-input", "The input cannot be used"),
            Self::NotText => (S::UNPROCESSABLE_ENTITY, "not-text", "This is not a text"),
            Self::TooLarge => (S::UNPROCESSABLE_ENTITY, "too-large", "The job is too large"),
            Self::Malformed => (S::BAD_REQUEST, "malformed", "The request cannot be read"),
            Self::UnknownTask => (S::UNPROCESSABLE_ENTITY, "unknown-task", "There is no such task"),
            Self::NotFound => (S::NOT_FOUND, "not-found", "There is nothing here"),
            Self::Gone => (S::GONE, "gone", "This is gone"),
            Self::NoResult => (S::CONFLICT, "no-result", "There is no result"),
            Self::QueueFull => (S::TOO_MANY_REQUESTS, "queue-full", "The queue is full"),
            Self::RateLimited => (S::TOO_MANY_REQUESTS, "rate-limited", "One visitor has reached a limit"),
            Self::KeyReused => (S::UNPROCESSABLE_ENTITY, "key-reused", "The key belongs to another request"),
            Self::UploadTooLarge => (S::PAYLOAD_TOO_LARGE, "upload-too-large", "The upload is too large"),
            Self::NoSpace => (S::INSUFFICIENT_STORAGE, "no-space", "The server is full"),
            Self::Engine => (S::INTERNAL_SERVER_ERROR, "engine", "The engine failed"),
            Self::Interrupted => (S::SERVICE_UNAVAILABLE, "interrupted", "The server stopped"),
            Self::OutOfTime => (S::UNPROCESSABLE_ENTITY, "out-of-time", "The job took too long"),
            Self::MethodNotAllowed => (S::METHOD_NOT_ALLOWED, "method-not-allowed", "The method is not allowed here"),
            Self::UnsupportedFormat => (S::BAD_REQUEST, "unsupported-format", "The format is not supported"),
            Self::UnsupportedCoding => (S::UNSUPPORTED_MEDIA_TYPE, "unsupported-coding", "The content encoding is not supported"),
            Self::UnsupportedType => (S::UNSUPPORTED_MEDIA_TYPE, "unsupported-type", "The media type is not supported"),
            Self::Forbidden => (S::FORBIDDEN, "forbidden", "The token is missing or wrong"),
            Self::CrossSite => (S::FORBIDDEN, "cross-site", "The request came from another website"),
            Self::NotReady => (S::SERVICE_UNAVAILABLE, "not-ready", "The server is not ready"),
            Self::Internal => (S::INTERNAL_SERVER_ERROR, "internal", "Something went wrong on the server"),
        }
    }
}

/// A problem with its details, which is converted to an error answer. Handlers return it as their error.
#[derive(Clone, Debug)]
pub struct ApiProblem {
    pub kind: ProblemKind,
    /// Sentence for people with the cause and the remedy.
    pub detail: String,
    limit: Option<u64>,
    got: Option<u64>,
    tasks: Option<&'static [Task]>,
    retry_after: Option<u64>,
    accepts: Option<&'static str>,
    failure: Option<Box<JobFailure>>,
}

impl ApiProblem {
    /// Creates a problem of the kind `kind`. `detail` is a sentence for people with the cause and the remedy.
    pub fn new(kind: ProblemKind, detail: impl Into<String>) -> Self {
        Self { kind, detail: detail.into(), limit: None, got: None, tasks: None, retry_after: None, accepts: None, failure: None }
    }

    /// Adds the limit that was exceeded (`limit`), and the value that exceeded it (`got`) if it is known.
    pub fn limit(self, limit: u64, got: impl Into<Option<u64>>) -> Self {
        Self { limit: Some(limit), got: got.into(), ..self }
    }

    /// Adds the list of all existing tasks, for a request with an unknown task.
    pub fn tasks(self) -> Self {
        Self { tasks: Some(&Task::ALL), ..self }
    }

    /// Sets the number of seconds after which the client may send the request again.
    pub fn retry_after(self, seconds: u64) -> Self {
        Self { retry_after: Some(seconds), ..self }
    }

    /// Returns the number of seconds after which the client may send the request again, if it is known.
    pub fn seconds(&self) -> Option<u64> {
        self.retry_after
    }

    /// Creates the problem of an unsupported content coding. `accepts` lists the supported codings, separated by
    /// commas. If it is empty, only uncompressed bodies are accepted.
    pub fn coding(accepts: &'static str) -> Self {
        let detail = match accepts {
            "" => "Compressed requests are not accepted here. Send the body uncompressed, without a Content-Encoding header.".into(),
            codings => format!(
                "This content encoding is not supported. Use one of: {codings}. Or send the body uncompressed, without a Content-Encoding header."
            ),
        };
        let accepts = if accepts.is_empty() { "identity" } else { accepts };
        Self { accepts: Some(accepts), ..Self::new(ProblemKind::UnsupportedCoding, detail) }
    }

    /// Creates the problem of a server that already handles its maximum number of requests of one kind. `with`
    /// describes the kind, as a plural noun.
    pub fn busy(with: &str) -> Self {
        Self::new(ProblemKind::NotReady, format!("The server is handling as many {with} as it can. Try again in a few seconds."))
            .retry_after(10)
    }

    /// Creates the problem of a request body that could not be received: it exceeded `limit` bytes, or the client
    /// disconnected or was too slow. `instead` is a sentence with an alternative to a body that is too large, or empty.
    pub fn of_body(rejection: &BytesRejection, limit: u64, instead: &str) -> Self {
        if rejection.status() != StatusCode::PAYLOAD_TOO_LARGE {
            return Self::new(ProblemKind::Malformed, "The request ended too early. Send it again.");
        }
        let detail = format!("A request may have at most {} bytes.{instead}", kernels::humanize::grouped(limit));
        Self::new(ProblemKind::UploadTooLarge, detail).limit(limit, None)
    }

    /// Creates the problem of an address that does not exist. `what` names the missing object, such as "job".
    pub fn not_found(what: &str) -> Self {
        Self::new(ProblemKind::NotFound, format!("There is no such {what}. Check the address."))
    }

    /// Creates the problem of a failed access to the file store or the disk.
    pub fn disk_failure(cause: io::Error) -> Self {
        ports::StorageError::from(cause).into()
    }

    /// Creates the problem of stored data that cannot be read, because the disk failed or the data are invalid.
    pub fn unreadable_data(cause: anyhow::Error) -> Self {
        match cause.downcast::<io::Error>() {
            Ok(cause) => Self::disk_failure(cause),
            Err(cause) => Self::internal(format!("{cause:#}")),
        }
    }

    /// Creates the problem of an internal error. `cause` is logged and not sent to the client.
    pub fn internal(cause: impl Display) -> Self {
        tracing::error!("request failed: {cause}");
        Self::new(
            ProblemKind::Internal,
            "Something went wrong on the server. Try again. If it happens again, tell the person who runs this server.",
        )
    }
}

impl From<ports::StorageError> for ApiProblem {
    fn from(error: ports::StorageError) -> Self {
        match error.kind {
            StorageErrorKind::Full => {
                tracing::warn!("the data folder is full: {error}");
                let detail = "The server’s storage is full. Try again later: old uploads and results are deleted automatically.";
                Self::new(ProblemKind::NoSpace, detail).retry_after(3600)
            }
            StorageErrorKind::Unavailable => {
                tracing::error!("rows or files cannot be used: {error}");
                let detail = "The server cannot reach its storage right now. Nothing was changed. Try again in a minute.";
                Self::new(ProblemKind::NotReady, detail).retry_after(60)
            }
            StorageErrorKind::Missing => Self::new(ProblemKind::Gone, "This has expired and was deleted."),
            StorageErrorKind::Broken => Self::internal(error),
        }
    }
}

impl From<JobFailure> for ApiProblem {
    fn from(failure: JobFailure) -> Self {
        let kind = match &failure {
            JobFailure::BadInput { .. } => ProblemKind::BadInput,
            JobFailure::TooLarge { .. } => ProblemKind::TooLarge,
            JobFailure::Engine { .. } => ProblemKind::Engine,
            JobFailure::Interrupted => ProblemKind::Interrupted,
            JobFailure::OutOfTime { .. } => ProblemKind::OutOfTime,
        };
        let problem = Self { failure: Some(Box::new(failure.clone())), ..Self::new(kind, failure.to_string()) };
        match failure {
            JobFailure::TooLarge { got, limit, .. } => problem.limit(limit, got),
            JobFailure::OutOfTime { seconds, .. } => problem.limit(seconds, None),
            _ => problem,
        }
    }
}

impl From<Halt> for ApiProblem {
    /// Converts the reason why a run ended without a result. If the run was stopped, no client receives this problem.
    fn from(halt: Halt) -> Self {
        halt.failure().into()
    }
}

impl From<QueryRejection> for ApiProblem {
    fn from(rejection: QueryRejection) -> Self {
        const AHEAD: &str = "Failed to deserialize query string: ";
        let said = rejection.body_text();
        let (name, cause) = said.strip_prefix(AHEAD).and_then(|said| said.split_once(": ")).unwrap_or((".", &said));
        Self::new(ProblemKind::Malformed, request::in_words(name, cause.strip_prefix(AHEAD).unwrap_or(cause)))
    }
}

impl From<PathRejection> for ApiProblem {
    fn from(_: PathRejection) -> Self {
        Self::not_found("address")
    }
}

impl ApiProblem {
    /// Creates the problem document that is the body of the error answer. The document has the id of the current
    /// request.
    pub(crate) fn document(&self) -> wire::ProblemDetails {
        let (status, slug, title) = self.kind.row();
        wire::ProblemDetails {
            kind: format!("/problems/{slug}"),
            title: title.to_owned(),
            status: status.as_u16(),
            detail: self.detail.clone(),
            limit: self.limit,
            got: self.got,
            retry_after: self.retry_after,
            tasks: self.tasks.map(<[Task]>::to_vec),
            failure: self.failure.clone(),
            request_id: crate::ops::request::current().map(|id| id.to_string()),
        }
    }
}

impl IntoResponse for ApiProblem {
    fn into_response(self) -> Response {
        let (status, slug, _) = self.kind.row();
        crate::ops::metrics::problem_sent(slug);
        let mut response = (status, Json(self.document())).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if let Some(accepts) = self.accepts {
            headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(accepts));
        }
        if let Some(seconds) = self.retry_after {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}
