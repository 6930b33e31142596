//! One tile: some words of rows by some columns, solved as a wavefront in SIMD lanes.
//!
//! Words above each other lie in neighbouring lanes, and each works one column behind the word above. A horizontal
//! difference therefore moves by one lane per step. Lane 0 holds the lowest word, so that the lanes read the columns in
//! ascending order. The mask of symbols that match comes from bit planes of the symbols, so that any alphabet works
//! without a table. Two sets of bases match if a plane has a bit in both.
//! In steps in which some lanes lie before the first or after the last column, a mask keeps the state of these lanes.

use fearless_simd::{Level, Simd, dispatch, prelude::*, u64x8};

use super::tiling::TileHeight;
use super::{Recurrence, WORD, WordDifferences};
use crate::base_set::SymbolMatch;

/// Number of padding columns before the first column of a bit plane. Three times as many follow the last column.
pub(super) const PAD: usize = 32;

/// One tile of the matrix to solve: its symbols, and the differences along its edges as input and output.
pub(super) struct MatrixTile<'t, const K: usize> {
    pub(super) height: TileHeight,
    /// Number of bit planes of a symbol, as returned by [`planes`].
    pub(super) planes: usize,
    pub(super) symbol_match: SymbolMatch,
    /// Bit planes of the symbols of the tile's rows: `[word][plane]`. Inverted if equal symbols match.
    pub(super) rows: &'t [u64],
    /// Bit planes of all columns of the matrix, `[plane][column]`, with a machine word of equal bits (0 or all ones)
    /// per column. There are [`PAD`] columns before the first, and three times as many after the last.
    pub(super) columns: &'t [Vec<u64>],
    pub(super) start: usize,
    /// Number of columns in the tile.
    pub(super) len: usize,
    /// Vertical differences of each word of 64 rows, from the top. Input: along the tile's left edge. Output: along its
    /// right edge.
    pub(super) vertical: &'t mut [WordDifferences<K>],
    /// Horizontal differences, 64 columns per word. Input: along the tile's top edge. Output: along its bottom edge.
    /// Bits past `len` are undefined.
    pub(super) horizontal: &'t mut [WordDifferences<K>],
}

/// Bits that a [`Recurrence`] recorded for each cell of a tile, for the traceback.
pub(super) struct TileRecord<const K: usize> {
    words: usize,
    seen: [Vec<u64>; K],
}

impl<const K: usize> TileRecord<K> {
    /// Returns the recorded bits at `row` and `column` of the tile.
    pub(super) fn at(&self, row: usize, column: usize) -> [bool; K] {
        let word = row / WORD;
        let at = (column + word) * self.words + self.words - 1 - word;
        self.seen.each_ref().map(|seen| seen[at] >> (row % WORD) & 1 == 1)
    }
}

/// Buffers that a thread reuses for every tile.
pub(super) struct TileScratch<const K: usize> {
    top: [Vec<u64>; K],
    bottom: [Vec<u64>; K],
    active: Vec<u64>,
    record: TileRecord<K>,
}

impl<const K: usize> Default for TileScratch<K> {
    fn default() -> Self {
        let none = || std::array::from_fn(|_| Vec::new());
        Self { top: none(), bottom: none(), active: Vec::new(), record: TileRecord { words: 0, seen: none() } }
    }
}

/// Calls the function `wave` in the copy that is compiled for the tile's height and number of bit planes, with the best
/// instructions of this machine. The last arguments are the numbers of bit planes for which there are copies. These copies
/// are for equal symbols.
macro_rules! wave {
    ($tile:ident, $scratch:ident, $record:literal, $($planes:literal)*) => {{
        let level = Level::new();
        let planes = if $tile.symbol_match.is_equality() { $tile.planes } else { MAX_PLANES };
        match ($tile.height, planes) {
            $((TileHeight::Low, $planes) => dispatch!(level, s => wave::<_, R, K, 1, $planes, $record>(s, $tile, $scratch)),)*
            $(#[cfg(not(target_family = "wasm"))]
            (TileHeight::Middle, $planes) => dispatch!(level, s => wave::<_, R, K, 2, $planes, $record>(s, $tile, $scratch)),)*
            $(#[cfg(not(target_family = "wasm"))]
            (TileHeight::High, $planes) => dispatch!(level, s => wave::<_, R, K, 4, $planes, $record>(s, $tile, $scratch)),)*
            (TileHeight::Low, _) => dispatch!(level, s => wave::<_, R, K, 1, MAX_PLANES, $record>(s, $tile, $scratch)),
            #[cfg(not(target_family = "wasm"))]
            (TileHeight::Middle, _) => dispatch!(level, s => wave::<_, R, K, 2, MAX_PLANES, $record>(s, $tile, $scratch)),
            #[cfg(not(target_family = "wasm"))]
            (TileHeight::High, _) => dispatch!(level, s => wave::<_, R, K, 4, MAX_PLANES, $record>(s, $tile, $scratch)),
        }
    }};
}

