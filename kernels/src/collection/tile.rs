//! Tile: a rectangle of pairs, and the score of a pair.

use std::ops::Range;

use crate::job::EditCosts;
use crate::task::sequence_alignment::engine::AlignmentModel;

/// All pairs of a member in `rows` and a member in `columns` of a [`Corpus`](super::Corpus).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tile {
    /// Numbers of the first members of the pairs.
    pub rows: Range<usize>,
    /// Numbers of the second members of the pairs.
    pub columns: Range<usize>,
}

impl Tile {
    /// Returns the number of pairs.
    pub fn pairs(&self) -> usize {
        self.rows.len() * self.columns.len()
    }
}

/// The number that an engine computes for two members, the first one as text `a` and the second one as text `b`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PairScore {
    /// The edit distance with costs of 1 (Levenshtein).
    ///
    /// Two members with more edits than `within` may have any number above `within`.
    EditDistance {
        /// The largest distance of interest. `None` if all distances are.
        within: Option<u32>,
    },
    /// The least number of edits, where an exchange of two neighbouring symbols is one edit (optimal string alignment).
    StringAlignment,
    /// The least sum of these costs, including that of an exchange.
    Weighted(EditCosts),
    /// The length of a longest common subsequence.
    Lcs,
    /// The score of the best alignment.
    Alignment(AlignmentModel),
}

impl PairScore {
    /// Returns whether the score does not depend on the order of the two members. Points of a custom matrix, and free ends of
    /// one text, may depend on it.
    pub(crate) fn is_symmetric(&self) -> bool {
        match self {
            Self::EditDistance { .. } | Self::StringAlignment | Self::Lcs => true,
            Self::Weighted(costs) => costs.insert == costs.delete,
            Self::Alignment(model) => model.is_symmetric(),
        }
    }
}

/// The scores of a tile.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(target_family = "wasm", expect(dead_code, reason = "only a GPU leaves out scores"))]
pub(crate) enum TileScores {
    /// The score of each pair, row by row.
    All(Vec<i32>),
    /// The scores of some pairs, in any order: at least of those that reach the bounds of the tile.
    Reaching(Vec<TileScore>),
}

impl TileScores {
    /// Returns the scores after `convert`.
    pub(crate) fn map(mut self, convert: impl Fn(i32) -> i32) -> Self {
        match &mut self {
            Self::All(scores) => scores.iter_mut().for_each(|score| *score = convert(*score)),
            Self::Reaching(scores) => scores.iter_mut().for_each(|found| found.score = convert(found.score)),
        }
        self
    }
}

/// The score of a pair of a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TileScore {
    /// Number of the row, from the first row of the tile.
    pub(crate) row: u32,
    /// Number of the column, from the first column of the tile.
    pub(crate) column: u32,
    /// The score of both.
    pub(crate) score: i32,
}

/// The value of a score that is compared with a bound. Nearer texts have greater values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BoundedValue {
    /// Minus the score, which counts edits.
    Edits,
    /// Twice the score divided by the number of symbols of both texts, in units of 2⁻³².
    Share,
    /// The score, which counts points.
    Points,
}

/// Bounds of the scores of a tile. A score reaches the bounds if its value is at least the bound of its row, or at least
/// the bound of its column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ScoreBounds {
    /// The value that is compared.
    pub(crate) value: BoundedValue,
    /// A bound for each row.
    pub(crate) rows: Vec<i64>,
    /// A bound for each column.
    pub(crate) columns: Vec<i64>,
    /// Number of the best scores of a row or column whose bound is [`NONE`](Self::NONE). Its other scores may be left out.
    pub(crate) wanted: Option<u32>,
}

impl ScoreBounds {
    /// The bound that every score reaches.
    pub(crate) const NONE: i64 = -1 << 44;

    /// Returns whether a score of two texts of the lengths `lens` reaches the bound of its row or of its column.
    #[cfg(test)]
    pub(crate) fn reaches(&self, TileScore { row, column, score }: TileScore, lens: [usize; 2]) -> bool {
        let bound = self.rows[row as usize].min(self.columns[column as usize]);
        match self.value {
            BoundedValue::Edits => -i64::from(score) >= bound,
            BoundedValue::Points => i64::from(score) >= bound,
            BoundedValue::Share => i64::from(score) << 33 >= bound * (lens[0] + lens[1]) as i64,
        }
    }
}
