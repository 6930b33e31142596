//! Slanted band: a band of the matrix of constant width along the diagonal, in which every SIMD lane computes a cell in
//! every step.
//!
//! The rows are cut into words of 64. A lane computes one word, column by column, one column behind the lane of the word
//! above. Each word begins 64 columns after the word above, in a lane that is free again because the highest word has left
//! the band. So no lane waits at the start or the end of a tile, and no border is written. With L lanes:
//!
//! ```text
//! word w begins at the column   s[w] = max(0, 64 w + low)
//!        and ends at the column s[w + L] + L, or at the last column
//! lanes 0, 1, …, L − 1 hold the words w, w − 1, …, w − L + 1, at the columns j, j + 1, …, j + L − 1
//! ```
//!
//! Values to the left of a word and above the highest word rise by one per cell. They are costs of real edit scripts, so that
//! all values are upper bounds. A value is the distance if all diagonals of an optimal path lie inside the band, which the
//! value itself decides (Ukkonen 1985): a path of k edits from corner to corner reaches at most (k − |n − m|) / 2 diagonals
//! beyond both corners. The recurrence is [`MyersRecurrence`].
//!
//! For an alignment the sweep keeps the vertical differences of all lanes at some columns, from which [`trace`] finds the path.
//!
//! Takes O((|a| + |b|) · L) cells for L lanes.
//!
//! - `attempt`: the choice of a band, or of tiles where they are faster
//! - `proof`, `local`: the proof of a value beyond the edits that the band proves by its width
//! - `trace`: the path of an alignment

use fearless_simd::{Level, Simd, dispatch, prelude::*, u8x64, u64x8};

use crate::alignment::Alignment;
use crate::pair::cpu::furthest_rows::FurthestRows;
use crate::pair::cpu::recurrence::Recurrence;
use crate::pair::cpu::recurrence::unit_cost::MyersRecurrence;
use crate::pair::cpu::{PairOutput, WORD};
use crate::run::{Halt, Run};
use crate::symbol::Symbol;
use crate::symbol::lanes::LANES;

mod attempt;
mod local;
mod proof;
mod trace;

pub(super) use attempt::solve;

/// Number of words in a vector.
const VECTOR_WORDS: usize = 8;

/// Numbers of vectors for which the sweep is compiled.
const VECTORS: [usize; 3] = [1, 2, 4];

/// Number of vectors of a band whose value is proven by local costs.
const PROVEN_VECTORS: usize = 4;

/// Maximum size of an alphabet, because symbols are compared by eight bit planes at most.
const MAX_ALPHABET: u32 = 256;

/// Maximum number of columns from one kept column to the next one. A word begins every 65 steps.
const KEPT_INTERVAL: usize = 80;

/// Minimum number of columns from one kept column to the next one.
const MIN_KEPT_INTERVAL: usize = 16;

/// Number of edits between two kept columns for which the traceback is fast.
const KEPT_EDITS: u64 = 5;

/// Number of columns whose bit planes are expanded at a time.
const WINDOW_COLUMNS: usize = 2048;

/// Number of words between two progress reports.
const WORDS_PER_TICK: usize = 16;

/// Returns the number of edits up to which a band of `vectors` vectors proves its value.
const fn max_edits(vectors: usize) -> u64 {
    // The last column of a word lies `lanes · 65` columns after its first one, and its rows lie on 64 diagonals.
    (vectors * VECTOR_WORDS * (WORD + 1) - WORD) as u64
}

/// The words and the diagonals of a band.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct SlantedBand {
    m: usize,
    n: usize,
    vectors: usize,
    /// Diagonal on which the first row of a word begins.
    low: i64,
    /// Number of edits up to which the value of the band is the distance.
    proven: u64,
    /// Maximum number of columns from one kept column to the next one.
    kept_interval: usize,
}

impl SlantedBand {
    /// Returns the narrowest band for texts of `m` and `n` symbols, neither of them empty, that proves `edits` edits.
    /// Returns `None` if no band is wide enough.
    fn for_edits(edits: u64, m: usize, n: usize) -> Option<Self> {
        if m.max(n) > FurthestRows::MAX_SYMBOLS {
            return None;
        }
        VECTORS.into_iter().filter_map(|vectors| Self::new(vectors, m, n)).find(|band| edits <= band.proven)
    }

