//! `GET /api/v1/engines`.

use axum::Json;
use axum::extract::State as In;
use explain::wire::{Engines, ServerLimits};

use crate::State;

/// Engines with their measured rates, and the limits.
pub async fn engines(In(state): In<State>) -> Json<Engines> {
    let config = &state.config;
    let limits = ServerLimits {
        upload_bytes: config.max_upload_bytes,
        body_bytes: config.max_body_bytes,
        sealed_bytes: config.max_sealed_bytes.min(config.max_body_bytes),
        queue_seconds: config.queue_seconds,
        client_cells: config.client_cells,
        client_bytes: config.client_bytes,
        client_stored_bytes: config.client_stored_bytes,
        client_streams: config.client_streams,
        job_seconds: config.job_seconds,
        job_keep_seconds: config.job_keep_seconds,
        upload_keep_seconds: config.upload_keep_seconds,
    };
    Json(Engines { offers: state.engines.offers(), limits })
}
