//! A pair of a megabase, if the test data is available.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::client::Server;
use crate::results::distance_of_files;

#[tokio::test]
#[expect(clippy::print_stdout, reason = "a skipped test says so")]
async fn megabase_pair_is_compared_from_upload_to_scrolling() {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data");
    let folder = PathBuf::from(std::env::var("EDITSCOPE_TEST_DATA").unwrap_or_else(|_| beside.into()));
    let (Ok(a), Ok(b)) =
        (std::fs::read_to_string(folder.join("chromosome_1m.fasta")), std::fs::read_to_string(folder.join("chromosome_1m_94.fasta")))
    else {
        println!("skipped: no test data; set EDITSCOPE_TEST_DATA to a folder with chromosome_1m.fasta and chromosome_1m_94.fasta");
        return;
    };
    let server = Server::start().await;
    let (score, snapshot) = distance_of_files(&server, &a, &b).await;
    assert_eq!((score, &snapshot["answer"]["distance"]), (62_190, &json!(62_190)));
    assert!(snapshot["metrics"]["peak_bytes"].as_f64().unwrap() < 1e9);

    let id = snapshot["id"].as_str().unwrap();
    let columns = snapshot["answer"]["alignment"]["columns"].as_u64().unwrap();
    for from in [0, columns / 3, columns - 500] {
        let start = Instant::now();
        let window = server.web.get(&format!("/api/v1/jobs/{id}/alignment?from={from}&len=500")).await.json();
        assert_eq!(window["len"], 500);
        assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
    }
}
