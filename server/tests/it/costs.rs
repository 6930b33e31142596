//! Edit distance with other costs: answers, refused costs, windows, files and stored results.

use serde_json::{Value, json};

use crate::client::{Server, Web, job, typed};
use crate::restart::Program;

const OSA: &str = r#"{"substitute": 1, "insert": 1, "delete": 1, "transpose": 1}"#;

/// Creates an edit-distance job on two typed texts with the costs of optimal string alignment.
fn exchanging(unit: &str, a: &str, b: &str) -> Value {
    job("edit-distance", json!({ "unit": unit, "costs": { "transpose": 1 } }), a, b)
}

/// Solves a job and returns its answer and its path.
async fn solved(web: &Web, job: &Value) -> (Value, String) {
    let snapshot = web.solve(job).await;
    (snapshot["answer"].clone(), format!("/api/v1/jobs/{}", snapshot["id"].as_str().unwrap()))
}

#[tokio::test]
async fn distance_is_the_least_sum_of_costs() {
    let server = Server::start().await;
    let rows = [
        ("kitten", "sitting", json!({}), 3),
        ("kitten", "sitting", json!({ "substitute": 2 }), 5),
        ("kitten", "sitting", json!({ "substitute": 10, "delete": 3 }), 9),
        ("kitten", "sitting", json!({ "substitute": 1000, "insert": 0, "delete": 0 }), 0),
        ("", "abc", json!({ "insert": 7 }), 21),
        ("abc", "", json!({ "insert": 7 }), 3),
        ("ca", "ac", json!({}), 2),
        ("ca", "ac", json!({ "transpose": 1 }), 1),
        ("ca", "ac", json!({ "transpose": null }), 2),
        // No edit changes symbols that were exchanged.
        ("ca", "abc", json!({ "transpose": 1 }), 3),
    ];
    for (a, b, costs, distance) in rows {
        for alignment in [true, false] {
            let options = json!({ "costs": costs, "alignment": alignment });
            let (answer, _) = solved(&server.web, &job("edit-distance", options, a, b)).await;
            assert_eq!(answer["distance"], distance, "{a} {b} {costs}: {answer}");
        }
    }
    let (answer, path) = solved(&server.web, &exchanging("bytes", "ca", "ac")).await;
    let alignment = json!({
        "columns": 2, "matches": 0, "mismatches": 0, "insertions": 0, "deletions": 0, "transpositions": 1, "differences": 1,
    });
    assert_eq!(answer, json!({ "task": "edit-distance", "distance": 1, "alignment": alignment }));
    let snapshot = server.web.get(&path).await.json();
    assert_eq!(snapshot["options"]["costs"], serde_json::from_str::<Value>(OSA).unwrap(), "{snapshot}");
    // The default costs are not listed, and other tasks accept them.
    let plain = server.web.solve(&job("lcs", json!({ "costs": { "substitute": 1 } }), "ca", "ac")).await;
    assert_eq!((&plain["answer"]["length"], plain["options"].get("costs")), (&json!(1), None));
    assert!(server.web.solve(&typed("ca", "ac")).await["answer"]["alignment"].get("transpositions").is_none());
}

#[tokio::test]
async fn wrong_costs_are_refused_with_their_name() {
    let server = Server::start().await;
    let refused = async |task: &str, options: Value, status: u16, slug: &str| {
        let problem = server.web.post("/api/v1/jobs", &job(task, options, "a", "b")).await.problem(status, slug);
        problem["detail"].as_str().unwrap().to_owned()
    };
    let beyond = [
        (json!({ "substitute": 1001 }), "costs.substitute is 1001; it must be from 0 to 1000."),
        (json!({ "transpose": 5000 }), "costs.transpose is 5000; it must be from 0 to 1000."),
    ];
    for (costs, sentence) in beyond {
        assert_eq!(refused("edit-distance", json!({ "costs": costs }), 422, "bad-input").await, sentence);
    }
    let malformed = [
        (json!({ "swap": 1 }), "“swap” is unknown here. Valid names: substitute, insert, delete, transpose"),
        (json!({ "insert": -1 }), "-1 is not a valid value for options.costs.insert. It must be a whole number, 0 or more"),
        (json!({ "insert": 1.5 }), "1.5 is not a valid value for options.costs.insert"),
        (json!({ "insert": "2" }), "“2” is not a valid value for options.costs.insert"),
        (json!("osa"), "“osa” is not a valid value for options.costs. It must be an object"),
    ];
    for (costs, named) in malformed {
        let detail = refused("edit-distance", json!({ "costs": costs }), 400, "malformed").await;
        assert!(detail.contains(named), "{detail}");
    }
    let costs = json!({ "substitute": 2 });
    for task in ["approximate-search", "lcs", "match-count", "exact-search"] {
        let detail = refused(task, json!({ "costs": costs }), 422, "bad-input").await;
        assert_eq!(detail, format!("{task} has no option costs. edit-distance has it."));
    }
    let detail = refused("edit-distance", json!({ "costs": costs, "method": "sequential" }), 422, "bad-input").await;
    assert_eq!(detail, "The methods of the papers have costs of 1 only. Leave out costs or method.");
}

