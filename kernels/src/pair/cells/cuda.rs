//! Differences between neighbouring cells on a GPU, for edit distances with any costs and for sequence alignment.
//!
//! One persistent launch computes a matrix in bands of rows, a warp for each band (`sweep.cuh`). Differences of two cells
//! share a register (`differences.cu`). If points are in a table, values less the value of a cell nearby do (`relative.cu`),
//! which takes fewer operations. For an alignment, the launch also keeps the edges of square tiles on the GPU. The best end
//! of a local alignment is found by values less the value of a cell nearby (`best_end.cu`), or by the values of cells
//! (`values.cu`) if there are many classes of symbols, or high points or costs.
//!
//! - [`shape`]: the layout of a sweep, chosen from the sizes of both texts
//! - [`kept_edges`]: the edges of tiles on the GPU

use std::ops::{Range, RangeInclusive};

use cudarc::driver::CudaSlice;

use crate::event::RunStage;
use crate::failure::{JobFailure, large};
use crate::gpu::Gpu;
use crate::gpu::compile::KernelSource;
use crate::gpu::part::MEMORY_SHARE;
use crate::gpu::session::{
    DONE, DeviceSymbol, GpuSession, KEPT, KernelArguments, KernelProgress, LaunchGrid, OVER, SAID, STOP, TICKET, WISH,
};
use crate::pair::cuda::MAX_DEVICE_SYMBOLS;
use crate::run::{Halt, Run};
use kept_edges::{FetchWords, KeptBuffer, KeptTiles, KeptWords};
use shape::{GapKind, SweepKind, SweepRoom, SweepShape, SymbolCode};

pub(crate) mod kept_edges;
pub(crate) mod shape;

/// Number of cells of a pair above which its sweep lets brief jobs of other users run in between.
const MIN_YIELDING_CELLS: u64 = 1 << 37;

/// Memory for the state of a thread that is interrupted before its end, in bytes.
const THREAD_STATE_BYTES: u64 = 320;

/// Maximum memory for the edges of all tiles, in bytes. With less memory, tiles are larger and the traceback is slower.
pub(crate) const MAX_KEPT_BYTES: u64 = 8 << 30;

#[derive(Clone, Copy)]
#[repr(C)]
struct SweepArguments {
    rows: u64,
    columns: u64,
    points: u64,
    borders: u64,
    kept_rows: u64,
    kept_columns: u64,
    last_row: u64,
    last_column: u64,
    best: u64,
    sum: u64,
    control: u64,
    board: u64,
    state: u64,
    counts: u64,
    m: u32,
    n: u32,
    shift: u32,
    none: u32,
    classes: u32,
    bands: u32,
    slots: u32,
    stride: u32,
    strip: u32,
    tile: u32,
    equal: i32,
    different: i32,
    open: u32,
    extend: u32,
    floor: i32,
    by_row: u32,
    exchange: u32,
    corner: u32,
    left: u32,
    first_left: u32,
    above: u32,
    first_above: u32,
    resumes: u32,
    spare: u32,
}

// SAFETY: the same fields in the same order as the struct `Sweep` in sweep.cuh, without padding; the
// addresses are of buffers that live until the work stream has passed the launch.
unsafe impl KernelArguments for SweepArguments {}

/// Lists the variants of the kernel for gaps of the kind `gaps`, with points by equality, or by a table if `has_table`.
pub(crate) fn variants(gaps: GapKind, has_table: bool) -> impl Iterator<Item = KernelSource> {
    let units: &[usize] = if has_table { &[1] } else { &[1, 4] };
    let halves: &[u32] = match gaps {
        GapKind::Values if !has_table => &[1],
        GapKind::Values => &[1, 2],
        _ if has_table => &[2],
        _ => &[1, 2],
    };
    units.iter().flat_map(move |unit| {
        halves.iter().flat_map(move |halves| {
            let kind = SweepKind { halves: *halves, gaps, classes: has_table.then_some(1) };
            kind.thread_rows().iter().map(move |rows| source(*unit, kind, *rows))
        })
    })
}

