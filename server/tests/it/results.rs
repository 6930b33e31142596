//! Windows into a result, and its exports.

use std::time::Duration;

use kernels::run::Run;
use reqwest::Method;
use serde_json::{Value, json};
use server::error::ApiProblem;

use crate::client::{Server, job, random_dna, typed};
use crate::rescore::{letters, score};

#[tokio::test]
async fn windows_show_parts_of_the_alignment() {
    let server = Server::start().await;
    let id = server.web.solve(&typed("kitten", "sitting")).await["id"].as_str().unwrap().to_owned();
    let get = |rest: &str| {
        let path = format!("/api/v1/jobs/{id}/{rest}");
        let web = server.web.clone();
        async move { web.get(&path).await.json() }
    };
    insta::assert_json_snapshot!("window", get("alignment?from=3&len=3").await);
    assert_eq!(get("alignment").await["len"], 7);
    assert_eq!(get("alignment?from=100").await["len"], 0);
    let bin = |mismatches: u64, insertions: u64| json!({ "mismatches": mismatches, "insertions": insertions, "deletions": 0 });
    assert_eq!(get("overview?points=2").await, json!({ "columns": 7, "bins": [bin(1, 0), bin(1, 1)] }));
    assert_eq!(get("differences/1").await, json!({ "number": 1, "column": 4, "of": 3 }));
    assert_eq!(get("differences/0?kinds=I").await, json!({ "number": 0, "column": 6, "of": 1 }));
    assert_eq!(get("differences?at=5&kinds=XD").await, json!({ "number": 1, "column": 4, "of": 2 }));
    assert_eq!(get("column?b=6").await, json!({ "column": 6 }));
    assert_eq!(get("column?a=6").await, json!({ "column": 7 }));
    assert_eq!(get("texts/a").await, json!({ "from": 0, "len": 6, "symbols": 6, "text": "kitten" }));
    assert_eq!(get("texts/b?from=2&len=3").await, json!({ "from": 2, "len": 3, "symbols": 7, "text": "tti" }));
    assert_eq!(get("texts/c").await["type"], "/problems/not-found");
    assert_eq!(get("texts/c/file").await["type"], "/problems/not-found");
    let path = format!("/api/v1/jobs/{id}/differences/3");
    assert_eq!(server.web.get(&path).await.problem(404, "not-found")["limit"], 3);
}

/// Line ends and header stay unchanged, so that the file has the hash of the snapshot.
#[tokio::test]
async fn text_is_returned_byte_for_byte() {
    let server = Server::start().await;
    let text = ">one\r\nACGT\r\n";
    let a = server.web.upload(text).await;
    let job = json!({ "task": "edit-distance", "options": { "unit": "bytes" }, "a": { "upload": a }, "b": { "text": "ACGT" } });
    let snapshot = server.web.solve(&job).await;
    let id = snapshot["id"].as_str().unwrap();
    let file = server.web.get(&format!("/api/v1/jobs/{id}/texts/a/file")).await;
    assert_eq!(file.text, text);
    assert_eq!(snapshot["a"]["blake3"], blake3::hash(text.as_bytes()).to_hex().as_str());
}

#[tokio::test]
async fn windows_and_texts_are_bounded() {
    let server = Server::start().await;
    let a = server.web.upload("aé".repeat(60_000)).await;
    let job = json!({ "task": "edit-distance", "options": { "unit": "chars" }, "a": { "upload": a }, "b": { "upload": a } });
    let id = server.web.solve(&job).await["id"].as_str().unwrap().to_owned();
    let window = server.web.get(&format!("/api/v1/jobs/{id}/alignment?len=1000000")).await.json();
    assert_eq!((&window["len"], &window["columns"]), (&json!(20_000), &json!(120_000)));
    let text = server.web.get(&format!("/api/v1/jobs/{id}/texts/a")).await.json();
    assert_eq!((&text["len"], &text["symbols"]), (&json!(66_667), &json!(120_000)));
    assert_eq!(text["text"].as_str().unwrap().len(), 100_000);
    let bins = server.web.get(&format!("/api/v1/jobs/{id}/overview?points=1000000")).await.json();
    assert_eq!(bins["bins"].as_array().unwrap().len(), 10_000);
}

