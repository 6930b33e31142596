//! Cache key of a pair of parsed texts: the hashes of their files, and the options for reading them.

use kernels::job::{PairRecordChoices, ReadingOptions};

use crate::storage::ports::files::ContentHash;

/// Cache key of a pair of parsed texts: the hashes of their files, and the options for reading them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PairKey {
    /// Hash of the file with the first text.
    pub a: ContentHash,
    /// Hash of the file with the second text.
    pub b: ContentHash,
    /// Options for reading both texts.
    pub reading: ReadingOptions,
    /// Selects the records of the texts that are compared.
    pub choices: PairRecordChoices,
}
