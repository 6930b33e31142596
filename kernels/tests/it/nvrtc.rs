//! Compiles every variant of every kernel, if NVRTC is installed. No device is needed.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use kernels::engine::Cpu;
use kernels::gpu::compile::{ComputeCapability, KernelSource, is_present, machine_code, spilled_bytes};
use kernels::gpu::{compaction, probe};
use kernels::job::Task;
use kernels::task::{approximate_search, exact_search, match_count, solver};

/// Returns the variants of all kernels, and checks their numbers.
fn variants() -> Vec<KernelSource> {
    // Alignments also need the kernels of edit distances and of subsequences.
    let pairs = solver(Task::SequenceAlignment).kernels();
    let searches = exact_search::cuda::variants().chain(match_count::cuda::variants()).chain(approximate_search::cuda::variants());
    let searches: Vec<KernelSource> = searches.chain([compaction::source(), probe::source()]).collect();
    let methods = kernels::methods::cuda::variants();
    assert_eq!((pairs.len(), searches.len(), methods.len()), (107, 103, 10));
    pairs.into_iter().chain(searches).chain(methods).collect()
}

/// Calls `check` for all sources, on all cores.
fn for_each(sources: &[KernelSource], check: impl Fn(&KernelSource) + Sync) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..Cpu::all_cores().threads {
            scope.spawn(|| {
                while let Some(source) = sources.get(next.fetch_add(1, Relaxed)) {
                    check(source);
                }
            });
        }
    });
}

#[test]
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn every_variant_compiles_without_spilling_registers() {
    if !is_present() {
        eprintln!("skipped: no NVRTC");
        return;
    }
    for_each(&variants(), |source| {
        let spilled = spilled_bytes(source, ComputeCapability::HOPPER)
            .unwrap_or_else(|error| panic!("{} {:?}: {error}", source.name, source.defines));
        assert_eq!(spilled, 0, "{} {:?}", source.name, source.defines);
    });
}

/// Compiles one kernel of each kind.
#[test]
fn variants_compile_for_the_oldest_supported_devices() {
    if !is_present() {
        return;
    }
    let mut kinds = HashSet::new();
    let mut sources = variants();
    sources.retain(|source| kinds.insert(source.name));
    assert_eq!(sources.len(), 21);
    for_each(&sources, |source| {
        let code =
            machine_code(source, ComputeCapability::TURING).unwrap_or_else(|error| panic!("{} {:?}: {error}", source.name, source.defines));
        assert!(code.starts_with(b"\x7fELF"), "{}", source.name);
    });
}

#[test]
fn compile_error_names_kernel_and_cause() {
    if !is_present() {
        return;
    }
    let mut source = variants().remove(0);
    source.text = "extern \"C\" __global__ void broken() { undeclared = 1; }";
    let error = machine_code(&source, ComputeCapability::HOPPER).unwrap_err().to_string();
    assert!(error.contains(source.name) && error.contains("undeclared"), "{error}");
}
