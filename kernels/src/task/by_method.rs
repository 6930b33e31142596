//! By method: solves a job by the published algorithm (method) that its options name, on one processor core or on a
//! GPU. Jobs that name no method go to the default engines.
//!
//! The answer is built in the same way from the result of a method and of a default engine. The two answers are
//! therefore equal, except for the choice among several optimal alignments. Hits, alignments of hits and profiles
//! always come from the default engines.

use std::ops::Range;

use super::{DivisibleTask, FinishedSearch, InputSize, JobShare, JoinedShares, SearchTask, Solution, SolvableTask};
use crate::alignment::{Alignment, GapPlacement};
use crate::cpu::Cpu;
use crate::failure::JobFailure;
use crate::found::{Hit, ScoreSpan};
#[cfg(not(target_family = "wasm"))]
use crate::gpu::{Gpu, compile::KernelSource};
use crate::job::{JobOptions, PaperMethod};
use crate::plan::{EngineEffort, JobWork};
use crate::run::{Halt, Run};
use crate::text::Pair;

/// Maximum total size of the bit vectors that a method may allocate, in bytes. A method has one vector for each
/// distinct symbol.
const MAX_MASK_BYTES: u64 = 1 << 30;

/// The solver of a task for which papers 000 to 004 describe algorithms (methods).
pub(super) trait PublishedTask: SolvableTask + DivisibleTask {
    /// Solves the task for `pair` by the published algorithm `method`, on one core.
    ///
    /// # Errors
    /// Returns `Halt` if the run was stopped, and `BadInput` if the task does not have the method.
    fn solve_by(&self, method: PaperMethod, cpu: &Cpu, pair: &Pair, options: &JobOptions, run: &Run) -> Result<Solution, Halt>;

    /// Solves the task like [`solve_by`](Self::solve_by), on the GPU `gpu`. `host` limits the processor cores that may help.
    ///
    /// # Errors
    /// Returns the errors of `solve_by`. Also returns `BadInput` if the method cannot process the texts on a GPU, and
    /// `Engine` if the GPU fails.
    #[cfg(not(target_family = "wasm"))]
    fn solve_by_cuda(
        &self,
        method: PaperMethod,
        gpu: &Gpu,
        host: &Cpu,
        pair: &Pair,
        options: &JobOptions,
        run: &Run,
    ) -> Result<Solution, Halt>;

    /// Returns the expected number of steps of `method` for texts of the lengths in `size`, and the time of one step in
    /// nanoseconds. The time is that of one core of about 2020.
    fn steps(&self, method: PaperMethod, size: &InputSize, options: &JobOptions) -> (u64, f64);

    /// Returns the expected time of `method` on an H200 in nanoseconds, without the start-up time.
    fn device_ns(&self, method: PaperMethod, size: &InputSize, options: &JobOptions) -> f64;
}

/// Maximum number of pattern symbols for which a method that computes diagonals can run on every GPU, because three
/// rows of numbers fit into the shared memory. If no engine is chosen, a job with a longer pattern runs on the
/// processor.
pub(super) const MAX_PATTERN_ON_EVERY_DEVICE: u64 = 2000;

/// Start-up time of a method on a GPU, in nanoseconds, whatever the texts.
const DEVICE_START_NS: f64 = 1e6;

/// A wrapper of the solver `S` of a task. Solves a job by the method that its options name, or by the solver if the
/// options name none.
pub(super) struct MethodDispatch<S>(pub(super) S);

impl<S: PublishedTask> MethodDispatch<S> {
    fn effort(&self, method: PaperMethod, size: &InputSize, options: &JobOptions) -> EngineEffort {
        let (steps, ns) = self.0.steps(method, size, options);
        EngineEffort { cells: steps, cost_cells: 0, overhead_ns: (steps as f64 * ns) as u64 }
    }
}

impl<S: PublishedTask> SolvableTask for MethodDispatch<S> {
    fn work(&self, size: &InputSize, options: &JobOptions) -> JobWork {
        let work = self.0.work(size, options);
        let Some(method) = options.method else { return work };
        let effort = self.effort(method, size, options);
        let device_ns = DEVICE_START_NS + self.0.device_ns(method, size, options);
        JobWork { cpu: effort, cuda: EngineEffort { overhead_ns: device_ns as u64, ..effort }, ..work }
    }

    fn work_for(&self, pair: &Pair, options: &JobOptions) -> JobWork {
        match options.method {
            None => self.0.work_for(pair, options),
            Some(_) => JobWork { is_known: true, ..self.work(&InputSize::from(pair), options) },
        }
    }

