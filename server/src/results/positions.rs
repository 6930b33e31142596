//! Lists of ascending positions in a file. The numbers from 0 are divided into blocks of 65,536; a block stores which
//! of its numbers are in the list. A mark has the offset of a block in the file and the number of positions before it.
//!
//! ```text
//! for each block with a position:  0, then for each position a varint of the number of numbers between it and the previous one
//!                              or  1, then a bit for each number of the block, up to the last position
//! marks, wherever they are stored, for each block and for the end:
//!     positions before it; first number / 65,536; offset of its first byte: 8 bytes each
//! ```
//!
//! To find the n-th position, or the number of positions below a given one, takes one read, because the marks name the
//! block. Every block is checked against the marks around it, so that bytes not written by [`write()`] are an error.

use std::io;
use std::ops::Range;

use kernels::found::{PositionSet, PositionSetBuilder};

use super::source::ByteSource;
use super::varint::{VarintReader, invalid_data, put};

/// Number of consecutive numbers that a block covers, whether or not they are positions of the list.
const POSITIONS_PER_BLOCK: u64 = 1 << 16;

/// Maximum size of a serialized block in bytes: one bit for each number that it covers, and the format byte.
const MAX_POSITION_BLOCK_BYTES: u64 = POSITIONS_PER_BLOCK / 8 + 1;

/// Size of a serialized [`PositionBlockMark`] in bytes.
pub(super) const POSITION_MARK_BYTES: u64 = 24;

/// Number of bytes that [`PositionLookup`] reads at a time, because lookups mostly go on to the next blocks.
const READ_AHEAD_BYTES: u64 = 64 << 10;

/// Number of blocks in one read when all positions are read.
const BLOCKS_PER_READ: usize = 128;

/// First byte of a block that lists the gaps between its positions.
const LIST_FORMAT: u8 = 0;
/// First byte of a block that has a bit for each number, which is set if the number is a position.
const BITS_FORMAT: u8 = 1;

/// A mark of a block: the number of positions before the block, and the number and the offset of the block. The last
/// mark of a list stands for the end of all blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct PositionBlockMark {
    /// Number of positions in the list before the block.
    before: u64,
    /// Number of the block: the smallest number that it covers, divided by 65,536. A block without positions is not
    /// stored, but its number is not given to another block.
    block: u64,
    /// Offset of the block's first byte in the file.
    byte: u64,
}

impl PositionBlockMark {
    /// Returns whether a valid block may lie between this mark and `next`: block numbers increase, and the numbers of
    /// positions and bytes are possible.
    fn is_before(&self, next: &Self) -> bool {
        let (positions, bytes) = (next.before.checked_sub(self.before), next.byte.checked_sub(self.byte));
        let fits = |number: Option<u64>, most| number.is_some_and(|number| (1..=most).contains(&number));
        self.block < next.block && fits(positions, POSITIONS_PER_BLOCK) && fits(bytes, MAX_POSITION_BLOCK_BYTES)
    }
}

/// A list of positions in a file, of which only the marks of the blocks are in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StoredPositions {
    /// A mark for each block, and one for the end of all blocks.
    marks: Vec<PositionBlockMark>,
}

/// Appends the blocks of `positions` to `out`. Returns the serialized marks, which the caller stores. Takes
/// O(positions) time.
pub(super) fn write(positions: &PositionSet, out: &mut Vec<u8>) -> Vec<u8> {
    let mut marks = Vec::new();
    let mut put_mark =
        |mark: PositionBlockMark| [mark.before, mark.block, mark.byte].iter().for_each(|number| marks.extend(number.to_le_bytes()));
    let (mut next, mut places) = (PositionBlockMark { byte: out.len() as u64, ..PositionBlockMark::default() }, Vec::new());
    let mut close = |next: &mut PositionBlockMark, places: &mut Vec<u16>, out: &mut Vec<u8>| {
        if !places.is_empty() {
            put_mark(*next);
            put_block(places, out);
            *next = PositionBlockMark { before: next.before + places.len() as u64, block: next.block + 1, byte: out.len() as u64 };
            places.clear();
        }
    };
    for at in positions.iter() {
        if at / POSITIONS_PER_BLOCK != next.block {
            close(&mut next, &mut places, out);
            next.block = at / POSITIONS_PER_BLOCK;
        }
        places.push((at % POSITIONS_PER_BLOCK) as u16);
    }
    close(&mut next, &mut places, out);
    put_mark(next);
    marks
}

