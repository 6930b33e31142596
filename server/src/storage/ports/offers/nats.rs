//! Offers in NATS ([`ClusterOffers`]): a key-value bucket with one key for each worker, whose values expire with the
//! offers. A second bucket has the workers and hosts that an operator drained, until the command is reverted.
//!
//! Web nodes watch the first bucket. They read it again after a silence, so that restarted servers are noticed, even if
//! they lost their data. Known offers stay valid for their lifetime meanwhile. Workers, of which there may be a
//! thousand, read the bucket only on demand.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use async_nats::Subscriber;
use async_nats::jetstream::kv::{Entry, Operation, Store};
use async_nats::jetstream::stream::{Config, StorageType};
use axum::body::Bytes;
use futures::{StreamExt as _, TryStreamExt as _};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};
use tracing::warn;

use super::{KnownWorkers, OFFER_INTERVAL, OFFER_TTL, WorkerOffer};
use crate::storage::ports::nats::{NatsConnection, bucket};

#[cfg(test)]
#[cfg(unix)]
mod tests;

/// Name of the key-value bucket of offers in NATS.
const OFFER_BUCKET: &str = "EDITSCOPE_OFFERS";

/// Name of the key-value bucket of drained workers and hosts in NATS.
const DRAIN_BUCKET: &str = "EDITSCOPE_DRAINED";

/// Subject of the messages that announce changes of the bucket of drained workers and hosts.
const DRAIN_HINT_SUBJECT: &str = "hint.drained";

/// Time without a new offer after which the bucket of offers is read again. Workers publish offers more often.
const OFFER_SILENCE_TIMEOUT: Duration = Duration::from_secs(3 * OFFER_INTERVAL.as_secs());

/// Delay before a failed read of the bucket of offers is retried.
const OFFER_RETRY_DELAY: Duration = Duration::from_secs(1);

/// The workers to which a drain command applies. A drained worker takes no more jobs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DrainTarget {
    /// The worker process with this id.
    Worker(String),
    /// All worker processes of the machine with this name, including later ones.
    Host(String),
}

impl DrainTarget {
    fn key(&self) -> String {
        match self {
            Self::Worker(id) => format!("worker.{id}"),
            Self::Host(host) => format!("host.{host}"),
        }
    }
}

/// Access of this process to the offers of all workers of a cluster, and to the drain commands.
#[derive(Clone, Debug)]
pub struct ClusterOffers {
    pub(super) nats: NatsConnection,
    known_workers: Arc<Mutex<KnownWorkers>>,
    /// Task that watches the bucket of offers, or `None` if this process reads the offers on demand.
    watch: Option<Arc<OfferSubscription>>,
}

/// The task that receives offers. Aborted when the last clone of [`ClusterOffers`] is dropped.
#[derive(Debug)]
struct OfferSubscription(JoinHandle<()>);

impl Drop for OfferSubscription {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl ClusterOffers {
    /// Opens the offers on the connection `nats`, reads them, and watches them for changes if `watches` is set. Creates
    /// missing buckets.
    ///
    /// # Errors
    /// Returns an error if the buckets cannot be created or read.
    ///
    /// # Panics
    /// Panics outside of a Tokio runtime if `watches` is set.
    pub async fn open(nats: NatsConnection, watches: bool) -> anyhow::Result<Self> {
        for stream in [offers(), drained()] {
            nats.stream_at_start(stream).await?;
        }
        let known = Arc::<Mutex<KnownWorkers>>::default();
        let watch = watches.then(|| Arc::new(OfferSubscription(tokio::spawn(watch(nats.clone(), known.clone())))));
        let site = Self { nats, known_workers: known, watch };
        site.read().await?;
        Ok(site)
    }

    /// Returns the offers that this process has received and that have not expired, sorted by host and id.
    pub fn workers(&self) -> Vec<WorkerOffer> {
        lock(&self.known_workers).current(Instant::now())
    }

    /// Returns the offers that have not expired, sorted by host and id. Reads the offers from the servers if this
    /// process does not watch them. If the servers cannot be reached, returns the offers received before.
    pub async fn current(&self) -> Vec<WorkerOffer> {
        if self.watch.is_none()
            && let Err(cause) = self.read().await
        {
            warn!("workers cannot be listed: {cause:#}");
        }
        self.workers()
    }

    /// Reads the offers of all workers from the servers, and returns those that have not expired.
    ///
    /// # Errors
    /// Returns an error if the servers cannot be reached.
    pub async fn read(&self) -> anyhow::Result<Vec<WorkerOffer>> {
        let store = self.nats.key_values(OFFER_BUCKET, offers()).await?;
        let keys: Vec<String> =
            store.keys().await.context("NATS names no workers")?.try_collect().await.context("NATS names no workers")?;
        for key in keys {
            if let Some(entry) = store.entry(key).await.context("NATS does not say what a worker offers")? {
                record_entry(&self.known_workers, &entry);
            }
        }
        Ok(self.workers())
    }

