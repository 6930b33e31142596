//! Measured offers: the rates and limits of an engine, and the overhead of its brief jobs.

use serde::{Deserialize, Serialize};

use super::{EngineName, JobWork, PlannerOffer, known};
use crate::job::Task;

/// An engine's offer with its measured overheads: all data that a planner needs, even a planner on another machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeasuredOffer {
    /// Device, rates and limits of the engine.
    pub offer: PlannerOffer,
    /// Measured time of jobs in addition to the time for their cells, by task and length of the texts.
    #[serde(deserialize_with = "known")]
    pub delays: Vec<StartOverhead>,
}

impl MeasuredOffer {
    /// Creates an offer without measured overheads.
    pub fn of(offer: PlannerOffer) -> Self {
        Self { offer, delays: Vec::new() }
    }

    /// Returns the offer for `work`, with the overhead for the length of its texts. The length matters in addition to
    /// the number of cells, because a short pair cannot fill a device, and a search reads its whole text.
    pub fn for_work(&self, work: &JobWork) -> PlannerOffer {
        let Self { offer, delays } = self;
        let own = delays.iter().find(|delay| delay.engine == offer.engine && delay.task == work.task);
        PlannerOffer { start_ms: own.map_or(offer.start_ms, |delay| delay.ms(work.symbols)), ..offer.clone() }
    }
}

/// The overhead of jobs of one task on an engine after an idle moment, when threads sleep and clock rates are low.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StartOverhead {
    /// Engine of the jobs.
    pub engine: EngineName,
    /// Task of the jobs.
    pub task: Task,
    /// Measured points: the length of the longer text in symbols, and the overhead in milliseconds. There is at least
    /// one point, and lengths increase.
    pub points: Vec<(f64, f64)>,
}

impl StartOverhead {
    /// Interpolates the overhead in milliseconds for texts of which the longer one has `symbols` symbols. The result is
    /// at least 0.
    pub fn ms(&self, symbols: u64) -> f64 {
        let symbols = symbols as f64;
        let lines = || self.points.windows(2);
        let Some(&[(short, short_ms), (long, long_ms)]) = lines().find(|line| symbols < line[1].0).or_else(|| lines().last()) else {
            return self.points.first().map_or(0.0, |point| point.1);
        };
        let slope = (long_ms - short_ms) / (long - short);
        // Before the first point the overhead is constant. After the last point it never falls. For pairs it is
        // constant there too, because their time per symbol is part of the rate.
        let slope_behind = if Task::SEARCHES.contains(&self.task) { slope.max(0.0) } else { 0.0 };
        if symbols > long { long_ms + slope_behind * (symbols - long) } else { short_ms + slope * (symbols - short).max(0.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overhead_is_interpolated_linearly() {
        let delay = |points: &[(f64, f64)]| StartOverhead { engine: EngineName::Cuda, task: Task::Lcs, points: points.to_vec() };
        let own = delay(&[(1000.0, 0.2), (2000.0, 0.4), (4000.0, 1.0)]);
        let asked = [(0, 0.2), (1000, 0.2), (1500, 0.3), (2000, 0.4), (3000, 0.7), (4000, 1.0), (14_000, 1.0)];
        for (symbols, expected) in asked {
            assert!((own.ms(symbols) - expected).abs() < 1e-9, "{symbols}: {}", own.ms(symbols));
        }
        assert!(
            (StartOverhead { task: Task::MatchCount, ..own }.ms(14_000) - 4.0).abs() < 1e-9,
            "the time of a search depends on the text alone"
        );
        let falling = delay(&[(1000.0, 0.5), (2000.0, 0.1)]);
        assert!((falling.ms(1500) - 0.3).abs() < 1e-9 && (falling.ms(9000) - 0.1).abs() < 1e-9);
        assert!((delay(&[(1000.0, 0.5)]).ms(7) - 0.5).abs() < 1e-9);
    }
}
