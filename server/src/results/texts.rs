//! Cache key of a pair of parsed texts: their files, and how they are read.

use kernels::job::{PairRecordChoices, ReadingOptions};

use crate::storage::ports::files::ContentHash;

/// The files of a pair of texts, and how they are read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PairKey {
    /// File of the first text.
    pub a: ContentHash,
    /// File of the second text.
    pub b: ContentHash,
    /// Options for reading both texts.
    pub reading: ReadingOptions,
    /// Records of the texts that are compared.
    pub choices: PairRecordChoices,
}
