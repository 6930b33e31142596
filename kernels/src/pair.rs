//! Pair algorithms: compute the whole matrix of two texts. All modules but [`cells`] are for recurrences in which
//! neighbouring cells differ by −1, 0 or +1.
//!
//! - [`cpu`]: words of 64 rows as SIMD lanes on an anti-diagonal, inside a diagonal band, on all cores
//! - [`cuda`]: row bands (groups of consecutive rows), one warp each, in one persistent launch on a GPU
//! - [`cells`]: integers as SIMD lanes on an anti-diagonal, for other recurrences
//! - [`common_symbols`]: pairs whose answer follows from how often symbols occur
//! - [`sample`]: estimates the distance of two texts
//! - [`effort`]: predicts the cost of a pair from its estimated distance

pub(crate) mod cells;
pub(crate) mod common_symbols;
pub(crate) mod cpu;
#[cfg(not(target_family = "wasm"))]
pub(crate) mod cuda;
pub(crate) mod effort;
pub(crate) mod sample;
