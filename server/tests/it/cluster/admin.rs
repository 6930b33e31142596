//! `editscope admin` on a cluster of processes.

use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use services::Nats;
use tokio::time::sleep;

use super::offers::jetstream_of;
use super::{Site, another_large_job, is_last, large_job, rest, running};
use crate::client::Web;

impl Site {
    /// Runs `editscope admin` and returns its output, or its error message.
    async fn admin(&self, arguments: &[&str]) -> Result<String, String> {
        let mut program = Command::new(env!("CARGO_BIN_EXE_editscope"));
        let variables = self.variables.iter().map(|(name, value)| (name, value));
        program.arg("admin").args(arguments).envs(variables).current_dir(self.folders[0].path());
        let output = tokio::task::spawn_blocking(move || program.output().unwrap()).await.unwrap();
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
    }

    async fn admin_json(&self, arguments: &[&str]) -> Value {
        let said = self.admin(&[arguments, &["--json"]].concat()).await.unwrap();
        serde_json::from_str(&said).unwrap()
    }

    /// Returns the entry of one job in the list.
    async fn listed(&self, id: &str) -> Value {
        let jobs = self.admin_json(&["jobs"]).await;
        jobs.as_array().unwrap().iter().find(|job| job["id"] == id).cloned().unwrap_or_default()
    }
}

async fn one_server(bucket: &str) -> Option<Site> {
    Site::start(bucket, Nats::start().map(|nats| vec![nats])).await
}

async fn state(web: &Web, id: &str) -> Value {
    web.get(&format!("/api/v1/jobs/{id}")).await.json()["state"].clone()
}

