//! Clusters of several processes, as on several machines: web nodes and workers on one PostgreSQL, one bucket and NATS.

use std::time::{Duration, Instant};

use kernels::engine::{Cpu, Engine};
use kernels::event::TaskAnswer;
use kernels::job::{JobOptions, Task};
use kernels::run::{NoObserver, Run};
use kernels::text::Pair;
use reqwest::Method;
use serde_json::{Value, json};
use services::{Nats, PASSWORD};
use tempfile::TempDir;
use tokio::time::{sleep, timeout};

use crate::client::{Events, Sent, Web, random_dna, typed};
use crate::hosts::{Services, until_ready};
use crate::restart::Program;

mod admin;
mod cached;
mod collections;
mod encrypted;
mod fair;
mod journeys;
mod offers;
mod outage;
mod overhead;
mod processes;
mod proxy;
mod stress;
mod upgrade;

/// A cluster of two web nodes and two workers.
struct Site {
    web: [Program; 2],
    workers: Vec<Program>,
    nats: Vec<Nats>,
    /// Variables of all processes.
    variables: Vec<(String, String)>,
    folders: Vec<TempDir>,
}

impl Site {
    /// Starts a cluster on these NATS servers.
    async fn start(bucket: &str, nats: Option<Vec<Nats>>) -> Option<Self> {
        Self::with_drain(bucket, nats, "0").await
    }

    /// Starts a cluster whose workers may continue for `drain` seconds when they are told to stop.
    async fn with_drain(bucket: &str, nats: Option<Vec<Nats>>, drain: &str) -> Option<Self> {
        let (services, nats) = (Services::start(bucket)?, nats?);
        let address = nats.iter().map(Nats::address).collect::<Vec<_>>().join(",");
        let files = format!("s3://{bucket}/site");
        let mut folders = Vec::new();
        let mut shared = services.variables(&files);
        shared.extend([("EDITSCOPE_NATS", address.as_str()), ("EDITSCOPE_PROXIES", "1"), ("EDITSCOPE_CHECKPOINT_SECONDS", "0")]);
        let mut start = |roles| {
            let folder = tempfile::tempdir().unwrap();
            let mut variables = shared.clone();
            variables.push(("EDITSCOPE_ROLES", roles));
            variables.extend([("EDITSCOPE_METRICS_ADDRESS", "127.0.0.1:0"), ("EDITSCOPE_DRAIN_SECONDS", drain)]);
            let program = Program::with(folder.path(), &variables);
            folders.push(folder);
            program
        };
        let (web, workers) = ([start("web,sweeper"), start("web")], vec![start("worker"), start("worker")]);
        for program in web.iter().chain(&workers) {
            until_ready(program).await;
        }
        let variables = shared.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        Some(Self { web, workers, nats, variables, folders })
    }

    /// Removes a worker that has a job from the list, and returns it.
    async fn busy_worker(&mut self) -> Program {
        let begin = Instant::now();
        loop {
            for at in 0..self.workers.len() {
                if running(&self.workers[at].web).await > 0 {
                    return self.workers.remove(at);
                }
            }
            assert!(begin.elapsed() < Duration::from_secs(60), "no worker takes the job");
            sleep(Duration::from_millis(20)).await;
        }
    }
}

/// Returns the metrics of a program.
async fn metrics(program: &Program) -> String {
    program.metrics.as_ref().expect("the program has metrics").get("/metrics").await.text
}

fn three() -> Option<Vec<Nats>> {
    Nats::cluster().map(Vec::from)
}

async fn running(web: &Web) -> u64 {
    web.get("/readyz").await.json()["running"].as_u64().unwrap_or_default()
}

/// Creates a job that takes some seconds, and returns it with its answer.
async fn large_job(web: &Web) -> (Value, u64) {
    let [a, b] = [random_dna(LARGE, 3), random_dna(LARGE, 4)];
    let job = json!({ "task": "edit-distance", "options": { "alignment": false },
        "a": { "upload": web.upload(a.clone()).await }, "b": { "upload": web.upload(b.clone()).await } });
    (job, tokio::task::spawn_blocking(move || distance(a, b)).await.unwrap())
}

/// Computes the distance with our engine in this process.
fn distance(a: Vec<u8>, b: Vec<u8>) -> u64 {
    let options = JobOptions { alignment: false, ..JobOptions::default() };
    let pair = Pair::parse(a, b, &options.reading()).unwrap();
    let answer = Engine::Cpu(Cpu { threads: 2 }).run(Task::EditDistance, &options, &pair, &Run::new(&NoObserver)).unwrap().answer;
    let TaskAnswer::EditDistance { distance: Some(distance), .. } = answer else { panic!("an answer of another task") };
    distance
}

