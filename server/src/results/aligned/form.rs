//! File format of a stored alignment. The operations (runs of columns of one kind) are in blocks. They are followed by
//! a mark for each block, with the numbers of columns, symbols and differences before the block, and by a mark for the
//! end.
//!
//! ```text
//! "ESA1"
//! for each operation:             varint of length · 4 + kind (0 to 3 for = X I D; T is X with a length of 2³² more)
//! for each block of 4,096 operations, and for the end:
//!     column, symbols of a, symbols of b, differences before it; first byte · 2 + whether the operation before is an edit: 8 bytes each
//! number of blocks: 8 bytes, "ESA1"
//! ```
//!
//! An alignment of 64 million columns and 12 million operations is a file of 13 MB. Its marks, which stay in memory,
//! have 120 kB.
//!
//! Every block is checked against the marks around it, so that bytes not written by [`write()`] are an error and never
//! wrong operations.

use std::io;
use std::ops::Range;

use kernels::alignment::{Alignment, CigarOp, EditKind};

use crate::results::source::ByteSource;
use crate::results::varint::{VarintReader, invalid_data, put};

/// Signature at the beginning and the end of an alignment file. Older files contain a CIGAR, which begins with a digit.
const ALIGNMENT_SIGNATURE: &[u8; 4] = b"ESA1";

/// Number of operations in a block. The last block may have fewer.
pub(super) const OPS_PER_BLOCK: usize = 4096;

/// Size of a serialized [`AlignmentBlockMark`] in bytes.
const ALIGNMENT_MARK_BYTES: u64 = 40;
/// Number of bytes after the last mark of the file: the number of blocks and the signature.
const ALIGNMENT_TAIL_BYTES: u64 = 12;

/// Number of bytes at the end of a file that are read first. In most files they contain all marks.
const ALIGNMENT_END_READ_BYTES: u64 = 64 << 10;

/// Maximum number of columns: those of two texts of 4 GiB without any equal symbols, each symbol in a column of its
/// own.
const MAX_ALIGNMENT_COLUMNS: u64 = 2 * u32::MAX as u64;

/// Maximum size of a serialized operation in bytes. It has 35 bits (33 for its length and 2 for its kind), seven in
/// each byte.
const MAX_OP_BYTES: u64 = 5;

/// Number that is added to the length of a run of transpositions. Versions that know no transpositions refuse the file.
const TRANSPOSED: u64 = 1 << 32;

/// Kinds of columns. The index of a kind is its number in the file.
const KINDS: [EditKind; 4] = [EditKind::Equal, EditKind::Substitute, EditKind::Insert, EditKind::Delete];

/// A mark of a block: the numbers of columns, symbols and differences before this block of operations. The last mark
/// stands for the end of the alignment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct AlignmentBlockMark {
    /// Number of columns before the block.
    pub(super) column: u64,
    /// Number of symbols of `a` before the block.
    pub(super) a: u64,
    /// Number of symbols of `b` before the block.
    pub(super) b: u64,
    /// Number of differences that begin before the block.
    pub(super) difference: u64,
    /// Whether the last operation before the block is an edit, so that a difference may continue in the block.
    pub(super) inside: bool,
    /// Offset of the block's first byte in the file.
    pub(super) byte: u64,
}

impl AlignmentBlockMark {
    /// Returns the mark after one more operation: adds its columns, symbols and difference. The field `byte` does not
    /// change.
    pub(super) fn after(self, CigarOp { edit, len }: CigarOp) -> Self {
        let ((a, b), len) = (edit.consumed_symbols(), u64::from(len));
        Self {
            column: self.column + len,
            a: self.a + a * len,
            b: self.b + b * len,
            difference: self.difference + u64::from(self.begins(edit)),
            inside: edit != EditKind::Equal,
            byte: self.byte,
        }
    }

    /// Returns whether an operation of kind `edit` would begin a difference if it followed this mark.
    pub(super) fn begins(self, edit: EditKind) -> bool {
        edit != EditKind::Equal && !self.inside
    }

    /// Returns whether a valid block may lie between this mark and `next`: no number decreases, and the block is
    /// neither empty nor too large.
    fn is_before(&self, next: &Self) -> bool {
        let bytes = next.byte.checked_sub(self.byte);
        let grows = self.column < next.column && self.a <= next.a && self.b <= next.b && self.difference <= next.difference;
        grows && bytes.is_some_and(|bytes| (1..=MAX_OP_BYTES * OPS_PER_BLOCK as u64).contains(&bytes))
    }
}

