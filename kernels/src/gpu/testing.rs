//! Testing: GPUs for tests. Tests share a GPU, or one test has it alone and limits its free memory or its shared
//! memory.
//!
//! Without a GPU, tests are skipped and report that. With `EDITSCOPE_GPU=required` they fail instead.
//! `EDITSCOPE_KERNELS` names a folder for compiled kernels.

use std::ops::Deref;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use cudarc::driver::{result, sys};

use super::Gpu;

/// Maximum shared memory of a block in bytes: the default limit of kernels, then the limits of Ada, an A100 and Hopper.
pub(crate) const SHARED_BYTES: [u32; 4] = [48 << 10, 99 << 10, 163 << 10, 227 << 10];

/// Lock on the memory of the GPU: shared by many tests, or held by one test alone.
static MEMORY: RwLock<()> = RwLock::new(());

/// A GPU that a test uses.
pub(crate) struct TestGpu {
    held: Option<ReservedMemory>,
    gpu: Gpu,
    _share: DeviceLock,
}

enum DeviceLock {
    Some { _lock: RwLockReadGuard<'static, ()> },
    All { _lock: RwLockWriteGuard<'static, ()> },
}

impl Deref for TestGpu {
    type Target = Gpu;

    fn deref(&self) -> &Gpu {
        &self.gpu
    }
}

/// Opens a GPU that other tests may use at the same time.
pub(crate) fn gpu() -> Option<TestGpu> {
    let share = DeviceLock::Some { _lock: MEMORY.read().unwrap_or_else(PoisonError::into_inner) };
    Some(TestGpu { held: None, gpu: open()?, _share: share })
}

/// Opens a GPU like [`gpu`], but limits the shared memory of a block to `bytes`.
pub(crate) fn gpu_with_shared(bytes: u32) -> Option<TestGpu> {
    let mut gpu = gpu()?;
    gpu.gpu.shared_bytes = gpu.gpu.shared_bytes.min(bytes);
    Some(gpu)
}

/// Opens a GPU that no other test of this process uses. [`TestGpu::leave_free_bytes`] limits its free memory.
pub(crate) fn gpu_alone() -> Option<TestGpu> {
    let share = DeviceLock::All { _lock: MEMORY.write().unwrap_or_else(PoisonError::into_inner) };
    Some(TestGpu { held: None, gpu: open()?, _share: share })
}

#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn open() -> Option<Gpu> {
    let opened = Gpu::open(0, std::env::var_os("EDITSCOPE_KERNELS").map(Into::into));
    match &opened {
        Err(error) if std::env::var("EDITSCOPE_GPU").is_ok_and(|wish| wish == "required") => panic!("EDITSCOPE_GPU=required: {error}"),
        Err(error) => eprintln!("skipped: no CUDA device ({error})"),
        Ok(_) => {}
    }
    opened.ok()
}

impl TestGpu {
    /// Allocates all of the GPU's free memory except for `bytes`, as another program might, and holds it until the next
    /// call. Frees memory that earlier jobs left in caches first.
    pub(crate) fn leave_free_bytes(&mut self, bytes: u64) {
        self.held = None;
        self.gpu.text_cache.take_all();
        self.gpu.context.synchronize().expect("the device answers");
        self.gpu.pool.give_back().expect("free memory can be allocated");
        self.held = Some(ReservedMemory::all_but(&self.gpu, bytes));
        let free = self.gpu.free_bytes().expect("the device answers");
        assert!(free <= bytes + (4 << 20) && free + (4 << 20) >= bytes, "{free} bytes are free instead of {bytes}");
    }
}

/// GPU memory that a test has reserved so that jobs cannot use it.
struct ReservedMemory {
    addresses: Vec<sys::CUdeviceptr>,
}

impl ReservedMemory {
    fn all_but(gpu: &Gpu, bytes: u64) -> Self {
        let mut held = Self { addresses: Vec::new() };
        let mut piece: u64 = 1 << 36;
        while piece >= 1 << 21 {
            let free = gpu.free_bytes().expect("the device answers");
            // SAFETY: the context is current on this thread, and every allocation is freed once, when `ReservedMemory` is
            // dropped.
            match (free >= bytes + piece).then(|| unsafe { result::malloc_sync(piece as usize) }) {
                Some(Ok(address)) => held.addresses.push(address),
                _ => piece /= 2,
            }
        }
        held
    }
}

impl Drop for ReservedMemory {
    fn drop(&mut self) {
        for &address in &self.addresses {
            // SAFETY: the address was allocated by `all_but`, and nothing else refers to it.
            let _ = unsafe { result::free_sync(address) };
        }
    }
}
