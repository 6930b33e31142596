//! One thread's part of the columns, in eight SIMD lanes. Each lane goes through a separate piece of the text from left
//! to right.
//!
//! The sweep of a piece begins early enough to make the distances in the piece exact: a substring within k edits of the
//! pattern has at most m + k symbols. Before all symbols lies a column that equals no symbol, so that column `c` is the
//! end after `c` symbols.

use std::ops::Range;

use fearless_simd::{Level, Simd, dispatch, prelude::*, u64x8};

use super::best_so_far::{SharedBestEnds, SharedEndCount};
use super::ends::{EndFilter, PieceEnds};
use super::masks::EncodedPattern;
use super::rows::{self, BlockSide, BlockState, LANES, LaneVector, MIN_SEGMENT_ROWS, RISING, RowCutoff, WORD};
use crate::run::{Halt, Run};
use crate::symbol::Symbol;

/// Number of matrix cells between two progress reports.
pub(super) const TICK: u64 = 1 << 24;

/// The parameters of a search, and its results so far, which all threads share.
pub(super) struct ApproximateQuery<'t, T> {
    pub(super) pattern: EncodedPattern<T>,
    pub(super) text: &'t [T],
    pub(super) want: EndFilter,
    /// Maximum distance of a hit.
    pub(super) limit: u64,
    /// Whether the sweep leaves out rows in which every distance exceeds the maximum distance of a hit.
    pub(super) cuts: bool,
    /// The results so far of all threads.
    pub(super) best_so_far: SharedBestEnds,
}

/// Callback that receives the number of cells since the last call, and the hits of all lanes so far. It returns the
/// maximum distance of a hit from then on. An error ends the sweep.
pub(super) type PieceObserver<'h> = dyn FnMut(u64, &[PieceEnds]) -> Result<u64, Halt> + 'h;

/// For each lane, the piece of the text that it sweeps, as a range of 64-column words.
pub(super) type LanePieces = [Range<usize>; LANES];

impl<T: Symbol> ApproximateQuery<'_, T> {
    /// Returns the number of words of 64 columns in the text, including the end after the last symbol.
    pub(super) fn words(&self) -> usize {
        self.text.len() / WORD + 1
    }

    /// Returns this search for ends within `bound`, the distance of some end, if only ends with the least distance are hits.
    pub(super) fn within(self, bound: u64) -> Self {
        Self { limit: bound, cuts: true, best_so_far: SharedBestEnds::new(true, bound), ..self }
    }

    /// Returns the number of words that are swept before a piece, so that the distances in the piece are exact.
    pub(super) fn warm_up_words(&self) -> usize {
        (self.pattern.rows.len() + self.limit as usize + 1).div_ceil(WORD)
    }

    /// Returns the number of words that a lane computes side by side, if pieces have `piece` words.
    fn side_by_side(&self, piece: usize) -> usize {
        if cfg!(target_family = "wasm") || piece + self.warm_up_words() < 16 { 1 } else { 4 }
    }

    /// Returns the number of matrix cells that a thread computes to sweep `words` words.
    pub(super) fn cells(&self, words: usize) -> u64 {
        let n = self.side_by_side(words.div_ceil(LANES));
        let blocks = words.div_ceil(LANES).div_ceil(n) + self.warm_up_words().div_ceil(n);
        (blocks * n * LANES * WORD) as u64 * self.pattern.rows.len() as u64
    }

    /// Returns the working memory of a thread in bytes, without its results.
    pub(super) fn bytes(&self) -> u64 {
        let rows = self.pattern.rows.len();
        (rows * size_of::<BlockSide>() + (self.pattern.masks(4) + rows / MIN_SEGMENT_ROWS) * size_of::<LaneVector>()) as u64
    }

    /// Finds the ends of hits in `words`, which are divided among the lanes. Reports the progress to `run`. Returns the
    /// results of each lane.
    ///
    /// # Errors
    /// Returns an error if the run is stopped.
    pub(super) fn sweep(&self, words: &Range<usize>, run: &Run) -> Result<Vec<PieceEnds>, Halt> {
        let mut shared = SharedEndCount::default();
        self.pieces(&split(words), &mut |cells, ends| {
            let bound = self.best_so_far.share(ends, &mut shared);
            run.tick(cells)?;
            self.best_so_far.report(run)?;
            Ok(bound)
        })
    }

    /// Finds the ends of hits in one piece of the text per lane. Calls `observer` regularly, and at the end. Returns
    /// the results of each lane.
    ///
    /// # Errors
    /// Returns the errors of `observer`.
    pub(super) fn pieces(&self, pieces: &LanePieces, observer: &mut PieceObserver) -> Result<Vec<PieceEnds>, Halt> {
        let level = Level::new();
        match self.side_by_side(pieces.iter().map(ExactSizeIterator::len).max().unwrap_or_default()) {
            1 => dispatch!(level, s => sweep::<_, T, 1>(s, self, pieces, observer)),
            #[cfg(not(target_family = "wasm"))]
            _ => dispatch!(level, s => sweep::<_, T, 4>(s, self, pieces, observer)),
            #[cfg(target_family = "wasm")]
            _ => dispatch!(level, s => sweep::<_, T, 1>(s, self, pieces, observer)),
        }
    }
}

