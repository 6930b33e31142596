//! Tests of a cluster's processes on one store and NATS: recovery of jobs whose process or message is gone.

use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

use explain::snapshot::TextInfo;
use kernels::event::TaskAnswer;
use kernels::job::{JobOptions, Task};
use services::Nats as Server;

use super::*;
use crate::config::locations::ProcessRoles;
use crate::jobs::*;
use crate::storage::ports::bus::nats::NatsBus;
use crate::storage::ports::files::ContentHash;
use crate::storage::ports::nats::NatsConnection;
use crate::storage::ports::offers::nats::DrainTarget;
use crate::storage::ports::queue::nats::{self, shards};
use crate::storage::ports::rows::PutOutcome;

/// A process of a cluster under test.
struct ClusterNode {
    jobs: JobService,
    member: ClusterMember,
    store: Store,
    queue: WorkQueue,
}

fn config(folder: &Path) -> Config {
    let roles = ProcessRoles { worker: false, sweeper: false, ..ProcessRoles::ALL };
    Config { data: folder.to_owned(), engines: vec![EngineName::Cpu], roles, ..Config::read(|_| None).unwrap() }
}

impl ClusterNode {
    async fn start(server: &Server, store: &Store, folder: &Path) -> Self {
        Self::with(server, store, config(folder)).await
    }

    async fn with(server: &Server, store: &Store, config: Config) -> Self {
        let nats = NatsConnection::connect(&server.address().parse().unwrap()).await.unwrap();
        let queue = WorkQueue::open(nats.clone(), config.queue_seconds).await.unwrap();
        let offers = ClusterOffers::open(nats.clone(), true).await.unwrap();
        let site = Some(ClusterPorts { queue: queue.clone(), offers });
        let messages = MessagePorts { bus: Arc::new(NatsBus::open(nats).await.unwrap()), cluster: site };
        let measured = config.clone();
        let engines = tokio::task::spawn_blocking(move || EnginePool::open(&measured)).await.unwrap();
        let jobs = JobService::new(&config, engines, store.clone(), ResultReader::new(store.clone(), &config), messages);
        Self { member: jobs.cluster_member().unwrap(), jobs, store: store.clone(), queue }
    }

    /// Writes the row of a job that has not ended after `attempts` attempts, and returns its id.
    async fn row(&self, attempts: u32) -> Id {
        let id = Id::random();
        let [a, b] = [b"kitten", &b"sitting"[..]].map(|text| self.store.files.put(text).unwrap());
        let snapshot =
            JobSnapshot::new(id.to_string(), Task::EditDistance, JobOptions::default(), TextInfo::default(), TextInfo::default());
        let record = StoredResult::new(snapshot, a, b);
        let mut state = JobState { record, ring: Ring::default() };
        state.ring.begin_attempt(attempts);
        self.put(&state).await;
        id
    }

    async fn put(&self, state: &JobState) {
        let first = FirstRow { owner: ContentHash::from_content(b"owner"), requests: Vec::new(), texts: Vec::new() };
        let row = self.jobs.shared.row(state, None, Some(&first)).unwrap();
        let id = state.record.snapshot.id.parse().unwrap();
        assert_eq!(self.store.put_job(id, row).get().await.unwrap(), PutOutcome::Written);
    }

    async fn queue(&self, job: Id, attempt: u32) {
        let task = nats::QueuedJob { job, engine: EngineName::Cpu, shard: shards(b"one")[0], ms: 1000, attempt };
        self.queue.push(&task).await.unwrap();
    }

    async fn sweep(&self, grace: Duration) -> usize {
        self.member.sweep_once(&mut HashMap::new(), grace).await.unwrap()
    }

    async fn state(&self, id: Id) -> JobState {
        let RowLookup::Here(body) = self.store.job(id).get().await.unwrap() else { panic!("the row of the job is missing") };
        let body = JobRowBody::read(&body).unwrap();
        JobState { record: body.record, ring: body.ring }
    }

    /// Waits until the row of the job says that it has ended, and returns its state.
    async fn ended(&self, id: Id) -> JobState {
        soon(async || Some(self.state(id).await).filter(|state| state.ring.is_over())).await
    }

