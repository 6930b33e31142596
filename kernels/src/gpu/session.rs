//! Session: what one job has of a device. A stream, memory, and what a kernel that runs for long shares with the host.
//!
//! Everything goes through the stream in the order in which it is asked for. While a kernel runs, it and the host talk over a
//! board in the host's memory: how far it is, and that it shall stop. No call of the driver is in between, since those wait for
//! each other: loading another job's kernel waits until this one is done.
//!
//! - [`texts`]: texts on their way to the device, and those that are there already

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

mod texts;

pub(crate) use texts::{BEHIND, DeviceSymbol, TextPart};

/// Place of the band counter among the control words, in 8 bytes. Each word has a cache line of its own.
pub(crate) const TICKET: u64 = 0;
/// Place of the stop word.
pub(crate) const STOP: u64 = 16;
/// Place of the progress counter.
pub(crate) const DONE: u64 = 32;
/// Place of the number of warps that have left before their end and kept their state.
pub(crate) const KEPT: u64 = 48;
const CONTROL_WORDS: usize = 64;

/// Place on the board where the kernel says how far it is.
pub(crate) const SAID: u64 = 0;
/// Place on the board where the kernel says that all is counted.
pub(crate) const OVER: u64 = 8;
/// Place on the board where the host says that the kernel shall stop.
pub(crate) const WISH: u64 = 16;
const BOARD_WORDS: usize = 32;

/// Shared memory that a block gets without asking, in bytes.
const SHARED_BY_DEFAULT: u32 = 48 << 10;

/// The host looks at a running kernel after this long first, then less and less often up to the second time.
const FIRST_LOOK: Duration = Duration::from_micros(20);
const LAST_LOOK: Duration = super::time_slicing::LOOK;
/// The run is told at every so many of those looks that are `LAST_LOOK` apart.
const LOOKS_PER_REPORT: u32 = 10;
/// The driver is asked whether the kernel failed when the board has not changed for so many looks.
const LOOKS_PER_DOUBT: u32 = 250;

/// Host memory that a kernel reads and writes.
#[derive(Debug)]
struct Board {
    _memory: PinnedHostSlice<u64>,
    words: *mut u64,
}

// SAFETY: the words are reached as atomics only.
unsafe impl Send for Board {}

impl Board {
    fn new(gpu: &Gpu) -> Result<Self, GpuError> {
        // SAFETY: the memory is written below, before anything reads it.
        let memory = unsafe { gpu.context.alloc_pinned_with_flags::<u64>(BOARD_WORDS, sys::CU_MEMHOSTALLOC_DEVICEMAP) };
        let mut memory = gpu.at("allocating host memory", memory)?;
        let words = gpu.at("allocating host memory", memory.as_mut_ptr())?;
        Ok(Self { _memory: memory, words })
    }

    fn word(&self, place: u64) -> &AtomicU64 {
        debug_assert!((place as usize) < BOARD_WORDS);
        // SAFETY: `place` is one of the constants above, inside the memory, which lives as long as `self`; words are aligned, and
        // both sides write whole words.
        unsafe { AtomicU64::from_ptr(self.words.add(place as usize)) }
    }
}

/// What a session leaves to the next one: making a stream costs more than many a job.
#[derive(Debug)]
pub(super) struct Seat {
    work: Arc<CudaStream>,
    control: CudaSlice<u64>,
    board: Board,
}

/// One job's share of a device. Memory that it gave out is counted in its run until the session ends.
pub(crate) struct Session<'a> {
    gpu: &'a Gpu,
    run: &'a Run<'a>,
    work: Arc<CudaStream>,
    /// Given back when the session ends.
    seat: Option<Seat>,
    /// Whether it is a brief job's that needs the device.
    brief: AtomicBool,
    /// Whether it leaves the device to brief jobs.
    gives_way: bool,
    /// Texts that kernels of this session may be reading.
    texts: Mutex<Vec<TextPart>>,
}

/// Kernel arguments: one struct of plain numbers and device addresses, the same in Rust and CUDA C++.
///
/// # Safety
/// - `repr(C)`, without padding that the kernel reads.
/// - Its addresses are valid for what the kernel does there, until the work stream has passed the launch.
pub(crate) unsafe trait Arguments: Copy {}

