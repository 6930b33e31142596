//! The OpenAPI document equals the one in the repository and agrees with the routes.

use std::collections::BTreeSet;
use std::path::Path;

use reqwest::Method;
use serde_json::{Value, json};

use crate::client::{Server, typed};

const NOTHING: &str = "00000000000000000000000000";

/// Returns a JSON value with all values inside it.
fn all(value: &Value) -> Vec<&Value> {
    let inside: Vec<&Value> = match value {
        Value::Array(items) => items.iter().collect(),
        Value::Object(fields) => fields.values().collect(),
        _ => Vec::new(),
    };
    std::iter::once(value).chain(inside.into_iter().flat_map(all)).collect()
}

#[tokio::test]
async fn committed_document_equals_the_served_one() {
    let server = Server::start().await;
    let got = server.web.get("/api/v1/openapi.json").await;
    assert_eq!((got.status, got.header("content-type")), (200, "application/json"));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/openapi.json");
    if std::env::var_os("EDITSCOPE_UPDATE").is_some() {
        std::fs::write(&path, &got.text).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap();
    assert!(committed == got.text, "docs/openapi.json is old: EDITSCOPE_UPDATE=1 cargo test -p server --test it openapi");
}

#[tokio::test]
async fn client_with_the_current_document_gets_not_modified() {
    let server = Server::start().await;
    let first = server.web.get("/api/v1/openapi.json").await;
    let again = |tags: String| server.web.send(server.web.request(Method::GET, "/api/v1/openapi.json").header("if-none-match", tags));
    let tag = first.header("etag").to_owned();
    assert_eq!((again(format!("\"other\", {tag}")).await.status, again("\"other\"".into()).await.status), (304, 200));
    let head = server.web.send(server.web.request(Method::HEAD, "/api/v1/openapi.json")).await;
    assert_eq!((head.status, head.text.as_str(), head.header("etag")), (200, "", tag.as_str()));
}

#[tokio::test]
async fn every_operation_lists_its_problems_and_every_reference_resolves() {
    let server = Server::start().await;
    let document = server.web.get("/api/v1/openapi.json").await.json();
    assert_eq!(document["openapi"], "3.1.0");
    let operations: Vec<&Value> =
        document["paths"].as_object().unwrap().values().flat_map(|path| path.as_object().unwrap().values()).collect();
    let ids: BTreeSet<&str> = operations.iter().map(|operation| operation["operationId"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), operations.len());
    assert!(ids.len() > 40, "{}", ids.len());
    for operation in &operations {
        for (status, response) in operation["responses"].as_object().unwrap() {
            let is_problem = status.parse::<u16>().map_or(true, |status| status >= 400);
            let content = response["content"].as_object();
            assert_eq!(
                content.is_some_and(|content| content.contains_key("application/problem+json")),
                is_problem,
                "{status} of {operation}"
            );
            assert!(!response["description"].as_str().unwrap().is_empty(), "{operation}");
        }
    }
    for reference in all(&document).into_iter().filter_map(|value| value.get("$ref")?.as_str()) {
        let pointer = reference.strip_prefix('#').unwrap();
        assert!(document.pointer(pointer).is_some(), "{reference}");
    }
}

/// The router and the document list the same methods for each path.
#[tokio::test]
async fn router_accepts_exactly_the_methods_of_the_document() {
    let server = Server::start().await;
    let document = server.web.get("/api/v1/openapi.json").await.json();
    for (path, operations) in document["paths"].as_object().unwrap() {
        let address = path.replace("{id}", NOTHING).replace("{side}", "a").replace("{number}", "0");
        let got = server.web.send(server.web.request(Method::PATCH, &address)).await;
        got.problem(405, "method-not-allowed");
        let allowed: BTreeSet<String> = got.header("allow").split(',').map(|method| method.trim().to_lowercase()).collect();
        let mut said: BTreeSet<String> = operations.as_object().unwrap().keys().cloned().collect();
        if said.contains("get") {
            said.insert("head".into());
        }
        assert_eq!(allowed, said, "{path}");
    }
}

#[tokio::test]
async fn body_with_another_media_type_than_json_is_refused() {
    let server = Server::start().await;
    let send = |media_type: &'static str| {
        let request = server.web.request(Method::POST, "/api/v1/jobs?wait=5").header("content-type", media_type);
        server.web.send(request.body(typed("a", "b").to_string()))
    };
    for refused in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/jsonp", ""] {
        send(refused).await.problem(415, "unsupported-type");
    }
    for taken in ["application/json", "Application/JSON; charset=utf-8", "application/vnd.api+json"] {
        assert_eq!(send(taken).await.status, 200, "{taken}");
    }
    let link = server.web.request(Method::POST, "/api/v1/links").header("content-type", "text/plain").body(json!({}).to_string());
    server.web.send(link).await.problem(415, "unsupported-type");
}

/// The API page contains the documentation and the reference, without scripts.
#[tokio::test]
async fn api_page_lists_every_route() {
    let server = Server::start().await;
    let (page, document) = (server.web.get("/api/docs").await, server.web.get("/api/v1/openapi.json").await.json());
    assert_eq!(page.status, 200);
    assert!(page.text.contains("href=\"/api/v1/openapi.json\"") && !page.text.contains("<script"), "{}", page.text);
    for (path, operations) in document["paths"].as_object().unwrap() {
        for method in operations.as_object().unwrap().keys() {
            let heading = format!("<code>{} {path}</code></h4>", method.to_uppercase());
            assert!(page.text.contains(&heading), "{heading}");
        }
    }
    for name in document["components"]["schemas"].as_object().unwrap().keys() {
        assert!(page.text.contains(&format!("id=\"schema-{name}\"")), "{name}");
    }
}
