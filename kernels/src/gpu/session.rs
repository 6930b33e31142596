//! Session: one job's share of a GPU: a stream, memory, and control words that a long-running kernel shares with the
//! host.
//!
//! All operations go through the stream in the order of their calls. While a kernel runs, it and the host communicate
//! over a board in host memory: the kernel reports its progress, and the host requests a stop. No driver calls are
//! involved, because a driver call may wait for another one: loading another job's kernel, for example, waits until the
//! running kernel ends.
//!
//! - [`texts`]: copies texts to the GPU, or finds them there
//! - [`results`]: copies large results to the host

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use cudarc::driver::{
    CudaEvent, CudaFunction, CudaSlice, CudaStream, DevicePtr, DeviceRepr, DriverError, LaunchConfig, PinnedHostSlice, PushKernelArg,
    result, sys,
};

use super::compile::KernelSource;
use super::time_slicing::TimeSlice;
use super::{Gpu, GpuError};
use crate::run::{Halt, Run};

mod results;
mod texts;

pub(crate) use results::RESULT_PIECE_BYTES;
pub(crate) use texts::{DeviceSymbol, DeviceText, TEXT_PADDING_BYTES};

/// Index of the control word from which warps draw the number of their next band (group of rows) of the matrix. A
/// control word has 8 bytes, and each used one has its own cache line.
pub(crate) const TICKET: u64 = 0;
/// Index of the control word that tells the kernel to stop.
pub(crate) const STOP: u64 = 16;
/// Index of the control word that counts the kernel's progress.
pub(crate) const DONE: u64 = 32;
/// Index of the control word that counts the warps that stopped before their end and saved their state.
pub(crate) const KEPT: u64 = 48;
/// Number of control words, including unused ones.
const CONTROL_WORDS: usize = 64;

/// Index of the word on the board (words in host memory) in which the kernel reports its progress.
pub(crate) const SAID: u64 = 0;
/// Index of the word on the board (words in host memory) with which the kernel reports that all its work is done.
pub(crate) const OVER: u64 = 8;
/// Index of the word on the board (words in host memory) with which the host asks the kernel to stop.
pub(crate) const WISH: u64 = 16;
/// Number of words on the board (words in host memory), including unused ones.
const BOARD_WORDS: usize = 32;

/// Shared memory that a thread block may use before the limit of its kernel is raised, in bytes.
const DEFAULT_SHARED_BYTES: u32 = 48 << 10;

/// Initial interval at which the host polls a running kernel. The interval grows between polls.
const MIN_POLL_INTERVAL: Duration = Duration::from_micros(20);
/// Maximum interval at which the host polls a running kernel.
const MAX_POLL_INTERVAL: Duration = super::time_slicing::SWEEP_POLL_INTERVAL;
/// Number of polls at [`MAX_POLL_INTERVAL`] between two progress reports to the run.
const POLLS_PER_REPORT: u32 = 10;
/// Number of polls without progress after which the host asks the driver whether the kernel failed.
const POLLS_PER_ERROR_CHECK: u32 = 250;

/// The board: words in host memory through which a running kernel and the host communicate.
#[derive(Debug)]
struct HostBoard {
    _memory: PinnedHostSlice<u64>,
    words: *mut u64,
}

// SAFETY: the words are accessed as atomics only.
unsafe impl Send for HostBoard {}

// SAFETY: the words are accessed as atomics only.
unsafe impl Sync for HostBoard {}

impl HostBoard {
    fn new(gpu: &Gpu) -> Result<Self, GpuError> {
        // SAFETY: the host initializes each word before a kernel or a caller reads it.
        let memory = unsafe { gpu.context.alloc_pinned_with_flags::<u64>(BOARD_WORDS, sys::CU_MEMHOSTALLOC_DEVICEMAP) };
        let mut memory = gpu.driver_result("allocating host memory", memory)?;
        let words = gpu.driver_result("allocating host memory", memory.as_mut_ptr())?;
        Ok(Self { _memory: memory, words })
    }

