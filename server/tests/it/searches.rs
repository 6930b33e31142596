//! Search tasks and the common subsequence: answers, pages of hits, profiles, alignments of hits.

use std::time::{Duration, Instant};

use kernels::job::{PaperMethod, Task};
use serde_json::{Value, json};

use crate::client::{Server, job, random_dna};

/// Solves a job, and returns its answer and its address.
async fn solved(server: &Server, job: &Value) -> (Value, String) {
    let snapshot = server.web.solve(job).await;
    (snapshot["answer"].clone(), format!("/api/v1/jobs/{}", snapshot["id"].as_str().unwrap()))
}

fn hit(start: u64, end: u64, distance: u64) -> Value {
    json!({ "start": start, "end": end, "distance": distance })
}

#[tokio::test]
async fn every_task_answers_for_typed_and_uploaded_texts() {
    let server = Server::start().await;
    let rows = [
        (
            job("approximate-search", json!({}), "annual", "any annealing"),
            json!({ "task": "approximate-search", "distance": 1, "total": 1, "hits": [hit(4, 10, 1)] }),
        ),
        (
            job("approximate-search", json!({ "max_distance": 9 }), "ab", ""),
            json!({ "task": "approximate-search", "distance": 2, "total": 1, "hits": [hit(0, 0, 2)] }),
        ),
        (
            job("approximate-search", json!({ "max_distance": 0 }), "ab", "ba"),
            json!({ "task": "approximate-search", "distance": null, "total": 0, "hits": [] }),
        ),
        (job("lcs", json!({ "alignment": false }), "abba", "acbabaccb"), json!({ "task": "lcs", "length": 4 })),
        (
            job("match-count", json!({ "max_mismatches": 1 }), "ab", "abcb"),
            json!({
                "task": "match-count", "best": 2, "total_best": 1, "offsets": [0], "within": 2,
                "top": [hit(0, 2, 0), hit(2, 4, 1), hit(1, 3, 2)],
            }),
        ),
        (
            job("match-count", json!({}), "abc", "ab"),
            json!({ "task": "match-count", "best": null, "total_best": 0, "offsets": [], "top": [] }),
        ),
        (job("exact-search", json!({}), "aba", "ababa"), json!({ "task": "exact-search", "total": 2, "positions": [0, 2] })),
        (job("exact-search", json!({}), "", "ab"), json!({ "task": "exact-search", "total": 3, "positions": [0, 1, 2] })),
        (job("exact-search", json!({}), "abc", "ab"), json!({ "task": "exact-search", "total": 0, "positions": [] })),
    ];
    for (mut job, answer) in rows {
        assert_eq!(solved(&server, &job).await.0, answer, "{job}");
        for side in ["a", "b"] {
            let text = job[side]["text"].as_str().unwrap().to_owned();
            job[side] = json!({ "upload": server.web.upload(text).await });
        }
        assert_eq!(solved(&server, &job).await.0, answer, "{job}");
    }
}

#[tokio::test]
async fn thousands_of_hits_are_paged() {
    let server = Server::start().await;
    let text = server.web.upload("ab".repeat(6000)).await;
    for task in ["exact-search", "match-count", "approximate-search"] {
        let job = json!({ "task": task, "a": { "text": "aba" }, "b": { "upload": text } });
        let (answer, path) = solved(&server, &job).await;
        let total = if task == "match-count" { &answer["total_best"] } else { &answer["total"] };
        assert_eq!(total, 5999, "{task}");
        let page = |rest: &'static str| {
            let (web, path) = (server.web.clone(), format!("{path}/hits{rest}"));
            async move { web.get(&path).await.json() }
        };
        let first = page("").await;
        assert_eq!((&first["from"], &first["total"], first["hits"].as_array().unwrap().len()), (&json!(0), &json!(5999), 100));
        assert_eq!((&first["hits"][0], &first["hits"][99]), (&hit(0, 3, 0), &hit(198, 201, 0)), "{task}");
        assert_eq!(page("?from=5000&len=2").await["hits"], json!([hit(10_000, 10_003, 0), hit(10_002, 10_005, 0)]), "{task}");
        assert_eq!(page("?len=100000").await["hits"].as_array().unwrap().len(), 1000);
        assert_eq!(page("?from=5998&len=10").await["hits"], json!([hit(11_996, 11_999, 0)]), "{task}");
        assert_eq!(page("?from=7000").await, json!({ "from": 5999, "total": 5999, "hits": [] }));
        let csv = server.web.get(&format!("{path}/export?format=csv")).await;
        let rows: Vec<String> = (0..5999).map(|at| format!("{},{},0", 2 * at, 2 * at + 3)).collect();
        assert_eq!(csv.text.lines().next(), Some("start,end,distance"));
        assert!(csv.text.lines().skip(1).eq(rows.iter().map(String::as_str)), "{task}");
    }
}