    /// Creates a band of `vectors` vectors. Returns `None` if the last cell lies outside of it.
    fn new(vectors: usize, m: usize, n: usize) -> Option<Self> {
        if m.div_ceil(WORD) <= vectors * VECTOR_WORDS {
            // All words begin at column 0, so that the band is the whole matrix.
            return Some(Self { m, n, vectors, low: -(m as i64), proven: u64::MAX, kept_interval: KEPT_INTERVAL });
        }
        let (most, apart) = (max_edits(vectors) as i64, n as i64 - m as i64);
        let slack = (most - apart.abs()) / 2;
        (slack >= 0).then_some(Self { m, n, vectors, low: apart.min(0) - slack, proven: most as u64, kept_interval: KEPT_INTERVAL })
    }

    /// Returns the band with kept columns for a distance of about `edits`. The time of the traceback grows with the square of
    /// the number of edits between two of them.
    fn expecting(self, edits: u64) -> Self {
        let interval = (KEPT_EDITS * self.n as u64 / edits.max(1)).min(KEPT_INTERVAL as u64) as usize;
        Self { kept_interval: interval.max(MIN_KEPT_INTERVAL), ..self }
    }

    /// Returns the number of edits up to which the value of the band is the distance.
    fn proven(&self) -> u64 {
        self.proven
    }

    /// Returns whether the band is the whole matrix.
    fn is_whole(&self) -> bool {
        self.proven == u64::MAX
    }

    /// Returns the number of words of rows.
    fn words(&self) -> usize {
        self.m.div_ceil(WORD)
    }

    fn lanes(&self) -> usize {
        self.vectors * VECTOR_WORDS
    }

    /// Returns the first column of `word`, or the number of columns if there is no such word.
    fn start(&self, word: usize) -> usize {
        if word >= self.words() {
            return self.n;
        }
        ((WORD * word) as i64 + self.low).max(0) as usize
    }

    /// Returns the maximum number of kept columns.
    fn kept_columns(&self) -> usize {
        if self.is_whole() {
            return self.words() + self.n / self.kept_interval + 1;
        }
        // A word but the last one covers at most 65 columns more than the word before.
        let last = self.lanes() * (WORD + 1);
        self.words() * (WORD + 1).div_ceil(self.kept_interval) + last / self.kept_interval + 2
    }

    /// Returns the memory that kept columns take at most, in bytes.
    fn kept_bytes(&self) -> u64 {
        let words = 2 + 2 * self.lanes();
        self.kept_columns() as u64 * (words * size_of::<u64>() + size_of::<KeptPlace>()) as u64
    }

    /// Returns the number of cells of the band.
    fn cells(&self) -> u64 {
        let cells = |word: usize| (self.start(word + self.lanes()) - self.start(word)) as u64 * WORD as u64;
        (0..self.words()).map(cells).sum::<u64>().min(self.m as u64 * self.n as u64)
    }

    /// Computes the value of the last cell, an upper bound on the distance. Keeps columns for an alignment if `want` requests
    /// it. Symbols are below `alphabet`, at most [`MAX_ALPHABET`].
    ///
    /// # Errors
    /// Returns an error if the run is stopped.
    fn solve<T: Symbol>(&self, [a, b]: [&[T]; 2], alphabet: u32, want: PairOutput, run: &Run) -> Result<SolvedBand, Halt> {
        let cells = self.cells();
        run.raise_expected(cells);
        let mut kept = match want {
            PairOutput::Distance => None,
            PairOutput::Alignment => Some(KeptColumns::new(self)),
        };
        let ticked = cells / self.words() as u64 * WORDS_PER_TICK as u64;
        let texts = BandTexts { a, b, kept: kept.as_mut(), ticked, run };
        let value = match (self.vectors, alphabet) {
            (1, ..=4) => dispatch!(Level::new(), s => self.sweep::<_, T, 1, 2>(s, texts)),
            (1, _) => dispatch!(Level::new(), s => self.sweep::<_, T, 1, 8>(s, texts)),
            (2, ..=4) => dispatch!(Level::new(), s => self.sweep::<_, T, 2, 2>(s, texts)),
            (2, _) => dispatch!(Level::new(), s => self.sweep::<_, T, 2, 8>(s, texts)),
            (_, ..=4) => dispatch!(Level::new(), s => self.sweep::<_, T, 4, 2>(s, texts)),
            (_, _) => dispatch!(Level::new(), s => self.sweep::<_, T, 4, 8>(s, texts)),
        }?;
        run.tick(cells - ticked * (self.words() / WORDS_PER_TICK) as u64)?;
        if let Some(kept) = &kept {
            run.hold(kept.bytes());
            run.release(kept.bytes());
        }
        Ok(SolvedBand { value, kept })
    }
}

