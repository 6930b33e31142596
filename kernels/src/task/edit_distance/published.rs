//! The edit distance by the methods of paper 000. They keep no way back through the matrix: there is no alignment.

use super::{EditDistance, solution};
use crate::cpu::Cpu;
#[cfg(not(target_family = "wasm"))]
use crate::gpu::Gpu;
use crate::job::{Method, Options};
#[cfg(not(target_family = "wasm"))]
use crate::methods::cuda::fill::Matrix;
use crate::methods::edit_distance::{diagonal::diagonal, sequential::sequential};
use crate::run::{Halt, Run};
use crate::task::by_method::{LONGEST_ON_EVERY_DEVICE, Published, unknown};
use crate::task::{Size, Solution};
use crate::text::Pair;
use crate::with_symbols;

/// Nanoseconds of a cell of one thread, and of a diagonal of up to 32 rows, on an H200.
const CELL_NS: f64 = 60.0;
const STEP_NS: f64 = 250.0;

impl Published for EditDistance {
    fn by(&self, method: Method, _cpu: &Cpu, pair: &Pair, _options: &Options, run: &Run) -> Result<Solution, Halt> {
        let tick = &mut |steps| run.tick(steps);
        let distance = with_symbols!(pair, |x, y| match method {
            Method::Sequential => sequential(x, y, tick)?,
            Method::Diagonal => diagonal(x, y, tick)?,
            _ => return Err(unknown(method)),
        });
        Ok(solution(distance.into(), None))
    }

    #[cfg(not(target_family = "wasm"))]
    fn by_cuda(&self, method: Method, gpu: &Gpu, host: &Cpu, pair: &Pair, options: &Options, run: &Run) -> Result<Solution, Halt> {
        if pair.a_symbols.is_empty() || pair.b_symbols.is_empty() {
            return self.by(method, host, pair, options, run);
        }
        let distance = with_symbols!(pair, |a, b| {
            // The distance is the same from both sides, and the shorter text has fewer rows to keep.
            let (x, y) = if a.len() <= b.len() { (a, b) } else { (b, a) };
            let matrix = Matrix { x, y, ramp: true };
            match method {
                Method::Sequential => matrix.rows(gpu, run)?[y.len()],
                Method::Diagonal => matrix.slices(gpu, 1, pair.cells(), false, run)?.least,
                _ => return Err(unknown(method)),
            }
        });
        Ok(solution(distance.into(), None))
    }

    fn device_ns(&self, method: Method, size: &Size, _options: &Options) -> f64 {
        if method != Method::Sequential && size.a.min(size.b) > LONGEST_ON_EVERY_DEVICE {
            return f64::INFINITY;
        }
        let (rows, columns) = (size.a.min(size.b) as f64, size.a.max(size.b) as f64);
        if method == Method::Sequential { rows * columns * CELL_NS } else { (rows + columns) * STEP_NS * (1.0 + rows / 1400.0) }
    }

    fn steps(&self, method: Method, size: &Size, _options: &Options) -> (u64, f64) {
        (size.cells(), if method == Method::Sequential { 1.3 } else { 3.0 })
    }
}
