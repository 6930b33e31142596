//! Metrics in Prometheus' text format, for operators. Events are counted when they happen. The listener of
//! [`http::metrics`](crate::http::metrics) reads gauges on request. Nothing is counted without a listener.

use std::time::Duration;

use explain::snapshot::JobSnapshot;
use kernels::plan::EngineName;
use metrics::{Gauge, Unit, counter, describe_counter, describe_gauge, describe_histogram, gauge, histogram};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};

pub(crate) const REQUESTS: &str = "editscope_requests_total";
pub(crate) const REQUEST_SECONDS: &str = "editscope_request_seconds";
pub(crate) const REFUSALS: &str = "editscope_refusals_total";
pub(crate) const CONNECTIONS: &str = "editscope_connections_open";
pub(crate) const STREAMS: &str = "editscope_event_streams_open";
pub(crate) const WAITING: &str = "editscope_jobs_waiting";
pub(crate) const RUNNING: &str = "editscope_jobs_running";
pub(crate) const JOBS: &str = "editscope_jobs_total";
pub(crate) const WAIT_SECONDS: &str = "editscope_job_wait_seconds";
pub(crate) const STAGE_SECONDS: &str = "editscope_job_stage_seconds";
pub(crate) const JOB_SECONDS: &str = "editscope_job_seconds";
pub(crate) const CELLS: &str = "editscope_cells_total";
pub(crate) const JOB_BYTES: &str = "editscope_job_peak_bytes";
pub(crate) const STORE: &str = "editscope_store_bytes";
pub(crate) const STORE_LIMIT: &str = "editscope_store_bytes_limit";
pub(crate) const DATABASE: &str = "editscope_database_bytes";
pub(crate) const DATABASE_LIMIT: &str = "editscope_database_bytes_limit";
pub(crate) const DISK_FREE: &str = "editscope_disk_free_bytes";
pub(crate) const SITE_JOBS: &str = "editscope_site_jobs";
pub(crate) const SITE_SECONDS: &str = "editscope_site_seconds";
pub(crate) const SITE_WORKERS: &str = "editscope_site_workers";
pub(crate) const TAKEN: &str = "editscope_jobs_taken_total";
pub(crate) const QUEUED_AGAIN: &str = "editscope_jobs_queued_again_total";
pub(crate) const GIVEN_UP: &str = "editscope_jobs_given_up_total";
pub(crate) const NEAR_READS: &str = "editscope_disk_cache_reads_total";
pub(crate) const DISK_CACHE: &str = "editscope_disk_cache_bytes";
pub(crate) const LIMITS: &str = "editscope_limits_reached_total";
pub(crate) const CLIENTS: &str = "editscope_clients_known";
pub(crate) const DEVICE_FREE: &str = "editscope_device_free_bytes";
pub(crate) const DEVICE: &str = "editscope_device_bytes";
pub(crate) const ENGINES: &str = "editscope_engine_offered";

/// Upper bounds of the histogram buckets for durations, in seconds.
const DURATION_BUCKETS: [f64; 14] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0, 120.0, 600.0];

/// Upper bounds of the histogram buckets for sizes, in bytes.
const SIZE_BUCKETS: [f64; 8] = [1e6, 1e7, 1e8, 5e8, 1e9, 4e9, 16e9, 64e9];

/// Installs the recorder of metrics in this process. Returns the handle that formats the recorded values.
///
/// # Errors
/// Returns an error if this process already has a recorder.
pub fn start() -> anyhow::Result<PrometheusHandle> {
    let builder = PrometheusBuilder::new()
        .set_buckets_for_metric(Matcher::Suffix("_seconds".into()), &DURATION_BUCKETS)?
        .set_buckets_for_metric(Matcher::Suffix("_peak_bytes".into()), &SIZE_BUCKETS)?;
    let recorder = builder.build_recorder();
    let handle = recorder.handle();
    metrics::set_global_recorder(recorder).map_err(|_| anyhow::anyhow!("this process has metrics already"))?;
    describe();
    Ok(handle)
}

