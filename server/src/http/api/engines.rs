//! Engines: `GET /api/v1/engines`, the engines of this server or of the workers of its cluster.

use axum::Json;
use axum::extract::State as In;
use explain::wire::{ClusterHost, HostDevice, ServerEngines, ServerLimits};
use kernels::collection::{Collection, Corpus, PatternCollection};
use kernels::job::Task;
use kernels::plan::{EngineName, PlannerOffer};
use serde::Serialize;
use utoipa::ToSchema;

use crate::ServerState;
use crate::ops::host;
use crate::storage::ports::offers::{WorkerAvailability, WorkerOffer};

/// The engines of this server, and its comparisons of collections.
#[derive(Debug, Serialize, ToSchema)]
pub struct EnginesAnswer {
    #[serde(flatten)]
    engines: ServerEngines,
    /// Limits and rates of comparisons of collections.
    collections: CollectionOffer,
}

/// The limits of comparisons of collections, and their measured rates.
#[derive(Debug, Serialize, ToSchema)]
pub struct CollectionOffer {
    /// Maximum number of scores in an answer with the scores of all pairs.
    max_scores: u64,
    /// Maximum number of kept pairs or hits in an answer.
    max_pairs: u64,
    /// Maximum number of texts of a side.
    max_texts: u64,
    /// Maximum number of symbols of a text.
    max_symbols: u64,
    /// Maximum number of patterns of a search.
    max_patterns: u64,
    /// Rates of the last comparisons of this process.
    rates: Vec<CollectionRate>,
}

/// The rate of the last large comparison of a task on an engine.
#[derive(Debug, Serialize, ToSchema)]
pub struct CollectionRate {
    /// Kind of the engine.
    engine: EngineName,
    /// Task that compares two texts.
    task: Task,
    /// Cells of the matrices of all pairs in a second.
    cells_per_second: f64,
}

/// Handles `GET /api/v1/engines`: returns the engines with their measured rates, and the limits of this server.
pub async fn engines(In(state): In<ServerState>) -> Json<EnginesAnswer> {
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
    let rate = |((engine, task), cells_per_second)| CollectionRate { engine, task, cells_per_second };
    let collections = CollectionOffer {
        max_scores: config.max_scores,
        max_pairs: config.max_pairs,
        max_texts: Collection::MAX_MEMBERS as u64,
        max_symbols: Corpus::MAX_MEMBER as u64,
        max_patterns: PatternCollection::MAX_PATTERNS as u64,
        rates: state.jobs.collection_rates().into_iter().map(rate).collect(),
    };
    Json(EnginesAnswer { engines: ServerEngines { offers: state.jobs.offers(), hosts, limits }, collections })
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
