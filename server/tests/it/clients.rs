//! Many clients at once: fairness and limits.

use std::time::{Duration, Instant};

use kernels::engine::{Cpu, Engine};
use kernels::job::{JobOptions, Task};
use kernels::plan::{EngineLimits, EngineName, EnginePlace, PlannerOffer, TaskRate};
use kernels::run::{Halt, Run};
use kernels::task::Solution;
use kernels::text::Pair;
use reqwest::Method;
use serde_json::{Value, json};
use server::engines::{ComputeEngine, EnginePool};

use crate::client::{Got, Server, typed};

/// An engine that runs until it is stopped if the text has a `z`, and takes 0.3 s if the text has a `y`.
#[derive(Debug)]
struct Patient(Engine);

impl ComputeEngine for Patient {
    fn name(&self) -> EngineName {
        EngineName::Cpu
    }

    fn run(&self, task: Task, options: &JobOptions, pair: &Pair, run: &Run) -> Result<Solution, Halt> {
        while pair.b.bytes().contains(&b'z') {
            run.tick(0)?;
            std::thread::sleep(Duration::from_millis(5));
        }
        if pair.b.bytes().contains(&b'y') {
            std::thread::sleep(Duration::from_millis(300));
        }
        self.0.run(task, options, pair, run)
    }

    fn is_gone(&self) -> bool {
        false
    }
}

/// Rate of exact searches in the offer of [`server`], in symbols per second.
const SYMBOLS_PER_SECOND: f64 = 1000.0;

/// Starts a server with a `Patient` engine.
pub(crate) async fn server(variables: &[(&str, &str)]) -> Server {
    let rate = |task| TaskRate { task, cells_per_second: if task == Task::ExactSearch { SYMBOLS_PER_SECOND } else { 1e9 } };
    let offer = PlannerOffer {
        engine: EngineName::Cpu,
        place: EnginePlace::Server,
        device: "a device".into(),
        tasks: Task::ALL.map(rate).to_vec(),
        start_ms: 0.0,
        bytes_per_second: 1e9,
        limits: EngineLimits::NONE,
        version: String::new(),
    };
    let engines = EnginePool::new(vec![Box::new(Patient(Engine::Cpu(Cpu::all_cores())))], vec![offer]);
    Server::with_engines_and(engines, variables).await
}

/// Creates a job that is expected to take `seconds` seconds and runs until it is stopped.
pub(crate) fn endless(seconds: f64) -> Value {
    let symbols = (seconds * SYMBOLS_PER_SECOND) as usize;
    json!({ "task": "exact-search", "a": { "text": "z" }, "b": { "text": "z".repeat(symbols - 1) } })
}

