//! Many texts compared with many.

use serde_json::{Value, json};

use crate::client::Server;

const PATH: &str = "/api/v1/collections";

#[tokio::test]
async fn collection_has_the_scores_of_all_pairs() {
    let server = Server::start().await;
    let own = json!({ "task": "edit-distance", "a": { "texts": ["kitten", { "name": "second", "text": "sitting" }, "", "kitten"] } });
    let answer = server.web.post(PATH, &own).await.json();
    assert_eq!((&answer["names"], &answer["distinct"]), (&json!(["text 1", "second", "text 3", "text 4"]), &json!(3)));
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
    // Beside records, lower-case letters of all texts are read as upper case.
    let named = json!({ "task": "edit-distance", "b": { "texts": [">r\nacgt\n"], "split": "records" },
        "a": { "texts": [{ "name": "Mia", "text": "ACGT" }, { "name": "Tom", "text": "acgt" }], "split": "plain" } });
    let answer = server.web.post(PATH, &named).await.json();
    assert_eq!((&answer["names"], &answer["names_b"]), (&json!(["Mia", "Tom"]), &json!(["r"])));
    assert_eq!(answer["scores"], json!([[0], [0]]));
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

/// Other costs than 1 are those of jobs, also for kept pairs.
#[tokio::test]
async fn edits_have_the_costs_of_the_request() {
    let server = Server::start().await;
    let texts = ["acbd", "abcd", "abd", "xyz"];
    for costs in [json!({ "substitute": 2 }), json!({ "transpose": 1 }), json!({ "substitute": 3, "insert": 2, "delete": 1 })] {
        let body = |keep: Value| json!({ "task": "edit-distance", "options": { "costs": costs }, "a": { "texts": texts }, "keep": keep });
        let all = server.web.post(PATH, &body(json!({ "all": true }))).await.json();
        for (a, first) in texts.iter().enumerate() {
            for (b, second) in texts.iter().enumerate() {
                let job =
                    json!({ "task": "edit-distance", "options": { "costs": costs }, "a": { "text": first }, "b": { "text": second } });
                assert_eq!(server.web.solve(&job).await["answer"]["distance"], all["scores"][a][b], "{costs}: {first}, {second}");
            }
        }
        if costs["insert"] == json!(2) {
            let problem = server.web.post(PATH, &body(json!({ "within": 2 }))).await.problem(422, "bad-input");
            assert!(problem["detail"].as_str().unwrap().contains("Let `costs.insert` equal `costs.delete`"), "{problem}");
            for format in ["newick", "phylip"] {
                let tree = server.web.post(&format!("{PATH}?format={format}"), &body(json!({ "all": true }))).await;
                let detail = tree.problem(422, "bad-input")["detail"].as_str().unwrap().to_owned();
                assert!(detail.starts_with(&format!("The format {format} has one distance for two texts in either order.")), "{detail}");
            }
            continue;
        }
        let kept = server.web.post(PATH, &body(json!({ "within": 2 }))).await.json();
        for pair in kept["pairs"].as_array().unwrap() {
            let [a, b] = ["a", "b"].map(|side| pair[side].as_u64().unwrap() as usize);
            assert_eq!(pair["distance"], all["scores"][a][b]);
        }
        let expected = (0..4).flat_map(|a| (a + 1..4).map(move |b| (a, b))).filter(|&(a, b)| all["scores"][a][b].as_u64().unwrap() <= 2);
        assert_eq!(kept["pairs"].as_array().unwrap().len(), expected.count(), "{kept}");
    }
    // A share of the highest costs: with a substitution of 2, it is that by common subsequence.
    let indel = json!({ "task": "edit-distance", "options": { "costs": { "substitute": 2 } }, "a": { "texts": ["abcd", "abd"] }, "keep": { "within": 9 } });
    let found = server.web.post(PATH, &indel).await.json();
    assert_eq!((&found["pairs"][0]["distance"], &found["pairs"][0]["similarity"]), (&json!(1), &json!(6.0 / 7.0)));
}

#[tokio::test]
async fn words_of_a_template_do_not_count() {
    let server = Server::start().await;
    let (starter, own) = ("def main():\n    pass\n", "def main():\n    print(1)\n    pass\n");
    let body = |a: Value, template: Value| json!({ "task": "edit-distance", "options": { "unit": "words" }, "a": a, "template": template });
    let sent = json!({ "texts": [own, starter, "print(2)\n"] });
    let upload = server.web.upload(starter).await;
    let expected = server
        .web
        .post(
            PATH,
            &json!({ "task": "edit-distance", "options": { "unit": "words" },
        "a": { "texts": ["    print(1)\n", "", "print(2)\n"] } }),
        )
        .await
        .json();
    for template in [json!({ "texts": [starter] }), json!({ "upload": upload })] {
        let answer = server.web.post(PATH, &body(sent.clone(), template)).await.json();
        assert_eq!((&answer["lengths"], &answer["scores"]), (&expected["lengths"], &expected["scores"]));
    }
    let refused = async |body: Value, status, kind| {
        let problem = server.web.post(PATH, &body).await.problem(status, kind);
        problem["detail"].as_str().unwrap().to_owned()
    };
    let records = json!({ "texts": [">x\nACGT\n"], "split": "records" });
    assert!(
        refused(body(records, json!({ "texts": ["A"] })), 422, "bad-input")
            .await
            .starts_with("A template needs texts that are files or lines")
    );
    let western = server.web.upload(&b"caf\xe9 noir\n"[..]).await;
    assert_eq!(
        refused(body(sent.clone(), json!({ "upload": western })), 422, "bad-input").await,
        "the upload of template is not valid UTF-8 at byte 3. Count in bytes, or save the file as UTF-8."
    );
    let both = body(sent.clone(), json!({ "texts": ["A"], "upload": upload }));
    assert_eq!(refused(both, 422, "bad-input").await, "template has either texts or an upload. Leave out one of them.");
    let split = body(sent, json!({ "texts": ["A"], "split": "lines" }));
    assert!(refused(split, 400, "malformed").await.contains("split"));
    let search = json!({ "task": "exact-search", "a": { "texts": ["A"] }, "b": { "texts": ["AA"] }, "template": { "texts": ["A"] } });
    assert_eq!(refused(search, 422, "bad-input").await, "A search finds patterns in whole texts. Leave out template.");
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
    let server = Server::with(&[("EDITSCOPE_MAX_SCORES", "8"), ("EDITSCOPE_MAX_PAIRS", "2"), ("EDITSCOPE_MAX_CELLS_CPU", "3000")]).await;
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
        "The number of cells is 5568, and the limit here is 3000."
    );
    assert_eq!(refused(of(json!([])), 422, "bad-input").await, "`a` has no texts to compare.");
    let many = json!({ "task": "edit-distance", "a": { "texts": [{ "name": "genes.fasta", "text": ">x\nA\n>y\nC\n" }] } });
    assert!(refused(many, 422, "bad-input").await.starts_with("genes.fasta holds 2 records. Set `split` to records"));
    let fastq = |split| json!({ "task": "lcs", "a": { "texts": ["@x\nACGT\n+\nIII\n"], "split": split } });
    for split in ["files", "records"] {
        let detail = refused(fastq(split), 422, "bad-input").await;
        assert!(detail.ends_with("Repair the file, or set `split` to plain to compare it as text."), "{split}: {detail}");
    }
    assert_eq!(server.web.post(PATH, &fastq("plain")).await.json()["lengths"], json!([14]));
    let rules = json!({ "task": "edit-distance", "a": { "texts": ["a"] }, "keep": { "within": 1, "nearest": 2 } });
    assert_eq!(refused(rules, 422, "bad-input").await, "keep has one rule: all (true), within, nearest or similarity.");
    let unknown = json!({ "task": "edit-distance", "a": { "texts": ["a"], "lines": true } });
    assert!(refused(unknown, 400, "malformed").await.contains("lines"));
    let searched = json!({ "task": "exact-search", "a": { "texts": ["a"] } });
    assert_eq!(refused(searched, 422, "bad-input").await, "A search needs b, the text with the hits. a has the patterns.");
    let counted = json!({ "task": "match-count", "a": { "texts": ["a"] } });
    assert!(refused(counted, 422, "bad-input").await.starts_with("match-count compares no pairs of collections."));
    let number = json!({ "task": "lcs", "a": { "texts": [5] } });
    assert!(refused(number, 400, "malformed").await.contains("expected a text, or an object with name and text"));
    let list = json!({ "task": "lcs", "a": [["x", "y"]] });
    assert!(refused(list, 400, "malformed").await.contains("must be an object"));
    // A list of equal lines is one text, but the answer would have a score for each pair of lines.
    let equal = json!({ "task": "lcs", "a": { "texts": ["\n\n\n\n"], "split": "lines" } });
    assert_eq!(refused(equal, 422, "too-large").await, "The number of scores is 16, and the limit here is 8.");
    let missing = json!({ "task": "lcs", "a": { "upload": "0123456789abcdef" } });
    server.web.post(PATH, &missing).await.problem(404, "not-found");
    // The format is checked before the comparison, which the client would pay.
    let grouped = of(json!(["a", "b"]));
    let problem = server.web.post(&format!("{PATH}?format=groups"), &grouped).await.problem(422, "bad-input");
    assert!(problem["detail"].as_str().unwrap().starts_with("Groups are those of the kept pairs"), "{problem}");
    server.web.post(&format!("{PATH}?format=xml"), &of(json!(["a"]))).await.problem(400, "unsupported-format");
}

