//! The event stream: order, replay and end.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};

use crate::client::{Sent, Server, job, typed};

/// Asserts that the events have the documented order.
fn check_grammar(events: &[Sent]) {
    let names: Vec<&str> = events.iter().map(|sent| sent.event.as_str()).collect();
    let planned = names.iter().position(|name| *name == "planned").expect("a plan");
    assert!(names[..planned].iter().all(|name| *name == "queued") && planned > 0, "{names:?}");
    let (last, middle) = names[planned + 1..].split_last().expect("an end");
    assert!(middle.iter().all(|name| ["read", "progress", "stage", "metric", "partial"].contains(name)), "{names:?}");
    assert!(["answer", "failed", "cancelled"].contains(last), "{names:?}");
    assert!(events.windows(2).all(|pair| pair[0].id < pair[1].id), "ids ascend");
    assert!(events.iter().all(|sent| sent.data["type"] == sent.event), "type and name agree");
}

#[tokio::test]
async fn events_are_replayed_after_the_last_received_one() {
    let server = Server::start().await;
    let id = server.web.submit(&typed("kitten", "sitting")).await;
    let path = format!("/api/v1/jobs/{id}/events");
    let events = server.web.events(&path).await;
    assert_eq!(events.response.headers()["content-type"], "text/event-stream");
    assert_eq!(events.response.headers()["x-accel-buffering"], "no");
    assert!(!events.response.headers().contains_key("content-encoding"));
    let live = events.all().await;
    check_grammar(&live);
    assert_eq!(live.last().unwrap().data["distance"], 3);

    let all = server.web.events(&path).await.all().await;
    check_grammar(&all);
    let middle = all[all.len() / 2].id;
    let after = server.web.events(&format!("{path}?after={middle}")).await.all().await;
    assert_eq!(after, all[all.len() / 2 + 1..]);

    let request = server.web.request(Method::GET, &path).header("last-event-id", middle.to_string());
    let again = server.web.send(request).await.text;
    assert_eq!(again.matches("\nevent: ").count() + usize::from(again.starts_with("event: ")), after.len(), "{again}");

    // A client that has received the last event gets 204, so that it does not reconnect.
    let last = all.last().unwrap().id;
    assert_eq!(server.web.get(&format!("{path}?after={last}")).await.status, 204);
}

#[tokio::test]
async fn answer_is_the_last_event_of_every_task() {
    let server = Server::start().await;
    let rows = [
        ("edit-distance", json!({ "alignment": false })),
        ("approximate-search", json!({ "max_distance": 1 })),
        ("lcs", json!({ "alignment": false })),
        ("match-count", json!({ "max_mismatches": 2 })),
        ("exact-search", json!({})),
        ("sequence-alignment", json!({ "mode": "local", "alignment": false })),
    ];
    let mut answers = Vec::new();
    for (task, options) in rows {
        let id = server.web.submit(&job(task, options, "aba", "xabababcx")).await;
        let events = server.web.events(&format!("/api/v1/jobs/{id}/events")).await.all().await;
        check_grammar(&events);
        let stages: Vec<&Value> = events.iter().filter(|sent| sent.event == "stage").map(|sent| &sent.data["stage"]).collect();
        assert!(stages.starts_with(&[&json!("read"), &json!("compute")]), "{task}: {stages:?}");
        let partials = events.iter().filter(|sent| sent.event == "partial");
        let kinds: Vec<&str> = partials.map(|sent| sent.data["kind"].as_str().unwrap()).collect();
        assert!(kinds.iter().all(|kind| ["bounds", "found", "best"].contains(kind)), "{task}: {kinds:?}");
        answers.push(events.last().unwrap().data.clone());
    }
    insta::assert_json_snapshot!(answers);
}

#[tokio::test]
async fn listener_ahead_of_the_stream_is_told_to_resync() {
    let server = Server::start().await;
    let snapshot = server.web.solve(&typed("kitten", "sitting")).await;
    let path = format!("/api/v1/jobs/{}/events?after=999999", snapshot["id"].as_str().unwrap());
    let events = server.web.events(&path).await.all().await;
    assert_eq!((events.len(), events[0].event.as_str()), (1, "resync"));
    assert_eq!(events[0].data["seq"], snapshot["seq"]);
}

#[tokio::test]
async fn progress_is_sent_during_the_run_and_needs_no_listener() {
    let server = Server::start().await;
    let id = server.web.start_slow().await;
    let path = format!("/api/v1/jobs/{id}/events");
    let mut events = server.web.events(&path).await;
    let mut done = Vec::new();
    while done.len() < 3 {
        let sent = events.next().await.expect("the job still runs");
        if sent.event == "progress" {
            done.push(sent.data["done"].as_u64().unwrap());
            assert!(sent.data["cells_per_second"].as_f64().unwrap() > 0.0);
        }
    }
    assert!(done[0] < done[2], "{done:?}");
    // The client disconnects, but the job continues.
    drop(events);
    let continued = async {
        loop {
            let snapshot = server.web.get(&format!("/api/v1/jobs/{id}")).await.json();
            assert_eq!(snapshot["state"], "running");
            if snapshot["progress"]["done"].as_u64().unwrap() > done[2] {
                break;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), continued).await.expect("the job makes progress without a client");
    server.web.delete(&format!("/api/v1/jobs/{id}")).await;
}

#[tokio::test]
async fn listeners_receive_the_end_and_the_stream_closes() {
    let server = Server::start().await;
    let id = server.web.start_slow().await;
    let (web, path) = (server.web.clone(), format!("/api/v1/jobs/{id}/events"));
    let listening = tokio::spawn(async move { web.events(&path).await.all().await });
    tokio::time::sleep(Duration::from_millis(300)).await;
    server.web.delete(&format!("/api/v1/jobs/{id}")).await;
    let events = tokio::time::timeout(Duration::from_secs(2), listening).await.expect("the stream closes").unwrap();
    check_grammar(&events);
    assert_eq!(events.last().unwrap().event, "cancelled");
    assert!(events.iter().filter(|sent| sent.event == "progress").count() <= 5, "at most four a second");
}
