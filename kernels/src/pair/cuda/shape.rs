//! Shape: the layout in which a pair of texts is swept on a GPU. These choices change the time, never the answer.

use super::{KernelSpec, KernelVariant};
use crate::gpu::Gpu;

/// Number of rows in a band for each word of a lane: 32 lanes, with 32 rows per word.
const ROWS_PER_LANE_WORD: u64 = 1024;
/// Number of schedulers of a multiprocessor, which is the number of warps that can issue at the same time.
pub(super) const SCHEDULERS: u32 = 4;
/// Number of 32-column blocks that cover the latency of memory. A band lags behind the band above by this number plus
/// the kernel's own lag, [`KernelVariant::lag`].
pub(super) const FOLLOW_BLOCKS: u32 = 2;
/// Memory for the list entries of a band that is swept alone, in bytes.
const LONE_BAND_EXTRA_BYTES: u64 = 256;
/// A diagonal beyond all diagonals of any matrix, used as a bound if the corridor is the whole matrix.
const FAR_CORRIDOR_BOUND: i64 = 1 << 40;

/// Lengths of the two texts of a pair, each at least 1: of the rows and of the columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PairSize {
    pub(super) rows: u64,
    pub(super) columns: u64,
}

/// The diagonals of a matrix on which a sweep follows paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DiagonalCorridor {
    /// All diagonals.
    Whole,
    /// The diagonals of the top left and of the bottom right corner of the matrix, all diagonals between them, and this
    /// many more on either side.
    Of(u64),
}

impl DiagonalCorridor {
    /// Returns the narrowest corridor that contains every path of at most `distance` insertions, deletions and
    /// substitutions.
    pub(super) fn proving(distance: u64, size: PairSize) -> Self {
        Self::Of(distance.saturating_sub(size.rows.abs_diff(size.columns)) / 2)
    }

    /// Returns whether the corridor contains every path of at most `distance` edits. More edits are needed to go beyond
    /// the last diagonal of the corridor and come back.
    pub(super) fn proves(self, distance: u64, size: PairSize) -> bool {
        match self {
            Self::Whole => true,
            Self::Of(beside) => distance <= 2 * beside + 1 + size.rows.abs_diff(size.columns),
        }
    }
}

/// Resources of a GPU that limit a sweep.
#[derive(Clone, Copy, Debug)]
pub(super) struct DeviceLimits {
    /// Number of multiprocessors.
    pub(super) multiprocessors: u32,
    /// Shared memory that a block may use, in bytes.
    pub(super) shared_bytes: u32,
    /// GPU memory that a sweep may use, in bytes.
    pub(super) bytes: u64,
}

impl DeviceLimits {
    /// Returns the limits of a GPU. Leaves the memory unlimited, so that the caller can set it.
    pub(super) fn from_gpu(gpu: &Gpu) -> Self {
        Self { multiprocessors: gpu.multiprocessors(), shared_bytes: gpu.shared_bytes(), bytes: u64::MAX }
    }
}

impl KernelVariant {
    /// Returns the maximum number of warps in a block on the GPU of `device`, or 0 if one warp needs more shared memory
    /// than a block may use.
    pub(super) fn warps_on(&self, device: &DeviceLimits) -> u32 {
        device.shared_bytes.checked_div(self.shared).map_or(self.warps, |fitting| fitting.min(self.warps))
    }
}

/// A sweep to plan: its numbers of rows and columns, its diagonals, and the rows that it keeps.
#[derive(Clone, Copy, Debug)]
pub(super) struct SweepSpec {
    /// Number of rows and columns to sweep.
    pub(super) size: PairSize,
    /// Diagonals of the matrix on which the sweep follows paths.
    pub(super) corridor: DiagonalCorridor,
    /// Whether all border rows (last rows of bands) are kept, for an alignment. If `false`, the memory of border rows
    /// that were read may be reused.
    pub(super) keeps: bool,
}

/// Layout of one sweep. The upper half of the row bands is swept forwards and the lower half backwards, up to the
/// middle row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SweepShape {
    /// Variant of the kernel.
    pub(super) layout: KernelVariant,
    /// Diagonals of the matrix on which the sweep follows paths.
    pub(super) corridor: DiagonalCorridor,
    /// Number of warps in a block, each of which sweeps one band at a time.
    pub(super) warps: u32,
    /// Number of blocks, at most one for each multiprocessor.
    pub(super) blocks: u32,
    /// Number of row bands of the forward and the backward pass together.
    pub(super) bands: u32,
    /// Number of rows, padded to whole bands.
    pub(super) rows: u64,
    /// Number of columns, padded by as many as the rows if the recurrence requires it.
    pub(super) columns: u64,
    /// First and last diagonal (column minus row) on which paths are followed.
    pub(super) diagonals: [i64; 2],
    /// Number of border rows (last rows of bands) for which a pass has memory: all, or one more than there are warps,
    /// used as a ring. The comment on `bands` in bands.cuh proves that this is enough.
    pub(super) slots: u32,
    /// Number of 64-bit words (of 32 columns) in the longest border row.
    pub(super) stride: u32,
    /// Minimum memory for the traceback, in bytes, or 0 if border rows are not kept for an alignment.
    pub(super) traceback_bytes: u64,
}

