//! Checked: what this device has found when it went over an answer again.

/// Whether an answer was checked on this device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checked {
    /// Not yet.
    Pending,
    /// The columns of its alignment, or of a hit's, were walked through.
    Walked,
    /// They were added up again.
    Added,
    /// It has no alignment here.
    No,
}
