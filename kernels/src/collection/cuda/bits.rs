//! Edit distances with unit costs, with or without exchanges of neighbouring symbols, and lengths of longest common
//! subsequences: the cells of a pair as bits of one thread's words (Myers 1999; Hyyrö 2003, 2004). bits.cu describes the
//! recurrences and their layout.

use cudarc::driver::CudaSlice;

use super::classes::{LAYOUTS, RowClass, RowLayout, classes};
use super::launches::{Launch, report_interval, run_all};
use super::moved::{ComputedScores, ScoreWidth};
use super::{DeviceCorpus, DeviceTile};
use crate::gpu::Gpu;
use crate::gpu::compile::KernelSource;
use crate::gpu::session::{DONE, GpuSession, KEPT, KernelArguments, LaunchGrid, OVER, SAID, STOP, WISH};
use crate::run::Halt;

/// Number of columns that are sorted together. Sorting keeps the warps of a block busy until its end. The order is nearly
/// that of the tile, so that scores are written together.
const SORTED_COLUMNS: usize = 1024;

/// Threads of a multiprocessor with a kernel of any variant.
const RESIDENT_THREADS: u32 = 512;

/// Shared memory of a block that the kernel itself declares, and that the driver reserves, in bytes.
const RESERVED_SHARED_BYTES: u64 = 1280;

/// Maximum memory for the differences between strips, in bytes.
const MAX_BORDER_BYTES: u64 = 1 << 29;

/// Shared memory for the words of symbols with which several blocks fit into a multiprocessor, in bytes.
const MAX_SMALL_TABLE_BYTES: u64 = 48 << 10;

/// Bounds of the number of columns that a block takes at a time.
const CHUNK_COLUMNS: [u64; 2] = [128, 1024];

/// Number of cells that a block takes at a time, so that it can stop some milliseconds after a request.
const CHUNK_CELLS: u64 = 1 << 32;

/// Minimum number of columns that a block takes at a time: one for each warp of a block.
const MIN_CHUNK_COLUMNS: u64 = 8;

/// Number of items of a launch for each block, so that the last ones end together.
const ITEMS_PER_BLOCK: u64 = 8;

/// The number that the kernels compute for a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BitScore {
    /// The edit distance with costs of 1.
    EditDistance,
    /// The edit distance with costs of 1, also for an exchange of two neighbouring symbols.
    StringAlignment,
    /// The length of a longest common subsequence.
    Lcs,
}

impl BitScore {
    /// Returns the number of words that the lanes of a warp hand to the next strip for 32 columns.
    fn handed_words(self) -> u32 {
        if self == Self::StringAlignment { 128 } else { 64 }
    }

    /// Returns the maximum number of words of a row with which the state of [`RESIDENT_THREADS`] threads fits into registers.
    fn words_of_full_blocks(self) -> u32 {
        if self == Self::StringAlignment { 24 } else { 28 }
    }
}

#[derive(Clone, Copy)]
#[repr(C)]
struct BitArguments {
    symbols: u64,
    places: u64,
    lens: u64,
    rows: u64,
    columns: u64,
    scores: u64,
    borders: u64,
    ticket: u64,
    control: u64,
    board: u64,
    counts: u64,
    members: u32,
    length: u32,
    chunk: u32,
    chunks: u32,
    items: u32,
    strips: u32,
    alphabet: u32,
    stride: u32,
    first: u32,
    is_narrow: u32,
    room: u32,
    look: u32,
    weight: u32,
    spare: u32,
}

// SAFETY: the same fields in the same order as the struct `Sweep` in bits.cu, without padding; the comment at the launch
// says why the addresses are valid.
unsafe impl KernelArguments for BitArguments {}

/// Returns the maximum number of threads of a block, with which the state of a thread fits into registers.
fn max_threads(layout: RowLayout, score: BitScore) -> u32 {
    if layout.words > score.words_of_full_blocks() { 384 } else { RESIDENT_THREADS }
}

