//! The CUDA engine: computes the scores of a tile of pairs on a GPU.
//!
//! - [`corpus`]: the symbols of all members on the GPU
//! - [`classes`]: rows of similar lengths, which one launch computes
//! - [`bits`]: edit distances with unit costs, with or without exchanges, and lengths of longest common subsequences, one pair a thread
//! - [`alignment`]: scores of global and local alignments, two pairs in the halves of a register
//! - [`launches`]: several kernels as one computation
//! - [`moved`]: the scores in the order of the tile; [`selected`]: the scores that reach a bound
//! - [`patterns`]: searches for many short patterns
//!
//! Pairs that a GPU does not take are computed by the CPU engine.

use std::sync::Mutex;

use super::Corpus;
use super::cpu;
use super::tile::{PairScore, ScoreBounds, Tile, TileScore, TileScores};
use super::zeros::zeros;
use crate::cpu::Cpu;
use crate::event::RunStage;
use crate::failure::JobFailure;
use crate::gpu::Gpu;
use crate::gpu::compile::KernelSource;
use crate::gpu::session::GpuSession;
use crate::run::{Halt, Run};

mod alignment;
mod bits;
mod classes;
mod corpus;
mod launches;
mod moved;
pub(crate) mod patterns;
mod selected;

pub(crate) use corpus::DeviceCorpus;
use moved::{ComputedScores, DeviceScores, ScoreWidth};

/// Maximum number of symbols of a member whose distances a GPU computes. With it, a block can stop after a tenth of a second.
const MAX_BIT_MEMBER: usize = 1 << 13;

/// Number of cells of a tile above which its launches let brief jobs of other users run in between.
const MIN_YIELDING_CELLS: u64 = 1 << 40;

/// Maximum number of pairs whose scores are on a GPU at a time.
const MAX_DEVICE_PAIRS: usize = 1 << 28;

/// Lists every variant of the kernels.
pub(crate) fn variants() -> impl Iterator<Item = KernelSource> {
    bits::variants().chain(alignment::variants()).chain([moved::source(), selected::source()]).chain(patterns::variants())
}

/// Returns whether `gpu` computes `score` for members of `corpus` that have at most [`max_len`] symbols. Otherwise, the CPU
/// engine computes all pairs.
pub(crate) fn takes(gpu: &Gpu, corpus: &Corpus, score: &PairScore) -> bool {
    match score {
        PairScore::EditDistance { .. } | PairScore::StringAlignment | PairScore::Lcs => bits::takes(gpu, corpus.alphabet()),
        PairScore::Weighted(_) => false,
        PairScore::Alignment(model) => alignment::takes(gpu, corpus, model),
    }
}

/// Returns the maximum number of symbols of a member whose scores a GPU computes. Pairs with longer members are computed by
/// the CPU engine.
pub(crate) fn max_len(score: &PairScore) -> usize {
    match score {
        PairScore::EditDistance { .. } | PairScore::StringAlignment | PairScore::Lcs => MAX_BIT_MEMBER,
        PairScore::Weighted(_) => 0,
        PairScore::Alignment(model) => alignment::max_len(model),
    }
}

/// The members of a tile that a GPU takes.
struct DeviceTile<'t> {
    tile: &'t Tile,
    /// Places of rows and of columns, from the first row or column of the tile.
    places: [Vec<u32>; 2],
    /// Number of cells of the matrices of all pairs of these rows and columns.
    cells: u64,
}

impl<'t> DeviceTile<'t> {
    /// Selects the members of at most `max_len` symbols.
    fn new(corpus: &Corpus, tile: &'t Tile, max_len: usize) -> Self {
        let mut cells = 1;
        let places = [&tile.rows, &tile.columns].map(|members| {
            let short: Vec<usize> = members.clone().filter(|member| corpus.member_len(*member) <= max_len).collect();
            cells *= short.iter().map(|member| corpus.member_len(*member) as u64).sum::<u64>();
            short.into_iter().map(|member| (member - members.start) as u32).collect()
        });
        Self { tile, places, cells }
    }

