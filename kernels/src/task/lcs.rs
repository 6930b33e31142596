//! Longest common subsequence of `a` and `b`: its length, one such subsequence and its alignment (paper 001).
//!
//! ```text
//! L[0, j] = L[i, 0] = 0
//! L[i, j] = L[i−1, j−1] + 1                 if a[i] = b[j]
//!         = max(L[i−1, j],  L[i, j−1])      otherwise
//! ```
//!
//! The alignment has no substitutions. Its equal columns are the subsequence, so that m + n − 2·length columns are not
//! equal. The longest common subsequence with an empty text is empty.
//!
//! With `ambiguity`, letters stand for sets of bases (`ambiguous`). On a GPU, the alignment with the most columns of letters
//! that match is one with the highest score.
//!
//! - [`cpu`]: the fast engine on the CPU
//! - [`cuda`]: one persistent kernel launch over the whole pair
//! - `published`: the published algorithms of paper 001

use super::halves::{self, HalvedTexts, JoinedHalves};
use super::shares::ShareKind;
#[cfg(not(target_family = "wasm"))]
use super::solver;
use super::{DivisibleTask, InputSize, JobShare, JoinedShares, Solution, SolvableTask, ambiguous};
use crate::alignment::Alignment;
use crate::cpu::Cpu;
use crate::event::TaskAnswer;
use crate::failure::JobFailure;
#[cfg(not(target_family = "wasm"))]
use crate::gpu::{Gpu, compile::KernelSource};
use crate::job::{JobOptions, Task};
use crate::pair::cpu::PairOutput;
use crate::pair::cpu::recurrence::lcs::HyyroRecurrence;
use crate::pair::effort::{PairEfforts, PairMethod, efforts};
use crate::plan::JobWork;
use crate::run::{Halt, Run};
use crate::text::Pair;
use crate::with_symbols;

pub(crate) use cpu::solve;

mod cpu;
#[cfg(not(target_family = "wasm"))]
pub mod cuda;
mod published;

/// The solver of the task `lcs`.
pub struct Lcs;

impl SolvableTask for Lcs {
    fn work(&self, size: &InputSize, options: &JobOptions) -> JobWork {
        if options.ambiguity {
            return ambiguous::work(Task::Lcs, size, options);
        }
        size.work(Task::Lcs, size.cells(), if options.alignment { 2 } else { 1 })
    }

    fn work_for(&self, pair: &Pair, options: &JobOptions) -> JobWork {
        if options.ambiguity {
            return ambiguous::work_for(Task::Lcs, pair, options);
        }
        let method = PairMethod {
            substitutes: false,
            compares_equal: true,
            aligned: options.alignment,
            max_searched_edits: cpu::few_edits,
            diagonals: 0.5,
            limit: None,
        };
        let work = self.work(&InputSize::from(pair), options);
        let known = || -> Result<JobWork, JobFailure> {
            let PairEfforts { cpu, cuda } = with_symbols!(pair, |a, b| efforts(a, b, pair.alphabet(), method));
            Ok(JobWork { cpu, cuda, is_known: true, ..work })
        };
        // The run itself will report the error.
        known().unwrap_or(work)
    }

    fn benchmark_size(&self, cells: u64) -> (usize, usize) {
        (cells.isqrt() as usize, cells.isqrt() as usize)
    }

    fn cpu(&self, cpu: &Cpu, pair: &Pair, options: &JobOptions, run: &Run) -> Result<Solution, Halt> {
        if !pair.symbol_match.is_equality() {
            return ambiguous::solve_on_cpu(Task::Lcs, cpu, pair, options, run);
        }
        let want = if options.alignment { PairOutput::Alignment } else { PairOutput::Distance };
        let (length, alignment) = with_symbols!(pair, |a, b| cpu::solve(a, b, pair.alphabet(), want.into(), cpu, run)?);
        Ok(solution(length, alignment))
    }

    fn has_cuda(&self) -> bool {
        true
    }

    #[cfg(not(target_family = "wasm"))]
    fn kernels(&self) -> Vec<KernelSource> {
        cuda::variants()
    }

    #[cfg(not(target_family = "wasm"))]
    fn cuda(&self, gpu: &Gpu, host: &Cpu, pair: &Pair, options: &JobOptions, run: &Run) -> Result<Solution, Halt> {
        if !pair.symbol_match.is_equality() {
            let align = |options: &JobOptions| solver(Task::SequenceAlignment).cuda(gpu, host, pair, options, run);
            return ambiguous::solve(Task::Lcs, pair, options, align);
        }
        let want = if options.alignment { PairOutput::Alignment } else { PairOutput::Distance };
        let (cost, alignment) =
            with_symbols!(pair, |a, b| crate::pair::cuda::solve::<cuda::DeviceLcs, _>(gpu, [a, b], pair.alphabet(), want, run)?);
        Ok(solution(cost.unsigned_abs(), alignment))
    }
}

/// Jobs with ambiguity codes are not divided.
impl DivisibleTask for Lcs {
    fn speedup(&self, pair: &Pair, options: &JobOptions, engines: usize) -> f64 {
        if engines < 2 || !pair.symbol_match.is_equality() {
            return 1.0;
        }
        halves::speedup(self.work_for(pair, options).cpu.cost_cells, pair.cells(), options.alignment)
    }

    fn divide(&self, pair: &Pair, _options: &JobOptions, engines: usize, run: &Run) -> Result<Vec<JobShare>, Halt> {
        if !pair.symbol_match.is_equality() {
            return Ok(Vec::new());
        }
        with_symbols!(pair, |a, b| HalvedTexts::new(a, b).divide::<HyyroRecurrence, 1>(engines, run))
    }

    fn solve_share(&self, share: &JobShare, pair: &Pair, _options: &JobOptions, run: &Run) -> Result<Vec<u8>, Halt> {
        with_symbols!(pair, |a, b| {
            let texts = HalvedTexts::new(a, b);
            if share.kind != ShareKind::Align {
                return texts.solve_half::<HyyroRecurrence, 1>(share, run);
            }
            let [rows, columns] = texts.part(share)?;
            let (_, alignment) = cpu::solve(rows, columns, pair.alphabet(), PairOutput::Alignment.into(), &Cpu::SINGLE, run)?;
            Ok(halves::encode(&alignment.unwrap_or_default()))
        })
    }

    fn join(&self, results: Vec<(JobShare, Vec<u8>)>, pair: &Pair, options: &JobOptions, _run: &Run) -> Result<JoinedShares, Halt> {
        let want = if options.alignment { PairOutput::Alignment } else { PairOutput::Distance };
        let (joined, [equal, symbols]) = with_symbols!(pair, |a, b| {
            let texts = HalvedTexts::new(a, b);
            (texts.join(&results, want)?, texts.symbols())
        });
        Ok(match joined {
            JoinedHalves::Solved(distance, alignment) => {
                JoinedShares::Solved(solution(equal + symbols.saturating_sub(distance) / 2, alignment))
            }
            JoinedHalves::Further(shares) => JoinedShares::Further(shares),
        })
    }
}

fn solution(length: u64, alignment: Option<Alignment>) -> Solution {
    let summary = alignment.as_ref().map(Alignment::summary);
    Solution { answer: TaskAnswer::Lcs { length, alignment: summary }, alignment, found: None }
}
