//! Path and query extractors that work like those of axum, but answer with problem documents.

use axum::extract::FromRequestParts;

use crate::error::ApiProblem;

/// Parameters in the path of a request. A value that cannot be parsed answers 404, as an address that does not exist.
#[derive(FromRequestParts)]
#[from_request(via(axum::extract::Path), rejection(ApiProblem))]
pub struct PathParams<T>(pub T);

/// Parameters in the query of a request, after the question mark.
#[derive(FromRequestParts)]
#[from_request(via(axum::extract::Query), rejection(ApiProblem))]
pub struct QueryParams<T>(pub T);
