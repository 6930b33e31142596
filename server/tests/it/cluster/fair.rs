//! Fairness in a cluster: one client sends many jobs at once, others send one each.

use std::iter;
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex};

use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use services::Nats;
use tokio::task::JoinSet;

use super::{Site, is_last};
use crate::client::{Events, Web, random_dna};

/// Number of jobs of the greedy client, and number of other clients with one job each.
const MANY: usize = 40;
const OTHERS: usize = 9;

/// Length of each text in symbols, too long for a web node.
const LONG: usize = 400_000;

/// Creates a request of client number `client`.
fn asked(web: &Web, method: Method, path: &str, client: usize) -> RequestBuilder {
    web.request(method, path).header("x-forwarded-for", Ipv4Addr::from(0x0A02_0000 + client as u32).to_string())
}

async fn sent(web: &Web, client: usize, job: &Value) -> String {
    let response = asked(web, Method::POST, "/api/v1/jobs?fresh=1", client).body(job.to_string()).send().await.unwrap();
    assert_eq!(response.status(), 202);
    let told: Value = serde_json::from_str(&response.text().await.unwrap()).unwrap();
    told["id"].as_str().unwrap().to_owned()
}

/// Appends the client to `ends` once its job has ended.
async fn note(web: Web, listener: usize, job: String, client: usize, ends: Arc<Mutex<Vec<usize>>>) {
    let path = format!("/api/v1/jobs/{job}/events");
    let mut events = Events::of(asked(&web, Method::GET, &path, listener).send().await.unwrap());
    while let Ok(Some(event)) = events.try_next().await {
        if is_last(&event) {
            ends.lock().unwrap().push(client);
            return;
        }
    }
}

/// Two jobs run at a time, and each client gets one per round. The greedy client may have two shards of the queue and
/// so two per round. The others are served after the jobs that ran when they came and two rounds of the workers: 8 jobs
/// of the greedy client. With a chance of one in a hundred each, two of the others share both shards with it.
#[tokio::test(flavor = "multi_thread")]
async fn clients_do_not_wait_for_a_client_with_many_jobs() {
    let Some(site) = Site::start("fair", Nats::start().map(|nats| vec![nats])).await else { return };
    let web = &site.web[0].web;
    let [a, b] = [web.upload(random_dna(LONG, 1)).await, web.upload(random_dna(LONG, 2)).await];
    let job = json!({ "task": "edit-distance", "options": { "alignment": false }, "a": { "upload": a }, "b": { "upload": b } });
    let ends = Arc::<Mutex<Vec<usize>>>::default();
    let (mut many, mut listeners) = (Vec::new(), JoinSet::new());
    for client in iter::repeat_n(0, MANY).chain(1..=OTHERS) {
        let id = sent(web, client, &job).await;
        listeners.spawn(note(web.clone(), 100 + listeners.len(), id.clone(), client, ends.clone()));
        many.extend((client == 0).then_some(id));
    }
    let begin = ends.lock().unwrap().len();
    let others = |ends: &[usize]| ends.iter().filter(|client| **client != 0).count();
    while others(&ends.lock().unwrap()) < OTHERS - 2 {
        listeners.join_next().await.unwrap().unwrap();
    }
    let meanwhile = ends.lock().unwrap()[begin..].iter().filter(|client| **client == 0).count();
    for job in &many {
        web.delete(&format!("/api/v1/jobs/{job}")).await;
    }
    assert!(meanwhile <= 8, "{meanwhile} of {MANY} jobs of one client ended before one job each of {} others", OTHERS - 2);
}