#[tokio::test]
async fn profiles_are_down_sampled() {
    let server = Server::start().await;
    let (_, path) = solved(&server, &job("match-count", json!({}), "abab", &"ab".repeat(50))).await;
    let get = |rest: &'static str| {
        let (web, path) = (server.web.clone(), format!("{path}/profile{rest}"));
        async move { web.get(&path).await.json() }
    };
    let span = |offsets: u64, least: u64, most: u64, sum: u64| json!({ "offsets": offsets, "least": least, "most": most, "sum": sum });
    let whole = get("").await;
    assert_eq!((&whole["from"], &whole["len"], &whole["offsets"]), (&json!(0), &json!(97), &json!(97)));
    assert_eq!(whole["spans"].as_array().unwrap().len(), 97);
    assert_eq!(get("?points=1").await["spans"], json!([span(97, 0, 4, 49 * 4)]));
    assert_eq!(
        get("?from=10&len=3&points=2").await,
        json!({ "from": 10, "len": 3, "offsets": 97, "spans": [span(2, 0, 4, 4), span(1, 4, 4, 4)] })
    );
    assert_eq!(get("?from=200&points=0").await, json!({ "from": 97, "len": 0, "offsets": 97, "spans": [] }));
    let (_, short) = solved(&server, &job("match-count", json!({}), "abc", "ab")).await;
    assert_eq!(server.web.get(&format!("{short}/profile")).await.json()["offsets"], 0);
}

#[tokio::test]
async fn every_search_has_a_score_at_every_offset() {
    let server = Server::start().await;
    let span = |offsets: u64, least: u64, most: u64, sum: u64| json!({ "offsets": offsets, "least": least, "most": most, "sum": sum });
    let (_, exact) = solved(&server, &job("exact-search", json!({}), "aba", "xababa")).await;
    let profile = server.web.get(&format!("{exact}/profile?points=2")).await.json();
    assert_eq!((&profile["offsets"], &profile["spans"]), (&json!(4), &json!([span(2, 0, 1, 1), span(2, 0, 1, 1)])));
    let (_, near) = solved(&server, &job("approximate-search", json!({}), "ab", "xxabx")).await;
    let profile = server.web.get(&format!("{near}/profile?from=3&points=2")).await.json();
    assert_eq!((&profile["offsets"], &profile["spans"]), (&json!(6), &json!([span(2, 0, 1, 1), span(1, 1, 1, 1)])));
    assert_eq!(server.web.get(&format!("{near}/counts")).await.json(), json!({ "counts": [1, 2, 3] }));
    let problem = server.web.get(&format!("{exact}/counts")).await.problem(409, "no-result");
    assert!(problem["detail"].as_str().unwrap().contains("only approximate-search has"), "{problem}");
    let random = |len, seed| String::from_utf8(random_dna(len, seed)).unwrap();
    let (long, text) = (random(30_000, 1), random(150_000, 2));
    let (_, large) = solved(&server, &job("approximate-search", json!({ "max_distance": 0 }), &long, &text)).await;
    let problem = server.web.get(&format!("{large}/profile")).await.problem(422, "too-large");
    assert_eq!(problem["limit"], json!(1u64 << 32), "{problem}");
}

