//! Cluster: accepts jobs that any worker of the cluster may run, and takes part in running them.
//!
//! The process that accepts a job writes the row of the job first and queues the job then.
//!
//! - `Cluster`: the connections of this process to its cluster, and its state as a member
//! - [`ClusterMember`]: starts and drains the roles of this process (web, worker, sweeper)
//! - `planning`: choice of a worker's engine
//! - `worker`: jobs that this process takes from the cluster's queue; `queue_hints`: choice and time of the next queue
//!   shard to poll
//! - `heartbeat`: the offer of a worker
//! - `sweeper`: recovery of lost jobs
//! - [`operator`]: actions of operators on the jobs of a cluster
//!
//! A program without the feature `cluster` has the module `no_cluster` in its place.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use kernels::event::JobEvent;
use tracing::warn;

use super::fair_queue::QueueEntry;
use super::job_handle::{JobHandle, JobState};
use super::queue_status::{queue_full, stopping};
use super::{JobService, MessagePorts, NewJob};
use crate::config::Config;
use crate::error::{ApiProblem, ProblemKind};
use crate::id::Id;
use crate::identity::ClientIdentity;
use crate::ops::host;
use crate::storage::ports::bus::nats::NatsBus;
use crate::storage::ports::bus::ring::Ring;
use crate::storage::ports::nats::{NatsAddress, NatsConnection};
use crate::storage::ports::offers::cached::cached;
use crate::storage::ports::offers::nats::ClusterOffers;
use crate::storage::ports::offers::{EngineCapacity, WorkerOffer};
use crate::storage::ports::queue::EngineBacklog;
use crate::storage::ports::queue::nats::{QueuedJob, ShardChoice, WorkQueue, shards};

mod heartbeat;
pub mod operator;
mod planning;
mod queue_hints;
mod sweeper;
#[cfg(test)]
#[cfg(unix)]
mod tests;
mod worker;

/// The job queue and the worker offers, which all processes of a cluster share.
#[derive(Clone, Debug)]
pub struct ClusterPorts {
    /// Queue from which the workers of the cluster take jobs.
    pub queue: WorkQueue,
    /// Offers of the workers: each lists the engines on which a worker runs jobs.
    pub offers: ClusterOffers,
}

impl MessagePorts {
    /// Connects to the NATS servers at `address`.
    ///
    /// # Errors
    /// Returns an error if NATS cannot be reached.
    pub async fn connect(address: &NatsAddress, config: &Config) -> anyhow::Result<Self> {
        let nats = NatsConnection::connect(address).await?;
        let queue = WorkQueue::open(nats.clone(), config.queue_seconds).await?;
        let offers = ClusterOffers::open(nats.clone(), config.roles.web || config.roles.sweeper).await?;
        Ok(Self { bus: Arc::new(NatsBus::open(nats).await?), cluster: Some(ClusterPorts { queue, offers }) })
    }
}

/// The access of this process to its cluster: the job queue, the offers (the tasks that each worker can run, with their
/// rates), and the state of this process as a member.
#[derive(Debug)]
pub(super) struct Cluster {
    pub(super) queue: WorkQueue,
    pub(super) offers: ClusterOffers,
    /// Id of this process, new at each start.
    pub(super) id: String,
    /// Name of the machine.
    pub(super) host: String,
    pub(super) config: Config,
    /// Whether this process takes no more jobs from the cluster's queue because the process is stopping.
    pub(super) drained: AtomicBool,
    /// Whether an operator has drained this worker, so that it takes no more jobs from the cluster's queue.
    pub(super) is_paused: AtomicBool,
    /// Whether the published offer of this process was removed. Held locked while the offer is published, so that no
    /// publication follows the removal.
    pub(super) is_withdrawn: tokio::sync::Mutex<bool>,
}

/// Number of letters of a process id: few enough to type, and enough to distinguish the processes of a cluster.
const PROCESS_ID_LETTERS: usize = 8;

impl Cluster {
    pub(super) fn new(ClusterPorts { queue, offers }: ClusterPorts, config: &Config) -> Arc<Self> {
        let random = Id::random().to_string();
        // Takes the last letters, because the first letter of an id holds only three random bits.
        let id = random[random.len() - PROCESS_ID_LETTERS..].to_owned();
        Arc::new(Self {
            queue,
            offers,
            id,
            host: host::name(),
            config: config.clone(),
            drained: AtomicBool::new(false),
            is_paused: AtomicBool::new(false),
            is_withdrawn: tokio::sync::Mutex::new(false),
        })
    }

    pub(super) fn id(&self) -> &str {
        &self.id
    }
}

/// A process as a member of its cluster: its job service, with its connections to the cluster.
#[derive(Clone, Debug)]
pub struct ClusterMember {
    pub(super) jobs: JobService,
    pub(super) cluster: Arc<Cluster>,
}

