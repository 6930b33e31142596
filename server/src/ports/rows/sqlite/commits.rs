//! Commits: rows of jobs that come at the same moment are written in one transaction, so that the disk is waited for once and not once for each.
//! Two hundred people who press a key together are two hundred rows.

use sqlx::sqlite::SqlitePool;
use tokio::sync::{mpsc, oneshot};

use super::{begin, broken, write_job};
use crate::id::Id;
use crate::ports::rows::{JobRow, Put};
use crate::ports::{Error, Trouble};

/// Rows of one transaction at most: others who write wait for as long as it takes.
const MOST: usize = 64;

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
    /// Writes rows by `writer` until nobody can hand in another one.
    pub(super) fn start(writer: SqlitePool) -> Self {
        let (commits, mut wanted) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            let mut rows = Vec::new();
            while wanted.recv_many(&mut rows, MOST).await > 0 {
                commit(&writer, std::mem::take(&mut rows)).await;
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
    for Wanted { id, row, .. } in rows {
        puts.push(write_job(&mut step, *id, row).await?);
    }
    step.commit().await?;
    Ok(puts)
}
