//! Shape: how a pair is laid over a device. Tuning: it changes the time, never the answer.

use super::{Form, Layout};
use crate::gpu::Gpu;

/// Rows of a band for each word that a lane keeps: 32 lanes of 32 bits.
const UNITS: u64 = 1024;
/// Warps that issue at the same time on one multiprocessor.
pub(super) const SCHEDULERS: u32 = 4;
/// Blocks of 32 columns that a band is behind the one above it beyond its own lag: the way through memory.
pub(super) const WAY: u32 = 2;
/// Bytes that a band which is swept alone takes beside, for its place in lists.
const SMALL: u64 = 256;
/// No diagonal is so far out.
const FAR: i64 = 1 << 40;

/// Lengths of both texts, at least 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PairSize {
    pub(super) rows: u64,
    pub(super) columns: u64,
}

/// How far paths are followed to either side of the diagonals between both corners.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Corridor {
    /// All paths.
    Whole,
    /// Those that stay within so many diagonals.
    Of(u64),
}

impl Corridor {
    /// The narrowest one that holds every path of `distance` insertions, deletions and substitutions.
    pub(super) fn proving(distance: u64, size: PairSize) -> Self {
        Self::Of(distance.saturating_sub(size.rows.abs_diff(size.columns)) / 2)
    }

    /// Whether no path of at most `distance` leaves it: one that does goes out beyond the last diagonal and comes back.
    pub(super) fn proves(self, distance: u64, size: PairSize) -> bool {
        match self {
            Self::Whole => true,
            Self::Of(beside) => distance <= 2 * beside + 1 + size.rows.abs_diff(size.columns),
        }
    }
}

/// What of a device matters here.
#[derive(Clone, Copy, Debug)]
pub(super) struct DeviceLimits {
    /// Its multiprocessors.
    pub(super) multiprocessors: u32,
    /// Memory that the threads of a block may share, in bytes.
    pub(super) shared_bytes: u32,
    /// Bytes of its memory that may be taken.
    pub(super) bytes: u64,
}

impl DeviceLimits {
    /// Those of a device, whose memory is still to be asked for.
    pub(super) fn of(gpu: &Gpu) -> Self {
        Self { multiprocessors: gpu.multiprocessors(), shared_bytes: gpu.shared_bytes(), bytes: u64::MAX }
    }
}

impl Layout {
    /// Warps of the largest block on a device; none where one needs more shared memory than it has.
    pub(super) fn warps_on(&self, device: &DeviceLimits) -> u32 {
        device.shared_bytes.checked_div(self.shared).map_or(self.warps, |fitting| fitting.min(self.warps))
    }
}

/// What a sweep has to do.
#[derive(Clone, Copy, Debug)]
pub(super) struct SweepSpec {
    /// The pair's size.
    pub(super) size: PairSize,
    /// Which paths.
    pub(super) corridor: Corridor,
    /// Whether all border rows are kept, for an alignment; else only those that are needed for the middle.
    pub(super) keeps: bool,
}

/// Layout of one sweep: the upper half of the bands forwards and the lower half backwards, meeting at the middle row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SweepShape {
    /// The kernel's variant.
    pub(super) layout: Layout,
    /// Which paths are followed.
    pub(super) corridor: Corridor,
    /// Warps of a block.
    pub(super) warps: u32,
    /// Blocks, at most one for each multiprocessor.
    pub(super) blocks: u32,
    /// Bands of the whole pair.
    pub(super) bands: u32,
    /// Rows, padded to whole bands.
    pub(super) rows: u64,
    /// Columns, padded by as much where the rule wants that.
    pub(super) columns: u64,
    /// First and last diagonal, column less row, that is followed.
    pub(super) diagonals: [i64; 2],
    /// Border rows that a pass keeps: all, or one more than there are warps, used in a ring (see `bands` in bands.cuh for why that is
    /// enough).
    pub(super) slots: u32,
    /// Words of the longest border row.
    pub(super) stride: u32,
    /// Memory that the way back needs at least, in bytes, where all border rows are kept for it.
    pub(super) way_back: u64,
}

/// Part of a device's multiprocessors that have a band to trace at least, since the way back is short beside the sweep; and the part of
/// the sweep's memory that this may cost, where it is more than one band.
const TRACING: u32 = 4;
const WAY_BACK_SHARE: u64 = 8;

