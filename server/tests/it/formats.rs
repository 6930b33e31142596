//! Export formats of each task.

use serde_json::{Value, json};

use crate::client::{Got, Server, job};

/// Solves a job and exports its result.
async fn exported(server: &Server, job: &Value, rest: &str) -> Got {
    let snapshot = server.web.solve(job).await;
    server.web.get(&format!("/api/v1/jobs/{}/export?format={rest}", snapshot["id"].as_str().unwrap())).await
}

#[tokio::test]
async fn mapping_formats_contain_the_read() {
    let server = Server::start().await;
    let search = job("approximate-search", json!({}), ">read one\nACGTT\n", ">chr\nGGGACTTGGG\n");
    let paf = exported(&server, &search, "paf").await;
    assert_eq!(paf.text, "read\t5\t0\t5\t+\tchr\t10\t3\t7\t4\t5\t255\tNM:i:1\tcg:Z:2=1I2=\n");
    let sam = exported(&server, &search, "sam&hit=0").await;
    let version = env!("CARGO_PKG_VERSION");
    let head = format!("@HD\tVN:1.6\n@SQ\tSN:chr\tLN:10\n@PG\tID:editscope\tPN:editscope\tVN:{version}\n");
    assert_eq!(sam.text, head + "read\t0\tchr\t4\t255\t2=1I2=\t*\t0\t0\tACGTT\t*\tNM:i:1\n");
    assert_eq!(sam.header("content-disposition"), "attachment; filename=\"approximate-search.sam\"");
    // Both formats see `a` as the query, so that our I, a symbol of `b` only, is their D.
    let whole = exported(&server, &job("edit-distance", json!({}), "kitten", "sitting"), "paf").await;
    assert_eq!(whole.text, "a\t6\t0\t6\t+\tb\t7\t0\t7\t4\t7\t255\tNM:i:3\tcg:Z:1X3=1X1=1D\n");
    for task in ["match-count", "exact-search"] {
        let second = exported(&server, &job(task, json!({}), "ab", "abxab"), "paf&hit=1").await;
        assert_eq!(second.text, "a\t2\t0\t2\t+\tb\t5\t3\t5\t2\t2\t255\tNM:i:0\tcg:Z:2=\n", "{task}");
    }
}

#[tokio::test]
async fn edits_are_exported_as_csv_and_columns_as_svg() {
    let server = Server::start().await;
    let kitten = job("edit-distance", json!({}), "kitten", "sitting");
    let edits = exported(&server, &kitten, "edits").await;
    let lines: Vec<&str> = edits.text.lines().collect();
    assert_eq!(lines[..2], ["edit,column,a_start,a_end,b_start,b_end,a,b", "substitute,0,0,1,0,1,k,s"]);
    assert_eq!((lines.len(), edits.header("content-type")), (4, "text/csv; charset=utf-8"));
    assert_eq!(edits.header("content-disposition"), "attachment; filename=\"edit-distance.edits.csv\"");
    let picture = exported(&server, &kitten, "svg&from=2&len=3").await;
    assert_eq!((picture.status, picture.header("content-type")), (200, "image/svg+xml"));
    assert!(picture.text.contains("<title>Alignment, columns 2 to 5</title>"), "{}", picture.text);
    assert!(picture.text.contains(">tt</text>") && !picture.text.contains(">k</text>"), "{}", picture.text);
}

#[tokio::test]
async fn lines_are_exported_as_a_diff() {
    let server = Server::start().await;
    let (a, b) = ("one\ntwo\nthree\nfour\nfive\nsix\n", "one\ntwo\n3\nfour\nfive\nsix\nseven");
    for task in ["edit-distance", "lcs"] {
        let diff = exported(&server, &job(task, json!({ "unit": "lines" }), a, b), "diff").await;
        assert_eq!(
            diff.text, "--- a\n+++ b\n@@ -1,6 +1,7 @@\n one\n two\n-three\n+3\n four\n five\n six\n+seven\n\\ No newline at end of file\n",
            "{task}"
        );
        assert_eq!(diff.header("content-type"), "text/plain; charset=utf-8");
    }
}

