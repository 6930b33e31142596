//! A server for one test, and a client that parses server-sent events itself.

use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use reqwest::redirect::Policy;
use reqwest::{Client, Method, RequestBuilder, Response};
use serde_json::{Value, json};
use server::ServerState;
use server::config::Config;
use server::engines::EnginePool;
use server::http::page_assets::PageAssets;
use server::serve::serve;
use server::storage::ports::bus::local::LocalBus;
use server::storage::ports::faults::{Faults, FaultyBus};
use server::store::{Ports, Store};
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::time::timeout;

/// A server in this process, with its own port and data folder. Dropping it stops the server.
pub(crate) struct Server {
    pub(crate) web: Web,
    pub(crate) state: ServerState,
    _stop: oneshot::Sender<()>,
    folder: TempDir,
}

impl Server {
    /// Starts a server with default settings.
    pub(crate) async fn start() -> Self {
        Self::with(&[]).await
    }

    /// Starts a server with these variables.
    pub(crate) async fn with(variables: &[(&str, &str)]) -> Self {
        let data = tempfile::tempdir().unwrap();
        let config = config(data.path(), variables);
        let changes_offers = variables.iter().any(|(name, _)| ["EDITSCOPE_MAX_CELLS_CPU", "EDITSCOPE_ENGINES"].contains(name));
        let state =
            if changes_offers { ServerState::open(config).await } else { ServerState::with_engines(config, measured().clone()).await };
        Self::of(state.unwrap(), data).await
    }

    /// Starts a server with these engines.
    pub(crate) async fn with_engines(engines: EnginePool) -> Self {
        Self::with_engines_and(engines, &[]).await
    }

    /// Starts a server with these engines and variables.
    pub(crate) async fn with_engines_and(engines: EnginePool, variables: &[(&str, &str)]) -> Self {
        let data = tempfile::tempdir().unwrap();
        let state = ServerState::with_engines(config(data.path(), variables), engines).await.unwrap();
        Self::of(state, data).await
    }

    /// Starts a server on the ports that `ports` makes of those of folder `data`, with a bus that fails as `faults`
    /// say.
    pub(crate) async fn on(data: TempDir, ports: impl FnOnce(Ports) -> Ports, faults: Faults) -> Self {
        Self::on_with(data, ports, faults, &[]).await
    }

    /// Starts a server like [`on`](Self::on), with these variables.
    pub(crate) async fn on_with(data: TempDir, ports: impl FnOnce(Ports) -> Ports, faults: Faults, variables: &[(&str, &str)]) -> Self {
        let config = config(data.path(), variables);
        let store = Store::from_ports(ports(Ports::open(&config).await.unwrap()));
        let bus = Arc::new(FaultyBus::new(Arc::new(LocalBus::default()), faults));
        Self::of(ServerState::with_ports(config, measured().clone(), store, bus).await.unwrap(), data).await
    }

    async fn of(state: ServerState, data: TempDir) -> Self {
        let site = site(data.path());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let web = Web::new(&format!("http://{}", listener.local_addr().unwrap()));
        let (stop, stopped) = oneshot::channel::<()>();
        let served = state.clone();
        tokio::spawn(async move {
            serve(listener, served, Some(&site), async { drop(stopped.await) }).await.unwrap();
        });
        Self { web, state, _stop: stop, folder: data }
    }

    /// Returns the folder of the page.
    pub(crate) fn site(&self) -> std::path::PathBuf {
        self.folder.path().join("site")
    }

    /// Removes expired data, as the server does once a minute.
    pub(crate) async fn collect(&self) {
        let store = self.state.store.clone();
        tokio::task::spawn_blocking(move || store.collect()).await.unwrap().unwrap();
    }
}

/// Returns the shared engines with default limits, because measuring anew in every test would slow down all tests.
fn measured() -> &'static EnginePool {
    static ENGINES: OnceLock<EnginePool> = OnceLock::new();
    ENGINES.get_or_init(|| EnginePool::open(&config(Path::new("/nowhere"), &[("EDITSCOPE_ENGINES", "cpu")])))
}