/// How many threads run a kernel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Launch {
    /// Blocks in both directions.
    pub(crate) blocks: [u32; 2],
    /// Threads of a block.
    pub(crate) threads: u32,
    /// Bytes that they share, beside what the kernel declares.
    pub(crate) shared: u32,
}

#[derive(Clone, Copy)]
#[repr(transparent)]
struct Argument<T>(T);

// SAFETY: `Arguments` asks for exactly what a kernel parameter needs.
unsafe impl<T: Arguments> DeviceRepr for Argument<T> {}

impl Seat {
    fn new(gpu: &Gpu) -> Result<Self, GpuError> {
        let work = gpu.at("making a stream", gpu.context.new_stream())?;
        let control = gpu.at("allocating control words", work.alloc_zeros(CONTROL_WORDS))?;
        Ok(Self { work, control, board: Board::new(gpu)? })
    }
}

impl<'a> Session<'a> {
    /// A brief job's, until it gives way. To be opened before anything that waits for the device: large sweeps leave it for those only
    /// who have said that they are there.
    pub(crate) fn new(gpu: &'a Gpu, run: &'a Run<'a>) -> Result<Self, GpuError> {
        let brief = gpu.time_slicing.arrive();
        let kept = gpu.seats.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let seat = kept.map_or_else(|| Seat::new(gpu), Ok)?;
        Ok(Self {
            gpu,
            run,
            work: seat.work.clone(),
            seat: Some(seat),
            brief: AtomicBool::new(brief.stays()),
            gives_way: false,
            texts: Mutex::default(),
        })
    }

    /// A kernel of `source`; waits for the compiler where that has to be asked.
    ///
    /// # Errors
    /// As [`Gpu::kernel`].
    pub(crate) fn kernel(&self, source: &KernelSource, name: &'static str) -> Result<CudaFunction, Halt> {
        if let Some(kernel) = self.gpu.loaded_kernel(source, name) {
            return Ok(kernel?);
        }
        // Nobody has to leave the device for a job that waits for the compiler. Loading waits for what runs there.
        self.paused(|| self.gpu.compile(source, self.run))?;
        self.gpu.kernel(source, name, self.run)
    }

    /// Does something that leaves the device idle: nobody has to leave it for this job meanwhile.
    pub(crate) fn paused<R>(&self, work: impl FnOnce() -> R) -> R {
        let pauses = self.leave();
        let done = work();
        if pauses {
            self.brief.store(self.gpu.time_slicing.arrive().stays(), Relaxed);
        }
        done
    }

    /// Is no brief job on the device any more. Whether it has been one.
    fn leave(&self) -> bool {
        let was = self.brief.swap(false, Relaxed);
        if was {
            self.gpu.time_slicing.leave();
        }
        was
    }

    /// Memory that the job can have, in bytes: what is free, and what is only kept in case it is of use. Asking takes the latter away
    /// when less than `wanted` is free.
    ///
    /// # Errors
    /// `Stopped` when the observer breaks off while memory is given back; `Failed` when the device does not answer.
    pub(crate) fn spare_bytes(&self, wanted: u64) -> Result<u64, Halt> {
        let free = self.gpu.free_bytes()?;
        if free >= wanted || !self.evict()? {
            return Ok(free);
        }
        Ok(self.gpu.free_bytes()?)
    }

    /// Lets go of all texts that are kept in case they are of use, and waits until their memory is free. Whether there were any. Those
    /// that other jobs are using go when these end.
    fn evict(&self) -> Result<bool, Halt> {
        let texts = self.gpu.text_cache.take_all();
        let any = !texts.is_empty();
        let mut streams: Vec<Arc<CudaStream>> = texts.iter().map(|text| text.stream().clone()).collect();
        drop(texts);
        streams.dedup_by(|one, other| Arc::ptr_eq(one, other));
        // Memory is free when its stream has passed what is queued there, which may be a large sweep of another job.
        let _waits = (!self.brief.load(Relaxed)).then(|| self.gpu.time_slicing.arrive());
        for stream in streams {
            let freed = self.gpu.at("recording an event", stream.record_event(None))?;
            while !self.gpu.at("waiting for memory", freed.try_is_complete())? {
                self.run.tick(0)?;
                std::thread::sleep(LAST_LOOK);
            }
        }
        Ok(any)
    }

