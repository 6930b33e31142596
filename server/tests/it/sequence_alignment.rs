//! Sequence alignment: answers, refused options, windows, files and stored results of aligned pieces.

use serde_json::{Value, json};

use crate::client::{Server, Web, job};
use crate::restart::Program;

const A: &str = "TTTGATTACAGG";
const B: &str = "CCGATACACC";

/// A matrix in which rows and columns differ.
const OWN: &str = "# own\n  A  C  G\nA 3 -2 -2\nC -2 3 -4\nG -2 1 3\n";

/// Creates a job that aligns the best pieces of two texts.
fn local(a: &str, b: &str) -> Value {
    let options = json!({ "mode": "local", "match": 2, "mismatch": -3, "gap": { "open": 2, "extend": 1 } });
    job("sequence-alignment", options, a, b)
}

/// Solves a job and returns its answer and its path.
async fn solved(web: &Web, job: &Value) -> (Value, String) {
    let snapshot = web.solve(job).await;
    (snapshot["answer"].clone(), format!("/api/v1/jobs/{}", snapshot["id"].as_str().unwrap()))
}

#[tokio::test]
async fn answer_has_score_ranges_and_counts() {
    let server = Server::start().await;
    let (answer, path) = solved(&server.web, &local(A, B)).await;
    let summary = json!({ "columns": 7, "matches": 6, "mismatches": 0, "insertions": 0, "deletions": 1, "differences": 1 });
    let expected = json!({
        "task": "sequence-alignment", "score": 9, "a": { "start": 3, "end": 10 }, "b": { "start": 2, "end": 8 },
        "alignment": summary, "scored": { "positives": 6, "gaps": 1, "gap_openings": 1 },
    });
    assert_eq!(answer, expected);
    let snapshot = server.web.get(&path).await.json();
    let options = &snapshot["options"];
    assert_eq!((&options["mode"], &options["match"], &options["gap"]["open"]), (&json!("local"), &json!(2), &json!(2)), "{snapshot}");
    assert_eq!((options.get("matrix"), options.get("free_ends")), (None, None));
    let rows = [
        (json!({}), "GATTACA", "GATACA", 5),
        (json!({ "gap": { "open": 3 } }), "GATTACA", "GATACA", 2),
        (json!({ "mode": "semi-global", "free_ends": ["b-start", "b-end"] }), "GATA", "CCCGATACCC", 4),
        (json!({ "mode": "semi-global", "free_ends": ["a-start", "b-end"] }), "CCCGATA", "GATATTT", 4),
        (json!({ "mode": "semi-global" }), "GATA", "CCCGATACCC", -2),
        (json!({ "mode": "local" }), "AAAA", "CCCC", 0),
        (json!({}), "", "abc", -3),
        (json!({ "unit": "words" }), "the cat sat", "the dog sat", 1),
        (json!({ "matrix": "BLOSUM62", "gap": { "open": 11 } }), "MKWV", "MRW", 6),
        (json!({ "matrix": "BLOSUM100", "gap": { "open": 11 } }), "MKWV", "MRW", 20),
        (json!({ "matrix": "PAM500" }), "W", "W", 34),
        (json!({ "matrix": "NUC.4.4", "mode": "local" }), "GGATTACA", "TTATTACC", 25),
        (json!({ "match": 3.0 }), "GATTACA", "GATACA", 17),
        (json!({ "matrix": OWN }), "ACA", "AGA", 4),
        (json!({ "matrix": OWN }), "AGA", "ACA", 7),
    ];
    for (options, a, b, score) in rows {
        for alignment in [true, false] {
            let mut options = options.clone();
            options["alignment"] = json!(alignment);
            let (answer, _) = solved(&server.web, &job("sequence-alignment", options, a, b)).await;
            assert_eq!(answer["score"], score, "{a} {b}: {answer}");
            assert_eq!((answer.get("alignment").is_some(), answer.get("scored").is_some()), (alignment, alignment), "{answer}");
        }
    }
}

