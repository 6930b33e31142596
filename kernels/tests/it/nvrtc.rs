//! Every variant of every kernel compiles, where NVRTC is: no device is needed for that.

use std::collections::HashSet;

use kernels::gpu::compile::{Arch, Source, is_present, machine_code};
use kernels::gpu::gather;
use kernels::task::edit_distance::cuda;
use kernels::task::{approximate_search, exact_search, match_count};

#[test]
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn every_variant_compiles() {
    if !is_present() {
        eprintln!("skipped: no NVRTC");
        return;
    }
    let mut variants = 0;
    for source in cuda::variants() {
        let code = machine_code(&source, Arch::HOPPER).unwrap_or_else(|error| panic!("{:?}: {error}", source.defines));
        assert!(code.starts_with(b"\x7fELF"), "{:?}", source.defines);
        variants += 1;
    }
    assert_eq!(variants, 40);
}

/// All of them for new devices, and one of each kind for the oldest.
#[test]
fn the_kernels_of_searches_compile() {
    if !is_present() {
        return;
    }
    let searches = exact_search::cuda::variants().chain(match_count::cuda::variants()).chain(approximate_search::cuda::variants());
    let sources: Vec<Source> = searches.chain([gather::source()]).collect();
    let mut kinds = HashSet::new();
    let oldest = sources.iter().filter(|source| kinds.insert(source.name)).map(|source| (source, Arch::TURING));
    let all: Vec<_> = oldest.chain(sources.iter().map(|source| (source, Arch::HOPPER))).collect();
    let compile = |(source, arch): &(&Source, Arch)| {
        machine_code(source, *arch).unwrap_or_else(|error| panic!("{} for {arch:?}, {:?}: {error}", source.name, source.defines));
    };
    std::thread::scope(|scope| {
        for part in all.chunks(all.len().div_ceil(2)) {
            scope.spawn(move || part.iter().for_each(compile));
        }
    });
    assert_eq!((kinds.len(), sources.len()), (8, 90));
}

#[test]
fn the_oldest_devices_are_served() {
    if !is_present() {
        return;
    }
    let source = cuda::variants().last().unwrap();
    machine_code(&source, Arch::TURING).unwrap();
}

#[test]
fn a_kernel_that_does_not_compile_says_why() {
    if !is_present() {
        return;
    }
    let mut source = cuda::variants().next().unwrap();
    source.text = "extern \"C\" __global__ void broken() { undeclared = 1; }";
    let error = machine_code(&source, Arch::HOPPER).unwrap_err().to_string();
    assert!(error.contains("edit-distance") && error.contains("undeclared"), "{error}");
}