/// Returns the kernel for symbols of `unit` bytes, with `rows` rows in each part of a register.
fn source(unit: usize, kind: SweepKind, rows: u32) -> KernelSource {
    let defines = vec![
        ("UNIT", unit as u64),
        ("TRANSPOSE", (kind.gaps == GapKind::Exchanges).into()),
        ("AFFINE", (kind.gaps == GapKind::Affine).into()),
        ("BY_TABLE", kind.classes.is_some().into()),
        ("HALVES", kind.halves.into()),
        ("ROWS", rows.into()),
        ("THREADS", (kind.max_warps(rows) * 32).into()),
        ("STATE", THREAD_STATE_BYTES),
        ("TICKET", TICKET),
        ("STOP", STOP),
        ("DONE", DONE),
        ("KEPT", KEPT),
        ("SAID", SAID),
        ("OVER", OVER),
        ("WISH", WISH),
    ];
    if kind.gaps == GapKind::Values && kind.halves == 2 {
        let text = concat!(include_str!("cuda/sweep.cuh"), include_str!("cuda/best_end.cu"));
        return KernelSource { name: "best_end", text, defines };
    }
    if kind.gaps == GapKind::Values {
        let text = concat!(include_str!("cuda/sweep.cuh"), include_str!("cuda/values.cu"));
        return KernelSource { name: "values", text, defines };
    }
    if kind.classes.is_some() {
        let text = concat!(include_str!("cuda/sweep.cuh"), include_str!("cuda/relative.cu"));
        return KernelSource { name: "relative", text, defines };
    }
    let text = concat!(include_str!("cuda/sweep.cuh"), include_str!("cuda/differences.cu"));
    KernelSource { name: "differences", text, defines }
}

/// The points of two symbols, raised as in `differences.cu` unless the sweep computes values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum DevicePoints {
    /// Points of equal symbols, and of different ones, which have no more.
    Equality { code: SymbolCode, equal: i32, different: i32 },
    /// Points of the classes x and y at x · `classes` + y, at least 0 unless the sweep computes values. Symbols are classes.
    Table { classes: u32, points: Vec<i8> },
}

/// The gaps of an alignment, with costs as in `differences.cu`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DeviceGaps {
    /// Opening a gap costs nothing.
    Linear,
    /// Opening a gap costs nothing, and two exchanged symbols have `exchange` points less the difference z before them.
    /// Before the matrix, z is `corner`.
    Exchanges { exchange: u32, corner: u32 },
    /// Opening a gap costs `open`.
    Affine { open: u32 },
    /// The sweep computes values, not differences. Opening a gap costs `open`, and each of its symbols costs `extend`.
    Values {
        open: u32,
        extend: u32,
        /// Whether an alignment may start in each cell, and not only in the first one.
        is_local: bool,
        /// Whether ends in the first row are better than those in the first column.
        by_row: bool,
    },
}

/// Maximum cost of a gap of one symbol for which the values of two cells share a register. With the most points, 63, values
/// of 16 rows and 32 columns differ by at most 48 · 313 < 2¹⁴.
const MAX_HALF_GAP: u32 = 250;

/// Points with which the values of two cells may share a register: the kernel has a byte with twice the points.
const HALF_POINTS: RangeInclusive<i32> = -64..=63;

/// Returns whether points and the cost `gap` of a gap of one symbol are so low that the values of two cells share a register
/// (`best_end.cu`).
pub(crate) fn values_fit_halves(gap: u32, points: impl IntoIterator<Item = i32>) -> bool {
    gap <= MAX_HALF_GAP && points.into_iter().all(|points| HALF_POINTS.contains(&points))
}

/// A value below the values of all cells.
const LEAST_VALUE: i32 = -(1 << 30);

impl DeviceGaps {
    fn kind(self) -> GapKind {
        match self {
            Self::Linear => GapKind::Linear,
            Self::Exchanges { .. } => GapKind::Exchanges,
            Self::Affine { .. } => GapKind::Affine,
            Self::Values { .. } => GapKind::Values,
        }
    }
}

