//! Links: shared results, which outlive their jobs. A link has a lifetime and a token for its deletion.

use axum::body::Bytes;
use axum::extract::State as In;
use axum::extract::rejection::BytesRejection;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::{Extension, Json};
use explain::snapshot::JobStatus as JobState;
use explain::wire::{CreatedLink, DisplayNames, LinkLifetime, MAX_VIEW_BYTES, NewLink, SharedResult};

use tokio::sync::oneshot;
use tracing::warn;

use super::extract::PathParams;
use super::{class_codes, job_body};
use crate::ServerState;
use crate::clients::budgets::BudgetCost;
use crate::clients::tokens;
use crate::error::{ApiProblem, ProblemKind};
use crate::id::Id;
use crate::identity::ClientIdentity;
use crate::storage::ports::files::ContentHash;
use crate::store::record::{LinkContent, SharedLink};
use crate::store::row_quota::ROW_OVERHEAD_BYTES;
use crate::store::{Link, RowLookup};

/// Maximum length of a text's name that a link stores, in characters.
const MAX_TEXT_NAME_LETTERS: usize = 120;

/// Returns whether `text` can describe a view of the page, which means that it can follow the `#` of an address without
/// escaping.
fn is_view(text: &str) -> bool {
    text.len() <= MAX_VIEW_BYTES && text.bytes().all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'#' | b'"' | b'<' | b'>'))
}