/// The value of the last cell of a band, and the columns that were kept.
struct SolvedBand {
    value: u64,
    kept: Option<KeptColumns>,
}

impl SolvedBand {
    /// Returns an alignment of `texts`, those of the band, that costs [`value`](Self::value). Returns `None` if no columns were
    /// kept.
    ///
    /// # Errors
    /// Returns an error if the run is stopped.
    fn alignment<T: Symbol>(&self, texts: [&[T]; 2], run: &Run) -> Result<Option<Alignment>, Halt> {
        let Some(kept) = &self.kept else { return Ok(None) };
        run.hold(kept.bytes());
        let alignment = trace::alignment(kept, texts, self.value, run)?;
        run.release(kept.bytes());
        Ok(Some(alignment))
    }
}

/// The texts of a band, the columns to keep, and the run to report to.
struct BandTexts<'t, T> {
    a: &'t [T],
    b: &'t [T],
    kept: Option<&'t mut KeptColumns>,
    /// Number of cells of [`WORDS_PER_TICK`] words.
    ticked: u64,
    run: &'t Run<'t>,
}

/// The state of all lanes before some columns, from the first column to the last one.
struct KeptColumns {
    lanes: usize,
    /// For each kept column: its place, and the differences of all lanes, `2 + 2 · lanes` words.
    words: Vec<u64>,
    places: Vec<KeptPlace>,
}

/// The place of a kept column, and the value at its lowest row.
#[derive(Clone, Copy, Debug)]
struct KeptPlace {
    /// Word of lane 0.
    word: usize,
    /// Number of columns that lane 0 has computed or left out. Lane q is q columns further.
    column: usize,
    /// Value at the last row of the word of lane 0.
    value: i64,
}

/// The differences of one kept column, of all lanes.
struct KeptDifferences<'k> {
    /// Horizontal differences +1 and −1 below each lane, a bit for each lane.
    below: [u64; 2],
    /// Vertical differences +1 and −1.
    vertical: [&'k [u64]; 2],
}

impl KeptColumns {
    fn new(band: &SlantedBand) -> Self {
        let (columns, lanes) = (band.kept_columns(), band.lanes());
        Self { lanes, words: Vec::with_capacity(columns * (2 + 2 * lanes)), places: Vec::with_capacity(columns) }
    }

    /// Returns the memory of the kept columns, in bytes.
    fn bytes(&self) -> u64 {
        (size_of_val(self.words.as_slice()) + size_of_val(self.places.as_slice())) as u64
    }

    fn differences(&self, at: usize) -> KeptDifferences<'_> {
        let size = 2 + 2 * self.lanes;
        let (below, vertical) = self.words[at * size..(at + 1) * size].split_at(2);
        let (plus, minus) = vertical.split_at(self.lanes);
        KeptDifferences { below: [below[0], below[1]], vertical: [plus, minus] }
    }
}

/// The state of all lanes between two steps: the vertical differences, and in bit 0 the horizontal difference below.
#[derive(Clone, Copy)]
struct LaneState<S: Simd, const N: usize, const P: usize> {
    vertical: [[u64x8<S>; 2]; N],
    below: [[u64x8<S>; 2]; N],
    /// Inverted bit planes of the rows.
    rows: [[u64x8<S>; P]; N],
}

/// Bit planes of some columns, with a word of equal bits for each column. Columns beyond the text have no bits.
struct ColumnWindow<'t, T, const P: usize> {
    b: &'t [T],
    first: usize,
    planes: Vec<u64>,
}