#[tokio::test]
async fn windows_show_transpositions() {
    let server = Server::start().await;
    let (answer, path) = solved(&server.web, &exchanging("chars", "form", "from!")).await;
    assert_eq!(answer["distance"], 2);
    let get = async |rest: &str| server.web.get(&format!("{path}/{rest}")).await.json();
    let window = get("alignment").await;
    assert_eq!(
        (&window["stretches"], &window["a"], &window["b"]),
        (
            &json!([{ "edit": "=", "len": 1 }, { "edit": "T", "len": 2 }, { "edit": "=", "len": 1 }, { "edit": "I", "len": 1 }]),
            &json!(["f", "o", "r", "m"]),
            &json!(["f", "r", "o", "m", "!"])
        )
    );
    assert_eq!(get("alignment?from=2&len=1").await["stretches"], json!([{ "edit": "T", "len": 1 }]));
    assert_eq!(get("overview?points=1").await["bins"], json!([{ "mismatches": 1, "insertions": 1, "deletions": 0 }]));
    // A transposition belongs to the kind X.
    assert_eq!(get("differences/0?kinds=X").await, json!({ "number": 0, "column": 1, "of": 1 }));
    assert_eq!(get("differences/1").await, json!({ "number": 1, "column": 4, "of": 2 }));
    assert_eq!(get("column?b=2").await, json!({ "column": 2 }));
}

#[tokio::test]
async fn files_show_transpositions_or_substitutions() {
    let server = Server::start().await;
    let (answer, path) = solved(&server.web, &exchanging("bytes", ">ref\nACGTTA\n", ">alt\nCAGTTA\n")).await;
    assert_eq!(answer["distance"], 1);
    let file = async |format: &str| {
        let got = server.web.get(&format!("{path}/export?format={format}")).await;
        assert_eq!(got.status, 200, "{format}: {}", got.text);
        got.text
    };
    assert_eq!(file("cigar").await, "2T4=\n");
    assert!(file("sam").await.ends_with("\nref\t0\talt\t1\t255\t2X4=\t*\t0\t0\tACGTTA\t*\tNM:i:2\n"));
    assert_eq!(file("paf").await, "ref\t6\t0\t6\t+\talt\t6\t0\t6\t4\t6\t255\tNM:i:2\tcg:Z:2X4=\n");
    let vcf = file("vcf").await;
    let lines: Vec<&str> = vcf.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(lines, ["ref\t1\t.\tA\tC\t.\tPASS\t.", "ref\t2\t.\tC\tA\t.\tPASS\t."]);
    assert!(file("edits").await.ends_with("\ntranspose,0,0,2,0,2,AC,CA\n"));
    let document: Value = serde_json::from_str(&file("json").await).unwrap();
    assert_eq!((&document["cigar"], &document["answer"]), (&json!("2T4="), &answer));
    assert_eq!(document["options"]["costs"], serde_json::from_str::<Value>(OSA).unwrap());
    let report = file("html").await;
    assert!(report.contains("⇄ transposed") && report.contains("⇄ transpose<"), "{report}");
    let text = file("text").await;
    assert!(text.contains("ACGTTA") && text.contains("CAGTTA") && text.contains("xx||||"), "{text}");
    assert_eq!(file("fasta").await, ">ref\nACGTTA\n>alt\nCAGTTA\n");
    assert!(file("svg").await.contains("<title>Alignment, columns 0 to 6</title>"));
    let (_, lines) = solved(&server.web, &exchanging("lines", "one\ntwo\nend\n", "two\none\nend\n")).await;
    let diff = server.web.get(&format!("{lines}/export?format=diff")).await;
    assert_eq!(diff.text, "--- a\n+++ b\n@@ -1,3 +1,3 @@\n-one\n-two\n+two\n+one\n end\n");
    let rows = server.web.get(&format!("{lines}/editions?from=0&len=5")).await;
    assert_eq!((rows.status, rows.json()["rows"].as_u64().is_some()), (200, true), "{}", rows.text);
}

/// The second result is a file of several blocks, and no row.
#[tokio::test]
async fn stored_transpositions_survive_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let program = Program::with(folder.path(), &[]);
    let mut results = Vec::new();
    for (job, distance) in
        [(exchanging("chars", "form", "from!"), 2), (exchanging("bytes", &"abx".repeat(5000), &"bax".repeat(5000)), 5000)]
    {
        let (answer, path) = solved(&program.web, &job).await;
        assert_eq!(answer["distance"], distance, "{answer}");
        for part in ["", "/alignment?from=1&len=3", "/alignment?from=14000&len=4", "/overview?points=3", "/export?format=cigar"] {
            let part = format!("{path}{part}");
            results.push((program.web.get(&part).await.text, part));
        }
    }
    assert!(results.iter().any(|(text, _)| *text == format!("{}\n", "2T1=".repeat(5000))));
    program.signal("-9");
    let program = Program::with(folder.path(), &[]);
    for (before, part) in results {
        let after = program.web.get(&part).await;
        assert_eq!((after.status, after.text), (200, before), "{part}");
    }
}
