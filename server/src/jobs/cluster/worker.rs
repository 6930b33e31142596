//! Worker: takes jobs from the cluster's queue while an engine of this machine has a free slot, and runs them (`work`).
//!
//! Each delivery of a job is a new attempt with a higher number. The job's row stores the number and refuses writes of
//! earlier attempts. A worker holds the job's queue message until the row says how the job has ended. While the run
//! reports anything, the worker extends its claim on the message at the NATS servers. Without this extension, the
//! servers would give the job to another worker. A worker also leaves a job to other workers if the job is too large
//! for its engines.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use futures::{FutureExt as _, StreamExt as _};
use kernels::event::JobEvent;
use kernels::failure::JobFailure;
use kernels::plan::{EngineName, JobWork};
use kernels::task::solver;
use tokio::time::{sleep, sleep_until};
use tracing::{info, warn};

use super::planning::plan_among;
use super::queue_hints::HintedShards;
use super::{Cluster, ClusterMember};
use crate::error::{ApiProblem, ProblemKind};
use crate::jobs::fair_queue::QueueEntry;
use crate::jobs::job_handle::{JobHandle, JobState};
use crate::jobs::job_table::WaitingRun;
use crate::jobs::row::JobRowBody;
use crate::jobs::run::EndedRun;
use crate::jobs::{JobServiceState, MAX_JOB_ATTEMPTS};
use crate::ops::metrics;
use crate::storage::ports::files::{ContentHash, HashPrefix};
use crate::storage::ports::offers::WorkerAvailability;
use crate::storage::ports::queue::QueueClass;
use crate::storage::ports::queue::nats::JobHint;
use crate::storage::ports::queue::nats::worker::{ClaimedJob, JOB_ACK_TIMEOUT};
use crate::storage::ports::rows::PutOutcome;
use crate::store::RowLookup;
use crate::store::record::StoredResult;

/// Minimum interval between two polls of all shards of the queue, used by a worker that has just found jobs. Such polls
/// find the jobs that another worker gave up.
const MIN_QUEUE_POLL_INTERVAL: Duration = Duration::from_secs(1);

/// Maximum interval between two polls of all shards by an idle worker. The interval grows while no job is found,
/// because such a poll sends a request for each shard of the queue.
const MAX_QUEUE_POLL_INTERVAL: Duration = Duration::from_secs(5);

/// Delay before a failed read of the queue is retried.
const QUEUE_RETRY_DELAY: Duration = Duration::from_secs(1);

/// Time without a report of the run after which the worker lets another worker take its job. It is long, because runs
/// report nothing while texts are read and GPU kernels are compiled.
const RUN_SILENCE_TIMEOUT: Duration = Duration::from_secs(300);

/// Takes jobs for `engine` from the cluster's queue, and retries after errors, until the server stops.
pub(super) async fn work(member: ClusterMember, engine: EngineName) {
    while !member.jobs.shared.open_jobs().closed && !member.cluster.drained.load(Relaxed) {
        if let Err(cause) = take_all(&member, engine).await {
            warn!("jobs cannot be taken from the queue: {cause:#}");
            sleep(QUEUE_RETRY_DELAY).await;
        }
    }
}

/// Takes jobs for `engine` one after the other until the server stops.
///
/// # Errors
/// Returns an error if the queue cannot be read.
async fn take_all(member: &ClusterMember, engine: EngineName) -> anyhow::Result<()> {
    let (shared, cluster) = (&member.jobs.shared, &member.cluster);
    let mut hints = cluster.queue.hints(engine).await?;
    let mut shards = cluster.queue.shards(engine).await?;
    let line = QueueClass { engine, brief: false };
    let has_all = |texts: &[HashPrefix]| shared.store.disk_cache.as_ref().is_some_and(|cache| cache.has_all(texts));
    // Shards with new work, the time of the next full poll, and the interval to the one after it.
    let (mut hinted, mut next_look, mut pause) = (HintedShards::default(), Instant::now(), MIN_QUEUE_POLL_INTERVAL);
    loop {
        let place = shared.free_slot.notified();
        let (closed, free) = {
            let mut open_jobs = shared.open_jobs();
            open_jobs.update_capacity(&shared.engines);
            (open_jobs.closed, open_jobs.queue.free(line))
        };
        if closed || cluster.drained.load(Relaxed) {
            return Ok(());
        }
        if free == 0 || cluster.is_paused.load(Relaxed) {
            tokio::select! {
                () = place => {}
                () = sleep(MIN_QUEUE_POLL_INTERVAL) => {}
            }
            continue;
        }
        let now = Instant::now();
        let taken = if next_look <= now {
            // Hints before a full poll are obsolete.
            hinted.clear();
            while hints.next().now_or_never().flatten().is_some() {}
            let taken = cluster.queue.claim_next(&mut shards).await?;
            pause = if taken.is_some() { MIN_QUEUE_POLL_INTERVAL } else { MAX_QUEUE_POLL_INTERVAL.min(pause * 2) };
            next_look = Instant::now() + pause;
            taken
        } else if let Some(shard) = hinted.take(now) {
            cluster.queue.claim_from_shard(&mut shards, shard).await?
        } else {
            tokio::select! {
                said = hints.next() => match said.and_then(|said| JobHint::read(&said.payload)) {
                    Some(hint) => hinted.add_hint(&hint, has_all, Instant::now()),
                    None => next_look = Instant::now(),
                },
                () = sleep_until(hinted.next().map_or(next_look, |at| at.min(next_look)).into()) => {}
            }
            continue;
        };
        let Some(taken) = taken else { continue };
        // There may be more jobs.
        next_look = Instant::now();
        if cluster.drained.load(Relaxed) || cluster.is_paused.load(Relaxed) {
            taken.nak(Duration::ZERO).await;
        } else {
            begin(member, taken).await;
        }
    }
}

