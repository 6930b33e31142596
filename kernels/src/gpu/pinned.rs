//! Pinned: buffers in the host's memory that the device copies from by itself. They are made once and kept: making one costs
//! more than copying what fits into it.

use std::sync::PoisonError;

use cudarc::driver::{CudaEvent, CudaStream, PinnedHostSlice, result, sys};

use super::text_cache::PIECE;
use super::{Gpu, GpuError};

/// One buffer of `PIECE` bytes.
#[derive(Debug)]
pub(super) struct PinnedBuffer {
    memory: PinnedHostSlice<u8>,
    /// The last copy from it.
    copied: CudaEvent,
}

impl PinnedBuffer {
    fn new(gpu: &Gpu) -> Result<Self, GpuError> {
        // SAFETY: the memory is written in `send`, before anything reads it.
        let memory = gpu.at("allocating host memory", unsafe { gpu.context.alloc_pinned_with_flags::<u8>(PIECE, 0) })?;
        Ok(Self { memory, copied: gpu.at("making an event", gpu.context.new_event(None))? })
    }

    /// Queues a copy of at most `PIECE` bytes to `address`, once the last one from here is done. Returns as soon as `piece` is read.
    ///
    /// # Safety
    /// There is room for `piece` at `address` until `stream` has passed the copy.
    pub(super) unsafe fn send(&mut self, gpu: &Gpu, stream: &CudaStream, address: u64, piece: &[u8]) -> Result<(), GpuError> {
        let what = "copying a text to the device";
        gpu.at(what, self.copied.synchronize())?;
        let room = gpu.at(what, self.memory.as_mut_slice())?;
        room[..piece.len()].copy_from_slice(piece);
        // SAFETY: the caller's promise; the buffer is not written again before the event below, nor freed: `PinnedBuffer` waits for it.
        gpu.at(what, unsafe { result::memcpy_htod_async(address as sys::CUdeviceptr, &room[..piece.len()], stream.cu_stream()) })?;
        gpu.at(what, self.copied.record(stream))
    }
}

impl Drop for PinnedBuffer {
    fn drop(&mut self) {
        // A device that does not answer any more copies nothing.
        let _ = self.copied.synchronize();
    }
}

/// Some buffers while a text is copied.
pub(super) struct PinnedBuffers<'g> {
    gpu: &'g Gpu,
    pub(super) buffers: Vec<PinnedBuffer>,
}

impl<'g> PinnedBuffers<'g> {
    /// So many, those that are kept first.
    pub(super) fn take(gpu: &'g Gpu, count: usize) -> Result<Self, GpuError> {
        let mut kept = gpu.pinned.lock().unwrap_or_else(PoisonError::into_inner);
        let from = kept.len() - count.min(kept.len());
        let mut buffers = kept.split_off(from);
        drop(kept);
        while buffers.len() < count {
            buffers.push(PinnedBuffer::new(gpu)?);
        }
        Ok(Self { gpu, buffers })
    }
}

impl Drop for PinnedBuffers<'_> {
    fn drop(&mut self) {
        self.gpu.pinned.lock().unwrap_or_else(PoisonError::into_inner).append(&mut self.buffers);
    }
}
