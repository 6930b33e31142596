//! Engine: what computes. The one list of engines.

pub use crate::cpu::Cpu;
use crate::cpu::vector_bits;
use crate::job::{Options, Task};
use crate::plan::{DeviceMemory, EngineName};
use crate::run::{Halt, Run};
use crate::task::{Solution, solver};
use crate::text::Pair;

#[cfg(not(target_family = "wasm"))]
use crate::gpu::{compile::KernelSource, device_recovery::RecoverableGpu};

/// Something that solves jobs. Which one is chosen never changes an answer.
#[derive(Debug)]
pub enum Engine {
    /// The processor.
    Cpu(Cpu),
    /// A CUDA device.
    #[cfg(not(target_family = "wasm"))]
    Cuda(RecoverableGpu),
}

/// What a run may use of a machine; zeros where the engine has no such parts, as a CUDA device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Machine {
    /// Threads.
    pub threads: u64,
    /// Bits that one instruction of each works on.
    pub vector_bits: u64,
}

impl Engine {
    /// Its name.
    pub fn name(&self) -> EngineName {
        match self {
            Self::Cpu(_) => EngineName::Cpu,
            #[cfg(not(target_family = "wasm"))]
            Self::Cuda(_) => EngineName::Cuda,
        }
    }

    /// Its name for people: "cpu, 2 threads".
    pub fn name_in_words(&self) -> String {
        match self {
            Self::Cpu(cpu) => format!("cpu, {} threads", cpu.threads),
            #[cfg(not(target_family = "wasm"))]
            Self::Cuda(gpu) => format!("cuda, {}", gpu.name()),
        }
    }

    /// What one run has of the machine.
    pub fn machine(&self) -> Machine {
        match self {
            Self::Cpu(cpu) => Machine { threads: cpu.threads as u64, vector_bits: vector_bits() },
            #[cfg(not(target_family = "wasm"))]
            Self::Cuda(_) => Machine::default(),
        }
    }

    /// Memory of its device, in bytes; none of an engine that computes in the machine's own, or of a device that does not answer.
    pub fn device_memory(&self) -> Option<DeviceMemory> {
        match self {
            Self::Cpu(_) => None,
            #[cfg(not(target_family = "wasm"))]
            Self::Cuda(gpu) => gpu.memory(),
        }
    }

    /// Whether it has this task.
    pub fn solves(&self, task: Task) -> bool {
        self.name() == EngineName::Cpu || solver(task).has_cuda()
    }

    /// Whether its device is gone: no job works until somebody brings it back.
    pub fn is_gone(&self) -> bool {
        match self {
            Self::Cpu(_) => false,
            #[cfg(not(target_family = "wasm"))]
            Self::Cuda(gpu) => gpu.is_gone(),
        }
    }

    /// Makes ready in the background what jobs would wait for later: a device's kernels, the most usual ones first, compiled on so
    /// many threads. Returns at once. Dropping the engine waits for those that are under way, up to two seconds; a process that ends
    /// without that may abort.
    #[cfg(not(target_family = "wasm"))]
    pub fn prepare(&self, threads: usize) {
        match self {
            Self::Cpu(_) => {}
            Self::Cuda(gpu) => {
                let mut kernels: Vec<KernelSource> = Task::ALL.into_iter().flat_map(|task| solver(task).kernels()).collect();
                // Those that count no planes, and those for DNA, come first.
                kernels.sort_by_key(|kernel| !matches!(kernel.planes(), 0 | 2));
                kernels.extend(crate::methods::cuda::variants());
                gpu.prepare(kernels, threads);
            }
        }
    }

    /// Solves one job. Returns when it is done, stopped or failed; says how far it is through `run`.
    ///
    /// # Errors
    /// `Halt::Stopped` when the run's observer broke off, `Halt::Failed` when there is no answer.
    ///
    /// ```
    /// use kernels::engine::{Cpu, Engine};
    /// use kernels::event::Answer;
    /// use kernels::job::{Options, Task};
    /// use kernels::run::{NoObserver, Run};
    /// use kernels::text::{Pair, Reading};
    ///
    /// let pair = Pair::parse(&b"kitten"[..], &b"sitting"[..], &Reading::default()).unwrap();
    /// let solution = Engine::Cpu(Cpu::SINGLE).run(Task::EditDistance, &Options::default(), &pair, &Run::new(&NoObserver)).unwrap();
    /// assert_eq!(solution.alignment.unwrap().to_string(), "1X3=1X1=1I");
    /// ```
    pub fn run(&self, task: Task, options: &Options, pair: &Pair, run: &Run) -> Result<Solution, Halt> {
        match self {
            Self::Cpu(cpu) => solver(task).cpu(cpu, pair, options, run),
            #[cfg(not(target_family = "wasm"))]
            Self::Cuda(gpu) => gpu.lend(run, |lent| solver(task).cuda(lent, &Cpu::all_cores(), pair, options, run)),
        }
    }
}
