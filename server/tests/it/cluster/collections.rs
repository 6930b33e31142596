//! Comparisons of collections in a cluster.

use serde_json::{Value, json};

use super::{Site, is_last, rest, three};
use crate::client::random_dna;

/// A comparison of a killed worker continues on another one behind its stored rows, and its answer is that of an undisturbed
/// one.
#[tokio::test(flavor = "multi_thread")]
async fn comparison_of_a_killed_worker_continues_on_another_worker() {
    let Some(mut site) = Site::start("collections", three()).await else { return };
    let web = site.web[0].web.clone();
    let lines: String = (0..3500).map(|seed| String::from_utf8(random_dna(200, seed)).unwrap() + "\n").collect();
    let body = json!({ "task": "lcs", "a": { "upload": web.upload(lines).await, "split": "lines" }, "keep": { "similarity": 0.7 } });
    let started = web.post("/api/v1/collections?wait=0", &body).await;
    assert_eq!(started.status, 202, "{}", started.text);
    let id = started.json()["id"].as_str().unwrap().to_owned();
    let path = format!("/api/v1/collections/{id}");
    let events = site.web[1].web.events(&format!("{path}/events")).await;
    let worker = site.busy_worker().await;
    let begun = std::time::Instant::now();
    let stored = loop {
        let snapshot: Value = site.web[1].web.get(&path).await.json();
        assert_eq!(snapshot["answer"], Value::Null, "the comparison is too small to be killed: {snapshot}");
        if snapshot["stored_rows"].as_u64().unwrap() > 0 {
            break snapshot["stored_rows"].as_u64().unwrap();
        }
        assert!(begun.elapsed() < std::time::Duration::from_secs(60), "{snapshot}");
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    };
    worker.signal("-9");
    let heard = rest(events).await;
    assert_eq!(heard.last().unwrap().event, "compared", "{heard:?}");
    assert_eq!(heard.iter().filter(|sent| is_last(sent)).count(), 1, "{heard:?}");
    let snapshot = web.get(&path).await.json();
    assert_eq!((&snapshot["state"], &snapshot["stored_rows"]), (&json!("succeeded"), &snapshot["rows"]));
    assert!(stored < snapshot["rows"].as_u64().unwrap());
    assert!(snapshot["metrics"]["cells"].as_f64().unwrap() < 3500.0 * 3500.0 * 4e4 / 2.0, "{snapshot}");
    let export = site.web[1].web.get(&format!("{path}/export?format=pairs")).await;
    let direct = web.post("/api/v1/collections?format=pairs", &body).await;
    assert!(export.text == direct.text && direct.text.len() > 1000, "{} and {} bytes", export.text.len(), direct.text.len());
}
