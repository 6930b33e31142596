//! Rows in PostgreSQL, shared by many machines ([`PostgresRows`]). Statements see everything committed before they
//! began (`READ COMMITTED`), so that concurrent writers of a row see each other's results.
//!
//! - [`address`]: address of the database
//! - `arrays`: arrays of ids and hashes as parameters
//! - `jobs`: joint writes of job rows that arrive together
//! - `lock`: exclusive or shared use of the database
//! - `session`: session settings and tables
//! - `transaction`: retries of transactions that conflict
//!
//! Statements lock rows of a table in the order of ids or names, as far as they can choose. If two transactions
//! deadlock nevertheless, the database aborts one, which is retried.
//!
//! Concurrent changes never lose a used file: a file is renewed before a row uses it, and the time limit of
//! transactions is a small part of the collector's grace period.

use std::future::Future;
use std::time::Duration;

use anyhow::Context as _;
use sqlx::Connection as _;
use sqlx::postgres::{PgPool, PgPoolOptions};

pub use self::address::PostgresAddress;
use self::jobs::PostgresJobWriter;
use self::lock::{DatabaseLock, LockMode};
use self::session::{migrate, session};
pub(in crate::storage::ports) use self::transaction::attempt;
use super::sql::columns::{self, ClassCodeColumns, JobColumns, JobListColumns, LinkColumns, LinkListColumns, RequestColumns, TextColumns};
use super::sql::{JobRowWrite, JobWriteQueue, RowKind, check_body_size, invalid_row};
use super::{ClassCodeRow, DbFuture, DeleteOutcome, JobRow, LinkRow, OwnedKind, PutOutcome, RequestRow, RowLookup, RowStore, TextRow};
use crate::id::Id;
use crate::storage::ports::hash::ContentHash;

mod address;
mod arrays;
mod jobs;
mod lock;
mod session;
#[cfg(test)]
#[cfg(unix)]
mod tests;
mod transaction;

/// Maximum number of connections of a server to the database, besides the connection that holds its lock.
const MAX_POSTGRES_CONNECTIONS: u32 = 16;

/// Timeout for waiting for a free connection, and for making a new one.
const POSTGRES_CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Time without use after which a connection is tested before its next use.
const CONNECTION_TEST_IDLE_TIME: Duration = Duration::from_secs(1);

#[derive(Clone, Debug)]
pub struct PostgresRows {
    pool: PgPool,
    commits: JobWriteQueue,
    lock: Option<DatabaseLock>,
}

impl PostgresRows {
    /// Opens the database at `address` and migrates its tables. Several servers may do so at the same time.
    ///
    /// # Errors
    /// Returns an error if the database cannot be reached, or if a newer version of this program wrote it. The error
    /// contains the address without its password.
    pub async fn open(address: &PostgresAddress) -> anyhow::Result<Self> {
        let options = session(address);
        migrate(&options).await.with_context(|| format!("cannot use the database {address}"))?;
        let pool = PgPoolOptions::new()
            .max_connections(MAX_POSTGRES_CONNECTIONS)
            .acquire_timeout(POSTGRES_CONNECT_TIMEOUT)
            .test_before_acquire(false)
            .before_acquire(|connection, about| {
                Box::pin(async move {
                    if about.idle_for > CONNECTION_TEST_IDLE_TIME {
                        connection.ping().await?;
                    }
                    Ok(true)
                })
            })
            .connect_lazy_with(options);
        Ok(Self { commits: JobWriteQueue::start("rows", PostgresJobWriter { pool: pool.clone() })?, pool, lock: None })
    }

    /// Opens the database like [`open`](Self::open), and locks it exclusively for as long as this server is connected
    /// to it.
    ///
    /// # Errors
    /// Returns an error if another server has a lock, in addition to the errors of [`open`](Self::open).
    pub async fn open_alone(address: &PostgresAddress) -> anyhow::Result<Self> {
        // The lock comes before the migration, because a server of another version may be using the tables.
        let lock = DatabaseLock::take(session(address), address.to_string(), LockMode::Alone).await?;
        Ok(Self { lock: Some(lock), ..Self::open(address).await? })
    }