/// Handles `POST /api/v1/links`: creates a link to a copy of the result of a job.
pub async fn create(
    In(state): In<ServerState>,
    Extension(client): Extension<ClientIdentity>,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, ApiProblem> {
    let body = body.map_err(|rejection| ApiProblem::of_body(&rejection, state.config.max_body_bytes, ""))?;
    let wanted: NewLink = job_body::parse_json(&body)?;
    if wanted.class_code && wanted.lifetime != LinkLifetime::Day {
        return Err(ApiProblem::new(ProblemKind::BadInput, "A class code is valid for one day. Set lifetime to 1d."));
    }
    if wanted.view.as_deref().is_some_and(|view| !is_view(view)) {
        let detail = format!("view is the part of an address behind its #: at most {MAX_VIEW_BYTES} bytes of ASCII without blanks.");
        return Err(ApiProblem::new(ProblemKind::BadInput, detail).limit(MAX_VIEW_BYTES as u64, None));
    }
    let job: Id = wanted.job.parse().map_err(|_| ApiProblem::not_found("job"))?;
    let mut record = state.jobs.find(job).await?.record();
    if record.snapshot.state != JobState::Succeeded {
        return Err(ApiProblem::new(ProblemKind::NoResult, "This job has no result to share."));
    }
    record.names = DisplayNames { a: name(wanted.names.a), b: name(wanted.names.b) };
    record.view = wanted.view.filter(|view| wanted.class_code && !view.is_empty());
    let id = Id::random();
    record.snapshot.id = id.to_string();
    // Removes the ids of the uploads, because others who see the link could use the uploads by these ids.
    (record.snapshot.a.upload, record.snapshot.b.upload) = (None, None);
    let files = record.files().collect();
    let making = LinkDraft {
        content: LinkContent::Result(Box::new(record)),
        files,
        lifetime: wanted.lifetime,
        path_segment: "r",
        has_class_code: wanted.class_code,
    };
    store_link(&state, client, id, making).await
}

/// The data of a link that is about to be stored.
pub(super) struct LinkDraft {
    /// Content of the link: a result or encrypted bytes.
    pub(super) content: LinkContent,
    /// Hashes of the files that the link uses, which stay as long as the link exists.
    pub(super) files: Vec<ContentHash>,
    pub(super) lifetime: LinkLifetime,
    /// First segment of the path at which the page shows the link, such as `r` in `/r/{id}`.
    pub(super) path_segment: &'static str,
    /// Whether the link gets a class code, a short word to type instead of the address.
    pub(super) has_class_code: bool,
}

/// Stores the link `id` of `client`, and answers with its address and token. Deletes the link again if the client has
/// disconnected, because then nobody has received the token.
pub(super) async fn store_link(
    state: &ServerState,
    client: ClientIdentity,
    id: Id,
    LinkDraft { content: held, files, lifetime, path_segment: place, has_class_code }: LinkDraft,
) -> Result<Response, ApiProblem> {
    let (token, created_at) = (tokens::random(), state.store.clock.seconds());
    let expires_at = lifetime.seconds().map(|seconds| created_at + seconds);
    let body = held.to_json().map_err(ApiProblem::internal)?;
    let link = Link { body, token: tokens::hash(&token), created_at, expires_at };
    state.store.check_row_quota()?;
    state.budgets.charge(client, BudgetCost::Stored(ROW_OVERHEAD_BYTES + link.body.len() as u64))?;
    let (store, (tell, told)) = (state.store.clone(), oneshot::channel());
    let is_site = state.config.nats.is_some();
    tokio::spawn(async move {
        let added = async {
            store.add_link(id, link, files).get().await.map_err(ApiProblem::from)?;
            match expires_at.filter(|_| has_class_code) {
                None => Ok(None),
                Some(expires_at) => class_codes::give(&store, id, expires_at, is_site).await.map(Some),
            }
        };
        let added: Result<Option<String>, ApiProblem> = added.await;
        let is_refused = added.is_err();
        // Deletes a link that should have a class code but got none, and a link whose token no client has received.
        let is_unheard = tell.send(added).is_err_and(|unheard| unheard.is_ok());
        if (is_unheard || is_refused && has_class_code)
            && let Err(cause) = store.delete_link(id).get().await
        {
            warn!("unused link could not be deleted: {cause}");
        }
    });
    let class_code = told.await.map_err(ApiProblem::internal)??;
    let url = format!("/{place}/{id}");
    let location = HeaderValue::from_str(&url).map_err(ApiProblem::internal)?;
    let stored = CreatedLink { url, id: id.to_string(), delete_token: token, expires_at, class_code };
    Ok((StatusCode::CREATED, [(header::LOCATION, location)], Json(stored)).into_response())
}

/// Converts the name of a text to one line of at most [`MAX_TEXT_NAME_LETTERS`] characters. Returns `None` if this line
/// is empty.
fn name(name: Option<String>) -> Option<String> {
    let line: String = name?.split_whitespace().collect::<Vec<_>>().join(" ");
    let name: String = line.chars().filter(|letter| !letter.is_control()).take(MAX_TEXT_NAME_LETTERS).collect();
    (!name.is_empty()).then_some(name)
}

/// Handles `GET /api/v1/links/{id}`: returns the shared result of a link, without its texts.
pub async fn show(In(state): In<ServerState>, PathParams(id): PathParams<Id>) -> Result<Json<SharedResult>, ApiProblem> {
    let SharedLink { record, created_at, expires_at } = find(&state, id).await?;
    Ok(Json(SharedResult { snapshot: record.snapshot, names: record.names, created_at, expires_at }))
}

/// Handles `DELETE /api/v1/links/{id}` and `DELETE /api/v1/sealed/{id}`: deletes a link if the request has the link's
/// token.
pub async fn remove(In(state): In<ServerState>, PathParams(id): PathParams<Id>, headers: HeaderMap) -> Result<StatusCode, ApiProblem> {
    let link = row(&state, id).await?;
    // Hashes are compared instead of tokens, so that the time of the comparison tells nothing about the token.
    if tokens::bearer_hash(&headers) != Some(link.token) {
        return Err(tokens::forbidden("A link"));
    }
    state.store.delete_link(id).get().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Returns the shared result of the link with the id `id`.
///
/// # Errors
/// Returns `NotFound` if there is no such link or if its content is encrypted, and `Gone` if the link was deleted or
/// has expired.
pub async fn find(state: &ServerState, id: Id) -> Result<SharedLink, ApiProblem> {
    let Link { body, created_at, expires_at, .. } = row(state, id).await?;
    match parse_link(state, id, &body)? {
        LinkContent::Result(record) => Ok(SharedLink { record: *record, created_at, expires_at }),
        LinkContent::Sealed { .. } => Err(ApiProblem::not_found("shared result")),
    }
}

/// Checks that the link `id` exists and is sealed (its content is encrypted).
///
/// # Errors
/// Returns `NotFound` or `Gone` like [`find`].
pub async fn is_sealed(state: &ServerState, id: Id) -> Result<(), ApiProblem> {
    match parse_link(state, id, &row(state, id).await?.body)? {
        LinkContent::Sealed { .. } => Ok(()),
        LinkContent::Result(_) => Err(ApiProblem::not_found("private link")),
    }
}

/// Parses `body`, the content of the database row of the link `id`.
///
/// # Errors
/// Returns `NotReady` if a newer version of the server wrote the row, or `NoResult` if the row cannot be read
/// otherwise.
pub(super) fn parse_link(state: &ServerState, id: Id, body: &str) -> Result<LinkContent, ApiProblem> {
    LinkContent::read(body).map_err(|cause| state.store.unreadable.problem(id, "a link", &cause))
}

/// Returns the database row of the link `id`, whether it is a shared result or sealed.
pub(super) async fn row(state: &ServerState, id: Id) -> Result<Link, ApiProblem> {
    match state.store.link(id).get().await? {
        RowLookup::Here(link) => Ok(link),
        RowLookup::Gone => Err(ApiProblem::new(ProblemKind::Gone, "This shared result has expired or was deleted.")),
        RowLookup::Never => Err(ApiProblem::not_found("shared result")),
    }
}