    fn benchmark_size(&self, cells: u64) -> (usize, usize) {
        self.0.benchmark_size(cells)
    }

    fn cpu(&self, cpu: &Cpu, pair: &Pair, options: &JobOptions, run: &Run) -> Result<Solution, Halt> {
        let solution = match options.method {
            None => self.0.cpu(cpu, pair, options, run)?,
            Some(method) => {
                run.raise_expected(self.effort(method, &InputSize::from(pair), options).cells);
                self.0.solve_by(method, cpu, pair, options, run)?
            }
        };
        Ok(solution.finish(pair, options)?)
    }

    #[cfg(not(target_family = "wasm"))]
    fn cuda(&self, gpu: &Gpu, host: &Cpu, pair: &Pair, options: &JobOptions, run: &Run) -> Result<Solution, Halt> {
        let solution = match options.method {
            None => self.0.cuda(gpu, host, pair, options, run)?,
            Some(method) => {
                run.raise_expected(self.effort(method, &InputSize::from(pair), options).cells);
                self.0.solve_by_cuda(method, gpu, host, pair, options, run)?
            }
        };
        Ok(solution.finish(pair, options)?)
    }

    fn divisible(&self) -> Option<&dyn DivisibleTask> {
        Some(self)
    }

    fn has_cuda(&self) -> bool {
        self.0.has_cuda()
    }

    #[cfg(not(target_family = "wasm"))]
    fn kernels(&self) -> Vec<KernelSource> {
        self.0.kernels()
    }
}

/// Jobs that name a method are not divided.
impl<S: PublishedTask> DivisibleTask for MethodDispatch<S> {
    fn speedup(&self, pair: &Pair, options: &JobOptions, engines: usize) -> f64 {
        if options.method.is_some() { 1.0 } else { self.0.speedup(pair, options, engines) }
    }

    fn divide(&self, pair: &Pair, options: &JobOptions, engines: usize, run: &Run) -> Result<Vec<JobShare>, Halt> {
        if options.method.is_some() { Ok(Vec::new()) } else { self.0.divide(pair, options, engines, run) }
    }

    fn solve_share(&self, share: &JobShare, pair: &Pair, options: &JobOptions, run: &Run) -> Result<Vec<u8>, Halt> {
        self.0.solve_share(share, pair, options, run)
    }

    fn join(&self, results: Vec<(JobShare, Vec<u8>)>, pair: &Pair, options: &JobOptions, run: &Run) -> Result<JoinedShares, Halt> {
        Ok(match self.0.join(results, pair, options, run)? {
            JoinedShares::Solved(solution) => JoinedShares::Solved(solution.finish(pair, options)?),
            further @ JoinedShares::Further(_) => further,
        })
    }
}

impl<S: PublishedTask + SearchTask> SearchTask for MethodDispatch<S> {
    fn hits(&self, searched: &FinishedSearch, page: Range<u64>, cpu: &Cpu, run: &Run) -> Result<Vec<Hit>, Halt> {
        self.0.hits(searched, page, cpu, run)
    }

    fn align(&self, pair: &Pair, hit: Hit, gaps: GapPlacement, cpu: &Cpu, run: &Run) -> Result<Alignment, Halt> {
        self.0.align(pair, hit, gaps, cpu, run)
    }

    fn offsets(&self, searched: &FinishedSearch) -> Option<u64> {
        self.0.offsets(searched)
    }

    fn profile(&self, searched: &FinishedSearch, offsets: Range<u64>, points: usize, run: &Run) -> Result<Vec<ScoreSpan>, Halt> {
        self.0.profile(searched, offsets, points, run)
    }

    fn counts(&self, searched: &FinishedSearch, run: &Run) -> Result<Vec<u64>, Halt> {
        self.0.counts(searched, run)
    }
}

/// Creates the error for a method that the task does not have.
pub(super) fn unknown(method: PaperMethod) -> Halt {
    JobFailure::bad_input(format!("This task has no method {}.", method.name())).into()
}

/// Checks that bit vectors of `bits` bits, one for each distinct symbol of `pair`, stay within [`MAX_MASK_BYTES`].
///
/// # Errors
/// Returns `BadInput` with the size and the limit.
pub(super) fn check_masks(pair: &Pair, bits: u64) -> Result<(), Halt> {
    let bytes = u64::from(pair.alphabet()).saturating_mul(bits / 8);
    if bytes <= MAX_MASK_BYTES {
        return Ok(());
    }
    let message = format!("This method needs a bit vector for each distinct symbol: {bytes} bytes in all. The limit is {MAX_MASK_BYTES}.");
    Err(JobFailure::bad_input(message).into())
}