/// Appends a block to `out`, in the shorter of the two formats. `places` are its positions, relative to the smallest
/// number that the block covers.
fn put_block(places: &[u16], out: &mut Vec<u8>) {
    let from = out.len();
    let bits = places.last().map_or(0, |last| usize::from(*last) / 8 + 1);
    out.push(LIST_FORMAT);
    let mut next = 0;
    for &place in places {
        put(out, u64::from(place) - next);
        next = u64::from(place) + 1;
    }
    if out.len() > from + 1 + bits {
        out.truncate(from);
        out.push(BITS_FORMAT);
        out.resize(from + 1 + bits, 0);
        places.iter().for_each(|&place| out[from + 1 + usize::from(place) / 8] |= 1 << (place % 8));
    }
}

/// Decodes the positions of a block from its `bytes`. `mark` is the mark of the block, and `next` the mark after it.
fn decode(bytes: &[u8], mark: &PositionBlockMark, next: &PositionBlockMark) -> io::Result<Vec<u64>> {
    let (first, len) = (mark.block * POSITIONS_PER_BLOCK, (next.before - mark.before) as usize);
    let mut positions = Vec::with_capacity(len);
    match bytes.split_first() {
        Some((&LIST_FORMAT, list)) => {
            let (mut reader, mut at) = (VarintReader(list), 0u64);
            while !reader.is_empty() {
                let place = at
                    .checked_add(reader.number()?)
                    .filter(|place| *place < POSITIONS_PER_BLOCK)
                    .ok_or_else(|| invalid_data("a position"))?;
                positions.push(first + place);
                at = place + 1;
            }
        }
        Some((&BITS_FORMAT, bits)) => {
            for (from, &byte) in (first..).step_by(8).zip(bits) {
                positions.extend((0..8).filter(|bit| byte >> bit & 1 == 1).map(|bit| from + bit));
            }
        }
        _ => {}
    }
    if positions.len() == len { Ok(positions) } else { Err(invalid_data("a block of positions")) }
}

impl StoredPositions {
    /// Parses the serialized marks `marks`. The first block must begin at byte `begin` of the file.
    ///
    /// # Errors
    /// Returns `InvalidData` if the marks are invalid.
    pub(super) fn new(marks: &[u8], begin: u64) -> io::Result<Self> {
        let mut reader = VarintReader(marks);
        let mut marks = Vec::with_capacity(marks.len() / POSITION_MARK_BYTES as usize);
        while !reader.is_empty() {
            marks.push(PositionBlockMark { before: reader.whole()?, block: reader.whole()?, byte: reader.whole()? });
        }
        let begins = marks.first().is_some_and(|first| first.before == 0 && first.byte == begin);
        let is_bounded = marks.last().is_some_and(|end| end.block <= u64::from(u32::MAX));
        if begins && is_bounded && marks.is_sorted_by(PositionBlockMark::is_before) {
            Ok(Self { marks })
        } else {
            Err(invalid_data("a mark of positions"))
        }
    }

    /// Returns the offset in the file of the byte after the last block.
    pub(super) fn end(&self) -> u64 {
        self.marks.last().map_or(0, |end| end.byte)
    }

    pub(super) fn len(&self) -> u64 {
        self.marks.last().map_or(0, |end| end.before)
    }

    /// Returns the number of bytes of memory that this value uses.
    pub(super) fn memory_bytes(&self) -> u64 {
        size_of_val(self.marks.as_slice()) as u64
    }

