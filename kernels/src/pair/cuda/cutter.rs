//! Cutter: solves a pair of texts, or a part of its matrix, in the layout that is fastest. Cuts a part at its middle
//! row if not all its border rows (last rows of bands) fit in memory.

use std::ops::Range;

use super::grid::DeviceGrid;
use super::kernel_spec::KernelSpec;
use super::shape::{self, DeviceLimits, DiagonalCorridor, PairSize, SweepShape, SweepSpec};
use super::trace::PathPart;
use super::{DeviceWorkError, out_of_memory_error, path_points, trace};
use crate::pair::effort::CORRIDOR_WIDTH_FACTOR;
use crate::run::Halt;

/// Maximum time of a sweep of a corridor, as a share of the expected time of the whole matrix. Slower corridors are not
/// tried, because a corridor may turn out too narrow, so that its time is lost.
const MAX_CORRIDOR_TIME_SHARE: f64 = 0.75;

/// A solver of parts of a pair's matrix, which collects the sections of an optimal path.
pub(super) struct PairCutter<'a> {
    pub(super) grid: DeviceGrid<'a>,
    pub(super) kernel_spec: KernelSpec,
    pub(super) planes: u32,
    pub(super) device: DeviceLimits,
    /// Estimated number of edits per symbol.
    pub(super) rate: f64,
    pub(super) keeps: bool,
    /// Sections of the path found so far, in order.
    pub(super) parts: Vec<PathPart>,
}

impl PairCutter<'_> {
    /// Computes the least cost of a path through the part of the matrix at `rows` and `columns`. If an alignment is
    /// requested, appends the sections of one optimal path in order to `parts`. Returns `None` instead of a cost for a
    /// small part, whose only section the host has to align.
    pub(super) fn cut(&mut self, rows: Range<u64>, columns: Range<u64>) -> Result<Option<i64>, Halt> {
        let size = PairSize { rows: rows.end - rows.start, columns: columns.end - columns.start };
        if self.keeps && (size.columns == 0 || self.kernel_spec.fitting(self.planes).all(|layout| size.rows <= shape::height(layout))) {
            self.parts.push(PathPart { rows, columns, edits: None });
            return Ok(None);
        }
        if self.keeps
            && let Ok(shape) = self.choose(size, true, self.guess(size))
        {
            match self.along_borders(&rows, &columns, shape) {
                // Other jobs have taken free memory, or a wider corridor needs more memory. Halves of the part need
                // less.
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

    /// Solves the part of the matrix at `rows` and `columns` by one sweep in the layout `shape`, which keeps all border
    /// rows (last rows of bands). Appends the sections of an optimal path to `parts`, and returns its cost.
    fn along_borders(&mut self, rows: &Range<u64>, columns: &Range<u64>, shape: SweepShape) -> Result<i64, DeviceWorkError> {
        let cost = self.sweep_within(rows, columns, shape, true)?;
        let room = self.device.bytes.saturating_sub(self.grid.swept()?.shape.sweep_bytes());
        let links = path_points::links(&mut self.grid, room)?;
        let parts = trace::parts(&mut self.grid, &links, room)?;
        self.parts.extend(parts.into_iter().map(|part| part.moved(rows.start, columns.start)));
        Ok(cost)
    }

    /// Returns the memory, in bytes, of the layout that would be fastest for a part of the size `size` if memory were
    /// unlimited.
    pub(super) fn wanted(&mut self, size: PairSize) -> u64 {
        let device = self.device;
        self.device.bytes = u64::MAX;
        let fastest = self.choose(size, self.keeps, self.guess(size));
        self.device = device;
        fastest.map_or(0, |shape| shape.bytes())
    }

    /// Sweeps the part of the matrix at `rows` and `columns` in the corridor (range of diagonals) of `shape`. Then
    /// sweeps wider corridors until the cost is proven to be the least one. Returns this cost. With `keeps`, all border
    /// rows (last rows of bands) are kept.
    ///
    /// # Errors
    /// Returns `OutOfMemory` if a sweep does not fit in memory, and `Halted` if the job is stopped or fails.
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
            let distance = self.kernel_spec.distance(cost, size);
            if shape.corridor.proves(distance, size) {
                return Ok(cost);
            }
            let wider = self.choose(size, keeps, Some(DiagonalCorridor::proving(distance, size)));
            shape = wider.map_err(|got| DeviceWorkError::OutOfMemory(out_of_memory_error(got, self.device.bytes).into()))?;
        }
    }

    /// Returns the corridor that suffices for a part of this `size` if it is as similar as the prefixes of the texts.
    /// Returns `None` if the prefixes are not similar.
    fn guess(&self, size: PairSize) -> Option<DiagonalCorridor> {
        let distance = CORRIDOR_WIDTH_FACTOR * self.rate * size.rows.min(size.columns) as f64 + size.rows.abs_diff(size.columns) as f64;
        (self.rate < 1.0).then(|| DiagonalCorridor::proving(distance as u64, size))
    }

    /// Chooses the fastest layout for a part of this `size`: one for the whole part, or one for `corridor`. The layout
    /// for the corridor must be much faster, unless no layout for the whole part fits in memory. With `keeps`, the
    /// layout keeps all border rows (last rows of bands).
    ///
    /// # Errors
    /// Returns the least number of bytes that any layout needs, if none fits in memory.
    fn choose(&self, size: PairSize, keeps: bool, corridor: Option<DiagonalCorridor>) -> Result<SweepShape, u64> {
        let shape = |corridor| SweepShape::choose(&self.kernel_spec, self.planes, SweepSpec { size, corridor, keeps }, self.device);
        let whole = shape(DiagonalCorridor::Whole);
        match (corridor.map(shape), whole) {
            (Some(Ok(narrow)), Ok(whole)) if narrow.clocks(self.device) > MAX_CORRIDOR_TIME_SHARE * whole.clocks(self.device) => Ok(whole),
            (Some(Ok(narrow)), _) => Ok(narrow),
            (_, whole) => whole,
        }
    }
}
