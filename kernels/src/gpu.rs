//! GPU: an open GPU, by CUDA. The driver and NVRTC are loaded on demand, so that one program serves machines with and
//! without them. If one is missing, [`GpuError`] names the library to install.
//!
//! - [`device_recovery`]: reopens a GPU after an error that made it unusable
//! - [`compile`]: compiles CUDA C++ to machine code for a GPU; [`kernel_cache`]: decides when to compile and stores the
//!   results
//! - [`pool`]: memory that stays mapped after a job has freed it, for later jobs
//! - [`session`]: streams, memory and control words of one job, and supervision of a running kernel
//! - [`time_slicing`]: lets a large job yield the GPU to brief jobs
//! - [`text_cache`]: texts that stay on the GPU between jobs; [`pinned`]: host buffers for transfers
//! - [`part`]: the size of the parts of a long text that are on the GPU one at a time
//! - [`probe`]: measures a GPU as the memory machine of papers 000 and 003
//! - [`compaction`]: converts bit sets of hits on the GPU to positions

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasher, RandomState};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cudarc::driver::sys::{CUdevice_attribute as Attribute, CUresult};
use cudarc::driver::{CudaContext, CudaFunction, CudaModule, CudaSlice, DriverError};
use cudarc::nvrtc::Ptx;

use crate::failure::JobFailure;
use crate::plan::DeviceMemory;
use crate::run::{Halt, Run};

pub mod compaction;
pub mod compile;
pub mod device_recovery;
mod kernel_cache;
pub(crate) mod part;
mod pinned;
mod pool;
pub mod probe;
pub(crate) mod session;
#[cfg(test)]
pub(crate) mod testing;
mod text_cache;
mod time_slicing;

use compile::{ComputeCapability, KernelSource};
use kernel_cache::KernelCache;
use pinned::PinnedBuffer;
use pool::DeviceMemoryPool;
use session::SessionResources;
use text_cache::TextCache;
use time_slicing::TimeSlicing;

/// CUDA C++ code that all kernels share. It is placed before the source of each kernel for compilation.
pub(crate) const PRELUDE: &str = include_str!("gpu/prelude.cuh");

/// Divisor of the GPU's memory: the texts that stay on the GPU between jobs take at most 1 / `TEXT_CACHE_SHARE` of it.
const TEXT_CACHE_SHARE: usize = 16;

/// The reason why a GPU is missing or an operation on it failed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum GpuError {
    /// The driver's library is not installed.
    #[error("no CUDA driver was found; install NVIDIA's driver (libcuda.so.1, nvcuda.dll) to use a GPU")]
    NoDriver,
    /// NVRTC, the compiler of CUDA kernels, is not installed.
    #[error("NVRTC was not found; install the CUDA toolkit or the Python package nvidia-cuda-nvrtc, and put libnvrtc on the library path")]
    NoCompiler,
    /// The machine has no GPU with the requested number.
    #[error("there is no CUDA device {ordinal}; devices here: {devices}")]
    NoDevice {
        /// Number of the requested GPU, from 0.
        ordinal: usize,
        /// Number of GPUs of the machine.
        devices: i32,
    },
    /// The driver returned an error.
    #[error("{what} on GPU {ordinal} failed: {cause:?}")]
    Driver {
        /// Operation that failed, as a phrase such as "launching a kernel".
        what: &'static str,
        /// Number of the GPU on which the operation failed, from 0.
        ordinal: usize,
        /// Error that the driver returned.
        #[source]
        cause: DriverError,
    },
    /// NVRTC, the compiler of CUDA kernels, rejected a kernel, because the kernel and this version of NVRTC do not fit
    /// together.
    #[error("compiling {name} failed: {log}")]
    Compile {
        /// Name of the kernel that NVRTC rejected.
        name: String,
        /// Messages of NVRTC, the compiler.
        log: String,
    },
}

impl GpuError {
    /// Returns whether the GPU had too little free memory, so that an attempt with less memory may succeed.
    pub(crate) fn is_out_of_memory(&self) -> bool {
        matches!(self, Self::Driver { cause: DriverError(CUresult::CUDA_ERROR_OUT_OF_MEMORY), .. })
    }
}

impl From<GpuError> for JobFailure {
    fn from(error: GpuError) -> Self {
        Self::engine(format!("The GPU engine failed: {error}."))
    }
}

impl From<GpuError> for Halt {
    fn from(error: GpuError) -> Self {
        Self::Failed(error.into())
    }
}

