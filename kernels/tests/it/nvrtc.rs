//! Every variant of every kernel compiles, where NVRTC is: no device is needed for that.

use kernels::gpu::compile::{Arch, is_present, machine_code};
use kernels::task::edit_distance::cuda;

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
