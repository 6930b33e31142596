//! Offered: the data that an engine offers to planners, namely its rates and limits, and the overhead of brief jobs.
//! Pure.

use kernels::plan::{JobWork, PlannerOffer, known};
use serde::{Deserialize, Serialize};

use super::measure::StartOverhead;

/// An engine's offer with its measured overheads. A planner needs nothing else, even on another machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeasuredOffer {
    /// Device, rates and limits of the engine.
    pub offer: PlannerOffer,
    /// Measured overhead of jobs (their time besides that for their cells), for each task and several lengths of the
    /// texts.
    #[serde(deserialize_with = "known")]
    pub(super) delays: Vec<StartOverhead>,
}

impl MeasuredOffer {
    /// Creates an offer without measured overheads.
    pub fn of(offer: PlannerOffer) -> Self {
        Self { offer, delays: Vec::new() }
    }

    /// Returns the offer for the job `work`, with the overhead for texts of its length. The length matters in addition
    /// to the number of cells, because a short pair cannot use a whole GPU, and a search reads its whole text.
    pub fn for_work(&self, work: &JobWork) -> PlannerOffer {
        let Self { offer, delays } = self;
        let own = delays.iter().find(|delay| delay.engine == offer.engine && delay.task == work.task);
        PlannerOffer { start_ms: own.map_or(offer.start_ms, |delay| delay.ms(work.symbols)), ..offer.clone() }
    }
}
