//! Heartbeat of a worker: publishes the worker's offer (its engines and their rates), and learns from operators whether
//! the worker should take jobs.
//!
//! The methods `start_worker`, `keep_publishing_presence` and `withdraw` of `ClusterMember` start and end it. The offer
//! is published when it changes, and often enough that other processes see that the worker is alive. A stopping worker
//! removes its offer.

use std::collections::HashSet;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use futures::{StreamExt as _, stream};
use kernels::plan::EngineName;
use tracing::{debug, info, warn};

use super::worker::work;
use super::{Cluster, ClusterMember};
use crate::jobs::JobServiceState;
use crate::jobs::job_table::DeviceCapacity;
use crate::storage::ports::files::disk_cache::DiskCache;
use crate::storage::ports::offers::nats::DrainTarget;
use crate::storage::ports::offers::{EngineOffer, OFFER_INTERVAL, WorkerAvailability, WorkerOffer, cached, presence};
use crate::storage::ports::queue::QueueClass;

/// Interval between checks whether the worker's offer has changed, for example because an engine was opened or a job
/// has ended.
const OFFER_CHECK_INTERVAL: Duration = Duration::from_secs(1);

impl ClusterMember {
    /// Starts the background task that publishes the offer of this machine's engines and takes jobs for them from the
    /// cluster's queue, until the server stops. The offer is published once before the function returns.
    pub(super) async fn start_worker(&self) {
        let mut worker = HeartbeatState { started: HashSet::new(), last_offer: None, is_heard: true };
        // Checked before other processes learn of this worker.
        self.update_drained().await;
        worker.publish_offer(self).await;
        self.jobs.shared.runtime.spawn(keep_offering(self.clone(), worker));
    }

    /// Starts to publish that this process is alive and solves brief jobs itself, until the server stops. The first
    /// publication is made before the function returns.
    pub(super) async fn keep_publishing_presence(&self) {
        publish_presence(&self.cluster).await;
        let cluster = self.cluster.clone();
        self.jobs.shared.runtime.spawn(async move {
            loop {
                tokio::time::sleep(presence::PRESENCE_INTERVAL).await;
                publish_presence(&cluster).await;
            }
        });
    }

    /// Reads from NATS whether an operator has drained this worker, which means that it takes no more jobs. Keeps the
    /// last known state if NATS does not answer.
    async fn update_drained(&self) {
        let own = [DrainTarget::Worker(self.cluster.id.clone()), DrainTarget::Host(self.cluster.host.clone())];
        let Ok(is_drained) = self.cluster.offers.is_drained(&own).await else { return };
        if self.cluster.is_paused.swap(is_drained, Relaxed) != is_drained {
            info!("{}", if is_drained { "this worker is drained and takes no more jobs" } else { "this worker takes jobs again" });
            self.jobs.shared.free_slot.notify_waiters();
        }
    }

    /// Removes the published offer of this process, so that other processes plan no jobs for it. Does nothing if the
    /// process is not a worker.
    pub(in crate::jobs) async fn withdraw(&self) {
        if !self.cluster.config.roles.worker {
            return;
        }
        // Waits until a publication in progress is complete.
        *self.cluster.is_withdrawn.lock().await = true;
        if let Err(cause) = self.cluster.offers.withdraw(&self.cluster.id).await {
            warn!("offer of this stopping worker cannot be withdrawn, and will expire: {cause:#}");
        }
    }
}

/// Publishes that this process is alive. If the publication fails, other processes may run its jobs too, but only one
/// end of each job is stored.
async fn publish_presence(cluster: &Cluster) {
    if let Err(cause) = cluster.offers.publish_presence(&cluster.id).await {
        debug!("heartbeat of this process cannot be published: {cause:#}");
    }
}

