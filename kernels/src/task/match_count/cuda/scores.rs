//! Scores in GPU memory, and the launches that compute and read them.

use cudarc::driver::CudaSlice;

use super::rows::{MAX_GROUP_PARTS, MAX_GROUP_ROWS, ROW_GRANULARITY, RowGroup, RowPart};
use super::shape::{PLANES, TILES, TileShape, WORDS};
use crate::found::ScoreSpan;
use crate::gpu::compaction::{BLOCK, DeviceBitSet};
use crate::gpu::compile::KernelSource;
use crate::gpu::session::{GpuSession, KernelArguments, LaunchGrid};
use crate::run::Halt;

/// Number of threads in a block of the kernels that read scores.
const THREADS: u32 = 256;

/// Returns the GPU memory for the scores and the bit planes of a part of the text, in bytes. The part has `offsets`
/// offsets, and the pattern `m` symbols.
pub(super) fn bytes(offsets: u64, m: u64) -> u64 {
    let score = if m < 1 << 16 { 2 } else { 4 };
    let tile = 32 * u64::from(TILES[1]);
    offsets * score + (offsets.next_multiple_of(tile) + tile) / 8 * u64::from(PLANES[PLANES.len() - 1])
}

#[derive(Clone, Copy)]
#[repr(C)]
struct PlanesArguments {
    text: u64,
    codes: u64,
    planes: u64,
    symbols: u32,
    size: u32,
    tiles: u32,
}

// SAFETY: plain numbers and addresses in C's layout; the launches state the bounds of every access.
unsafe impl KernelArguments for PlanesArguments {}

#[derive(Clone, Copy)]
#[repr(C)]
struct CountArguments {
    planes: u64,
    scores: u64,
    offsets: u32,
    row: u32,
    vectors: u32,
    parts: u32,
    narrow: u32,
    add: u32,
    part: [RowPart; MAX_GROUP_PARTS],
    moves: [u32; MAX_GROUP_ROWS + ROW_GRANULARITY * MAX_GROUP_PARTS],
    codes: [u16; MAX_GROUP_ROWS],
}

// SAFETY: as for `PlanesArguments`.
unsafe impl KernelArguments for CountArguments {}

#[derive(Clone, Copy)]
#[repr(C)]
struct SpansArguments {
    scores: u64,
    spans: u64,
    offsets: u32,
    width: u32,
    count: u32,
}

// SAFETY: as for `PlanesArguments`.
unsafe impl KernelArguments for SpansArguments {}

#[derive(Clone, Copy)]
#[repr(C)]
struct MarkArguments {
    scores: u64,
    spans: u64,
    bits: u64,
    counts: u64,
    offsets: u32,
    width: u32,
    from: u32,
    to: u32,
}

// SAFETY: as for `PlanesArguments`.
unsafe impl KernelArguments for MarkArguments {}

#[derive(Clone, Copy)]
#[repr(C)]
struct LookArguments {
    scores: u64,
    list: u64,
    found: u64,
    length: u32,
}

// SAFETY: as for `PlanesArguments`.
unsafe impl KernelArguments for LookArguments {}

pub(super) fn variants() -> impl Iterator<Item = KernelSource> {
    let planes = [1, 4].into_iter().flat_map(|unit| PLANES.map(|planes| planes_source(unit, planes)));
    let counts = TILES.into_iter().flat_map(|tile| PLANES.map(|planes| count_source(planes, tile)));
    planes.chain(counts).chain([true, false].map(reduce_source))
}

fn planes_source(unit: u32, planes: u32) -> KernelSource {
    let defines = vec![("UNIT", unit.into()), ("PLANES", planes.into())];
    KernelSource { name: "match-count-planes", text: include_str!("planes.cu"), defines }
}

fn count_source(planes: u32, tile: u32) -> KernelSource {
    let defines = vec![
        ("PLANES", planes.into()),
        ("TILE", tile.into()),
        ("THREADS", (tile / WORDS).into()),
        ("ROWS", MAX_GROUP_ROWS as u64),
        ("PARTS", MAX_GROUP_PARTS as u64),
    ];
    KernelSource { name: "match-count", text: include_str!("count.cu"), defines }
}

fn reduce_source(narrow: bool) -> KernelSource {
    let defines = vec![("SCORE", if narrow { 2 } else { 4 }), ("BLOCK", BLOCK)];
    KernelSource { name: "match-count-reduce", text: include_str!("reduce.cu"), defines }
}

/// The scores of one part of the text, in GPU memory.
pub(super) struct DeviceScores<'s> {
    session: &'s GpuSession<'s>,
    pub(super) shape: &'s TileShape,
    scores: CudaSlice<u8>,
}

impl<'s> DeviceScores<'s> {
    /// Allocates the scores of a part of the text with the tiles `shape`.
    pub(super) fn new(session: &'s GpuSession<'s>, shape: &'s TileShape) -> Result<Self, Halt> {
        let bytes = shape.offsets as usize * if shape.narrow { 2 } else { 4 };
        Ok(Self { session, shape, scores: session.allocate_uninit(bytes.next_multiple_of(16))? })
    }

