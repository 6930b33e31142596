//! Uploads.

use reqwest::{Body, Method};
use serde_json::json;

use crate::client::Server;

#[tokio::test]
async fn equal_uploads_are_stored_once_under_different_ids() {
    let server = Server::start().await;
    let got = server.web.send(server.web.request(Method::PUT, "/api/v1/texts").body("kitten")).await;
    assert_eq!((got.status, &got.json()["bytes"]), (201, &json!(6)));
    let first = got.json()["id"].as_str().unwrap().to_owned();
    let second = server.web.upload("kitten").await;
    assert_ne!(first, second);
    assert_eq!(server.state.store.files.usage().used_bytes, 6);

    let job = json!({ "task": "edit-distance", "a": { "upload": first }, "b": { "upload": second } });
    let snapshot = server.web.solve(&job).await;
    assert_eq!(snapshot["answer"]["distance"], 0);
    let blake3 = "3e1163c320ad27de778b46abb13f4a381504e8a78f8fc00cfc7f0b28d333e800";
    assert_eq!(snapshot["a"], json!({ "name": null, "symbols": 6, "bytes": 6, "blake3": blake3, "upload": first }));
}

#[tokio::test]
async fn empty_upload_is_an_empty_text() {
    let server = Server::start().await;
    let empty = server.web.upload("").await;
    let job = json!({ "task": "edit-distance", "a": { "upload": empty }, "b": { "text": "abc" } });
    assert_eq!(server.web.solve(&job).await["answer"]["distance"], 3);
}

#[tokio::test]
async fn part_of_a_text_is_refused() {
    let server = Server::start().await;
    let part = server.web.request(Method::PUT, "/api/v1/texts").header("content-range", "bytes 5-9/100").body("abcde");
    let detail = server.web.send(part).await.problem(400, "malformed")["detail"].to_string();
    assert!(detail.contains("Content-Range"), "{detail}");
    assert_eq!(server.state.store.files.usage().used_bytes, 0);
}

#[tokio::test]
async fn upload_over_the_limit_is_refused_and_leaves_nothing() {
    let server = Server::with(&[("EDITSCOPE_MAX_UPLOAD_BYTES", "1000")]).await;
    server.web.upload(vec![b'a'; 1000]).await;
    let announced = server.web.send(server.web.request(Method::PUT, "/api/v1/texts").body(vec![b'b'; 1001])).await;
    let problem = announced.problem(413, "upload-too-large");
    assert_eq!((&problem["limit"], &problem["got"]), (&json!(1000), &json!(1001)));

    // The length of this upload is not announced.
    let pieces = (0..3).map(|_| Ok::<_, std::io::Error>(vec![b'c'; 400]));
    let streamed = Body::wrap_stream(futures::stream::iter(pieces));
    let got = server.web.send(server.web.request(Method::PUT, "/api/v1/texts").body(streamed)).await;
    assert_eq!(got.problem(413, "upload-too-large")["limit"], 1000);
    let data = &server.state.config.data;
    assert_eq!(server.state.store.files.usage().used_bytes, 1000);
    assert_eq!(std::fs::read_dir(data.join("unfinished")).unwrap().count(), 0);
}

#[tokio::test]
async fn full_storage_is_reported() {
    let server = Server::with(&[("EDITSCOPE_MAX_DATA_BYTES", "1000")]).await;
    server.web.upload(vec![b'a'; 900]).await;
    let got = server.web.send(server.web.request(Method::PUT, "/api/v1/texts").body(vec![b'b'; 101])).await;
    got.problem(507, "no-space");
    for wait in ["", "?wait=20"] {
        let typed = crate::client::typed(&"c".repeat(101), "");
        server.web.post(&format!("/api/v1/jobs{wait}"), &typed).await.problem(507, "no-space");
    }
    server.web.upload(vec![b'b'; 100]).await;
}

#[tokio::test]
async fn full_database_is_reported() {
    let server = Server::with(&[("EDITSCOPE_MAX_DATABASE_BYTES", "1")]).await;
    let got = server.web.send(server.web.request(Method::PUT, "/api/v1/texts").body("kitten")).await;
    got.problem(507, "no-space");
    for wait in ["", "?wait=20"] {
        server.web.post(&format!("/api/v1/jobs{wait}"), &crate::client::typed("kitten", "sitting")).await.problem(507, "no-space");
    }
    let sealed = server.web.request(Method::POST, "/api/v1/sealed?lifetime=1d").body("sealed");
    server.web.send(sealed).await.problem(507, "no-space");
}

#[tokio::test]
async fn upload_expires() {
    let server = Server::with(&[("EDITSCOPE_UPLOAD_KEEP_SECONDS", "0")]).await;
    let id = server.web.upload("kitten").await;
    let job = json!({ "task": "edit-distance", "a": { "upload": id }, "b": { "text": "" } });
    server.web.post("/api/v1/jobs", &job).await.problem(404, "not-found");
}