/// Begins another attempt at the job `taken`, unless the job has ended or has used up its attempts. Returns before the
/// run has ended.
async fn begin(member: &ClusterMember, taken: ClaimedJob) {
    let (shared, cluster) = (&member.jobs.shared, &member.cluster);
    let id = taken.task.job;
    let body = match shared.store.job(id).get().await {
        Ok(RowLookup::Here(body)) => body,
        Ok(RowLookup::Gone | RowLookup::Never) => return taken.done().await,
        Err(cause) => {
            warn!("job row cannot be read; leaving the job to other workers: {cause}");
            return taken.nak(QUEUE_RETRY_DELAY).await;
        }
    };
    let Ok(JobRowBody { record, ring }) = JobRowBody::read(&body) else {
        warn!("job row has unsupported version; leaving the job to workers of that version");
        return taken.nak(JOB_ACK_TIMEOUT).await;
    };
    if ring.is_over() {
        return taken.done().await;
    }
    let given_up_at = record.given_up_at;
    // From now on the job has a message, so that it belongs to no process.
    let mut state = JobState { record: StoredResult { process: None, ..record }, ring };
    // Two workers that get the same message have different delivery numbers, so that no attempt number is used twice.
    let attempt = (state.ring.attempt() + 1).max(taken.task.attempt + taken.delivery);
    state.ring.begin_attempt(attempt);
    let row = match shared.row(&state, None, None) {
        Ok(row) => row,
        Err(cause) => return warn!("job row cannot be serialized: {cause:#}"),
    };
    match shared.store.put_job(id, row).get().await {
        Ok(PutOutcome::Written) => {}
        // The job has ended, or a later attempt is running and holds the message.
        Ok(PutOutcome::Refused) => return,
        Err(cause) => {
            warn!("job row cannot be written; leaving the job to other workers: {cause}");
            return taken.nak(QUEUE_RETRY_DELAY).await;
        }
    }
    shared.bus.register(id, state.ring.clone());
    shared.bus.share(id);
    let live = Arc::new(JobHandle::new(id, state, shared.bus.clone()).into_claimed());
    shared.open_jobs().live.insert(id, live.clone());
    let (waited, engine) = (taken.queue_time, taken.task.engine);
    shared.runtime.spawn(hold(shared.clone(), live.clone(), taken));
    if attempt.saturating_sub(given_up_at) > MAX_JOB_ATTEMPTS {
        metrics::job_given_up();
        warn!(attempt, "job has used up its attempts and fails");
        let failure = JobFailure::engine(format!("{MAX_JOB_ATTEMPTS} workers have begun this job, and none has ended it."));
        return shared.clone().finish_job(live, EndedRun::from_event(JobEvent::Failed(failure))).await;
    }
    info!(attempt, "job taken from the queue");
    metrics::job_claimed(attempt);
    match prepare_run(shared, &live, waited).await {
        Ok((entry, waiting)) => {
            shared.open_jobs().queue.push_first(entry, waiting);
            JobServiceState::start_ready_jobs(shared);
        }
        Err(JobRefusal { may_pass: true, .. }) => leave_to_others(shared, &live, "its texts cannot be read now").await,
        Err(JobRefusal { work: Some(work), .. }) if has_larger_worker(cluster, &work, &live.record().texts_with_bytes(), engine).await => {
            leave_to_others(shared, &live, "it is too large for this worker, and not for a larger one").await;
        }
        Err(JobRefusal { failure, .. }) => shared.clone().finish_job(live, EndedRun::from_event(JobEvent::Failed(failure))).await,
    }
}

