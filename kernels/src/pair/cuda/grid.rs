//! Grid: both texts of a pair on the GPU, and the results of the last sweep over them.

use std::cell::RefCell;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;

use cudarc::driver::{CudaFunction, CudaSlice, DeviceRepr};

use super::kernel_spec::THREAD_STATE_BYTES;
use super::shape::{PairSize, SweepShape};
use super::{DeviceWorkError, KernelSpec, KernelVariant, MIN_YIELDING_CELLS};
use crate::failure::JobFailure;
use crate::gpu::Gpu;
use crate::gpu::session::{DeviceSymbol, GpuSession, KernelArguments, KernelProgress, LaunchGrid};
use crate::run::{Halt, Run};

/// A point of a path: the number of rows above the point, and of columns left of it.
pub(super) type GridPoint = (u64, u64);

#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct SweepPass {
    pub(super) rows: u64,
    pub(super) text: u64,
    pub(super) borders: u64,
    pub(super) record: u64,
    pub(super) bands: u64,
}

#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct SweepArguments {
    pub(super) pass: [SweepPass; 2],
    pub(super) alone: u64,
    pub(super) control: u64,
    pub(super) board: u64,
    pub(super) state: u64,
    /// Final value of the kernel's progress counter. It must be exact, because the host recognizes the end of the
    /// launch by this value. If the counter never reaches it, the host notices the end `POLLS_PER_ERROR_CHECK` polls
    /// later.
    pub(super) counts: u64,
    pub(super) low: i64,
    pub(super) high: i64,
    pub(super) tickets: u32,
    pub(super) words: u32,
    pub(super) slots: u32,
    pub(super) stride: u32,
    pub(super) two: u32,
    pub(super) resumes: u32,
}

// SAFETY: the same fields in the same order as the structs `Sweep` and `Pass` in bands.cuh, without padding; the
// addresses are of buffers that `DeviceGrid` or `LongPatternSearch` holds until the work stream has passed the launch.
unsafe impl KernelArguments for SweepArguments {}
// SAFETY: plain numbers without padding.
unsafe impl DeviceRepr for SweepPass {}

impl SweepArguments {
    /// Launches `kernel` for a sweep of `cells` cells and waits for its end. If the session yields, the kernel is
    /// interrupted for other jobs and resumed.
    ///
    /// # Safety
    /// See [`GpuSession::launch`], except for the state of the threads, which this function provides.
    pub(super) unsafe fn run(
        mut self,
        session: &mut GpuSession,
        kernel: &CudaFunction,
        launch: LaunchGrid,
        cells: u64,
    ) -> Result<(), DeviceWorkError> {
        let mut turn = session.wait_for_turn()?;
        let threads = if turn.is_some() { u64::from(launch.blocks[0] * launch.threads) } else { 0 };
        let state = session.allocate_uninit::<u8>((threads * THREAD_STATE_BYTES) as usize)?;
        self.state = if turn.is_some() { session.address(&state) } else { 0 };
        let mut progress = KernelProgress::new(self.counts, cells);
        // SAFETY: guaranteed by the caller; there is room for the state of every thread.
        unsafe { session.launch_as(kernel, launch, self)? };
        while !session.wait_for_kernel(&mut progress, turn.as_mut())? {
            drop(turn);
            turn = session.wait_for_turn()?;
            session.resume()?;
            self.resumes = 1;
            // SAFETY: as for the first launch; every thread of the same grid finds the state that it has saved.
            unsafe { session.launch_as(kernel, launch, self)? };
        }
        Ok(())
    }

    /// Launches `kernel` like [`run`](Self::run), but the kernel saves no state. It runs to its end without yielding,
    /// but can be stopped.
    ///
    /// # Safety
    /// See [`GpuSession::launch`].
    pub(super) unsafe fn run_whole(
        self,
        session: &mut GpuSession,
        kernel: &CudaFunction,
        launch: LaunchGrid,
    ) -> Result<(), DeviceWorkError> {
        let _turn = session.wait_for_turn()?;
        // SAFETY: guaranteed by the caller.
        unsafe { session.launch_as(kernel, launch, self)? };
        session.wait_for_kernel(&mut KernelProgress::new(self.counts, 0), None)?;
        Ok(())
    }
}