/// Returns the number of threads of a block. A large table is shared by more warps.
fn threads(layout: RowLayout, score: BitScore, alphabet: u32) -> u32 {
    let max = max_threads(layout, score);
    if max < RESIDENT_THREADS || layout.shared_bytes(alphabet) > MAX_SMALL_TABLE_BYTES { max } else { RESIDENT_THREADS / 2 }
}

/// Lists every variant of the kernels.
pub(super) fn variants() -> impl Iterator<Item = KernelSource> {
    let scores = [BitScore::EditDistance, BitScore::StringAlignment, BitScore::Lcs];
    scores.into_iter().flat_map(|score| LAYOUTS.into_iter().map(move |layout| source(layout, score)))
}

fn source(layout: RowLayout, score: BitScore) -> KernelSource {
    let defines = vec![
        ("WORDS", layout.words.into()),
        ("FIELDS", layout.fields.into()),
        ("LCS", (score == BitScore::Lcs).into()),
        ("EXCHANGES", (score == BitScore::StringAlignment).into()),
        ("THREADS", max_threads(layout, score).into()),
        ("STOP", STOP),
        ("DONE", DONE),
        ("KEPT", KEPT),
        ("SAID", SAID),
        ("OVER", OVER),
        ("WISH", WISH),
    ];
    KernelSource { name: "collection-bits", text: include_str!("bits.cu"), defines }
}

/// Returns the shared memory of a block for the words of symbols, in bytes.
fn shared_limit(gpu: &Gpu) -> u64 {
    u64::from(gpu.shared_bytes()).saturating_sub(RESERVED_SHARED_BYTES)
}

/// Returns whether the words of `alphabet` symbols fit into the shared memory of `gpu`.
pub(super) fn takes(gpu: &Gpu, alphabet: u32) -> bool {
    LAYOUTS.iter().any(|layout| layout.fields == 1 && layout.shared_bytes(alphabet) <= shared_limit(gpu))
}

