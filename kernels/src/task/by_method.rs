//! Tasks by the methods of papers: a job that names a method is solved by it, on one core or on a device, and every other one as ever.
//!
//! The answer is made of what the method has found in the same way as of what ours find, so that both are the same but for the
//! alignment that was taken among several optimal ones. Hits, alignments of hits and profiles are looked at by our means.

use std::ops::Range;

use super::{Search, Searched, Size, Solution, Solve};
use crate::alignment::Alignment;
use crate::cpu::Cpu;
use crate::failure::Failure;
use crate::found::{Hit, Span};
#[cfg(not(target_family = "wasm"))]
use crate::gpu::{Gpu, compile::KernelSource};
use crate::job::{Method, Options};
use crate::plan::{Effort, Work};
use crate::run::{Halt, Run};
use crate::text::Pair;

/// Bytes of bit vectors that a method may make: it has one for each distinct symbol.
const MASK_BYTES: u64 = 1 << 30;

/// A task that papers have methods for.
pub(super) trait Published: Solve {
    /// Solves by one of the task's methods.
    ///
    /// # Errors
    /// `Halt` when the run was stopped; `BadInput` for a method that the task does not have.
    fn by(&self, method: Method, cpu: &Cpu, pair: &Pair, options: &Options, run: &Run) -> Result<Solution, Halt>;

    /// As [`by`](Self::by), on a device.
    ///
    /// # Errors
    /// As `by`; `BadInput` for texts that the method cannot take there; `Engine` when the device fails.
    #[cfg(not(target_family = "wasm"))]
    fn by_cuda(&self, method: Method, gpu: &Gpu, host: &Cpu, pair: &Pair, options: &Options, run: &Run) -> Result<Solution, Halt>;

    /// Steps that a method is expected to report for texts of these lengths, and nanoseconds of each on one core of about 2020.
    fn steps(&self, method: Method, size: &Size, options: &Options) -> (u64, f64);

    /// Nanoseconds that it is expected to take on an H200, once it has begun.
    fn device_ns(&self, method: Method, size: &Size, options: &Options) -> f64;
}

/// Symbols of a pattern whose three rows fit into the shared memory of every device. A job with a longer one goes to the processor by itself.
pub(super) const LONGEST_ON_EVERY_DEVICE: u64 = 2000;

/// Nanoseconds that a job by a method takes on a device whatever its texts are.
const DEVICE_START_NS: f64 = 1e6;

/// A task, or one of its methods where the options name one.
pub(super) struct ByMethod<S>(pub(super) S);

impl<S: Published> ByMethod<S> {
    fn effort(&self, method: Method, size: &Size, options: &Options) -> Effort {
        let (steps, ns) = self.0.steps(method, size, options);
        Effort { cells: steps, rated: 0, beside_ns: (steps as f64 * ns) as u64 }
    }
}

impl<S: Published> Solve for ByMethod<S> {
    fn work(&self, size: &Size, options: &Options) -> Work {
        let work = self.0.work(size, options);
        let Some(method) = options.method else { return work };
        let effort = self.effort(method, size, options);
        let device_ns = DEVICE_START_NS + self.0.device_ns(method, size, options);
        Work { cpu: effort, cuda: Effort { beside_ns: device_ns as u64, ..effort }, ..work }
    }

    fn work_for(&self, pair: &Pair, options: &Options) -> Work {
        match options.method {
            None => self.0.work_for(pair, options),
            Some(_) => Work { is_known: true, ..self.work(&Size::from(pair), options) },
        }
    }

    fn probe(&self, cells: u64) -> (usize, usize) {
        self.0.probe(cells)
    }

    fn cpu(&self, cpu: &Cpu, pair: &Pair, options: &Options, run: &Run) -> Result<Solution, Halt> {
        let solution = match options.method {
            None => self.0.cpu(cpu, pair, options, run)?,
            Some(method) => {
                run.expect(self.effort(method, &Size::from(pair), options).cells);
                self.0.by(method, cpu, pair, options, run)?
            }
        };
        Ok(solution.settled(pair)?)
    }

    #[cfg(not(target_family = "wasm"))]
    fn cuda(&self, gpu: &Gpu, host: &Cpu, pair: &Pair, options: &Options, run: &Run) -> Result<Solution, Halt> {
        let solution = match options.method {
            None => self.0.cuda(gpu, host, pair, options, run)?,
            Some(method) => {
                run.expect(self.effort(method, &Size::from(pair), options).cells);
                self.0.by_cuda(method, gpu, host, pair, options, run)?
            }
        };
        Ok(solution.settled(pair)?)
    }

    fn has_cuda(&self) -> bool {
        self.0.has_cuda()
    }

    #[cfg(not(target_family = "wasm"))]
    fn kernels(&self) -> Vec<KernelSource> {
        self.0.kernels()
    }
}

impl<S: Published + Search> Search for ByMethod<S> {
    fn hits(&self, searched: &Searched, page: Range<u64>, cpu: &Cpu, run: &Run) -> Result<Vec<Hit>, Halt> {
        self.0.hits(searched, page, cpu, run)
    }

    fn align(&self, pair: &Pair, hit: Hit, cpu: &Cpu, run: &Run) -> Result<Alignment, Halt> {
        self.0.align(pair, hit, cpu, run)
    }

    fn offsets(&self, searched: &Searched) -> Option<u64> {
        self.0.offsets(searched)
    }

    fn profile(&self, searched: &Searched, offsets: Range<u64>, points: usize, run: &Run) -> Result<Vec<Span>, Halt> {
        self.0.profile(searched, offsets, points, run)
    }

    fn counts(&self, searched: &Searched, run: &Run) -> Result<Vec<u64>, Halt> {
        self.0.counts(searched, run)
    }
}

/// No method of this task.
pub(super) fn unknown(method: Method) -> Halt {
    Failure::bad_input(format!("This task has no method {}.", method.name())).into()
}

/// Refuses texts of so many distinct symbols that a bit vector of `bits` for each of them would fill the memory.
///
/// # Errors
/// `BadInput` says so.
pub(super) fn check_masks(pair: &Pair, bits: u64) -> Result<(), Halt> {
    let bytes = u64::from(pair.alphabet).saturating_mul(bits / 8);
    if bytes <= MASK_BYTES {
        return Ok(());
    }
    let message = format!("This method needs a bit vector for each distinct symbol: {bytes} bytes in all. The limit is {MASK_BYTES}.");
    Err(Failure::bad_input(message).into())
}
