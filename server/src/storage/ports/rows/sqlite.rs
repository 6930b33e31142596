//! Rows in SQLite ([`SqliteRows`]), with one writing connection and a few reading ones. Readers do not wait for the
//! writer.
//!
//! - `jobs`: joint writes of job rows that arrive together

use std::path::Path;

use anyhow::Context as _;
use sqlx::migrate::Migrator;
use sqlx::sqlite::SqlitePool;
use sqlx::{Sqlite, Transaction};

use self::jobs::SqliteJobWriter;
use super::sql::columns::{self, ClassCodeColumns, JobColumns, JobListColumns, LinkColumns, LinkListColumns, RequestColumns, TextColumns};
use super::sql::{self, JobRowWrite, JobWriteQueue, RowKind, check_body_size, invalid_row, not_migrated};
use super::{ClassCodeRow, DbFuture, DeleteOutcome, JobRow, LinkRow, OwnedKind, PutOutcome, RequestRow, RowLookup, RowStore, TextRow};
use crate::id::Id;
use crate::storage::ports::hash::ContentHash;
use crate::storage::ports::sqlite::{begin, connections, list, options};

mod jobs;

/// Size of the page cache of the writing connection; in SQLite's notation, a negative number is in KiB. It has room for
/// the rows of the last minute and all inner pages.
const SQLITE_PAGE_CACHE: &str = "-16384";

/// Number of connections that only read.
const SQLITE_READERS: u32 = 4;

/// Migrations of the tables: the name and the SQL statements of each step, in their order.
const MIGRATIONS: [(&str, &str); 6] = [
    ("tables", include_str!("../../../../migrations/0001_tables.sql")),
    ("attempts owners indexes", include_str!("../../../../migrations/0002_attempts_owners_indexes.sql")),
    ("requests", include_str!("../../../../migrations/0003_requests.sql")),
    ("jobs in order", include_str!("../../../../migrations/0004_jobs_in_order.sql")),
    ("numbers and bytes", include_str!("../../../../migrations/0005_numbers_and_bytes.sql")),
    ("class codes", include_str!("../../../../migrations/0006_class_codes.sql")),
];

#[derive(Clone, Debug)]
pub struct SqliteRows {
    writer: SqlitePool,
    readers: SqlitePool,
    commits: JobWriteQueue,
}

impl SqliteRows {
    /// Opens the database in `file`, creates it if it is missing, and migrates its tables.
    ///
    /// # Errors
    /// Returns an error if the database cannot be opened, or if a newer version of this program wrote it.
    pub async fn open(file: &Path) -> anyhow::Result<Self> {
        let options = options(file);
        let writer = connections(1)
            .connect_with(options.clone().pragma("cache_size", SQLITE_PAGE_CACHE))
            .await
            .with_context(|| format!("cannot open {}", file.display()))?;
        migrator().run(&writer).await.map_err(|error| not_migrated(error, &file.display().to_string()))?;
        let readers = connections(SQLITE_READERS).connect_lazy_with(options.create_if_missing(false).pragma("query_only", "ON"));
        Ok(Self {
            commits: JobWriteQueue::start("rows", SqliteJobWriter { writer: writer.clone(), readers: readers.clone() })?,
            writer,
            readers,
        })
    }
}

fn migrator() -> Migrator {
    sql::migrator(&MIGRATIONS)
}

impl RowStore for SqliteRows {
    fn add_text(&self, id: Id, row: TextRow) -> DbFuture<()> {
        let writer = self.writer.clone();
        Box::pin(async move {
            let mut step = begin(&writer).await?;
            let number = sqlx::query("INSERT INTO texts (id, bytes, expires_at, owner) VALUES (?1, ?2, ?3, ?4)")
                .bind(id)
                .bind(row.bytes as i64)
                .bind(row.expires_at as i64)
                .bind(row.owner)
                .execute(&mut *step)
                .await?
                .last_insert_rowid();
            set_uses(&mut step, RowKind::Text, number, &[row.hash]).await?;
            Ok(step.commit().await?)
        })
    }