    /// Returns the positions whose indices in the ascending list are in `numbers`, cut to the existing ones. Takes one
    /// read.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read.
    pub(super) fn page(&self, source: &ByteSource, numbers: Range<u64>) -> io::Result<Vec<u64>> {
        let numbers = numbers.start.min(self.len())..numbers.end.min(self.len());
        if numbers.is_empty() {
            return Ok(Vec::new());
        }
        let (first, last) = (self.block_of(numbers.start), self.block_of(numbers.end - 1));
        let positions = self.blocks(source, first..last + 1)?;
        let skipped = (numbers.start - self.marks[first].before) as usize;
        Ok(positions.into_iter().skip(skipped).take((numbers.end - numbers.start) as usize).collect())
    }

    /// Reads all positions into memory. Takes O(positions) time.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read.
    pub(super) fn read_all(&self, source: &ByteSource) -> io::Result<PositionSet> {
        let mut all = PositionSetBuilder::default();
        let blocks = self.marks.len() - 1;
        for from in (0..blocks).step_by(BLOCKS_PER_READ) {
            self.blocks(source, from..blocks.min(from + BLOCKS_PER_READ))?.into_iter().for_each(|at| all.push(at));
        }
        Ok(all.finish())
    }

    /// Creates a reader of single positions from `source`, which is fast for lookups in mostly ascending order.
    pub(super) fn lookup<'s>(&'s self, source: &'s ByteSource) -> PositionLookup<'s> {
        PositionLookup { positions: self, source, ahead: (0, Vec::new()), block: None }
    }

    /// Returns the index in `marks` of the block that contains the position with the index `number` in the list. This
    /// position must exist.
    fn block_of(&self, number: u64) -> usize {
        self.marks[..self.marks.len() - 1].partition_point(|mark| mark.before <= number).saturating_sub(1)
    }

    fn blocks(&self, source: &ByteSource, blocks: Range<usize>) -> io::Result<Vec<u64>> {
        let marks = &self.marks[blocks.start..=blocks.end];
        let begin = self.marks[blocks.start].byte;
        let bytes = source.range(begin..self.marks[blocks.end].byte)?;
        let mut positions = Vec::new();
        for ends in marks.windows(2) {
            let own = &bytes[(ends[0].byte - begin) as usize..(ends[1].byte - begin) as usize];
            positions.extend(decode(own, &ends[0], &ends[1])?);
        }
        Ok(positions)
    }
}

/// A reader of single positions of a list. It caches the bytes read last and the positions of the block decoded last.
pub(super) struct PositionLookup<'s> {
    positions: &'s StoredPositions,
    source: &'s ByteSource,
    /// The cached bytes, with the offset of the first of them in the file.
    ahead: (u64, Vec<u8>),
    /// The block that was decoded last: its index in the list of blocks, and its positions.
    block: Option<(usize, Vec<u64>)>,
}

