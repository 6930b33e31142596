//! Checks that a kernel is compiled only once. Also checks that no job waits for a result that cannot come.

use std::ops::ControlFlow;
use std::path::Path;

use super::*;
use crate::event::RunSignal;
use crate::gpu::Gpu;
use crate::gpu::testing::gpu;
use crate::run::{NoObserver, Observer};

/// Returns a kernel that compiles quickly. Different values of `number` give different kernels.
fn source(number: u64) -> KernelSource {
    let text = "extern \"C\" __global__ void add(u32* at) { *at += NUMBER; }";
    KernelSource { name: "add", text, defines: vec![("NUMBER", number)] }
}

/// Creates a temporary folder, or returns `None` if the compiler is missing.
fn folder() -> Option<tempfile::TempDir> {
    compile::is_present().then(|| tempfile::tempdir().unwrap())
}

fn kernel_cache(cache: Option<&Path>) -> KernelCache {
    KernelCache::new(ComputeCapability::HOPPER, cache.map(Path::to_owned))
}

fn files(folder: &Path) -> usize {
    std::fs::read_dir(folder).unwrap().count()
}

#[test]
fn compiled_kernel_is_read_from_disk_at_the_next_start() {
    let Some(folder) = folder() else { return };
    let run = Run::new(&NoObserver);
    let made = kernel_cache(Some(folder.path())).code(&source(1), &run).unwrap();
    assert!(made.starts_with(b"\x7fELF"));
    assert_eq!(files(folder.path()), 1);
    // The next start finds the contents of the folder.
    std::fs::write(file(folder.path()), sealed(b"kept")).unwrap();
    assert_eq!(*kernel_cache(Some(folder.path())).code(&source(1), &run).unwrap(), *b"kept");
}

/// Returns the only file in a folder.
fn file(folder: &Path) -> PathBuf {
    std::fs::read_dir(folder).unwrap().next().unwrap().unwrap().path()
}

#[test]
fn damaged_kernel_file_is_compiled_again() {
    let Some(folder) = folder() else { return };
    let run = Run::new(&NoObserver);
    let made = kernel_cache(Some(folder.path())).code(&source(5), &run).unwrap();
    let whole = std::fs::read(file(folder.path())).unwrap();
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 1;
    for damaged in [&whole[..whole.len() / 2], &vec![0; whole.len()], &flipped, b"", &made[..]] {
        std::fs::write(file(folder.path()), damaged).unwrap();
        assert_eq!(kernel_cache(Some(folder.path())).code(&source(5), &run).unwrap(), made);
        assert_eq!(std::fs::read(file(folder.path())).unwrap(), whole);
    }
}

/// The file is complete, but the driver refuses to load it.
#[test]
fn kernel_that_the_driver_refuses_is_compiled_again_once() {
    let Some(folder) = folder() else { return };
    let run = Run::new(&NoObserver);
    let made = kernel_cache(Some(folder.path())).code(&source(6), &run).unwrap();
    std::fs::write(file(folder.path()), sealed(b"refused")).unwrap();
    let cache = kernel_cache(Some(folder.path()));
    assert_eq!(*cache.code(&source(6), &run).unwrap(), *b"refused");
    assert!(cache.discard(&source(6)));
    assert_eq!(cache.code(&source(6), &run).unwrap(), made);
    assert!(!cache.discard(&source(6)), "a second refusal is final");
}

#[test]
fn concurrent_callers_share_one_compilation() {
    if !compile::is_present() {
        return;
    }
    let kernel_cache = kernel_cache(None);
    let made = std::thread::scope(|scope| {
        let ask = || kernel_cache.code(&source(2), &Run::new(&NoObserver)).unwrap();
        [(); 4].map(|()| scope.spawn(ask)).map(|asked| asked.join().unwrap())
    });
    assert!(made.iter().all(|code| Arc::ptr_eq(code, &made[0])));
}

#[test]
fn kernels_are_compiled_in_the_background() {
    let Some(folder) = folder() else { return };
    let kernel_cache = kernel_cache(Some(folder.path()));
    kernel_cache.precompile((10..14).map(source), 2);
    let run = Run::new(&NoObserver);
    (10..14).for_each(|number| drop(kernel_cache.code(&source(number), &run).unwrap()));
    assert_eq!(files(folder.path()), 4);
}

/// A compilation in progress at the end of the process corrupts the heap.
#[test]
fn dropped_cache_stops_its_compiler_threads() {
    let Some(folder) = folder() else { return };
    let kernel_cache = kernel_cache(Some(folder.path()));
    assert_eq!(kernel_cache.code(&source(20), &Run::new(&StopsAtOnce)).unwrap_err(), Halt::Stopped);
    kernel_cache.precompile((21..200).map(source), 2);
    let shared = Arc::downgrade(&kernel_cache.shared);
    drop(kernel_cache);
    assert!(shared.upgrade().is_none(), "a compiler thread still uses the cache");
    assert!(files(folder.path()) < 100, "compilations that had not started are dropped");
}

#[test]
fn compile_error_is_returned_to_every_caller() {
    if !compile::is_present() {
        return;
    }
    let kernel_cache = kernel_cache(None);
    let broken = KernelSource { text: "broken", ..source(3) };
    for _ in 0..2 {
        let refused = kernel_cache.code(&broken, &Run::new(&NoObserver)).unwrap_err().failure();
        assert!(refused.to_string().contains("compiling add failed"), "{refused}");
    }
}

/// An observer that stops the run at its first signal.
struct StopsAtOnce;

impl Observer for StopsAtOnce {
    fn on_signal(&self, _: RunSignal) -> ControlFlow<()> {
        ControlFlow::Break(())
    }
}

#[test]
fn stopped_job_leaves_its_compilation_running() {
    let Some(folder) = folder() else { return };
    let kernel_cache = kernel_cache(Some(folder.path()));
    assert_eq!(kernel_cache.code(&source(4), &Run::new(&StopsAtOnce)).unwrap_err(), Halt::Stopped);
    assert!(kernel_cache.code(&source(4), &Run::new(&NoObserver)).is_ok());
}

#[test]
fn job_gets_its_kernel_if_the_driver_refuses_the_file_on_disk() {
    let (Some(_gpu), Some(folder)) = (gpu(), folder()) else { return };
    let gpu = Gpu::open(0, Some(folder.path().to_owned())).unwrap();
    let file = gpu.kernel_cache.shared.file(&gpu.kernel_cache.key(&source(7))).unwrap();
    std::fs::write(&file, sealed(b"no machine code")).unwrap();
    gpu.kernel(&source(7), "add", &Run::new(&NoObserver)).unwrap();
    assert!(std::fs::read(file).unwrap().starts_with(b"\x7fELF"));
}
