//! Present: the processes of a site that solve brief jobs where they arrive. Each says again and again that it is there; of one that is killed nothing is
//! heard any more, and its jobs are another's.

use std::collections::HashSet;
use std::time::Duration;

use anyhow::Context as _;
use async_nats::jetstream::kv::Store;
use async_nats::jetstream::stream::{Config, StorageType};
use axum::body::Bytes;
use futures::TryStreamExt as _;

use super::nats::SiteOffers;
use crate::ports::nats::bucket;

/// The bucket whose keys are processes.
const PRESENT: &str = "EDITSCOPE_PRESENT";

/// How often a process says that it is there.
pub const EVERY: Duration = Duration::from_secs(3);

/// How long it is taken to be there after that.
const LIFETIME: Duration = Duration::from_secs(10);

impl SiteOffers {
    /// Says that this process is there.
    ///
    /// # Errors
    /// When the servers cannot be reached.
    pub async fn say_present(&self, process: &str) -> anyhow::Result<()> {
        self.presence().await?.put(process, Bytes::new()).await.context("NATS does not take who is there")?;
        Ok(())
    }

    /// The processes that are there.
    ///
    /// # Errors
    /// When the servers cannot be reached.
    pub async fn present(&self) -> anyhow::Result<HashSet<String>> {
        let unknown = "NATS does not say who is there";
        self.presence().await?.keys().await.context(unknown)?.try_collect().await.context(unknown)
    }

    async fn presence(&self) -> anyhow::Result<Store> {
        self.nats.key_values(PRESENT, presence()).await
    }
}

fn presence() -> Config {
    bucket(PRESENT, StorageType::Memory, Some(LIFETIME))
}
