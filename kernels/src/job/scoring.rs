//! Points of the columns of an alignment, whose greatest sum is the score of `sequence-alignment`.

use serde::{Deserialize, Serialize};

use super::{Points, ScoringMatrix};
use crate::failure::JobFailure;
use crate::{cbor_enum, cbor_struct};

/// Parts of both texts that an alignment covers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum AlignmentMode {
    /// All of `a` and all of `b` (Needleman and Wunsch 1970).
    #[default]
    Global,
    /// The pieces of `a` and `b` with the highest score (Smith and Waterman 1981).
    Local,
    /// All of both texts, but gaps at the ends in [`FreeEnds`] cost nothing.
    SemiGlobal,
}

cbor_enum!(AlignmentMode { 0 Global, 1 Local, 2 SemiGlobal });

/// The ends of texts that a semi-global alignment may leave out without costs. In JSON, a list of names such as
/// `["b-start", "b-end"]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "Vec<FreeEnd>", into = "Vec<FreeEnd>")]
pub struct FreeEnds {
    /// Whether symbols at the start of `a` may be left out.
    pub a_start: bool,
    /// Whether symbols at the end of `a` may be left out.
    pub a_end: bool,
    /// Whether symbols at the start of `b` may be left out.
    pub b_start: bool,
    /// Whether symbols at the end of `b` may be left out.
    pub b_end: bool,
}

cbor_struct!(FreeEnds { a_start, a_end, b_start, b_end });

/// The name of one end in [`FreeEnds`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum FreeEnd {
    /// The start of `a`.
    AStart,
    /// The end of `a`.
    AEnd,
    /// The start of `b`.
    BStart,
    /// The end of `b`.
    BEnd,
}

impl From<Vec<FreeEnd>> for FreeEnds {
    fn from(ends: Vec<FreeEnd>) -> Self {
        let has = |end| ends.contains(&end);
        Self { a_start: has(FreeEnd::AStart), a_end: has(FreeEnd::AEnd), b_start: has(FreeEnd::BStart), b_end: has(FreeEnd::BEnd) }
    }
}

impl From<FreeEnds> for Vec<FreeEnd> {
    fn from(ends: FreeEnds) -> Self {
        let FreeEnds { a_start, a_end, b_start, b_end } = ends;
        let all = [(a_start, FreeEnd::AStart), (a_end, FreeEnd::AEnd), (b_start, FreeEnd::BStart), (b_end, FreeEnd::BEnd)];
        all.into_iter().filter_map(|(is_free, end)| is_free.then_some(end)).collect()
    }
}

impl FreeEnds {
    /// No end is free.
    pub const NONE: Self = Self { a_start: false, a_end: false, b_start: false, b_end: false };

    /// The whole of `a` is aligned to the best piece of `b` ("fit").
    pub const FIT: Self = Self { b_start: true, b_end: true, ..Self::NONE };

    /// The end of `a` is aligned to the start of `b` ("overlap").
    pub const OVERLAP: Self = Self { a_start: true, b_end: true, ..Self::NONE };
}

/// The points that a gap costs. A gap of n symbols costs open + n · extend.
///
/// BLAST counts gaps in the same way. EMBOSS and Biopython name the cost of the first symbol, open + extend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = GapCosts))]
#[serde(default, deny_unknown_fields)]
pub struct GapPoints {
    /// Cost of each gap, from 0 to 1,000, or with a decimal to 100.
    pub open: Points,
    /// Cost of each symbol in a gap, from 0 to 1,000, or with a decimal to 100.
    pub extend: Points,
}

cbor_struct!(GapPoints { open, extend });

impl GapPoints {
    /// Each symbol in a gap costs 1.
    pub const LINEAR: Self = Self::whole(0, 1);

    /// Creates costs that are whole numbers.
    pub const fn whole(open: i32, extend: i32) -> Self {
        Self { open: Points::whole(open), extend: Points::whole(extend) }
    }
}

impl Default for GapPoints {
    fn default() -> Self {
        Self::LINEAR
    }
}

/// The points that a gap costs, in the units of a [`Scoring`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GapCosts {
    /// Cost of each gap, from 0 to [`Scoring::MAX`].
    pub open: u32,
    /// Cost of each symbol in a gap, from 0 to [`Scoring::MAX`].
    pub extend: u32,
}

impl Default for GapCosts {
    fn default() -> Self {
        Self::LINEAR
    }
}

impl GapCosts {
    /// Each symbol in a gap costs 1.
    pub const LINEAR: Self = Self { open: 0, extend: 1 };

    /// Returns the cost of a gap of `len` symbols.
    pub fn of(self, len: u64) -> u64 {
        if len == 0 { 0 } else { u64::from(self.open) + u64::from(self.extend) * len }
    }
}

/// The points of `sequence-alignment` as clients write them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScoringNumbers {
    /// Points of two equal symbols.
    pub equal: Points,
    /// Points of two different symbols.
    pub different: Points,
    /// Points that gaps cost.
    pub gap: GapPoints,
}

impl ScoringNumbers {
    /// Returns the number of units of a point: the first one of 1, 2, 5 and 10 in which these points and those of `matrix` are
    /// whole numbers.
    pub fn scale(&self, matrix: Option<&ScoringMatrix>) -> u32 {
        let own = [self.equal, self.different, self.gap.open, self.gap.extend];
        // Published matrices have whole points. Their tables are not used here, so that the page need not load them.
        let of_matrix = match matrix {
            Some(ScoringMatrix::Custom(matrix)) => matrix.points(),
            Some(ScoringMatrix::Published(_)) | None => &[],
        };
        Points::scale_of(own.into_iter().chain(of_matrix.iter().copied()))
    }

