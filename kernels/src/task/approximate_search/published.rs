//! Approximate search by the published algorithms of papers 000 and 003. They compute the distances at all ends, from
//! which the hits are selected.

use super::{ApproximateHits, ApproximateSearch};
use crate::cpu::Cpu;
use crate::found::PositionSet;
#[cfg(not(target_family = "wasm"))]
use crate::gpu::Gpu;
use crate::job::{JobOptions, PaperMethod};
use crate::methods::approximate_search::{diagonal::diagonal, sequential::sequential, slices::slices};
#[cfg(not(target_family = "wasm"))]
use crate::methods::cuda::fill::MatrixInput;
use crate::run::{Halt, Run};
use crate::task::by_method::{MAX_PATTERN_ON_EVERY_DEVICE, PublishedTask, unknown};
use crate::task::{InputSize, Solution};
use crate::text::Pair;
use crate::with_symbols;

/// Default number of slices into which a text is cut (D in papers 000 and 003). It is the best one for most patterns of
/// Table 1 of these papers.
const SLICES: u64 = 128;

/// Time of an H200 for one diagonal of up to 32 rows, in nanoseconds.
const STEP_NS: f64 = 250.0;
/// Time of an H200 for one matrix cell that a single thread computes, in nanoseconds.
const CELL_NS: f64 = 60.0;
/// Number of threads that an H200 runs at the same time.
const DEVICE_THREADS: f64 = 132.0 * 2048.0;

/// Returns the number of slices into which a text is cut: that of `options`, or [`SLICES`].
fn blocks(options: &JobOptions) -> u64 {
    options.blocks.unwrap_or(SLICES).max(1)
}

impl PublishedTask for ApproximateSearch {
    fn solve_by(&self, method: PaperMethod, cpu: &Cpu, pair: &Pair, options: &JobOptions, run: &Run) -> Result<Solution, Halt> {
        let tick = &mut |steps| run.tick(steps);
        let ends = with_symbols!(pair, |x, y| match method {
            PaperMethod::Sequential => sequential(x, y, tick)?,
            PaperMethod::Diagonal => diagonal(x, y, tick)?,
            PaperMethod::Slices => slices(x, y, blocks(options) as usize, tick)?.ends,
            _ => return Err(unknown(method)),
        });
        self.solution(pair, options, hits(&ends.distances, options), cpu, run)
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
        let (cells, _) = self.steps(method, &InputSize::from(pair), options);
        let distances = with_symbols!(pair, |x, y| {
            let matrix = MatrixInput { x, y, ramp: false };
            match method {
                PaperMethod::Sequential => matrix.rows(gpu, run)?,
                PaperMethod::Diagonal => matrix.slices(gpu, 1, cells, true, run)?.ends,
                PaperMethod::Slices => matrix.slices(gpu, blocks(options) as usize, cells, true, run)?.ends,
                _ => return Err(unknown(method)),
            }
        });
        self.solution(pair, options, hits(&distances, options), host, run)
    }

    fn device_ns(&self, method: PaperMethod, size: &InputSize, options: &JobOptions) -> f64 {
        if method != PaperMethod::Sequential && size.a > MAX_PATTERN_ON_EVERY_DEVICE {
            return f64::INFINITY;
        }
        let (m, n) = (size.a as f64, size.b as f64);
        // One diagonal takes `STEP_NS`, and more for each warp beyond the first.
        let diagonal = |blocks: f64| (n / blocks + 3.0 * m) * STEP_NS * (1.0 + m / 1400.0) * (blocks * m / DEVICE_THREADS).max(1.0);
        match method {
            PaperMethod::Slices => diagonal(blocks(options) as f64),
            PaperMethod::Diagonal => diagonal(1.0),
            _ => m * n * CELL_NS,
        }
    }

    fn steps(&self, method: PaperMethod, size: &InputSize, options: &JobOptions) -> (u64, f64) {
        let overlap = if size.b > 2 * size.a { 2 * size.a * (blocks(options) - 1).min(size.b - 2 * size.a) } else { 0 };
        match method {
            PaperMethod::Sequential => (size.cells(), 1.3),
            PaperMethod::Slices => (size.a.saturating_mul(size.b.saturating_add(overlap)), 3.0),
            _ => (size.cells(), 3.0),
        }
    }
}

/// Selects the hits, given the distance at each end position of the text.
fn hits(distances: &[u32], options: &JobOptions) -> ApproximateHits {
    let least = distances.iter().copied().min().unwrap_or_default();
    let most = options.max_distance.unwrap_or(least.into());
    let mut ends = Vec::new();
    // Whether the last change of the distance before this end was a fall, or there was none.
    let mut is_descending = true;
    for (end, distance) in distances.iter().enumerate() {
        if let Some(before) = end.checked_sub(1).map(|before| distances[before]).filter(|before| before != distance) {
            is_descending = before > *distance;
        }
        let is_lowest = is_descending && distances.get(end + 1).is_none_or(|after| after > distance);
        if u64::from(*distance) <= most && (is_lowest || !options.local_minima) {
            ends.push(end);
        }
    }
    let distance = ends.iter().map(|end| u64::from(distances[*end])).min();
    let total = ends.len() as u64;
    let positions = if options.count_only { Vec::new() } else { ends.into_iter().map(|end| end as u64).collect() };
    ApproximateHits { distance, total, positions: PositionSet::from_list(positions) }
}
