//! Failing engines. Another engine takes their jobs, or the jobs end with the cause; nothing else is disturbed.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

use kernels::engine::{Cpu, Engine};
use kernels::failure::JobFailure;
use kernels::job::{JobOptions, Task};
use kernels::plan::{EngineLimits, EngineName, EnginePlace, PlannerOffer, TaskRate};
use kernels::run::{Halt, Run};
use kernels::task::Solution;
use kernels::text::Pair;
use serde_json::{Value, json};
use server::config::Config;
use server::engines::{ComputeEngine, EnginePool};

use crate::client::{Sent, Server, random_dna, typed};

const CPU: EngineName = EngineName::Cpu;
const CUDA: EngineName = EngineName::Cuda;

/// The way in which an engine fails.
#[derive(Clone, Copy, Debug)]
enum Fault {
    /// Fails with a cause, half way through a job.
    HalfWay,
    /// Fails like `HalfWay`, and loses its device.
    Gone,
    /// Panics.
    Panic,
}

/// An engine with this name that solves nothing.
#[derive(Debug)]
struct Failing(EngineName, Fault);

impl ComputeEngine for Failing {
    fn name(&self) -> EngineName {
        self.0
    }

    fn run(&self, _: Task, _: &JobOptions, _: &Pair, run: &Run) -> Result<Solution, Halt> {
        assert!(!matches!(self.1, Fault::Panic), "intended panic of an engine");
        run.raise_expected(1000);
        run.tick(500)?;
        Err(JobFailure::engine("The GPU engine failed: running a kernel on GPU 0 failed: CUDA_ERROR_ILLEGAL_ADDRESS.").into())
    }

    fn is_gone(&self) -> bool {
        matches!(self.1, Fault::Gone)
    }
}

/// Creates offers of a fast CUDA engine without limits, and of a CPU engine with at most `cpu_cells` cells.
fn offers(cpu_cells: u64) -> Vec<PlannerOffer> {
    let offer = |engine, cells_per_second, cells| PlannerOffer {
        engine,
        place: EnginePlace::Server,
        device: "a device".into(),
        tasks: Task::ALL.map(|task| TaskRate { task, cells_per_second }).to_vec(),
        start_ms: 0.0,
        bytes_per_second: 1e9,
        limits: EngineLimits { cells, ..EngineLimits::NONE },
        version: String::new(),
    };
    vec![offer(CPU, 1e9, cpu_cells), offer(CUDA, 1e12, u64::MAX)]
}

fn cpu() -> Box<dyn ComputeEngine> {
    Box::new(Engine::Cpu(Cpu::SINGLE))
}

/// Starts a server whose CUDA engine fails.
async fn failing(fault: Fault) -> Server {
    Server::with_engines(EnginePool::new(vec![cpu(), Box::new(Failing(CUDA, fault))], offers(1 << 20))).await
}

async fn events(server: &Server, snapshot: &Value) -> Vec<Sent> {
    server.web.events(&format!("/api/v1/jobs/{}/events", snapshot["id"].as_str().unwrap())).await.all().await
}