    /// Adds the scores of one group of pattern symbols. The first group of the pattern must come first. `text` is the
    /// GPU address of the part's symbols, of `unit` bytes each.
    pub(super) fn add(&self, text: u64, unit: u32, group: &RowGroup) -> Result<(), Halt> {
        let (session, shape) = (self.session, self.shape);
        let planes = group.planes;
        let tiles = shape.tiles();
        let packed = session.allocate_uninit::<u32>((tiles as usize + 1) * planes as usize * shape.tile as usize)?;
        let mut table = group.codes.clone();
        table.resize(table.len().max(256), 0);
        let codes = if unit == 1 && group.are_codes { None } else { Some(session.values(&table)?) };
        let job = PlanesArguments {
            text: text + group.from as u64 * u64::from(unit),
            codes: codes.as_ref().map_or(0, |codes| session.address(codes)),
            planes: session.address(&packed),
            symbols: (shape.offsets + group.rows as u64 - 1) as u32,
            size: shape.tile,
            tiles: tiles + 1,
        };
        let kernel = self.session.kernel(&planes_source(unit, planes), "planes")?;
        let threads = (tiles + 1) * (shape.tile / 4);
        // SAFETY: a thread for every four words of all tiles and one more; symbols are read in fours that begin below
        // `symbols`, and zeros are behind the text.
        unsafe { session.launch(&kernel, threads.div_ceil(THREADS), THREADS, job)? };

        let mut job = CountArguments {
            planes: session.address(&packed),
            scores: session.address(&self.scores),
            offsets: shape.offsets as u32,
            row: group.row as u32,
            vectors: group.vectors as u32,
            parts: group.parts.len() as u32,
            narrow: shape.narrow.into(),
            add: (group.from > 0).into(),
            part: [RowPart::default(); MAX_GROUP_PARTS],
            moves: [0; MAX_GROUP_ROWS + ROW_GRANULARITY * MAX_GROUP_PARTS],
            codes: [0; MAX_GROUP_ROWS],
        };
        job.part[..group.parts.len()].copy_from_slice(&group.parts);
        job.moves[..group.moves.len()].copy_from_slice(&group.moves);
        job.codes[..group.order.len()].copy_from_slice(&group.order);
        let kernel = self.session.kernel(&count_source(planes, shape.tile), "count")?;
        let shared_bytes = 4 * (group.vectors * group.row) as u32 + 4 * shape.tile;
        // SAFETY: a block for each tile, and the planes have one more tile. A vector reaches at most `MAX_GROUP_ROWS` offsets,
        // less than 32 tiles' words, behind its tile. Moves stay inside the shared memory, as tests of `RowGroup` check.
        // Scores are written below `offsets`.
        unsafe { session.launch_as(&kernel, LaunchGrid { blocks: [tiles, 1], threads: shape.tile / WORDS, shared: shared_bytes }, job)? };
        Ok(())
    }

    fn reducer(&self, name: &'static str) -> Result<cudarc::driver::CudaFunction, Halt> {
        self.session.kernel(&reduce_source(self.shape.narrow), name)
    }

    /// Computes the least score, the greatest score and the sum for every `width` offsets. The result stays in GPU
    /// memory.
    pub(super) fn spans(&self, width: u64) -> Result<CudaSlice<u64>, Halt> {
        let count = self.shape.offsets.div_ceil(width) as u32;
        let spans = self.session.allocate_uninit::<u64>(2 * count as usize)?;
        let (scores, at) = (self.session.address(&self.scores), self.session.address(&spans));
        let job = SpansArguments { scores, spans: at, offsets: self.shape.offsets as u32, width: width as u32, count };
        // SAFETY: a warp for each of `count` spans, which end at `offsets` at the latest.
        unsafe { self.session.launch(&self.reducer("spans")?, count.div_ceil(THREADS / 32), THREADS, job)? };
        Ok(spans)
    }

    /// Returns a bit set of the offsets whose scores are in `range`. `spans` is the result of [`spans`](Self::spans)
    /// for the span width `width`.
    pub(super) fn mark(&self, spans: &CudaSlice<u64>, width: u64, range: std::ops::RangeInclusive<u32>) -> Result<DeviceBitSet, Halt> {
        let marks = DeviceBitSet::new(self.session, self.shape.offsets)?;
        let job = MarkArguments {
            scores: self.session.address(&self.scores),
            spans: self.session.address(spans),
            bits: self.session.address(&marks.bits),
            counts: self.session.address(&marks.counts),
            offsets: self.shape.offsets as u32,
            width: width as u32,
            from: *range.start(),
            to: *range.end(),
        };
        let warps = (self.shape.offsets as u32).div_ceil(1024);
        // SAFETY: a warp for every 1024 offsets; bits are written for words that begin below `offsets`.
        unsafe { self.session.launch(&self.reducer("mark")?, warps.div_ceil(THREADS / 32), THREADS, job)? };
        Ok(marks)
    }

    /// Returns the scores at the offsets in `list`, in its order.
    pub(super) fn fetch_scores(&self, list: &[u32]) -> Result<Vec<u32>, Halt> {
        if list.is_empty() {
            return Ok(Vec::new());
        }
        let (offsets, found) = (self.session.values(list)?, self.session.allocate_uninit::<u32>(list.len())?);
        let (list_at, found_at) = (self.session.address(&offsets), self.session.address(&found));
        let job = LookArguments { scores: self.session.address(&self.scores), list: list_at, found: found_at, length: list.len() as u32 };
        // SAFETY: a thread for each offset, all of which are below `offsets`.
        unsafe { self.session.launch(&self.reducer("look")?, (list.len() as u32).div_ceil(THREADS), THREADS, job)? };
        Ok(self.session.download(&found)?)
    }
}

/// Decodes `words`, the profile spans as the GPU writes them. There are `offsets` offsets, `width` in each span.
pub(super) fn spans(words: &[u64], offsets: u64, width: u64) -> Vec<ScoreSpan> {
    let (pairs, _) = words.as_chunks::<2>();
    let span = |(from, [bounds, sum]): (u64, &[u64; 2])| ScoreSpan {
        offsets: width.min(offsets - from),
        least: bounds & u64::from(u32::MAX),
        most: bounds >> 32,
        sum: *sum,
    };
    (0..).step_by(width as usize).zip(pairs).map(span).collect()
}
