//! The solver of the task `sequence-alignment`.

use super::super::{InputSize, Solution, SolvableTask};
use super::answer::solution;
use super::engine::effort::{EffortRequest, cuda_effort, effort, effort_of};
use super::engine::{self, AlignmentModel};
use super::pieces::{of_all_pieces, with_next_on_host, with_next_pieces};
use crate::cpu::Cpu;
use crate::failure::JobFailure;
use crate::job::{JobOptions, Task};
use crate::pair::cpu::PairOutput;
use crate::plan::JobWork;
use crate::run::{Halt, Run};
use crate::text::Pair;
use crate::with_symbols;

#[cfg(not(target_family = "wasm"))]
use super::engine::cuda::DevicePasses;
#[cfg(not(target_family = "wasm"))]
use crate::gpu::{Gpu, compile::KernelSource};

/// The solver of the task `sequence-alignment`.
pub struct SequenceAlignment;

impl SolvableTask for SequenceAlignment {
    fn work(&self, size: &InputSize, options: &JobOptions) -> JobWork {
        let request = EffortRequest::of(options);
        let cpu = effort(size.a, size.b, size.alphabet, &request);
        let cpu = of_all_pieces(cpu, size.cells(), options);
        let cuda = with_next_on_host(cuda_effort(size.a, size.b, &request), cpu, options);
        JobWork { cpu, cuda, ..size.work(Task::SequenceAlignment, size.cells(), 1) }
    }

    fn work_for(&self, pair: &Pair, options: &JobOptions) -> JobWork {
        let work = self.work(&InputSize::from(pair), options);
        let known = || -> Result<JobWork, JobFailure> {
            let cpu = with_symbols!(pair, |a, b| effort_of(a, b, pair.alphabet(), &EffortRequest::of(options)));
            Ok(JobWork { cpu: of_all_pieces(cpu, pair.cells(), options), is_known: true, ..work })
        };
        // The run itself will report the error.
        known().unwrap_or(work)
    }

    fn benchmark_size(&self, cells: u64) -> (usize, usize) {
        (cells.isqrt() as usize, cells.isqrt() as usize)
    }

    fn cpu(&self, cpu: &Cpu, pair: &Pair, options: &JobOptions, run: &Run) -> Result<Solution, Halt> {
        let scoring = options.scoring();
        let model = AlignmentModel::new(&scoring, pair)?;
        let want = if options.alignment { PairOutput::Alignment } else { PairOutput::Distance };
        let best = with_symbols!(pair, |a, b| engine::solve(a, b, &model, want, cpu, run)?);
        let solution = solution(best, pair, Some(options.gaps), (&scoring, &model))?;
        with_next_pieces(solution, pair, (&scoring, &model), options, cpu, run)
    }

    fn has_cuda(&self) -> bool {
        true
    }

    #[cfg(not(target_family = "wasm"))]
    fn kernels(&self) -> Vec<KernelSource> {
        engine::cuda::variants().collect()
    }

    #[cfg(not(target_family = "wasm"))]
    fn cuda(&self, gpu: &Gpu, host: &Cpu, pair: &Pair, options: &JobOptions, run: &Run) -> Result<Solution, Halt> {
        let scoring = options.scoring();
        let model = AlignmentModel::new(&scoring, pair)?;
        let want = if options.alignment { PairOutput::Alignment } else { PairOutput::Distance };
        let device = DevicePasses::new(gpu);
        let best = with_symbols!(pair, |a, b| engine::solve_on(device, [a, b], &model, want, host, run)?);
        let solution = solution(best, pair, Some(options.gaps), (&scoring, &model))?;
        with_next_pieces(solution, pair, (&scoring, &model), options, host, run)
    }
}
