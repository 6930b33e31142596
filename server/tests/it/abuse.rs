//! Abusive clients: a client that breaks the rules must not disturb the others.

use std::net::IpAddr;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use kernels::run::Run;
use reqwest::Method;
use serde_json::json;
use server::clients::budgets::RequestPayer;
use server::error::{ApiProblem, ProblemKind};
use server::identity::ClientIdentity;
use server::results::ResultReader;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};

use crate::client::{Server, job};
use crate::clients;

/// Sends a request on a new connection and reads nothing of the answer.
async fn unread(server: &Server, request: &str) -> TcpStream {
    let address = server.web.base.strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(format!("{request}\r\nHost: {address}\r\n\r\n").as_bytes()).await.unwrap();
    stream
}

/// Reads a connection to its end. Returns `None` if that takes longer than `most`.
async fn read_to_end(stream: &mut TcpStream, most: Duration) -> Option<Vec<u8>> {
    let mut all = Vec::new();
    timeout(most, stream.read_to_end(&mut all)).await.ok().map(|_| all)
}

/// Solves a job with an export of 70 MB and returns the address of the job.
async fn large_result(server: &Server) -> String {
    let upload = server.web.upload(vec![b'a'; 4_000_000]).await;
    let search = json!({ "task": "exact-search", "a": { "text": "a" }, "b": { "upload": upload } });
    format!("/api/v1/jobs/{}", server.web.solve(&search).await["id"].as_str().unwrap())
}

#[tokio::test]
async fn clients_that_do_not_read_do_not_block_others() {
    let server = Server::start().await;
    let result = large_result(&server).await;
    let mut readers = Vec::new();
    for _ in 0..560 {
        readers.push(unread(&server, &format!("GET {result}/export?format=csv HTTP/1.1")).await);
    }
    sleep(Duration::from_secs(1)).await;
    let others = async {
        let solved = server.web.solve(&job("edit-distance", json!({}), "kitten", "sitting")).await;
        assert_eq!(solved["answer"]["distance"], 3);
        server.web.upload("a text").await;
        assert_eq!(server.web.get("/readyz").await.status, 200);
    };
    timeout(Duration::from_secs(20), others).await.expect("other clients are served");
}

#[tokio::test]
async fn client_that_reads_nothing_loses_its_slot_to_others() {
    let server = Server::with(&[("EDITSCOPE_CLIENT_SECONDS", "3")]).await;
    let result = large_result(&server).await;
    let export = format!("GET {result}/export?format=csv HTTP/1.1");
    let mut readers = Vec::new();
    for _ in 0..40 {
        readers.push(unread(&server, &export).await);
    }
    // Returns the first bytes of the answer to one more export.
    let one_more = async || {
        let mut stream = unread(&server, &export).await;
        let mut begin = vec![0; 1024];
        let read = stream.read(&mut begin).await.unwrap();
        String::from_utf8_lossy(&begin[..read]).into_owned()
    };
    let begun = Instant::now();
    let until = async |status: &str| loop {
        let begin = one_more().await;
        if begin.starts_with(status) {
            return begin;
        }
        assert!(begun.elapsed() < Duration::from_secs(30), "{begin}");
        sleep(Duration::from_millis(50)).await;
    };
    let refused = until("HTTP/1.1 503").await;
    assert!(refused.contains("retry-after: 10") && refused.contains("/problems/not-ready"), "{refused}");
    until("HTTP/1.1 200").await;
    // The exports that were requested meanwhile hold their places until the server sees that their clients are gone.
    let mut got = server.web.get(&format!("{result}/export?format=csv")).await;
    while got.status == 503 && begun.elapsed() < Duration::from_secs(60) {
        sleep(Duration::from_millis(50)).await;
        got = server.web.get(&format!("{result}/export?format=csv")).await;
    }
    assert_eq!((got.status, got.text.lines().count()), (200, 4_000_001));
}

