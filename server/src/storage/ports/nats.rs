//! NATS: a connection ([`NatsConnection`]) shared by the ports with an implementation in JetStream, the message store
//! of NATS.
//!
//! - [`address`]: addresses of the servers
//!
//! The client reconnects by itself as long as the process lives. Meanwhile, requests fail after some seconds, and
//! callers retry them if necessary.

use std::time::Duration;

use anyhow::Context as _;
use async_nats::connection::State;
use async_nats::jetstream::context::{Context, ContextBuilder, CreateStreamErrorKind};
use async_nats::jetstream::kv::Store;
use async_nats::jetstream::stream::{Config, DiscardPolicy, StorageType, Stream};
use async_nats::{Client, ConnectOptions, Event};
use tokio::time::{Instant, sleep};
use tracing::{info, warn};

pub use self::address::NatsAddress;
use crate::storage::tls;

pub mod address;

/// Timeout of a request to a NATS server.
const NATS_TIMEOUT: Duration = Duration::from_secs(5);

/// Interval of pings. After two unanswered pings, the client gives the connection up.
const NATS_PING_INTERVAL: Duration = Duration::from_secs(5);

/// Maximum delay between two attempts to connect.
const NATS_RETRY_DELAY: Duration = Duration::from_secs(1);

/// Maximum time that a cluster of NATS servers may take to start.
const NATS_START_TIMEOUT: Duration = Duration::from_secs(30);

/// Number of servers that store a copy of each message, if the cluster has enough servers.
const REPLICAS: usize = 3;

/// JetStream's error code for a stream with several copies on a single server.
const SINGLE_SERVER_ERROR_CODE: u64 = 10074;

/// A connection to the NATS servers. Clones share one connection.
#[derive(Clone, Debug)]
pub struct NatsConnection {
    pub(super) client: Client,
    pub(super) jetstream: Context,
}

impl NatsConnection {
    /// Connects to the servers at `address`.
    ///
    /// # Errors
    /// Returns an error if no server can be reached or accepts the user name and password. The error contains neither
    /// of these.
    pub async fn connect(address: &NatsAddress) -> anyhow::Result<Self> {
        tls::provide();
        let mut options = ConnectOptions::new()
            .name("editscope")
            .connection_timeout(NATS_TIMEOUT)
            .request_timeout(Some(NATS_TIMEOUT))
            .ping_interval(NATS_PING_INTERVAL)
            .reconnect_delay_callback(|attempts| NATS_RETRY_DELAY.min(Duration::from_millis(50 * attempts as u64)))
            .event_callback(|event| async move { log_event(&event) });
        if let Some((user, password)) = address.credentials() {
            options = options.user_and_password(user, password);
        }
        let client = options.connect(address.servers()).await.with_context(|| format!("cannot connect to {address}"))?;
        let jetstream = ContextBuilder::new().timeout(NATS_TIMEOUT).ack_timeout(NATS_TIMEOUT).build(client.clone());
        Ok(Self { client, jetstream })
    }

    /// Returns whether the client is connected to a server now.
    pub fn is_connected(&self) -> bool {
        self.client.connection_state() == State::Connected
    }

    /// Opens a stream like [`stream`](Self::stream), but retries failed attempts for [`NATS_START_TIMEOUT`], because a
    /// new cluster needs some seconds to elect a leader.
    ///
    /// # Errors
    /// Returns the error of the last attempt.
    pub(super) async fn stream_at_start(&self, config: Config) -> anyhow::Result<Stream> {
        let begin = Instant::now();
        loop {
            match self.stream(config.clone()).await {
                Err(cause) if begin.elapsed() < NATS_START_TIMEOUT => {
                    info!("waiting for NATS: {cause:#}");
                    sleep(NATS_RETRY_DELAY).await;
                }
                made => return made,
            }
        }
    }

    /// Opens the stream (stored sequence of messages) that `config` describes, and creates it if it is missing. Each
    /// message is stored on three servers, or on one if it is the only server.
    ///
    /// # Errors
    /// Returns an error if JetStream is off or its limits forbid the stream, or if fewer than three servers of several
    /// are running.
    pub(super) async fn stream(&self, config: Config) -> anyhow::Result<Stream> {
        let copied = Config { num_replicas: REPLICAS, ..config.clone() };
        let made = match self.jetstream.get_or_create_stream(copied).await {
            Err(error) if is_of_one_server(&error.kind()) => {
                warn!("NATS has one server: messages are lost if its disk is lost");
                self.jetstream.get_or_create_stream(Config { num_replicas: 1, ..config.clone() }).await
            }
            made => made,
        };
        made.with_context(|| format!("cannot make the stream {} of NATS", config.name))
    }

    /// Opens the key-value bucket `name`, and creates its stream with the configuration `stream` if it is missing.
    ///
    /// # Errors
    /// Returns the errors of [`stream`](Self::stream).
    pub(super) async fn key_values(&self, name: &str, stream: Config) -> anyhow::Result<Store> {
        self.stream(stream).await?;
        self.jetstream.get_key_value(name).await.with_context(|| format!("cannot read the bucket {name} of NATS"))
    }
}

/// Returns the configuration for the stream of the key-value bucket `name`, which stores the last value of each key. If
/// `max_age` is set, values expire after this time.
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
    matches!(kind, CreateStreamErrorKind::JetStream(error) if error.error_code().0 == SINGLE_SERVER_ERROR_CODE)
}

fn log_event(event: &Event) {
    match event {
        Event::Connected => info!("connected to NATS"),
        Event::Disconnected => warn!("the connection to NATS is lost"),
        other => warn!("NATS: {other}"),
    }
}