#[tokio::test]
async fn hits_are_returned_with_their_surrounding_text() {
    let server = Server::start().await;
    let (_, path) = solved(&server, &job("approximate-search", json!({ "max_distance": 1 }), "two", "one\ntwo\nthree\ntow")).await;
    let page = server.web.get(&format!("{path}/hits?len=2&context=2")).await.json();
    assert_eq!(page["hits"], json!([hit(4, 6, 1), hit(4, 7, 0)]));
    assert_eq!(page["cigars"], json!(["2=1D", "3="]));
    assert_eq!(page["pattern"], json!(["t", "w", "o"]));
    assert_eq!(page["passages"], json!([{ "from": 2, "line": 0, "letters": ["e", "\n", "t", "w", "o", "\n", "t"] }]));
    assert!(server.web.get(&format!("{path}/hits")).await.json().get("passages").is_none());
}

#[tokio::test]
async fn pattern_can_be_aligned_at_any_offset() {
    let server = Server::start().await;
    let (_, path) = solved(&server, &job("match-count", json!({}), "abba", "acbabaccb")).await;
    let window = server.web.get(&format!("{path}/alignment?offset=2")).await.json();
    assert_eq!((&window["b_start"], &window["b"]), (&json!(2), &json!(["b", "a", "b", "a"])));
    assert_eq!(server.web.get(&format!("{path}/export?format=cigar&offset=2")).await.text, "2X2=\n");
    let problem = server.web.get(&format!("{path}/overview?offset=6")).await.problem(404, "not-found");
    assert_eq!((&problem["limit"], &problem["got"]), (&json!(6), &json!(6)));
    let (_, other) = solved(&server, &job("exact-search", json!({}), "a", "a")).await;
    server.web.get(&format!("{other}/alignment?offset=0")).await.problem(409, "no-result");
}

#[tokio::test]
async fn every_hit_has_its_alignment() {
    let server = Server::start().await;
    let (answer, path) = solved(&server, &job("approximate-search", json!({ "max_distance": 1 }), "abcd", "xabdxxabcd")).await;
    assert_eq!((&answer["total"], &answer["hits"][1]), (&json!(3), &hit(6, 9, 1)));
    let get = |rest: &'static str| {
        let (web, path) = (server.web.clone(), format!("{path}/{rest}"));
        async move { web.get(&path).await }
    };
    let window = get("alignment?hit=1").await.json();
    assert_eq!((&window["b_start"], &window["b"]), (&json!(6), &json!(["a", "b", "c"])));
    assert_eq!(get("alignment").await.json(), get("alignment?hit=0").await.json());
    assert_eq!(get("overview?hit=2&points=1").await.json()["bins"][0], json!({ "mismatches": 0, "insertions": 0, "deletions": 0 }));
    assert_eq!(get("differences/0?hit=1").await.json()["column"], 3);
    assert_eq!(get("export?format=cigar&hit=1").await.text, "3=1D\n");
    let exported = get("export?format=json&hit=1").await.json();
    assert_eq!((&exported["hit"], &exported["b_start"], &exported["cigar"]), (&json!(1), &json!(6), &json!("3=1D")));
    for part in ["alignment?hit=3", "overview?hit=3", "differences/0?hit=3", "export?hit=3", "export?format=json&hit=3"] {
        let problem = get(part).await.problem(404, "not-found");
        assert_eq!((&problem["limit"], &problem["got"]), (&json!(3), &json!(3)), "{part}");
    }
    get("alignment?hit=-1").await.problem(400, "malformed");
}

#[tokio::test]
async fn job_that_names_a_method_has_the_same_answer() {
    let server = Server::start().await;
    let (a, b) = ("annual", "any annealing, annual or annually");
    for task in Task::ALL {
        // Only scores are compared, because methods may find different optimal alignments.
        let (plain, _) = solved(&server, &job(task.name(), json!({ "alignment": false }), a, b)).await;
        for method in PaperMethod::for_task(task) {
            let named = job(task.name(), json!({ "alignment": false, "method": method.name() }), a, b);
            let snapshot = server.web.solve(&named).await;
            assert_eq!((&snapshot["answer"], &snapshot["plan"]["engine"]), (&plain, &json!("cpu")), "{} {}", task.name(), method.name());
        }
    }
    for method in ["sequential", "diagonal"] {
        let (answer, path) = solved(&server, &job("edit-distance", json!({ "method": method }), "kitten", "sitting")).await;
        assert_eq!((&answer["distance"], &answer["alignment"]["columns"]), (&json!(3), &json!(7)), "{method}");
        assert_eq!(server.web.get(&format!("{path}/export?format=cigar")).await.text, "1X3=1X1=1I\n");
    }
    let (answer, path) = solved(&server, &job("lcs", json!({ "method": "hirschberg" }), "abba", "acbabaccb")).await;
    assert_eq!(answer["length"], 4);
    assert_eq!(server.web.get(&format!("{path}/export?format=subsequence")).await.text, "abba");
    let (_, path) = solved(&server, &job("exact-search", json!({ "method": "kmp-blocks" }), "ana", "bananas")).await;
    assert_eq!(server.web.get(&format!("{path}/hits")).await.json()["hits"], json!([hit(1, 4, 0), hit(3, 6, 0)]));
}