    fn word(&self, place: u64) -> &AtomicU64 {
        debug_assert!((place as usize) < BOARD_WORDS);
        // SAFETY: `place` is one of the constants above and lies within the memory, which lives as long as `self`.
        // Words are aligned, and both sides write whole words.
        unsafe { AtomicU64::from_ptr(self.words.add(place as usize)) }
    }
}

/// The stream, control words and board of a session. Later sessions reuse them, because creating a stream takes longer
/// than many a job.
#[derive(Debug)]
pub(super) struct SessionResources {
    stream: Arc<CudaStream>,
    control: CudaSlice<u64>,
    board: HostBoard,
}

/// One job's share of a GPU. Until the session ends, memory that it allocates is reported as used in the job's run.
pub(crate) struct GpuSession<'a> {
    gpu: &'a Gpu,
    run: &'a Run<'a>,
    stream: Arc<CudaStream>,
    /// Stream, control words and board, which are put back for later sessions when this session ends.
    resources: Option<SessionResources>,
    /// Whether the session is registered as a brief job, to which large jobs yield the GPU.
    is_brief: AtomicBool,
    /// Whether the session's kernels yield to brief jobs.
    yields_to_brief: bool,
    /// Texts that kernels of this session may be reading, so that they must not be freed.
    texts: Mutex<Vec<DeviceText>>,
}

/// The arguments of a kernel: one struct of plain numbers and GPU addresses, with the same layout in Rust and CUDA C++.
///
/// # Safety
/// - The struct is `repr(C)`, without padding that the kernel reads.
/// - Its addresses are valid for the kernel's accesses until the work stream has passed the launch.
pub(crate) unsafe trait KernelArguments: Copy {}

/// The grid of a kernel launch: numbers of blocks and threads, and shared memory of each block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LaunchGrid {
    /// Number of thread blocks in x and in y direction.
    pub(crate) blocks: [u32; 2],
    /// Number of threads in each block.
    pub(crate) threads: u32,
    /// Dynamic shared memory of a block in bytes, in addition to the memory that the kernel declares.
    pub(crate) shared: u32,
}

#[derive(Clone, Copy)]
#[repr(transparent)]
struct LaunchParameter<T>(T);

// SAFETY: `KernelArguments` requires exactly what a kernel parameter needs.
unsafe impl<T: KernelArguments> DeviceRepr for LaunchParameter<T> {}

impl SessionResources {
    fn new(gpu: &Gpu) -> Result<Self, GpuError> {
        let work = gpu.driver_result("making a stream", gpu.context.new_stream())?;
        let control = gpu.driver_result("allocating control words", work.alloc_zeros(CONTROL_WORDS))?;
        Ok(Self { stream: work, control, board: HostBoard::new(gpu)? })
    }
}

impl<'a> GpuSession<'a> {
    /// Opens a session on `gpu`. It is registered as a brief job, to which large jobs yield, until
    /// [`yield_to_brief_jobs`](Self::yield_to_brief_jobs) is called. Must be opened before any other operation that
    /// waits for the GPU, because large jobs yield only to registered brief jobs.
    pub(crate) fn new(gpu: &'a Gpu, run: &'a Run<'a>) -> Result<Self, GpuError> {
        let brief = gpu.time_slicing.begin_brief_job();
        let kept = gpu.idle_resources.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let seat = kept.map_or_else(|| SessionResources::new(gpu), Ok)?;
        Ok(Self {
            gpu,
            run,
            stream: seat.stream.clone(),
            resources: Some(seat),
            is_brief: AtomicBool::new(brief.leak_guard()),
            yields_to_brief: false,
            texts: Mutex::default(),
        })
    }

    /// Returns the kernel called `name` in the kernel file `source`. Compiles the file first if necessary.
    ///
    /// # Errors
    /// Returns the errors of [`Gpu::kernel`].
    pub(crate) fn kernel(&self, source: &KernelSource, name: &'static str) -> Result<CudaFunction, Halt> {
        if let Some(kernel) = self.gpu.loaded_kernel(source, name) {
            return Ok(kernel?);
        }
        // While this job waits for the compiler, no sweep needs to yield to it. Loading, however, waits for the running
        // kernel.
        self.run_paused(|| self.gpu.compile(source, self.run))?;
        self.gpu.kernel(source, name, self.run)
    }

