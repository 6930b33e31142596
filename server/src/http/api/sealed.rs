//! Sealed: private links to bytes that a browser has encrypted. The key is in the fragment of the link, which browsers
//! do not send. The server learns only the size of the bytes and the times of access.

use axum::Extension;
use axum::body::Bytes;
use axum::extract::State as In;
use axum::extract::rejection::BytesRejection;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use explain::wire::LinkLifetime;
use serde::Deserialize;
use utoipa::IntoParams;

use super::extract::{PathParams, QueryParams};
use super::links::{self, LinkDraft};
use crate::ServerState;
use crate::clients::budgets::BudgetCost;
use crate::error::{ApiProblem, ProblemKind};
use crate::id::Id;
use crate::identity::ClientIdentity;
use crate::store::record::LinkContent;

/// Query of a request that creates a private link: `?lifetime=`.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct SealedLinkQuery {
    /// Time for which the link exists: `1d`, `30d` or `until-deleted`.
    #[param(value_type = String, pattern = "^(1d|30d|until-deleted)$")]
    lifetime: LinkLifetime,
}

/// Handles `POST /api/v1/sealed`: stores the request body unchanged as the content of a new private link, with an id
/// and a token of its own.
pub async fn create(
    In(state): In<ServerState>,
    Extension(client): Extension<ClientIdentity>,
    QueryParams(wanted): QueryParams<SealedLinkQuery>,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, ApiProblem> {
    let limit = state.config.max_sealed_bytes.min(state.config.max_body_bytes);
    let too_large = || {
        let detail = format!("A private link can hold at most {} bytes.", kernels::humanize::grouped(limit));
        ApiProblem::new(ProblemKind::UploadTooLarge, detail).limit(limit, None)
    };
    let body = body.map_err(|rejection| match ApiProblem::of_body(&rejection, limit, "") {
        problem if problem.kind == ProblemKind::UploadTooLarge => too_large(),
        problem => problem,
    })?;
    if body.len() as u64 > limit {
        return Err(too_large());
    }
    if body.is_empty() {
        return Err(ApiProblem::new(ProblemKind::Malformed, "The request is empty. Send the encrypted bytes as its body."));
    }
    let bytes = body.len() as u64;
    state.budgets.charge(client, BudgetCost::Bytes(bytes))?;
    state.budgets.charge(client, BudgetCost::Stored(bytes))?;
    let files = state.store.files.clone();
    let put = tokio::task::spawn_blocking(move || files.put(&body));
    let sealed = put.await.map_err(ApiProblem::internal)?.map_err(ApiProblem::disk_failure)?;
    let making = LinkDraft {
        content: LinkContent::Sealed { sealed, bytes: Some(bytes) },
        files: vec![sealed],
        lifetime: wanted.lifetime,
        path_segment: "s",
        has_class_code: false,
    };
    links::store_link(&state, client, Id::random(), making).await
}

/// Handles `GET /api/v1/sealed/{id}`: returns the encrypted bytes of a private link.
pub async fn show(In(state): In<ServerState>, PathParams(id): PathParams<Id>) -> Result<Response, ApiProblem> {
    let held = links::parse_link(&state, id, &links::row(&state, id).await?.body)?;
    let LinkContent::Sealed { sealed, .. } = held else { return Err(ApiProblem::not_found("private link")) };
    let files = state.store.files.clone();
    let bytes = state.results.work(move || files.read(&sealed).map_err(ApiProblem::disk_failure)).await?;
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("application/octet-stream")),
        (header::CONTENT_DISPOSITION, HeaderValue::from_static("attachment; filename=\"sealed.bin\"")),
    ];
    Ok((headers, bytes).into_response())
}
