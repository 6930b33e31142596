//! Problem documents: a sentence for people, and a stable type.

use reqwest::Method;
use serde_json::{Value, json};

use crate::client::{Got, Server, job, typed};

async fn post_text(server: &Server, body: impl Into<reqwest::Body>) -> Got {
    server.web.send(server.web.request(Method::POST, "/api/v1/jobs").body(body)).await
}

#[tokio::test]
async fn malformed_request_is_reported_with_its_position() {
    let server = Server::start().await;
    let problem = post_text(&server, r#"{"task": "edit-distance", "a": {"text": "x"}, "b": "#).await.problem(400, "malformed");
    assert!(problem["detail"].as_str().unwrap().contains("line 1, column 51"), "{problem}");
    let rows = [
        ("", "incomplete"),
        (r#"{"task": "edit-distance", "a": {"text": "x"}}"#, "“b” is missing"),
        (r#"{"task": "edit-distance", "a": {"text": "x"}, "b": {"file": "y"}}"#, "“file” is unknown here. Valid names: text, upload"),
        (r#"{"task": "edit-distance", "a": {"text": 5}, "b": {"text": "y"}}"#, "5 is not a valid value for a"),
        (
            r#"{"task": "edit-distance", "options": {"unit": "bits"}, "a": {"text": "x"}, "b": {"text": "y"}}"#,
            "“bits” is not a valid value for options.unit. Valid values: bytes, chars, graphemes, words, lines",
        ),
        (
            r#"{"task": "edit-distance", "options": {"speed": 9}, "a": {"text": "x"}, "b": {"text": "y"}}"#,
            "“speed” is unknown here. Valid names: unit, fasta",
        ),
    ];
    for (body, named) in rows {
        let problem = post_text(&server, body).await.problem(400, "malformed");
        assert!(problem["detail"].as_str().unwrap().contains(named), "{body}: {problem}");
    }
    post_text(&server, vec![b'{', 0xff, b'}']).await.problem(400, "malformed");
    let problem = server.web.post("/api/v1/jobs?wait=long", &typed("a", "b")).await.problem(400, "malformed");
    assert_eq!(problem["detail"], "wait must be a number.");
    let problem = server.web.get("/api/v1/jobs/00000000000000000000000000/alignment?from=-1").await.problem(400, "malformed");
    assert_eq!(problem["detail"], "from must be a whole number, 0 or more.");
}

#[tokio::test]
async fn unknown_parameter_is_reported_with_the_valid_ones() {
    let server = Server::start().await;
    let job = format!("/api/v1/jobs/{}", server.web.solve(&typed("kitten", "sitting")).await["id"].as_str().unwrap());
    let said = |problem: Value| problem["detail"].as_str().unwrap().to_owned();
    let detail = said(server.web.get(&format!("{job}/alignment?frm=5")).await.problem(400, "malformed"));
    assert!(["“frm”", "from", "len", "hit", "offset"].iter().all(|name| detail.contains(name)), "{detail}");
    let detail = said(server.web.post("/api/v1/jobs?wait=1&Fresh=1", &typed("a", "b")).await.problem(400, "malformed"));
    assert!(detail.contains("“Fresh”") && detail.contains("wait, fresh"), "{detail}");
    let detail = said(server.web.get("/api/v1/engines?all").await.problem(400, "malformed"));
    assert!(detail.contains("“all”") && detail.contains("has no parameters"), "{detail}");
    server.web.get(&format!("{job}/alignment?from=1&&len=2")).await.json();
    server.web.get(&format!("{job}/alignment?hit=0&offset=5")).await.problem(422, "bad-input");
}

#[tokio::test]
async fn part_outside_a_result_is_not_found() {
    let server = Server::start().await;
    let job = format!("/api/v1/jobs/{}", server.web.solve(&typed("kitten", "sitting")).await["id"].as_str().unwrap());
    for part in ["column?a=7", "column?b=99999999999", "matrix?number=7", "differences/3"] {
        server.web.get(&format!("{job}/{part}")).await.problem(404, "not-found");
    }
    for address in ["/api", "/api/", "/api/v1", "/api/v1/jobs/", "/livez/", "/readyz/"] {
        server.web.get(address).await.problem(404, "not-found");
    }
}

#[tokio::test]
async fn unknown_task_is_refused_with_the_known_tasks() {
    let server = Server::start().await;
    let mut job = typed("a", "b");
    job["task"] = "sort".into();
    let problem = server.web.post("/api/v1/jobs", &job).await.problem(422, "unknown-task");
    let tasks = json!(["edit-distance", "approximate-search", "lcs", "match-count", "exact-search", "sequence-alignment"]);
    assert_eq!(problem["tasks"], tasks);
}

#[tokio::test]
async fn job_over_the_limit_is_refused_before_it_is_queued() {
    let server = Server::with(&[("EDITSCOPE_MAX_CELLS_CPU", "41")]).await;
    let problem = server.web.post("/api/v1/jobs", &typed("kitten", "sitting")).await.problem(422, "too-large");
    assert_eq!((&problem["limit"], &problem["got"]), (&json!(41), &json!(42)));
    assert_eq!(server.web.solve(&typed("kitten", "sit")).await["answer"]["distance"], 4);
}

#[tokio::test]
async fn texts_that_do_not_suit_the_unit_are_bad_input() {
    let server = Server::start().await;
    let id = server.web.upload(&b"caf\xe9"[..]).await;
    let of = |options: Value| json!({ "task": "edit-distance", "options": options, "a": { "text": "cafe" }, "b": { "upload": id } });
    let problem = server.web.post("/api/v1/jobs", &of(json!({ "unit": "chars" }))).await.problem(422, "bad-input");
    assert!(problem["detail"].as_str().unwrap().starts_with("b is not valid UTF-8 at byte 3."), "{problem}");
    assert_eq!(server.web.solve(&of(json!({}))).await["answer"]["distance"], 1);
    server.web.post("/api/v1/jobs", &of(json!({ "normalize": true }))).await.problem(422, "bad-input");
}

#[tokio::test]
async fn option_of_another_task_is_refused_with_its_name() {
    let server = Server::start().await;
    let rows = [
        ("lcs", json!({ "max_mismatches": 1 }), "lcs has no option max_mismatches. match-count has it."),
        (
            "exact-search",
            json!({ "max_distance": 0 }),
            "exact-search has no option max_distance. edit-distance, approximate-search have it.",
        ),
        ("match-count", json!({ "local_minima": true }), "match-count has no option local_minima. approximate-search has it."),
        (
            "edit-distance",
            json!({ "count_only": true }),
            "edit-distance has no option count_only. approximate-search, match-count, exact-search have it.",
        ),
        (
            "edit-distance",
            json!({ "max_distance": 1, "method": "diagonal" }),
            "The methods of the papers compute the whole distance. Leave out max_distance or method.",
        ),
        ("lcs", json!({ "method": "kmp" }), "lcs has no method kmp. It has hirschberg, bit-parallel, bit-parallel-blocks."),
    ];
    for (task, options, sentence) in rows {
        let refused = server.web.post("/api/v1/jobs", &job(task, options, "a", "b")).await;
        assert_eq!(refused.problem(422, "bad-input")["detail"], sentence);
    }
    // Options that change nothing count as not set.
    let options = json!({ "local_minima": false, "max_mismatches": null, "alignment": true });
    assert_eq!(server.web.solve(&job("exact-search", options, "a", "bab")).await["answer"]["total"], 1);
    for wrong in
        [json!({ "max_distance": -1 }), json!({ "max_distance": 1.5 }), json!({ "max_distance": "2" }), json!({ "method": "guess" })]
    {
        server.web.post("/api/v1/jobs", &job("approximate-search", wrong, "a", "b")).await.problem(400, "malformed");
    }
}

#[tokio::test]
async fn request_that_is_too_long_is_told_to_upload() {
    let server = Server::with(&[("EDITSCOPE_MAX_BODY_BYTES", "1000")]).await;
    let problem = server.web.post("/api/v1/jobs", &typed(&"a".repeat(1000), "")).await.problem(413, "upload-too-large");
    assert!(problem["detail"].as_str().unwrap().contains("PUT /api/v1/texts"), "{problem}");
}

#[tokio::test]
async fn unknown_addresses_and_methods_are_refused() {
    let server = Server::start().await;
    let nothing = "/api/v1/jobs/00000000000000000000000000";
    for path in [nothing, &format!("{nothing}/events"), &format!("{nothing}/alignment"), "/api/v1/jobs/kitten", "/api/v1/sort", "/api"] {
        server.web.get(path).await.problem(404, "not-found");
    }
    server.web.delete(nothing).await.problem(404, "not-found");
    server.web.get("/api/v1/links/00000000000000000000000000").await.problem(404, "not-found");
    for (method, path) in
        [(Method::GET, "/api/v1/jobs"), (Method::POST, "/api/v1/texts"), (Method::PUT, nothing), (Method::DELETE, "/api/v1/engines")]
    {
        let got = server.web.send(server.web.request(method, path)).await;
        got.problem(405, "method-not-allowed");
        assert!(!got.header("allow").is_empty());
    }
    let job = json!({ "task": "edit-distance", "a": { "upload": "nothing" }, "b": { "text": "" } });
    server.web.post("/api/v1/jobs", &job).await.problem(404, "not-found");
}

#[tokio::test]
async fn cross_site_requests_cannot_change_data() {
    let server = Server::start().await;
    let send = |header: &'static str, value: &'static str| {
        let request = server.web.request(Method::POST, "/api/v1/jobs?wait=5").header(header, value);
        server.web.send(request.body(typed("a", "b").to_string()))
    };
    for (header, value) in [
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
        // Older browsers send only the origin.
        ("origin", "https://evil.example"),
        ("origin", "null"),
    ] {
        send(header, value).await.problem(403, "cross-site");
    }
    let here: &'static str = server.web.base.clone().leak();
    for (header, value) in [("sec-fetch-site", "same-origin"), ("sec-fetch-site", "none"), ("origin", here), ("accept", "of a program")] {
        assert_eq!(send(header, value).await.status, 200, "{header}: {value}");
    }
}

#[tokio::test]
async fn answers_have_security_headers() {
    let server = Server::start().await;
    for path in ["/api/v1/engines", "/api/v1/nothing", "/livez"] {
        let got = server.web.get(path).await;
        assert_eq!(got.header("content-security-policy"), "default-src 'none'; frame-ancestors 'none'", "{path}");
        assert_eq!((got.header("x-content-type-options"), got.header("cache-control")), ("nosniff", "no-store"), "{path}");
        assert!(!got.headers.contains_key("access-control-allow-origin"), "{path}");
    }
}

#[tokio::test]
async fn engines_and_health_can_be_queried() {
    let server = Server::start().await;
    let engines = server.web.get("/api/v1/engines").await.json();
    let offer = &engines["offers"][0];
    assert_eq!((&offer["engine"], &offer["place"]), (&json!("cpu"), &json!("server")));
    let rates = offer["tasks"].as_array().unwrap();
    let tasks: Vec<&str> = rates.iter().map(|rate| rate["task"].as_str().unwrap()).collect();
    assert_eq!(tasks, ["edit-distance", "approximate-search", "lcs", "match-count", "exact-search", "sequence-alignment"]);
    assert!(rates.iter().all(|rate| rate["cells_per_second"].as_f64().unwrap() > 1e6), "{offer}");
    assert_eq!(engines["limits"]["upload_bytes"], 256 << 20);
    assert_eq!(server.web.get("/livez").await.text, "alive\n");
    assert_eq!(server.web.get("/readyz").await.json()["status"], "ready");
    std::fs::remove_dir_all(server.state.config.data.join("unfinished")).unwrap();
    server.web.get("/readyz").await.problem(503, "not-ready");
}
