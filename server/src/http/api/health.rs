//! Health: `/livez` and `/readyz`, checks for operators and load balancers.
//!
//! `/readyz` tries everything that a job needs. It writes to the store and reads from it, checks the free disk space
//! and the queue, and lets every engine solve a small job.

use std::time::{Duration, Instant};

use axum::Json;
use axum::extract::State as In;
use kernels::humanize::grouped;
use kernels::job::{JobOptions, Task};
use kernels::plan::EngineName;
use kernels::run::{NoObserver, Run};
use kernels::text::Pair;
use serde::Serialize;
use tokio::sync::Mutex;
use tokio::time::timeout;
use tracing::error;
use utoipa::ToSchema;

use crate::ServerState;
use crate::engines::DeviceLease;
use crate::error::{ApiProblem, ProblemKind};
use crate::ops::disk::free_bytes;

/// Timeout for checking one part of the server. Even a busy GPU yields to a small job much earlier.
const HEALTH_CHECK_TIMEOUT: Duration = Duration::from_secs(5);

/// The answer of `/readyz` if the server is ready.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Ready)]
pub struct ReadyReport {
    /// Always `ready`.
    status: &'static str,
    /// Version of this program.
    version: &'static str,
    /// Engines that have just solved a small job.
    engines: Vec<EngineName>,
    /// Number of jobs that wait in this process.
    waiting: usize,
    /// Number of jobs that run in this process.
    running: usize,
    /// State of each part of the server: always `ok`.
    parts: ReadyParts,
}

/// The states of the parts of the server that a job needs.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[schema(as = Parts)]
struct ReadyParts {
    /// `ok`: a file and a row were written and read.
    store: &'static str,
    /// `ok`: the free disk space is above its minimum.
    disk: &'static str,
    /// `ok`: the queue has room for another job.
    queue: &'static str,
    /// `ok`: at least one engine works.
    engines: &'static str,
}

/// The result of the last readiness check, with its time. A request that arrives during a check waits for the next
/// check and shares the result of that check with others, so that at most one check runs at a time.
#[derive(Debug, Default)]
pub struct ReadinessCache {
    last: Mutex<Option<(Instant, Result<ReadyReport, String>)>>,
}

/// Handles `/livez`: answers always, which shows that the process is alive.
pub async fn livez() -> &'static str {
    "alive\n"
}

/// Handles `/readyz`: reports that all parts of the server work. If not, answers with a problem that lists the failed
/// parts and the reasons.
pub async fn readyz(In(state): In<ServerState>) -> Result<Json<ReadyReport>, ApiProblem> {
    let asked = Instant::now();
    let mut last = state.readiness.last.lock().await;
    let found = match &*last {
        Some((begun, found)) if *begun >= asked => found.clone(),
        _ => {
            let begun = Instant::now();
            let found = check(&state).await;
            last.insert((begun, found)).1.clone()
        }
    };
    found.map(Json).map_err(|detail| ApiProblem::new(ProblemKind::NotReady, detail))
}

async fn check(state: &ServerState) -> Result<ReadyReport, String> {
    let (store, engines) = tokio::join!(store(state), engines(state));
    let (waiting, running) = state.jobs.counts();
    let (names, engines) = match engines {
        Ok(names) => (names, Ok(())),
        Err(why) => (Vec::new(), Err(why)),
    };
    let queue = state.jobs.check_room(None).and_then(|()| state.jobs.reaches_workers()).map_err(|problem| problem.detail);
    let parts = [("store", store), ("disk", disk(state)), ("queue", queue), ("engines", engines)];
    if parts.iter().all(|(_, part)| part.is_ok()) {
        let parts = ReadyParts { store: "ok", disk: "ok", queue: "ok", engines: "ok" };
        return Ok(ReadyReport { status: "ready", version: env!("CARGO_PKG_VERSION"), engines: names, waiting, running, parts });
    }
    let parts = parts.map(|(name, part)| format!("{name}: {}", part.err().unwrap_or_else(|| "ok".into()).trim_end_matches('.')));
    Err(format!("The server is not ready. {}.", parts.join("; ")))
}

/// Checks that a file and a database row can be written and read. The error is the reason of the failure, for people.
async fn store(state: &ServerState) -> Result<(), String> {
    match timeout(HEALTH_CHECK_TIMEOUT, state.store.probe().get()).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(cause)) => {
            error!("not ready: {cause}");
            Err("rows or files cannot be written".into())
        }
        Err(_) => Err(format!("no answer in {} s", HEALTH_CHECK_TIMEOUT.as_secs())),
    }
}

fn disk(state: &ServerState) -> Result<(), String> {
    let wanted = state.config.min_free_bytes;
    match free_bytes(&state.config.data) {
        Some(free) if free < wanted => Err(format!("{} bytes are free, {} are wanted", grouped(free), grouped(wanted))),
        _ => Ok(()),
    }
}

/// Returns the engines that solve a small job on one of their devices. If there is none, the error is the reason, for
/// people.
async fn engines(state: &ServerState) -> Result<Vec<EngineName>, String> {
    let (mut answering, mut silent) = (Vec::new(), Vec::new());
    for offer in state.engines.offers() {
        let Some(engine) = state.engines.lend(offer.engine, true, &[]) else { continue };
        let solved = timeout(HEALTH_CHECK_TIMEOUT, tokio::task::spawn_blocking(move || solves(&engine))).await;
        match solved {
            Ok(Ok(true)) => answering.push(offer.engine),
            _ => silent.push(format!("{:?} does not answer", offer.engine)),
        }
    }
    if !silent.is_empty() {
        error!("offered engines do not answer: {}", silent.join(", "));
    }
    match (answering.is_empty(), silent.is_empty()) {
        (false, _) => Ok(answering),
        (true, true) => Err("none works".into()),
        (true, false) => Err(silent.join(", ")),
    }
}

fn solves(engine: &DeviceLease) -> bool {
    let options = JobOptions { alignment: false, ..JobOptions::default() };
    let Ok(pair) = Pair::parse(&b"kitten"[..], &b"sitting"[..], &options.reading()) else { return false };
    engine.run(Task::EditDistance, &options, &pair, &Run::new(&NoObserver)).is_ok()
}
