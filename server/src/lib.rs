//! The server of Editscope: an HTTP API for jobs and shared results, and the rendered page.
//!
//! ```text
//! request → api → jobs (queue, permits, runs on engines) → events → listeners
//!             ↘ results (parsed texts, alignments) ↘
//!               store (rows, files named by content)
//! ```
//!
//! - [`command`]: the command line; [`config`]: the settings; [`serve`](mod@serve): start and shutdown
//! - [`http`]: routes, pages, middleware and connections
//! - [`jobs`]: from an accepted request to the last event; [`engines`]: the engines of this machine, with measured rates
//! - [`results`], [`cache`]: windows into results
//! - [`store`]: uploads, jobs and links with their lifetimes
//! - [`storage`]: rows and files, and the ports to databases, buckets and message brokers
//! - [`clients`]: limits of clients; [`identity`]: clients; [`id`]: ids; [`error`](mod@error): problem documents
//! - [`ops`]: metrics, logs, disk and machine, for operators
#![forbid(unsafe_code)]

use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::{from_fn, from_fn_with_state};
use tower_http::CompressionLevel;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{DefaultPredicate, Predicate as _, SizeAbove};
use tower_http::csrf::CsrfLayer;

use crate::clients::budgets::ClientBudgets;
use crate::clients::requests::RequestMemory;
use crate::config::Config;
use crate::engines::EnginePool;
use crate::http::api::health::ReadinessCache;
use crate::http::api::unpack::ZstdWindowMemory;
use crate::http::page_assets::PageAssets;
use crate::jobs::{JobService, MessagePorts};
use crate::results::ResultReader;
use crate::storage::ports::bus::EventBus;
use crate::storage::ports::bus::local::LocalBus;
use crate::store::Store;

pub mod cache;
pub mod clients;
pub mod command;
pub mod config;
pub mod engines;
pub mod error;
pub mod http;
pub mod id;
pub mod identity;
pub mod jobs;
pub mod ops;
pub mod results;
pub mod serve;
pub mod storage;
pub mod store;
#[cfg(test)]
mod tests;

/// Interval between checks whether an engine has lost its GPU.
const DEVICE_CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// The shared state of all request handlers. A clone is cheap, because it only increments the reference count of
/// [`ServerParts`]. Each layer of middleware makes a clone for each request.
#[derive(Clone, Debug)]
pub struct ServerState(Arc<ServerParts>);

/// The fields of [`ServerState`], made once when the server starts.
#[derive(Debug)]
pub struct ServerParts {
    /// Settings of the server.
    pub config: Arc<Config>,
    /// Store of the database rows (jobs, uploads, links) and the files (texts, results).
    pub store: Store,
    /// Compute engines of this machine: the processor and GPUs.
    pub engines: EnginePool,
    /// Reader of results, with caches of parsed texts and alignments.
    pub results: ResultReader,
    /// Service that accepts, runs and cancels jobs.
    pub jobs: JobService,
    /// Result of the last health check.
    pub readiness: Arc<ReadinessCache>,
    /// Hourly and daily budgets of all clients.
    pub budgets: Arc<ClientBudgets>,
    /// Memory of earlier requests, which finds the job of a repeated request.
    pub requests: RequestMemory,
    /// Memory budget for the large decompression windows of compressed uploads.
    pub windows: ZstdWindowMemory,
}

impl Deref for ServerState {
    type Target = ServerParts;

    fn deref(&self) -> &ServerParts {
        &self.0
    }
}

impl ServerState {
    /// Opens the engines and the store with the settings in `config`. Waits until the first engine is measured. The
    /// other engines are opened in the background.
    ///
    /// # Errors
    /// Returns an error if the data folder or a service of the settings cannot be used.
    pub async fn open(config: Config) -> anyhow::Result<Self> {
        let measured = config.clone();
        let engines = tokio::task::spawn_blocking(move || EnginePool::open(&measured)).await?;
        Self::with_engines(config, engines).await
    }

    /// Opens the store with the settings in `config`, and creates the state with the given `engines`. Without a
    /// cluster (no NATS configured), jobs that the last process left unfinished are marked as interrupted.
    ///
    /// # Errors
    /// Returns an error if the data folder or a service of the settings cannot be used.
    pub async fn with_engines(config: Config, engines: EnginePool) -> anyhow::Result<Self> {
        let store = Store::open(&config).await?;
        Self::with_store(config, engines, store).await
    }

