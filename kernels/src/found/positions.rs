//! Positions: sets of positions, stored in chunks, each for a range of 65,536 numbers. A chunk is stored as a list of
//! its positions, or as a bit set if the bit set is not much larger.
//!
//! Threads that search different parts of a text create whole chunks, so that combining results moves chunks without
//! copying positions. The form of a chunk depends only on its positions, so that equal sets of positions compare equal.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::ScoreSpan;
use crate::cbor::Cbor;

/// Length of the range of numbers that one chunk covers. The chunk stores which of these numbers are positions.
pub(crate) const CHUNK: usize = 1 << 16;

/// Number of 64-bit words of a bit set for a whole chunk.
pub(crate) const CHUNK_WORDS: usize = CHUNK / 64;

/// A set of positions, in ascending order. It takes a few bytes for each position, but about one bit for each number up
/// to the greatest position if this is less.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<PositionChunk>", into = "Vec<PositionChunk>")]
pub struct PositionSet {
    chunks: Vec<PositionChunk>,
    /// For each chunk, the number of positions in the chunks before it.
    before: Vec<u64>,
    len: u64,
}

/// The positions of a set from `number · CHUNK` up to the next multiple of [`CHUNK`]. A chunk has at least one
/// position.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PositionChunk {
    number: u32,
    form: ChunkRepr,
}

/// Number of positions for each word of the bit set from which on a chunk is stored as a bit set. A chunk with fewer
/// positions is stored as a list, which takes at most half the memory of the bit set.
const LISTED_PER_WORD: usize = 2;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ChunkRepr {
    List(Box<[u16]>),
    Bits(Box<[u64]>),
}

impl PositionChunk {
    /// Creates the chunk with the number `number` from its bit set `words`, in which `len` bits are set. Bit `i` of
    /// word `w` stands for position `64·w + i`, relative to the start of the chunk. Returns `None` if no bit is set.
    pub(crate) fn from_words(number: usize, words: &[u64], len: u64) -> Option<Self> {
        debug_assert_eq!(len, count(words));
        let last = words.iter().rposition(|&word| word != 0)?;
        let words = &words[..=last];
        let form = if len < (LISTED_PER_WORD * words.len()) as u64 {
            ChunkRepr::List(list(words, len as usize))
        } else {
            ChunkRepr::Bits(words.into())
        };
        Some(Self { number: number as u32, form })
    }

    /// Creates the chunk with the number `number` from `list`: at least one position, in ascending order, relative to
    /// the start of the chunk.
    pub(crate) fn from_list(number: usize, list: &[u16]) -> Self {
        let len = list.last().map_or(0, |last| usize::from(*last) / 64 + 1);
        let form = if list.len() < LISTED_PER_WORD * len {
            ChunkRepr::List(list.into())
        } else {
            let mut words = vec![0; len];
            list.iter().for_each(|&at| words[usize::from(at) / 64] |= 1 << (at % 64));
            ChunkRepr::Bits(words.into())
        };
        Self { number: number as u32, form }
    }

    fn len(&self) -> u64 {
        match &self.form {
            ChunkRepr::List(list) => list.len() as u64,
            ChunkRepr::Bits(words) => count(words),
        }
    }