#[tokio::test]
async fn result_without_an_alignment_has_no_windows() {
    let server = Server::start().await;
    let mut job = typed("kitten", "sitting");
    job["options"] = json!({ "alignment": false });
    let snapshot = server.web.solve(&job).await;
    assert_eq!(snapshot["answer"], json!({ "task": "edit-distance", "distance": 3, "similarity": 4.0 / 7.0 }));
    let path = format!("/api/v1/jobs/{}", snapshot["id"].as_str().unwrap());
    for part in ["alignment", "overview", "differences/0", "export"] {
        server.web.get(&format!("{path}/{part}")).await.problem(409, "no-result");
    }
    assert_eq!(server.web.get(&format!("{path}/texts/a")).await.json()["text"], "kitten");
}

#[tokio::test]
async fn exports_have_file_names_and_agree() {
    let server = Server::start().await;
    let path = format!("/api/v1/jobs/{}/export", server.web.solve(&typed("kitten", "sitting")).await["id"].as_str().unwrap());
    let cigar = server.web.get(&format!("{path}?format=cigar")).await;
    assert_eq!(cigar.text, "1X3=1X1=1I\n");
    assert_eq!(cigar.header("content-disposition"), "attachment; filename=\"edit-distance.cigar\"");
    let text = server.web.get(&format!("{path}?format=text")).await;
    assert!(text.text.ends_with("\na 1 kitten- 6\n    .|||.|\nb 1 sitting 7\n"), "{}", text.text);
    let all = server.web.get(&format!("{path}?format=json")).await;
    assert_eq!((all.header("content-type"), &all.json()["cigar"]), ("application/json", &json!("1X3=1X1=1I")));
    assert_eq!(all.json()["answer"]["distance"], 3);
    server.web.get(&format!("{path}?format=pdf")).await.problem(400, "unsupported-format");
}

#[tokio::test]
async fn compressed_exports_are_complete() {
    let server = Server::start().await;
    let (a, b) = (server.web.upload(random_dna(200_000, 3)).await, server.web.upload(random_dna(200_000, 3)).await);
    let job = json!({ "task": "edit-distance", "a": { "upload": a }, "b": { "upload": b } });
    let id = server.web.solve(&job).await["id"].as_str().unwrap().to_owned();
    // Files may have gigabytes, so that fast compression is preferred to good compression.
    for accepted in ["gzip", "gzip, deflate, br, zstd"] {
        let path = format!("/api/v1/jobs/{id}/export?format=text");
        let got = server.web.send(server.web.request(Method::GET, &path).header("accept-encoding", accepted)).await;
        assert_eq!((got.status, got.header("content-encoding")), (200, "gzip"));
        assert!(got.text.len() > 1000);
    }
}

/// Uploads two files, solves the pair, and scores the exported CIGAR independently.
pub(crate) async fn distance_of_files(server: &Server, a: &str, b: &str) -> (u64, Value) {
    let (upload_a, upload_b) = (server.web.upload(a.to_owned()).await, server.web.upload(b.to_owned()).await);
    let snapshot = server.web.solve(&json!({ "task": "edit-distance", "a": { "upload": upload_a }, "b": { "upload": upload_b } })).await;
    let id = snapshot["id"].as_str().unwrap();
    let cigar = server.web.get(&format!("/api/v1/jobs/{id}/export?format=cigar")).await.text;
    (score(&cigar, &letters(a), &letters(b)), snapshot)
}

