//! GPU: a CUDA device, opened. Its driver and NVRTC are loaded when they are asked for, so one program serves machines with
//! and without them; a missing one is a [`GpuError`] that says what to install.
//!
//! - [`device_recovery`]: a device that is opened again when an error has spoilt it
//! - [`compile`]: CUDA C++ to machine code for a device; [`kernel_cache`]: when that is done, and where it is kept
//! - [`pool`]: device memory that jobs leave to the next ones
//! - [`session`]: the streams, memory and control words of one job; the watch over a running kernel
//! - [`time_slicing`]: a large job leaves the device to brief ones, and comes back
//! - [`text_cache`]: texts that stay on the device; [`pinned`]: buffers on the way there
//! - [`part`]: how much of a long text is on the device at a time
//! - [`probe`]: a device measured as the papers' memory machine
//! - [`compaction`]: what is found as bits on the device becomes positions

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasher, RandomState};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cudarc::driver::sys::{CUdevice_attribute as Attribute, CUresult};
use cudarc::driver::{CudaContext, CudaFunction, CudaModule, CudaSlice, DriverError};
use cudarc::nvrtc::Ptx;

use crate::failure::Failure;
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

use compile::{Arch, KernelSource};
use kernel_cache::KernelCache;
use pinned::PinnedBuffer;
use pool::Pool;
use session::Seat;
use text_cache::TextCache;
use time_slicing::TimeSlicing;

/// Device code that all kernels share: it goes before the source of each.
pub(crate) const PRELUDE: &str = include_str!("gpu/prelude.cuh");

/// One part in so many of a device's memory is for texts that stay there.
const TEXT_CACHE_SHARE: usize = 16;

/// Why there is no GPU, or why it did not do what it was asked.
#[derive(Clone, Debug, thiserror::Error)]
pub enum GpuError {
    /// The driver's library is not on this machine.
    #[error("no CUDA driver was found; install NVIDIA's driver (libcuda.so.1, nvcuda.dll) to use a GPU")]
    NoDriver,
    /// NVRTC is not on this machine.
    #[error("NVRTC was not found; install the CUDA toolkit or the Python package nvidia-cuda-nvrtc, and put libnvrtc on the library path")]
    NoCompiler,
    /// Fewer devices than asked for.
    #[error("there is no CUDA device {ordinal}; devices here: {devices}")]
    NoDevice {
        /// The device asked for, from 0.
        ordinal: usize,
        /// How many there are.
        devices: i32,
    },
    /// The driver refused.
    #[error("{what} on GPU {ordinal} failed: {cause:?}")]
    Driver {
        /// What was being done.
        what: &'static str,
        /// Which device, from 0.
        ordinal: usize,
        /// The driver's word for it.
        #[source]
        cause: DriverError,
    },
    /// NVRTC refused: the kernel and the compiler do not fit together.
    #[error("compiling {name} failed: {log}")]
    Compile {
        /// Which kernel.
        name: String,
        /// What the compiler said.
        log: String,
    },
}

impl GpuError {
    /// Whether less memory might do.
    pub(crate) fn is_out_of_memory(&self) -> bool {
        matches!(self, Self::Driver { cause: DriverError(CUresult::CUDA_ERROR_OUT_OF_MEMORY), .. })
    }
}

impl From<GpuError> for Failure {
    fn from(error: GpuError) -> Self {
        Self::engine(format!("The GPU engine failed: {error}."))
    }
}

impl From<GpuError> for Halt {
    fn from(error: GpuError) -> Self {
        Self::Failed(error.into())
    }
}

/// A CUDA device, opened. Any thread may use it, several at once; each job gets its share of a full device then.
#[derive(Debug)]
pub struct Gpu {
    context: Arc<CudaContext>,
    pool: Pool,
    name: String,
    multiprocessors: u32,
    /// Most shared memory of a block, in bytes.
    shared_bytes: u32,
    kernel_cache: KernelCache,
    modules: Mutex<HashMap<String, Arc<CudaModule>>>,
    seats: Mutex<Vec<Seat>>,
    pinned: Box<Mutex<Vec<PinnedBuffer>>>,
    text_cache: Box<TextCache<Arc<CudaSlice<u8>>>>,
    time_slicing: TimeSlicing,
    /// Whether nothing on it will work any more.
    spoilt: AtomicBool,
}

