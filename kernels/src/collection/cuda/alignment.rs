//! Scores of global and local alignments with affine gaps, two pairs in the halves of a register. alignment.cu describes the
//! recurrences and their layout.

use cudarc::driver::CudaSlice;

use super::launches::{Launch, report_interval, run_all};
use super::moved::{ComputedScores, ScoreWidth};
use super::{DeviceCorpus, DeviceTile};
use crate::collection::Corpus;
use crate::gpu::Gpu;
use crate::gpu::compile::KernelSource;
use crate::gpu::session::{DONE, GpuSession, KEPT, KernelArguments, LaunchGrid, OVER, SAID, STOP, WISH};
use crate::job::AlignmentMode;
use crate::run::Halt;
use crate::task::sequence_alignment::engine::{AlignmentModel, SymbolPoints};

/// Numbers of lines of cells of a lane, each with the maximum number of threads of a block. With it, the lines fit into
/// registers.
const LANE_LINES: [(u32, u32); 11] =
    [(8, 1024), (12, 1024), (16, 768), (20, 672), (25, 640), (32, 512), (38, 512), (44, 384), (50, 384), (57, 320), (63, 320)];

/// Maximum number of lines of the cells of a row.
const MAX_LINES: u32 = 63 * 32;

/// Maximum number of letters with which a code is a pair of letters.
const MAX_PAIRED_LETTERS: u32 = 5;

/// Maximum number of letters.
const MAX_LETTERS: u32 = 255;

/// Largest value of a cell.
const MAX_VALUE: i64 = i16::MAX as i64;

/// Shared memory of a block that the kernel itself declares, and that the driver reserves, in bytes.
const RESERVED_SHARED_BYTES: u64 = 1280;

/// Number of codes before the first column, because lanes begin before it, and after the last one.
const TEXT_PADDING: u32 = 64;

/// Bounds of the number of tasks that a block takes at a time.
const CHUNK_TASKS: [u64; 2] = [64, 1024];

/// Number of cells that a block takes at a time, so that it can stop some milliseconds after a request.
const CHUNK_CELLS: u64 = 1 << 28;

/// Number of items of a launch for each block, so that the last ones end together.
const ITEMS_PER_BLOCK: u64 = 8;

#[derive(Clone, Copy)]
#[repr(C)]
struct AlignArguments {
    symbols: u64,
    places: u64,
    lens: u64,
    letters: u64,
    points: u64,
    rows: u64,
    texts: u64,
    starts: u64,
    ends: u64,
    scores: u64,
    ticket: u64,
    control: u64,
    board: u64,
    counts: u64,
    members: u32,
    length: u32,
    pairs: u32,
    chunk: u32,
    chunks: u32,
    items: u32,
    lanes: u32,
    alphabet: u32,
    stride: u32,
    first: u32,
    open: i32,
    extend: i32,
    look: u32,
    weight: u32,
}

#[derive(Clone, Copy)]
#[repr(C)]
struct JoinArguments {
    symbols: u64,
    places: u64,
    letters: u64,
    columns: u64,
    starts: u64,
    ends: u64,
    texts: u64,
    length: u32,
    alphabet: u32,
}

// SAFETY: the same fields in the same order as the structs `Align` and `Join` in alignment.cu, without padding; the comments
// at the launches say why the addresses are valid.
unsafe impl KernelArguments for AlignArguments {}
// SAFETY: see `AlignArguments`.
unsafe impl KernelArguments for JoinArguments {}

/// A variant of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Variant {
    /// Number of lines of cells of a lane.
    lines: u32,
    /// Maximum number of threads of a block.
    threads: u32,
    is_global: bool,
    /// Whether a code is a pair of letters of two columns.
    by_pair: bool,
}

impl Variant {
    fn source(self) -> KernelSource {
        let defines = vec![
            ("R", self.lines.into()),
            ("GLOBAL", self.is_global.into()),
            ("BY_PAIR", self.by_pair.into()),
            ("THREADS", self.threads.into()),
            ("STOP", STOP),
            ("DONE", DONE),
            ("KEPT", KEPT),
            ("SAID", SAID),
            ("OVER", OVER),
            ("WISH", WISH),
        ];
        KernelSource { name: "collection-alignment", text: include_str!("alignment.cu"), defines }
    }
}

/// Lists every variant of the kernels.
pub(super) fn variants() -> impl Iterator<Item = KernelSource> {
    [[true, true], [true, false], [false, true], [false, false]].into_iter().flat_map(|[is_global, by_pair]| {
        LANE_LINES.into_iter().map(move |(lines, threads)| Variant { lines, threads, is_global, by_pair }.source())
    })
}