#[tokio::test]
async fn many_patterns_are_found_in_the_records_of_a_file() {
    let server = Server::start().await;
    let upload = server.web.upload(">chr1\nTTGATTACATT\n>chr2\nTGTAATCA\n").await;
    let ask = json!({ "task": "approximate-search", "options": { "strands": "both", "max_distance": 0 },
        "a": { "texts": [">primer\nGATTACA\n>other\nCCGT\n"], "split": "records" }, "b": { "upload": upload } });
    let answer = server.web.post(PATH, &ask).await.json();
    assert_eq!((&answer["patterns"], &answer["texts"]), (&json!(["primer", "other"]), &json!(["chr1", "chr2"])));
    assert_eq!(
        answer["hits"],
        json!([
            { "pattern": 0, "text": 0, "start": 2, "end": 9, "distance": 0, "strand": "+" },
            { "pattern": 0, "text": 1, "start": 0, "end": 7, "distance": 0, "strand": "-" },
        ])
    );
    let bed = server.web.post(&format!("{PATH}?format=bed"), &ask).await;
    assert_eq!(bed.text, "chr1\t2\t9\tprimer\t1000\t+\nchr2\t0\t7\tprimer\t1000\t-\n");
    let problem = server.web.post(&format!("{PATH}?format=newick"), &ask).await.problem(422, "bad-input");
    assert!(problem["detail"].as_str().unwrap().contains("Choose json, hits, counts, bed, paf or sam."), "{problem}");
}

