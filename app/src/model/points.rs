//! Points of sequence alignment: the named scorings ([`PointsPreset`]), the choice of the parts of the texts
//! that are aligned ([`AlignedParts`]), and the numbers that the page asks for ([`PointsNumber`]).
//!
//! - [`sentences`]: the points in words
//!
//! Signs are those of the sum of points: a number that lowers the sum is negative, also the points of a gap.

use kernels::job::{AlignmentMode, FreeEnds, GapCosts, JobOptions, Scoring, ScoringMatrix};

pub mod sentences;

/// A scoring that has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointsPreset {
    NeedlemanWunsch,
    Gotoh,
    SmithWaterman,
    Blastn,
    Blosum62,
}

impl PointsPreset {
    /// All presets, in the order of the menu. The first one is the scoring of a form without a choice.
    pub const ALL: [Self; 5] = [Self::NeedlemanWunsch, Self::Gotoh, Self::SmithWaterman, Self::Blastn, Self::Blosum62];

    /// Returns the name in addresses.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NeedlemanWunsch => "needleman-wunsch",
            Self::Gotoh => "gotoh",
            Self::SmithWaterman => "smith-waterman",
            Self::Blastn => "blastn",
            Self::Blosum62 => "blosum62",
        }
    }

    /// Returns the scoring.
    pub fn scoring(self) -> Scoring {
        let usual = Scoring::DEFAULT;
        match self {
            Self::NeedlemanWunsch => usual,
            Self::Gotoh => Scoring { equal: 2, different: -1, gap: GapCosts { open: 2, extend: 1 }, ..usual },
            Self::SmithWaterman => {
                Scoring { mode: AlignmentMode::Local, equal: 3, different: -3, gap: GapCosts { open: 0, extend: 2 }, ..usual }
            }
            Self::Blastn => Scoring { mode: AlignmentMode::Local, equal: 2, different: -3, gap: GapCosts { open: 5, extend: 2 }, ..usual },
            Self::Blosum62 => Scoring { matrix: Some(ScoringMatrix::BLOSUM62), gap: GapCosts { open: 11, extend: 1 }, ..usual },
        }
    }

    /// Returns the preset called `name`, or `None` if no preset has that name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|preset| preset.name() == name)
    }

    /// Returns the preset that differs from `scoring` in the fewest parts, the first one of several. A link names this
    /// preset and the parts that differ.
    pub fn nearest(scoring: &Scoring) -> Self {
        let [first, others @ ..] = Self::ALL;
        others.into_iter().fold(first, |best, preset| if preset.differing(scoring) < best.differing(scoring) { preset } else { best })
    }

    /// Returns the number of parts in which `scoring` differs from this preset.
    fn differing(self, scoring: &Scoring) -> usize {
        let own = with_matrix(self.scoring(), scoring.matrix.clone());
        let parts = [
            own.mode != scoring.mode,
            own.free_ends != scoring.free_ends,
            own.equal != scoring.equal,
            own.different != scoring.different,
            self.scoring().matrix != scoring.matrix,
            own.gap.open != scoring.gap.open,
            own.gap.extend != scoring.gap.extend,
        ];
        parts.into_iter().filter(|differs| *differs).count()
    }
}

/// The parts of both texts that an alignment covers, as the page offers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AlignedParts {
    /// All of `a` and all of `b`.
    Whole,
    /// The pieces of `a` and `b` with the most points.
    BestPieces,
    /// All of `a`, and a piece of `b`.
    WithinB,
    /// An end of `a`, and a start of `b`.
    EndOnStart,
}

impl AlignedParts {
    /// All choices, in the order of the page.
    pub const ALL: [Self; 4] = [Self::Whole, Self::BestPieces, Self::WithinB, Self::EndOnStart];

    /// Returns the choice to which `scoring` belongs. A semi-global alignment belongs to [`Self::WithinB`] if no end of
    /// `a` is free.
    pub fn of(scoring: &Scoring) -> Self {
        match scoring.mode {
            AlignmentMode::Global => Self::Whole,
            AlignmentMode::Local => Self::BestPieces,
            AlignmentMode::SemiGlobal if scoring.free_ends.a_start || scoring.free_ends.a_end => Self::EndOnStart,
            AlignmentMode::SemiGlobal => Self::WithinB,
        }
    }

    /// Returns `scoring` with this choice.
    pub fn apply(self, scoring: Scoring) -> Scoring {
        let (mode, free_ends) = match self {
            Self::Whole => (AlignmentMode::Global, FreeEnds::NONE),
            Self::BestPieces => (AlignmentMode::Local, FreeEnds::NONE),
            Self::WithinB => (AlignmentMode::SemiGlobal, FreeEnds::FIT),
            Self::EndOnStart => (AlignmentMode::SemiGlobal, FreeEnds::OVERLAP),
        };
        Scoring { mode, free_ends, ..scoring }
    }
}

/// One of the numbers of a scoring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointsNumber {
    /// Points of two equal symbols.
    Equal,
    /// Points of two different symbols.
    Different,
    /// Points of a gap, besides those of its symbols. Never above 0.
    Open,
    /// Points of each symbol in a gap. Never above 0.
    Each,
}

impl PointsNumber {
    /// All numbers, in the order of the page.
    pub const ALL: [Self; 4] = [Self::Equal, Self::Different, Self::Open, Self::Each];

