//! The server of Editscope: an HTTP API for jobs and shared results, and the page, rendered.
//!
//! ```text
//! request → api → jobs (queue, permits, runs on engines) → events → listeners
//!             ↘ results (parsed texts, alignments) ↘
//!               store (rows, files named by content)
//! ```
//!
//! - [`command`]: the command line
//! - [`config`]: what whoever runs it may decide
//! - [`api`]: the routes; [`wire`]: their description, the OpenAPI document
//! - [`jobs`]: from a request that was accepted to its last event; [`priority`]: which threads give way
//! - [`engines`]: what this machine computes with, measured
//! - [`results`], [`record`], [`cache`]: windows into what was computed
//! - [`store`], [`ports`]: what outlives the process, and what it asks of the machine
//! - [`card`]: a result as a picture of pixels
//! - [`site`], [`pages`]: the page's files, and what the server knows about a page before it renders it
//! - [`clients`]: who asks, and how much
//! - [`connections`], [`serve`](mod@serve): who may connect, and how the server stops
//! - [`request`], [`metrics`], [`log`], [`disk`], [`host`](mod@host): what whoever runs the server can see
//! - [`tls`]: encrypted connections to other services
//! - [`guard`], [`error`], [`id`]: what holds for every request
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
use tracing::info;

use crate::api::health::Readiness;
use crate::api::unpack::WindowMemory;
use crate::clients::budgets::Budgets;
use crate::clients::requests::Requests;
use crate::config::Config;
use crate::engines::Engines;
use crate::jobs::{Jobs, Messages, SitePorts};
use crate::ports::bus::Bus;
use crate::ports::bus::local::LocalBus;
use crate::ports::bus::nats::NatsBus;
use crate::ports::nats::Nats;
use crate::ports::offers::nats::SiteOffers;
use crate::ports::queue::nats::WorkQueue;
use crate::results::Results;
use crate::site::Site;
use crate::store::Store;

pub mod api;
pub mod cache;
pub mod card;
pub mod class_codes;
pub mod clients;
pub mod command;
pub mod config;
pub mod connections;
pub mod disk;
pub mod engines;
pub mod error;
pub mod guard;
pub mod host;
pub mod id;
pub mod jobs;
pub mod log;
pub mod metrics;
pub mod pages;
pub mod ports;
mod priority;
pub mod record;
pub mod request;
pub mod results;
pub mod serve;
pub mod site;
pub mod store;
pub mod tls;
pub mod wire;

/// How often it is asked whether a device is gone.
const LOOK: Duration = Duration::from_secs(1);

/// Everything that the handlers share. A clone is one count: each layer of each request has one.
#[derive(Clone, Debug)]
pub struct State(Arc<Parts>);

/// What is shared.
#[derive(Debug)]
pub struct Parts {
    /// What whoever runs the server has decided.
    pub config: Arc<Config>,
    /// Rows and files.
    pub store: Store,
    /// The engines of this machine.
    pub engines: Engines,
    /// Parsed texts and alignments.
    pub results: Results,
    /// All jobs.
    pub jobs: Jobs,
    /// What the last check of `/readyz` found.
    pub readiness: Arc<Readiness>,
    /// What each client has used.
    pub budgets: Arc<Budgets>,
    /// Requests that came before.
    pub requests: Requests,
    /// Memory for packed uploads with large windows.
    pub windows: WindowMemory,
}

impl Deref for State {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0
    }
}

impl State {
    /// Measures the engines of this machine, and opens the rest with them.
    ///
    /// # Errors
    /// When the data folder cannot be used.
    pub async fn open(config: Config) -> anyhow::Result<Self> {
        let measured = config.clone();
        let engines = tokio::task::spawn_blocking(move || Engines::open(&measured)).await?;
        Self::with_engines(config, engines).await
    }

    /// Opens the store, and reports the jobs that the last process did not end as interrupted.
    ///
    /// # Errors
    /// When the data folder cannot be used.
    pub async fn with_engines(config: Config, engines: Engines) -> anyhow::Result<Self> {
        let store = Store::open(&config).await?;
        Self::with_store(config, engines, store).await
    }

