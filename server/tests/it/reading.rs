//! How texts are read, and what is told about it: FASTA or not, records, byte order marks; hits and files by record.

use serde_json::{Value, json};

use crate::client::{Server, job};

const THREE: &str = ">chr1 the first\nACGTACGTAC\nGTACGTACGT\n>chr2\nTTTTTTTTTTTTTTTTTTTT\n>chr3, x\nGGGTTTTTTTGATTACACGT\n";

#[tokio::test]
async fn quoted_mail_is_text_and_fasta_is_folded_with_what_it_is_compared_with() {
    let server = Server::start().await;
    let rows = [
        ("> Hi Bob,\n> how are you\nFine, thanks.", "Hi Bob,\nhow are you\nFine, thanks.", json!({}), 4, ["plain", "plain"]),
        (">x\nACGT\n", "acgt", json!({}), 0, ["fasta", "sequence"]),
        (">x\nACGT\n", "acgt", json!({ "fasta": "never" }), 8, ["plain", "plain"]),
        ("> x\nAC GT\n", "acgt", json!({ "fasta": "always" }), 0, ["fasta", "sequence"]),
        ("@x\nACGT\n+\n!!!!\n", "acgt", json!({ "unit": "chars" }), 0, ["fastq", "sequence"]),
        (">x\nACGT\n", "acgt", json!({ "unit": "lines" }), 2, ["plain", "plain"]),
    ];
    for (a, b, options, distance, formats) in rows {
        let snapshot = server.web.solve(&job("edit-distance", options, a, b)).await;
        let reading = &snapshot["reading"];
        let told = [&reading["a"]["format"], &reading["b"]["format"]];
        assert_eq!((&snapshot["answer"]["distance"], told), (&json!(distance), [&json!(formats[0]), &json!(formats[1])]), "{a:?}");
    }
    let wrong = server.web.post("/api/v1/jobs", &job("lcs", json!({ "fasta": "maybe" }), "", "")).await;
    wrong.problem(400, "malformed");
}

#[tokio::test]
async fn what_was_read_is_an_event_and_stays_in_the_snapshot() {
    let server = Server::start().await;
    let id = server.web.submit(&job("exact-search", json!({}), "gattaca", &format!("\u{feff}{THREE}"))).await;
    let events = server.web.events(&format!("/api/v1/jobs/{id}/events")).await.all().await;
    let read: Vec<&Value> = events.iter().filter(|sent| sent.event == "read").map(|sent| &sent.data).collect();
    let names = ["chr1 the first", "chr2", "chr3, x"];
    let b = json!({ "format": "fasta", "folded": true, "byte_order_mark": true, "records": 3, "names": names });
    let a = json!({ "format": "sequence", "folded": true, "records": 1 });
    assert_eq!(read, [&json!({ "type": "read", "a": a, "b": b })]);
    let snapshot = server.web.get(&format!("/api/v1/jobs/{id}")).await.json();
    assert_eq!(snapshot["reading"], json!({ "a": a, "b": b }));
}

#[tokio::test]
async fn several_records_are_refused_until_one_is_chosen() {
    let server = Server::start().await;
    let of = |b: Value| json!({ "task": "edit-distance", "a": { "text": "GGGTTTTTTTGATTACACGT" }, "b": b });
    let upload = server.web.upload(THREE).await;
    for b in [json!({ "text": THREE }), json!({ "upload": upload })] {
        let refused = server.web.post("/api/v1/jobs?wait=30", &of(b)).await.problem(422, "bad-input");
        let wrong = &refused["failure"]["wrong"];
        let expected = json!({ "what": "several-records", "text": "b", "records": 3, "names": ["chr1 the first", "chr2", "chr3, x"] });
        assert_eq!(wrong, &expected);
        assert!(refused["detail"].as_str().unwrap().starts_with("b holds 3 records: chr1 the first, chr2, chr3, x. Choose one"));
    }
    let as_pattern = json!({ "task": "exact-search", "a": { "text": THREE }, "b": { "text": "ACGT" } });
    let refused = server.web.post("/api/v1/jobs", &as_pattern).await.problem(422, "bad-input");
    assert_eq!(refused["failure"]["wrong"]["text"], "a");
    for (record, distance) in [(json!(2), 0), (json!("chr3,"), 0), (json!("chr3, x"), 0), (json!("chr2"), 10)] {
        let snapshot = server.web.solve(&of(json!({ "upload": upload, "record": record }))).await;
        assert_eq!(snapshot["answer"]["distance"], distance, "{record}");
        assert_eq!((&snapshot["b"]["record"], &snapshot["b"]["symbols"]), (&record, &json!(20)));
    }
    for record in [json!(3), json!("chr")] {
        let missing = server.web.post("/api/v1/jobs", &of(json!({ "upload": upload, "record": record }))).await.problem(422, "bad-input");
        assert_eq!((&missing["failure"]["wrong"]["what"], &missing["failure"]["wrong"]["records"]), (&json!("no-record"), &json!(3)));
    }
    let joined = server.web.solve(&of(json!({ "upload": upload, "joined": true }))).await;
    assert_eq!((&joined["b"]["symbols"], &joined["reading"]["b"]["joined"]), (&json!(60), &json!(true)));
    server.web.post("/api/v1/jobs", &of(json!({ "upload": upload, "joined": true, "record": 1 }))).await.problem(422, "bad-input");
    server.web.post("/api/v1/jobs", &of(json!({}))).await.problem(400, "malformed");
    server.web.post("/api/v1/jobs", &of(json!({ "text": "", "upload": upload }))).await.problem(400, "malformed");
}

