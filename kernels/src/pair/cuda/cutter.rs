//! Cutter: a pair, or a part of one, in the shape that fits it; cut at its middle row where all border rows do not fit.

use std::ops::Range;

use super::form::Form;
use super::grid::Grid;
use super::shape::{self, Corridor, DeviceLimits, PairSize, SweepShape, SweepSpec};
use super::trace::PathPart;
use super::{Interrupted, no_room, path_points, trace};
use crate::run::Halt;

/// How much wider a corridor is than the sample asks for.
const MARGIN: f64 = 1.25;
/// A corridor is tried when it is expected to take this share of the time for the whole pair: it may be too narrow.
const WORTH: f64 = 0.75;

/// Solves parts of a pair and collects the parts of an optimal path.
pub(super) struct Cutter<'a> {
    pub(super) grid: Grid<'a>,
    pub(super) form: Form,
    pub(super) planes: u32,
    pub(super) device: DeviceLimits,
    /// Edits a symbol, roughly.
    pub(super) rate: f64,
    pub(super) keeps: bool,
    /// Of the path, in order.
    pub(super) parts: Vec<PathPart>,
}

impl Cutter<'_> {
    /// Least cost of a path through this part of the pair. Appends the parts of one such path, in order, where they are wanted.
    /// Nothing where they are and this part is small: the host aligns it as it is.
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
                // Somebody else has taken what was free, or a wider corridor needs more: halves take less.
                Err(Interrupted::OutOfMemory(_)) => {}
                solved => return Ok(Some(solved?)),
            }
        }
        let shape = self.choose(size, false, self.guess(size)).map_err(|got| no_room(got, self.device.bytes))?;
        let cost = self.sweep_within(&rows, &columns, shape, false)?;
        if self.keeps {
            let (row, column) = self.grid.middle()?.point;
            let (row, column) = (rows.start + row, columns.start + column.min(size.columns));
            self.cut(rows.start..row, columns.start..column)?;
            self.cut(row..rows.end, column..columns.end)?;
        }
        Ok(Some(cost))
    }

    /// Solves a part with all of its border rows kept.
    fn along_borders(&mut self, rows: &Range<u64>, columns: &Range<u64>, shape: SweepShape) -> Result<i64, Interrupted> {
        let cost = self.sweep_within(rows, columns, shape, true)?;
        let room = self.device.bytes.saturating_sub(self.grid.swept()?.shape.sweep_bytes());
        let links = path_points::links(&mut self.grid, room)?;
        let parts = trace::parts(&mut self.grid, &links, room)?;
        self.parts.extend(parts.into_iter().map(|part| part.moved(rows.start, columns.start)));
        Ok(cost)
    }

    /// Bytes that the fastest way to solve a part takes.
    pub(super) fn wanted(&mut self, size: PairSize) -> u64 {
        let device = self.device;
        self.device.bytes = u64::MAX;
        let fastest = self.choose(size, self.keeps, self.guess(size));
        self.device = device;
        fastest.map_or(0, |shape| shape.bytes())
    }

    /// Sweeps a part in this shape, and again in wider ones until the cost is proven.
    fn sweep_within(&mut self, rows: &Range<u64>, columns: &Range<u64>, mut shape: SweepShape, keeps: bool) -> Result<i64, Interrupted> {
        let size = PairSize { rows: rows.end - rows.start, columns: columns.end - columns.start };
        loop {
            self.grid.sweep(rows.clone(), columns.clone(), &shape)?;
            let cost = self.grid.middle()?.cost;
            let distance = self.form.distance(cost, size);
            if shape.corridor.proves(distance, size) {
                return Ok(cost);
            }
            let wider = self.choose(size, keeps, Some(Corridor::proving(distance, size)));
            shape = wider.map_err(|got| Interrupted::OutOfMemory(no_room(got, self.device.bytes).into()))?;
        }
    }

    /// The corridor that a pair as similar as the sample needs.
    fn guess(&self, size: PairSize) -> Option<Corridor> {
        let distance = MARGIN * self.rate * size.rows.min(size.columns) as f64 + size.rows.abs_diff(size.columns) as f64;
        (self.rate < 1.0).then(|| Corridor::proving(distance as u64, size))
    }

    /// The fastest shape for a part: for the whole of it, or inside a corridor where that is worth a try.
    fn choose(&self, size: PairSize, keeps: bool, corridor: Option<Corridor>) -> Result<SweepShape, u64> {
        let shape = |corridor| SweepShape::choose(&self.form, self.planes, SweepSpec { size, corridor, keeps }, self.device);
        let whole = shape(Corridor::Whole);
        match (corridor.map(shape), whole) {
            (Some(Ok(narrow)), Ok(whole)) if narrow.clocks(self.device) > WORTH * whole.clocks(self.device) => Ok(whole),
            (Some(Ok(narrow)), _) => Ok(narrow),
            (_, whole) => whole,
        }
    }
}
