//! Views in which a visitor explores a result step by step, or moves through it.
//!
//! - [`alignment`]: rows of an alignment, or both texts side by side; [`dots`]: the dot plot
//! - [`lens`]: the frame around step-by-step views; [`mod@matrix`]: every cell of the matrix; [`mod@lens_view`]: the
//!   steps of a method

pub mod alignment;
pub mod dots;
pub mod lens;
pub mod lens_view;
pub mod matrix;