/// The differences along an outer edge of the matrix, raised as in `differences.cu`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct OuterEdge {
    /// Both differences of the first row or column.
    pub(crate) first: u32,
    /// Both differences of each other row or column.
    pub(crate) rest: u32,
}

/// Two texts that are not empty, as the rows and the columns of a matrix.
#[derive(Clone, Debug)]
pub(crate) struct DeviceMatrix<'t, T> {
    pub(crate) rows: &'t [T],
    pub(crate) columns: &'t [T],
    pub(crate) points: DevicePoints,
    pub(crate) gaps: DeviceGaps,
    pub(crate) left: OuterEdge,
    pub(crate) above: OuterEdge,
}

/// The results that a sweep returns besides the sum, and whether other jobs may run in between.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SweepOptions {
    /// Maximum memory for the edges of all tiles in bytes, or `None` if no alignment is requested.
    pub(crate) max_kept_bytes: Option<u64>,
    /// Whether the differences v of the last column are requested.
    pub(crate) keeps_last_column: bool,
    /// Whether the differences h of the last row are requested.
    pub(crate) keeps_last_row: bool,
    /// Whether brief jobs of other users may run in between.
    pub(crate) yields: bool,
}

/// The highest value of some rows, which is at least 0, and the best cell that has it. Rows below the highest value of all
/// may have a lower one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DeviceEnd {
    pub(crate) value: u32,
    pub(crate) row: u32,
    pub(crate) column: u32,
}

/// The edges of tiles that a sweep has kept on the GPU.
pub(crate) struct KeptEdges {
    pub(crate) tiles: KeptTiles,
    rows: CudaSlice<u32>,
    columns: CudaSlice<u32>,
}

/// The result of a sweep. Differences are raised as in `differences.cu`.
pub(crate) struct SweptMatrix {
    /// Sum of the differences v of the last column.
    pub(crate) sum: u64,
    pub(crate) kept: Option<KeptEdges>,
    /// Differences h of the last row. Empty unless requested.
    pub(crate) last_row: Vec<u32>,
    /// Differences v of the last column. Empty unless requested.
    pub(crate) last_column: Vec<u32>,
    /// The best end in each group of rows, if the sweep computes values.
    pub(crate) ends: Vec<DeviceEnd>,
    /// Memory of the GPU for borders and for kept edges, in bytes. The run holds it until the caller releases it.
    pub(crate) bytes: u64,
}

impl KeptEdges {
    /// Returns the words of the edges of a matrix with `lengths` rows and columns, which are copied from the GPU on request.
    pub(crate) fn words(&self, session: &GpuSession, lengths: [usize; 2]) -> KeptWords<impl FetchWords> {
        let fetch = move |buffer: KeptBuffer, range: Range<usize>| -> Result<Vec<u32>, Halt> {
            let words = match buffer {
                KeptBuffer::Rows => &self.rows,
                KeptBuffer::Columns => &self.columns,
            };
            Ok(session.download_range(words, range)?)
        };
        KeptWords { tiles: self.tiles, lengths, fetch }
    }
}

/// Checks that texts of `lengths` symbols have no more symbols than the kernel can number.
///
/// # Errors
/// Returns `TooLarge` if a text is too long.
pub(crate) fn check_lengths(lengths: [usize; 2]) -> Result<(), JobFailure> {
    let longer = lengths[0].max(lengths[1]) as u64;
    if longer > MAX_DEVICE_SYMBOLS {
        return Err(JobFailure::TooLarge { what: large::SYMBOLS.into(), got: longer, limit: MAX_DEVICE_SYMBOLS });
    }
    Ok(())
}