fn describe() {
    describe_counter!(REQUESTS, "Requests that were answered, by route, never by path");
    describe_histogram!(REQUEST_SECONDS, Unit::Seconds, "Time until an answer begins");
    describe_counter!(REFUSALS, "Problem documents, by the last part of their type");
    describe_counter!(LIMITS, "What was refused because one client, or all of them, had as much as may be, by limit");
    describe_gauge!(CLIENTS, "Clients whose use of their budgets is remembered");
    describe_gauge!(CONNECTIONS, "Connections that are open");
    describe_gauge!(STREAMS, "Streams of events that are open");
    describe_gauge!(WAITING, "Jobs that wait, by engine and lane");
    describe_gauge!(RUNNING, "Jobs that run, by engine and lane");
    describe_gauge!(SITE_JOBS, "Jobs in the queue of the site that have not ended, those that run among them, by engine");
    describe_gauge!(SITE_SECONDS, Unit::Seconds, "Time that they are expected to take, by engine");
    describe_gauge!(SITE_WORKERS, "Workers of the site that take jobs, by engine");
    describe_counter!(TAKEN, "Jobs that this worker has taken from the queue of the site, by attempt");
    describe_counter!(QUEUED_AGAIN, "Jobs without a message that this sweeper has queued again");
    describe_counter!(GIVEN_UP, "Jobs that failed since no worker has ended them");
    describe_counter!(JOBS, "Jobs that have ended, by how");
    describe_histogram!(WAIT_SECONDS, Unit::Seconds, "Time from a job's acceptance to its start");
    describe_histogram!(STAGE_SECONDS, Unit::Seconds, "Time of a job in each stage");
    describe_histogram!(JOB_SECONDS, Unit::Seconds, "Time of a job from its start to its end");
    describe_counter!(CELLS, "Cells of the jobs that have ended");
    describe_histogram!(JOB_BYTES, Unit::Bytes, "Most memory that a job held, on a GPU that of the device");
    describe_gauge!(STORE, Unit::Bytes, "Texts and results in the data folder");
    describe_gauge!(STORE_LIMIT, Unit::Bytes, "As many as there may be");
    describe_gauge!(DATABASE, Unit::Bytes, "The database in the data folder; 0 where that is PostgreSQL");
    describe_gauge!(DATABASE_LIMIT, Unit::Bytes, "As large as it may be");
    describe_counter!(NEAR_READS, "Contents of the bucket that were read whole, of 64 KiB and more, by whether a copy was found here");
    describe_gauge!(DISK_CACHE, Unit::Bytes, "Copies of them in the data folder");
    describe_gauge!(DISK_FREE, Unit::Bytes, "Room on the data folder's disk");
    describe_gauge!(DEVICE_FREE, Unit::Bytes, "Memory of an engine's device that jobs can have, by engine and number of the device");
    describe_gauge!(DEVICE, Unit::Bytes, "Memory of an engine's device, by engine and number of the device");
    describe_gauge!(ENGINES, "Whether an engine is offered");
}

/// Counts a request that was answered with the status `status`, and records the duration `took` until its answer began.
pub(crate) fn request_answered(method: &'static str, route: &str, status: u16, took: Duration) {
    counter!(REQUESTS, "method" => method, "route" => route.to_owned(), "status" => status.to_string()).increment(1);
    histogram!(REQUEST_SECONDS, "route" => route.to_owned()).record(took.as_secs_f64());
}

/// Counts a problem document that was sent to a client. `reason` is the last part of the problem's type.
pub(crate) fn problem_sent(reason: &'static str) {
    counter!(REFUSALS, "reason" => reason).increment(1);
}

/// Counts a request that was refused because a client, or all clients together, have reached the limit with the name
/// `limit`.
pub(crate) fn limit_reached(limit: &'static str) {
    counter!(LIMITS, "limit" => limit).increment(1);
}

/// Counts a job that this process took from the cluster's queue. `attempt` is the number of the attempt to solve the
/// job.
pub fn job_claimed(attempt: u32) {
    counter!(TAKEN, "attempt" => attempt.to_string()).increment(1);
}