    /// Calls `work`, which does not use the GPU, and returns its result. Meanwhile large jobs do not yield to this
    /// session.
    pub(crate) fn run_paused<R>(&self, work: impl FnOnce() -> R) -> R {
        let pauses = self.end_brief_job();
        let done = work();
        if pauses {
            self.is_brief.store(self.gpu.time_slicing.begin_brief_job().leak_guard(), Relaxed);
        }
        done
    }

    /// Ends the session's registration as a brief job. Returns whether the session was registered.
    fn end_brief_job(&self) -> bool {
        let was = self.is_brief.swap(false, Relaxed);
        if was {
            self.gpu.time_slicing.end_brief_job();
        }
        was
    }

    /// Returns the GPU memory that the job can allocate, in bytes. Evicts cached texts if less than `wanted` bytes are
    /// free.
    ///
    /// # Errors
    /// Returns `Stopped` if the observer stops the run while memory is freed, and `Failed` if the GPU does not answer.
    pub(crate) fn spare_bytes(&self, wanted: u64) -> Result<u64, Halt> {
        let free = self.gpu.free_bytes()?;
        if free >= wanted || !self.evict()? {
            return Ok(free);
        }
        Ok(self.gpu.free_bytes()?)
    }

    /// Evicts all cached texts and waits until their memory is free. Returns whether there were any. A text that
    /// another job uses is freed when that job ends.
    fn evict(&self) -> Result<bool, Halt> {
        let texts = self.gpu.text_cache.take_all();
        let any = !texts.is_empty();
        let mut streams: Vec<Arc<CudaStream>> = texts.iter().map(|text| text.stream().clone()).collect();
        drop(texts);
        streams.dedup_by(|one, other| Arc::ptr_eq(one, other));
        // Memory is free as soon as its stream has passed all queued work, which may be a large sweep of another job.
        let _waits = (!self.is_brief.load(Relaxed)).then(|| self.gpu.time_slicing.begin_brief_job());
        for stream in streams {
            let freed = self.gpu.driver_result("recording an event", stream.record_event(None))?;
            while !self.gpu.driver_result("waiting for memory", freed.try_is_complete())? {
                self.run.tick(0)?;
                std::thread::sleep(MAX_POLL_INTERVAL);
            }
        }
        Ok(any)
    }

    /// Allocates `len` values without initializing them. A kernel must write them before anything reads them.
    pub(crate) fn allocate_uninit<T: DeviceRepr>(&self, len: usize) -> Result<CudaSlice<T>, GpuError> {
        // SAFETY: kernels write the values that they or the host read; every bit pattern of a plain number is valid.
        let room = || self.gpu.driver_result("allocating memory", unsafe { self.stream.alloc::<T>(len.max(1)) });
        match room() {
            // Evicts cached texts to make space. If the observer stops the run meanwhile, the next tick of the run
            // returns the error.
            Err(error) if error.is_out_of_memory() && self.evict().is_ok_and(|any| any) => room(),
            room => room,
        }
    }

    /// Allocates `len` values with all bytes 0.
    pub(crate) fn zeros<T: DeviceRepr>(&self, len: usize) -> Result<CudaSlice<T>, GpuError> {
        self.filled(len, 0)
    }

    /// Copies `values` to newly allocated GPU memory.
    pub(crate) fn values<T: DeviceRepr>(&self, values: &[T]) -> Result<CudaSlice<T>, GpuError> {
        self.gpu.driver_result("copying to the device", self.stream.clone_htod(values))
    }

    /// Allocates `len` values with all bytes 0xff.
    pub(crate) fn ones<T: DeviceRepr>(&self, len: usize) -> Result<CudaSlice<T>, GpuError> {
        self.filled(len, 0xff)
    }

    fn filled<T: DeviceRepr>(&self, len: usize, byte: u8) -> Result<CudaSlice<T>, GpuError> {
        let mut room = self.allocate_uninit::<T>(len)?;
        self.fill(&mut room, len.max(1), byte)?;
        Ok(room)
    }

    /// Sets all bytes of the first `len` values in the buffer `room` to 0.
    pub(crate) fn clear<T: DeviceRepr>(&self, room: &mut CudaSlice<T>, len: usize) -> Result<(), GpuError> {
        self.fill(room, len, 0)
    }

