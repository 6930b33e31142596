//! The outcome of verifying an answer on this device: [`CheckOutcome`].

/// The outcome of verifying an answer on this device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckOutcome {
    /// Not verified yet.
    Pending,
    /// Verified: the worker compared the columns of the alignment, or of a hit's alignment, with the texts.
    Walked,
    /// Verified: the columns of the server's alignment add up to the score.
    Added,
    /// Not verifiable, because there is no alignment on this device.
    No,
}
