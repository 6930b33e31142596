//! The matrix of a small result.

use kernels::alignment::Alignment;
use serde_json::{Value, json};

use crate::client::{Server, typed};

/// Solves a job and returns its path.
async fn solved(server: &Server, job: &Value) -> String {
    format!("/api/v1/jobs/{}", server.web.solve(job).await["id"].as_str().unwrap())
}

#[tokio::test]
async fn matrix_has_values_inputs_and_every_optimal_alignment() {
    let server = Server::start().await;
    let path = solved(&server, &typed("INTENTION", "EXECUTION")).await;
    let matrix = server.web.get(&format!("{path}/matrix")).await.json();
    assert_eq!((&matrix["optimal"], &matrix["values"][9][9]), (&json!("7"), &json!(5)));
    assert_eq!((&matrix["values"][0], &matrix["inputs"][0][1]), (&json!([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]), &json!(4)));
    assert_eq!((&matrix["a"][0], &matrix["b"][1], &matrix["on_optimal"][9][0]), (&json!("I"), &json!("X"), &json!(false)));
    let mut cigars = Vec::new();
    for number in 0..7 {
        let one = server.web.get(&format!("{path}/matrix?number={number}")).await.json();
        assert_eq!(one["alignment"]["number"], number.to_string());
        let cigar = one["alignment"]["cigar"].as_str().unwrap().to_owned();
        let alignment: Alignment = cigar.parse().unwrap();
        assert_eq!(alignment.check(b"INTENTION", b"EXECUTION"), Ok(()));
        assert_eq!(alignment.summary().distance(), 5);
        cigars.push(cigar);
    }
    cigars.sort();
    cigars.dedup();
    assert_eq!(cigars.len(), 7);
    server.web.get(&format!("{path}/matrix?number=7")).await.problem(404, "not-found");
    server.web.get(&format!("{path}/matrix?number=few")).await.problem(400, "malformed");
    server.web.get(&format!("{path}/matrix?number=-1")).await.problem(400, "malformed");
    let refused = server.web.get(&format!("{path}/matrix?number={}", "9".repeat(60_000))).await.problem(422, "bad-input");
    assert_eq!((&refused["limit"], &refused["got"]), (&json!(500), &json!(60_000)));
}

#[tokio::test]
async fn matrix_of_a_stored_result_respects_the_options() {
    let server = Server::start().await;
    let job = json!({ "task": "lcs", "options": { "unit": "words", "case_insensitive": true },
        "a": { "text": "The cat sat" }, "b": { "text": "the black cat" } });
    let id = server.web.solve(&job).await["id"].as_str().unwrap().to_owned();
    let link = server.web.post("/api/v1/links", &json!({ "job": id, "lifetime": "1d" })).await.json();
    let sheet = server.web.get(&format!("/api/v1/links/{}/matrix?only=symbols", link["id"].as_str().unwrap())).await.json();
    assert_eq!(sheet["a"], json!(["The", "cat", "sat"]));
    assert_eq!(sheet["a_numbers"][0], sheet["b_numbers"][0]);
    assert_eq!((&sheet["task"], &sheet["optimal"], &sheet["values"]), (&json!("lcs"), &json!("1"), &Value::Null));
}

#[tokio::test]
async fn large_matrices_are_refused() {
    let server = Server::start().await;
    let path = solved(&server, &typed(&"a".repeat(501), "b")).await;
    let problem = server.web.get(&format!("{path}/matrix")).await.problem(422, "too-large");
    assert_eq!((&problem["limit"], &problem["got"]), (&json!(500), &json!(501)));
    assert_eq!(server.web.get(&format!("{path}/matrix?only=symbols")).await.json()["a"].as_array().unwrap().len(), 501);
    let path = solved(&server, &typed(&"a".repeat(2_001), "b")).await;
    server.web.get(&format!("{path}/matrix?only=symbols")).await.problem(422, "too-large");
    let search = json!({ "task": "exact-search", "a": { "text": "x" }, "b": { "text": "abc" } });
    let path = solved(&server, &search).await;
    let matrix = server.web.get(&format!("{path}/matrix")).await.json();
    assert_eq!((&matrix["optimal"], &matrix["alignment"]), (&json!("0"), &Value::Null));
}
