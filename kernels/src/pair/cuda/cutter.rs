//! Cutter: solves a pair, or a part of one, in the best shape, and cuts it at its middle row if the border rows do not
//! all fit in memory.

use std::ops::Range;

use super::form::KernelSpec;
use super::grid::DeviceGrid;
use super::shape::{self, DeviceLimits, DiagonalCorridor, PairSize, SweepShape, SweepSpec};
use super::trace::PathPart;
use super::{DeviceWorkError, out_of_memory_error, path_points, trace};
use crate::run::Halt;

/// Factor by which a corridor is wider than the sample suggests.
const CORRIDOR_MARGIN: f64 = 1.25;
/// Maximum share of the whole pair's expected time at which a corridor is tried. A corridor may turn out too narrow.
const MAX_CORRIDOR_TIME_SHARE: f64 = 0.75;

/// The solver of parts of a pair, which collects the parts of an optimal path.
pub(super) struct PairCutter<'a> {
    pub(super) grid: DeviceGrid<'a>,
    pub(super) form: KernelSpec,
    pub(super) planes: u32,
    pub(super) device: DeviceLimits,
    /// Estimated edits per symbol.
    pub(super) rate: f64,
    pub(super) keeps: bool,
    /// Parts of the path, in order.
    pub(super) parts: Vec<PathPart>,
}

impl PairCutter<'_> {
    /// Computes the least cost of a path through this part of the pair. If an alignment is requested, appends the parts
    /// of one optimal path in order. Then returns `None` for a small part, which the host aligns as a whole.
    pub(super) fn cut(&mut self, rows: Range<u64>, columns: Range<u64>) -> Result<Option<i64>, Halt> {
        let size = PairSize { rows: rows.end - rows.start, columns: columns.end - columns.start };
        if self.keeps && (size.columns == 0 || self.form.fitting(self.planes).all(|layout| size.rows <= shape::height(layout))) {
            self.parts.push(PathPart { rows, columns, edits: None });
            return Ok(None);
        }
        if self.keeps
            && let Ok(shape) = self.choose(size, true, self.guess(size))
        {
            match self.along_borders(&rows, &columns, shape) {
                // Another job has taken free memory, or a wider corridor needs more. Halves need less.
                Err(DeviceWorkError::OutOfMemory(_)) => {}
                solved => return Ok(Some(solved?)),
            }
        }
        let shape = self.choose(size, false, self.guess(size)).map_err(|got| out_of_memory_error(got, self.device.bytes))?;
        let cost = self.sweep_within(&rows, &columns, shape, false)?;
        if self.keeps {
            let (row, column) = self.grid.middle()?.point;
            let (row, column) = (rows.start + row, columns.start + column.min(size.columns));
            self.cut(rows.start..row, columns.start..column)?;
            self.cut(row..rows.end, column..columns.end)?;
        }
        Ok(Some(cost))
    }

    /// Solves a part in one sweep that keeps all border rows.
    fn along_borders(&mut self, rows: &Range<u64>, columns: &Range<u64>, shape: SweepShape) -> Result<i64, DeviceWorkError> {
        let cost = self.sweep_within(rows, columns, shape, true)?;
        let room = self.device.bytes.saturating_sub(self.grid.swept()?.shape.sweep_bytes());
        let links = path_points::links(&mut self.grid, room)?;
        let parts = trace::parts(&mut self.grid, &links, room)?;
        self.parts.extend(parts.into_iter().map(|part| part.moved(rows.start, columns.start)));
        Ok(cost)
    }

    /// Returns the bytes that the fastest shape for a part takes.
    pub(super) fn wanted(&mut self, size: PairSize) -> u64 {
        let device = self.device;
        self.device.bytes = u64::MAX;
        let fastest = self.choose(size, self.keeps, self.guess(size));
        self.device = device;
        fastest.map_or(0, |shape| shape.bytes())
    }

    /// Sweeps a part in `shape`, and in wider shapes until the cost is proven.
    fn sweep_within(
        &mut self,
        rows: &Range<u64>,
        columns: &Range<u64>,
        mut shape: SweepShape,
        keeps: bool,
    ) -> Result<i64, DeviceWorkError> {
        let size = PairSize { rows: rows.end - rows.start, columns: columns.end - columns.start };
        loop {
            self.grid.sweep(rows.clone(), columns.clone(), &shape)?;
            let cost = self.grid.middle()?.cost;
            let distance = self.form.distance(cost, size);
            if shape.corridor.proves(distance, size) {
                return Ok(cost);
            }
            let wider = self.choose(size, keeps, Some(DiagonalCorridor::proving(distance, size)));
            shape = wider.map_err(|got| DeviceWorkError::OutOfMemory(out_of_memory_error(got, self.device.bytes).into()))?;
        }
    }

    /// Returns the corridor for a pair as similar as the sample.
    fn guess(&self, size: PairSize) -> Option<DiagonalCorridor> {
        let distance = CORRIDOR_MARGIN * self.rate * size.rows.min(size.columns) as f64 + size.rows.abs_diff(size.columns) as f64;
        (self.rate < 1.0).then(|| DiagonalCorridor::proving(distance as u64, size))
    }

    /// Chooses the fastest shape for a part: the whole of it, or a corridor if that is worth a try.
    fn choose(&self, size: PairSize, keeps: bool, corridor: Option<DiagonalCorridor>) -> Result<SweepShape, u64> {
        let shape = |corridor| SweepShape::choose(&self.form, self.planes, SweepSpec { size, corridor, keeps }, self.device);
        let whole = shape(DiagonalCorridor::Whole);
        match (corridor.map(shape), whole) {
            (Some(Ok(narrow)), Ok(whole)) if narrow.clocks(self.device) > MAX_CORRIDOR_TIME_SHARE * whole.clocks(self.device) => Ok(whole),
            (Some(Ok(narrow)), _) => Ok(narrow),
            (_, whole) => whole,
        }
    }
}