    /// Opens the database like [`open`](Self::open), with a lock that is shared with the other servers of a cluster.
    ///
    /// # Errors
    /// Returns an error if another server has an exclusive lock, in addition to the errors of [`open`](Self::open).
    pub async fn open_shared(address: &PostgresAddress) -> anyhow::Result<Self> {
        let lock = DatabaseLock::take(session(address), address.to_string(), LockMode::Shared).await?;
        Ok(Self { lock: Some(lock), ..Self::open(address).await? })
    }

    /// Returns the connection pool, for other tables in the same database.
    pub(in crate::storage::ports) fn pool(&self) -> PgPool {
        self.pool.clone()
    }

    /// Returns the secret key that all servers with this database share. If there is none, stores `made` as the key and
    /// returns it.
    ///
    /// # Errors
    /// Returns an error if the key can neither be read nor written.
    pub async fn secret(&self, made: [u8; 32]) -> anyhow::Result<[u8; 32]> {
        sqlx::query("INSERT INTO secret (id, bytes) VALUES (1, $1) ON CONFLICT DO NOTHING")
            .bind(made.as_slice())
            .execute(&self.pool)
            .await?;
        let bytes: Vec<u8> = sqlx::query_scalar("SELECT bytes FROM secret WHERE id = 1").fetch_one(&self.pool).await?;
        bytes.try_into().map_err(|_| anyhow::anyhow!("the secret in the database has not 32 bytes"))
    }

    /// Returns a future that runs the query `work`, and retries it if it conflicts with another transaction.
    fn answer<T, W>(&self, work: impl Fn(PgPool) -> W + Send + Sync + 'static) -> DbFuture<T>
    where
        T: Send + 'static,
        W: Future<Output = Result<T, sqlx::Error>> + Send + 'static,
    {
        let pool = self.pool.clone();
        Box::pin(async move { attempt(|| work(pool.clone())).await })
    }
}

impl RowStore for PostgresRows {
    fn add_text(&self, id: Id, row: TextRow) -> DbFuture<()> {
        self.answer(move |pool| async move {
            sqlx::query(
                "WITH made AS (INSERT INTO texts (id, bytes, expires_at, owner) VALUES ($1, $2, $3, $4) RETURNING number)
                 INSERT INTO uses (kind, owner, hash) SELECT $5, number, $6 FROM made",
            )
            .bind(id)
            .bind(row.bytes as i64)
            .bind(row.expires_at as i64)
            .bind(row.owner)
            .bind(RowKind::Text as i16)
            .bind(row.hash)
            .execute(&pool)
            .await?;
            Ok(())
        })
    }

    fn text(&self, id: Id) -> DbFuture<Option<TextRow>> {
        self.answer(move |pool| async move {
            let row: Option<TextColumns> = sqlx::query_as(
                "SELECT hash, bytes, expires_at, texts.owner FROM texts JOIN uses ON kind = $2 AND uses.owner = number WHERE id = $1",
            )
            .bind(id)
            .bind(RowKind::Text as i16)
            .fetch_optional(&pool)
            .await?;
            Ok(row.map(columns::text))
        })
    }

    fn put_job(&self, id: Id, row: JobRow) -> DbFuture<PutOutcome> {
        let commits = self.commits.clone();
        Box::pin(async move {
            check_body_size(&row.body)?;
            commits.write(JobRowWrite { id, row }).await
        })
    }

    fn reopen_job(&self, id: Id, row: JobRow) -> DbFuture<PutOutcome> {
        let fits = check_body_size(&row.body);
        let reopened = self.answer(move |pool| {
            let body = row.body.clone();
            async move {
                let done = sqlx::query(
                    "UPDATE jobs SET body = $2, ended = FALSE, expires_at = $3, attempt = $4
                     WHERE id = $1 AND body IS NOT NULL AND ended AND attempt < $4",
                )
                .bind(id)
                .bind(body)
                .bind(columns::ends(None))
                .bind(i64::from(row.attempt))
                .execute(&pool)
                .await?;
                Ok(if done.rows_affected() > 0 { PutOutcome::Written } else { PutOutcome::Refused })
            }
        });
        Box::pin(async move {
            fits?;
            reopened.await
        })
    }

    fn drop_job(&self, id: Id) -> DbFuture<()> {
        self.answer(move |pool| async move {
            let mut step = pool.begin().await?;
            let number: Option<i64> =
                sqlx::query_scalar("DELETE FROM jobs WHERE id = $1 RETURNING number").bind(id).fetch_optional(&mut *step).await?;
            for statement in ["DELETE FROM requests WHERE job = $1", "DELETE FROM uses WHERE kind = 1 AND owner = $1"] {
                sqlx::query(statement).bind(number).execute(&mut *step).await?;
            }
            step.commit().await
        })
    }