/// The letters of symbols, and the points of letters.
struct Points {
    /// Letter of each symbol.
    letters: Vec<u8>,
    /// Number of letters.
    size: u32,
    /// Points of two letters, raised by the cost of a gap: a square table.
    raised: Vec<i32>,
}

impl Points {
    /// Returns the points of `model` for symbols below `alphabet`, or `None` if there are too many letters. If `is_swapped`, the
    /// first letter of the table is the second one of the model.
    fn new(model: &AlignmentModel, alphabet: u32, is_swapped: bool) -> Option<Self> {
        let (mut letters, size): (Vec<u8>, u32) = match &model.points {
            SymbolPoints::Equality { .. } if alphabet > MAX_LETTERS => return None,
            SymbolPoints::Equality { .. } => ((0..alphabet).map(|symbol| symbol as u8).collect(), alphabet.max(1)),
            SymbolPoints::Table { classes, size, .. } => (classes.clone(), *size as u32),
        };
        if letters.is_empty() {
            // All members are empty, but empty buffers cannot be allocated.
            letters.push(0);
        }
        let raise = raise(model);
        let of = |x: u32, y: u32| match &model.points {
            SymbolPoints::Equality { equal, different } => *if x == y { equal } else { different },
            SymbolPoints::Table { points, .. } => points[(x * size + y) as usize],
        };
        let raised = (0..size * size).map(|at| if is_swapped { of(at % size, at / size) } else { of(at / size, at % size) } + raise);
        (1..=MAX_LETTERS).contains(&size).then(|| Self { letters, size, raised: raised.collect() })
    }
}

/// Returns the number by which points are raised.
fn raise(model: &AlignmentModel) -> i32 {
    let (open, extend) = (model.gap.open as i32, model.gap.extend as i32);
    if model.mode == AlignmentMode::Global { open + 2 * extend } else { open + extend }
}

/// Returns the maximum number of symbols of a member for whose cells 16 bits suffice.
pub(super) fn max_len(model: &AlignmentModel) -> usize {
    let (open, extend) = (i64::from(model.gap.open), i64::from(model.gap.extend));
    let most = match &model.points {
        SymbolPoints::Equality { equal, different } => *equal.max(different),
        SymbolPoints::Table { points, .. } => points.iter().copied().max().unwrap_or(0),
    };
    // A global alignment's values grow by two extensions for each pair of symbols.
    let growth = i64::from(most).max(0) + 2 * extend;
    let rest = MAX_VALUE - 4 * open - 4 * extend - i64::from(most.abs()) - i64::from(raise(model));
    (rest / growth.max(1)).clamp(0, MAX_LINES.into()) as usize
}

/// Returns whether `gpu` computes the scores of `model`, for members of [`max_len`] symbols or fewer.
pub(super) fn takes(gpu: &Gpu, corpus: &Corpus, model: &AlignmentModel) -> bool {
    let is_taken = match model.mode {
        AlignmentMode::Global | AlignmentMode::Local => true,
        AlignmentMode::SemiGlobal => false,
    };
    let points = Points::new(model, corpus.alphabet(), false);
    is_taken
        && points
            .is_some_and(|points| Plans { points: &points, shared: shared_limit(gpu), mean: 1 }.encoding(max_len(model) as u32).is_some())
}

/// Returns the shared memory of a block for points, in bytes.
fn shared_limit(gpu: &Gpu) -> u64 {
    u64::from(gpu.shared_bytes()).saturating_sub(RESERVED_SHARED_BYTES)
}

/// The layout of a row: lines of cells of a lane, and lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Plan {
    lines: u32,
    threads: u32,
    lanes: u32,
    /// Shared memory of a block for the points, in bytes.
    table: u64,
}

/// Chooses plans of rows.
struct Plans<'p> {
    points: &'p Points,
    /// Shared memory of a block for points, in bytes.
    shared: u64,
    /// Mean number of symbols of a column.
    mean: u64,
}