/// Divisor of the number of multiprocessors: memory is reserved so that 1/`TRACING_DIVISOR` of them can trace a band at
/// the same time. More would save little, because the traceback is short compared with the sweep.
const TRACING_DIVISOR: u32 = 4;
/// Divisor of the sweep's memory: the memory reserved for the traceback is at most 1/`TRACEBACK_MEMORY_DIVISOR` of it,
/// or the memory for one band if that is more.
const TRACEBACK_MEMORY_DIVISOR: u64 = 8;

/// Returns the number of rows in a band that the kernel variant `layout` sweeps.
pub(super) fn height(layout: KernelVariant) -> u64 {
    ROWS_PER_LANE_WORD * u64::from(layout.words)
}

impl SweepShape {
    /// Chooses the layout with the least expected time for the sweep `spec`, of those that fit in the memory of
    /// `device`. If none fits with all warps, fewer warps are used. `planes` is the number of bits of a symbol number.
    ///
    /// # Errors
    /// Returns the least number of bytes that any layout needs.
    pub(super) fn choose(form: &KernelSpec, planes: u32, spec: SweepSpec, device: DeviceLimits) -> Result<Self, u64> {
        let layouts = form.fitting(planes).filter(|layout| layout.warps_on(&device) > 0);
        let shapes: Vec<Self> = layouts.map(|layout| Self::new(form, layout, spec, device)).collect();
        let narrowed: Vec<Self> = shapes.iter().flat_map(|shape| shape.narrowed()).collect();
        let fastest = |shapes: &[Self]| {
            let fitting = shapes.iter().filter(|shape| shape.bytes() <= device.bytes);
            fitting.min_by(|one, other| one.clocks(device).total_cmp(&other.clocks(device))).copied()
        };
        fastest(&shapes).or_else(|| fastest(&narrowed)).ok_or_else(|| narrowed.iter().map(Self::bytes).min().unwrap_or(0))
    }

    /// Lists this layout, and layouts with fewer and fewer warps, each with half as many as the one before. Their rings
    /// of border rows (last rows of bands) take less memory, for long pairs on GPUs with little memory. Lists only this
    /// layout if all border rows are kept, because fewer warps would not help.
    fn narrowed(self) -> impl Iterator<Item = Self> {
        let is_ring = self.corridor == DiagonalCorridor::Whole && self.traceback_bytes == 0;
        std::iter::successors(Some(self), move |shape| {
            let (warps, blocks) = if shape.warps > 1 { (shape.warps / 2, shape.blocks) } else { (1, shape.blocks / 2) };
            (is_ring && blocks > 0).then(|| Self { warps, blocks, slots: self.slots.min(warps * blocks + 1), ..*shape })
        })
    }

