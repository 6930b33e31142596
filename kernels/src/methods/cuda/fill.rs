//! Fill: fills the matrix of papers 000 and 003 on a GPU, for the edit distance and for approximate search.

use cudarc::driver::{CudaFunction, CudaSlice};

use super::{KernelWatch, SINGLE_THREAD_GRID, THREADS, check_lengths, run_watched};
use crate::event::RunStage;
use crate::failure::JobFailure;
use crate::gpu::Gpu;
use crate::gpu::compile::KernelSource;
use crate::gpu::session::{DeviceSymbol, GpuSession, KernelArguments, KernelProgress, LaunchGrid};
use crate::methods::approximate_search::slices::cut;
use crate::run::{Halt, Run};

/// Number of symbols of a slice that a block copies to shared memory at a time. It is a power of two.
const SEGMENT: u32 = 1024;

/// Shared memory of a block that is not used by the arrays of [`SliceSharedMemory`], in bytes.
const UNCOUNTED_SHARED_BYTES: u32 = 64;

#[derive(Clone, Copy)]
#[repr(C)]
struct FillRowsArguments {
    x: u64,
    y: u64,
    row: u64,
    watch: KernelWatch,
    m: u32,
    n: u32,
}

#[derive(Clone, Copy)]
#[repr(C)]
struct SlicesArguments {
    x: u64,
    y: u64,
    ends: u64,
    minima: u64,
    watch: KernelWatch,
    m: u32,
    n: u32,
    own: u32,
    ring: u32,
}

#[derive(Clone, Copy)]
#[repr(C)]
struct MinimumArguments {
    minima: u64,
    blocks: u32,
    pad: u32,
}

// SAFETY: plain numbers and addresses in C's layout; the comments at the launches say why these stay within their
// buffers.
unsafe impl KernelArguments for FillRowsArguments {}
// SAFETY: see `FillRowsArguments`.
unsafe impl KernelArguments for SlicesArguments {}
// SAFETY: see `FillRowsArguments`.
unsafe impl KernelArguments for MinimumArguments {}

pub(super) fn source(unit: usize, ramp: bool) -> KernelSource {
    let text = concat!(include_str!("watch.cuh"), include_str!("fill.cu"));
    let own = [("RAMP", u64::from(ramp)), ("THREADS", THREADS.into()), ("SEGMENT", SEGMENT.into())];
    super::source("method-fill", text, unit, &own)
}

/// The texts of a matrix of distances: `x` for the rows and `y` for the columns, neither of them empty. If `ramp` is
/// set, as for the edit distance, the first row is 0, 1, 2 …; otherwise it is 0 everywhere.
#[derive(Clone, Copy)]
pub(crate) struct MatrixInput<'t, T> {
    pub(crate) x: &'t [T],
    pub(crate) y: &'t [T],
    pub(crate) ramp: bool,
}

/// The result of [`MatrixInput::slices`]: the smallest distance and, if requested, the last row of the matrix.
pub(crate) struct DeviceSlicesResult {
    /// Edit distance of the texts if `ramp` is set, otherwise the smallest distance between `x` and a substring of `y`.
    pub(crate) least: u32,
    /// Last row of the matrix, or empty if it was not requested.
    pub(crate) ends: Vec<u32>,
}

