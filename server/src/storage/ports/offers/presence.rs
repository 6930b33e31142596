//! Presence: the processes of a cluster publish at intervals that they are alive, if they solve brief jobs where these
//! arrive. If such a process is killed, its presence expires and another process takes its jobs.

use std::collections::HashSet;
use std::time::Duration;

use anyhow::Context as _;
use async_nats::jetstream::kv::Store;
use async_nats::jetstream::stream::{Config, StorageType};
use axum::body::Bytes;
use futures::TryStreamExt as _;

use super::nats::ClusterOffers;
use crate::storage::ports::nats::bucket;

/// Name of the key-value bucket in NATS that has a key for each present process.
const PRESENCE_BUCKET: &str = "EDITSCOPE_PRESENT";

/// Interval at which a process publishes its presence.
pub const PRESENCE_INTERVAL: Duration = Duration::from_secs(3);

/// Time after which the presence of a process expires if it is not published again.
const PRESENCE_TTL: Duration = Duration::from_secs(10);

impl ClusterOffers {
    /// Publishes that the process with the id `process` is alive.
    ///
    /// # Errors
    /// Returns an error if the servers cannot be reached.
    pub async fn publish_presence(&self, process: &str) -> anyhow::Result<()> {
        self.presence().await?.put(process, Bytes::new()).await.context("NATS does not take who is there")?;
        Ok(())
    }

    /// Returns the ids of the processes that have published recently that they are alive.
    ///
    /// # Errors
    /// Returns an error if the servers cannot be reached.
    pub async fn present(&self) -> anyhow::Result<HashSet<String>> {
        let unknown = "NATS does not say who is there";
        self.presence().await?.keys().await.context(unknown)?.try_collect().await.context(unknown)
    }

    async fn presence(&self) -> anyhow::Result<Store> {
        self.nats.key_values(PRESENCE_BUCKET, presence()).await
    }
}

fn presence() -> Config {
    bucket(PRESENCE_BUCKET, StorageType::Memory, Some(PRESENCE_TTL))
}
