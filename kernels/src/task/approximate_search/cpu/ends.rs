//! What a lane has found: ends within a bound, or the ends with the least distance so far.

use crate::found::Positions;
use crate::task::approximate_search::Hits;

/// Which ends count.
#[derive(Clone, Copy, Debug)]
pub(super) struct EndFilter {
    /// Only those with the least distance: the bound follows it.
    pub(super) tighten: bool,
    /// Only the last of each run of equal distances that has greater ones on both sides.
    pub(super) minima: bool,
    /// Their places, not only their number.
    pub(super) places: bool,
}

/// The ends of a piece of the columns. Column `c` is the end after `c` symbols.
#[derive(Clone, Debug)]
pub(super) struct Ends {
    want: EndFilter,
    /// Only ends within it count; with `tighten`, those that have it.
    pub(super) bound: u64,
    /// Least distance within the bound, or more than that.
    least: u64,
    /// Words with a one for every end.
    words: Vec<(usize, u64)>,
    count: u64,
    /// The word after the last one that was taken; it and all between have greater values only.
    next: usize,
    /// Value at the last column that was taken.
    value: u64,
    /// Whether the last change of the value was a fall; unknown before the first one.
    falling: Option<bool>,
    /// The first end counts only if the value fell before this piece.
    pending: bool,
}

impl Ends {
    /// Nothing found yet in a piece that begins at a word.
    pub(super) fn new(want: EndFilter, bound: u64, word: usize) -> Self {
        let (words, count, value) = (Vec::new(), 0, 0);
        Self { want, bound, least: u64::MAX, words, count, next: word, value, falling: None, pending: false }
    }

    /// Memory in bytes.
    pub(super) fn bytes(&self) -> u64 {
        size_of_val(self.words.as_slice()) as u64
    }

    /// The least distance of a column that was taken, if that is within the bound.
    pub(super) fn least(&self) -> u64 {
        if self.least <= self.bound { self.least } else { u64::MAX }
    }

    /// Number of ends so far.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// Lowers the bound to one that was found elsewhere.
    pub(super) fn tighten(&mut self, bound: u64) {
        if bound < self.bound {
            self.bound = bound;
            self.words.clear();
            (self.count, self.pending) = (0, false);
        }
    }

    /// Takes the columns of a word that are `valid`, the first ones: the value before them and the differences. Words with greater
    /// values only may be left out.
    pub(super) fn take(&mut self, word: usize, left: u64, differences: [u64; 2], valid: u64) {
        let [p, n] = differences.map(|side| side & valid);
        if self.least > left.saturating_sub(n.count_ones().into()) {
            self.least = self.least.min(least(left, p, n));
        }
        if self.want.tighten {
            self.tighten(self.least);
        }
        if self.want.minima {
            self.minima(word, left, p, n);
        } else {
            self.push(word, within(left, p, n, self.bound) & valid);
        }
        self.next = word + 1;
        self.value = left + u64::from(p.count_ones()) - u64::from(n.count_ones());
    }

    /// Takes the last column of all, which nothing follows.
    pub(super) fn finish(&mut self, last: usize) {
        if self.want.minima && self.next == last / 64 + 1 && self.value <= self.bound {
            self.lowest(last, self.falling);
        }
    }

    fn push(&mut self, word: usize, ends: u64) {
        self.count += u64::from(ends.count_ones());
        if !self.want.places || ends == 0 {
            return;
        }
        match self.words.last_mut() {
            Some((last, bits)) if *last == word => *bits |= ends,
            _ => self.words.push((word, ends)),
        }
    }

    /// The columns before a rise, where the last change was a fall.
    fn minima(&mut self, word: usize, left: u64, p: u64, n: u64) {
        if self.next != word {
            // The values were greater than any that counts: they fall, within this word, before one does.
            self.falling = Some(false);
        }
        let mut rises = p;
        while rises != 0 {
            let before = (rises & rises.wrapping_neg()) - 1;
            rises &= rises - 1;
            let value = left + u64::from((p & before).count_ones()) - u64::from((n & before).count_ones());
            if value <= self.bound {
                self.lowest(64 * word + before.count_ones() as usize - 1, fell((p | n) & before, n).or(self.falling));
            }
        }
        self.falling = fell(p | n, n).or(self.falling);
    }

    fn lowest(&mut self, column: usize, falling: Option<bool>) {
        if falling == Some(false) {
            return;
        }
        self.pending |= falling.is_none();
        self.push(column / 64, 1 << (column % 64));
    }
}

