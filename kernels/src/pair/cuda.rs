//! Row bands: solves one large pair of texts on a whole GPU, for every recurrence in which neighbouring cells differ by
//! −1, 0 or +1.
//!
//! One persistent launch sweeps the pair in bands (groups of consecutive rows), one warp per band. It keeps the border
//! rows, which are the last rows of bands. The upper half is swept forwards and the lower half backwards (both texts
//! reversed) at the same time. Two pipelines of half the length fill in half the time. On the middle row the least cost
//! of a path is `min over c of F(c) + B(n − c)`, where F and B are the costs of the forward and the backward sweep.
//!
//! For similar texts only a [corridor](shape::DiagonalCorridor) of diagonals is swept. The result is the cost of a path
//! that exists. The corridor proves this cost if no path of that cost leaves it (Ukkonen 1985). Otherwise a corridor is
//! swept that no path of that cost leaves.
//!
//! An alignment also takes one sweep, with all border rows kept; see [`path_points`]. If they do not fit in memory, the
//! pair is cut at the middle row and both parts are solved separately (Hirschberg 1975; paper 001).
//!
//! - [`kernel_spec`]: properties of a recurrence that both GPU and host must know
//! - [`digits`]: layouts of kernels that look symbols up by their digits
//! - [`shape`]: the layout of a sweep on a GPU
//! - [`cutter`]: chooses the shape in which a pair is solved
//! - [`grid`], [`strip`]: the texts on the GPU, and the sweep over them
//! - [`crossing_points`]: finds where paths cross border rows
//! - [`path_points`], [`single_band`]: from the border rows to one optimal path
//! - [`trace`]: from the points of a path to its edits
//! - [`pieces`]: the sections of an alignment that the host decodes or computes
//!
//! A search for a long pattern sweeps the same bands, but a path may start at any column and the last row is the
//! result. See [`search`], and [`search_layout`] for the slices of the text.

use crate::alignment::{Alignment, EditKind};
use crate::event::{PartialAnswer, RunStage};
use crate::failure::{JobFailure, large};
use crate::gpu::part::MEMORY_SHARE;
use crate::gpu::session::DeviceSymbol;
use crate::gpu::{Gpu, GpuError};
use crate::pair::common_symbols::{self, PairCost};
use crate::pair::cpu::PairOutput;
use crate::pair::cpu::affix::CommonAffix;
use crate::run::{Halt, Run};
use crate::symbol::Symbol;

mod crossing_points;
mod cutter;
mod digits;
mod grid;
mod kernel_spec;
mod path_points;
mod pieces;
pub(crate) mod recurrence;
mod search;
mod search_layout;
mod shape;
mod single_band;
mod strip;
mod trace;

use cutter::PairCutter;
pub(crate) use digits::DigitVariant;
use grid::DeviceGrid;
pub(crate) use kernel_spec::{DeviceRecurrence, KernelSpec, KernelTemplate, KernelVariant};
#[cfg(test)]
pub(crate) use search::FixedLayout;
pub(crate) use search::{DeviceColumns, LongPattern, LongPatternSearch};
pub(crate) use search_layout::SearchSection;
use shape::{DeviceLimits, PairSize};

/// Maximum length of a text on a GPU, in symbols. Columns and costs along a row are 32-bit numbers there, including
/// padding.
pub const MAX_DEVICE_SYMBOLS: u64 = (1 << 31) - (1 << 16);
/// Maximum number of distinct symbols in both texts together on a GPU.
pub const MAX_DEVICE_DISTINCT_SYMBOLS: u64 = 1 << 24;

/// Number of cells of a pair above which its sweep lets brief jobs of other users run in between.
const MIN_YIELDING_CELLS: u64 = 1 << 40;

