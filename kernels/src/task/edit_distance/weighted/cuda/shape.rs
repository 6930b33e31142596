//! Shape: the layout of a sweep of differences on a GPU, chosen from the sizes of both texts.

use super::super::CellCosts;
use super::kept_edges::KeptTiles;
use crate::failure::{JobFailure, large};

/// Number of columns whose border words a warp reads together.
const CHUNK: u32 = 32;

/// Number of columns by which a band is behind the band above.
const LAG: f64 = 105.0;

/// Number of schedulers of a multiprocessor, each of which issues one operation of a warp per clock.
const SCHEDULERS: u32 = 4;

/// Returns the numbers of rows that a thread may have in each of `halves` parts of its registers.
pub(super) fn thread_rows(halves: u32) -> &'static [u32] {
    if halves == 2 { &[4, 8, 16] } else { &[8] }
}

/// Returns the maximum number of threads in a block. A multiprocessor has registers for one block of this size.
pub(super) fn max_threads(thread_rows: u32, transposes: bool) -> u32 {
    if transposes && thread_rows == 16 { 384 } else { 512 }
}

/// Maximum number of a symbol that shares a register with another one. The kernel computes with sums of a number and two
/// costs, whose sign is the 16th bit.
const MAX_HALF: u64 = (1 << 14) - 1;

/// Maximum number of a symbol that has a register of its own.
const MAX_WHOLE: u64 = (1 << 30) - 1;

/// The numbers of symbols on the GPU. They are multiples of a power of two that exceeds all costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SymbolCode {
    /// Number of cells in a register: 2 if symbols and differences fit into 16 bits, otherwise 1.
    pub(super) halves: u32,
    /// Logarithm of the power of two.
    pub(super) shift: u32,
    /// A number that no symbol has.
    pub(super) none: u32,
}

impl SymbolCode {
    /// Returns the numbers of symbols below `alphabet`, or `None` if they do not fit into a register.
    pub(super) fn new(alphabet: u32, costs: &CellCosts) -> Option<Self> {
        let exceeded = if costs.transpose.is_some() { 2 * costs.substitute } else { costs.substitute };
        let shift = u32::BITS - exceeded.leading_zeros();
        let none = u64::from(alphabet) << shift;
        // The kernel combines numbers by exclusive or, which sets no bit above the highest one of `none`.
        let highest = (none + 1).next_power_of_two() - 1;
        let halves = if highest <= MAX_HALF { 2 } else { 1 };
        (highest <= MAX_WHOLE).then_some(Self { halves, shift, none: none as u32 })
    }
}

/// The layout of a sweep of differences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DifferencesShape {
    rows: u32,
    columns: u32,
    /// Number of columns that the last row of a warp is behind its first row, plus 1.
    lanes: u32,
    /// Number of rows that a thread has in each part of its registers.
    pub(super) thread_rows: u32,
    transposes: bool,
    /// Number of warps in a block.
    pub(super) block_warps: u32,
    /// Maximum number of blocks.
    max_blocks: u32,
}

impl DifferencesShape {
    /// Returns the layout that is probably the fastest one for `rows` rows and `columns` columns.
    pub(super) fn new(rows: usize, columns: usize, code: SymbolCode, transposes: bool, multiprocessors: u32) -> Self {
        let all = thread_rows(code.halves)
            .iter()
            .map(|thread_rows| Self::with_rows(*thread_rows, rows, columns, code, transposes, multiprocessors));
        let clocks = |shape: &Self| shape.clocks(multiprocessors);
        all.min_by(|one, other| clocks(one).total_cmp(&clocks(other))).expect("there is a number of rows")
    }

    /// Returns the layout with `thread_rows` rows in each part of a thread's registers. A multiprocessor has one block,
    /// because after an interruption a warp may wait for the band of any other warp.
    pub(super) fn with_rows(
        thread_rows: u32,
        rows: usize,
        columns: usize,
        code: SymbolCode,
        transposes: bool,
        multiprocessors: u32,
    ) -> Self {
        let lanes = 32 * code.halves;
        let shape = Self {
            rows: rows as u32,
            columns: columns as u32,
            lanes,
            thread_rows,
            transposes,
            block_warps: 1,
            max_blocks: multiprocessors,
        };
        let block_warps = shape.bands().div_ceil(multiprocessors).clamp(1, max_threads(thread_rows, transposes) / 32);
        Self { block_warps, ..shape }
    }

    /// Estimates the number of clocks of the sweep on a GPU with this number of multiprocessors.
    fn clocks(&self, multiprocessors: u32) -> f64 {
        let rows = f64::from(self.thread_rows);
        // Clocks of a warp for a column: alone on its scheduler, and those for which it keeps the scheduler busy.
        let alone = 98.0 + if self.transposes { 12.0 } else { 9.0 } * rows;
        let busy = if self.transposes { 17.0 + 14.0 * rows } else { 20.0 + 8.3 * rows };
        let column = |warps: u32| {
            let shared_by = f64::from(warps.div_ceil(SCHEDULERS * multiprocessors));
            (alone * (0.8 + 0.2 * shared_by)).max(busy * shared_by)
        };
        let at_once = self.warps();
        let (full, rest) = (self.bands() / at_once, self.bands() % at_once);
        let last = if rest == 0 { 0.0 } else { column(rest) };
        f64::from(self.columns) * (f64::from(full) * column(at_once) + last) + LAG * f64::from(at_once) * column(at_once)
    }

