//! Scores by adding bits: all symbols of the pattern against 512 offsets, one bit each.
//!
//! ```text
//! plane of a code: bit p says whether the text has the code at position p
//! symbol i of the pattern at the offsets s, s + 1, …: the plane of its code from bit s + i on
//! full adder: two bits and a sum are a sum and a carry, which is worth twice as much
//! ```
//!
//! Bits of equality are added to a sum of bits of weight 1, two at a time; their carries, two at a time, to a sum of
//! weight 2, and so on (Harley and Seal; Warren, Hacker's Delight, 5-1). This takes one full adder, of a few
//! operations, for each symbol of the pattern and 512 offsets, whereas comparing takes eight additions. Each plane is
//! stored eight times, shifted by 0 to 7 bits, so that the bits of every symbol begin at a byte.

use fearless_simd::{Level, Simd, dispatch, mask8x64, prelude::*, u8x64, u64x8};

use super::compare::PAD;
use super::score::ScoreInteger;

/// Number of offsets that are added together.
const GROUP: usize = 512;
/// Size in bytes of the bits of [`GROUP`] offsets, one bit for each.
const BYTES: usize = GROUP / 8;

/// Number of copies of a plane (the bits that say where the text has one code). Each copy is shifted by one more bit.
const SHIFTS: usize = 8;

/// Number of pattern symbols whose bits of equality are added before the sums in memory are read.
const BATCH: usize = 16;

/// Number of sums, of weights 16, 32, …, to which the carries of batches are added. With the sums of weights 1 to 8, a
/// score has 16 bits.
const LEVELS: usize = 12;

/// Maximum number of pattern symbols whose scores fit 16 bits, rounded down to whole batches.
const MAX_ADDED_ROWS: usize = (1 << 16) - BATCH;

/// Intended total size of all planes in bytes, so that they stay in a part of the second-level cache. A plane is one
/// bit for each position of the text: whether the text has a certain code there.
const TARGET_PLANES_BYTES: usize = 512 << 10;

/// A pattern, prepared for counting by adding bits.
#[derive(Clone, Debug)]
pub(super) struct AddKernel {
    /// For each plane (bits that say where the text has one code), its code.
    codes: Vec<u8>,
    /// For each symbol of the pattern that has a code, the position of its bits for the first offset, in bytes from the
    /// start of all planes. Padded to whole batches with the position of a plane of zeros.
    rows: Vec<u32>,
    /// Size of a plane, in bytes.
    len: usize,
    /// Maximum number of offsets that are counted at a time.
    block: usize,
}

/// Maximum number of offsets in a block, so that its codes and scores stay in the second-level cache.
const BLOCK: usize = 16 * 1024;
/// Maximum number of cells (pattern symbols times offsets) in a block, about a millisecond of work. This limits the
/// offsets of a block for long patterns.
const BLOCK_CELLS: usize = 1 << 29;

/// Returns the number of offsets that are counted at a time, a multiple of [`PAD`]. The pattern has `m` symbols with
/// `codes` distinct codes.
pub(super) fn block(m: usize, codes: usize) -> usize {
    let most = (BLOCK_CELLS / m.max(1)).min(BLOCK);
    let fitting = (TARGET_PLANES_BYTES / codes.max(1)).saturating_sub(m).max(m);
    fitting.min(most).next_multiple_of(PAD).max(PAD)
}

/// Returns the size of a plane (one bit for each position of the text) in bytes, for a pattern of `m` symbols and
/// `block` offsets. The size is never a multiple of 4 KiB, because planes at such distances would share a few sets of
/// the first-level cache.
fn plane(m: usize, block: usize) -> usize {
    (((block + m).div_ceil(GROUP) + 2) | 1) * BYTES
}

/// Returns whether 32 bits can address all planes, for a pattern of `m` symbols with `codes` distinct codes, and for
/// `block` offsets at a time.
pub(super) fn can_address(m: usize, codes: usize, block: usize) -> bool {
    (codes * SHIFTS + 1).checked_mul(plane(m, block)).is_some_and(|bytes| u32::try_from(bytes).is_ok())
}