#[tokio::test]
async fn missing_parts_of_a_result_are_explained() {
    let server = Server::start().await;
    let rows = [
        (job("exact-search", json!({ "count_only": true }), "a", "banana"), "hits", "without count_only"),
        (job("exact-search", json!({ "count_only": true }), "a", "banana"), "alignment?hit=0", "without count_only"),
        (job("match-count", json!({ "count_only": true }), "a", "banana"), "profile", "without count_only"),
        (job("match-count", json!({ "count_only": true }), "a", "banana"), "export?format=profile-csv", "without count_only"),
        (job("edit-distance", json!({}), "a", "banana"), "hits", "edit-distance compares both whole texts and has no hits"),
        (job("lcs", json!({}), "a", "banana"), "profile", "lcs compares both whole texts"),
        (job("exact-search", json!({}), "x", "banana"), "alignment", "Nothing was found"),
        (job("exact-search", json!({}), "x", "banana"), "export", "Nothing was found"),
    ];
    for (job, part, why) in rows {
        let (_, path) = solved(&server, &job).await;
        let problem = server.web.get(&format!("{path}/{part}")).await.problem(409, "no-result");
        assert!(problem["detail"].as_str().unwrap().contains(why), "{part}: {problem}");
    }
    let (_, path) = solved(&server, &job("lcs", json!({}), "a", "banana")).await;
    server.web.get(&format!("{path}/alignment?hit=0")).await.problem(404, "not-found");
    let (_, path) = solved(&server, &job("exact-search", json!({}), "x", "banana")).await;
    assert_eq!(server.web.get(&format!("{path}/hits")).await.json(), json!({ "from": 0, "total": 0, "hits": [] }));
    assert_eq!(server.web.get(&format!("{path}/export?format=csv")).await.text, "start,end,distance\n");
    assert_eq!(server.web.get(&format!("{path}/export?format=json")).await.json()["answer"]["total"], 0);
}

/// Starts a search on random texts of these lengths and cancels it while it runs. Returns the last event and the time
/// until then.
async fn cancelled(task: &str, a: usize, b: usize) -> (String, Duration) {
    let server = Server::start().await;
    let (a, b) = (server.web.upload(random_dna(a, 1)).await, server.web.upload(random_dna(b, 2)).await);
    let id = server.web.submit(&json!({ "task": task, "a": { "upload": a }, "b": { "upload": b } })).await;
    let path = format!("/api/v1/jobs/{id}");
    let mut events = server.web.events(&format!("{path}/events")).await;
    while events.next().await.is_some_and(|sent| sent.event != "stage" || sent.data["stage"] != "compute") {}
    tokio::time::sleep(Duration::from_millis(100)).await;
    let start = Instant::now();
    server.web.delete(&path).await;
    let last = events.all().await.pop();
    let took = start.elapsed();
    assert_eq!(server.web.solve(&job(task, json!({}), "a", "a")).await["state"], "succeeded", "the engine is free again");
    (last.map_or_else(|| "answer".into(), |sent| sent.event), took)
}

#[tokio::test]
async fn long_search_is_cancelled_quickly() {
    for (task, a, b) in [("approximate-search", 200_000, 8_000_000), ("match-count", 100_000, 16_000_000), ("lcs", 1_000_000, 1_500_000)] {
        // Tries three times, because the CPU may be busy with other tests.
        let mut soonest = Duration::MAX;
        for _ in 0..3 {
            let (end, took) = cancelled(task, a, b).await;
            assert_eq!(end, "cancelled", "{task}");
            soonest = soonest.min(took);
            if soonest < Duration::from_secs(4) {
                break;
            }
        }
        assert!(soonest < Duration::from_secs(4), "{task} took {soonest:?}");
    }
}

