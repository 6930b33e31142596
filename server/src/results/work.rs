//! On which threads, and for how long, results are worked on: so that those who look at them leave room for each other and for jobs.

use std::sync::Arc;
use std::time::{Duration, Instant};

use kernels::run::Run;
use tokio::runtime::Handle;
use tokio::time::timeout;

use super::Results;
use super::asked::Asked;
use super::exporting::Exporting;
use crate::clients::Client;
use crate::clients::budgets::Payer;
use crate::clients::fair_semaphore::{FairSemaphore, Permit};
use crate::error::{Kind, Problem};

/// Requests that read, parse or compute pages of exports at the same time, and looks that compute, at most: each takes several times the size of the
/// texts in memory. One client has two of either, so that somebody else finds the third whatever it asks for.
const READERS: (usize, usize) = (3, 2);
const LOOKS: (usize, usize) = (3, 2);

/// Jobs whose texts are read at the same time before they wait: apart from looks, which so keep no job out.
const ADMISSIONS: (usize, usize) = (2, 1);

/// Places for work on results, each dealt in turn over clients.
#[derive(Debug)]
pub(super) struct Places {
    readers: Arc<FairSemaphore>,
    looks: Arc<FairSemaphore>,
    admissions: Arc<FairSemaphore>,
    /// How long a look may compute, or wait for a place.
    look_for: Duration,
}

impl Places {
    /// All free, for looks of so long at most.
    pub(super) fn new(look_for: Duration) -> Self {
        let [readers, looks, admissions] =
            [READERS, LOOKS, ADMISSIONS].map(|(places, per_client)| Arc::new(FairSemaphore::new(places, per_client)));
        Self { readers, looks, admissions, look_for }
    }

    /// A place among these for whoever asks.
    ///
    /// # Errors
    /// `NotReady` when others have all of them for as long as a look may take.
    async fn wait(&self, places: &Arc<FairSemaphore>, what: &str) -> Result<Permit, Problem> {
        timeout(self.look_for, places.acquire(Payer::client())).await.map_err(|_| Problem::busy(what))
    }
}

impl Results {
    /// Runs `work`, for a look, on a thread that may block, a few at a time.
    ///
    /// # Errors
    /// Those of `work`; `NotReady` when others work for too long; `Internal` when it panics.
    pub async fn work<T: Send + 'static>(&self, work: impl FnOnce() -> Result<T, Problem> + Send + 'static) -> Result<T, Problem> {
        let place = self.places.wait(&self.places.readers, "texts and results that are read").await?;
        blocking(place, work).await
    }

    /// As [`work`](Self::work), for a job that somebody sends: apart from looks, and for as long as it takes.
    ///
    /// # Errors
    /// Those of `work`; `Internal` when it panics.
    pub(super) async fn admit<T: Send + 'static>(&self, work: impl FnOnce() -> Result<T, Problem> + Send + 'static) -> Result<T, Problem> {
        let place = self.places.admissions.acquire(Payer::client()).await;
        blocking(place, work).await
    }

    /// As [`work`](Self::work), for what only whoever asks needs, apart from what jobs wait for: the run is stopped when this future is
    /// dropped, and when it takes longer than a look may.
    ///
    /// # Errors
    /// Those of `look`; `RateLimited` when who asks has used up the cells of an hour; `NotReady` when others look for too long,
    /// `OutOfTime` when this one does; `Internal` when it panics.
    pub async fn look<T: Send + 'static>(&self, look: impl FnOnce(&Run<'_>) -> Result<T, Problem> + Send + 'static) -> Result<T, Problem> {
        Payer::of_request().map_or(Ok(()), |payer| payer.check())?;
        self.compute(look).await
    }

    /// As [`look`](Self::look) for what [`cached`](super::cached) keeps, where others who wait for it would be told that they had used up what this one has.
    pub(super) async fn compute<T: Send + 'static>(
        &self,
        look: impl FnOnce(&Run<'_>) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let payer = Payer::of_request();
        let place = self.places.wait(&self.places.looks, "looks at results").await?;
        let look_for = self.places.look_for;
        let (asker, asked) = Asked::until(Instant::now() + look_for);
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

    /// A place among the files that are being written for whoever asks, as long as it is held.
    ///
    /// # Errors
    /// `NotReady` when as many as may be are; `RateLimited` when as many are of this client as may be.
    pub fn exporting(&self) -> Result<Exporting, Problem> {
        self.exports.take(Payer::client())
    }

    /// Runs `work` for this client on this thread, which may block, when not too many others work.
    ///
    /// # Errors
    /// Those of `work`.
    ///
    /// # Panics
    /// On a thread that answers requests.
    pub fn work_here<T>(&self, client: Client, work: impl FnOnce() -> Result<T, Problem>) -> Result<T, Problem> {
        let _place = Handle::current().block_on(self.places.readers.acquire(client));
        work()
    }
}

/// Runs `work` on a thread that may block. The place goes with the work, which goes on when whoever asked has gone away.
async fn blocking<T: Send + 'static>(place: Permit, work: impl FnOnce() -> Result<T, Problem> + Send + 'static) -> Result<T, Problem> {
    let work = move || {
        let _place = place;
        work()
    };
    tokio::task::spawn_blocking(work).await.map_err(Problem::internal)?
}

/// A look took longer than it may.
fn too_long(seconds: u64) -> Problem {
    let detail = format!("This view takes longer than {seconds} s, the limit here. Ask for a smaller part of the result.");
    Problem::new(Kind::OutOfTime, detail).limit(seconds, None)
}
