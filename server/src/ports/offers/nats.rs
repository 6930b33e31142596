//! Offers in NATS: a bucket whose keys are workers and whose values are what they offer, kept for as long as an offer holds. A second one has the workers and
//! hosts that an operator has told to take nothing more, until it is said otherwise.
//!
//! Whoever plans jobs watches the first one and reads it again whenever it has heard nothing for a while, so that servers which begin again, also without what
//! they had, are heard. Whatever is not heard meanwhile holds for its lifetime. A worker, of which there may be a thousand, reads it when it has to know.

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

use super::{EVERY, KnownWorkers, LIFETIME, WorkerOffer};
use crate::ports::nats::{Nats, bucket};

#[cfg(test)]
#[cfg(unix)]
mod tests;

/// The bucket of offers.
const OFFERS: &str = "EDITSCOPE_OFFERS";

/// The bucket of workers and hosts that are to take nothing more.
const DRAINED: &str = "EDITSCOPE_DRAINED";

/// Told when the second bucket has changed.
const HINT: &str = "hint.drained";

/// Workers say what they offer more often than this. Where nothing is heard for so long, the bucket is read again.
const SILENCE: Duration = Duration::from_secs(3 * EVERY.as_secs());

/// How long after the bucket could not be read that is tried again.
const AGAIN: Duration = Duration::from_secs(1);

/// Whom an operator tells to take nothing more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Whom {
    /// One process, by its id.
    Worker(String),
    /// Every process of a host, those too that begin later.
    Host(String),
}

impl Whom {
    fn key(&self) -> String {
        match self {
            Self::Worker(id) => format!("worker.{id}"),
            Self::Host(host) => format!("host.{host}"),
        }
    }
}

/// What the workers of a site offer.
#[derive(Clone, Debug)]
pub struct SiteOffers {
    pub(super) nats: Nats,
    known: Arc<Mutex<KnownWorkers>>,
    /// Where what workers offer is heard as they say it.
    watch: Option<Arc<Watch>>,
}

/// The task that hears what workers offer. Ends with the last clone of the offers.
#[derive(Debug)]
struct Watch(JoinHandle<()>);

impl Drop for Watch {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl SiteOffers {
    /// Those on this connection, as they are now; from now on too where this process `watches` them. Makes the buckets where there are none.
    ///
    /// # Errors
    /// When they cannot be made.
    ///
    /// # Panics
    /// Outside of a runtime.
    pub async fn open(nats: Nats, watches: bool) -> anyhow::Result<Self> {
        for stream in [offers(), drained()] {
            nats.stream_at_start(stream).await?;
        }
        let known = Arc::<Mutex<KnownWorkers>>::default();
        let watch = watches.then(|| Arc::new(Watch(tokio::spawn(watch(nats.clone(), known.clone())))));
        let site = Self { nats, known, watch };
        site.read().await?;
        Ok(site)
    }

    /// The workers that are known, by their hosts and ids: what was heard of them within the lifetime of an offer.
    pub fn workers(&self) -> Vec<WorkerOffer> {
        lock(&self.known).current(Instant::now())
    }

    /// The workers that there are, by what was heard of them or, where this process does not watch them, by what the servers say. Those that were known last
    /// where they cannot be reached.
    pub async fn current(&self) -> Vec<WorkerOffer> {
        if self.watch.is_none()
            && let Err(cause) = self.read().await
        {
            warn!("it is not known which workers there are: {cause:#}");
        }
        self.workers()
    }

    /// The workers that the servers know now.
    ///
    /// # Errors
    /// When the servers cannot be reached.
    pub async fn read(&self) -> anyhow::Result<Vec<WorkerOffer>> {
        let store = self.nats.key_values(OFFERS, offers()).await?;
        let keys: Vec<String> =
            store.keys().await.context("NATS names no workers")?.try_collect().await.context("NATS names no workers")?;
        for key in keys {
            if let Some(entry) = store.entry(key).await.context("NATS does not say what a worker offers")? {
                hear(&self.known, &entry);
            }
        }
        Ok(self.workers())
    }

