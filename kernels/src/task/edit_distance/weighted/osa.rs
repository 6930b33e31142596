//! The distance of optimal string alignment with costs of 1, in bit vectors (Hyyrö 2003, section 4.1).
//!
//! A word has the differences between 64 neighbouring cells of a column. Eight words below each other fill the lanes of
//! a vector. Lane k works one column behind lane k − 1, from which it receives three bits: whether the last row rises
//! (`PLUS`) or falls (`MINUS`) to this column, and whether the first symbol of lane k may be exchanged with the symbol
//! above it (`EXCHANGE`). Strips of eight words hand these bits over for each column.

use std::ops::Range;
use std::sync::mpsc::{Receiver, Sender, channel};

use fearless_simd::prelude::*;
use fearless_simd::{Level, Simd, dispatch, u64x8};

use crate::pair::cells::Corridor;
use crate::run::{Halt, Run};
use crate::symbol::Symbol;

/// Number of words in a vector.
const LANES: usize = 8;

/// Number of rows of a strip.
const STRIP: usize = 64 * LANES;

/// Maximum number of distinct symbols.
const MAX_ALPHABET: u32 = 1 << 8;

/// Maximum memory for the bit masks, in bytes. Each symbol of the alphabet has a bit for each row.
pub(super) const MAX_MASK_BYTES: u64 = 1 << 29;

/// Number of columns that a strip computes between two reports, and hands to the next strip at once.
const CHUNK: usize = 1 << 12;

/// The last row rises by 1 to this column.
const PLUS: u8 = 1;
/// The last row falls by 1 to this column.
const MINUS: u8 = 2;
/// The last symbol above equals the symbol of this column, and the cell diagonally above it differs from its own
/// diagonal neighbour.
const EXCHANGE: u8 = 4;

/// Returns whether [`distance`] can compare texts whose symbols are below `alphabet` and of which the shorter one has
/// `shorter` symbols.
pub(super) fn suits(shorter: usize, alphabet: u32) -> bool {
    alphabet <= MAX_ALPHABET && (shorter as u64 / 8 + 64).saturating_mul(alphabet.into()) <= MAX_MASK_BYTES
}

/// Returns how much a row rises over columns with these bits.
fn rise(bits: &[u8]) -> i64 {
    bits.iter().map(|bits| i64::from(bits & PLUS) - i64::from(bits & MINUS) / 2).sum()
}

/// Bit masks of all symbols: in which rows of `a` a symbol stands.
struct SymbolMasks {
    /// Masks of each symbol, one word for each 64 rows.
    words: Vec<u64>,
    /// Number of words of a symbol, a multiple of [`LANES`].
    len: usize,
}

impl SymbolMasks {
    fn new<T: Symbol>(a: &[T], alphabet: u32) -> Self {
        let len = a.len().div_ceil(STRIP) * LANES;
        let mut words = vec![0; len * alphabet as usize];
        for (row, symbol) in a.iter().enumerate() {
            words[symbol.number() as usize * len + row / 64] |= 1 << (row % 64);
        }
        Self { words, len }
    }
}

/// The state of a strip between two steps, and the bits that each lane hands to the next one.
#[derive(Clone, Copy)]
struct StripState {
    plus: [u64; LANES],
    minus: [u64; LANES],
    /// Cells that equal their diagonal neighbour, in the column before.
    flat: [u64; LANES],
    /// Rows whose symbol equals that of the column before.
    equal: [u64; LANES],
    /// Bit k is the bit that lane k hands over.
    bits: [u64; 3],
}

impl StripState {
    const FIRST: Self = Self { plus: [!0; LANES], minus: [0; LANES], flat: [!0; LANES], equal: [0; LANES], bits: [0; 3] };
}

/// The parameters of some steps of a strip.
struct Steps<'s, T> {
    /// Masks of all symbols, from the first word of the strip on.
    masks: &'s [u64],
    /// Number of words of a symbol.
    len: usize,
    b: &'s [T],
    /// All columns of the strip.
    columns: Range<usize>,
    /// Columns at which the first lane works.
    first_lane: Range<usize>,
    /// Bits of the row above, for the columns of `first_lane`.
    above: &'s [u8],
}