    /// Returns the places of the rows for side 0, and of the columns for side 1.
    fn places(&self, side: usize) -> &[u32] {
        &self.places[side]
    }

    /// Returns the first row of the tile for side 0, and its first column for side 1.
    fn start(&self, side: usize) -> usize {
        [self.tile.rows.start, self.tile.columns.start][side]
    }
}

impl DeviceCorpus<'_> {
    /// Computes the score of each pair of `tile`, row by row. Pairs that the GPU does not take are computed on `host`.
    ///
    /// Reports the cells of the matrices of all pairs to `run`. Takes up to 4 bytes of GPU memory for each pair.
    ///
    /// # Errors
    /// Returns `Stopped` if the run is stopped, and `Engine` if the GPU fails.
    pub(crate) fn scores(&self, tile: &Tile, score: &PairScore, host: &Cpu, run: &Run) -> Result<Vec<i32>, Halt> {
        if !takes(self.gpu, self.corpus, score) {
            return cpu::scores(self.corpus, tile, score, host, run);
        }
        let mut scores = zeros(tile.pairs());
        let width = tile.columns.len();
        for rows in parts(tile, MAX_DEVICE_PAIRS) {
            let part = Tile { rows, columns: tile.columns.clone() };
            let from = (part.rows.start - tile.rows.start) * width;
            self.part_scores(&part, score, host, run, &mut scores[from..from + part.pairs()])?;
        }
        Ok(scores)
    }

    /// Computes the scores of the pairs of `tile` that reach `bounds`, and possibly more, like [`scores`](Self::scores).
    /// Scores that do not reach the bounds stay on the GPU.
    pub(crate) fn scores_within(
        &self,
        tile: &Tile,
        score: &PairScore,
        bounds: &ScoreBounds,
        host: &Cpu,
        run: &Run,
    ) -> Result<TileScores, Halt> {
        let on_device = DeviceTile::new(self.corpus, tile, max_len(score));
        let is_on_device = takes(self.gpu, self.corpus, score) && on_device.places.iter().all(|places| !places.is_empty());
        if !is_on_device || tile.pairs() > MAX_DEVICE_PAIRS {
            return Ok(TileScores::All(self.scores(tile, score, host, run)?));
        }
        let mut session = self.session(&on_device, run)?;
        let computed = self.compute(&on_device, score, &mut session)?;
        let Some(mut reaching) = computed.reaching(&session, self, &on_device, bounds)? else {
            let mut scores = zeros(tile.pairs());
            computed.moved(&session, &on_device)?.download(&session, &mut scores)?;
            self.long_scores(tile, &on_device, score, host, run, |pair| {
                scores[pair.row as usize * tile.columns.len() + pair.column as usize] = pair.score;
            })?;
            return Ok(TileScores::All(scores));
        };
        self.long_scores(tile, &on_device, score, host, run, |pair| reaching.push(pair))?;
        Ok(TileScores::Reaching(reaching))
    }

    /// Computes the scores of `part`, a tile of at most [`MAX_DEVICE_PAIRS`] pairs or of one row.
    fn part_scores(&self, part: &Tile, score: &PairScore, host: &Cpu, run: &Run, scores: &mut [i32]) -> Result<(), Halt> {
        let on_device = DeviceTile::new(self.corpus, part, max_len(score));
        if on_device.places.iter().all(|places| !places.is_empty()) {
            let mut session = self.session(&on_device, run)?;
            self.compute(&on_device, score, &mut session)?.moved(&session, &on_device)?.download(&session, scores)?;
        }
        let width = part.columns.len();
        self.long_scores(part, &on_device, score, host, run, |pair| scores[pair.row as usize * width + pair.column as usize] = pair.score)
    }

    /// Computes the scores of the pairs of `part` that `on_device` lacks, and calls `add` with each of them.
    fn long_scores(
        &self,
        part: &Tile,
        on_device: &DeviceTile,
        score: &PairScore,
        host: &Cpu,
        run: &Run,
        mut add: impl FnMut(TileScore),
    ) -> Result<(), Halt> {
        let mut compute = |tile: Tile| -> Result<(), Halt> {
            let computed = cpu::scores(self.corpus, &tile, score, host, run)?;
            let (row, column) = (tile.rows.start - part.rows.start, tile.columns.start - part.columns.start);
            for (line, row) in computed.chunks(tile.columns.len()).zip(row as u32..) {
                line.iter().zip(column as u32..).for_each(|(&score, column)| add(TileScore { row, column, score }));
            }
            Ok(())
        };
        let is_long = |member: &usize| self.corpus.member_len(*member) > max_len(score);
        for row in part.rows.clone().filter(is_long) {
            compute(Tile { rows: row..row + 1, columns: part.columns.clone() })?;
        }
        for column in part.columns.clone().filter(is_long) {
            // Long rows are complete.
            for &row in on_device.places(0) {
                let row = part.rows.start + row as usize;
                compute(Tile { rows: row..row + 1, columns: column..column + 1 })?;
            }
        }
        Ok(())
    }

    /// Begins a session that computes `tile`.
    fn session<'r>(&'r self, tile: &DeviceTile, run: &'r Run<'r>) -> Result<GpuSession<'r>, Halt> {
        run.stage(RunStage::Compute)?;
        let mut session = GpuSession::new(self.gpu, run)?;
        if tile.cells > MIN_YIELDING_CELLS {
            session.yield_to_brief_jobs();
        }
        Ok(session)
    }

    /// Computes the scores of `tile` on the GPU.
    fn compute(&self, tile: &DeviceTile, score: &PairScore, session: &mut GpuSession) -> Result<ComputedScores, Halt> {
        match score {
            PairScore::EditDistance { .. } => bits::compute(self, session, tile, bits::BitScore::EditDistance),
            PairScore::StringAlignment => bits::compute(self, session, tile, bits::BitScore::StringAlignment),
            PairScore::Lcs => bits::compute(self, session, tile, bits::BitScore::Lcs),
            PairScore::Weighted(_) => Err(JobFailure::engine("A GPU does not compute these costs.").into()),
            PairScore::Alignment(model) => alignment::compute(self, session, tile, model),
        }
    }
}

