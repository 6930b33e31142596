//! Fails the n-th write of a visit, for every n. Confirmed data must exist afterwards, everything else must be a clear
//! refusal, and all must work again without a restart.

use std::io::ErrorKind;
use std::sync::Arc;

use reqwest::Method;
use serde_json::{Value, json};
use server::storage::ports::faults::{AccessKind, Faults, FaultyFiles, FaultyRows};
use server::store::Ports;

use crate::client::{Got, Server, job, random_dna};

/// Upper bound on the writes of a visit. A visit without faults reports the actual number.
const MOST: u64 = 100;

/// Length of texts whose alignment is a file of its own.
const LONG: usize = 12_000;

/// The confirmations that a visitor received.
#[derive(Debug, Default)]
struct Promised {
    uploads: Vec<(String, String)>,
    jobs: Vec<(String, Value)>,
    links: Vec<String>,
    /// Number of refused requests.
    refused: usize,
}

impl Promised {
    /// Returns the body of a successful answer. Any other answer must be a refusal with `status`.
    fn heard(&mut self, got: &Got, status: u16) -> Option<Value> {
        if (200..300).contains(&got.status) {
            return Some(got.json());
        }
        let kind = if status == 507 { "no-space" } else { "not-ready" };
        got.problem(status, kind);
        self.refused += 1;
        None
    }
}

/// Uploads, compares, shares and deletes like a visitor. Each answer must be a success or a refusal with `status`.
async fn visit(server: &Server, number: u64, status: u16) -> Promised {
    let web = &server.web;
    let mut promised = Promised::default();
    let text = |side: u64| String::from_utf8(random_dna(LONG, number * 2 + side)).unwrap();
    let sent = web.send(web.request(Method::PUT, "/api/v1/texts").body(text(1))).await;
    let upload = promised.heard(&sent, status).map(|body| body["id"].as_str().unwrap().to_owned());
    promised.uploads.extend(upload.clone().map(|id| (id, text(1))));
    let first = upload.map_or_else(|| json!({ "text": text(1) }), |id| json!({ "upload": id }));
    let jobs = [
        job("edit-distance", json!({}), &format!("kitten {number}"), "sitting"),
        json!({ "task": "lcs", "a": first, "b": { "text": text(2) } }),
        job("exact-search", json!({}), "ACG", &text(1)),
    ];
    for asked in &jobs {
        let sent = web.post("/api/v1/jobs?wait=30", asked).await;
        let Some(told) = promised.heard(&sent, status) else { continue };
        let id = told["id"].as_str().unwrap().to_owned();
        // A job that was announced before its result could not be written has failed and reports that.
        let ended = if told["state"] == "failed" { told } else { web.wait_for_end(&id).await };
        if ended["state"] == "failed" {
            promised.refused += 1;
            assert_eq!(ended["failure"]["kind"], "engine", "{ended}");
            continue;
        }
        promised.jobs.push((id.clone(), ended["answer"].clone()));
        let link = web.post("/api/v1/links", &json!({ "job": id, "lifetime": "30d" })).await;
        let made = promised.heard(&link, status).map(|body| body["id"].as_str().unwrap().to_owned());
        promised.links.extend(made);
    }
    let sealed = web.send(web.request(Method::POST, "/api/v1/sealed?lifetime=1d").body(text(2))).await;
    if let Some(told) = promised.heard(&sealed, status) {
        let got = web.get(&format!("/api/v1/sealed/{}", told["id"].as_str().unwrap())).await;
        assert_eq!((got.status, got.text == text(2)), (200, true));
    }
    promised
}

/// Asserts that all confirmed data exists.
async fn holds(server: &Server, promised: &Promised) {
    let web = &server.web;
    for (id, text) in &promised.uploads {
        let used = web.solve(&json!({ "task": "lcs", "a": { "upload": id }, "b": { "upload": id } })).await;
        assert_eq!(used["answer"]["length"], text.len(), "{id}");
    }
    for (id, answer) in &promised.jobs {
        let found = web.get(&format!("/api/v1/jobs/{id}")).await.json();
        assert_eq!(&found["answer"], answer);
    }
    for id in &promised.links {
        assert_eq!(web.get(&format!("/api/v1/links/{id}")).await.status, 200);
    }
}

async fn every_write_fails_once(of: &str, kind: ErrorKind, status: u16) {
    let faults = Faults::default();
    let wrap = |ports: Ports| match of {
        "rows" => Ports { rows: Arc::new(FaultyRows::new(ports.rows, faults.clone())), ..ports },
        _ => Ports { files: Arc::new(FaultyFiles::new(ports.files, faults.clone())), ..ports },
    };
    let server = Server::on(tempfile::tempdir().unwrap(), wrap, Faults::default()).await;
    let mut refused = 0;
    for write in 0..MOST {
        faults.fail(AccessKind::Write, write, 1, kind);
        let promised = visit(&server, write, status).await;
        let was_met = faults.are_over();
        faults.heal();
        holds(&server, &promised).await;
        if !was_met {
            assert_eq!(promised.refused, 0, "{of}: a request was refused without a failure");
            assert!(write >= 5 && refused > 0, "{of}: {write} writes, {refused} refusals");
            server.collect().await;
            assert_eq!(server.state.jobs.counts(), (0, 0), "{of}: a job has not ended");
            return;
        }
        refused += promised.refused;
    }
    panic!("{of}: a session needs more than {MOST} writes");
}

#[tokio::test]
async fn server_survives_a_failure_of_each_row_write() {
    every_write_fails_once("rows", ErrorKind::StorageFull, 507).await;
}

#[tokio::test]
async fn server_survives_an_outage_at_each_row_write() {
    every_write_fails_once("rows", ErrorKind::ReadOnlyFilesystem, 503).await;
}

#[tokio::test]
async fn server_survives_a_failure_of_each_file_write() {
    every_write_fails_once("files", ErrorKind::StorageFull, 507).await;
}

#[tokio::test]
async fn server_survives_an_outage_at_each_file_write() {
    every_write_fails_once("files", ErrorKind::ReadOnlyFilesystem, 503).await;
}
