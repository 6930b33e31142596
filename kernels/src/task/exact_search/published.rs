//! Exact search by the published algorithms of paper 004.

use super::{ExactSearch, solution};
use crate::cpu::Cpu;
use crate::found::PositionSet;
#[cfg(not(target_family = "wasm"))]
use crate::gpu::Gpu;
use crate::job::{JobOptions, PaperMethod};
#[cfg(not(target_family = "wasm"))]
use crate::methods::cuda::exact_search::{self as cuda, ExactSearchVariant};
use crate::methods::exact_search::{kmp::kmp, kmp_blocks::kmp_blocks, naive::naive};
use crate::run::{Halt, Run};
use crate::task::by_method::{PublishedTask, unknown};
use crate::task::{InputSize, Solution};
use crate::text::Pair;
use crate::with_symbols;

/// Time in which one thread of an H200 processes one symbol, in nanoseconds.
const ROUND_NS: f64 = 150.0;
/// Number of threads that an H200 runs at the same time.
const DEVICE_THREADS: f64 = 132.0 * 2048.0;

impl PublishedTask for ExactSearch {
    fn solve_by(&self, method: PaperMethod, _cpu: &Cpu, pair: &Pair, options: &JobOptions, run: &Run) -> Result<Solution, Halt> {
        let tick = &mut |steps| run.tick(steps);
        let positions = with_symbols!(pair, |p, s| match method {
            PaperMethod::Naive => naive(p, s, tick)?,
            PaperMethod::Kmp => kmp(p, s, tick)?,
            PaperMethod::KmpBlocks => kmp_blocks(p, s, tick)?,
            _ => return Err(unknown(method)),
        });
        let total = positions.len() as u64;
        let kept = if options.count_only { Vec::new() } else { positions.into_iter().map(|at| at as u64).collect() };
        Ok(solution(total, PositionSet::from_list(kept), options))
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
        let m = pair.a_symbols().len();
        if m == 0 || m > pair.b_symbols().len() {
            return self.solve_by(method, host, pair, options, run);
        }
        let way = match method {
            PaperMethod::Naive => ExactSearchVariant::Naive,
            PaperMethod::Kmp => ExactSearchVariant::Kmp,
            PaperMethod::KmpBlocks => ExactSearchVariant::Pieces,
            _ => return Err(unknown(method)),
        };
        let (cells, _) = self.steps(method, &InputSize::from(pair), options);
        let (total, positions) = with_symbols!(pair, |p, s| cuda::search(gpu, p, s, way, cells, run)?);
        let kept = if options.count_only { PositionSet::default() } else { positions };
        Ok(solution(total, kept, options))
    }

    fn device_ns(&self, method: PaperMethod, size: &InputSize, _options: &JobOptions) -> f64 {
        let (m, n) = (size.a.max(1) as f64, size.b as f64);
        // Pieces of 2m symbols, processed in rounds if there are more pieces than threads.
        let pieces = (n / m / DEVICE_THREADS).max(1.0) * 2.0 * m;
        ROUND_NS * if method == PaperMethod::KmpBlocks { pieces } else { n }
    }

    /// Returns the expected number of steps, and the time of one step in nanoseconds. For the naive method this is not
    /// the greatest number, because comparisons mostly end after the first symbol.
    fn steps(&self, method: PaperMethod, size: &InputSize, _options: &JobOptions) -> (u64, f64) {
        (
            if method == PaperMethod::KmpBlocks { size.b.saturating_mul(2) } else { size.b },
            if method == PaperMethod::Naive { 2.0 } else { 4.2 },
        )
    }
}
