//! A cluster under load while one process or service of each kind is killed, again and again. It takes minutes, so that
//! the gate leaves it out: `cargo xtask stress cluster`.

#![expect(clippy::print_stdout, reason = "figures are what it is for")]

use std::env;
use std::net::Ipv4Addr;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use reqwest::{Method, Response};
use serde_json::{Value, json};
use tokio::sync::Mutex;
use tokio::task::{JoinSet, block_in_place};
use tokio::time::{sleep, timeout};

use super::processes::{Processes, SWEEPER};
use super::{END, distance, is_last, metrics};
use crate::client::{Events, Web, random_dna, typed};

/// Number of concurrent clients, each with its own address.
const CLIENTS: usize = 50;

/// One of this many jobs is too long for a web node.
const LONG_EVERY: usize = 50;

/// Length of each text of a long job, in symbols.
const LONG: usize = 500_000;

/// Length of each text of a brief job, in symbols.
const BRIEF: usize = 300;

/// One of this many jobs has its result shared by a link.
const LINK_EVERY: usize = 20;

/// Number of pending long jobs of the greedy client, once half of all jobs have been sent.
const GREEDY: usize = 40;

/// Maximum factor by which the greedy client may slow down long jobs of others. Fair sharing by two takes twice as
/// long, and the limit allows twice that.
const SLOWER: f64 = 4.0;

/// Delay before a client retries if no server accepted its request.
const AGAIN: Duration = Duration::from_millis(200);

