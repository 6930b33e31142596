//! Best so far: the combined results of all threads of a search, and the values last reported.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::ends::PieceEnds;
use crate::event::PartialAnswer;
use crate::run::{Halt, Run};

/// The ends that count so far.
pub(super) struct SharedBestEnds(Mutex<BestEndsState>);

struct BestEndsState {
    /// Whether the bound follows the least distance.
    tighten: bool,
    /// Maximum distance of an end that counts.
    bound: u64,
    /// The least distance of an end that counts.
    least: u64,
    /// Number of ends that count.
    ends: u64,
    /// The values of the last report.
    reported: (u64, u64),
}

/// The ends of some pieces that a thread has already shared, for this bound.
#[derive(Default)]
pub(super) struct SharedEndCount {
    bound: u64,
    ends: u64,
}

impl SharedBestEnds {
    /// Creates the state of a search without results.
    pub(super) fn new(tighten: bool, bound: u64) -> Self {
        Self(Mutex::new(BestEndsState { tighten, bound, least: u64::MAX, ends: 0, reported: (u64::MAX, 0) }))
    }

    fn lock(&self) -> MutexGuard<'_, BestEndsState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the maximum distance of an end that counts, over all threads.
    pub(super) fn bound(&self) -> u64 {
        self.lock().bound
    }

    /// Adds the ends of some pieces that were not shared yet. Returns the bound over all threads.
    pub(super) fn share(&self, pieces: &[PieceEnds], shared: &mut SharedEndCount) -> u64 {
        let mut state = self.lock();
        let least = pieces.iter().map(PieceEnds::least).min().unwrap_or(u64::MAX);
        if state.tighten && least < state.bound {
            (state.bound, state.ends) = (least, 0);
        }
        state.least = state.least.min(if least <= state.bound { least } else { u64::MAX });
        let bound = state.bound;
        if shared.bound != bound {
            *shared = SharedEndCount { bound, ends: 0 };
        }
        let ends: u64 = pieces.iter().filter(|piece| piece.bound == bound).map(PieceEnds::count).sum();
        state.ends += ends.saturating_sub(shared.ends);
        shared.ends = shared.ends.max(ends);
        bound
    }

    /// Reports the best distance and the number of ends, if they have changed.
    ///
    /// # Errors
    /// Returns an error if the run is stopped.
    pub(super) fn report(&self, run: &Run) -> Result<(), Halt> {
        // Reports under the lock, so that no older values are reported later.
        let mut state = self.lock();
        let now = (state.least, state.ends);
        let before = std::mem::replace(&mut state.reported, now);
        if now.0 != before.0 {
            run.partial(PartialAnswer::Best { score: now.0 })?;
        }
        if now.1 != before.1 && now.1 > 0 {
            run.partial(PartialAnswer::Found { total: now.1, latest: None })?;
        }
        Ok(())
    }
}
