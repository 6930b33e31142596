//! Cached texts of workers: the next job on the same texts goes to the worker that has them, and nothing is fetched
//! again.

use std::fs;
use std::time::{Duration, Instant};

use async_nats::Subscriber;
use async_nats::jetstream::kv::Store;
use futures::{StreamExt as _, TryStreamExt as _};
use serde_json::{Value, json};
use server::storage::ports::files::ContentHash;
use services::Nats;
use tokio::time::{sleep, timeout};

use super::offers::{client_of, jetstream_of};
use super::{Site, metrics, rest};
use crate::client::{Web, random_dna};
use crate::restart::Program;

/// Bytes of a text that is large enough to wait for its worker, and of one that is cached but not announced.
const LARGE: usize = 1_200_000;
const SHORT: usize = 150_000;

/// Options of reading (ignoring case and white space) under which the same texts are parsed anew, so that only cached
/// copies help.
const READINGS: [(bool, bool); 4] = [(false, false), (true, false), (false, true), (true, true)];

/// Subscriptions of the test to messages of the workers.
struct Heard {
    offers: Store,
    hints: Subscriber,
}

/// Returns counters of a worker: jobs taken, and reads of texts with and without a cached copy.
async fn numbers(worker: &Program) -> [u64; 3] {
    let told = metrics(worker).await;
    let number = |name: &str| {
        let number = told.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.parse().ok());
        number.unwrap_or_default()
    };
    let cached = |found| number(&format!("editscope_disk_cache_reads_total{{found=\"{found}\"}}"));
    [number("editscope_jobs_taken_total{attempt=\"1\"}"), cached("yes"), cached("no")]
}

impl Heard {
    /// Waits until every worker is idle and one of them announces that it has this text in its cache.
    async fn until_named(&self, text: &str) {
        let begin = Instant::now();
        loop {
            let mut workers: Vec<Value> = Vec::new();
            for key in self.offers.keys().await.unwrap().try_collect::<Vec<String>>().await.unwrap() {
                workers.extend(self.offers.get(key).await.unwrap().map(|offer| serde_json::from_slice(&offer).unwrap()));
            }
            let has_it = |worker: &Value| worker["cached"].as_array().is_some_and(|cached| cached.iter().any(|named| named == text));
            if workers.iter().all(|worker| worker["jobs"] == json!([])) && workers.iter().any(has_it) {
                break;
            }
            assert!(begin.elapsed() < Duration::from_secs(30), "{workers:?}");
            sleep(Duration::from_millis(50)).await;
        }
        // Gives the web nodes time to receive the announcement.
        sleep(Duration::from_millis(300)).await;
    }

    /// Solves a job and returns the hint that workers received about it.
    async fn solve(&mut self, web: &Web, texts: &[String; 2], (case_insensitive, ignore_whitespace): (bool, bool)) -> String {
        let options = json!({ "alignment": false, "case_insensitive": case_insensitive, "ignore_whitespace": ignore_whitespace });
        let job = json!({ "task": "edit-distance", "options": options, "a": { "upload": texts[0] }, "b": { "upload": texts[1] } });
        let got = web.post("/api/v1/jobs?fresh=1", &job).await;
        assert_eq!(got.status, 202, "{}", got.text);
        let heard = rest(web.events(got.json()["events_url"].as_str().unwrap()).await).await;
        assert_eq!(heard.last().unwrap().event, "answer", "{heard:?}");
        let hint = timeout(Duration::from_secs(5), self.hints.next()).await.unwrap().unwrap();
        String::from_utf8(hint.payload.to_vec()).unwrap()
    }
}

/// Solves jobs on new texts: one with each reading, and the first one again. Returns the increase of each worker's
/// counters.
async fn several(site: &Site, heard: &mut Heard, seed: u64) -> [[u64; 3]; 2] {
    let web = &site.web[0].web;
    let [large, short] = [random_dna(LARGE, seed), random_dna(SHORT, seed + 1)];
    let name = ContentHash::from_content(&large).prefix().to_string();
    let texts = [web.upload(large).await, web.upload(short).await];
    let before = [numbers(&site.workers[0]).await, numbers(&site.workers[1]).await];
    let hint = heard.solve(web, &texts, READINGS[0]).await;
    assert!(hint.parse::<u8>().is_ok(), "no worker has cached the texts: {hint}");
    for reading in READINGS[1..].iter().chain(&READINGS[..1]) {
        heard.until_named(&name).await;
        let hint = heard.solve(web, &texts, *reading).await;
        assert!(hint.split_once(' ').is_some_and(|(shard, cached)| shard.parse::<u8>().is_ok() && cached == name), "{name}: {hint}");
    }
    let after = [numbers(&site.workers[0]).await, numbers(&site.workers[1]).await];
    let mut grown = [0, 1].map(|at| [0, 1, 2].map(|number| after[at][number] - before[at][number]));
    grown.sort_unstable();
    grown
}

#[tokio::test(flavor = "multi_thread")]
async fn jobs_go_to_the_worker_that_has_cached_their_texts() {
    let Some(mut site) = Site::start("cached", Nats::start().map(|nats| vec![nats])).await else { return };
    let offers = jetstream_of(&site.nats[0]).await.get_key_value("EDITSCOPE_OFFERS").await.unwrap();
    let hints = client_of(&site.nats[0]).await.subscribe("hint.cpu").await.unwrap();
    let mut heard = Heard { offers, hints };
    // One worker takes all jobs and fetches each text once. The last job needs no texts, because the parsed ones are
    // cached.
    let jobs = READINGS.len() as u64 + 1;
    let expected = [[0, 0, 0], [jobs, 2 * (jobs - 2), 2]];
    // The other worker may still take a job in its regular poll every five seconds if the busy machine delays the first
    // one. So the test may use three sets of texts.
    let mut several_times = Vec::new();
    while several_times.last() != Some(&expected) {
        assert!(several_times.len() < 3, "jobs taken, texts found cached and not, of both workers: {several_times:?}");
        several_times.push(several(&site, &mut heard, 10 * several_times.len() as u64).await);
    }
    for (at, worker) in site.workers.drain(..).enumerate() {
        let (folder, taken) = (site.folders[2 + at].path().join("data/disk-cache"), numbers(&worker).await[0]);
        let copies = || fs::read_dir(&folder).unwrap().count();
        assert_eq!(copies() > 0, taken > 0, "{} copies after {taken} jobs", copies());
        tokio::task::spawn_blocking(move || worker.signal("-15")).await.unwrap();
        assert_eq!(copies(), 0, "copies outlive the worker");
    }
}
