//! Recurrence: the kernels of bands, and what their variants cost. Distance, subsequence and search share them.
//!
//! - [`skewed`]: unit costs, rows skewed bit by bit, with many words a lane, for pairs that keep the device busy
//! - [`carried`]: unit costs, a lane's rows on one carry chain, where each band waits for the one above; for searches too
//! - [`lcs`]: matches, a lane's rows on one carry chain

pub(crate) mod carried;
pub(crate) mod lcs;
pub(crate) mod skewed;
