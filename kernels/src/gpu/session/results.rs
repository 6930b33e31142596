//! Results: copies large results to the host through page-locked buffers, on several cores.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::GpuSession;
use crate::cpu::Cpu;
use crate::gpu::pinned::PinnedBuffers;
use crate::gpu::text_cache::HASH_PIECE_BYTES;
use crate::run::Halt;

/// Maximum number of threads of a transfer.
const MAX_TRANSFER_THREADS: usize = 16;

/// Number of bytes of the pieces in which results are copied.
pub(crate) const RESULT_PIECE_BYTES: usize = HASH_PIECE_BYTES;

impl GpuSession<'_> {
    /// Copies `bytes` bytes from the GPU address `address` to the host, in pieces of [`RESULT_PIECE_BYTES`]. Calls `each`
    /// with the number of each piece and its bytes, on several threads and in any order.
    ///
    /// # Safety
    /// `bytes` bytes must be valid at `address`, and the session's stream must have work queued that writes them.
    ///
    /// # Errors
    /// Returns `Stopped` if the observer stops the run, and `Failed` if the GPU fails.
    pub(crate) unsafe fn download_pieces(&self, address: u64, bytes: usize, each: impl Fn(usize, &[u8]) + Sync) -> Result<(), Halt> {
        let pieces = bytes.div_ceil(RESULT_PIECE_BYTES);
        let threads = pieces.div_ceil(2).clamp(1, MAX_TRANSFER_THREADS).min(Cpu::all_cores().threads);
        let next = AtomicUsize::new(0);
        let (gpu, run, stream) = (self.gpu, self.run, &*self.stream);
        let work = || -> Result<(), Halt> {
            gpu.driver_result("using the device", gpu.context.bind_to_thread())?;
            let mut taken = PinnedBuffers::take(gpu, 2)?;
            let [one, other] = &mut taken.buffers[..] else { return Ok(()) };
            let (mut full, mut empty) = (one, other);
            let mut current = None;
            loop {
                let number = next.fetch_add(1, Relaxed);
                let start = number * RESULT_PIECE_BYTES;
                let following = (start < bytes).then(|| (number, RESULT_PIECE_BYTES.min(bytes - start)));
                if let Some((_, len)) = following {
                    // SAFETY: the piece lies within the bytes that the caller names.
                    unsafe { empty.receive(gpu, stream, address + start as u64, len)? };
                }
                if let Some((number, len)) = current {
                    each(number, full.received(gpu, len)?);
                    run.tick(0)?;
                }
                if following.is_none() {
                    return Ok(());
                }
                current = following;
                (full, empty) = (empty, full);
            }
        };
        std::thread::scope(|scope| {
            let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
            let mine = work();
            let others = others.into_iter().map(|other| other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            others.fold(mine, Result::and)
        })
    }
}
