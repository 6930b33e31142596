//! Part: how much of a text is on the device at a time, where all of it with what is made of it takes too much memory.

use super::session::Session;
use crate::failure::{Failure, large};
use crate::run::Halt;

/// Part of the free memory that a job may take; the driver needs some for itself.
pub(crate) const MEMORY_SHARE: f64 = 0.95;

/// Most offsets of one part: numbers in a part have 32 bits.
pub(crate) const MOST: u64 = 1 << 28;

/// What is asked of a part.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    /// The largest that is of use.
    pub(crate) part: u64,
    /// Smaller parts are multiples of it.
    pub(crate) least: u64,
    /// Memory that the largest one takes, in bytes.
    pub(crate) bytes: u64,
    /// Memory that may be taken at most, in bytes.
    pub(crate) limit: u64,
}

/// The largest part that fits, by halving. `fits` is told a part and the memory for it, in bytes.
///
/// # Errors
/// What `fits` says of the least part; `Stopped`; `Engine` when the device does not answer.
pub(crate) fn largest(session: &Session, wanted: Wanted, mut fits: impl FnMut(u64, u64) -> Result<(), Failure>) -> Result<u64, Halt> {
    let Wanted { mut part, least, bytes, limit } = wanted;
    let spare = session.spare_bytes((bytes as f64 / MEMORY_SHARE) as u64)?;
    let spare = limit.min((spare as f64 * MEMORY_SHARE) as u64);
    loop {
        match fits(part, spare) {
            Ok(()) => return Ok(part),
            Err(failure) if part <= least => return Err(failure.into()),
            Err(_) => part = (part / 2).next_multiple_of(least),
        }
    }
}

/// Whether so many bytes are within a limit, for a pattern that takes them whatever the part is.
///
/// # Errors
/// `TooLarge` where they are not.
pub(crate) fn within(got: u64, limit: u64) -> Result<(), Failure> {
    if got <= limit { Ok(()) } else { Err(Failure::TooLarge { what: large::GPU_PATTERN.into(), got, limit }) }
}
