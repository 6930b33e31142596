//! Overhead of a cluster compared to one process: the same jobs on both in turns. This measurement is not part of the
//! gate: `cargo xtask stress overhead`.

#![expect(clippy::print_stdout, reason = "figures are what it is for")]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_nats::ConnectOptions;
use futures::StreamExt as _;
use kernels::plan::EngineName;
use serde_json::{Value, json};
use server::storage::ports::nats::NatsConnection;
use server::storage::ports::queue::nats::WorkQueue;
use services::PASSWORD;
use tokio::task::block_in_place;
use tokio::time::sleep;

use super::processes::Processes;
use crate::client::{Web, random_dna, typed};
use crate::hosts::until_ready;
use crate::restart::Program;

/// Number of small jobs on each.
const SMALL: u64 = 300;

/// Number of large jobs on each.
const LARGE: usize = 15;

/// Length of each text of a large job, in symbols.
const MEBI: usize = 1 << 20;

/// Measures the time from the request to the answer.
async fn took(web: &Web, job: &Value) -> Duration {
    let begin = Instant::now();
    let got = web.post("/api/v1/jobs?wait=30&fresh=1", job).await;
    assert_eq!(got.status, 200, "{}", got.text);
    begin.elapsed()
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    1e3 * times[times.len() / 2].as_secs_f64()
}

/// Creates a job on two texts of a mebibyte that differ in one of a hundred symbols.
async fn large(web: &Web) -> Value {
    let a = random_dna(MEBI, 1);
    let mut b = a.clone();
    b.iter_mut().step_by(100).for_each(|symbol| *symbol = b'N');
    json!({ "task": "edit-distance", "a": { "upload": web.upload(a).await }, "b": { "upload": web.upload(b).await } })
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "a measurement: cargo xtask stress overhead"]
async fn extra_time_of_a_cluster_over_one_process_is_measured() {
    let Some(site) = Processes::start("overhead").await else { return };
    let folder = tempfile::tempdir().unwrap();
    let alone = block_in_place(|| Program::with(folder.path(), &[]));
    until_ready(&alone).await;
    let (alone, site) = (&alone.web, &site.programs[0].web);
    let mut small = [Vec::new(), Vec::new()];
    for number in 0..SMALL {
        let texts = [1, 2].map(|side| String::from_utf8(random_dna(200, number * 2 + side)).unwrap());
        let job = typed(&texts[0], &texts[1]);
        small[0].push(took(alone, &job).await);
        small[1].push(took(site, &job).await);
    }
    let jobs = [large(alone).await, large(site).await];
    let mut large = [Vec::new(), Vec::new()];
    for _ in 0..LARGE {
        large[0].push(took(alone, &jobs[0]).await);
        large[1].push(took(site, &jobs[1]).await);
    }
    for (what, times) in [("small job", small), ("1 Mi × 1 Mi job", large)] {
        let [alone, site] = times.map(median);
        println!("{what}: median {alone:.2} ms by one process, {site:.2} ms by a site, {:.2} ms more", site - alone);
    }
}

/// Number of jobs that are queued for counting messages.
const QUEUED: usize = 10;

/// Duration for which an idle cluster is observed.
const IDLE: Duration = Duration::from_secs(20);

/// Number of messages in NATS, by the first words of their subjects.
#[derive(Clone, Default)]
struct Messages(Arc<Mutex<BTreeMap<String, u64>>>);

impl Messages {
    async fn heard(address: &str) -> Self {
        let servers: Vec<async_nats::ServerAddr> = address.split(',').map(|one| one.parse().unwrap()).collect();
        let client = ConnectOptions::with_user_and_password("editscope".into(), PASSWORD.into()).connect(servers).await.unwrap();
        let (all, mut said) = (Self::default(), client.subscribe(">").await.unwrap());
        client.flush().await.unwrap();
        let counted = all.clone();
        tokio::spawn(async move {
            while let Some(message) = said.next().await {
                let words: Vec<&str> = message.subject.split('.').collect();
                let known = match words[..] {
                    ["$JS", "API", "CONSUMER", "MSG", ..] => "asked for a job",
                    ["$JS", "API", ..] => "other requests to JetStream",
                    ["$JS", "ACK", ..] => "said of a job that a worker has",
                    ["$KV", ..] => "offers",
                    ["_INBOX", ..] => "answers",
                    [first, ..] => first,
                    [] => "",
                };
                *counted.0.lock().unwrap().entry(known.to_owned()).or_default() += 1;
            }
        });
        all
    }

