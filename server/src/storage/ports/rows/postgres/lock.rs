//! Lock: exclusive use of a database by one server (`DatabaseLock`). If pending jobs are in memory, a second server
//! would treat the first one's jobs as interrupted. Servers with a common job queue share the lock instead. It is a
//! session lock on a connection of its own, so that it ends with its process.
//!
//! If the connection is lost while the process lives, the lock is acquired again as soon as possible. Another server
//! may have the lock meanwhile, but the rules for writing rows prevent harm: a job that the other server ended is not
//! written again.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use anyhow::{Context as _, bail};
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{ConnectOptions as _, Connection as _};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};
use tracing::{info, warn};

use crate::storage::ports::{StorageError, StorageErrorKind};

/// Key of the PostgreSQL advisory lock: the letters "editscop" as bytes.
const ADVISORY_LOCK_KEY: i64 = 0x6564_6974_7363_6f70;

/// Maximum number of attempts to acquire the lock at the start. The first may fail, because a server that was just
/// killed holds the lock a moment longer.
const MAX_LOCK_ATTEMPTS: usize = 10;

/// Interval between attempts to acquire the lock, and between tests of the connection.
const LOCK_CHECK_INTERVAL: Duration = Duration::from_millis(500);

/// Timeout of a query that acquires the lock or tests the connection.
const LOCK_QUERY_TIMEOUT: Duration = Duration::from_secs(5);

/// The mode of a lock: whether other servers may use the database too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LockMode {
    /// Exclusive use of the database by this server.
    Alone,
    /// Use of the database together with other servers that request a shared lock.
    Shared,
}

impl LockMode {
    /// Returns the SQL statement that tries to acquire the lock in this mode.
    fn statement(self) -> &'static str {
        match self {
            Self::Alone => "SELECT pg_try_advisory_lock($1)",
            Self::Shared => "SELECT pg_try_advisory_lock_shared($1)",
        }
    }
}

/// The lock of this server on a database, held until its last clone is dropped.
#[derive(Clone, Debug)]
pub(super) struct DatabaseLock {
    is_held: Arc<AtomicBool>,
    _keeper: Arc<LockKeeper>,
}

/// The task that holds the connection of a lock. Dropping it closes the connection.
#[derive(Debug)]
struct LockKeeper(JoinHandle<()>);

impl Drop for LockKeeper {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl DatabaseLock {
    /// Acquires the lock in the mode `hold`, on a new connection with `options`. `address` names the database in
    /// messages.
    ///
    /// # Errors
    /// Returns an error if another server holds a conflicting lock, or if the database cannot be reached.
    pub(super) async fn take(options: PgConnectOptions, address: String, hold: LockMode) -> anyhow::Result<Self> {
        let taken = async {
            for _ in 0..MAX_LOCK_ATTEMPTS {
                if let Some(connection) = connect_locked(&options, hold).await? {
                    return Ok(Some(connection));
                }
                sleep(LOCK_CHECK_INTERVAL).await;
            }
            Ok::<_, sqlx::Error>(None)
        };
        let Some(connection) = taken.await.with_context(|| format!("cannot use the database {address}"))? else {
            match hold {
                LockMode::Alone => bail!("another server uses the database {address}; give this one a database of its own"),
                LockMode::Shared => {
                    bail!("a server without EDITSCOPE_NATS uses the database {address}; stop it first, or give all the same EDITSCOPE_NATS")
                }
            }
        };
        let is_held = Arc::new(AtomicBool::new(true));
        let keeper = LockKeeper(tokio::spawn(maintain_lock(connection, options, hold, is_held.clone())));
        Ok(Self { is_held, _keeper: Arc::new(keeper) })
    }

    /// Checks that this server still holds the lock.
    ///
    /// # Errors
    /// Returns an error if the lock was lost and not acquired again.
    pub(super) fn check_held(&self) -> Result<(), StorageError> {
        let lost = || StorageError::new(StorageErrorKind::Unavailable, "the lock on the database was lost: another server may be using it");
        self.is_held.load(Relaxed).then_some(()).ok_or_else(lost)
    }
}

/// Opens a connection and acquires the lock on it in the mode `hold`. Returns `None` if another server holds a
/// conflicting lock.
async fn connect_locked(options: &PgConnectOptions, hold: LockMode) -> Result<Option<PgConnection>, sqlx::Error> {
    let take = async {
        let mut connection = options.connect().await?;
        let taken: bool = sqlx::query_scalar(hold.statement()).bind(ADVISORY_LOCK_KEY).fetch_one(&mut connection).await?;
        Ok(taken.then_some(connection))
    };
    timeout(LOCK_QUERY_TIMEOUT, take).await.unwrap_or(Err(sqlx::Error::PoolTimedOut))
}

/// Tests the connection of the lock at intervals, forever. If the connection is lost, acquires the lock on a new one.
/// Sets `is_held` to whether the lock is held.
async fn maintain_lock(connection: PgConnection, options: PgConnectOptions, hold: LockMode, is_held: Arc<AtomicBool>) {
    let mut held = Some(connection);
    loop {
        sleep(LOCK_CHECK_INTERVAL).await;
        held = match held {
            Some(mut connection) => match timeout(LOCK_QUERY_TIMEOUT, connection.ping()).await {
                Ok(Ok(())) => Some(connection),
                _ => {
                    is_held.store(false, Relaxed);
                    warn!("lost the connection that holds the lock on the database");
                    None
                }
            },
            None => {
                let taken = connect_locked(&options, hold).await.unwrap_or_default();
                if taken.is_some() {
                    info!("acquired the lock on the database again");
                    is_held.store(true, Relaxed);
                }
                taken
            }
        };
    }
}
