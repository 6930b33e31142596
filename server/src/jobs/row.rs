//! The row of a job (`JobRowBody`), and the end of a job (`end`): its result is written before its last event is
//! published.

use std::io;
use std::mem::take;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::future::join;
use kernels::event::JobEvent;
use kernels::failure::JobFailure;
use serde::{Deserialize, Serialize};
use tracing::{error, warn};

use super::collection::ComparedTexts;
use super::deferred_row::{DeferredRow, FirstRow};
use super::job_handle::{JobHandle, JobState};
use super::run::EndedRun;
use super::{JobService, JobServiceState};
use crate::error::ApiProblem;
use crate::id::Id;
use crate::ops::metrics;
use crate::storage::ports;
use crate::storage::ports::StorageErrorKind;
use crate::storage::ports::bus::ring::Ring;
use crate::storage::ports::files::ContentHash;
use crate::storage::ports::rows::{JobRow, PutOutcome};
use crate::store::record::StoredResult;
use crate::store::record::body::{self, COLLECTION_VERSION, PAIR_VERSION, RowError};
use crate::store::record::collection::StoredPart;

/// Delay before a failed row write is retried.
const WRITE_RETRY_DELAY: Duration = Duration::from_secs(1);

/// Time after which storing a result fails finally, if the database or the bucket of a cluster is unavailable, for
/// example during its restart.
const STORE_TIMEOUT: Duration = Duration::from_secs(60);

/// The parsed content of a job's row: the record and the events of the job.
#[derive(Deserialize)]
pub(super) struct JobRowBody {
    pub(super) record: StoredResult,
    pub(super) ring: Ring,
}

impl JobRowBody {
    /// Parses the content `row` of a job's row.
    ///
    /// # Errors
    /// Returns an error if the row is broken, or if another version of the server wrote it in an unknown format.
    pub(super) fn read(row: &str) -> Result<Self, RowError> {
        body::read(row)
    }
}

/// The content of a job's row, which borrows the record and the events that are written.
#[derive(Serialize)]
struct JobRowBodyRef<'a> {
    record: &'a StoredResult,
    ring: &'a Ring,
}

impl JobServiceState {
    /// Ends the job `live`: stores the result in `ended`, writes the row, publishes the last events, and removes the
    /// job from memory. If the result cannot be stored, the job fails.
    pub(super) async fn finish_job(self: Arc<Self>, live: Arc<JobHandle>, ended: EndedRun) {
        if (live.is_claimed() || live.is_collection()) && ended.is_interrupted() {
            // Another process takes the job, or this one after a restart.
            if !live.is_claimed() {
                self.uncount_attempt(&live).await;
            }
            return self.detach(&live);
        }
        let mut state = live.state();
        let mut written = self.write(&live, &mut state, ended).await;
        if let Err(cause) = &written
            && live.deferred_row().is_some_and(|row| row.abandon(|| problem(cause)))
        {
            self.open_jobs().live.remove(&live.id);
            return self.bus.unregister(live.id);
        }
        if live.is_claimed() && matches!(written, Ok(PutOutcome::Refused)) {
            // The row was refused: the job has ended otherwise, or a later attempt will report its end.
            return self.detach(&live);
        }
        if let Err(cause) = &written {
            error!("a result could not be stored: {cause:#}");
            state = live.state();
            // The row of a failure needs less space than a result, and no file.
            let failure = JobFailure::engine("The result could not be stored: the server's disk fails or is full.");
            written = self.write(&live, &mut state, EndedRun::from_event(JobEvent::Failed(failure))).await;
        }
        metrics::job_ended(&state.record.snapshot);
        // A client that receives the end and queries the job finds its row, or the job in memory until the row exists.
        let is_written = {
            let mut open_jobs = self.open_jobs();
            live.replace(state);
            written.inspect(|_| drop(open_jobs.live.remove(&live.id)))
        };
        match is_written {
            Ok(_) => self.bus.unregister(live.id),
            Err(cause) => {
                error!("end of a job could not be written; retrying: {cause:#}");
                self.write_later(live).await;
            }
        }
    }

