//! Offers: what the workers of a site offer, and which of them are there. Web nodes plan with them, and say what the site computes with.
//!
//! - [`nats`]: a bucket in NATS, in which each worker keeps its own
//! - [`cached`]: which texts of a job a worker has in its cache
//! - [`present`]: the processes that solve brief jobs where they arrive
//!
//! A worker that stops takes its offer back; one that is killed says nothing any more, and its offer is over a little later. An offer has the version of
//! its form: one of another version is passed over, so that workers and web nodes of a site may be replaced one by one.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use kernels::plan::{EngineName, known};
use serde::{Deserialize, Serialize};
use tracing::warn;

use crate::engines::Offered;
use crate::id::Id;
use crate::ports::files::HashPrefix;

pub mod cached;
pub mod nats;
pub mod present;

/// How often a worker says what it offers, whether that has changed or not.
pub const EVERY: Duration = Duration::from_secs(5);

/// How long an offer holds of which nothing more is heard.
pub const LIFETIME: Duration = Duration::from_secs(20);

/// The version of offers that this program writes and reads.
pub const VERSION: u32 = 1;

/// What a worker takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Takes {
    /// Jobs, as long as it has places.
    Jobs,
    /// Nothing more, since an operator has said so, until another says otherwise.
    Drained,
    /// Nothing more: its process is about to end.
    Stopping,
}

/// What a worker offers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkerOffer {
    /// Of its process.
    pub id: String,
    /// The machine that it runs on.
    pub host: String,
    /// Whether it takes jobs now.
    pub takes: Takes,
    /// What it computes with. Engines that this version does not know are left out when it is read.
    #[serde(deserialize_with = "known")]
    pub engines: Vec<EngineOffer>,
    /// The jobs that it has.
    pub jobs: Vec<Id>,
    /// Large texts that it has in its cache, at most [`cached::MOST`]. A worker of a version from before that was said names none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cached: Vec<HashPrefix>,
    /// How fast other texts came to it lately. None where it has fetched no large one, and of versions from before that was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes_per_second: Option<f64>,
}

/// An engine of a worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EngineOffer {
    /// What the planner needs.
    #[serde(flatten)]
    pub offered: Offered,
    /// Jobs that it runs at a time, on all of its devices.
    pub places: usize,
    /// Devices that it runs them on, each of the same kind.
    #[serde(default = "one")]
    pub devices: usize,
}

/// Of a worker that does not say how many devices it has.
fn one() -> usize {
    1
}

/// What an offer says, with the version of its form.
#[derive(Debug, Serialize, Deserialize)]
struct Said<W> {
    version: u32,
    #[serde(flatten)]
    worker: W,
}

/// The version of an offer of any.
#[derive(Debug, Deserialize)]
struct Version {
    version: u32,
}

/// Nothing of a worker but that its offer has a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an offer has a form of another version")]
pub struct OtherVersion;

/// How many workers take jobs of an engine, and how many they run at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capacity {
    /// Workers, at least 1.
    pub workers: u64,
    /// Places of all of them, at least 1.
    pub places: u64,
}

impl Capacity {
    /// Of one worker that runs one job at a time.
    pub const ONE: Self = Self { workers: 1, places: 1 };

    /// Of those workers that take jobs of this engine, or would, where none does.
    pub fn of(workers: &[WorkerOffer], engine: EngineName) -> Self {
        let places = |worker: &WorkerOffer| {
            let own = worker.engines.iter().filter(|own| own.offered.offer.engine == engine).map(|own| own.places as u64);
            Some(own.sum::<u64>()).filter(|places| *places > 0)
        };
        let places: Vec<u64> = taking(workers).into_iter().filter_map(places).collect();
        Self { workers: (places.len() as u64).max(1), places: places.iter().sum::<u64>().max(1) }
    }
}

/// Those that take jobs. Where none does, all: whoever was told to take nothing more will take jobs again, or another in its place, and jobs wait until then.
pub fn taking(workers: &[WorkerOffer]) -> Vec<&WorkerOffer> {
    let taking: Vec<&WorkerOffer> = workers.iter().filter(|worker| worker.takes == Takes::Jobs).collect();
    if taking.is_empty() { workers.iter().collect() } else { taking }
}

impl WorkerOffer {
    /// As it is written.
    pub fn to_json(&self) -> Vec<u8> {
        serde_json::to_vec(&Said { version: VERSION, worker: self }).expect("an offer has string keys and finite numbers")
    }

    /// Reads one.
    ///
    /// # Errors
    /// When another version of this program wrote it.
    pub fn read(json: &[u8]) -> Result<Self, OtherVersion> {
        let version = serde_json::from_slice::<Version>(json).map_err(|_| OtherVersion)?.version;
        let said: Option<Said<Self>> = (version == VERSION).then(|| serde_json::from_slice(json).ok()).flatten();
        said.map(|said| said.worker).ok_or(OtherVersion)
    }
}

/// The workers that are known. Pure: it is told what time it is.
#[derive(Debug, Default)]
pub struct KnownWorkers {
    workers: BTreeMap<String, Heard>,
    /// Whose offers could not be read, each of which is warned of once.
    unreadable: BTreeSet<String>,
}

/// What was heard of a worker last.
#[derive(Debug)]
struct Heard {
    worker: WorkerOffer,
    /// Which of its offers, as the bucket counts them.
    revision: u64,
    at: Instant,
}

impl KnownWorkers {
    /// A worker's offer was heard. One that was heard before, and is read again, holds no longer for it.
    pub fn hear(&mut self, key: &str, revision: u64, json: &[u8], now: Instant) {
        if self.workers.get(key).is_some_and(|heard| heard.revision == revision) {
            return;
        }
        match WorkerOffer::read(json) {
            Ok(worker) => {
                self.unreadable.remove(key);
                self.workers.insert(key.into(), Heard { worker, revision, at: now });
            }
            Err(cause) => {
                self.workers.remove(key);
                if self.unreadable.insert(key.into()) {
                    warn!("the worker {key} is passed over: {cause}");
                }
            }
        }
    }

    /// A worker has taken its offer back.
    pub fn forget(&mut self, key: &str) {
        self.workers.remove(key);
        self.unreadable.remove(key);
    }

    /// Those whose offers hold, by their hosts and ids.
    pub fn current(&mut self, now: Instant) -> Vec<WorkerOffer> {
        self.workers.retain(|_, heard| now.saturating_duration_since(heard.at) < LIFETIME);
        let mut workers: Vec<WorkerOffer> = self.workers.values().map(|heard| heard.worker.clone()).collect();
        workers.sort_by(|x, y| (&x.host, &x.id).cmp(&(&y.host, &y.id)));
        workers
    }
}

#[cfg(test)]
pub(crate) mod tests;
