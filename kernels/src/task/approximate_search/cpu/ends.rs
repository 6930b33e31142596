//! The results of one lane, which sweeps one piece of the text: the ends of hits. Hits have at most a fixed distance,
//! or the least distance so far.

use crate::cbor_struct;
use crate::found::PositionSet;
use crate::task::approximate_search::ApproximateHits;

/// The conditions under which the end of a substring is a hit, and what is recorded of hits.
#[derive(Clone, Copy, Debug)]
pub(super) struct EndFilter {
    /// Whether only ends with the least distance are hits. The maximum distance of a hit then falls with the least
    /// distance found.
    pub(super) tighten: bool,
    /// Whether only local minima of the distance are hits. Of neighbouring ends with equal distances, the last one is
    /// then a hit if the ends on both sides have greater distances or do not exist.
    pub(super) minima: bool,
    /// Whether positions of hits are recorded. Otherwise hits are only counted.
    pub(super) places: bool,
}

/// The ends of hits in one piece of the text. Column `c` stands for the end after `c` symbols.
#[derive(Clone, Debug)]
pub(super) struct PieceEnds {
    want: EndFilter,
    /// Maximum distance of a hit. If `want.tighten`, all hits have exactly this distance.
    pub(super) bound: u64,
    /// The least distance in the piece if it is at most `bound`. Otherwise some number above `bound`.
    least: u64,
    /// Words of 64 columns that have hits: the number of the word, and a set bit for each hit.
    words: Vec<(usize, u64)>,
    count: u64,
    /// Number of the word after the last one that was added. Words that were skipped before it only have distances
    /// above `bound`.
    next: usize,
    /// Distance at the last column that was added.
    value: u64,
    /// Whether the distance fell at its last change from one column to the next. `None` before the first change.
    falling: Option<bool>,
    /// Whether the first hit is valid only if the last change of the distance before this piece was a decrease.
    pending: bool,
}

/// The contents of [`PieceEnds`] in a message, without the conditions, which follow from the job.
pub(super) struct PieceRecord {
    bound: u64,
    least: u64,
    words: Vec<(usize, u64)>,
    count: u64,
    next: usize,
    value: u64,
    falling: Option<bool>,
    pending: bool,
}

cbor_struct!(PieceRecord { bound, least, words, count, next, value, falling, pending });

impl PieceEnds {
    /// Returns the contents for a message.
    pub(super) fn record(&self) -> PieceRecord {
        let Self { want: _, bound, least, ref words, count, next, value, falling, pending } = *self;
        PieceRecord { bound, least, words: words.clone(), count, next, value, falling, pending }
    }

    /// Creates the results of a message, which satisfy the conditions `want`.
    pub(super) fn of_record(want: EndFilter, record: PieceRecord) -> Self {
        let PieceRecord { bound, least, words, count, next, value, falling, pending } = record;
        Self { want, bound, least, words, count, next, value, falling, pending }
    }

    /// Creates empty results for a piece that begins at the column `64 * word`. Hits satisfy the conditions `want`, and
    /// have a distance of at most `bound`.
    pub(super) fn new(want: EndFilter, bound: u64, word: usize) -> Self {
        let (words, count, value) = (Vec::new(), 0, 0);
        Self { want, bound, least: u64::MAX, words, count, next: word, value, falling: None, pending: false }
    }

    /// Returns the memory of the results in bytes.
    pub(super) fn bytes(&self) -> u64 {
        size_of_val(self.words.as_slice()) as u64
    }

    /// Returns the least distance of the piece, or `u64::MAX` if it exceeds the maximum distance of a hit.
    pub(super) fn least(&self) -> u64 {
        if self.least <= self.bound { self.least } else { u64::MAX }
    }

    /// Returns the number of hits so far.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// Lowers the maximum distance of a hit to `bound`, if `bound` is less, and drops the hits found so far.
    pub(super) fn tighten(&mut self, bound: u64) {
        if bound < self.bound {
            self.bound = bound;
            self.words.clear();
            (self.count, self.pending) = (0, false);
        }
    }

