//! Engine: the closed list of engines that solve jobs.

use crate::collection::{AnswerLimits, Collection, CollectionAnswer, CollectionQuestion, PatternCollection, PatternHits, RowSteps};
pub use crate::cpu::Cpu;
use crate::cpu::vector_bits;
use crate::job::{JobOptions, Task};
use crate::plan::{DeviceMemory, EngineName};
use crate::run::{Halt, Run};
use crate::task::{Solution, solver};
use crate::text::Pair;

#[cfg(not(target_family = "wasm"))]
use crate::gpu::{compile::KernelSource, device_recovery::RecoverableGpu};

/// An engine that solves jobs. The choice of the engine never changes an answer, except that engines may find different
/// alignments of the same score.
#[derive(Debug)]
pub enum Engine {
    /// The processor, on several threads.
    Cpu(Cpu),
    /// A GPU with CUDA.
    #[cfg(not(target_family = "wasm"))]
    Cuda(RecoverableGpu),
}

/// The hardware that one run may use on an engine. Both numbers are zero for a GPU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EngineHardware {
    /// Number of threads of the processor.
    pub threads: u64,
    /// Width in bits of a vector instruction of each thread.
    pub vector_bits: u64,
}

impl Engine {
    /// Returns the kind of the engine, CPU or CUDA.
    pub fn name(&self) -> EngineName {
        match self {
            Self::Cpu(_) => EngineName::Cpu,
            #[cfg(not(target_family = "wasm"))]
            Self::Cuda(_) => EngineName::Cuda,
        }
    }

    /// Returns a description for people, such as "cpu, 2 threads".
    pub fn name_in_words(&self) -> String {
        match self {
            Self::Cpu(cpu) => format!("cpu, {} {}", cpu.threads, if cpu.threads == 1 { "thread" } else { "threads" }),
            #[cfg(not(target_family = "wasm"))]
            Self::Cuda(gpu) => format!("cuda, {}", gpu.name()),
        }
    }

    /// Returns the number of threads and the vector width in bits that one run may use. Both are 0 for a GPU.
    pub fn machine(&self) -> EngineHardware {
        match self {
            Self::Cpu(cpu) => EngineHardware { threads: cpu.threads as u64, vector_bits: vector_bits() },
            #[cfg(not(target_family = "wasm"))]
            Self::Cuda(_) => EngineHardware::default(),
        }
    }

    /// Returns the free and the total memory of the engine's GPU, in bytes. Returns `None` for the CPU, and for a GPU
    /// that does not answer.
    pub fn device_memory(&self) -> Option<DeviceMemory> {
        match self {
            Self::Cpu(_) => None,
            #[cfg(not(target_family = "wasm"))]
            Self::Cuda(gpu) => gpu.memory(),
        }
    }

    /// Returns whether this engine supports `task`.
    pub fn solves(&self, task: Task) -> bool {
        self.name() == EngineName::Cpu || solver(task).has_cuda()
    }

    /// Returns whether a GPU failed and could not be reopened. No job works on it until an attempt to reopen it
    /// succeeds. Always `false` for the CPU.
    pub fn is_gone(&self) -> bool {
        match self {
            Self::Cpu(_) => false,
            #[cfg(not(target_family = "wasm"))]
            Self::Cuda(gpu) => gpu.is_gone(),
        }
    }

    /// Compiles the kernels of a GPU in the background, the most common ones first, on `threads` threads. Returns
    /// immediately. Does nothing for the CPU.
    ///
    /// Dropping the engine waits up to two seconds for compilations in progress. A process that exits without dropping
    /// the engine may abort.
    #[cfg(not(target_family = "wasm"))]
    pub fn prepare(&self, threads: usize) {
        match self {
            Self::Cpu(_) => {}
            Self::Cuda(gpu) => {
                let mut kernels: Vec<KernelSource> = Task::ALL.into_iter().flat_map(|task| solver(task).kernels()).collect();
                // Kernels that need no bit planes, and kernels for DNA (two planes), come first.
                kernels.sort_by_key(|kernel| !matches!(kernel.planes(), 0 | 2));
                kernels.extend(crate::collection::cuda_kernels());
                kernels.extend(crate::methods::cuda::variants());
                gpu.prepare(kernels, threads);
            }
        }
    }

    /// Solves one job and reports progress through `run`. Returns when the job is done, stopped or failed.
    ///
    /// # Errors
    /// Returns `Halt::Stopped` if the observer of the run stops it, and `Halt::Failed` if the job has no answer.
    ///
    /// ```
    /// use kernels::engine::{Cpu, Engine};
    /// use kernels::event::TaskAnswer;
    /// use kernels::job::{JobOptions, Task};
    /// use kernels::run::{NoObserver, Run};
    /// use kernels::text::{Pair, ReadingOptions};
    ///
    /// let pair = Pair::parse(&b"kitten"[..], &b"sitting"[..], &ReadingOptions::default()).unwrap();
    /// let solution = Engine::Cpu(Cpu::SINGLE).run(Task::EditDistance, &JobOptions::default(), &pair, &Run::new(&NoObserver)).unwrap();
    /// assert_eq!(solution.alignment.unwrap().to_string(), "1X3=1X1=1I");
    /// ```
    pub fn run(&self, task: Task, options: &JobOptions, pair: &Pair, run: &Run) -> Result<Solution, Halt> {
        match self {
            Self::Cpu(cpu) => solver(task).cpu(cpu, pair, options, run),
            #[cfg(not(target_family = "wasm"))]
            Self::Cuda(gpu) => gpu.lend(run, |lent| solver(task).cuda(lent, &Cpu::all_cores(), pair, options, run)),
        }
    }

    /// Answers `question` about `collection`, within `limits`, and reports progress through `run`. Continues after the
    /// rows that `steps` has, and calls it after further ones.
    ///
    /// # Errors
    /// Returns `Halt::Stopped` if the observer of the run stops it, and `Halt::Failed` if there is no answer.
    pub fn compare(
        &self,
        question: &CollectionQuestion,
        collection: &Collection,
        limits: &AnswerLimits,
        steps: &mut RowSteps,
        run: &Run,
    ) -> Result<CollectionAnswer, Halt> {
        match self {
            Self::Cpu(cpu) => question.solve_in_steps(collection, limits, cpu, steps, run),
            #[cfg(not(target_family = "wasm"))]
            Self::Cuda(gpu) => gpu.lend(run, |lent| question.solve_on(lent, collection, limits, &Cpu::all_cores(), steps, run)),
        }
    }

    /// Searches for all patterns of `patterns`, for at most `max_hits` hits, and reports progress through `run`.
    ///
    /// # Errors
    /// Returns the errors of [`PatternCollection::solve`], and `Engine` if a GPU fails.
    pub fn find(&self, patterns: &PatternCollection, max_hits: u64, run: &Run) -> Result<Vec<PatternHits>, Halt> {
        match self {
            Self::Cpu(cpu) => patterns.solve(max_hits, cpu, run),
            #[cfg(not(target_family = "wasm"))]
            Self::Cuda(_) if !patterns.is_for_gpu() => patterns.solve(max_hits, &Cpu::all_cores(), run),
            #[cfg(not(target_family = "wasm"))]
            Self::Cuda(gpu) => gpu.lend(run, |lent| patterns.solve_on(lent, max_hits, &Cpu::all_cores(), run)),
        }
    }
}