impl Plans<'_> {
    /// Returns the plan with the least time for a row of `len` symbols, if one fits.
    fn plan(&self, len: u32, by_pair: bool) -> Option<Plan> {
        let plans = LANE_LINES.into_iter().flat_map(|(lines, threads)| (0..6).map(move |lanes| (lines, threads, 1 << lanes)));
        let plans = plans.map(|(lines, threads, lanes)| Plan { lines, threads, lanes, table: self.table(lines, lanes, by_pair) });
        let time = |plan: &Plan| {
            let step = f64::from(plan.lines) * 6.3 + 30.0;
            step * f64::from(plan.lanes) * (1.0 + f64::from(plan.lanes - 1) / self.mean.max(1) as f64)
        };
        let fitting = plans.filter(|plan| plan.lines * plan.lanes >= len && plan.table <= self.shared);
        fitting.min_by(|one, other| time(one).total_cmp(&time(other)))
    }

    /// Returns the bytes of the table of points.
    fn table(&self, lines: u32, lanes: u32, by_pair: bool) -> u64 {
        let letters = u64::from(self.points.size) + 1;
        let (codes, lines_per_word) = if by_pair { (letters * letters, 4) } else { (letters, 16) };
        codes * u64::from(lanes.max(8)) * 16 * u64::from(lines.div_ceil(lines_per_word) | 1)
    }

    /// Returns whether codes are pairs of letters, or `None` if rows of up to `len` symbols do not fit into shared memory.
    fn encoding(&self, len: u32) -> Option<bool> {
        let has_bytes = self.points.raised.iter().all(|points| i8::try_from(*points).is_ok());
        let fits = |by_pair| self.plan(len, by_pair).is_some();
        if self.points.size <= MAX_PAIRED_LETTERS && fits(true) { Some(true) } else { (has_bytes && fits(false)).then_some(false) }
    }
}

/// Columns on the GPU, two in the halves of a word.
struct JoinedColumns {
    texts: CudaSlice<u32>,
    starts: CudaSlice<u32>,
    ends: CudaSlice<u32>,
}

/// Computes the scores of all pairs of `tile`.
///
/// # Errors
/// Returns `Stopped` if the run is stopped, and `Engine` if the GPU fails.
pub(super) fn compute(
    corpus: &DeviceCorpus,
    session: &mut GpuSession,
    tile: &DeviceTile,
    model: &AlignmentModel,
) -> Result<ComputedScores, Halt> {
    // A block has a row, and its warps many columns.
    let is_swapped = tile.places(0).len() > tile.places(1).len();
    let [row_side, column_side] = if is_swapped { [1, 0] } else { [0, 1] };
    let (mut rows, mut columns) = (tile.places(row_side).to_vec(), tile.places(column_side).to_vec());
    let len = |side: usize| move |place: &u32| corpus.corpus.member_len(tile.start(side) + *place as usize) as u32;
    let (row_len, column_len) = (len(row_side), len(column_side));
    rows.sort_by_key(|place| std::cmp::Reverse(row_len(place)));
    columns.sort_by_key(|place| std::cmp::Reverse(column_len(place)));
    let unsuitable = || crate::failure::JobFailure::engine("The GPU engine does not take these points.".to_owned());
    let points = Points::new(model, corpus.corpus.alphabet(), is_swapped).ok_or_else(unsuitable)?;
    let mean = columns.iter().map(|place| u64::from(column_len(place))).sum::<u64>() / columns.len() as u64;
    let plans = Plans { points: &points, shared: shared_limit(corpus.gpu), mean };
    let by_pair = plans.encoding(max_len(model) as u32).ok_or_else(unsuitable)?;
    let is_global = model.mode == AlignmentMode::Global;
    // Rows with the same plan are neighbours.
    let planned: Vec<Plan> = rows.iter().map(|place| plans.plan(row_len(place), by_pair)).collect::<Option<_>>().ok_or_else(unsuitable)?;
    let members = |places: &[u32], side: usize| places.iter().map(|place| tile.start(side) as u32 + place).collect::<Vec<u32>>();
    let (row_members, column_members) = (session.values(&members(&rows, row_side))?, session.values(&members(&columns, column_side))?);
    let (letters, table) = (session.values(&points.letters)?, session.values(&points.raised)?);
    let pairs: Vec<[u32; 2]> = columns.chunks(2).map(|pair| [column_len(&pair[0]), pair.get(1).map_or(0, column_len)]).collect();
    let joined = join(corpus, session, &pairs, by_pair, &letters, &column_members, points.size)?;
    let scores = session.allocate_uninit::<u8>(rows.len() * columns.len() * ScoreWidth::Bits32.bytes())?;
    let classes: Vec<&[Plan]> = planned.chunk_by(|one, other| one == other).collect();
    let tickets = session.zeros::<u32>(classes.len())?;
    let tasks = |plan: &Plan| (pairs.len() as u64).div_ceil(32 / u64::from(plan.lanes));
    let counts = classes.iter().map(|class| class.len() as u64 * tasks(&class[0]) * u64::from(class[0].lines)).sum();
    let (mut launches, mut first) = (Vec::new(), 0);
    for (number, class) in classes.iter().enumerate() {
        let plan = class[0];
        let resident =
            |threads: u32| (shared_limit(corpus.gpu) / (plan.table + RESERVED_SHARED_BYTES)).clamp(1, u64::from(plan.threads / threads));
        // The least blocks with which shared memory does not limit the number of warps.
        let threads =
            [128, 256].into_iter().find(|threads| resident(*threads) == u64::from(plan.threads / threads)).unwrap_or(plan.threads);
        let blocks = u64::from(corpus.gpu.multiprocessors()) * resident(threads);
        let warps = u64::from(threads / 32);
        let task_cells = u64::from(64 * plan.lines) * u64::from(pairs[0][0].max(1));
        let (tasks, members) = (tasks(&plan), class.len() as u64);
        let chunk = (tasks * members / (blocks * ITEMS_PER_BLOCK)).clamp(CHUNK_TASKS[0].max(4 * warps), CHUNK_TASKS[1]);
        let chunk = chunk.min((CHUNK_CELLS / task_cells).max(warps)).min(tasks);
        let chunks = tasks.div_ceil(chunk);
        let arguments = AlignArguments {
            symbols: session.address(&corpus.symbols),
            places: session.address(&corpus.places),
            lens: session.address(&corpus.lens),
            letters: session.address(&letters),
            points: session.address(&table),
            rows: session.address(&row_members) + 4 * first as u64,
            texts: session.address(&joined.texts),
            starts: session.address(&joined.starts),
            ends: session.address(&joined.ends),
            scores: session.address(&scores),
            ticket: session.address(&tickets) + 4 * number as u64,
            control: session.control(),
            board: session.board(),
            counts,
            members: class.len() as u32,
            length: columns.len() as u32,
            pairs: pairs.len() as u32,
            chunk: chunk as u32,
            chunks: chunks as u32,
            items: (members * chunks) as u32,
            lanes: plan.lanes,
            alphabet: points.size,
            stride: rows.len() as u32,
            first: first as u32,
            open: model.gap.open as i32,
            extend: model.gap.extend as i32,
            look: report_interval(counts),
            weight: plan.lines,
        };
        first += class.len();
        let variant = Variant { lines: plan.lines, threads: plan.threads, is_global, by_pair };
        launches.push(Launch {
            kernel: session.kernel(&variant.source(), "sweep")?,
            grid: LaunchGrid { blocks: [(blocks * 4).min(arguments.items.into()) as u32, 1], threads, shared: plan.table as u32 },
            arguments,
        });
    }
    // SAFETY: the corpus has a place and a length for each member, and its symbols have letters. The rows of each launch are
    // members that fit into the lines of its plan, and `joined` has the codes of all columns, with padding for what lanes read
    // before and after them. There is a score for each row and column, and a ticket for each launch. All buffers live until
    // the kernels have ended, because memory is freed in the order of the stream.
    unsafe { run_all(session, &launches, [counts, tile.cells])? };
    Ok(ComputedScores { bytes: scores, width: ScoreWidth::Bits32, rows, columns, is_swapped })
}

