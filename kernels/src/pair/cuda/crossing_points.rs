//! Crossing points: locates the columns in which optimal paths cross the border rows (last rows of bands) of a sweep.

use cudarc::driver::{CudaSlice, DeviceRepr};

use super::DeviceWorkError;
use super::grid::{DeviceGrid, DeviceSweepResult, GridPoint};
use super::shape::SweepShape;
use super::single_band::BandStep;
use crate::gpu::session::{KernelArguments, LaunchGrid};

/// Number of threads in a block that searches for one crossing of a path with a border row.
const CROSS_THREADS: u32 = 1024;

/// Arguments of the kernel `cross` for one crossing: a border row (the last row of a band) and the costs below it.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct BorderCrossing {
    pub(super) above: u64,
    pub(super) below: u64,
    pub(super) above_range: [i64; 2],
    pub(super) below_range: [i64; 2],
    pub(super) columns: i64,
    pub(super) start: i64,
    pub(super) gap: i64,
}

#[derive(Clone, Copy)]
#[repr(C)]
struct CrossArguments {
    crossings: u64,
    found: u64,
}

#[derive(Clone, Copy)]
#[repr(C)]
struct EdgesArguments {
    borders: u64,
    sums: u64,
    low: i64,
    high: i64,
    words: u32,
    stride: u32,
}

// SAFETY: the same fields in the same order as the struct `Cross` in paths.cuh, without padding; the addresses are of
// buffers that `DeviceGrid` holds until the work stream has passed the launch.
unsafe impl KernelArguments for CrossArguments {}
// SAFETY: the same fields in the same order as the struct `Edges` in paths.cuh, without padding; the addresses are of
// buffers that `DeviceGrid` holds until the work stream has passed the launch.
unsafe impl KernelArguments for EdgesArguments {}
// SAFETY: plain numbers without padding.
unsafe impl DeviceRepr for BorderCrossing {}

/// The crossing at which a path through a border row costs least. If several crossings cost the same, the leftmost one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CheapestCrossing {
    /// Cost of the whole path through this crossing.
    pub(super) cost: i64,
    /// Number of columns left of the crossing.
    pub(super) column: u64,
    /// Cost of the border row at the crossing, minus the border row's cost at its first stored column.
    pub(super) above: i64,
}

/// The point at which an optimal path crosses the middle row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MiddleCrossing {
    pub(super) point: GridPoint,
    /// Cost of the part of the path above the middle row.
    pub(super) before: i64,
    /// Cost of the whole path.
    pub(super) cost: i64,
}

