//! Limits of jobs by the number of cells and by time: refused, stopped and solved jobs.

use kernels::engine::{Cpu, Engine};
use kernels::job::Task;
use kernels::plan::{EngineLimits, EngineName, EnginePlace, PlannerOffer, TaskRate};
use serde_json::{Value, json};
use server::engines::EnginePool;

use crate::client::{Server, random_dna};
use crate::rescore;

/// Starts a server with a time limit of one second and a CPU engine of this rate.
async fn hurried(cells_per_second: f64) -> Server {
    let offer = PlannerOffer {
        engine: EngineName::Cpu,
        place: EnginePlace::Server,
        device: "a device".into(),
        tasks: Task::ALL.map(|task| TaskRate { task, cells_per_second }).to_vec(),
        start_ms: 0.0,
        bytes_per_second: 1e9,
        limits: EngineLimits { seconds: 1, ..EngineLimits::NONE },
        version: String::new(),
    };
    let engines = EnginePool::new(vec![Box::new(Engine::Cpu(Cpu::all_cores()))], vec![offer]);
    Server::with_engines_and(engines, &[("EDITSCOPE_JOB_SECONDS", "1")]).await
}

/// Returns the text with a substitution in every 1,000th place.
fn substituted(text: &[u8]) -> Vec<u8> {
    let other = |letter| if letter == b'A' { b'C' } else { b'A' };
    text.iter().enumerate().map(|(at, &letter)| if at % 1000 == 500 { other(letter) } else { letter }).collect()
}

fn of_uploads(a: &str, b: &str) -> Value {
    json!({ "task": "edit-distance", "a": { "upload": a }, "b": { "upload": b } })
}

/// Two bacterial genomes have 2.5 × 10¹³ cells, but because they are similar, hardly any are filled.
#[tokio::test]
async fn pair_is_limited_by_its_filled_cells() {
    let server = Server::start().await;
    let a = random_dna(5_000_000, 1);
    let b = substituted(&a);
    let job = of_uploads(&server.web.upload(a.clone()).await, &server.web.upload(b.clone()).await);
    let snapshot = server.web.solve(&job).await;
    assert_eq!(
        (&snapshot["answer"]["distance"], &snapshot["plan"]["reason"]["task"]),
        (&json!(5000), &json!("edit-distance")),
        "{snapshot}"
    );
    let planned = snapshot["plan"]["reason"]["cells"].as_f64().unwrap();
    assert!(planned < 1e11, "{planned:e} cells for 2.5e13");
    let id = snapshot["id"].as_str().unwrap();
    let cigar = server.web.get(&format!("/api/v1/jobs/{id}/export?format=cigar")).await.text;
    assert_eq!(rescore::score(&cigar, &a, &b), 5000);
}

#[tokio::test]
async fn job_that_runs_too_long_is_stopped_with_its_progress() {
    // At this rate the job is expected to take about a second, so that it is accepted and then runs out of time.
    let server = hurried(1e12).await;
    let id = server.web.submit(&server.web.slow_job().await).await;
    let failure = server.web.wait_for(&id, "failed").await["failure"].clone();
    assert_eq!((&failure["kind"], &failure["seconds"]), (&json!("out-of-time"), &json!(1)));
    let reached = [0, 1].map(|at| failure["reached"][at].as_u64().unwrap());
    assert!(0 < reached[0] && reached[0] < reached[1] && reached[1] > 500_000_000_000, "{reached:?}");
}

#[tokio::test]
async fn job_that_certainly_runs_too_long_is_refused() {
    let server = hurried(1e9).await;
    let [a, b] = [1, 2].map(|seed| random_dna(1_000_000, seed));
    let like_a = substituted(&a);
    let [a, b, like_a] = [server.web.upload(a).await, server.web.upload(b).await, server.web.upload(like_a).await];
    let problem = server.web.post("/api/v1/jobs", &of_uploads(&a, &b)).await.problem(422, "too-large");
    assert_eq!((&problem["failure"]["what"], &problem["limit"]), (&json!("The expected time in seconds"), &json!(1)));
    assert!(problem["got"].as_u64().unwrap() > 100, "{problem}");
    // These texts are equally long, but similar.
    assert_eq!(server.web.solve(&of_uploads(&a, &like_a)).await["answer"]["distance"], 1000);
}