/// One client gets at most 8 of the 32 places.
#[tokio::test]
async fn client_that_reads_no_files_leaves_export_slots_to_others() {
    let server = Server::with(&[("EDITSCOPE_PROXIES", "1")]).await;
    let result = large_result(&server).await;
    let export = |address: u8| format!("GET {result}/export?format=csv HTTP/1.1\r\nX-Forwarded-For: 203.0.113.{address}");
    let begin = async |stream: &mut TcpStream| {
        let mut begin = vec![0; 1024];
        let read = stream.read(&mut begin).await.unwrap();
        String::from_utf8_lossy(&begin[..read]).into_owned()
    };
    let mut readers = Vec::new();
    for _ in 0..8 {
        readers.push(unread(&server, &export(1)).await);
        assert!(begin(readers.last_mut().unwrap()).await.starts_with("HTTP/1.1 200"));
    }
    for _ in 8..40 {
        let mut reader = unread(&server, &export(1)).await;
        let refused = begin(&mut reader).await;
        assert!(refused.starts_with("HTTP/1.1 429") && refused.contains("/problems/rate-limited"), "{refused}");
        readers.push(reader);
    }
    let mut other = unread(&server, &export(2)).await;
    assert!(begin(&mut other).await.starts_with("HTTP/1.1 200"));
    // A place becomes free when the server sees that nobody reads.
    readers.clear();
    let begun = Instant::now();
    while !begin(&mut unread(&server, &export(1)).await).await.starts_with("HTTP/1.1 200") {
        assert!(begun.elapsed() < Duration::from_secs(30), "no slot was released");
        sleep(Duration::from_millis(50)).await;
    }
}

/// Connects from another address of this machine, which acts as another client.
#[cfg(target_os = "linux")]
async fn connect_from(server: &Server, address: [u8; 4]) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind((address, 0).into()).unwrap();
    let to = server.web.base.strip_prefix("http://").unwrap().parse().unwrap();
    timeout(Duration::from_secs(10), socket.connect(to)).await.expect("the connection is accepted").unwrap()
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn client_with_many_connections_leaves_connections_to_others() {
    let server = Server::with(&[("EDITSCOPE_CONNECTIONS", "16")]).await;
    let mut idle = Vec::new();
    for _ in 0..40 {
        idle.push(connect_from(&server, [127, 0, 0, 2]).await);
    }
    // Three eighths of the connections stay; the others get a refusal and are closed.
    for refused in &mut idle[6..] {
        let all = String::from_utf8(read_to_end(refused, Duration::from_secs(10)).await.expect("the connection is closed")).unwrap();
        assert!(all.starts_with("HTTP/1.1 429") && all.contains("\"limit\":6"), "{all}");
    }
    let alive = async |mut stream: TcpStream| {
        stream.write_all(b"GET /livez HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n").await.unwrap();
        let all = read_to_end(&mut stream, Duration::from_secs(10)).await.expect("an answer");
        assert!(all.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&all));
    };
    alive(connect_from(&server, [127, 0, 0, 3]).await).await;
    alive(connect_from(&server, [127, 0, 0, 1]).await).await;
    alive(idle.swap_remove(0)).await;
    let begun = Instant::now();
    loop {
        let mut again = connect_from(&server, [127, 0, 0, 2]).await;
        // The server sends nothing on an accepted connection.
        if read_to_end(&mut again, Duration::from_millis(100)).await.is_none() {
            break alive(again).await;
        }
        assert!(begun.elapsed() < Duration::from_secs(20), "no connection was released");
    }
}

#[tokio::test]
async fn silent_connections_are_closed() {
    let server = Server::with(&[("EDITSCOPE_CLIENT_SECONDS", "1")]).await;
    let address = server.web.base.strip_prefix("http://").unwrap();
    for begin in ["", "GET /livez HTTP/1.1\r\nHo"] {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(begin.as_bytes()).await.unwrap();
        assert!(read_to_end(&mut stream, Duration::from_secs(10)).await.is_some(), "after {begin:?}");
    }
}

