//! The edit distance by the published algorithms of paper 000: the distance alone in one matrix, the alignment in about
//! two.
//!
//! Paper 000 describes no traceback. A requested alignment is found in linear memory by the division of paper 001
//! (Hirschberg 1975), in which the algorithms of paper 000 compute the last rows.

use super::{EditDistance, solution};
use crate::alignment::Alignment;
use crate::cpu::Cpu;
#[cfg(not(target_family = "wasm"))]
use crate::gpu::Gpu;
use crate::job::{JobOptions, PaperMethod};
#[cfg(not(target_family = "wasm"))]
use crate::methods::cuda::edit_distance::{self as cuda, MatrixFillOrder};
#[cfg(not(target_family = "wasm"))]
use crate::methods::cuda::fill::MatrixInput;
use crate::methods::edit_distance::hirschberg::MIN_DEVICE_HALF_SYMBOLS;
use crate::methods::edit_distance::{diagonal, sequential};
use crate::run::{Halt, Run};
use crate::task::by_method::{MAX_PATTERN_ON_EVERY_DEVICE, PublishedTask, unknown};
use crate::task::{InputSize, Solution};
use crate::text::Pair;
use crate::with_symbols;

/// Time of an H200 for one matrix cell that a single thread computes, in nanoseconds.
const CELL_NS: f64 = 60.0;
/// Time of an H200 for one diagonal of up to 32 rows, in nanoseconds.
const STEP_NS: f64 = 250.0;

/// Time of one core for one matrix cell if cells are computed row by row, in nanoseconds.
const CORE_CELL_NS: f64 = 1.3;
/// Time of one core for one matrix cell if cells are computed along diagonals, in nanoseconds.
const CORE_DIAGONAL_CELL_NS: f64 = 3.0;

impl PublishedTask for EditDistance {
    fn solve_by(&self, method: PaperMethod, _cpu: &Cpu, pair: &Pair, options: &JobOptions, run: &Run) -> Result<Solution, Halt> {
        let tick = &mut |steps| run.tick(steps);
        with_symbols!(pair, |x, y| {
            if options.alignment {
                return Ok(aligned(match method {
                    PaperMethod::Sequential => sequential::alignment(x, y, tick)?,
                    PaperMethod::Diagonal => diagonal::alignment(x, y, tick)?,
                    _ => return Err(unknown(method)),
                }));
            }
            let distance = match method {
                PaperMethod::Sequential => sequential::sequential(x, y, tick)?,
                PaperMethod::Diagonal => diagonal::diagonal(x, y, tick)?,
                _ => return Err(unknown(method)),
            };
            Ok(solution(distance.into(), None))
        })
    }

    #[cfg(not(target_family = "wasm"))]
    fn solve_by_cuda(
        &self,
        method: PaperMethod,
        gpu: &Gpu,
        host: &Cpu,
        pair: &Pair,
        options: &JobOptions,
        run: &Run,
    ) -> Result<Solution, Halt> {
        if pair.a_symbols().is_empty() || pair.b_symbols().is_empty() {
            return self.solve_by(method, host, pair, options, run);
        }
        let order = match method {
            PaperMethod::Sequential => MatrixFillOrder::Rows,
            PaperMethod::Diagonal => MatrixFillOrder::Diagonals,
            _ => return Err(unknown(method)),
        };
        with_symbols!(pair, |a, b| {
            // The distance is symmetric, and the shorter text has fewer rows to keep.
            let is_swapped = a.len() > b.len();
            let (x, y) = if is_swapped { (b, a) } else { (a, b) };
            if options.alignment {
                let alignment = cuda::alignment(gpu, [x, y], order, run)?;
                return Ok(aligned(if is_swapped { alignment.swapped() } else { alignment }));
            }
            let matrix = MatrixInput { x, y, ramp: true };
            let distance = match order {
                MatrixFillOrder::Rows => matrix.rows(gpu, run)?[y.len()],
                MatrixFillOrder::Diagonals => matrix.slices(gpu, 1, pair.cells(), false, run)?.least,
            };
            Ok(solution(distance.into(), None))
        })
    }

    fn device_ns(&self, method: PaperMethod, size: &InputSize, options: &JobOptions) -> f64 {
        if method != PaperMethod::Sequential && size.a.min(size.b) > MAX_PATTERN_ON_EVERY_DEVICE {
            return f64::INFINITY;
        }
        let (rows, columns) = (size.a.min(size.b) as f64, size.a.max(size.b) as f64);
        let once = if method == PaperMethod::Sequential { rows * columns * CELL_NS } else { diagonals_ns(rows, rows + columns) };
        match (method, options.alignment) {
            (_, false) => once,
            (PaperMethod::Diagonal, true) => alignment_by_diagonals_ns(rows, columns),
            (_, true) => 2.0 * once,
        }
    }

    fn steps(&self, method: PaperMethod, size: &InputSize, options: &JobOptions) -> (u64, f64) {
        let ns = if method == PaperMethod::Sequential { CORE_CELL_NS } else { CORE_DIAGONAL_CELL_NS };
        // The recursion over both halves computes every cell twice.
        (if options.alignment { size.cells().saturating_mul(2) } else { size.cells() }, ns)
    }
}

/// Returns the time of an H200 for `diagonals` diagonals of `rows` rows each, in nanoseconds.
fn diagonals_ns(rows: f64, diagonals: f64) -> f64 {
    diagonals * STEP_NS * (1.0 + rows / 1400.0)
}

/// Returns the time of an alignment by recursive division in nanoseconds, if the cells of a matrix of `rows` rows and
/// `columns` columns are computed along diagonals. The two halves have half the rows each, but together as many
/// diagonals as the whole. Therefore every level of the recursion has equally many diagonals. The processor solves
/// short parts.
fn alignment_by_diagonals_ns(rows: f64, columns: f64) -> f64 {
    let shortest = 2.0 * MIN_DEVICE_HALF_SYMBOLS as f64;
    let divided = std::iter::successors(Some(rows), |rows| Some(rows / 2.0)).take_while(|rows| *rows >= shortest);
    let on_device: f64 = divided.map(|divided| diagonals_ns(divided / 2.0, 2.0 * columns + rows)).sum();
    on_device + 2.0 * rows.min(shortest) * columns * CORE_DIAGONAL_CELL_NS
}

/// Builds the solution from an optimal alignment.
fn aligned(alignment: Alignment) -> Solution {
    solution(alignment.summary().distance(), Some(alignment))
}
