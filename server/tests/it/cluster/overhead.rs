//! What a site costs beside one process: the same jobs on both in turns. A measurement, which the gate leaves out: `cargo xtask stress overhead`.

#![expect(clippy::print_stdout, reason = "figures are what it is for")]

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::task::block_in_place;

use super::processes::Processes;
use crate::client::{Web, random_dna, typed};
use crate::hosts::until_ready;
use crate::restart::Program;

/// Small jobs on each.
const SMALL: u64 = 300;

/// Large ones on each.
const LARGE: usize = 15;

/// Symbols of each text of a large one.
const MEBI: usize = 1 << 20;

/// From the request to the answer.
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

/// A job on two texts of a mebibyte that differ in one of a hundred symbols.
async fn large(web: &Web) -> Value {
    let a = random_dna(MEBI, 1);
    let mut b = a.clone();
    b.iter_mut().step_by(100).for_each(|symbol| *symbol = b'N');
    json!({ "task": "edit-distance", "a": { "upload": web.upload(a).await }, "b": { "upload": web.upload(b).await } })
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "a measurement: cargo xtask stress overhead"]
async fn what_a_site_takes_longer_than_one_process() {
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
