//! Measure: the measure of two texts ([`Measure`]), and the value from which on they are alike ([`Threshold`]).

use kernels::job::Task;

/// The quantity that is measured between two texts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Measure {
    /// 1 − edits ÷ symbols of the longer text.
    #[default]
    Similarity,
    /// 2 · length of a longest common subsequence ÷ symbols of both texts.
    LcsRatio,
    /// The number of edits, or the sum of their costs.
    Edits,
    /// The points of the best alignment.
    Points,
}

impl Measure {
    pub const ALL: [Self; 4] = [Self::Similarity, Self::LcsRatio, Self::Edits, Self::Points];

    /// Returns the name of the measure in addresses.
    pub fn name(self) -> &'static str {
        match self {
            Self::Similarity => "similarity",
            Self::LcsRatio => "lcs-ratio",
            Self::Edits => "edits",
            Self::Points => "points",
        }
    }

    /// Returns the task whose score is measured.
    pub fn task(self) -> Task {
        match self {
            Self::Similarity | Self::Edits => Task::EditDistance,
            Self::LcsRatio => Task::Lcs,
            Self::Points => Task::SequenceAlignment,
        }
    }

    /// Returns the measure of the scores of `task`. Several measures have those of edit distance, of which `self` stays if it
    /// is one.
    pub fn of_task(self, task: Task) -> Self {
        match task {
            task if task == self.task() => self,
            Task::SequenceAlignment => Self::Points,
            Task::Lcs => Self::LcsRatio,
            Task::EditDistance | Task::ApproximateSearch | Task::MatchCount | Task::ExactSearch => Self::Similarity,
        }
    }

    /// Returns whether the measure is a share from 0 to 1.
    pub fn is_share(self) -> bool {
        matches!(self, Self::Similarity | Self::LcsRatio)
    }

    /// Returns the name of the threshold of this measure in addresses.
    pub fn threshold_name(self) -> &'static str {
        match self {
            Self::Similarity | Self::LcsRatio => "alike",
            Self::Edits => "alike-within",
            Self::Points => "alike-points",
        }
    }
}

/// The value from which on two texts are alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threshold {
    /// At least this many per cent.
    Percent(u32),
    /// At most this many edits, or this sum of their costs.
    Edits(u32),
    /// At least this many points.
    Points(i32),
}

/// Tolerance of comparisons with a share, which is a decimal fraction.
const ROUNDING: f64 = 1e-9;

impl Threshold {
    /// Creates the threshold `value` of `measure`: per cent, edits or points.
    pub fn new(measure: Measure, value: i32) -> Self {
        match measure {
            Measure::Similarity | Measure::LcsRatio => Self::Percent(value.clamp(0, 100) as u32),
            Measure::Edits => Self::Edits(value.max(0) as u32),
            Measure::Points => Self::Points(value),
        }
    }

    /// Returns the number that the visitor sees: per cent, edits or points.
    pub fn value(self) -> i32 {
        match self {
            Self::Percent(value) | Self::Edits(value) => value.min(i32::MAX as u32) as i32,
            Self::Points(value) => value,
        }
    }

    /// Returns the least nearness of alike texts: a share, the negative number of edits, or points.
    pub fn nearness(self) -> f64 {
        match self {
            Self::Percent(percent) => f64::from(percent) / 100.0 - ROUNDING,
            Self::Edits(edits) => -f64::from(edits),
            Self::Points(points) => points.into(),
        }
    }
}

/// Returns a share in whole per mille, cut and not rounded. Returns 1000 only for a share of 1.
pub fn per_mille(share: f64) -> u32 {
    (share * 1000.0 + 1e-6).floor().clamp(0.0, 1000.0) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_cut_and_reach_their_threshold_exactly() {
        assert_eq!([0.0, 0.29, 0.9996, 1.0].map(per_mille), [0, 290, 999, 1000]);
        assert!(0.3 >= Threshold::new(Measure::Similarity, 30).nearness() && 0.299 < Threshold::Percent(30).nearness());
        let edits = Threshold::new(Measure::Edits, 2);
        assert!(-2.0 >= edits.nearness() && -3.0 < edits.nearness());
        assert_eq!(Threshold::new(Measure::LcsRatio, 300), Threshold::Percent(100));
        let points = Threshold::new(Measure::Points, -3);
        assert!(-3.0 >= points.nearness() && -4.0 < points.nearness() && points.value() == -3);
    }

    #[test]
    fn measure_of_a_task_stays_if_it_has_the_same_scores() {
        assert_eq!(Measure::Edits.of_task(Task::EditDistance), Measure::Edits);
        assert_eq!(Measure::Points.of_task(Task::EditDistance), Measure::Similarity);
        assert_eq!(Measure::Edits.of_task(Task::SequenceAlignment), Measure::Points);
        Measure::ALL.into_iter().for_each(|measure| assert_eq!(measure.of_task(measure.task()), measure));
    }
}
