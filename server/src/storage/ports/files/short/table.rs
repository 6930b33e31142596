//! Table: the SQL statements on short contents.
//!
//! The row of a content has the time of its last renewal by the database's clock. The content is old only if two clocks
//! say so: the database's current time, and its time at the last query plus the monotonic time since. If the machine's
//! clock is set forward or back, nothing becomes old at once.

use std::collections::{BTreeMap, HashSet};
use std::future::Future;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sqlx::postgres::PgPool;

use crate::storage::ports::clock::Clock;
use crate::storage::ports::files::ContentHash;
use crate::storage::ports::rows::postgres::attempt;

/// Age at which the database's time is queried again.
const MAX_DATABASE_TIME_AGE: Duration = Duration::from_secs(3600);

/// SQL expression of the time before which a content is old by both clocks. The first argument is in seconds since
/// 1970, the second in seconds.
macro_rules! old {
    ($then:literal, $grace:literal) => {
        concat!("least(now(), to_timestamp(", $then, ")) - make_interval(secs => ", $grace, ")")
    };
}

/// SQL that writes contents. Recently renewed ones are skipped without a lock or a write. A content is new if no row of
/// it was committed before the statement began.
const PUT: &str = "
    INSERT INTO files (hash, content, written)
    SELECT hash, content, now() FROM unnest($1::bytea[], $2::bytea[]) AS given (hash, content)
    WHERE NOT coalesce((SELECT written >= now() - make_interval(secs => $3) FROM files WHERE files.hash = given.hash), FALSE)
    ORDER BY hash
    ON CONFLICT (hash) DO UPDATE SET written = excluded.written WHERE files.written < now() - make_interval(secs => $3)
    RETURNING hash, NOT EXISTS (SELECT 1 FROM files AS before WHERE before.hash = files.hash)";

/// SQL that removes an old content. Returns its size if it was removed, and whether it existed before.
const REMOVE: &str = concat!(
    "WITH gone AS (DELETE FROM files WHERE hash = $1 AND written < ",
    old!("$2", "$3"),
    " RETURNING octet_length(content) AS bytes)
     SELECT (SELECT bytes FROM gone), EXISTS (SELECT 1 FROM files WHERE hash = $1)"
);

const OLD: &str = concat!("SELECT hash FROM files WHERE written < ", old!("$1", "$2"));

/// Short contents in a table of PostgreSQL.
#[derive(Clone, Debug)]
pub(super) struct ShortFileTable {
    pool: PgPool,
    clock: Arc<dyn Clock>,
    fresh: Duration,
    /// Last known time of the database in seconds since 1970, and the monotonic time when it was received.
    time: Arc<Mutex<(f64, Duration)>>,
}

/// Result of the removal of a content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RemovalOutcome {
    /// The content was removed; the field is its size in bytes.
    Gone(u64),
    /// The content is not old, or another process has just removed it.
    Stays,
    /// The table does not have the content.
    NotThere,
}

impl ShortFileTable {
    /// Opens the table in the database of `pool`, and queries the database's time. Contents younger than `fresh` are
    /// not renewed.
    ///
    /// # Errors
    /// Returns an error if the query fails.
    pub(super) async fn open(pool: PgPool, clock: Arc<dyn Clock>, fresh: Duration) -> io::Result<Self> {
        let table = Self { pool, clock, fresh, time: Arc::default() };
        table.ask_time().await?;
        Ok(table)
    }

    /// Writes or renews contents, in the order of their hashes. Returns those that were not in the table before.
    ///
    /// # Errors
    /// Returns an error if they cannot be written; then none is.
    pub(super) async fn put(&self, contents: &BTreeMap<[u8; 32], &[u8]>) -> io::Result<HashSet<ContentHash>> {
        let hashes: Vec<[u8; 32]> = contents.keys().copied().collect();
        let contents: Vec<&[u8]> = contents.values().copied().collect();
        let written: Vec<(ContentHash, bool)> =
            self.ask(|| sqlx::query_as(PUT).bind(&hashes).bind(&contents).bind(self.fresh.as_secs_f64()).fetch_all(&self.pool)).await?;
        Ok(written.into_iter().filter(|(_, is_new)| *is_new).map(|(key, _)| key).collect())
    }

