//! Device recovery: keeps a GPU at work. Some errors spoil all that a program has of a device: a kernel that writes where it must not, memory
//! that has flipped a bit. From then on every call fails, for every job on it. The jobs that are under way end with the cause; for
//! the next one the device is opened again, with nothing of what was there. Drivers may refuse that to a process whose kernel has
//! failed (580 does): the device is gone then, and the next process has it.

use std::path::PathBuf;
use std::sync::{PoisonError, RwLock, RwLockWriteGuard, TryLockError};
use std::time::Duration;

use cudarc::driver::DriverError;
use cudarc::driver::sys::CUresult;

use super::compile::KernelSource;
use super::{Gpu, GpuError, compaction};
use crate::plan::DeviceMemory;
use crate::run::{Halt, Run};

/// How often a job that waits for others to leave a spoilt device looks again.
const LOOK: Duration = Duration::from_millis(5);

/// A device that is opened again when an error has spoilt it. Any thread may use it, several at once.
#[derive(Debug)]
pub struct RecoverableGpu {
    ordinal: usize,
    cache: Option<PathBuf>,
    name: String,
    /// The device as it was opened last; nothing when that has failed.
    gpu: RwLock<Option<Box<Gpu>>>,
}

impl RecoverableGpu {
    /// Opens device `ordinal`, as [`Gpu::open`] does, and keeps it.
    ///
    /// # Errors
    /// As [`Gpu::open`].
    pub fn open(ordinal: usize, cache: Option<PathBuf>) -> Result<Self, GpuError> {
        let gpu = Gpu::open(ordinal, cache.clone())?;
        Ok(Self { ordinal, cache, name: gpu.name().to_owned(), gpu: RwLock::new(Some(Box::new(gpu))) })
    }

    /// The device's name: "NVIDIA H200".
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Compiles the kernels of these sources that are not on disk yet, the first ones first, on so many threads beside whatever jobs
    /// there are. Returns at once.
    pub(crate) fn prepare(&self, sources: impl IntoIterator<Item = KernelSource>, threads: usize) {
        if let Some(gpu) = &*self.gpu.read().unwrap_or_else(PoisonError::into_inner) {
            gpu.fill([compaction::source()].into_iter().chain(sources), threads);
        }
    }

    /// Lets go of the texts that stay on the device between jobs: the next job copies its own.
    pub fn forget_texts(&self) {
        if let Some(gpu) = &*self.gpu.read().unwrap_or_else(PoisonError::into_inner) {
            gpu.forget_texts();
        }
    }

    /// Its memory; `None` while it is opened again, and where it does not answer.
    pub fn memory(&self) -> Option<DeviceMemory> {
        self.gpu.try_read().ok()?.as_ref()?.memory().ok()
    }

    /// Whether it was spoilt and could not be opened again. The next job tries once more.
    pub fn is_gone(&self) -> bool {
        // Whoever holds it for themselves is opening it.
        self.gpu.try_read().is_ok_and(|gpu| gpu.is_none())
    }

    /// Lets `job` have the device, opened again first if it was spoilt: that takes half a second, and waits until all jobs have left
    /// that had it then. One job must not ask for it again inside another.
    ///
    /// # Errors
    /// What `job` returns; `Engine` when the device cannot be opened, `Stopped` when the observer breaks off while it waits.
    pub(crate) fn lend<R>(&self, run: &Run, job: impl FnOnce(&Gpu) -> Result<R, Halt>) -> Result<R, Halt> {
        let open = || {
            let gpu = Gpu::open(self.ordinal, self.cache.clone())?;
            gpu.answers()?;
            Ok(gpu)
        };
        lend(&self.gpu, open, run, job)
    }
}

/// What may be spoilt.
trait Device {
    /// Whether nothing on it will work any more.
    fn is_spoilt(&self) -> bool;
}

impl Device for Gpu {
    fn is_spoilt(&self) -> bool {
        self.is_spoilt()
    }
}

fn lend<D: Device, R>(
    place: &RwLock<Option<Box<D>>>,
    open: impl Fn() -> Result<D, GpuError>,
    run: &Run,
    job: impl FnOnce(&D) -> Result<R, Halt>,
) -> Result<R, Halt> {
    loop {
        // Only opening writes, and a panic there leaves nothing behind, which is opened again.
        let held = place.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(device) = held.as_ref().filter(|device| !device.is_spoilt()) {
            return job(device);
        }
        drop(held);
        let mut held = alone(place, run)?;
        if held.as_ref().is_none_or(|device| device.is_spoilt()) {
            // The driver makes a new context only when the old one has gone.
            *held = None;
            *held = Some(Box::new(open()?));
        }
    }
}

/// The place once nobody else has it.
fn alone<'a, D>(place: &'a RwLock<Option<Box<D>>>, run: &Run) -> Result<RwLockWriteGuard<'a, Option<Box<D>>>, Halt> {
    loop {
        match place.try_write() {
            Ok(held) => return Ok(held),
            Err(TryLockError::Poisoned(held)) => return Ok(held.into_inner()),
            Err(TryLockError::WouldBlock) => {
                run.tick(0)?;
                std::thread::sleep(LOOK);
            }
        }
    }
}

/// Whether every later call in the same context will fail too. Any other error is the job's own: too little memory, say.
pub(super) fn spoils(error: DriverError) -> bool {
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