/// Solves a tile: replaces the differences along its left and top edge by the differences along its right and bottom
/// edge. Takes O(words · (columns + words) / lanes) time.
pub(super) fn solve<R: Recurrence<K>, const K: usize>(tile: &mut MatrixTile<K>, scratch: &mut TileScratch<K>) {
    wave!(tile, scratch, false, 2 4 8);
}

/// Solves a tile like [`solve`], and returns the bits that the traceback needs. Takes 8·K bytes per word and column.
pub(super) fn record<'s, R: Recurrence<K>, const K: usize>(tile: &mut MatrixTile<K>, scratch: &'s mut TileScratch<K>) -> &'s TileRecord<K> {
    wave!(tile, scratch, true, 2);
    &scratch.record
}

/// Rounds `bits`, the number of bits of a symbol, up to a number of bit planes for which there is a compiled kernel.
pub(super) fn planes(bits: usize) -> usize {
    match bits {
        0..=2 => 2,
        3..=4 => 4,
        5..=8 => 8,
        more => more,
    }
}

/// Number of bit planes of a 32-bit symbol, enough for any alphabet.
const MAX_PLANES: usize = 32;

/// State of all lanes between two steps. For each word, it holds the vertical differences, and in bit 0 the horizontal
/// difference that the word passes down.
#[derive(Clone, Copy)]
struct LaneState<S: Simd, const K: usize, const N: usize> {
    vertical: [[u64x8<S>; K]; N],
    below: [[u64x8<S>; K]; N],
}

