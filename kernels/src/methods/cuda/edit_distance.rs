//! Alignments by the methods of paper 000 on a GPU, with Hirschberg's division (paper 001) on the CPU, because paper
//! 000 describes no traceback.
//!
//! The method on the GPU computes the last row of each half: row by row on one thread, or along the diagonals by one
//! block. GPU memory holds both texts in both directions, so that the kernels read every half forwards.

use super::check_lengths;
use super::fill::{MatrixInput, SliceSharedMemory, source};
use crate::alignment::Alignment;
use crate::event::RunStage;
use crate::gpu::Gpu;
use crate::gpu::session::{DeviceSymbol, GpuSession};
use crate::methods::StepSink;
use crate::methods::edit_distance::hirschberg::{DirectedPiece, MIN_DEVICE_HALF_SYMBOLS, align};
use crate::methods::edit_distance::{diagonal, sequential};
use crate::run::{Halt, Run};

/// The order in which a kernel fills the matrix of distances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MatrixFillOrder {
    /// Row by row.
    Rows,
    /// Diagonal by diagonal.
    Diagonals,
}

/// Computes an optimal alignment of `x` to `y` on a GPU, filling matrices in the order `order`. Neither text may be
/// empty. Takes about 2mn steps of a cell each. GPU memory holds both texts twice and 4n bytes; host memory is O(m +
/// n).
///
/// # Errors
/// Returns `Stopped` if the observer stops the run, `TooLarge` for a text of more than 2³¹ symbols, and `Engine` if the
/// GPU fails. By diagonals, returns `BadInput` if three rows for `x` exceed shared memory. The rows for its halves may
/// fit, but the same texts must be accepted with and without an alignment.
pub(crate) fn alignment<T: DeviceSymbol>(gpu: &Gpu, [x, y]: [&[T]; 2], order: MatrixFillOrder, run: &Run) -> Result<Alignment, Halt> {
    if order == MatrixFillOrder::Diagonals {
        SliceSharedMemory::checked::<T>(gpu, x.len())?;
    }
    let mut texts = EditDistanceTexts::new(gpu, [x, y], order, run)?;
    align(
        x,
        y,
        |x, y, tick| if x.symbols.len() < MIN_DEVICE_HALF_SYMBOLS { order.on_host(x, y, tick) } else { texts.last_row(x, y) },
        &mut |steps| run.tick(steps),
    )
}

/// The addresses on the GPU of a text and of its reversed copy.
#[derive(Clone, Copy)]
struct TextAddresses {
    forwards: u64,
    backwards: u64,
}

impl TextAddresses {
    fn new<T: DeviceSymbol>(session: &GpuSession, text: &[T]) -> Result<Self, Halt> {
        let reversed: Vec<T> = text.iter().rev().copied().collect();
        Ok(Self { forwards: session.text_address(text)?, backwards: session.text_address(&reversed)? })
    }

    fn of<T: DeviceSymbol>(self, piece: DirectedPiece<T>) -> u64 {
        let text = if piece.is_reversed { self.backwards } else { self.forwards };
        text + (piece.start * T::BYTES) as u64
    }
}

/// Both texts of an alignment on a GPU, in both directions.
struct EditDistanceTexts<'g> {
    gpu: &'g Gpu,
    session: GpuSession<'g>,
    x: TextAddresses,
    y: TextAddresses,
    order: MatrixFillOrder,
}

impl<'g> EditDistanceTexts<'g> {
    fn new<T: DeviceSymbol>(gpu: &'g Gpu, [x, y]: [&[T]; 2], order: MatrixFillOrder, run: &'g Run<'g>) -> Result<Self, Halt> {
        check_lengths([x.len(), y.len()])?;
        run.stage(RunStage::Transfer)?;
        let mut session = GpuSession::new(gpu, run)?;
        session.yield_to_brief_jobs();
        let (x, y) = (TextAddresses::new(&session, x)?, TextAddresses::new(&session, y)?);
        session.kernel(&source(T::BYTES, true), if order == MatrixFillOrder::Rows { "rows" } else { "slices" })?;
        run.stage(RunStage::Compute)?;
        Ok(Self { gpu, session, x, y, order })
    }

    /// Computes the last row of the matrix of distances between `x` and `y` on the GPU, and reports its steps to the
    /// run.
    fn last_row<T: DeviceSymbol>(&mut self, x: DirectedPiece<T>, y: DirectedPiece<T>) -> Result<Vec<u32>, Halt> {
        let texts = [self.x.of(x), self.y.of(y)];
        let matrix = MatrixInput { x: x.symbols, y: y.symbols, ramp: true };
        match self.order {
            MatrixFillOrder::Rows => matrix.rows_at(&mut self.session, texts),
            MatrixFillOrder::Diagonals => matrix.diagonals_at(self.gpu, &mut self.session, texts),
        }
    }
}

impl MatrixFillOrder {
    /// Computes the last row of the matrix of distances between `x` and `y` on the CPU, in this order.
    fn on_host<T: DeviceSymbol>(self, x: DirectedPiece<T>, y: DirectedPiece<T>, tick: StepSink) -> Result<Vec<u32>, Halt> {
        match self {
            Self::Rows => sequential::last_row(x.symbols, y.symbols, tick),
            Self::Diagonals => diagonal::last_row(x.symbols, y.symbols, tick),
        }
    }
}
