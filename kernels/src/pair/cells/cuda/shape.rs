//! Shape: the layout of a sweep on a GPU, chosen from the sizes of both texts.

use super::kept_edges::KeptTiles;
use crate::failure::{JobFailure, large};

/// Number of columns whose border words a warp reads together.
const CHUNK: u32 = 32;

/// Number of columns by which a band is behind the band above.
const LAG: f64 = 105.0;

/// Number of schedulers of a multiprocessor, each of which issues one operation of a warp per clock.
const SCHEDULERS: u32 = 4;

/// The gaps of an alignment: what the kernel computes for each cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GapKind {
    /// Opening a gap costs nothing.
    Linear,
    /// Opening a gap costs nothing, and exchanged symbols have points.
    Exchanges,
    /// Opening a gap has a cost.
    Affine,
    /// Opening a gap has a cost, and cells are values. Those with a register of their own have 32 bits.
    Values,
}

/// The variant of the kernel, besides the size of symbols and the number of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SweepKind {
    /// Number of cells in a register: 2 if symbols and differences fit into 16 bits, otherwise 1.
    pub(crate) halves: u32,
    pub(crate) gaps: GapKind,
    /// Number of classes of symbols if points are read from a table.
    pub(crate) classes: Option<u32>,
}

impl SweepKind {
    /// Returns the numbers of rows that a thread may have in each part of its registers.
    pub(crate) fn thread_rows(self) -> &'static [u32] {
        match (self.gaps, self.halves) {
            (_, 2) => &[4, 8, 16],
            (GapKind::Values, _) => &[8, 16],
            _ => &[8],
        }
    }

    /// Returns the maximum number of warps in a block. A multiprocessor has registers for one block of this size.
    pub(crate) fn max_warps(self, thread_rows: u32) -> u32 {
        if self.gaps == GapKind::Exchanges && thread_rows == 16 { 12 } else { 16 }
    }

    /// Returns the size of a border word in bytes.
    fn word_bytes(self) -> u64 {
        if self.gaps == GapKind::Values && self.halves == 1 { 8 } else { 4 }
    }

    /// Returns the shared memory of a warp with `thread_rows` rows, in bytes.
    fn warp_shared_bytes(self, thread_rows: u32) -> u32 {
        self.classes.map_or(0, |classes| classes * 32 * self.halves * thread_rows)
    }

    /// Returns whether the points of all classes fit into `shared_bytes` bytes of shared memory.
    pub(crate) fn fits(self, shared_bytes: u32) -> bool {
        self.thread_rows().iter().any(|rows| self.warp_shared_bytes(*rows) <= shared_bytes)
    }
}

/// Maximum number of a symbol that shares a register with another one. The kernel computes with sums of a number and two
/// costs, whose sign is the 16th bit.
const MAX_HALF: u64 = (1 << 14) - 1;

/// Maximum number of a symbol that has a register of its own.
const MAX_WHOLE: u64 = (1 << 30) - 1;

/// The numbers of symbols on the GPU. They are multiples of a power of two that exceeds all costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SymbolCode {
    /// Number of cells in a register: 2 if symbols and differences fit into 16 bits, otherwise 1.
    pub(crate) halves: u32,
    /// Logarithm of the power of two.
    pub(crate) shift: u32,
    /// A number that no symbol has.
    pub(crate) none: u32,
}

impl SymbolCode {
    /// Returns the numbers of symbols below `alphabet`, or `None` if they do not fit into a register. The numbers of two
    /// symbols differ by more than `exceeded`.
    pub(crate) fn new(alphabet: u32, exceeded: u32) -> Option<Self> {
        let shift = u32::BITS - exceeded.leading_zeros();
        let none = u64::from(alphabet) << shift;
        // The kernel combines numbers by exclusive or, which sets no bit above the highest one of `none`.
        let highest = (none + 1).next_power_of_two() - 1;
        let halves = if highest <= MAX_HALF { 2 } else { 1 };
        (highest <= MAX_WHOLE).then_some(Self { halves, shift, none: none as u32 })
    }
}

/// The layout of a sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SweepShape {
    rows: u32,
    columns: u32,
    kind: SweepKind,
    /// Number of rows that a thread has in each part of its registers.
    pub(crate) thread_rows: u32,
    /// Number of warps in a block.
    pub(crate) block_warps: u32,
    /// Maximum number of blocks.
    max_blocks: u32,
}

/// The parts of a GPU on which a layout depends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SweepRoom {
    /// Number of multiprocessors.
    pub(crate) multiprocessors: u32,
    /// Shared memory of a multiprocessor in bytes.
    pub(crate) shared_bytes: u32,
}

