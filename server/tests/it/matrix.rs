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

#[tokio::test]
async fn matrix_of_scores_has_signed_values_and_layers() {
    let server = Server::start().await;
    let job = |options: Value, a: &str, b: &str| json!({ "task": "sequence-alignment", "options": options, "a": { "text": a }, "b": { "text": b } });
    let gotoh = json!({ "match": 2, "mismatch": -1, "gap": { "open": 2, "extend": 1 } });
    let path = solved(&server, &job(gotoh, "GCTTAGC", "GCAGTC")).await;
    let matrix = server.web.get(&format!("{path}/matrix")).await.json();
    assert_eq!((&matrix["optimal"], &matrix["alignment"]["cigar"]), (&json!("1"), &json!("2=2D2=1I1=")));
    let layers = matrix["layers"].as_array().unwrap();
    assert_eq!(layers.iter().map(|layer| layer["name"].as_str().unwrap()).collect::<String>(), "MDI");
    assert_eq!(layers[0]["values"][0], json!([0, null, null, null, null, null, null]));
    assert_eq!(layers[1]["values"][4], json!([-6, -3, 0, 0, -3, -1, -4]));
    // D[4, 2] extends the gap of D[3, 2], which opened after M[2, 2].
    assert_eq!((&layers[1]["inputs"][4][2], &layers[1]["inputs"][3][2]), (&json!(2), &json!(1)));
    assert_eq!((&layers[1]["on_optimal"][4][2], &layers[0]["on_optimal"][4][2]), (&json!(true), &json!(false)));
    assert_eq!((&matrix["values"][4][2], &matrix["inputs"][4][2], &matrix["values"][7][6]), (&json!(0), &json!(2), &json!(3)));
    let symbols = server.web.get(&format!("{path}/matrix?only=symbols")).await.json();
    assert_eq!((&symbols["scoring"]["match"], &symbols["layers"]), (&json!(2), &Value::Null));

    let local = json!({ "mode": "local", "match": 3, "mismatch": -3, "gap": { "extend": 2 } });
    let path = solved(&server, &job(local, "TGTTACGG", "GGTTGACTA")).await;
    let matrix = server.web.get(&format!("{path}/matrix")).await.json();
    assert_eq!((&matrix["values"][6][7], &matrix["values"][5][2], &matrix["inputs"][5][2]), (&json!(13), &json!(0), &json!(16)));
    let alignment = &matrix["alignment"];
    assert_eq!((&alignment["cigar"], &alignment["a_start"], &alignment["b_start"]), (&json!("3=1I2="), &json!(1), &json!(1)));
    assert_eq!(matrix.get("layers"), None);

    let protein = json!({ "matrix": "BLOSUM62", "gap": { "extend": 8 } });
    let path = solved(&server, &job(protein, "HEAGAWGHEE", "PAWHEAE")).await;
    let matrix = server.web.get(&format!("{path}/matrix")).await.json();
    assert_eq!(
        (&matrix["scoring"]["matrix"], &matrix["values"][1][1], &matrix["values"][1][0]),
        (&json!("BLOSUM62"), &json!(-2), &json!(-8))
    );
}

#[tokio::test]
async fn matrix_of_ambiguity_codes_has_their_matches() {
    let server = Server::start().await;
    let job = json!({ "task": "exact-search", "options": { "ambiguity": true }, "a": { "text": "RN" }, "b": { "text": "GCT" } });
    let solved = server.web.solve(&job).await;
    assert_eq!((&solved["answer"]["total"], &solved["answer"]["positions"]), (&json!(1), &json!([0])));
    let matrix = server.web.get(&format!("/api/v1/jobs/{}/matrix", solved["id"].as_str().unwrap())).await.json();
    assert_eq!((&matrix["symbol_match"], &matrix["values"]), (&json!("overlap"), &json!([[1, 1, 1, 1], [0, 1, 0, 0], [0, 0, 1, 0]])));
}

#[tokio::test]
async fn symbol_that_is_no_ambiguity_code_is_refused_with_its_place() {
    let server = Server::start().await;
    let job = json!({ "task": "exact-search", "options": { "ambiguity": true }, "a": { "text": "RN" }, "b": { "text": "GCXT" } });
    let refused = server.web.post("/api/v1/jobs", &job).await.problem(422, "bad-input");
    assert_eq!(refused["failure"]["wrong"], json!({ "what": "no-base-code", "text": "b", "at": 2, "symbol": "X" }));
    for (task, options, detail) in [
        ("edit-distance", json!({ "ambiguity": true, "costs": { "transpose": 1 } }), "Leave out ambiguity or costs.transpose."),
        ("sequence-alignment", json!({ "ambiguity": true, "matrix": "NUC.4.4" }), "Leave out ambiguity or matrix."),
        ("lcs", json!({ "ambiguity": true, "method": "hirschberg" }), "Leave out ambiguity or method."),
    ] {
        let both = json!({ "task": task, "options": options, "a": { "text": "RN" }, "b": { "text": "GC" } });
        let refused = server.web.post("/api/v1/jobs", &both).await.problem(422, "bad-input");
        assert!(refused["detail"].as_str().unwrap().ends_with(detail), "{refused}");
    }
}

/// Answer, alignment and matrix of the tasks that compare whole texts.
#[tokio::test]
async fn pairs_with_ambiguity_codes_match_by_their_bases() {
    let server = Server::start().await;
    for (task, value, cigar, last) in [
        ("edit-distance", json!({ "distance": 1 }), "2=1D2=", json!(1)),
        ("lcs", json!({ "length": 4 }), "2=1D2=", json!(4)),
        ("sequence-alignment", json!({ "score": 3 }), "2=1D2=", json!(3)),
    ] {
        let job = json!({ "task": task, "options": { "ambiguity": true }, "a": { "text": "GRTCN" }, "b": { "text": "gaca" } });
        let solved = server.web.solve(&job).await;
        for (name, value) in value.as_object().unwrap() {
            assert_eq!(&solved["answer"][name], value, "{task}");
        }
        let path = format!("/api/v1/jobs/{}", solved["id"].as_str().unwrap());
        let matrix = server.web.get(&format!("{path}/matrix")).await.json();
        assert_eq!((&matrix["symbol_match"], &matrix["values"][5][4]), (&json!("overlap"), &last), "{task}");
        assert_eq!(matrix["alignment"]["cigar"], cigar, "{task}");
        let alignment = server.web.get(&format!("{path}/alignment?from=0&len=10")).await.json();
        let stretches = json!([{ "edit": "=", "len": 2 }, { "edit": "D", "len": 1 }, { "edit": "=", "len": 2 }]);
        assert_eq!(alignment["stretches"], stretches, "{task}");
    }
}