    /// Returns the name in addresses.
    pub fn name(self) -> &'static str {
        match self {
            Self::Equal => "equal",
            Self::Different => "different",
            Self::Open => "open",
            Self::Each => "gap",
        }
    }

    /// Returns whether the number is about gaps.
    pub fn is_of_gaps(self) -> bool {
        matches!(self, Self::Open | Self::Each)
    }

    /// Returns the number in `scoring`.
    pub fn of(self, scoring: &Scoring) -> i32 {
        match self {
            Self::Equal => scoring.equal,
            Self::Different => scoring.different,
            Self::Open => -(scoring.gap.open as i32),
            Self::Each => -(scoring.gap.extend as i32),
        }
    }

    /// Returns `scoring` with `points` for this number, or `None` if they are outside of its range.
    pub fn replace(self, scoring: &Scoring, points: i32) -> Option<Scoring> {
        if points.unsigned_abs() > Scoring::MAX || self.is_of_gaps() && points > 0 {
            return None;
        }
        let mut changed = scoring.clone();
        match self {
            Self::Equal => changed.equal = points,
            Self::Different => changed.different = points,
            Self::Open => changed.gap.open = points.unsigned_abs(),
            Self::Each => changed.gap.extend = points.unsigned_abs(),
        }
        Some(changed)
    }

    /// Parses a number as visitors write it, with either minus sign and with separators of thousands. Returns `None` if
    /// it is no whole number.
    pub fn parse(text: &str) -> Option<i32> {
        let plain: String = text.chars().filter(|char| !char.is_whitespace() && *char != ',').collect();
        plain.replace('−', "-").parse().ok()
    }
}

/// Returns `scoring` with another matrix, or with the two numbers for equal and different symbols if `matrix` is `None`.
/// The two numbers have their usual values beside a matrix.
pub fn with_matrix(scoring: Scoring, matrix: Option<ScoringMatrix>) -> Scoring {
    match matrix {
        None => Scoring { matrix, ..scoring },
        Some(_) => Scoring { matrix, equal: Scoring::DEFAULT.equal, different: Scoring::DEFAULT.different, ..scoring },
    }
}

/// Sets the scoring of a job. A matrix resets ambiguity codes.
pub fn set_scoring(options: &mut JobOptions, scoring: Scoring) {
    let Scoring { mode, free_ends, equal, different, matrix, gap } = scoring;
    options.ambiguity &= matrix.is_none();
    options.mode = mode;
    options.free_ends = free_ends;
    options.equal = equal;
    options.different = different;
    options.matrix = matrix;
    options.gap = gap;
}

/// Returns whether no optimal alignment needs a pair of different symbols, because leaving out both costs less.
pub fn never_pairs_different(scoring: &Scoring) -> bool {
    let gaps = 2 * (PointsNumber::Open.of(scoring) + PointsNumber::Each.of(scoring));
    scoring.matrix.is_none() && scoring.different < gaps
}

#[cfg(test)]
mod tests {
    use kernels::job::{PublishedMatrix, Task};

    use super::*;

    #[test]
    fn every_preset_is_a_valid_job_and_its_own_nearest() {
        for preset in PointsPreset::ALL {
            let mut options = JobOptions::default();
            set_scoring(&mut options, preset.scoring());
            assert_eq!((options.check(Task::SequenceAlignment), options.scoring()), (Ok(()), preset.scoring()));
            assert_eq!((PointsPreset::nearest(&preset.scoring()), PointsPreset::of_name(preset.name())), (preset, Some(preset)));
        }
        assert_eq!(PointsPreset::NeedlemanWunsch.scoring(), JobOptions::default().scoring());
    }

    #[test]
    fn changed_preset_stays_the_nearest() {
        for preset in PointsPreset::ALL {
            let changed = PointsNumber::Each.replace(&preset.scoring(), -7).unwrap();
            assert_eq!(PointsPreset::nearest(&changed), preset);
        }
        let matrix = with_matrix(PointsPreset::Blosum62.scoring(), Some(PublishedMatrix::PAM250.into()));
        assert_eq!(PointsPreset::nearest(&matrix), PointsPreset::Blosum62);
    }

    #[test]
    fn parts_are_recognized_in_the_scoring_that_they_set() {
        for parts in AlignedParts::ALL {
            let scoring = parts.apply(PointsPreset::Blastn.scoring());
            assert_eq!((AlignedParts::of(&scoring), scoring.check()), (parts, Ok(())));
            assert_eq!(AlignedParts::of(&PointsPreset::Blastn.scoring()), AlignedParts::BestPieces);
        }
    }

    #[test]
    fn numbers_have_the_signs_of_the_sum() {
        let blast = PointsPreset::Blastn.scoring();
        assert_eq!(PointsNumber::ALL.map(|number| number.of(&blast)), [2, -3, -5, -2]);
        for number in PointsNumber::ALL {
            assert_eq!(number.replace(&blast, -7).map(|scoring| number.of(&scoring)), Some(-7));
            assert_eq!(number.replace(&blast, 7).is_some(), !number.is_of_gaps());
            assert_eq!((number.replace(&blast, 1_001), number.replace(&blast, i32::MIN)), (None, None));
        }
        for (text, number) in [("+2", Some(2)), (" −1,000 ", Some(-1_000)), ("-0", Some(0)), ("2.5", None), ("", None), ("--1", None)] {
            assert_eq!(PointsNumber::parse(text), number, "{text}");
        }
    }

    #[test]
    fn different_symbols_are_not_paired_if_two_gaps_cost_less() {
        let usual = |different| Scoring { different, ..Scoring::DEFAULT };
        assert!(never_pairs_different(&usual(-3)) && !never_pairs_different(&usual(-2)));
        assert!(!never_pairs_different(&with_matrix(usual(-3), Some(ScoringMatrix::BLOSUM62))));
    }
}