#[tokio::test]
async fn bodies_sent_byte_by_byte_are_aborted() {
    let server = Server::with(&[("EDITSCOPE_CLIENT_SECONDS", "1")]).await;
    for (method, path) in
        [("POST", "/api/v1/jobs"), ("POST", "/api/v1/links"), ("POST", "/api/v1/sealed?lifetime=1h"), ("PUT", "/api/v1/texts")]
    {
        let mut stream = unread(&server, &format!("{method} {path} HTTP/1.1\r\nContent-Length: 1000")).await;
        let (mut answer, mut sender) = stream.split();
        let send = async {
            for _ in 0..100 {
                if sender.write_all(b"a").await.is_err() {
                    break;
                }
                sleep(Duration::from_millis(100)).await;
            }
        };
        let mut got = vec![0; 4096];
        let read =
            tokio::select! { read = answer.read(&mut got) => read.unwrap(), () = send => panic!("{path} accepts bytes for ten seconds") };
        let got = String::from_utf8_lossy(&got[..read]);
        assert!(got.starts_with("HTTP/1.1 4") && got.contains("application/problem+json"), "{path}: {got}");
    }
}

/// Runs a query that takes the maximum time of queries.
async fn endless_look(results: ResultReader) -> Result<(), ApiProblem> {
    let until_stopped = |run: &Run<'_>| {
        while run.tick(0).is_ok() {
            std::thread::sleep(Duration::from_millis(5));
        }
        Err(ApiProblem::not_found("end"))
    };
    results.run_query(until_stopped).await
}

/// Jobs are read and planned beside queries that take their maximum time.
#[tokio::test]
async fn result_queries_do_not_delay_new_jobs() {
    let server = Server::with(&[("EDITSCOPE_LOOK_SECONDS", "4")]).await;
    let looks: Vec<_> = (0..3).map(|_| tokio::spawn(endless_look(server.state.results.clone()))).collect();
    sleep(Duration::from_millis(100)).await;
    let solved = timeout(Duration::from_millis(3500), server.web.solve(&job("edit-distance", json!({}), "kitten", "sitting"))).await;
    assert_eq!(solved.expect("the job is solved at once")["answer"]["distance"], 3);
    for look in looks {
        let ended = timeout(Duration::from_secs(20), look).await.expect("a query ends in time").unwrap();
        assert!(ended.is_err());
    }
}

/// Starts `count` concurrent requests of a client at `address`.
fn at_once<F: Future<Output = Result<(), ApiProblem>> + Send + 'static>(
    server: &Server,
    address: &str,
    count: usize,
    one: impl Fn(ResultReader) -> F,
) -> Vec<JoinHandle<F::Output>> {
    let client = ClientIdentity::Network(address.parse::<IpAddr>().unwrap().into());
    let ask = || tokio::spawn(RequestPayer::run_as_payer(server.state.budgets.clone(), client, one(server.state.results.clone())));
    (0..count).map(|_| ask()).collect()
}

/// Sends a request of the client at `address` behind the proxy.
async fn get_at(server: &Server, address: &str, path: &str) -> crate::client::Got {
    server.web.send(server.web.request(Method::GET, path).header("x-forwarded-for", address)).await
}

/// Forty long queries of one client do not delay the query of another client.
#[tokio::test]
async fn queries_of_one_client_do_not_delay_other_clients() {
    let server = Server::with(&[("EDITSCOPE_LOOK_SECONDS", "4"), ("EDITSCOPE_PROXIES", "1")]).await;
    let solved = server.web.solve(&job("edit-distance", json!({ "alignment": true }), "kitten", "sitting")).await;
    let alignment = format!("/api/v1/jobs/{}/alignment", solved["id"].as_str().unwrap());
    let looks = at_once(&server, "203.0.113.1", 40, endless_look);
    sleep(Duration::from_millis(100)).await;
    for _ in 0..3 {
        let got =
            timeout(Duration::from_millis(3500), get_at(&server, "203.0.113.2", &alignment)).await.expect("the query is answered at once");
        assert_eq!(got.status, 200, "{}", got.text);
    }
    let mut refused = 0;
    for look in looks {
        let ended = timeout(Duration::from_secs(20), look).await.expect("a query ends in time").unwrap();
        refused += usize::from(ended.unwrap_err().kind == ProblemKind::NotReady);
    }
    assert!((30..40).contains(&refused), "{refused} queries were refused after the maximum wait");
}

