//! Texts: finds a text on the GPU, or copies it there through page-locked buffers, on several cores.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use cudarc::driver::{CudaSlice, CudaStream, result};

use super::GpuSession;
use crate::cpu::Cpu;
use crate::gpu::pinned::{PinnedBuffer, PinnedBuffers};
use crate::gpu::text_cache::HASH_PIECE_BYTES;
use crate::gpu::{Gpu, GpuError};
use crate::run::{Halt, Run};
use crate::symbol::Symbol;

/// Number of zero bytes after every text on the GPU, because kernels read ahead in whole vectors.
pub(crate) const TEXT_PADDING_BYTES: usize = 256;

/// Minimum size of a text that is cached for later jobs, in bytes. Shorter texts are copied for each job.
const MIN_CACHED_BYTES: usize = 1 << 18;

/// Minimum number of bytes of a text that each thread of a transfer hashes and copies.
const MIN_BYTES_PER_THREAD: usize = 2 * HASH_PIECE_BYTES;
/// Maximum number of threads of a transfer. One thread hashes or copies at about a tenth of the rate that the GPU
/// accepts.
const MAX_TRANSFER_THREADS: usize = 10;

/// Number of page-locked buffers of each thread. One buffer is filled while the other one is copied to the GPU.
const BUFFERS_PER_THREAD: usize = 2;

/// A symbol type whose texts are copied to the GPU byte for byte as they are in memory.
pub(crate) trait DeviceSymbol: Symbol {
    /// Returns the symbols of `text` as bytes, `Self::BYTES` for each.
    fn bytes(text: &[Self]) -> &[u8];
}

impl DeviceSymbol for u8 {
    fn bytes(text: &[Self]) -> &[u8] {
        text
    }
}

impl DeviceSymbol for u32 {
    fn bytes(text: &[Self]) -> &[u8] {
        // SAFETY: the slice covers the same memory, which has no padding, for the same lifetime. Bytes need no
        // alignment.
        unsafe { std::slice::from_raw_parts(text.as_ptr().cast(), size_of_val(text)) }
    }
}

/// A text on the GPU. Dropping the value waits until the session's kernels no longer read the text.
pub(crate) struct DeviceText {
    address: u64,
    stream: Arc<CudaStream>,
    _text: Arc<CudaSlice<u8>>,
}

impl DeviceText {
    /// Returns the GPU address of the first symbol.
    pub(crate) fn address(&self) -> u64 {
        self.address
    }
}

impl Drop for DeviceText {
    fn drop(&mut self) {
        // The text may belong to another stream, whose memory is freed at once. A GPU that no longer answers does not
        // read the text.
        let _ = self.stream.synchronize();
    }
}

