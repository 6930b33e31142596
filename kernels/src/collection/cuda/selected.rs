//! Selects the scores of a tile that reach its bounds, so that only these are copied to the host.

use super::moved::ComputedScores;
use super::{DeviceCorpus, DeviceTile};
use crate::collection::tile::{BoundedValue, ScoreBounds, TileScore};
use crate::gpu::compile::KernelSource;
use crate::gpu::session::{GpuSession, KernelArguments, LaunchGrid};
use crate::run::Halt;

/// Number of threads of a block.
const THREADS: u32 = 256;

/// Number of blocks for each multiprocessor.
const BLOCKS: u32 = 8;

/// Number of scores of a text that decide its bound, and of scores for each wanted one. Fewer scores give a lower bound.
const SAMPLE: [usize; 2] = [1024, 4];

/// Number of scores of a tile for each selected one, above which all scores are copied.
const SCORES_PER_SELECTED: usize = 16;

/// Minimum number of selected scores for which there is room.
const MIN_ROOM: usize = 1 << 16;

#[derive(Clone, Copy)]
#[repr(C)]
struct SelectArguments {
    scores: u64,
    row_bounds: u64,
    column_bounds: u64,
    row_lens: u64,
    column_lens: u64,
    found: u64,
    count: u64,
    rows: u32,
    columns: u32,
    width: u32,
    kind: u32,
    room: u32,
    spare: u32,
}

// SAFETY: the same fields in the same order as the struct `Select` in select.cu, without padding; the comment at the launch
// says why the addresses are valid.
unsafe impl KernelArguments for SelectArguments {}

#[derive(Clone, Copy)]
#[repr(C)]
struct RaiseArguments {
    scores: u64,
    bounds: u64,
    lens: u64,
    other_lens: u64,
    step: u64,
    other_step: u64,
    none: i64,
    texts: u32,
    sample: u32,
    stride: u32,
    width: u32,
    kind: u32,
    wanted: u32,
}

// SAFETY: the same fields in the same order as the struct `Raise` in select.cu, without padding; the comment at the launch
// says why the addresses are valid.
unsafe impl KernelArguments for RaiseArguments {}

pub(super) fn source() -> KernelSource {
    KernelSource { name: "collection-select", text: include_str!("select.cu"), defines: vec![("THREADS", THREADS.into())] }
}

impl ComputedScores {
    /// Returns the scores that reach `bounds`, in any order, and possibly more, or `None` if there are too many of them to be copied alone.
    ///
    /// # Errors
    /// Returns `Engine` if the GPU fails.
    pub(super) fn reaching(
        &self,
        session: &GpuSession,
        corpus: &DeviceCorpus,
        tile: &DeviceTile,
        bounds: &ScoreBounds,
    ) -> Result<Option<Vec<TileScore>>, Halt> {
        let (row_side, column_side) = if self.is_swapped { (1, 0) } else { (0, 1) };
        let all = [&bounds.rows, &bounds.columns];
        let bounds_of = |places: &[u32], side: usize| places.iter().map(|place| all[side][*place as usize]).collect::<Vec<i64>>();
        let len = |place: &u32, side: usize| corpus.corpus.member_len(tile.start(side) + *place as usize) as u32;
        let lens_of = |places: &[u32], side: usize| places.iter().map(|place| len(place, side)).collect::<Vec<u32>>();
        let side_bounds = [bounds_of(&self.rows, row_side), bounds_of(&self.columns, column_side)];
        let on_device = [session.values(&side_bounds[0])?, session.values(&side_bounds[1])?];
        let lens = [session.values(&lens_of(&self.rows, row_side))?, session.values(&lens_of(&self.columns, column_side))?];
        let (rows, columns) = (self.rows.len(), self.columns.len());
        let room = (rows * columns / SCORES_PER_SELECTED).max(MIN_ROOM);
        let found = session.allocate_uninit::<u64>(room)?;
        let count = session.zeros::<u32>(1)?;
        let kind = match bounds.value {
            BoundedValue::Edits => 0,
            BoundedValue::Points => 1,
            BoundedValue::Share => 2,
        };
        let texts = [rows, columns];
        for side in 0..2 {
            let other = 1 - side;
            let Some(wanted) = bounds.wanted.filter(|_| side_bounds[side].contains(&ScoreBounds::NONE)) else { continue };
            let sample = SAMPLE[0].max(SAMPLE[1] * wanted as usize).min(texts[other]);
            if sample < wanted as usize {
                continue;
            }
            let steps = [1, rows as u64];
            let arguments = RaiseArguments {
                scores: session.address(&self.bytes),
                bounds: session.address(&on_device[side]),
                lens: session.address(&lens[side]),
                other_lens: session.address(&lens[other]),
                step: steps[side],
                other_step: steps[other],
                none: ScoreBounds::NONE,
                texts: texts[side] as u32,
                sample: sample as u32,
                stride: (texts[other] / sample) as u32,
                width: self.width.bytes() as u32,
                kind,
                wanted,
            };
            let launch = LaunchGrid { blocks: [(texts[side] as u32).div_ceil(THREADS), 1], threads: THREADS, shared: 0 };
            // SAFETY: each thread has a text with a bound and a length. It reads the scores of the text with others, of which
            // there are at least `sample` times `stride`, and replaces the bound.
            unsafe { session.launch_as(&session.kernel(&source(), "raise")?, launch, arguments)? };
        }
        let arguments = SelectArguments {
            scores: session.address(&self.bytes),
            row_bounds: session.address(&on_device[0]),
            column_bounds: session.address(&on_device[1]),
            row_lens: session.address(&lens[0]),
            column_lens: session.address(&lens[1]),
            found: session.address(&found),
            count: session.address(&count),
            rows: rows as u32,
            columns: columns as u32,
            width: self.width.bytes() as u32,
            kind,
            room: room as u32,
            spare: 0,
        };
        let kernel = session.kernel(&source(), "select")?;
        let blocks = (self.columns.len() as u32).min(corpus.gpu.multiprocessors() * BLOCKS);
        let launch = LaunchGrid { blocks: [blocks, 1], threads: THREADS, shared: 0 };
        // SAFETY: there is a score for each row and column, and a bound and a length for each of both. The kernel writes at
        // most `room` selected scores. Memory is freed in the order of the stream.
        unsafe { session.launch_as(&kernel, launch, arguments)? };
        let selected = session.download(&count)?[0] as usize;
        if selected > room {
            return Ok(None);
        }
        let found = if selected == 0 { Vec::new() } else { session.download_range(&found, 0..selected)? };
        let score = |found: u64| {
            let (at, score) = ((found >> 32) as usize, found as u32 as i32);
            let (row, column) = (self.rows[at % rows], self.columns[at / rows]);
            let (row, column) = if self.is_swapped { (column, row) } else { (row, column) };
            TileScore { row, column, score }
        };
        Ok(Some(found.into_iter().map(score).collect()))
    }
}