/// Rows of a band of this layout.
pub(super) fn height(layout: Layout) -> u64 {
    UNITS * u64::from(layout.words)
}

impl SweepShape {
    /// The layout that is expected to take least time of those that fit in the device's memory, on fewer warps where none fits on all.
    ///
    /// # Errors
    /// The least number of bytes that any layout needs.
    pub(super) fn choose(form: &Form, planes: u32, spec: SweepSpec, device: DeviceLimits) -> Result<Self, u64> {
        let layouts = form.fitting(planes).filter(|layout| layout.warps_on(&device) > 0);
        let shapes: Vec<Self> = layouts.map(|layout| Self::new(form, layout, spec, device)).collect();
        let narrowed: Vec<Self> = shapes.iter().flat_map(|shape| shape.narrowed()).collect();
        let fastest = |shapes: &[Self]| {
            let fitting = shapes.iter().filter(|shape| shape.bytes() <= device.bytes);
            fitting.min_by(|one, other| one.clocks(device).total_cmp(&other.clocks(device))).copied()
        };
        fastest(&shapes).or_else(|| fastest(&narrowed)).ok_or_else(|| narrowed.iter().map(Self::bytes).min().unwrap_or(0))
    }

    /// This one, and those with half as many warps each, whose rings of border rows take less memory: a long pair on a small device.
    fn narrowed(self) -> impl Iterator<Item = Self> {
        let is_ring = self.corridor == Corridor::Whole && self.way_back == 0;
        std::iter::successors(Some(self), move |shape| {
            let (warps, blocks) = if shape.warps > 1 { (shape.warps / 2, shape.blocks) } else { (1, shape.blocks / 2) };
            (is_ring && blocks > 0).then(|| Self { warps, blocks, slots: self.slots.min(warps * blocks + 1), ..*shape })
        })
    }

    pub(super) fn new(form: &Form, layout: Layout, spec: SweepSpec, device: DeviceLimits) -> Self {
        let PairSize { rows, columns } = spec.size;
        let bands = rows.div_ceil(height(layout));
        let padding = bands * height(layout) - rows;
        let [low, high] = [columns as i64 - rows as i64, 0];
        let diagonals = match spec.corridor {
            Corridor::Whole => [-FAR, FAR],
            Corridor::Of(beside) => {
                // Rows that are padded alone shift the diagonals of the pass that begins with them.
                let shifted = if form.pads_columns { 0 } else { padding as i64 };
                [low.min(high) - shifted - beside as i64, low.max(high) + beside as i64]
            }
        };
        let (rows, columns) = (rows + padding, columns + if form.pads_columns { padding } else { 0 });
        let bands = bands as u32;
        let mut shape = Self {
            layout,
            corridor: spec.corridor,
            warps: 1,
            blocks: 1,
            bands,
            rows,
            columns,
            diagonals,
            slots: 1,
            stride: 1,
            way_back: 0,
        };
        shape.warps = shape.active().div_ceil(device.multiprocessors).clamp(1, layout.warps_on(&device).max(1));
        shape.blocks = bands.div_ceil(shape.warps).min(device.multiprocessors);
        let most = shape.passes()[0];
        shape.slots = if spec.keeps || spec.corridor != Corridor::Whole { most } else { most.min(shape.warps * shape.blocks + 1) };
        shape.stride = (0..bands).map(|band| shape.covered(band).1 - shape.covered(band).0).max().unwrap_or(1);
        if spec.keeps {
            let step = shape.step_bytes(shape.usual_width(), true);
            let tracing = bands.min(device.multiprocessors).div_ceil(TRACING);
            shape.way_back = (u64::from(tracing) * step).min(step.max(shape.sweep_bytes() / WAY_BACK_SHARE));
        }
        shape
    }

    /// Rows of a band.
    pub(super) fn height(&self) -> u64 {
        height(self.layout)
    }

    /// Bands of the forward and of the backward pass.
    pub(super) fn passes(&self) -> [u32; 2] {
        [self.bands.div_ceil(2), self.bands / 2]
    }

    /// Blocks of 32 columns.
    pub(super) fn text_words(&self) -> u64 {
        self.columns.div_ceil(32)
    }

