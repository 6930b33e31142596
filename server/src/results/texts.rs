//! Key of a pair of texts, by their files.

use kernels::job::{Choices, Reading};

use crate::ports::files::Hash;

/// A pair of texts and the way to read them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Texts {
    /// File of the first text.
    pub a: Hash,
    /// File of the second text.
    pub b: Hash,
    /// Options for reading both texts.
    pub reading: Reading,
    /// Records of the texts that are compared.
    pub choices: Choices,
}
