//! Tests of several workers on one queue, silent workers and failing servers.

use std::collections::HashSet;

use services::Nats as Server;
use tokio::time::sleep;

use super::worker::{ClaimedJob, JOB_ACK_TIMEOUT, ShardConsumers};
use super::*;

const CPU: EngineName = EngineName::Cpu;

fn task(shard: u8, ms: u64) -> QueuedJob {
    QueuedJob { job: Id::random(), engine: CPU, shard, ms, attempt: 0 }
}

async fn queue(server: &Server) -> WorkQueue {
    at(&server.address()).await
}

async fn at(address: &str) -> WorkQueue {
    WorkQueue::open(NatsConnection::connect(&address.parse().unwrap()).await.unwrap(), 100).await.unwrap()
}

async fn named(queue: &WorkQueue) -> Vec<Id> {
    queue.messages().await.unwrap().iter().map(|waiting| waiting.job).collect()
}

async fn worker(server: &Server) -> (WorkQueue, ShardConsumers) {
    let queue = queue(server).await;
    let shards = queue.shards(CPU).await.unwrap();
    (queue, shards)
}

async fn take((queue, shards): &mut (WorkQueue, ShardConsumers)) -> Option<ClaimedJob> {
    queue.claim_next(shards).await.unwrap()
}

/// Returns the job that the worker gets within three seconds, because calls return before the servers have processed
/// them.
async fn soon(worker: &mut (WorkQueue, ShardConsumers)) -> ClaimedJob {
    let begin = Instant::now();
    loop {
        match take(worker).await {
            Some(taken) => return taken,
            None => sleep(Duration::from_millis(20)).await,
        }
        assert!(begin.elapsed() < Duration::from_secs(3), "no job arrives");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_job_is_taken_once_and_clients_take_turns() {
    let Some(server) = Server::start() else { return };
    let ([web, other], mut workers) = ([queue(&server).await, queue(&server).await], [worker(&server).await, worker(&server).await]);
    let many: Vec<QueuedJob> = (0..20).map(|_| task(3, 10)).collect();
    for (task, web) in many.iter().zip([&web, &other].into_iter().cycle()) {
        web.push(task).await.unwrap();
    }
    let single = task(7, 10);
    web.push(&single).await.unwrap();
    other.push(&single).await.unwrap();
    assert_eq!(web.messages().await.unwrap().len(), 21, "a repeated attempt is queued once");
    let cuda = QueuedJob { engine: EngineName::Cuda, ..task(3, 10) };
    web.push(&cuda).await.unwrap();
    let mut taken = Vec::new();
    for at in (0..2).cycle() {
        let Some(next) = take(&mut workers[at]).await else { break };
        assert_eq!(next.delivery, 1);
        taken.push(next);
    }
    let place = taken.iter().position(|taken| taken.task == single).expect("the single job is taken");
    assert!(place < 4, "the job was taken after {place} others");
    let jobs: HashSet<Id> = taken.iter().map(|taken| taken.task.job).collect();
    assert_eq!((taken.len(), jobs.len()), (21, 21));
    for taken in &taken {
        taken.done().await;
    }
    sleep(MAX_PENDING_LIST_AGE).await;
    assert_eq!(named(&web).await, [cuda.job], "jobs of another engine are not taken");
}

#[tokio::test(flavor = "multi_thread")]
async fn job_of_a_silent_worker_is_redelivered_and_that_of_an_active_one_is_not() {
    let Some(server) = Server::start() else { return };
    let (web, mut one, mut other) = (queue(&server).await, worker(&server).await, worker(&server).await);
    for _ in 0..3 {
        web.push(&task(1, 10)).await.unwrap();
    }
    let begin = Instant::now();
    let [going_on, silent, given_back] = [take(&mut one).await.unwrap(), take(&mut one).await.unwrap(), take(&mut one).await.unwrap()];
    given_back.nak(Duration::ZERO).await;
    let again = soon(&mut other).await;
    assert_eq!((again.task, again.delivery), (given_back.task, 2), "the returned job is delivered at once");
    again.done().await;
    sleep(JOB_ACK_TIMEOUT.saturating_sub(begin.elapsed() + Duration::from_secs(5))).await;
    going_on.ack_progress().await;
    assert!(take(&mut other).await.is_none());
    sleep(Duration::from_secs(7)).await;
    let again = soon(&mut other).await;
    assert_eq!((again.task, again.delivery), (silent.task, 2));
    assert!(take(&mut other).await.is_none());
    going_on.done().await;
    again.done().await;
    sleep(Duration::from_millis(200)).await;
    assert!(web.messages().await.unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn queue_is_limited_by_expected_time() {
    let Some(server) = Server::start() else { return };
    let web = queue(&server).await;
    let room = async |shards, ms| web.choose_shard(CPU, shards, ms, EngineCapacity::ONE).await.unwrap();
    let at = |ahead, shard| Ok(ShardChoice { ahead, shard });
    assert_eq!(room([1, 8], 1_000_000).await, at(0, 1), "a client without queued jobs is accepted");
    web.push(&task(1, 10_000)).await.unwrap();
    assert_eq!(room([1, 8], 20_000).await, at(1, 8), "the shard with less work is chosen");
    web.push(&task(8, 11_000)).await.unwrap();
    assert_eq!(room([8, 1], 2_500).await, at(2, 1));
    assert_eq!(room([1, 8], 3_000).await, Err(QueueFullError { wait_ms: 500, is_own_backlog: true }), "a client may use two shards");
    assert_eq!(room([1, 2], 6_000).await, at(2, 2), "the other shard of the client has room");
    web.push(&task(2, 79_000)).await.unwrap();
    assert_eq!(room([3, 9], 10).await, Err(QueueFullError { wait_ms: 10, is_own_backlog: false }));
    assert_eq!(
        web.choose_shard(EngineName::Cuda, [3, 9], 10, EngineCapacity::ONE).await.unwrap(),
        at(0, 3),
        "each engine has its own limit"
    );
    let several = EngineCapacity { workers: 2, places: 4 };
    assert_eq!(web.choose_shard(CPU, [3, 9], 10, several).await.unwrap(), at(3, 3), "the limit grows with the workers");
    web.push(&task(4, 100_000)).await.unwrap();
    let full = Err(QueueFullError { wait_ms: 100, is_own_backlog: false });
    assert_eq!(web.choose_shard(CPU, [3, 9], 400, several).await.unwrap(), full, "four slots work off the queue");
}

#[tokio::test(flavor = "multi_thread")]
async fn removed_job_is_not_delivered_and_may_be_queued_for_another_engine() {
    let Some(server) = Server::start() else { return };
    let (web, mut worker) = (queue(&server).await, worker(&server).await);
    let (one, two) = (QueuedJob { engine: EngineName::Cuda, ..task(5, 10) }, task(5, 20));
    web.push(&one).await.unwrap();
    web.push(&two).await.unwrap();
    assert_eq!((web.remove(one.job).await.unwrap(), web.remove(one.job).await.unwrap()), (1, 0));
    assert_eq!(named(&web).await, [two.job]);
    // The same attempt, within the window in which it is added once.
    web.push(&QueuedJob { engine: CPU, ..one }).await.unwrap();
    let taken = [soon(&mut worker).await, soon(&mut worker).await];
    assert!(taken.iter().any(|taken| taken.task == QueuedJob { engine: CPU, ..one }));
    assert_eq!(web.remove(two.job).await.unwrap(), 1, "a running job is removed too");
    for taken in &taken {
        taken.done().await;
    }
    sleep(Duration::from_millis(200)).await;
    assert!(named(&web).await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn queue_survives_a_restart_and_unreadable_messages_are_skipped() {
    let Some(mut server) = Server::start() else { return };
    let (web, mut worker) = (queue(&server).await, worker(&server).await);
    let one = task(5, 10);
    web.push(&one).await.unwrap();
    web.nats.jetstream.publish("work.cpu.large.5.10.x", "{\"version\":2}".into()).await.unwrap().await.unwrap();
    server.stop();
    let begin = Instant::now();
    assert!(web.push(&task(5, 10)).await.is_err() && begin.elapsed() < Duration::from_secs(20));
    server.restart();
    while !web.is_connected() || web.messages().await.is_err() {
        assert!(begin.elapsed() < Duration::from_secs(60));
        sleep(Duration::from_millis(100)).await;
    }
    let taken = loop {
        match worker.0.claim_next(&mut worker.1).await {
            Ok(Some(taken)) if taken.task == one => break taken,
            // The rejected job may have been stored nevertheless.
            Ok(Some(other)) => other.done().await,
            _ => sleep(Duration::from_millis(100)).await,
        }
        assert!(begin.elapsed() < Duration::from_secs(60));
    };
    taken.done().await;
}

/// Checks that accepted jobs are taken while each of three servers is killed in turn and jobs come and go.
#[tokio::test(flavor = "multi_thread")]
async fn accepted_jobs_survive_the_loss_of_one_of_three_servers() {
    let Some(mut servers) = Server::cluster() else { return };
    let address = servers.each_ref().map(Server::address).join(",");
    let web = at(&address).await;
    let worker = at(&address).await;
    assert_eq!(web.stream().await.unwrap().cached_info().config.num_replicas, 3);
    let (enough, finished) = tokio::sync::watch::channel(false);
    let taken = tokio::spawn(async move {
        let mut taken = HashSet::new();
        let begin = Instant::now();
        loop {
            assert!(begin.elapsed() < Duration::from_secs(180), "{} jobs were taken", taken.len());
            let Ok(mut shards) = worker.shards(CPU).await else { continue };
            loop {
                match worker.claim_next(&mut shards).await {
                    Ok(Some(next)) => {
                        taken.insert(next.task.job);
                        next.done().await;
                    }
                    Ok(None) if *finished.borrow() && worker.messages().await.is_ok_and(|jobs| jobs.is_empty()) => return taken,
                    Ok(None) => sleep(Duration::from_millis(50)).await,
                    Err(_) => break,
                }
            }
        }
    });
    let mut accepted = HashSet::new();
    for server in &mut servers {
        for number in 0..40 {
            if number == 10 {
                server.stop();
            }
            let task = task(number % 16, 10);
            let begin = Instant::now();
            while let Err(cause) = web.push(&task).await {
                assert!(begin.elapsed() < Duration::from_secs(30), "{cause:#}");
            }
            accepted.insert(task.job);
        }
        server.restart();
        // The next server may be killed once this one has caught up with the others.
        sleep(Duration::from_secs(5)).await;
    }
    enough.send_replace(true);
    let taken = taken.await.unwrap();
    assert!(accepted.is_subset(&taken), "{} of {} accepted jobs were taken", accepted.intersection(&taken).count(), accepted.len());
}
