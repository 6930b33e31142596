//! Cluster jobs: accepts jobs that any worker of the cluster may run, and follows them for local clients.
//!
//! The process that accepts a job writes the row of the job first and queues the job then. The reports of the worker
//! arrive by the event bus, and the end of the job also by its row. So a lost event delays a client by at most a
//! second.
//!
//! - `Cluster`: the connections of this process to its cluster, and its state as a member
//! - [`ClusterMember`]: starts and drains the roles of this process (web, worker, sweeper)
//! - `submit_to_cluster`, `follow`, `cancel_in_cluster`: methods of [`JobService`] for jobs of other processes

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use futures::{FutureExt as _, StreamExt as _};
use kernels::event::JobEvent;
use tracing::warn;

use super::fair_queue::QueueEntry;
use super::job_handle::{JobHandle, JobState};
use super::queue_status::{queue_full, stopping};
use super::row::JobRowBody;
use super::{ClusterPorts, JobService, JobServiceState, NewJob};
use crate::config::Config;
use crate::error::{ApiProblem, ProblemKind};
use crate::id::Id;
use crate::identity::ClientIdentity;
use crate::ops::host;
use crate::storage::ports::bus::StopReason;
use crate::storage::ports::bus::ring::{EventBatch, Ring};
use crate::storage::ports::offers::cached::cached;
use crate::storage::ports::offers::nats::ClusterOffers;
use crate::storage::ports::offers::{EngineCapacity, WorkerOffer};
use crate::storage::ports::queue::nats::{EngineBacklog, QueuedJob, ShardChoice, WorkQueue, shards};
use crate::storage::ports::rows::PutOutcome;
use crate::store::RowLookup;

/// Interval at which the row of a job of another process is read while a local client follows the job.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// Attempt number under which the end of a job is reported if its row is gone. It is greater than all real attempt
/// numbers, and JavaScript can represent the event numbers of this attempt exactly.
const GONE_ROW_ATTEMPT: u32 = 1 << 20;

/// Maximum time for which a query for a job's state waits for events that the bus has not delivered yet.
const CATCH_UP_TIMEOUT: Duration = Duration::from_millis(250);

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
    pub(super) fn new(ClusterPorts { queue, offers }: ClusterPorts, config: &Config) -> Self {
        let random = Id::random().to_string();
        // Takes the last letters, because the first letter of an id holds only three random bits.
        let id = random[random.len() - PROCESS_ID_LETTERS..].to_owned();
        Self {
            queue,
            offers,
            id,
            host: host::name(),
            config: config.clone(),
            drained: AtomicBool::new(false),
            is_paused: AtomicBool::new(false),
            is_withdrawn: tokio::sync::Mutex::new(false),
        }
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

    /// Starts to follow the job `live` of another process for local clients: its events arrive by the bus, and its end
    /// also by its row.
    pub(super) fn follow(&self, live: &JobHandle) {
        if !live.is_over() && self.shared.bus.follow(live.id, live.state().ring) {
            self.shared.runtime.spawn(watch(self.shared.clone(), live.id));
        }
    }

    /// Returns a local handle of the job `id`, which another process runs. The handle has the events in `state`, which
    /// was read from the job's row, and the events that the job has reported since then.
    pub(super) async fn follow_from_row(&self, id: Id, mut state: JobState) -> Arc<JobHandle> {
        let live = JobHandle::new(id, state.clone(), self.shared.bus.clone());
        self.follow(&live);
        let Some(mut told) = self.shared.bus.listen(id, state.ring.last()) else { return Arc::new(live) };
        if let Ok(Some(EventBatch::Events(events))) = tokio::time::timeout(CATCH_UP_TIMEOUT, told.next()).await {
            for (number, event) in events {
                if state.ring.insert(number, event.clone()) {
                    state.record.snapshot.apply(number, &event);
                }
            }
        }
        Arc::new(JobHandle::new(id, state, self.shared.bus.clone()))
    }

    /// Returns the final state of the job `live`, which has ended. Reads it from the job's row if another process has
    /// run the job.
    ///
    /// # Errors
    /// Returns the errors of [`find`](Self::find).
    pub async fn read_back(&self, live: Arc<JobHandle>) -> Result<Arc<JobHandle>, ApiProblem> {
        if live.is_over() || live.deferred_row().is_some() { Ok(live) } else { self.find(live.id).await }
    }

    /// Cancels the job `live`, which another process runs or no worker has taken yet. Writes its row as cancelled, and
    /// tells the process that runs it to stop. Returns whether the job has ended.
    pub(super) async fn cancel_in_cluster(&self, live: &JobHandle) -> bool {
        let mut state = live.state();
        state.ring.begin_next_attempt();
        state.report(JobEvent::Cancelled);
        let until = self.shared.store.clock.seconds() + self.shared.keep_seconds;
        let Ok(row) = self.shared.row(&state, Some(until), None) else { return false };
        let written = self.shared.store.put_job(live.id, row).get().await;
        // Stops the run even if the row could not be written. The run then writes its end itself.
        live.stop(StopReason::Cancelled);
        match written {
            Ok(PutOutcome::Written) => {
                self.shared.bus.follow(live.id, state.ring);
                true
            }
            // The row was not overwritten, because a worker has begun another attempt meanwhile or the job has ended.
            Ok(PutOutcome::Refused) => self.find(live.id).await.is_ok_and(|live| live.is_over()),
            Err(cause) => {
                warn!("cancellation of a job could not be written: {cause}");
                false
            }
        }
    }

    /// Tells the process that runs the deleted job `id` to stop the run.
    pub fn forget(&self, id: Id) {
        self.shared.bus.stop(id, StopReason::Cancelled);
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

/// Reads the row of job `id` every [`POLL_INTERVAL`] while local clients follow the job, and publishes the job's end to
/// them.
async fn watch(shared: Arc<JobServiceState>, id: Id) {
    while let Some(ended) = shared.bus.wait_for_end(id) {
        tokio::select! {
            () = ended => return,
            () = tokio::time::sleep(POLL_INTERVAL) => {}
        }
        match shared.store.job(id).get().await {
            Ok(RowLookup::Here(body)) => {
                let Ok(JobRowBody { ring, .. }) = JobRowBody::read(&body) else { continue };
                if ring.is_over() && shared.bus.wait_for_end(id).is_some_and(|ended| ended.now_or_never().is_none()) {
                    shared.bus.follow(id, ring);
                }
            }
            // The job was deleted.
            Ok(RowLookup::Gone | RowLookup::Never) => {
                let mut ring = Ring::default();
                ring.begin_attempt(GONE_ROW_ATTEMPT);
                ring.push(JobEvent::Cancelled);
                shared.bus.follow(id, ring);
            }
            Err(cause) => warn!("row of a followed job cannot be read: {cause}"),
        }
    }
}
