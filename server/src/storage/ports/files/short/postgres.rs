//! Table of short contents in PostgreSQL, which the processes of a cluster share ([`PostgresShortFileTable`]).
//!
//! The row of a content has the time of its last renewal by the database's clock, which is the same for all machines.
//! The content is old only if two clocks say so: the database's current time, and its time at the last query plus the
//! monotonic time since. If the machine's clock is set forward or back, nothing becomes old suddenly.
//!
//! All statements lock rows in the order of their hashes. A removal sees the content as it is when its row is locked.
//!
//! Connections are shared with the rows: a process has 17 of the 100 connections that PostgreSQL allows by default. A
//! call of this table holds a connection for one statement.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::FutureExt as _;
use sqlx::postgres::PgPool;

use super::SHORT_FILE_FRESH_AGE;
use super::table::{RemovalOutcome, ShortFileTable, TableFuture};
use crate::storage::ports::StorageError;
use crate::storage::ports::clock::Clock;
use crate::storage::ports::files::ContentHash;
use crate::storage::ports::rows::postgres::{PostgresRows, attempt};

/// Age at which the known time of the database is queried again.
const MAX_DATABASE_TIME_AGE: Duration = Duration::from_secs(3600);

/// SQL expression of the time before which a content is old both by the database's clock and by monotonic time.
/// `$then` is the parameter with the database's time in seconds since 1970, extrapolated by monotonic time. `$grace` is
/// the parameter with the grace period in seconds.
macro_rules! old {
    ($then:literal, $grace:literal) => {
        concat!("least(now(), to_timestamp(", $then, ")) - make_interval(secs => ", $grace, ")")
    };
}

/// SQL that writes contents. Recently renewed ones are skipped without a lock or a write. Returns each written hash,
/// and whether the content is new: no row of it was committed before the statement began.
const PUT: &str = "
    INSERT INTO files (hash, content, written)
    SELECT hash, content, now() FROM unnest($1::bytea[], $2::bytea[]) AS given (hash, content)
    WHERE NOT coalesce((SELECT written >= now() - make_interval(secs => $3) FROM files WHERE files.hash = given.hash), FALSE)
    ORDER BY hash
    ON CONFLICT (hash) DO UPDATE SET written = excluded.written WHERE files.written < now() - make_interval(secs => $3)
    RETURNING hash, NOT EXISTS (SELECT 1 FROM files AS before WHERE before.hash = files.hash)";

/// SQL that removes a content if it is old. Returns its size if it was removed, and whether it existed before.
const REMOVE: &str = concat!(
    "WITH gone AS (DELETE FROM files WHERE hash = $1 AND written < ",
    old!("$2", "$3"),
    " RETURNING octet_length(content) AS bytes)
     SELECT (SELECT bytes FROM gone), EXISTS (SELECT 1 FROM files WHERE hash = $1)"
);

const OLD: &str = concat!("SELECT hash FROM files WHERE written < ", old!("$1", "$2"));

/// A table of short contents in PostgreSQL.
#[derive(Debug)]
pub struct PostgresShortFileTable {
    pool: PgPool,
    clock: Arc<dyn Clock>,
    fresh: Duration,
    /// Last known time of the database in seconds since 1970, and the monotonic time when it was received.
    time: Mutex<(f64, Duration)>,
}

impl PostgresShortFileTable {
    /// Opens the table in the database of `rows`, and queries the database's time.
    ///
    /// # Errors
    /// Returns an error if the query fails.
    pub async fn open(rows: &PostgresRows, clock: Arc<dyn Clock>) -> Result<Self, StorageError> {
        Self::open_with(rows, clock, SHORT_FILE_FRESH_AGE).await
    }

    pub(super) async fn open_with(rows: &PostgresRows, clock: Arc<dyn Clock>, fresh: Duration) -> Result<Self, StorageError> {
        let table = Self { pool: rows.pool(), clock, fresh, time: Mutex::default() };
        table.ask_time().await?;
        Ok(table)
    }

