//! Jobs: acceptance, execution, and the end of a job ([`JobService`]). A job runs whether or not a client reads its
//! events. A job is brief if its expected duration is at most 100 ms, and large otherwise.
//!
//! - [`job_handle`]: a job and its events
//! - `job_table`: the table of jobs that have not ended; `fair_queue`: the order in which they start
//! - `run`: a job on its engine; `collection`: a comparison of many texts
//! - [`deferred_row`]: the first row of a job, which a brief job gets at its end
//! - `row`: the end of a job, which is stored before it is published
//! - `threads`: threads for brief runs
//! - `cpu_yield`: pauses of large runs in favor of brief ones
//! - `queue_status`: queue positions, and refusals of a full queue
//! - `fallback`: a new plan for a job whose engine has failed
//! - `restart`: jobs at the end of a process and at the next start
//! - `planning`: choice of the engine, in this process or on a worker of the cluster
//! - [`cluster`]: jobs that any worker of the cluster may run
//! - `remote_jobs`: jobs that this process does not run
//!
//! A job that waits or runs is in memory, and its row in the store says that it has not ended. When it ends, the row is
//! written before the last event is published. So an answer that a client has received outlives the process.

use std::cell::Cell;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use explain::snapshot::{JobSnapshot, JobStatus};
use futures::{StreamExt as _, stream};
use kernels::collection::AnswerLimits;
use kernels::event::JobEvent;
use kernels::failure::JobFailure;
use kernels::job::Task;
use kernels::plan::{EngineName, JobWork, plan};
use kernels::text::Pair;
use tokio::runtime::Handle;
use tokio::sync::Notify;
use tracing::{error, info_span, warn};

use self::cluster::{Cluster, ClusterPorts};
use self::cpu_yield::PendingBriefJobs;
use self::deferred_row::{DeferredRow, FirstRow};
use self::fair_queue::QueueEntry;
use self::fallback::fallback;
use self::job_handle::{JobHandle, JobState};
use self::job_table::{OpenJobs, WaitingRun};
use self::planning::PlacedPlan;
use self::queue_status::{ReportThrottle, queue_full, remaining_time, stopping};
use self::row::JobRowBody;
use self::run::{EndedRun, RunOutcome};
use self::threads::JobThreads;
use crate::config::Config;
use crate::engines::EnginePool;
use crate::error::{ApiProblem, ProblemKind};
use crate::id::Id;
use crate::identity::ClientIdentity;
use crate::ops::priority;
use crate::results::ResultReader;
use crate::storage::ports::bus::ring::{EventBatch, Ring};
use crate::storage::ports::bus::{EventBatchStream, EventBus, StopReason};
use crate::storage::ports::queue::QueueClass;
use crate::store::record::StoredResult;
use crate::store::{RowLookup, Store};

#[cfg_attr(not(feature = "cluster"), path = "jobs/no_cluster.rs")]
pub mod cluster;
mod collection;
mod cpu_yield;
pub mod deferred_row;
mod fair_queue;
mod fallback;
pub mod job_handle;
mod job_table;
pub mod planning;
mod queue_status;
mod remote_jobs;
mod restart;
mod row;
mod run;
mod threads;

/// Maximum number of momentary jobs (shorter than waking a thread) that one call of
/// [`JobServiceState::start_ready_jobs`] runs on the calling thread.
const MAX_MOMENTARY_JOBS: u32 = 4;

/// Maximum number of attempts at a job. Attempts in which a worker left the job to others, and attempts before the last stored
/// part of a comparison, do not count.
const MAX_JOB_ATTEMPTS: u32 = 3;

/// The service that accepts, runs, cancels and ends the jobs of this process. Its clones share one state.
#[derive(Clone, Debug)]
pub struct JobService {
    shared: Arc<JobServiceState>,
}