impl<T: DeviceSymbol> MatrixInput<'_, T> {
    /// Computes the last row of the matrix by "Algorithm ASM" (paper 000, section 4) on one thread of the GPU. Takes
    /// O(mn) time and 4n bytes of GPU memory.
    ///
    /// # Errors
    /// Returns `Stopped` if the observer stops the run, `TooLarge` for a text of more than 2³¹ symbols, and `Engine` if
    /// the GPU fails.
    pub(crate) fn rows(&self, gpu: &Gpu, run: &Run) -> Result<Vec<u32>, Halt> {
        let (mut session, x, y) = self.session(gpu, run)?;
        session.kernel(&source(T::BYTES, self.ramp), "rows")?;
        run.stage(RunStage::Compute)?;
        self.rows_at(&mut session, [x, y])
    }

    /// Computes the last row of the matrix like [`rows`](Self::rows), for texts that are on the GPU already, at the
    /// addresses `x` and `y`.
    pub(super) fn rows_at(&self, session: &mut GpuSession, [x, y]: [u64; 2]) -> Result<Vec<u32>, Halt> {
        let row = session.allocate_uninit::<u32>(self.y.len() + 1)?;
        let kernel = session.kernel(&source(T::BYTES, self.ramp), "rows")?;
        let (m, n) = (self.x.len() as u32, self.y.len() as u32);
        let cells = u64::from(m) * u64::from(n);
        let address = session.address(&row);
        // SAFETY: one thread reads both texts and writes n + 1 values of the row.
        unsafe {
            run_watched(session, &kernel, SINGLE_THREAD_GRID, [cells, cells], |watch| FillRowsArguments {
                x,
                y,
                row: address,
                watch,
                m,
                n,
            })?
        };
        Ok(session.download(&row)?)
    }

    /// Fills the matrix by "Parallel ASM algorithm on the HMM", with `y` divided into at most `blocks` slices. With one
    /// slice, this is the "Improved parallel ASM algorithm". If `wants_ends` is set, the result has the last row. The
    /// run reports `cells` steps in total.
    ///
    /// Takes O(mn/p) time for p threads, and 4n bytes of GPU memory for the last row.
    ///
    /// # Errors
    /// Returns `Stopped` if the observer stops the run, `BadInput` if three rows for the pattern exceed shared memory,
    /// `TooLarge` for a text of more than 2³¹ symbols, and `Engine` if the GPU fails.
    pub(crate) fn slices(&self, gpu: &Gpu, blocks: usize, cells: u64, wants_ends: bool, run: &Run) -> Result<DeviceSlicesResult, Halt> {
        let (mut session, x, y) = self.session(gpu, run)?;
        let slices = SlicesLaunch::new(&mut session, gpu, [x, y], self, blocks, wants_ends)?;
        run.stage(RunStage::Compute)?;
        slices.solve(cells)
    }

    /// Computes the last row of the matrix by the "Improved parallel ASM algorithm", for texts that are on the GPU
    /// already, at the addresses `texts`. A step is a cell. Time and errors are those of [`slices`](Self::slices).
    pub(super) fn diagonals_at(&self, gpu: &Gpu, session: &mut GpuSession, texts: [u64; 2]) -> Result<Vec<u32>, Halt> {
        let cells = self.x.len() as u64 * self.y.len() as u64;
        Ok(SlicesLaunch::new(session, gpu, texts, self, 1, true)?.solve(cells)?.ends)
    }

    /// Opens a session and copies both texts to the GPU. Returns the session, and the addresses of `x` and of `y` on
    /// the GPU. The session yields to brief jobs.
    pub(super) fn session<'g>(&self, gpu: &'g Gpu, run: &'g Run<'g>) -> Result<(GpuSession<'g>, u64, u64), Halt> {
        check_lengths([self.x.len(), self.y.len()])?;
        run.stage(RunStage::Transfer)?;
        let mut session = GpuSession::new(gpu, run)?;
        session.yield_to_brief_jobs();
        let (x, y) = (session.text_address(self.x)?, session.text_address(self.y)?);
        Ok((session, x, y))
    }
}

/// A matrix that the GPU fills in slices of `y`, ready to be launched once or several times: its kernels, buffers and
/// sizes. Its steps are those of "Parallel ASM algorithm on the HMM" (papers 000 and 003, section 6).
pub(super) struct SlicesLaunch<'s, 'g> {
    pub(super) session: &'s mut GpuSession<'g>,
    /// Last row of the matrix, in which the kernels keep the minimum over all slices. `None` if it was not requested.
    ends: Option<CudaSlice<u32>>,
    /// Smallest distance of each slice. Step 4 replaces the first one by the minimum of all.
    minima: CudaSlice<u32>,
    /// Kernel of steps 1 to 3, and kernel of step 4.
    kernels: [CudaFunction; 2],
    /// Addresses of the pattern and of the text on the GPU.
    texts: [u64; 2],
    launch: LaunchGrid,
    m: u32,
    n: u32,
    /// Number of symbols from the start of a slice to the start of the next one.
    own: u32,
    /// Number of symbols of a slice that are in shared memory at a time.
    ring: u32,
    /// Total number of diagonals in the matrices of all slices.
    steps: u64,
}

impl<'s, 'g> SlicesLaunch<'s, 'g> {
    pub(super) fn new<T: DeviceSymbol>(
        session: &'s mut GpuSession<'g>,
        gpu: &Gpu,
        texts: [u64; 2],
        matrix: &MatrixInput<T>,
        blocks: usize,
        wants_ends: bool,
    ) -> Result<Self, Halt> {
        let (m, n) = (matrix.x.len(), matrix.y.len());
        let shape = SliceSharedMemory::checked::<T>(gpu, m)?;
        let slices = if matrix.ramp { vec![0..n; 1] } else { cut(m, n, blocks) };
        let own = slices.get(1).map_or(n, |second| second.start);
        let steps = slices.iter().map(|slice| (slice.len() + m - 1) as u64).sum();
        let of = source(T::BYTES, matrix.ramp);
        let kernels = [session.kernel(&of, "slices")?, session.kernel(&of, "minimum")?];
        Ok(Self {
            ends: if wants_ends { Some(session.ones(n + 1)?) } else { None },
            minima: session.allocate_uninit(slices.len())?,
            kernels,
            texts,
            launch: LaunchGrid { blocks: [slices.len() as u32, 1], threads: (m as u32).min(THREADS), shared: shape.bytes() as u32 },
            m: m as u32,
            n: n as u32,
            own: own as u32,
            ring: shape.ring() as u32,
            steps,
            session,
        })
    }

