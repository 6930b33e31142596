//! The CUDA engine: one persistent launch sweeps the whole pair; what it keeps is the border rows between bands.
//!
//! Distance: the upper half forwards and the lower half backwards (both texts reversed) at once; on the middle row
//! `d = min over c of F(middle, c) + B(middle, n − c)`. Two pipelines of half the length fill in half the time.
//!
//! Alignment: all bands forwards and all bands backwards at once. On every border row the *leftmost* column with
//! `F(r, c) + B(r, c) = d` is taken. Those points all lie on one optimal path: where two optimal paths swap sides between two
//! rows they share a node, so what is leftmost everywhere is a path again. They cut the pair into one small problem a band, which
//! the host's cores align. That the least sum is the same on every row, and that the parts' distances add up to it, is checked
//! each time. When the border rows do not fit in memory, the pair is cut at the middle row first, as for the distance.
//!
//! Rows must come in whole bands, so the same number of symbols 0 is appended to both texts. A common suffix does not change the
//! distance, and an optimal path goes through (m, n) and then straight on; all borders are above row m, so the leftmost crossings
//! are not right of column n and are those of the texts themselves.
//!
//! - [`shape`]: how a pair is laid over a device
//! - [`sweep`]: one launch, and the crossings that it finds
//! - [`pieces`]: the host's share of an alignment

use std::ops::Range;

use crate::alignment::{Alignment, Edit};
use crate::event::{Partial, Stage};
use crate::failure::Failure;
use crate::gpu::{Gpu, compile::Source};
use crate::run::{Halt, Run};

mod pieces;
mod shape;
mod sweep;

use shape::{Goal, Machine, Shape, Size};
use sweep::{Crossing, Grid};

/// Longest text. Columns and distances are 32-bit numbers on the device, padding included.
pub const MOST_SYMBOLS: u64 = (1 << 31) - (1 << 16);
/// Most distinct symbols in both texts.
pub const MOST_DISTINCT: u64 = 1 << shape::PLANES;

/// Part of the free memory that a job may take; the driver needs some for itself.
const MEMORY_SHARE: f64 = 0.95;

/// Every variant of the kernel that a job can ask for.
pub fn variants() -> impl Iterator<Item = Source> {
    (1..=shape::PLANES).flat_map(|planes| shape::WORDS.map(|words| shape::source(words, planes)))
}

/// Two texts as dense symbols below `alphabet`, at most 256.
#[derive(Clone, Copy)]
pub(super) struct Texts<'t> {
    pub(super) a: &'t [u8],
    pub(super) b: &'t [u8],
    pub(super) alphabet: u32,
}

/// The distance.
///
/// # Errors
/// `Stopped`; `TooLarge` when the device's memory is too small; `Engine` when the device fails.
pub(super) fn distance(gpu: &Gpu, texts: Texts, run: &Run) -> Result<u64, Halt> {
    let (rows, columns) = if texts.a.len() >= texts.b.len() { (texts.a, texts.b) } else { (texts.b, texts.a) };
    if columns.is_empty() {
        return Ok(rows.len() as u64);
    }
    let size = Size::of(rows, columns);
    short_enough(size)?;
    run.stage(Stage::Transfer)?;
    let mut grid = Grid::new(gpu, run, rows, columns)?;
    let limit = memory(gpu)?;
    let shape = Shape::choose(Goal::Middle, size, shape::planes(texts.alphabet), machine(gpu), limit).map_err(|got| no_room(got, limit))?;
    run.stage(Stage::Compute)?;
    let crossings = grid.sweep(0..size.rows, 0..size.columns, &shape)?;
    Ok(agreed(&crossings)?)
}

/// The distance and an optimal alignment.
///
/// # Errors
/// As [`distance`].
pub(super) fn align(gpu: &Gpu, texts: Texts, run: &Run) -> Result<(u64, Alignment), Halt> {
    align_within(gpu, texts, run, u64::MAX)
}