/// Maximum length of the prefixes of both texts, in symbols, whose distance estimates the similarity of the whole
/// texts.
const MAX_SAMPLE_PREFIX: usize = 4096;
/// Divisor of the length of the shorter text: the prefixes that estimate the similarity have at most
/// 1/`SAMPLE_PREFIX_DIVISOR` of its symbols.
const SAMPLE_PREFIX_DIVISOR: usize = 64;
/// Returns the number of bits, at least 1, that distinguish the symbol numbers below `alphabet`.
fn planes(alphabet: u32) -> u32 {
    alphabet.max(2).next_power_of_two().ilog2()
}

/// Computes the least cost of aligning two texts whose symbols are below `alphabet`, and an optimal alignment if `want`
/// requests it.
///
/// # Errors
/// Returns `Stopped` if the run is stopped, and `Engine` if the GPU fails. Returns `TooLarge` if a text is too long,
/// has too many distinct symbols, or needs more memory than the GPU has.
pub(crate) fn solve<R: DeviceRecurrence, T: DeviceSymbol>(
    gpu: &Gpu,
    [a, b]: [&[T]; 2],
    alphabet: u32,
    want: PairOutput,
    run: &Run,
) -> Result<(i64, Option<Alignment>), Halt> {
    within(large::SYMBOLS, a.len().max(b.len()) as u64, MAX_DEVICE_SYMBOLS)?;
    within(large::DISTINCT, alphabet.into(), MAX_DEVICE_DISTINCT_SYMBOLS)?;
    let (ends, a, b) = CommonAffix::cut(a, b);
    let pair_cost = if R::KERNEL_SPEC.rises { PairCost::EditDistance } else { PairCost::Subsequence };
    if let Some((score, alignment)) = common_symbols::solve(a, b, alphabet, pair_cost, want == PairOutput::Alignment) {
        let cost = if R::KERNEL_SPEC.rises { score as i64 } else { -((score as usize + ends.prefix + ends.suffix) as i64) };
        return Ok((cost, alignment.map(|alignment| ends.around(alignment))));
    }
    let swapped = a.len() < b.len();
    let [rows, columns] = if swapped { [b, a] } else { [a, b] };
    let texts = RowsAndColumns { rows, columns, alphabet, swapped, ends };
    let (cost, alignment) = solve_middle::<R, T>(gpu, texts, DeviceLimits::from_gpu(gpu), want, run)?;
    Ok((cost - if R::KERNEL_SPEC.rises { 0 } else { (ends.prefix + ends.suffix) as i64 }, alignment))
}

/// The two texts of a pair, the longer one as the rows of the matrix and the shorter one as its columns.
#[derive(Clone, Copy, Debug)]
struct RowsAndColumns<'t, T> {
    rows: &'t [T],
    columns: &'t [T],
    alphabet: u32,
    /// Whether the rows are the pair's second text, and the columns its first text.
    swapped: bool,
    /// Lengths of the common prefix and suffix that were cut off both texts.
    ends: CommonAffix,
}