    async fn has_no_work(&self) {
        soon(async || self.queue.messages().await.unwrap().is_empty().then_some(())).await;
    }
}

async fn soon<T>(look: impl AsyncFn() -> Option<T>) -> T {
    let begin = Instant::now();
    loop {
        if let Some(seen) = look().await {
            return seen;
        }
        assert!(begin.elapsed() < Duration::from_secs(30), "the condition is not met in time");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Starts a NATS server and two processes on the store in `folder`. The last one is a worker. Returns `None` if there
/// is no NATS server.
async fn site(folder: &Path) -> Option<(Server, ClusterNode, ClusterNode)> {
    let server = Server::start()?;
    let store = Store::open(&config(folder)).await.unwrap();
    let (web, worker) = (ClusterNode::start(&server, &store, folder).await, ClusterNode::start(&server, &store, folder).await);
    worker.member.start_worker().await;
    Some((server, web, worker))
}

#[tokio::test(flavor = "multi_thread")]
async fn job_without_a_message_is_queued_again() {
    let folder = tempfile::tempdir().unwrap();
    let Some((_server, web, _worker)) = site(folder.path()).await else { return };
    let job = web.row(0).await;
    // A process of a cluster does not interrupt the jobs of others.
    web.jobs.start().await.unwrap();
    assert_eq!(web.sweep(Duration::from_secs(60)).await, 0, "the accepting process may still queue the job");
    assert_eq!(web.sweep(Duration::ZERO).await, 1);
    let state = web.ended(job).await;
    assert!(matches!(state.record.snapshot.answer, Some(TaskAnswer::EditDistance { distance: Some(3), .. })), "{state:?}");
    assert_eq!(state.ring.attempt(), 1);
    web.has_no_work().await;
    assert_eq!(web.sweep(Duration::ZERO).await, 0);
}

/// A process may take long for a job that it solves itself. If the process is gone, nobody waits for that.
#[tokio::test(flavor = "multi_thread")]
async fn job_of_a_lost_process_is_queued_again_sooner() {
    let folder = tempfile::tempdir().unwrap();
    let Some((_server, web, _worker)) = site(folder.path()).await else { return };
    let [of_gone, of_this] = [web.row(0).await, web.row(0).await];
    for (job, process) in [(of_gone, "killed"), (of_this, web.member.cluster.id.as_str())] {
        let mut state = web.state(job).await;
        state.record.process = Some(process.to_owned());
        web.put(&state).await;
    }
    let before = Instant::now().checked_sub(Duration::from_secs(6)).unwrap();
    let sweep = async || {
        let mut missing = [of_gone, of_this].map(|job| (job, before)).into();
        web.member.sweep_once(&mut missing, Duration::from_secs(60)).await.unwrap()
    };
    assert_eq!(sweep().await, 0, "the active processes are unknown");
    web.member.keep_publishing_presence().await;
    assert_eq!(sweep().await, 1);
    let state = web.ended(of_gone).await;
    assert!(matches!(state.record.snapshot.answer, Some(TaskAnswer::EditDistance { distance: Some(3), .. })), "{state:?}");
    assert!(!web.state(of_this).await.ring.is_over());
}

/// A job whose row has not ended is queued again, whatever the servers lose.
#[tokio::test(flavor = "multi_thread")]
async fn jobs_survive_the_loss_of_all_messages() {
    let folder = tempfile::tempdir().unwrap();
    let Some((mut server, web, _worker)) = site(folder.path()).await else { return };
    let lost = web.row(0).await;
    server.stop();
    server.forget();
    server.restart();
    soon(async || web.queue.messages().await.is_ok().then_some(())).await;
    assert_eq!(web.sweep(Duration::ZERO).await, 1);
    let live = web.jobs.find(lost).await.unwrap();
    let told = web.jobs.listen(&live, 0);
    web.ended(lost).await;
    let told: Vec<EventBatch> = tokio::time::timeout(Duration::from_secs(30), told.collect()).await.expect("events are published again");
    let Some(EventBatch::Events(events)) = told.last() else { panic!("{told:?}") };
    assert!(matches!(events.last(), Some((_, JobEvent::Answer(_)))), "{events:?}");
    web.has_no_work().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn job_that_no_worker_finishes_fails_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let Some((_server, web, _worker)) = site(folder.path()).await else { return };
    let job = web.row(3).await;
    let live = web.jobs.find(job).await.unwrap();
    let told = web.jobs.listen(&live, 0);
    web.queue(job, 3).await;
    let state = web.ended(job).await;
    let failure = state.record.snapshot.failure.unwrap().to_string();
    assert!(failure.contains("3 workers have begun this job"), "{failure}");
    let told: Vec<EventBatch> = tokio::time::timeout(Duration::from_secs(10), told.collect()).await.unwrap();
    let Some(EventBatch::Events(events)) = told.last() else { panic!("{told:?}") };
    assert!(events.last().unwrap().1.is_last(), "listeners of other processes receive the end");
    web.has_no_work().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn ended_or_deleted_job_is_not_started() {
    let folder = tempfile::tempdir().unwrap();
    let Some((_server, web, _worker)) = site(folder.path()).await else { return };
    let [cancelled, gone] = [web.row(0).await, web.row(0).await];
    let live = web.jobs.find(cancelled).await.unwrap();
    assert!(web.jobs.cancel(&live).await, "a job without worker is cancelled in its row");
    web.store.drop_job(gone).get().await.unwrap();
    for job in [cancelled, gone, Id::random()] {
        web.queue(job, 0).await;
    }
    web.has_no_work().await;
    let state = web.state(cancelled).await;
    assert_eq!((state.record.snapshot.state, state.ring.attempt()), (JobStatus::Cancelled, 1));
}

/// The result of an attempt that was given up is neither written nor published.
#[tokio::test(flavor = "multi_thread")]
async fn result_of_an_abandoned_attempt_is_not_published() {
    let folder = tempfile::tempdir().unwrap();
    let Some((_server, web, worker)) = site(folder.path()).await else { return };
    let job = web.row(1).await;
    let shared = &worker.jobs.shared;
    let mut state = web.state(job).await;
    shared.bus.register(job, state.ring.clone());
    let live = Arc::new(JobHandle::new(job, state.clone(), shared.bus.clone()).into_claimed());
    shared.open_jobs().live.insert(job, live.clone());
    let told = worker.jobs.listen(&live, state.ring.last());
    state.ring.begin_attempt(2);
    web.put(&state).await;
    shared.clone().finish_job(live, EndedRun::from_event(JobEvent::Cancelled)).await;
    let told: Vec<EventBatch> = tokio::time::timeout(Duration::from_secs(10), told.collect()).await.unwrap();
    assert_eq!(told, []);
    assert!(!web.state(job).await.ring.is_over() && worker.jobs.running(job).is_none());
}

/// The message of such a job would wait forever.
#[tokio::test(flavor = "multi_thread")]
async fn job_for_an_engine_without_workers_is_planned_again() {
    let folder = tempfile::tempdir().unwrap();
    let Some((_server, web, _worker)) = site(folder.path()).await else { return };
    let job = web.row(0).await;
    let task = nats::QueuedJob { job, engine: EngineName::Cuda, shard: shards(b"one")[0], ms: 1000, attempt: 0 };
    web.queue.push(&task).await.unwrap();
    soon(async || (!web.jobs.workers().is_empty()).then_some(())).await;
    assert_eq!(web.sweep(Duration::from_secs(60)).await, 0, "a worker with the engine may still start");
    assert_eq!(web.sweep(Duration::ZERO).await, 1);
    let state = web.ended(job).await;
    assert!(matches!(state.record.snapshot.answer, Some(TaskAnswer::EditDistance { distance: Some(3), .. })), "{state:?}");
    web.has_no_work().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn failed_job_can_be_retried_with_all_its_attempts() {
    let folder = tempfile::tempdir().unwrap();
    let Some((_server, web, _worker)) = site(folder.path()).await else { return };
    let job = web.row(3).await;
    let why = |refused: anyhow::Result<EngineName>| format!("{:#}", refused.unwrap_err());
    assert!(why(web.member.retry(job).await).contains("has not ended"));
    web.queue(job, 3).await;
    assert_eq!(web.ended(job).await.record.snapshot.state, JobStatus::Failed);
    assert_eq!(web.member.retry(job).await.unwrap(), EngineName::Cpu);
    let state = web.ended(job).await;
    assert!(matches!(state.record.snapshot.answer, Some(TaskAnswer::EditDistance { distance: Some(3), .. })), "{state:?}");
    let EventBatch::Events(events) = state.ring.after(0) else { panic!("resync") };
    assert_eq!(events.iter().filter(|(_, event)| event.is_last()).count(), 1, "the earlier end is still published: {events:?}");
    assert!(state.record.given_up_at >= 4 && state.ring.attempt() > state.record.given_up_at, "{state:?}");
    assert!(why(web.member.retry(job).await).contains("has an answer"));
    assert!(why(web.member.retry(Id::random()).await).contains("there is no job"));
}

#[tokio::test(flavor = "multi_thread")]
async fn job_without_its_texts_is_not_retried() {
    let folder = tempfile::tempdir().unwrap();
    let Some((_server, web, _worker)) = site(folder.path()).await else { return };
    let job = web.row(0).await;
    let mut state = web.state(job).await;
    let live = web.jobs.find(job).await.unwrap();
    assert!(web.jobs.cancel(&live).await);
    let other = web.row(0).await;
    // The texts of this job do not exist, as if they had been removed.
    state.record.a = ContentHash::from_content(b"nowhere");
    state.record.snapshot.id = other.to_string();
    state.ring.begin_attempt(1);
    state.report(JobEvent::Cancelled);
    let row = web.jobs.shared.row(&state, Some(web.store.clock.seconds() + 60), None).unwrap();
    assert_eq!(web.store.put_job(other, row).get().await.unwrap(), PutOutcome::Written);
    let refused = format!("{:#}", web.member.retry(other).await.unwrap_err());
    assert!(refused.contains("its texts are gone"), "{refused}");
    assert!(web.state(other).await.ring.is_over());
    web.member.retry(job).await.unwrap();
    assert!(web.ended(job).await.record.snapshot.answer.is_some());
}

/// A worker whose limits are too small leaves a job to a larger one, however often the job is delivered to it.
#[tokio::test(flavor = "multi_thread")]
async fn job_that_is_too_large_for_a_worker_goes_to_a_larger_one() {
    let folder = tempfile::tempdir().unwrap();
    let Some(server) = Server::start() else { return };
    let store = Store::open(&config(folder.path())).await.unwrap();
    let web = ClusterNode::start(&server, &store, folder.path()).await;
    let small = ClusterNode::with(&server, &store, Config { max_cells_cpu: 1, ..config(folder.path()) }).await;
    let large = ClusterNode::start(&server, &store, folder.path()).await;
    small.member.start_worker().await;
    let alone = web.row(0).await;
    web.queue(alone, 0).await;
    let state = web.ended(alone).await;
    assert!(matches!(state.record.snapshot.failure, Some(JobFailure::TooLarge { .. })), "no other worker takes the job: {state:?}");

    // The larger worker is about to take jobs.
    let offer = crate::storage::ports::offers::tests::worker("large", EngineName::Cpu, 1e9, 1);
    web.member.cluster.offers.put(&offer).await.unwrap();
    soon(async || (small.jobs.workers().len() == 2).then_some(())).await;
    // The last attempt of the job, if it counted.
    let job = web.row(2).await;
    web.queue(job, 2).await;
    let left = soon(async || Some(web.state(job).await).filter(|state| state.record.given_up_at > 0)).await;
    assert!(!left.ring.is_over() && left.record.given_up_at == left.ring.attempt(), "{left:?}");
    let of_small = &small.member.cluster;
    of_small.offers.drain(&DrainTarget::Worker(of_small.id.clone())).await.unwrap();
    large.member.start_worker().await;
    let state = web.ended(job).await;
    assert!(matches!(state.record.snapshot.answer, Some(TaskAnswer::EditDistance { distance: Some(3), .. })), "{state:?}");
    web.has_no_work().await;
}