/// The reverse complement of the pattern is searched too. Every hit has its strand, and is aligned and exported with
/// the text at its position.
#[tokio::test]
async fn both_strands_are_searched() {
    let server = Server::start().await;
    // The second record contains the reverse complement TGTAATC without its second A.
    let (a, b) = (">primer one\nGATTACA\n", ">chr x\nTTGATTACATT\n>two\nCCTGTATCCC\n");
    let options = json!({ "strands": "both", "max_distance": 1, "local_minima": true });
    let (answer, path) = solved(&server, &job("approximate-search", options, a, b)).await;
    assert_eq!((&answer["total"], &answer["reverse"], &answer["distance"]), (&json!(2), &json!(1), &json!(0)));
    let strands: Vec<&Value> = answer["hits"].as_array().unwrap().iter().map(|hit| &hit["strand"]).collect();
    assert_eq!(strands, ["+", "-"]);
    let page = server.web.get(&format!("{path}/hits?context=0")).await.json();
    assert_eq!(page["hits"], answer["hits"]);
    assert_eq!((page["pattern"].as_array().unwrap().len(), &page["reverse_pattern"][1]), (7, &json!("G")));
    let window = server.web.get(&format!("{path}/alignment?hit=1")).await.json();
    assert_eq!(window["a"], json!(["T", "G", "T", "A", "A", "T", "C"]));
    assert_eq!(window["b"], json!(["T", "G", "T", "A", "T", "C"]));
    let export = async |rest: &str| server.web.get(&format!("{path}/export?format={rest}")).await;
    let of_hit = export("sam&hit=1").await.text;
    let line = of_hit.lines().last().unwrap();
    assert!(line.starts_with("primer\t16\ttwo\t3\t255\t") && line.contains("\tTGTAATC\t*\tNM:i:1"), "{line}");
    assert!(export("paf&hit=1").await.text.starts_with("primer\t7\t0\t7\t-\ttwo\t10\t2\t8\t6\t7\t255\tNM:i:1\t"));
    assert_eq!(export("csv").await.text, "record,start,end,distance,strand,header\nchr,2,9,0,+,chr x\ntwo,2,8,1,-,two\n");
    let bed = export("bed").await;
    assert_eq!(bed.text, "chr\t2\t9\tprimer\t1000\t+\ntwo\t2\t8\tprimer\t857\t-\n");
    assert_eq!(bed.header("content-disposition"), "attachment; filename=\"approximate-search.bed\"");
    let sam = export("hits-sam").await.text;
    let lines: Vec<&str> = sam.lines().filter(|line| !line.starts_with('@')).collect();
    assert_eq!((lines.len(), lines[0]), (2, "primer\t0\tchr\t3\t255\t7=\t*\t0\t0\tGATTACA\t*\tNM:i:0"));
    assert!(lines[1].starts_with("primer\t272\ttwo\t3\t255\t"), "{sam}");
    assert_eq!(export("hits-paf").await.text.lines().map(|line| line.split('\t').nth(4).unwrap()).collect::<Vec<_>>(), ["+", "-"]);
    let fasta = export("fasta&hit=1").await.text;
    assert!(fasta.starts_with(">primer reverse complement\nTGTAATC\n>two/3-8\n") && fasta.contains('-'), "{fasta}");
    let exact = json!({ "strands": "both" });
    let (answer, _) = solved(&server, &job("exact-search", exact.clone(), "GATC", "GATCNNGATC")).await;
    let expected = json!({
        "task": "exact-search", "total": 4, "positions": [0, 0, 6, 6], "strands": ["+", "-", "+", "-"], "reverse": 2,
    });
    assert_eq!(answer, expected);
    let refused = server.web.post("/api/v1/jobs?wait=30", &job("exact-search", exact, "hello", "GATC")).await.problem(422, "bad-input");
    assert!(
        refused["detail"].as_str().unwrap().contains("Symbol 1 of a, counted from 0, is \"e\", which is no letter of a nucleotide"),
        "{refused}"
    );
    assert_eq!(refused["failure"]["wrong"], json!({ "what": "no-nucleotide", "text": "a", "at": 1 }));
}
