//! Extract: path and query extractors that work like those of axum, but answer invalid requests with problem documents.

use axum::extract::FromRequestParts;

use crate::error::ApiProblem;

/// Parameters in the path of a request. A value that cannot be parsed is answered like an address that does not exist,
/// with status 404.
#[derive(FromRequestParts)]
#[from_request(via(axum::extract::Path), rejection(ApiProblem))]
pub struct PathParams<T>(pub T);

/// Parameters in the query of a request, after the question mark.
#[derive(FromRequestParts)]
#[from_request(via(axum::extract::Query), rejection(ApiProblem))]
pub struct QueryParams<T>(pub T);
