//! Extract: path and query extractors ([`PathParams`], [`QueryParams`]) that work like those of axum, but answer
//! invalid requests with problem documents.

use axum::extract::FromRequestParts;

use crate::error::ApiProblem;

/// The parameters in the path of a request. A value that cannot be parsed is answered like an address that does not
/// exist, with status 404.
#[derive(FromRequestParts)]
#[from_request(via(axum::extract::Path), rejection(ApiProblem))]
pub struct PathParams<T>(pub T);

/// The parameters in the query of a request, which is the part of the address after the question mark.
#[derive(FromRequestParts)]
#[from_request(via(axum::extract::Query), rejection(ApiProblem))]
pub struct QueryParams<T>(pub T);