/// Creates a read that takes `seconds` seconds.
fn slow(seconds: u64) -> impl Fn(ResultReader) -> BoxFuture<'static, Result<(), ApiProblem>> {
    let read = move || {
        std::thread::sleep(Duration::from_secs(seconds));
        Ok(())
    };
    move |results| async move { results.work(read).await }.boxed()
}

/// Reading of result files is also granted in turn over clients, and does not delay jobs, whose texts are read
/// separately.
#[tokio::test]
async fn reads_for_one_client_do_not_delay_other_clients() {
    let server = Server::with(&[("EDITSCOPE_CACHE_BYTES", "0"), ("EDITSCOPE_PROXIES", "1")]).await;
    let upload = server.web.upload("ACGT".repeat(5 << 20)).await;
    let solved = server.web.solve(&job("edit-distance", json!({ "alignment": true }), "kitten", "sitting")).await;
    let readers = at_once(&server, "203.0.113.1", 40, slow(3));
    sleep(Duration::from_millis(100)).await;
    let others = async {
        let alignment = get_at(&server, "203.0.113.2", &format!("/api/v1/jobs/{}/alignment", solved["id"].as_str().unwrap())).await;
        assert_eq!(alignment.status, 200, "{}", alignment.text);
        let search =
            json!({ "task": "exact-search", "options": { "count_only": true }, "a": { "text": "GTAC" }, "b": { "upload": upload } });
        let job = server.web.request(Method::POST, "/api/v1/jobs").header("x-forwarded-for", "203.0.113.1").body(search.to_string());
        server.web.send(job).await
    };
    let taken = timeout(Duration::from_secs(15), others).await.expect("other clients do not wait");
    assert_eq!(taken.status, 202, "{}", taken.text);
    readers.iter().for_each(JoinHandle::abort);
}

#[tokio::test]
async fn query_that_waits_too_long_for_a_read_is_refused() {
    let server = Server::with(&[("EDITSCOPE_LOOK_SECONDS", "1")]).await;
    let mut read = Vec::new();
    for reader in at_once(&server, "203.0.113.1", 3, slow(3)) {
        read.push(reader.await.unwrap().map_err(|problem| problem.kind));
    }
    assert_eq!(read, [Ok(()), Ok(()), Err(ProblemKind::NotReady)], "two reads run at a time");
}

#[tokio::test]
async fn texts_parsed_for_queries_are_charged() {
    // Parsed texts are not cached.
    let limits = [("EDITSCOPE_CACHE_BYTES", "0"), ("EDITSCOPE_CLIENT_BYTES", "36000"), ("EDITSCOPE_PROXIES", "1")];
    let server = Server::with(&limits).await;
    let upload = server.web.upload(format!(">one\n{}\n", "ACGT".repeat(4_000))).await;
    let search = json!({ "task": "exact-search", "a": { "text": "GTAC" }, "b": { "upload": upload } });
    let solved = server.web.solve(&search).await;
    let records = format!("/api/v1/jobs/{}/records", solved["id"].as_str().unwrap());
    for _ in 0..3 {
        assert_eq!(get_at(&server, "203.0.113.1", &records).await.status, 200);
    }
    let refused = get_at(&server, "203.0.113.1", &records).await;
    assert_eq!(refused.problem(429, "rate-limited")["limit"], 36_000);
    assert_eq!(get_at(&server, "203.0.113.2", &records).await.status, 200);
    assert_eq!(get_at(&server, "203.0.113.1", records.trim_end_matches("/records")).await.status, 200, "the snapshot needs no read");
}