    /// First block of a band, and the one after its last. The same in both passes, each from its own end.
    pub(super) fn covered(&self, band: u32) -> (u32, u32) {
        let top = i64::from(band) * self.height() as i64;
        let within = |block: i64| block.clamp(0, self.text_words() as i64) as u32;
        let [low, high] = self.diagonals;
        (within((top + low) >> 5), within((top + self.height() as i64 + high + 31) >> 5))
    }

    /// Words of one text's rows in bit planes.
    pub(super) fn row_words(&self) -> u64 {
        u64::from(self.bands) * self.band_words()
    }

    /// Words of the bit planes of a band's rows.
    pub(super) fn band_words(&self) -> u64 {
        32 * u64::from(self.layout.words * self.layout.row_planes)
    }

    /// Bytes of the record of a band that is swept over so many blocks of columns.
    pub(super) fn record_bytes(&self, width: u32) -> u64 {
        32 * u64::from(width + self.layout.lag) * u64::from(self.layout.record_words) * 4
    }

    /// Blocks of columns that a path through a band usually takes, from its last row to its first: about as many columns as rows, and
    /// more where texts of different lengths make paths lean.
    pub(super) fn usual_width(&self) -> u32 {
        ((self.height() + self.height() / 8 + 256) / 32) as u32
    }

    /// Memory for one band that is swept alone over so many blocks of columns, in bytes, with a record of it and what is read from that.
    pub(super) fn step_bytes(&self, width: u32, records: bool) -> u64 {
        let window = u64::from(width) * (4 * u64::from(self.layout.text_words) + 8);
        let edits = self.height() + 32 * u64::from(width);
        window + SMALL + if records { self.record_bytes(width) + edits } else { 0 }
    }

    /// Device memory that a sweep and the way back take beside the texts, in bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.sweep_bytes() + self.way_back
    }

    /// Device memory that a sweep takes beside the texts, in bytes.
    pub(super) fn sweep_bytes(&self) -> u64 {
        let borders = u64::from(self.slots) * u64::from(self.stride) * 8;
        2 * (borders + (self.row_words() + self.text_words() * u64::from(self.layout.text_words)) * 4)
    }

    /// What the progress counter of a finished sweep says: a count is 32 columns of a band.
    pub(super) fn counts(&self) -> u64 {
        let blocks = |bands: u32| (0..bands).map(|band| self.covered(band)).map(|(from, to)| u64::from(to - from)).sum::<u64>();
        self.passes().map(blocks).iter().sum()
    }

    /// Cells of a sweep, without padding beyond the rows and columns that there are.
    pub(super) fn cells(&self, size: PairSize) -> u64 {
        (self.counts() * 32 * self.height()).min(size.rows * size.columns)
    }

    /// Columns that a band is behind the one above.
    fn lag(&self) -> u64 {
        u64::from(32 * (self.layout.lag + WAY))
    }

    /// Columns of a band that the corridor does not cut.
    fn width(&self) -> u64 {
        let [low, high] = self.diagonals;
        self.columns.min((high - low) as u64 + self.height())
    }

    /// Bands at work at the same time when nothing but the bands above holds them up.
    fn active(&self) -> u32 {
        let passes = if self.bands == 1 { 1 } else { 2 };
        let behind = self.lag() + if self.width() < self.columns { self.height() } else { 0 };
        (passes * (self.width() + self.lag()).div_ceil(behind)).min(u64::from(self.bands)) as u32
    }

    /// Expected time in clocks of a multiprocessor. A column of a lone warp waits for its own results; where several share a
    /// scheduler, what counts is how long each keeps it busy.
    pub(super) fn clocks(&self, device: DeviceLimits) -> f64 {
        let column = self.layout.alone.max(f64::from(self.warps.div_ceil(SCHEDULERS)) * self.layout.busy);
        let passes = if self.bands == 1 { 1.0 } else { 2.0 };
        let bands = f64::from(self.passes()[0]);
        let at_once = (f64::from(self.warps * self.blocks.min(device.multiprocessors)) / passes).min(bands);
        let (width, lag) = (self.width() as f64, self.lag() as f64);
        let shift = if self.width() < self.columns { self.height() as f64 } else { 0.0 };
        let waiting = (bands - 1.0) * (lag + shift) + width + lag;
        let working = (width + lag) * bands / at_once + lag * at_once;
        column * waiting.max(working)
    }
}