    fn job(&self, id: Id) -> DbFuture<RowLookup<JobRow>> {
        self.answer(move |pool| async move {
            let row: Option<JobColumns> = sqlx::query_as("SELECT body, ended, expires_at, attempt, owner FROM jobs WHERE id = $1")
                .bind(id)
                .fetch_optional(&pool)
                .await?;
            columns::job(row)
        })
    }

    fn jobs(&self, after: Option<Id>, most: u32) -> DbFuture<Vec<(Id, JobRow)>> {
        self.answer(move |pool| async move {
            let rows: Vec<JobListColumns> = sqlx::query_as(
                "SELECT id, body, ended, expires_at, attempt, owner FROM jobs
                 WHERE body IS NOT NULL AND ($1::text IS NULL OR number < (SELECT number FROM jobs WHERE id = $1)) ORDER BY number DESC LIMIT $2",
            )
            .bind(after)
            .bind(i64::from(most))
            .fetch_all(&pool)
            .await?;
            columns::jobs(rows)
        })
    }

    fn request(&self, name: ContentHash) -> DbFuture<Option<(RequestRow, Id)>> {
        self.answer(move |pool| async move {
            let row: Option<RequestColumns> =
                sqlx::query_as("SELECT said, id, requests.expires_at FROM requests JOIN jobs ON number = job WHERE name = $1")
                    .bind(name)
                    .fetch_optional(&pool)
                    .await?;
            Ok(row.map(|row| columns::request(name, row)))
        })
    }

    fn trim_requests(&self, most: u32) -> DbFuture<()> {
        self.answer(move |pool| async move {
            sqlx::query("DELETE FROM requests WHERE name IN (SELECT name FROM requests ORDER BY expires_at DESC, name OFFSET $1)")
                .bind(i64::from(most))
                .execute(&pool)
                .await?;
            Ok(())
        })
    }

    fn open_jobs(&self) -> DbFuture<Vec<Id>> {
        self.answer(move |pool| async move {
            let ids: Vec<String> = sqlx::query_scalar("SELECT id FROM jobs WHERE NOT ended AND body IS NOT NULL").fetch_all(&pool).await?;
            Ok(columns::ids(&ids))
        })
    }

    fn add_link(&self, id: Id, row: LinkRow, files: Vec<ContentHash>) -> DbFuture<()> {
        let fits = check_body_size(&row.body);
        let added = self.answer(move |pool| {
            let (row, files) = (row.clone(), files.clone());
            async move {
                sqlx::query(
                    "WITH made AS (INSERT INTO links (id, body, token, created_at, expires_at) VALUES ($1, $2, $3, $4, $5) RETURNING number)
                     INSERT INTO uses (kind, owner, hash) SELECT DISTINCT $6, number, hash FROM made, unnest($7) AS hash",
                )
                .bind(id)
                .bind(row.body)
                .bind(row.token)
                .bind(row.created_at as i64)
                .bind(row.expires_at.map(|at| at as i64))
                .bind(RowKind::Link as i16)
                .bind(files)
                .execute(&pool)
                .await?;
                Ok(())
            }
        });
        Box::pin(async move {
            fits?;
            added.await
        })
    }

    fn link(&self, id: Id) -> DbFuture<RowLookup<LinkRow>> {
        self.answer(move |pool| async move {
            let row: Option<LinkColumns> = sqlx::query_as("SELECT body, token, created_at, expires_at FROM links WHERE id = $1")
                .bind(id)
                .fetch_optional(&pool)
                .await?;
            Ok(columns::link(row))
        })
    }

    fn links(&self, after: Option<Id>, most: u32) -> DbFuture<Vec<(Id, LinkRow)>> {
        self.answer(move |pool| async move {
            let rows: Vec<LinkListColumns> = sqlx::query_as(
                "SELECT id, body, token, created_at, expires_at FROM links
                 WHERE body IS NOT NULL AND ($1::text IS NULL OR number < (SELECT number FROM links WHERE id = $1)) ORDER BY number DESC LIMIT $2",
            )
            .bind(after)
            .bind(i64::from(most))
            .fetch_all(&pool)
            .await?;
            Ok(columns::links(rows))
        })
    }

