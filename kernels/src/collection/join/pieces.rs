//! Pieces: one of k + 1 pieces of a member stands unchanged in each member with at most k edits.
//!
//! Each member b of a side is cut into k + 1 pieces. For a member a with at most k edits there is a piece i, from 0,
//! such that b has exactly i edits before it, none in it, and at most k − i after it. (It is the first piece up to whose
//! end there are at most i edits.) Hence a has the piece at an offset of at most i from its place in b, and of at most
//! k − i if both are aligned at their ends. Only these places are looked up (Li, Deng, Wang and Feng 2011, Pass-Join,
//! section 4). The pieces of each length and number have a table of their own.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::{BoundedDistance, Join, NearPair};
use crate::cpu::try_spread;
use crate::run::Halt;
use crate::symbol::Symbol;

/// Number of members between two reports of progress.
const BLOCK: usize = 1 << 10;

/// Returns the hash of a piece. Equal pieces have equal hashes.
fn hash<T: Symbol>(piece: &[T]) -> u32 {
    let hash =
        piece.iter().fold(0u64, |hash, symbol| (hash ^ u64::from(symbol.number())).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29));
    (hash.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32
}

/// Returns the place of the piece `piece` of `pieces` in a member of `len` symbols. Pieces in the middle are the longer
/// ones, because they are looked up at more places.
fn place(piece: usize, pieces: usize, len: usize) -> Range<usize> {
    let (short, longer) = (len / pieces, len % pieces);
    let first_longer = (pieces - longer) / 2;
    let start = |piece: usize| piece * short + piece.saturating_sub(first_longer).min(longer);
    start(piece)..start(piece + 1)
}

/// Returns the starts of a piece at `place` of a member of `len` symbols within a member of `other` symbols, if `before`
/// edits are possible before the piece and `after` edits behind it.
fn starts(place: &Range<usize>, before: usize, after: usize, len: usize, other: usize) -> Range<usize> {
    let [start, before, after, longer] = [place.start, before, after, other].map(|number| number as i64);
    let longer = longer - len as i64;
    let first = (start - before).max(start + longer - after).max(0);
    let last = (start + before).min(start + longer + after).min(other as i64 - place.len() as i64);
    first as usize..(last + 1).max(first) as usize
}

/// The hashes of the pieces of some members, in buckets.
struct PieceTable {
    /// Number of bits of a hash that are not the number of its bucket.
    shift: u32,
    ends: Vec<u32>,
    /// Hash and member, in the order of members within a bucket.
    entries: Vec<(u32, u32)>,
}

impl PieceTable {
    fn new(hashes: &[u32], members: &[u32]) -> Self {
        let bits = usize::BITS - hashes.len().leading_zeros();
        let shift = 32 - bits.clamp(1, 31);
        let mut ends = vec![0u32; (1 << (32 - shift)) + 1];
        hashes.iter().for_each(|hash| ends[(hash >> shift) as usize + 1] += 1);
        for bucket in 1..ends.len() {
            ends[bucket] += ends[bucket - 1];
        }
        let mut entries = vec![(0, 0); hashes.len()];
        for (&hash, &member) in hashes.iter().zip(members) {
            let next = &mut ends[(hash >> shift) as usize];
            entries[*next as usize] = (hash, member);
            *next += 1;
        }
        Self { shift, ends, entries }
    }

    /// Returns the members with `hash`, in ascending order.
    #[inline]
    fn members(&self, hash: u32) -> impl Iterator<Item = u32> {
        let bucket = (hash >> self.shift) as usize;
        let start = if bucket == 0 { 0 } else { self.ends[bucket - 1] };
        let entries = &self.entries[start as usize..self.ends[bucket] as usize];
        entries.iter().filter(move |(other, _)| *other == hash).map(|(_, member)| *member)
    }
}

