//! The data that an engine offers to planners: its offer, and the overhead of brief jobs. Pure.

use kernels::plan::{Offer, Work, known};
use serde::{Deserialize, Serialize};

use super::measure::Delay;

/// An engine's offer with everything that a planner needs, also on another machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Offered {
    /// Device, rates and limits of the engine.
    pub offer: Offer,
    /// Measured overhead of jobs before their first cell, by task and length.
    #[serde(deserialize_with = "known")]
    pub(super) delays: Vec<Delay>,
}

impl Offered {
    /// Creates an offer without measured overheads.
    pub fn of(offer: Offer) -> Self {
        Self { offer, delays: Vec::new() }
    }

    /// Returns the offer for this work, with the overhead for its length. The length matters beside the cells, because
    /// a short pair cannot fill a device, and a search reads its whole text.
    pub fn for_work(&self, work: &Work) -> Offer {
        let Self { offer, delays } = self;
        let own = delays.iter().find(|delay| delay.engine == offer.engine && delay.task == work.task);
        Offer { start_ms: own.map_or(offer.start_ms, |delay| delay.ms(work.symbols)), ..offer.clone() }
    }
}
