//! Collection: the answer to a question about many texts as a file, and the tree of similar texts.
//!
//! - [`request`]: a question in JSON
//! - [`tree`]: the order in which similar texts join
//! - [`mod@write`]: writes an answer in a [`CollectionFormat`]

use std::str::FromStr;

use kernels::collection::{Collection, CollectionAnswer, KeptPairs};
use kernels::job::Task;

pub mod request;
pub mod tree;
pub mod write;

/// A format of the answer to a question about a collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CollectionFormat {
    /// Names, lengths, and scores or kept pairs, as JSON.
    Json,
    /// A line for each pair, as comma-separated values.
    Pairs,
    /// A line for each text of `a` and a column for each text of the other side, as comma-separated values.
    Matrix,
    /// A line for each text that belongs to a group of kept pairs, as comma-separated values.
    Groups,
    /// A square matrix of distances, in PHYLIP's format with full names, for programs that build trees.
    Phylip,
    /// The tree of single linkage, in Newick's format.
    Newick,
    /// The scores as an array of 32-bit integers, in the format of NumPy.
    Npy,
}

/// Error for an unknown format name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no such format; there are json, pairs, matrix, groups, phylip, newick and npy")]
pub struct UnknownCollectionFormatError;

impl CollectionFormat {
    /// All formats.
    pub const ALL: [Self; 7] = [Self::Json, Self::Pairs, Self::Matrix, Self::Groups, Self::Phylip, Self::Newick, Self::Npy];

    /// Returns the name of the format in addresses and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Pairs => "pairs",
            Self::Matrix => "matrix",
            Self::Groups => "groups",
            Self::Phylip => "phylip",
            Self::Newick => "newick",
            Self::Npy => "npy",
        }
    }

    /// Returns the extension of a file in this format, without a dot.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Pairs | Self::Matrix | Self::Groups => "csv",
            Self::Phylip => "phy",
            Self::Newick => "nwk",
            Self::Npy => "npy",
        }
    }

    /// Returns the media type of a file in this format.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Pairs | Self::Matrix | Self::Groups => "text/csv; charset=utf-8",
            Self::Phylip | Self::Newick => "text/plain; charset=utf-8",
            Self::Npy => "application/octet-stream",
        }
    }
}

impl FromStr for CollectionFormat {
    type Err = UnknownCollectionFormatError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|format| format.name() == name).ok_or(UnknownCollectionFormatError)
    }
}

/// An answer with its question, as it is written.
#[derive(Clone, Copy, Debug)]
pub struct AnsweredCollection<'c> {
    /// The texts.
    pub collection: &'c Collection,
    /// The task that compared two texts.
    pub task: Task,
    /// The pairs that the answer has.
    pub keep: KeptPairs,
    /// The answer.
    pub answer: &'c CollectionAnswer,
    /// Maximum number of pairs of texts that are listed.
    pub max_pairs: u64,
}

impl AnsweredCollection<'_> {
    /// Returns the word for a score: `distance`, `length` or `score`.
    fn score_name(&self) -> &'static str {
        match self.task {
            Task::EditDistance => "distance",
            Task::Lcs => "length",
            Task::SequenceAlignment | Task::ApproximateSearch | Task::MatchCount | Task::ExactSearch => "score",
        }
    }

    /// Returns the similarity of two texts with the score `score`, from 0 to 1. Scores of alignments have none.
    fn similarity(&self, score: i32, a: usize, b: usize) -> Option<f64> {
        let [m, n] = [self.collection.a().member_len(a), self.collection.columns().member_len(b)];
        kernels::collection::question::similarity(self.task, score, m, n)
    }
}