    fn fill<T: DeviceRepr>(&self, room: &mut CudaSlice<T>, len: usize, byte: u8) -> Result<(), GpuError> {
        let bytes = len.min(room.len()) * size_of::<T>();
        // SAFETY: the buffer has this number of bytes and belongs to this stream.
        let filled = unsafe { result::memset_d8_async(self.address(room), byte, bytes, self.stream.cu_stream()) };
        self.gpu.driver_result("clearing memory", filled)
    }

    /// Returns the GPU address of `buffer`, for a kernel on the session's stream.
    pub(crate) fn address<T>(&self, buffer: &impl DevicePtr<T>) -> u64 {
        buffer.device_ptr(&self.stream).0
    }

    /// Returns the GPU address of the control words, with which a kernel counts its progress and by which it is
    /// stopped.
    pub(crate) fn control(&self) -> u64 {
        self.resources.as_ref().map_or(0, |seat| self.address(&seat.control))
    }

    /// Returns the address of the board, the words in host memory that a kernel shares with the host. This address is
    /// valid on both sides.
    pub(crate) fn board(&self) -> u64 {
        self.resources.as_ref().map_or(0, |seat| seat.board.words as u64)
    }

    /// Sets all control words and the board to 0. No kernel may be running.
    pub(crate) fn reset(&mut self) -> Result<(), GpuError> {
        for place in [SAID, OVER, WISH] {
            self.word(place).store(0, Relaxed);
        }
        let Some(seat) = &mut self.resources else { return Ok(()) };
        self.gpu.driver_result("clearing control words", self.stream.memset_zeros(&mut seat.control))
    }

    /// Queues `kernel` on the session's stream, with `blocks` blocks of `threads` threads.
    ///
    /// # Safety
    /// `kernel` must take one argument of type `T`, and with this grid it must access only memory that `arguments`
    /// names.
    pub(crate) unsafe fn launch<T: KernelArguments>(
        &self,
        kernel: &CudaFunction,
        blocks: u32,
        threads: u32,
        arguments: T,
    ) -> Result<(), GpuError> {
        // SAFETY: the caller upholds the contract of this function, which is that of `launch_as`.
        unsafe { self.launch_as(kernel, LaunchGrid { blocks: [blocks, 1], threads, shared: 0 }, arguments) }
    }

    /// Queues `kernel` on the session's stream, with the blocks, threads and dynamic shared memory of `launch`.
    ///
    /// # Safety
    /// See [`launch`](Self::launch).
    pub(crate) unsafe fn launch_as<T: KernelArguments>(
        &self,
        kernel: &CudaFunction,
        launch: LaunchGrid,
        arguments: T,
    ) -> Result<(), GpuError> {
        let LaunchGrid { blocks: [x, y], threads, shared } = launch;
        if shared > self.gpu.shared_bytes() {
            let cause = DriverError(sys::CUresult::CUDA_ERROR_INVALID_VALUE);
            return self.gpu.driver_result("asking for more shared memory than the device has", Err(cause));
        }
        if shared > DEFAULT_SHARED_BYTES {
            self.raise_shared_limit(kernel, shared as i32)?;
        }
        let config = LaunchConfig { grid_dim: (x, y, 1), block_dim: (threads, 1, 1), shared_mem_bytes: shared };
        let argument = LaunchParameter(arguments);
        // SAFETY: the caller upholds the contract of this function.
        self.gpu.driver_result("launching a kernel", unsafe { self.stream.launch_builder(kernel).arg(&argument).launch(config) }).map(drop)
    }

    /// Raises the limit of `kernel` for dynamic shared memory to `bytes`. Never lowers it, because other jobs may be
    /// about to launch the kernel with more.
    fn raise_shared_limit(&self, kernel: &CudaFunction, bytes: i32) -> Result<(), GpuError> {
        let most = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        let _one_at_a_time = self.gpu.modules();
        if self.gpu.driver_result("asking for shared memory", kernel.get_attribute(most))? < bytes {
            self.gpu.driver_result("asking for shared memory", kernel.set_attribute(most, bytes))?;
        }
        Ok(())
    }