/// As [`align`], in at most `limit` bytes of the device's memory beside the texts.
pub(super) fn align_within(gpu: &Gpu, texts: Texts, run: &Run, limit: u64) -> Result<(u64, Alignment), Halt> {
    let swapped = texts.a.len() < texts.b.len();
    let (rows, columns) = if swapped { (texts.b, texts.a) } else { (texts.a, texts.b) };
    let (m, n) = (rows.len() as u64, columns.len() as u64);
    if n == 0 {
        let mut alignment = Alignment::default();
        alignment.push(if swapped { Edit::Insert } else { Edit::Delete }, m);
        return Ok((m, alignment));
    }
    short_enough(Size { rows: m, columns: n })?;
    run.stage(Stage::Transfer)?;
    let grid = Grid::new(gpu, run, rows, columns)?;
    let limit = limit.min(memory(gpu)?);
    run.stage(Stage::Compute)?;
    let mut cutter = Cutter { grid, planes: shape::planes(texts.alphabet), machine: machine(gpu), limit, cuts: vec![(0, 0)] };
    let distance = cutter.cut(0..m, 0..n)?;
    let mut cuts = cutter.cuts;
    cuts.push((m, n));
    if let Some(distance) = distance {
        run.partial(Partial::Bounds { at_least: distance, at_most: distance })?;
    }
    run.stage(Stage::Traceback)?;
    if swapped {
        cuts.iter_mut().for_each(|(row, column)| std::mem::swap(row, column));
    }
    let (sum, alignment) = pieces::align(texts, &cuts, run)?;
    match distance {
        Some(distance) if distance != sum => Err(disagree(distance, sum).into()),
        _ => Ok((sum, alignment)),
    }
}

struct Cutter<'a> {
    grid: Grid<'a>,
    planes: u32,
    machine: Machine,
    limit: u64,
    cuts: Vec<(u64, u64)>,
}

impl Cutter<'_> {
    /// Appends points of one optimal path of this part of the pair, in order. Returns its distance, or nothing when the part
    /// is left to the host as it is.
    fn cut(&mut self, rows: Range<u64>, columns: Range<u64>) -> Result<Option<u64>, Halt> {
        let size = Size { rows: rows.end - rows.start, columns: columns.end - columns.start };
        if size.rows <= shape::LEAST_HEIGHT || size.columns == 0 {
            return Ok(None);
        }
        let choose = |goal| Shape::choose(goal, size, self.planes, self.machine, self.limit);
        let whole = choose(Goal::Borders);
        let (whole, shape) = match whole {
            Ok(shape) => (true, shape),
            Err(_) => (false, choose(Goal::Middle).map_err(|got| no_room(got, self.limit))?),
        };
        if shape.bands < 2 {
            return Ok(None);
        }
        let crossings = self.grid.sweep(rows.clone(), columns.clone(), &shape)?;
        let distance = agreed(&crossings)?;
        let points = crossings.iter().map(|crossing| (rows.start + crossing.row, columns.start + crossing.column));
        if whole {
            self.cuts.extend(points);
        } else {
            for (row, column) in points {
                self.cut(rows.start..row, columns.start..column)?;
                self.cuts.push((row, column));
                self.cut(row..rows.end, column..columns.end)?;
            }
        }
        Ok(Some(distance))
    }
}

/// The distance on which all crossings agree.
fn agreed(crossings: &[Crossing]) -> Result<u64, Failure> {
    let [first, rest @ ..] = crossings else { return Err(Failure::engine("The GPU engine failed: it found no path.")) };
    match rest.iter().find(|other| other.distance != first.distance) {
        Some(other) => Err(disagree(first.distance, other.distance)),
        None => Ok(first.distance),
    }
}

fn disagree(one: u64, other: u64) -> Failure {
    Failure::engine(format!("The GPU engine failed its own check: distances {one} and {other} for the same texts."))
}

/// Memory that a job may take beside what it has taken already, in bytes.
fn memory(gpu: &Gpu) -> Result<u64, Failure> {
    Ok((gpu.free_bytes()? as f64 * MEMORY_SHARE) as u64)
}

fn no_room(got: u64, limit: u64) -> Failure {
    Failure::TooLarge { what: "The GPU memory that texts of this length need, in bytes,".into(), got, limit }
}

fn short_enough(size: Size) -> Result<(), Failure> {
    let what = || "The length of the longer text in symbols".into();
    if size.rows <= MOST_SYMBOLS { Ok(()) } else { Err(Failure::TooLarge { what: what(), got: size.rows, limit: MOST_SYMBOLS }) }
}

fn machine(gpu: &Gpu) -> Machine {
    Machine { multiprocessors: gpu.multiprocessors(), host_cells: pieces::cells_per_second() / gpu.clock_hz() }
}

#[cfg(test)]
mod tests;
