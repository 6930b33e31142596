//! Sequence alignment: the alignment of two texts, or of pieces of them, with the highest score.
//!
//! - [`engine`]: the engines on the CPU and on a GPU
//! - [`matrix`]: matrices of points
//! - [`answer`]: the answer for an alignment, and the check of both
//! - [`pieces`]: further pieces of a local alignment
//! - [`solver`]: the task

mod answer;
pub(crate) mod engine;
mod matrix;
mod pieces;
mod solver;

pub use solver::SequenceAlignment;
