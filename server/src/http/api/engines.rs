//! Engines: `GET /api/v1/engines`, the engines of this server or of the workers of its cluster.

use axum::Json;
use axum::extract::State as In;
use explain::wire::{ClusterHost, HostDevice, ServerEngines, ServerLimits};
use kernels::plan::PlannerOffer;

use crate::ServerState;
use crate::ops::host;
use crate::storage::ports::offers::{WorkerAvailability, WorkerOffer};

/// Handles `GET /api/v1/engines`: returns the engines with their measured rates, and the limits of this server.
pub async fn engines(In(state): In<ServerState>) -> Json<ServerEngines> {
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
    let workers = state.jobs.workers();
    let hosts = if workers.is_empty() { this_host(&state) } else { hosts(&workers) };
    Json(ServerEngines { offers: state.jobs.offers(), hosts, limits })
}

/// Returns a list with this machine if one of its engines has several devices. Otherwise returns an empty list, because
/// the offers already name each device.
fn this_host(state: &ServerState) -> Vec<ClusterHost> {
    let offers = state.engines.offers();
    let devices = offers.iter().flat_map(|PlannerOffer { engine, device, .. }| {
        let device = HostDevice { engine: *engine, device: device.clone(), places: state.jobs.slots_per_device(*engine) as u64 };
        vec![device; state.engines.device_count(*engine)]
    });
    let devices: Vec<HostDevice> = devices.collect();
    if devices.len() > offers.len() { vec![ClusterHost { name: host::name(), devices }] } else { Vec::new() }
}

/// Returns the hosts of a cluster with the devices of their workers. `workers` must be sorted by host.
fn hosts(workers: &[WorkerOffer]) -> Vec<ClusterHost> {
    let mut hosts: Vec<ClusterHost> = Vec::new();
    for worker in workers.iter().filter(|worker| worker.takes == WorkerAvailability::Jobs) {
        let devices = worker.engines.iter().flat_map(|engine| {
            let (offer, devices) = (&engine.offered.offer, engine.devices.max(1));
            let device = HostDevice { engine: offer.engine, device: offer.device.clone(), places: (engine.places / devices) as u64 };
            vec![device; devices]
        });
        // Workers of the same host are adjacent, because workers are sorted by host.
        match hosts.last_mut().filter(|host| host.name == worker.host) {
            Some(host) => host.devices.extend(devices),
            None => hosts.push(ClusterHost { name: worker.host.clone(), devices: devices.collect() }),
        }
    }
    hosts
}