    /// Room for `len` values, which a kernel writes before anything reads them.
    pub(crate) fn room<T: DeviceRepr>(&self, len: usize) -> Result<CudaSlice<T>, GpuError> {
        // SAFETY: kernels write what they or the host read; plain numbers have no wrong values.
        let room = || self.gpu.at("allocating memory", unsafe { self.work.alloc::<T>(len.max(1)) });
        match room() {
            // What is only kept in case it is of use makes room. An observer that breaks off meanwhile is asked again at the next tick.
            Err(error) if error.is_out_of_memory() && self.evict().is_ok_and(|any| any) => room(),
            room => room,
        }
    }

    /// Room for `len` values, each byte 0.
    pub(crate) fn zeros<T: DeviceRepr>(&self, len: usize) -> Result<CudaSlice<T>, GpuError> {
        self.filled(len, 0)
    }

    /// Copies values to the device.
    pub(crate) fn values<T: DeviceRepr>(&self, values: &[T]) -> Result<CudaSlice<T>, GpuError> {
        self.gpu.at("copying to the device", self.work.clone_htod(values))
    }

    /// Room for `len` values, each byte 0xff.
    pub(crate) fn ones<T: DeviceRepr>(&self, len: usize) -> Result<CudaSlice<T>, GpuError> {
        self.filled(len, 0xff)
    }

    fn filled<T: DeviceRepr>(&self, len: usize, byte: u8) -> Result<CudaSlice<T>, GpuError> {
        let mut room = self.room::<T>(len)?;
        self.fill(&mut room, len.max(1), byte)?;
        Ok(room)
    }

    /// Sets each byte of the first `len` values to 0.
    pub(crate) fn clear<T: DeviceRepr>(&self, room: &mut CudaSlice<T>, len: usize) -> Result<(), GpuError> {
        self.fill(room, len, 0)
    }

    fn fill<T: DeviceRepr>(&self, room: &mut CudaSlice<T>, len: usize, byte: u8) -> Result<(), GpuError> {
        let bytes = len.min(room.len()) * size_of::<T>();
        // SAFETY: the room has so many bytes and belongs to this stream.
        let filled = unsafe { result::memset_d8_async(self.address(room), byte, bytes, self.work.cu_stream()) };
        self.gpu.at("clearing memory", filled)
    }

    /// Address of a buffer, for a kernel on the work stream.
    pub(crate) fn address<T>(&self, buffer: &impl DevicePtr<T>) -> u64 {
        buffer.device_ptr(&self.work).0
    }

    /// Address of the control words.
    pub(crate) fn control(&self) -> u64 {
        self.seat.as_ref().map_or(0, |seat| self.address(&seat.control))
    }

    /// Address of the board; host and device have the same address space.
    pub(crate) fn board(&self) -> u64 {
        self.seat.as_ref().map_or(0, |seat| seat.board.words as u64)
    }

    /// Sets all control words and the board to 0. No kernel is running then.
    pub(crate) fn reset(&mut self) -> Result<(), GpuError> {
        for place in [SAID, OVER, WISH] {
            self.word(place).store(0, Relaxed);
        }
        let Some(seat) = &mut self.seat else { return Ok(()) };
        self.gpu.at("clearing control words", self.work.memset_zeros(&mut seat.control))
    }

    /// Queues a kernel on the work stream.
    ///
    /// # Safety
    /// `kernel` takes one argument of type `T`, and this grid of it stays inside the memory that `arguments` names.
    pub(crate) unsafe fn launch<T: Arguments>(
        &self,
        kernel: &CudaFunction,
        blocks: u32,
        threads: u32,
        arguments: T,
    ) -> Result<(), GpuError> {
        // SAFETY: the caller's promise.
        unsafe { self.launch_as(kernel, Launch { blocks: [blocks, 1], threads, shared: 0 }, arguments) }
    }