/// The state of [`JobService`], shared by the clones of the service and by the threads that run jobs.
#[derive(Debug)]
struct JobServiceState {
    engines: EnginePool,
    store: Store,
    results: ResultReader,
    bus: Arc<dyn EventBus>,
    job_seconds: u64,
    keep_seconds: u64,
    /// Limits of answers about collections.
    answer_limits: AnswerLimits,
    /// Interval at which the finished part of a comparison is stored.
    checkpoint_interval: Duration,
    /// Rates of the last large comparisons of collections, in cells per second.
    collection_rates: Mutex<Vec<((EngineName, Task), f64)>>,
    open_jobs: Mutex<OpenJobs>,
    positions: ReportThrottle,
    threads: JobThreads,
    pending_brief_jobs: PendingBriefJobs,
    runtime: Handle,
    /// Cluster that this process belongs to, or `None` if the process is on its own.
    cluster: Option<Arc<Cluster>>,
    /// Notification that a run has ended, sent because its engine may have a free slot then.
    free_slot: Notify,
    /// Number of jobs that this process has taken from the cluster's queue and whose queue messages it has not
    /// acknowledged yet.
    held_messages: AtomicUsize,
}

/// The connections by which processes exchange messages about jobs: the event bus and, in a cluster, the job queue and
/// the offers of the workers.
#[derive(Clone, Debug)]
pub struct MessagePorts {
    /// Bus that carries the events of jobs to their listeners.
    pub bus: Arc<dyn EventBus>,
    /// Job queue and worker offers of the cluster. If `None`, each job runs in the process that accepts it.
    pub cluster: Option<ClusterPorts>,
}

/// A job that a request handler gives to [`JobService::submit`].
#[derive(Debug)]
pub struct NewJob {
    pub id: Id,
    pub client: ClientIdentity,
    pub first: FirstRow,
    /// Stored form of the job, with its task, its options and the hashes of its texts.
    pub record: StoredResult,
    /// Parsed texts of the job, if they are in memory. Otherwise the run reads them.
    pub pair: Option<Arc<Pair>>,
    /// Estimated work of the job, from which another engine is planned if the first fails.
    pub work: JobWork,
    /// Planned engine of the job, and whether a worker of the cluster runs it.
    pub placed_plan: PlacedPlan,
    /// Whether only one request, which waits for the answer, will know of the job before its end. The first row of such
    /// a job is written at its end if the job is brief.
    pub is_awaited: bool,
}

impl JobService {
    /// Creates the service without any job.
    ///
    /// # Panics
    /// Panics outside of a Tokio runtime.
    pub fn new(
        config: &Config,
        engines: EnginePool,
        store: Store,
        results: ResultReader,
        MessagePorts { bus, cluster: site }: MessagePorts,
    ) -> Self {
        let cluster = site.map(|ports| Cluster::new(ports, config));
        let open_jobs = OpenJobs::new(config);
        let (job_seconds, keep_seconds) = (config.job_seconds, config.job_keep_seconds);
        let answer_limits = AnswerLimits { max_scores: config.max_scores, max_pairs: config.max_pairs };
        let (open_jobs, positions, threads, at_hand, runtime) =
            (Mutex::new(open_jobs), ReportThrottle::default(), JobThreads::default(), PendingBriefJobs::default(), Handle::current());
        Self {
            shared: Arc::new(JobServiceState {
                engines,
                store,
                results,
                bus,
                job_seconds,
                keep_seconds,
                answer_limits,
                collection_rates: Mutex::default(),
                checkpoint_interval: Duration::from_secs(config.checkpoint_seconds),
                open_jobs,
                positions,
                threads,
                pending_brief_jobs: at_hand,
                runtime,
                cluster,
                free_slot: Notify::new(),
                held_messages: AtomicUsize::new(0),
            }),
        }
    }

    /// Returns how many large jobs (all except brief ones) may run concurrently on one device of `engine`.
    pub fn slots_per_device(&self, engine: EngineName) -> usize {
        self.shared.open_jobs().capacity.slots_per_device(QueueClass { engine, brief: false })
    }