#[tokio::test]
async fn computed_hit_files_are_charged() {
    let server = Server::with(&[("EDITSCOPE_CLIENT_CELLS", "3600"), ("EDITSCOPE_PROXIES", "1")]).await;
    let search = job("approximate-search", json!({ "max_distance": 2 }), "kitten", &"kitten sitting ".repeat(20));
    let solved = server.web.solve(&search).await;
    let export = format!("/api/v1/jobs/{}/export?format=csv", solved["id"].as_str().unwrap());
    let mut statuses = Vec::new();
    for _ in 0..20 {
        statuses.push(get_at(&server, "203.0.113.1", &export).await.status);
    }
    assert_eq!((statuses[0], statuses[19]), (200, 429), "{statuses:?}");
    assert_eq!(get_at(&server, "203.0.113.2", &export).await.status, 200);
}

#[tokio::test]
async fn whole_texts_are_streamed_from_the_disk() {
    let server = Server::start().await;
    let upload = server.web.upload(vec![b'a'; 64 << 20]).await;
    let search = json!({ "task": "exact-search", "options": { "count_only": true }, "a": { "text": "b" }, "b": { "upload": upload } });
    let id = server.web.solve(&search).await["id"].as_str().unwrap().to_owned();
    let resident = || {
        let pages: u64 = std::fs::read_to_string("/proc/self/statm").unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        pages * 4096
    };
    let before = resident();
    let mut readers = Vec::new();
    for _ in 0..24 {
        readers.push(unread(&server, &format!("GET /api/v1/jobs/{id}/texts/b/file HTTP/1.1")).await);
    }
    sleep(Duration::from_secs(2)).await;
    let more = resident().saturating_sub(before);
    // Other tests of this process use memory, too.
    assert!(more < 800 << 20, "{more} more bytes for clients that read nothing");
}

#[tokio::test]
async fn headers_of_megabytes_are_truncated() {
    let server = Server::start().await;
    let text = format!(">{}\nACGT\n>{}\nACGA\n", "x".repeat(2_000_000), "y".repeat(1_000_000));
    let upload = server.web.upload(text).await;
    let search = json!({ "task": "exact-search", "a": { "text": "ACG" }, "b": { "upload": upload } });
    let solved = server.web.solve(&search).await;
    let path = format!("/api/v1/jobs/{}", solved["id"].as_str().unwrap());
    for page in ["", "/records", "/hits", "/hits?context=10", "/export?format=json", "/export?format=csv", "/export?format=text"] {
        let got = server.web.get(&format!("{path}{page}")).await;
        assert!(got.status == 200 && got.text.len() < 20_000, "{page}: {} with {} bytes", got.status, got.text.len());
    }
    let one = server.web.upload(format!(">{}\nACGT\n", "x".repeat(2_000_000))).await;
    let same = json!({ "task": "edit-distance", "a": { "upload": one }, "b": { "upload": one } });
    let solved = server.web.solve(&same).await;
    for page in ["", "/export?format=text", "/export?format=sam", "/export?format=fasta", "/export?format=vcf"] {
        let got = server.web.get(&format!("/api/v1/jobs/{}{page}", solved["id"].as_str().unwrap())).await;
        assert!(got.status == 200 && got.text.len() < 20_000, "one record: {} with {} bytes", got.status, got.text.len());
    }
}

#[tokio::test]
async fn units_of_megabytes_are_truncated() {
    let server = Server::start().await;
    let [a, b] = ["\u{1}", "\u{2}"].map(|letter| letter.repeat(2_000_000));
    let (a, b) = (server.web.upload(a).await, server.web.upload(b).await);
    let lines = json!({ "task": "edit-distance", "options": { "unit": "lines" }, "a": { "upload": a }, "b": { "upload": b } });
    let solved = server.web.solve(&lines).await;
    assert_eq!(solved["answer"]["distance"], 1);
    let path = format!("/api/v1/jobs/{}", solved["id"].as_str().unwrap());
    for page in ["/alignment", "/matrix", "/dots?k=1"] {
        let got = server.web.get(&format!("{path}{page}")).await;
        assert!(got.text.len() < 100_000, "{page}: {} with {} bytes", got.status, got.text.len());
    }
}