/// Creates a large job on other texts.
async fn another_large_job(web: &Web) -> Value {
    let a = web.upload(random_dna(LARGE, 5)).await;
    let b = web.upload(random_dna(LARGE, 6)).await;
    json!({ "task": "edit-distance", "a": { "upload": a }, "b": { "upload": b } })
}

/// Length of each text of a large job, in symbols.
const LARGE: usize = 500_000;

/// Maximum time to the end of a job, whatever happens meanwhile.
const END: Duration = Duration::from_secs(300);

async fn rest(mut events: Events) -> Vec<Sent> {
    let mut all = Vec::new();
    let read = async {
        while let Some(sent) = events.next().await {
            all.push(sent);
        }
    };
    timeout(Duration::from_secs(180), read).await.expect("the stream ends");
    all
}

fn is_last(sent: &Sent) -> bool {
    ["answer", "compared", "failed", "cancelled"].contains(&sent.event.as_str())
}

#[tokio::test(flavor = "multi_thread")]
async fn job_of_one_node_can_be_followed_on_another() {
    let Some(mut site) = Site::start("sites", three()).await else { return };
    assert_eq!(site.web[0].web.solve(&typed("kitten", "sitting")).await["answer"]["distance"], 3, "a brief job is solved by the web node");
    let (job, distance) = large_job(&site.web[0].web).await;
    let id = site.web[0].web.submit(&job).await;
    let address = format!("/api/v1/jobs/{id}");
    let mut events = site.web[1].web.events(&format!("{address}/events")).await;
    let mut first = Vec::new();
    while !first.iter().any(|sent: &Sent| sent.event == "progress") {
        first.push(events.next().await.expect("the stream continues"));
    }
    assert_eq!(site.web[1].web.wait_for(&id, "running").await["id"], id.as_str(), "a poll has the same state");
    // The other node continues from the last number.
    let known = first.last().unwrap().id;
    let again = site.web[0].web.request(Method::GET, &format!("{address}/events")).header("last-event-id", known);
    let again = Events::of(again.send().await.unwrap());
    let (here, there) = tokio::join!(rest(events), rest(again));
    for heard in [&here, &there] {
        assert!(heard.iter().all(|sent| sent.id > known), "an event was received twice");
        assert!(heard.windows(2).all(|pair| pair[0].id < pair[1].id), "event numbers are not ascending");
        assert_eq!(heard.iter().filter(|sent| is_last(sent)).count(), 1);
        assert_eq!(heard.last().unwrap().data["distance"], distance);
    }
    assert_eq!(here.last(), there.last());
    let snapshots = [site.web[0].web.get(&address).await.json(), site.web[1].web.get(&address).await.json()];
    assert_eq!((&snapshots[0], &snapshots[0]["answer"]["distance"]), (&snapshots[1], &json!(distance)));

    // A job that is cancelled on one node ends on the other, and its worker becomes free.
    let slow = site.web[0].web.slow_job().await;
    let id = site.web[0].web.submit(&slow).await;
    let listening = site.web[0].web.events(&format!("/api/v1/jobs/{id}/events")).await;
    let worker = site.busy_worker().await;
    assert_eq!(site.web[1].web.delete(&format!("/api/v1/jobs/{id}")).await.status, 204);
    assert_eq!(rest(listening).await.last().unwrap().event, "cancelled");
    let begin = Instant::now();
    while running(&worker.web).await > 0 {
        assert!(begin.elapsed() < Duration::from_secs(30), "the worker continues a cancelled job");
        sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(site.web[0].web.get(&format!("/api/v1/jobs/{id}")).await.json()["state"], "cancelled");
}

#[tokio::test(flavor = "multi_thread")]
async fn job_of_a_killed_worker_ends_once_with_the_right_answer() {
    let Some(mut site) = Site::start("killed", three()).await else { return };
    let (job, distance) = large_job(&site.web[0].web).await;
    let id = site.web[0].web.submit(&job).await;
    let events = site.web[1].web.events(&format!("/api/v1/jobs/{id}/events")).await;
    let worker = site.busy_worker().await;
    let told = metrics(&site.web[1]).await;
    assert!(told.contains("editscope_site_jobs{engine=\"cpu\"} 1"), "{told}");
    // Also stops a NATS server, whichever is the leader.
    site.nats[0].stop();
    worker.signal("-9");
    let heard = rest(events).await;
    let last = heard.last().unwrap();
    assert_eq!((last.event.as_str(), &last.data["distance"]), ("answer", &json!(distance)), "{heard:?}");
    assert_eq!(heard.iter().filter(|sent| is_last(sent)).count(), 1);
    assert!(heard.windows(2).all(|pair| pair[0].id < pair[1].id) && last.id >> 32 >= 2, "expected a second attempt: {heard:?}");
    let told = metrics(&site.workers[0]).await;
    assert!(told.contains(&format!("editscope_jobs_taken_total{{attempt=\"{}\"}} 1", last.id >> 32)), "{told}");
    assert_eq!(site.web[0].web.get(&format!("/api/v1/jobs/{id}")).await.json()["answer"]["distance"], distance);
}

/// A worker that is told to stop, with time to continue, finishes its job and takes no more.
#[tokio::test(flavor = "multi_thread")]
async fn drained_worker_finishes_its_job_and_takes_no_more() {
    let Some(mut site) = Site::with_drain("drained", Nats::start().map(|nats| vec![nats]), "120").await else { return };
    let web = site.web[0].web.clone();
    let (job, distance) = large_job(&web).await;
    let id = web.submit(&job).await;
    let events = web.events(&format!("/api/v1/jobs/{id}/events")).await;
    let worker = site.busy_worker().await;
    // No other worker could take the next job.
    drop(site.workers.pop());
    let health = worker.web.clone();
    let stopped = tokio::task::spawn_blocking(move || worker.signal("-15"));
    let begin = Instant::now();
    while health.get("/readyz").await.status == 200 {
        assert!(begin.elapsed() < Duration::from_secs(10), "the worker still reports that it is ready");
        sleep(Duration::from_millis(20)).await;
    }
    let next = web.submit(&another_large_job(&web).await).await;
    let heard = rest(events).await;
    let last = heard.last().unwrap();
    assert_eq!((&last.data["distance"], last.id >> 32), (&json!(distance), 1), "the first attempt ended the job");
    stopped.await.unwrap();
    assert_eq!(web.get(&format!("/api/v1/jobs/{next}")).await.json()["state"], "queued");
}

/// A worker that is told to stop returns its job at once.
#[tokio::test(flavor = "multi_thread")]
async fn job_of_a_stopping_worker_moves_to_another_worker() {
    let Some(mut site) = Site::start("stopped", three()).await else { return };
    let (job, distance) = large_job(&site.web[0].web).await;
    let id = site.web[0].web.submit(&job).await;
    let events = site.web[0].web.events(&format!("/api/v1/jobs/{id}/events")).await;
    let worker = site.busy_worker().await;
    let took = tokio::task::spawn_blocking(move || worker.signal("-15")).await.unwrap();
    assert!(took < Duration::from_secs(10), "{took:?}");
    let heard = rest(events).await;
    assert_eq!(heard.last().unwrap().data["distance"], distance, "{heard:?}");
    assert_eq!(heard.iter().filter(|sent| is_last(sent)).count(), 1, "{heard:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn outage_of_nats_is_reported_and_temporary() {
    let Some(mut site) = Site::start("away", Nats::start().map(|nats| vec![nats])).await else { return };
    let web = site.web[0].web.clone();
    let (job, distance) = large_job(&web).await;
    let running = web.submit(&job).await;
    let worker = site.busy_worker().await;
    site.nats[0].stop();
    assert_eq!(web.solve(&typed("kitten", "mitten")).await["answer"]["distance"], 1, "brief jobs need no queue");
    let refused = web.post("/api/v1/jobs?fresh=1", &job).await;
    assert!(refused.status == 503 && !refused.text.contains(PASSWORD), "{}", refused.text);
    assert_eq!(web.get("/readyz").await.status, 503);
    // Jobs also survive the loss of all data of the NATS servers.
    site.nats[0].forget();
    site.nats[0].restart();
    until_ready(&site.web[0]).await;
    let events = web.events(&format!("/api/v1/jobs/{running}/events")).await;
    assert_eq!(rest(events).await.last().unwrap().data["distance"], distance);
    drop(worker);
}

#[test]
fn unreachable_nats_is_reported_at_the_start() {
    let (Some(services), folder) = (Services::start("unreached"), tempfile::tempdir().unwrap()) else { return };
    let mut variables = services.variables("s3://unreached/one");
    let address = format!("nats://editscope:{PASSWORD}@127.0.0.1:9");
    variables.push(("EDITSCOPE_NATS", &address));
    let said = Program::refused(folder.path(), &variables);
    assert!(said.contains("cannot connect to nats://127.0.0.1:9"), "{said}");
    assert!(!said.contains(PASSWORD), "{said}");
}
