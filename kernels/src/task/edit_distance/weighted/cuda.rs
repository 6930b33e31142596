//! The CUDA engine: edit distance with any costs, and with transpositions.
//!
//! One persistent launch computes the differences of `weighted` in bands of rows, a warp for each band, and two cells at
//! once in each register (`differences.cu`). For an alignment, it also keeps the edges of square tiles on the GPU. The
//! host then traces the alignment from the last tile to the first, and fetches the edges of those tiles that the
//! alignment crosses.
//!
//! - [`shape`]: the layout of a sweep, chosen from the sizes of both texts
//! - [`kept_edges`]: the edges of tiles on the GPU

use cudarc::driver::CudaSlice;

use super::sweep::Matrix;
use super::{CellCosts, CostModel, is_narrow, trace};
use crate::alignment::Alignment;
use crate::cpu::Cpu;
use crate::event::RunStage;
use crate::failure::{JobFailure, large};
use crate::gpu::Gpu;
use crate::gpu::compile::KernelSource;
use crate::gpu::part::MEMORY_SHARE;
use crate::gpu::session::{
    DONE, DeviceSymbol, GpuSession, KEPT, KernelArguments, KernelProgress, LaunchGrid, OVER, SAID, STOP, TICKET, WISH,
};
use crate::job::EditCosts;
use crate::pair::cells::Cell;
use crate::pair::cpu::PairOutput;
use crate::pair::cpu::affix::CommonAffix;
use crate::pair::cuda as unit_cost;
use crate::run::{Halt, Run};
use crate::symbol::Symbol;
use crate::task::edit_distance::cuda::{DeviceEditDistance, MAX_DEVICE_SYMBOLS};
use crate::task::lcs::cuda::DeviceLcs;
use kept_edges::{KeptBuffer, KeptTiles};
use shape::{DifferencesShape, SymbolCode};

mod kept_edges;
mod shape;

/// Number of cells of a pair above which its sweep lets brief jobs of other users run in between.
const MIN_YIELDING_CELLS: u64 = 1 << 37;

/// Memory for the state of a thread that is interrupted before its end, in bytes.
const THREAD_STATE_BYTES: u64 = 320;

/// Maximum memory for the edges of all tiles, in bytes. With less memory, tiles are larger and the traceback is slower.
const MAX_KEPT_BYTES: u64 = 8 << 30;

#[derive(Clone, Copy)]
#[repr(C)]
struct DifferencesArguments {
    rows: u64,
    columns: u64,
    borders: u64,
    kept_rows: u64,
    kept_columns: u64,
    sum: u64,
    control: u64,
    board: u64,
    state: u64,
    counts: u64,
    m: u32,
    n: u32,
    shift: u32,
    none: u32,
    bands: u32,
    slots: u32,
    stride: u32,
    strip: u32,
    tile: u32,
    substitute: u32,
    gap: u32,
    transpose: u32,
    resumes: u32,
    spare: u32,
}

// SAFETY: the same fields in the same order as the struct `Differences` in differences.cu, without padding; the
// addresses are of buffers that live until the work stream has passed the launch.
unsafe impl KernelArguments for DifferencesArguments {}

/// Lists every variant of the kernel.
pub(in crate::task::edit_distance) fn variants() -> impl Iterator<Item = KernelSource> {
    let units = [u8::BYTES, u32::BYTES].into_iter();
    units.flat_map(|unit| [false, true].map(|transposes| (unit, transposes))).flat_map(|(unit, transposes)| {
        let all = [1, 2].into_iter().flat_map(|halves| shape::thread_rows(halves).iter().map(move |rows| (halves, *rows)));
        all.map(move |(halves, rows)| source(unit, transposes, halves, rows))
    })
}

/// Returns the kernel for symbols of `unit` bytes, with `rows` rows in each of `halves` parts of a register.
fn source(unit: usize, transposes: bool, halves: u32, rows: u32) -> KernelSource {
    let defines = vec![
        ("UNIT", unit as u64),
        ("TRANSPOSE", transposes.into()),
        ("HALVES", halves.into()),
        ("ROWS", rows.into()),
        ("THREADS", shape::max_threads(rows, transposes).into()),
        ("STATE", THREAD_STATE_BYTES),
        ("TICKET", TICKET),
        ("STOP", STOP),
        ("DONE", DONE),
        ("KEPT", KEPT),
        ("SAID", SAID),
        ("OVER", OVER),
        ("WISH", WISH),
    ];
    KernelSource { name: "edit-distance-costs", text: include_str!("cuda/differences.cu"), defines }
}

