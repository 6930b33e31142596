//! `GET /api/v1/engines`: what jobs are computed with, here or on the workers of a site.

use axum::Json;
use axum::extract::State as In;
use explain::wire::{Device, Engines, Host, ServerLimits};

use crate::State;
use crate::ports::offers::{Takes, WorkerOffer};

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
    Json(Engines { offers: state.jobs.offers(), hosts: hosts(&state.jobs.workers()), limits })
}

/// The hosts of a site, each with what its workers compute with.
fn hosts(workers: &[WorkerOffer]) -> Vec<Host> {
    let mut hosts: Vec<Host> = Vec::new();
    for worker in workers.iter().filter(|worker| worker.takes == Takes::Jobs) {
        let devices = worker.engines.iter().map(|engine| {
            let offer = &engine.offered.offer;
            Device { engine: offer.engine, device: offer.device.clone(), places: engine.places as u64 }
        });
        // Workers are in the order of their hosts.
        match hosts.last_mut().filter(|host| host.name == worker.host) {
            Some(host) => host.devices.extend(devices),
            None => hosts.push(Host { name: worker.host.clone(), devices: devices.collect() }),
        }
    }
    hosts
}
