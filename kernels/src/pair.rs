//! The machinery of pairs: the whole matrix of two texts, for every recurrence whose neighbours differ by −1, 0 or +1.
//!
//! - [`cpu`]: words of rows as SIMD lanes on an anti-diagonal, in bands, on all cores

pub(crate) mod cpu;