    /// Returns the memory that the chunk takes, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        let positions = match &self.form {
            ChunkRepr::List(list) => size_of_val(list.as_ref()),
            ChunkRepr::Bits(words) => size_of_val(words.as_ref()),
        };
        (size_of::<Self>() + positions) as u64
    }

    /// Returns the number of positions below `place`, which is relative to the start of the chunk.
    fn below(&self, place: usize) -> u64 {
        match &self.form {
            ChunkRepr::List(list) => list.partition_point(|at| usize::from(*at) < place) as u64,
            ChunkRepr::Bits(words) if place / 64 < words.len() => {
                count(&words[..place / 64]) + u64::from((words[place / 64] & ((1 << (place % 64)) - 1)).count_ones())
            }
            ChunkRepr::Bits(words) => count(words),
        }
    }

    /// Returns the number of positions in the range `places`, which is relative to the start of the chunk.
    fn within(&self, places: Range<usize>) -> u64 {
        match &self.form {
            ChunkRepr::List(_) => self.below(places.end) - self.below(places.start),
            ChunkRepr::Bits(words) => {
                let word = |place: usize| (place / 64).min(words.len());
                let begun =
                    |place: usize| words.get(place / 64).map_or(0, |word| u64::from((word & ((1 << (place % 64)) - 1)).count_ones()));
                count(&words[word(places.start)..word(places.end)]) + begun(places.end) - begun(places.start)
            }
        }
    }

    /// Iterates over the positions of the chunk, without its first `index` positions. The positions are those of the
    /// whole set, not relative to the start of the chunk.
    fn iter_from(&self, index: u64) -> AscendingPositions<'_> {
        let start = u64::from(self.number) * CHUNK as u64;
        let (list, words): (&[u16], &[u64]) = match &self.form {
            ChunkRepr::List(list) => (list.get(index as usize..).unwrap_or_default(), &[]),
            ChunkRepr::Bits(words) => (&[], words),
        };
        let mut skip = if words.is_empty() { 0 } else { index };
        let mut from = 0;
        while let Some(word) = words.get(from).filter(|word| u64::from(word.count_ones()) <= skip) {
            skip -= u64::from(word.count_ones());
            from += 1;
        }
        Box::new(list.iter().map(|&at| u64::from(at)).chain(ones(words, from).skip(skip as usize)).map(move |at| start + at))
    }
}

/// A builder of a [`PositionSet`] that receives positions in ascending order. It takes no more memory than the result.
#[derive(Debug, Default)]
pub struct PositionSetBuilder {
    chunks: Vec<PositionChunk>,
    /// Number of the chunk that is being filled, which contains the last position.
    number: u64,
    /// Positions in the chunk that is being filled, relative to its start.
    list: Vec<u16>,
}

impl PositionSetBuilder {
    /// Adds position `at`, which must be greater than all positions before.
    pub fn push(&mut self, at: u64) {
        let number = at / CHUNK as u64;
        if number != self.number {
            self.close();
            self.number = number;
        }
        self.list.push((at % CHUNK as u64) as u16);
    }

    /// Returns the set of all positions that were added.
    pub fn finish(mut self) -> PositionSet {
        self.close();
        self.chunks.into()
    }

    fn close(&mut self) {
        if !self.list.is_empty() {
            self.chunks.push(PositionChunk::from_list(self.number as usize, &self.list));
            self.list.clear();
        }
    }
}

/// An iterator over positions in ascending order.
type AscendingPositions<'p> = Box<dyn Iterator<Item = u64> + 'p>;

impl PositionSet {
    /// Creates a set from `list`, distinct positions in ascending order.
    pub fn from_list(list: Vec<u64>) -> Self {
        debug_assert!(list.is_sorted_by(|one, next| one < next), "positions ascend");
        let mut words = Vec::new();
        let chunk = |list: &[u64]| {
            let number = list[0] / CHUNK as u64;
            words.clear();
            words.resize(CHUNK_WORDS, 0);
            list.iter().for_each(|at| words[(at % CHUNK as u64) as usize / 64] |= 1 << (at % 64));
            PositionChunk::from_words(number as usize, &words, list.len() as u64)
        };
        list.chunk_by(|one, next| one / CHUNK as u64 == next / CHUNK as u64).filter_map(chunk).collect::<Vec<_>>().into()
    }

    /// Creates a set from a bit set: bit `i` of word `w` stands for position `64·w + i`.
    pub fn from_bits(bits: Vec<u64>) -> Self {
        let chunks = bits.chunks(CHUNK_WORDS).enumerate();
        chunks.filter_map(|(number, words)| PositionChunk::from_words(number, words, count(words))).collect::<Vec<_>>().into()
    }

    /// Returns the number of positions.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Returns whether there are no positions.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the memory that the set takes, in bytes.
    pub fn bytes(&self) -> u64 {
        self.chunks.iter().map(PositionChunk::bytes).sum::<u64>() + size_of_val(self.before.as_slice()) as u64
    }