    /// As [`launch`](Self::launch), with blocks in two directions and memory that the threads of a block share.
    ///
    /// # Safety
    /// As for `launch`.
    pub(crate) unsafe fn launch_as<T: Arguments>(&self, kernel: &CudaFunction, launch: Launch, arguments: T) -> Result<(), GpuError> {
        let Launch { blocks: [x, y], threads, shared } = launch;
        if shared > self.gpu.shared_bytes() {
            let cause = DriverError(sys::CUresult::CUDA_ERROR_INVALID_VALUE);
            return self.gpu.at("asking for more shared memory than the device has", Err(cause));
        }
        if shared > SHARED_BY_DEFAULT {
            self.allow(kernel, shared as i32)?;
        }
        let config = LaunchConfig { grid_dim: (x, y, 1), block_dim: (threads, 1, 1), shared_mem_bytes: shared };
        let argument = Argument(arguments);
        // SAFETY: the caller's promise.
        self.gpu.at("launching a kernel", unsafe { self.work.launch_builder(kernel).arg(&argument).launch(config) }).map(drop)
    }

    /// Lets a kernel share so many bytes. Other jobs may be about to launch it with more, so that is never taken back.
    fn allow(&self, kernel: &CudaFunction, bytes: i32) -> Result<(), GpuError> {
        let most = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        let _one_at_a_time = self.gpu.modules();
        if self.gpu.at("asking for shared memory", kernel.get_attribute(most))? < bytes {
            self.gpu.at("asking for shared memory", kernel.set_attribute(most, bytes))?;
        }
        Ok(())
    }

    /// Tells another run how far it is from here on.
    #[cfg(test)]
    pub(crate) fn listen_to(&mut self, run: &'a Run<'a>) {
        self.run = run;
    }

    /// From here on its sweeps leave the device to brief jobs.
    pub(crate) fn give_way(&mut self) {
        self.gives_way = true;
        self.leave();
    }

    /// Is a brief job's until its next [`turn`](Self::turn), though it gives way: what it asks for in between is over before anybody
    /// would wait for it.
    pub(crate) fn be_brief(&self) {
        if !self.brief.swap(true, Relaxed) {
            self.gpu.time_slicing.arrive().stays();
        }
    }