impl SweepShape {
    /// Returns the layout that is probably the fastest one for `rows` rows and `columns` columns.
    pub(crate) fn new(rows: usize, columns: usize, kind: SweepKind, room: SweepRoom) -> Self {
        let all = kind.thread_rows().iter().filter(|rows| kind.warp_shared_bytes(**rows) <= room.shared_bytes);
        let all = all.map(|thread_rows| Self::with_rows(*thread_rows, rows, columns, kind, room));
        let clocks = |shape: &Self| shape.clocks(room.multiprocessors);
        all.min_by(|one, other| clocks(one).total_cmp(&clocks(other))).expect("there is a number of rows")
    }

    /// Returns the layout with `thread_rows` rows in each part of a thread's registers. A multiprocessor has one block,
    /// because after an interruption a warp may wait for the band of any other warp.
    pub(crate) fn with_rows(thread_rows: u32, rows: usize, columns: usize, kind: SweepKind, room: SweepRoom) -> Self {
        let SweepRoom { multiprocessors, shared_bytes } = room;
        let (rows, columns) = (rows as u32, columns as u32);
        let shape = Self { rows, columns, kind, thread_rows, block_warps: 1, max_blocks: multiprocessors };
        let most = shared_bytes.checked_div(kind.warp_shared_bytes(thread_rows)).unwrap_or(u32::MAX);
        let most = most.min(kind.max_warps(thread_rows)).max(1);
        Self { block_warps: shape.bands().div_ceil(multiprocessors).clamp(1, most), ..shape }
    }

    /// Estimates the number of clocks of the sweep on a GPU with this number of multiprocessors.
    fn clocks(&self, multiprocessors: u32) -> f64 {
        let rows = f64::from(self.thread_rows);
        // Clocks of a warp for a column: alone on its scheduler, and those for which it keeps the scheduler busy.
        let (alone, busy) = match self.kind.gaps {
            GapKind::Linear if self.kind.classes.is_some() => (84.0 + 5.5 * rows, 24.0 + 5.9 * rows),
            GapKind::Affine if self.kind.classes.is_some() => (90.0 + 10.3 * rows, 20.0 + 10.4 * rows),
            GapKind::Linear => (98.0 + 9.0 * rows, 20.0 + 8.3 * rows),
            GapKind::Exchanges => (98.0 + 12.0 * rows, 17.0 + 14.0 * rows),
            GapKind::Affine => (110.0 + 24.0 * rows, 30.0 + 14.0 * rows),
            GapKind::Values if self.kind.halves == 2 => (190.0 + 17.0 * rows, 10.0 + 17.3 * rows),
            GapKind::Values => (110.0 + 32.0 * rows, 50.0 + 20.0 * rows),
        };
        // The warps that finish first take the last bands. They share multiprocessors, so that a last round with few bands
        // takes as long as a full one.
        let shared_by = f64::from(self.warps().div_ceil(SCHEDULERS * multiprocessors));
        let column = (alone * (0.8 + 0.2 * shared_by)).max(busy * shared_by);
        let rounds = f64::from(self.bands().div_ceil(self.warps()));
        (f64::from(self.columns) * rounds + LAG * f64::from(self.warps())) * column
    }

    /// Returns this layout with as many warps as `bytes` bytes of memory allow.
    ///
    /// # Errors
    /// Returns `TooLarge` if a single block needs more memory.
    pub(crate) fn within(self, bytes: u64) -> Result<Self, JobFailure> {
        let mut shape = self;
        while shape.bytes() > bytes {
            if shape.blocks() == 1 {
                return Err(JobFailure::TooLarge { what: large::GPU_TEXTS.into(), got: shape.bytes(), limit: bytes });
            }
            shape.max_blocks = shape.blocks() / 2;
        }
        Ok(shape)
    }

    /// Returns the number of columns that the last row of a warp is behind its first row, plus 1.
    fn lanes(&self) -> u32 {
        32 * self.kind.halves
    }

    /// Returns the number of rows of a band.
    fn height(&self) -> u32 {
        self.lanes() * self.thread_rows
    }

    /// Returns the logarithm of the distance of the points of two classes in shared memory, in bytes.
    pub(crate) fn class_shift(&self) -> u32 {
        self.height().ilog2()
    }

    /// Returns the shared memory of a block, in bytes.
    pub(crate) fn block_shared_bytes(&self) -> u32 {
        self.block_warps * self.kind.warp_shared_bytes(self.thread_rows)
    }

    pub(crate) fn bands(&self) -> u32 {
        self.rows.div_ceil(self.height())
    }

    pub(crate) fn blocks(&self) -> u32 {
        self.bands().div_ceil(self.block_warps).min(self.max_blocks)
    }