    fn text(&self, id: Id) -> DbFuture<Option<TextRow>> {
        let readers = self.readers.clone();
        Box::pin(async move {
            let row: Option<TextColumns> = sqlx::query_as(
                "SELECT hash, bytes, expires_at, texts.owner FROM texts JOIN uses ON kind = ?2 AND uses.owner = number WHERE id = ?1",
            )
            .bind(id)
            .bind(RowKind::Text as i64)
            .fetch_optional(&readers)
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
        let writer = self.writer.clone();
        Box::pin(async move {
            check_body_size(&row.body)?;
            let done = sqlx::query(
                "UPDATE jobs SET body = ?2, ended = 0, expires_at = ?3, attempt = ?4
                 WHERE id = ?1 AND body IS NOT NULL AND ended = 1 AND attempt < ?4",
            )
            .bind(id)
            .bind(row.body)
            .bind(columns::ends(None))
            .bind(i64::from(row.attempt))
            .execute(&writer)
            .await?;
            Ok(if done.rows_affected() > 0 { PutOutcome::Written } else { PutOutcome::Refused })
        })
    }

    fn drop_job(&self, id: Id) -> DbFuture<()> {
        let writer = self.writer.clone();
        Box::pin(async move {
            let mut step = begin(&writer).await?;
            let number = sqlx::query_scalar("SELECT number FROM jobs WHERE id = ?1").bind(id).fetch_optional(&mut *step).await?;
            let Some(number) = number else { return Ok(()) };
            for statement in ["DELETE FROM jobs WHERE number = ?1", "DELETE FROM requests WHERE job = ?1"] {
                sqlx::query(statement).bind(number).execute(&mut *step).await?;
            }
            set_uses(&mut step, RowKind::Job, number, &[]).await?;
            Ok(step.commit().await?)
        })
    }

    fn job(&self, id: Id) -> DbFuture<RowLookup<JobRow>> {
        let readers = self.readers.clone();
        Box::pin(async move {
            let row: Option<JobColumns> = sqlx::query_as("SELECT body, ended, expires_at, attempt, owner FROM jobs WHERE id = ?1")
                .bind(id)
                .fetch_optional(&readers)
                .await?;
            Ok(columns::job(row)?)
        })
    }

    fn jobs(&self, after: Option<Id>, most: u32) -> DbFuture<Vec<(Id, JobRow)>> {
        let readers = self.readers.clone();
        Box::pin(async move {
            let rows: Vec<JobListColumns> = sqlx::query_as(
                "SELECT id, body, ended, expires_at, attempt, owner FROM jobs
                 WHERE body IS NOT NULL AND (?1 IS NULL OR number < (SELECT number FROM jobs WHERE id = ?1)) ORDER BY number DESC LIMIT ?2",
            )
            .bind(after)
            .bind(most)
            .fetch_all(&readers)
            .await?;
            Ok(columns::jobs(rows)?)
        })
    }

    fn request(&self, name: ContentHash) -> DbFuture<Option<(RequestRow, Id)>> {
        let readers = self.readers.clone();
        Box::pin(async move {
            let row: Option<RequestColumns> =
                sqlx::query_as("SELECT said, id, requests.expires_at FROM requests JOIN jobs ON number = job WHERE name = ?1")
                    .bind(name)
                    .fetch_optional(&readers)
                    .await?;
            Ok(row.map(|row| columns::request(name, row)))
        })
    }

    fn trim_requests(&self, most: u32) -> DbFuture<()> {
        let writer = self.writer.clone();
        Box::pin(async move {
            sqlx::query("DELETE FROM requests WHERE name IN (SELECT name FROM requests ORDER BY expires_at DESC, name LIMIT -1 OFFSET ?1)")
                .bind(most)
                .execute(&writer)
                .await?;
            Ok(())
        })
    }

    fn open_jobs(&self) -> DbFuture<Vec<Id>> {
        let readers = self.readers.clone();
        Box::pin(async move {
            let ids: Vec<String> =
                sqlx::query_scalar("SELECT id FROM jobs WHERE ended = 0 AND body IS NOT NULL").fetch_all(&readers).await?;
            Ok(columns::ids(&ids))
        })
    }

    fn add_link(&self, id: Id, row: LinkRow, files: Vec<ContentHash>) -> DbFuture<()> {
        let writer = self.writer.clone();
        Box::pin(async move {
            check_body_size(&row.body)?;
            let mut step = begin(&writer).await?;
            let number = sqlx::query("INSERT INTO links (id, body, token, created_at, expires_at) VALUES (?1, ?2, ?3, ?4, ?5)")
                .bind(id)
                .bind(row.body)
                .bind(row.token)
                .bind(row.created_at as i64)
                .bind(row.expires_at.map(|at| at as i64))
                .execute(&mut *step)
                .await?
                .last_insert_rowid();
            set_uses(&mut step, RowKind::Link, number, &files).await?;
            Ok(step.commit().await?)
        })
    }

    fn link(&self, id: Id) -> DbFuture<RowLookup<LinkRow>> {
        let readers = self.readers.clone();
        Box::pin(async move {
            let row: Option<LinkColumns> = sqlx::query_as("SELECT body, token, created_at, expires_at FROM links WHERE id = ?1")
                .bind(id)
                .fetch_optional(&readers)
                .await?;
            Ok(columns::link(row))
        })
    }

    fn links(&self, after: Option<Id>, most: u32) -> DbFuture<Vec<(Id, LinkRow)>> {
        let readers = self.readers.clone();
        Box::pin(async move {
            let rows: Vec<LinkListColumns> = sqlx::query_as(
                "SELECT id, body, token, created_at, expires_at FROM links
                 WHERE body IS NOT NULL AND (?1 IS NULL OR number < (SELECT number FROM links WHERE id = ?1)) ORDER BY number DESC LIMIT ?2",
            )
            .bind(after)
            .bind(most)
            .fetch_all(&readers)
            .await?;
            Ok(columns::links(rows))
        })
    }

    fn delete_link(&self, id: Id) -> DbFuture<()> {
        let writer = self.writer.clone();
        Box::pin(async move {
            let mut step = begin(&writer).await?;
            let number = sqlx::query_scalar("SELECT number FROM links WHERE id = ?1").bind(id).fetch_optional(&mut *step).await?;
            let Some(number) = number else { return Ok(()) };
            sqlx::query("UPDATE links SET body = NULL WHERE number = ?1").bind(number).execute(&mut *step).await?;
            set_uses(&mut step, RowKind::Link, number, &[]).await?;
            Ok(step.commit().await?)
        })
    }

    fn delete_owned(&self, kind: OwnedKind, id: Id, owner: ContentHash, now: u64) -> DbFuture<DeleteOutcome> {
        let writer = self.writer.clone();
        Box::pin(async move {
            let (of, find, delete) = match kind {
                OwnedKind::Text => (
                    RowKind::Text,
                    "SELECT number, owner FROM texts WHERE id = ?1",
                    "DELETE FROM texts WHERE number = ?1 AND ?2 IS NOT NULL",
                ),
                OwnedKind::Job => (
                    RowKind::Job,
                    "SELECT number, owner FROM jobs WHERE id = ?1",
                    // The id is remembered as long as that of an expired job.
                    "UPDATE jobs SET body = NULL, expires_at = min(expires_at, ?2) WHERE number = ?1",
                ),
            };
            let mut step = begin(&writer).await?;
            let found: Option<(i64, Option<ContentHash>)> = sqlx::query_as(find).bind(id).fetch_optional(&mut *step).await?;
            let Some((number, made_by)) = found else { return Ok(DeleteOutcome::Never) };
            // Hashes are compared in constant time.
            if made_by != Some(owner) {
                return Ok(DeleteOutcome::NotOwner);
            }
            sqlx::query(delete).bind(number).bind(now as i64).execute(&mut *step).await?;
            set_uses(&mut step, of, number, &[]).await?;
            step.commit().await?;
            Ok(DeleteOutcome::Gone)
        })
    }

    fn add_class_code(&self, row: ClassCodeRow, now: u64, max_live: u64) -> DbFuture<PutOutcome> {
        let writer = self.writer.clone();
        Box::pin(async move {
            let done = sqlx::query(
                "INSERT INTO class_codes (code, link, expires_at) SELECT ?1, ?2, ?3
                 WHERE (SELECT count(*) FROM class_codes WHERE expires_at > ?4 AND length(code) = length(?1)) < ?5 ON CONFLICT DO NOTHING",
            )
            .bind(row.code)
            .bind(row.link)
            .bind(row.expires_at as i64)
            .bind(now as i64)
            .bind(max_live as i64)
            .execute(&writer)
            .await?;
            Ok(if done.rows_affected() == 1 { PutOutcome::Written } else { PutOutcome::Refused })
        })
    }

    fn class_code(&self, code: String) -> DbFuture<Option<ClassCodeRow>> {
        let readers = self.readers.clone();
        Box::pin(async move {
            let row: Option<ClassCodeColumns> =
                sqlx::query_as("SELECT link, expires_at FROM class_codes WHERE code = ?1").bind(&code).fetch_optional(&readers).await?;
            Ok(row.map(|row| columns::class_code(code, row)))
        })
    }

    fn expire(&self, now: u64, forget: u64, most: u32) -> DbFuture<u64> {
        let writer = self.writer.clone();
        Box::pin(async move {
            let mut step = begin(&writer).await?;
            let mut changed = 0;
            // Uses of files come first, because they are found through the expired rows.
            for (kind, statement) in [
                (
                    RowKind::Text,
                    "DELETE FROM uses WHERE kind = ?3 AND owner IN
                     (SELECT number FROM texts WHERE expires_at <= ?1 ORDER BY expires_at, number LIMIT ?2)",
                ),
                (
                    RowKind::Job,
                    "DELETE FROM uses WHERE kind = ?3 AND owner IN
                     (SELECT number FROM jobs WHERE body IS NOT NULL AND expires_at <= ?1 ORDER BY expires_at, number LIMIT ?2)",
                ),
                (
                    RowKind::Link,
                    "DELETE FROM uses WHERE kind = ?3 AND owner IN
                     (SELECT number FROM links WHERE body IS NOT NULL AND expires_at <= ?1 ORDER BY expires_at, number LIMIT ?2)",
                ),
            ] {
                sqlx::query(statement).bind(now as i64).bind(most).bind(kind as i64).execute(&mut *step).await?;
            }
            for statement in [
                "DELETE FROM requests WHERE name IN (SELECT name FROM requests WHERE expires_at <= ?1 ORDER BY expires_at, name LIMIT ?2)",
                "DELETE FROM class_codes WHERE code IN (SELECT code FROM class_codes WHERE expires_at <= ?1 ORDER BY expires_at, code LIMIT ?2)",
                "DELETE FROM texts WHERE number IN (SELECT number FROM texts WHERE expires_at <= ?1 ORDER BY expires_at, number LIMIT ?2)",
                "UPDATE jobs SET body = NULL WHERE number IN
                 (SELECT number FROM jobs WHERE body IS NOT NULL AND expires_at <= ?1 ORDER BY expires_at, number LIMIT ?2)",
                "UPDATE links SET body = NULL WHERE number IN
                 (SELECT number FROM links WHERE body IS NOT NULL AND expires_at <= ?1 ORDER BY expires_at, number LIMIT ?2)",
            ] {
                changed += sqlx::query(statement).bind(now as i64).bind(most).execute(&mut *step).await?.rows_affected();
            }
            changed += sqlx::query(
                "DELETE FROM jobs WHERE number IN
                 (SELECT number FROM jobs WHERE body IS NULL AND expires_at <= ?1 ORDER BY expires_at, number LIMIT ?2)",
            )
            .bind(forget as i64)
            .bind(most)
            .execute(&mut *step)
            .await?
            .rows_affected();
            step.commit().await?;
            if changed > 0 {
                // The log still contains data that were overwritten in the tables. If a reader prevents the checkpoint,
                // a later one removes them.
                let _ = sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)").execute(&writer).await;
            }
            Ok(changed)
        })
    }

    fn unreferenced_files(&self, after: Option<ContentHash>, most: u32) -> DbFuture<Vec<ContentHash>> {
        let readers = self.readers.clone();
        Box::pin(async move {
            let keys = sqlx::query_scalar(
                "SELECT hash FROM dropped WHERE hash > ?1 AND NOT EXISTS (SELECT 1 FROM uses WHERE uses.hash = dropped.hash)
                 ORDER BY hash LIMIT ?2",
            )
            .bind(after.map(|key| key.as_bytes().to_vec()).unwrap_or_default())
            .bind(most)
            .fetch_all(&readers)
            .await?;
            Ok(keys)
        })
    }

    fn delete_unreferenced(&self, keys: Vec<ContentHash>) -> DbFuture<()> {
        let writer = self.writer.clone();
        Box::pin(async move {
            let mut step = begin(&writer).await?;
            sqlx::query("DELETE FROM dropped WHERE hash IN (SELECT unhex(value) FROM json_each(?1))")
                .bind(list(&keys)?)
                .execute(&mut *step)
                .await?;
            Ok(step.commit().await?)
        })
    }

    fn unused(&self, keys: Vec<ContentHash>) -> DbFuture<Vec<ContentHash>> {
        let readers = self.readers.clone();
        Box::pin(async move {
            let keys = sqlx::query_scalar(
                "SELECT unhex(value) FROM json_each(?1) WHERE NOT EXISTS (SELECT 1 FROM uses WHERE hash = unhex(value))",
            )
            .bind(list(&keys)?)
            .fetch_all(&readers)
            .await?;
            Ok(keys)
        })
    }

    fn bytes(&self) -> DbFuture<Option<u64>> {
        let rows = self.clone();
        Box::pin(async move {
            let bytes: i64 = sqlx::query_scalar(
                "SELECT (page_count - freelist_count) * page_size FROM pragma_page_count(), pragma_freelist_count(), pragma_page_size()",
            )
            .fetch_one(&rows.readers)
            .await?;
            Ok(Some(bytes as u64))
        })
    }

    fn probe(&self) -> DbFuture<()> {
        let rows = self.clone();
        Box::pin(async move {
            let mut step = begin(&rows.writer).await?;
            let written: i64 = sqlx::query_scalar(
                "INSERT INTO probe (id, written) VALUES (1, 1) ON CONFLICT (id) DO UPDATE SET written = written + 1 RETURNING written",
            )
            .fetch_one(&mut *step)
            .await?;
            step.commit().await?;
            let read: i64 = sqlx::query_scalar("SELECT written FROM probe WHERE id = 1").fetch_one(&rows.readers).await?;
            // Another probe may have written a higher value since.
            if read < written { Err(invalid_row("what was written is not what is read")) } else { Ok(()) }
        })
    }
}

/// Sets the `files` that the row number `owner` of the kind `kind` uses. Both SQL statements are one call, because each
/// call is a round trip to the connection's thread.
async fn set_uses(step: &mut Transaction<'static, Sqlite>, kind: RowKind, owner: i64, files: &[ContentHash]) -> Result<(), sqlx::Error> {
    sqlx::query(
        "DELETE FROM uses WHERE kind = ?1 AND owner = ?2;
         INSERT OR IGNORE INTO uses (kind, owner, hash) SELECT ?1, ?2, unhex(value) FROM json_each(?3)",
    )
    .bind(kind as i64)
    .bind(owner)
    .bind(serde_json::to_string(files).map_err(|cause| sqlx::Error::Encode(cause.into()))?)
    .execute(&mut **step)
    .await?;
    Ok(())
}

#[cfg(test)]
mod tests;