/// Both texts of a pair on the GPU, with the kernels and the results of the last sweep.
pub(super) struct DeviceGrid<'a> {
    pub(super) gpu: &'a Gpu,
    pub(super) run: &'a Run<'a>,
    pub(super) kernel_spec: KernelSpec,
    pub(super) session: GpuSession<'a>,
    /// Address of the symbols of the rows on the GPU.
    pub(super) rows: u64,
    /// Address of the symbols of the columns on the GPU.
    pub(super) columns: u64,
    /// Size of a symbol, in bytes.
    pub(super) size: u32,
    pub(super) swept: Option<DeviceSweepResult>,
    /// Memory of the last sweep, in bytes, as reported to the run.
    reported_bytes: u64,
    pub(super) kernels: RefCell<(Option<KernelVariant>, HashMap<&'static str, CudaFunction>)>,
}

/// The results of a sweep on the GPU. Arrays of two hold the forward pass first, then the backward pass over both texts
/// reversed.
pub(super) struct DeviceSweepResult {
    pub(super) shape: SweepShape,
    pub(super) part: [Range<u64>; 2],
    pub(super) rows: [CudaSlice<u32>; 2],
    pub(super) borders: [CudaSlice<u64>; 2],
    pub(super) _text: [CudaSlice<u32>; 2],
    /// For each pass, the cost at the first stored column of each border row (last row of a band).
    pub(super) starts: [Vec<i64>; 2],
}

impl<'a> DeviceGrid<'a> {
    pub(super) fn new<T: DeviceSymbol>(gpu: &'a Gpu, run: &'a Run<'a>, form: KernelSpec, rows: &[T], columns: &[T]) -> Result<Self, Halt> {
        let mut session = GpuSession::new(gpu, run)?;
        let cells = rows.len() as u64 * columns.len() as u64;
        let (rows, columns) = (session.text_address(rows)?, session.text_address(columns)?);
        if cells > MIN_YIELDING_CELLS {
            session.yield_to_brief_jobs();
        }
        Ok(Self {
            gpu,
            run,
            kernel_spec: form,
            session,
            rows,
            columns,
            size: T::BYTES as u32,
            swept: None,
            reported_bytes: 0,
            kernels: RefCell::default(),
        })
    }

    pub(super) fn run(&self) -> &'a Run<'a> {
        self.run
    }

    /// Reports progress to `run` from now on, instead of the previous run.
    #[cfg(test)]
    pub(super) fn listen_to(&mut self, run: &'a Run<'a>) {
        self.session.report_to(run);
    }

