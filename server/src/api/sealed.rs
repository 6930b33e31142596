//! Sealed results: bytes that a browser encrypted. The key is in the fragment of the link, so that the server never
//! receives it. The server learns only their size and the times of access.

use axum::Extension;
use axum::body::Bytes;
use axum::extract::State as In;
use axum::extract::rejection::BytesRejection;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use explain::wire::Lifetime;
use serde::Deserialize;
use utoipa::IntoParams;

use super::extract::{Path, Query};
use super::links::{self, Making};
use crate::State;
use crate::clients::Client;
use crate::clients::budgets::Cost;
use crate::error::{Kind, Problem};
use crate::id::Id;
use crate::record::Held;

/// `?lifetime=`
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Wanted {
    /// `1d`, `30d` or `until-deleted`.
    #[param(value_type = String, pattern = "^(1d|30d|until-deleted)$")]
    lifetime: Lifetime,
}

/// Stores the body unchanged, with an id and a token like those of any link.
pub async fn create(
    In(state): In<State>,
    Extension(client): Extension<Client>,
    Query(wanted): Query<Wanted>,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, Problem> {
    let limit = state.config.max_sealed_bytes.min(state.config.max_body_bytes);
    let too_large = || {
        let detail = format!("A private link can hold at most {} bytes.", kernels::words::grouped(limit));
        Problem::new(Kind::UploadTooLarge, detail).limit(limit, None)
    };
    let body = body.map_err(|rejection| match Problem::of_body(&rejection, limit, "") {
        problem if problem.kind == Kind::UploadTooLarge => too_large(),
        problem => problem,
    })?;
    if body.len() as u64 > limit {
        return Err(too_large());
    }
    if body.is_empty() {
        return Err(Problem::new(Kind::Malformed, "The request is empty. Send the encrypted bytes as its body."));
    }
    let bytes = body.len() as u64;
    state.budgets.charge(client, Cost::Bytes(bytes))?;
    state.budgets.charge(client, Cost::Stored(bytes))?;
    let files = state.store.files.clone();
    let put = tokio::task::spawn_blocking(move || files.put(&body));
    let sealed = put.await.map_err(Problem::internal)?.map_err(Problem::disk)?;
    let making = Making {
        held: Held::Sealed { sealed, bytes: Some(bytes) },
        files: vec![sealed],
        lifetime: wanted.lifetime,
        place: "s",
        has_class_code: false,
    };
    links::make(&state, client, Id::random(), making).await
}

/// Returns the stored bytes.
pub async fn show(In(state): In<State>, Path(id): Path<Id>) -> Result<Response, Problem> {
    let held = links::held(&state, id, &links::row(&state, id).await?.body)?;
    let Held::Sealed { sealed, .. } = held else { return Err(Problem::not_found("private link")) };
    let files = state.store.files.clone();
    let bytes = state.results.work(move || files.read(&sealed).map_err(Problem::disk)).await?;
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("application/octet-stream")),
        (header::CONTENT_DISPOSITION, HeaderValue::from_static("attachment; filename=\"sealed.bin\"")),
    ];
    Ok((headers, bytes).into_response())
}