/// Computes the least cost of `texts`, whose common prefix and suffix are cut off, and an optimal alignment of the
/// uncut texts if `want` requests it. Uses no more resources of the GPU than those in `device`.
fn solve_middle<R: DeviceRecurrence, T: DeviceSymbol>(
    gpu: &Gpu,
    texts: RowsAndColumns<T>,
    device: DeviceLimits,
    want: PairOutput,
    run: &Run,
) -> Result<(i64, Option<Alignment>), Halt> {
    let (m, n) = (texts.rows.len() as u64, texts.columns.len() as u64);
    if n == 0 {
        let mut alignment = Alignment::default();
        alignment.push(if texts.swapped { EditKind::Insert } else { EditKind::Delete }, m);
        return Ok((R::KERNEL_SPEC.edge(m), (want == PairOutput::Alignment).then(|| texts.ends.around(alignment))));
    }
    run.stage(RunStage::Transfer)?;
    let grid = DeviceGrid::new(gpu, run, R::KERNEL_SPEC, texts.rows, texts.columns)?;
    let rate = similarity::<R, T>(texts, run)?;
    run.stage(RunStage::Compute)?;
    let keeps = want == PairOutput::Alignment;
    let mut cutter =
        PairCutter { grid, kernel_spec: R::KERNEL_SPEC, planes: planes(texts.alphabet), device, rate, keeps, parts: Vec::new() };
    let wanted = cutter.wanted(PairSize { rows: m, columns: n }).min(device.bytes);
    let spare = cutter.grid.session().spare_bytes((wanted as f64 / MEMORY_SHARE) as u64)?;
    cutter.device.bytes = device.bytes.min((spare as f64 * MEMORY_SHARE) as u64);
    let cost = cutter.cut(0..m, 0..n)?;
    if let Some(cost) = cost {
        let about = cost.unsigned_abs() + if R::KERNEL_SPEC.rises { 0 } else { (texts.ends.prefix + texts.ends.suffix) as u64 };
        run.partial(PartialAnswer::Bounds { at_least: about, at_most: about })?;
        if !keeps {
            return Ok((cost, None));
        }
    }
    run.stage(RunStage::Traceback)?;
    let (sum, alignment) = cutter.grid.session().run_paused(|| pieces::align::<R, T>(texts, &cutter.parts, run))?;
    match cost {
        Some(cost) if cost != sum => Err(disagreement_error(cost, sum).into()),
        _ => Ok((sum, Some(alignment))),
    }
}

/// Estimates the number of edits per symbol from prefixes of both `texts`. Similar texts have about the same rate
/// everywhere.
fn similarity<R: DeviceRecurrence, T: Symbol>(texts: RowsAndColumns<T>, run: &Run) -> Result<f64, Halt> {
    let len = MAX_SAMPLE_PREFIX.min(texts.columns.len() / SAMPLE_PREFIX_DIVISOR).max(1);
    let (cost, _) =
        R::solve(&texts.rows[..len], &texts.columns[..len], texts.alphabet, PairOutput::Distance, &Run::new(&pieces::StopObserver(run)))?;
    Ok(R::KERNEL_SPEC.distance(cost, PairSize { rows: len as u64, columns: len as u64 }) as f64 / len as f64)
}

/// The reason why work on a GPU was interrupted.
#[derive(Debug)]
enum DeviceWorkError {
    /// The work needs more memory than is free, but a variant that needs less may succeed. Holds the error to report if
    /// there is no other variant.
    OutOfMemory(Halt),
    /// The job was stopped or failed, for the reason in this variant.
    Halted(Halt),
}

impl From<GpuError> for DeviceWorkError {
    fn from(error: GpuError) -> Self {
        if error.is_out_of_memory() { Self::OutOfMemory(error.into()) } else { Self::Halted(error.into()) }
    }
}

impl From<Halt> for DeviceWorkError {
    fn from(halt: Halt) -> Self {
        Self::Halted(halt)
    }
}

impl From<JobFailure> for DeviceWorkError {
    fn from(failure: JobFailure) -> Self {
        Self::Halted(failure.into())
    }
}

impl From<DeviceWorkError> for Halt {
    fn from(interrupted: DeviceWorkError) -> Self {
        match interrupted {
            DeviceWorkError::OutOfMemory(halt) | DeviceWorkError::Halted(halt) => halt,
        }
    }
}

fn disagreement_error(one: i64, other: i64) -> JobFailure {
    let [one, other] = [one, other].map(i64::unsigned_abs);
    JobFailure::engine(format!("The GPU engine failed its own check: {one} and {other} for the same texts."))
}

fn out_of_memory_error(got: u64, limit: u64) -> JobFailure {
    JobFailure::TooLarge { what: large::GPU_TEXTS.into(), got, limit }
}

fn within(what: &str, got: u64, limit: u64) -> Result<(), JobFailure> {
    if got <= limit { Ok(()) } else { Err(JobFailure::TooLarge { what: what.into(), got, limit }) }
}

#[cfg(test)]
mod tests;
