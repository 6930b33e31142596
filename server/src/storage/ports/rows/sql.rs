//! Common parts of the rows in SQLite and in PostgreSQL: batches of job rows, migrations, and the conversion of errors.
//!
//! - [`columns`]: conversion of columns

use std::collections::HashSet;

use anyhow::anyhow;
use sqlx::SqlSafeStr as _;
use sqlx::error::DatabaseError;
use sqlx::migrate::{MigrateError, Migration, MigrationType, Migrator};
use sqlx::sqlite::SqliteError;

use super::{JobRow, MAX_ROW_BODY_BYTES, PutOutcome};
use crate::id::Id;
use crate::storage::ports::batches::Batcher;
use crate::storage::ports::{StorageError, StorageErrorKind};

pub(super) mod columns;

/// The kind of a row that uses a file, as the number in the column `kind` of the table `uses`.
#[derive(Clone, Copy)]
pub(super) enum RowKind {
    Text = 0,
    Job = 1,
    Link = 2,
}

/// The queue of job rows that are written to a database in batches.
///
/// A transaction writes the rows of a batch with their files and requests. Refused rows change nothing. A job may occur
/// several times in a batch: see [`distinct_job_runs`].
pub(super) type JobWriteQueue = Batcher<JobRowWrite, PutOutcome>;

/// A job row that is queued for writing, with the id of the job.
#[derive(Clone, Debug)]
pub(super) struct JobRowWrite {
    pub(super) id: Id,
    pub(super) row: JobRow,
}

/// Splits `rows` into runs (successive rows) in which each job occurs once. Runs are written one after the other, so
/// that the second row of a job sees the first.
pub(super) fn distinct_job_runs(mut rows: &[JobRowWrite]) -> impl Iterator<Item = &[JobRowWrite]> {
    std::iter::from_fn(move || {
        let mut seen = HashSet::new();
        let (now, later) = rows.split_at(rows.iter().take_while(|row| seen.insert(row.id)).count());
        rows = later;
        (!now.is_empty()).then_some(now)
    })
}

/// Creates a migrator of the tables by `steps`, the name and the SQL statements of each migration. The steps are listed
/// in the program, because sqlx's macro that reads a folder would compile SQLite a second time.
pub(super) fn migrator(steps: &[(&'static str, &'static str)]) -> Migrator {
    let migration = |(version, (name, sql)): (i64, &(&'static str, &'static str))| {
        Migration::new(version, (*name).into(), MigrationType::Simple, sql.into_sql_str(), false)
    };
    Migrator::with_migrations((1..).zip(steps).map(migration).collect())
}

/// Converts `error` to a message that the tables of the database named `database` could not be migrated.
pub(super) fn not_migrated(error: MigrateError, database: &str) -> anyhow::Error {
    match error {
        MigrateError::VersionMissing(number) => anyhow!("{database} was written by a newer version (tables {number})"),
        error => anyhow::Error::new(error).context(format!("cannot bring the tables of {database} up to date")),
    }
}

/// Checks that the body of a row is at most [`MAX_ROW_BODY_BYTES`] bytes long.
pub(super) fn check_body_size(body: &str) -> Result<(), StorageError> {
    let fits = body.len() <= MAX_ROW_BODY_BYTES;
    if fits { Ok(()) } else { Err(invalid_row(format!("a row of {} bytes, and {MAX_ROW_BODY_BYTES} are the most", body.len()))) }
}

pub(super) fn invalid_row(cause: impl std::fmt::Display) -> StorageError {
    StorageError::new(StorageErrorKind::Broken, cause)
}

impl From<sqlx::Error> for StorageError {
    fn from(error: sqlx::Error) -> Self {
        let trouble = match &error {
            sqlx::Error::Database(database) => of_database(database.as_ref()),
            sqlx::Error::PoolTimedOut | sqlx::Error::PoolClosed | sqlx::Error::WorkerCrashed | sqlx::Error::Tls(_) => {
                StorageErrorKind::Unavailable
            }
            sqlx::Error::Io(cause) => StorageErrorKind::from_io_kind(cause.kind()),
            _ => StorageErrorKind::Broken,
        };
        Self::new(trouble, error)
    }
}

fn of_database(error: &dyn DatabaseError) -> StorageErrorKind {
    let code = error.code().unwrap_or_default();
    if error.as_error().is::<SqliteError>() { of_sqlite(&code) } else { of_sqlstate(&code) }
}

/// Returns the kind of a PostgreSQL error code: <https://www.postgresql.org/docs/current/errcodes-appendix.html>. The
/// first two characters are the class of the code. Refused or lost connections and statements that took too long are
/// temporary errors; errors in the statement or data are not.
fn of_sqlstate(code: &str) -> StorageErrorKind {
    /// Codes of temporary errors in other classes: the database is a read-only standby; a lock was held too long; the
    /// database does not exist.
    const TEMPORARY_SQLSTATES: [&str; 3] = ["25006", "55P03", "3D000"];
    match code.get(..2).unwrap_or_default() {
        _ if code == "53100" => StorageErrorKind::Full,
        // Classes of connections, authorization, conflicts of transactions, resources, operator intervention, system
        // errors.
        "08" | "28" | "40" | "53" | "57" | "58" => StorageErrorKind::Unavailable,
        _ if TEMPORARY_SQLSTATES.contains(&code) => StorageErrorKind::Unavailable,
        _ => StorageErrorKind::Broken,
    }
}

/// Returns the kind of a SQLite result code: <https://www.sqlite.org/rescode.html>. Only the low byte counts, which is
/// the primary code of an extended one.
fn of_sqlite(code: &str) -> StorageErrorKind {
    const SQLITE_FULL_CODE: i32 = 13;
    const SQLITE_MISTAKE_CODES: [i32; 8] = [1, 2, 17, 19, 20, 21, 25, 26];
    match code.parse::<i32>().map(|code| code & 0xff) {
        Ok(SQLITE_FULL_CODE) => StorageErrorKind::Full,
        Ok(code) if SQLITE_MISTAKE_CODES.contains(&code) => StorageErrorKind::Broken,
        _ => StorageErrorKind::Unavailable,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_codes_tell_temporary_from_permanent_failures() {
        for (code, trouble) in [
            ("53100", StorageErrorKind::Full),
            ("53300", StorageErrorKind::Unavailable),
            ("57P01", StorageErrorKind::Unavailable),
            ("57014", StorageErrorKind::Unavailable),
            ("08006", StorageErrorKind::Unavailable),
            ("40P01", StorageErrorKind::Unavailable),
            ("25006", StorageErrorKind::Unavailable),
            ("23505", StorageErrorKind::Broken),
            ("42P01", StorageErrorKind::Broken),
            ("XX001", StorageErrorKind::Broken),
            ("", StorageErrorKind::Broken),
        ] {
            assert_eq!(of_sqlstate(code), trouble, "{code}");
        }
        for (code, trouble) in [
            ("13", StorageErrorKind::Full),
            ("5", StorageErrorKind::Unavailable),
            ("1555", StorageErrorKind::Broken),
            ("778", StorageErrorKind::Unavailable),
            ("", StorageErrorKind::Unavailable),
        ] {
            assert_eq!(of_sqlite(code), trouble, "{code}");
        }
    }
}
