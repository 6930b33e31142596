//! Device recovery: reopens a GPU after an error. Some errors make a process's whole context on a GPU unusable, such as
//! a kernel that writes to an invalid address, or a memory error. From then on, every call of every job fails. Running
//! jobs end with the cause. For the next job the GPU is opened again, with empty memory. Some drivers (580) refuse to
//! reopen a GPU after a kernel has failed. Then the GPU is lost until the process is restarted.

use std::path::PathBuf;
use std::sync::{PoisonError, RwLock, RwLockWriteGuard, TryLockError};
use std::time::Duration;

use cudarc::driver::DriverError;
use cudarc::driver::sys::CUresult;

use super::compile::KernelSource;
use super::{Gpu, GpuError, compaction};
use crate::plan::DeviceMemory;
use crate::run::{Halt, Run};

/// Interval at which a job that will reopen an unusable GPU checks whether the other jobs have left it.
const REOPEN_POLL_INTERVAL: Duration = Duration::from_millis(5);

/// A GPU that is reopened after an error made it unusable. Several threads may use it at the same time.
#[derive(Debug)]
pub struct RecoverableGpu {
    ordinal: usize,
    cache: Option<PathBuf>,
    name: String,
    /// The GPU as last opened, or `None` if opening failed.
    gpu: RwLock<Option<Box<Gpu>>>,
}

impl RecoverableGpu {
    /// Opens the GPU with the number `ordinal` by [`Gpu::open`]. `cache` is the folder for compiled kernels.
    ///
    /// # Errors
    /// Returns the errors of [`Gpu::open`].
    pub fn open(ordinal: usize, cache: Option<PathBuf>) -> Result<Self, GpuError> {
        let gpu = Gpu::open(ordinal, cache.clone())?;
        Ok(Self { ordinal, cache, name: gpu.name().to_owned(), gpu: RwLock::new(Some(Box::new(gpu))) })
    }

    /// Returns the GPU's name, such as "NVIDIA H200".
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Compiles the kernel files in `sources` that are not on disk yet, in order, on `threads` threads in the
    /// background. Returns immediately.
    pub(crate) fn prepare(&self, sources: impl IntoIterator<Item = KernelSource>, threads: usize) {
        if let Some(gpu) = &*self.gpu.read().unwrap_or_else(PoisonError::into_inner) {
            gpu.precompile([compaction::source()].into_iter().chain(sources), threads);
        }
    }

    /// Removes all cached texts from the GPU. The next job copies its texts to the GPU again.
    pub fn forget_texts(&self) {
        if let Some(gpu) = &*self.gpu.read().unwrap_or_else(PoisonError::into_inner) {
            gpu.forget_texts();
        }
    }

    /// Returns the free and the total memory of the GPU, in bytes. Returns `None` if it is being reopened or does not
    /// answer.
    pub fn memory(&self) -> Option<DeviceMemory> {
        self.gpu.try_read().ok()?.as_ref()?.memory().ok()
    }

    /// Returns whether the GPU became unusable and could not be reopened. The next job tries again.
    pub fn is_gone(&self) -> bool {
        // Only the thread that opens the GPU holds the exclusive lock.
        self.gpu.try_read().is_ok_and(|gpu| gpu.is_none())
    }

    /// Calls `job` with the GPU and returns its result. Reopens an unusable GPU first, which takes half a second and
    /// waits until all jobs on it have ended. `job` must not call `lend` again.
    ///
    /// # Errors
    /// Returns the error of `job`, `Engine` if the GPU cannot be opened, and `Stopped` if the observer stops the run
    /// while this function waits.
    pub(crate) fn lend<R>(&self, run: &Run, job: impl FnOnce(&Gpu) -> Result<R, Halt>) -> Result<R, Halt> {
        let open = || {
            let gpu = Gpu::open(self.ordinal, self.cache.clone())?;
            gpu.check_responds()?;
            Ok(gpu)
        };
        lend(&self.gpu, open, run, job)
    }
}