/// Whether the last of the changes is a fall; none where there is no change.
fn fell(changes: u64, falls: u64) -> Option<bool> {
    changes.checked_ilog2().map(|last| falls >> last & 1 == 1)
}

/// Joins the pieces, which are in order.
pub(super) fn join(pieces: Vec<Ends>) -> Hits {
    let Some(want) = pieces.first().map(|piece| piece.want) else {
        return Hits { distance: None, total: 0, positions: Positions::default() };
    };
    let bound = if want.tighten { pieces.iter().map(|piece| piece.bound).min().unwrap_or_default() } else { u64::MAX };
    let mut falling = true;
    let mut pieces = pieces;
    for piece in &mut pieces {
        piece.tighten(bound);
        if piece.pending && !falling {
            piece.count -= 1;
            if let Some((_, bits)) = piece.words.first_mut() {
                *bits &= *bits - 1;
            }
        }
        falling = piece.falling.unwrap_or(falling);
    }
    let total = pieces.iter().map(Ends::count).sum();
    let least = pieces.iter().filter(|piece| piece.least <= piece.bound).map(|piece| piece.least).min();
    let words = || pieces.iter().flat_map(|piece| &piece.words).filter(|(_, bits)| *bits != 0);
    let length = words().next_back().map_or(0, |(word, _)| word + 1);
    let positions = if total > 0 && total >= length as u64 {
        let mut bits = vec![0; length];
        words().for_each(|(word, ends)| bits[*word] |= ends);
        Positions::from_bits(bits)
    } else {
        let mut list = Vec::with_capacity(total as usize);
        for &(word, mut bits) in words() {
            while bits != 0 {
                list.push(64 * word as u64 + u64::from(bits.trailing_zeros()));
                bits &= bits - 1;
            }
        }
        Positions::from_list(list)
    };
    Hits { distance: if total == 0 { None } else { least }, total, positions }
}

/// The least of the value before 64 columns and their values.
pub(super) fn least(left: u64, p: u64, n: u64) -> u64 {
    let (mut value, mut least) = (left, left);
    for column in 0..64 {
        value = value + (p >> column & 1) - (n >> column & 1);
        least = least.min(value);
    }
    least
}

const ONES: u64 = 0x0101_0101_0101_0101;

/// The columns of 64 whose values are within a bound, eight at a time in the bytes of a word.
fn within(left: u64, p: u64, n: u64, bound: u64) -> u64 {
    let mut above = left as i64 - bound as i64;
    let mut ends = 0;
    for byte in 0..8 {
        let (p, n) = (p >> (8 * byte) & 0xff, n >> (8 * byte) & 0xff);
        let (rises, falls) = (i64::from(p.count_ones()), i64::from(n.count_ones()));
        let found = if above > falls {
            0
        } else if above + rises <= 0 {
            0xff
        } else {
            // Sums from the first to each byte; 64 keeps all of them positive.
            let values = ((above + 64) as u64 * ONES).wrapping_add(spread(p).wrapping_sub(spread(n)).wrapping_mul(ONES));
            let found = (192 * ONES - values) >> 7 & ONES;
            found.wrapping_mul(0x0102_0408_1020_4080) >> 56
        };
        ends |= found << (8 * byte);
        above += rises - falls;
    }
    ends
}

/// Eight bits, one to a byte.
fn spread(bits: u64) -> u64 {
    (((bits * ONES) & 0x8040_2010_0804_0201) + 0x7f * ONES) >> 7 & ONES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_agree_with_single_columns() {
        let mut rng = fastrand::Rng::with_seed(7);
        for _ in 0..20_000 {
            let mask = if rng.bool() { rng.u64(..) } else { !0 };
            let p = rng.u64(..) & mask;
            let n = rng.u64(..) & !p;
            let left = 64 + rng.u64(..80);
            let bound = rng.u64(..160);
            let mut value = left;
            let values: Vec<u64> = (0..64)
                .map(|c| {
                    value = value + (p >> c & 1) - (n >> c & 1);
                    value
                })
                .collect();
            let expected = values.iter().rev().fold(0, |bits, &value| bits << 1 | u64::from(value <= bound));
            assert_eq!(within(left, p, n, bound), expected, "{left} {p:x} {n:x} {bound}");
            assert_eq!(least(left, p, n), values.iter().copied().min().unwrap().min(left));
        }
    }
}