/// Computes the least sum of `costs` that turns `a` into `b` on a GPU, like [`super::solve`], and an optimal alignment if
/// `want` requests it. `host` limits the processor cores that may help.
///
/// Takes O(|a||b|) time, and O(|a| + |b|) memory of the GPU for the distance.
///
/// # Errors
/// Returns `Stopped` if the run is stopped, and `Engine` if the GPU fails. Returns `TooLarge` if a text is too long or
/// needs more memory than the GPU has.
pub(in crate::task::edit_distance) fn solve<T: DeviceSymbol>(
    gpu: &Gpu,
    host: &Cpu,
    [a, b]: [&[T]; 2],
    alphabet: u32,
    costs: &EditCosts,
    want: PairOutput,
    run: &Run,
) -> Result<(u64, Option<Alignment>), Halt> {
    let (m, n) = (a.len(), b.len());
    let cells = match CostModel::of(costs) {
        CostModel::Levenshtein => {
            let (distance, alignment) = unit_cost::solve::<DeviceEditDistance, T>(gpu, [a, b], alphabet, want, run)?;
            return Ok((costs.of_levenshtein(distance.unsigned_abs(), m, n), alignment));
        }
        CostModel::Subsequence => {
            let (length, alignment) = unit_cost::solve::<DeviceLcs, T>(gpu, [a, b], alphabet, want, run)?;
            return Ok((costs.of_subsequence(length.unsigned_abs(), m, n), alignment));
        }
        CostModel::Weighted(cells) => cells,
    };
    let longer = m.max(n) as u64;
    if longer > MAX_DEVICE_SYMBOLS {
        return Err(JobFailure::TooLarge { what: large::SYMBOLS.into(), got: longer, limit: MAX_DEVICE_SYMBOLS }.into());
    }
    let (ends, a_middle, b_middle) = CommonAffix::cut(a, b);
    let code = SymbolCode::new(alphabet, &cells).filter(|_| !a_middle.is_empty() && !b_middle.is_empty());
    // The GPU has no numbers for more symbols at such costs.
    let Some(code) = code else { return super::solve(a, b, alphabet, costs, want.into(), host, run) };
    let swapped = a_middle.len() < b_middle.len();
    let [rows, columns] = if swapped { [b_middle, a_middle] } else { [a_middle, b_middle] };
    let pair = WeightedPair { rows, columns, alphabet, cells, code };
    let (sum, alignment) = pair.solve(gpu, host, want, run)?;
    let distance = costs.of_differences(sum * u64::from(cells.divisor), a_middle.len(), b_middle.len());
    let alignment = alignment.map(|middle| ends.around(if swapped { middle.swapped() } else { middle }));
    Ok((distance, alignment))
}

/// Two texts that are not empty, without their common ends: the longer one as the rows of the matrix, and the shorter
/// one as its columns.
struct WeightedPair<'t, T> {
    rows: &'t [T],
    columns: &'t [T],
    alphabet: u32,
    cells: CellCosts,
    code: SymbolCode,
}

/// The edges of tiles that a sweep has kept on the GPU.
struct KeptEdges {
    tiles: KeptTiles,
    rows: CudaSlice<u32>,
    columns: CudaSlice<u32>,
}

/// How a sweep treats its results and other jobs.
#[derive(Clone, Copy, Debug)]
struct SweepOptions {
    /// Maximum memory for the edges of all tiles in bytes, or `None` if no alignment is requested.
    max_kept_bytes: Option<u64>,
    /// Whether brief jobs of other users may run in between.
    yields: bool,
    /// Number of threads of the processor that trace the alignment.
    threads: usize,
}

