//! Dot plots: common words of both texts of a result.

use serde_json::{Value, json};

use crate::client::{Server, job, random_dna, typed};

/// Solves a job and returns its path.
async fn solved(server: &Server, job: &Value) -> String {
    format!("/api/v1/jobs/{}", server.web.solve(job).await["id"].as_str().unwrap())
}

/// Returns the counts as rows.
fn rows(dots: &Value) -> Vec<Vec<u64>> {
    let counts: Vec<u64> = serde_json::from_value(dots["counts"].clone()).unwrap();
    counts.chunks(dots["width"].as_u64().unwrap() as usize).map(<[u64]>::to_vec).collect()
}

#[tokio::test]
async fn dot_plot_of_short_texts_shows_all_pairs_of_equal_symbols() {
    let server = Server::start().await;
    let path = solved(&server, &typed("abca", "bcb")).await;
    let dots = server.web.get(&format!("{path}/dots")).await.json();
    assert_eq!(rows(&dots), [[0, 0, 0], [1, 0, 1], [0, 1, 0], [0, 0, 0]]);
    assert_eq!((&dots["word"], &dots["one_in"], &dots["height"]), (&json!(1), &json!(1), &json!(4)));
    let part = server.web.get(&format!("{path}/dots?from_a=1&from_b=1&to_b=9&width=1&height=2&word=2")).await.json();
    assert_eq!((&part["from_a"], &part["to_a"], &part["from_b"], &part["to_b"]), (&json!(1), &json!(4), &json!(1), &json!(3)));
    assert_eq!(rows(&part), [[0], [0]]);
    assert_eq!((&part["a"], &part["b"]), (&json!(["b", "c", "a"]), &json!(["c", "b"])));
    let words = solved(&server, &job("lcs", json!({ "unit": "words" }), "the cat sat", "a cat sat")).await;
    assert_eq!(rows(&server.web.get(&format!("{words}/dots?word=2")).await.json()), [[0, 0, 0], [0, 1, 0], [0, 0, 0]]);
}

#[tokio::test]
async fn dot_plot_of_a_link_shows_a_repeat_as_a_second_diagonal() {
    let server = Server::start().await;
    let text = String::from_utf8(random_dna(20_000, 5)).unwrap();
    // The part at 2,000 occurs again at 15,000.
    let b = format!("{}{}{}", &text[..15_000], &text[2_000..7_000], &text[15_000..]);
    let (a, b) = (server.web.upload(text.clone()).await, server.web.upload(b).await);
    let pair = json!({ "task": "edit-distance", "a": { "upload": a }, "b": { "upload": b } });
    let id = server.web.solve(&pair).await["id"].as_str().unwrap().to_owned();
    let link = server.web.post("/api/v1/links", &json!({ "job": id, "lifetime": "1d" })).await.json();
    let path = format!("/api/v1/links/{}", link["id"].as_str().unwrap());
    // The result has 20 × 25 parts of 1,000 symbols each.
    let dots = server.web.get(&format!("{path}/dots?width=25&height=20&word=16")).await.json();
    let on = |row: usize, column: usize| rows(&dots)[row][column] > 900;
    assert!((0..15).all(|at| on(at, at)) && (15..20).all(|at| on(at, at + 5)) && (2..7).all(|at| on(at, at + 13)), "{dots}");
    assert_eq!(rows(&dots).iter().flatten().filter(|count| **count > 900).count(), 25);
    // The second request is answered from the cache.
    assert_eq!(server.web.get(&format!("{path}/dots?width=25&height=20&word=16")).await.json(), dots);
    let quiet = server.web.get(&format!("{path}/dots")).await.json();
    assert_eq!((&quiet["a"], &quiet["b"]), (&Value::Null, &Value::Null), "20,000 symbols are not sent as labels");
    let filled = quiet["counts"].as_array().unwrap().iter().filter(|count| **count != json!(0)).count();
    assert!(quiet["word"].as_u64().unwrap() > 6 && filled < 12_500, "{filled} at {}", quiet["word"]);
}

#[tokio::test]
async fn invalid_frame_is_refused_with_the_limit() {
    let server = Server::start().await;
    let path = solved(&server, &typed("abca", "bcb")).await;
    let problem = server.web.get(&format!("{path}/dots?width=1025")).await.problem(422, "too-large");
    assert_eq!((&problem["limit"], &problem["got"]), (&json!(1024), &json!(1025)));
    for (asked, status, slug) in [
        ("height=0", 422, "bad-input"),
        ("word=0", 422, "bad-input"),
        ("from_a=3&to_a=2", 422, "bad-input"),
        ("from_b=-1", 400, "malformed"),
        ("width=wide", 400, "malformed"),
        ("word=1e9", 400, "malformed"),
    ] {
        server.web.get(&format!("{path}/dots?{asked}")).await.problem(status, slug);
    }
    let long = server.web.get(&format!("{path}/dots?word=4000000000")).await.json();
    assert_eq!(long["word"], long["longest"]);
    server.web.get("/api/v1/jobs/0000000000000000000000/dots").await.problem(404, "not-found");
    let slow = server.web.start_slow().await;
    server.web.get(&format!("/api/v1/jobs/{slow}/dots")).await.problem(409, "no-result");
}