/// An open GPU, used by CUDA. Several threads may use it at the same time, and their jobs share it.
#[derive(Debug)]
pub struct Gpu {
    context: Arc<CudaContext>,
    pool: DeviceMemoryPool,
    name: String,
    multiprocessors: u32,
    /// Maximum shared memory of a thread block, in bytes.
    shared_bytes: u32,
    kernel_cache: KernelCache,
    modules: Mutex<HashMap<String, Arc<CudaModule>>>,
    idle_resources: Mutex<Vec<SessionResources>>,
    pinned: Box<Mutex<Vec<PinnedBuffer>>>,
    text_cache: Box<TextCache<Arc<CudaSlice<u8>>>>,
    time_slicing: TimeSlicing,
    /// Whether an error made the GPU unusable until it is opened again.
    poisoned: AtomicBool,
}

/// Returns the number of GPUs that this process may use, or 0 without a driver. The environment variable
/// `CUDA_VISIBLE_DEVICES` can hide GPUs.
pub fn device_count() -> usize {
    // SAFETY: loading a library runs its initialisers; those of the CUDA driver have no precondition.
    let is_there = unsafe { cudarc::driver::sys::is_culib_present() } && cudarc::driver::result::init().is_ok();
    if is_there { CudaContext::device_count().ok().and_then(|count| usize::try_from(count).ok()).unwrap_or_default() } else { 0 }
}

impl Gpu {
    /// Opens the GPU with the number `ordinal`, from 0. Stores compiled kernels in the folder `cache`, or only in
    /// memory if it is `None`. Takes about half a second.
    ///
    /// # Errors
    /// Returns `NoDriver`, `NoCompiler` or `NoDevice` if the driver, the compiler or the GPU is missing, which is a
    /// normal state, and `Driver` if the driver fails.
    pub fn open(ordinal: usize, cache: Option<PathBuf>) -> Result<Self, GpuError> {
        // SAFETY: loading a library runs its initialisers; those of the CUDA driver have no precondition.
        if !unsafe { cudarc::driver::sys::is_culib_present() } {
            return Err(GpuError::NoDriver);
        }
        if !compile::is_present() {
            return Err(GpuError::NoCompiler);
        }
        let at = |what| move |cause| GpuError::Driver { what, ordinal, cause };
        cudarc::driver::result::init().map_err(at("starting the driver"))?;
        let devices = CudaContext::device_count().map_err(at("counting devices"))?;
        if usize::try_from(devices).is_ok_and(|devices| ordinal >= devices) {
            return Err(GpuError::NoDevice { ordinal, devices });
        }
        let context = CudaContext::new(ordinal).map_err(at("opening"))?;
        // SAFETY: events that order streams among each other are not needed. A buffer of a session is used on that
        // session's stream only, except for the control words, which are meant to be read and written while a kernel
        // runs. A cached text is used on many streams, but written on one: `GpuSession::cached` waits for that stream
        // before others can find the text. Every session, and every `DeviceText`, waits for its own stream before it
        // releases texts that its kernels may be reading.
        unsafe { context.disable_event_tracking() };
        let read = |attribute, what| context.attribute(attribute).map_err(at(what));
        let (major, minor) = context.compute_capability().map_err(at("reading the compute capability"))?;
        let memory = context.total_mem().map_err(at("reading the memory size"))?;
        let pool = DeviceMemoryPool::of(&context).map_err(at("keeping memory"))?;
        let shared_bytes = read(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, "reading the size of shared memory")?;
        Ok(Self {
            name: context.name().map_err(at("reading the name"))?,
            multiprocessors: read(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, "counting multiprocessors")?.unsigned_abs(),
            shared_bytes: shared_bytes.unsigned_abs(),
            context,
            pool,
            kernel_cache: KernelCache::new(ComputeCapability { major, minor }, cache),
            modules: Mutex::default(),
            idle_resources: Mutex::default(),
            pinned: Box::default(),
            text_cache: Box::new(TextCache::new(RandomState::new().hash_one(ordinal), memory / TEXT_CACHE_SHARE)),
            time_slicing: TimeSlicing::default(),
            poisoned: AtomicBool::new(false),
        })
    }

    /// Removes all cached texts, which stay on the GPU between jobs.
    pub(crate) fn forget_texts(&self) {
        drop(self.text_cache.take_all());
    }

    /// Returns the GPU's name, such as "NVIDIA H200".
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the number of multiprocessors.
    pub fn multiprocessors(&self) -> u32 {
        self.multiprocessors
    }

    /// Returns the maximum shared memory of a thread block, in bytes: 227 KB on Hopper, 163 on an A100, 99 on Ada, 64
    /// on Turing.
    pub(crate) fn shared_bytes(&self) -> u32 {
        self.shared_bytes
    }

    /// Returns the free memory of the GPU in bytes. It includes freed memory that the memory pool retains for later
    /// jobs.
    ///
    /// # Errors
    /// Returns `Driver` if the GPU does not answer.
    pub fn free_bytes(&self) -> Result<u64, GpuError> {
        Ok(self.memory()?.free)
    }

