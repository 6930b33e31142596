//! Parsing of texts and its reports: FASTA, records, byte order marks; hits and files by record.

use serde_json::{Value, json};

use crate::client::{Server, job};

const THREE: &str = ">chr1 the first\nACGTACGTAC\nGTACGTACGT\n>chr2\nTTTTTTTTTTTTTTTTTTTT\n>chr3, x\nGGGTTTTTTTGATTACACGT\n";

#[tokio::test]
async fn quoted_mail_is_read_as_text_and_fasta_is_folded_for_both_texts() {
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
async fn reading_report_is_an_event_and_part_of_the_snapshot() {
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
async fn text_with_several_records_is_refused_without_a_choice() {
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
    for record in [json!(true), json!(-1), json!(1.5)] {
        let wrong = server.web.post("/api/v1/jobs", &of(json!({ "upload": upload, "record": record }))).await.problem(400, "malformed");
        let detail = wrong["detail"].as_str().unwrap();
        assert!(detail.contains("a record is chosen by its number, from 0, or by its name"), "{record}: {detail}");
    }
    server.web.post("/api/v1/jobs", &of(json!({}))).await.problem(400, "malformed");
    server.web.post("/api/v1/jobs", &of(json!({ "text": "", "upload": upload }))).await.problem(400, "malformed");
}

/// Every file and page of a search in several records counts positions within the record of the hit.
#[tokio::test]
async fn hits_and_files_count_positions_within_records() {
    let server = Server::start().await;
    let solved = async |task: &str, options: Value, a: &str| {
        let snapshot = server.web.solve(&job(task, options, a, THREE)).await;
        (snapshot["answer"].clone(), format!("/api/v1/jobs/{}", snapshot["id"].as_str().unwrap()))
    };
    let (across, _) = solved("exact-search", json!({}), "ACGTTT").await;
    assert_eq!(across["total"], 0, "a match across records is not found");
    let (answer, path) = solved("exact-search", json!({}), "gattaca").await;
    let place = json!({ "number": 2, "start": 10, "end": 17 });
    assert_eq!(answer, json!({ "task": "exact-search", "total": 1, "positions": [52], "records": [place] }));
    let get = async |rest: &str| server.web.get(&format!("{path}{rest}")).await;
    let hit = json!({ "start": 52, "end": 59, "distance": 0, "record": place });
    assert_eq!(get("/hits").await.json()["hits"], json!([hit]));
    let seen = get("/hits?context=100").await.json();
    assert_eq!(seen["passages"][0]["from"], 42, "the text around a hit ends at its record: {seen}");
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
async fn text_without_symbols_is_returned_as_sent() {
    let server = Server::start().await;
    let blank = job("edit-distance", json!({ "ignore_whitespace": true }), "ab", " \n ");
    for (job, text) in [(blank, " \n "), (job("edit-distance", json!({}), ">x\nACGT", ">t1\n"), ">t1\n")] {
        let snapshot = server.web.solve(&job).await;
        assert_eq!(snapshot["b"]["symbols"], 0);
        let piece = server.web.get(&format!("/api/v1/jobs/{}/texts/b", snapshot["id"].as_str().unwrap())).await.json();
        assert_eq!(piece["text"], text);
    }
}

#[tokio::test]
async fn line_ends_punctuation_and_accents_are_ignored_on_request() {
    let server = Server::start().await;
    let options = json!({ "unit": "graphemes", "ignore_line_ends": true, "ignore_punctuation": true, "ignore_accents": true });
    let texts = ("Crème brûlée, please.  \r\n\r\nThank you!\r\n", "Creme brulee please\nThank you");
    let plain = server.web.solve(&job("edit-distance", json!({ "unit": "graphemes" }), texts.0, texts.1)).await;
    assert_eq!(plain["answer"]["distance"], 11, "{plain}");
    let snapshot = server.web.solve(&job("edit-distance", options.clone(), texts.0, texts.1)).await;
    assert_eq!((&snapshot["answer"]["distance"], &snapshot["a"]["symbols"]), (&json!(0), &json!(29)), "{snapshot}");
    assert_eq!(snapshot["options"]["ignore_accents"], true);
    let found = server.web.solve(&job("exact-search", options, "brulee please", texts.0)).await;
    assert_eq!(found["answer"]["total"], 1, "{found}");
    let digits = json!({ "unit": "words", "ignore_digits": true });
    let snapshot = server.web.solve(&job("edit-distance", digits, "Room 12 on floor3", "Room on 4 floor")).await;
    assert_eq!((&snapshot["answer"]["distance"], &snapshot["a"]["symbols"]), (&json!(0), &json!(3)), "{snapshot}");
    assert_eq!(snapshot["options"]["ignore_digits"], true);
    let bytes = job("edit-distance", json!({ "ignore_accents": true }), "a", "b");
    let refused = server.web.post("/api/v1/jobs", &bytes).await.problem(422, "bad-input");
    assert_eq!(refused["failure"]["wrong"], json!({ "what": "bytes-have-no-accents" }));
}

/// Returns the warnings of a snapshot: type, text and line of each.
fn warned(snapshot: &Value) -> Vec<(&str, &str, u64)> {
    let all = snapshot["warnings"].as_array().map(Vec::as_slice).unwrap_or_default();
    let of = |warning: &'_ Value, name: &str| warning[name].as_str().map(str::to_owned).unwrap_or_default();
    assert!(all.iter().all(|warning| of(warning, "message").ends_with('.')), "{all:?}");
    all.iter()
        .map(|warning| (warning["type"].as_str().unwrap(), warning["text"].as_str().unwrap_or(""), warning["line"].as_u64().unwrap_or(0)))
        .collect()
}

/// Unusual files from bug reports, with the expected results.
#[tokio::test]
async fn files_from_bug_reports_are_read_as_expected() {
    let server = Server::start().await;
    let clean = ">r2\nACGTACGTTTGGAC\n";
    let genbank = "LOCUS       X1          14 bp    DNA     linear\nORIGIN\n        1 acgtacgttt ggac\n//\n";
    let embl = "ID   X2; SV 1; linear; DNA; STD; PRO; 14 BP.\nSQ   Sequence 14 BP;\n     acgtacgttt ggac        14\n//\n";
    let lines = || json!({ "unit": "lines" });
    /// Both texts, options, distance, format, and each warning with its text and line.
    type Row = (&'static str, &'static str, Value, u64, &'static str, &'static [(&'static str, &'static str, u64)]);
    let rows: [Row; 23] = [
        ("> r1 x\nACGTACGTTT\nGGAC\n", clean, json!({}), 0, "fasta", &[]),
        ("#made by x\n>r1\nACGTACGTTTGGAC\n", clean, json!({}), 0, "fasta", &[]),
        (">r1\nACGTACGTTT GGAC\n", clean, json!({}), 0, "fasta", &[("numbers-skipped", "a", 2)]),
        (">r1\n1 ACGTACGTTT\n11 GGAC\n", clean, json!({}), 0, "fasta", &[("numbers-skipped", "a", 2)]),
        (">r1\nACGTACG...TTTGGAC\n", clean, json!({}), 3, "fasta", &[("gaps-count", "a", 2)]),
        (">r1\nACGTACG---TTTGGAC\n", clean, json!({}), 3, "fasta", &[("gaps-count", "a", 2)]),
        (">_r1\nACGTACGTTT\nGGAC\n", clean, json!({}), 0, "fasta", &[]),
        (">|r1\nACGTACGTTT\nGGAC\n", clean, json!({}), 0, "fasta", &[]),
        (">r1\nACGT?ACGTTT\nGGAC\n", clean, json!({ "unit": "chars" }), 3, "plain", &[("read-as-text", "a", 2)]),
        (genbank, clean, json!({}), 0, "genbank", &[]),
        (genbank, clean, json!({ "fasta": "always" }), 0, "genbank", &[]),
        (embl, clean, json!({}), 0, "embl", &[]),
        (genbank.trim_end_matches("//\n"), clean, json!({}), 0, "genbank", &[("breaks-off", "a", 0)]),
        (">r1 >3 beta 5-->4\nACGTACGTTTGGAC\n", clean, json!({}), 0, "fasta", &[]),
        (">r1\n\nACGTACG\n   \nTTTGGAC\n\n\n", clean, json!({}), 0, "fasta", &[]),
        (">r1\rACGTACG\rTTTGGAC\r\n", clean, json!({}), 0, "fasta", &[]),
        (">p\nMKVLAT*\n", ">q\nMKVLT*\n", json!({}), 1, "fasta", &[]),
        ("@r1\nACGTACG\nTTTGGAC\n+\n@IIIIII\n+IIIIII\n", clean, json!({}), 0, "fastq", &[]),
        ("\u{feff}one two\n", "one two\n", json!({ "unit": "chars" }), 0, "plain", &[]),
        ("\u{feff}one two\n", "one two\n", json!({}), 3, "plain", &[]),
        ("one\r\ntwo\r\n", "one\ntwo", lines(), 0, "plain", &[("only-line-ends", "", 0)]),
        ("one\rtwo\rthree\r", "one\n2\nthree\n", lines(), 1, "plain", &[]),
        ("one\0\ntwo", "one\ntwo", lines(), 1, "plain", &[]),
    ];
    for (a, b, options, distance, format, warnings) in rows {
        let snapshot = server.web.solve(&job("edit-distance", options, a, b)).await;
        let told = (snapshot["answer"]["distance"].as_u64(), snapshot["reading"]["a"]["format"].as_str(), warned(&snapshot));
        assert_eq!(told, (Some(distance), Some(format), warnings.to_vec()), "{a:?}");
        assert_eq!(snapshot["reading"]["warnings"], Value::Null, "warnings occur in the snapshot once");
    }
    let record = format!("{}{}", genbank, genbank.replace("X1", "X9"));
    let several = server.web.solve(&job("exact-search", json!({}), "GGAC", &record)).await;
    assert_eq!((&several["answer"]["total"], &several["reading"]["b"]["names"]), (&json!(2), &json!(["X1", "X9"])));
}

#[tokio::test]
async fn truncated_fastq_is_refused_with_its_record() {
    let server = Server::start().await;
    let whole = "@r1\nGATTACAGG\n+\nIIIIIIIII\n@r2\nGATTACAGG\n+\nIIIIIIIII\n";
    assert_eq!(server.web.solve(&job("exact-search", json!({}), "gattaca", whole)).await["answer"]["total"], 2);
    for options in [json!({}), json!({ "fasta": "always" })] {
        let refused = server.web.post("/api/v1/jobs", &job("exact-search", options, "gattaca", &whole[..whole.len() - 7])).await;
        let refused = refused.problem(422, "bad-input");
        let wrong = json!({ "what": "bad-record", "text": "b", "record": 1, "name": "r2", "line": 5, "fault": "breaks-off" });
        assert_eq!(refused["failure"]["wrong"], wrong);
        assert!(refused["detail"].as_str().unwrap().contains("record 1 (r2), counted from 0, which begins in line 5"), "{refused}");
    }
}

/// UTF-16 is decoded everywhere, from the first byte to the windows of a large text.
#[tokio::test]
async fn utf16_is_compared_as_decoded_text() {
    let server = Server::start().await;
    let utf16 = |text: &str, is_little: bool| -> Vec<u8> {
        text.encode_utf16().flat_map(|unit| if is_little { unit.to_le_bytes() } else { unit.to_be_bytes() }).collect()
    };
    let upload = async |bytes: Vec<u8>| server.web.upload(bytes).await;
    let of = |task: &str, options: Value, a: &str, b: &str| json!({ "task": task, "options": options, "a": { "upload": a }, "b": { "upload": b } });
    for (is_little, encoding) in [(true, "utf-16le"), (false, "utf-16be")] {
        let a = upload(utf16("\u{feff}Name;Betrag\r\nMüller;12,50\r\n", is_little)).await;
        let b = upload(utf16("\u{feff}Name;Betrag\r\nMüller;12,80\r\n", is_little)).await;
        for unit in ["lines", "words", "chars"] {
            let snapshot = server.web.solve(&of("edit-distance", json!({ "unit": unit }), &a, &b)).await;
            let told = (&snapshot["answer"]["distance"], &snapshot["reading"]["a"]["encoding"], &snapshot["a"]["bytes"]);
            assert_eq!(told, (&json!(1), &json!(encoding), &json!(56)), "{unit}");
        }
        let bytes = server.web.solve(&of("edit-distance", json!({}), &a, &b)).await;
        assert_eq!(warned(&bytes), [("utf16-as-bytes", "a", 0), ("utf16-as-bytes", "b", 0)]);
        let unmarked = upload(utf16("one\r\ntwo\r\n", is_little)).await;
        let snapshot = server.web.solve(&of("edit-distance", json!({ "unit": "lines" }), &unmarked, &unmarked)).await;
        assert_eq!(warned(&snapshot), [("looks-like-utf16", "a", 0), ("looks-like-utf16", "b", 0)]);
        let invalid = upload(utf16("Müller in Köln", is_little)).await;
        let refused = server.web.post("/api/v1/jobs", &of("lcs", json!({ "unit": "chars" }), &invalid, &a)).await.problem(422, "bad-input");
        assert!(refused["detail"].as_str().unwrap().contains("looks like UTF-16"), "{refused}");

        let large = format!("\u{feff}{}Müller{}", "é\n".repeat(200_000), "x".repeat(200_000));
        let (pattern, text) = (upload(b"M\xc3\xbcller".to_vec()).await, upload(utf16(&large, is_little)).await);
        let found = server.web.solve(&of("exact-search", json!({ "unit": "chars" }), &pattern, &text)).await;
        assert_eq!(found["answer"]["positions"], json!([400_000]));
        let hits = server.web.get(&format!("/api/v1/jobs/{}/hits?context=2", found["id"].as_str().unwrap())).await.json();
        assert_eq!(hits["passages"][0]["letters"], json!(["é", "\n", "M", "ü", "l", "l", "e", "r", "x", "x"]));
        assert_eq!(hits["passages"][0]["line"], 199_999);
        let piece = server.web.get(&format!("/api/v1/jobs/{}/texts/b?from=399998&len=8", found["id"].as_str().unwrap())).await.json();
        assert_eq!(piece["text"], "é\nMüller");
    }
}

/// The alphabet of both texts decides about the strand, for small texts and for large ones, whose pages are made of
/// windows.
#[tokio::test]
async fn reverse_strand_of_rna_is_searched_for_any_pattern() {
    let server = Server::start().await;
    let short = ">rRNA_3end\nGAUCACCUCCUUA\n".to_owned();
    let long = format!(">rRNA\n{}ACCUCCUA\n{}\n", "GA\n".repeat(300_000), "UUCA".repeat(100_000));
    for (b, place) in [(short, 5), (long, 600_001)] {
        for (task, options) in
            [("exact-search", json!({ "strands": "both" })), ("approximate-search", json!({ "strands": "both", "max_distance": 0 }))]
        {
            let snapshot = server.web.solve(&job(task, options, "AGGAGG", &b)).await;
            assert_eq!((&snapshot["answer"]["total"], &snapshot["answer"]["reverse"]), (&json!(1), &json!(1)), "{task}");
            let path = format!("/api/v1/jobs/{}", snapshot["id"].as_str().unwrap());
            let hits = server.web.get(&format!("{path}/hits?context=1")).await.json();
            let hit = &hits["hits"][0];
            assert_eq!((&hit["start"], &hit["strand"], &hit["distance"]), (&json!(place), &json!("-"), &json!(0)), "{hits}");
            assert_eq!((&hits["reverse_pattern"], &hits["cigars"]), (&json!(["C", "C", "U", "C", "C", "U"]), &json!(["6="])));
        }
    }
}
