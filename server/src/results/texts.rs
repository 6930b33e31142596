//! The texts of a result, by their files.

use kernels::job::{Choices, Reading};

use crate::ports::files::Hash;

/// Which texts, read how.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Texts {
    /// File of the first.
    pub a: Hash,
    /// File of the second.
    pub b: Hash,
    /// How both are read.
    pub reading: Reading,
    /// Which records of them are compared.
    pub choices: Choices,
}
