//! Sealed results: the server stores bytes that it cannot read, under the rules of all links.

use reqwest::Method;

use crate::client::{Got, Server, Web, typed};

async fn seal(web: &Web, bytes: Vec<u8>, query: &str) -> Got {
    web.send(web.request(Method::POST, &format!("/api/v1/sealed{query}")).body(bytes)).await
}

#[tokio::test]
async fn sealed_bytes_are_returned_unchanged_until_deleted() {
    let server = Server::start().await;
    let bytes: Vec<u8> = (0..=255).cycle().take(10_000).collect();
    let made = seal(&server.web, bytes.clone(), "?lifetime=30d").await;
    assert_eq!(made.status, 201, "{}", made.text);
    let made = made.json();
    let (id, token) = (made["id"].as_str().unwrap(), made["delete_token"].as_str().unwrap());
    assert_eq!(made["url"], format!("/s/{id}"));
    assert!(made["expires_at"].as_u64().is_some());

    let path = format!("/api/v1/sealed/{id}");
    let response = server.web.request(Method::GET, &path).send().await.unwrap();
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()["content-type"], "application/octet-stream");
    assert_eq!(response.headers()["content-security-policy"], "default-src 'none'; frame-ancestors 'none'");
    assert_eq!(response.bytes().await.unwrap(), bytes);

    let page = server.web.get(&format!("/s/{id}")).await;
    assert_eq!((page.status, page.header("x-robots-tag")), (200, "noindex"));
    assert!(page.text.contains("<title>A private result"), "the preview reveals the content");
    server.web.get(&format!("/api/v1/links/{id}")).await.problem(404, "not-found");
    assert_eq!(server.web.get(&format!("/r/{id}")).await.status, 404);

    server.web.delete(&path).await.problem(403, "forbidden");
    let delete = server.web.request(Method::DELETE, &path).header("authorization", format!("Bearer {token}"));
    assert_eq!(server.web.send(delete).await.status, 204);
    server.web.get(&path).await.problem(410, "gone");
    assert_eq!(server.web.get(&format!("/s/{id}")).await.status, 410);
    server.collect().await;
    server.web.get(&path).await.problem(410, "gone");
}

#[tokio::test]
async fn size_limit_and_lifetime_are_enforced() {
    let server = Server::with(&[("EDITSCOPE_MAX_SEALED_BYTES", "1000")]).await;
    assert_eq!(seal(&server.web, vec![1; 1000], "?lifetime=1d").await.status, 201);
    assert_eq!(seal(&server.web, vec![1; 1001], "?lifetime=1d").await.problem(413, "upload-too-large")["limit"], 1000);
    seal(&server.web, vec![1; 5 << 20], "?lifetime=1d").await.problem(413, "upload-too-large");
    seal(&server.web, vec![], "?lifetime=1d").await.problem(400, "malformed");
    seal(&server.web, vec![1], "").await.problem(400, "malformed");
    seal(&server.web, vec![1], "?lifetime=1y").await.problem(400, "malformed");
    assert_eq!(server.web.get("/api/v1/engines").await.json()["limits"]["sealed_bytes"], 1000);
}

#[tokio::test]
async fn result_link_is_no_sealed_link() {
    let server = Server::start().await;
    let id = server.web.solve(&typed("a", "b")).await["id"].as_str().unwrap().to_owned();
    let made = server.web.post("/api/v1/links", &serde_json::json!({ "job": id, "lifetime": "1d" })).await.json();
    let id = made["id"].as_str().unwrap();
    server.web.get(&format!("/api/v1/sealed/{id}")).await.problem(404, "not-found");
    assert_eq!(server.web.get(&format!("/s/{id}")).await.status, 404);
    server.web.get("/api/v1/sealed/00000000000000000000000000").await.problem(404, "not-found");
}