    fn warps(&self) -> u32 {
        self.blocks() * self.block_warps
    }

    /// Returns the number of border rows in memory. One more than warps suffices: see bands.cuh.
    pub(crate) fn slots(&self) -> u32 {
        self.bands().min(self.warps() + 1)
    }

    /// Returns the number of words of a border row.
    pub(crate) fn stride(&self) -> u32 {
        self.columns.next_multiple_of(CHUNK)
    }

    /// Returns the memory of all border rows in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.kind.word_bytes() * u64::from(self.slots()) * u64::from(self.stride())
    }

    /// Returns the number of groups of rows in all bands.
    pub(crate) fn groups_of_bands(&self) -> usize {
        self.bands() as usize * self.lanes() as usize
    }

    /// Returns the final value of the kernel's progress counter.
    pub(crate) fn counts(&self) -> u64 {
        u64::from(self.bands()) * u64::from((self.columns + self.lanes() - 1).div_ceil(CHUNK))
    }

    /// Returns the smallest tiles whose edges take at most `bytes` bytes.
    ///
    /// # Errors
    /// Returns `TooLarge` if the edges of the largest tiles take more than `bytes` bytes.
    pub(crate) fn kept_tiles(&self, bytes: u64) -> Result<KeptTiles, JobFailure> {
        let mut tiles = KeptTiles { tile: self.height(), height: self.height(), bands: self.bands(), stride: self.stride() };
        while tiles.bytes() > bytes {
            if tiles.tile > i32::MAX as u32 / 2 {
                return Err(JobFailure::TooLarge { what: large::GPU_TEXTS.into(), got: tiles.bytes() + self.bytes(), limit: bytes });
            }
            tiles.tile *= 2;
        }
        Ok(tiles)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OSA: SweepKind = SweepKind { halves: 2, gaps: GapKind::Exchanges, classes: None };
    const ROOM: SweepRoom = SweepRoom { multiprocessors: 132, shared_bytes: 227 << 10 };

    #[test]
    fn codes_of_unequal_symbols_exceed_all_costs() {
        for (alphabet, exceeded, halves) in [(4, 1, 2), (256, 255, 1), (63, 255, 2), (64, 255, 1), (4, 2000, 2), (7, 2000, 2), (8, 2000, 1)]
        {
            let code = SymbolCode::new(alphabet, exceeded).unwrap();
            assert!(1 << code.shift > exceeded);
            assert_eq!((code.halves, code.none), (halves, alphabet << code.shift), "{alphabet} {exceeded}");
        }
        assert_eq!(SymbolCode::new(1 << 24, 1000), None);
    }

    /// The kernel has 32-bit numbers of columns, and every row of tiles must consist of whole bands.
    #[test]
    fn tiles_consist_of_bands_and_fit_in_memory() {
        for (rows, columns) in [(1, 1), (255, 1), (257, 256), (70_000, 3_000), (1 << 20, 1 << 20), (1 << 30, 1 << 20)] {
            let shape = SweepShape::new(rows, columns, OSA, ROOM);
            assert!(shape.slots() <= shape.bands() && shape.bands() as usize * shape.height() as usize >= rows);
            for bytes in [1 << 26, 1 << 34] {
                let Ok(tiles) = shape.kept_tiles(bytes) else { continue };
                assert!(tiles.bytes() <= bytes && tiles.tile.is_multiple_of(shape.height()), "{tiles:?}");
            }
        }
    }

    #[test]
    fn points_of_all_warps_fit_in_shared_memory() {
        for classes in [1, 4, 5, 24, 100, 900] {
            for (gaps, halves) in [(GapKind::Linear, 2), (GapKind::Affine, 2), (GapKind::Values, 1), (GapKind::Values, 2)] {
                let kind = SweepKind { halves, gaps, classes: Some(classes) };
                assert!(kind.fits(ROOM.shared_bytes) && !kind.fits(200));
                let shape = SweepShape::new(1 << 22, 1 << 22, kind, ROOM);
                assert!(shape.block_shared_bytes() <= ROOM.shared_bytes && shape.block_warps > 0, "{shape:?}");
                assert_eq!(1 << shape.class_shift(), kind.warp_shared_bytes(shape.thread_rows) / classes);
            }
        }
    }

    #[test]
    fn long_rows_of_borders_reduce_the_number_of_warps() {
        let shape = SweepShape::new(1 << 26, 1 << 24, OSA, ROOM);
        let less = shape.within(shape.bytes() / 3).unwrap();
        assert!(less.bytes() <= shape.bytes() / 3 && less.blocks() >= 1);
        assert!(shape.within(1 << 20).is_err());
    }
}
