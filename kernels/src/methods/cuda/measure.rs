//! Measure: times on the GPU alone, between two events in its stream, as in Table 1 of papers 000 and 003.

use super::fill::{MatrixInput, SlicesLaunch};
use crate::failure::JobFailure;
use crate::gpu::Gpu;
use crate::gpu::device_recovery::RecoverableGpu;
use crate::gpu::session::DeviceSymbol;
use crate::run::{Halt, NoObserver, Run};
use crate::text::Pair;
use crate::with_symbols;

/// The times and the result of repeated searches in slices.
#[derive(Clone, Debug, PartialEq)]
pub struct SlicesTiming {
    /// Milliseconds of each repetition, in ascending order.
    pub ms: Vec<f32>,
    /// Smallest distance between the pattern and a substring of the text.
    pub least: u32,
}

/// Measures the four steps of the method `slices`, which searches the text `a` of `pair` approximately in the text `b`,
/// in at most `blocks` slices. Repeats the search `rounds` times after an unmeasured first run. The times do not
/// include copies of the texts to the GPU.
///
/// # Errors
/// Returns `BadInput` for an empty text or a pattern that is too long, and `Engine` if the GPU fails.
pub fn slices(gpu: &RecoverableGpu, pair: &Pair, blocks: usize, rounds: usize) -> Result<SlicesTiming, JobFailure> {
    if pair.a.is_empty() || pair.b.is_empty() {
        return Err(JobFailure::bad_input("There is nothing to measure in an empty text."));
    }
    let run = Run::new(&NoObserver);
    let timed = gpu.lend(&run, |gpu| with_symbols!(pair, |x, y| time(gpu, &MatrixInput { x, y, ramp: false }, blocks, rounds, &run)));
    timed.map_err(Halt::failure)
}

fn time<T: DeviceSymbol>(gpu: &Gpu, matrix: &MatrixInput<T>, blocks: usize, rounds: usize, run: &Run) -> Result<SlicesTiming, Halt> {
    let (mut session, x, y) = matrix.session(gpu, run)?;
    let mut slices = SlicesLaunch::new(&mut session, gpu, [x, y], matrix, blocks, false)?;
    let mut ms = Vec::with_capacity(rounds);
    for round in 0..=rounds {
        slices.session.synchronize()?;
        let start = slices.session.record_event()?;
        slices.queue()?;
        slices.minimum()?;
        let end = slices.session.record_event()?;
        let took = slices.session.elapsed_ms(&start, &end)?;
        if round > 0 {
            ms.push(took);
        }
    }
    ms.sort_by(f32::total_cmp);
    Ok(SlicesTiming { ms, least: slices.least()? })
}
