//! Part: the part of a text that is on the device at a time, if the whole text and its working memory do not fit.

use super::session::GpuSession;
use crate::failure::{JobFailure, large};
use crate::run::Halt;

/// Share of the free memory that a job may use, because the driver needs some memory for itself.
pub(crate) const MEMORY_SHARE: f64 = 0.95;

/// Maximum number of offsets of the pattern in one part of a text, because positions within a part have 32 bits.
pub(crate) const MAX_PART_OFFSETS: u64 = 1 << 28;

/// The sizes of a part of a text, and the memory that it may take. A task defines the unit of the sizes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PartRequirements {
    /// Size of the largest part that the task can use.
    pub(crate) part: u64,
    /// Size of the smallest part. All smaller parts than the largest are multiples of it.
    pub(crate) least: u64,
    /// Device memory that the largest part takes, in bytes.
    pub(crate) bytes: u64,
    /// Maximum device memory that a part may take, in bytes.
    pub(crate) limit: u64,
}

/// Returns the size of the largest part of a text that fits into the device's memory. Tries the largest part of
/// `wanted`, then halves of it. `fits` checks a size against the available memory in bytes.
///
/// # Errors
/// Returns the error of `fits` for the smallest part, `Stopped` if the observer stops the run, and `Engine` if the
/// device does not answer.
pub(crate) fn largest(
    session: &GpuSession,
    wanted: PartRequirements,
    mut fits: impl FnMut(u64, u64) -> Result<(), JobFailure>,
) -> Result<u64, Halt> {
    let PartRequirements { mut part, least, bytes, limit } = wanted;
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

/// Checks that `got` bytes of device memory are within `limit`. The pattern needs this memory whatever the size of the
/// part of the text.
///
/// # Errors
/// Returns `TooLarge` if the limit is exceeded.
pub(crate) fn check_memory_limit(got: u64, limit: u64) -> Result<(), JobFailure> {
    if got <= limit { Ok(()) } else { Err(JobFailure::TooLarge { what: large::GPU_PATTERN.into(), got, limit }) }
}
