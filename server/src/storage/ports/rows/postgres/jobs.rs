//! Writes of job rows in PostgreSQL (`PostgresJobWriter`): two statements in one transaction write all rows. The first
//! locks and writes the rows, except those that a later attempt wrote or that have ended or were deleted. The second
//! writes the requests and the lists of files; it runs after the locks, so that it sees the lists of previous writers
//! of these rows.

use std::collections::{BTreeMap, HashMap};

use futures::FutureExt as _;
use futures::future::BoxFuture;
use sqlx::postgres::PgPool;
use sqlx::{Postgres, Transaction};

use super::attempt;
use crate::id::Id;
use crate::storage::ports::StorageError;
use crate::storage::ports::batches::BatchWriter;
use crate::storage::ports::hash::ContentHash;
use crate::storage::ports::rows::PutOutcome;
use crate::storage::ports::rows::sql::columns::ends;
use crate::storage::ports::rows::sql::{JobRowWrite, distinct_job_runs};

/// The writer of batches of job rows. It uses any free connection of the pool.
pub(super) struct PostgresJobWriter {
    pub(super) pool: PgPool,
}

impl BatchWriter<JobRowWrite, PutOutcome> for PostgresJobWriter {
    fn write<'a>(&'a self, rows: &'a mut [JobRowWrite]) -> BoxFuture<'a, Result<Vec<PutOutcome>, StorageError>> {
        let rows = &*rows;
        attempt(move || async move {
            let mut step = self.pool.begin().await?;
            let mut puts = Vec::with_capacity(rows.len());
            for rows in distinct_job_runs(rows) {
                puts.extend(write_jobs(&mut step, rows).await?);
            }
            step.commit().await?;
            Ok(puts)
        })
        .boxed()
    }
}

/// Writes `rows`, each of a different job, in the transaction `step`. Returns for each row whether it was written or
/// refused.
async fn write_jobs(step: &mut Transaction<'static, Postgres>, rows: &[JobRowWrite]) -> Result<Vec<PutOutcome>, sqlx::Error> {
    let of = |column: fn(&JobRowWrite) -> i64| rows.iter().map(column).collect::<Vec<_>>();
    let written: Vec<(Id, i64)> = sqlx::query_as(
        "INSERT INTO jobs (id, body, ended, expires_at, attempt, owner)
         SELECT * FROM unnest($1::text[], $2::text[], $3::boolean[], $4::bigint[], $5::bigint[], $6::bytea[])
             AS given (id, body, ended, expires_at, attempt, owner) ORDER BY id COLLATE \"C\"
         ON CONFLICT (id) DO UPDATE SET body = excluded.body, ended = excluded.ended, expires_at = excluded.expires_at, attempt = excluded.attempt
         WHERE jobs.body IS NOT NULL AND NOT jobs.ended AND jobs.attempt <= excluded.attempt RETURNING id, number",
    )
    .bind(rows.iter().map(|wanted| wanted.id).collect::<Vec<_>>())
    .bind(rows.iter().map(|wanted| wanted.row.body.as_str()).collect::<Vec<_>>())
    .bind(rows.iter().map(|wanted| wanted.row.ended_until.is_some()).collect::<Vec<_>>())
    .bind(of(|wanted| ends(wanted.row.ended_until)))
    .bind(of(|wanted| i64::from(wanted.row.attempt)))
    .bind(rows.iter().map(|wanted| wanted.row.owner).collect::<Vec<_>>())
    .fetch_all(&mut **step)
    .await?;
    let written: HashMap<Id, i64> = written.into_iter().collect();
    if !written.is_empty() {
        write_names(step, rows, &written).await?;
    }
    Ok(rows.iter().map(|row| if written.contains_key(&row.id) { PutOutcome::Written } else { PutOutcome::Refused }).collect())
}

/// Writes the requests of those `rows` that were written, and the files that they use. `written` has the row number of
/// each written job. Files that a row already used stay as they are.
async fn write_names(
    step: &mut Transaction<'static, Postgres>,
    rows: &[JobRowWrite],
    written: &HashMap<Id, i64>,
) -> Result<(), sqlx::Error> {
    let told = || rows.iter().filter_map(|wanted| Some((*written.get(&wanted.id)?, &wanted.row)));
    // If a name occurs several times, the last request counts. The map sorts by name, for the order of locks.
    let requests: BTreeMap<[u8; 32], _> =
        told().flat_map(|(job, row)| row.requests.iter().map(move |request| (*request.name.as_bytes(), (job, request)))).collect();
    let (users, hashes): (Vec<i64>, Vec<ContentHash>) =
        told().flat_map(|(number, row)| row.files.iter().map(move |hash| (number, *hash))).unzip();
    sqlx::query(
        "WITH asked AS (
             INSERT INTO requests (name, said, job, expires_at) SELECT * FROM unnest($1::bytea[], $2::bytea[], $3::bigint[], $4::bigint[])
             ON CONFLICT (name) DO UPDATE SET said = excluded.said, job = excluded.job, expires_at = excluded.expires_at),
         given AS (SELECT DISTINCT * FROM unnest($5::bigint[], $6::bytea[]) AS given (owner, hash)),
         free AS (
             DELETE FROM uses WHERE kind = 1 AND owner = ANY($7)
             AND NOT EXISTS (SELECT 1 FROM given WHERE given.owner = uses.owner AND given.hash = uses.hash))
         INSERT INTO uses (kind, owner, hash) SELECT 1, owner, hash FROM given ON CONFLICT DO NOTHING",
    )
    .bind(requests.values().map(|(_, request)| request.name).collect::<Vec<_>>())
    .bind(requests.values().map(|(_, request)| request.body_hash).collect::<Vec<_>>())
    .bind(requests.values().map(|(job, _)| *job).collect::<Vec<_>>())
    .bind(requests.values().map(|(_, request)| request.expires_at as i64).collect::<Vec<_>>())
    .bind(users)
    .bind(hashes)
    .bind(written.values().copied().collect::<Vec<_>>())
    .execute(&mut **step)
    .await?;
    Ok(())
}
