//! Cost models: which recurrence solves an edit distance with given costs ([`CostModel`]), and the points of alignments with
//! these costs ([`CostPoints`]).

use super::greatest_common_divisor;
use crate::job::EditCosts;

/// The recurrence that solves an edit distance with given costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CostModel {
    /// The alignments of Levenshtein are optimal.
    Levenshtein,
    /// The alignments of a longest common subsequence are optimal.
    Subsequence,
    /// Cells with these costs.
    Weighted(CellCosts),
}

/// The costs that decide which alignments are optimal, divided by their greatest common divisor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CellCosts {
    /// Cost of a substitution, at most `gap`.
    pub(crate) substitute: u32,
    /// Sum of the costs of an insertion and of a deletion, at least 1.
    pub(crate) gap: u32,
    /// Cost of a transposition, if it is less than those of all other ways to edit two exchanged symbols.
    pub(crate) transpose: Option<u32>,
    /// The divisor.
    pub(crate) divisor: u32,
}

impl CostModel {
    /// Returns the recurrence that solves an edit distance with `costs`.
    pub(crate) fn of(costs: &EditCosts) -> Self {
        let (substitute, gap) = (costs.substitute, costs.insert + costs.delete);
        let transpose = costs.useful_transpose();
        if transpose.is_none() && substitute >= gap {
            return Self::Subsequence;
        }
        if transpose.is_none() && 2 * substitute == gap {
            return Self::Levenshtein;
        }
        let substitute = substitute.min(gap);
        let divisor = [substitute, transpose.unwrap_or(0)].into_iter().fold(gap, greatest_common_divisor);
        let transpose = transpose.map(|cost| cost / divisor);
        Self::Weighted(CellCosts { substitute: substitute / divisor, gap: gap / divisor, transpose, divisor })
    }
}

/// The points of global alignments whose best score is minus the least sum of costs without transpositions. Equal symbols have
/// no points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CostPoints {
    /// Points of two different symbols, at most 0.
    pub(crate) different: i32,
    /// Points that each symbol in a gap costs.
    pub(crate) gap: u32,
    /// Number of half units of cost for which a point stands.
    pub(crate) halves: u32,
}

impl CostPoints {
    /// Creates the points of `costs`.
    pub(crate) fn new(costs: &EditCosts) -> Self {
        let gap = costs.insert + costs.delete;
        // A substitution that costs more than a deletion and an insertion must lose against both.
        let substitute = (2 * costs.substitute).min(2 * gap + 1);
        let halves = greatest_common_divisor(substitute, gap).max(1);
        Self { different: -((substitute / halves) as i32), gap: gap / halves, halves }
    }
}

impl CellCosts {
    /// Returns whether every edit costs as much as every other one, exchanges included.
    pub(crate) fn is_unit_osa(&self) -> bool {
        matches!(self, Self { substitute: 1, gap: 2, transpose: Some(1), .. })
    }
}