/// Divides the range `words` into one piece per lane.
pub(super) fn split(words: &Range<usize>) -> LanePieces {
    let each = words.len().div_ceil(LANES);
    std::array::from_fn(|lane| {
        let start = (words.start + lane * each).min(words.end);
        start..(start + each).min(words.end)
    })
}

#[inline(always)]
fn sweep<S: Simd, T: Symbol, const N: usize>(
    s: S,
    query: &ApproximateQuery<T>,
    pieces: &LanePieces,
    observer: &mut PieceObserver,
) -> Result<Vec<PieceEnds>, Halt> {
    let symbols = query.pattern.rows.as_slice();
    let m = symbols.len();
    let mut bound = query.best_so_far.bound();
    let each = pieces.iter().map(ExactSizeIterator::len).max().unwrap_or_default();
    let early = query.warm_up_words().next_multiple_of(N);
    let mut ends: Vec<PieceEnds> = pieces.iter().map(|piece| PieceEnds::new(query.want, bound, piece.start)).collect();
    let mut masks = vec![LaneVector::default(); query.pattern.masks(N)];
    let mut sides = vec![RISING; m];
    let mut block = BlockState::new(N);
    let mut cut = query.cuts.then(|| RowCutoff::new(m, bound));
    let mut value = LaneVector::splat(m as u64);
    let texts = [query.text; LANES];
    let mut cells = 0;
    for first in (0..early + each).step_by(N) {
        let at = std::array::from_fn(|lane| ((pieces[lane].start + first) as isize - early as isize) * WORD as isize - 1);
        query.pattern.fill::<S, N>(s, &texts, &at, &mut masks);
        let whole = match &mut cut {
            Some(cut) => cut.advance::<S, N>(s, bound, symbols, &masks, &mut sides, &mut block),
            None => {
                let mut row = [[u64x8::splat(s, 0); 2]; N];
                rows::step::<S, N>(s, symbols, &masks, &mut sides, &mut row);
                let right = block.put(&row, u64x8::from_slice(s, &value.0));
                right.store_slice(&mut value.0);
                true
            }
        };
        if whole && first >= early {
            for q in 0..N {
                if block.above(s, q, bound) {
                    continue;
                }
                let (left, [hp, hn]) = (&block.lefts[q].0, &block.row[q]);
                for lane in 0..LANES {
                    let word = pieces[lane].start + first - early + q;
                    if word < pieces[lane].end && left[lane] <= bound + u64::from(hn.0[lane].count_ones()) {
                        ends[lane].tighten(bound);
                        ends[lane].take(word, left[lane], [hp.0[lane], hn.0[lane]], valid(query.text.len(), word));
                        bound = bound.min(ends[lane].bound);
                    }
                }
            }
        }
        cells += (N * LANES * WORD * m) as u64;
        if cells >= TICK {
            bound = observer(cells, &ends)?.min(bound);
            cells = 0;
        }
    }
    observer(cells, &ends)?;
    for (piece, ends) in pieces.iter().zip(&mut ends) {
        if piece.end == query.words() && !piece.is_empty() {
            ends.finish(query.text.len());
        }
    }
    Ok(ends)
}

/// Returns a word with a set bit for each column of the word number `word` that is an end in a text of `n` symbols.
pub(super) fn valid(n: usize, word: usize) -> u64 {
    match n - word * WORD {
        columns if columns < WORD - 1 => (1 << (columns + 1)) - 1,
        _ => !0,
    }
}