    /// Publishes the offer `worker` of this process.
    ///
    /// # Errors
    /// Returns an error if the servers cannot be reached.
    pub async fn put(&self, worker: &WorkerOffer) -> anyhow::Result<()> {
        let store = self.nats.key_values(OFFER_BUCKET, offers()).await?;
        store.put(&worker.id, worker.to_json().into()).await.context("NATS does not take an offer")?;
        Ok(())
    }

    /// Removes the offer of the worker `id`, and the command to drain it.
    ///
    /// # Errors
    /// Returns an error if the servers cannot be reached.
    pub async fn withdraw(&self, id: &str) -> anyhow::Result<()> {
        self.nats.key_values(OFFER_BUCKET, offers()).await?.delete(id).await.context("NATS does not take an offer back")?;
        self.undrain(&DrainTarget::Worker(id.into())).await
    }

    /// Drains the workers of `whom`, so that they take no more jobs.
    ///
    /// # Errors
    /// Returns an error if the servers cannot be reached.
    pub async fn drain(&self, whom: &DrainTarget) -> anyhow::Result<()> {
        self.drained().await?.put(whom.key(), Bytes::new()).await.context("NATS does not take who is drained")?;
        self.publish_drain_hint().await
    }

    /// Reverts the command to drain `whom`.
    ///
    /// # Errors
    /// Returns an error if the servers cannot be reached.
    pub async fn undrain(&self, whom: &DrainTarget) -> anyhow::Result<()> {
        self.drained().await?.purge(whom.key()).await.context("NATS does not forget who is drained")?;
        self.publish_drain_hint().await
    }

    /// Returns whether an operator has drained any of the targets `whom`.
    ///
    /// # Errors
    /// Returns an error if the servers cannot be reached.
    pub async fn is_drained(&self, whom: &[DrainTarget]) -> anyhow::Result<bool> {
        let store = self.drained().await?;
        for whom in whom {
            if store.get(whom.key()).await.context("NATS does not say who is drained")?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Subscribes to the messages that announce changed drain commands. Such a message may be lost.
    ///
    /// # Errors
    /// Returns an error if the connection is closed.
    pub async fn drain_hints(&self) -> anyhow::Result<Subscriber> {
        Ok(self.nats.client.subscribe(DRAIN_HINT_SUBJECT).await?)
    }

    async fn drained(&self) -> anyhow::Result<Store> {
        self.nats.key_values(DRAIN_BUCKET, drained()).await
    }

    async fn publish_drain_hint(&self) -> anyhow::Result<()> {
        self.nats.client.publish(DRAIN_HINT_SUBJECT, Bytes::new()).await?;
        // This process may be about to end, so the message must be sent now.
        Ok(self.nats.client.flush().await?)
    }
}

fn offers() -> Config {
    bucket(OFFER_BUCKET, StorageType::Memory, Some(OFFER_TTL))
}

fn drained() -> Config {
    bucket(DRAIN_BUCKET, StorageType::File, None)
}

/// Records the offers of workers in `known` forever, as they are published. Logs the first failure of a series.
async fn watch(nats: NatsConnection, known: Arc<Mutex<KnownWorkers>>) {
    let mut is_told = false;
    loop {
        match listen(&nats, &known).await {
            Ok(()) => is_told = false,
            Err(cause) if !is_told => {
                is_told = true;
                warn!("offers of workers cannot be received: {cause:#}");
            }
            Err(_) => {}
        }
        sleep(OFFER_RETRY_DELAY).await;
    }
}

/// Records the offers in the bucket and their changes in `known`. Returns when there was no change for
/// [`OFFER_SILENCE_TIMEOUT`].
async fn listen(nats: &NatsConnection, known: &Mutex<KnownWorkers>) -> anyhow::Result<()> {
    let store = nats.key_values(OFFER_BUCKET, offers()).await?;
    let mut changes = store.watch_with_history(">").await.context("NATS does not tell of workers")?;
    while let Ok(Some(change)) = timeout(OFFER_SILENCE_TIMEOUT, changes.next()).await {
        record_entry(known, &change.context("NATS does not tell of workers")?);
    }
    Ok(())
}

fn record_entry(known: &Mutex<KnownWorkers>, entry: &Entry) {
    let mut known = lock(known);
    match entry.operation {
        Operation::Put => known.record_offer(&entry.key, entry.revision, &entry.value, Instant::now()),
        Operation::Delete | Operation::Purge => known.forget(&entry.key),
    }
}

fn lock(known: &Mutex<KnownWorkers>) -> std::sync::MutexGuard<'_, KnownWorkers> {
    // A poisoned lock is usable, because each change is a single insertion or removal.
    known.lock().unwrap_or_else(PoisonError::into_inner)
}