impl AddKernel {
    /// Prepares a pattern for counting. `rows` are the codes of its symbols, of which `codes` are distinct. A symbol
    /// with `None` never adds to a score. At most `block` offsets are counted at a time.
    pub(super) fn new(rows: &[Option<u8>], codes: usize, block: usize) -> Self {
        debug_assert!(can_address(rows.len(), codes, block), "the cost model takes another method then");
        let len = plane(rows.len(), block);
        let mut planes = vec![None; 256];
        let mut used = Vec::with_capacity(codes);
        let mut places = Vec::with_capacity(rows.len().next_multiple_of(BATCH));
        for (row, code) in rows.iter().enumerate() {
            let Some(code) = code else { continue };
            let plane = *planes[usize::from(*code)].get_or_insert_with(|| {
                used.push(*code);
                used.len() - 1
            });
            places.push(((plane * SHIFTS + row % SHIFTS) * len + row / 8) as u32);
        }
        places.resize(places.len().next_multiple_of(BATCH), (used.len() * SHIFTS * len) as u32);
        Self { codes: used, rows: places, len, block }
    }

    /// Returns the maximum number of offsets that are counted at a time.
    pub(super) fn block(&self) -> usize {
        self.block
    }

    /// Returns the memory of the pattern and of one thread's planes, in bytes.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(self.rows.as_slice()) + self.planes()
    }

    /// Returns the size of all planes in bytes, including the plane of zeros.
    fn planes(&self) -> usize {
        (self.codes.len() * SHIFTS + 1) * self.len
    }

    /// Computes the scores at the offsets `0..scores.len()`, at most [`block`](Self::block). `text` consists of codes:
    /// all that these offsets compare with the pattern, and [`PAD`] more of any value. The length of the pattern must
    /// fit the type `T` of the scores. `planes` is a buffer.
    pub(super) fn count<T: ScoreInteger>(&self, text: &[u8], scores: &mut [T], planes: &mut Vec<u8>) {
        scores.fill(T::default());
        planes.resize(self.planes(), 0);
        dispatch!(Level::new(), s => {
            spread(s, self, text, planes);
            add_rows(s, self, planes, scores);
        });
    }
}

/// Fills `planes`: bit p of a plane says whether `text` has the code of the plane at position p. Then fills the copies
/// of each plane, shifted by 1 to 7 bits.
#[inline(always)]
fn spread<S: Simd>(s: S, adders: &AddKernel, text: &[u8], planes: &mut [u8]) {
    let len = adders.len;
    for (at, text) in text.as_chunks::<64>().0.iter().take(len / 8).enumerate() {
        let text = u8x64::from_slice(s, text);
        for (plane, &code) in adders.codes.iter().enumerate() {
            let bits = text.simd_eq(u8x64::splat(s, code)).to_bitmask();
            planes[plane * SHIFTS * len + 8 * at..][..8].copy_from_slice(&bits.to_le_bytes());
        }
    }
    for plane in planes.chunks_exact_mut(SHIFTS * len) {
        let (first, others) = plane.split_at_mut(len);
        for (copy, shift) in others.chunks_exact_mut(len).zip(1..) {
            // Nothing reads the last bytes of a shifted copy.
            for (bytes, from) in copy[..len - BYTES].as_chunks_mut::<BYTES>().0.iter_mut().zip((0..).step_by(BYTES)) {
                let low: u64x8<S> = u8x64::from_slice(s, &first[from..from + BYTES]).bitcast();
                let high: u64x8<S> = u8x64::from_slice(s, &first[from + 8..from + 8 + BYTES]).bitcast();
                let bits: u8x64<S> = ((low >> shift) | (high << (64 - shift))).bitcast();
                bits.store_slice(bytes);
            }
        }
    }
}

/// Sums of bits at 512 offsets: the bits of weights 1, 2, 4 and 8.
struct LowSums<S: Simd>([u8x64<S>; 4]);

/// Adds the bits `x` and `y` to the bits of `sum`, and returns the carries, which have twice the weight.
#[inline(always)]
fn add<S: Simd>(sum: &mut u8x64<S>, x: u8x64<S>, y: u8x64<S>) -> u8x64<S> {
    // Written so that it takes two instructions on three vectors where the machine has them.
    let carry = (x & y) | (*sum & (x | y));
    *sum = (x ^ y) ^ *sum;
    carry
}