    /// Says what a worker offers.
    ///
    /// # Errors
    /// When the servers cannot be reached.
    pub async fn put(&self, worker: &WorkerOffer) -> anyhow::Result<()> {
        let store = self.nats.key_values(OFFERS, offers()).await?;
        store.put(&worker.id, worker.to_json().into()).await.context("NATS does not take an offer")?;
        Ok(())
    }

    /// Takes a worker's offer back, and what an operator has told that worker.
    ///
    /// # Errors
    /// When the servers cannot be reached.
    pub async fn withdraw(&self, id: &str) -> anyhow::Result<()> {
        self.nats.key_values(OFFERS, offers()).await?.delete(id).await.context("NATS does not take an offer back")?;
        self.undrain(&Whom::Worker(id.into())).await
    }

    /// Tells a worker or those of a host to take nothing more.
    ///
    /// # Errors
    /// When the servers cannot be reached.
    pub async fn drain(&self, whom: &Whom) -> anyhow::Result<()> {
        self.drained().await?.put(whom.key(), Bytes::new()).await.context("NATS does not take who is drained")?;
        self.tell_drained().await
    }

    /// Tells them to take jobs again.
    ///
    /// # Errors
    /// When the servers cannot be reached.
    pub async fn undrain(&self, whom: &Whom) -> anyhow::Result<()> {
        self.drained().await?.purge(whom.key()).await.context("NATS does not forget who is drained")?;
        self.tell_drained().await
    }

    /// Whether an operator has said so of one of these.
    ///
    /// # Errors
    /// When the servers cannot be reached.
    pub async fn is_drained(&self, whom: &[Whom]) -> anyhow::Result<bool> {
        let store = self.drained().await?;
        for whom in whom {
            if store.get(whom.key()).await.context("NATS does not say who is drained")?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Tells when who is drained has changed, as long as nothing is lost.
    ///
    /// # Errors
    /// When the connection is closed.
    pub async fn drain_hints(&self) -> anyhow::Result<Subscriber> {
        Ok(self.nats.client.subscribe(HINT).await?)
    }

    async fn drained(&self) -> anyhow::Result<Store> {
        self.nats.key_values(DRAINED, drained()).await
    }

    async fn tell_drained(&self) -> anyhow::Result<()> {
        self.nats.client.publish(HINT, Bytes::new()).await?;
        // This process may be about to end.
        Ok(self.nats.client.flush().await?)
    }
}

fn offers() -> Config {
    bucket(OFFERS, StorageType::Memory, Some(LIFETIME))
}

fn drained() -> Config {
    bucket(DRAINED, StorageType::File, None)
}

/// Hears what workers offer, for good.
async fn watch(nats: Nats, known: Arc<Mutex<KnownWorkers>>) {
    let mut is_told = false;
    loop {
        match listen(&nats, &known).await {
            Ok(()) => is_told = false,
            Err(cause) if !is_told => {
                is_told = true;
                warn!("what workers offer is not heard: {cause:#}");
            }
            Err(_) => {}
        }
        sleep(AGAIN).await;
    }
}

/// Hears what is in the bucket and what changes there, until it has been silent for a while.
async fn listen(nats: &Nats, known: &Mutex<KnownWorkers>) -> anyhow::Result<()> {
    let store = nats.key_values(OFFERS, offers()).await?;
    let mut changes = store.watch_with_history(">").await.context("NATS does not tell of workers")?;
    while let Ok(Some(change)) = timeout(SILENCE, changes.next()).await {
        hear(known, &change.context("NATS does not tell of workers")?);
    }
    Ok(())
}

fn hear(known: &Mutex<KnownWorkers>, entry: &Entry) {
    let mut known = lock(known);
    match entry.operation {
        Operation::Put => known.hear(&entry.key, entry.revision, &entry.value, Instant::now()),
        Operation::Delete | Operation::Purge => known.forget(&entry.key),
    }
}

fn lock(known: &Mutex<KnownWorkers>) -> std::sync::MutexGuard<'_, KnownWorkers> {
    // What is written under the lock is one insert or remove.
    known.lock().unwrap_or_else(PoisonError::into_inner)
}