    /// Checks that all points and costs are in their ranges. All are in the smaller range if one of them, or of `matrix`, has a
    /// decimal.
    ///
    /// # Errors
    /// Returns `BadInput` with the first number that is out of its range.
    pub fn check(&self, matrix: Option<&ScoringMatrix>) -> Result<(), JobFailure> {
        let Self { equal, different, gap } = *self;
        let (most, why) =
            if self.scale(matrix) == 1 { (Scoring::MAX, "") } else { (Scoring::MAX_WITH_DECIMALS, ", because some points have decimals") };
        for (name, points) in [("match", equal), ("mismatch", different)] {
            if points.abs() > Points::from(most) {
                return Err(JobFailure::bad_input(format!("{name} is {points}; it must be from -{most} to {most}{why}.")));
            }
        }
        for (name, cost) in [("open", gap.open), ("extend", gap.extend)] {
            if cost < Points::ZERO || cost > Points::from(most) {
                return Err(JobFailure::bad_input(format!("gap.{name} is {cost}; it must be from 0 to {most}{why}.")));
            }
        }
        match matrix.map(ScoringMatrix::greatest_amount).filter(|amount| *amount > Points::from(most)) {
            Some(amount) => {
                Err(JobFailure::bad_input(format!("The matrix has {amount} points; they must be from -{most} to {most}{why}.")))
            }
            None => Ok(()),
        }
    }
}

/// Kind of the alignments that `sequence-alignment` compares, and points of each column.
///
/// Engines add whole numbers. Thus points with decimals are counted in units of 1/[`scale`](Self::scale) of a point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scoring {
    /// Parts of the texts that are aligned.
    pub mode: AlignmentMode,
    /// The ends that a semi-global alignment may leave out. Without effect in the other modes.
    pub free_ends: FreeEnds,
    /// Points of two equal symbols in units, from −[`Self::MAX`] to [`Self::MAX`]. Without effect if a matrix is given.
    pub equal: i32,
    /// Points of two different symbols in units, from −[`Self::MAX`] to [`Self::MAX`]. Without effect if a matrix is given.
    pub different: i32,
    /// Points of two letters, not in units.
    pub matrix: Option<ScoringMatrix>,
    /// Units that gaps cost.
    pub gap: GapCosts,
    /// Number of units of a point, as [`ScoringNumbers::scale`] returns it.
    pub scale: u32,
}

impl Default for Scoring {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl Scoring {
    /// The scoring of a job that sets no option: equal symbols 1, different ones −1, each symbol in a gap −1.
    pub const DEFAULT: Self = Self {
        mode: AlignmentMode::Global,
        free_ends: FreeEnds::NONE,
        equal: 1,
        different: -1,
        matrix: None,
        gap: GapCosts::LINEAR,
        scale: 1,
    };

    /// Maximum of points and costs, in points and in units.
    pub const MAX: u32 = 1_000;

    /// Maximum of points and costs of a scoring with decimals, in points.
    pub const MAX_WITH_DECIMALS: u32 = 100;

    /// Returns this scoring with other points. Points beyond the range of units become the least or greatest unit, which
    /// [`check`](Self::check) rejects.
    pub fn with_numbers(self, numbers: ScoringNumbers) -> Self {
        let ScoringNumbers { equal, different, gap } = numbers;
        let scale = numbers.scale(self.matrix.as_ref());
        let units = |points: Points| points.units(scale).clamp(i32::MIN.into(), i32::MAX.into());
        let cost = |points: Points| u32::try_from(units(points)).unwrap_or(u32::MAX);
        let gap = GapCosts { open: cost(gap.open), extend: cost(gap.extend) };
        Self { equal: units(equal) as i32, different: units(different) as i32, gap, scale, ..self }
    }

    /// Returns the points as clients write them.
    pub fn numbers(&self) -> ScoringNumbers {
        let points = |units: i64| self.points(units);
        ScoringNumbers {
            equal: points(self.equal.into()),
            different: points(self.different.into()),
            gap: GapPoints { open: points(self.gap.open.into()), extend: points(self.gap.extend.into()) },
        }
    }

    /// Returns the points of a number of units, as those of a score.
    pub fn points(&self, units: i64) -> Points {
        Points::from_units(units, self.scale)
    }

    /// Returns the units of points of the matrix.
    pub fn units(&self, points: Points) -> i32 {
        points.units(self.scale) as i32
    }

    /// Checks that all points and costs are in their ranges. A matrix must stand alone, and free ends need a semi-global
    /// alignment.
    ///
    /// # Errors
    /// Returns `BadInput` with the first option that is wrong.
    pub fn check(&self) -> Result<(), JobFailure> {
        let numbers = self.numbers();
        numbers.check(self.matrix.as_ref())?;
        let ScoringNumbers { equal, different, .. } = numbers;
        if self.matrix.is_some() && (equal, different) != (Points::whole(Self::DEFAULT.equal), Points::whole(Self::DEFAULT.different)) {
            return Err(JobFailure::bad_input("The matrix has the points of all pairs. Leave out match and mismatch, or matrix."));
        }
        if self.mode != AlignmentMode::SemiGlobal && self.free_ends != FreeEnds::NONE {
            return Err(JobFailure::bad_input("free_ends is an option of the mode semi-global."));
        }
        Ok(())
    }

    /// Returns the ends that the alignment may leave out without costs.
    pub fn free(&self) -> FreeEnds {
        if self.mode == AlignmentMode::SemiGlobal { self.free_ends } else { FreeEnds::NONE }
    }
}