fn config(folder: &Path, variables: &[(&str, &str)]) -> Config {
    let lookup = |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
    Config { data: folder.join("data"), ..Config::read(lookup).unwrap() }
}

/// Creates a folder that acts as a built page.
pub(crate) fn site(folder: &Path) -> PageAssets {
    let root = folder.join("site");
    std::fs::create_dir_all(root.join("pkg/0")).unwrap();
    std::fs::write(root.join("release.txt"), "0\n").unwrap();
    PageAssets::open(&root).unwrap()
}

/// A client of one server.
#[derive(Clone)]
pub(crate) struct Web {
    client: Client,
    pub(crate) base: String,
}

/// The answer to a request.
#[derive(Debug)]
pub(crate) struct Got {
    pub(crate) status: u16,
    pub(crate) headers: reqwest::header::HeaderMap,
    pub(crate) text: String,
}

impl Got {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// Asserts that the answer is a problem document with this status and kind, and returns it.
    #[track_caller]
    pub(crate) fn problem(&self, status: u16, slug: &str) -> Value {
        assert_eq!((self.status, self.header("content-type")), (status, "application/problem+json"), "{}", self.text);
        let problem = self.json();
        assert_eq!(problem["type"], format!("/problems/{slug}"), "{problem}");
        assert_eq!(problem["status"], status);
        assert!(problem["title"].as_str().is_some_and(|title| !title.is_empty()));
        assert!(problem["detail"].as_str().is_some_and(|detail| detail.ends_with('.')), "a sentence: {problem}");
        problem
    }
}

