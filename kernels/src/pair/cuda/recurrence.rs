//! Recurrence: the kernels that sweep row bands, and the cost of their variants. Edit distance, subsequence and search
//! share them.
//!
//! - [`skewed`]: unit costs, rows skewed bit by bit, with many words per lane, for pairs that keep the GPU busy
//! - [`carried`]: unit costs, a lane's rows on one carry chain, for bands that wait for the band above; also for
//!   searches
//! - [`lcs`]: longest common subsequence, a lane's rows on one carry chain

pub(crate) mod carried;
pub(crate) mod lcs;
pub(crate) mod skewed;