#[tokio::test]
async fn subsequence_is_exported_as_text() {
    let server = Server::start().await;
    let rows = [
        (json!({}), "xabcx", "aybzc", "abc"),
        (json!({ "unit": "chars" }), "größe", "gröber", "gröe"),
        (json!({ "unit": "words" }), "the cat sat", "the dog sat", "the sat"),
        (json!({ "unit": "lines" }), "one\r\ntwo\nthree", "one\nthree", "one\nthree\n"),
        (json!({}), "abc", "xyz", ""),
    ];
    for (options, a, b, text) in rows {
        let got = exported(&server, &job("lcs", options, a, b), "subsequence").await;
        assert_eq!((got.status, got.text.as_str()), (200, text), "{a}");
        assert_eq!(got.header("content-disposition"), "attachment; filename=\"lcs.txt\"");
    }
}

#[tokio::test]
async fn scores_and_hits_are_exported_as_csv() {
    let server = Server::start().await;
    let counted = job("match-count", json!({ "max_mismatches": 2 }), "aba", "abaab");
    let scores = exported(&server, &counted, "profile-csv").await;
    assert_eq!(scores.text, "offset,matches\n0,3\n1,1\n2,1\n");
    assert_eq!(scores.header("content-disposition"), "attachment; filename=\"match-count.profile.csv\"");
    let hits = exported(&server, &counted, "csv").await;
    assert_eq!((hits.text.as_str(), hits.header("content-type")), ("start,end,distance\n0,3,0\n1,4,2\n2,5,2\n", "text/csv; charset=utf-8"));
}

#[tokio::test]
async fn unsuitable_format_is_refused_with_the_suitable_ones() {
    let server = Server::start().await;
    let lines = json!({ "unit": "lines" });
    let rows = [
        (
            "edit-distance",
            json!({}),
            "csv",
            "of edit-distance cannot be exported as csv. Choose one of: cigar, text, json, emboss, paf, sam, edits, vcf, fasta, svg, html.",
        ),
        (
            "edit-distance",
            json!({}),
            "diff",
            "in bytes read like this cannot be exported as diff. Choose one of: cigar, text, json, emboss, paf, sam, edits, vcf, fasta, svg, html.",
        ),
        (
            "edit-distance",
            lines.clone(),
            "paf",
            "in lines read like this cannot be exported as paf. Choose one of: cigar, text, json, diff, edits, svg, html.",
        ),
        (
            "edit-distance",
            json!({ "unit": "lines", "ignore_whitespace": true }),
            "diff",
            "Choose one of: cigar, text, json, edits, svg, html.",
        ),
        ("lcs", lines, "paf", "of lcs cannot be exported as paf. Choose one of: cigar, text, json, diff, subsequence, edits, svg, html."),
        (
            "exact-search",
            json!({}),
            "profile-csv",
            "Choose one of: cigar, text, json, paf, sam, edits, fasta, svg, html, csv, hits-paf, hits-sam, bed, positions.",
        ),
        (
            "match-count",
            json!({}),
            "subsequence",
            "Choose one of: cigar, text, json, paf, sam, edits, fasta, svg, html, csv, hits-paf, hits-sam, bed, profile-csv.",
        ),
        ("match-count", json!({ "unit": "words" }), "sam", "Choose one of: cigar, text, json, edits, svg, html, csv, profile-csv."),
        (
            "match-count",
            json!({}),
            "pdf",
            "Formats: cigar, text, json, emboss, paf, sam, blast, diff, subsequence, edits, vcf, fasta, svg, html, csv, hits-paf, hits-sam, bed, positions, profile-csv. Not",
        ),
    ];
    for (task, options, format, sentence) in rows {
        let problem = exported(&server, &job(task, options, "a", "banana"), format).await.problem(400, "unsupported-format");
        assert!(problem["detail"].as_str().unwrap().contains(sentence), "{problem}");
    }
}

