//! Offers: each worker of a cluster publishes its engines and their rates ([`WorkerOffer`]). Web nodes use the offers
//! to plan jobs, to see which workers are alive, and to show the engines of the cluster.
//!
//! - [`nats`]: key-value bucket in NATS with one offer for each worker
//! - [`cached`]: texts of a job in the caches of workers
//! - [`presence`]: processes that solve brief jobs where they arrive
//!
//! A stopping worker withdraws its offer. The offer of a killed worker expires a little later. An offer has a format
//! version. Offers of another version are ignored, so that workers and web nodes can be upgraded one by one.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use kernels::plan::{EngineName, MeasuredOffer, known};
use serde::{Deserialize, Serialize};
use tracing::warn;

use crate::id::Id;
use crate::storage::ports::files::HashPrefix;

pub mod cached;
#[cfg(feature = "cluster")]
pub mod nats;
#[cfg(feature = "cluster")]
pub mod presence;

/// Interval at which a worker publishes its offer, even if the offer has not changed.
pub const OFFER_INTERVAL: Duration = Duration::from_secs(5);

/// Time after which an offer expires if it is not renewed.
pub const OFFER_TTL: Duration = Duration::from_secs(20);

/// Format version of the offers that this program writes and reads.
pub const VERSION: u32 = 1;

/// The answer to whether a worker accepts jobs, and if not, why.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WorkerAvailability {
    /// The worker accepts jobs as long as it has free slots.
    Jobs,
    /// The worker accepts no jobs, because an operator has drained it, until the operator reverts the command.
    Drained,
    /// The worker accepts no jobs, because its process is about to end.
    Stopping,
}

/// The offer of one worker: its engines, the jobs that it runs and the texts that it has cached. The worker publishes
/// it, and other processes read it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkerOffer {
    pub id: String,
    /// Name of the machine on which the worker runs.
    pub host: String,
    /// Whether the worker accepts jobs now.
    pub takes: WorkerAvailability,
    /// Engines (kinds of processors) of the worker. Parsing drops engines that this version does not know.
    #[serde(deserialize_with = "known")]
    pub engines: Vec<EngineOffer>,
    /// Jobs that the worker runs now.
    pub jobs: Vec<Id>,
    /// Hash prefixes of large texts of which the worker has a local copy, at most [`cached::MAX_CACHED_TEXTS`]. Empty
    /// for workers of older versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cached: Vec<HashPrefix>,
    /// Recent transfer rate of texts that were not cached, in bytes per second. `None` before the first large text, and
    /// for workers of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes_per_second: Option<f64>,
}

/// The part of a worker's offer for one engine: its measured speed, its slots and its devices.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EngineOffer {
    /// Measured properties of the engine, from which the planner estimates times.
    #[serde(flatten)]
    pub offered: MeasuredOffer,
    /// Number of slots: jobs that the engine can run concurrently, on all of its devices together.
    pub places: usize,
    /// Number of devices of the engine, all of the same kind.
    #[serde(default = "one")]
    pub devices: usize,
}

/// Returns the assumed number of devices of an engine in an offer of an older version, which does not state this
/// number.
fn one() -> usize {
    1
}

/// An offer in its serialized form, with the version of the format.
#[derive(Debug, Serialize, Deserialize)]
struct VersionedOffer<W> {
    version: u32,
    #[serde(flatten)]
    worker: W,
}

/// The part of a serialized offer that every version has: the version of the format.
#[derive(Debug, Deserialize)]
struct OfferVersion {
    version: u32,
}

/// The error for an offer that another version of this program wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an offer has a form of another version")]
pub struct OfferVersionError;

/// The capacity of one engine in a cluster: the workers that accept jobs for it, and their slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EngineCapacity {
    /// Number of workers, at least 1.
    pub workers: u64,
    /// Number of slots (jobs that can run concurrently) of all these workers, at least 1.
    pub places: u64,
}

impl EngineCapacity {
    /// The capacity of one worker that runs one job at a time.
    pub const ONE: Self = Self { workers: 1, places: 1 };

