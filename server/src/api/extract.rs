//! Path and query extractors that work like those of axum, but answer with problem documents.

use axum::extract::FromRequestParts;

use crate::error::Problem;

/// Parameters in the path. An invalid value counts as an address that does not exist.
#[derive(FromRequestParts)]
#[from_request(via(axum::extract::Path), rejection(Problem))]
pub struct Path<T>(pub T);

/// Parameters after the question mark.
#[derive(FromRequestParts)]
#[from_request(via(axum::extract::Query), rejection(Problem))]
pub struct Query<T>(pub T);