    /// Reports progress to `run` from now on, instead of the previous run.
    #[cfg(test)]
    pub(crate) fn report_to(&mut self, run: &'a Run<'a>) {
        self.run = run;
    }

    /// Makes the session's kernels yield the GPU to brief jobs from now on. The session is no longer registered as a
    /// brief job.
    pub(crate) fn yield_to_brief_jobs(&mut self) {
        self.yields_to_brief = true;
        self.end_brief_job();
    }

    /// Registers the session as a brief job until its next [`wait_for_turn`](Self::wait_for_turn), although its kernels
    /// yield to brief jobs. Its work until then must be so short that no other job has to wait.
    pub(crate) fn register_brief(&self) {
        if !self.is_brief.swap(true, Relaxed) {
            self.gpu.time_slicing.begin_brief_job().leak_guard();
        }
    }

    /// Waits until the session may use the GPU, if its kernels yield to brief jobs. Returns the session's turn. Returns
    /// `None` immediately if its kernels do not yield.
    ///
    /// # Errors
    /// Returns `Stopped` if the observer stops the run meanwhile.
    pub(crate) fn wait_for_turn(&self) -> Result<Option<TimeSlice<'a>>, Halt> {
        if !self.yields_to_brief {
            return Ok(None);
        }
        self.end_brief_job();
        self.gpu.time_slicing.wait(self.run).map(Some)
    }

    /// Clears the request to stop, so that a kernel that has yielded can be launched again and continue.
    pub(crate) fn resume(&mut self) -> Result<(), GpuError> {
        self.word(WISH).store(0, Relaxed);
        let control = self.control();
        for place in [STOP, KEPT] {
            // SAFETY: the address is that of a control word, which no kernel reads now.
            let cleared = unsafe { result::memset_d8_async(control + 8 * place, 0, 8, self.stream.cu_stream()) };
            self.gpu.driver_result("clearing control words", cleared)?;
        }
        Ok(())
    }

    /// Waits until the kernel that was launched last has ended. Converts its counts to cells by `progress` and reports
    /// them to the run. Sleeps between polls instead of occupying a core.
    ///
    /// Returns whether the kernel has finished its work. If `false`, it has stopped early because its `turn` was over,
    /// and must be launched again.
    ///
    /// # Errors
    /// Returns `Stopped` if the observer stops the run. The kernel has then stopped too. Returns `Failed` if the kernel
    /// or the driver fails.
    pub(crate) fn wait_for_kernel(&mut self, progress: &mut KernelProgress, mut turn: Option<&mut TimeSlice>) -> Result<bool, Halt> {
        let end = self.gpu.driver_result("recording an event", self.stream.record_event(None))?;
        let (mut pause, mut seen, mut looks, mut doubts) = (MIN_POLL_INTERVAL, progress.reported, 0, 0);
        let mut halted = Ok(());
        let mut leaves = false;
        loop {
            let said = self.word(SAID).load(Relaxed).max(seen);
            doubts = if said > seen { 0 } else { doubts + 1 };
            seen = said;
            if self.word(OVER).load(Relaxed) != 0 || leaves || halted.is_err() || doubts >= POLLS_PER_ERROR_CHECK {
                doubts = 0;
                if self.gpu.driver_result("running a kernel", end.try_is_complete())? {
                    break;
                }
            }
            if pause == MAX_POLL_INTERVAL {
                looks += 1;
                leaves = leaves || turn.as_mut().is_some_and(|turn| turn.must_yield());
            }
            if looks >= POLLS_PER_REPORT && halted.is_ok() {
                looks = 0;
                halted = progress.report(said, self.run);
            }
            if leaves || halted.is_err() {
                self.word(WISH).store(1, Relaxed);
            }
            std::thread::sleep(pause);
            pause = (pause * 5 / 4).min(MAX_POLL_INTERVAL);
        }
        halted?;
        if leaves && self.unfinished_warps()? > 0 {
            return Ok(false);
        }
        progress.report(progress.counts, self.run)?;
        Ok(true)
    }

    /// Returns the number of warps of the last kernel that stopped before their end, and saved their state.
    fn unfinished_warps(&self) -> Result<u64, GpuError> {
        let Some(seat) = &self.resources else { return Ok(0) };
        let place = KEPT as usize;
        Ok(self.download_range(&seat.control, place..place + 1)?[0])
    }

    /// Waits until the session's stream is idle and copies `buffer` to the host.
    pub(crate) fn download<T: DeviceRepr + Default + Clone>(&self, buffer: &CudaSlice<T>) -> Result<Vec<T>, GpuError> {
        self.download_range(buffer, 0..buffer.len())
    }

    /// Waits until the session's stream is idle and copies `range` of `buffer` to the host.
    pub(crate) fn download_range<T: DeviceRepr + Default + Clone>(
        &self,
        buffer: &CudaSlice<T>,
        range: Range<usize>,
    ) -> Result<Vec<T>, GpuError> {
        let mut values = vec![T::default(); range.len()];
        self.gpu.driver_result("copying from the device", self.stream.memcpy_dtoh(&buffer.slice(range), &mut values))?;
        self.synchronize()?;
        Ok(values)
    }

    /// Waits until all work on the session's stream is done.
    pub(crate) fn synchronize(&self) -> Result<(), GpuError> {
        self.gpu.driver_result("running a kernel", self.stream.synchronize())
    }

    /// Records an event in the session's stream, for [`elapsed_ms`](Self::elapsed_ms).
    pub(crate) fn record_event(&self) -> Result<CudaEvent, GpuError> {
        self.gpu.driver_result("recording an event", self.stream.record_event(Some(sys::CUevent_flags::CU_EVENT_DEFAULT)))
    }

    /// Returns the time on the GPU between the events `start` and `end`, in milliseconds. Waits until the stream has
    /// passed both.
    pub(crate) fn elapsed_ms(&self, start: &CudaEvent, end: &CudaEvent) -> Result<f32, GpuError> {
        self.gpu.driver_result("reading an event", start.elapsed_ms(end))
    }

    /// Calls `asked`. Returns the milliseconds that the operations queued by `asked` take on the GPU, and the result of
    /// `asked`.
    #[cfg(test)]
    pub(crate) fn device_time<R>(&self, asked: impl FnOnce() -> R) -> (f32, R) {
        let event = || self.stream.record_event(Some(sys::CUevent_flags::CU_EVENT_DEFAULT)).unwrap();
        // Keeps the GPU busy while everything is queued, so that it never waits for the host.
        self.zeros::<u64>(1 << 28).unwrap();
        let start = event();
        let made = asked();
        (start.elapsed_ms(&event()).unwrap(), made)
    }

    fn word(&self, place: u64) -> &AtomicU64 {
        self.resources.as_ref().expect("it is given back only when the session ends").board.word(place)
    }
}

