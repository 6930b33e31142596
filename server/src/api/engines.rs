//! `GET /api/v1/engines`.

use axum::Json;
use axum::extract::State as In;
use kernels::plan::Offer;
use serde::Serialize;

use crate::State;

/// What this server can do.
#[derive(Debug, Serialize)]
pub struct Offers {
    offers: Vec<Offer>,
    limits: Limits,
}

/// What this server takes.
#[derive(Debug, Serialize)]
struct Limits {
    upload_bytes: u64,
    body_bytes: u64,
    sealed_bytes: u64,
    queue: usize,
    job_seconds: u64,
    job_keep_seconds: u64,
    upload_keep_seconds: u64,
}

/// Engines with their measured rates, and the limits.
pub async fn engines(In(state): In<State>) -> Json<Offers> {
    let config = &state.config;
    let limits = Limits {
        upload_bytes: config.max_upload_bytes,
        body_bytes: config.max_body_bytes,
        sealed_bytes: config.max_sealed_bytes.min(config.max_body_bytes),
        queue: config.queue,
        job_seconds: config.job_seconds,
        job_keep_seconds: config.job_keep_seconds,
        upload_keep_seconds: config.upload_keep_seconds,
    };
    Json(Offers { offers: state.engines.offers(), limits })
}