    /// Removes the job `live` from this process's memory without ending it.
    pub(super) fn detach(&self, live: &JobHandle) {
        self.open_jobs().live.remove(&live.id);
        self.bus.unregister(live.id);
    }

    /// Writes the row of the ended job `live` again and again until the database accepts it. Meanwhile the job stays in
    /// memory.
    async fn write_later(&self, live: Arc<JobHandle>) {
        let state = live.state();
        while !self.open_jobs().closed {
            tokio::time::sleep(WRITE_RETRY_DELAY).await;
            if self.write_row(&live, &state).await.is_ok() {
                break;
            }
        }
        self.open_jobs().live.remove(&live.id);
        self.bus.unregister(live.id);
    }

    async fn write(
        &self,
        live: &JobHandle,
        state: &mut JobState,
        EndedRun { events, alignment, found, units, compared }: EndedRun,
    ) -> anyhow::Result<PutOutcome> {
        let (found, found_file) = found.unzip();
        let [has_alignment, has_found] = [&alignment, &found_file].map(Option::is_some);
        // Written in one call, so that the process waits for the disk only once.
        let texts = live.deferred_row().map(|row| row.first.texts.clone()).unwrap_or_default();
        let (compared, part) = compared.map(|ComparedTexts { rows, summary, part }| ((rows, summary), part)).unzip();
        let contents: Vec<_> = texts.into_iter().chain(alignment).chain(found_file).chain(part).collect();
        let mut keys: Vec<ContentHash> = contents.iter().map(|content| ContentHash::from_content(content)).collect();
        if let Some(collection) = &mut state.record.collection {
            match (compared, keys.last()) {
                (Some((rows, summary)), Some(file)) => {
                    collection.add_part(StoredPart { rows, file: *file, left: 0.0 });
                    collection.summary = Some(summary);
                }
                // A job without an answer does not continue.
                _ => collection.parts.clear(),
            }
        }
        if has_found {
            state.record.found = keys.pop();
        }
        if has_alignment {
            state.record.alignment = keys.pop();
        }
        if let (Some(found), Some(hash)) = (found, state.record.found) {
            self.results.keep_found(hash, found);
        }
        state.record.units = units;
        for event in events {
            state.report(event);
        }
        if !live.deferred_row().is_some_and(DeferredRow::is_private) {
            let mut contents = contents;
            let keeps = self.cluster.is_some();
            self.retry_while_unavailable(|| self.put(if keeps { contents.clone() } else { take(&mut contents) })).await?;
            return self.retry_while_unavailable(|| self.write_row(live, state)).await;
        }
        // Written in parallel, because no client can ask for the files before both are written.
        let (put, row) = join(self.put(contents), self.write_row(live, state)).await;
        if let Err(cause) = put {
            let _ = self.store.drop_job(live.id).get().await;
            return Err(cause.into());
        }
        row
    }

    /// Calls `write`, and in a cluster calls it again while the rows or files are unavailable, for at most
    /// [`STORE_TIMEOUT`]. In a single process the storage is local, so that an error is returned immediately.
    async fn retry_while_unavailable<T, E: Into<anyhow::Error>, W: Future<Output = Result<T, E>>>(
        &self,
        mut write: impl FnMut() -> W,
    ) -> anyhow::Result<T> {
        let begin = Instant::now();
        loop {
            let cause = match write().await {
                Ok(written) => return Ok(written),
                Err(cause) => cause.into(),
            };
            if self.cluster.is_none()
                || self.open_jobs().closed
                || begin.elapsed() >= STORE_TIMEOUT
                || storage_error_kind(&cause) != Some(StorageErrorKind::Unavailable)
            {
                return Err(cause);
            }
            warn!("a result cannot be stored now: {cause:#}");
            tokio::time::sleep(WRITE_RETRY_DELAY).await;
        }
    }

    /// Writes the row of the ended job `live` with its final `state`. Returns whether the store accepted or refused the
    /// row.
    async fn write_row(&self, live: &JobHandle, state: &JobState) -> anyhow::Result<PutOutcome> {
        let row = self.row(state, Some(self.store.clock.seconds() + self.keep_seconds), live.deferred_row().map(|row| &row.first))?;
        let put = self.store.put_job(state.record.snapshot.id.parse()?, row).get().await?;
        if put == PutOutcome::Refused {
            warn!("result is discarded, because the job was deleted or given up meanwhile");
        }
        Ok(put)
    }