/// The state of a worker's heartbeat, which is the background task that publishes the worker's offer.
struct HeartbeatState {
    /// Engines for which this process has started to take jobs from the cluster's queue.
    started: HashSet<EngineName>,
    /// Offer that was published last, and the time of that publication.
    last_offer: Option<(WorkerOffer, Instant)>,
    /// Whether the last publication of the offer succeeded.
    is_heard: bool,
}

async fn keep_offering(member: ClusterMember, mut worker: HeartbeatState) {
    let cluster = &member.cluster;
    let mut hints = match cluster.offers.drain_hints().await {
        Ok(hints) => hints.boxed(),
        Err(_) => stream::pending().boxed(),
    };
    let mut looked = Instant::now();
    loop {
        let is_hint = tokio::select! {
            hint = hints.next() => hint.is_some(),
            () = tokio::time::sleep(OFFER_CHECK_INTERVAL) => false,
        };
        if is_hint || looked.elapsed() >= OFFER_INTERVAL {
            member.update_drained().await;
            looked = Instant::now();
        }
        if *cluster.is_withdrawn.lock().await {
            return;
        }
        worker.publish_offer(&member).await;
    }
}

impl HeartbeatState {
    /// Starts to take jobs for newly opened engines. Publishes the offer if it has changed since the last publication
    /// or if the publication interval has passed.
    async fn publish_offer(&mut self, member: &ClusterMember) {
        let (shared, cluster) = (&member.jobs.shared, &member.cluster);
        let offer = shared.worker_offer(cluster);
        for engine in &offer.engines {
            let name = engine.offered.offer.engine;
            if self.started.insert(name) {
                shared.runtime.spawn(work(member.clone(), name));
            }
        }
        if self.last_offer.as_ref().is_some_and(|(said, at)| *said == offer && at.elapsed() < OFFER_INTERVAL) {
            return;
        }
        let is_withdrawn = cluster.is_withdrawn.lock().await;
        if *is_withdrawn {
            return;
        }
        match cluster.offers.put(&offer).await {
            Ok(()) => {
                self.is_heard = true;
                self.last_offer = Some((offer, Instant::now()));
            }
            Err(cause) if self.is_heard => {
                self.is_heard = false;
                warn!("offer of this worker cannot be published: {cause:#}");
            }
            Err(_) => {}
        }
    }
}

impl JobServiceState {
    /// Creates the offer of this process from its current engines and jobs.
    fn worker_offer(&self, cluster: &Cluster) -> WorkerOffer {
        let (closed, mut jobs) = {
            let open_jobs = self.open_jobs();
            let taken = open_jobs.live.values().filter(|live| live.is_claimed()).map(|live| live.id);
            (open_jobs.closed, taken.collect::<Vec<_>>())
        };
        jobs.sort_by_key(ToString::to_string);
        let takes = match (closed || cluster.drained.load(Relaxed), cluster.is_paused.load(Relaxed)) {
            (true, _) => WorkerAvailability::Stopping,
            (false, true) => WorkerAvailability::Drained,
            (false, false) => WorkerAvailability::Jobs,
        };
        let (places, devices) = (DeviceCapacity::from_config(&cluster.config), |engine| self.engines.device_count(engine).max(1));
        let places = |engine| places.total_slots(QueueClass { engine, brief: false }, &self.engines);
        let engines = self.engines.measured_offers().into_iter().map(|offered| {
            let engine = offered.offer.engine;
            EngineOffer { places: places(engine), devices: devices(engine), offered }
        });
        let copies = self.store.disk_cache.as_ref();
        let cached = copies.map(|files| files.recently_read(cached::MIN_CACHED_TEXT_BYTES, cached::MAX_CACHED_TEXTS)).unwrap_or_default();
        let bytes_per_second = copies.and_then(DiskCache::bytes_per_second);
        let (id, host) = (cluster.id.clone(), cluster.host.clone());
        WorkerOffer { id, host, takes, engines: engines.collect(), jobs, cached, bytes_per_second }
    }
}