impl<'t, T: Symbol, const P: usize> ColumnWindow<'t, T, P> {
    /// Number of columns in a window.
    const SIZE: usize = WINDOW_COLUMNS + 2 * KEPT_INTERVAL;

    fn new(b: &'t [T]) -> Self {
        // The window begins at its end, so that the first call of `planes` fills it.
        Self { b, first: usize::MAX, planes: vec![0; P * Self::SIZE.min(b.len() + 2 * KEPT_INTERVAL)] }
    }

    fn size(&self) -> usize {
        self.planes.len() / P
    }

    /// Returns the planes of the `len` columns from `column` on, at most 2 · [`KEPT_INTERVAL`]. Columns never fall.
    #[inline(always)]
    fn planes(&mut self, column: usize, len: usize) -> [&[u64]; P] {
        let size = self.size();
        if self.first == usize::MAX || column + len > self.first + size {
            self.first = column;
            let text = self.b.get(column..).unwrap_or_default();
            for p in 0..P {
                let plane = &mut self.planes[p * size..(p + 1) * size];
                let known = text.len().min(size);
                for (word, symbol) in plane.iter_mut().zip(text) {
                    *word = 0u64.wrapping_sub(u64::from(symbol.number() >> p & 1));
                }
                plane[known..].fill(0);
            }
        }
        let at = column - self.first;
        std::array::from_fn(|p| &self.planes[p * size + at..p * size + at + len])
    }
}

impl SlantedBand {
    /// Computes the value of the last cell. Calls are inlined, so that every SIMD level compiles its own copy.
    #[inline(always)]
    fn sweep<S: Simd, T: Symbol, const N: usize, const P: usize>(&self, s: S, texts: BandTexts<T>) -> Result<u64, Halt> {
        let BandTexts { a, b, mut kept, ticked, run } = texts;
        let mut state = LaneState::<S, N, P>::new(s);
        let mut columns = ColumnWindow::<T, P>::new(b);
        let count = self.words();
        let interval = if kept.is_some() { self.kept_interval } else { KEPT_INTERVAL };
        let mut value = 0;
        let mut column = 0;
        for (word, symbols) in a.chunks(WORD).enumerate() {
            if word % WORDS_PER_TICK == WORDS_PER_TICK - 1 {
                run.tick(ticked)?;
            }
            state = state.enter(s, inverted_planes(s, symbols));
            value += WORD as i64;
            // The lane of the word above has computed the first column of the next word, because that word needs its value.
            let is_last = word + 1 == count;
            let end = self.start(word + 1) + usize::from(!is_last);
            let mut at = column;
            while at < end {
                let len = (end - at).min(interval);
                if let Some(kept) = &mut kept {
                    state.keep(s, KeptPlace { word, column: at, value }, kept);
                }
                let planes = columns.planes(at, len + N * VECTOR_WORDS);
                let (sum, last) = s.vectorize(
                    #[inline(always)]
                    || {
                        let (next, sum, last) = state.advance(s, planes, len);
                        state = next;
                        (sum, last)
                    },
                );
                value += sum;
                at += len;
                if at == end && !is_last {
                    value -= last;
                }
            }
            column = if is_last { end } else { end - 1 };
        }
        // Rows below the text are in the last word only.
        let below = (!0u64).checked_shl((a.len() - (count - 1) * WORD) as u32).unwrap_or(0);
        let [plus, minus] = state.vertical[0].map(|vertical| i64::from((words(vertical)[0] & below).count_ones()));
        Ok((value - plus + minus) as u64)
    }
}

impl<S: Simd, const N: usize, const P: usize> LaneState<S, N, P> {
    /// Creates the state without words. Values above row 0 fall by one per row down to row 0, which rises by one per column.
    /// The recurrence keeps this state, whatever the symbols.
    #[inline(always)]
    fn new(s: S) -> Self {
        let [zero, ones, one] = [0, !0, 1].map(|word| u64x8::splat(s, word));
        Self { vertical: [[zero, ones]; N], below: [[one, zero]; N], rows: [[zero; P]; N] }
    }