/// The reason why this worker does not begin a job that it has taken.
struct JobRefusal {
    failure: JobFailure,
    /// Work of the job if the job is too large for the engines of this machine. Then a worker with higher limits may
    /// take it.
    work: Option<JobWork>,
    /// Whether a later attempt may succeed, because the only reason is that the storage of the cluster is unavailable.
    may_pass: bool,
}

impl From<JobFailure> for JobRefusal {
    fn from(failure: JobFailure) -> Self {
        Self { failure, work: None, may_pass: false }
    }
}

/// Returns whether another worker of `cluster` accepts `work` on `engine`, because its device is faster or has higher
/// limits. The `texts` are given as hash and number of bytes.
async fn has_larger_worker(cluster: &Cluster, work: &JobWork, texts: &[(ContentHash, u64)], engine: EngineName) -> bool {
    let mut others = cluster.offers.current().await;
    others.retain(|worker| worker.id != cluster.id && worker.takes == WorkerAvailability::Jobs);
    for worker in &mut others {
        worker.engines.retain(|own| own.offered.offer.engine == engine);
    }
    plan_among(work, texts, &others).is_some_and(|plan| plan.is_ok())
}

/// Gives up this worker's attempt at the job `live` without acknowledging the job's message, and logs
/// `why`. After the timeout of the message, the queue gives the job to a worker again. The attempt does not count.
async fn leave_to_others(shared: &JobServiceState, live: &JobHandle, why: &str) {
    info!("job left to other workers: {why}");
    shared.uncount_attempt(live).await;
    shared.detach(live);
}

/// Prepares the taken job `live` for the local queue: reads its texts and plans it among this machine's engines.
/// `waited` is the time for which the job has waited in the cluster's queue.
async fn prepare_run(
    shared: &Arc<JobServiceState>,
    live: &Arc<JobHandle>,
    waited: Duration,
) -> Result<(QueueEntry, WaitingRun), JobRefusal> {
    let record = live.record();
    if let Some(collection) = &record.collection {
        let work = collection.work_left();
        return shared.waiting_run(live.clone(), None, work, waited).map_err(|failure| refusal(failure, work));
    }
    let (task, options) = (record.snapshot.task, record.snapshot.options.clone());
    let of_texts = |problem: ApiProblem| JobRefusal {
        may_pass: problem.kind == ProblemKind::NotReady,
        ..JobFailure::engine(format!("The texts could not be read. {}", problem.detail)).into()
    };
    let pair = shared.results.texts_of_job(record.texts()).await.map_err(of_texts)?;
    let looked_at = pair.clone();
    let work = tokio::task::spawn_blocking(move || JobWork { bytes: 0, ..solver(task).work_for(&looked_at, &options) });
    let work = work.await.map_err(|_| JobFailure::engine("The texts could not be looked at. This is a mistake in Editscope."))?;
    shared.waiting_run(live.clone(), Some(pair), work, waited).map_err(|failure| refusal(failure, work))
}

/// Creates the reason why this machine does not begin a job with `work`.
fn refusal(failure: JobFailure, work: JobWork) -> JobRefusal {
    JobRefusal { work: matches!(failure, JobFailure::TooLarge { .. }).then_some(work), ..JobRefusal::from(failure) }
}

/// Keeps the claim on `taken`, the queue message of the job `live`, until the job has ended, and then acknowledges the
/// message.
async fn hold(shared: Arc<JobServiceState>, live: Arc<JobHandle>, taken: ClaimedJob) {
    shared.held_messages.fetch_add(1, Relaxed);
    let (mut signs, mut since) = (live.activity_count(), Instant::now());
    while let Some(ended) = shared.bus.wait_for_end(live.id) {
        tokio::select! {
            () = ended => break,
            () = sleep(JOB_ACK_TIMEOUT / 3) => {}
        }
        let now = live.activity_count();
        if now != signs {
            (signs, since) = (now, Instant::now());
        }
        if since.elapsed() < RUN_SILENCE_TIMEOUT {
            taken.ack_progress().await;
        }
    }
    if live.is_over() {
        taken.done().await;
    } else if shared.open_jobs().closed {
        taken.nak(Duration::ZERO).await;
    }
    shared.held_messages.fetch_sub(1, Relaxed);
}