/// Returns the distance of `a` and `b`, whose symbols are below `alphabet`. Computes the cells of `corridor`. If it
/// contains no optimal alignment, the result is the cost of another alignment.
///
/// Takes O(|a||b| / 512) steps, and memory for the bit masks, which [`suits`] limits.
///
/// # Errors
/// Returns an error if the run is stopped.
pub(super) fn distance<T: Symbol>(a: &[T], b: &[T], alphabet: u32, corridor: Corridor, threads: usize, run: &Run) -> Result<u64, Halt> {
    let (a, b, corridor) = if a.len() <= b.len() { (a, b, corridor) } else { (b, a, corridor.swapped()) };
    if a.is_empty() {
        return Ok(b.len() as u64);
    }
    if a.len() <= 64 {
        let distance = distance_of_word(a, b);
        run.tick(a.len() as u64 * b.len() as u64)?;
        return Ok(distance);
    }
    let masks = SymbolMasks::new(a, alphabet);
    let held = 8 * masks.words.len() as u64;
    run.hold(held);
    let rows = |strip: usize| strip * STRIP..((strip + 1) * STRIP).min(a.len());
    let strips: Vec<Range<usize>> = (0..a.len().div_ceil(STRIP)).map(|strip| corridor.columns(&rows(strip), b.len())).collect();
    run.raise_expected(strips.iter().map(|columns| (STRIP * columns.len()) as u64).sum());
    let (senders, receivers): (Vec<_>, Vec<_>) = strips.iter().map(|_| channel::<Vec<u8>>()).unzip();
    let threads = threads.min(strips.len());
    let mut work: Vec<Vec<StripTask>> = (0..threads).map(|_| Vec::new()).collect();
    let mut senders = senders.into_iter().skip(1);
    for (strip, receiver) in receivers.into_iter().enumerate() {
        let above = if strip == 0 { strips[0].start..strips[0].start } else { strips[strip - 1].clone() };
        let next_start = strips.get(strip + 1).map_or(usize::MAX, |next| next.start);
        work[strip % threads].push(StripTask {
            strip,
            columns: strips[strip].clone(),
            above,
            next_start,
            receiver,
            sender: senders.next(),
        });
    }
    let work: Vec<std::sync::Mutex<Vec<StripTask>>> = work.into_iter().map(Into::into).collect();
    let sums = crate::cpu::try_spread(&work, threads, |tasks| {
        let tasks = std::mem::take(&mut *tasks.lock().unwrap_or_else(std::sync::PoisonError::into_inner));
        tasks.into_iter().map(|task| task.solve(&masks, b, a.len(), run)).sum::<Result<i64, Halt>>()
    })?;
    run.release(held);
    Ok(sums.into_iter().sum::<i64>().unsigned_abs())
}

/// Returns the distance of `a`, which has 1 to 64 symbols below [`MAX_ALPHABET`], and `b`. Takes O(|b|) time.
fn distance_of_word<T: Symbol>(a: &[T], b: &[T]) -> u64 {
    let mut masks = [0u64; MAX_ALPHABET as usize];
    for (row, symbol) in a.iter().enumerate() {
        masks[symbol.number() as usize] |= 1 << row;
    }
    let (mut plus, mut minus, mut flat, mut equal_before) = (!0u64, 0u64, !0u64, 0u64);
    let last = a.len() - 1;
    let mut distance = a.len() as u64;
    for symbol in b {
        let equal = masks[symbol.number() as usize];
        let exchanged = ((!flat & equal) << 1) & equal_before;
        flat = ((equal & plus).wrapping_add(plus) ^ plus) | equal | minus | exchanged;
        let (rises, falls) = (minus | !(flat | plus), flat & plus);
        distance = distance + (rises >> last & 1) - (falls >> last & 1);
        let from_left = (rises << 1) | 1;
        plus = (falls << 1) | !(flat | from_left);
        minus = from_left & flat;
        equal_before = equal;
    }
    distance
}

/// A strip to compute, with the channels from the strip above and to the next strip.
struct StripTask {
    strip: usize,
    columns: Range<usize>,
    /// Columns of the strip above.
    above: Range<usize>,
    /// First column of the next strip.
    next_start: usize,
    receiver: Receiver<Vec<u8>>,
    /// Absent for the last strip.
    sender: Option<Sender<Vec<u8>>>,
}