    fn delete_link(&self, id: Id) -> DbFuture<()> {
        self.answer(move |pool| async move {
            sqlx::query(
                "WITH gone AS (UPDATE links SET body = NULL WHERE id = $1 RETURNING number)
                 DELETE FROM uses USING gone WHERE kind = $2 AND owner = number",
            )
            .bind(id)
            .bind(RowKind::Link as i16)
            .execute(&pool)
            .await?;
            Ok(())
        })
    }

    fn delete_owned(&self, kind: OwnedKind, id: Id, owner: ContentHash, now: u64) -> DbFuture<DeleteOutcome> {
        let (of, find, delete) = match kind {
            OwnedKind::Text => (
                RowKind::Text,
                "SELECT number, owner FROM texts WHERE id = $1 FOR UPDATE",
                "DELETE FROM texts WHERE number = $1 AND $2 IS NOT NULL",
            ),
            OwnedKind::Job => (
                RowKind::Job,
                "SELECT number, owner FROM jobs WHERE id = $1 FOR UPDATE",
                // The id is remembered as long as that of an expired job.
                "UPDATE jobs SET body = NULL, expires_at = least(expires_at, $2) WHERE number = $1",
            ),
        };
        self.answer(move |pool| async move {
            let mut step = pool.begin().await?;
            let found: Option<(i64, Option<ContentHash>)> = sqlx::query_as(find).bind(id).fetch_optional(&mut *step).await?;
            let Some((number, made_by)) = found else { return Ok(DeleteOutcome::Never) };
            // Hashes are compared in constant time.
            if made_by != Some(owner) {
                return Ok(DeleteOutcome::NotOwner);
            }
            sqlx::query(delete).bind(number).bind(now as i64).execute(&mut *step).await?;
            let free = sqlx::query("DELETE FROM uses WHERE kind = $1 AND owner = $2");
            free.bind(of as i16).bind(number).execute(&mut *step).await?;
            step.commit().await?;
            Ok(DeleteOutcome::Gone)
        })
    }

    fn add_class_code(&self, row: ClassCodeRow, now: u64, max_live: u64) -> DbFuture<PutOutcome> {
        self.answer(move |pool| {
            let row = row.clone();
            async move {
                let done = sqlx::query(
                    "INSERT INTO class_codes (code, link, expires_at) SELECT $1::text, $2::text, $3::bigint
                     WHERE (SELECT count(*) FROM class_codes WHERE expires_at > $4 AND length(code) = length($1::text)) < $5
                     ON CONFLICT DO NOTHING",
                )
                .bind(row.code)
                .bind(row.link)
                .bind(row.expires_at as i64)
                .bind(now as i64)
                .bind(max_live as i64)
                .execute(&pool)
                .await?;
                Ok(if done.rows_affected() == 1 { PutOutcome::Written } else { PutOutcome::Refused })
            }
        })
    }

    fn class_code(&self, code: String) -> DbFuture<Option<ClassCodeRow>> {
        self.answer(move |pool| {
            let code = code.clone();
            async move {
                let row: Option<ClassCodeColumns> =
                    sqlx::query_as("SELECT link, expires_at FROM class_codes WHERE code = $1").bind(&code).fetch_optional(&pool).await?;
                Ok(row.map(|row| columns::class_code(code, row)))
            }
        })
    }

