//! Print: the output of administration commands, as tables for people or as JSON for programs (`AdminPrinter`).

use explain::snapshot::JobStatus;
use kernels::humanize::grouped;
use kernels::plan::EngineName;
use serde_json::{Value, json};

use super::links::{DroppedLink, ListedLink};
use crate::jobs::operator::JobListing;
use crate::storage::ports::offers::{WorkerAvailability, WorkerOffer};

/// Text of an empty table cell.
const EMPTY_CELL: &str = "-";

/// A printer of results to standard output, as a table or as JSON.
#[derive(Clone, Copy, Debug)]
pub(super) struct AdminPrinter {
    /// Whether to print JSON instead of a table.
    pub(super) is_json: bool,
}

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

    /// Prints a table or JSON list of links.
    pub(super) fn links(self, links: &[ListedLink]) -> anyhow::Result<()> {
        if self.is_json {
            return print(&serde_json::to_string_pretty(links)?);
        }
        let row = |link: &ListedLink| {
            [
                link.id.to_string(),
                link.kind.unwrap_or("unreadable").to_owned(),
                age(link.age_seconds),
                link.ends_in_seconds.map_or_else(|| "stays".into(), age),
                link.bytes.map_or_else(|| EMPTY_CELL.into(), grouped),
            ]
        };
        print(&table(["ID", "KIND", "AGE", "ENDS IN", "BYTES"], links.iter().map(row)))
    }

    /// Prints for each link whether it existed and was deleted.
    pub(super) fn dropped(self, links: &[DroppedLink]) -> anyhow::Result<()> {
        if self.is_json {
            return print(&serde_json::to_string_pretty(links)?);
        }
        let line = |link: &DroppedLink| {
            let done = if link.was_here { "is deleted" } else { "was not here" };
            format!("link {} {done}", link.id)
        };
        print(&links.iter().map(line).collect::<Vec<_>>().join("\n"))
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

#[expect(clippy::print_stdout, reason = "that is what the command is for")]
fn print(text: &str) -> anyhow::Result<()> {
    println!("{text}");
    Ok(())
}

/// Formats a table with aligned columns. `head` are the headings of the columns.
fn table<const COLUMNS: usize>(head: [&str; COLUMNS], rows: impl Iterator<Item = [String; COLUMNS]>) -> String {
    let rows: Vec<[String; COLUMNS]> = std::iter::once(head.map(ToOwned::to_owned)).chain(rows).collect();
    let widths: Vec<usize> = (0..COLUMNS).map(|at| rows.iter().map(|row| row[at].chars().count()).max().unwrap_or_default()).collect();
    let line = |row: &[String; COLUMNS]| {
        let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        cells.join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
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

/// Formats a duration such as "5 min". The unit is chosen so that the number is short.
fn age(seconds: u64) -> String {
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7_200 => format!("{} min", seconds / 60),
        7_200..172_800 => format!("{} h", seconds / 3_600),
        _ => format!("{} d", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_a_table_are_aligned() {
        let rows = [["1".to_owned(), "queued".into()], ["10 ü".into(), "-".into()]];
        assert_eq!(table(["ID", "STATE"], rows.into_iter()), "ID    STATE\n1     queued\n10 ü  -");
        assert_eq!(table(["ID", "STATE"], std::iter::empty()), "ID  STATE");
    }

    #[test]
    fn ages_are_printed_in_short_form() {
        for (seconds, said) in [(0, "0 s"), (119, "119 s"), (120, "2 min"), (7_199, "119 min"), (7_200, "2 h"), (172_800, "2 d")] {
            assert_eq!(age(seconds), said);
        }
    }
}