    /// Returns the rates of the last large comparisons of collections in this process, in cells per second.
    pub fn collection_rates(&self) -> Vec<((EngineName, Task), f64)> {
        self.shared.collection_rates.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Checks whether the queue of this process has room for another job of `client`. `None` stands for a client
    /// without pending jobs. Called before any work is done for the job, so that a refusal is cheap.
    ///
    /// # Errors
    /// Returns `QueueFull`, or `NotReady` if the server is stopping.
    pub fn check_room(&self, client: Option<ClientIdentity>) -> Result<(), ApiProblem> {
        let engines: Vec<EngineName> = self.shared.engines.offers().iter().map(|offer| offer.engine).collect();
        let open_jobs = self.shared.open_jobs();
        if open_jobs.closed { Err(stopping()) } else { open_jobs.queue.check_room(&engines, client).map_err(queue_full) }
    }

    /// Accepts `job`: writes its files and its row, and starts or queues it, in this process or in the cluster's queue.
    /// Returns the handle by which its events are read. The row of a brief job whose client waits in the same request
    /// is written when the job ends.
    ///
    /// # Errors
    /// Returns `QueueFull`, `NotReady` if the server is stopping, or the error of the store.
    pub async fn submit(&self, job: NewJob) -> Result<Arc<JobHandle>, ApiProblem> {
        self.check_room(Some(job.client))?;
        if let Some(cluster) = job.placed_plan.cluster.clone() {
            return Box::pin(self.submit_to_cluster(&cluster, job)).await;
        }
        let NewJob { id, client, first, record, pair, work, placed_plan: PlacedPlan { plan, .. }, is_awaited } = job;
        let record = StoredResult { process: self.shared.cluster.as_ref().map(|cluster| cluster.id().to_owned()), ..record };
        let state = JobState { record, ring: Ring::default() };
        let deferred_row = if is_awaited && QueueClass::from_plan(&plan).brief {
            Some(DeferredRow::new(first, self.shared.pending_brief_jobs.count_brief_job()))
        } else {
            self.shared.write_first_row(id, &state, &first).await?;
            None
        };
        self.shared.bus.register(id, state.ring.clone());
        let has_row = deferred_row.is_none();
        if has_row {
            self.shared.bus.share(id);
        }
        let live = Arc::new(JobHandle::new(id, state, self.shared.bus.clone()).with_deferred_row(deferred_row));
        let entry = QueueEntry::from_plan(&plan, client);
        let taken = {
            let mut open_jobs = self.shared.open_jobs();
            let told = Cell::default();
            let waiting = WaitingRun {
                live: live.clone(),
                pair,
                plan,
                work,
                failed: Vec::new(),
                since: Instant::now(),
                client,
                last_reported_ahead: told,
            };
            let taken = if open_jobs.closed { Err(stopping()) } else { open_jobs.queue.push(entry, waiting).map_err(queue_full) };
            if taken.is_ok() {
                open_jobs.live.insert(id, live.clone());
            }
            taken
        };
        match taken {
            Ok(()) => {
                JobServiceState::start_ready_jobs(&self.shared);
                Ok(live)
            }
            Err(problem) => {
                self.shared.bus.unregister(id);
                if has_row {
                    self.shared.store.drop_job(id).get().await?;
                }
                Err(problem)
            }
        }
    }

    /// Creates the job `id`, which has ended, with a copy of the answer of the job `other`. Writes its row with the
    /// data in `first`. `asked` changes the fields of the copied snapshot in which the new request differs from the
    /// request of `other`. Returns `None` if `other` has no answer or its files were removed.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub async fn reuse_answer(
        &self,
        id: Id,
        first: &FirstRow,
        other: &JobHandle,
        asked: impl FnOnce(&mut JobSnapshot),
    ) -> Result<Option<Arc<JobHandle>>, ApiProblem> {
        let mut state = other.state();
        if state.record.snapshot.state != JobStatus::Succeeded {
            return Ok(None);
        }
        state.record.snapshot.id = id.to_string();
        asked(&mut state.record.snapshot);
        let store = self.shared.store.clone();
        let until = store.clock.seconds() + self.shared.keep_seconds;
        let row = self.shared.row(&state, Some(until), Some(first)).map_err(ApiProblem::internal)?;
        if !store.renew_files(row.files.clone()).await? {
            return Ok(None);
        }
        store.put_job(id, row).get().await?;
        Ok(Some(Arc::new(JobHandle::new(id, state, self.shared.bus.clone()))))
    }

