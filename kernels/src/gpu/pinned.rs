//! Pinned: page-locked buffers in host memory, which the GPU reads directly. They are reused, because allocating a
//! buffer takes longer than copying its contents.

use std::sync::PoisonError;

use cudarc::driver::{CudaEvent, CudaStream, PinnedHostSlice, result, sys};

use super::text_cache::HASH_PIECE_BYTES;
use super::{Gpu, GpuError};

/// A buffer in page-locked host memory, with room for [`HASH_PIECE_BYTES`] bytes.
#[derive(Debug)]
pub(super) struct PinnedBuffer {
    memory: PinnedHostSlice<u8>,
    /// Event in a stream that occurs when the last copy from this buffer has ended.
    copied: CudaEvent,
}

impl PinnedBuffer {
    fn new(gpu: &Gpu) -> Result<Self, GpuError> {
        // SAFETY: the memory is written in `send`, before anything reads it.
        let memory =
            gpu.driver_result("allocating host memory", unsafe { gpu.context.alloc_pinned_with_flags::<u8>(HASH_PIECE_BYTES, 0) })?;
        Ok(Self { memory, copied: gpu.driver_result("making an event", gpu.context.new_event(None))? })
    }

    /// Queues a copy of `piece` on `stream` to the GPU address `address`. Waits for the previous copy from this buffer,
    /// and returns as soon as `piece` has been read. `piece` must fit into the buffer.
    ///
    /// # Safety
    /// Memory for `piece` must be valid at `address` until `stream` has passed the copy.
    pub(super) unsafe fn send(&mut self, gpu: &Gpu, stream: &CudaStream, address: u64, piece: &[u8]) -> Result<(), GpuError> {
        let what = "copying a text to the device";
        gpu.driver_result(what, self.copied.synchronize())?;
        let room = gpu.driver_result(what, self.memory.as_mut_slice())?;
        room[..piece.len()].copy_from_slice(piece);
        // SAFETY: the caller ensures that the memory at `address` is valid. The buffer is neither written nor freed
        // before the event below has occurred, because `send` and `drop` wait for it.
        gpu.driver_result(what, unsafe {
            result::memcpy_htod_async(address as sys::CUdeviceptr, &room[..piece.len()], stream.cu_stream())
        })?;
        gpu.driver_result(what, self.copied.record(stream))
    }

    /// Queues a copy of `bytes` bytes on `stream` from the GPU address `address` to this buffer, in which they must fit.
    /// Waits for the previous copy.
    ///
    /// # Safety
    /// `bytes` bytes must be valid at `address` until `stream` has passed the copy.
    pub(super) unsafe fn receive(&mut self, gpu: &Gpu, stream: &CudaStream, address: u64, bytes: usize) -> Result<(), GpuError> {
        let what = "copying from the device";
        gpu.driver_result(what, self.copied.synchronize())?;
        let room = gpu.driver_result(what, self.memory.as_mut_slice())?;
        // SAFETY: the caller ensures that the memory at `address` is valid. The buffer is neither accessed nor freed before
        // the event below has occurred, because `received`, `send` and `drop` wait for it.
        gpu.driver_result(what, unsafe { result::memcpy_dtoh_async(&mut room[..bytes], address as sys::CUdeviceptr, stream.cu_stream()) })?;
        gpu.driver_result(what, self.copied.record(stream))
    }

    /// Waits for the copy that [`receive`](Self::receive) has queued, and returns its `bytes` bytes.
    pub(super) fn received(&mut self, gpu: &Gpu, bytes: usize) -> Result<&[u8], GpuError> {
        let what = "copying from the device";
        gpu.driver_result(what, self.copied.synchronize())?;
        Ok(&gpu.driver_result(what, self.memory.as_slice())?[..bytes])
    }
}

impl Drop for PinnedBuffer {
    fn drop(&mut self) {
        // A GPU that no longer answers copies nothing.
        let _ = self.copied.synchronize();
    }
}

/// Page-locked buffers that one transfer has taken from the GPU's list of unused buffers. Dropping them puts them back.
pub(super) struct PinnedBuffers<'g> {
    gpu: &'g Gpu,
    pub(super) buffers: Vec<PinnedBuffer>,
}

impl<'g> PinnedBuffers<'g> {
    /// Takes `count` buffers from the GPU's list of unused buffers, and allocates new ones if the list has too few.
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
