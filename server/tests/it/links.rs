//! Links: a result that outlives its job, until its time is over or its token comes.

use reqwest::Method;
use serde_json::{Value, json};
use server::ports::files::Hash;
use server::record::Record;
use server::store::{Found, Link};

use crate::client::{Got, Server, Web, job, typed};

async fn share(web: &Web, job: &str, lifetime: &str) -> Got {
    web.post("/api/v1/links", &json!({ "job": job, "lifetime": lifetime })).await
}

async fn delete(web: &Web, id: &str, token: &str) -> Got {
    web.send(web.request(Method::DELETE, &format!("/api/v1/links/{id}")).header("authorization", format!("Bearer {token}"))).await
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_else(|| panic!("{name} in {value}"))
}

#[tokio::test]
async fn a_link_shows_the_same_until_it_is_deleted() {
    let server = Server::start().await;
    let upload = server.web.upload("kitten").await;
    let job = server.web.solve(&json!({ "task": "edit-distance", "a": { "upload": upload }, "b": { "text": "sitting" } })).await;
    let made = share(&server.web, text(&job, "id"), "30d").await;
    assert_eq!(made.status, 201);
    let made = made.json();
    let (id, token) = (text(&made, "id"), text(&made, "delete_token"));
    assert_eq!(made["url"], format!("/r/{id}"));
    let lifetime = made["expires_at"].as_u64().unwrap() - server.state.store.clock.seconds();
    assert!((30 * 86_400 - 60..=30 * 86_400).contains(&lifetime), "{lifetime} s");
    assert_ne!(id, text(&job, "id"));

    let shown = server.web.get(&format!("/api/v1/links/{id}")).await.json();
    for name in ["task", "options", "state", "answer", "metrics", "plan", "b"] {
        assert_eq!(shown[name], job[name], "{name}");
    }
    assert_eq!((&shown["id"], &shown["a"]["upload"]), (&json!(id), &Value::Null), "the upload's id is not handed on");
    assert!(!shown.to_string().contains(token));
    let parts =
        ["alignment?from=2&len=3", "overview?points=3", "differences/1", "texts/a", "texts/b", "export?format=cigar", "export?format=text"];
    for part in parts {
        let of_job = server.web.get(&format!("/api/v1/jobs/{}/{part}", text(&job, "id"))).await;
        let of_link = server.web.get(&format!("/api/v1/links/{id}/{part}")).await;
        assert_eq!((of_link.status, of_link.text), (200, of_job.text), "{part}");
    }

    server.web.delete(&format!("/api/v1/links/{id}")).await.problem(403, "forbidden");
    delete(&server.web, id, text(&job, "id")).await.problem(403, "forbidden");
    assert_eq!(delete(&server.web, id, token).await.status, 204);
    server.web.get(&format!("/api/v1/links/{id}")).await.problem(410, "gone");
    for part in parts {
        server.web.get(&format!("/api/v1/links/{id}/{part}")).await.problem(410, "gone");
    }
    delete(&server.web, id, token).await.problem(410, "gone");
}

#[tokio::test]
async fn a_link_keeps_what_was_found() {
    let server = Server::start().await;
    let made = server.web.solve(&job("match-count", json!({ "max_mismatches": 1 }), "aba", &"abc".repeat(400))).await;
    let (id, link) = (text(&made, "id").to_owned(), share(&server.web, text(&made, "id"), "1d").await.json());
    let parts = ["hits?from=390&len=20", "profile?points=7", "alignment?hit=399", "export?format=csv", "export?format=profile-csv"];
    let mut of_job = Vec::new();
    for part in parts {
        let got = server.web.get(&format!("/api/v1/jobs/{id}/{part}")).await;
        assert_eq!(got.status, 200, "{part}: {}", got.text);
        of_job.push(got.text);
    }
    // The job and whatever only it has used is gone, but not yet collected: that takes ten minutes.
    server.state.store.drop_job(id.parse().unwrap()).get().await.unwrap();
    server.collect().await;
    for (part, of_job) in parts.iter().zip(of_job) {
        let of_link = server.web.get(&format!("/api/v1/links/{}/{part}", text(&link, "id"))).await;
        assert_eq!((of_link.status, of_link.text), (200, of_job), "{part}");
    }
    let Found::Here(Link { body, .. }) = server.state.store.link(text(&link, "id").parse().unwrap()).get().await.unwrap() else {
        panic!("no link")
    };
    let record: Record = serde_json::from_str(&body).unwrap();
    assert_eq!(record.files().count(), 3, "two texts and what was found stay as long as the link");
}

#[tokio::test]
async fn a_link_outlives_its_job_and_not_its_time() {
    let server = Server::start().await;
    let job = server.web.solve(&typed("kitten", "sitting")).await;
    let made = share(&server.web, text(&job, "id"), "until-deleted").await.json();
    assert_eq!(made["expires_at"], Value::Null);
    let id = text(&made, "id").parse().unwrap();
    let Found::Here(link) = server.state.store.link(id).get().await.unwrap() else { panic!("no link") };

    // The same link, over since a second ago.
    let over = server::id::Id::random();
    let row = Link { expires_at: Some(server.state.store.clock.seconds() - 1), token: Hash::of(b""), ..link };
    server.state.store.add_link(over, row, vec![]).get().await.unwrap();
    server.web.get(&format!("/api/v1/links/{over}")).await.problem(410, "gone");

    server.state.store.drop_job(text(&job, "id").parse().unwrap()).get().await.unwrap();
    server.collect().await;
    server.web.get(&format!("/api/v1/links/{over}")).await.problem(410, "gone");
    let exported = server.web.get(&format!("/api/v1/links/{}/export?format=cigar", text(&made, "id"))).await;
    assert_eq!(exported.text, "1X3=1X1=1I\n");
}

#[tokio::test]
async fn only_results_are_shared() {
    let server = Server::start().await;
    share(&server.web, "00000000000000000000000000", "1d").await.problem(404, "not-found");
    let running = server.web.start_slow().await;
    share(&server.web, &running, "1d").await.problem(409, "no-result");
    server.web.delete(&format!("/api/v1/jobs/{running}")).await;
    server.web.wait_for(&running, "cancelled").await;
    share(&server.web, &running, "1d").await.problem(409, "no-result");
    let job = server.web.solve(&typed("a", "b")).await;
    share(&server.web, text(&job, "id"), "for-ever").await.problem(400, "malformed");
    server.web.post("/api/v1/links", &json!({})).await.problem(400, "malformed");
}