/// The second copy of GATTACA in b is the next piece.
#[tokio::test]
async fn further_pieces_have_no_pair_of_better_ones() {
    let server = Server::start().await;
    let options = json!({ "mode": "local", "match": 2, "mismatch": -3, "gap": { "open": 2, "extend": 1 }, "pieces": 3 });
    let (answer, path) = solved(&server.web, &job("sequence-alignment", options, "TTGATTACATT", "GATTACACCGATACA")).await;
    assert_eq!((&answer["score"], &answer["a"]["start"], &answer["b"]["start"]), (&json!(14), &json!(2), &json!(0)), "{answer}");
    let next = answer["next"].as_array().unwrap();
    let second = json!({
        "score": 9, "a": { "start": 2, "end": 9 }, "b": { "start": 9, "end": 15 },
        "alignment": { "columns": 7, "matches": 6, "mismatches": 0, "insertions": 0, "deletions": 1, "differences": 1 },
        "scored": { "positives": 6, "gaps": 1, "gap_openings": 1 }, "cigar": "2=1D4=",
    });
    assert_eq!((next.len(), &next[0]), (2, &second), "{answer}");
    assert!(next[1]["score"].as_i64().unwrap() <= 9, "{answer}");
    let paf = server.web.get(&format!("{path}/export?format=paf")).await.text;
    let lines: Vec<&str> = paf.lines().collect();
    assert_eq!(lines.len(), 3, "{paf}");
    assert_eq!(lines[1], "a\t11\t2\t9\t+\tb\t15\t9\t15\t6\t7\t255\tNM:i:1\tAS:i:9\tcg:Z:2=1I4=");
    let sam = server.web.get(&format!("{path}/export?format=sam")).await.text;
    let flags: Vec<&str> = sam.lines().filter(|line| !line.starts_with('@')).map(|line| line.split('\t').nth(1).unwrap()).collect();
    assert_eq!(flags, ["0", "256", "256"], "{sam}");
}

#[tokio::test]
async fn wrong_options_are_refused_with_their_place() {
    let server = Server::start().await;
    let refused = async |task: &str, options: Value, status: u16, slug: &str| {
        let problem = server.web.post("/api/v1/jobs", &job(task, options, "a", "b")).await.problem(status, slug);
        problem["detail"].as_str().unwrap().to_owned()
    };
    for (options, sentence) in [
        (json!({ "match": 1001 }), "match is 1001; it must be from -1000 to 1000."),
        (json!({ "mismatch": -1001 }), "mismatch is -1001; it must be from -1000 to 1000."),
        (json!({ "gap": { "extend": 1001 } }), "gap.extend is 1001; it must be from 0 to 1000."),
        (json!({ "gap": { "open": -1 } }), "gap.open is -1; it must be from 0 to 1000."),
        (json!({ "gap": { "extend": -0.5 } }), "gap.extend is -0.5; it must be from 0 to 100, because some points have decimals."),
        (
            json!({ "match": 101, "gap": { "extend": 0.5 } }),
            "match is 101; it must be from -100 to 100, because some points have decimals.",
        ),
        (
            json!({ "matrix": "BLOSUM62", "mismatch": 0 }),
            "The matrix has the points of all pairs. Leave out match and mismatch, or matrix.",
        ),
        (json!({ "pieces": 2 }), "pieces is an option of the mode local."),
        (json!({ "pieces": 101, "mode": "local" }), "pieces is 101; it must be from 1 to 100."),
        (json!({ "free_ends": ["a-end"] }), "free_ends is an option of the mode semi-global."),
        (
            json!({ "count_only": true }),
            "sequence-alignment has no option count_only. approximate-search, match-count, exact-search have it.",
        ),
        (json!({ "method": "diagonal" }), "sequence-alignment has no methods. Leave out the method diagonal."),
    ] {
        assert_eq!(refused("sequence-alignment", options, 422, "bad-input").await, sentence);
    }
    for (options, named) in [
        (json!({ "gap": { "opening": 1 } }), "“opening” is unknown here. Valid names: open, extend"),
        (json!({ "gap": { "open": "1" } }), "options.gap.open"),
        (json!({ "gap": { "open": 0.25 } }), "a number with at most one digit after the point"),
        (json!({ "match": 1.25 }), "1.25 is not a valid value for options.match"),
        (json!({ "mode": "glocal" }), "options.mode"),
        (json!({ "matrix": "BLOSUM1" }), "options.matrix cannot be read: there is no matrix of this name. Names: BLOSUM30 to BLOSUM100"),
        (
            json!({ "matrix": "A C\nA 1 2\nC 1 2.55" }),
            "line 3, column 5 of the matrix: 2.55 is not a number from -1,000 to 1,000 with at most one decimal",
        ),
        (json!({ "free_ends": ["start"] }), "options.free_ends"),
    ] {
        let detail = refused("sequence-alignment", options, 400, "malformed").await;
        assert!(detail.contains(named), "{detail}");
    }
    let job = job("sequence-alignment", json!({ "matrix": OWN }), "ACN", "A");
    let snapshot = server.web.solve(&job).await;
    let message = "The matrix has no row for \"N\", symbol 3 of a. Add a row and a column for this symbol, or N for all other symbols.";
    assert_eq!(snapshot["failure"]["message"], message, "{snapshot}");
    let other = refused("lcs", json!({ "mode": "local" }), 422, "bad-input").await;
    assert_eq!(other, "lcs has no option mode. sequence-alignment has it.");
}