/// Buffers that the steps of a tile read and write.
struct StepBuffers<'s, S: Simd, const K: usize, const N: usize, const P: usize> {
    simd: S,
    planes: usize,
    symbol_match: SymbolMatch,
    rows: [[u64x8<S>; N]; P],
    columns: [&'s [u64]; P],
    top: [&'s [u64]; K],
    bottom: [&'s mut [u64]; K],
    active: &'s [u64],
    seen: [&'s mut [u64]; K],
}

/// Solves a tile in `N` vectors of 8 words, with up to `P` bit planes. With `RECORD`, records bits for the traceback.
/// Calls are inlined, so that every SIMD level compiles its own copy.
#[inline(always)]
fn wave<S: Simd, R: Recurrence<K>, const K: usize, const N: usize, const P: usize, const RECORD: bool>(
    s: S,
    tile: &mut MatrixTile<K>,
    scratch: &mut TileScratch<K>,
) {
    let lanes = 8 * N;
    let planes = tile.planes.min(P);
    let len = tile.len;
    let steps = len + lanes - 1;
    scratch.prepare(tile, lanes, RECORD);
    let gather = |k: usize, pick: &dyn Fn(usize) -> u64| -> u64x8<S> {
        let words: [u64; 8] = std::array::from_fn(|q| pick(lanes - 1 - (8 * k + q)));
        u64x8::from_slice(s, &words)
    };
    let zero = u64x8::splat(s, 0);
    let mut rows = [[zero; N]; P];
    for (p, row) in rows.iter_mut().enumerate().take(planes) {
        *row = std::array::from_fn(|k| gather(k, &|word| tile.rows[word * tile.planes + p]));
    }
    let vertical = std::array::from_fn(|k| std::array::from_fn(|side| gather(k, &|word| tile.vertical[word].0[side])));
    let mut now: LaneState<S, K, N> = LaneState { vertical, below: [[zero; K]; N] };
    // The column of lane 0 at step 0 is −(lanes − 1).
    let first = tile.start + PAD - (lanes - 1);
    let mut columns: [&[u64]; P] = [&[]; P];
    for (p, column) in columns.iter_mut().enumerate().take(planes) {
        *column = &tile.columns[p][first..first + steps + lanes];
    }
    let mut all = StepBuffers {
        simd: s,
        planes,
        symbol_match: tile.symbol_match,
        rows,
        columns,
        top: scratch.top.each_ref().map(|side| &side[..steps + 8]),
        bottom: scratch.bottom.each_mut().map(|side| &mut side[..steps]),
        active: &scratch.active[..steps + lanes],
        seen: scratch.record.seen.each_mut().map(|side| &mut side[..]),
    };
    let full = (lanes - 1).min(steps)..len.max((lanes - 1).min(steps));
    let mut t = 0;
    while t < steps {
        if full.contains(&t) {
            for t in full.clone() {
                now = step::<S, R, K, N, P, false, RECORD>(t, now, &mut all);
            }
            t = full.end;
        } else {
            now = step::<S, R, K, N, P, true, RECORD>(t, now, &mut all);
            t += 1;
        }
    }
    for k in 0..N {
        for q in 0..8 {
            tile.vertical[lanes - 1 - (8 * k + q)] = WordDifferences(std::array::from_fn(|side| now.vertical[k][side][q]));
        }
    }
    scratch.finish(tile, lanes);
}

#[inline(always)]
fn step<S: Simd, R: Recurrence<K>, const K: usize, const N: usize, const P: usize, const MASKED: bool, const RECORD: bool>(
    t: usize,
    now: LaneState<S, K, N>,
    all: &mut StepBuffers<S, K, N, P>,
) -> LaneState<S, K, N> {
    let s = all.simd;
    let mut next = now;
    for k in 0..N {
        let used = if P == MAX_PLANES { all.planes } else { P };
        let columns = |p: usize| u64x8::from_slice(s, &all.columns[p][t + 8 * k..t + 8 * k + 8]);
        let equal = |p: usize| all.rows[p][k] ^ columns(p);
        let common = |p: usize| all.rows[p][k] & columns(p);
        let eq = if P == MAX_PLANES && all.symbol_match == SymbolMatch::Overlap {
            (1..used).fold(common(0), |eq, p| eq | common(p))
        } else {
            (1..used).fold(equal(0), |eq, p| eq & equal(p))
        };
        let mut above = now.below[k];
        for (side, lanes) in above.iter_mut().enumerate() {
            let higher = if k + 1 < N { now.below[k + 1][side] } else { u64x8::from_slice(s, &all.top[side][t..t + 8]) };
            *lanes = lanes.slide::<1>(higher);
        }
        let cells = R::solve(eq, now.vertical[k], above);
        for side in 0..K {
            next.below[k][side] = cells.horizontal[side] >> 63;
            next.vertical[k][side] = if MASKED {
                let active = u64x8::from_slice(s, &all.active[t + 8 * k..t + 8 * k + 8]);
                (cells.vertical[side] & active) | (now.vertical[k][side] & !active)
            } else {
                cells.vertical[side]
            };
            if RECORD {
                let at = t * 8 * N + 8 * k;
                cells.seen[side].store_slice(&mut all.seen[side][at..at + 8]);
            }
        }
    }
    for side in 0..K {
        all.bottom[side][t] = next.below[0][side][0];
    }
    next
}

impl<const K: usize> TileScratch<K> {
    /// Prepares all buffers for a tile of `lanes` words, and with `record` also the buffers that the traceback reads.
    /// Unpacks the horizontal differences along the tile's top edge from `tile.horizontal` into the buffer `top`, one
    /// word per column.
    #[inline(always)]
    fn prepare(&mut self, tile: &MatrixTile<K>, lanes: usize, record: bool) {
        let steps = tile.len + lanes - 1;
        let padded = tile.horizontal.len() * WORD;
        for side in 0..K {
            self.top[side].resize(padded.max(steps) + 8, 0);
            self.bottom[side].resize(padded + lanes, 0);
            for (packed, bits) in tile.horizontal.iter().zip(self.top[side].chunks_exact_mut(WORD)) {
                for (bit, out) in bits.iter_mut().enumerate() {
                    *out = packed.0[side] >> bit & 1;
                }
            }
        }
        self.active.clear();
        self.active.resize(lanes - 1, 0);
        self.active.resize(lanes - 1 + tile.len, !0);
        self.active.resize(steps + lanes, 0);
        if record {
            self.record.words = lanes;
            self.record.seen.iter_mut().for_each(|seen| seen.resize(steps * lanes, 0));
        }
    }

    /// Packs the horizontal differences along the tile's bottom edge from the buffer `bottom` into `tile.horizontal`,
    /// 64 columns per word. The buffer has one word for each step of the wavefront. Because the lowest of the `lanes`
    /// words starts `lanes − 1` steps late, the first `lanes − 1` of them are skipped.
    #[inline(always)]
    fn finish(&mut self, tile: &mut MatrixTile<K>, lanes: usize) {
        for side in 0..K {
            let bottom = &mut self.bottom[side][lanes - 1..];
            for (packed, bits) in tile.horizontal.iter_mut().zip(bottom.chunks(WORD)) {
                packed.0[side] = bits.iter().enumerate().fold(0, |word, (bit, &value)| word | value << bit);
            }
        }
    }
}
