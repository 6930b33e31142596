//! Operation of a server: metrics on their own listener, logs without visitors' data, each part of `/readyz`, and the
//! headers of every answer.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use kernels::failure::JobFailure;
use kernels::job::{JobOptions, Task};
use kernels::plan::{EngineLimits, EngineName, EnginePlace, PlannerOffer, TaskRate};
use kernels::run::{Halt, Run};
use kernels::task::Solution;
use kernels::text::Pair;
use reqwest::Method;
use serde_json::{Value, json};
use server::engines::{ComputeEngine, EnginePool};

use crate::client::{Server, Web, job, site};
use crate::clients;

/// The real program, with its log so far.
struct Program {
    child: Child,
    lines: Arc<Mutex<Vec<String>>>,
}

impl Program {
    fn start(folder: &Path) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_editscope"))
            .env("EDITSCOPE_ADDR", "127.0.0.1:0")
            .env("EDITSCOPE_METRICS_ADDRESS", "127.0.0.1:0")
            .env("EDITSCOPE_LOG_FORMAT", "json")
            .env("EDITSCOPE_ENGINES", "cpu")
            .env("EDITSCOPE_JOB_SECONDS", "1e6")
            .env("EDITSCOPE_DATA", folder.join("data"))
            .env("EDITSCOPE_SITE", site(folder).root)
            .env("RUST_LOG", "info,server=trace,tower_http=trace")
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (lines, pipe) = (Arc::<Mutex<Vec<String>>>::default(), BufReader::new(child.stderr.take().unwrap()));
        let kept = lines.clone();
        std::thread::spawn(move || pipe.lines().map_while(Result::ok).for_each(|line| kept.lock().unwrap().push(line)));
        Self { child, lines }
    }

    fn lines(&self) -> Vec<String> {
        self.lines.lock().unwrap().clone()
    }

    /// Waits for a log line with `words` and returns the address that follows them.
    fn address(&self, words: &str) -> String {
        let start = Instant::now();
        loop {
            let lines = self.lines();
            let message = lines.iter().find_map(|line| Some(line.split_once(words)?.1.split('"').next()?.to_owned()));
            if let Some(address) = message {
                return address.trim_end_matches("/metrics").to_owned();
            }
            assert!(start.elapsed() < Duration::from_secs(60), "no {words}: {lines:?}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Parses Prometheus' text format into samples by name and labels. Panics if the format is invalid: a sample without a
/// type, an invalid name or an invalid number.
fn samples(text: &str) -> BTreeMap<String, f64> {
    let (mut types, mut samples) = (BTreeMap::new(), BTreeMap::new());
    for line in text.lines().filter(|line| !line.is_empty()) {
        if let Some(comment) = line.strip_prefix("# ") {
            let (kind, rest) = comment.split_once(' ').unwrap();
            assert!(matches!(kind, "TYPE" | "HELP"), "{line}");
            if kind == "TYPE" {
                let (name, of) = rest.split_once(' ').unwrap();
                assert!(matches!(of, "counter" | "gauge" | "histogram"), "{line}");
                assert!(types.insert(name.to_owned(), of.to_owned()).is_none(), "two types: {line}");
            }
            continue;
        }
        let (series, value) = line.rsplit_once(' ').unwrap();
        let value: f64 = value.parse().unwrap_or_else(|_| panic!("no number: {line}"));
        let name = series.split('{').next().unwrap();
        assert!(name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'), "{line}");
        let base = ["_bucket", "_sum", "_count"].iter().find_map(|end| name.strip_suffix(end).filter(|base| types.contains_key(*base)));
        assert!(types.contains_key(base.unwrap_or(name)), "no type: {line}");
        if let Some(labels) = series.strip_prefix(name).filter(|labels| !labels.is_empty()) {
            let labels = labels.strip_prefix('{').and_then(|labels| labels.strip_suffix('}')).unwrap_or_else(|| panic!("{line}"));
            for label in labels.split("\",") {
                let (label, value) = label.split_once("=\"").unwrap_or_else(|| panic!("{line}"));
                assert!(label.bytes().all(|byte| byte.is_ascii_lowercase()) && !value.trim_end_matches('"').contains('"'), "{line}");
            }
        }
        assert!(samples.insert(series.to_owned(), value).is_none(), "twice: {line}");
    }
    samples
}

/// Sums all samples of a metric that have all of these labels.
fn sum(samples: &BTreeMap<String, f64>, name: &str, labels: &[&str]) -> f64 {
    let of_name = |series: &str| series.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('{'));
    samples.iter().filter(|(series, _)| of_name(series) && labels.iter().all(|label| series.contains(label))).map(|(_, value)| value).sum()
}

const SECRET: &str = "flibbertigibbet";

/// The texts, ids, tokens and queries of this session must not appear in any log line or label.
#[tokio::test]
async fn metrics_and_logs_contain_nothing_of_a_visitor() {
    let folder = tempfile::tempdir().unwrap();
    let program = Program::start(folder.path());
    let web = Web::new(&program.address("listening on "));
    let metrics = Web::new(&program.address("metrics on "));
    let upload = web.upload(format!(">{SECRET}-header\n{SECRET}ACGT")).await;
    let request = json!({ "task": "edit-distance", "a": { "upload": upload }, "b": { "text": format!("{SECRET} b") } });
    let solved = web.solve(&request).await;
    let id = solved["id"].as_str().unwrap().to_owned();
    let stream = web.events(&format!("/api/v1/jobs/{id}/events")).await;
    let events = stream.all().await;
    let link = web.post("/api/v1/links", &json!({ "job": id, "lifetime": "1d" })).await.json();
    let (link_id, token) = (link["url"].as_str().unwrap().rsplit('/').next().unwrap().to_owned(), link["delete_token"].as_str().unwrap());
    for path in [
        format!("/api/v1/jobs/{id}/alignment?from=0&len=5"),
        format!("/api/v1/links/{link_id}/export?format=cigar"),
        format!("/r/{link_id}"),
        format!("/api/v1/jobs/{id}/hits?context={SECRET}"),
        format!("/{SECRET}?q={SECRET}"),
        format!("/api/{SECRET}"),
        "/readyz".into(),
    ] {
        let got = web.get(&path).await;
        assert_eq!(got.header("x-request-id").len(), 26, "{path}");
    }
    web.send(web.request(Method::from_bytes(SECRET.as_bytes()).unwrap(), "/api/v1/jobs")).await;
    web.send(web.request(Method::POST, "/api/v1/jobs").body(format!("{{\"task\": \"{SECRET}\"}}"))).await.problem(422, "unknown-task");
    let refused = web.get("/api/v1/jobs/kitten").await;
    assert_eq!(refused.problem(404, "not-found")["request_id"], refused.header("x-request-id"));

    let text = metrics.get("/metrics").await;
    assert_eq!((text.status, text.header("content-type")), (200, "text/plain; version=0.0.4; charset=utf-8"));
    let samples = samples(&text.text);
    let rows: [(&str, &[&str], f64); 8] = [
        ("editscope_requests_total", &["method=\"PUT\"", "route=\"/api/v1/texts\"", "status=\"201\""], 1.0),
        ("editscope_requests_total", &["route=\"/api/v1/jobs/{id}/alignment\""], 1.0),
        ("editscope_request_seconds_count", &["route=\"/r/{id}\""], 1.0),
        ("editscope_jobs_total", &["task=\"edit-distance\"", "engine=\"cpu\"", "state=\"succeeded\""], 1.0),
        ("editscope_job_seconds_count", &["engine=\"cpu\""], 1.0),
        ("editscope_job_wait_seconds_count", &["engine=\"cpu\""], 1.0),
        ("editscope_jobs_running", &[], 0.0),
        ("editscope_event_streams_open", &[], 0.0),
    ];
    for (name, labels, expected) in rows {
        assert_eq!(sum(&samples, name, labels), expected, "{name} {labels:?}: {}", text.text);
    }
    let positive = ["editscope_cells_total", "editscope_refusals_total", "editscope_store_bytes", "editscope_connections_open"];
    for name in positive.iter().chain(&["editscope_job_stage_seconds_count", "editscope_disk_free_bytes", "editscope_engine_offered"]) {
        assert!(sum(&samples, name, &[]) > 0.0, "{name}: {}", text.text);
    }
    assert_eq!(sum(&samples, "editscope_store_bytes_limit", &[]), (20_u64 << 30) as f64);
    metrics.get("/api/v1/engines").await.problem(404, "not-found");
    assert!(!web.get("/metrics").await.text.contains("editscope_requests_total"), "the public port has no metrics");

    // The last line is written after its answer has been sent.
    tokio::time::sleep(Duration::from_millis(200)).await;
    let lines = program.lines();
    let rows: Vec<Value> = lines.iter().map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("no JSON: {line}"))).collect();
    let answered: Vec<&Value> = rows.iter().filter(|row| row["message"] == "answered").collect();
    let of_route = |route: &str| answered.iter().filter(|row| row["span"]["route"] == route).count();
    assert_eq!((of_route("/api/v1/texts"), of_route("/api/v1/jobs/{id}/alignment"), of_route("/r/{id}")), (1, 1, 1), "{lines:#?}");
    assert!(
        answered.iter().all(|row| row["ms"].is_number() && row["status"].is_number() && row["span"]["id"].is_string()),
        "{answered:#?}"
    );
    let b = events.last().unwrap().data.to_string();
    assert!(b.contains("answer"), "{b}");
    for told in [&lines.join("\n"), &text.text] {
        for secret in [SECRET, &id, &link_id, token, &upload, "context=", "format=cigar"] {
            assert!(!told.contains(secret), "{secret} was logged: {told}");
        }
    }
}

/// An engine that always fails.
#[derive(Debug)]
struct Broken;

impl ComputeEngine for Broken {
    fn name(&self) -> EngineName {
        EngineName::Cpu
    }

    fn run(&self, _: Task, _: &JobOptions, _: &Pair, _: &Run) -> Result<Solution, Halt> {
        Err(Halt::Failed(JobFailure::engine("broken")))
    }

    fn is_gone(&self) -> bool {
        false
    }
}

fn offer() -> PlannerOffer {
    PlannerOffer {
        engine: EngineName::Cpu,
        place: EnginePlace::Server,
        device: "a device".into(),
        tasks: Task::ALL.map(|task| TaskRate { task, cells_per_second: 1e9 }).to_vec(),
        start_ms: 0.0,
        bytes_per_second: 1e9,
        limits: EngineLimits::NONE,
        version: String::new(),
    }
}

/// Asserts that `/readyz` reports exactly this part as not ready.
async fn not_ready(web: &Web, part: &str) {
    let problem = web.get("/readyz").await.problem(503, "not-ready");
    let detail = problem["detail"].as_str().unwrap().to_owned();
    let parts = detail.strip_prefix("The server is not ready. ").unwrap_or_else(|| panic!("{detail}"));
    for named in parts.trim_end_matches('.').split("; ") {
        let (name, state) = named.split_once(": ").unwrap_or_else(|| panic!("{detail}"));
        assert_eq!(state == "ok", name != part, "{detail}");
    }
}

#[tokio::test]
async fn readiness_names_the_failing_part() {
    let server = Server::start().await;
    let ready = server.web.get("/readyz").await.json();
    assert_eq!(ready["parts"], json!({ "store": "ok", "disk": "ok", "queue": "ok", "engines": "ok" }), "{ready}");
    std::fs::remove_dir_all(server.state.config.data.join("unfinished")).unwrap();
    not_ready(&server.web, "store").await;

    let busy = clients::server(&[("EDITSCOPE_QUEUE_SECONDS", "0"), ("EDITSCOPE_RUNNING_CPU_BRIEF", "1")]).await;
    // Starts one job in each queue, and no more may wait.
    for seconds in [2.0, 0.1] {
        let id = busy.web.submit(&clients::endless(seconds)).await;
        busy.web.wait_for(&id, "running").await;
    }
    not_ready(&busy.web, "queue").await;

    let full_disk = Server::with(&[("EDITSCOPE_MIN_FREE_BYTES", "1e18")]).await;
    not_ready(&full_disk.web, "disk").await;

    let broken = Server::with_engines(EnginePool::new(vec![Box::new(Broken)], vec![offer()])).await;
    not_ready(&broken.web, "engines").await;
    let none = Server::with_engines(EnginePool::new(Vec::new(), Vec::new())).await;
    not_ready(&none.web, "engines").await;
}

#[tokio::test]
async fn every_answer_has_security_headers() {
    let server = Server::start().await;
    std::fs::write(server.site().join("pkg/0/app.js"), "export {}").unwrap();
    std::fs::write(server.site().join("robots.txt"), "User-agent: *").unwrap();
    let nothing = "/api/v1/jobs/00000000000000000000000000";
    for path in
        ["/", "/pkg/0/app.js", "/robots.txt", "/how", "/how?language=a&language=b", "/livez", "/api/v1/engines", nothing, "/nowhere"]
    {
        let got = server.web.get(path).await;
        for name in ["content-security-policy", "permissions-policy", "cross-origin-opener-policy", "referrer-policy"] {
            assert!(!got.header(name).is_empty(), "{path} lacks {name}");
        }
        assert_eq!(got.header("x-content-type-options"), "nosniff", "{path}");
        assert_eq!(got.headers.get_all("content-security-policy").iter().count(), 1, "{path}");
    }
    // A web worker runs wasm under the policy of its own script.
    let script = server.web.get("/pkg/0/app.js").await;
    assert!(script.header("content-security-policy").contains("'wasm-unsafe-eval'"));
    let solved = server.web.solve(&job("lcs", json!({}), "a", "b")).await;
    assert_eq!(solved["state"], "succeeded");
}
