//! Pages: the status of an expired or unknown result.

use reqwest::Method;
use serde_json::json;

use crate::client::{Server, typed};

#[tokio::test]
async fn pages_of_results_have_the_right_status() {
    let server = Server::start().await;
    let id = server.web.solve(&typed("kitten", "sitting")).await["id"].as_str().unwrap().to_owned();
    let made = server.web.post("/api/v1/links", &json!({ "job": id, "lifetime": "1d" })).await.json();
    let (url, token) = (made["url"].as_str().unwrap(), made["delete_token"].as_str().unwrap());
    for path in ["/", &format!("/j/{id}"), url] {
        let page = server.web.get(path).await;
        assert_eq!((page.status, page.header("content-type")), (200, "text/html; charset=utf-8"), "{path}");
        assert!(page.header("content-security-policy").contains("script-src 'self' 'wasm-unsafe-eval' 'nonce-"), "{path}");
        assert_eq!(page.header("referrer-policy"), "no-referrer");
        assert_eq!(page.header("x-robots-tag") == "noindex", path != "/", "{path}");
        assert!(page.text.contains("Editscope"), "{path}");
    }
    assert!(server.web.get(url).await.text.contains("<title>3 edits: kitten and sitting"), "the preview does not name the texts");
    let delete = server.web.request(Method::DELETE, &format!("/api/v1/links/{}", made["id"].as_str().unwrap()));
    assert_eq!(server.web.send(delete.header("authorization", format!("Bearer {token}"))).await.status, 204);
    assert_eq!(server.web.get(url).await.status, 410);
    for path in ["/r/00000000000000000000000000", "/r/x", "/j/00000000000000000000000000", "/nowhere"] {
        let page = server.web.get(path).await;
        assert_eq!((page.status, page.header("content-type")), (404, "text/html; charset=utf-8"), "{path}");
    }
}

#[tokio::test]
async fn page_of_the_first_task_is_found_by_its_name() {
    let server = Server::start().await;
    for task in ["edit-distance", "lcs", "sequence-alignment"] {
        assert_eq!(server.web.get(&format!("/{task}")).await.status, 200, "{task}");
    }
}

#[tokio::test]
async fn document_links_the_catalogue_of_its_language_for_caching() {
    let server = Server::start().await;
    let words = server.site().join("pkg/0/words");
    std::fs::create_dir_all(&words).unwrap();
    std::fs::write(words.join("de.json"), "{}").unwrap();
    let document =
        async |language: &str| server.web.send(server.web.request(Method::GET, "/").header("accept-language", language)).await.text;

    let german = document("de").await;
    let link = german.split('<').find(|tag| tag.contains("id=\"words\"")).unwrap_or_else(|| panic!("{german}"));
    for attribute in ["link ", "rel=\"preload\"", "href=\"/pkg/0/words/de.json\"", "as=\"fetch\"", "crossorigin=\"anonymous\""] {
        assert!(link.contains(attribute), "{attribute} in {link}");
    }
    assert!(german.contains("Editierdistanz") && !german.contains("# bytes"), "the page is rendered in German without the catalogue");
    assert!(!document("en").await.contains("/words/"));
    let file = server.web.get("/pkg/0/words/de.json").await;
    assert_eq!((file.status, file.header("content-type"), file.text.as_str()), (200, "application/json", "{}"));
    assert!(file.header("cache-control").contains("immutable"));
}

#[tokio::test]
async fn hand_in_links_with_stored_texts_are_scored() {
    let server = Server::start().await;
    let id = server.web.solve(&typed("ab", "b")).await["id"].as_str().unwrap().to_owned();
    let made = server.web.post("/api/v1/links", &json!({ "job": id, "lifetime": "1d" })).await.json();
    let stored = made["url"].as_str().unwrap();
    let view = "#view=matrix&ask=on&answers=BC";
    let gone = "http://x/r/00000000000000000000000000";
    let links = format!("Ada: http://x{stored}{view}\nBob http://x/#a=ab&b=b&{}\nCy {gone}{view}", &view[1..]);
    let send = async |format: &str, links: &str| {
        let body: String = form_urlencoded(&[("links", links), ("format", format)]);
        let request = server.web.request(Method::POST, "/hand-ins").header("content-type", "application/x-www-form-urlencoded");
        server.web.send(request.body(body)).await
    };

    let page = send("", &links).await;
    assert_eq!((page.status, page.header("cache-control")), (200, "no-store"));
    assert!(page.text.contains("2 links, 50% right on average."), "{}", page.text);
    assert!(page.text.contains("Line 3, Cy: This result has expired or was deleted."), "{}", page.text);

    let file = send("csv", &links).await;
    assert_eq!((file.status, file.header("content-type")), (200, "text/csv; charset=utf-8"));
    let rows: Vec<&str> = file.text.lines().collect();
    assert_eq!(rows.len(), 4);
    assert!(rows[1].starts_with("1,Ada,\"ab, b · Row by row · a value\",1,2,\"D[2, 1]\","), "{}", rows[1]);

    // A pair that is too long for questions is not read.
    let long = server.web.solve(&typed(&"a".repeat(100), "b")).await["id"].as_str().unwrap().to_owned();
    let made = server.web.post("/api/v1/links", &json!({ "job": long, "lifetime": "1d" })).await.json();
    let page = send("", &format!("http://x{}{view}", made["url"].as_str().unwrap())).await;
    assert!(page.text.contains("The texts are too long for questions."), "{}", page.text);

    let refused = send("", &"x".repeat(3 << 20)).await;
    assert_eq!(refused.problem(400, "malformed")["limit"], 2 << 20);
}

#[tokio::test]
async fn class_code_opens_the_view_of_its_creation() {
    let server = Server::start().await;
    let id = server.web.solve(&typed("kitten", "sitting")).await["id"].as_str().unwrap().to_owned();
    let link = |view: &str| json!({ "job": id, "lifetime": "1d", "class_code": true, "view": view });
    let made = server.web.post("/api/v1/links", &link("view=matrix&ask=on")).await.json();
    let page = server.web.get(&format!("/c/{}", made["class_code"].as_str().unwrap())).await;
    assert_eq!(page.status, 303);
    assert_eq!(page.header("location"), format!("{}#view=matrix&ask=on", made["url"].as_str().unwrap()));
    for view in ["a b", "x#y", "\"", "é", &*"x".repeat(501)] {
        server.web.post("/api/v1/links", &link(view)).await.problem(422, "bad-input");
    }
}

/// Encodes the fields of a form as a browser does.
fn form_urlencoded(fields: &[(&str, &str)]) -> String {
    let coded = |text: &str| text.bytes().map(|byte| format!("%{byte:02X}")).collect::<String>();
    fields.iter().map(|(name, value)| format!("{name}={}", coded(value))).collect::<Vec<_>>().join("&")
}
