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
//! - [`question`]: what is asked about a collection, and the solver
//! - [`tile`]: a rectangle of pairs, and what is measured between the two members of a pair
//! - [`answer`]: the answer by members
//! - [`cpu`]: the CPU engine

pub mod answer;
pub mod corpus;
mod cpu;
pub mod members;
pub mod question;
#[cfg(test)]
mod tests;
pub mod tile;

pub use corpus::Corpus;
pub use members::{Collection, CollectionSide, Member, MemberSource, MemberSplit, SideSources};
pub use question::{AnswerLimits, CollectionAnswer, CollectionQuestion, KeptPairs, ScoredPair, groups};
pub use tile::Tile;