impl<S: Simd> LowSums<S> {
    #[inline(always)]
    fn two(&mut self, s: S, planes: &[u8], rows: &[u32]) -> u8x64<S> {
        let [x, y] = [rows[0], rows[1]].map(|row| u8x64::from_slice(s, &planes[row as usize..row as usize + BYTES]));
        add(&mut self.0[0], x, y)
    }

    #[inline(always)]
    fn four(&mut self, s: S, planes: &[u8], rows: &[u32]) -> u8x64<S> {
        let (x, y) = (self.two(s, planes, &rows[..2]), self.two(s, planes, &rows[2..]));
        add(&mut self.0[1], x, y)
    }

    #[inline(always)]
    fn eight(&mut self, s: S, planes: &[u8], rows: &[u32]) -> u8x64<S> {
        let (x, y) = (self.four(s, planes, &rows[..4]), self.four(s, planes, &rows[4..]));
        add(&mut self.0[2], x, y)
    }

    #[inline(always)]
    fn sixteen(&mut self, s: S, planes: &[u8], rows: &[u32; BATCH]) -> u8x64<S> {
        let (x, y) = (self.eight(s, planes, &rows[..8]), self.eight(s, planes, &rows[8..]));
        add(&mut self.0[3], x, y)
    }
}

/// Adds the bits of all symbols of the pattern, which are in `planes`, to `scores`, one group of 512 offsets after
/// another.
#[inline(always)]
fn add_rows<S: Simd, T: ScoreInteger>(s: S, adders: &AddKernel, planes: &[u8], scores: &mut [T]) {
    let none = u8x64::splat(s, 0);
    for (scores, from) in scores.chunks_mut(GROUP).zip((0..).step_by(BYTES)) {
        let planes = &planes[from..];
        for rows in adders.rows.chunks(MAX_ADDED_ROWS) {
            let batches = rows.as_chunks::<BATCH>().0;
            let mut low = LowSums([none; 4]);
            let mut high = [none; LEVELS];
            // A pending carry for each level of `high`. It is present if the number of batches so far has a one at this
            // binary digit.
            let mut waiting = [none; LEVELS];
            for (number, rows) in batches.iter().enumerate() {
                let mut carry = low.sixteen(s, planes, rows);
                let level = number.trailing_ones() as usize;
                for level in 0..level {
                    carry = add(&mut high[level], waiting[level], carry);
                }
                waiting[level] = carry;
            }
            let mut carry = none;
            for level in 0..LEVELS {
                let waits = if batches.len() >> level & 1 == 1 { waiting[level] } else { none };
                carry = add(&mut high[level], waits, carry);
            }
            let mut bits = [[0; BYTES]; 4 + LEVELS];
            low.0.iter().chain(&high).zip(&mut bits).for_each(|(sum, bits)| sum.store_slice(bits));
            let (low, high) = bits.split_at(8);
            let mut bytes = [0; GROUP];
            as_bytes(s, low, &mut bytes);
            T::add(s, scores, &bytes[..scores.len()]);
            if rows.len() >= 1 << 8 {
                let used = (rows.len().ilog2() + 1 - 8) as usize;
                as_bytes(s, &high[..used], &mut bytes);
                T::add_high(s, scores, &bytes[..scores.len()]);
            }
        }
    }
}

/// Writes one number per offset to `bytes`. `bits` are its binary digits, beginning with weight 1, for all offsets.
#[inline(always)]
fn as_bytes<S: Simd>(s: S, bits: &[[u8; BYTES]], bytes: &mut [u8; GROUP]) {
    for (word, bytes) in bytes.as_chunks_mut::<64>().0.iter_mut().enumerate() {
        let mut sum = u8x64::splat(s, 0);
        for (level, bits) in bits.iter().enumerate() {
            let mask = mask8x64::from_bitmask(s, u64::from_le_bytes(bits.as_chunks::<8>().0[word]));
            sum |= mask.select(u8x64::splat(s, 1 << level), u8x64::splat(s, 0));
        }
        sum.store_slice(bytes);
    }
}
