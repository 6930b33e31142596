//! Gauges that are read when an operator requests the metrics, such as jobs of this process and of the cluster, stored
//! bytes, and memory of GPUs (`update_gauges`, `update_cluster_gauges`).

use std::time::Duration;

use metrics::gauge;
use tokio::time::timeout;
use tracing::warn;

use crate::ServerState;
use crate::ops::metrics::{
    CLIENTS, CONNECTIONS, DATABASE, DATABASE_LIMIT, DEVICE, DEVICE_FREE, DISK_CACHE, DISK_FREE, ENGINES, RUNNING, SITE_JOBS, SITE_SECONDS,
    SITE_WORKERS, STORE, STORE_LIMIT, STREAMS, WAITING, engine_label, lane_label,
};
use crate::storage::ports::offers::{WorkerAvailability, WorkerOffer};
use crate::storage::ports::queue::EngineBacklog;

/// Timeout for reading the state of the cluster's queue from NATS.
const QUEUE_READ_TIMEOUT: Duration = Duration::from_secs(2);

/// Updates the gauges of the cluster's queue: jobs, expected time, and workers for each engine. Changes nothing if this
/// process belongs to no cluster, or if NATS does not answer in time.
pub(super) async fn update_cluster_gauges(state: &ServerState) {
    match timeout(QUEUE_READ_TIMEOUT, state.jobs.backlogs()).await {
        Ok(Ok(queued)) => {
            let mut workers = state.jobs.workers();
            workers.retain(|worker| worker.takes == WorkerAvailability::Jobs);
            for EngineBacklog { engine, jobs, ms } in queued {
                let name = engine_label(engine);
                gauge!(SITE_JOBS, "engine" => name).set(jobs as f64);
                gauge!(SITE_SECONDS, "engine" => name).set(ms as f64 / 1e3);
                // A process with only the worker role does not receive the offers of other workers.
                if !state.config.roles.web && !state.config.roles.sweeper {
                    continue;
                }
                let has_it = |worker: &&WorkerOffer| worker.engines.iter().any(|own| own.offered.offer.engine == engine);
                gauge!(SITE_WORKERS, "engine" => name).set(workers.iter().filter(has_it).count() as f64);
            }
        }
        Ok(Err(cause)) => warn!("queue in NATS cannot be read: {cause:#}"),
        Err(_) => warn!("queue in NATS cannot be read: timeout"),
    }
}

/// Updates the gauges of this process, such as jobs, stored bytes and memory of GPUs. Blocks for a moment, because it
/// reads the free disk space.
pub(super) fn update_gauges(state: &ServerState) {
    for (line, waiting, running) in state.jobs.class_counts() {
        let (engine, lane) = (engine_label(line.engine), lane_label(line.brief));
        gauge!(WAITING, "engine" => engine, "lane" => lane).set(waiting as f64);
        gauge!(RUNNING, "engine" => engine, "lane" => lane).set(running as f64);
    }
    gauge!(STORE).set(state.store.files.usage().used_bytes as f64);
    gauge!(STORE_LIMIT).set(state.config.max_data_bytes as f64);
    gauge!(DATABASE).set(state.store.row_bytes() as f64);
    gauge!(DATABASE_LIMIT).set(state.config.max_database_bytes as f64);
    if let Some(cache) = &state.store.disk_cache {
        gauge!(DISK_CACHE).set(cache.bytes_of_copies() as f64);
    }
    if let Some(free) = crate::ops::disk::free_bytes(&state.config.data) {
        gauge!(DISK_FREE).set(free as f64);
    }
    gauge!(CLIENTS).set(state.budgets.clients() as f64);
    let offers = state.engines.offers();
    for engine in &state.config.engines {
        let name = engine_label(*engine);
        let offered = offers.iter().any(|offer| offer.engine == *engine);
        gauge!(ENGINES, "engine" => name).set(f64::from(u8::from(offered)));
        for (id, device) in state.engines.devices(*engine) {
            let Some(memory) = device.device_memory() else { continue };
            let device = id.ordinal.to_string();
            gauge!(DEVICE_FREE, "engine" => name, "device" => device.clone()).set(memory.free as f64);
            gauge!(DEVICE, "engine" => name, "device" => device).set(memory.total as f64);
        }
    }
    // Creates both gauges, so that they are listed before the first connection or stream.
    gauge!(CONNECTIONS).increment(0.0);
    gauge!(STREAMS).increment(0.0);
}

#[cfg(test)]
mod tests {
    use kernels::job::{JobOptions, Task};
    use kernels::plan::{DeviceMemory, EngineName};
    use kernels::run::{Halt, Run};
    use kernels::task::Solution;
    use kernels::text::Pair;
    use metrics_exporter_prometheus::PrometheusBuilder;

    use super::*;
    use crate::config::Config;
    use crate::engines::{ComputeEngine, EnginePool};

    /// A device that runs nothing and reports this memory.
    #[derive(Debug)]
    struct IdleDevice(Option<DeviceMemory>);

    impl ComputeEngine for IdleDevice {
        fn name(&self) -> EngineName {
            EngineName::Cuda
        }

        fn run(&self, _: Task, _: &JobOptions, _: &Pair, _: &Run) -> Result<Solution, Halt> {
            Err(Halt::Stopped)
        }

        fn is_gone(&self) -> bool {
            false
        }

        fn device_memory(&self) -> Option<DeviceMemory> {
            self.0
        }
    }

    async fn told(memory: Option<DeviceMemory>) -> String {
        let folder = tempfile::tempdir().unwrap();
        let config = Config { data: folder.path().to_owned(), ..Config::read(|_| None).unwrap() };
        let state = ServerState::with_engines(config, EnginePool::new(vec![Box::new(IdleDevice(memory))], Vec::new())).await.unwrap();
        let recorder = PrometheusBuilder::new().build_recorder();
        metrics::with_local_recorder(&recorder, || update_gauges(&state));
        recorder.handle().render()
    }

    #[tokio::test]
    async fn device_memory_is_reported() {
        let text = told(Some(DeviceMemory { free: 3 << 30, total: 8 << 30 })).await;
        assert!(text.contains("editscope_device_free_bytes{engine=\"cuda\",device=\"0\"} 3221225472"), "{text}");
        assert!(text.contains("editscope_device_bytes{engine=\"cuda\",device=\"0\"} 8589934592"), "{text}");
        assert!(!told(None).await.contains("editscope_device"), "a device without an answer has no metric");
    }
}