impl<T: DeviceSymbol> WeightedPair<'_, T> {
    /// Computes the sum of the differences along the first row and the last column, and an optimal alignment of the rows
    /// to the columns if `want` requests it.
    fn solve(&self, gpu: &Gpu, host: &Cpu, want: PairOutput, run: &Run) -> Result<(u64, Option<Alignment>), Halt> {
        let (m, n) = (self.rows.len(), self.columns.len());
        let shape = DifferencesShape::new(m, n, self.code, self.cells.transpose.is_some(), gpu.multiprocessors());
        let max_kept_bytes = (want == PairOutput::Alignment).then_some(MAX_KEPT_BYTES);
        let yields = m as u64 * n as u64 > MIN_YIELDING_CELLS;
        self.solve_in(gpu, shape, SweepOptions { max_kept_bytes, yields, threads: host.threads }, run)
    }

    /// Solves the pair like [`solve`](Self::solve) in the layout `shape`, with fewer warps if memory is short.
    fn solve_in(&self, gpu: &Gpu, shape: DifferencesShape, options: SweepOptions, run: &Run) -> Result<(u64, Option<Alignment>), Halt> {
        run.stage(RunStage::Transfer)?;
        let mut session = GpuSession::new(gpu, run)?;
        if options.yields {
            session.yield_to_brief_jobs();
        }
        let texts = [session.text_address(self.rows)?, session.text_address(self.columns)?];
        run.stage(RunStage::Compute)?;
        let wanted = shape.bytes() + options.max_kept_bytes.unwrap_or(0);
        let spare = (session.spare_bytes((wanted as f64 / MEMORY_SHARE) as u64)? as f64 * MEMORY_SHARE) as u64;
        let shape = shape.within(if options.max_kept_bytes.is_some() { spare / 2 } else { spare })?;
        let room = spare - shape.bytes();
        let tiles = options.max_kept_bytes.map(|most| shape.kept_tiles(room.min(most))).transpose()?;
        let bytes = shape.bytes() + tiles.map_or(0, |tiles| tiles.bytes());
        run.hold(bytes);
        let (sum, kept) = self.sweep(&mut session, texts, &shape, tiles, run)?;
        let sum = sum + u64::from(self.cells.gap) * self.columns.len() as u64;
        let alignment = match kept {
            None => None,
            Some(kept) => {
                run.stage(RunStage::Traceback)?;
                Some(session.run_paused(|| {
                    if is_narrow(&self.cells, self.alphabet) {
                        self.trace::<i8>(&session, &kept, options.threads, run)
                    } else if self.alphabet <= 1 << 16 {
                        self.trace::<i16>(&session, &kept, options.threads, run)
                    } else {
                        self.trace::<i32>(&session, &kept, options.threads, run)
                    }
                })?)
            }
        };
        run.release(bytes);
        Ok((sum, alignment))
    }

    /// Computes all differences. Returns the sum of v along the last column, and the edges of `tiles` if given.
    fn sweep(
        &self,
        session: &mut GpuSession,
        texts: [u64; 2],
        shape: &DifferencesShape,
        tiles: Option<KeptTiles>,
        run: &Run,
    ) -> Result<(u64, Option<KeptEdges>), Halt> {
        let kernel =
            session.kernel(&source(T::BYTES, self.cells.transpose.is_some(), self.code.halves, shape.thread_rows), "differences")?;
        session.reset()?;
        let borders = session.ones::<u32>(shape.border_words())?;
        let allocate = |tiles: KeptTiles| -> Result<KeptEdges, Halt> {
            let allocate = |buffer| session.allocate_uninit(tiles.words(buffer));
            Ok(KeptEdges { tiles, rows: allocate(KeptBuffer::Rows)?, columns: allocate(KeptBuffer::Columns)? })
        };
        let kept = tiles.map(allocate).transpose()?;
        let sum = session.zeros::<u64>(1)?;
        let cells = self.rows.len() as u64 * self.columns.len() as u64;
        run.raise_expected(cells);
        let mut job = DifferencesArguments {
            rows: texts[0],
            columns: texts[1],
            borders: session.address(&borders),
            kept_rows: kept.as_ref().map_or(0, |kept| session.address(&kept.rows)),
            kept_columns: kept.as_ref().map_or(0, |kept| session.address(&kept.columns)),
            sum: session.address(&sum),
            control: session.control(),
            board: session.board(),
            state: 0,
            counts: shape.counts(),
            m: self.rows.len() as u32,
            n: self.columns.len() as u32,
            shift: self.code.shift,
            none: self.code.none,
            bands: shape.bands(),
            slots: shape.slots(),
            stride: shape.stride(),
            strip: tiles.map_or(0, |tiles| tiles.strip()),
            tile: tiles.map_or(0, |tiles| tiles.tile),
            substitute: self.cells.substitute,
            gap: self.cells.gap,
            transpose: self.cells.transpose.unwrap_or(0),
            resumes: 0,
            spare: 0,
        };
        let launch = LaunchGrid { blocks: [shape.blocks(), 1], threads: shape.block_warps * 32, shared: 0 };
        let mut turn = session.wait_for_turn()?;
        let threads = if turn.is_some() { u64::from(launch.blocks[0] * launch.threads) } else { 0 };
        let state = session.allocate_uninit::<u8>((threads * THREAD_STATE_BYTES) as usize)?;
        job.state = if turn.is_some() { session.address(&state) } else { 0 };
        let mut progress = KernelProgress::new(job.counts, cells);
        // SAFETY: the texts have padding after their end, and a band reads no column after the first one there. There are
        // `slots` border rows of `stride` words, and the kept edges have a word for each column of the last row of every
        // `strip` bands, and for each row of all bands after every `tile` columns. Each thread has its own state.
        unsafe { session.launch_as(&kernel, launch, job)? };
        while !session.wait_for_kernel(&mut progress, turn.as_mut())? {
            drop(turn);
            turn = session.wait_for_turn()?;
            session.resume()?;
            job.resumes = 1;
            // SAFETY: as for the first launch; every thread of the same grid finds the state that it has saved.
            unsafe { session.launch_as(&kernel, launch, job)? };
        }
        Ok((session.download(&sum)?[0], kept))
    }

    /// Finds an optimal alignment on the host, from the edges in `kept`.
    fn trace<C: Cell>(&self, session: &GpuSession, kept: &KeptEdges, threads: usize, run: &Run) -> Result<Alignment, Halt> {
        let matrix = Matrix::<C>::new(self.rows, self.columns, self.cells);
        let fetch = |buffer, range| {
            let words = match buffer {
                KeptBuffer::Rows => &kept.rows,
                KeptBuffer::Columns => &kept.columns,
            };
            Ok(session.download_range(words, range)?)
        };
        let edges = |strip, number| kept.tiles.edges(&matrix, self.cells.gap, [strip, number], fetch);
        trace::align_from_edges(&matrix, kept.tiles.tile as usize, edges, threads, run)
    }
}

#[cfg(test)]
mod tests;