    /// Creates the state like [`with_engines`](Self::with_engines), but with the given `store` instead of opening one.
    ///
    /// # Errors
    /// Returns an error if the store fails, or if NATS is configured and cannot be reached.
    pub async fn with_store(config: Config, engines: EnginePool, store: Store) -> anyhow::Result<Self> {
        let messages = match &config.nats {
            None => MessagePorts { bus: Arc::new(LocalBus::default()), cluster: None },
            Some(address) => MessagePorts::connect(address, &config).await?,
        };
        Self::with_messages(config, engines, store, messages).await
    }

    /// Creates the state like [`with_store`](Self::with_store), but with the given event `bus`, and without a cluster.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub async fn with_ports(config: Config, engines: EnginePool, store: Store, bus: Arc<dyn EventBus>) -> anyhow::Result<Self> {
        Self::with_messages(config, engines, store, MessagePorts { bus, cluster: None }).await
    }

    async fn with_messages(config: Config, engines: EnginePool, store: Store, messages: MessagePorts) -> anyhow::Result<Self> {
        let results = ResultReader::new(store.clone(), &config);
        let jobs = JobService::new(&config, engines.clone(), store.clone(), results.clone(), messages);
        jobs.start().await?;
        let budgets = Arc::new(ClientBudgets::new(&config));
        let config = Arc::new(config);
        let requests = RequestMemory::new(store.clone(), config.clone());
        let readiness = Arc::default();
        let windows = ZstdWindowMemory::new(config.read_bytes / 4);
        Ok(Self(Arc::new(ServerParts { config, store, engines, results, jobs, readiness, budgets, requests, windows })))
    }
}

impl ServerState {
    /// Waits until an engine has lost its device, such as a GPU after a driver error, and no job waits or runs. The
    /// caller then restarts the process, because a new process may be able to use the device again.
    pub async fn wait_for_lost_device(&self) {
        let mut clock = tokio::time::interval(DEVICE_CHECK_INTERVAL);
        loop {
            clock.tick().await;
            if self.jobs.counts() == (0, 0) && self.engines.is_one_gone() {
                return;
            }
        }
    }
}

/// Gzip level of compressed API answers, which may be a gigabyte. At this level, gzip compresses about 70 MB/s. The
/// default level takes nearly twice as long. Brotli, which is used only for the page's files, takes six times as long.
const GZIP_LEVEL: CompressionLevel = CompressionLevel::Precise(2);

/// Minimum size, in bytes, of an answer that is compressed. A shorter answer fits into three packets, and compressing
/// it would take a fifth of the time of a small job.
const MIN_COMPRESSED_BYTES: u64 = 4096;

/// Creates the router of the server: the API, and the page if `site` is given. The router of a process without the web
/// role serves only health checks. The layers of the API are added as one tuple, because each layer added alone would
/// be boxed for each request.
pub fn router(state: ServerState, site: Option<&PageAssets>) -> Router {
    if !state.config.roles.web {
        return guarded(http::api::health_routes().with_state(state.clone()), state);
    }
    let body_limit = DefaultBodyLimit::max(usize::try_from(state.config.max_body_bytes).unwrap_or(usize::MAX));
    let compression = CompressionLayer::new().no_br().quality(GZIP_LEVEL);
    let layers = (
        from_fn(http::middleware::add_data_headers),
        CsrfLayer::new().with_rejection_response(http::middleware::cross_site_problem),
        from_fn(http::middleware::reject_compressed_body),
        from_fn_with_state(state.clone(), http::middleware::limit_body_time),
        body_limit,
        compression.compress_when(DefaultPredicate::new().and(SizeAbove::new(MIN_COMPRESSED_BYTES))),
    );
    let api = http::api::routes().layer(layers).with_state(state.clone());
    let all = match site {
        Some(site) => api.merge(http::pages::routes(state.clone(), site)),
        None => api,
    };
    guarded(all, state)
}

/// Adds the middleware of every route to `routes`: logging, security headers, handling of panics, and identification of
/// clients.
fn guarded(routes: Router, state: ServerState) -> Router {
    routes.layer((
        from_fn(ops::request::observe),
        from_fn(http::middleware::add_security_headers),
        CatchPanicLayer::custom(http::middleware::panic_problem),
        from_fn_with_state(state, clients::identify),
    ))
}
