//! Jobs: answers, states, the queue and cancelling.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::{Server, typed};
use crate::clients;

#[tokio::test]
async fn kitten_and_sitting_have_a_stable_wire_format() {
    let server = Server::start().await;
    let got = server.web.post("/api/v1/jobs?wait=5", &typed("kitten", "sitting")).await;
    assert_eq!(got.status, 200);
    let mut snapshot = got.json();
    let token = snapshot.as_object_mut().unwrap().remove("delete_token").unwrap();
    assert!(token.as_str().unwrap().len() >= 32, "{token}");
    assert_eq!(snapshot.as_object_mut().unwrap().remove("keep_seconds").unwrap(), 3_600);
    assert_eq!(got.header("location"), format!("/api/v1/jobs/{}", snapshot["id"].as_str().unwrap()));
    assert_eq!(snapshot, server.web.get(got.header("location")).await.json());
    // These values differ between runs and machines.
    snapshot["id"] = "[id]".into();
    for name in ["device", "because", "expected_ms"] {
        snapshot["plan"][name] = format!("[{name}]").into();
    }
    snapshot["progress"]["cells_per_second"] = "[rate]".into();
    let metrics = snapshot["metrics"].as_object_mut().unwrap();
    assert!(metrics.values().all(|value| value.as_f64().unwrap() >= 0.0));
    metrics.values_mut().for_each(|value| *value = "[figure]".into());
    snapshot["seq"] = "[seq]".into();
    insta::assert_json_snapshot!(snapshot);
}

#[tokio::test]
async fn job_is_accepted_and_can_be_followed() {
    let server = Server::start().await;
    let got = server.web.post("/api/v1/jobs", &typed("kitten", "sitting")).await;
    let taken = got.json();
    let id = taken["id"].as_str().unwrap();
    assert_eq!(got.status, 202);
    assert_eq!((id.len(), got.header("location")), (26, taken["status_url"].as_str().unwrap()));
    assert_eq!(taken["events_url"], format!("/api/v1/jobs/{id}/events"));
    assert_eq!(server.web.wait_for(id, "succeeded").await["answer"]["distance"], 3);
}

#[tokio::test]
async fn edge_case_texts_have_their_answers() {
    let server = Server::start().await;
    let rows: [(&str, &str, &str, Value, u64); 14] = [
        ("nothing at all", "", "", json!({}), 0),
        ("one side empty", "", "abc", json!({}), 3),
        ("the other side empty", "abc", "", json!({ "unit": "chars" }), 3),
        ("skin tones, bytes", "👍🏽", "👍🏿", json!({}), 1),
        ("skin tones, chars", "👍🏽", "👍🏿", json!({ "unit": "chars" }), 1),
        ("a family is one letter", "👨‍👩‍👧", "👨‍👩‍👦", json!({ "unit": "graphemes" }), 1),
        ("combining mark, chars", "e\u{301}", "é", json!({ "unit": "chars" }), 2),
        ("combining mark, normalised", "e\u{301}", "é", json!({ "unit": "chars", "normalize": true }), 0),
        ("right to left", "שלום עולם", "שלום עולס", json!({ "unit": "chars" }), 1),
        ("line ends, bytes", "a\r\nb\r\n", "a\nb\n", json!({}), 2),
        ("line ends, lines", "a\r\nb\r\n", "a\nb\n", json!({ "unit": "lines" }), 0),
        ("words", "the cat sat", "the dog sat", json!({ "unit": "words" }), 1),
        ("case", "ACGT", "acgt", json!({ "case_insensitive": true }), 0),
        ("FASTA", ">x\nac\ngt\n", "ACGT", json!({}), 0),
    ];
    for (what, a, b, options, distance) in rows {
        let mut job = typed(a, b);
        job["options"] = options;
        let snapshot = server.web.solve(&job).await;
        assert_eq!(snapshot["answer"]["distance"], distance, "{what}");
        assert_eq!(snapshot["a"]["bytes"], a.len(), "{what}");
    }
}