    /// Returns this layout with as many warps as `bytes` bytes of memory allow.
    ///
    /// # Errors
    /// Returns `TooLarge` if a single block needs more memory.
    pub(super) fn within(self, bytes: u64) -> Result<Self, JobFailure> {
        let mut shape = self;
        while shape.bytes() > bytes {
            if shape.blocks() == 1 {
                return Err(JobFailure::TooLarge { what: large::GPU_TEXTS.into(), got: shape.bytes(), limit: bytes });
            }
            shape.max_blocks = shape.blocks() / 2;
        }
        Ok(shape)
    }

    /// Returns the number of rows of a band.
    fn height(&self) -> u32 {
        self.lanes * self.thread_rows
    }

    pub(super) fn bands(&self) -> u32 {
        self.rows.div_ceil(self.height())
    }

    pub(super) fn blocks(&self) -> u32 {
        self.bands().div_ceil(self.block_warps).min(self.max_blocks)
    }

    fn warps(&self) -> u32 {
        self.blocks() * self.block_warps
    }

    /// Returns the number of border rows in memory. One more than warps suffices: see bands.cuh.
    pub(super) fn slots(&self) -> u32 {
        self.bands().min(self.warps() + 1)
    }

    /// Returns the number of words of a border row.
    pub(super) fn stride(&self) -> u32 {
        self.columns.next_multiple_of(CHUNK)
    }

    pub(super) fn border_words(&self) -> usize {
        self.slots() as usize * self.stride() as usize
    }

    /// Returns the memory of all border rows in bytes.
    pub(super) fn bytes(&self) -> u64 {
        4 * self.border_words() as u64
    }

    /// Returns the final value of the kernel's progress counter.
    pub(super) fn counts(&self) -> u64 {
        u64::from(self.bands()) * u64::from((self.columns + self.lanes - 1).div_ceil(CHUNK))
    }

    /// Returns the smallest tiles whose edges take at most `bytes` bytes.
    ///
    /// # Errors
    /// Returns `TooLarge` if the edges of the largest tiles take more than `bytes` bytes.
    pub(super) fn kept_tiles(&self, bytes: u64) -> Result<KeptTiles, JobFailure> {
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

    const OSA: CellCosts = CellCosts { substitute: 1, gap: 2, transpose: Some(1), divisor: 1 };

    #[test]
    fn codes_of_unequal_symbols_exceed_all_costs() {
        for (alphabet, substitute, transpose, halves) in [
            (4, 1, None, 2),
            (256, 255, None, 1),
            (63, 255, None, 2),
            (64, 255, None, 1),
            (4, 1000, Some(3), 2),
            (7, 1000, Some(3), 2),
            (8, 1000, Some(3), 1),
        ] {
            let costs = CellCosts { substitute, gap: 2000, transpose, divisor: 1 };
            let code = SymbolCode::new(alphabet, &costs).unwrap();
            assert!(1 << code.shift > if transpose.is_some() { 2 * substitute } else { substitute });
            assert_eq!((code.halves, code.none), (halves, alphabet << code.shift), "{alphabet} {substitute}");
        }
        assert_eq!(SymbolCode::new(1 << 24, &CellCosts { substitute: 1000, gap: 2000, ..OSA }), None);
    }

    /// The kernel has 32-bit numbers of columns, and every row of tiles must consist of whole bands.
    #[test]
    fn tiles_consist_of_bands_and_fit_in_memory() {
        for (rows, columns) in [(1, 1), (255, 1), (257, 256), (70_000, 3_000), (1 << 20, 1 << 20), (1 << 30, 1 << 20)] {
            let code = SymbolCode::new(4, &OSA).unwrap();
            let shape = DifferencesShape::new(rows, columns, code, true, 132);
            assert!(shape.slots() <= shape.bands() && shape.bands() as usize * shape.height() as usize >= rows);
            for bytes in [1 << 26, 1 << 34] {
                let Ok(tiles) = shape.kept_tiles(bytes) else { continue };
                assert!(tiles.bytes() <= bytes && tiles.tile.is_multiple_of(shape.height()), "{tiles:?}");
            }
        }
    }

    #[test]
    fn long_rows_of_borders_reduce_the_number_of_warps() {
        let code = SymbolCode::new(4, &OSA).unwrap();
        let shape = DifferencesShape::new(1 << 26, 1 << 24, code, true, 132);
        let less = shape.within(shape.bytes() / 3).unwrap();
        assert!(less.bytes() <= shape.bytes() / 3 && less.blocks() >= 1);
        assert!(shape.within(1 << 20).is_err());
    }
}