#[tokio::test(flavor = "multi_thread")]
async fn class_is_served_during_a_large_job() {
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

/// Sends a request of the client at `address`, as a proxy on this machine would.
async fn as_client(server: &Server, address: &str, method: Method, path: &str, body: String) -> Got {
    server.web.send(server.web.request(method, path).header("x-forwarded-for", address).body(body)).await
}

#[tokio::test]
async fn used_up_budget_of_one_client_does_not_affect_others() {
    const CLASS: &str = "a-class-of-thirty-phones";
    let limits = [("EDITSCOPE_PROXIES", "1"), ("EDITSCOPE_CLASS_TOKENS", CLASS), ("EDITSCOPE_CLIENT_BYTES", "36000")];
    let server = server(&[&limits[..], &[("EDITSCOPE_CLIENT_CELLS", "360"), ("EDITSCOPE_CLIENT_STREAMS", "1")]].concat()).await;
    let upload = async |address: &str, bytes: usize| as_client(&server, address, Method::PUT, "/api/v1/texts", "a".repeat(bytes)).await;
    assert_eq!(upload("203.0.113.1", 30_000).await.status, 201);
    let refused = upload("203.0.113.1", 10_000).await;
    let problem = refused.problem(429, "rate-limited");
    assert_eq!(
        (&problem["limit"], refused.header("retry-after")),
        (&json!(36_000), "400"),
        "the budget refills at ten bytes a second: {problem}"
    );
    // Only the last address was written by the proxy.
    assert_eq!(upload("198.51.100.9, 203.0.113.1", 10_000).await.status, 429);
    assert_eq!(upload("203.0.113.2", 10_000).await.status, 201);
    let classmate = server.web.request(Method::PUT, "/api/v1/texts").header("x-forwarded-for", "203.0.113.1");
    assert_eq!(server.web.send(classmate.header("editscope-class", CLASS).body("a".repeat(30_000))).await.status, 201);

    let word = || json!({ "task": "exact-search", "a": { "text": "a" }, "b": { "text": "a".repeat(199) } }).to_string();
    let submit = async |address: &str| as_client(&server, address, Method::POST, "/api/v1/jobs?wait=5&fresh=1", word()).await;
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
    // The stream's place is freed when the server sees that nobody listens.
    while open().send().await.unwrap().status() != 200 {
        assert!(begun.elapsed() < Duration::from_secs(20), "the stream was not released");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    server.web.delete(&format!("/api/v1/jobs/{large}")).await;
}

/// Rows count although they hold no text, because a script can create thousands a second.
#[tokio::test]
async fn rows_count_as_stored_bytes() {
    let server = server(&[("EDITSCOPE_PROXIES", "1"), ("EDITSCOPE_CLIENT_STORED_BYTES", "30000")]).await;
    let post = async |address: &str, path: &str, body: String| as_client(&server, address, Method::POST, path, body).await;
    let word = json!({ "task": "exact-search", "a": { "text": "a" }, "b": { "text": "a" } }).to_string();
    let submit = async |address: &str| post(address, "/api/v1/jobs?wait=5&fresh=1", word.clone()).await;
    let solved = submit("203.0.113.1").await.json();
    let link = json!({ "job": solved["id"], "lifetime": "until-deleted" }).to_string();
    let links = async |address: &str| {
        for made in 0..40 {
            let got = post(address, "/api/v1/links", link.clone()).await;
            if got.status != 201 {
                got.problem(429, "rate-limited");
                return made;
            }
        }
        panic!("no request was refused");
    };
    assert!(links("203.0.113.2").await > 3);
    let mut jobs = 0;
    while submit("203.0.113.3").await.status == 200 {
        jobs += 1;
        assert!(jobs < 40);
    }
    submit("203.0.113.3").await.problem(429, "rate-limited");
    assert!(jobs > 3);
}

#[tokio::test]
async fn repeated_parsing_of_refused_jobs_is_charged() {
    let limits = [("EDITSCOPE_PROXIES", "1"), ("EDITSCOPE_CLIENT_BYTES", "36000"), ("EDITSCOPE_MAX_CELLS_CPU", "41")];
    let server = Server::with(&limits).await;
    let address = "203.0.113.1";
    let text = as_client(&server, address, Method::PUT, "/api/v1/texts", "a".repeat(10_000)).await;
    let text = text.json()["id"].as_str().unwrap().to_owned();
    let job = json!({ "task": "edit-distance", "a": { "upload": text }, "b": { "text": "b" } }).to_string();
    let submit = async |address: &str| as_client(&server, address, Method::POST, "/api/v1/jobs", job.clone()).await;
    for _ in 0..3 {
        submit(address).await.problem(422, "too-large");
    }
    submit(address).await.problem(429, "rate-limited");
    submit("203.0.113.2").await.problem(422, "too-large");
}

#[tokio::test]
async fn page_keeps_the_token_of_its_class() {
    let server = server(&[("EDITSCOPE_CLASS_TOKENS", "a-class-of-thirty-phones")]).await;
    let page = server.web.get("/limits?class=a-class-of-thirty-phones&lang=en").await;
    assert_eq!((page.status, page.header("location")), (303, "/limits?lang=en"), "the secret is still in the address");
    assert!(page.header("set-cookie").starts_with("class=a-class-of-thirty-phones; "), "{:?}", page.headers);
    assert_eq!(server.web.get("/limits?class=another-class-of-phones").await.header("set-cookie"), "");
}

#[tokio::test]
async fn repeated_request_with_the_same_key_returns_the_same_job() {
    let server = server(&[]).await;
    let send = async |key: &str, job: Value| {
        let request = server.web.request(Method::POST, "/api/v1/jobs?fresh=1").header("idempotency-key", key);
        server.web.send(request.body(job.to_string())).await
    };
    let (first, second) = tokio::join!(send("one", typed("kitten", "sitting")), send("one", typed("kitten", "sitting")));
    assert_eq!((first.status, second.status), (202, 202), "{} {}", first.text, second.text);
    assert_eq!(first.json()["id"], second.json()["id"]);
    send("one", typed("kitten", "mitten")).await.problem(422, "key-reused");
    assert_ne!(send("another", typed("kitten", "sitting")).await.json()["id"], first.json()["id"]);
    send("", typed("kitten", "sitting")).await.problem(400, "malformed");
}

#[tokio::test]
async fn repeated_job_is_answered_from_the_stored_result() {
    let server = server(&[("EDITSCOPE_PROXIES", "1")]).await;
    let upload = server.web.upload("sitting").await;
    let job = json!({ "task": "edit-distance", "a": { "text": "kitten" }, "b": { "upload": upload } });
    let first = server.web.solve(&typed("kitten", "sitting")).await;
    let second = server.web.solve(&job).await;
    assert_eq!((&first["reused"], &second["reused"]), (&Value::Null, &json!(true)));
    assert_eq!((&first["answer"], &first["metrics"], &first["seq"]), (&second["answer"], &second["metrics"], &second["seq"]));
    assert_eq!((&first["b"]["upload"], &second["b"]["upload"]), (&Value::Null, &json!(upload)), "each job has its own texts");
    let id = second["id"].as_str().unwrap();
    assert_ne!(first["id"], id);
    let cigar = server.web.get(&format!("/api/v1/jobs/{id}/export?format=cigar")).await;
    assert_eq!(cigar.text, "1X3=1X1=1I\n", "the reused result has the files");
    let events = server.web.events(&format!("/api/v1/jobs/{id}/events")).await.all().await;
    assert_eq!(events.last().unwrap().event, "answer");
    // `fresh` solves the job again, for those who measure. Other clients cannot see what this client has asked.
    let fresh = server.web.post("/api/v1/jobs?wait=30&fresh=1", &job).await.json();
    let other = as_client(&server, "203.0.113.1", Method::POST, "/api/v1/jobs?wait=30", job.to_string()).await.json();
    let mut otherwise = typed("kitten", "sitting");
    otherwise["options"] = json!({ "case_insensitive": true });
    for solved in [fresh, other, server.web.solve(&otherwise).await] {
        assert_eq!((&solved["reused"], &solved["answer"]["distance"]), (&Value::Null, &json!(3)), "{solved}");
    }
}

#[tokio::test]
async fn fast_run_improves_the_estimate() {
    let server = server(&[]).await;
    let expected = async |letters: usize| {
        let job = json!({ "task": "exact-search", "a": { "text": "a" }, "b": { "text": "y".repeat(letters) } });
        server.web.solve(&job).await["plan"]["expected_ms"].as_f64().unwrap()
    };
    // By the known rate, this takes 20 seconds; in fact it takes 0.3 s. One run raises the rate at most by a factor of
    // four.
    let before = expected(19_999).await;
    let after = expected(19_998).await;
    assert!(before > 19_000.0 && after < before / 2.0 && after > before / 5.0, "estimate before: {before}, after: {after}");
}

/// Both places for reading large texts are taken, but a word is read beside them.
#[tokio::test]
async fn short_text_is_read_while_large_texts_are_read() {
    let server = server(&[]).await;
    let (reads, mut begun) = tokio::sync::mpsc::unbounded_channel();
    let (done, readers): (Vec<_>, Vec<_>) = (0..2)
        .map(|_| {
            let (results, reads) = (server.state.results.clone(), reads.clone());
            let (done, wait) = std::sync::mpsc::channel::<()>();
            let read = move || {
                reads.send(()).unwrap();
                // Blocks until the other end is dropped.
                let _ = wait.recv();
                Ok(())
            };
            (done, tokio::spawn(async move { results.work(read).await }))
        })
        .unzip();
    for _ in 0..2 {
        begun.recv().await.unwrap();
    }
    let solved = tokio::time::timeout(Duration::from_secs(60), server.web.solve(&typed("kitten", "sitting"))).await;
    assert_eq!(solved.expect("the short text is read at once")["answer"]["distance"], 3);
    drop(done);
    for reader in readers {
        reader.await.unwrap().unwrap();
    }
}

/// Only the creator can delete. Data that others need stays, and files go with the last object that needs them.
#[tokio::test]
async fn only_the_creator_can_delete() {
    let server = server(&[]).await;
    let put = server.web.send(server.web.request(Method::PUT, "/api/v1/texts").body("sitting")).await.json();
    let delete = async |path: &str, token: &Value| {
        let request = server.web.request(Method::DELETE, path);
        server.web.send(request.bearer_auth(token.as_str().unwrap())).await
    };
    let (upload, text_token) = (format!("/api/v1/texts/{}", put["id"].as_str().unwrap()), &put["delete_token"]);
    let job = json!({ "task": "edit-distance", "a": { "text": "kitten" }, "b": { "upload": put["id"] } });
    let solved = server.web.post("/api/v1/jobs?wait=30", &job).await.json();
    let (result, job_token) = (format!("/api/v1/jobs/{}", solved["id"].as_str().unwrap()), &solved["delete_token"]);
    assert_eq!(server.web.get(&result).await.json()["delete_token"], Value::Null, "the token is shown once");

    server.web.delete(&upload).await.problem(403, "forbidden");
    delete(&upload, job_token).await.problem(403, "forbidden");
    delete(&result, text_token).await.problem(403, "forbidden");
    assert_eq!(server.web.delete(&result).await.status, 204, "cancelling an ended job changes nothing");
    assert_eq!(delete(&upload, text_token).await.status, 204);
    delete(&upload, text_token).await.problem(404, "not-found");
    server.web.post("/api/v1/jobs", &job).await.problem(404, "not-found");
    assert_eq!(server.web.get(&format!("{result}/alignment")).await.status, 200, "the result still has its texts");
    assert_eq!(delete(&result, job_token).await.status, 204);
    for path in ["", "/alignment", "/texts/a?from=0&len=1"] {
        server.web.get(&format!("{result}{path}")).await.problem(410, "gone");
    }
    delete(&format!("/api/v1/jobs/{}", "0".repeat(26)), job_token).await.problem(404, "not-found");
    // A running job is stopped first, and its later writes are refused.
    let running = server.web.post("/api/v1/jobs", &endless(600.0)).await.json();
    let (path, token) = (running["status_url"].as_str().unwrap(), &running["delete_token"]);
    delete(path, text_token).await.problem(403, "forbidden");
    assert_eq!(delete(path, token).await.status, 204);
    server.web.get(path).await.problem(410, "gone");
}