#[tokio::test]
async fn counted_hits_are_not_written_as_no_hits() {
    let server = Server::start().await;
    let ask = json!({ "task": "exact-search", "options": { "count_only": true }, "a": { "texts": ["AC"] }, "b": { "texts": ["ACAC"] } });
    let started = server.web.post(&format!("{PATH}?wait=30"), &ask).await.json();
    let stored = format!("{PATH}/{}/export", started["id"].as_str().unwrap());
    for format in ["hits", "bed", "paf", "sam"] {
        for got in
            [server.web.post(&format!("{PATH}?format={format}"), &ask).await, server.web.get(&format!("{stored}?format={format}")).await]
        {
            let problem = got.problem(422, "bad-input");
            assert!(problem["detail"].as_str().unwrap().contains("Choose json or counts, or leave out `count_only`."), "{problem}");
        }
    }
    let counts = server.web.post(&format!("{PATH}?format=counts"), &ask).await.text;
    assert_eq!(
        (counts.as_str(), server.web.get(&format!("{stored}?format=counts")).await.text.as_str()),
        ("pattern,pattern_name,hits\n0,text 1,2\n", counts.as_str())
    );
    assert_eq!(server.web.post(PATH, &ask).await.json()["totals"], json!([2]));
}

#[tokio::test]
async fn errors_of_searches_name_the_pattern_or_the_text() {
    let server = Server::start().await;
    let refused = async |options: Value, a: Value, b: Value| {
        let ask = json!({ "task": "exact-search", "options": options, "a": { "texts": a }, "b": { "texts": b } });
        server.web.post(PATH, &ask).await.problem(422, "bad-input")["detail"].as_str().unwrap().to_owned()
    };
    let named = |name: &str, text: &str| json!({ "name": name, "text": text });
    let (both, sets) = (json!({ "strands": "both" }), json!({ "ambiguity": true }));
    let detail = refused(both, json!(["ACG", named("primer7", "ACX")]), json!(["ACAC"])).await;
    assert!(detail.contains("Symbol 2 of primer7, counted from 0, is \"X\","), "{detail}");
    let detail = refused(sets.clone(), json!(["ACG"]), json!(["ACAC", named("chr2", "AC!")])).await;
    assert!(detail.starts_with("Symbol 2 of chr2, counted from 0, is \"!\","), "{detail}");
    let detail = refused(sets, json!(["ACG"]), json!([">chr1\nACACA\n>chr2\nAX\n"])).await;
    assert!(detail.starts_with("Symbol 1 of chr2, counted from 0, is \"X\","), "{detail}");
}

