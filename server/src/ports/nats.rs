//! NATS: a connection that the ports share which have an implementation in JetStream, its store of messages.
//!
//! - [`address`]: where its servers are
//!
//! The client connects again by itself for as long as the process lives. What is asked of the servers meanwhile fails after some seconds, or is
//! asked again by whoever wants it done.

use std::time::Duration;

use anyhow::Context as _;
use async_nats::connection::State;
use async_nats::jetstream::context::{Context, ContextBuilder, CreateStreamErrorKind};
use async_nats::jetstream::kv::Store;
use async_nats::jetstream::stream::{Config, DiscardPolicy, StorageType, Stream};
use async_nats::{Client, ConnectOptions, Event};
use tokio::time::{Instant, sleep};
use tracing::{info, warn};

pub use self::address::{Address, NoAddress};
use crate::tls;

pub mod address;

/// How long a server may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// How often the connection is tried. A server that does not answer two pings in turn is given up.
const PING: Duration = Duration::from_secs(5);

/// Longest time between two attempts to connect.
const AGAIN: Duration = Duration::from_secs(1);

/// How long a cluster may take to begin.
const START: Duration = Duration::from_secs(30);

/// Copies of each message, where there are so many servers.
const REPLICAS: usize = 3;

/// What JetStream answers where a single server is asked for copies.
const ONE_SERVER: u64 = 10074;

/// A connection. Clones share it.
#[derive(Clone, Debug)]
pub struct Nats {
    pub(super) client: Client,
    pub(super) jetstream: Context,
}

impl Nats {
    /// Connects.
    ///
    /// # Errors
    /// When no server can be reached, or none takes the name and password. Neither is named.
    pub async fn connect(address: &Address) -> anyhow::Result<Self> {
        tls::provide();
        let mut options = ConnectOptions::new()
            .name("editscope")
            .connection_timeout(PATIENCE)
            .request_timeout(Some(PATIENCE))
            .ping_interval(PING)
            .reconnect_delay_callback(|attempts| AGAIN.min(Duration::from_millis(50 * attempts as u64)))
            .event_callback(|event| async move { tell(&event) });
        if let Some((user, password)) = address.credentials() {
            options = options.user_and_password(user, password);
        }
        let client = options.connect(address.servers()).await.with_context(|| format!("cannot connect to {address}"))?;
        let jetstream = ContextBuilder::new().timeout(PATIENCE).ack_timeout(PATIENCE).build(client.clone());
        Ok(Self { client, jetstream })
    }

    /// Whether there is a connection now.
    pub fn is_connected(&self) -> bool {
        self.client.connection_state() == State::Connected
    }

    /// As [`stream`](Self::stream), where the servers may have begun just now: a cluster needs some seconds until it has agreed on who leads.
    ///
    /// # Errors
    /// Those of the last attempt, after half a minute.
    pub(super) async fn stream_at_start(&self, config: Config) -> anyhow::Result<Stream> {
        let begin = Instant::now();
        loop {
            match self.stream(config.clone()).await {
                Err(cause) if begin.elapsed() < START => {
                    info!("waiting for NATS: {cause:#}");
                    sleep(AGAIN).await;
                }
                made => return made,
            }
        }
    }

    /// The stream of this name, made where there is none: each message on three servers, or on one where there is no other.
    ///
    /// # Errors
    /// When JetStream is off, its limits do not allow it, or fewer than three servers of several are there.
    pub(super) async fn stream(&self, config: Config) -> anyhow::Result<Stream> {
        let copied = Config { num_replicas: REPLICAS, ..config.clone() };
        let made = match self.jetstream.get_or_create_stream(copied).await {
            Err(error) if is_of_one_server(&error.kind()) => {
                warn!("NATS has one server: its messages are lost where its disk is");
                self.jetstream.get_or_create_stream(Config { num_replicas: 1, ..config.clone() }).await
            }
            made => made,
        };
        made.with_context(|| format!("cannot make the stream {} of NATS", config.name))
    }

    /// The bucket of this name, whose stream is made where there is none.
    ///
    /// # Errors
    /// Those of [`stream`](Self::stream).
    pub(super) async fn key_values(&self, name: &str, stream: Config) -> anyhow::Result<Store> {
        self.stream(stream).await?;
        self.jetstream.get_key_value(name).await.with_context(|| format!("cannot read the bucket {name} of NATS"))
    }
}

/// The stream that a bucket is, of keys with their last values. A value is gone after this time, where one is said.
pub(super) fn bucket(name: &str, storage: StorageType, max_age: Option<Duration>) -> Config {
    Config {
        name: format!("KV_{name}"),
        subjects: vec![format!("$KV.{name}.>")],
        storage,
        max_age: max_age.unwrap_or_default(),
        max_messages_per_subject: 1,
        discard: DiscardPolicy::New,
        allow_rollup: true,
        deny_delete: true,
        allow_direct: true,
        ..Config::default()
    }
}

fn is_of_one_server(kind: &CreateStreamErrorKind) -> bool {
    matches!(kind, CreateStreamErrorKind::JetStream(error) if error.error_code().0 == ONE_SERVER)
}

fn tell(event: &Event) {
    match event {
        Event::Connected => info!("connected to NATS"),
        Event::Disconnected => warn!("the connection to NATS is lost"),
        other => warn!("NATS: {other}"),
    }
}
