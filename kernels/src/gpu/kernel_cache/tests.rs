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
fn what_was_made_is_there_at_the_next_start() {
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
fn a_damaged_file_is_made_again() {
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
fn what_the_driver_refuses_is_made_again_once() {
    let Some(folder) = folder() else { return };
    let run = Run::new(&NoObserver);
    let made = kernel_cache(Some(folder.path())).code(&source(6), &run).unwrap();
    std::fs::write(file(folder.path()), sealed(b"refused")).unwrap();
    let cache = kernel_cache(Some(folder.path()));
    assert_eq!(*cache.code(&source(6), &run).unwrap(), *b"refused");
    assert!(cache.discard(&source(6)));
    assert_eq!(cache.code(&source(6), &run).unwrap(), made);
    assert!(!cache.discard(&source(6)), "a kernel that is refused again is refused for good");
}

#[test]
fn all_who_wait_get_what_one_has_made() {
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
fn the_cache_is_filled_in_the_background() {
    let Some(folder) = folder() else { return };
    let kernel_cache = kernel_cache(Some(folder.path()));
    kernel_cache.precompile((10..14).map(source), 2);
    let run = Run::new(&NoObserver);
    (10..14).for_each(|number| drop(kernel_cache.code(&source(number), &run).unwrap()));
    assert_eq!(files(folder.path()), 4);
}

/// A compilation in progress at the end of the process corrupts the heap.
#[test]
fn no_compiler_outlives_its_cache() {
    let Some(folder) = folder() else { return };
    let kernel_cache = kernel_cache(Some(folder.path()));
    assert_eq!(kernel_cache.code(&source(20), &Run::new(&StopsAtOnce)).unwrap_err(), Halt::Stopped);
    kernel_cache.precompile((21..200).map(source), 2);
    let shared = Arc::downgrade(&kernel_cache.shared);
    drop(kernel_cache);
    assert!(shared.upgrade().is_none(), "a compiler has it still");
    assert!(files(folder.path()) < 100, "nobody needed what was not begun");
}

#[test]
fn a_refusal_is_told_to_everyone_who_asks() {
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
fn a_job_that_waits_can_be_stopped_and_what_it_began_is_finished() {
    let Some(folder) = folder() else { return };
    let kernel_cache = kernel_cache(Some(folder.path()));
    assert_eq!(kernel_cache.code(&source(4), &Run::new(&StopsAtOnce)).unwrap_err(), Halt::Stopped);
    assert!(kernel_cache.code(&source(4), &Run::new(&NoObserver)).is_ok());
}

#[test]
fn a_job_gets_its_kernel_where_the_disk_has_what_the_driver_refuses() {
    let (Some(_gpu), Some(folder)) = (gpu(), folder()) else { return };
    let gpu = Gpu::open(0, Some(folder.path().to_owned())).unwrap();
    let file = gpu.kernel_cache.shared.file(&gpu.kernel_cache.key(&source(7))).unwrap();
    std::fs::write(&file, sealed(b"no machine code")).unwrap();
    gpu.kernel(&source(7), "add", &Run::new(&NoObserver)).unwrap();
    assert!(std::fs::read(file).unwrap().starts_with(b"\x7fELF"));
}
