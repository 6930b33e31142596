//! The longest common subsequence by the published algorithms of paper 001: its length alone in one table, the
//! subsequence itself by recursion.

use super::{Lcs, solution};
use crate::alignment::{Alignment, EditKind};
use crate::cpu::Cpu;
#[cfg(not(target_family = "wasm"))]
use crate::gpu::Gpu;
use crate::job::{JobOptions, PaperMethod};
#[cfg(not(target_family = "wasm"))]
use crate::methods::cuda::lcs::{self as cuda, LcsFillMethod, LcsTexts};
use crate::methods::lcs::bit_parallel_blocks::{MIN_BLOCK_TABLE_SYMBOLS, bit_parallel_blocks};
use crate::methods::lcs::{MatchedPositions, bit_parallel, bit_parallel_blocks as blocks, hirschberg};
use crate::run::{Halt, Run};
use crate::task::by_method::{PublishedTask, check_masks, unknown};
use crate::task::{InputSize, Solution};
use crate::text::Pair;
use crate::with_symbols;

/// Time of an H200 for one matrix cell, or one machine word of cells, that a single thread computes, in nanoseconds.
const CELL_NS: f64 = 60.0;
/// Time of an H200 for one launch of the kernel, in nanoseconds.
const CALL_NS: f64 = 500_000.0;
/// Time of an H200 for one column of 1,024 rows if blocks of threads fill the GPU, in nanoseconds.
const BLOCK_NS: f64 = 0.1;

impl PublishedTask for Lcs {
    fn solve_by(&self, method: PaperMethod, _cpu: &Cpu, pair: &Pair, options: &JobOptions, run: &Run) -> Result<Solution, Halt> {
        let tick = &mut |steps| run.tick(steps);
        if method != PaperMethod::Hirschberg {
            check_masks(pair, pair.a_symbols().len() as u64)?;
        }
        with_symbols!(pair, |a, b| {
            if !options.alignment {
                let length = match method {
                    PaperMethod::Hirschberg => hirschberg::length(a, b, tick)?,
                    PaperMethod::BitParallel => bit_parallel::length(a, b, tick)?,
                    PaperMethod::BitParallelBlocks => blocks::length(a, b, tick)?,
                    _ => return Err(unknown(method)),
                };
                return Ok(solution(length.into(), None));
            }
            let matches = match method {
                PaperMethod::Hirschberg => hirschberg::hirschberg(a, b, tick)?,
                PaperMethod::BitParallel => bit_parallel::bit_parallel(a, b, tick)?,
                PaperMethod::BitParallelBlocks => bit_parallel_blocks(a, b, MIN_BLOCK_TABLE_SYMBOLS, tick)?,
                _ => return Err(unknown(method)),
            };
            Ok(solution(matches.len() as u64, Some(aligned(&matches, a.len(), b.len()))))
        })
    }

    #[cfg(not(target_family = "wasm"))]
    fn solve_by_cuda(
        &self,
        method: PaperMethod,
        gpu: &Gpu,
        _host: &Cpu,
        pair: &Pair,
        options: &JobOptions,
        run: &Run,
    ) -> Result<Solution, Halt> {
        let filling = match method {
            PaperMethod::Hirschberg => LcsFillMethod::Cells,
            PaperMethod::BitParallel => LcsFillMethod::Words,
            PaperMethod::BitParallelBlocks => LcsFillMethod::Blocks,
            _ => return Err(unknown(method)),
        };
        if filling != LcsFillMethod::Cells {
            check_masks(pair, pair.a_symbols().len() as u64)?;
        }
        with_symbols!(pair, |a, b| {
            let texts = LcsTexts { a, b, alphabet: pair.alphabet() };
            if !options.alignment {
                return Ok(solution(cuda::length(gpu, texts, filling, run)?.into(), None));
            }
            let matches = cuda::matches(gpu, texts, filling, run)?;
            Ok(solution(matches.len() as u64, Some(aligned(&matches, a.len(), b.len()))))
        })
    }

    fn device_ns(&self, method: PaperMethod, size: &InputSize, options: &JobOptions) -> f64 {
        let (m, n) = (size.a as f64, size.b as f64);
        let once = match method {
            PaperMethod::BitParallel => (m / 32.0).ceil() * n * CELL_NS,
            // Launches for 1,024 columns each, one after another, plus the work that fills the GPU.
            PaperMethod::BitParallelBlocks => ((m + n) / 1024.0).ceil() * CALL_NS + (m / 1024.0).ceil() * n * BLOCK_NS,
            _ => m * n * CELL_NS,
        };
        if options.alignment { 2.0 * once } else { once }
    }

    fn steps(&self, method: PaperMethod, size: &InputSize, options: &JobOptions) -> (u64, f64) {
        let words = |bits: u64, words: u64| (words * size.a.div_ceil(bits)).saturating_mul(size.b);
        let (steps, ns) = match method {
            PaperMethod::BitParallel => (words(64, 1), 1.6),
            PaperMethod::BitParallelBlocks => (words(1024, 32), 8.9),
            _ => (size.cells(), 0.9),
        };
        // The recursion over both halves computes every cell twice.
        (if options.alignment { steps.saturating_mul(2) } else { steps }, ns)
    }
}

/// Builds the alignment of two texts of `m` and `n` symbols whose equal columns are the pairs of positions in
/// `matches`.
fn aligned(matches: &MatchedPositions, m: usize, n: usize) -> Alignment {
    let mut alignment = Alignment::default();
    let (mut i, mut j) = (0, 0);
    for &(next_i, next_j) in matches {
        alignment.push(EditKind::Delete, (next_i - i) as u64);
        alignment.push(EditKind::Insert, (next_j - j) as u64);
        alignment.push(EditKind::Equal, 1);
        (i, j) = (next_i + 1, next_j + 1);
    }
    alignment.push(EditKind::Delete, (m - i) as u64);
    alignment.push(EditKind::Insert, (n - j) as u64);
    alignment
}