    /// Returns the handle of the job `id` if this process has it in memory, which means that the job has not ended.
    pub fn running(&self, id: Id) -> Option<Arc<JobHandle>> {
        self.shared.open_jobs().live.get(&id).cloned()
    }

    /// Returns a handle of the job `id`, which compares two texts, from memory or else from its row.
    ///
    /// # Errors
    /// Returns the errors of [`find_any`](Self::find_any), and `NotFound` if the job compares a collection.
    pub async fn find(&self, id: Id) -> Result<Arc<JobHandle>, ApiProblem> {
        let live = self.find_any(id).await?;
        if live.is_collection() { Err(ApiProblem::not_found("job")) } else { Ok(live) }
    }

    /// Returns a handle of the job `id`, which compares a collection, from memory or else from its row.
    ///
    /// # Errors
    /// Returns the errors of [`find_any`](Self::find_any), and `NotFound` if the job compares two texts.
    pub async fn find_collection(&self, id: Id) -> Result<Arc<JobHandle>, ApiProblem> {
        let live = self.find_any(id).await?;
        if live.is_collection() { Ok(live) } else { Err(ApiProblem::not_found("collection")) }
    }

    /// Returns a handle of the job `id` of any kind, from memory or else from its row.
    ///
    /// # Errors
    /// Returns `NotFound`, or `Gone` if the job has expired. If the row cannot be read, returns `NotReady` if a newer
    /// version of the server wrote it, and otherwise `NoResult`.
    pub async fn find_any(&self, id: Id) -> Result<Arc<JobHandle>, ApiProblem> {
        if let Some(live) = self.shared.open_jobs().live.get(&id) {
            return Ok(live.clone());
        }
        match self.shared.store.job(id).get().await? {
            RowLookup::Here(body) => {
                let body = JobRowBody::read(&body).map_err(|cause| self.shared.store.unreadable.problem(id, "a job", &cause))?;
                let state = JobState { record: body.record, ring: body.ring };
                if state.ring.is_over() {
                    Ok(Arc::new(JobHandle::new(id, state, self.shared.bus.clone())))
                } else {
                    Ok(Box::pin(self.follow_from_row(id, state)).await)
                }
            }
            RowLookup::Gone => Err(ApiProblem::new(ProblemKind::Gone, "This job’s result has expired or was deleted. Run the job again.")),
            RowLookup::Never => Err(ApiProblem::not_found("job")),
        }
    }

    /// Returns a stream of the events of the job `live` that have a number greater than `after`: first the past events,
    /// then each new one.
    pub fn listen(&self, live: &JobHandle, after: u64) -> EventBatchStream {
        self.shared.bus.listen(live.id, after).unwrap_or_else(|| {
            // The job has ended, and `live` has all of its events.
            let known = Some(live.replay(after)).filter(|replay| *replay != EventBatch::Events(Vec::new()));
            stream::iter(known).boxed()
        })
    }

    /// Waits until the job `live` has ended, or until the bus reports no more of its events.
    pub async fn wait_for_end(&self, live: &JobHandle) {
        if let Some(ended) = self.shared.bus.wait_for_end(live.id) {
            ended.await;
        }
    }