/// The progress of a kernel over all its launches, which converts the kernel's counts to cells of the run.
pub(crate) struct KernelProgress {
    counts: u64,
    cells: u64,
    reported: u64,
}

impl KernelProgress {
    /// Creates the progress of a kernel whose final count is `counts`, which stands for `cells` cells of the run.
    pub(crate) fn new(counts: u64, cells: u64) -> Self {
        Self { counts, cells, reported: 0 }
    }

    fn report(&mut self, said: u64, run: &Run) -> Result<(), Halt> {
        let more = share(said, self.counts, self.cells) - share(self.reported, self.counts, self.cells);
        self.reported = said;
        run.tick(more)
    }
}

/// Returns `cells · part / whole`, rounded down.
fn share(part: u64, whole: u64, cells: u64) -> u64 {
    (u128::from(part) * u128::from(cells) / u128::from(whole.max(1))) as u64
}

impl Drop for GpuSession<'_> {
    fn drop(&mut self) {
        // Memory is freed in the order of its stream. Until the stream is idle, the last kernel may be reading it.
        let idle = self.stream.synchronize();
        self.end_brief_job();
        // Releases the texts before the stream, so that no kernels of other jobs delay their release.
        self.texts.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
        if idle.is_ok() {
            self.gpu.idle_resources.lock().unwrap_or_else(PoisonError::into_inner).extend(self.resources.take());
        }
    }
}