#[tokio::test]
async fn running_job_is_cancelled_soon() {
    let server = Server::start().await;
    let id = server.web.start_slow().await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    let start = Instant::now();
    let got = server.web.delete(&format!("/api/v1/jobs/{id}")).await;
    assert!(got.status == 202 || got.status == 204, "{}", got.status);
    let snapshot = server.web.wait_for(&id, "cancelled").await;
    // The job would run for minutes; the limit allows for a busy machine.
    assert!(start.elapsed() < Duration::from_secs(10), "took {:?}", start.elapsed());
    assert_eq!((&snapshot["answer"], &snapshot["failure"]), (&Value::Null, &Value::Null));
    // The engine is free again.
    assert_eq!(server.web.solve(&typed("kitten", "sitting")).await["answer"]["distance"], 3);
}

#[tokio::test]
async fn queued_jobs_have_a_position_and_can_be_cancelled() {
    let server = clients::server(&[("EDITSCOPE_QUEUE_SECONDS", "20")]).await;
    let slow = clients::endless(2.0);
    let running = server.web.submit(&slow).await;
    server.web.wait_for(&running, "running").await;
    let first = server.web.submit(&slow).await;
    let second = server.web.submit(&slow).await;
    let position = |snapshot: Value| (snapshot["state"].clone(), snapshot["queue_position"].clone());
    assert_eq!(position(server.web.get(&format!("/api/v1/jobs/{first}")).await.json()), (json!("queued"), json!(1)));
    assert_eq!(position(server.web.get(&format!("/api/v1/jobs/{second}")).await.json()), (json!("queued"), json!(2)));

    let wait = server.web.get(&format!("/api/v1/jobs/{second}")).await.json()["queue_wait_ms"].as_f64().unwrap();
    assert!(wait > 0.0, "the job waits for a slow one");

    // Each job takes two seconds, and one client may have five seconds of work waiting.
    let refused = server.web.post("/api/v1/jobs", &slow).await;
    let problem = refused.problem(429, "queue-full");
    assert!(problem["detail"].as_str().unwrap().contains("waiting jobs"), "{problem}");
    let seconds: u64 = refused.header("retry-after").parse().unwrap();
    assert!((1..=3).contains(&seconds), "{seconds}");

    let got = server.web.delete(&format!("/api/v1/jobs/{first}")).await;
    assert_eq!(got.status, 204);
    assert_eq!(server.web.get(&format!("/api/v1/jobs/{first}")).await.json()["state"], "cancelled");
    assert_eq!(position(server.web.get(&format!("/api/v1/jobs/{second}")).await.json()), (json!("queued"), json!(1)));

    server.web.delete(&format!("/api/v1/jobs/{running}")).await;
    server.web.wait_for(&second, "running").await;
    server.web.delete(&format!("/api/v1/jobs/{second}")).await;
    server.web.wait_for(&second, "cancelled").await;
    // Cancelling a job that has ended changes nothing.
    assert_eq!(server.web.delete(&format!("/api/v1/jobs/{second}")).await.status, 204);
    assert_eq!(server.web.get(&format!("/api/v1/jobs/{second}")).await.json()["state"], "cancelled");
}

#[tokio::test]
async fn result_expires() {
    let server = Server::with(&[("EDITSCOPE_JOB_KEEP_SECONDS", "0")]).await;
    let snapshot = server.web.solve(&typed("kitten", "sitting")).await;
    let path = format!("/api/v1/jobs/{}", snapshot["id"].as_str().unwrap());
    server.web.get(&path).await.problem(410, "gone");
    server.web.get(&format!("{path}/alignment")).await.problem(410, "gone");
    server.collect().await;
    server.web.get(&path).await.problem(410, "gone");
}

#[tokio::test]
async fn waiting_for_a_job_has_a_time_limit() {
    let server = Server::start().await;
    let job = server.web.slow_job().await;
    let start = Instant::now();
    let got = server.web.post("/api/v1/jobs?wait=0.2", &job).await;
    assert_eq!(got.status, 202);
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    server.web.delete(got.header("location")).await;
}
