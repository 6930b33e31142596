//! Many clients at once: whom a server answers first, and whom it refuses.

use std::time::{Duration, Instant};

use kernels::engine::{Cpu, Engine};
use kernels::job::{Options, Task};
use kernels::plan::{EngineName, Limits, Offer, Place, Rate};
use kernels::run::{Halt, Run};
use kernels::task::Solution;
use kernels::text::Pair;
use reqwest::Method;
use serde_json::{Value, json};
use server::engines::{Compute, Engines};

use crate::client::{Got, Server, typed};

/// The processor, but a text with a `z` keeps it until it is stopped.
#[derive(Debug)]
struct Patient(Engine);

impl Compute for Patient {
    fn name(&self) -> EngineName {
        EngineName::Cpu
    }

    fn run(&self, task: Task, options: &Options, pair: &Pair, run: &Run) -> Result<Solution, Halt> {
        while pair.b.bytes().contains(&b'z') {
            run.tick(0)?;
            std::thread::sleep(Duration::from_millis(5));
        }
        self.0.run(task, options, pair, run)
    }

    fn is_gone(&self) -> bool {
        false
    }
}

/// Symbols of an exact search that [`server`] believes to look at in a second.
const SYMBOLS_PER_SECOND: f64 = 1000.0;

/// A server with a patient engine.
pub(crate) async fn server(variables: &[(&str, &str)]) -> Server {
    let rate = |task| Rate { task, cells_per_second: if task == Task::ExactSearch { SYMBOLS_PER_SECOND } else { 1e9 } };
    let offer = Offer {
        engine: EngineName::Cpu,
        place: Place::Server,
        device: "a device".into(),
        tasks: Task::ALL.map(rate).to_vec(),
        start_ms: 0.0,
        bytes_per_second: 1e9,
        limits: Limits::NONE,
        version: String::new(),
    };
    let engines = Engines::new(vec![Box::new(Patient(Engine::Cpu(Cpu::all_cores())))], vec![offer]);
    Server::with_engines_and(engines, variables).await
}

/// A job that is expected to take so many seconds and takes until it is stopped.
pub(crate) fn endless(seconds: f64) -> Value {
    let symbols = (seconds * SYMBOLS_PER_SECOND) as usize;
    json!({ "task": "exact-search", "a": { "text": "z" }, "b": { "text": "z".repeat(symbols - 1) } })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_class_is_answered_beside_a_large_job() {
    let server = server(&[]).await;
    let large = server.web.submit(&endless(600.0)).await;
    server.web.wait_for(&large, "running").await;
    let begun = Instant::now();
    let phones: Vec<_> = (0..200)
        .map(|number| {
            let (web, b) = (server.web.clone(), format!("sitting{number}"));
            tokio::spawn(async move { web.post("/api/v1/jobs?wait=20", &typed("kitten", &b)).await })
        })
        .collect();
    for phone in phones {
        let got = phone.await.unwrap();
        assert_eq!(got.status, 200, "after {:?}: {}", begun.elapsed(), got.text);
        assert_eq!(got.json()["state"], "succeeded");
    }
    assert_eq!(server.web.get(&format!("/api/v1/jobs/{large}")).await.json()["state"], "running");
    server.web.delete(&format!("/api/v1/jobs/{large}")).await;
}

/// Somebody behind a proxy on this machine.
async fn as_client(server: &Server, address: &str, method: Method, path: &str, body: String) -> Got {
    server.web.send(server.web.request(method, path).header("x-forwarded-for", address).body(body)).await
}

#[tokio::test]
async fn what_one_client_has_used_up_others_have_still() {
    const CLASS: &str = "a-class-of-thirty-phones";
    let limits = [("EDITSCOPE_PROXIES", "1"), ("EDITSCOPE_CLASS_TOKENS", CLASS), ("EDITSCOPE_CLIENT_BYTES", "36000")];
    let server = server(&[&limits[..], &[("EDITSCOPE_CLIENT_CELLS", "360"), ("EDITSCOPE_CLIENT_STREAMS", "1")]].concat()).await;
    let upload = async |address: &str, bytes: usize| as_client(&server, address, Method::PUT, "/api/v1/texts", "a".repeat(bytes)).await;
    assert_eq!(upload("203.0.113.1", 30_000).await.status, 201);
    let refused = upload("203.0.113.1", 10_000).await;
    let problem = refused.problem(429, "rate-limited");
    assert_eq!((&problem["limit"], refused.header("retry-after")), (&json!(36_000), "400"), "ten bytes a second come back: {problem}");
    // The last part only is written by the proxy.
    assert_eq!(upload("198.51.100.9, 203.0.113.1", 10_000).await.status, 429);
    assert_eq!(upload("203.0.113.2", 10_000).await.status, 201);
    let classmate = server.web.request(Method::PUT, "/api/v1/texts").header("x-forwarded-for", "203.0.113.1");
    assert_eq!(server.web.send(classmate.header("editscope-class", CLASS).body("a".repeat(30_000))).await.status, 201);

    let word = || json!({ "task": "exact-search", "a": { "text": "a" }, "b": { "text": "a".repeat(199) } }).to_string();
    let submit = async |address: &str| as_client(&server, address, Method::POST, "/api/v1/jobs?wait=5", word()).await;
    let solved = submit("203.0.113.3").await;
    assert_eq!(solved.status, 200, "{}", solved.text);
    submit("203.0.113.3").await.problem(429, "rate-limited");
    assert_eq!(submit("203.0.113.4").await.status, 200);

    let large = server.web.submit(&endless(600.0)).await;
    server.web.wait_for(&large, "running").await;
    let open = || server.web.request(Method::GET, &format!("/api/v1/jobs/{large}/events")).header("x-forwarded-for", "203.0.113.5");
    let first = open().send().await.unwrap();
    assert_eq!(first.status(), 200);
    server.web.send(open()).await.problem(429, "rate-limited");
    drop(first);
    let begun = Instant::now();
    // It is given back when the server sees that nobody listens.
    while open().send().await.unwrap().status() != 200 {
        assert!(begun.elapsed() < Duration::from_secs(20), "the stream was not given back");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    server.web.delete(&format!("/api/v1/jobs/{large}")).await;
}

#[tokio::test]
async fn a_page_keeps_the_token_of_its_class() {
    let server = server(&[("EDITSCOPE_CLASS_TOKENS", "a-class-of-thirty-phones")]).await;
    let page = server.web.get("/limits?class=a-class-of-thirty-phones").await;
    assert!(page.header("set-cookie").starts_with("class=a-class-of-thirty-phones; "), "{:?}", page.headers);
    assert_eq!(server.web.get("/limits?class=another-class-of-phones").await.header("set-cookie"), "");
}