    /// Iterates over the positions in ascending order, without the first `index` positions. The start takes O(log
    /// chunks) time plus at most the time to count one chunk.
    pub fn iter_from(&self, index: u64) -> Box<dyn Iterator<Item = u64> + '_> {
        if index >= self.len {
            return Box::new(std::iter::empty());
        }
        let at = self.before.partition_point(|&before| before <= index) - 1;
        let rest = self.chunks[at + 1..].iter().flat_map(|chunk| chunk.iter_from(0));
        Box::new(self.chunks[at].iter_from(index - self.before[at]).chain(rest))
    }

    /// Returns the number of positions below `at`. Takes O(log chunks) time plus at most the time to count one chunk.
    pub fn count_below(&self, at: u64) -> u64 {
        let (number, place) = (at / CHUNK as u64, (at % CHUNK as u64) as usize);
        let chunk = self.chunks.partition_point(|chunk| u64::from(chunk.number) < number);
        let before = self.before.get(chunk).copied().unwrap_or(self.len);
        match self.chunks.get(chunk).filter(|chunk| u64::from(chunk.number) == number) {
            Some(chunk) => before + chunk.below(place),
            None => before,
        }
    }

    /// Returns the number of positions in `range`. Takes O(log chunks) time plus the time to count the words of the
    /// range if it lies in one chunk, otherwise as long as [`count_below`](Self::count_below).
    fn count_within(&self, range: Range<u64>) -> u64 {
        let number = range.start / CHUNK as u64;
        let start = number * CHUNK as u64;
        if range.end > start + CHUNK as u64 {
            return self.count_below(range.end) - self.count_below(range.start);
        }
        let chunk = self.chunks.partition_point(|chunk| u64::from(chunk.number) < number);
        let chunk = self.chunks.get(chunk).filter(|chunk| u64::from(chunk.number) == number);
        chunk.map_or(0, |chunk| chunk.within((range.start - start) as usize..(range.end - start) as usize))
    }

    /// Divides `range` into at most `points` spans of equal width, except for the last one. Returns the statistics of
    /// each span, in which a position has the score 1 and any other number the score 0.
    pub(crate) fn in_spans(&self, range: Range<u64>, points: usize) -> Vec<ScoreSpan> {
        let len = range.end.saturating_sub(range.start);
        let width = len.div_ceil(points.max(1) as u64).max(1);
        let span = |from: u64| {
            let end = range.end.min(from + width);
            let (offsets, sum) = (end - from, self.count_within(from..end));
            ScoreSpan { offsets, least: u64::from(sum == offsets), most: u64::from(sum > 0), sum }
        };
        (range.start..range.end).step_by(width as usize).map(span).collect()
    }

    /// Iterates over the positions whose indices in ascending order are in `page`, from 0. A page may reach beyond the
    /// last position.
    pub fn iter_page(&self, page: &Range<u64>) -> impl Iterator<Item = u64> + '_ {
        let len = page.end.saturating_sub(page.start).min(self.len);
        self.iter_from(page.start).take(usize::try_from(len).unwrap_or(usize::MAX))
    }

    /// Iterates over all positions.
    pub fn iter(&self) -> Box<dyn Iterator<Item = u64> + '_> {
        self.iter_from(0)
    }
}

/// A set is encoded as its nonzero words of 64 numbers: the number of each word, and its bits.
impl Cbor for PositionSet {
    fn write(&self, out: &mut Vec<u8>) {
        let mut words: Vec<(u64, u64)> = Vec::new();
        for at in self.iter() {
            match words.last_mut() {
                Some((word, bits)) if *word == at / 64 => *bits |= 1 << (at % 64),
                _ => words.push((at / 64, 1 << (at % 64))),
            }
        }
        words.write(out);
    }

    fn read(from: &mut &[u8]) -> Option<Self> {
        let words: Vec<(u64, u64)> = Cbor::read(from)?;
        if !words.is_sorted_by(|one, next| one.0 < next.0) || words.last().is_some_and(|last| last.0 > u64::from(u32::MAX)) {
            return None;
        }
        let mut set = PositionSetBuilder::default();
        for (word, mut bits) in words {
            while bits != 0 {
                set.push(64 * word + u64::from(bits.trailing_zeros()));
                bits &= bits - 1;
            }
        }
        Some(set.finish())
    }
}

/// Joins chunks into a set. The numbers of the chunks must be distinct and ascending.
impl From<Vec<PositionChunk>> for PositionSet {
    fn from(chunks: Vec<PositionChunk>) -> Self {
        let mut len = 0;
        let before = chunks.iter().map(|chunk| {
            len += chunk.len();
            len - chunk.len()
        });
        let before = before.collect();
        Self { chunks, before, len }
    }
}

impl From<PositionSet> for Vec<PositionChunk> {
    fn from(positions: PositionSet) -> Self {
        positions.chunks
    }
}