/// Counts a job that this sweeper queued again because the job's queue message was lost.
pub fn job_queued_again() {
    counter!(QUEUED_AGAIN).increment(1);
}

/// Counts a job that failed because all attempts to solve it were used up.
pub fn job_given_up() {
    counter!(GIVEN_UP).increment(1);
}

/// Counts a read of a whole large file that is stored in the bucket. `found` tells whether the local disk cache had a
/// copy.
pub(crate) fn disk_cache_read(found: bool) {
    counter!(NEAR_READS, "found" => if found { "yes" } else { "no" }).increment(1);
}

/// Counts a job that has ended, and records the durations of its stages, its cells and its memory.
pub(crate) fn job_ended(snapshot: &JobSnapshot) {
    let state = serde_json::to_value(snapshot.state).ok().and_then(|state| state.as_str().map(str::to_owned)).unwrap_or_default();
    let (engine, lane) = snapshot.plan.as_ref().map_or(("none", "none"), |plan| (engine_label(plan.engine), lane_label(plan.is_brief())));
    counter!(JOBS, "task" => snapshot.task.name(), "engine" => engine, "state" => state).increment(1);
    for (name, value) in &snapshot.metrics {
        let Some(stage) = name.strip_suffix("_ms") else { continue };
        let seconds = value / 1e3;
        match stage {
            "queue" => histogram!(WAIT_SECONDS, "engine" => engine, "lane" => lane).record(seconds),
            "total" => histogram!(JOB_SECONDS, "engine" => engine, "task" => snapshot.task.name()).record(seconds),
            _ => histogram!(STAGE_SECONDS, "engine" => engine, "stage" => stage.to_owned()).record(seconds),
        }
    }
    if let Some(cells) = snapshot.metrics.get("cells") {
        counter!(CELLS, "engine" => engine).increment(*cells as u64);
    }
    if let Some(bytes) = snapshot.metrics.get("peak_bytes") {
        histogram!(JOB_BYTES, "engine" => engine).record(*bytes);
    }
}

/// Returns the metric label of an engine.
pub(crate) fn engine_label(engine: EngineName) -> &'static str {
    match engine {
        EngineName::Cpu => "cpu",
        EngineName::Cuda => "cuda",
    }
}

/// Returns the metric label of brief or large jobs.
pub(crate) fn lane_label(brief: bool) -> &'static str {
    if brief { "brief" } else { "long" }
}

/// An open connection or event stream, counted in a gauge until it is dropped.
pub(crate) struct OpenGauge(Gauge);

impl OpenGauge {
    /// Counts an open connection until the returned value is dropped.
    pub(crate) fn connection() -> Self {
        Self::of(gauge!(CONNECTIONS))
    }

    /// Counts an open event stream until the returned value is dropped.
    pub(crate) fn event_stream() -> Self {
        Self::of(gauge!(STREAMS))
    }

    fn of(gauge: Gauge) -> Self {
        gauge.increment(1.0);
        Self(gauge)
    }
}

impl Drop for OpenGauge {
    fn drop(&mut self) {
        self.0.decrement(1.0);
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn dashboard_uses_only_existing_metrics() {
        let dashboard: serde_json::Value = serde_json::from_str(include_str!("../../../deploy/grafana.json")).unwrap();
        let panels = dashboard["panels"].as_array().unwrap();
        let expressions: Vec<&str> =
            panels.iter().flat_map(|panel| panel["targets"].as_array().unwrap()).map(|target| target["expr"].as_str().unwrap()).collect();
        assert!(expressions.len() > panels.len(), "{expressions:?}");
        for expression in expressions {
            let (_, name) = expression.split_once("editscope_").unwrap();
            let name = name.split(|letter: char| !(letter.is_ascii_lowercase() || letter == '_')).next().unwrap();
            let name = name.strip_suffix("_bucket").unwrap_or(name);
            assert!(include_str!("metrics.rs").contains(&format!("= \"editscope_{name}\";")), "{expression}");
        }
    }
}
