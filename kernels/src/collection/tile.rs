//! Tile: a rectangle of pairs, and the score of a pair.

use std::ops::Range;

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
            Self::EditDistance { .. } | Self::Lcs => true,
            Self::Alignment(model) => model.is_symmetric(),
        }
    }
}