    /// Cancels the job `live`. Returns whether the job has ended: a waiting job ends before the function returns. A
    /// running job ends later, when it has finished the tile of cells that it is computing.
    pub async fn cancel(&self, live: &Arc<JobHandle>) -> bool {
        if !live.is_over() && self.running(live.id).is_none() {
            return self.cancel_in_cluster(live).await;
        }
        live.stop(StopReason::Cancelled);
        let waiting = self.shared.open_jobs().queue.remove(|waiting| waiting.live.id == live.id).map(|waiting| waiting.live);
        if let Some(live) = waiting {
            // Spawned, so that the job ends even if the caller is dropped.
            let _ = self.shared.runtime.spawn(self.shared.clone().finish_job(live, EndedRun::from_event(JobEvent::Cancelled))).await;
            JobServiceState::report_positions(&self.shared);
        }
        live.is_over()
    }

    /// Returns the number of waiting jobs and the number of running jobs of this process.
    pub fn counts(&self) -> (usize, usize) {
        let open_jobs = self.shared.open_jobs();
        (open_jobs.queue.waiting(), open_jobs.queue.running())
    }

    /// Returns, for each queue class (an engine, with brief or with large jobs), its number of waiting jobs and its
    /// number of running jobs.
    pub fn class_counts(&self) -> Vec<(QueueClass, usize, usize)> {
        use kernels::plan::EngineName::{Cpu, Cuda};
        let open_jobs = self.shared.open_jobs();
        let running: Vec<QueueClass> =
            open_jobs.live.values().filter_map(|live| remaining_time(&live.snapshot())).map(|(line, _)| line).collect();
        let waiting: Vec<QueueClass> = open_jobs.queue.positions().iter().map(|position| position.queue_class).collect();
        let of = |lines: &[QueueClass], line| lines.iter().filter(|of| **of == line).count();
        let lines = [Cpu, Cuda].into_iter().flat_map(|engine| [false, true].map(|brief| QueueClass { engine, brief }));
        lines.map(|line| (line, of(&waiting, line), of(&running, line))).collect()
    }
}

impl JobServiceState {
    fn open_jobs(&self) -> MutexGuard<'_, OpenJobs> {
        // Everything under this lock is one push or remove, so that the data stays consistent after a panic.
        self.open_jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Prepares the job `live` for the queue: plans its `work` among the engines of this machine. `pair` has its texts, if they
    /// are in memory. `waited` is the time for which the job has waited before.
    ///
    /// # Errors
    /// Returns the failure of the planner.
    fn waiting_run(
        &self,
        live: Arc<JobHandle>,
        pair: Option<Arc<Pair>>,
        work: JobWork,
        waited: Duration,
    ) -> Result<(QueueEntry, WaitingRun), JobFailure> {
        let plan = plan(&work, &self.engines.offers_for(&work))?;
        let client = ClientIdentity::default();
        let since = Instant::now().checked_sub(waited).unwrap_or_else(Instant::now);
        let entry = QueueEntry::from_plan(&plan, client);
        Ok((entry, WaitingRun { live, pair, plan, work, failed: Vec::new(), since, client, last_reported_ahead: None.into() }))
    }