impl<T: Symbol> Join<'_, T> {
    /// Returns the columns in groups of equal length, each with the range of `rows` that are compared with the group.
    /// Both are sorted by length.
    fn length_groups<'s>(&self, rows: &[u32], columns: &'s [u32]) -> Vec<(usize, &'s [u32], Range<usize>)> {
        let groups = columns.chunk_by(|&x, &y| self.len_of(x) == self.len_of(y));
        let group = |group: &'s [u32]| {
            let len = self.len_of(group[0]);
            let shortest = if self.is_one_sided() { len } else { len.saturating_sub(self.k) };
            let from = rows.partition_point(|&row| self.len_of(row) < shortest);
            let to = rows.partition_point(|&row| self.len_of(row) <= len.saturating_add(self.k));
            (len, group, from..to)
        };
        groups.map(group).collect()
    }

    /// Estimates the number of candidates among random members with all symbols of the alphabet.
    pub(super) fn expected_candidates(&self) -> f64 {
        let (rows, columns) = (self.sorted(&self.rows), self.sorted(&self.columns));
        let pieces = self.k.saturating_add(1);
        let mut candidates = 0.0;
        for (len, group, near) in self.length_groups(&rows, &columns) {
            let pairs = group.len() as f64 * near.len() as f64;
            let chance = f64::from(self.corpus.alphabet()).powf(-((len / pieces) as f64));
            candidates += if len < pieces { pairs } else { pairs * chance * (pieces * pieces / 2 + 1) as f64 };
        }
        candidates
    }

    /// Finds all pairs by pieces. Returns `None` if there are more candidates than `budget`.
    pub(super) fn solve_by_pieces(&self, budget: u64) -> Result<Option<Vec<NearPair>>, Halt> {
        let (rows, columns) = (self.sorted(&self.rows), self.sorted(&self.columns));
        let groups = self.length_groups(&rows, &columns);
        let cells = |len: usize, group: &[u32], row: u32| len as u64 * group.len() as u64 * self.len_of(row) as u64;
        let all = |(len, group, near): &(usize, &[u32], Range<usize>)| -> u64 {
            rows[near.clone()].iter().map(|&row| cells(*len, group, row)).sum()
        };
        let expected: u64 = groups.iter().map(all).sum();
        self.run.raise_expected(expected);
        let begun = self.run.cells();
        let spent = AtomicU64::new(0);
        let mut near_pairs = Vec::new();
        for (len, group, near) in &groups {
            let pieces = if *len > self.k { self.k + 1 } else { 0 };
            // Members of up to k symbols have no k + 1 pieces. Instead the empty piece makes all pairs candidates.
            let tables = pieces.max(1);
            for piece in 0..tables {
                let place = if pieces == 0 { 0..0 } else { place(piece, pieces, *len) };
                let hashes: Vec<u32> = group.iter().map(|&member| hash(&self.member(member)[place.clone()])).collect();
                let table = PieceTable::new(&hashes, group);
                let blocks: Vec<&[u32]> = rows[near.clone()].chunks(BLOCK).collect();
                let found = try_spread(&blocks, self.cpu.threads, |block| {
                    let mut distance = BoundedDistance::new(self.k);
                    let mut found = Vec::new();
                    let mut done = 0;
                    for &row in *block {
                        let symbols = self.member(row);
                        let mut candidates = 0;
                        let is_same_length = self.is_one_sided() && symbols.len() == *len;
                        let starts = if pieces == 0 { 0..1 } else { starts(&place, piece, self.k - piece, *len, symbols.len()) };
                        for start in starts {
                            let members = table.members(hash(&symbols[start..start + place.len()]));
                            // Of two members of equal length, the higher one looks up the lower one.
                            for column in members.take_while(|&column| !is_same_length || column < row) {
                                candidates += 1;
                                self.check(row, column, &mut distance, &mut found)?;
                            }
                        }
                        done += cells(*len, group, row);
                        if spent.fetch_add(candidates, Relaxed) + candidates > budget {
                            break;
                        }
                    }
                    self.run.tick(if piece + 1 == tables { done } else { 0 })?;
                    Ok::<_, Halt>(found)
                })?;
                near_pairs.extend(found.into_iter().flatten());
                if near_pairs.len() as u64 > self.max_pairs {
                    self.compact(&mut near_pairs)?;
                }
                if spent.load(Relaxed) > budget {
                    self.run.reduce_expected(expected.saturating_sub(self.run.cells() - begun));
                    return Ok(None);
                }
            }
        }
        self.compact(&mut near_pairs)?;
        Ok(Some(near_pairs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_cover_a_member_in_order() {
        for (pieces, len) in (1..9).flat_map(|pieces| (pieces..40).map(move |len| (pieces, len))) {
            let places: Vec<Range<usize>> = (0..pieces).map(|piece| place(piece, pieces, len)).collect();
            assert_eq!((places[0].start, places[pieces - 1].end), (0, len));
            assert!(places.windows(2).all(|pair| pair[0].end == pair[1].start), "{places:?}");
            assert!(places.iter().all(|place| place.len().abs_diff(len / pieces) <= 1 && !place.is_empty()), "{places:?}");
        }
    }
}