    /// Adds the columns of the word with the number `word`. `valid` has a set bit for each column that is an end of the
    /// text; these are the lowest bits. `left` is the distance before these columns.
    ///
    /// The first word of `differences` has a set bit for each column whose distance is 1 more than that of the column
    /// before it. The second word has a set bit for each column whose distance is 1 less. Words that only have
    /// distances above the maximum may be skipped.
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

    /// Records the end of the text, the column `last`, as a hit if it is a local minimum and only local minima are
    /// hits. Other minima are found by the rise in the next column, but here no column follows.
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

    /// Records each column of `word` before a rise of the distance, if the last change before the column was a fall.
    /// `left` is the distance before the word, and `p` and `n` have a bit for each rise and each fall.
    fn minima(&mut self, word: usize, left: u64, p: u64, n: u64) {
        if self.next != word {
            // Distances in skipped words exceed the maximum. In this word, a fall comes before any distance within the
            // maximum.
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

/// Returns whether the last change of a distance in 64 columns is a fall, or `None` if the distance does not change.
/// `changes` has a set bit for each column at which the distance changes, and `falls` for each at which it falls. The
/// last column has the highest bit.
fn fell(changes: u64, falls: u64) -> Option<bool> {
    changes.checked_ilog2().map(|last| falls >> last & 1 == 1)
}

/// Combines the results of all pieces, which must be in the order of the text.
pub(super) fn join(pieces: Vec<PieceEnds>) -> ApproximateHits {
    let Some(want) = pieces.first().map(|piece| piece.want) else {
        return ApproximateHits { distance: None, total: 0, positions: PositionSet::default() };
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
    let total = pieces.iter().map(PieceEnds::count).sum();
    let least = pieces.iter().filter(|piece| piece.least <= piece.bound).map(|piece| piece.least).min();
    let words = || pieces.iter().flat_map(|piece| &piece.words).filter(|(_, bits)| *bits != 0);
    let length = words().next_back().map_or(0, |(word, _)| word + 1);
    let positions = if total > 0 && total >= length as u64 {
        let mut bits = vec![0; length];
        words().for_each(|(word, ends)| bits[*word] |= ends);
        PositionSet::from_bits(bits)
    } else {
        let mut list = Vec::with_capacity(total as usize);
        for &(word, mut bits) in words() {
            while bits != 0 {
                list.push(64 * word as u64 + u64::from(bits.trailing_zeros()));
                bits &= bits - 1;
            }
        }
        PositionSet::from_list(list)
    };
    ApproximateHits { distance: if total == 0 { None } else { least }, total, positions }
}

/// Returns the least of 64 consecutive distances and of `left`, the distance before them. `p` has a set bit for each
/// distance that is 1 more than the one before it, and `n` for each that is 1 less. The first distance has the lowest
/// bit.
pub(super) fn least(left: u64, p: u64, n: u64) -> u64 {
    let (mut value, mut least) = (left, left);
    for column in 0..64 {
        value = value + (p >> column & 1) - (n >> column & 1);
        least = least.min(value);
    }
    least
}

const ONES: u64 = 0x0101_0101_0101_0101;

/// Returns a word with a set bit for each of 64 consecutive distances that is at most `bound`. `left` is the distance
/// before them. `p` has a set bit for each distance that is 1 more than the one before it, and `n` for each that is 1
/// less. The first distance has the lowest bit. Computes eight columns at a time in the bytes of a word.
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
            // Sums of the changes up to each byte. The offset 64 makes all of them positive.
            let values = ((above + 64) as u64 * ONES).wrapping_add(spread(p).wrapping_sub(spread(n)).wrapping_mul(ONES));
            let found = (192 * ONES - values) >> 7 & ONES;
            found.wrapping_mul(0x0102_0408_1020_4080) >> 56
        };
        ends |= found << (8 * byte);
        above += rises - falls;
    }
    ends
}

/// Returns a word whose byte `i` has the value of bit `i` of `bits`: 0 or 1. `bits` must be below 256.
fn spread(bits: u64) -> u64 {
    (((bits * ONES) & 0x8040_2010_0804_0201) + 0x7f * ONES) >> 7 & ONES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_columns_agree_with_single_columns() {
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
