//! The CUDA engine: slices of the text with an overlap, the pattern over the lanes of a warp.
//!
//! What a slice finds is exact up to a guess, which its overlap was chosen for. With `max_distance` that is the guess. Without, the
//! first guess is what random texts of such an alphabet come to, and where nothing is within it the part is swept again with the
//! distance that was found. A long text goes through the device in parts, so that the run can stop and the memory suffices. An
//! empty text or pattern, and patterns of more than [`MOST_ROWS`] symbols, are left to the processor.
//!
//! - [`shape`]: how many lanes and words a pattern takes, and how the text is cut
//! - [`sweep`]: the launches

use crate::event::{Partial, Stage};
use crate::failure::{Failure, large};
use crate::found::{CHUNK, Positions};
use crate::gpu::Gpu;
use crate::gpu::compile::Source;
use crate::gpu::gather::Collected;
use crate::gpu::session::{Session, Unit};
use crate::job::Options;
use crate::run::{Halt, Run};
use shape::{Guess, Shape};
use sweep::{Place, Sweeper};

mod shape;
mod sweep;

pub(super) use shape::MOST_ROWS;

/// Most columns of one part: numbers in a part have 32 bits.
const PART: u64 = 1 << 28;

/// Cells that a multiprocessor gets at a time: some thousandths of a second.
const CELLS: u64 = 1 << 30;

/// Part of the free memory that a job may take.
const MEMORY_SHARE: f64 = 0.9;

/// Every kernel that a job can ask for.
pub fn variants() -> impl Iterator<Item = Source> {
    shape::variants()
}

/// Two texts as dense symbols below `alphabet`.
#[derive(Clone, Copy)]
pub(super) struct Texts<'t, T> {
    pub(super) a: &'t [T],
    pub(super) b: &'t [T],
    pub(super) alphabet: u32,
}

/// The ends that count.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Hits {
    /// The least distance of one.
    pub(super) distance: Option<u64>,
    pub(super) total: u64,
    pub(super) positions: Positions,
}

/// All ends that the options ask for, in a text and of a pattern that are not empty and not too long. Time O(|a||b|); some bytes of the
/// device's memory a symbol of a part.
///
/// # Errors
/// `Stopped`; `TooLarge` when the device's memory is too small for the pattern; `Engine` when the device fails.
pub(super) fn search<T: Unit + Into<u32>>(gpu: &Gpu, texts: Texts<T>, options: &Options, run: &Run) -> Result<Hits, Halt> {
    search_in_parts(gpu, texts, options, run, PART)
}

/// As [`search`], in parts of at most so many columns.
fn search_in_parts<T: Unit + Into<u32>>(gpu: &Gpu, texts: Texts<T>, options: &Options, run: &Run, most: u64) -> Result<Hits, Halt> {
    let (m, n) = (texts.a.len() as u64, texts.b.len() as u64);
    let shape = Shape::new(texts.a, texts.alphabet);
    let part = part::<T>(gpu, &shape, n, most)?;
    run.stage(Stage::Transfer)?;
    run.expect(m * n);
    let session = Session::new(gpu, run)?;
    let parts = n.div_ceil(part) as usize;
    let sweeper = Sweeper::new(gpu, &session, &shape, parts)?;
    let mut so_far = SoFar { best: m, total: 0, collected: Collected::default() };
    let mut guess = options.max_distance.map_or_else(|| Guess::first(m, texts.alphabet), |k| Guess { most: k.min(m) });
    for number in 0..parts {
        let from = part * number as u64;
        let to = n.min(from + part);
        let lead = shape.lead(Guess { most: m }).min(from);
        let text = session.text(&texts.b[(from - lead) as usize..to as usize])?;
        run.stage(Stage::Compute)?;
        let bytes = shape.bytes(to - from + lead, T::BYTES);
        run.hold(bytes);
        let place = Place { number, text, columns: to - from + lead, skip: lead, is_last: to == n };
        let found = sweeper.part::<T>(&place, &mut guess, options, so_far.best);
        run.release(bytes);
        let found = found?;
        if options.max_distance.is_none() && found.best < so_far.best {
            so_far = SoFar { best: found.best, total: 0, collected: Collected::default() };
        }
        if options.max_distance.is_some() || found.best == so_far.best {
            so_far.total += found.total;
            so_far.collected.push(from, found.ones);
        }
        so_far.best = so_far.best.min(found.best);
        so_far.tell(options, run)?;
        run.tick(m * (to - from))?;
    }
    let distance = (so_far.total > 0).then_some(so_far.best);
    Ok(Hits { distance, total: so_far.total, positions: so_far.collected.positions() })
}

struct SoFar {
    best: u64,
    total: u64,
    collected: Collected,
}

impl SoFar {
    /// # Errors
    /// When the run is stopped.
    fn tell(&self, options: &Options, run: &Run) -> Result<(), Halt> {
        if options.max_distance.is_none_or(|k| self.best <= k) {
            run.partial(Partial::Best { score: self.best })?;
        }
        if self.total > 0 { run.partial(Partial::Found { total: self.total, latest: None }) } else { Ok(()) }
    }
}

/// Columns of a part: whole chunks of positions.
fn part<T: Unit>(gpu: &Gpu, shape: &Shape, n: u64, most: u64) -> Result<u64, Halt> {
    let at_a_time = CELLS * u64::from(gpu.multiprocessors()) / shape.rows();
    let mut part = n.min(most.min(at_a_time).next_multiple_of(CHUNK as u64));
    let bytes = |part| shape.bytes(part + shape.lead(Guess { most: shape.m }), T::BYTES);
    let spare = gpu.spare_bytes((bytes(part) as f64 / MEMORY_SHARE) as u64)?;
    let spare = (spare as f64 * MEMORY_SHARE) as u64;
    while bytes(part) > spare {
        if part <= CHUNK as u64 {
            let what = large::GPU_PATTERN.into();
            return Err(Failure::TooLarge { what, got: bytes(part), limit: spare }.into());
        }
        part = (part / 2).next_multiple_of(CHUNK as u64);
    }
    Ok(part)
}

#[cfg(test)]
mod tests;
