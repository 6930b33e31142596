//! Key of a pair of texts, by their files.

use kernels::job::{PairRecordChoices, ReadingOptions};

use crate::storage::ports::files::ContentHash;

/// A pair of texts and the way to read them.
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
