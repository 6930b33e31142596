//! Recurrence: the kernels that sweep bands of rows, and the cost of their variants. Distance, subsequence and search
//! share them.
//!
//! - [`skewed`]: unit costs, rows skewed bit by bit, with many words per lane, for pairs that keep the device busy
//! - [`carried`]: unit costs, a lane's rows on one carry chain, for bands that wait for the band above; also for
//!   searches
//! - [`lcs`]: matches, a lane's rows on one carry chain

pub(crate) mod carried;
pub(crate) mod lcs;
pub(crate) mod skewed;