/// 20,000 lines are each short enough to be shown whole. Together they make a window of 20 MB per text, or 120 MB of
/// control characters in JSON.
#[tokio::test]
async fn windows_of_many_long_lines_are_bounded() {
    let server = Server::start().await;
    let line = |end: &str| format!("{}{end}\n", "\u{1}".repeat(900));
    let [a, b] = ["a", "b"].map(|end| (0..20_000).map(|at| line(if at % 2 == 0 { "" } else { end })).collect::<String>());
    let found = format!("{}two\n{}", line("").repeat(10_000), line("").repeat(10_000));
    let [a, b, found] = [server.web.upload(a).await, server.web.upload(b).await, server.web.upload(found).await];
    let lines = json!({ "unit": "lines" });
    let job = |task: &str, a: serde_json::Value, b: &str| json!({ "task": task, "options": lines, "a": a, "b": { "upload": b } });
    let aligned = server.web.solve(&job("edit-distance", json!({ "upload": a }), &b)).await;
    let hits = server.web.solve(&job("exact-search", json!({ "text": "two\n" }), &found)).await;
    assert_eq!((&aligned["answer"]["distance"], &hits["answer"]["total"]), (&json!(10_000), &json!(1)));
    for (job, page) in [(&aligned, "/alignment"), (&aligned, "/editions?len=500"), (&hits, "/hits?context=10000"), (&aligned, "/texts/a")] {
        let path = format!("/api/v1/jobs/{}{page}", job["id"].as_str().unwrap());
        let got = server.web.get(&path).await;
        assert_eq!(got.status, 200, "{page}: {}", &got.text[..got.text.len().min(1000)]);
        // 2 MiB of each text, at six bytes of JSON per control character.
        assert!(got.text.len() < 6 * (4 << 20) + (1 << 20), "{page}: {} bytes", got.text.len());
    }
    let window = server.web.get(&format!("/api/v1/jobs/{}/alignment", aligned["id"].as_str().unwrap())).await.json();
    assert_eq!((&window["len"], window["a"].as_array().unwrap().len()), (&json!(20_000), 20_000), "no column is left out");
}

/// A full queue refuses before anything is read, so that a refusal costs nothing.
#[tokio::test]
async fn full_queue_refuses_jobs_at_once() {
    // The queue has no room at all.
    let nothing = [("EDITSCOPE_QUEUE_SECONDS", "0"), ("EDITSCOPE_RUNNING_CPU_BRIEF", "1"), ("EDITSCOPE_JOB_SECONDS", "1e6")];
    let server = clients::server(&nothing).await;
    let large = server.web.submit(&clients::endless(2.0)).await;
    server.web.wait_for(&large, "running").await;
    let refused = server.web.post("/api/v1/jobs", &clients::endless(2.0)).await;
    refused.problem(429, "queue-full");
    let known = server.web.post("/api/v1/jobs", &json!({ "task": "no such task" })).await;
    known.problem(422, "unknown-task");
    // Once the place for brief jobs is taken, no job could be accepted.
    let brief = server.web.submit(&clients::endless(0.1)).await;
    server.web.wait_for(&brief, "running").await;
    let refused = server.web.post("/api/v1/jobs", &json!({ "task": "no such task" })).await;
    let problem = refused.problem(429, "queue-full");
    assert!(problem["detail"].as_str().unwrap().contains("waiting"), "{problem}");
    for id in [brief, large] {
        server.web.delete(&format!("/api/v1/jobs/{id}")).await;
    }
}

#[tokio::test]
async fn errors_of_every_route_are_problem_documents() {
    let server = Server::with(&[("EDITSCOPE_MAX_BODY_BYTES", "1000")]).await;
    let large = json!({ "job": "x".repeat(2000), "lifetime": "1h" });
    server.web.post("/api/v1/links", &large).await.problem(413, "upload-too-large");
    server.web.get("/how?language=de&language=ja").await.problem(400, "malformed");
}
