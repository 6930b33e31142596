//! Compressed uploads.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use reqwest::{Body, Method};
use serde_json::{Value, json};

use crate::client::{Got, Server, typed};

/// Output of `printf ACGTACGTACGT | zstd -19`.
const ZSTD: &[u8] = b"\x28\xb5\x2f\xfd\x04\x68\x61\x00\x00\x41\x43\x47\x54\x41\x43\x47\x54\x41\x43\x47\x54\xe8\x15\x19\x94";

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

async fn put(server: &Server, path: &str, coding: Option<&str>, body: impl Into<Body>) -> Got {
    let request = server.web.request(Method::PUT, path).body(body);
    server
        .web
        .send(match coding {
            Some(coding) => request.header("content-encoding", coding),
            None => request,
        })
        .await
}

/// Returns the distance of an upload to a text.
async fn distance(server: &Server, id: &Value, text: &str) -> Value {
    let job = json!({ "task": "edit-distance", "a": { "upload": id }, "b": { "text": text } });
    server.web.solve(&job).await["answer"]["distance"].clone()
}

/// Returns the number of stored bytes and the number of unfinished files.
fn stored(server: &Server) -> (u64, usize) {
    (server.state.store.files.usage().used_bytes, std::fs::read_dir(server.state.config.data.join("unfinished")).unwrap().count())
}

#[tokio::test]
async fn compressed_upload_equals_the_plain_text() {
    let server = Server::start().await;
    let text = "ACGTACGTACGT";
    let members = [gzip(b"ACGTAC"), gzip(b""), gzip(b"GTACGT")].concat();
    let skippable = b"\x50\x2a\x4d\x18\x04\0\0\0\x19\0\0\0";
    // Like the output of `printf ACGTACGTACGT | zstd --long=27`.
    let mut long = ZSTD.to_vec();
    long[5] = 0x88;
    let rows: [(&str, Option<&str>, Vec<u8>, Value); 11] = [
        ("a file that is padded with zeros", None, [&members[..], &[0; 64]].concat(), json!("gzip")),
        ("a file of pzstd", None, [&skippable[..], ZSTD].concat(), json!("zstd")),
        ("a file with a large window", None, long, json!("zstd")),
        ("a file", None, gzip(text.as_bytes()), json!("gzip")),
        ("a file of several members, as of bgzip", None, members.clone(), json!("gzip")),
        ("a transfer", Some("gzip"), gzip(text.as_bytes()), json!("gzip")),
        ("a transfer by its old name", Some("X-GZip"), members, json!("gzip")),
        ("a file that is compressed for its transfer too", Some("zstd"), ZSTD.to_vec(), json!("zstd")),
        ("a file of another kind", None, ZSTD.to_vec(), json!("zstd")),
        ("two frames", None, [ZSTD, ZSTD].concat(), json!("zstd")),
        ("text", Some("identity"), text.as_bytes().to_vec(), Value::Null),
    ];
    for (what, coding, body, from) in rows {
        let got = put(&server, "/api/v1/texts", coding, body).await;
        assert_eq!(got.status, 201, "{what}: {}", got.json());
        let told = got.json();
        let copies = if what == "two frames" { 2 } else { 1 };
        assert_eq!((&told["bytes"], &told["unpacked_from"]), (&json!(12 * copies), &from), "{what}");
        assert_eq!(told.get("ignored_bytes"), None, "{what}");
        assert_eq!(distance(&server, &told["id"], &text.repeat(copies)).await, 0, "{what}");
    }
    // A compressed file inside a compressed transfer.
    let twice = gzip(&gzip(text.as_bytes()));
    let told = put(&server, "/api/v1/texts", Some("gzip"), twice).await.json();
    assert_eq!((&told["bytes"], &told["unpacked_from"]), (&json!(12), &json!("gzip")));
}

#[tokio::test]
async fn bytes_after_gzip_data_are_ignored_and_reported() {
    let server = Server::start().await;
    let told = put(&server, "/api/v1/texts", None, [&gzip(b"kitten")[..], b"garbage"].concat()).await.json();
    assert_eq!((&told["bytes"], &told["ignored_bytes"]), (&json!(6), &json!(7)));
}

#[tokio::test]
async fn files_without_plain_text_are_refused_with_their_kind() {
    let server = Server::start().await;
    let tar = [&b"notes.txt"[..], &[0; 248], b"ustar\x0000", &[0; 248]].concat();
    let rows: [(&[u8], &str); 6] = [
        (b"\xfd7zXZ\0\0\x04", "is an xz archive and not a plain text. Unpack it first, as with xz -d"),
        (b"BZh91AY&SY\x01", "is a bzip2 archive"),
        (b"PK\x03\x04\x14\0\0\0\x08\0", "is a ZIP archive"),
        (b"%PDF-1.7\n", "is a PDF document and not a plain text. Open it in its program"),
        (b"\x89PNG\r\n\x1a\n", "is a PNG image"),
        (&gzip(&tar), "is gzip, and its content is a tar archive"),
    ];
    for (body, words) in rows {
        let problem = put(&server, "/api/v1/texts", None, body.to_vec()).await.problem(422, "not-text");
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.contains(words) && detail.contains("unpack=never"), "{detail}");
    }
    assert_eq!(stored(&server), (0, 0));
    let kept = put(&server, "/api/v1/texts?unpack=never", None, rows[4].0.to_vec()).await.json();
    assert_eq!(kept["bytes"], rows[4].0.len());
}

