//! Offers of workers: web nodes plan by them, whatever engines they have themselves, and list them.

use std::time::{Duration, Instant};

use async_nats::jetstream::kv::Store;
use async_nats::jetstream::{self, Context};
use async_nats::{Client, ConnectOptions};
use futures::TryStreamExt as _;
use kernels::job::Task;
use serde_json::{Value, json};
use services::{Nats, PASSWORD};
use tokio::time::sleep;

use super::{Site, another_large_job, large_job, metrics, rest};
use crate::client::{Web, typed};

/// Connects the test itself to a NATS server of the cluster.
pub(super) async fn client_of(nats: &Nats) -> Client {
    server::storage::tls::provide();
    let options = ConnectOptions::with_user_and_password("editscope".into(), PASSWORD.into());
    options.connect(nats.address().split_once('@').unwrap().1).await.unwrap()
}

/// Opens JetStream for messages of the test itself.
pub(super) async fn jetstream_of(nats: &Nats) -> Context {
    jetstream::new(client_of(nats).await)
}

/// Creates the offer of a worker with a GPU that does not exist, in format `version`.
fn of_a_gpu(host: &str, version: u32) -> Value {
    let tasks: Vec<Value> = Task::ALL.iter().map(|task| json!({ "task": task, "cells_per_second": 1e15 })).collect();
    let limits = json!({ "cells": u64::MAX, "seconds": 1_000_000, "symbols": u64::MAX, "alphabet": u64::MAX });
    let offer = json!({ "engine": "cuda", "place": "server", "device": "Imaginary GPU", "tasks": tasks, "start_ms": 0.2,
        "bytes_per_second": 1e9, "limits": limits, "version": "1" });
    json!({ "version": version, "id": format!("{host}-1"), "host": host, "takes": "jobs",
        "engines": [{ "offer": offer, "delays": [], "places": 1 }], "jobs": [] })
}

async fn offer(offers: &Store, worker: &Value) {
    offers.put(worker["id"].as_str().unwrap(), worker.to_string().into()).await.unwrap();
}

/// Polls the engine list of a web node until it fulfils `is`.
async fn until(web: &Web, is: impl Fn(&Value) -> bool) -> Value {
    let begin = Instant::now();
    loop {
        let engines = web.get("/api/v1/engines").await.json();
        if is(&engines) {
            return engines;
        }
        assert!(begin.elapsed() < Duration::from_secs(40), "{engines}");
        sleep(Duration::from_millis(50)).await;
    }
}

fn names(engines: &Value) -> Vec<&str> {
    engines["hosts"].as_array().into_iter().flatten().map(|host| host["name"].as_str().unwrap()).collect()
}

/// Counts the devices of all hosts.
fn devices(engines: &Value) -> usize {
    engines["hosts"].as_array().into_iter().flatten().map(|host| host["devices"].as_array().unwrap().len()).sum()
}