/// Serializes an alignment in the format of the file. Takes O(operations) time.
pub(super) fn write(alignment: &Alignment) -> Vec<u8> {
    let stretches = alignment.cigar_ops();
    let blocks = stretches.len().div_ceil(OPS_PER_BLOCK);
    let mut out = Vec::with_capacity(
        ALIGNMENT_SIGNATURE.len() + 2 * stretches.len() + (blocks + 1) * ALIGNMENT_MARK_BYTES as usize + ALIGNMENT_TAIL_BYTES as usize,
    );
    out.extend(ALIGNMENT_SIGNATURE);
    let (mut marks, mut here) = (Vec::with_capacity(blocks + 1), AlignmentBlockMark::default());
    for block in stretches.chunks(OPS_PER_BLOCK) {
        marks.push(AlignmentBlockMark { byte: out.len() as u64, ..here });
        for &stretch in block {
            let (kind, more) = match stretch.edit {
                EditKind::Equal => (0, 0),
                EditKind::Substitute => (1, 0),
                EditKind::Insert => (2, 0),
                EditKind::Delete => (3, 0),
                EditKind::Transpose => (1, TRANSPOSED),
            };
            put(&mut out, (u64::from(stretch.len) + more) << 2 | kind);
            here = here.after(stretch);
        }
    }
    marks.push(AlignmentBlockMark { byte: out.len() as u64, ..here });
    for mark in marks {
        let numbers = [mark.column, mark.a, mark.b, mark.difference, mark.byte << 1 | u64::from(mark.inside)];
        numbers.iter().for_each(|number| out.extend(number.to_le_bytes()));
    }
    out.extend((blocks as u64).to_le_bytes());
    out.extend(ALIGNMENT_SIGNATURE);
    out
}

/// Returns whether `source` begins with the signature of this format. Files of older versions do not.
///
/// # Errors
/// Returns an error if the file cannot be read.
pub(super) fn is_ours(source: &ByteSource) -> io::Result<bool> {
    let len = source.size()?;
    Ok(len >= ALIGNMENT_SIGNATURE.len() as u64 && source.range(0..ALIGNMENT_SIGNATURE.len() as u64)? == ALIGNMENT_SIGNATURE)
}

/// Reads the mark before each block, and the mark at the end. Takes one or two reads.
///
/// # Errors
/// Returns an error if the file cannot be read, or `InvalidData` if it contains no alignment.
pub(super) fn marks(source: &ByteSource) -> io::Result<Vec<AlignmentBlockMark>> {
    let len = source.size()?;
    let first = len.saturating_sub(ALIGNMENT_END_READ_BYTES);
    let end = source.range(first..len)?;
    let tail = end.len().checked_sub(ALIGNMENT_TAIL_BYTES as usize).ok_or_else(|| invalid_data("the end"))?;
    let mut reader = VarintReader(&end[tail..]);
    let blocks = reader.whole()?;
    let bytes = blocks
        .checked_add(1)
        .and_then(|marks| marks.checked_mul(ALIGNMENT_MARK_BYTES))
        .filter(|bytes| *bytes <= len - ALIGNMENT_TAIL_BYTES);
    let from = bytes
        .map(|bytes| len - ALIGNMENT_TAIL_BYTES - bytes)
        .filter(|_| reader.0 == ALIGNMENT_SIGNATURE)
        .ok_or_else(|| invalid_data("the end"))?;
    let before = if from < first { source.range(from..first)? } else { Vec::new() };
    let own = [&before[..], &end[from.saturating_sub(first) as usize..tail]].concat();
    let mut reader = VarintReader(&own);
    let mut marks = Vec::with_capacity(blocks as usize + 1);
    while !reader.is_empty() {
        let [column, a, b, difference, byte] = [reader.whole()?, reader.whole()?, reader.whole()?, reader.whole()?, reader.whole()?];
        marks.push(AlignmentBlockMark { column, a, b, difference, inside: byte & 1 == 1, byte: byte >> 1 });
    }
    let (begin, end) = (
        AlignmentBlockMark { byte: ALIGNMENT_SIGNATURE.len() as u64, ..AlignmentBlockMark::default() },
        marks.last().copied().unwrap_or_default(),
    );
    let is_whole = marks.first() == Some(&begin) && end.byte == from && end.column <= MAX_ALIGNMENT_COLUMNS;
    if !is_whole || !marks.is_sorted_by(AlignmentBlockMark::is_before) {
        return Err(invalid_data("a mark"));
    }
    Ok(marks)
}

/// Reads the operations of the adjacent blocks with the numbers `blocks`, with one read. `marks` are all marks of the
/// file.
///
/// # Errors
/// Returns an error if the file cannot be read, or `InvalidData` if a block does not match its marks.
///
/// # Panics
/// Panics if the blocks do not exist.
pub(super) fn blocks(source: &ByteSource, marks: &[AlignmentBlockMark], blocks: Range<usize>) -> io::Result<Vec<CigarOp>> {
    let marks = &marks[blocks.start..=blocks.end];
    let (Some(first), Some(last)) = (marks.first(), marks.last()) else { return Ok(Vec::new()) };
    let bytes = source.range(first.byte..last.byte)?;
    let mut stretches = Vec::with_capacity(OPS_PER_BLOCK * blocks.len());
    for ends in marks.windows(2) {
        let mut reader = VarintReader(&bytes[(ends[0].byte - first.byte) as usize..(ends[1].byte - first.byte) as usize]);
        let mut here = ends[0];
        while !reader.is_empty() {
            let number = reader.number()?;
            let (edit, len) = match (KINDS[(number & 3) as usize], number >> 2) {
                (EditKind::Substitute, len) if len > TRANSPOSED => (EditKind::Transpose, len - TRANSPOSED),
                (edit, len) => (edit, len),
            };
            let len = u32::try_from(len).ok().filter(|len| *len > 0).ok_or_else(|| invalid_data("a stretch"))?;
            let stretch = CigarOp { edit, len };
            here = here.after(stretch);
            stretches.push(stretch);
        }
        if (AlignmentBlockMark { byte: ends[1].byte, ..here }) != ends[1] {
            return Err(invalid_data("a block"));
        }
    }
    Ok(stretches)
}