    /// Returns the database's time in seconds since 1970, extrapolated by monotonic time.
    async fn now(&self) -> Result<f64, StorageError> {
        let (_, asked) = self.time();
        if self.clock.elapsed().saturating_sub(asked) > MAX_DATABASE_TIME_AGE {
            self.ask_time().await?;
        }
        let (then, asked) = self.time();
        Ok(then + self.clock.elapsed().saturating_sub(asked).as_secs_f64())
    }

    async fn ask_time(&self) -> Result<(), StorageError> {
        const TIME: &str = "SELECT extract(epoch FROM clock_timestamp())::float8";
        let then = attempt(|| sqlx::query_scalar(TIME).fetch_one(&self.pool)).await?;
        // The delay of the answer makes contents appear younger than they are, which is safe.
        *self.time.lock().unwrap_or_else(PoisonError::into_inner) = (then, self.clock.elapsed());
        Ok(())
    }

    fn time(&self) -> (f64, Duration) {
        *self.time.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ShortFileTable for PostgresShortFileTable {
    fn put<'a>(&'a self, contents: BTreeMap<[u8; 32], &'a [u8]>) -> TableFuture<'a, HashSet<ContentHash>> {
        async move {
            let hashes: Vec<[u8; 32]> = contents.keys().copied().collect();
            let contents: Vec<&[u8]> = contents.values().copied().collect();
            let written: Vec<(ContentHash, bool)> =
                attempt(|| sqlx::query_as(PUT).bind(&hashes).bind(&contents).bind(self.fresh.as_secs_f64()).fetch_all(&self.pool)).await?;
            Ok(written.into_iter().filter(|(_, is_new)| *is_new).map(|(key, _)| key).collect())
        }
        .boxed()
    }

    fn content<'a>(&'a self, key: &'a ContentHash) -> TableFuture<'a, Option<Vec<u8>>> {
        attempt(move || sqlx::query_scalar("SELECT content FROM files WHERE hash = $1").bind(*key).fetch_optional(&self.pool)).boxed()
    }

    fn renew<'a>(&'a self, key: &'a ContentHash) -> TableFuture<'a, bool> {
        const SELECT_FRESH_SQL: &str = "SELECT written >= now() - make_interval(secs => $2) FROM files WHERE hash = $1";
        const RENEW: &str = "UPDATE files SET written = greatest(written, now()) WHERE hash = $1";
        async move {
            let is_fresh: Option<bool> =
                attempt(|| sqlx::query_scalar(SELECT_FRESH_SQL).bind(*key).bind(self.fresh.as_secs_f64()).fetch_optional(&self.pool))
                    .await?;
            match is_fresh {
                // The row may be removed between the two statements.
                Some(false) => Ok(attempt(|| sqlx::query(RENEW).bind(*key).execute(&self.pool)).await?.rows_affected() > 0),
                is_fresh => Ok(is_fresh.is_some()),
            }
        }
        .boxed()
    }

    fn remove_old<'a>(&'a self, key: &'a ContentHash, grace: Duration) -> TableFuture<'a, RemovalOutcome> {
        async move {
            let now = self.now().await?;
            let (bytes, was_there): (Option<i32>, bool) =
                attempt(|| sqlx::query_as(REMOVE).bind(*key).bind(now).bind(grace.as_secs_f64()).fetch_one(&self.pool)).await?;
            Ok(match (bytes, was_there) {
                (Some(bytes), _) => RemovalOutcome::Gone(u64::from(bytes.unsigned_abs())),
                (None, true) => RemovalOutcome::Stays,
                (None, false) => RemovalOutcome::NotThere,
            })
        }
        .boxed()
    }

    fn old(&self, grace: Duration) -> TableFuture<'_, Vec<ContentHash>> {
        async move {
            let now = self.now().await?;
            attempt(|| sqlx::query_scalar(OLD).bind(now).bind(grace.as_secs_f64()).fetch_all(&self.pool)).await
        }
        .boxed()
    }

    fn is_shared(&self) -> bool {
        true
    }

    fn bytes_of_all(&self) -> TableFuture<'_, u64> {
        const ALL: &str = "SELECT coalesce(sum(octet_length(content)), 0)::bigint FROM files";
        async {
            let bytes: i64 = attempt(|| sqlx::query_scalar(ALL).fetch_one(&self.pool)).await?;
            Ok(bytes.unsigned_abs())
        }
        .boxed()
    }
}