#[tokio::test]
async fn answer_without_an_alignment_is_exported() {
    let server = Server::start().await;
    let scored = exported(&server, &job("lcs", json!({ "alignment": false }), "ab", "b"), "json").await.json();
    assert_eq!((&scored["answer"]["length"], scored.get("cigar")), (&json!(1), None));
    let counted = exported(&server, &job("exact-search", json!({ "count_only": true }), "a", "aa"), "json").await.json();
    assert_eq!((&counted["answer"]["total"], counted.get("hit")), (&json!(2), None));
}

#[tokio::test]
async fn dna_edits_are_exported_as_vcf_and_aligned_fasta() {
    let server = Server::start().await;
    let dna = job("edit-distance", json!({}), ">ref one\nACGTTA\n", ">alt\nAGGTTA\n");
    let vcf = exported(&server, &dna, "vcf").await;
    let lines: Vec<&str> = vcf.text.lines().filter(|line| !line.starts_with("##")).collect();
    assert_eq!(lines[..2], ["#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO", "ref\t2\t.\tC\tG\t.\tPASS\t."]);
    assert_eq!((lines.len(), vcf.header("content-disposition")), (2, "attachment; filename=\"edit-distance.vcf\""));
    let fasta = exported(&server, &dna, "fasta").await;
    let rows: Vec<&str> = fasta.text.lines().collect();
    assert_eq!(rows, [">ref", "ACGTTA", ">alt", "AGGTTA"]);
    for (a, b, format) in [("kitten", "sitting", "vcf"), ("", "ACGT", "vcf"), ("a b", "a c", "fasta")] {
        let refused = exported(&server, &job("edit-distance", json!({}), a, b), format).await;
        refused.problem(400, "unsupported-format");
    }
}

/// A deletion inside a repeat is written as `bcftools norm` does, whatever its length.
#[tokio::test]
async fn indels_are_left_aligned() {
    let server = Server::start().await;
    let around = ["ACGTTGCATGCCGATTACGGATCCATTGCGTTACCGAGG", "TCCGGATTGCAACGTTGCCATTAGCCATTGGACCATT"];
    let text = |name: &str, letters: usize| format!(">{name}\n{}{}{}\n", around[0], "A".repeat(letters), around[1]);
    for (a, b, place) in
        [(text("ref", 8), text("alt", 6), "39\t.\tGAA\tG"), (">ref\nGGAAAAAAAATC\n".into(), ">alt\nGGAAAAAATC\n".into(), "2\t.\tGAA\tG")]
    {
        for options in [json!({}), json!({ "gaps": "rightmost" })] {
            let vcf = exported(&server, &job("edit-distance", options, &a, &b), "vcf").await;
            let lines: Vec<&str> = vcf.text.lines().filter(|line| !line.starts_with('#')).collect();
            assert_eq!(lines, [format!("ref\t{place}\t.\tPASS\t.")]);
        }
    }
    let [left, right] = [json!({}), json!({ "gaps": "rightmost" })].map(|options| job("edit-distance", options, "GAAAC", "GAC"));
    assert_eq!(exported(&server, &left, "cigar").await.text, "1=2D2=\n");
    assert_eq!(exported(&server, &right, "cigar").await.text, "2=2D1=\n");
    let block = "w\nx\ny\nz\nq\n";
    for before in [3, 100] {
        let same: String = (0..before).map(|line| format!("{line}\n")).collect();
        let [a, b] = [1, 2].map(|times| format!("{same}{}end\n", block.repeat(times)));
        let cigar = exported(&server, &job("edit-distance", json!({ "unit": "lines" }), &a, &b), "cigar").await;
        assert_eq!(cigar.text, format!("{before}=5I6=\n"));
    }
}