/// Counts the ones in `words`.
fn count(words: &[u64]) -> u64 {
    words.iter().map(|word| u64::from(word.count_ones())).sum()
}

/// Returns the `len` positions of a chunk, given its bit set `words`, relative to its start. Finds nonzero words
/// without a branch, because such a branch cannot be predicted.
fn list(words: &[u64], len: usize) -> Box<[u16]> {
    let mut some = [0; CHUNK_WORDS];
    let mut found = 0;
    for (at, &word) in words.iter().enumerate() {
        some[found] = at;
        found += usize::from(word != 0);
    }
    let mut list = Vec::with_capacity(len);
    for &at in &some[..found] {
        let mut word = words[at];
        while word != 0 {
            list.push((64 * at + word.trailing_zeros() as usize) as u16);
            word &= word - 1;
        }
    }
    list.into()
}

/// Iterates over the positions of the set bits in `words`, from the word with the index `from` on. Positions are
/// relative to the first word of `words`.
fn ones(words: &[u64], from: usize) -> impl Iterator<Item = u64> + '_ {
    words.iter().enumerate().skip(from).flat_map(|(at, &word)| {
        std::iter::successors(Some(word), |word| Some(word & word.wrapping_sub(1)))
            .take_while(|word| *word != 0)
            .map(move |word| 64 * at as u64 + u64::from(word.trailing_zeros()))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(list: &[u64], bound: u64, from: u64) {
        let mut bits = vec![0u64; (bound / 64) as usize];
        list.iter().for_each(|&at| bits[at as usize / 64] |= 1 << (at % 64));
        let mut built = PositionSetBuilder::default();
        list.iter().for_each(|&at| built.push(at));
        let positions = [PositionSet::from_list(list.to_vec()), PositionSet::from_bits(bits), built.finish()];
        assert!(positions.iter().all(|one| *one == positions[0]));
        for positions in positions {
            assert_eq!((positions.len(), positions.is_empty()), (list.len() as u64, list.is_empty()));
            assert!(positions.iter().eq(list.iter().copied()));
            assert!(positions.iter_from(from).eq(list.iter().copied().skip(from as usize)), "from {from}");
            let below = list.iter().filter(|at| **at < from).count() as u64;
            assert_eq!(positions.count_below(from), below, "below {from}");
            for points in [1, 7, 100, 1 << 12] {
                for span in 0..2 {
                    let range = from * span..bound - from.min(bound);
                    let width = range.end.saturating_sub(range.start).div_ceil(points as u64).max(1);
                    let mut naive = vec![0; range.end.saturating_sub(range.start).div_ceil(width) as usize];
                    list.iter().filter(|at| range.contains(at)).for_each(|at| naive[((at - range.start) / width) as usize] += 1);
                    let spans: Vec<u64> = positions.in_spans(range.clone(), points).iter().map(|span| span.sum).collect();
                    assert_eq!(spans, naive, "{points} spans of {range:?}");
                }
            }
            let wire = serde_json::to_string(&positions).unwrap();
            assert_eq!(serde_json::from_str::<PositionSet>(&wire).unwrap(), positions);
            assert_eq!(crate::cbor::from_bytes(&crate::cbor::to_bytes(&positions)).as_ref(), Some(&positions));
            assert!(positions.bytes() <= bound / 8 + 40 * bound.div_ceil(CHUNK as u64), "{} bytes", positions.bytes());
            assert!(positions.bytes() <= 48 * list.len() as u64, "{} bytes for {}", positions.bytes(), list.len());
        }
    }

    proptest! {
        #[test]
        fn sets_built_from_bits_and_from_lists_have_equal_pages(
            set in prop::collection::btree_set(0u64..5000, 0..3000), from in 0u64..3100,
        ) {
            check(&set.into_iter().collect::<Vec<_>>(), 5120, from);
        }

        #[test]
        fn sparse_and_dense_chunks_have_equal_pages(
            dense in 0u64..4, set in prop::collection::btree_set(0u64..4 << 16, 0..300), from in 0u64..70_000,
        ) {
            let dense = dense << 16..(dense + 1) << 16;
            let set: std::collections::BTreeSet<u64> = set.into_iter().chain(dense.step_by(3)).collect();
            check(&set.into_iter().collect::<Vec<_>>(), 4 << 16, from);
        }
    }
}