    pub(super) fn new(form: &KernelSpec, layout: KernelVariant, spec: SweepSpec, device: DeviceLimits) -> Self {
        let PairSize { rows, columns } = spec.size;
        let bands = rows.div_ceil(height(layout));
        let padding = bands * height(layout) - rows;
        let [low, high] = [columns as i64 - rows as i64, 0];
        let diagonals = match spec.corridor {
            DiagonalCorridor::Whole => [-FAR_CORRIDOR_BOUND, FAR_CORRIDOR_BOUND],
            DiagonalCorridor::Of(beside) => {
                // If only the rows are padded, the padding shifts the diagonals of the pass that begins with the
                // padding rows.
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
            traceback_bytes: 0,
        };
        shape.warps = shape.active().div_ceil(device.multiprocessors).clamp(1, layout.warps_on(&device).max(1));
        shape.blocks = bands.div_ceil(shape.warps).min(device.multiprocessors);
        let most = shape.passes()[0];
        shape.slots = if spec.keeps || spec.corridor != DiagonalCorridor::Whole { most } else { most.min(shape.warps * shape.blocks + 1) };
        shape.stride = (0..bands).map(|band| shape.covered(band).1 - shape.covered(band).0).max().unwrap_or(1);
        if spec.keeps {
            let step = shape.step_bytes(shape.usual_width(), true);
            let tracing = bands.min(device.multiprocessors).div_ceil(TRACING_DIVISOR);
            shape.traceback_bytes = (u64::from(tracing) * step).min(step.max(shape.sweep_bytes() / TRACEBACK_MEMORY_DIVISOR));
        }
        shape
    }

    /// Returns the number of rows in a band.
    pub(super) fn height(&self) -> u64 {
        height(self.layout)
    }

    /// Returns the number of row bands in the forward and in the backward pass.
    pub(super) fn passes(&self) -> [u32; 2] {
        [self.bands.div_ceil(2), self.bands / 2]
    }

    /// Returns the number of 32-column blocks of the columns' text.
    pub(super) fn text_words(&self) -> u64 {
        self.columns.div_ceil(32)
    }

    /// Returns the half-open range of 32-column blocks that `band` covers: its first block, and the block after its
    /// last. Blocks are counted from the end of the text at which the pass begins.
    pub(super) fn covered(&self, band: u32) -> (u32, u32) {
        let top = i64::from(band) * self.height() as i64;
        let within = |block: i64| block.clamp(0, self.text_words() as i64) as u32;
        let [low, high] = self.diagonals;
        (within((top + low) >> 5), within((top + self.height() as i64 + high + 31) >> 5))
    }

    /// Returns the number of 32-bit words that the bit planes of all rows take.
    pub(super) fn row_words(&self) -> u64 {
        u64::from(self.bands) * self.band_words()
    }

    /// Returns the number of 32-bit words that the bit planes of a band's rows take.
    pub(super) fn band_words(&self) -> u64 {
        32 * u64::from(self.layout.words * self.layout.row_planes)
    }

    /// Returns the size of the record from which the path through a band is traced, in bytes, if the band is swept over
    /// `width` blocks of 32 columns.
    pub(super) fn record_bytes(&self, width: u32) -> u64 {
        32 * u64::from(width + self.layout.lag) * u64::from(self.layout.record_words) * 4
    }

    /// Returns the number of 32-column blocks that a path through a band usually crosses. A path crosses about as many
    /// columns as rows, and more if the texts differ in length.
    pub(super) fn usual_width(&self) -> u32 {
        ((self.height() + self.height() / 8 + 256) / 32) as u32
    }

    /// Returns the memory for one band that is swept alone over `width` blocks of 32 columns, in bytes. With `records`,
    /// this includes the record of the sweep and the edits traced from it.
    pub(super) fn step_bytes(&self, width: u32, records: bool) -> u64 {
        let window = u64::from(width) * (4 * u64::from(self.layout.text_words) + 8);
        let edits = self.height() + 32 * u64::from(width);
        window + LONE_BAND_EXTRA_BYTES + if records { self.record_bytes(width) + edits } else { 0 }
    }

    /// Returns the GPU memory that a sweep and its traceback take, without the texts, in bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.sweep_bytes() + self.traceback_bytes
    }

    /// Returns the GPU memory that a sweep takes, without the texts, in bytes.
    pub(super) fn sweep_bytes(&self) -> u64 {
        let borders = u64::from(self.slots) * u64::from(self.stride) * 8;
        2 * (borders + (self.row_words() + self.text_words() * u64::from(self.layout.text_words)) * 4)
    }

    /// Returns the final value of the kernel's progress counter. It rises by one for every 32 columns of a band.
    pub(super) fn counts(&self) -> u64 {
        let blocks = |bands: u32| (0..bands).map(|band| self.covered(band)).map(|(from, to)| u64::from(to - from)).sum::<u64>();
        self.passes().map(blocks).iter().sum()
    }

    /// Returns the number of cells that a sweep of a matrix of this `size` computes, without padding.
    pub(super) fn cells(&self, size: PairSize) -> u64 {
        (self.counts() * 32 * self.height()).min(size.rows * size.columns)
    }

    /// Returns the number of columns by which a band lags behind the band above.
    fn lag(&self) -> u64 {
        u64::from(32 * (self.layout.lag + FOLLOW_BLOCKS))
    }

    /// Returns the number of columns of a band that lie in the corridor of diagonals.
    fn width(&self) -> u64 {
        let [low, high] = self.diagonals;
        self.columns.min((high - low) as u64 + self.height())
    }

    /// Returns the number of bands that are swept at the same time if each waits only for the band above it.
    fn active(&self) -> u32 {
        let passes = if self.bands == 1 { 1 } else { 2 };
        let behind = self.lag() + if self.width() < self.columns { self.height() } else { 0 };
        (passes * (self.width() + self.lag()).div_ceil(behind)).min(u64::from(self.bands)) as u32
    }

    /// Estimates the time of a sweep in clock cycles. A lone warp takes as long for a column as its chain of dependent
    /// results. If several warps share a scheduler, the times for which each keeps the scheduler busy are added
    /// instead.
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