/// Joins the letters of each two columns on the GPU. `pairs` has their lengths, the longer one first.
fn join(
    corpus: &DeviceCorpus,
    session: &GpuSession,
    pairs: &[[u32; 2]],
    by_pair: bool,
    letters: &CudaSlice<u8>,
    columns: &CudaSlice<u32>,
    alphabet: u32,
) -> Result<JoinedColumns, Halt> {
    let mut total = TEXT_PADDING;
    let mut starts = Vec::with_capacity(pairs.len());
    for [longer, _] in pairs {
        starts.push(total);
        total += longer;
    }
    let ends: Vec<u32> = pairs.iter().map(|[one, other]| one | other << 16).collect();
    // Lanes without columns read as many codes as the others from the first start on.
    let joined = JoinedColumns {
        texts: session.zeros((total + pairs[0][0] + 2 * TEXT_PADDING) as usize)?,
        starts: session.values(&starts)?,
        ends: session.values(&ends)?,
    };
    let variant = Variant { lines: LANE_LINES[0].0, threads: LANE_LINES[0].1, is_global: true, by_pair };
    let kernel = session.kernel(&variant.source(), "join")?;
    let arguments = JoinArguments {
        symbols: session.address(&corpus.symbols),
        places: session.address(&corpus.places),
        letters: session.address(letters),
        columns: session.address(columns),
        starts: session.address(&joined.starts),
        ends: session.address(&joined.ends),
        texts: session.address(&joined.texts),
        length: columns.len() as u32,
        alphabet,
    };
    // SAFETY: a block for each pair reads its symbols and writes its codes, from its start up to that of the next pair.
    unsafe { session.launch(&kernel, pairs.len() as u32, 128, arguments)? };
    Ok(joined)
}
