//! What is made once is not made again, and nobody waits for what will not come.

use std::ops::ControlFlow;
use std::path::Path;

use super::*;
use crate::event::Signal;
use crate::run::{Listen, Silent};

/// A kernel that is quick to compile; every number makes another one.
fn source(number: u64) -> Source {
    let text = "extern \"C\" __global__ void add(u32* at) { *at += NUMBER; }";
    Source { name: "add", text, defines: vec![("NUMBER", number)] }
}

/// A new folder, and whether the compiler is there to fill it.
fn folder() -> Option<tempfile::TempDir> {
    compile::is_present().then(|| tempfile::tempdir().unwrap())
}

fn kernel_cache(cache: Option<&Path>) -> KernelCache {
    KernelCache::new(Arch::HOPPER, cache.map(Path::to_owned))
}

fn files(folder: &Path) -> usize {
    std::fs::read_dir(folder).unwrap().count()
}

#[test]
fn what_was_made_is_there_at_the_next_start() {
    let Some(folder) = folder() else { return };
    let run = Run::new(&Silent);
    let made = kernel_cache(Some(folder.path())).code(&source(1), &run).unwrap();
    assert!(made.starts_with(b"\x7fELF"));
    assert_eq!(files(folder.path()), 1);
    // The next one finds what lies there, whatever it is.
    let file = std::fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap().path();
    std::fs::write(file, b"kept").unwrap();
    assert_eq!(*kernel_cache(Some(folder.path())).code(&source(1), &run).unwrap(), *b"kept");
}

#[test]
fn all_who_wait_get_what_one_has_made() {
    if !compile::is_present() {
        return;
    }
    let kernel_cache = kernel_cache(None);
    let made = std::thread::scope(|scope| {
        let ask = || kernel_cache.code(&source(2), &Run::new(&Silent)).unwrap();
        [(); 4].map(|()| scope.spawn(ask)).map(|asked| asked.join().unwrap())
    });
    assert!(made.iter().all(|code| Arc::ptr_eq(code, &made[0])));
}

#[test]
fn the_cache_is_filled_in_the_background() {
    let Some(folder) = folder() else { return };
    let kernel_cache = kernel_cache(Some(folder.path()));
    kernel_cache.fill((10..14).map(source), 2);
    let run = Run::new(&Silent);
    (10..14).for_each(|number| drop(kernel_cache.code(&source(number), &run).unwrap()));
    assert_eq!(files(folder.path()), 4);
}

#[test]
fn a_refusal_is_told_to_everyone_who_asks() {
    if !compile::is_present() {
        return;
    }
    let kernel_cache = kernel_cache(None);
    let broken = Source { text: "broken", ..source(3) };
    for _ in 0..2 {
        let refused = kernel_cache.code(&broken, &Run::new(&Silent)).unwrap_err().failure();
        assert!(refused.to_string().contains("compiling add failed"), "{refused}");
    }
}

/// Listens to nothing.
struct Deaf;

impl Listen for Deaf {
    fn hear(&self, _: Signal) -> ControlFlow<()> {
        ControlFlow::Break(())
    }
}

#[test]
fn a_job_that_waits_can_be_stopped_and_what_it_began_is_finished() {
    let Some(folder) = folder() else { return };
    let kernel_cache = kernel_cache(Some(folder.path()));
    assert_eq!(kernel_cache.code(&source(4), &Run::new(&Deaf)).unwrap_err(), Halt::Stopped);
    assert!(kernel_cache.code(&source(4), &Run::new(&Silent)).is_ok());
}
