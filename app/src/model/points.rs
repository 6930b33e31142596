//! Points of sequence alignment: the named scorings ([`PointsPreset`]), the choice of the parts of the texts
//! that are aligned ([`AlignedParts`]), and the numbers that the page asks for ([`PointsNumber`]).
//!
//! - [`sentences`]: the points in words
//!
//! Signs are those of the sum of points: a number that lowers the sum is negative, also the points of a gap.

use kernels::job::{AlignmentMode, FreeEnds, GapCosts, JobOptions, Points, Scoring, ScoringMatrix, ScoringNumbers};

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
        let parts = [own.mode != scoring.mode, own.free_ends != scoring.free_ends, self.scoring().matrix != scoring.matrix];
        let numbers = PointsNumber::ALL.map(|number| number.of(&own) != number.of(scoring));
        parts.into_iter().chain(numbers).filter(|differs| *differs).count()
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
    pub fn of(self, scoring: &Scoring) -> Points {
        let ScoringNumbers { equal, different, gap } = scoring.numbers();
        match self {
            Self::Equal => equal,
            Self::Different => different,
            Self::Open => -gap.open,
            Self::Each => -gap.extend,
        }
    }

    /// Returns whether `points` are in the range of this number for a scoring without decimals.
    pub fn has_in_range(self, points: Points) -> bool {
        points.abs() <= Points::from(Scoring::MAX) && !(self.is_of_gaps() && points > Points::ZERO)
    }

    /// Returns `scoring` with `points` for this number. Returns `None` if they are outside of its range, or if the scoring
    /// would have decimals and points outside of their range.
    pub fn replace(self, scoring: &Scoring, points: Points) -> Option<Scoring> {
        if !self.has_in_range(points) {
            return None;
        }
        let mut numbers = scoring.numbers();
        match self {
            Self::Equal => numbers.equal = points,
            Self::Different => numbers.different = points,
            Self::Open => numbers.gap.open = points.abs(),
            Self::Each => numbers.gap.extend = points.abs(),
        }
        numbers.check(scoring.matrix.as_ref()).ok()?;
        Some(scoring.clone().with_numbers(numbers))
    }

    /// Parses a number as visitors write it: with either minus sign, a point or a comma before the decimal, and separators of
    /// thousands. `marks` are the separator and the decimal mark of the visitor's language. A separator counts as the
    /// decimal mark unless three digits follow. Returns `None` if the text is no number with at most one decimal.
    pub fn parse(text: &str, (thousands, _): (&str, &str)) -> Option<Points> {
        let plain: String = text.chars().filter(|char| !char.is_whitespace()).collect();
        let mut parts = plain.split(thousands);
        let first = parts.next().unwrap_or_default().to_owned();
        let joined = parts.fold(first, |joined, part| {
            let digits = part.bytes().take_while(u8::is_ascii_digit).count();
            joined + if digits == 3 { "" } else { "." } + part
        });
        joined.replace('−', "-").replace(',', ".").parse().ok()
    }
}

/// Returns `scoring` with another matrix, or with the two numbers for equal and different symbols if `matrix` is `None`.
/// The two numbers have their usual values beside a matrix.
pub fn with_matrix(scoring: Scoring, matrix: Option<ScoringMatrix>) -> Scoring {
    match matrix {
        None => Scoring { matrix, ..scoring },
        Some(_) => {
            let ScoringNumbers { equal, different, .. } = Scoring::DEFAULT.numbers();
            let numbers = ScoringNumbers { equal, different, ..scoring.numbers() };
            Scoring { matrix, ..scoring }.with_numbers(numbers)
        }
    }
}

/// Sets the scoring of a job. A matrix resets ambiguity codes.
pub fn set_scoring(options: &mut JobOptions, scoring: Scoring) {
    options.ambiguity &= scoring.matrix.is_none();
    options.set_scoring(scoring);
}

/// Returns whether no optimal alignment needs a pair of different symbols, because leaving out both costs less.
pub fn never_pairs_different(scoring: &Scoring) -> bool {
    let gap = PointsNumber::Open.of(scoring) + PointsNumber::Each.of(scoring);
    scoring.matrix.is_none() && PointsNumber::Different.of(scoring) < gap + gap
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
            let changed = PointsNumber::Each.replace(&preset.scoring(), Points::whole(-7)).unwrap();
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
        assert_eq!(PointsNumber::ALL.map(|number| number.of(&blast)), [2, -3, -5, -2].map(Points::whole));
        for number in PointsNumber::ALL {
            for points in [Points::whole(-7), Points::from_tenths(-75)] {
                assert_eq!(number.replace(&blast, points).map(|scoring| number.of(&scoring)), Some(points));
            }
            assert_eq!(number.replace(&blast, Points::whole(7)).is_some(), !number.is_of_gaps());
            for points in [Points::whole(1_001), Points::whole(i32::MIN), Points::from_tenths(-1_001)] {
                assert_eq!(number.replace(&blast, points), None);
            }
        }
        let large = PointsNumber::Equal.replace(&blast, Points::whole(101)).unwrap();
        assert_eq!(PointsNumber::Each.replace(&large, Points::from_tenths(-5)), None);
    }

    #[test]
    fn numbers_are_parsed_as_visitors_write_them() {
        let (english, german, french) = ((",", "."), (".", ","), ("\u{202f}", ","));
        for (text, marks, tenths) in [
            ("+2", english, Some(20)),
            (" −1,000 ", english, Some(-10_000)),
            ("-0", english, Some(0)),
            ("2.5", english, Some(25)),
            ("2,5", english, Some(25)),
            ("−.5", english, Some(-5)),
            ("1.000", english, Some(10)),
            ("1.000", german, Some(10_000)),
            ("9.5", german, Some(95)),
            ("9,5", german, Some(95)),
            ("−1 000", french, Some(-10_000)),
            ("0,5", french, Some(5)),
            ("2.25", english, None),
            ("1,5,5", english, None),
            ("", english, None),
            ("--1", english, None),
        ] {
            assert_eq!(PointsNumber::parse(text, marks), tenths.map(Points::from_tenths), "{text} {marks:?}");
        }
    }

    #[test]
    fn different_symbols_are_not_paired_if_two_gaps_cost_less() {
        let usual = |different| Scoring { different, ..Scoring::DEFAULT };
        assert!(never_pairs_different(&usual(-3)) && !never_pairs_different(&usual(-2)));
        assert!(!never_pairs_different(&with_matrix(usual(-3), Some(ScoringMatrix::BLOSUM62))));
    }
}