    fn take(&self) -> BTreeMap<String, u64> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

/// Returns the total numbers of committed transactions and of written rows in PostgreSQL.
async fn written(pool: &sqlx::PgPool) -> [i64; 2] {
    // PostgreSQL publishes its statistics a second later.
    sleep(Duration::from_secs(2)).await;
    let sums = "SELECT xact_commit, tup_inserted + tup_updated FROM pg_stat_database WHERE datname = current_database()";
    let (commits, rows) = sqlx::query_as::<_, (i64, i64)>(sums).fetch_one(pool).await.unwrap();
    [commits, rows]
}

/// Number of concurrent workers that ask for jobs.
const ASKING: u64 = 64;

/// Measures how many empty polls per second these NATS servers answer, beside all other load of this machine.
async fn asked_a_second(address: &str) -> f64 {
    let queue = WorkQueue::open(NatsConnection::connect(&address.parse().unwrap()).await.unwrap(), 1).await.unwrap();
    let mut shards = Vec::new();
    for _ in 0..ASKING {
        shards.push(queue.shards(EngineName::Cuda).await.unwrap());
    }
    let begin = Instant::now();
    let asked = shards.into_iter().zip(0..).map(|(mut shards, at): (_, u8)| {
        let queue = queue.clone();
        tokio::spawn(async move {
            let mut asked = 0;
            while begin.elapsed() < IDLE / 4 {
                assert!(queue.claim_from_shard(&mut shards, at % 16).await.unwrap().is_none());
                asked += 1;
            }
            asked
        })
    });
    let asked = futures::future::try_join_all(asked).await.unwrap().into_iter().sum::<u32>();
    f64::from(asked) / begin.elapsed().as_secs_f64()
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "a measurement: cargo xtask stress overhead"]
async fn messages_and_writes_of_a_cluster_per_job_are_measured() {
    let Some(site) = Processes::start("said").await else { return };
    let web = &site.programs[0].web;
    let pool = sqlx::PgPool::connect(site.database()).await.unwrap();
    let pairs = [1, 2].map(|seed| random_dna(MEBI / 8, seed));
    let [a, b] = [web.upload(pairs[0].clone()).await, web.upload(pairs[1].clone()).await];
    // These jobs are too long for a web node, so that they are queued.
    let job = json!({ "task": "lcs", "options": { "method": "bit-parallel" }, "a": { "upload": a }, "b": { "upload": b } });
    took(web, &job).await;
    let (messages, before) = (Messages::heard(&site.address).await, written(&pool).await);
    messages.take();
    sleep(IDLE).await;
    let (idle, after) = (messages.take(), written(&pool).await);
    let a_second = |count: u64| count as f64 / IDLE.as_secs_f64();
    println!("a site of two workers with nothing to do, a second: {:.1} commits", a_second((after[0] - before[0]) as u64));
    idle.iter().for_each(|(what, count)| println!("    {what}: {:.1}", a_second(*count)));
    messages.take();
    let begin = Instant::now();
    let mut times = Vec::new();
    for _ in 0..QUEUED {
        times.push(took(web, &job).await);
    }
    let (said, long, last) = (messages.take(), begin.elapsed().as_secs_f64(), written(&pool).await);
    let [commits, rows] = [0, 1].map(|at| (last[at] - after[at]) as f64 / QUEUED as f64);
    println!("a queued job, median {:.0} ms: {commits:.1} commits, {rows:.1} rows", median(times));
    for (what, count) in said {
        let unasked = a_second(idle.get(&what).copied().unwrap_or_default()) * long;
        println!("    {what}: {:.1}", (count as f64 - unasked) / QUEUED as f64);
    }
    println!("{:.0} times a second {ASKING} workers are told that there is no job", asked_a_second(&site.address).await);
}
