//! Edit distance with a limit, and the rates of its answer.

use serde_json::{Value, json};

use crate::client::{Server, Web, job, typed};
use crate::restart::Program;

/// Solves a job and returns its answer and its path.
async fn solved(web: &Web, job: &Value) -> (Value, String) {
    let snapshot = web.solve(job).await;
    (snapshot["answer"].clone(), format!("/api/v1/jobs/{}", snapshot["id"].as_str().unwrap()))
}

#[tokio::test]
async fn distance_above_the_limit_is_only_said_to_be_more() {
    let server = Server::start().await;
    let above = |most: u64| json!({ "task": "edit-distance", "more_than": most });
    for alignment in [true, false] {
        let of = |options: Value| {
            let mut options = options;
            options["alignment"] = alignment.into();
            job("edit-distance", options, "kitten", "sitting")
        };
        assert_eq!(solved(&server.web, &of(json!({ "max_distance": 2 }))).await.0, above(2));
        let (within, _) = solved(&server.web, &of(json!({ "max_distance": 3 }))).await;
        let (plain, _) = solved(&server.web, &of(json!({}))).await;
        assert_eq!(within, plain);
        assert_eq!(solved(&server.web, &of(json!({ "max_distance": 4, "costs": { "substitute": 2 } }))).await.0, above(4));
        let (sum, _) = solved(&server.web, &of(json!({ "max_distance": 5, "costs": { "substitute": 2 } }))).await;
        assert_eq!(sum["distance"], 5);
    }
    let letters = |seed: u64| (0..30_000).map(|at: u64| b"ACGT"[(at.pow(3) / 7 * seed % 101 % 4) as usize] as char).collect::<String>();
    let far = job("edit-distance", json!({ "max_distance": 100 }), &letters(3), &letters(5));
    assert_eq!(solved(&server.web, &far).await.0, above(100));
}

#[tokio::test]
async fn parts_of_an_alignment_above_the_limit_are_refused() {
    let server = Server::start().await;
    let (_, path) = solved(&server.web, &job("edit-distance", json!({ "max_distance": 2 }), "kitten", "sitting")).await;
    let reason = "The distance is more than 2, the `max_distance` of the job, so that there is no alignment.";
    for part in ["alignment?from=0&len=9", "export?format=cigar", "export?format=edits", "export?format=html", "differences/0"] {
        let refused = server.web.get(&format!("{path}/{part}")).await;
        let wrong = refused.problem(409, "no-result");
        assert_eq!(wrong["detail"], reason, "{part}");
    }
    let document = server.web.get(&format!("{path}/export?format=json")).await.json();
    assert_eq!((&document["answer"]["more_than"], document.get("cigar")), (&json!(2), None));
}

#[tokio::test]
async fn answers_have_rates_where_they_are_defined() {
    let server = Server::start().await;
    let rows = [
        (json!({}), "kitten", "sitting", json!([4.0 / 7.0, 0.5, 6])),
        (json!({ "unit": "words" }), "one two three four", "one 2 three", json!([0.5, 0.5, 4])),
        (json!({ "alignment": false }), "kitten", "sitting", json!([4.0 / 7.0, null, null])),
        // A deletion and an insertion cost as much as a substitution, and the alignment has these.
        (json!({ "costs": { "substitute": 2 } }), "kitten", "sitting", json!([null, 5.0 / 6.0, 6])),
        (json!({ "costs": { "transpose": 1 } }), "kitten", "sitting", json!([null, null, null])),
        (json!({ "max_distance": 1 }), "kitten", "sitting", json!([null, null, null])),
        (json!({}), "a", "abcd", json!([0.25, 3.0, 1])),
        (json!({}), "", "abcd", json!([0.0, null, null])),
        (json!({}), "", "", json!([1.0, null, null])),
    ];
    for (options, a, b, expected) in rows {
        let (answer, _) = solved(&server.web, &job("edit-distance", options.clone(), a, b)).await;
        let rates = json!([answer["similarity"], answer["error_rate"], answer["reference_length"]]);
        assert_eq!(rates, expected, "{options} {a} {b}: {answer}");
    }
    let (_, path) = solved(&server.web, &job("edit-distance", json!({ "unit": "words" }), "one two three", "one 2 three")).await;
    let report = server.web.get(&format!("{path}/export?format=html")).await.text;
    assert!(report.contains("word error rate with a as reference</th><td class=\"r\">33.3%"), "{report}");
    let document = server.web.get(&format!("{path}/export?format=json")).await.json();
    assert_eq!(document["answer"]["reference_length"], 3);
}

/// A number has the same digits in each answer, although it was written to the store and read back.
#[tokio::test]
async fn numbers_keep_their_digits() {
    let server = Server::start().await;
    let (_, path) = solved(&server.web, &job("edit-distance", json!({}), "caaacc", "baabacaccbcacabacbaaabaaccccbbaabcbaaa")).await;
    for part in ["", "/export?format=json"] {
        let shown = server.web.get(&format!("{path}{part}")).await.text;
        assert!(shown.contains(&(6.0f64 / 38.0).to_string()), "{shown}");
    }
}

#[tokio::test]
async fn answer_above_the_limit_survives_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let program = Program::with(folder.path(), &[]);
    let (answer, path) = solved(&program.web, &job("edit-distance", json!({ "max_distance": 2 }), "kitten", "sitting")).await;
    let (plain, of_plain) = solved(&program.web, &typed("kitten", "sitting")).await;
    program.signal("-9");
    let program = Program::with(folder.path(), &[]);
    assert_eq!(program.web.get(&path).await.json()["answer"], answer);
    assert_eq!(program.web.get(&of_plain).await.json()["answer"], plain);
}