    fn expire(&self, now: u64, forget: u64, most: u32) -> DbFuture<u64> {
        // Each step is a transaction. Rows locked by others are skipped, and expire in a later call.
        const STEPS: [&str; 5] = [
            "WITH past AS (SELECT name FROM requests WHERE expires_at <= $1 ORDER BY expires_at, name LIMIT $2 FOR UPDATE SKIP LOCKED),
             gone AS (DELETE FROM requests USING past WHERE requests.name = past.name RETURNING 1)
             SELECT count(*) FROM gone",
            "WITH past AS (SELECT code FROM class_codes WHERE expires_at <= $1 ORDER BY expires_at, code LIMIT $2 FOR UPDATE SKIP LOCKED),
             gone AS (DELETE FROM class_codes USING past WHERE class_codes.code = past.code RETURNING 1)
             SELECT count(*) FROM gone",
            "WITH past AS (SELECT number FROM texts WHERE expires_at <= $1 ORDER BY expires_at, number LIMIT $2 FOR UPDATE SKIP LOCKED),
             gone AS (DELETE FROM texts USING past WHERE texts.number = past.number RETURNING texts.number),
             free AS (DELETE FROM uses USING gone WHERE kind = 0 AND owner = number)
             SELECT count(*) FROM gone",
            "WITH past AS (SELECT number FROM jobs WHERE body IS NOT NULL AND expires_at <= $1
                 ORDER BY expires_at, number LIMIT $2 FOR UPDATE SKIP LOCKED),
             gone AS (UPDATE jobs SET body = NULL FROM past WHERE jobs.number = past.number RETURNING jobs.number),
             free AS (DELETE FROM uses USING gone WHERE kind = 1 AND owner = number)
             SELECT count(*) FROM gone",
            "WITH past AS (SELECT number FROM links WHERE body IS NOT NULL AND expires_at <= $1
                 ORDER BY expires_at, number LIMIT $2 FOR UPDATE SKIP LOCKED),
             gone AS (UPDATE links SET body = NULL FROM past WHERE links.number = past.number RETURNING links.number),
             free AS (DELETE FROM uses USING gone WHERE kind = 2 AND owner = number)
             SELECT count(*) FROM gone",
        ];
        const FORGET: &str = "WITH past AS (SELECT number FROM jobs WHERE body IS NULL AND expires_at <= $1
                 ORDER BY expires_at, number LIMIT $2 FOR UPDATE SKIP LOCKED),
             gone AS (DELETE FROM jobs USING past WHERE jobs.number = past.number RETURNING 1)
             SELECT count(*) FROM gone";
        let rows = self.clone();
        Box::pin(async move {
            let mut changed = 0;
            for (statement, until) in STEPS.into_iter().map(|step| (step, now)).chain([(FORGET, forget)]) {
                let count = rows.answer(move |pool| async move {
                    let count: i64 = sqlx::query_scalar(statement).bind(until as i64).bind(i64::from(most)).fetch_one(&pool).await?;
                    Ok(count as u64)
                });
                changed += count.await?;
            }
            Ok(changed)
        })
    }

    fn unreferenced_files(&self, after: Option<ContentHash>, most: u32) -> DbFuture<Vec<ContentHash>> {
        self.answer(move |pool| async move {
            sqlx::query_scalar(
                "SELECT hash FROM dropped WHERE hash > $1 AND NOT EXISTS (SELECT 1 FROM uses WHERE uses.hash = dropped.hash)
                 ORDER BY hash LIMIT $2",
            )
            .bind(after.map(|key| key.as_bytes().to_vec()).unwrap_or_default())
            .bind(i64::from(most))
            .fetch_all(&pool)
            .await
        })
    }

    fn delete_unreferenced(&self, keys: Vec<ContentHash>) -> DbFuture<()> {
        self.answer(move |pool| {
            let keys = keys.clone();
            async move {
                sqlx::query("DELETE FROM dropped WHERE hash = ANY($1)").bind(keys).execute(&pool).await?;
                Ok(())
            }
        })
    }

    fn unused(&self, keys: Vec<ContentHash>) -> DbFuture<Vec<ContentHash>> {
        self.answer(move |pool| {
            let keys = keys.clone();
            async move {
                sqlx::query_scalar(
                    "SELECT hash FROM unnest($1) AS given (hash) WHERE NOT EXISTS (SELECT 1 FROM uses WHERE uses.hash = given.hash)",
                )
                .bind(keys)
                .fetch_all(&pool)
                .await
            }
        })
    }

    fn bytes(&self) -> DbFuture<Option<u64>> {
        Box::pin(async { Ok(None) })
    }

    fn probe(&self) -> DbFuture<()> {
        let rows = self.clone();
        Box::pin(async move {
            if let Some(lock) = &rows.lock {
                lock.check_held()?;
            }
            let written: i64 = rows
                .answer(|pool| async move {
                    sqlx::query_scalar(
                        "INSERT INTO probe (id, written) VALUES (1, 1)
                         ON CONFLICT (id) DO UPDATE SET written = probe.written + 1 RETURNING written",
                    )
                    .fetch_one(&pool)
                    .await
                })
                .await?;
            let read: i64 = rows
                .answer(|pool| async move { sqlx::query_scalar("SELECT written FROM probe WHERE id = 1").fetch_one(&pool).await })
                .await?;
            // Another probe may have written a higher value since.
            if read < written { Err(invalid_row("what was written is not what is read")) } else { Ok(()) }
        })
    }
}