    /// Executes all four steps and fetches the result. The run reports `cells` steps in total.
    fn solve(mut self, cells: u64) -> Result<DeviceSlicesResult, Halt> {
        self.run(cells)?;
        self.minimum()?;
        let least = self.least()?;
        let mut ends = match &self.ends {
            Some(ends) => self.session.download(ends)?,
            None => Vec::new(),
        };
        if let Some(first) = ends.first_mut() {
            // No substring in a slice ends at the start of the text except for the empty one, whose distance is m.
            *first = self.m;
        }
        Ok(DeviceSlicesResult { least, ends })
    }

    /// Executes steps 1 to 3: every block searches its slice. The run reports `cells` steps in total.
    fn run(&mut self, cells: u64) -> Result<(), Halt> {
        self.queue()?;
        self.session.wait_for_kernel(&mut KernelProgress::new(self.steps, cells), None).map(drop)
    }

    /// Queues the kernel of steps 1 to 3 and returns immediately. No other kernel of the session that counts its steps
    /// may be running.
    pub(super) fn queue(&mut self) -> Result<(), Halt> {
        self.session.reset()?;
        let session = &*self.session;
        let job = SlicesArguments {
            x: self.texts[0],
            y: self.texts[1],
            ends: self.ends.as_ref().map_or(0, |ends| session.address(ends)),
            minima: session.address(&self.minima),
            watch: KernelWatch { control: session.control(), board: session.board(), counts: self.steps },
            m: self.m,
            n: self.n,
            own: self.own,
            ring: self.ring,
        };
        // SAFETY: block i reads `x` and the symbols of slice i, which end with `y`; its arrays take `shared` bytes; it
        // writes minimum i and ends up to n.
        unsafe { session.launch_as(&self.kernels[0], self.launch, job)? };
        Ok(())
    }

    /// Queues the kernel of step 4, which computes the minimum over all slices, and returns immediately.
    pub(super) fn minimum(&self) -> Result<(), Halt> {
        let job = MinimumArguments { minima: self.session.address(&self.minima), blocks: self.launch.blocks[0], pad: 0 };
        // SAFETY: one block reads as many minima as there are blocks, and writes the first one.
        unsafe { self.session.launch(&self.kernels[1], 1, THREADS, job)? };
        Ok(())
    }

    /// Waits for step 4, and returns the smallest distance over all slices.
    pub(super) fn least(&self) -> Result<u32, Halt> {
        Ok(self.session.download_range(&self.minima, 0..1)?[0])
    }
}

/// The layout of a block's arrays in shared memory, for a pattern of `m` symbols of `unit` bytes.
#[derive(Clone, Copy)]
pub(super) struct SliceSharedMemory {
    m: u64,
    unit: u64,
}

impl SliceSharedMemory {
    /// Returns the layout of a block's arrays for a pattern of `m` symbols, after checking that they fit.
    ///
    /// # Errors
    /// Returns `BadInput` if three rows for the pattern exceed the shared memory of `gpu`.
    pub(super) fn checked<T: DeviceSymbol>(gpu: &Gpu, m: usize) -> Result<Self, JobFailure> {
        let shape = Self { m: m as u64, unit: T::BYTES as u64 };
        let most = u64::from(gpu.shared_bytes() - UNCOUNTED_SHARED_BYTES);
        if shape.bytes() <= most {
            return Ok(shape);
        }
        let longest = Self::longest(T::BYTES as u64, most);
        Err(JobFailure::bad_input(format!(
            "The pattern has {m} symbols, and this method can have at most {longest} on this GPU: it keeps three rows of m + 1 numbers in the memory of a block."
        )))
    }

    /// Returns the number of symbols of a slice that are in shared memory at a time. It is a power of two.
    fn ring(self) -> u64 {
        (self.m + u64::from(SEGMENT)).next_power_of_two()
    }

    fn bytes(self) -> u64 {
        3 * 4 * ((self.m + 32) & !31) + self.unit * ((self.m + 31) & !31) + self.unit * self.ring()
    }

    /// Returns the length of the longest pattern, in symbols of `unit` bytes, whose arrays fit into `most` bytes of
    /// shared memory.
    fn longest(unit: u64, most: u64) -> u64 {
        let fits = |m: &u64| Self { m: *m, unit }.bytes() <= most;
        (0..most).rev().find(fits).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::testing::SHARED_BYTES;

    #[test]
    fn pattern_of_2000_symbols_fits_on_every_device() {
        for bytes in SHARED_BYTES {
            for unit in [1, 4] {
                let most = u64::from(bytes - UNCOUNTED_SHARED_BYTES);
                let longest = SliceSharedMemory::longest(unit, most);
                assert!(longest >= 2000, "{bytes} {unit}: {longest}");
                assert!(
                    SliceSharedMemory { m: longest, unit }.bytes() <= most && SliceSharedMemory { m: longest + 1, unit }.bytes() > most
                );
            }
        }
    }

    #[test]
    fn ring_is_long_enough_for_a_diagonal() {
        for m in [1, 31, 32, 1024, 3000] {
            let ring = SliceSharedMemory { m, unit: 1 }.ring();
            assert!(ring.is_power_of_two() && ring >= m + u64::from(SEGMENT));
        }
    }
}
