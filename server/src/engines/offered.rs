//! What is offered of an engine: its offer, and what brief jobs take on it beside their cells. Pure.

use kernels::plan::{Offer, Work, known};
use serde::{Deserialize, Serialize};

use super::measure::Delay;

/// An engine's offer with all that a plan asks of it, here or on another machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Offered {
    /// Its device, rates and limits.
    pub offer: Offer,
    /// How long jobs take before their first cell, by task and length, where that was measured.
    #[serde(deserialize_with = "known")]
    pub(super) delays: Vec<Delay>,
}

impl Offered {
    /// An offer of which no more is known.
    pub fn of(offer: Offer) -> Self {
        Self { offer, delays: Vec::new() }
    }

    /// What it offers for this work: its length counts as well as its cells, since a short pair cannot fill a device, and a text has to be looked at
    /// whatever the pattern.
    pub fn for_work(&self, work: &Work) -> Offer {
        let Self { offer, delays } = self;
        let own = delays.iter().find(|delay| delay.engine == offer.engine && delay.task == work.task);
        Offer { start_ms: own.map_or(offer.start_ms, |delay| delay.ms(work.symbols)), ..offer.clone() }
    }
}