#[tokio::test]
async fn windows_count_from_the_start_of_the_texts() {
    let server = Server::start().await;
    let (_, pieces) = solved(&server.web, &local(A, B)).await;
    // The same columns at other positions.
    let (_, whole) = solved(&server.web, &local("GATTACA", "GATACA")).await;
    for (path, start) in [(&pieces, [3, 2]), (&whole, [0, 0]), (&pieces, [3, 2])] {
        let get = async |rest: &str| server.web.get(&format!("{path}/{rest}")).await.json();
        let window = get("alignment").await;
        assert_eq!((&window["a_start"], &window["b_start"]), (&json!(start[0]), &json!(start[1])), "{window}");
        assert_eq!(window["a"], json!(["G", "A", "T", "T", "A", "C", "A"]));
        assert_eq!(window["b"], json!(["G", "A", "T", "A", "C", "A"]));
        let rest = get("alignment?from=3&len=2").await;
        assert_eq!((&rest["a_start"], &rest["b_start"]), (&json!(start[0] + 3), &json!(start[1] + 2)), "{rest}");
        assert_eq!(get(&format!("column?a={}", start[0] + 4)).await, json!({ "column": 4 }));
        assert_eq!(get(&format!("column?b={}", start[1] + 2)).await, json!({ "column": 3 }));
        assert_eq!(get("differences/0").await, json!({ "number": 0, "column": 2, "of": 1 }));
    }
    let outside = server.web.get(&format!("{pieces}/column?a=1")).await.json();
    assert_eq!(outside, json!({ "column": 0 }));
    let matrix = server.web.get(&format!("{pieces}/matrix")).await.json();
    let alignment = &matrix["alignment"];
    assert_eq!((&alignment["a_start"], &alignment["b_start"], &alignment["cigar"]), (&json!(3), &json!(2), &json!("2=1D4=")), "{matrix}");
    assert_eq!((&matrix["scoring"]["mode"], &matrix["scoring"]["gap"]["open"]), (&json!("local"), &json!(2)));
}

