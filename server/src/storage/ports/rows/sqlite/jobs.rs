//! Writes of job rows in SQLite (`SqliteJobWriter`): each statement handles all rows, because the round trip to the
//! connection's thread takes as long as the work on a row.

use std::collections::HashMap;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use serde::Serialize;
use sqlx::sqlite::SqlitePool;
use sqlx::{QueryBuilder, Sqlite, Transaction};

use crate::id::Id;
use crate::storage::ports::StorageError;
use crate::storage::ports::batches::BatchWriter;
use crate::storage::ports::rows::PutOutcome;
use crate::storage::ports::rows::sql::columns::ends;
use crate::storage::ports::rows::sql::{JobRowWrite, distinct_job_runs, invalid_row};
use crate::storage::ports::sqlite::{begin, checkpoint};

/// The writer of batches of job rows. While it is idle, it copies the write-ahead log into the database.
pub(super) struct SqliteJobWriter {
    pub(super) writer: SqlitePool,
    pub(super) readers: SqlitePool,
}

impl BatchWriter<JobRowWrite, PutOutcome> for SqliteJobWriter {
    fn write<'a>(&'a self, rows: &'a mut [JobRowWrite]) -> BoxFuture<'a, Result<Vec<PutOutcome>, StorageError>> {
        async move {
            let mut step = begin(&self.writer).await?;
            let mut puts = Vec::with_capacity(rows.len());
            for rows in distinct_job_runs(rows) {
                puts.extend(write_jobs(&mut step, rows).await?);
            }
            step.commit().await?;
            Ok(puts)
        }
        .boxed()
    }

    fn on_idle(&self) {
        checkpoint(&self.readers);
    }
}

/// Writes `rows`, each of a different job, in the transaction `step`. Returns for each row whether it was written or
/// refused.
async fn write_jobs(step: &mut Transaction<'static, Sqlite>, rows: &[JobRowWrite]) -> Result<Vec<PutOutcome>, StorageError> {
    let mut insert = QueryBuilder::new("INSERT INTO jobs (id, body, ended, expires_at, attempt, owner) ");
    insert.push_values(rows, |mut values, JobRowWrite { id, row, .. }| {
        values.push_bind(*id).push_bind(row.body.clone()).push_bind(row.ended_until.is_some());
        values.push_bind(ends(row.ended_until)).push_bind(i64::from(row.attempt)).push_bind(row.owner);
    });
    insert.push(
        " ON CONFLICT (id) DO UPDATE SET body = excluded.body, ended = excluded.ended, expires_at = excluded.expires_at, attempt = excluded.attempt
         WHERE jobs.body IS NOT NULL AND jobs.ended = 0 AND jobs.attempt <= excluded.attempt RETURNING id, number",
    );
    let written: Vec<(Id, i64)> = insert.build_query_as().fetch_all(&mut **step).await?;
    let written: HashMap<Id, i64> = written.into_iter().collect();
    let told = || rows.iter().filter_map(|wanted| Some((*written.get(&wanted.id)?, &wanted.row)));
    let uses: Vec<_> = told().flat_map(|(number, row)| row.files.iter().map(move |hash| (number, hash))).collect();
    let requests: Vec<_> = told()
        .flat_map(|(number, row)| row.requests.iter().map(move |request| (request.name, request.body_hash, number, request.expires_at)))
        .collect();
    // Kind 1 stands for jobs. Parameter numbers must increase from statement to statement, because sqlx drops those
    // after a gap.
    sqlx::query(
        "DELETE FROM uses WHERE kind = 1 AND owner IN (SELECT value FROM json_each(?1));
         INSERT OR IGNORE INTO uses (kind, owner, hash) SELECT 1, value ->> 0, unhex(value ->> 1) FROM json_each(?2);
         INSERT OR REPLACE INTO requests (name, said, job, expires_at)
             SELECT unhex(value ->> 0), unhex(value ->> 1), value ->> 2, value ->> 3 FROM json_each(?3)",
    )
    .bind(json(&written.values().collect::<Vec<_>>())?)
    .bind(json(&uses)?)
    .bind(json(&requests)?)
    .execute(&mut **step)
    .await?;
    Ok(rows.iter().map(|row| if written.contains_key(&row.id) { PutOutcome::Written } else { PutOutcome::Refused }).collect())
}

fn json(of: &impl Serialize) -> Result<String, StorageError> {
    serde_json::to_string(of).map_err(invalid_row)
}
