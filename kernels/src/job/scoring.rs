//! Points of the columns of an alignment, whose greatest sum is the score of `sequence-alignment`.

use serde::{Deserialize, Serialize};

use super::ScoringMatrix;
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
#[serde(default, deny_unknown_fields)]
pub struct GapCosts {
    /// Cost of each gap, from 0 to [`Scoring::MAX`].
    pub open: u32,
    /// Cost of each symbol in a gap, from 0 to [`Scoring::MAX`].
    pub extend: u32,
}

cbor_struct!(GapCosts { open, extend });

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

/// Kind of the alignments that `sequence-alignment` compares, and points of each column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scoring {
    /// Parts of the texts that are aligned.
    pub mode: AlignmentMode,
    /// The ends that a semi-global alignment may leave out. Without effect in the other modes.
    pub free_ends: FreeEnds,
    /// Points of two equal symbols, from −[`Self::MAX`] to [`Self::MAX`]. Without effect if a matrix is given.
    pub equal: i32,
    /// Points of two different symbols, from −[`Self::MAX`] to [`Self::MAX`]. Without effect if a matrix is given.
    pub different: i32,
    /// Points of two letters.
    pub matrix: Option<ScoringMatrix>,
    /// Points that gaps cost.
    pub gap: GapCosts,
}

impl Default for Scoring {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl Scoring {
    /// The scoring of a job that sets no option: equal symbols 1, different ones −1, each symbol in a gap −1.
    pub const DEFAULT: Self =
        Self { mode: AlignmentMode::Global, free_ends: FreeEnds::NONE, equal: 1, different: -1, matrix: None, gap: GapCosts::LINEAR };

    /// Maximum of points and costs.
    pub const MAX: u32 = 1_000;

    /// Checks that all points and costs are in their ranges. A matrix must stand alone, and free ends need a semi-global
    /// alignment.
    ///
    /// # Errors
    /// Returns `BadInput` with the first option that is wrong.
    pub fn check(&self) -> Result<(), JobFailure> {
        for (name, points) in [("match", self.equal), ("mismatch", self.different)] {
            if points.unsigned_abs() > Self::MAX {
                return Err(JobFailure::bad_input(format!("{name} is {points}; it must be from -{0} to {0}.", Self::MAX)));
            }
        }
        for (name, cost) in [("open", self.gap.open), ("extend", self.gap.extend)] {
            if cost > Self::MAX {
                return Err(JobFailure::bad_input(format!("gap.{name} is {cost}; it must be from 0 to {}.", Self::MAX)));
            }
        }
        if self.matrix.is_some() && (self.equal, self.different) != (Self::DEFAULT.equal, Self::DEFAULT.different) {
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