/// Without the mark, Excel reads a file in another encoding than UTF-8.
#[tokio::test]
async fn comma_separated_files_may_have_a_byte_order_mark() {
    let server = Server::start().await;
    let ask = json!({ "task": "lcs", "a": { "texts": [{ "name": "é", "text": "a" }, "b"] } });
    let started = server.web.post(&format!("{PATH}?wait=30"), &ask).await.json();
    let stored = format!("{PATH}/{}/export", started["id"].as_str().unwrap());
    for (format, has_mark) in [("pairs", true), ("matrix", true), ("json", false), ("newick", false)] {
        let direct = server.web.post(&format!("{PATH}?format={format}&bom=1"), &ask).await.text;
        assert_eq!(direct.starts_with('\u{feff}'), has_mark, "{direct}");
        assert_eq!(server.web.get(&format!("{stored}?format={format}&bom=1")).await.text, direct);
        assert_eq!(server.web.get(&format!("{stored}?format={format}")).await.text, direct.trim_start_matches('\u{feff}'));
    }
    server.web.post(&format!("{PATH}?wait=1&bom=1"), &ask).await.problem(400, "malformed");
}

#[tokio::test]
async fn empty_patterns_have_no_hits() {
    let server = Server::start().await;
    for (task, options) in
        [("exact-search", json!({})), ("approximate-search", json!({ "max_distance": 2 })), ("approximate-search", json!({}))]
    {
        let ask = json!({ "task": task, "options": options,
            "a": { "texts": ["", "\nGATT\n\n"], "split": "lines" }, "b": { "texts": [">x\nTTGATTA\n>y\n"] } });
        let answer = server.web.post(PATH, &ask).await.json();
        let (lengths, hits) = (answer["lengths"].as_array().unwrap(), answer["hits"].as_array().unwrap());
        assert!(lengths.len() > 1 && !hits.is_empty(), "{answer}");
        for hit in hits {
            assert_eq!(lengths[hit["pattern"].as_u64().unwrap() as usize], 4, "{answer}");
        }
    }
}