impl<T: DeviceSymbol> DeviceMatrix<'_, T> {
    pub(crate) fn kind(&self) -> SweepKind {
        let (halves, classes) = match (&self.points, self.gaps) {
            (DevicePoints::Equality { .. }, DeviceGaps::Values { .. }) => (1, None),
            (DevicePoints::Equality { code, .. }, _) => (code.halves, None),
            (DevicePoints::Table { classes, points }, DeviceGaps::Values { open, extend, .. }) => {
                let fit = values_fit_halves(open + extend, points.iter().map(|points| i32::from(*points)));
                (if fit { 2 } else { 1 }, Some(*classes))
            }
            (DevicePoints::Table { classes, .. }, _) => (2, Some(*classes)),
        };
        SweepKind { halves, gaps: self.gaps.kind(), classes }
    }

    fn cells(&self) -> u64 {
        self.rows.len() as u64 * self.columns.len() as u64
    }

    /// Returns the layout that is probably the fastest one on `gpu`.
    pub(crate) fn shape(&self, gpu: &Gpu) -> SweepShape {
        let room = SweepRoom { multiprocessors: gpu.multiprocessors(), shared_bytes: gpu.shared_bytes() };
        SweepShape::new(self.rows.len(), self.columns.len(), self.kind(), room)
    }

    /// Computes the matrix in the layout that is probably the fastest one. A large matrix lets brief jobs run in between.
    ///
    /// # Errors
    /// Returns the errors of [`sweep`](Self::sweep).
    pub(crate) fn sweep_all(&self, gpu: &Gpu, session: &mut GpuSession, options: SweepOptions, run: &Run) -> Result<SweptMatrix, Halt> {
        let yields = self.cells() > MIN_YIELDING_CELLS;
        self.sweep(session, self.shape(gpu), SweepOptions { yields, ..options }, run)
    }

    /// Computes the matrix in the layout `shape`, with fewer warps if memory is short.
    ///
    /// # Errors
    /// Returns `Stopped` if the run is stopped, and `Engine` if the GPU fails. Returns `TooLarge` if the borders need more
    /// memory than the GPU has.
    pub(crate) fn sweep(&self, session: &mut GpuSession, shape: SweepShape, options: SweepOptions, run: &Run) -> Result<SweptMatrix, Halt> {
        run.stage(RunStage::Transfer)?;
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
        Ok(SweptMatrix { bytes, ..self.launch(session, texts, (&shape, tiles), options, run)? })
    }

    fn launch(
        &self,
        session: &mut GpuSession,
        texts: [u64; 2],
        (shape, tiles): (&SweepShape, Option<KeptTiles>),
        options: SweepOptions,
        run: &Run,
    ) -> Result<SweptMatrix, Halt> {
        let kind = self.kind();
        let kernel = session.kernel(&source(T::BYTES, kind, shape.thread_rows), "sweep_matrix")?;
        session.reset()?;
        let (m, n) = (self.rows.len(), self.columns.len());
        let borders = session.ones::<u8>(shape.bytes() as usize)?;
        let allocate = |tiles: KeptTiles| -> Result<KeptEdges, Halt> {
            let allocate = |buffer| session.allocate_uninit(tiles.words(buffer));
            Ok(KeptEdges { tiles, rows: allocate(KeptBuffer::Rows)?, columns: allocate(KeptBuffer::Columns)? })
        };
        let kept = tiles.map(allocate).transpose()?;
        let last_row = options.keeps_last_row.then(|| session.allocate_uninit::<u32>(n)).transpose()?;
        let last_column = options.keeps_last_column.then(|| session.allocate_uninit::<u32>(m)).transpose()?;
        let best = (kind.gaps == GapKind::Values).then(|| session.zeros::<u32>(3 * shape.groups_of_bands())).transpose()?;
        let sum = session.zeros::<u64>(1)?;
        let table = match &self.points {
            DevicePoints::Equality { .. } => None,
            DevicePoints::Table { points, .. } => Some(session.values(points)?),
        };
        let address = |buffer: &Option<CudaSlice<u32>>| buffer.as_ref().map_or(0, |buffer| session.address(buffer));
        let cells = self.cells();
        run.raise_expected(cells);
        let mut job = SweepArguments {
            rows: texts[0],
            columns: texts[1],
            points: table.as_ref().map_or(0, |table| session.address(table)),
            borders: session.address(&borders),
            kept_rows: kept.as_ref().map_or(0, |kept| session.address(&kept.rows)),
            kept_columns: kept.as_ref().map_or(0, |kept| session.address(&kept.columns)),
            last_row: address(&last_row),
            last_column: address(&last_column),
            best: address(&best),
            sum: session.address(&sum),
            control: session.control(),
            board: session.board(),
            state: 0,
            counts: shape.counts(),
            m: m as u32,
            n: n as u32,
            shift: shape.class_shift(),
            none: 0,
            classes: kind.classes.unwrap_or(0),
            bands: shape.bands(),
            slots: shape.slots(),
            stride: shape.stride(),
            strip: tiles.map_or(0, |tiles| tiles.strip()),
            tile: tiles.map_or(0, |tiles| tiles.tile),
            equal: 0,
            different: 0,
            open: 0,
            extend: 0,
            floor: 0,
            by_row: 0,
            exchange: 0,
            corner: 0,
            left: self.left.rest,
            first_left: self.left.first,
            above: self.above.rest,
            first_above: self.above.first,
            resumes: 0,
            spare: 0,
        };
        if let DevicePoints::Equality { code, equal, different } = self.points {
            (job.shift, job.none, job.equal, job.different) = (code.shift, code.none, equal, different);
        }
        match self.gaps {
            DeviceGaps::Linear => {}
            DeviceGaps::Exchanges { exchange, corner } => (job.exchange, job.corner) = (exchange, corner),
            DeviceGaps::Affine { open } => job.open = open,
            DeviceGaps::Values { open, extend, is_local, by_row } => {
                (job.open, job.extend, job.by_row) = (open, extend, by_row.into());
                job.floor = if is_local { 0 } else { LEAST_VALUE };
                if kind.classes.is_some() {
                    job.none = *HALF_POINTS.start() as u32;
                }
            }
        }
        let launch = LaunchGrid { blocks: [shape.blocks(), 1], threads: shape.block_warps * 32, shared: shape.block_shared_bytes() };
        let mut turn = session.wait_for_turn()?;
        let threads = if turn.is_some() { u64::from(launch.blocks[0] * launch.threads) } else { 0 };
        let state = session.allocate_uninit::<u8>((threads * THREAD_STATE_BYTES) as usize)?;
        job.state = if turn.is_some() { session.address(&state) } else { 0 };
        let mut progress = KernelProgress::new(job.counts, cells);
        // SAFETY: the texts have padding after their end, and a band reads no column after the first one there. There are
        // `slots` border rows of `stride` words, and the kept edges have a word for each column of the last row of every
        // `strip` bands, and for each row of all bands after every `tile` columns. The last row and the last column have a
        // word for each cell. Symbols of a table are classes of the table. Each thread has its own state.
        unsafe { session.launch_as(&kernel, launch, job)? };
        while !session.wait_for_kernel(&mut progress, turn.as_mut())? {
            drop(turn);
            turn = session.wait_for_turn()?;
            session.resume()?;
            job.resumes = 1;
            // SAFETY: as for the first launch; every thread of the same grid finds the state that it has saved.
            unsafe { session.launch_as(&kernel, launch, job)? };
        }
        let downloaded = |buffer: Option<CudaSlice<u32>>| buffer.map_or(Ok(Vec::new()), |buffer| session.download(&buffer));
        let (last_row, last_column) = (downloaded(last_row)?, downloaded(last_column)?);
        let best = downloaded(best)?;
        let end = |end: &[u32; 3]| DeviceEnd { value: end[0], column: end[1], row: end[2] };
        let ends = best.as_chunks().0.iter().map(end).collect();
        Ok(SweptMatrix { sum: session.download(&sum)?[0], kept, last_row, last_column, ends, bytes: 0 })
    }
}
