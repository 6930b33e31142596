//! Scalar: reference code for one core with 64-bit words and without SIMD, which is the measure for WebAssembly. The
//! code is short, but not slow.
//!
//! Computes every cell by Myers' algorithm, column by column, with carries between words as described by Hyyrö.

/// The bit masks of a pattern: for each byte value, a row of words whose bits mark its positions.
struct ScalarMasks {
    words: usize,
    rows: Vec<u64>,
}

impl ScalarMasks {
    fn new(pattern: &[u8]) -> Self {
        let words = pattern.len().div_ceil(64);
        let mut rows = vec![0; words * 256];
        for (at, &byte) in pattern.iter().enumerate() {
            rows[usize::from(byte) * words + at / 64] |= 1 << (at % 64);
        }
        Self { words, rows }
    }

    fn of(&self, byte: u8) -> &[u64] {
        &self.rows[usize::from(byte) * self.words..][..self.words]
    }
}

/// Computes the Levenshtein distance of `a` and `b`.
pub(crate) fn distance(a: &[u8], b: &[u8]) -> u64 {
    let mut last = b.len() as i64;
    let vertical = columns(a, b, 1, |_| {});
    for (word, (plus, minus)) in vertical.into_iter().enumerate() {
        let rows = (a.len() - word * 64).min(64);
        let within = if rows == 64 { !0 } else { (1 << rows) - 1 };
        last += i64::from((plus & within).count_ones()) - i64::from((minus & within).count_ones());
    }
    last as u64
}

/// Passes to `end` the distance of `a` to the nearest substring of `b` that ends at each position, from 0 to `b.len()`.
pub(crate) fn ends(a: &[u8], b: &[u8], mut end: impl FnMut(u64)) {
    let mut score = a.len() as i64;
    end(score as u64);
    columns(a, b, 0, |step| {
        score += step;
        end(score as u64);
    });
}

/// Sweeps all columns of `b`. `top` is the difference between neighbouring columns in row 0: 1 for a distance, 0 for a
/// search. Passes the difference in the last row to `step`, column by column. Returns for each word of 64 rows the
/// rises and the falls down the last column.
fn columns(a: &[u8], b: &[u8], top: u64, mut step: impl FnMut(i64)) -> Vec<(u64, u64)> {
    let masks = ScalarMasks::new(a);
    let mut words = vec![(!0u64, 0u64); masks.words];
    let end = (a.len() + 63) % 64;
    for &byte in b {
        let (mut rise, mut fall) = (top, 0);
        let (mut rises, mut falls) = (0, 0);
        for (word, &eq) in words.iter_mut().zip(masks.of(byte)) {
            let (plus, minus) = *word;
            let vertical = eq | minus;
            let eq = eq | fall;
            let free = (((eq & plus).wrapping_add(plus)) ^ plus) | eq;
            rises = minus | !(free | plus);
            falls = plus & free;
            let (shifted, sunk) = (rises << 1 | rise, falls << 1 | fall);
            (rise, fall) = (rises >> 63, falls >> 63);
            *word = (sunk | !(vertical | shifted), shifted & vertical);
        }
        step((rises >> end & 1) as i64 - (falls >> end & 1) as i64);
    }
    words
}

/// Computes the length of a longest common subsequence of `a` and `b`.
pub(crate) fn lcs(a: &[u8], b: &[u8]) -> u64 {
    let masks = ScalarMasks::new(a);
    let mut words = vec![!0u64; masks.words];
    for &byte in b {
        let mut carry = 0;
        for (word, &equal) in words.iter_mut().zip(masks.of(byte)) {
            let both = *word & equal;
            let sum = word.wrapping_add(both).wrapping_add(carry);
            carry = (both | (*word & !sum)) >> 63;
            *word = sum | (*word & !equal);
        }
    }
    words.iter().map(|word| u64::from(word.count_zeros())).sum()
}
