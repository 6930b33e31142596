//! Collection: scores of many texts with many. Every member of one range of a [`Corpus`] is compared with every member
//! of another range.
//!
//! ```text
//! texts → Corpus (dense symbols of all members) → tiles of pairs on an engine → scores → pairs, groups
//! ```
//!
//! A tile is the unit of progress, cancellation and memory. Engines compute a tile at a time and return one number for
//! each of its pairs.
//!
//! - [`corpus`]: many texts whose symbols are numbered together
//! - [`members`]: the division of the given texts into members
//! - [`patterns`]: searches for many patterns
//! - [`question`]: a question about a collection, and the solver
//! - [`tile`]: a rectangle of pairs, and the score of a pair
//! - [`answer`]: the answer by members
//! - [`cpu`]: the CPU engine
//! - `cuda`: the CUDA engine
//! - `zeros`: memory for scores
//! - `join`: the pairs within a number of edits, without all scores

pub mod answer;
pub mod corpus;
mod cpu;
#[cfg(not(target_family = "wasm"))]
mod cuda;
pub(crate) mod join;
pub mod members;
pub mod patterns;
pub mod question;
#[cfg(test)]
mod tests;
pub mod tile;
mod zeros;

pub use corpus::Corpus;
pub use members::{Collection, CollectionSide, Member, MemberSource, MemberSplit, SideSources, part_name};
pub use patterns::{PatternCollection, PatternHits, PatternLabel};
pub use question::steps::{FinishedRows, RowSteps};
pub use question::{AnswerLimits, AnsweredRows, CollectionAnswer, CollectionQuestion, KeptPairs, ScoreRule, ScoredPair, groups};
pub use tile::Tile;

/// Lists every CUDA kernel that a question may need.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn cuda_kernels() -> impl Iterator<Item = crate::gpu::compile::KernelSource> {
    cuda::variants()
}