impl GpuSession<'_> {
    /// Returns the GPU address of a copy of `text`, followed by [`TEXT_PADDING_BYTES`] zero bytes. The address is valid
    /// until the session ends. Long texts stay on the GPU for other jobs while the cache has space.
    ///
    /// # Errors
    /// Returns `Stopped` if the observer stops the run, and `Failed` if the GPU fails.
    pub(crate) fn text_address<T: DeviceSymbol>(&self, text: &[T]) -> Result<u64, Halt> {
        let part = self.copy_part(text)?;
        let address = part.address();
        self.texts.lock().unwrap_or_else(PoisonError::into_inner).push(part);
        Ok(address)
    }

    /// Copies `text`, a part of a longer text, to the GPU. The part stays there until the returned value is dropped. In
    /// this way only one part of a long text is on the GPU at a time.
    ///
    /// # Errors
    /// Returns the errors of [`text_address`](Self::text_address).
    pub(crate) fn copy_part<T: DeviceSymbol>(&self, text: &[T]) -> Result<DeviceText, Halt> {
        let text = T::bytes(text);
        let text = if text.len() < MIN_CACHED_BYTES { Arc::new(self.copied(text)?) } else { self.cached(text)? };
        Ok(DeviceText { address: self.address(&*text), _text: text, stream: self.stream.clone() })
    }

    fn copied(&self, text: &[u8]) -> Result<CudaSlice<u8>, GpuError> {
        let room = self.allocate_padded(text.len())?;
        // SAFETY: the buffer is longer than the text. Pageable memory is read before the call returns.
        let copied = unsafe { result::memcpy_htod_async(self.address(&room), text, self.stream.cu_stream()) };
        self.gpu.driver_result("copying a text to the device", copied)?;
        Ok(room)
    }

    /// Allocates GPU memory for a text of `bytes` bytes and [`TEXT_PADDING_BYTES`] zeros after it.
    fn allocate_padded(&self, bytes: usize) -> Result<CudaSlice<u8>, GpuError> {
        let room = self.allocate_uninit::<u8>(bytes + TEXT_PADDING_BYTES)?;
        // SAFETY: the range is the last `TEXT_PADDING_BYTES` bytes of the buffer.
        let zeros = unsafe { result::memset_d8_async(self.address(&room) + bytes as u64, 0, TEXT_PADDING_BYTES, self.stream.cu_stream()) };
        self.gpu.driver_result("clearing memory", zeros)?;
        Ok(room)
    }

    fn cached(&self, text: &[u8]) -> Result<Arc<CudaSlice<u8>>, Halt> {
        let text_cache = &self.gpu.text_cache;
        let way = TransferContext { gpu: self.gpu, run: self.run, stream: &self.stream };
        let look = text_cache.sketch_text(text);
        if text_cache.may_hold(look) {
            let hashes = way.spread(text, 0, |_, _, piece| Ok(text_cache.piece(piece)))?;
            if let Some(kept) = text_cache.get(look, text_cache.whole(&hashes)) {
                return Ok(kept);
            }
        }
        let room = self.allocate_padded(text.len())?;
        let start = self.address(&room);
        let hashes = way.spread(text, BUFFERS_PER_THREAD, |buffers, at, piece| {
            let buffer = buffers.first_mut().expect("every thread has BUFFERS_PER_THREAD of them");
            // SAFETY: the buffer has room for piece number `at` of the text, and lives until the stream is idle: either
            // `synchronize` below waits for that, or the end of the session.
            unsafe { buffer.send(way.gpu, way.stream, start + (at * HASH_PIECE_BYTES) as u64, piece)? };
            buffers.rotate_left(1);
            Ok(text_cache.piece(piece))
        });
        // From here on, another job on another stream may find the text.
        self.synchronize()?;
        let (kept, hashes) = (Arc::new(room), hashes?);
        text_cache.insert(look, text_cache.whole(&hashes), kept.clone());
        Ok(kept)
    }
}

/// The data shared by all threads that copy one text together.
#[derive(Clone, Copy)]
struct TransferContext<'w> {
    gpu: &'w Gpu,
    run: &'w Run<'w>,
    stream: &'w CudaStream,
}

impl TransferContext<'_> {
    /// Calls `each` for all pieces of `text`, on several threads. Each thread takes `buffers` page-locked buffers.
    /// `each` receives these buffers, the number of the piece, and the piece. Returns the results in the order of the
    /// pieces.
    fn spread<R: Send>(
        &self,
        text: &[u8],
        buffers: usize,
        each: impl Fn(&mut [PinnedBuffer], usize, &[u8]) -> Result<R, Halt> + Sync,
    ) -> Result<Vec<R>, Halt> {
        let threads = (text.len() / MIN_BYTES_PER_THREAD).clamp(1, MAX_TRANSFER_THREADS).min(Cpu::all_cores().threads);
        let next = AtomicUsize::new(0);
        let all = Mutex::new(Vec::new());
        let work = || -> Result<(), Halt> {
            self.gpu.driver_result("using the device", self.gpu.context.bind_to_thread())?;
            let mut buffers = PinnedBuffers::take(self.gpu, buffers)?;
            let mut own = Vec::new();
            loop {
                let at = next.fetch_add(1, Relaxed);
                let Some(piece) = text.chunks(HASH_PIECE_BYTES).nth(at) else { break };
                self.run.tick(0)?;
                own.push((at, each(&mut buffers.buffers, at, piece)?));
            }
            all.lock().unwrap_or_else(PoisonError::into_inner).append(&mut own);
            Ok(())
        };
        std::thread::scope(|scope| {
            let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
            let mine = work();
            let others = others.into_iter().map(|other| other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            others.fold(mine, Result::and)
        })?;
        let mut all = all.into_inner().unwrap_or_else(PoisonError::into_inner);
        all.sort_unstable_by_key(|(at, _)| *at);
        Ok(all.into_iter().map(|(_, made)| made).collect())
    }
}
