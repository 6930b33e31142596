//! Launches: runs several kernels one after another as one computation, which can stop and yield.

use cudarc::driver::CudaFunction;

use crate::gpu::session::{GpuSession, KernelArguments, KernelProgress, LaunchGrid};
use crate::run::Halt;

/// Number of progress reports of a computation.
const REPORTS: u64 = 1 << 10;

/// A launch with all that it needs.
pub(super) struct Launch<T> {
    pub(super) kernel: CudaFunction,
    pub(super) grid: LaunchGrid,
    pub(super) arguments: T,
}

/// Returns the binary logarithm of the interval between two reports, in counts of progress, of which there are `counts` in
/// total.
pub(super) fn report_interval(counts: u64) -> u32 {
    (counts / REPORTS).max(1).ilog2()
}

/// Queues all `launches` and waits for their end. If the session yields, blocks end early and are launched again, and take
/// the items that are left. The kernels count `counts` steps of progress in all; the run reports `cells` cells in all.
///
/// # Safety
/// See [`GpuSession::launch_as`], for each of the launches.
pub(super) unsafe fn run_all<T: KernelArguments>(
    session: &mut GpuSession,
    launches: &[Launch<T>],
    [counts, cells]: [u64; 2],
) -> Result<(), Halt> {
    let mut turn = session.wait_for_turn()?;
    session.reset()?;
    let mut progress = KernelProgress::new(counts, cells);
    loop {
        for Launch { kernel, grid, arguments } in launches {
            // SAFETY: guaranteed by the caller.
            unsafe { session.launch_as(kernel, *grid, *arguments)? };
        }
        if session.wait_for_kernel(&mut progress, turn.as_mut())? {
            return Ok(());
        }
        drop(turn);
        turn = session.wait_for_turn()?;
        session.resume()?;
    }
}