    pub(super) fn session(&self) -> &GpuSession<'a> {
        &self.session
    }

    /// Returns two addresses on the GPU: of the first row's symbol and of the first column's symbol, in the part of the
    /// matrix that was swept last.
    pub(super) fn symbols(&self) -> Result<[u64; 2], JobFailure> {
        let [rows, columns] = self.swept()?.part.each_ref().map(|part| part.start * u64::from(self.size));
        Ok([self.rows + rows, self.columns + columns])
    }

    /// Returns the size of a symbol, in bytes.
    pub(super) fn symbol_size(&self) -> u32 {
        self.size
    }

    /// Returns the results of the last sweep, or an error if there are none.
    pub(super) fn swept(&self) -> Result<&DeviceSweepResult, JobFailure> {
        self.swept.as_ref().ok_or_else(|| JobFailure::engine("The GPU engine failed: nothing was swept."))
    }

    /// Sweeps the part of the matrix at `rows` and `columns` in the layout `shape`, and replaces the results of the
    /// last sweep.
    ///
    /// # Errors
    /// Returns `OutOfMemory` if another job has taken memory since `shape` was chosen. The results of the last sweep
    /// are then lost.
    pub(super) fn sweep(&mut self, rows: Range<u64>, columns: Range<u64>, shape: &SweepShape) -> Result<(), DeviceWorkError> {
        self.release();
        self.reported_bytes = shape.sweep_bytes();
        self.run.hold(self.reported_bytes);
        let (text_words, layout) = (shape.text_words() as u32, shape.layout);
        let kernel = self.kernel("sweep", shape)?;
        self.session.reset()?;
        let cells = shape.cells(PairSize { rows: rows.end - rows.start, columns: columns.end - columns.start });
        self.run.raise_expected(cells);
        let part = [rows, columns];
        let pass = |reversed: u32| -> Result<_, DeviceWorkError> {
            let rows = self.session.allocate_uninit::<u32>(shape.row_words() as usize)?;
            let text = self.session.allocate_uninit::<u32>(text_words as usize * layout.text_words as usize)?;
            let borders = self.session.ones::<u64>(shape.slots as usize * shape.stride as usize)?;
            self.pack_rows(shape, &part, reversed, &rows)?;
            self.pack_windows(shape, &part, reversed, &[0], text_words, self.session.address(&text))?;
            Ok((rows, text, borders))
        };
        let [forward, backward] = [pass(0)?, pass(1)?];
        let address = |(rows, text, borders): &(_, _, _), bands: u32| SweepPass {
            rows: self.session.address::<u32>(rows),
            text: self.session.address::<u32>(text),
            borders: self.session.address::<u64>(borders),
            record: 0,
            bands: bands.into(),
        };
        let [one, other] = shape.passes();
        let [low, high] = shape.diagonals;
        let launch = LaunchGrid { blocks: [shape.blocks, 1], threads: shape.warps * 32, shared: shape.warps * layout.shared };
        let job = SweepArguments {
            pass: [address(&forward, one), address(&backward, other)],
            alone: 0,
            control: self.session.control(),
            board: self.session.board(),
            state: 0,
            counts: shape.counts(),
            low,
            high,
            tickets: shape.bands,
            words: text_words,
            slots: shape.slots,
            stride: shape.stride,
            two: 2,
            resumes: 0,
        };
        // SAFETY: the planes and `slots` border rows of `stride` words of both passes were allocated above. Every band
        // reads and writes only rows of its pass, modulo `slots`, and only words that it covers.
        unsafe { job.run(&mut self.session, &kernel, launch, cells)? };
        let (rows, texts, borders) = ([forward.0, backward.0], [forward.1, backward.1], [forward.2, backward.2]);
        let starts = self.starts(shape, &borders)?;
        self.swept = Some(DeviceSweepResult { shape: *shape, part, rows, borders, _text: texts, starts });
        Ok(())
    }

    /// Returns the kernel called `name` in the variant of `shape`. Caches the kernels of the last variant that was
    /// requested.
    pub(super) fn kernel(&self, name: &'static str, shape: &SweepShape) -> Result<CudaFunction, Halt> {
        let mut kept = self.kernels.borrow_mut();
        if kept.0 != Some(shape.layout) {
            *kept = (Some(shape.layout), HashMap::new());
        }
        match kept.1.entry(name) {
            Entry::Occupied(kernel) => Ok(kernel.get().clone()),
            Entry::Vacant(place) => Ok(place.insert(self.session.kernel(&self.kernel_spec.source(&shape.layout), name)?).clone()),
        }
    }

    /// Frees the results of the last sweep.
    fn release(&mut self) {
        self.swept = None;
        self.run.release(std::mem::take(&mut self.reported_bytes));
    }
}

impl DeviceSweepResult {
    /// Returns the number of rows and of columns that were swept.
    pub(super) fn lens(&self) -> [u64; 2] {
        self.part.each_ref().map(|part| part.end - part.start)
    }
}

impl Drop for DeviceGrid<'_> {
    fn drop(&mut self) {
        self.release();
    }
}