    /// Returns a content, if the table has it.
    ///
    /// # Errors
    /// Returns an error if the query fails.
    pub(super) async fn content(&self, key: &ContentHash) -> io::Result<Option<Vec<u8>>> {
        self.ask(|| sqlx::query_scalar("SELECT content FROM files WHERE hash = $1").bind(*key).fetch_optional(&self.pool)).await
    }

    /// Renews a content. Returns whether the table has it.
    ///
    /// # Errors
    /// Returns an error if the query fails.
    pub(super) async fn renew(&self, key: &ContentHash) -> io::Result<bool> {
        const SELECT_FRESH_SQL: &str = "SELECT written >= now() - make_interval(secs => $2) FROM files WHERE hash = $1";
        const RENEW: &str = "UPDATE files SET written = greatest(written, now()) WHERE hash = $1";
        let is_fresh: Option<bool> =
            self.ask(|| sqlx::query_scalar(SELECT_FRESH_SQL).bind(*key).bind(self.fresh.as_secs_f64()).fetch_optional(&self.pool)).await?;
        match is_fresh {
            // The row may be removed between the two statements.
            Some(false) => Ok(self.ask(|| sqlx::query(RENEW).bind(*key).execute(&self.pool)).await?.rows_affected() > 0),
            is_fresh => Ok(is_fresh.is_some()),
        }
    }

    /// Removes a content whose last renewal is more than `grace` ago.
    ///
    /// # Errors
    /// Returns an error if it cannot be removed.
    pub(super) async fn remove_old(&self, key: &ContentHash, grace: Duration) -> io::Result<RemovalOutcome> {
        let now = self.now().await?;
        let (bytes, was_there): (Option<i32>, bool) =
            self.ask(|| sqlx::query_as(REMOVE).bind(*key).bind(now).bind(grace.as_secs_f64()).fetch_one(&self.pool)).await?;
        Ok(match (bytes, was_there) {
            (Some(bytes), _) => RemovalOutcome::Gone(u64::from(bytes.unsigned_abs())),
            (None, true) => RemovalOutcome::Stays,
            (None, false) => RemovalOutcome::NotThere,
        })
    }

    /// Returns all contents that [`remove_old`](Self::remove_old) would remove.
    ///
    /// # Errors
    /// Returns an error if they cannot be listed.
    pub(super) async fn old(&self, grace: Duration) -> io::Result<Vec<ContentHash>> {
        let now = self.now().await?;
        self.ask(|| sqlx::query_scalar(OLD).bind(now).bind(grace.as_secs_f64()).fetch_all(&self.pool)).await
    }

    /// Returns the bytes of all contents.
    ///
    /// # Errors
    /// Returns an error if they cannot be counted.
    pub(super) async fn bytes_of_all(&self) -> io::Result<u64> {
        const ALL: &str = "SELECT coalesce(sum(octet_length(content)), 0)::bigint FROM files";
        let bytes: i64 = self.ask(|| sqlx::query_scalar(ALL).fetch_one(&self.pool)).await?;
        Ok(bytes.unsigned_abs())
    }

    /// Returns the database's time in seconds since 1970, extrapolated by monotonic time.
    async fn now(&self) -> io::Result<f64> {
        let (_, asked) = self.time();
        if self.clock.elapsed().saturating_sub(asked) > MAX_DATABASE_TIME_AGE {
            self.ask_time().await?;
        }
        let (then, asked) = self.time();
        Ok(then + self.clock.elapsed().saturating_sub(asked).as_secs_f64())
    }

    async fn ask_time(&self) -> io::Result<()> {
        const TIME: &str = "SELECT extract(epoch FROM clock_timestamp())::float8";
        let then = self.ask(|| sqlx::query_scalar(TIME).fetch_one(&self.pool)).await?;
        // The delay of the answer makes contents appear younger than they are, which is safe.
        *self.time.lock().unwrap_or_else(PoisonError::into_inner) = (then, self.clock.elapsed());
        Ok(())
    }

    fn time(&self) -> (f64, Duration) {
        *self.time.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(test)]
    pub(super) fn pool(&self) -> &PgPool {
        &self.pool
    }

    async fn ask<T, W: Future<Output = Result<T, sqlx::Error>>>(&self, work: impl Fn() -> W) -> io::Result<T> {
        Ok(attempt(work).await?)
    }
}