/// Cuts the rows of `tile` into parts of at most `pairs` pairs, or of one row.
fn parts(tile: &Tile, pairs: usize) -> impl Iterator<Item = std::ops::Range<usize>> + use<> {
    let rows = (pairs / tile.columns.len().max(1)).max(1);
    let all = tile.rows.clone();
    all.clone().step_by(rows).map(move |start| start..(start + rows).min(all.end))
}

impl DeviceScores {
    /// Copies the scores to `scores`, in the order of the tile.
    fn download(&self, session: &GpuSession, scores: &mut [i32]) -> Result<(), Halt> {
        use crate::gpu::session::RESULT_PIECE_BYTES;

        let bytes = self.width.bytes();
        let pieces: Vec<Mutex<&mut [i32]>> = scores.chunks_mut(RESULT_PIECE_BYTES / bytes).map(Mutex::new).collect();
        let len = pieces.iter().map(|piece| piece.lock().map_or(0, |piece| piece.len())).sum::<usize>() * bytes;
        let convert = |number: usize, bytes: &[u8]| {
            let Ok(mut piece) = pieces[number].lock() else { return };
            match self.width {
                ScoreWidth::Bits8 => piece.iter_mut().zip(bytes).for_each(|(score, byte)| *score = (*byte).into()),
                ScoreWidth::Bits16 => {
                    piece.iter_mut().zip(bytes.as_chunks().0).for_each(|(score, bytes)| *score = u16::from_le_bytes(*bytes).into());
                }
                ScoreWidth::Bits32 => {
                    piece.iter_mut().zip(bytes.as_chunks().0).for_each(|(score, bytes)| *score = i32::from_le_bytes(*bytes))
                }
            }
        };
        // SAFETY: the buffer has a score for each pair of the tile, and the kernel that writes them is queued.
        unsafe { session.download_pieces(session.address(&self.bytes), len, convert) }
    }
}

#[cfg(test)]
mod tests;
