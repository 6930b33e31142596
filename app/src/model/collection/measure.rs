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
    /// The number of edits.
    Edits,
}

impl Measure {
    pub const ALL: [Self; 3] = [Self::Similarity, Self::LcsRatio, Self::Edits];

    /// Returns the name of the measure in addresses.
    pub fn name(self) -> &'static str {
        match self {
            Self::Similarity => "similarity",
            Self::LcsRatio => "lcs-ratio",
            Self::Edits => "edits",
        }
    }

    /// Returns the task whose score is measured.
    pub fn task(self) -> Task {
        match self {
            Self::Similarity | Self::Edits => Task::EditDistance,
            Self::LcsRatio => Task::Lcs,
        }
    }

    /// Returns the name of the threshold of this measure in addresses.
    pub fn threshold_name(self) -> &'static str {
        match self {
            Self::Similarity | Self::LcsRatio => "alike",
            Self::Edits => "alike-within",
        }
    }
}

/// The value from which on two texts are alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threshold {
    /// At least this many per cent.
    Percent(u32),
    /// At most this many edits.
    Edits(u32),
}

/// Tolerance of comparisons with a share, which is a decimal fraction.
const ROUNDING: f64 = 1e-9;

impl Threshold {
    /// Creates the threshold `value` of `measure`: per cent, or edits.
    pub fn new(measure: Measure, value: u32) -> Self {
        match measure {
            Measure::Similarity | Measure::LcsRatio => Self::Percent(value.min(100)),
            Measure::Edits => Self::Edits(value),
        }
    }

    /// Returns the number that the visitor sees: per cent, or edits.
    pub fn value(self) -> u32 {
        match self {
            Self::Percent(value) | Self::Edits(value) => value,
        }
    }

    /// Returns the least nearness of alike texts: a share, or the negative number of edits.
    pub fn nearness(self) -> f64 {
        match self {
            Self::Percent(percent) => f64::from(percent) / 100.0 - ROUNDING,
            Self::Edits(edits) => -f64::from(edits),
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
    }
}
