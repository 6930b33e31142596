//! Times on the device alone, between two events of its stream: what the papers' tables have.

use super::fill::{Matrix, Slices};
use crate::failure::Failure;
use crate::gpu::Gpu;
use crate::gpu::device_recovery::RecoverableGpu;
use crate::gpu::session::DeviceSymbol;
use crate::run::{Halt, NoObserver, Run};
use crate::text::Pair;
use crate::with_symbols;

/// What a search in slices took and found.
#[derive(Clone, Debug, PartialEq)]
pub struct Timed {
    /// Milliseconds of each round, ascending.
    pub ms: Vec<f32>,
    /// Distance of the nearest substring.
    pub least: u32,
}

/// `slices` for approximate search of `a` in `b` in at most `blocks` slices, its four steps alone, as often as `rounds` says after one that is
/// not counted: both texts lie on the device, and what is found is one number.
///
/// # Errors
/// `BadInput` for an empty text and a pattern that is too long; `Engine` when the device fails.
pub fn slices(gpu: &RecoverableGpu, pair: &Pair, blocks: usize, rounds: usize) -> Result<Timed, Failure> {
    if pair.a.is_empty() || pair.b.is_empty() {
        return Err(Failure::bad_input("There is nothing to measure in an empty text."));
    }
    let run = Run::new(&NoObserver);
    let timed = gpu.lend(&run, |gpu| with_symbols!(pair, |x, y| time(gpu, &Matrix { x, y, ramp: false }, blocks, rounds, &run)));
    timed.map_err(Halt::failure)
}

fn time<T: DeviceSymbol>(gpu: &Gpu, matrix: &Matrix<T>, blocks: usize, rounds: usize, run: &Run) -> Result<Timed, Halt> {
    let (mut session, x, y) = matrix.session(gpu, run)?;
    let mut slices = Slices::new(&mut session, gpu, [x, y], matrix, blocks, false)?;
    let mut ms = Vec::with_capacity(rounds);
    for round in 0..=rounds {
        slices.session.settle()?;
        let start = slices.session.moment()?;
        slices.queue()?;
        slices.minimum()?;
        let end = slices.session.moment()?;
        let took = slices.session.between(&start, &end)?;
        if round > 0 {
            ms.push(took);
        }
    }
    ms.sort_by(f32::total_cmp);
    Ok(Timed { ms, least: slices.least()? })
}
