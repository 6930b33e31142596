//! Work: limits of the threads and the time for queries of results (`QuerySlots`), so that clients leave room for each
//! other and for jobs.

use std::sync::Arc;
use std::time::{Duration, Instant};

use kernels::failure::JobFailure;
use kernels::reading::ReadingOptions;
use kernels::run::Run;
use tokio::runtime::Handle;
use tokio::time::timeout;

use super::ResultReader;
use super::exporting::ExportSlot;
use super::memory;
use super::query_observer::QueryObserver;
use crate::clients::budgets::RequestPayer;
use crate::clients::fair_semaphore::{FairPermit, FairSemaphore};
use crate::error::{ApiProblem, ProblemKind};
use crate::identity::ClientIdentity;
use crate::ops::priority;

/// Maximum number of concurrent reads (calls that read or parse texts, or compute parts of exports), in total and for
/// one client. Each may need several times the memory of its texts.
const READ_SLOTS: (usize, usize) = (3, 2);
/// Maximum number of concurrent queries that compute, in total and for one client.
const QUERY_SLOTS: (usize, usize) = (3, 2);

/// Maximum number of new jobs whose texts are read at the same time, in total and for one client. Jobs have slots of
/// their own, so that queries do not delay them.
const ADMISSION_SLOTS: (usize, usize) = (2, 1);

/// Maximum number of collections that are compared at the same time, in total and for one client. Each uses all cores.
const COLLECTION_SLOTS: (usize, usize) = (1, 1);

/// The slots that limit concurrent work on results. If several clients wait for a slot, they take turns.
#[derive(Debug)]
pub(super) struct QuerySlots {
    readers: Arc<FairSemaphore>,
    compute_slots: Arc<FairSemaphore>,
    admissions: Arc<FairSemaphore>,
    collections: Arc<FairSemaphore>,
    /// Maximum time for which a query may wait for a slot. After that, it may compute for the same time.
    look_for: Duration,
}

impl QuerySlots {
    /// Creates free slots. `look_for` is the maximum waiting time and the maximum computing time of a query.
    pub(super) fn new(look_for: Duration) -> Self {
        let [readers, looks, admissions, collections] = [READ_SLOTS, QUERY_SLOTS, ADMISSION_SLOTS, COLLECTION_SLOTS]
            .map(|(places, per_client)| Arc::new(FairSemaphore::new(places, per_client)));
        Self { readers, compute_slots: looks, admissions, collections, look_for }
    }

    /// Waits until one of the slots `places` is free, and acquires it for the client of the current request. `what`
    /// names the kind of work in the error.
    ///
    /// # Errors
    /// Returns `NotReady` if no slot is free within the time limit of a query.
    async fn wait(&self, places: &Arc<FairSemaphore>, what: &str) -> Result<FairPermit, ApiProblem> {
        timeout(self.look_for, places.acquire(RequestPayer::client())).await.map_err(|_| ApiProblem::busy(what))
    }
}