impl Web {
    pub(crate) fn new(base: &str) -> Self {
        server::storage::tls::provide();
        let client = Client::builder().redirect(Policy::none()).build().unwrap();
        Self { client, base: base.to_owned() }
    }

    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, format!("{}{path}", self.base))
    }

    pub(crate) async fn send(&self, request: RequestBuilder) -> Got {
        let response = request.send().await.unwrap();
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        Got { status, headers, text: response.text().await.unwrap() }
    }

    pub(crate) async fn get(&self, path: &str) -> Got {
        self.send(self.request(Method::GET, path)).await
    }

    pub(crate) async fn delete(&self, path: &str) -> Got {
        self.send(self.request(Method::DELETE, path)).await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Got {
        self.send(self.request(Method::POST, path).body(body.to_string())).await
    }

    /// Uploads a text and returns its id.
    pub(crate) async fn upload(&self, bytes: impl Into<reqwest::Body>) -> String {
        let got = self.send(self.request(Method::PUT, "/api/v1/texts").body(bytes)).await;
        assert_eq!(got.status, 201, "{}", got.text);
        got.json()["id"].as_str().unwrap().to_owned()
    }

    /// Starts a job and returns its id.
    pub(crate) async fn submit(&self, job: &Value) -> String {
        let got = self.post("/api/v1/jobs", job).await;
        assert_eq!(got.status, 202, "{}", got.text);
        got.json()["id"].as_str().unwrap().to_owned()
    }

    /// Runs a job to its end and returns its snapshot.
    pub(crate) async fn solve(&self, job: &Value) -> Value {
        let got = self.post("/api/v1/jobs?wait=30", job).await;
        if got.status != 202 {
            assert_eq!(got.status, 200, "{}", got.text);
            let mut snapshot = got.json();
            for name in ["delete_token", "keep_seconds"] {
                assert!(snapshot.as_object_mut().unwrap().remove(name).is_some(), "{name} is missing in the first answer");
            }
            return snapshot;
        }
        // The wait timed out, because other tests keep the CPU busy.
        let id = got.json()["id"].as_str().unwrap().to_owned();
        let events = self.events(&format!("/api/v1/jobs/{id}/events")).await;
        timeout(Duration::from_secs(120), events.all()).await.expect("the job ends");
        self.get(&format!("/api/v1/jobs/{id}")).await.json()
    }

    /// Starts a job that takes many seconds, and returns its id once it runs.
    pub(crate) async fn start_slow(&self) -> String {
        let id = self.submit(&self.slow_job().await).await;
        self.wait_for(&id, "running").await;
        id
    }

    /// Creates a job on two unrelated texts of 1.5 million symbols, for which no shortcut applies.
    pub(crate) async fn slow_job(&self) -> Value {
        let a = self.upload(random_dna(1_500_000, 1)).await;
        let b = self.upload(random_dna(1_500_000, 2)).await;
        json!({ "task": "edit-distance", "a": { "upload": a }, "b": { "upload": b } })
    }

    /// Polls the job until it is in `state`, and returns its snapshot.
    pub(crate) async fn wait_for(&self, id: &str, state: &str) -> Value {
        let start = Instant::now();
        loop {
            let snapshot = self.get(&format!("/api/v1/jobs/{id}")).await.json();
            if snapshot["state"] == state {
                return snapshot;
            }
            assert!(start.elapsed() < Duration::from_secs(30), "not {state}: {snapshot}");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Polls the job until it has ended in any way, and returns its snapshot.
    pub(crate) async fn wait_for_end(&self, id: &str) -> Value {
        let start = Instant::now();
        loop {
            let snapshot = self.get(&format!("/api/v1/jobs/{id}")).await.json();
            if ["succeeded", "failed", "cancelled"].iter().any(|state| snapshot["state"] == *state) {
                return snapshot;
            }
            assert!(start.elapsed() < Duration::from_secs(30), "the job has not ended: {snapshot}");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Opens an event stream.
    pub(crate) async fn events(&self, path: &str) -> Events {
        Events::of(self.request(Method::GET, path).send().await.unwrap())
    }
}

/// Creates an edit-distance job on two typed texts.
pub(crate) fn typed(a: &str, b: &str) -> Value {
    json!({ "task": "edit-distance", "a": { "text": a }, "b": { "text": b } })
}

/// Creates a job on two typed texts.
pub(crate) fn job(task: &str, options: Value, a: &str, b: &str) -> Value {
    json!({ "task": task, "options": options, "a": { "text": a }, "b": { "text": b } })
}

/// Generates random DNA, the same for the same seed.
pub(crate) fn random_dna(len: usize, seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let step = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        b"ACGT"[(state >> 60) as usize & 3]
    };
    std::iter::repeat_with(step).take(len).collect()
}

/// A stream of server-sent events.
pub(crate) struct Events {
    pub(crate) response: Response,
    buffer: String,
}

/// A received event.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sent {
    pub(crate) id: u64,
    pub(crate) event: String,
    pub(crate) data: Value,
}

impl Events {
    /// Reads the events of a response.
    pub(crate) fn of(response: Response) -> Self {
        assert_eq!(response.status(), 200);
        Self { response, buffer: String::new() }
    }

    /// Returns the next event, or `None` if the server has closed the stream.
    pub(crate) async fn next(&mut self) -> Option<Sent> {
        self.try_next().await.unwrap()
    }

    /// Returns the next event like [`next`](Self::next), or an error if the connection breaks.
    pub(crate) async fn try_next(&mut self) -> reqwest::Result<Option<Sent>> {
        loop {
            if let Some((block, rest)) = self.buffer.split_once("\n\n") {
                let field = |name: &str| block.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
                let sent = field("event").map(|event| Sent {
                    id: field("id").unwrap().parse().unwrap(),
                    event: event.to_owned(),
                    data: serde_json::from_str(field("data").unwrap()).unwrap(),
                });
                self.buffer = rest.to_owned();
                if sent.is_some() {
                    return Ok(sent);
                }
                continue;
            }
            let chunk = tokio::time::timeout(Duration::from_secs(60), self.response.chunk()).await.expect("an event in time")?;
            let Some(chunk) = chunk else { return Ok(None) };
            self.buffer.push_str(std::str::from_utf8(&chunk).unwrap());
        }
    }

    /// Returns all events up to the end.
    pub(crate) async fn all(mut self) -> Vec<Sent> {
        let mut all = Vec::new();
        while let Some(sent) = self.next().await {
            all.push(sent);
        }
        all
    }
}