/// Computes the scores of all pairs of `tile`.
///
/// # Errors
/// Returns `Stopped` if the run is stopped, and `Engine` if the GPU fails.
pub(super) fn compute(corpus: &DeviceCorpus, session: &mut GpuSession, tile: &DeviceTile, score: BitScore) -> Result<ComputedScores, Halt> {
    let alphabet = corpus.corpus.alphabet();
    // A warp has 32 rows or more, and one column.
    let is_swapped = tile.places(1).len() > tile.places(0).len();
    let [row_side, column_side] = if is_swapped { [1, 0] } else { [0, 1] };
    let (mut rows, mut columns) = (tile.places(row_side).to_vec(), tile.places(column_side).to_vec());
    let len = |side: usize| move |place: &u32| corpus.corpus.member_len(tile.start(side) + *place as usize);
    let (row_len, column_len) = (len(row_side), len(column_side));
    rows.sort_by_key(|place| std::cmp::Reverse(row_len(place)));
    columns.chunks_mut(SORTED_COLUMNS).for_each(|columns| columns.sort_by_key(|place| std::cmp::Reverse(column_len(place))));
    let lens: Vec<u32> = rows.iter().map(|place| row_len(place) as u32).collect();
    let max_column = columns.iter().map(&column_len).max().unwrap_or(0);
    let width = if lens[0].max(max_column as u32) < 256 { ScoreWidth::Bits8 } else { ScoreWidth::Bits16 };
    let classes = classes(&lens, alphabet, shared_limit(corpus.gpu));
    let members = |places: &[u32], side: usize| places.iter().map(|place| tile.start(side) as u32 + place).collect::<Vec<u32>>();
    let (row_members, column_members) = (session.values(&members(&rows, row_side))?, session.values(&members(&columns, column_side))?);
    let scores = session.allocate_uninit::<u8>(rows.len() * columns.len() * width.bytes())?;
    let tickets = session.zeros::<u32>(classes.len())?;
    let counts: u64 = classes.iter().map(|class| (class.groups() * columns.len()) as u64 * u64::from(weight(class))).sum();
    let shared = BitArguments {
        symbols: session.address(&corpus.symbols),
        places: session.address(&corpus.places),
        lens: session.address(&corpus.lens),
        rows: 0,
        columns: session.address(&column_members),
        scores: session.address(&scores),
        borders: 0,
        ticket: 0,
        control: session.control(),
        board: session.board(),
        counts,
        members: 0,
        length: columns.len() as u32,
        chunk: 0,
        chunks: 0,
        items: 0,
        strips: 1,
        alphabet,
        stride: rows.len() as u32,
        first: 0,
        is_narrow: (width == ScoreWidth::Bits8).into(),
        room: score.handed_words() * (max_column as u32).div_ceil(32),
        look: report_interval(counts),
        weight: 0,
        spare: 0,
    };
    let mut borders: Vec<CudaSlice<u32>> = Vec::new();
    let mut launches = Vec::new();
    for (number, class) in classes.iter().enumerate() {
        let threads = threads(class.layout, score, alphabet);
        let table = class.layout.shared_bytes(alphabet);
        let resident = (shared_limit(corpus.gpu) / (table + RESERVED_SHARED_BYTES)).clamp(1, u64::from(RESIDENT_THREADS / threads));
        let blocks = u64::from(corpus.gpu.multiprocessors()) * resident;
        let (groups, length) = (class.groups() as u64, columns.len() as u64);
        let mut chunk = (groups * length / (blocks * ITEMS_PER_BLOCK)).clamp(CHUNK_COLUMNS[0], CHUNK_COLUMNS[1]);
        let column_cells = class.layout.rows() as u64 * u64::from(class.strips * class.layout.symbols()) * max_column.max(1) as u64;
        chunk = chunk.min((CHUNK_CELLS / column_cells).max(MIN_CHUNK_COLUMNS)).min(length);
        let mut arguments = shared;
        if class.strips > 1 {
            let column_bytes = u64::from(shared.room.max(1)) * 4;
            chunk = chunk.min(MAX_BORDER_BYTES / (blocks * column_bytes)).max(1);
            let border = session.allocate_uninit::<u32>((blocks * chunk * u64::from(shared.room)) as usize)?;
            arguments.borders = session.address(&border);
            // Launches run one after another, and share the memory of the largest one.
            borders.push(border);
        }
        arguments.rows = session.address(&row_members) + 4 * class.rows.start as u64;
        arguments.ticket = session.address(&tickets) + 4 * number as u64;
        arguments.members = class.rows.len() as u32;
        arguments.chunk = chunk as u32;
        arguments.chunks = length.div_ceil(chunk) as u32;
        arguments.items = arguments.chunks * groups as u32;
        arguments.strips = class.strips;
        arguments.first = class.rows.start as u32;
        arguments.weight = weight(class);
        // Blocks without strips have no memory of their own, so that more of them are launched than may be resident.
        let blocks = if class.strips > 1 { blocks } else { blocks * 4 };
        launches.push(Launch {
            kernel: session.kernel(&source(class.layout, score), "sweep")?,
            grid: LaunchGrid { blocks: [blocks.min(arguments.items.into()) as u32, 1], threads, shared: table as u32 },
            arguments,
        });
    }
    // SAFETY: the corpus has a place and a length for each member, and its symbols are below the alphabet. The rows and columns
    // of each launch are members, and the rows fit into its strips. There is a score for each row and column, a ticket for
    // each launch, and, for several strips, `chunk` times `room` words for each block. All buffers live until the kernels
    // have ended, because memory is freed in the order of the stream.
    unsafe { run_all(session, &launches, [counts, tile.cells])? };
    Ok(ComputedScores { bytes: scores, width, rows, columns, is_swapped })
}

/// Returns the work of a group and a column in counts of progress.
fn weight(class: &RowClass) -> u32 {
    class.strips * class.layout.words
}