/// Every file and page of a search in several records counts in the record that a hit lies in.
#[tokio::test]
async fn hits_and_files_are_by_record() {
    let server = Server::start().await;
    let solved = async |task: &str, options: Value, a: &str| {
        let snapshot = server.web.solve(&job(task, options, a, THREE)).await;
        (snapshot["answer"].clone(), format!("/api/v1/jobs/{}", snapshot["id"].as_str().unwrap()))
    };
    let (across, _) = solved("exact-search", json!({}), "ACGTTT").await;
    assert_eq!(across["total"], 0, "nothing lies across a border");
    let (answer, path) = solved("exact-search", json!({}), "gattaca").await;
    let place = json!({ "number": 2, "start": 10, "end": 17 });
    assert_eq!(answer, json!({ "task": "exact-search", "total": 1, "positions": [52], "records": [place] }));
    let get = async |rest: &str| server.web.get(&format!("{path}{rest}")).await;
    let hit = json!({ "start": 52, "end": 59, "distance": 0, "record": place });
    assert_eq!(get("/hits").await.json()["hits"], json!([hit]));
    let seen = get("/hits?context=100").await.json();
    assert_eq!(seen["passages"][0]["from"], 42, "the text around a hit is that of its record: {seen}");
    assert_eq!(seen["passages"][0]["letters"].as_array().unwrap().len(), 20);
    assert_eq!(get("/export?format=csv").await.text, "record,start,end,distance,header\n\"chr3,\",10,17,0,\"chr3, x\"\n");
    assert_eq!(get("/export?format=paf").await.text, "a\t7\t0\t7\t+\tchr3,\t20\t10\t17\t7\t7\t255\tNM:i:0\tcg:Z:7=\n");
    let sam = get("/export?format=sam").await.text;
    assert!(sam.contains("@SQ\tSN:chr1\tLN:20\n@SQ\tSN:chr2\tLN:20\n@SQ\tSN:chr3_\tLN:20\n"), "{sam}");
    assert!(sam.contains("a\t0\tchr3_\t11\t255\t7=\t"), "{sam}");
    let file = get("/export?format=json").await.json();
    assert_eq!((&file["answer"], &file["reading"]["b"]["records"]), (&answer, &json!(3)));

    let (near, path) = solved("approximate-search", json!({ "max_distance": 1, "local_minima": true }), "GATTAGA").await;
    assert_eq!((&near["total"], &near["hits"][0]["record"]), (&json!(1), &place));
    let counts = server.web.get(&format!("{path}/counts")).await.json();
    assert_eq!(counts["counts"].as_array().unwrap().iter().filter_map(Value::as_u64).sum::<u64>(), 63, "21 ends in each record");

    let (most, path) = solved("match-count", json!({ "max_mismatches": 1 }), "GATTAGA").await;
    assert_eq!((&most["best"], &most["within"], &most["offsets"], &most["records"]), (&json!(6), &json!(1), &json!([52]), &json!([place])));
    let scores = server.web.get(&format!("{path}/export?format=profile-csv")).await.text;
    assert_eq!(
        (scores.lines().count(), scores.lines().next(), scores.lines().nth(15)),
        (43, Some("record,offset,matches"), Some("chr2,0,2"))
    );
    let profile = server.web.get(&format!("{path}/profile?points=1")).await.json();
    assert_eq!((&profile["spans"][0]["offsets"], &profile["spans"][0]["most"]), (&json!(56), &json!(6)));
    server.web.get(&format!("{path}/alignment?offset=15")).await.problem(422, "bad-input");

    server.web.get(&format!("{path}/matrix")).await.problem(422, "bad-input");
    let records = server.web.get(&format!("{path}/records?from=1&len=1")).await.json();
    assert_eq!(records, json!({ "from": 1, "total": 3, "records": [{ "number": 1, "name": "chr2", "start": 21, "symbols": 20 }] }));
    let of_a = server.web.get(&format!("{path}/records?text=a")).await.json();
    assert_eq!(of_a, json!({ "from": 0, "total": 1, "records": [{ "number": 0, "name": null }] }));
}

#[tokio::test]
async fn a_text_without_symbols_is_given_as_it_was() {
    let server = Server::start().await;
    let blank = job("edit-distance", json!({ "ignore_whitespace": true }), "ab", " \n ");
    for (job, text) in [(blank, " \n "), (job("edit-distance", json!({}), ">x\nACGT", ">t1\n"), ">t1\n")] {
        let snapshot = server.web.solve(&job).await;
        assert_eq!(snapshot["b"]["symbols"], 0);
        let piece = server.web.get(&format!("/api/v1/jobs/{}/texts/b", snapshot["id"].as_str().unwrap())).await.json();
        assert_eq!(piece["text"], text);
    }
}