#[tokio::test]
async fn files_show_pieces_and_the_score() {
    let server = Server::start().await;
    let (answer, path) = solved(&server.web, &local(A, B)).await;
    let file = async |format: &str| {
        let got = server.web.get(&format!("{path}/export?format={format}")).await;
        assert_eq!(got.status, 200, "{format}: {}", got.text);
        got.text
    };
    assert_eq!(file("cigar").await, "2=1D4=\n");
    assert_eq!(file("paf").await, "a\t12\t3\t10\t+\tb\t10\t2\t8\t6\t7\t255\tNM:i:1\tAS:i:9\tcg:Z:2=1I4=\n");
    assert!(file("sam").await.ends_with("\na\t0\tb\t3\t255\t3S2=1I4=2S\t*\t0\t0\tTTTGATTACAGG\t*\tNM:i:1\tAS:i:9\n"));
    assert_eq!(file("fasta").await, ">a/4-10\nGATTACA\n>b/3-8\nGA-TACA\n");
    assert_eq!(file("edits").await, "edit,column,a_start,a_end,b_start,b_end,a,b\ndelete,2,5,6,4,4,T,\n");
    let text = file("text").await;
    assert!(text.contains("# score: 9\n") && !text.contains("distance"), "{text}");
    assert!(text.ends_with("\na  4 GATTACA 10\n     || ||||\nb  3 GA-TACA 8\n"), "{text}");
    assert_eq!(file("blast").await, "a\tb\t85.714\t7\t0\t1\t4\t10\t3\t8\t9\n");
    let emboss = file("emboss").await;
    let rows = "a                  4 GATTACA     10\n                     || ||||\nb                  3 GA-TACA      8\n";
    assert!(emboss.contains("\n# Matrix: 2 equal, -3 different\n# Gap_penalty: 3.0\n# Extend_penalty: 1.0\n"), "{emboss}");
    assert!(emboss.contains("\n# Score: 9.0\n") && emboss.contains(rows), "{emboss}");
    assert!(file("html").await.contains("A part of a and a part of b align with a score of <b>9</b>."));
    assert!(file("svg").await.contains("<title>Alignment, columns 0 to 7</title>"));
    let document: Value = serde_json::from_str(&file("json").await).unwrap();
    assert_eq!((&document["cigar"], &document["answer"]), (&json!("2=1D4="), &answer));
    let refused = server.web.get(&format!("{path}/export?format=vcf")).await.problem(400, "unsupported-format");
    let detail = "A result of sequence-alignment cannot be exported as vcf. \
                  Choose one of: cigar, text, json, emboss, paf, sam, blast, edits, fasta, svg, html.";
    assert_eq!(refused["detail"], detail);
    // Pieces without points above 0 are empty.
    let (answer, empty) = solved(&server.web, &local("AAAA", "CCCC")).await;
    assert_eq!((&answer["score"], &answer["a"]["end"], &answer["alignment"]["columns"]), (&json!(0), &json!(0), &json!(0)));
    assert_eq!(server.web.get(&format!("{empty}/export?format=cigar")).await.text, "\n");
    let sam = server.web.get(&format!("{empty}/export?format=sam")).await.text;
    assert!(sam.ends_with("a\t4\t*\t0\t0\t*\t*\t0\t0\tAAAA\t*\n"), "{sam}");
}

#[tokio::test]
async fn columns_have_points_and_sums() {
    let server = Server::start().await;
    let (_, path) = solved(&server.web, &local(A, B)).await;
    let get = async |rest: &str| server.web.get(&format!("{path}/{rest}")).await.json();
    assert_eq!(get("points").await, json!({ "from": 0, "before": 0, "points": [2, 2, -3, 2, 2, 2, 2] }));
    assert_eq!(get("points?from=3&len=2").await, json!({ "from": 3, "before": 1, "points": [2, 2] }));
    assert_eq!(get("points?from=9").await, json!({ "from": 7, "before": 9, "points": [] }));
    let sums = json!({
        "equal": 12, "similar": 0, "different": 0, "inserted": 0, "deleted": -3, "a_itself": 24, "b_itself": 20, "pairs": [],
    });
    assert_eq!(get("sums").await, sums);
    let blosum = job("sequence-alignment", json!({ "matrix": "BLOSUM62", "gap": { "open": 11 } }), "MKWV", "MRWL");
    let (answer, path) = solved(&server.web, &blosum).await;
    let sums = server.web.get(&format!("{path}/sums")).await.json();
    assert_eq!((&answer["score"], &sums["equal"], &sums["similar"]), (&json!(19), &json!(16), &json!(3)), "{sums}");
    assert_eq!(sums["pairs"][0], json!({ "a": "K", "b": "R", "points": 2, "count": 1, "columns": [1] }));
    let (_, other) = solved(&server.web, &job("lcs", json!({}), "ab", "b")).await;
    let problem = server.web.get(&format!("{other}/points")).await.problem(409, "no-result");
    assert_eq!(problem["detail"], "Columns of lcs have no points.");
}