#[tokio::test]
async fn exported_cigars_of_real_files_have_the_distance() {
    let server = Server::start().await;
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../kernels/tests/data");
    let file = |name: &str| std::fs::read_to_string(format!("{data}/{name}.fasta")).unwrap();
    for (a, b, distance) in [("read_10k", "read_10k_90", 1017), ("phage", "phage_99", 990)] {
        let (score, snapshot) = distance_of_files(&server, &file(a), &file(b)).await;
        assert_eq!((score, &snapshot["answer"]["distance"]), (distance, &json!(distance)), "{a} {b}");
        assert!(snapshot["a"]["name"].as_str().is_some_and(|name| !name.is_empty()), "{snapshot}");
    }
}

#[tokio::test]
async fn query_without_a_waiting_client_stops() {
    let server = Server::start().await;
    let (began, begins) = std::sync::mpsc::channel();
    let (stopped, stops) = std::sync::mpsc::channel();
    let results = server.state.results.clone();
    let asked = tokio::spawn(async move {
        let look = move |run: &Run<'_>| {
            began.send(()).unwrap();
            while run.tick(1).is_ok() {
                std::thread::sleep(Duration::from_millis(1));
            }
            stopped.send(()).map_err(ApiProblem::internal)
        };
        results.run_query(look).await
    });
    let wait = |heard: std::sync::mpsc::Receiver<()>| tokio::task::spawn_blocking(move || heard.recv_timeout(Duration::from_secs(10)));
    assert_eq!(wait(begins).await.unwrap(), Ok(()));
    asked.abort();
    assert_eq!(wait(stops).await.unwrap(), Ok(()));
}

#[tokio::test]
async fn words_and_lines_are_returned_side_by_side() {
    let server = Server::start().await;
    let (a, b) = ("one\nport 80\nlast\n", "one\nport 8080\nmore\nlast\n");
    let snapshot = server.web.solve(&job("edit-distance", json!({ "unit": "lines" }), a, b)).await;
    let path = format!("/api/v1/jobs/{}/editions", snapshot["id"].as_str().unwrap());
    let outline = server.web.get(&path).await.json();
    assert_eq!((&outline["rows"], &outline["changes"]), (&json!(4), &json!([[1, 3]])));
    let rows = server.web.get(&format!("{path}?from=1&len=2")).await.json();
    let changed = json!({
        "a": { "line": 1, "pieces": [["=", "port "], ["X", "80"]] },
        "b": { "line": 1, "pieces": [["=", "port "], ["X", "8080"]] },
        "changed": true,
    });
    assert_eq!(rows["lines"], json!([changed, { "b": { "line": 2, "pieces": [["I", "more"]] }, "changed": true }]));
    // A change behind the first 4,000 bytes of a line is marked, and nothing else.
    let long = (0..1000).map(|at| format!("w{at:04}")).collect::<Vec<_>>().join(" ");
    for unit in ["words", "lines"] {
        let changed = long.replace("w0900", "other");
        let snapshot = server.web.solve(&job("edit-distance", json!({ "unit": unit }), &long, &changed)).await;
        let path = format!("/api/v1/jobs/{}/editions?from=0&len=5", snapshot["id"].as_str().unwrap());
        let row = server.web.get(&path).await.json()["lines"][0].clone();
        for (side, text) in [("a", "w0900"), ("b", "other")] {
            let pieces = row[side]["pieces"].as_array().unwrap().clone();
            let marked: Vec<_> = pieces.into_iter().filter(|piece| piece[0] != "=").collect();
            assert_eq!(marked, [json!(["X", text])], "{unit} {side}");
        }
    }
    let letters = server.web.solve(&job("edit-distance", json!({}), a, b)).await;
    let refused = server.web.get(&format!("/api/v1/jobs/{}/editions", letters["id"].as_str().unwrap())).await;
    refused.problem(422, "bad-input");
    let nowhere = server.web.get(&format!("/api/v1/jobs/{}/column", letters["id"].as_str().unwrap())).await;
    nowhere.problem(422, "bad-input");
}
