//! Limits of the threads and time for queries of results, so that clients leave room for each other and for jobs.

use std::sync::Arc;
use std::time::{Duration, Instant};

use kernels::run::Run;
use tokio::runtime::Handle;
use tokio::time::timeout;

use super::ResultReader;
use super::asked::QueryObserver;
use super::exporting::ExportSlot;
use crate::clients::budgets::RequestPayer;
use crate::clients::fair_semaphore::{FairPermit, FairSemaphore};
use crate::error::{ApiProblem, ProblemKind};
use crate::identity::ClientIdentity;

/// Maximum number of concurrent reads (requests that read, parse or compute pages of exports), in total and for one
/// client. Each may need several times the memory of its texts. One client can use two slots, so that the third is free
/// for others.
const READ_SLOTS: (usize, usize) = (3, 2);
/// Maximum number of concurrent queries that compute, in total and for one client.
const QUERY_SLOTS: (usize, usize) = (3, 2);

/// Maximum number of new jobs whose texts are read at the same time, in total and for one client. They are separate
/// from queries, so that queries do not delay jobs.
const ADMISSION_SLOTS: (usize, usize) = (2, 1);

/// Slots that limit concurrent work on results. Clients take turns.
#[derive(Debug)]
pub(super) struct QuerySlots {
    readers: Arc<FairSemaphore>,
    looks: Arc<FairSemaphore>,
    admissions: Arc<FairSemaphore>,
    /// Maximum time that a query may wait for a slot, and again that it may compute.
    look_for: Duration,
}

impl QuerySlots {
    /// Creates free slots for queries of at most `look_for`.
    pub(super) fn new(look_for: Duration) -> Self {
        let [readers, looks, admissions] =
            [READ_SLOTS, QUERY_SLOTS, ADMISSION_SLOTS].map(|(places, per_client)| Arc::new(FairSemaphore::new(places, per_client)));
        Self { readers, looks, admissions, look_for }
    }

    /// Waits for one of the slots `places` for the client. `what` names the kind of work in the error.
    ///
    /// # Errors
    /// Returns `NotReady` if no slot is free within the time limit of a query.
    async fn wait(&self, places: &Arc<FairSemaphore>, what: &str) -> Result<FairPermit, ApiProblem> {
        timeout(self.look_for, places.acquire(RequestPayer::client())).await.map_err(|_| ApiProblem::busy(what))
    }
}

impl ResultReader {
    /// Runs `work`, which reads for a query, on a thread that may block. The number of concurrent calls is limited.
    ///
    /// # Errors
    /// Returns the errors of `work`, `NotReady` if no slot is free in time, and `Internal` if it panics.
    pub async fn work<T: Send + 'static>(&self, work: impl FnOnce() -> Result<T, ApiProblem> + Send + 'static) -> Result<T, ApiProblem> {
        let place = self.places.wait(&self.places.readers, "texts and results that are read").await?;
        blocking(place, work).await
    }

    /// Runs `work` of a new job like [`work`](Self::work), in slots separate from queries and without a time limit.
    ///
    /// # Errors
    /// Returns the errors of `work`, and `Internal` if it panics.
    pub(super) async fn admit<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, ApiProblem> + Send + 'static,
    ) -> Result<T, ApiProblem> {
        let place = self.places.admissions.acquire(RequestPayer::client()).await;
        blocking(place, work).await
    }

    /// Runs a query that computes, in slots separate from reads. The run is stopped when this future is dropped or the
    /// time limit of a query is reached.
    ///
    /// # Errors
    /// Returns the errors of `look`, and:
    /// - `RateLimited` if the client has used up its hourly cells
    /// - `NotReady` if no slot is free in time
    /// - `OutOfTime` if the query takes too long
    /// - `Internal` if it panics
    pub async fn run_query<T: Send + 'static>(
        &self,
        look: impl FnOnce(&Run<'_>) -> Result<T, ApiProblem> + Send + 'static,
    ) -> Result<T, ApiProblem> {
        RequestPayer::of_request().map_or(Ok(()), |payer| payer.check())?;
        self.compute(look).await
    }

    /// Runs a query like [`run_query`](Self::run_query), but does not check the client's budget. Used inside
    /// [`cached`](super::cached): other clients may wait for the same value, and would receive this client's error.
    pub(super) async fn compute<T: Send + 'static>(
        &self,
        look: impl FnOnce(&Run<'_>) -> Result<T, ApiProblem> + Send + 'static,
    ) -> Result<T, ApiProblem> {
        let payer = RequestPayer::of_request();
        let place = self.places.wait(&self.places.looks, "looks at results").await?;
        let look_for = self.places.look_for;
        let (asker, asked) = QueryObserver::until(Instant::now() + look_for);
        let work = move || {
            let run = Run::new(&asked);
            let looked = look(&run);
            if let Some(payer) = payer {
                payer.cells(run.cells());
            }
            if looked.is_err() && asked.is_late() { Err(too_long(look_for.as_secs())) } else { looked }
        };
        let looked = blocking(place, work).await;
        drop(asker);
        looked
    }

    /// Acquires an export slot for the client, which is in use until it is dropped.
    ///
    /// # Errors
    /// Returns `NotReady` if all slots are in use, and `RateLimited` if this client has its maximum.
    pub fn exporting(&self) -> Result<ExportSlot, ApiProblem> {
        self.exports.take(RequestPayer::client())
    }

    /// Runs `work` for a client on this thread, which must be one that may block, once a slot for reads is free.
    ///
    /// # Errors
    /// Returns the errors of `work`.
    ///
    /// # Panics
    /// Panics on an asynchronous thread, such as those that serve requests.
    pub fn work_here<T>(&self, client: ClientIdentity, work: impl FnOnce() -> Result<T, ApiProblem>) -> Result<T, ApiProblem> {
        let _place = Handle::current().block_on(self.places.readers.acquire(client));
        work()
    }
}

/// Runs `work` on a thread that may block. The slot `place` stays in use until the work ends, even if the caller no
/// longer waits.
async fn blocking<T: Send + 'static>(
    place: FairPermit,
    work: impl FnOnce() -> Result<T, ApiProblem> + Send + 'static,
) -> Result<T, ApiProblem> {
    let work = move || {
        let _place = place;
        work()
    };
    tokio::task::spawn_blocking(work).await.map_err(ApiProblem::internal)?
}

/// Creates the error for a query that takes too long.
fn too_long(seconds: u64) -> ApiProblem {
    let detail = format!("This view takes longer than {seconds} s, the limit here. Ask for a smaller part of the result.");
    ApiProblem::new(ProblemKind::OutOfTime, detail).limit(seconds, None)
}