/// A GPU that an error may make unusable. Tests implement it without a GPU.
trait PoisonableDevice {
    /// Returns whether an error made the GPU unusable.
    fn is_poisoned(&self) -> bool;
}

impl PoisonableDevice for Gpu {
    fn is_poisoned(&self) -> bool {
        self.is_poisoned()
    }
}

fn lend<D: PoisonableDevice, R>(
    place: &RwLock<Option<Box<D>>>,
    open: impl Fn() -> Result<D, GpuError>,
    run: &Run,
    job: impl FnOnce(&D) -> Result<R, Halt>,
) -> Result<R, Halt> {
    loop {
        // Only opening writes to `place`. If opening panics, `place` stays empty, and the next call opens the GPU
        // again.
        let held = place.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(device) = held.as_ref().filter(|device| !device.is_poisoned()) {
            return job(device);
        }
        drop(held);
        let mut held = wait_for_exclusive(place, run)?;
        if held.as_ref().is_none_or(|device| device.is_poisoned()) {
            // The driver creates a new context only after the old one is destroyed.
            *held = None;
            *held = Some(Box::new(open()?));
        }
    }
}

/// Waits until no job uses the GPU in `place`, and locks `place` exclusively. Returns an error if the observer stops
/// the run.
fn wait_for_exclusive<'a, D>(place: &'a RwLock<Option<Box<D>>>, run: &Run) -> Result<RwLockWriteGuard<'a, Option<Box<D>>>, Halt> {
    loop {
        match place.try_write() {
            Ok(held) => return Ok(held),
            Err(TryLockError::Poisoned(held)) => return Ok(held.into_inner()),
            Err(TryLockError::WouldBlock) => {
                run.tick(0)?;
                std::thread::sleep(REOPEN_POLL_INTERVAL);
            }
        }
    }
}

/// Returns whether `error` makes the GPU unusable: every later call in the same context will fail too. Other errors,
/// such as lack of memory, concern only one job.
pub(super) fn poisons(error: DriverError) -> bool {
    use CUresult as E;
    matches!(
        error.0,
        E::CUDA_ERROR_DEINITIALIZED
            | E::CUDA_ERROR_DEVICE_UNAVAILABLE
            | E::CUDA_ERROR_NO_DEVICE
            | E::CUDA_ERROR_INVALID_CONTEXT
            | E::CUDA_ERROR_ECC_UNCORRECTABLE
            | E::CUDA_ERROR_NVLINK_UNCORRECTABLE
            | E::CUDA_ERROR_CONTAINED
            | E::CUDA_ERROR_ILLEGAL_ADDRESS
            | E::CUDA_ERROR_LAUNCH_TIMEOUT
            | E::CUDA_ERROR_CONTEXT_IS_DESTROYED
            | E::CUDA_ERROR_ASSERT
            | E::CUDA_ERROR_HARDWARE_STACK_ERROR
            | E::CUDA_ERROR_ILLEGAL_INSTRUCTION
            | E::CUDA_ERROR_MISALIGNED_ADDRESS
            | E::CUDA_ERROR_INVALID_ADDRESS_SPACE
            | E::CUDA_ERROR_INVALID_PC
            | E::CUDA_ERROR_LAUNCH_FAILED
            | E::CUDA_ERROR_TENSOR_MEMORY_LEAK
            | E::CUDA_ERROR_SYSTEM_NOT_READY
            | E::CUDA_ERROR_MPS_CONNECTION_FAILED
            | E::CUDA_ERROR_MPS_RPC_FAILURE
            | E::CUDA_ERROR_MPS_CLIENT_TERMINATED
            | E::CUDA_ERROR_EXTERNAL_DEVICE
            | E::CUDA_ERROR_UNKNOWN
    )
}

#[cfg(test)]
mod tests;