    /// Waits for its turn, if it is one that gives way.
    ///
    /// # Errors
    /// `Stopped` when the observer breaks off meanwhile.
    pub(crate) fn turn(&self) -> Result<Option<TimeSlice<'a>>, Halt> {
        if !self.gives_way {
            return Ok(None);
        }
        self.leave();
        self.gpu.time_slicing.wait(self.run).map(Some)
    }

    /// Lets the kernel that has left go on when it is launched again.
    pub(crate) fn resume(&mut self) -> Result<(), GpuError> {
        self.word(WISH).store(0, Relaxed);
        let control = self.control();
        for place in [STOP, KEPT] {
            // SAFETY: one of the control words, which no kernel reads now.
            let cleared = unsafe { result::memset_d8_async(control + 8 * place, 0, 8, self.work.cu_stream()) };
            self.gpu.at("clearing control words", cleared)?;
        }
        Ok(())
    }

    /// Waits until the kernel has ended, and tells the run how far it is. Does not keep a core busy. Returns whether all is done:
    /// else it has left, since this is not its `turn` any more.
    ///
    /// # Errors
    /// `Stopped` when the observer breaks off: the kernel has seen that and left by then.
    pub(crate) fn watch(&mut self, progress: &mut KernelProgress, mut turn: Option<&mut TimeSlice>) -> Result<bool, Halt> {
        let end = self.gpu.at("recording an event", self.work.record_event(None))?;
        let (mut pause, mut seen, mut looks, mut doubts) = (FIRST_LOOK, progress.reported, 0, 0);
        let mut halted = Ok(());
        let mut leaves = false;
        loop {
            let said = self.word(SAID).load(Relaxed).max(seen);
            doubts = if said > seen { 0 } else { doubts + 1 };
            seen = said;
            if self.word(OVER).load(Relaxed) != 0 || leaves || halted.is_err() || doubts >= LOOKS_PER_DOUBT {
                doubts = 0;
                if self.gpu.at("running a kernel", end.try_is_complete())? {
                    break;
                }
            }
            if pause == LAST_LOOK {
                looks += 1;
                leaves = leaves || turn.as_mut().is_some_and(|turn| turn.is_wanted());
            }
            if looks >= LOOKS_PER_REPORT && halted.is_ok() {
                looks = 0;
                halted = progress.report(said, self.run);
            }
            if leaves || halted.is_err() {
                self.word(WISH).store(1, Relaxed);
            }
            std::thread::sleep(pause);
            pause = (pause * 5 / 4).min(LAST_LOOK);
        }
        halted?;
        if leaves && self.left()? > 0 {
            return Ok(false);
        }
        progress.report(progress.counts, self.run)?;
        Ok(true)
    }

    /// Warps that have left before their end.
    fn left(&self) -> Result<u64, GpuError> {
        let Some(seat) = &self.seat else { return Ok(0) };
        let place = KEPT as usize;
        Ok(self.download_range(&seat.control, place..place + 1)?[0])
    }

    /// Copies a buffer back once the work stream is idle.
    pub(crate) fn download<T: DeviceRepr + Default + Clone>(&self, buffer: &CudaSlice<T>) -> Result<Vec<T>, GpuError> {
        self.download_range(buffer, 0..buffer.len())
    }

    /// As [`download`](Self::download), of some of the values.
    pub(crate) fn download_range<T: DeviceRepr + Default + Clone>(
        &self,
        buffer: &CudaSlice<T>,
        range: Range<usize>,
    ) -> Result<Vec<T>, GpuError> {
        let mut values = vec![T::default(); range.len()];
        self.gpu.at("copying from the device", self.work.memcpy_dtoh(&buffer.slice(range), &mut values))?;
        self.settle()?;
        Ok(values)
    }

    /// Waits until all is done that was asked for.
    pub(crate) fn settle(&self) -> Result<(), GpuError> {
        self.gpu.at("running a kernel", self.work.synchronize())
    }

    /// A place in the stream, for [`between`](Self::between).
    pub(crate) fn moment(&self) -> Result<CudaEvent, GpuError> {
        self.gpu.at("recording an event", self.work.record_event(Some(sys::CUevent_flags::CU_EVENT_DEFAULT)))
    }

    /// Milliseconds on the device from one place in the stream to another. Waits until it has passed both.
    pub(crate) fn between(&self, start: &CudaEvent, end: &CudaEvent) -> Result<f32, GpuError> {
        self.gpu.at("reading an event", start.elapsed_ms(end))
    }

    /// Milliseconds on the device between what was asked for before and after `asked` runs.
    #[cfg(test)]
    pub(crate) fn timed<R>(&self, asked: impl FnOnce() -> R) -> (f32, R) {
        let event = || self.work.record_event(Some(sys::CUevent_flags::CU_EVENT_DEFAULT)).unwrap();
        // The device is busy while everything is queued, so that it never waits for the host.
        self.zeros::<u64>(1 << 28).unwrap();
        let start = event();
        let made = asked();
        (start.elapsed_ms(&event()).unwrap(), made)
    }

    fn word(&self, place: u64) -> &AtomicU64 {
        self.seat.as_ref().expect("it is given back only when the session ends").board.word(place)
    }
}

/// How far a kernel is, however often it leaves: a share of `cells`.
pub(crate) struct KernelProgress {
    counts: u64,
    cells: u64,
    reported: u64,
}

impl KernelProgress {
    /// None yet of a kernel that counts up to `counts`.
    pub(crate) fn new(counts: u64, cells: u64) -> Self {
        Self { counts, cells, reported: 0 }
    }

    fn report(&mut self, said: u64, run: &Run) -> Result<(), Halt> {
        let more = share(said, self.counts, self.cells) - share(self.reported, self.counts, self.cells);
        self.reported = said;
        run.tick(more)
    }
}

/// `part / whole` of `cells`, rounded down.
fn share(part: u64, whole: u64, cells: u64) -> u64 {
    (u128::from(part) * u128::from(cells) / u128::from(whole.max(1))) as u64
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        // Memory goes back in the order of its stream; the last kernel may still be reading it until here.
        let idle = self.work.synchronize();
        self.leave();
        // The texts first: as long as the stream is this session's, nobody else's kernels have to be waited for.
        self.texts.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
        if idle.is_ok() {
            self.gpu.seats.lock().unwrap_or_else(PoisonError::into_inner).extend(self.seat.take());
        }
    }
}
