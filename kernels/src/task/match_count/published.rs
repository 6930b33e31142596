//! Match count by the published algorithms of paper 002.

use super::{MatchCount, cpu};
use crate::cpu::Cpu;
#[cfg(not(target_family = "wasm"))]
use crate::gpu::Gpu;
use crate::job::{JobOptions, PaperMethod};
#[cfg(not(target_family = "wasm"))]
use crate::methods::cuda::match_count as cuda;
use crate::methods::match_count::naive::naive;
use crate::methods::match_count::parallel_shift_add::parallel_shift_add;
use crate::methods::match_count::shift_add::{fields, shift_add};
use crate::run::{Halt, Run};
use crate::task::by_method::{PublishedTask, check_masks, unknown};
use crate::task::{InputSize, Solution};
use crate::text::Pair;
use crate::with_symbols;

/// Time in which one thread of an H200 compares two symbols or processes one machine word, in nanoseconds.
const STEP_NS: f64 = 60.0;

impl PublishedTask for MatchCount {
    fn solve_by(&self, method: PaperMethod, _cpu: &Cpu, pair: &Pair, options: &JobOptions, run: &Run) -> Result<Solution, Halt> {
        let tick = &mut |steps| run.tick(steps);
        let m = pair.a_symbols().len();
        if method == PaperMethod::ShiftAdd {
            check_masks(pair, (m * fields(m)) as u64)?;
        }
        let scores = with_symbols!(pair, |p, t| match method {
            PaperMethod::Naive => naive(p, t, tick)?,
            PaperMethod::ShiftAdd => shift_add(p, t, tick)?,
            PaperMethod::ParallelShiftAdd => parallel_shift_add(p, t, tick)?,
            _ => return Err(unknown(method)),
        });
        cpu::solution_of_scores(m, &scores, options, run)
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
        if method == PaperMethod::ShiftAdd {
            check_masks(pair, (m * fields(m)) as u64)?;
        }
        let scores = with_symbols!(pair, |p, t| match method {
            PaperMethod::Naive => cuda::naive(gpu, p, t, run)?,
            PaperMethod::ShiftAdd => cuda::shift_add(gpu, p, t, pair.alphabet(), run)?,
            PaperMethod::ParallelShiftAdd => cuda::parallel_shift_add(gpu, p, t, run)?,
            _ => return Err(unknown(method)),
        });
        cpu::solution_of_scores(m, &scores, options, run)
    }

    fn device_ns(&self, method: PaperMethod, size: &InputSize, _options: &JobOptions) -> f64 {
        let (m, n) = (size.a as f64, size.b as f64);
        match method {
            PaperMethod::ShiftAdd => (m * fields(size.a as usize) as f64 / 32.0).ceil() * n * STEP_NS,
            PaperMethod::ParallelShiftAdd => (m / 32.0).ceil() * n * STEP_NS,
            _ => m * (n - m).max(0.0) * STEP_NS,
        }
    }

    fn steps(&self, method: PaperMethod, size: &InputSize, _options: &JobOptions) -> (u64, f64) {
        let bits = |bits: u64| bits.div_ceil(64).saturating_mul(size.b);
        match method {
            PaperMethod::ShiftAdd => (bits(size.a * fields(size.a as usize) as u64), 1.6),
            PaperMethod::ParallelShiftAdd => (bits(size.a).saturating_mul(size.alphabet.min(size.a)), 1.2),
            _ => (size.a.saturating_mul((size.b + 1).saturating_sub(size.a)), 0.5),
        }
    }
}
