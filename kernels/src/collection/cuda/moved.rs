//! Moves the scores of a tile from the order in which they are computed to the order of the tile.

use cudarc::driver::CudaSlice;

use super::DeviceTile;
use crate::gpu::compile::KernelSource;
use crate::gpu::session::{GpuSession, KernelArguments, LaunchGrid};
use crate::run::Halt;

/// Edge of the squares of scores that a block moves.
const SQUARE: u32 = 32;

/// The width of a score on the GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScoreWidth {
    /// Scores from 0 to 255.
    Bits8,
    /// Scores from 0 to 65,535.
    Bits16,
    /// Scores with a sign.
    Bits32,
}

impl ScoreWidth {
    /// Returns the number of bytes of a score.
    pub(super) fn bytes(self) -> usize {
        match self {
            Self::Bits8 => 1,
            Self::Bits16 => 2,
            Self::Bits32 => 4,
        }
    }
}

/// The scores of all pairs of a tile on the GPU, in the order of the tile.
pub(super) struct DeviceScores {
    pub(super) bytes: CudaSlice<u8>,
    pub(super) width: ScoreWidth,
}

/// Scores in the order in which a kernel computes them: the score of row i and column j is at j · rows + i.
pub(super) struct ComputedScores {
    pub(super) bytes: CudaSlice<u8>,
    pub(super) width: ScoreWidth,
    /// Places of the rows and columns, from the first row or column of the tile.
    pub(super) rows: Vec<u32>,
    pub(super) columns: Vec<u32>,
    /// Whether the rows are columns of the tile, and the columns its rows.
    pub(super) is_swapped: bool,
}

#[derive(Clone, Copy)]
#[repr(C)]
struct MoveArguments {
    scores: u64,
    moved: u64,
    row_ids: u64,
    column_ids: u64,
    row_step: u64,
    column_step: u64,
    rows: u32,
    columns: u32,
    width: u32,
    by_row: u32,
}

// SAFETY: the same fields in the same order as the struct `Move` in move.cu, without padding; the comment at the launch
// says why the addresses are valid.
unsafe impl KernelArguments for MoveArguments {}

pub(super) fn source() -> KernelSource {
    KernelSource { name: "collection-move", text: include_str!("move.cu"), defines: vec![("SQUARE", SQUARE.into())] }
}

impl ComputedScores {
    /// Moves the scores to their places in `tile`. Scores of other pairs are 0.
    pub(super) fn moved(self, session: &GpuSession, tile: &DeviceTile) -> Result<DeviceScores, Halt> {
        let moved = session.zeros::<u8>(tile.tile.pairs() * self.width.bytes())?;
        let kernel = session.kernel(&source(), "move_scores")?;
        let (row_ids, column_ids) = (session.values(&self.rows)?, session.values(&self.columns)?);
        let steps = [tile.tile.columns.len() as u64, 1];
        let [row_step, column_step] = if self.is_swapped { [steps[1], steps[0]] } else { steps };
        let (rows, columns) = (self.rows.len() as u32, self.columns.len() as u32);
        let arguments = MoveArguments {
            scores: session.address(&self.bytes),
            moved: session.address(&moved),
            row_ids: session.address(&row_ids),
            column_ids: session.address(&column_ids),
            row_step,
            column_step,
            rows,
            columns,
            width: self.width.bytes() as u32,
            by_row: (!self.is_swapped).into(),
        };
        let squares = rows.div_ceil(SQUARE) as u64 * columns.div_ceil(SQUARE) as u64;
        let launch = LaunchGrid { blocks: [squares as u32, 1], threads: SQUARE * 8, shared: 0 };
        // SAFETY: the kernel reads a score for each row and column, and writes it to the place of its pair in the tile. Memory
        // is freed in the order of the stream.
        unsafe { session.launch_as(&kernel, launch, arguments)? };
        Ok(DeviceScores { bytes: moved, width: self.width })
    }
}
