//! A device for tests: one that they share, or one of which a single test has just so many bytes, and what stands for smaller ones.
//!
//! Without a device they are skipped, and say so. With `EDITSCOPE_GPU=required` they fail. Compiled kernels are kept in the folder
//! `EDITSCOPE_KERNELS` where it is given.

use std::ops::Deref;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use cudarc::driver::{result, sys};

use super::Gpu;

/// Most shared memory of a block on Turing without asking, on Ada, an A100 and Hopper, in bytes.
pub(crate) const SHARED_BYTES: [u32; 4] = [48 << 10, 99 << 10, 163 << 10, 227 << 10];

/// Who has the memory: many tests together, or one alone.
static MEMORY: RwLock<()> = RwLock::new(());

/// A device as long as a test needs it.
pub(crate) struct TestGpu {
    held: Option<Held>,
    gpu: Gpu,
    _share: Share,
}

enum Share {
    Some { _lock: RwLockReadGuard<'static, ()> },
    All { _lock: RwLockWriteGuard<'static, ()> },
}

impl Deref for TestGpu {
    type Target = Gpu;

    fn deref(&self) -> &Gpu {
        &self.gpu
    }
}

/// A device that other tests are using too.
pub(crate) fn gpu() -> Option<TestGpu> {
    let share = Share::Some { _lock: MEMORY.read().unwrap_or_else(PoisonError::into_inner) };
    Some(TestGpu { held: None, gpu: open()?, _share: share })
}

/// As [`gpu`], as if its blocks had so much shared memory: it refuses more.
pub(crate) fn gpu_with_shared(bytes: u32) -> Option<TestGpu> {
    let mut gpu = gpu()?;
    gpu.gpu.shared_bytes = gpu.gpu.shared_bytes.min(bytes);
    Some(gpu)
}

/// A device that no other test of this process is using. [`TestGpu::leave`] takes its memory away.
pub(crate) fn gpu_alone() -> Option<TestGpu> {
    let share = Share::All { _lock: MEMORY.write().unwrap_or_else(PoisonError::into_inner) };
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
    /// Holds all of the device's free memory but so many bytes until this is called again, as another program might. What jobs
    /// have left for the next ones goes first.
    pub(crate) fn leave(&mut self, bytes: u64) {
        self.held = None;
        self.gpu.text_cache.take_all();
        self.gpu.context.synchronize().expect("the device answers");
        self.gpu.pool.give_back().expect("memory that nobody uses");
        self.held = Some(Held::all_but(&self.gpu, bytes));
        let free = self.gpu.free_bytes().expect("the device answers");
        assert!(free <= bytes + (4 << 20) && free + (4 << 20) >= bytes, "{free} bytes are free, not {bytes}");
    }
}

/// Memory that nobody else can have.
struct Held {
    addresses: Vec<sys::CUdeviceptr>,
}

impl Held {
    fn all_but(gpu: &Gpu, bytes: u64) -> Self {
        let mut held = Self { addresses: Vec::new() };
        let mut piece: u64 = 1 << 36;
        while piece >= 1 << 21 {
            let free = gpu.free_bytes().expect("the device answers");
            // SAFETY: the context is current on this thread, and whatever is allocated is freed once, when this is dropped.
            match (free >= bytes + piece).then(|| unsafe { result::malloc_sync(piece as usize) }) {
                Some(Ok(address)) => held.addresses.push(address),
                _ => piece /= 2,
            }
        }
        held
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        for &address in &self.addresses {
            // SAFETY: allocated above, and nothing else knows of it.
            let _ = unsafe { result::free_sync(address) };
        }
    }
}
