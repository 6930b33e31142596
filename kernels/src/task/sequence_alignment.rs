//! Sequence alignment: the alignment of two texts, or of pieces of them, with the highest score.
//!
//! - [`engine`]: the CPU engine
//! - [`matrix`]: published matrices of points
//! - [`solver`]: the task, and the check of its answers

pub(crate) mod engine;
mod matrix;
mod solver;

pub use solver::SequenceAlignment;
