//! Print: the output of actions for clusters, as methods of [`AdminPrinter`].

use explain::snapshot::JobStatus;
use kernels::plan::EngineName;
use serde_json::{Value, json};

use crate::command::admin::print::{AdminPrinter, EMPTY_CELL, age, print, table};
use crate::jobs::cluster::operator::JobListing;
use crate::storage::ports::offers::{WorkerAvailability, WorkerOffer};

impl AdminPrinter {
    /// Prints a table or JSON list of jobs.
    pub(super) fn jobs(self, jobs: &[JobListing]) -> anyhow::Result<()> {
        if self.is_json {
            return print(&serde_json::to_string_pretty(jobs)?);
        }
        let head = ["ID", "STATE", "TASK", "ENGINE", "ATTEMPT", "AGE", "WORKER", "HOST", "FAILURE"];
        let or = |said: Option<&str>| said.unwrap_or(EMPTY_CELL).to_owned();
        let row = |job: &JobListing| {
            [
                job.id.clone(),
                job.state.map_or("unreadable", state_in_words).to_owned(),
                or(job.task.map(|task| task.name())),
                or(job.engine.map(engine_in_words)),
                job.attempt.to_string(),
                job.age_seconds.map_or_else(|| EMPTY_CELL.into(), age),
                or(job.worker.as_deref()),
                or(job.host.as_deref()),
                or(job.failure.as_deref()),
            ]
        };
        print(&table(head, jobs.iter().map(row)))
    }

    /// Prints a table of workers with one line for each engine, or a JSON list.
    pub(super) fn workers(self, workers: &[WorkerOffer]) -> anyhow::Result<()> {
        if self.is_json {
            return print(&serde_json::to_string_pretty(&workers.iter().map(worker).collect::<Vec<_>>())?);
        }
        let head = ["WORKER", "HOST", "TAKES", "JOBS", "ENGINE", "PLACES", "DEVICE"];
        let rows = workers.iter().flat_map(|worker| {
            let about = [worker.id.clone(), worker.host.clone(), takes_in_words(worker.takes).into(), worker.jobs.len().to_string()];
            let mut engines: Vec<[String; 3]> = worker
                .engines
                .iter()
                .map(|own| {
                    let offer = &own.offered.offer;
                    [engine_in_words(offer.engine).into(), own.places.to_string(), offer.device.clone()]
                })
                .collect();
            if engines.is_empty() {
                engines.push([(); 3].map(|()| EMPTY_CELL.into()));
            }
            engines.into_iter().map(move |[engine, places, device]| {
                let [id, host, takes, jobs] = about.clone();
                [id, host, takes, jobs, engine, places, device]
            })
        });
        print(&table(head, rows))
    }

    /// Prints that an action is done: the value `json` for programs, or the sentence `said` for people.
    pub(super) fn done(self, json: &Value, said: &str) -> anyhow::Result<()> {
        if self.is_json { print(&json.to_string()) } else { print(said) }
    }

    /// Prints the workers that were told to drain or resume. The second part of each element of `told` is whether the
    /// worker has confirmed. `what` describes the confirmed state, such as "drained".
    pub(super) fn print_drained_workers(self, told: &[(WorkerOffer, bool)], what: &str) -> anyhow::Result<()> {
        if self.is_json {
            let told: Vec<Value> = told.iter().map(|(of, has_heard)| json!({ "worker": worker(of), "has_heard": has_heard })).collect();
            return print(&serde_json::to_string_pretty(&told)?);
        }
        let line = |(worker, has_heard): &(WorkerOffer, bool)| {
            let WorkerOffer { id, host, jobs, .. } = worker;
            let jobs = match jobs.len() {
                0 => "has no job".to_owned(),
                1 => "has 1 job".to_owned(),
                count => format!("has {count} jobs"),
            };
            if *has_heard {
                format!("worker {id} on {host} is {what}, and {jobs}")
            } else {
                format!("worker {id} on {host} has not answered yet")
            }
        };
        let lines: Vec<String> = told.iter().map(line).collect();
        print(&if lines.is_empty() { "no worker of it is there now; it holds for those that begin".to_owned() } else { lines.join("\n") })
    }
}

/// Returns a worker's offer as JSON, without the rates of the engines.
fn worker(WorkerOffer { id, host, takes, engines, jobs, cached: _, bytes_per_second }: &WorkerOffer) -> Value {
    let engines: Vec<Value> = engines
        .iter()
        .map(|own| {
            let offer = &own.offered.offer;
            json!({ "engine": offer.engine, "device": offer.device, "places": own.places, "version": offer.version })
        })
        .collect();
    json!({ "id": id, "host": host, "takes": takes, "engines": engines, "jobs": jobs, "bytes_per_second": bytes_per_second })
}

/// Returns the name of an engine in the form in which users write it on the command line.
pub(super) fn engine_in_words(engine: EngineName) -> &'static str {
    match engine {
        EngineName::Cpu => "cpu",
        EngineName::Cuda => "cuda",
    }
}

fn state_in_words(state: JobStatus) -> &'static str {
    match state {
        JobStatus::Queued => "queued",
        JobStatus::Running => "running",
        JobStatus::Succeeded => "succeeded",
        JobStatus::Failed => "failed",
        JobStatus::Cancelled => "cancelled",
    }
}

fn takes_in_words(takes: WorkerAvailability) -> &'static str {
    match takes {
        WorkerAvailability::Jobs => "jobs",
        WorkerAvailability::Drained => "drained",
        WorkerAvailability::Stopping => "stopping",
    }
}
