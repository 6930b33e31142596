//! Pair algorithms: compute the whole matrix of two texts, for every recurrence in which neighbouring cells differ by
//! −1, 0 or +1.
//!
//! - [`cpu`]: words of rows as SIMD lanes on an anti-diagonal, in bands, on all cores
//! - [`cuda`]: bands of rows in one persistent launch over a device
//! - [`common_symbols`]: pairs whose answer follows from how often symbols occur
//! - [`sample`]: estimates the distance of two texts
//! - [`effort`]: predicts the cost of a pair from this estimate

pub(crate) mod common_symbols;
pub(crate) mod cpu;
#[cfg(not(target_family = "wasm"))]
pub(crate) mod cuda;
pub(crate) mod effort;
mod sample;