impl StripTask {
    /// Computes the strip. Returns how much a path rises through it: down its left edge and along its last row to the
    /// first column of the next strip. In the last strip, along its first row and down the last column.
    fn solve<T: Symbol>(self, masks: &SymbolMasks, b: &[T], m: usize, run: &Run) -> Result<i64, Halt> {
        let Self { strip, columns, above, next_start, receiver, sender } = self;
        let mut state = StripState::FIRST;
        let mut sum = if sender.is_some() { STRIP as i64 } else { 0 };
        // Bits of the row above, from the column `known_from` on.
        let (mut known, mut known_from): (Vec<u8>, usize) = (Vec::new(), above.start);
        let mut received = above.start;
        let steps = columns.end + LANES - 1;
        let mut at = columns.start;
        while at < steps {
            let end = (at + CHUNK).min(steps);
            while received < above.end.min(end) {
                let more = receiver.recv().map_err(|_| Halt::Stopped)?;
                received += more.len();
                known.extend(more);
            }
            let bit = |column: usize| if above.contains(&column) { known[column - known_from] } else { PLUS };
            let bits: Vec<u8> = (at..end).map(bit).collect();
            let chunk = Steps {
                masks: &masks.words[strip * LANES..],
                len: masks.len,
                b,
                columns: columns.clone(),
                first_lane: at..end,
                above: &bits,
            };
            // The last lane works LANES − 1 columns behind the first one.
            let behind = |column: usize| column.saturating_sub(LANES - 1).max(columns.start);
            let below_columns = behind(at)..behind(end);
            let mut below = Vec::with_capacity(end - at);
            dispatch!(Level::new(), s => sweep(s, &chunk, &mut state, &mut below));
            match &sender {
                Some(sender) => {
                    sum += rise(&below[..next_start.clamp(below_columns.start, below_columns.end) - below_columns.start]);
                    // A strip below that gave up receives nothing more.
                    let _ = sender.send(below);
                }
                None => sum += rise(&bits[..columns.end.saturating_sub(at).min(bits.len())]),
            }
            let used = end.min(above.end).saturating_sub(known_from);
            known.drain(..used);
            known_from += used;
            run.tick((STRIP * below_columns.len()) as u64)?;
            at = end;
        }
        if sender.is_none() {
            for (word, first) in (strip * STRIP..m).step_by(64).enumerate() {
                let valid = if m - first >= 64 { !0 } else { (1 << (m - first)) - 1 };
                let ones = |bits: u64| i64::from((bits & valid).count_ones());
                sum += ones(state.plus[word]) - ones(state.minus[word]);
            }
        }
        Ok(sum)
    }
}

/// The words 0, 1, all ones and the highest bit, and bit k in lane k.
#[derive(Clone, Copy)]
struct Constants<S: Simd> {
    simd: S,
    zero: u64x8<S>,
    one: u64x8<S>,
    ones: u64x8<S>,
    top: u64x8<S>,
    lane_bits: u64x8<S>,
}

// Functions instead of closures, because closures would be compiled without the instruction set of the caller.
impl<S: Simd> Constants<S> {
    #[inline(always)]
    fn new(s: S) -> Self {
        let lane_bits = u64x8::from_slice(s, &[1, 2, 4, 8, 16, 32, 64, 128]);
        let (zero, one) = (u64x8::splat(s, 0), u64x8::splat(s, 1));
        Self { simd: s, zero, one, ones: u64x8::splat(s, !0), top: u64x8::splat(s, 1 << 63), lane_bits }
    }

    /// Returns a mask of the lanes whose bit is set.
    #[inline(always)]
    fn lanes(self, bits: u64) -> <u64x8<S> as SimdBase<S>>::Mask {
        (u64x8::splat(self.simd, bits) & self.lane_bits).simd_eq(self.lane_bits)
    }

    /// Returns a 1 in each lane whose bit is set, and a 0 in the others.
    #[inline(always)]
    fn spread(self, bits: u64) -> u64x8<S> {
        self.lanes(bits).select(self.one, self.zero)
    }

    /// Returns the highest bit of each lane.
    #[inline(always)]
    fn highest(self, words: u64x8<S>) -> u64 {
        (words & self.top).simd_eq(self.top).to_bitmask()
    }

    #[inline(always)]
    fn not(self, words: u64x8<S>) -> u64x8<S> {
        words ^ self.ones
    }
}

