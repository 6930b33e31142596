//! The row of a job, and its end: what it has found is written first and told after it.

use std::io;
use std::mem::take;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::future::join;
use kernels::event::Event;
use kernels::failure::Failure;
use serde::{Deserialize, Serialize};
use tracing::{error, warn};

use super::Shared;
use super::live::{Birth, JobState, Live};
use super::run::Ended;
use crate::error::Problem;
use crate::metrics;
use crate::ports;
use crate::ports::Trouble;
use crate::ports::bus::ring::Ring;
use crate::ports::files::Hash;
use crate::ports::rows::{JobRow, Put};
use crate::record::Record;
use crate::record::body::{self, Unread};

/// How long after a row could not be written it is tried again.
const WRITE_AGAIN: Duration = Duration::from_secs(1);

/// How long a result waits for the database and the bucket of a site, which may be about to start again.
const PATIENCE: Duration = Duration::from_secs(60);

/// What a job's row says, to be read,
#[derive(Deserialize)]
pub(super) struct Body {
    pub(super) record: Record,
    pub(super) ring: Ring,
}

impl Body {
    /// Reads a row.
    ///
    /// # Errors
    /// When another version of the server wrote it, in a way that this one cannot read.
    pub(super) fn read(row: &str) -> Result<Self, Unread> {
        body::read(row)
    }
}

/// and to be written.
#[derive(Serialize)]
struct Said<'a> {
    record: &'a Record,
    ring: &'a Ring,
}

impl Shared {
    /// Ends a job: its files, its row, its last events, and it leaves the memory.
    pub(super) async fn end(self: Arc<Self>, live: Arc<Live>, ended: Ended) {
        if live.is_taken() && ended.is_interrupted() {
            // Another process takes it.
            return self.leave(&live);
        }
        let mut state = live.state();
        let mut written = self.write(&live, &mut state, ended).await;
        if let Err(cause) = &written
            && live.give_up(|| problem(cause))
        {
            self.open_jobs().live.remove(&live.id);
            return self.bus.close(live.id);
        }
        if live.is_taken() && matches!(written, Ok(Put::Refused)) {
            // It has ended otherwise, or a later attempt tells how it does.
            return self.leave(&live);
        }
        if let Err(cause) = &written {
            error!("a result could not be stored: {cause:#}");
            state = live.state();
            // A row alone takes less room, and another way.
            let failure = Failure::engine("The result could not be stored: the server's disk fails or is full.");
            written = self.write(&live, &mut state, Ended::with(Event::Failed(failure))).await;
        }
        metrics::job_ended(&state.record.snapshot);
        // Whoever is told of the end and asks again finds the row, or else the job, until there is a row.
        let is_written = {
            let mut open_jobs = self.open_jobs();
            live.replace(state);
            written.inspect(|_| drop(open_jobs.live.remove(&live.id)))
        };
        match is_written {
            Ok(_) => self.bus.close(live.id),
            Err(cause) => {
                error!("that a job has ended could not be written: {cause:#}");
                self.write_later(live).await;
            }
        }
    }

    /// Has nothing to do with a job any more, which has not ended here.
    pub(super) fn leave(&self, live: &Live) {
        self.open_jobs().live.remove(&live.id);
        self.bus.close(live.id);
    }

    /// Writes the row of a job that has ended as soon as the database takes it. Until then the job stays in memory.
    async fn write_later(&self, live: Arc<Live>) {
        let state = live.state();
        while !self.open_jobs().closed {
            tokio::time::sleep(WRITE_AGAIN).await;
            if self.write_row(&live, &state).await.is_ok() {
                break;
            }
        }
        self.open_jobs().live.remove(&live.id);
        self.bus.close(live.id);
    }

    async fn write(&self, live: &Live, state: &mut JobState, Ended { events, alignment, found, units }: Ended) -> anyhow::Result<Put> {
        let (found, found_file) = found.unzip();
        let [has_alignment, has_found] = [&alignment, &found_file].map(Option::is_some);
        // Together, so that the disk is waited for once.
        let contents: Vec<_> = live.texts().into_iter().chain(alignment).chain(found_file).collect();
        let mut keys: Vec<Hash> = contents.iter().map(|content| Hash::of(content)).collect();
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
        if !live.is_untold() {
            let mut contents = contents;
            let keeps = self.site.is_some();
            self.patiently(|| self.put(if keeps { contents.clone() } else { take(&mut contents) })).await?;
            return self.patiently(|| self.write_row(live, state)).await;
        }
        // Nobody can ask for what its row names before both are written.
        let (put, row) = join(self.put(contents), self.write_row(live, state)).await;
        if let Err(cause) = put {
            let _ = self.store.drop_job(live.id).get().await;
            return Err(cause.into());
        }
        row
    }

    /// Writes, and writes again while rows and files of a site cannot be used. A process that is alone has them itself: it says at once that they fail.
    async fn patiently<T, E: Into<anyhow::Error>, W: Future<Output = Result<T, E>>>(
        &self,
        mut write: impl FnMut() -> W,
    ) -> anyhow::Result<T> {
        let begin = Instant::now();
        loop {
            let cause = match write().await {
                Ok(written) => return Ok(written),
                Err(cause) => cause.into(),
            };
            if self.site.is_none()
                || self.open_jobs().closed
                || begin.elapsed() >= PATIENCE
                || trouble(&cause) != Some(Trouble::Unavailable)
            {
                return Err(cause);
            }
            warn!("a result cannot be stored now: {cause:#}");
            tokio::time::sleep(WRITE_AGAIN).await;
        }
    }

    /// Writes the row of a job that has ended.
    async fn write_row(&self, live: &Live, state: &JobState) -> anyhow::Result<Put> {
        let row = self.row(state, Some(self.store.clock.seconds() + self.keep_seconds), live.birth())?;
        let put = self.store.put_job(state.record.snapshot.id.parse()?, row).get().await?;
        if put == Put::Refused {
            warn!("a job that was deleted or given up meanwhile has ended: what it found is not kept");
        }
        Ok(put)
    }

    /// Stores contents. They cost nothing where there are none.
    pub(super) async fn put(&self, contents: Vec<Vec<u8>>) -> io::Result<Vec<Hash>> {
        if contents.is_empty() { Ok(Vec::new()) } else { self.store.files.clone().put_soon(contents).await }
    }

    pub(super) fn row(&self, state: &JobState, ended_until: Option<u64>, birth: Option<Birth>) -> anyhow::Result<JobRow> {
        let body = body::written(&Said { record: &state.record, ring: &state.ring })?;
        let (files, attempt) = (state.record.files().collect(), state.ring.attempt());
        let (owner, requests) = birth.map_or_else(Default::default, |Birth { owner, requests }| (Some(owner), requests));
        Ok(JobRow { body, files, attempt, ended_until, owner, requests })
    }
}

/// What is wrong with rows or files, if it is they.
fn trouble(cause: &anyhow::Error) -> Option<Trouble> {
    let of_rows = cause.downcast_ref::<ports::Error>().map(|error| error.trouble);
    of_rows.or_else(|| Some(Trouble::of(cause.downcast_ref::<io::Error>()?.kind())))
}

/// What whoever sent a job is told where nothing of it could be written.
fn problem(cause: &anyhow::Error) -> Problem {
    if let Some(error) = cause.downcast_ref::<ports::Error>() {
        return Problem::from(ports::Error::new(error.trouble, error));
    }
    match cause.downcast_ref::<io::Error>() {
        Some(error) => Problem::disk(io::Error::new(error.kind(), error.to_string())),
        None => Problem::internal(cause),
    }
}