/// Returns the engines that the job was planned on.
fn planned(events: &[Sent]) -> Vec<&str> {
    events.iter().filter(|sent| sent.event == "planned").map(|sent| sent.data["engine"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn job_whose_engine_fails_restarts_on_another_engine() {
    let server = failing(Fault::HalfWay).await;
    for _ in 0..3 {
        let snapshot = server.web.solve(&typed("kitten", "sitting")).await;
        assert_eq!((&snapshot["plan"]["engine"], &snapshot["answer"]["distance"]), (&json!("cpu"), &json!(3)));
        let because = "because the GPU engine failed: running a kernel on GPU 0 failed: CUDA_ERROR_ILLEGAL_ADDRESS";
        assert_eq!(snapshot["plan"]["because"], because);
        // The progress on the failed engine does not count.
        assert_eq!((&snapshot["progress"]["done"], &snapshot["progress"]["total"]), (&json!(42), &json!(42)));
        let events = events(&server, &snapshot).await;
        assert_eq!(planned(&events), ["cuda", "cpu"]);
        assert_eq!(events.iter().filter(|sent| ["answer", "failed"].contains(&sent.event.as_str())).count(), 1);
    }
    assert_eq!(server.state.jobs.counts(), (0, 0));
}

/// A second GPU: a working engine that records the maximum number of concurrent runs.
#[derive(Debug, Default)]
struct Working {
    runs: AtomicUsize,
    most: Arc<AtomicUsize>,
}

impl ComputeEngine for Working {
    fn name(&self) -> EngineName {
        CUDA
    }

    fn run(&self, task: Task, options: &JobOptions, pair: &Pair, run: &Run) -> Result<Solution, Halt> {
        self.most.fetch_max(self.runs.fetch_add(1, SeqCst) + 1, SeqCst);
        std::thread::sleep(Duration::from_millis(if pair.a.len() > 100 { 300 } else { 0 }));
        let solved = Engine::Cpu(Cpu::SINGLE).run(task, options, pair, run);
        self.runs.fetch_sub(1, SeqCst);
        solved
    }

    fn is_gone(&self) -> bool {
        false
    }
}

#[tokio::test]
async fn job_whose_gpu_fails_restarts_on_another_gpu() {
    for (fault, devices) in [(Fault::HalfWay, 2), (Fault::Gone, 1)] {
        let engines: Vec<Box<dyn ComputeEngine>> = vec![cpu(), Box::new(Failing(CUDA, fault)), Box::<Working>::default()];
        let server = Server::with_engines(EnginePool::new(engines, offers(1 << 20))).await;
        let hosts = async || server.web.get("/api/v1/engines").await.json()["hosts"].clone();
        let of_both = hosts().await[0]["devices"].clone();
        assert_eq!(of_both.as_array().map(Vec::len), Some(3), "{of_both}");
        assert_eq!(of_both[2], json!({ "engine": "cuda", "device": "a device", "places": 1 }));
        let limits = server.web.get("/limits").await.text;
        assert!(limits.contains("<td>a device</td>") && limits.contains("<td>2 × a device</td>"), "{limits}");
        let snapshot = server.web.solve(&typed("kitten", "sitting")).await;
        assert_eq!((&snapshot["plan"]["engine"], &snapshot["answer"]["distance"]), (&json!("cuda"), &json!(3)));
        assert!(snapshot["plan"]["because"].as_str().unwrap().contains("ILLEGAL_ADDRESS"), "{snapshot}");
        assert_eq!(planned(&events(&server, &snapshot).await), ["cuda", "cuda"]);
        // A lost device is not used for a while, and the host lists one device less.
        let left = server.state.engines.device_count(CUDA);
        assert_eq!((left, hosts().await.is_null()), (devices, devices == 1));
        let snapshot = server.web.solve(&typed("mitten", "sitting")).await;
        assert_eq!(planned(&events(&server, &snapshot).await).len(), devices);
        assert_eq!(server.state.jobs.counts(), (0, 0));
    }
}

#[tokio::test]
async fn job_that_fails_on_two_gpus_restarts_on_the_processor() {
    let failing = || Box::new(Failing(CUDA, Fault::HalfWay));
    let engines: Vec<Box<dyn ComputeEngine>> = vec![cpu(), failing(), failing(), failing()];
    let server = Server::with_engines(EnginePool::new(engines, offers(1 << 20))).await;
    let snapshot = server.web.solve(&typed("kitten", "sitting")).await;
    assert_eq!(planned(&events(&server, &snapshot).await), ["cuda", "cuda", "cpu"]);
    assert_eq!(snapshot["answer"]["distance"], 3);
}

#[tokio::test]
async fn large_jobs_use_all_gpus_one_job_per_gpu() {
    let gpus = [Working::default(), Working::default()];
    let most = gpus.each_ref().map(|gpu| gpu.most.clone());
    let engines: Vec<Box<dyn ComputeEngine>> = gpus.into_iter().map(|gpu| Box::new(gpu) as Box<dyn ComputeEngine>).collect();
    let slow = |offer: &PlannerOffer| PlannerOffer { start_ms: 1000.0, ..offer.clone() };
    let server = Server::with_engines(EnginePool::new(engines, vec![slow(&offers(0)[1])])).await;
    let mut ids = Vec::new();
    for number in 0..6 {
        let job = typed(&format!("{}{number}", "a".repeat(200)), "b");
        ids.push(server.web.submit(&job).await);
    }
    for id in &ids {
        server.web.wait_for(id, "succeeded").await;
    }
    // The second device gets work only while the first one is busy.
    assert_eq!(most.map(|most| most.load(SeqCst)), [1, 1]);
}

#[tokio::test]
async fn job_of_a_panicking_engine_restarts_on_another_engine() {
    let server = failing(Fault::Panic).await;
    let snapshot = server.web.solve(&typed("kitten", "sitting")).await;
    assert_eq!((&snapshot["plan"]["engine"], &snapshot["answer"]["distance"]), (&json!("cpu"), &json!(3)));
}

#[tokio::test]
async fn job_that_fits_no_other_engine_fails_with_the_cause() {
    let server = failing(Fault::HalfWay).await;
    let long = "a".repeat(2000);
    let snapshot = server.web.solve(&typed(&long, &"b".repeat(2000))).await;
    assert_eq!((&snapshot["state"], &snapshot["failure"]["kind"]), (&json!("failed"), &json!("engine")));
    assert!(snapshot["failure"]["message"].as_str().unwrap().contains("ILLEGAL_ADDRESS"), "{snapshot}");
    assert_eq!(planned(&events(&server, &snapshot).await), ["cuda"]);
    assert_eq!(server.web.solve(&typed("kitten", "sitting")).await["answer"]["distance"], 3);
}

#[tokio::test]
async fn job_that_fails_on_all_engines_fails() {
    let engines: Vec<Box<dyn ComputeEngine>> = vec![Box::new(Failing(CPU, Fault::HalfWay)), Box::new(Failing(CUDA, Fault::HalfWay))];
    let server = Server::with_engines(EnginePool::new(engines, offers(u64::MAX))).await;
    let snapshot = server.web.solve(&typed("kitten", "sitting")).await;
    assert_eq!((&snapshot["state"], &snapshot["failure"]["kind"]), (&json!("failed"), &json!("engine")));
    assert_eq!(planned(&events(&server, &snapshot).await), ["cuda", "cpu"]);
}

#[tokio::test]
async fn lost_engine_is_not_offered() {
    let server = failing(Fault::Gone).await;
    let offered = async || {
        let offers = server.web.get("/api/v1/engines").await.json()["offers"].clone();
        offers.as_array().unwrap().iter().map(|offer| offer["engine"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(offered().await, ["cpu", "cuda"]);
    for (word, engines) in [("kitten", &["cuda", "cpu"][..]), ("mitten", &["cpu"])] {
        let snapshot = server.web.solve(&typed(word, "sitting")).await;
        assert_eq!(planned(&events(&server, &snapshot).await), engines);
        assert_eq!(snapshot["answer"]["distance"], 3);
    }
    assert_eq!(offered().await, ["cpu"]);
}

/// A CUDA engine on which large jobs run until they are stopped.
#[derive(Debug)]
struct Busy;

impl ComputeEngine for Busy {
    fn name(&self) -> EngineName {
        CUDA
    }

    fn run(&self, task: Task, options: &JobOptions, pair: &Pair, run: &Run) -> Result<Solution, Halt> {
        while pair.a.len() > LARGE / 2 {
            run.tick(0)?;
            std::thread::sleep(Duration::from_millis(1));
        }
        Engine::Cpu(Cpu::SINGLE).run(task, options, pair, run)
    }

    fn is_gone(&self) -> bool {
        false
    }
}

/// Length of a pair that is too long for a brief job on CUDA, in symbols.
const LARGE: usize = 400_000;

#[tokio::test]
async fn brief_jobs_do_not_wait_for_a_large_one() {
    let server = Server::with_engines(EnginePool::new(vec![cpu(), Box::new(Busy)], offers(0))).await;
    let random = |seed| String::from_utf8(random_dna(LARGE, seed)).unwrap();
    let large = typed(&random(1), &random(2));
    let running = server.web.submit(&large).await;
    let waiting = server.web.submit(&large).await;
    for _ in 0..10 {
        let snapshot = server.web.solve(&typed("kitten", "sitting")).await;
        assert_eq!((&snapshot["plan"]["engine"], &snapshot["answer"]["distance"]), (&json!("cuda"), &json!(3)));
    }
    let state = async |id: &str| server.web.get(&format!("/api/v1/jobs/{id}")).await.json()["state"].clone();
    assert_eq!((state(&running).await, state(&waiting).await), (json!("running"), json!("queued")));
    for id in [waiting, running] {
        server.web.delete(&format!("/api/v1/jobs/{id}")).await;
        server.web.wait_for(&id, "cancelled").await;
    }
    assert_eq!(server.state.jobs.counts(), (0, 0));
}

#[tokio::test]
async fn server_with_a_lost_device_restarts_once_it_is_idle() {
    let server = failing(Fault::Gone).await;
    let begins_again = tokio::time::timeout(Duration::from_secs(5), server.state.wait_for_lost_device());
    assert!(begins_again.await.is_ok());
    let server = failing(Fault::HalfWay).await;
    let begins_again = tokio::time::timeout(Duration::from_millis(1500), server.state.wait_for_lost_device());
    assert!(begins_again.await.is_err());
}

#[tokio::test]
async fn offer_without_an_engine_counts_as_a_failed_engine() {
    let server = Server::with_engines(EnginePool::new(vec![cpu()], offers(u64::MAX))).await;
    assert_eq!(server.web.solve(&typed("kitten", "sitting")).await["answer"]["distance"], 3);
    let server = Server::with_engines(EnginePool::new(vec![], offers(u64::MAX)[1..].to_vec())).await;
    assert_eq!(server.web.solve(&typed("kitten", "sitting")).await["failure"]["kind"], "engine");
}

/// Opens the only engine of a server in this folder, and returns its rates.
fn rates(folder: &Path) -> (EnginePool, Vec<TaskRate>) {
    let lookup = |name: &str| (name == "EDITSCOPE_ENGINES").then(|| "cpu".into());
    let config = Config { data: folder.into(), ..Config::read(lookup).unwrap() };
    let engines = EnginePool::open(&config);
    let offers = engines.offers();
    assert_eq!(offers.len(), 1);
    assert_eq!(offers[0].limits.cells, config.max_cells_cpu, "limits come from the configuration, not from the stored offer");
    (engines, offers[0].tasks.clone())
}

#[test]
fn restarted_server_reuses_engine_measurements() {
    let folder = tempfile::tempdir().unwrap();
    let (_engines, first) = rates(folder.path());
    let kept = folder.path().join("engines/cpu.json");
    // The overhead of pairs is measured after the engine is offered.
    for _ in 0..600 {
        if kept.exists() {
            break;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    assert!(kept.exists());
    // A new measurement would give different rates.
    let is_first = |rates: Vec<TaskRate>| {
        let close = |one: &TaskRate, other: &TaskRate| (one.cells_per_second / other.cells_per_second - 1.0).abs() < 1e-9;
        rates.iter().zip(&first).all(|(one, other)| one.task == other.task && close(one, other))
    };
    assert!(is_first(rates(folder.path()).1));
    std::fs::remove_dir_all(folder.path().join("engines")).unwrap();
    assert!(!is_first(rates(folder.path()).1));
}