#[tokio::test]
async fn reference_codes_become_bases_and_codes_of_b_are_reported() {
    let server = Server::start().await;
    let vcf = exported(&server, &job("edit-distance", json!({}), ">ref\nACGRTTACGT\n", ">alt\nACGRTACGT\n"), "vcf").await;
    assert!(vcf.text.ends_with("\nref\t4\t.\tAT\tA\t.\tPASS\t.\n"), "{}", vcf.text);
    let problem = exported(&server, &job("edit-distance", json!({}), "ACGT", "ACRGT"), "vcf").await.problem(400, "unsupported-format");
    assert!(problem["detail"].as_str().unwrap().starts_with("Symbol 3 of b, counted from 1, is R,"), "{problem}");
}

#[tokio::test]
async fn names_are_unchanged_where_the_format_allows_them() {
    let server = Server::start().await;
    let hla = "HLA-A*01:01:01:01";
    let search = job("exact-search", json!({}), "GATTACA", &format!(">{hla} x\nCCGATTACATT\n"));
    for (format, line) in [
        ("sam", format!("@SQ\tSN:{hla}\tLN:11\n")),
        ("paf", format!("\t{hla}\t11\t")),
        ("bed", format!("{hla}\t2\t9\ta\t")),
        ("hits-sam", format!("\t{hla}\t3\t")),
    ] {
        let file = exported(&server, &search, format).await;
        assert!(file.text.contains(&line), "{format}: {}", file.text);
    }
    let flu = exported(&server, &job("exact-search", json!({}), "GATTACA", ">A/x(H5N8),1\nGATTACA\n"), "hits-sam").await;
    assert!(flu.text.contains("SN:A/x_H5N8__1\t") && flu.text.contains("@CO\tname: A/x_H5N8__1 was A/x(H5N8),1\n"), "{}", flu.text);
    let bed = exported(&server, &job("exact-search", json!({}), "GATTACA", ">A/x(H5N8),1\nGATTACA\n"), "bed").await;
    assert!(bed.text.starts_with("A/x(H5N8),1\t0\t7\t"), "{}", bed.text);
    let twice = job("exact-search", json!({}), "GATTACA", ">genome_id #1\nACGTGATTACAGG\n>genome_id #2\nTTGATTACATT\n");
    let rows = "record,start,end,distance,header\ngenome_id,4,11,0,genome_id #1\ngenome_id_2,2,9,0,genome_id #2\n";
    assert_eq!(exported(&server, &twice, "csv").await.text, rows);
    assert_eq!(exported(&server, &twice, "csv&bom=1").await.text, format!("\u{feff}{rows}"));
    assert!(exported(&server, &twice, "sam&bom=1").await.text.starts_with('@'));
}

#[tokio::test]
async fn report_is_one_page_without_scripts() {
    let server = Server::start().await;
    let report = exported(&server, &job("edit-distance", json!({ "unit": "words" }), "the <b>cat</b> sat", "the dog sat"), "html").await;
    assert_eq!((report.status, report.header("content-type")), (200, "text/html; charset=utf-8"));
    assert_eq!(report.header("content-disposition"), "attachment; filename=\"edit-distance.html\"");
    assert!(
        report.text.contains("edits turn a into b") && report.text.contains("&lt;") && !report.text.contains("<b>cat"),
        "{}",
        report.text
    );
}

#[tokio::test]
async fn diff_keeps_line_ends() {
    let server = Server::start().await;
    let of = async |a: &str, b: &str| exported(&server, &job("edit-distance", json!({ "unit": "lines" }), a, b), "diff").await.text;
    assert_eq!(of("x\r\ny\n", "x\ny").await, "--- a\n+++ b\n@@ -1,2 +1,2 @@\n-x\r\n-y\n+x\n+y\n\\ No newline at end of file\n");
    assert_eq!(of("x\r\n", "x\r\n").await, "");
}