    /// Returns the free and the total memory of the GPU in bytes. Free memory includes freed memory that the memory
    /// pool retains for later jobs.
    ///
    /// # Errors
    /// Returns `Driver` if the GPU does not answer.
    pub fn memory(&self) -> Result<DeviceMemory, GpuError> {
        let (free, total) = self.driver_result("reading the free memory", self.context.mem_get_info())?;
        let kept = self.driver_result("reading the free memory", self.pool.idle_bytes())?;
        Ok(DeviceMemory { free: free as u64 + kept, total: total as u64 })
    }

    /// Returns the kernel called `name` in the kernel file `source`. The first call compiles and loads the file, which
    /// takes 0.3 to 2 seconds, or a few milliseconds if the kernel cache has its machine code.
    ///
    /// # Errors
    /// Returns `Stopped` if the observer stops the run during compilation, and `Failed` if compilation fails.
    pub(crate) fn kernel(&self, source: &KernelSource, name: &'static str, run: &Run) -> Result<CudaFunction, Halt> {
        let module = match self.loaded(source) {
            Some(module) => module,
            None => self.load(source, run)?,
        };
        Ok(self.driver_result(name, module.load_function(name))?)
    }

    /// Compiles the kernel file `source` unless the kernel cache has it. Does not use the GPU.
    ///
    /// # Errors
    /// Returns `Stopped` if the observer stops the run during compilation, and `Failed` if compilation fails.
    pub(crate) fn compile(&self, source: &KernelSource, run: &Run) -> Result<(), Halt> {
        self.kernel_cache.code(source, run).map(drop)
    }

    /// Returns the kernel called `name` in the kernel file `source`, or `None` if the file is not loaded yet. Needs
    /// neither compiler nor disk.
    pub(crate) fn loaded_kernel(&self, source: &KernelSource, name: &'static str) -> Option<Result<CudaFunction, GpuError>> {
        self.loaded(source).map(|module| self.driver_result(name, module.load_function(name)))
    }

    fn loaded(&self, source: &KernelSource) -> Option<Arc<CudaModule>> {
        self.modules().get(&self.kernel_cache.key(source)).cloned()
    }

    /// Returns the loaded module of the kernel file `source`. If the driver rejects machine code from the disk cache,
    /// compiles the file again, once.
    fn load(&self, source: &KernelSource, run: &Run) -> Result<Arc<CudaModule>, Halt> {
        let code = self.kernel_cache.code(source, run)?;
        match self.module(source, &code) {
            Err(error) if !self.is_poisoned() && self.kernel_cache.discard(source) => {
                drop(error);
                let code = self.kernel_cache.code(source, run)?;
                Ok(self.module(source, &code)?)
            }
            loaded => Ok(loaded?),
        }
    }

    fn module(&self, source: &KernelSource, code: &[u8]) -> Result<Arc<CudaModule>, GpuError> {
        match self.modules().entry(self.kernel_cache.key(source)) {
            // Another job has loaded the module in the meantime.
            Entry::Occupied(place) => Ok(place.get().clone()),
            Entry::Vacant(place) => {
                let module = self.context.load_module(Ptx::from_binary(code.to_vec()));
                Ok(place.insert(self.driver_result("loading a kernel", module)?).clone())
            }
        }
    }

    /// Compiles the kernel files in `sources` that the kernel cache lacks, in order, on `threads` threads in the
    /// background. Returns immediately. Does nothing if there is no folder for compiled kernels.
    pub(crate) fn precompile(&self, sources: impl IntoIterator<Item = KernelSource>, threads: usize) {
        self.kernel_cache.precompile(sources, threads);
    }

    fn modules(&self) -> MutexGuard<'_, HashMap<String, Arc<CudaModule>>> {
        self.modules.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Converts an error of the driver in `result` to a [`GpuError`] with the number of this GPU and the failed
    /// operation `what` (a phrase such as "launching a kernel"). Remembers an error that makes the GPU unusable.
    pub(crate) fn driver_result<T>(&self, what: &'static str, result: Result<T, DriverError>) -> Result<T, GpuError> {
        result.map_err(|cause| {
            self.poisoned.fetch_or(device_recovery::poisons(cause), Relaxed);
            GpuError::Driver { what, ordinal: self.context.ordinal(), cause }
        })
    }

    /// Checks by a small operation that the GPU responds, because a context that an error made unusable may still
    /// exist.
    pub(crate) fn check_responds(&self) -> Result<(), GpuError> {
        let stream = self.driver_result("making a stream", self.context.new_stream())?;
        let word = self.driver_result("clearing memory", stream.alloc_zeros::<u64>(1))?;
        self.driver_result("copying from the device", stream.clone_dtoh(&word)).map(drop)
    }

    /// Returns whether an error made the GPU unusable until it is opened again.
    pub(crate) fn is_poisoned(&self) -> bool {
        self.poisoned.load(Relaxed)
    }
}
