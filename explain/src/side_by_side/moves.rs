//! Moved blocks: runs of words or lines that the alignment deletes at one position and inserts at another.
//! [`moved_blocks`] finds them.

use std::ops::Range;

use kernels::alignment::{Alignment, EditKind};
use kernels::text::{Pair, TextSymbols, Unit};

use super::pairing::in_common;

/// Minimum number of words of a moved block. Shorter blocks are often equal by chance.
const MIN_WORDS: usize = 12;

/// Minimum number of lines of a moved block.
const MIN_LINES: usize = 2;

/// Maximum number of other symbols between two deletions (or two insertions) that still belong to one block. An
/// alignment divides a moved block by such gaps, because common words in it are equal by chance.
const MAX_GAP: u64 = 3;

/// Minimum share of symbols that a deleted and an inserted block must have in common to be a moved block.
const MIN_COMMON: f64 = 0.9;

/// Maximum number of blocks of each text that are compared. The longest blocks are chosen.
const MAX_BLOCKS: usize = 32;

/// Maximum number of symbols in all compared blocks of one text together.
const MAX_SYMBOLS: usize = 200_000;

/// A moved block: a run of words or lines that is deleted from the first text and inserted, almost equal, into the
/// second text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MovedBlock {
    /// Half-open range of the symbols of the block in the first text.
    pub a: Range<u64>,
    /// Half-open range of the symbols of the block in the second text.
    pub b: Range<u64>,
}

/// Returns the moved blocks of `alignment`, in the order of the first text. Takes O(symbols · blocks) time for the
/// compared symbols and blocks, whose numbers are bounded.
pub(super) fn moved_blocks(pair: &Pair, alignment: &Alignment) -> Vec<MovedBlock> {
    let least = if pair.a.unit() == Unit::Lines { MIN_LINES } else { MIN_WORDS };
    let deleted = longest(blocks(alignment, EditKind::Delete), least);
    let inserted = longest(blocks(alignment, EditKind::Insert), least);
    let sorted =
        |symbols: &TextSymbols, blocks: &[Range<u64>]| -> Vec<Vec<u32>> { blocks.iter().map(|block| sorted(symbols, block)).collect() };
    let (of_a, of_b) = (sorted(pair.a_symbols(), &deleted), sorted(pair.b_symbols(), &inserted));
    let mut is_taken = vec![false; inserted.len()];
    let mut moved = Vec::new();
    for (a, symbols) in deleted.into_iter().zip(&of_a) {
        let open = (0..inserted.len()).filter(|at| !is_taken[*at]);
        let likest = open.max_by(|x, y| common_share(symbols, &of_b[*x]).total_cmp(&common_share(symbols, &of_b[*y])));
        if let Some(at) = likest.filter(|at| common_share(symbols, &of_b[*at]) >= MIN_COMMON) {
            is_taken[at] = true;
            moved.push(MovedBlock { a, b: inserted[at].clone() });
        }
    }
    moved.sort_by_key(|block| block.a.start);
    moved
}

/// Returns the blocks of symbols (half-open ranges) that `alignment` deletes from the first text or inserts into the
/// second text. `edit` is a deletion or an insertion, and selects one of both.
fn blocks(alignment: &Alignment, edit: EditKind) -> Vec<Range<u64>> {
    let mut blocks: Vec<Range<u64>> = Vec::new();
    let mut at = 0;
    for stretch in alignment.cigar_ops() {
        let (di, dj) = stretch.edit.consumed_symbols();
        let len = u64::from(stretch.len) * if edit == EditKind::Delete { di } else { dj };
        if stretch.edit == edit {
            match blocks.last_mut().filter(|last| at - last.end <= MAX_GAP) {
                Some(last) => last.end = at + len,
                None => blocks.push(at..at + len),
            }
        }
        at += len;
    }
    blocks
}

/// Returns the blocks of at least `least` symbols, longest first. Leaves out blocks beyond the first [`MAX_BLOCKS`],
/// and blocks that would exceed [`MAX_SYMBOLS`] symbols in total.
fn longest(mut blocks: Vec<Range<u64>>, least: usize) -> Vec<Range<u64>> {
    blocks.retain(|block| block.end - block.start >= least as u64);
    blocks.sort_by_key(|block| std::cmp::Reverse(block.end - block.start));
    blocks.truncate(MAX_BLOCKS);
    let mut room = MAX_SYMBOLS as u64;
    blocks.retain(|block| {
        let fits = block.end - block.start <= room;
        room -= if fits { block.end - block.start } else { 0 };
        fits
    });
    blocks
}

fn sorted(symbols: &TextSymbols, block: &Range<u64>) -> Vec<u32> {
    let mut sorted: Vec<u32> = block.clone().map(|at| symbols.symbol_at(at as usize)).collect();
    sorted.sort_unstable();
    sorted
}

/// Returns the number of values that two ascending lists have in common, divided by the length of the longer list.
/// Returns 0 if the shorter list alone makes a share of [`MIN_COMMON`] impossible.
fn common_share(a: &[u32], b: &[u32]) -> f64 {
    let longer = a.len().max(b.len());
    if (a.len().min(b.len()) as f64) < MIN_COMMON * longer as f64 {
        return 0.0;
    }
    in_common(a, b) as f64 / longer as f64
}