#[tokio::test(flavor = "multi_thread")]
async fn web_node_without_a_gpu_plans_for_a_worker_with_a_gpu() {
    let Some(site) = Site::start("offers", Nats::start().map(|nats| vec![nats])).await else { return };
    let web = &site.web[0].web;
    let own = until(web, |engines| devices(engines) == 2).await;
    assert_eq!((names(&own).len(), own["offers"].as_array().unwrap().len()), (1, 1), "one host, one kind of device: {own}");
    assert!(!web.get("/limits").await.text.contains("<th>Host</th>"));

    let context = jetstream_of(&site.nats[0]).await;
    let offers = context.get_key_value("EDITSCOPE_OFFERS").await.unwrap();
    offer(&offers, &of_a_gpu("later.example", 2)).await;
    offer(&offers, &of_a_gpu("gpu-1.example", 1)).await;
    for node in &site.web {
        let engines = until(&node.web, |engines| names(engines).contains(&"gpu-1.example")).await;
        assert_eq!((names(&engines).len(), devices(&engines)), (2, 3), "the offer of another version is not ignored: {engines}");
        let device = &engines["hosts"].as_array().unwrap().iter().find(|host| host["name"] == "gpu-1.example").unwrap()["devices"][0];
        assert_eq!(*device, json!({ "engine": "cuda", "device": "Imaginary GPU", "places": 1 }));
        assert!(engines["offers"].as_array().unwrap().iter().any(|offer| offer["engine"] == "cuda"), "{engines}");
    }
    let limits = web.get("/limits").await.text;
    assert!(limits.contains("<th>Host</th>") && limits.contains("<td>gpu-1.example</td>"), "{limits}");

    // A brief job is solved by the web node; a large one waits for the GPU that does not exist.
    assert_eq!(web.solve(&typed("kitten", "sitting")).await["plan"]["engine"], "cpu");
    let (job, distance) = large_job(web).await;
    // The queue holds one hour of work per worker, and two hours for two. All work lies in one shard, because this client
    // has two different shards: with work in both of them its own backlog would be the reason of the refusal.
    for number in 0..4 {
        let quarter = format!("work.cuda.large.1.900000.000000000000000000000000{number:02}");
        context.publish(quarter, "{}".into()).await.unwrap().await.unwrap();
    }
    sleep(Duration::from_millis(1_500)).await;
    offer(&offers, &of_a_gpu("gpu-1.example", 1)).await;
    until(web, |engines| names(engines).contains(&"gpu-1.example")).await;
    let refused = web.post("/api/v1/jobs", &job).await;
    refused.problem(429, "queue-full");
    offer(&offers, &of_a_gpu("gpu-2.example", 1)).await;
    until(web, |engines| names(engines).contains(&"gpu-2.example")).await;
    let waiting = web.submit(&job).await;
    let work = context.get_stream("EDITSCOPE_WORK").await.unwrap();
    let subjects: Vec<(String, usize)> = work.info_with_subjects("work.>").await.unwrap().try_collect().await.unwrap();
    assert!(subjects.iter().any(|(subject, _)| subject.starts_with("work.cuda.") && subject.ends_with(&waiting)), "{subjects:?}");
    let told = metrics(&site.web[0]).await;
    for line in
        ["editscope_site_jobs{engine=\"cuda\"} 5", "editscope_site_workers{engine=\"cuda\"} 2", "editscope_site_workers{engine=\"cpu\"} 2"]
    {
        assert!(told.contains(line), "{line} in {told}");
    }
    assert_eq!(web.get(&format!("/api/v1/jobs/{waiting}")).await.json()["state"], "queued");

    // Once the GPU workers are gone, the next job is planned for the remaining CPUs.
    for worker in ["gpu-1.example-1", "gpu-2.example-1"] {
        offers.delete(worker).await.unwrap();
    }
    until(web, |engines| names(engines).len() == 1).await;
    let solved = web.submit(&job).await;
    let heard = rest(web.events(&format!("/api/v1/jobs/{solved}/events")).await).await;
    assert_eq!(heard.last().unwrap().data["distance"], distance, "{heard:?}");
    assert_eq!(web.delete(&format!("/api/v1/jobs/{waiting}")).await.status, 204);
}

#[tokio::test(flavor = "multi_thread")]
async fn cluster_without_workers_reports_it_and_solves_brief_jobs() {
    let Some(mut site) = Site::start("idle", Nats::start().map(|nats| vec![nats])).await else { return };
    let web = site.web[0].web.clone();
    until(&web, |engines| devices(engines) == 2).await;
    let stops = site.workers.remove(0);
    let begin = Instant::now();
    tokio::task::spawn_blocking(move || stops.signal("-15")).await.unwrap();
    until(&web, |engines| devices(engines) == 1).await;
    assert!(begin.elapsed() < Duration::from_secs(8), "a worker that stops takes its offer back: {:?}", begin.elapsed());
    let killed = Instant::now();
    site.workers.remove(0).signal("-9");
    let alone = until(&web, |engines| devices(engines) == 0).await;
    assert!(killed.elapsed() < Duration::from_secs(30), "the offer of a killed worker expires: {:?}", killed.elapsed());
    assert!(alone.get("hosts").is_none() && alone["offers"][0]["engine"] == "cpu", "the node offers its own engine: {alone}");
    let asked = Instant::now();
    let refused = loop {
        let refused = web.post("/api/v1/jobs", &another_large_job(&web).await).await;
        refused.problem(503, "not-ready");
        // On a busy machine NATS may take longer to list the workers than the server waits.
        if !refused.text.contains("cannot reach its queue") || asked.elapsed() > Duration::from_secs(30) {
            break refused;
        }
    };
    assert!(refused.text.contains("No worker") && refused.header("retry-after") == "30", "{}", refused.text);
    assert_eq!(web.solve(&typed("kitten", "mitten")).await["answer"]["distance"], 1);
}
