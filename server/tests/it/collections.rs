//! Many texts compared with many.

use serde_json::{Value, json};

use crate::client::Server;

const PATH: &str = "/api/v1/collections";

#[tokio::test]
async fn collection_has_the_scores_of_all_pairs() {
    let server = Server::start().await;
    let own = json!({ "task": "edit-distance", "a": { "texts": ["kitten", { "name": "second", "text": "sitting" }, "", "kitten"] } });
    let answer = server.web.post(PATH, &own).await.json();
    assert_eq!(answer["names"], json!(["text 1", "second", "text 3", "text 4"]));
    assert_eq!(answer["lengths"], json!([6, 7, 0, 6]));
    assert_eq!(answer["scores"], json!([[0, 3, 6, 0], [3, 0, 7, 3], [6, 7, 0, 6], [0, 3, 6, 0]]));
    let two = json!({ "task": "lcs", "options": { "unit": "words", "case_insensitive": true },
        "a": { "texts": ["The cat sat"] }, "b": { "texts": ["the cat\nA dog sat\n\n"], "split": "lines" } });
    let answer = server.web.post(PATH, &two).await.json();
    assert_eq!((&answer["names_b"], &answer["lengths_b"]), (&json!(["the cat", "A dog sat", ""]), &json!([2, 3, 0])));
    assert_eq!(answer["scores"], json!([[2, 1, 0]]));
    let scored = json!({ "task": "sequence-alignment", "options": { "mode": "local", "match": 2 },
        "a": { "texts": [">x\nACGT\n>y\nTTACGA\n"], "split": "records" } });
    assert_eq!(server.web.post(PATH, &scored).await.json()["scores"], json!([[8, 6], [6, 12]]));
}

/// The answer equals that of a job for each pair.
#[tokio::test]
async fn scores_equal_those_of_jobs() {
    let server = Server::start().await;
    let texts = ["ACGTTGCA", "ACGTGCAA", "TTTT", "GATTACA"];
    for (task, options, field) in [
        ("edit-distance", json!({}), "distance"),
        ("lcs", json!({}), "length"),
        ("sequence-alignment", json!({ "matrix": "NUC.4.4", "gap": { "open": 5, "extend": 2 } }), "score"),
    ] {
        let all = server.web.post(PATH, &json!({ "task": task, "options": options, "a": { "texts": texts } })).await.json();
        for (a, first) in texts.iter().enumerate() {
            for (b, second) in texts.iter().enumerate().skip(a) {
                let job = json!({ "task": task, "options": options, "a": { "text": first }, "b": { "text": second } });
                assert_eq!(server.web.solve(&job).await["answer"][field], all["scores"][a][b], "{task}: {first}, {second}");
                assert_eq!(all["scores"][a][b], all["scores"][b][a]);
            }
        }
    }
}

#[tokio::test]
async fn pairs_are_kept_by_rules() {
    let server = Server::start().await;
    let ask =
        |keep: Value| json!({ "task": "edit-distance", "a": { "texts": ["aaaa\naaab\naaaa\nzzzz"], "split": "lines" }, "keep": keep });
    let pairs = async |keep: Value| {
        let answer = server.web.post(PATH, &ask(keep)).await.json();
        let of = |pair: &Value| ["a", "b", "distance"].map(|field| pair[field].as_u64().unwrap());
        answer["pairs"].as_array().unwrap().iter().map(of).collect::<Vec<_>>()
    };
    let near = [[0, 1, 1], [0, 2, 0], [1, 2, 1]];
    assert_eq!(pairs(json!({ "within": 1 })).await, near);
    assert_eq!(pairs(json!({ "similarity": 0.75 })).await, near);
    assert_eq!(pairs(json!({ "nearest": 1 })).await, [[0, 2, 0], [1, 0, 1], [2, 0, 0], [3, 0, 4]]);
    let groups = server.web.post(&format!("{PATH}?format=groups"), &ask(json!({ "within": 1 }))).await;
    assert_eq!(groups.text, "group,text,name\n0,0,aaaa\n0,1,aaab\n0,2,aaaa\n");
}

#[tokio::test]
async fn uploads_are_compared_and_files_are_written() {
    let server = Server::start().await;
    let upload = server.web.upload("kitten\nsitting\nmitten\n").await;
    let ask = json!({ "task": "edit-distance", "a": { "upload": upload, "split": "lines" } });
    let newick = server.web.post(&format!("{PATH}?format=newick"), &ask).await;
    assert_eq!(newick.text, "((kitten:0.5,mitten:0.5):1,sitting:1.5);\n");
    let npy = server.web.post(&format!("{PATH}?format=npy"), &ask).await;
    assert_eq!(npy.header("content-disposition"), "attachment; filename=\"collection.npy\"");
    assert!(npy.header("server-timing").starts_with("compare;dur="));
}

#[tokio::test]
async fn bad_requests_name_the_text_or_the_limit() {
    let server = Server::with(&[("EDITSCOPE_MAX_SCORES", "8"), ("EDITSCOPE_MAX_PAIRS", "2"), ("EDITSCOPE_MAX_CELLS_CPU", "1000")]).await;
    let refused = async |body: Value, status, kind| {
        let problem = server.web.post(PATH, &body).await.problem(status, kind);
        problem["detail"].as_str().unwrap().to_owned()
    };
    let of = |texts: Value| json!({ "task": "edit-distance", "a": { "texts": texts } });
    assert_eq!(refused(of(json!(["a", "b", "c"])), 422, "too-large").await, "The number of scores is 9, and the limit here is 8.");
    let kept = json!({ "task": "edit-distance", "a": { "texts": ["a", "b", "c"] }, "keep": { "within": 1 } });
    assert_eq!(refused(kept, 422, "too-large").await, "The number of kept pairs is 3, and the limit here is 2.");
    let long = "x".repeat(40);
    assert_eq!(
        refused(of(json!([long, "y".repeat(40)])), 422, "too-large").await,
        "The number of cells is 1600, and the limit here is 1000."
    );
    assert_eq!(refused(of(json!([])), 422, "bad-input").await, "a has no texts to compare.");
    let many = json!({ "task": "edit-distance", "a": { "texts": [{ "name": "genes.fasta", "text": ">x\nA\n>y\nC\n" }] } });
    assert!(refused(many, 422, "bad-input").await.starts_with("genes.fasta holds 2 records: x, y."));
    let rules = json!({ "task": "edit-distance", "a": { "texts": ["a"] }, "keep": { "within": 1, "nearest": 2 } });
    assert_eq!(refused(rules, 422, "bad-input").await, "keep has one rule: all, within, nearest or similarity.");
    let unknown = json!({ "task": "edit-distance", "a": { "texts": ["a"], "lines": true } });
    assert!(refused(unknown, 400, "malformed").await.contains("lines"));
    let searched = json!({ "task": "exact-search", "a": { "texts": ["a"] } });
    assert!(refused(searched, 422, "bad-input").await.starts_with("exact-search has no collections."));
    let missing = json!({ "task": "lcs", "a": { "upload": "0123456789abcdef" } });
    server.web.post(PATH, &missing).await.problem(404, "not-found");
    server.web.post(&format!("{PATH}?format=xml"), &of(json!(["a"]))).await.problem(400, "unsupported-format");
}