async fn until_free(site: &Site) {
    let begin = Instant::now();
    for worker in &site.workers {
        while running(&worker.web).await > 0 {
            assert!(begin.elapsed() < Duration::from_secs(60), "a worker continues a dropped job");
            sleep(Duration::from_millis(50)).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn drained_worker_finishes_its_job_and_resumes_on_request() {
    let Some(site) = one_server("drains").await else { return };
    let web = &site.web[0].web;
    let workers = site.admin_json(&["workers"]).await;
    let [one, other] = workers.as_array().unwrap().as_slice() else { panic!("{workers}") };
    assert_eq!((&one["takes"], &one["engines"][0]["engine"], &one["host"]), (&json!("jobs"), &json!("cpu"), &other["host"]));
    let (host, id) = (one["host"].as_str().unwrap(), one["id"].as_str().unwrap());
    let said = site.admin(&["drain", id]).await.unwrap();
    assert!(said.contains(&format!("worker {id} on {host} is drained, and has no job")), "{said}");
    let table = site.admin(&["workers"]).await.unwrap();
    let lines: Vec<&str> = table.lines().collect();
    assert!(
        lines.len() == 3 && lines[0].starts_with("WORKER") && lines.iter().any(|line| line.starts_with(id) && line.contains("drained"))
    );
    assert_eq!(web.get("/api/v1/engines").await.json()["hosts"][0]["devices"].as_array().unwrap().len(), 1, "{table}");

    // The other worker takes the job, and finishes it although its host is drained meanwhile.
    let (job, distance) = large_job(web).await;
    let first = web.submit(&job).await;
    let events = web.events(&format!("/api/v1/jobs/{first}/events")).await;
    let begin = Instant::now();
    let listed = loop {
        let listed = site.listed(&first).await;
        if listed["state"] == "running" {
            break listed;
        }
        assert!(begin.elapsed() < Duration::from_secs(30), "{listed}");
    };
    assert_eq!((&listed["worker"], &listed["host"], &listed["attempt"]), (&other["id"], &json!(host), &json!(1)), "{listed}");
    let said = site.admin(&["drain", host]).await.unwrap();
    assert_eq!(said.matches("is drained").count(), 2, "{said}");
    let refused = site.admin(&["undrain", id]).await.unwrap_err();
    assert!(refused.contains(&format!("Undrain {host}")), "{refused}");
    assert_eq!(rest(events).await.last().unwrap().data["distance"], distance);
    let second = web.submit(&another_large_job(web).await).await;
    sleep(Duration::from_secs(3)).await;
    let listed = site.listed(&second).await;
    assert_eq!((&listed["state"], &listed["engine"], &listed["worker"]), (&json!("queued"), &json!("cpu"), &Value::Null), "{listed}");
    assert!(listed["age_seconds"].as_u64().unwrap() >= 3, "{listed}");
    let queued = site.admin(&["jobs", "--state", "queued"]).await.unwrap();
    assert!(queued.lines().count() == 2 && queued.contains(&second) && !queued.contains(&first), "{queued}");

    let said = site.admin(&["undrain", host]).await.unwrap();
    assert_eq!(said.matches("is taking jobs").count(), 2, "{said}");
    let heard = rest(web.events(&format!("/api/v1/jobs/{second}/events")).await).await;
    assert_eq!(heard.last().unwrap().event, "answer", "{heard:?}");
    let refused = site.admin(&["drain", "nowhere"]).await.unwrap_err();
    assert!(refused.contains("neither a worker nor a host nowhere"), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn failed_job_can_be_retried_and_any_job_dropped() {
    let Some(site) = one_server("operators").await else { return };
    let web = &site.web[1].web;
    let host = site.admin_json(&["workers"]).await[0]["host"].as_str().unwrap().to_owned();
    site.admin(&["drain", &host]).await.unwrap();
    let (job, distance) = large_job(web).await;
    let id = web.submit(&job).await;
    // Simulates that three workers have begun the job and none has finished it.
    let context = jetstream_of(&site.nats[0]).await;
    let work = context.get_stream("EDITSCOPE_WORK").await.unwrap();
    work.purge().filter("work.>").await.unwrap();
    let message = json!({ "version": 1, "job": id, "engine": "cpu", "shard": 1, "ms": 1000, "attempt": 3 });
    let published = context.publish(format!("work.cpu.large.1.1000.{id}"), message.to_string().into()).await.unwrap();
    published.await.unwrap();
    let events = web.events(&format!("/api/v1/jobs/{id}/events")).await;
    site.admin(&["undrain", &host]).await.unwrap();
    assert_eq!(rest(events).await.last().unwrap().event, "failed");
    let failed = site.admin_json(&["jobs", "--state", "failed"]).await;
    assert_eq!((&failed[0]["id"], &failed[0]["attempt"]), (&json!(id), &json!(4)), "{failed}");
    assert!(failed[0]["failure"].as_str().unwrap().contains("3 workers have begun this job"), "{failed}");
    // The followers of the job have received its end.
    sleep(Duration::from_secs(2)).await;
    assert_eq!(site.admin_json(&["retry", &id]).await, json!({ "id": id, "engine": "cpu" }));
    let heard = rest(site.web[0].web.events(&format!("/api/v1/jobs/{id}/events")).await).await;
    assert_eq!(heard.last().unwrap().data["distance"], distance, "{heard:?}");
    assert_eq!(heard.iter().filter(|sent| is_last(sent)).count(), 1, "{heard:?}");
    assert_eq!(web.get(&format!("/api/v1/jobs/{id}")).await.json()["answer"]["distance"], distance);
    let refused = site.admin(&["retry", &id]).await.unwrap_err();
    assert!(refused.contains("has an answer"), "{refused}");

    // A running job is cancelled, and its worker becomes free; a job that has ended is removed.
    let slow = web.submit(&web.slow_job().await).await;
    let begin = Instant::now();
    while site.listed(&slow).await["worker"].is_null() {
        assert!(begin.elapsed() < Duration::from_secs(30), "no worker takes the job");
    }
    let listening = site.web[0].web.events(&format!("/api/v1/jobs/{slow}/events")).await;
    assert!(site.admin(&["drop", &slow]).await.unwrap().contains("is cancelled"));
    assert_eq!(rest(listening).await.last().unwrap().event, "cancelled");
    until_free(&site).await;
    assert_eq!(state(web, &slow).await, "cancelled");
    for id in [&slow, &id] {
        assert!(site.admin(&["drop", id]).await.unwrap().contains("is removed"));
        assert_eq!(web.get(&format!("/api/v1/jobs/{id}")).await.status, 410);
        let refused = site.admin(&["retry", id]).await.unwrap_err();
        assert!(refused.contains("was removed, or its time is over"), "{refused}");
    }
    let refused = site.admin(&["drop", "00000000000000000000000000"]).await.unwrap_err();
    assert!(refused.contains("there is no job"), "{refused}");
}