impl ClusterMember {
    /// Starts the background tasks for the roles of this process (web, worker, sweeper), which run until the server
    /// stops.
    pub(super) async fn start(self) {
        let roles = self.cluster.config.roles;
        if roles.web {
            self.keep_publishing_presence().await;
        }
        if roles.worker {
            self.start_worker().await;
        }
        if roles.sweeper {
            let runtime = self.jobs.shared.runtime.clone();
            runtime.spawn(async move { self.sweep().await });
        }
    }

    /// Stops taking jobs from the cluster's queue. Returns when the jobs that were taken have ended, or after
    /// `patience`.
    pub async fn drain(&self, patience: Duration) {
        self.cluster.drained.store(true, Relaxed);
        self.jobs.shared.free_slot.notify_waiters();
        let ended = async {
            while self.jobs.shared.held_messages.load(Relaxed) > 0 {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        if tokio::time::timeout(patience, ended).await.is_err() && !patience.is_zero() {
            warn!("job has not ended within the drain time; another worker gets it");
        }
    }
}

impl JobService {
    /// Returns the membership of this process in its cluster, or `None` if the process is on its own.
    pub fn cluster_member(&self) -> Option<ClusterMember> {
        self.shared.cluster.clone().map(|cluster| ClusterMember { jobs: self.clone(), cluster })
    }

    /// Returns the known workers of the cluster, or an empty list without a cluster.
    pub fn workers(&self) -> Vec<WorkerOffer> {
        self.shared.cluster.as_ref().map(|cluster| cluster.offers.workers()).unwrap_or_default()
    }

    /// Returns the number and expected time of the jobs in the cluster's queue for each engine, or an empty list
    /// without a cluster.
    ///
    /// # Errors
    /// Returns an error if NATS cannot be reached.
    pub async fn backlogs(&self) -> anyhow::Result<Vec<EngineBacklog>> {
        match &self.shared.cluster {
            None => Ok(Vec::new()),
            Some(cluster) => cluster.queue.backlogs().await,
        }
    }

    /// Checks that a job can be added to the cluster's queue now. Succeeds without a cluster.
    ///
    /// # Errors
    /// Returns `NotReady` if NATS cannot be reached, or if this process is stopping.
    pub fn reaches_workers(&self) -> Result<(), ApiProblem> {
        match &self.shared.cluster {
            Some(cluster) if cluster.drained.load(Relaxed) => Err(stopping()),
            Some(cluster) if !cluster.queue.is_connected() => Err(queue_unreachable()),
            _ => Ok(()),
        }
    }

    /// Accepts `job` for the workers of `cluster`: writes its files and its row, and adds it to the cluster's queue.
    /// Returns a handle that follows the events of the worker.
    pub(super) async fn submit_to_cluster(&self, cluster: &Cluster, job: NewJob) -> Result<Arc<JobHandle>, ApiProblem> {
        let NewJob { id, client, first, record, placed_plan: planned, .. } = job;
        let plan = planned.plan;
        let entry = QueueEntry::from_plan(&plan, client);
        let workers = cluster.offers.workers();
        let ShardChoice { ahead, shard } = cluster
            .queue
            .choose_shard(plan.engine, self.shards(cluster, client), entry.ms, EngineCapacity::of(&workers, plan.engine))
            .await
            .map_err(unreachable)?
            .map_err(queue_full)?;
        let cached = cached(&workers, plan.engine, &record.texts_with_bytes());
        let mut state = JobState { record, ring: Ring::default() };
        state.report(JobEvent::Queued { position: ahead, wait_ms: None });
        self.shared.write_first_row(id, &state, &first).await?;
        let task = QueuedJob { job: id, engine: plan.engine, shard, ms: entry.ms, attempt: state.ring.attempt() };
        if let Err(cause) = cluster.queue.push_cached(&task, cached).await {
            // The message may have been queued although sending failed. Then a worker finds that the row is gone.
            self.shared.store.drop_job(id).get().await?;
            return Err(unreachable(cause));
        }
        let live = Arc::new(JobHandle::new(id, state, self.shared.bus.clone()));
        self.follow(&live);
        Ok(live)
    }

    fn shards(&self, cluster: &Cluster, client: ClientIdentity) -> [u8; 2] {
        shards(self.shared.store.secret.hash(&[b"shard", &client.identity(&cluster.config)]).as_bytes())
    }
}

fn unreachable(cause: anyhow::Error) -> ApiProblem {
    warn!("a job could not be queued: {cause:#}");
    queue_unreachable()
}

pub(super) fn queue_unreachable() -> ApiProblem {
    ApiProblem::new(ProblemKind::NotReady, "The server cannot reach its queue. Try again in a minute.").retry_after(60)
}