/// How many CUDA devices the driver shows to this process; 0 where there is no driver. `CUDA_VISIBLE_DEVICES` chooses them.
pub fn device_count() -> usize {
    // SAFETY: loading a library runs its initialisers; those of the CUDA driver have no precondition.
    let is_there = unsafe { cudarc::driver::sys::is_culib_present() } && cudarc::driver::result::init().is_ok();
    if is_there { CudaContext::device_count().ok().and_then(|count| usize::try_from(count).ok()).unwrap_or_default() } else { 0 }
}

impl Gpu {
    /// Opens device `ordinal`, from 0. Compiled kernels are kept in the folder `cache`, or nowhere. Takes about half a second.
    ///
    /// # Errors
    /// `NoDriver`, `NoCompiler`, `NoDevice` where something is missing, which is a normal state; `Driver` where it is broken.
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
        // SAFETY: events that order streams among each other are not needed. A buffer of a session is used on that session's stream
        // only, but for the control words, which are meant to be read and written while a kernel runs. A cached text is used on
        // many streams, but written on one: `Session::cached` waits for that one before others can find the text, and every
        // session, and every `TextPart`, waits for its own stream before it lets go of the texts that its kernels may be reading.
        unsafe { context.disable_event_tracking() };
        let read = |attribute, what| context.attribute(attribute).map_err(at(what));
        let (major, minor) = context.compute_capability().map_err(at("reading the compute capability"))?;
        let memory = context.total_mem().map_err(at("reading the memory size"))?;
        let pool = Pool::of(&context).map_err(at("keeping memory"))?;
        let shared_bytes = read(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, "reading the size of shared memory")?;
        Ok(Self {
            name: context.name().map_err(at("reading the name"))?,
            multiprocessors: read(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, "counting multiprocessors")?.unsigned_abs(),
            shared_bytes: shared_bytes.unsigned_abs(),
            context,
            pool,
            kernel_cache: KernelCache::new(Arch { major, minor }, cache),
            modules: Mutex::default(),
            seats: Mutex::default(),
            pinned: Box::default(),
            text_cache: Box::new(TextCache::new(RandomState::new().hash_one(ordinal), memory / TEXT_CACHE_SHARE)),
            time_slicing: TimeSlicing::default(),
            spoilt: AtomicBool::new(false),
        })
    }

    /// Lets go of the texts that stay on the device between jobs.
    pub(crate) fn forget_texts(&self) {
        drop(self.text_cache.take_all());
    }

    /// The device's name: "NVIDIA H200".
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Multiprocessors of the device.
    pub fn multiprocessors(&self) -> u32 {
        self.multiprocessors
    }

    /// Most memory that the threads of a block can share, in bytes: 227 KB on Hopper, 163 on an A100, 99 on Ada, 64 on Turing.
    pub(crate) fn shared_bytes(&self) -> u32 {
        self.shared_bytes
    }

    /// Memory that is free now, in bytes, or freed and kept for the next job.
    ///
    /// # Errors
    /// `Driver` when the device does not answer.
    pub fn free_bytes(&self) -> Result<u64, GpuError> {
        Ok(self.memory()?.free)
    }

    /// The device's memory: what is free now, what was freed and kept for the next job included, and what there is.
    ///
    /// # Errors
    /// `Driver` when the device does not answer.
    pub fn memory(&self) -> Result<DeviceMemory, GpuError> {
        let (free, total) = self.at("reading the free memory", self.context.mem_get_info())?;
        let kept = self.at("reading the free memory", self.pool.idle_bytes())?;
        Ok(DeviceMemory { free: free as u64 + kept, total: total as u64 })
    }

    /// A kernel of `source`, compiled and loaded when it is asked for first: that costs 0.3 to 2 seconds, or a few ms from the cache.
    ///
    /// # Errors
    /// `Stopped` when the observer breaks off while it is compiled; `Failed` when it cannot be.
    pub(crate) fn kernel(&self, source: &KernelSource, name: &'static str, run: &Run) -> Result<CudaFunction, Halt> {
        let module = match self.loaded(source) {
            Some(module) => module,
            None => self.load(source, run)?,
        };
        Ok(self.at(name, module.load_function(name))?)
    }

    /// Has `source` compiled, if it is not yet. The device has no part in that.
    ///
    /// # Errors
    /// `Stopped` when the observer breaks off meanwhile; `Failed` when it cannot be compiled.
    pub(crate) fn compile(&self, source: &KernelSource, run: &Run) -> Result<(), Halt> {
        self.kernel_cache.code(source, run).map(drop)
    }

    /// A kernel of `source`, if it can be had without a compiler or a disk.
    pub(crate) fn loaded_kernel(&self, source: &KernelSource, name: &'static str) -> Option<Result<CudaFunction, GpuError>> {
        self.loaded(source).map(|module| self.at(name, module.load_function(name)))
    }

    fn loaded(&self, source: &KernelSource) -> Option<Arc<CudaModule>> {
        self.modules().get(&self.kernel_cache.key(source)).cloned()
    }

    /// Loads a module. Machine code from the disk that the driver refuses is compiled again, once.
    fn load(&self, source: &KernelSource, run: &Run) -> Result<Arc<CudaModule>, Halt> {
        let code = self.kernel_cache.code(source, run)?;
        match self.module(source, &code) {
            Err(error) if !self.is_spoilt() && self.kernel_cache.discard(source) => {
                drop(error);
                let code = self.kernel_cache.code(source, run)?;
                Ok(self.module(source, &code)?)
            }
            loaded => Ok(loaded?),
        }
    }

    fn module(&self, source: &KernelSource, code: &[u8]) -> Result<Arc<CudaModule>, GpuError> {
        match self.modules().entry(self.kernel_cache.key(source)) {
            // Another job has been quicker.
            Entry::Occupied(place) => Ok(place.get().clone()),
            Entry::Vacant(place) => {
                let module = self.context.load_module(Ptx::from_binary(code.to_vec()));
                Ok(place.insert(self.at("loading a kernel", module)?).clone())
            }
        }
    }

    /// Compiles the kernels of these sources that are not in the cache yet, the first ones first, on so many threads beside whatever
    /// jobs there are. Returns at once; does nothing where there is no cache.
    pub(crate) fn fill(&self, sources: impl IntoIterator<Item = KernelSource>, threads: usize) {
        self.kernel_cache.fill(sources, threads);
    }

    fn modules(&self) -> MutexGuard<'_, HashMap<String, Arc<CudaModule>>> {
        self.modules.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts what was being done, and where, to a driver's error, and remembers one that spoils the device.
    pub(crate) fn at<T>(&self, what: &'static str, result: Result<T, DriverError>) -> Result<T, GpuError> {
        result.map_err(|cause| {
            self.spoilt.fetch_or(device_recovery::spoils(cause), Relaxed);
            GpuError::Driver { what, ordinal: self.context.ordinal(), cause }
        })
    }

    /// Lets the device do something small: a context that an error has spoilt may be there and not work.
    pub(crate) fn answers(&self) -> Result<(), GpuError> {
        let stream = self.at("making a stream", self.context.new_stream())?;
        let word = self.at("clearing memory", stream.alloc_zeros::<u64>(1))?;
        self.at("copying from the device", stream.clone_dtoh(&word)).map(drop)
    }

    /// Whether an error has spoilt it: nothing on it will work until it is opened again.
    pub(crate) fn is_spoilt(&self) -> bool {
        self.spoilt.load(Relaxed)
    }
}