#[tokio::test]
async fn compressed_bytes_are_compared_on_request() {
    let server = Server::start().await;
    let packed = gzip(b"kitten");
    let told = put(&server, "/api/v1/texts?unpack=never", None, packed.clone()).await.json();
    assert_eq!((&told["bytes"], told.get("unpacked_from")), (&json!(packed.len()), None));
    let told = put(&server, "/api/v1/texts?unpack=never", Some("gzip"), gzip(&packed)).await.json();
    assert_eq!(
        (&told["bytes"], &told["unpacked_from"]),
        (&json!(packed.len()), &json!("gzip")),
        "the transfer coding is no part of the text"
    );
    put(&server, "/api/v1/texts?unpack=perhaps", None, packed).await.problem(400, "malformed");
}

#[tokio::test]
async fn bytes_that_only_resemble_a_compressed_file_are_kept() {
    let server = Server::start().await;
    for bytes in [&b""[..], b"\x1f", b"\x1f\x8b", b"\x1f\x8b\x07\x00\x00", b"\x28\xb5\x2f", b"\x28\xb5\x2f\xfe"] {
        let told = put(&server, "/api/v1/texts", None, bytes).await.json();
        assert_eq!((&told["bytes"], told.get("unpacked_from")), (&json!(bytes.len()), None), "{bytes:?}");
    }
}

#[tokio::test]
async fn other_codings_are_refused_with_the_known_ones() {
    let server = Server::start().await;
    for coding in ["br", "deflate", "gzip, zstd", "brotli"] {
        let got = put(&server, "/api/v1/texts", Some(coding), "kitten").await;
        assert_eq!(got.header("accept-encoding"), "gzip, zstd", "{coding}");
        assert!(got.problem(415, "unsupported-coding")["detail"].as_str().unwrap().contains("gzip, zstd"), "{coding}");
    }
    let job = gzip(typed("kitten", "sitting").to_string().as_bytes());
    for path in ["/api/v1/jobs", "/api/v1/links", "/api/v1/sealed"] {
        let request = server.web.request(Method::POST, path).header("content-type", "application/json").header("content-encoding", "gzip");
        let got = server.web.send(request.body(job.clone())).await;
        assert_eq!(got.header("accept-encoding"), "identity", "{path}");
        got.problem(415, "unsupported-coding");
    }
    assert_eq!(stored(&server), (0, 0));
}

#[tokio::test]
async fn upload_that_cannot_be_unpacked_is_refused_and_leaves_nothing() {
    let server = Server::start().await;
    let noise: Vec<u8> = (0..100_000u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let whole = gzip(&noise);
    let mut wrong_sum = whole.clone();
    wrong_sum[whole.len() - 6] ^= 1;
    let mut wrong_bits = whole.clone();
    wrong_bits[whole.len() / 2..whole.len() / 2 + 64].fill(0x55);
    let short = |bytes: &[u8], by: usize| bytes[..bytes.len() - by].to_vec();
    let mut large_window = ZSTD.to_vec();
    large_window[5] = 0x90;
    let (cut_off, damaged, sum) = ("ends before it is whole", "damaged", "checksum does not match");
    let rows = [
        (short(&whole, 1), cut_off),
        (short(&whole, 9), cut_off),
        (short(&whole, whole.len() / 2), cut_off),
        (whole[..3].to_vec(), cut_off),
        (wrong_sum, sum),
        (wrong_bits, damaged),
        (short(ZSTD, 1), cut_off),
        (short(ZSTD, 5), cut_off),
        ([ZSTD, b"more"].concat(), "bytes that are no zstd follow"),
        (large_window, "window of 256 MiB, and the limit is 128 MiB"),
    ];
    let mut kept = 0;
    for (row, (body, reason)) in rows.into_iter().enumerate() {
        for coding in [None, Some(if body[0] == 0x1f { "gzip" } else { "zstd" })] {
            let problem = put(&server, "/api/v1/texts", coding, body.clone()).await.problem(422, "bad-input");
            let detail = problem["detail"].as_str().unwrap();
            assert!(detail.contains("cannot be unpacked") && detail.contains(reason), "row {row}: {detail}");
            assert_eq!(detail.contains("unpack=never"), coding.is_none(), "row {row}: {detail}");
        }
        kept += body.len() as u64;
        put(&server, "/api/v1/texts?unpack=never", None, body).await;
    }
    put(&server, "/api/v1/texts", Some("gzip"), "no gzip at all").await.problem(422, "bad-input");
    assert_eq!(stored(&server), (kept, 0), "only uploads with unpack=never are stored");
}

/// One megabyte that expands to a gigabyte of zeros.
#[tokio::test]
async fn decompression_bomb_is_refused_by_the_upload_limit() {
    let server = Server::with(&[("EDITSCOPE_MAX_UPLOAD_BYTES", "2000000")]).await;
    let mebibyte = gzip(&vec![0; 1 << 20]);
    let bomb = mebibyte.repeat(1024);
    assert!(bomb.len() < 2_000_000);
    for coding in [None, Some("gzip")] {
        assert_eq!(put(&server, "/api/v1/texts", coding, bomb.clone()).await.problem(413, "upload-too-large")["limit"], 2_000_000);
    }
    // An endless upload of gzip members without content.
    let nothing = futures::stream::repeat_with(|| Ok::<_, std::io::Error>(gzip(b"").repeat(1000)));
    assert_eq!(put(&server, "/api/v1/texts", None, Body::wrap_stream(nothing)).await.problem(413, "upload-too-large")["limit"], 2_000_000);
    assert_eq!(stored(&server), (0, 0));
    let just = gzip(&vec![b'a'; 2_000_000]);
    assert_eq!(put(&server, "/api/v1/texts", None, just).await.json()["bytes"], 2_000_000);
}