impl DeviceGrid<'_> {
    /// Locates the crossing of an optimal path with the middle row. The last sweep has stored the costs of that row for
    /// both passes.
    pub(super) fn middle(&self) -> Result<MiddleCrossing, DeviceWorkError> {
        let swept = self.swept()?;
        let [forward, backward] = swept.shape.passes();
        let columns = swept.shape.columns as i64;
        let crossing = match backward.checked_sub(1) {
            Some(below) => {
                let start = swept.starts[0][forward as usize - 1] + swept.starts[1][below as usize];
                BorderCrossing {
                    below: self.row(swept, 1, below),
                    below_range: swept.range(below),
                    ..self.crossing(swept, 0, forward - 1, columns, start)
                }
            }
            None => self.crossing(swept, 0, 0, columns, swept.starts[0][0]),
        };
        let found = self.cross(&[crossing])?[0];
        let row = u64::from(forward) * swept.shape.height();
        Ok(MiddleCrossing { point: (row, found.column), before: swept.starts[0][forward as usize - 1] + found.above, cost: found.cost })
    }

    /// Prepares the kernel's search for the crossing of a path with `border`, a border row of `pass`. The search ends
    /// at column `columns`, and `start` is added to all costs. The caller then sets one of two fields. `below` is the
    /// address of the costs below the border row. `gap` is the number of rows to a later point of the path at column
    /// `columns`.
    fn crossing(&self, swept: &DeviceSweepResult, pass: usize, border: u32, columns: i64, start: i64) -> BorderCrossing {
        let above = self.row(swept, pass, border);
        BorderCrossing { above, below: 0, above_range: swept.range(border), below_range: [0, 0], columns, start, gap: 0 }
    }

    fn row(&self, swept: &DeviceSweepResult, pass: usize, border: u32) -> u64 {
        self.session.address(&swept.borders[pass]) + u64::from(border % swept.shape.slots) * u64::from(swept.shape.stride) * 8
    }

    /// Estimates the columns in which paths cross border rows (last rows of bands). `borders` lists border rows as
    /// `(pass, border)`, and `points` holds the point of each pass. The estimate for a border row is the column at
    /// which the cost so far plus the least possible cost of the rest is smallest.
    pub(super) fn guesses(&self, borders: &[(usize, u32)], points: [GridPoint; 2]) -> Result<Vec<CheapestCrossing>, DeviceWorkError> {
        let swept = self.swept()?;
        let crossing = |&(pass, border): &(usize, u32)| {
            let (row, column) = points[pass];
            let gap = row - (u64::from(border) + 1) * swept.shape.height();
            let start = swept.starts[pass][border as usize] + self.kernel_spec.edge(gap);
            BorderCrossing { gap: gap as i64, ..self.crossing(swept, pass, border, column as i64, start) }
        };
        self.cross(&borders.iter().map(crossing).collect::<Vec<_>>())
    }

    /// Finds, for each of `steps`, where an optimal path enters the band that it leaves at `step.column`: its crossing
    /// with the border row above. Searches only `width` blocks of 32 columns to the left. If this is not enough, the
    /// returned cost is too high. Steps of the forward pass must come before steps of the backward pass.
    pub(super) fn steps(&mut self, steps: &[BandStep], width: u32) -> Result<Vec<CheapestCrossing>, DeviceWorkError> {
        let borders = self.sweep_single(steps, width, None)?;
        let swept = self.swept()?;
        let crossing = |(number, step): (usize, &BandStep)| {
            let border = step.band - 1;
            let start = swept.starts[step.pass][border as usize] + self.kernel_spec.edge(swept.shape.height());
            let below = self.session.address(&borders) + (number * width as usize * 8) as u64;
            let above = self.crossing(swept, step.pass, border, step.column as i64, start);
            BorderCrossing { below, below_range: [0, width.into()], ..above }
        };
        self.cross(&steps.iter().enumerate().map(crossing).collect::<Vec<_>>())
    }

    fn cross(&self, crossings: &[BorderCrossing]) -> Result<Vec<CheapestCrossing>, DeviceWorkError> {
        let kernel = self.kernel("cross", &self.swept()?.shape)?;
        let uploaded = self.session.values(crossings)?;
        let found = self.session.allocate_uninit::<i64>(3 * crossings.len())?;
        let job = CrossArguments { crossings: self.session.address(&uploaded), found: self.session.address(&found) };
        let launch = LaunchGrid { blocks: [crossings.len() as u32, 1], threads: CROSS_THREADS, shared: 0 };
        // SAFETY: a block for each crossing, whose rows have the words that their ranges cover; three results each.
        unsafe { self.session.launch_as(&kernel, launch, job)? };
        let found = self.session.download(&found)?;
        let one = |found: &[i64]| CheapestCrossing { cost: found[0], column: found[1].unsigned_abs(), above: found[2] };
        Ok(found.chunks_exact(3).map(one).collect())
    }

    /// Computes the cost at the first stored column of every border row (last row of a band), for the forward and the
    /// backward pass. `borders` holds the border rows of each pass.
    pub(super) fn starts(&self, shape: &SweepShape, borders: &[CudaSlice<u64>; 2]) -> Result<[Vec<i64>; 2], DeviceWorkError> {
        let mut starts = [Vec::new(), Vec::new()];
        for (pass, bands) in shape.passes().into_iter().enumerate() {
            let mut shifts = vec![0i64; bands as usize];
            if bands > 1 && shape.covered(bands - 1).0 > 0 {
                let sums = self.session.allocate_uninit::<i64>(bands as usize - 1)?;
                let [low, high] = shape.diagonals;
                let (borders, sums_at) = (self.session.address(&borders[pass]), self.session.address(&sums));
                let job = EdgesArguments { borders, sums: sums_at, low, high, words: shape.text_words() as u32, stride: shape.stride };
                let kernel = self.kernel("edges", shape)?;
                // SAFETY: a block for each border row but the last; all rows are kept if a corridor shifts them.
                unsafe { self.session.launch_as(&kernel, LaunchGrid { blocks: [bands - 1, 1], threads: CROSS_THREADS, shared: 0 }, job)? };
                shifts[1..].copy_from_slice(&self.session.download(&sums)?);
            }
            let mut cost = 0;
            starts[pass].extend(shifts.iter().map(|shift| {
                cost += shift + self.kernel_spec.edge(shape.height());
                cost
            }));
        }
        Ok(starts)
    }
}

impl DeviceSweepResult {
    /// Returns the half-open range of 32-column blocks that the border row `border` stores, in either pass.
    fn range(&self, border: u32) -> [i64; 2] {
        let (from, to) = self.shape.covered(border);
        [from.into(), to.into()]
    }
}
