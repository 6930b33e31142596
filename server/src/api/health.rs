//! `/livez` and `/readyz`: for whoever runs the server.

use axum::Json;
use axum::extract::State as In;
use kernels::plan::EngineName;
use serde::Serialize;

use crate::State;
use crate::error::{Kind, Problem};

/// What works.
#[derive(Debug, Serialize)]
pub struct Ready {
    status: &'static str,
    version: &'static str,
    engines: Vec<EngineName>,
    waiting: usize,
    running: usize,
}

/// The process answers.
pub async fn livez() -> &'static str {
    "alive\n"
}

/// The store can be written, and there is an engine.
pub async fn readyz(In(state): In<State>) -> Result<Json<Ready>, Problem> {
    let engines: Vec<EngineName> = state.engines.offers().iter().map(|offer| offer.engine).collect();
    if engines.is_empty() {
        return Err(Problem::new(Kind::NotReady, "No engine works on this server."));
    }
    let store = state.store.clone();
    let writable = tokio::task::spawn_blocking(move || store.check()).await.map_err(Problem::internal)?;
    writable.map_err(|cause| {
        tracing::error!("not ready: {cause:#}");
        Problem::new(Kind::NotReady, "The server's data folder cannot be written.")
    })?;
    let (waiting, running) = state.jobs.counts();
    Ok(Json(Ready { status: "ready", version: env!("CARGO_PKG_VERSION"), engines, waiting, running }))
}