/// Reads a setting from the environment, or returns `default`.
fn setting<T: FromStr>(name: &str, default: T) -> T {
    env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// The state that all clients share.
struct Load {
    /// Current addresses of the web nodes.
    web: Mutex<[Web; 2]>,
    /// Long jobs and their answers.
    long: Vec<(Value, u64)>,
    next: AtomicUsize,
    jobs: usize,
    is_over: AtomicBool,
    /// Whether the greedy client sends jobs.
    is_greedy: AtomicBool,
    /// Created links with the distances of their results.
    links: Mutex<Vec<(String, u64)>>,
}

/// The observations of one client.
#[derive(Debug, Default)]
struct Seen {
    /// Number of accepted jobs.
    accepted: usize,
    /// Number of repeated requests because a server was missing, stopping or overloaded.
    again: usize,
    /// Number of broken event streams that were resumed.
    broken: usize,
    /// Number of jobs that took more than one attempt.
    attempts: usize,
    /// Seconds that long jobs took, without and with the greedy client.
    long: [Vec<f64>; 2],
    /// Violations of the expected behavior.
    wrong: Vec<String>,
}

impl Load {
    async fn any_web(&self, number: usize) -> Web {
        self.web.lock().await[number % 2].clone()
    }

    /// Runs a client that sends one job after the other and follows each to its end.
    async fn client(self: Arc<Self>, number: usize) -> Seen {
        let mut seen = Seen::default();
        let address = Ipv4Addr::from(0x0A01_0000 + number as u32).to_string();
        loop {
            let at = self.next.fetch_add(1, Relaxed);
            if at >= self.jobs {
                return seen;
            }
            let (job, wanted) = self.job(at);
            let (begin, is_greedy) = (Instant::now(), self.is_greedy.load(Relaxed));
            let id = self.accepted(&job, &address, &format!("stress-{at}"), &mut seen).await;
            seen.accepted += 1;
            match timeout(END, self.follow(&id, &address, at, &mut seen)).await {
                Ok(Some(last)) if last["distance"] == wanted => {
                    if at.is_multiple_of(LONG_EVERY) && is_greedy == self.is_greedy.load(Relaxed) {
                        seen.long[usize::from(is_greedy)].push(begin.elapsed().as_secs_f64());
                    }
                }
                Ok(Some(last)) => seen.wrong.push(format!("{id}: {last} in place of {wanted}")),
                Ok(None) => {}
                Err(_) => seen.wrong.push(format!("{id}: its end is not heard")),
            }
            match timeout(END, self.snapshot(&id, &address, at)).await {
                Ok(snapshot) if snapshot["answer"]["distance"] == wanted => {
                    if at.is_multiple_of(LINK_EVERY) {
                        let link = self.link(&id, &address, at).await;
                        self.links.lock().await.push((link, wanted));
                    }
                }
                Ok(snapshot) => seen.wrong.push(format!("{id}: {snapshot} in place of {wanted}")),
                Err(_) => seen.wrong.push(format!("{id}: no snapshot")),
            }
        }
    }

    fn job(&self, at: usize) -> (Value, u64) {
        if at.is_multiple_of(LONG_EVERY) {
            return self.long[at / LONG_EVERY % self.long.len()].clone();
        }
        let texts = [1, 2].map(|side| String::from_utf8(random_dna(BRIEF, at as u64 * 2 + side)).unwrap());
        let wanted = distance(texts[0].clone().into_bytes(), texts[1].clone().into_bytes());
        (typed(&texts[0], &texts[1]), wanted)
    }

    /// Sends a job until a server has accepted it. The idempotency key makes all tries one job, whichever server
    /// answers.
    async fn accepted(&self, job: &Value, address: &str, key: &str, seen: &mut Seen) -> String {
        for attempt in key.len().. {
            let web = self.any_web(attempt).await;
            let sent = web.request(Method::POST, "/api/v1/jobs?fresh=1").header("x-forwarded-for", address);
            let sent = sent.header("idempotency-key", key).body(job.to_string()).send().await;
            if let Ok(response) = sent
                && response.status().is_success()
                && let Some(told) = told(response).await
            {
                return told["id"].as_str().unwrap().to_owned();
            }
            seen.again += 1;
            sleep(AGAIN).await;
        }
        unreachable!("the loop ends with an accepted job")
    }

    /// Follows the events of a job on alternating nodes, and returns the last one. Notes a lost job.
    async fn follow(&self, id: &str, address: &str, at: usize, seen: &mut Seen) -> Option<Value> {
        let mut known = None;
        for attempt in at.. {
            let web = self.any_web(attempt).await;
            let mut asked = web.request(Method::GET, &format!("/api/v1/jobs/{id}/events")).header("x-forwarded-for", address);
            if let Some(known) = known {
                asked = asked.header("last-event-id", known);
            }
            match asked.send().await {
                Ok(response) if response.status() == 200 => {
                    let mut events = Events::of(response);
                    while let Ok(Some(sent)) = events.try_next().await {
                        if known.is_some_and(|known| sent.id <= known) {
                            seen.wrong.push(format!("{id}: event {} after {known:?}", sent.id));
                        }
                        known = Some(sent.id);
                        if is_last(&sent) {
                            seen.attempts += usize::from(sent.id >> 32 > 1);
                            return Some(sent.data);
                        }
                    }
                    seen.broken += 1;
                }
                Ok(response) if response.status() == 404 => {
                    seen.wrong.push(format!("{id} is not known any more"));
                    return None;
                }
                _ => {}
            }
            sleep(AGAIN).await;
        }
        None
    }

    /// Creates a link to a job's result on any node. If a node was killed before it answered, a link without owner
    /// remains.
    async fn link(&self, id: &str, address: &str, at: usize) -> String {
        for attempt in at.. {
            let web = self.any_web(attempt).await;
            let wanted = json!({ "job": id, "lifetime": "1d" }).to_string();
            let asked = web.request(Method::POST, "/api/v1/links").header("x-forwarded-for", address).body(wanted);
            if let Ok(response) = asked.send().await
                && response.status() == 201
                && let Some(told) = told(response).await
            {
                return told["id"].as_str().unwrap().to_owned();
            }
            sleep(AGAIN).await;
        }
        unreachable!("the loop ends with a created link")
    }

    /// Returns the links that do not lead to their results.
    async fn lost_links(&self) -> Vec<String> {
        let mut lost = Vec::new();
        for (at, (link, wanted)) in self.links.lock().await.iter().enumerate() {
            let got = self.any_web(at).await.get(&format!("/api/v1/links/{link}")).await;
            if got.status != 200 || got.json()["answer"]["distance"] != *wanted {
                lost.push(format!("link {link}: {} {}", got.status, got.text));
            }
        }
        lost
    }

    /// Runs a client with many pending long jobs, once half of all jobs have been sent. It repeats refused jobs and
    /// follows none.
    async fn greedy(self: Arc<Self>, number: usize) {
        let address = Ipv4Addr::from(0x0A03_0001).to_string();
        let mut seen = Seen::default();
        for at in 0.. {
            while self.next.load(Relaxed) < self.jobs / 2 {
                sleep(AGAIN).await;
            }
            self.is_greedy.store(true, Relaxed);
            if self.is_over.load(Relaxed) || self.next.load(Relaxed) >= self.jobs {
                return;
            }
            let (job, _) = &self.long[at % self.long.len()];
            let id = self.accepted(job, &address, &format!("greedy-{number}-{at}"), &mut seen).await;
            while !self.is_over.load(Relaxed) && self.next.load(Relaxed) < self.jobs {
                let snapshot = self.snapshot(&id, &address, at).await;
                if ["succeeded", "failed", "cancelled"].iter().any(|state| snapshot["state"] == *state) {
                    break;
                }
                sleep(AGAIN).await;
            }
        }
    }

    async fn snapshot(&self, id: &str, address: &str, at: usize) -> Value {
        for attempt in at.. {
            let web = self.any_web(attempt).await;
            let asked = web.request(Method::GET, &format!("/api/v1/jobs/{id}")).header("x-forwarded-for", address);
            if let Ok(response) = asked.send().await
                && response.status() == 200
                && let Some(told) = told(response).await
            {
                return told;
            }
            sleep(AGAIN).await;
        }
        unreachable!("the loop ends with an answer")
    }
}

/// Returns the whole answer, or `None` if the server was killed meanwhile.
async fn told(response: Response) -> Option<Value> {
    serde_json::from_str(&response.text().await.ok()?).ok()
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes minutes: cargo xtask stress cluster"]
async fn every_accepted_job_ends_once_while_processes_are_killed() {
    let Some(mut site) = Processes::start("stress").await else { return };
    let (jobs, pause) = (setting("EDITSCOPE_STRESS_JOBS", 10_000), Duration::from_secs(setting("EDITSCOPE_STRESS_PAUSE", 60)));
    let mut long = Vec::new();
    for pair in 0..4 {
        let [a, b] = [random_dna(LONG, pair * 2 + 11), random_dna(LONG, pair * 2 + 12)];
        let web = &site.programs[0].web;
        let uploads = [web.upload(a.clone()).await, web.upload(b.clone()).await];
        let job = json!({ "task": "edit-distance", "options": { "alignment": false }, "a": { "upload": uploads[0] }, "b": { "upload": uploads[1] } });
        long.push((job, block_in_place(|| distance(a, b))));
    }
    let web = Mutex::new([site.programs[0].web.clone(), site.programs[1].web.clone()]);
    let load = Arc::new(Load {
        web,
        long,
        next: AtomicUsize::new(0),
        jobs,
        is_over: AtomicBool::default(),
        is_greedy: AtomicBool::default(),
        links: Mutex::default(),
    });
    let begin = Instant::now();
    let mut clients = JoinSet::new();
    for number in 0..CLIENTS {
        clients.spawn(load.clone().client(number));
    }
    let mut greedy = JoinSet::new();
    for number in 0..GREEDY {
        greedy.spawn(load.clone().greedy(number));
    }
    let killing = {
        let load = load.clone();
        tokio::spawn(async move {
            let mut rounds = 0;
            while !load.is_over.load(Relaxed) {
                sleep(pause).await;
                site.kill_one_of_each(rounds, &load.web).await;
                rounds += 1;
            }
            (site, rounds)
        })
    };
    let mut all = Seen::default();
    while let Some(seen) = clients.join_next().await {
        let Seen { accepted, again, broken, attempts, long, wrong } = seen.unwrap();
        for (all, long) in all.long.iter_mut().zip(long) {
            all.extend(long);
        }
        (all.accepted, all.again, all.broken, all.attempts) =
            (all.accepted + accepted, all.again + again, all.broken + broken, all.attempts + attempts);
        all.wrong.extend(wrong);
    }
    let seconds = begin.elapsed().as_secs_f64();
    load.is_over.store(true, Relaxed);
    let (site, rounds) = killing.await.unwrap();
    println!(
        "{} jobs in {seconds:.0} s, one of everything killed {rounds} times: asked {} times more, {} streams broken, {} jobs of several attempts, {} wrong",
        all.accepted,
        all.again,
        all.broken,
        all.attempts,
        all.wrong.len()
    );
    let medians = all.long.map(median);
    println!("  a long job took {:.2} s, and {:.2} s beside a client with {GREEDY} of them, at the median", medians[0], medians[1]);
    all.wrong.extend(load.lost_links().await);
    println!("  {} links were made", load.links.lock().await.len());
    for program in &site.programs[2..SWEEPER] {
        let told = metrics(program).await;
        let taken = told.lines().filter(|line| line.starts_with("editscope_jobs_taken_total"));
        taken.for_each(|line| println!("  {line}"));
    }
    assert!(all.wrong.is_empty(), "{:#?}", &all.wrong[..all.wrong.len().min(20)]);
    assert_eq!(all.accepted, jobs);
    let is_known = medians.iter().all(|median| median.is_finite());
    assert!(!is_known || medians[1] <= SLOWER * medians[0], "one client slows others down: {medians:?}");
}

/// Returns the median, or NaN for an empty list.
fn median(mut of: Vec<f64>) -> f64 {
    of.sort_by(f64::total_cmp);
    of.get(of.len() / 2).copied().unwrap_or(f64::NAN)
}
