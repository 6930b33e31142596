//! Byte table: looks bytes up in a table of bytes, 64 at a time.
//!
//! Tables are looked up by shuffles. They have a row of 16 entries for each upper half of a byte with an entry: 2 rows for
//! DNA, 6 for text. Machines without such an instruction look the bytes up one by one.

use fearless_simd::{Level, Simd, dispatch, prelude::*, u8x64};

/// Number of bytes in a vector.
const LANES: usize = 64;

/// Number of vectors that are looked up together, so that their latencies overlap.
const VECTORS_TOGETHER: usize = 2;

/// A table that maps some byte values to bytes, and all others to `absent`.
#[derive(Clone, Debug)]
pub(crate) struct ByteTable {
    entries: [u8; 256],
    /// One row for each upper half of a byte that has an entry. It consists of the byte with this upper half and the lower
    /// half 0, and the entries of the 16 values with this upper half, repeated four times.
    rows: Vec<(u8, [u8; LANES])>,
    absent: u8,
}

impl ByteTable {
    /// Creates the table with the entry `entry(value)` for each byte value. `absent` should be the most frequent entry.
    pub(crate) fn new(absent: u8, entry: impl Fn(u8) -> u8) -> Self {
        let entries: [u8; 256] = std::array::from_fn(|value| entry(value as u8));
        let is_used = |upper: &u8| entries[usize::from(*upper)..][..16].iter().any(|&entry| entry != absent);
        let rows = (0..=u8::MAX).step_by(16).filter(is_used);
        let rows = rows.map(|upper| (upper, std::array::from_fn(|lane| entries[usize::from(upper) + lane % 16]))).collect();
        Self { entries, rows, absent }
    }

    /// Returns the memory of the table in bytes.
    pub(crate) fn bytes(&self) -> usize {
        size_of::<Self>() + size_of_val(self.rows.as_slice())
    }

    /// Writes the entries of `values` to `to`, which must have the same length, and returns the highest of them.
    pub(crate) fn look_up(&self, level: Level, values: &[u8], to: &mut [u8]) -> u8 {
        // Dispatches on the SIMD level for which the code is compiled. It may be lower than the level of the processor.
        dispatch!(level, s => if shuffles(s) { shuffled(s, self, values, to) } else { self.one_by_one(values, to) })
    }

    #[inline(always)]
    fn one_by_one(&self, values: &[u8], to: &mut [u8]) -> u8 {
        let mut most = 0;
        for (&value, to) in values.iter().zip(to) {
            *to = self.entries[usize::from(value)];
            most = most.max(*to);
        }
        most
    }
}

/// Returns whether the SIMD level `S` has an instruction that looks up bytes in a vector.
#[inline(always)]
fn shuffles<S: Simd>(s: S) -> bool {
    let level = s.level();
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    return level.as_avx2().is_some();
    #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
    !level.is_fallback()
}

#[inline(always)]
fn shuffled<S: Simd>(s: S, table: &ByteTable, values: &[u8], to: &mut [u8]) -> u8 {
    let mut most = [u8x64::splat(s, 0); VECTORS_TOGETHER];
    let (values, values_left) = values.as_chunks::<{ VECTORS_TOGETHER * LANES }>();
    let (to, to_left) = to.as_chunks_mut::<{ VECTORS_TOGETHER * LANES }>();
    for (values, to) in values.iter().zip(to) {
        let mut lower = most;
        let mut upper = most;
        let mut entries = [u8x64::splat(s, table.absent); VECTORS_TOGETHER];
        for k in 0..VECTORS_TOGETHER {
            let values = u8x64::from_slice(s, &values[LANES * k..LANES * (k + 1)]);
            (lower[k], upper[k]) = (values & 0x0f, values & 0xf0);
        }
        for (half, row) in &table.rows {
            let (half, row) = (u8x64::splat(s, *half), u8x64::from_slice(s, row));
            for k in 0..VECTORS_TOGETHER {
                entries[k] = upper[k].simd_eq(half).select(row.swizzle_dyn_within_blocks(lower[k]), entries[k]);
            }
        }
        for k in 0..VECTORS_TOGETHER {
            most[k] = most[k].max(entries[k]);
            entries[k].store_slice(&mut to[LANES * k..LANES * (k + 1)]);
        }
    }
    let mut all = [0; LANES];
    most.into_iter().reduce(|x, y| x.max(y)).unwrap_or(u8x64::splat(s, 0)).store_slice(&mut all);
    let rest = table.one_by_one(values_left, to_left);
    all.into_iter().fold(rest, u8::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::random;

    #[test]
    fn entries_of_texts_of_any_length_are_found() {
        let all: Vec<u8> = (0..=255).collect();
        for letters in [&b"ACGT"[..], b"ab", b"\x00\xff", b"aA0z\x80\xf0", &all] {
            for absent in [0, 4, u8::MAX] {
                let entry = |value| letters.iter().position(|&letter| letter == value).map_or(absent, |at| at as u8);
                let table = ByteTable::new(absent, entry);
                for len in (0..200).chain([4095, 4096, 4097]) {
                    let text = random(if len % 3 == 0 { &all } else { letters }, len, len as u64);
                    let mut found = vec![7; len];
                    let most = table.look_up(Level::new(), &text, &mut found);
                    let expected: Vec<u8> = text.iter().map(|&value| entry(value)).collect();
                    assert_eq!((most, found), (expected.iter().copied().max().unwrap_or(0), expected), "{len} of {letters:?}");
                }
            }
        }
    }
}
