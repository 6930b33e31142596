//! The CUDA device of all tests in this binary. Tests share one device, because opening it takes time.
//!
//! Without a device, tests are skipped and report that. With `EDITSCOPE_GPU=required` they fail instead.
//! `EDITSCOPE_KERNELS` names a folder for compiled kernels.

use std::sync::LazyLock;

use kernels::engine::Engine;
use kernels::gpu::device_recovery::RecoverableGpu;

#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
pub(crate) fn cuda() -> Option<&'static Engine> {
    static ENGINE: LazyLock<Option<Engine>> = LazyLock::new(|| {
        let opened = RecoverableGpu::open(0, std::env::var_os("EDITSCOPE_KERNELS").map(Into::into));
        if std::env::var("EDITSCOPE_GPU").is_ok_and(|wish| wish == "required") {
            return Some(Engine::Cuda(opened.expect("EDITSCOPE_GPU=required")));
        }
        opened.ok().map(Engine::Cuda)
    });
    if ENGINE.is_none() {
        eprintln!("skipped: no CUDA device");
    }
    ENGINE.as_ref()
}
