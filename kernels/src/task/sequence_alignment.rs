//! Sequence alignment: the alignment of two texts with the highest score.
//!
//! - [`engine`]: the CPU engine
//! - [`matrix`]: published matrices of points

#[cfg_attr(not(test), expect(dead_code, reason = "no task calls it yet"))]
pub(crate) mod engine;
#[cfg_attr(not(test), expect(dead_code, reason = "no task calls it yet"))]
mod matrix;