    /// Moves every word to the next higher lane, and begins a word with the rows `rows` in lane 0.
    #[inline(always)]
    fn enter(self, s: S, rows: [u64; P]) -> Self {
        let [zero, ones] = [0, !0].map(|word| u64x8::splat(s, word));
        let mut next = self;
        for k in 0..N {
            let [plus, minus] = if k == 0 { [ones, zero] } else { self.vertical[k - 1] };
            next.vertical[k] = [plus.slide::<7>(self.vertical[k][0]), minus.slide::<7>(self.vertical[k][1])];
            let [plus, minus] = if k == 0 { [zero, zero] } else { self.below[k - 1] };
            next.below[k] = [plus.slide::<7>(self.below[k][0]), minus.slide::<7>(self.below[k][1])];
            for (p, row) in rows.iter().enumerate() {
                let lower = if k == 0 { u64x8::splat(s, *row) } else { self.rows[k - 1][p] };
                next.rows[k][p] = lower.slide::<7>(self.rows[k][p]);
            }
        }
        next
    }

    /// Computes `len` columns of every word. Returns the state behind them, the sum of the horizontal differences below
    /// lane 0, and the last of these differences.
    #[inline(always)]
    fn advance(self, s: S, columns: [&[u64]; P], len: usize) -> (Self, i64, i64) {
        let [zero, one] = [0, 1].map(|word| u64x8::splat(s, word));
        let columns = columns.map(|plane| &plane[..len + N * VECTOR_WORDS]);
        let Self { mut vertical, mut below, rows } = self;
        let mut sum = zero;
        for t in 0..len {
            let (mut next_vertical, mut next_below) = (vertical, below);
            for k in 0..N {
                let at = t + VECTOR_WORDS * k;
                let mut eq = rows[k][0] ^ u64x8::from_slice(s, &columns[0][at..at + VECTOR_WORDS]);
                for p in 1..P {
                    eq &= rows[k][p] ^ u64x8::from_slice(s, &columns[p][at..at + VECTOR_WORDS]);
                }
                let [rise, fall] = if k + 1 < N { below[k + 1] } else { [one, zero] };
                let above = [below[k][0].slide::<1>(rise), below[k][1].slide::<1>(fall)];
                let cells = MyersRecurrence::solve(eq, vertical[k], above);
                next_vertical[k] = cells.vertical;
                next_below[k] = [cells.horizontal[0] >> 63, cells.horizontal[1] >> 63];
            }
            (vertical, below) = (next_vertical, next_below);
            sum = sum + below[0][0] - below[0][1];
        }
        let last = below[0][0] - below[0][1];
        (Self { vertical, below, rows }, words(sum)[0] as i64, words(last)[0] as i64)
    }

    /// Appends the state to `kept`.
    #[inline(always)]
    fn keep(self, s: S, place: KeptPlace, kept: &mut KeptColumns) {
        kept.places.push(place);
        let one = u64x8::splat(s, 1);
        for side in 0..2 {
            let mut bits = 0;
            for k in 0..N {
                bits |= self.below[k][side].simd_eq(one).to_bitmask() << (VECTOR_WORDS * k);
            }
            kept.words.push(bits);
        }
        for side in 0..2 {
            for k in 0..N {
                kept.words.extend_from_slice(&words(self.vertical[k][side]));
            }
        }
    }
}

/// Returns the words of a vector.
#[inline(always)]
fn words<S: Simd>(vector: u64x8<S>) -> [u64; VECTOR_WORDS] {
    let mut words = [0; VECTOR_WORDS];
    vector.store_slice(&mut words);
    words
}

/// Returns the inverted bit planes of up to 64 symbols below 256, the first symbol in the lowest bit.
#[inline(always)]
fn inverted_planes<S: Simd, T: Symbol, const P: usize>(s: S, symbols: &[T]) -> [u64; P] {
    let mut padded = [T::default(); LANES];
    padded[..symbols.len()].copy_from_slice(symbols);
    let bytes = T::saturated(s, &padded);
    let zero = u8x64::splat(s, 0);
    let mut planes = [0; P];
    for (p, plane) in planes.iter_mut().enumerate() {
        *plane = (bytes & u8x64::splat(s, 1 << p)).simd_eq(zero).to_bitmask();
    }
    planes
}

#[cfg(test)]
mod tests;