    /// Stores that the current attempt at the job `live` does not count. If that fails, the attempt counts.
    pub(super) async fn uncount_attempt(&self, live: &JobHandle) {
        let mut state = live.state();
        state.record.given_up_at = state.ring.attempt();
        if let Err(cause) = self.write_open_row(live.id, &state).await {
            warn!("attempt at a job cannot be stored as given up: {cause:#}");
        }
    }

    /// Writes the row of the job `id`, which has not ended and is in `state`. Returns whether the store accepted the row.
    pub(super) async fn write_open_row(&self, id: Id, state: &JobState) -> anyhow::Result<PutOutcome> {
        let row = self.row(state, None, None)?;
        Ok(self.store.put_job(id, row).get().await?)
    }

    /// Stores each of `contents` as a file and returns the hashes, which are the names of the files. Does nothing for
    /// an empty list.
    pub(super) async fn put(&self, contents: Vec<Vec<u8>>) -> io::Result<Vec<ContentHash>> {
        if contents.is_empty() { Ok(Vec::new()) } else { self.store.files.clone().put_soon(contents).await }
    }

    pub(super) fn row(&self, state: &JobState, ended_until: Option<u64>, first: Option<&FirstRow>) -> anyhow::Result<JobRow> {
        let version = if state.record.collection.is_some() { COLLECTION_VERSION } else { PAIR_VERSION };
        let body = body::to_json_of_version(version, &JobRowBodyRef { record: &state.record, ring: &state.ring })?;
        let (files, attempt) = (state.record.files().collect(), state.ring.attempt());
        let (owner, requests) = first.map(|first| (first.owner, first.requests.clone())).unzip();
        Ok(JobRow { body, files, attempt, ended_until, owner, requests: requests.unwrap_or_default() })
    }
}

/// Returns the kind of the storage error in `cause`, or `None` if no storage error caused it.
fn storage_error_kind(cause: &anyhow::Error) -> Option<StorageErrorKind> {
    let of_rows = cause.downcast_ref::<ports::StorageError>().map(|error| error.kind);
    of_rows.or_else(|| Some(StorageErrorKind::from_io_kind(cause.downcast_ref::<io::Error>()?.kind())))
}

/// Converts `cause`, an error of storing a result, into the problem that the client receives.
fn problem(cause: &anyhow::Error) -> ApiProblem {
    if let Some(error) = cause.downcast_ref::<ports::StorageError>() {
        return ApiProblem::from(ports::StorageError::new(error.kind, error));
    }
    match cause.downcast_ref::<io::Error>() {
        Some(error) => ApiProblem::disk_failure(io::Error::new(error.kind(), error.to_string())),
        None => ApiProblem::internal(cause),
    }
}

impl JobServiceState {
    /// Writes the texts and the first row of the job `id`, which has not ended and is in `state`.
    pub(super) async fn write_first_row(&self, id: Id, state: &JobState, first: &FirstRow) -> Result<(), ApiProblem> {
        self.put(first.texts.clone()).await.map_err(ApiProblem::disk_failure)?;
        let row = self.row(state, None, Some(first)).map_err(ApiProblem::internal)?;
        self.store.put_job(id, row).get().await?;
        Ok(())
    }
}

impl JobService {
    /// Writes the files and the first row of the job `live` now if its row is deferred, because a client is about to
    /// learn of the job.
    ///
    /// # Errors
    /// Returns an error if the store fails, or if it failed when the job ended.
    pub async fn publish_job(&self, live: &Arc<JobHandle>) -> Result<(), ApiProblem> {
        let Some(row) = live.deferred_row() else { return Ok(()) };
        row.commit()?;
        // Refused if the job has ended meanwhile; then its row exists already.
        let written = self.shared.write_first_row(live.id, &live.state(), &row.first).await;
        if written.is_ok() {
            self.shared.bus.share(live.id);
        } else {
            // No client will ever learn of the job.
            self.cancel(live).await;
        }
        written
    }
}