    /// As [`with_engines`](Self::with_engines), with a store that is open already.
    ///
    /// # Errors
    /// When the store fails, or NATS cannot be reached where the configuration names it.
    pub async fn with_store(config: Config, engines: Engines, store: Store) -> anyhow::Result<Self> {
        let messages = match &config.nats {
            None => Messages { bus: Arc::new(LocalBus::default()), site: None },
            Some(address) => {
                let nats = Nats::connect(address).await?;
                let queue = WorkQueue::open(nats.clone(), config.queue_seconds).await?;
                let offers = SiteOffers::open(nats.clone(), config.roles.web || config.roles.sweeper).await?;
                Messages { bus: Arc::new(NatsBus::open(nats).await?), site: Some(SitePorts { queue, offers }) }
            }
        };
        Self::with_messages(config, engines, store, messages).await
    }

    /// As [`with_store`](Self::with_store), with a bus.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn with_ports(config: Config, engines: Engines, store: Store, bus: Arc<dyn Bus>) -> anyhow::Result<Self> {
        Self::with_messages(config, engines, store, Messages { bus, site: None }).await
    }

    async fn with_messages(config: Config, engines: Engines, store: Store, messages: Messages) -> anyhow::Result<Self> {
        let results = Results::new(store.clone(), &config);
        let jobs = Jobs::new(&config, engines.clone(), store.clone(), results.clone(), messages);
        let interrupted = jobs.recover().await?;
        if interrupted > 0 {
            info!("{interrupted} jobs had not ended when the server did: they are reported as interrupted");
        }
        if config.roles.web {
            jobs.stay_present().await;
        }
        if config.roles.worker {
            jobs.start_workers().await;
        }
        let budgets = Arc::new(Budgets::new(&config));
        let config = Arc::new(config);
        let requests = Requests::new(store.clone(), config.clone());
        let readiness = Arc::default();
        let windows = WindowMemory::new(config.read_bytes / 4);
        Ok(Self(Arc::new(Parts { config, store, engines, results, jobs, readiness, budgets, requests, windows })))
    }
}

impl State {
    /// Resolves when the device of an engine is gone and no job waits or runs: a new process may have it back.
    pub async fn outlives_its_device(&self) {
        let mut clock = tokio::time::interval(LOOK);
        loop {
            clock.tick().await;
            if self.jobs.counts() == (0, 0) && self.engines.is_one_gone() {
                return;
            }
        }
    }
}

/// How well gzip compresses answers of the API, which may be files of a gigabyte, such as the scores of a text of 64 MB: about 70 MB/s.
/// Its usual level takes nearly twice as long, and brotli, which is left to the page's own files, six times.
const COMPRESSION: CompressionLevel = CompressionLevel::Precise(2);

/// Shorter answers are sent as they are: they go in three packets at most, and to compress one takes a fifth of what a small job takes in all.
const COMPRESSED: u64 = 4096;

/// Every route: the API, and the page where there is one. Layers are given to a router all together: one by one, each of them would be boxed for
/// each request. Of a process that is no web node only those that say how it is.
pub fn router(state: State, site: Option<&Site>) -> Router {
    if !state.config.roles.web {
        return guarded(api::health_routes().with_state(state.clone()), state);
    }
    let body_limit = DefaultBodyLimit::max(usize::try_from(state.config.max_body_bytes).unwrap_or(usize::MAX));
    let compression = CompressionLayer::new().no_br().quality(COMPRESSION);
    let layers = (
        from_fn(guard::data_only),
        CsrfLayer::new().with_rejection_response(guard::other_site),
        from_fn(guard::plain_body),
        from_fn_with_state(state.clone(), guard::body_in_time),
        body_limit,
        compression.compress_when(DefaultPredicate::new().and(SizeAbove::new(COMPRESSED))),
    );
    let api = api::routes().layer(layers).with_state(state.clone());
    let all = match site {
        Some(site) => api.merge(pages::routes(state.clone(), site)),
        None => api,
    };
    guarded(all, state)
}

/// What holds for every request.
fn guarded(routes: Router, state: State) -> Router {
    routes.layer((
        from_fn(request::observe),
        from_fn(guard::protected),
        CatchPanicLayer::custom(guard::panicked),
        from_fn_with_state(state, clients::identify),
    ))
}