/// Computes the steps in which the first lane works at the columns `steps.first_lane`. Appends the bits of the last row
/// to `below`. Calls are inlined, so that every SIMD level compiles its own copy.
#[inline(always)]
fn sweep<S: Simd, T: Symbol>(s: S, steps: &Steps<T>, state: &mut StripState, below: &mut Vec<u8>) {
    let constants = Constants::new(s);
    let mut words = StripVectors {
        plus: u64x8::from_slice(s, &state.plus),
        minus: u64x8::from_slice(s, &state.minus),
        flat: u64x8::from_slice(s, &state.flat),
        equal: u64x8::from_slice(s, &state.equal),
        bits: state.bits,
    };
    let Steps { columns, first_lane, above, .. } = steps;
    // Steps in which all lanes work at columns of the strip.
    let full = (columns.start + LANES - 1).clamp(first_lane.start, first_lane.end)..columns.end.clamp(first_lane.start, first_lane.end);
    for at in first_lane.clone() {
        let mut masks = [0; LANES];
        let mut active = 0u64;
        if full.contains(&at) {
            active = 0xff;
            let symbols = &steps.b[at + 1 - LANES..=at];
            for lane in 0..LANES {
                masks[lane] = steps.masks[symbols[LANES - 1 - lane].number() as usize * steps.len + lane];
            }
        } else {
            for (lane, mask) in masks.iter_mut().enumerate() {
                let column = at.wrapping_sub(lane);
                if columns.contains(&column) {
                    *mask = steps.masks[steps.b[column].number() as usize * steps.len + lane];
                    active |= 1 << lane;
                }
            }
        }
        let next = step(constants, &words, u64x8::from_slice(s, &masks), above[at - first_lane.start]);
        if active == 0xff {
            words = next;
        } else {
            let is_active = constants.lanes(active);
            words = StripVectors {
                plus: is_active.select(next.plus, words.plus),
                minus: is_active.select(next.minus, words.minus),
                flat: is_active.select(next.flat, words.flat),
                equal: is_active.select(next.equal, words.equal),
                bits: next.bits,
            };
        }
        if active >> (LANES - 1) == 1 {
            let [rises, falls, differs] = words.bits;
            below.push(
                ((rises >> (LANES - 1)) as u8 * PLUS)
                    | ((falls >> (LANES - 1)) as u8 * MINUS)
                    | ((differs >> (LANES - 1)) as u8 * EXCHANGE),
            );
        }
    }
    words.plus.store_slice(&mut state.plus);
    words.minus.store_slice(&mut state.minus);
    words.flat.store_slice(&mut state.flat);
    words.equal.store_slice(&mut state.equal);
    state.bits = words.bits;
}

/// The state of a strip as vectors, as in [`StripState`].
#[derive(Clone, Copy)]
struct StripVectors<S: Simd> {
    plus: u64x8<S>,
    minus: u64x8<S>,
    flat: u64x8<S>,
    equal: u64x8<S>,
    bits: [u64; 3],
}

/// Computes one column in each lane. `equal` marks the rows whose symbol equals that of the column, and `above` has the
/// bits of the row above the first lane.
#[inline(always)]
fn step<S: Simd>(constants: Constants<S>, now: &StripVectors<S>, equal: u64x8<S>, above: u8) -> StripVectors<S> {
    let StripVectors { plus, minus, flat, equal: equal_before, bits: handed } = *now;
    let above = u64::from(above);
    // Lane 0 receives the bits of the row above, and each other lane those of the lane before.
    let plus_in = constants.spread((handed[0] << 1) | (above & 1));
    let minus_in = constants.spread((handed[1] << 1) | ((above >> 1) & 1));
    let exchange_in = constants.spread((handed[2] << 1) | ((above >> 2) & 1));
    // Cells above left whose symbols may be exchanged, and that differ from their diagonal neighbour.
    let differs = constants.not(flat) & equal;
    let exchanged = ((differs << 1) | exchange_in) & equal_before;
    let x = equal | minus_in;
    let is_flat = (((x & plus) + plus) ^ plus) | x | minus | exchanged;
    let rises = minus | constants.not(is_flat | plus);
    let falls = is_flat & plus;
    let (from_left, to_left) = ((rises << 1) | plus_in, (falls << 1) | minus_in);
    StripVectors {
        plus: to_left | constants.not(is_flat | from_left),
        minus: from_left & is_flat,
        flat: is_flat,
        equal,
        bits: [constants.highest(rises), constants.highest(falls), constants.highest(differs)],
    }
}