impl PositionLookup<'_> {
    /// Returns the position with the index `number` in the ascending list, or `None` if there are fewer positions.
    /// Takes at most one read.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read.
    pub(super) fn position_at(&mut self, number: u64) -> io::Result<Option<u64>> {
        if number >= self.positions.len() {
            return Ok(None);
        }
        let block = self.positions.block_of(number);
        let inside = number - self.positions.marks[block].before;
        Ok(self.block(block)?.get(inside as usize).copied())
    }

    /// Returns the number of positions in the list that are less than `position`. Takes at most one read.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read.
    pub(super) fn count_below(&mut self, position: u64) -> io::Result<u64> {
        let marks = &self.positions.marks;
        let block = marks[..marks.len() - 1].partition_point(|mark| mark.block < position / POSITIONS_PER_BLOCK);
        let mark = marks[block];
        if block + 1 == marks.len() || mark.block != position / POSITIONS_PER_BLOCK {
            return Ok(mark.before);
        }
        Ok(mark.before + self.block(block)?.partition_point(|at| *at < position) as u64)
    }

    fn block(&mut self, number: usize) -> io::Result<&[u64]> {
        if self.block.as_ref().is_none_or(|(at_hand, _)| *at_hand != number) {
            let (mark, next) = (self.positions.marks[number], self.positions.marks[number + 1]);
            let (from, bytes) = &self.ahead;
            if mark.byte < *from || next.byte > from + bytes.len() as u64 {
                let end = self.positions.end().min(mark.byte + READ_AHEAD_BYTES).max(next.byte);
                self.ahead = (mark.byte, self.source.range(mark.byte..end)?);
            }
            let (from, bytes) = &self.ahead;
            let own = &bytes[(mark.byte - from) as usize..(next.byte - from) as usize];
            self.block = Some((number, decode(own, &mark, &next)?));
        }
        Ok(self.block.as_ref().map(|(_, positions)| positions.as_slice()).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn stored(positions: &PositionSet) -> (StoredPositions, ByteSource) {
        let mut out = b"1234".to_vec();
        let marks = write(positions, &mut out);
        let stored = StoredPositions::new(&marks, 4).unwrap();
        assert_eq!(stored.end(), out.len() as u64);
        (stored, ByteSource::Memory(out.into()))
    }

    /// Generates lists of few and many positions, adjacent and far apart.
    fn lists() -> impl Strategy<Value = Vec<u64>> {
        let few =
            prop::collection::btree_set(prop_oneof![0u64..300, 65_500u64..65_600, 0u64..5 << 16, (1 << 32) - 9..(1u64 << 32) + 9], 0..300);
        (few, 0u64..5, 1usize..9, 0u64..3).prop_map(|(few, dense, step, blocks)| {
            let dense = (dense << 16..(dense + blocks) << 16).step_by(step);
            few.into_iter().chain(dense).collect::<BTreeSet<_>>().into_iter().collect()
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn lookups_agree_with_the_written_positions(list in lists(), ask in prop::collection::vec(0u64..400_000, 20), len in 0u64..200) {
            let positions = PositionSet::from_list(list.clone());
            let (stored, source) = stored(&positions);
            prop_assert_eq!((stored.len(), stored.read_all(&source).unwrap()), (list.len() as u64, positions));
            let mut lookup = stored.lookup(&source);
            for at in ask.iter().copied().chain(list.last().map(|last| last + 1)).chain([1 << 32, u64::MAX]) {
                prop_assert_eq!(lookup.count_below(at).unwrap(), list.partition_point(|one| *one < at) as u64);
                prop_assert_eq!(lookup.position_at(at).unwrap(), list.get(at as usize).copied());
                let page: Vec<u64> = list.iter().skip(at as usize).take(len as usize).copied().collect();
                prop_assert_eq!(stored.page(&source, at..at.saturating_add(len)).unwrap(), page);
            }
        }

        /// Checks that truncated and changed bytes give an error or other positions between the same marks, and never a
        /// panic.
        #[test]
        fn damaged_bytes_cause_errors_and_no_panic(
            list in lists(), at in any::<prop::sample::Index>(), byte in any::<u8>(), of_mark in any::<bool>(),
        ) {
            let mut out = b"1234".to_vec();
            let mut marks = write(&PositionSet::from_list(list), &mut out);
            let bytes = if of_mark { &mut marks } else { &mut out };
            let at = at.index(bytes.len());
            bytes[at] = byte;
            let Ok(stored) = StoredPositions::new(&marks, 4) else { return Ok(()) };
            let source = ByteSource::Memory(out.into());
            let _ = stored.lookup(&source).count_below(1 << 17);
            if let Ok(page) = stored.page(&source, 0..1000) {
                prop_assert!(page.is_sorted_by(|one, next| one < next));
            }
        }
    }

    #[test]
    fn position_takes_at_most_two_bytes_or_one_bit_per_offset() {
        for (step, most) in [(1, 8200), (2, 8200), (8, 8200), (100, 660), (300, 500)] {
            let (stored, _) = stored(&PositionSet::from_list((0..POSITIONS_PER_BLOCK).step_by(step).collect()));
            assert!(stored.end() < most + 4, "{} bytes by {step}", stored.end());
        }
    }
}