    /// Starts all waiting jobs whose engine has a free slot, and reports the queue positions of the other jobs. Runs up
    /// to [`MAX_MOMENTARY_JOBS`] very short jobs on the calling thread, because waking another thread would take
    /// longer.
    fn start_ready_jobs(shared: &Arc<Self>) {
        let mut at_once = 0;
        shared.open_jobs().update_capacity(&shared.engines);
        while let Some(waiting) = { shared.open_jobs().queue.take_ready() } {
            if at_once < MAX_MOMENTARY_JOBS && waiting.is_momentary() {
                at_once += 1;
                Self::execute(shared, waiting);
                continue;
            }
            let (live, line) = (waiting.live.clone(), QueueClass::from_plan(&waiting.plan));
            let (carrying, ending) = (shared.clone(), shared.clone());
            let carry = move || {
                Self::execute(&carrying, waiting);
                Self::start_ready_jobs(&carrying);
            };
            let name = format!("run-{:?}", line.engine).to_lowercase();
            // A large run has a thread of its own, because it lowers the priority of its thread.
            let started =
                if line.brief { shared.threads.start(&name, carry) } else { thread::Builder::new().name(name).spawn(carry).map(|_| ()) };
            if let Err(cause) = started {
                error!("thread for a run cannot be started: {cause}");
                ending.open_jobs().queue.release(line);
                shared.runtime.spawn(ending.finish_job(
                    live,
                    EndedRun::from_event(JobEvent::Failed(JobFailure::engine("The server has no free thread. Try again."))),
                ));
            }
        }
        Self::report_positions(shared);
        shared.free_slot.notify_waiters();
    }

    /// Executes the run of the job `waiting`, and then frees its slot on the engine. Does not start the next job; the
    /// caller does.
    fn execute(shared: &Arc<Self>, waiting: WaitingRun) {
        let WaitingRun { live, pair, plan: chosen, work, mut failed, since, client, last_reported_ahead: told } = waiting;
        let (engine, line) = (chosen.engine, QueueClass::from_plan(&chosen));
        if engine == EngineName::Cpu && !line.brief {
            priority::lower_priority();
        }
        let _span = info_span!("run", ?engine, task = work.task.name()).entered();
        live.report(JobEvent::Queued { position: 0, wait_ms: None });
        let outcome = match live.stop_reason() {
            Some(why) => RunOutcome::Ended(Box::new(EndedRun::from_event(why.event(shared.job_seconds, None)))),
            None => run::run(shared, &live, pair.clone(), chosen, &failed, since.elapsed()),
        };
        let ended = match outcome {
            RunOutcome::Ended(ended) => Some(*ended),
            RunOutcome::EngineFailed(failure, device) => {
                failed.extend(device);
                if let Some(device) = device {
                    shared.engines.suspend_if_lost(device);
                }
                if matches!(failure, JobFailure::TooLarge { .. }) {
                    // The other devices of this engine are of the same kind.
                    failed.extend(shared.engines.devices(engine).into_iter().map(|(device, _)| device));
                }
                let mut offers = shared.engines.offers_for(&work);
                offers.retain(|offer| shared.engines.may_solve(offer.engine, &failed));
                if let Some(plan) = fallback(&work, &offers, &failure) {
                    warn!(?device, instead = ?plan.engine, "engine failed; another engine or device takes the job: {failure}");
                    let entry = QueueEntry::from_plan(&plan, client);
                    let waiting = WaitingRun {
                        live: live.clone(),
                        pair,
                        plan,
                        work,
                        failed,
                        since: Instant::now(),
                        client,
                        last_reported_ahead: told,
                    };
                    shared.open_jobs().queue.push_first(entry, waiting);
                    None
                } else {
                    warn!("engine failed, and no other engine accepts the job: {failure}");
                    Some(EndedRun::from_event(JobEvent::Failed(failure)))
                }
            }
        };
        let Some(ended) = ended else { return shared.open_jobs().queue.release(line) };
        if !line.brief {
            shared.runtime.block_on(shared.clone().finish_job(live, ended));
            return shared.open_jobs().queue.release(line);
        }
        // Stores the result of a brief job beside the next runs, because the disk takes longer than the engine. Too
        // many pending results make the next run wait.
        let is_beside = shared.open_jobs().release_for_storing(line);
        let shared = shared.clone();
        shared.runtime.clone().spawn(async move {
            shared.clone().finish_job(live, ended).await;
            if is_beside {
                shared.open_jobs().storing -= 1;
            } else {
                shared.open_jobs().queue.release(line);
                Self::start_ready_jobs(&shared);
            }
        });
    }
}
