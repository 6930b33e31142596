//! Lock: one server at a time has the database, as long as the work that waits is in its memory: another one would take its jobs for interrupted. Servers whose
//! work waits in a queue that they share have it together. The lock is of a session, on a connection of its own, so that it goes with the process that holds it.
//!
//! A connection can be lost while the process lives: then the lock is taken again as soon as that is possible. Meanwhile another server may have it, and the
//! rows have settled what each may write: a job that the other one has ended is not written again.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use anyhow::{Context as _, bail};
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{ConnectOptions as _, Connection as _};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};
use tracing::{info, warn};

use crate::ports::{Error, Trouble};

/// Number of the lock in its database: "editscop" as bytes.
const NUMBER: i64 = 0x6564_6974_7363_6f70;

/// Times that it is tried at the start, one after the other: a server that was killed just now has it for a moment still.
const TRIES: usize = 10;

/// Time between two tries, and between two looks at the connection.
const LOOK: Duration = Duration::from_millis(500);

/// How long the database may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// Whom the database is shared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hold {
    /// Nobody.
    Alone,
    /// Others that say the same.
    Shared,
}

impl Hold {
    /// Takes the lock, or says that it cannot be had.
    fn statement(self) -> &'static str {
        match self {
            Self::Alone => "SELECT pg_try_advisory_lock($1)",
            Self::Shared => "SELECT pg_try_advisory_lock_shared($1)",
        }
    }
}

/// A lock, held until the last of its clones is dropped.
#[derive(Clone, Debug)]
pub(super) struct Lock {
    is_held: Arc<AtomicBool>,
    _keeper: Arc<Keeper>,
}

/// The task that holds the connection. Dropped, it is gone with it.
#[derive(Debug)]
struct Keeper(JoinHandle<()>);

impl Drop for Keeper {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Lock {
    /// Takes it.
    ///
    /// # Errors
    /// When another server has it that does not share it, or the database cannot be reached.
    pub(super) async fn take(options: PgConnectOptions, address: String, hold: Hold) -> anyhow::Result<Self> {
        let taken = async {
            for _ in 0..TRIES {
                if let Some(connection) = locked(&options, hold).await? {
                    return Ok(Some(connection));
                }
                sleep(LOOK).await;
            }
            Ok::<_, sqlx::Error>(None)
        };
        let Some(connection) = taken.await.with_context(|| format!("cannot use the database {address}"))? else {
            match hold {
                Hold::Alone => bail!("another server uses the database {address}; give this one a database of its own"),
                Hold::Shared => {
                    bail!("a server without EDITSCOPE_NATS uses the database {address}; stop it first, or give all the same EDITSCOPE_NATS")
                }
            }
        };
        let is_held = Arc::new(AtomicBool::new(true));
        let keeper = Keeper(tokio::spawn(keep(connection, options, hold, is_held.clone())));
        Ok(Self { is_held, _keeper: Arc::new(keeper) })
    }

    /// Whether it is held now.
    ///
    /// # Errors
    /// When it was lost and not taken again.
    pub(super) fn is_held(&self) -> Result<(), Error> {
        let lost = || Error::new(Trouble::Unavailable, "the lock on the database was lost: another server may be using it");
        self.is_held.load(Relaxed).then_some(()).ok_or_else(lost)
    }
}

/// A connection that holds the lock, if nobody else does.
async fn locked(options: &PgConnectOptions, hold: Hold) -> Result<Option<PgConnection>, sqlx::Error> {
    let take = async {
        let mut connection = options.connect().await?;
        let taken: bool = sqlx::query_scalar(hold.statement()).bind(NUMBER).fetch_one(&mut connection).await?;
        Ok(taken.then_some(connection))
    };
    timeout(PATIENCE, take).await.unwrap_or(Err(sqlx::Error::PoolTimedOut))
}

/// Looks at the connection for good, and makes another one where it is lost.
async fn keep(connection: PgConnection, options: PgConnectOptions, hold: Hold, is_held: Arc<AtomicBool>) {
    let mut held = Some(connection);
    loop {
        sleep(LOOK).await;
        held = match held {
            Some(mut connection) => match timeout(PATIENCE, connection.ping()).await {
                Ok(Ok(())) => Some(connection),
                _ => {
                    is_held.store(false, Relaxed);
                    warn!("the connection that holds the lock on the database is lost");
                    None
                }
            },
            None => {
                let taken = locked(&options, hold).await.unwrap_or_default();
                if taken.is_some() {
                    info!("the lock on the database is taken again");
                    is_held.store(true, Relaxed);
                }
                taken
            }
        };
    }
}
