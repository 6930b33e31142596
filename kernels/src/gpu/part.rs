//! Part: chooses the size of the parts of a text, if the whole text and its working memory do not fit into GPU memory.
//! The parts are on the GPU one at a time.

use super::session::GpuSession;
use crate::failure::{JobFailure, large};
use crate::run::Halt;

/// Share of the free memory that a job may use. The driver needs the rest.
pub(crate) const MEMORY_SHARE: f64 = 0.95;

/// Maximum number of positions at which a pattern may begin in one part of a text, because positions within a part have
/// 32 bits.
pub(crate) const MAX_PART_OFFSETS: u64 = 1 << 28;

/// The possible sizes of a part of a text, and the memory that a part may take. A task defines the unit of the sizes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PartRequirements {
    /// Size of the largest part that the task can use.
    pub(crate) max_size: u64,
    /// Size of the smallest part. Every size that is tried, except `max_size`, is a multiple of it.
    pub(crate) min_size: u64,
    /// GPU memory that a part of the largest size takes, in bytes.
    pub(crate) bytes: u64,
    /// Maximum GPU memory that a part may take, in bytes.
    pub(crate) limit: u64,
}

/// Returns the size of the largest part of a text that fits into the GPU's memory. Tries `max_size` of `wanted`, then
/// about half of it, and so on down to `min_size`. `fits(size, bytes)` checks whether a part of this size takes at most
/// `bytes` bytes: the memory that the session can use, but at most `limit` of `wanted`.
///
/// # Errors
/// Returns the error of `fits` for the smallest part, `Stopped` if the observer stops the run, and `Engine` if the GPU
/// does not answer.
pub(crate) fn largest(
    session: &GpuSession,
    wanted: PartRequirements,
    mut fits: impl FnMut(u64, u64) -> Result<(), JobFailure>,
) -> Result<u64, Halt> {
    let PartRequirements { max_size: mut part, min_size: least, bytes, limit } = wanted;
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

/// Checks that `got`, the GPU memory in bytes that a part of the text and the pattern take, is at most `limit`.
///
/// # Errors
/// Returns `TooLarge` if the limit is exceeded. The error blames the length of the pattern, because [`largest`] reports
/// only the error of the smallest part.
pub(crate) fn check_memory_limit(got: u64, limit: u64) -> Result<(), JobFailure> {
    if got <= limit { Ok(()) } else { Err(JobFailure::TooLarge { what: large::GPU_PATTERN.into(), got, limit }) }
}
