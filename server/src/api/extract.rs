//! Path and query as axum reads them, but with problem documents for what cannot be read.

use axum::extract::FromRequestParts;

use crate::error::Problem;

/// Parameters in the path. What does not fit is an address that does not exist.
#[derive(FromRequestParts)]
#[from_request(via(axum::extract::Path), rejection(Problem))]
pub struct Path<T>(pub T);

/// Parameters after the question mark.
#[derive(FromRequestParts)]
#[from_request(via(axum::extract::Query), rejection(Problem))]
pub struct Query<T>(pub T);
