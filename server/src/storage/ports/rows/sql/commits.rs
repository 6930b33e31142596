//! Commits: job rows that arrive together are written in one transaction, so that they share one disk flush. A school
//! class that presses a key together writes two hundred rows.

use std::collections::HashSet;
use std::time::Duration;
use std::{io, thread};

use futures::future::BoxFuture;
use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use super::broken;
use crate::id::Id;
use crate::storage::ports::rows::{JobRow, PutOutcome};
use crate::storage::ports::{StorageError, StorageErrorKind};

/// Maximum number of rows in one transaction. More would delay callers, because all wait for the whole transaction.
const MAX_JOB_ROW_BATCH: usize = 512;

/// Time without a new row after which the writer is idle.
const WRITER_IDLE_DELAY: Duration = Duration::from_millis(500);

/// The queue of job rows to write.
#[derive(Clone, Debug)]
pub(in crate::storage::ports::rows) struct JobWriteQueue(mpsc::UnboundedSender<JobRowWrite>);

/// A queued row, with the channel that returns the result to its caller.
#[derive(Debug)]
pub(in crate::storage::ports::rows) struct JobRowWrite {
    pub(in crate::storage::ports::rows) id: Id,
    pub(in crate::storage::ports::rows) row: JobRow,
    done: oneshot::Sender<Result<PutOutcome, StorageError>>,
}

/// A writer of job rows into one kind of database.
pub(in crate::storage::ports::rows) trait JobRowWriter: Send + Sync + 'static {
    /// Writes rows with their files and requests in one transaction, and returns the result for each. Refused rows
    /// change nothing. A job may occur several times: see [`distinct_job_runs`].
    fn write<'a>(&'a self, rows: &'a [JobRowWrite]) -> BoxFuture<'a, Result<Vec<PutOutcome>, StorageError>>;

    /// Called once when no row was written for [`WRITER_IDLE_DELAY`].
    fn quiet(&self) {}
}

impl JobWriteQueue {
    /// Starts a thread that writes queued rows, until all clones of the queue are dropped.
    ///
    /// A commit is several calls to the database. On the threads that serve requests, each call would wait behind new
    /// requests: the database would be idle while these threads are busy, and the reverse.
    ///
    /// # Errors
    /// Returns an error if the thread cannot be started.
    pub(in crate::storage::ports::rows) fn start(writer: impl JobRowWriter) -> io::Result<Self> {
        let (commits, mut wanted) = mpsc::unbounded_channel();
        let all = async move {
            let (mut rows, mut is_quiet) = (Vec::new(), true);
            loop {
                let come = wanted.recv_many(&mut rows, MAX_JOB_ROW_BATCH);
                let come = if is_quiet { Ok(come.await) } else { timeout(WRITER_IDLE_DELAY, come).await };
                is_quiet = come.is_err();
                match come {
                    Ok(0) => break,
                    Ok(_) => commit(&writer, std::mem::take(&mut rows)).await,
                    Err(_) => writer.quiet(),
                }
            }
        };
        let runtime = Handle::current();
        thread::Builder::new().name("rows".into()).spawn(move || runtime.block_on(all))?;
        Ok(Self(commits))
    }

    /// Writes a row, and returns once it is on disk.
    ///
    /// # Errors
    /// Returns an error if it cannot be written.
    pub(in crate::storage::ports::rows) async fn put_job(&self, id: Id, row: JobRow) -> Result<PutOutcome, StorageError> {
        let (done, answer) = oneshot::channel();
        let ended = || broken("nobody writes rows any more");
        self.0.send(JobRowWrite { id, row, done }).map_err(|_| ended())?;
        answer.await.map_err(|_| ended())?
    }
}

/// Splits rows into runs in which each job occurs once. Runs are written one after the other, so that the second row of
/// a job sees the first.
pub(in crate::storage::ports::rows) fn distinct_job_runs(mut rows: &[JobRowWrite]) -> impl Iterator<Item = &[JobRowWrite]> {
    std::iter::from_fn(move || {
        let mut seen = HashSet::new();
        let (now, later) = rows.split_at(rows.iter().take_while(|row| seen.insert(row.id)).count());
        rows = later;
        (!now.is_empty()).then_some(now)
    })
}

/// Writes rows and notifies their callers. If one row is invalid, every row is written in a transaction of its own.
/// Other errors would affect every transaction, so all rows fail at once.
async fn commit(writer: &impl JobRowWriter, rows: Vec<JobRowWrite>) {
    match writer.write(&rows).await {
        Ok(puts) => rows.into_iter().zip(puts).for_each(|(row, put)| send_put_outcome(row, Ok(put))),
        Err(error) if rows.len() == 1 || error.trouble != StorageErrorKind::Broken => {
            rows.into_iter().for_each(|row| send_put_outcome(row, Err(StorageError::new(error.trouble, &error))));
        }
        Err(_) => {
            for row in rows {
                let put = writer.write(std::slice::from_ref(&row)).await;
                send_put_outcome(row, put.map(|puts| puts[0]));
            }
        }
    }
}

/// Sends the result of writing `row` to its caller, unless the caller no longer waits.
fn send_put_outcome(row: JobRowWrite, put: Result<PutOutcome, StorageError>) {
    let _ = row.done.send(put);
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use futures::FutureExt as _;

    use super::*;

    /// A writer for tests that writes nothing, but makes a call that another thread answers, as a database does.
    struct Afar;

    impl JobRowWriter for Afar {
        fn write<'a>(&'a self, rows: &'a [JobRowWrite]) -> BoxFuture<'a, Result<Vec<PutOutcome>, StorageError>> {
            let (answer, answered) = oneshot::channel();
            thread::spawn(move || answer.send(()));
            async move { answered.await.map(|()| vec![PutOutcome::Written; rows.len()]).map_err(|_| broken("no answer")) }.boxed()
        }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn rows_are_written_while_the_threads_that_answer_are_busy() {
        let commits = JobWriteQueue::start(Afar).unwrap();
        let (begun, begins) = mpsc::channel();
        let (end, ends) = mpsc::channel::<()>();
        let busy = tokio::spawn(async move {
            begun.send(()).unwrap();
            ends.recv_timeout(Duration::from_secs(10))
        });
        begins.recv().unwrap();
        let row = JobRow { body: String::new(), files: Vec::new(), attempt: 0, ended_until: None, owner: None, requests: Vec::new() };
        assert_eq!(commits.put_job(Id::random(), row).await.unwrap(), PutOutcome::Written);
        let _ = end.send(());
        assert_eq!(busy.await.unwrap(), Ok(()), "the row has waited for a thread that answers");
    }
}
