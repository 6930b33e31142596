//! The listener of `/metrics`, which serves the recorded metrics to operators ([`serve`]).
//!
//! - `gauges`: gauges of the current state

use std::time::Duration;

use axum::Router;
use axum::extract::State as In;
use axum::http::header;
use axum::response::IntoResponse;
use axum::routing::get;
use metrics_exporter_prometheus::PrometheusHandle;
use tokio::net::TcpListener;
use tokio::sync::oneshot::Receiver;

use self::gauges::{update_cluster_gauges, update_gauges};
use crate::ServerState;
use crate::error::ApiProblem;
use crate::http::connections::{self, ConnectionLimits};

mod gauges;

/// Interval at which recorded values are added to the buckets of histograms. Until then, each recorded value takes
/// memory.
const UPKEEP_INTERVAL: Duration = Duration::from_secs(5);

/// Content type of Prometheus' text format.
const PROMETHEUS_CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Serves `/metrics` on `listener` until the sender of `closed` is dropped. `handle` formats the recorded values as
/// text.
pub async fn serve(listener: TcpListener, state: ServerState, handle: PrometheusHandle, closed: Receiver<()>) {
    let allowed = ConnectionLimits::from_config(&state.config);
    let summing = handle.clone();
    let sum_up = tokio::spawn(async move {
        let mut clock = tokio::time::interval(UPKEEP_INTERVAL);
        loop {
            clock.tick().await;
            summing.run_upkeep();
        }
    });
    let router = Router::new().route("/metrics", get(show)).fallback(async || ApiProblem::not_found("address")).with_state((state, handle));
    connections::accept(listener, router, allowed, closed).await;
    sum_up.abort();
}

async fn show(In((state, handle)): In<(ServerState, PrometheusHandle)>) -> Result<impl IntoResponse, ApiProblem> {
    update_cluster_gauges(&state).await;
    let text = tokio::task::spawn_blocking(move || {
        update_gauges(&state);
        handle.render()
    });
    let text = text.await.map_err(ApiProblem::internal)?;
    Ok(([(header::CONTENT_TYPE, PROMETHEUS_CONTENT_TYPE), (header::CACHE_CONTROL, "no-store")], text))
}