impl ResultReader {
    /// Runs `work`, which reads files for a query, on a thread for blocking calls, once a slot for reads is free.
    ///
    /// # Errors
    /// Returns the errors of `work`. Returns `NotReady` if no slot is free in time, and `Internal` if `work` panics.
    pub async fn work<T: Send + 'static>(&self, work: impl FnOnce() -> Result<T, ApiProblem> + Send + 'static) -> Result<T, ApiProblem> {
        let place = self.query_slots.wait(&self.query_slots.readers, "texts and results that are read").await?;
        blocking(place, work).await
    }

    /// Runs `work` for a new job like [`work`](Self::work), but in the slots for new jobs and without a time limit.
    ///
    /// # Errors
    /// Returns the errors of `work`, and `Internal` if it panics.
    pub(super) async fn admit<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, ApiProblem> + Send + 'static,
    ) -> Result<T, ApiProblem> {
        let place = self.query_slots.admissions.acquire(RequestPayer::client()).await;
        blocking(place, work).await
    }

    /// Runs the query `look`, which computes, in slots separate from those for reads. The computation stops when this
    /// future is dropped or the time limit of a query has passed.
    ///
    /// # Errors
    /// Returns the errors of `look`, and:
    /// - `RateLimited` if the client has used up its hourly budget of computed cells
    /// - `NotReady` if no slot is free in time
    /// - `OutOfTime` if the query takes too long
    /// - `Internal` if `look` panics
    pub async fn run_query<T: Send + 'static>(
        &self,
        look: impl FnOnce(&Run<'_>) -> Result<T, ApiProblem> + Send + 'static,
    ) -> Result<T, ApiProblem> {
        RequestPayer::current().map_or(Ok(()), |payer| payer.check())?;
        self.compute(look).await
    }

    /// Runs the query `look` like [`run_query`](Self::run_query), but does not check the client's budget. Used to
    /// compute values for [`cached`](super::cached): several clients may wait for one value, and all would receive the
    /// error of one client.
    pub(super) async fn compute<T: Send + 'static>(
        &self,
        look: impl FnOnce(&Run<'_>) -> Result<T, ApiProblem> + Send + 'static,
    ) -> Result<T, ApiProblem> {
        let payer = RequestPayer::current();
        let place = self.query_slots.wait(&self.query_slots.compute_slots, "looks at results").await?;
        let look_for = self.query_slots.look_for;
        let (asker, asked) = QueryObserver::with_deadline(Instant::now() + look_for);
        let work = move || {
            let run = Run::new(&asked);
            let looked = look(&run);
            if let Some(payer) = payer {
                payer.charge_cells(run.cells());
            }
            if looked.is_err() && asked.is_late() { Err(too_long(look_for.as_secs())) } else { looked }
        };
        let looked = blocking(place, work).await;
        drop(asker);
        looked
    }

    /// Runs `work`, which compares the texts of a collection, at low priority in the slot for collections. The computation
    /// stops when this future is dropped, or when it has taken `max_time`. Reserves memory to read `bytes` bytes of texts.
    ///
    /// # Errors
    /// Returns the errors of `work`, and:
    /// - `NotReady` if the slot is not free in time
    /// - `OutOfTime` if the computation takes too long
    /// - `Internal` if `work` panics
    pub async fn run_collection<T: Send + 'static>(
        &self,
        max_time: Duration,
        bytes: u64,
        reading: ReadingOptions,
        work: impl FnOnce(&Run<'_>) -> Result<T, ApiProblem> + Send + 'static,
    ) -> Result<T, ApiProblem> {
        let place = self.query_slots.wait(&self.query_slots.collections, "collections").await?;
        let (asker, asked) = QueryObserver::with_deadline(Instant::now() + max_time);
        let results = self.clone();
        let work = move || {
            let run = Run::new(&asked);
            let _memory = (bytes > memory::MAX_UNRESERVED_BYTES).then(|| results.reading.reserve(memory::to_read(bytes, &reading)));
            let solved = priority::run_at_low_priority(|| work(&run));
            let seconds = max_time.as_secs();
            if solved.is_err() && asked.is_late() { Err(JobFailure::OutOfTime { seconds, reached: None }.into()) } else { solved }
        };
        let solved = blocking(place, work).await;
        drop(asker);
        solved
    }

    /// Acquires an export slot for the client of the current request. Dropping the returned slot frees it.
    ///
    /// # Errors
    /// Returns `NotReady` if all slots are in use, and `RateLimited` if this client uses its maximum number of slots.
    pub fn begin_export(&self) -> Result<ExportSlot, ApiProblem> {
        self.exports.take(RequestPayer::client())
    }

    /// Waits for a slot for reads for `client`, and runs `work` on the current thread, which must be one for blocking
    /// calls.
    ///
    /// # Errors
    /// Returns the errors of `work`.
    ///
    /// # Panics
    /// Panics on an asynchronous thread, such as those that serve requests.
    pub fn work_here<T>(&self, client: ClientIdentity, work: impl FnOnce() -> Result<T, ApiProblem>) -> Result<T, ApiProblem> {
        let _place = Handle::current().block_on(self.query_slots.readers.acquire(client));
        work()
    }
}

/// Runs `work` on a thread for blocking calls. The slot `place` stays in use until `work` returns, even if the caller
/// no longer waits for it.
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

/// Creates the error for a query that takes longer than `seconds`.
fn too_long(seconds: u64) -> ApiProblem {
    let detail = format!("This view takes longer than {seconds} s, the limit here. Ask for a smaller part of the result.");
    ApiProblem::new(ProblemKind::OutOfTime, detail).limit(seconds, None)
}
