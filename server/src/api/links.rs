//! Links: a result that outlives its job, with a lifetime and a token that deletes it.

use axum::Json;
use axum::body::Bytes;
use axum::extract::State as In;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use kernels::snapshot::{Snapshot, State as JobState};
use serde::{Deserialize, Serialize};

use super::extract::Path;
use crate::State;
use crate::error::{Kind, Problem};
use crate::id::Id;
use crate::record::Record;
use crate::store::blobs::Hash;
use crate::store::{Found, Link};
use crate::time::now;

/// How long a link lives.
#[derive(Clone, Copy, Debug, Deserialize)]
enum Lifetime {
    /// One day.
    #[serde(rename = "1d")]
    Day,
    /// Thirty days.
    #[serde(rename = "30d")]
    Month,
    /// Until somebody deletes it.
    #[serde(rename = "until-deleted")]
    UntilDeleted,
}

impl Lifetime {
    fn seconds(self) -> Option<u64> {
        match self {
            Self::Day => Some(86_400),
            Self::Month => Some(30 * 86_400),
            Self::UntilDeleted => None,
        }
    }
}

/// What is shared, and for how long.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    job: String,
    lifetime: Lifetime,
}

/// A link that was made. The token is shown this once: only its hash is stored.
#[derive(Debug, Serialize)]
struct Made {
    url: String,
    id: Id,
    delete_token: String,
    /// Seconds since 1970; null when it stays until somebody deletes it.
    expires_at: Option<u64>,
}

/// A link as it is shown.
#[derive(Debug, Serialize)]
pub struct Shown {
    #[serde(flatten)]
    snapshot: Snapshot,
    /// Seconds since 1970.
    created_at: u64,
    /// Seconds since 1970; null when it stays until somebody deletes it.
    expires_at: Option<u64>,
}

/// A link that is there.
#[derive(Debug)]
pub struct Shared {
    /// What is shared.
    pub record: Record,
    token: Hash,
    created_at: u64,
    expires_at: Option<u64>,
}

/// Stores the result of a job under an id of its own.
pub async fn create(In(state): In<State>, body: Bytes) -> Result<Response, Problem> {
    let wanted: Wanted =
        serde_json::from_slice(&body).map_err(|error| Problem::new(Kind::Malformed, format!("The request is not a link: {error}.")))?;
    let job: Id = wanted.job.parse().map_err(|_| Problem::not_found("job"))?;
    let mut record = state.jobs.find(job).await?.record();
    if record.snapshot.state != JobState::Succeeded {
        return Err(Problem::new(Kind::NoResult, "Only a result can be shared, and this job has none."));
    }
    let (id, token, created_at) = (Id::random(), Id::random().to_string(), now());
    record.snapshot.id = id.to_string();
    // Where the text came from is the business of whoever uploaded it: the id would let others use the upload.
    (record.snapshot.a.upload, record.snapshot.b.upload) = (None, None);
    let expires_at = wanted.lifetime.seconds().map(|seconds| created_at + seconds);
    let link = Link {
        body: serde_json::to_string(&record).map_err(Problem::internal)?,
        token: Hash::of(token.as_bytes()),
        created_at,
        expires_at,
    };
    state.store.add_link(id, link, record.files().collect()).get().await.map_err(Problem::internal)?;
    let url = format!("/r/{id}");
    let location = HeaderValue::from_str(&url).map_err(Problem::internal)?;
    let made = Made { url, id, delete_token: token, expires_at };
    Ok((StatusCode::CREATED, [(header::LOCATION, location)], Json(made)).into_response())
}

/// What is shared, without the texts.
pub async fn show(In(state): In<State>, Path(id): Path<Id>) -> Result<Json<Shown>, Problem> {
    let Shared { record, created_at, expires_at, .. } = find(&state, id).await?;
    Ok(Json(Shown { snapshot: record.snapshot, created_at, expires_at }))
}

/// Deletes the link for whoever has its token.
pub async fn remove(In(state): In<State>, Path(id): Path<Id>, headers: HeaderMap) -> Result<StatusCode, Problem> {
    let link = find(&state, id).await?;
    let token = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()?.strip_prefix("Bearer "));
    // Hashes are compared, and in constant time.
    if token.map(|token| Hash::of(token.trim().as_bytes())) != Some(link.token) {
        let detail = "A link is deleted with the token that was shown when it was made: Authorization: Bearer <token>.";
        return Err(Problem::new(Kind::Forbidden, detail));
    }
    state.store.delete_link(id).get().await.map_err(Problem::internal)?;
    Ok(StatusCode::NO_CONTENT)
}

/// The link of this id.
///
/// # Errors
/// `NotFound`; `Gone` when it was deleted or its time is over.
pub async fn find(state: &State, id: Id) -> Result<Shared, Problem> {
    match state.store.link(id).get().await.map_err(Problem::internal)? {
        Found::Here(Link { body, token, created_at, expires_at }) => {
            Ok(Shared { record: serde_json::from_str(&body).map_err(Problem::internal)?, token, created_at, expires_at })
        }
        Found::Gone => Err(Problem::new(Kind::Gone, "This shared result was deleted or its time is over.")),
        Found::Never => Err(Problem::not_found("shared result")),
    }
}
