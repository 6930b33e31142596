//! Best so far: the combined results of all threads of a search, and the values last reported.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::ends::PieceEnds;
use crate::event::PartialAnswer;
use crate::run::{Halt, Run};

/// The results so far of all threads of a search, behind a lock.
pub(super) struct SharedBestEnds(Mutex<BestEndsState>);

struct BestEndsState {
    /// Whether only ends with the least distance are hits, so that `bound` falls with the least distance found.
    tighten: bool,
    /// Maximum distance of a hit.
    bound: u64,
    /// The least distance of the hits so far, or `u64::MAX`.
    least: u64,
    /// Number of hits so far.
    ends: u64,
    /// The least distance and the number of hits in the last progress report.
    reported: (u64, u64),
}

/// The number of hits that a thread has already added to the shared results, and the maximum distance with which they
/// were hits.
#[derive(Default)]
pub(super) struct SharedEndCount {
    bound: u64,
    ends: u64,
}

impl SharedBestEnds {
    /// Creates the state of a search without results, where `bound` is the maximum distance of a hit. If `tighten`,
    /// `bound` falls with the least distance found.
    pub(super) fn new(tighten: bool, bound: u64) -> Self {
        Self(Mutex::new(BestEndsState { tighten, bound, least: u64::MAX, ends: 0, reported: (u64::MAX, 0) }))
    }

    fn lock(&self) -> MutexGuard<'_, BestEndsState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the maximum distance of a hit, as the results of all threads so far determine it.
    pub(super) fn bound(&self) -> u64 {
        self.lock().bound
    }

    /// Adds the hits in some pieces of the text to the shared results. `shared` says how many of them this thread has
    /// added before, and is updated. Returns the maximum distance of a hit from now on.
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

    /// Reports the least distance and the number of hits to `run`, if they have changed.
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