/// Half points are in the answer, in the points of columns, in files and in the matrix.
#[tokio::test]
async fn points_with_decimals_are_exact() {
    let server = Server::start().await;
    let options = json!({ "match": 5, "mismatch": -4.5, "gap": { "open": 9.5, "extend": 0.5 } });
    let (answer, path) = solved(&server.web, &job("sequence-alignment", options, "GATTTACA", "GACA")).await;
    assert_eq!((&answer["score"], &answer["a"]["end"]), (&json!(8.5), &json!(8)), "{answer}");
    let snapshot = server.web.get(&path).await.json();
    assert_eq!(snapshot["options"]["gap"], json!({ "open": 9.5, "extend": 0.5 }), "{snapshot}");
    let get = async |rest: &str| server.web.get(&format!("{path}/{rest}")).await;
    let points = get("points").await.json();
    assert_eq!(points, json!({ "from": 0, "before": 0, "points": [5, -10, -0.5, -0.5, -0.5, 5, 5, 5] }));
    assert_eq!(get("points?from=3").await.json()["before"], json!(-5.5));
    assert_eq!(get("sums").await.json()["deleted"], json!(-11.5));
    let matrix = get("matrix").await.json();
    assert_eq!((&matrix["scoring"]["gap"]["open"], &matrix["values"][8][4]), (&json!(9.5), &json!(8.5)), "{matrix}");
    let file = async |format: &str| get(&format!("export?format={format}")).await.text;
    assert!(file("paf").await.contains("\tAS:i:8\tas:f:8.5\t") && file("sam").await.contains("\tAS:i:8\tas:f:8.5\n"));
    assert!(file("blast").await.ends_with("\t8.5\n") && file("text").await.contains("# score: 8.5\n"));
    let emboss = file("emboss").await;
    assert!(emboss.contains("\n# Gap_penalty: 10.0\n# Extend_penalty: 0.5\n") && emboss.contains("\n# Score: 8.5\n"), "{emboss}");
    assert!(file("html").await.contains("<b>8.5</b>"));
    let options = json!({ "match": 5, "mismatch": -4.5, "gap": { "open": 9.5, "extend": 0.5 } });
    let collection = json!({ "task": "sequence-alignment", "options": options, "a": { "texts": ["GATTTACA", "GACA"] } });
    let scores = server.web.post("/api/v1/collections", &collection).await.json();
    assert_eq!(scores["scores"], json!([[40, 8.5], [8.5, 20]]), "{scores}");
    let pairs = server.web.post("/api/v1/collections?format=pairs", &collection).await.text;
    assert!(pairs.ends_with(",8.5\n"), "{pairs}");
    let npy = server.web.post("/api/v1/collections?format=npy", &collection).await.text;
    assert!(npy.contains("'descr': '<f8'"), "{npy:?}");
}

/// The second alignment is a file, and no row.
#[tokio::test]
async fn stored_pieces_survive_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let program = Program::with(folder.path(), &[]);
    let mut results = Vec::new();
    let linear = json!({ "mode": "local", "match": 3, "mismatch": -1, "gap": { "extend": 9 } });
    let long = job("sequence-alignment", linear, &format!("zz{}", "abx".repeat(2500)), &format!("yyy{}", "abc".repeat(2500)));
    for (job, start) in [(local(A, B), [3, 2]), (long, [2, 3])] {
        let (answer, path) = solved(&program.web, &job).await;
        assert_eq!([&answer["a"]["start"], &answer["b"]["start"]], start, "{answer}");
        for part in ["", "/alignment?from=1&len=3", "/alignment?from=5000&len=4", "/overview?points=3", "/export?format=paf"] {
            let part = format!("{path}{part}");
            results.push((program.web.get(&part).await.text, part));
        }
    }
    program.signal("-9");
    let program = Program::with(folder.path(), &[]);
    for (before, part) in results {
        let after = program.web.get(&part).await;
        assert_eq!((after.status, after.text), (200, before), "{part}");
    }
}