    /// Sums the capacity of `engine` over the [`accepting_workers`] among `workers`.
    pub fn of(workers: &[WorkerOffer], engine: EngineName) -> Self {
        let places = |worker: &WorkerOffer| {
            let own = worker.engines.iter().filter(|own| own.offered.offer.engine == engine).map(|own| own.places as u64);
            Some(own.sum::<u64>()).filter(|places| *places > 0)
        };
        let places: Vec<u64> = accepting_workers(workers).into_iter().filter_map(places).collect();
        Self { workers: (places.len() as u64).max(1), places: places.iter().sum::<u64>().max(1) }
    }
}

/// Returns the workers that accept jobs. If none does, returns all `workers`, because jobs then wait until a worker
/// accepts jobs again or is replaced.
pub fn accepting_workers(workers: &[WorkerOffer]) -> Vec<&WorkerOffer> {
    let taking: Vec<&WorkerOffer> = workers.iter().filter(|worker| worker.takes == WorkerAvailability::Jobs).collect();
    if taking.is_empty() { workers.iter().collect() } else { taking }
}

impl WorkerOffer {
    /// Serializes the offer as JSON with the version of its format.
    pub fn to_json(&self) -> Vec<u8> {
        serde_json::to_vec(&VersionedOffer { version: VERSION, worker: self }).expect("an offer has string keys and finite numbers")
    }

    /// Parses an offer.
    ///
    /// # Errors
    /// Returns an error if another version of this program wrote the offer.
    pub fn read(json: &[u8]) -> Result<Self, OfferVersionError> {
        let version = serde_json::from_slice::<OfferVersion>(json).map_err(|_| OfferVersionError)?.version;
        let said: Option<VersionedOffer<Self>> = (version == VERSION).then(|| serde_json::from_slice(json).ok()).flatten();
        said.map(|said| said.worker).ok_or(OfferVersionError)
    }
}

/// The workers whose offers were received. The type does no input or output: the caller passes offers and the time.
#[derive(Debug, Default)]
pub struct KnownWorkers {
    workers: BTreeMap<String, ReceivedOffer>,
    /// Keys of workers whose last offer could not be parsed, so that each is logged once.
    unreadable: BTreeSet<String>,
}

/// The last offer received from a worker, and the time when it was received.
#[derive(Debug)]
struct ReceivedOffer {
    worker: WorkerOffer,
    /// Number by which NATS distinguishes successive offers of one worker.
    revision: u64,
    received_at: Instant,
}

impl KnownWorkers {
    /// Records the offer `json` of the worker `key`, received at the time `now`. `revision` is its number in NATS: the
    /// same revision, received again, does not extend the lifetime of the offer.
    pub fn record_offer(&mut self, key: &str, revision: u64, json: &[u8], now: Instant) {
        if self.workers.get(key).is_some_and(|heard| heard.revision == revision) {
            return;
        }
        match WorkerOffer::read(json) {
            Ok(worker) => {
                self.unreadable.remove(key);
                self.workers.insert(key.into(), ReceivedOffer { worker, revision, received_at: now });
            }
            Err(cause) => {
                self.workers.remove(key);
                if self.unreadable.insert(key.into()) {
                    warn!("ignoring worker {key}: {cause}");
                }
            }
        }
    }

    /// Removes the worker `key`, which has withdrawn its offer.
    pub fn forget(&mut self, key: &str) {
        self.workers.remove(key);
        self.unreadable.remove(key);
    }

    /// Returns the workers whose offers have not expired at the time `now`, sorted by host and id.
    pub fn current(&mut self, now: Instant) -> Vec<WorkerOffer> {
        self.workers.retain(|_, heard| now.saturating_duration_since(heard.received_at) < OFFER_TTL);
        let mut workers: Vec<WorkerOffer> = self.workers.values().map(|heard| heard.worker.clone()).collect();
        workers.sort_by(|x, y| (&x.host, &x.id).cmp(&(&y.host, &y.id)));
        workers
    }
}

#[cfg(test)]
pub(crate) mod tests;
