//! Collection: the answer to a question about many texts as a file, and the tree of similar texts.
//!
//! - [`found`]: the hits of many patterns as a file
//! - [`request`]: a question in JSON
//! - [`snapshot`]: the state of a comparison on a server
//! - [`template`]: words that do not count, because all texts began with them
//! - [`tree`]: the order in which similar texts join
//! - [`mod@write`]: writes an answer in a [`CollectionFormat`]

use std::str::FromStr;

use kernels::collection::{Collection, CollectionAnswer, KeptPairs, ScoreRule};
use kernels::failure::{JobFailure, large};
use kernels::job::Task;

pub mod found;
pub mod request;
pub mod snapshot;
pub mod template;
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
    /// The scores as an array of 32-bit integers, in the format of NumPy. Scores with decimals are 64-bit decimal numbers.
    Npy,
    /// A line for each hit of a pattern, as comma-separated values.
    Hits,
    /// The number of hits of each pattern, as comma-separated values.
    Counts,
    /// A line of BED for each hit of a pattern.
    Bed,
    /// A line of PAF for each hit of a pattern.
    Paf,
    /// The hits of all patterns in a SAM file.
    Sam,
}

/// Error for an unknown format name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "no such format; there are json, pairs, matrix, groups, phylip, newick and npy, and for searches json, hits, counts, bed, paf and sam"
)]
pub struct UnknownCollectionFormatError;

impl CollectionFormat {
    /// All formats.
    pub const ALL: [Self; 12] = [
        Self::Json,
        Self::Pairs,
        Self::Matrix,
        Self::Groups,
        Self::Phylip,
        Self::Newick,
        Self::Npy,
        Self::Hits,
        Self::Counts,
        Self::Bed,
        Self::Paf,
        Self::Sam,
    ];

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
            Self::Hits => "hits",
            Self::Counts => "counts",
            Self::Bed => "bed",
            Self::Paf => "paf",
            Self::Sam => "sam",
        }
    }

    /// Returns the extension of a file in this format, without a dot.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Pairs | Self::Matrix | Self::Groups | Self::Hits | Self::Counts => "csv",
            Self::Phylip => "phy",
            Self::Newick => "nwk",
            Self::Npy => "npy",
            Self::Bed => "bed",
            Self::Paf => "paf",
            Self::Sam => "sam",
        }
    }

    /// Returns whether a file in this format has comma-separated values.
    pub fn is_comma_separated(self) -> bool {
        matches!(self, Self::Pairs | Self::Matrix | Self::Groups | Self::Hits | Self::Counts)
    }

    /// Returns the media type of a file in this format.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Pairs | Self::Matrix | Self::Groups | Self::Hits | Self::Counts => "text/csv; charset=utf-8",
            Self::Phylip | Self::Newick | Self::Bed | Self::Paf | Self::Sam => "text/plain; charset=utf-8",
            Self::Npy => "application/octet-stream",
        }
    }
}

impl CollectionFormat {
    /// Checks, before the comparison, that this format can have the answer to a question about `collection` that keeps `keep`
    /// and has scores by `rule`. A file may list `max_pairs` pairs.
    ///
    /// # Errors
    /// Returns `BadInput` with the reason, or `TooLarge` if there are more pairs.
    pub fn check(self, rule: &ScoreRule, keep: KeptPairs, collection: &Collection, max_pairs: u64) -> Result<(), JobFailure> {
        let ScoreRule { task, costs, .. } = *rule;
        let (name, has_all, is_one) = (self.name(), keep == KeptPairs::All, collection.b().is_none());
        let bad = |message: String| Err(JobFailure::bad_input(message));
        let need_all = || match has_all {
            true => Ok(()),
            false => {
                bad(format!("The format {name} has the scores of all pairs, and only some are kept. Keep all, or choose another format."))
            }
        };
        match self {
            Self::Json => Ok(()),
            Self::Pairs if has_all && collection.pairs() > max_pairs => {
                Err(JobFailure::TooLarge { what: large::KEPT_PAIRS.into(), got: collection.pairs(), limit: max_pairs })
            }
            Self::Pairs => Ok(()),
            Self::Matrix | Self::Npy => need_all(),
            Self::Groups if is_one && !has_all => Ok(()),
            Self::Groups => bad(
                "Groups are those of the kept pairs of one collection. Compare one collection, and keep pairs by `keep.within`, `keep.similarity` or `keep.nearest`."
                    .into(),
            ),
            Self::Phylip | Self::Newick if !is_one => {
                bad(format!("The format {name} has the distances of one collection, and there are two. Choose another format."))
            }
            Self::Phylip | Self::Newick if task == Task::SequenceAlignment => {
                bad(format!("The format {name} has distances, and {} has none. edit-distance, lcs have them.", task.name()))
            }
            Self::Phylip | Self::Newick if costs.insert != costs.delete => bad(format!(
                "The format {name} has one distance for two texts in either order. Let `costs.insert` equal `costs.delete`, or choose another format."
            )),
            Self::Phylip | Self::Newick => need_all(),
            Self::Hits | Self::Counts | Self::Bed | Self::Paf | Self::Sam => {
                bad(format!("The format {name} lists hits, and {} has none. exact-search, approximate-search have them.", task.name()))
            }
        }
    }

    /// Checks, before the search of `task`, that this format can have hits, or numbers of hits if the search has the option
    /// `count_only`.
    ///
    /// # Errors
    /// Returns `BadInput` with the formats that can.
    pub fn check_search(self, task: Task, count_only: bool) -> Result<(), JobFailure> {
        match self {
            Self::Hits | Self::Bed | Self::Paf | Self::Sam if count_only => {
                let name = self.name();
                let message =
                    format!("The format {name} lists hits, and `count_only` keeps none. Choose json or counts, or leave out `count_only`.");
                Err(JobFailure::bad_input(message))
            }
            Self::Json | Self::Hits | Self::Counts | Self::Bed | Self::Paf | Self::Sam => Ok(()),
            Self::Pairs | Self::Matrix | Self::Groups | Self::Phylip | Self::Newick | Self::Npy => {
                let (name, task) = (self.name(), task.name());
                let message =
                    format!("The format {name} has scores of pairs, and {task} has none. Choose json, hits, counts, bed, paf or sam.");
                Err(JobFailure::bad_input(message))
            }
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
    /// The meaning of the scores.
    pub rule: ScoreRule,
    /// The pairs that the answer has.
    pub keep: KeptPairs,
    /// The answer.
    pub answer: &'c CollectionAnswer,
    /// Maximum number of pairs of texts that are listed.
    pub max_pairs: u64,
    /// Whether files have the names of texts. Otherwise they have their numbers from 1, and no warnings, which name texts.
    pub has_names: bool,
}

impl AnsweredCollection<'_> {
    /// Returns the word for a score: `distance`, `length` or `score`.
    fn score_name(&self) -> &'static str {
        match self.rule.task {
            Task::EditDistance => "distance",
            Task::Lcs => "length",
            Task::SequenceAlignment | Task::ApproximateSearch | Task::MatchCount | Task::ExactSearch => "score",
        }
    }

    /// Returns the similarity of two texts with the score `score`, from 0 to 1. Scores of alignments have none.
    fn similarity(&self, score: i32, a: usize, b: usize) -> Option<f64> {
        let [m, n] = [self.collection.a().member_len(a), self.collection.columns().member_len(b)];
        self.rule.similarity(score, m, n)
    }
}
