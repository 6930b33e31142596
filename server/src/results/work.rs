//! On which threads, and for how long, results are worked on: so that those who look at them leave room for each other and for jobs.

use std::time::Instant;

use kernels::run::Run;
use tokio::time::timeout;

use super::Results;
use super::asked::Asked;
use super::exporting::Exporting;
use crate::clients::budgets::Payer;
use crate::error::{Kind, Problem};

impl Results {
    /// Runs `work` on a thread that may block, a few at a time.
    ///
    /// # Errors
    /// Those of `work`; `Internal` when it panics.
    pub async fn work<T: Send + 'static>(&self, work: impl FnOnce() -> Result<T, Problem> + Send + 'static) -> Result<T, Problem> {
        let permit = self.readers.clone().acquire_owned().await.map_err(Problem::internal)?;
        // The permit goes with the work, which goes on when whoever asked has gone away.
        let work = move || {
            let _permit = permit;
            work()
        };
        tokio::task::spawn_blocking(work).await.map_err(Problem::internal)?
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
        let place = timeout(self.look_for, self.looks.clone().acquire_owned()).await.map_err(|_| Problem::busy("looks at results"))?;
        let place = place.map_err(Problem::internal)?;
        let (asker, asked) = Asked::until(Instant::now() + self.look_for);
        let seconds = self.look_for.as_secs();
        let work = move || {
            let _place = place;
            let run = Run::new(&asked);
            let looked = look(&run);
            if let Some(payer) = payer {
                payer.cells(run.cells());
            }
            if looked.is_err() && asked.is_late() { Err(too_long(seconds)) } else { looked }
        };
        let looked = tokio::task::spawn_blocking(work).await.map_err(Problem::internal)?;
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

    /// Runs `work` on this thread, which may block, when not too many others work.
    ///
    /// # Errors
    /// Those of `work`.
    ///
    /// # Panics
    /// On a thread that answers requests.
    pub fn work_here<T>(&self, work: impl FnOnce() -> Result<T, Problem>) -> Result<T, Problem> {
        let _permit = tokio::runtime::Handle::current().block_on(self.readers.acquire()).map_err(Problem::internal)?;
        work()
    }
}

/// A look took longer than it may.
fn too_long(seconds: u64) -> Problem {
    let detail =
        format!("This takes longer than the {seconds} seconds that looking at a result may take here. Ask for a smaller part of it.");
    Problem::new(Kind::OutOfTime, detail).limit(seconds, None)
}
