//! Commits: rows of jobs that come at the same moment are written in one transaction, so that the disk is waited for once and not once for each.
//! Two hundred people who press a key together are two hundred rows.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use serde::Serialize;
use sqlx::sqlite::SqlitePool;
use sqlx::{QueryBuilder, Sqlite, Transaction};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use super::{begin, broken};
use crate::id::Id;
use crate::ports::rows::{JobRow, Put};
use crate::ports::{Error, Trouble};

/// Rows of one transaction at most: others who write wait for as long as it takes.
const MOST: usize = 512;

/// After so long without a row, the log is brought into the tables.
const QUIET: Duration = Duration::from_millis(500);

/// Where rows of jobs are handed in.
#[derive(Clone, Debug)]
pub(super) struct Commits(mpsc::UnboundedSender<Wanted>);

/// A row on its way, and who waits for it.
#[derive(Debug)]
struct Wanted {
    id: Id,
    row: JobRow,
    done: oneshot::Sender<Result<Put, Error>>,
}

impl Commits {
    /// Writes rows by `writer` until nobody can hand in another one. In quiet moments one of the readers brings the log into the tables, beside whoever writes.
    pub(super) fn start(writer: SqlitePool, readers: SqlitePool) -> Self {
        let (commits, mut wanted) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            let (mut rows, mut is_quiet) = (Vec::new(), true);
            loop {
                let come = wanted.recv_many(&mut rows, MOST);
                let come = if is_quiet { Ok(come.await) } else { timeout(QUIET, come).await };
                is_quiet = come.is_err();
                match come {
                    Ok(0) => break,
                    Ok(_) => commit(&writer, std::mem::take(&mut rows)).await,
                    // Another time where a reader is in the way.
                    Err(_) => {
                        let readers = readers.clone();
                        tokio::spawn(async move { sqlx::query("PRAGMA wal_checkpoint(PASSIVE)").execute(&readers).await });
                    }
                }
            }
        });
        Self(commits)
    }

    /// Returns when the row is on the disk.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(super) async fn put_job(&self, id: Id, row: JobRow) -> Result<Put, Error> {
        let (done, answer) = oneshot::channel();
        let ended = || broken("nobody writes rows any more");
        self.0.send(Wanted { id, row, done }).map_err(|_| ended())?;
        answer.await.map_err(|_| ended())?
    }
}

/// Writes them and says so to each. A mistake in one of them is not the others': then each gets a transaction of its own. What hinders all of them
/// hinders each alone too, and would be waited for once more by each.
async fn commit(writer: &SqlitePool, rows: Vec<Wanted>) {
    match write(writer, &rows).await {
        Ok(puts) => rows.into_iter().zip(puts).for_each(|(row, put)| tell(row, Ok(put))),
        Err(error) if rows.len() == 1 || error.trouble != Trouble::Broken => {
            rows.into_iter().for_each(|row| tell(row, Err(Error::new(error.trouble, &error))));
        }
        Err(_) => {
            for row in rows {
                let put = write(writer, std::slice::from_ref(&row)).await;
                tell(row, put.map(|puts| puts[0]));
            }
        }
    }
}

/// Whoever has gone meanwhile is told nothing.
fn tell(row: Wanted, put: Result<Put, Error>) {
    let _ = row.done.send(put);
}

async fn write(writer: &SqlitePool, rows: &[Wanted]) -> Result<Vec<Put>, Error> {
    let mut step = begin(writer).await?;
    let mut puts = Vec::with_capacity(rows.len());
    let mut left = rows;
    while !left.is_empty() {
        // Of two rows of one job the second one finds what the first one wrote.
        let mut seen = HashSet::new();
        let (now, later) = left.split_at(left.iter().take_while(|row| seen.insert(row.id)).count());
        puts.extend(write_jobs(&mut step, now).await?);
        left = later;
    }
    step.commit().await?;
    Ok(puts)
}

/// Writes rows of different jobs, their files and their requests; nothing of a row that must stay as it is. Each statement is for all of them: a statement
/// goes to the thread of the connection and back, which takes as long as what it does to a row.
async fn write_jobs(step: &mut Transaction<'static, Sqlite>, rows: &[Wanted]) -> Result<Vec<Put>, Error> {
    let mut insert = QueryBuilder::new("INSERT INTO jobs (id, body, ended, expires_at, attempt, owner) ");
    insert.push_values(rows, |mut values, Wanted { id, row, .. }| {
        values.push_bind(*id).push_bind(row.body.clone()).push_bind(row.ended_until.is_some());
        values.push_bind(row.ended_until.map_or(i64::MAX, |until| until as i64)).push_bind(i64::from(row.attempt));
        values.push_bind(row.owner);
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
        .flat_map(|(number, row)| row.requests.iter().map(move |request| (request.name, request.said, number, request.expires_at)))
        .collect();
    // Kind 1 are jobs. Numbers of parameters rise from statement to statement: sqlx leaves those out that come after a gap.
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
    Ok(rows.iter().map(|row| if written.contains_key(&row.id) { Put::Written } else { Put::Refused }).collect())
}

fn json(of: &impl Serialize) -> Result<String, Error> {
    serde_json::to_string(of).map_err(broken)
}
