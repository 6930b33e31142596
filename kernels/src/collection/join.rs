//! Join: all pairs of members with few edits, without the scores of all pairs.
//!
//! Three methods find the same pairs. Each pair that a method proposes is checked by its exact distance.
//!
//! - [`pieces`]: a member with at most k edits has one of k + 1 pieces of the other member unchanged
//! - [`deletions`]: two short members with at most k edits become equal after some deletions
//! - lanes: the scores of all pairs, for few members or many edits
//! - [`bounded`]: the exact distance of two members with few edits
//!
//! The number of candidates of the first method depends on the members. It runs within a budget of candidates, the
//! estimated cost of the best other method, and gives up beyond it. Thus members that share most of their pieces, such
//! as those with a common start, cost at most about twice the time of the best method.

use std::ops::Range;

use super::Corpus;
use super::cpu::{lanes, scores};
use super::tile::{PairScore, Tile};
use crate::cpu::Cpu;
use crate::failure::{JobFailure, large};
use crate::run::{Halt, Run};
use crate::symbol::Symbol;
use crate::with_corpus_symbols;
use bounded::BoundedDistance;

mod bounded;
mod deletions;
mod pieces;

/// A member of the rows, a member of the columns, and their distance.
pub(crate) type NearPair = (u32, u32, u32);

/// Finds all pairs of a member in `rows` and a member in `columns` with an edit distance of at most `k`, in the order
/// of rows and then of columns. If both ranges are equal, finds each pair once, with the lower number as its row, and
/// no member with itself. Members are numbered as in the corpus, which has fewer than 2³¹.
///
/// Among members that differ much, takes about O(members · k²) time and 12 bytes a member of memory for k + 1 pieces.
/// For short members, takes O(members · lengthᵏ) time and at most 136 MB of memory for each thread. Otherwise takes the
/// time of all scores, and 64 MB for the scores of a tile. In addition needs 12 bytes for each pair found.
///
/// Reports cells of matrices to `run`, those of one method after those of another that it has given up.
///
/// # Errors
/// Returns `Stopped` if the run is stopped, and `TooLarge` if there are more than `max_pairs` pairs.
pub(crate) fn within(
    corpus: &Corpus,
    rows: Range<usize>,
    columns: Range<usize>,
    k: u32,
    max_pairs: u64,
    cpu: &Cpu,
    run: &Run,
) -> Result<Vec<NearPair>, Halt> {
    // No distance exceeds the longer length.
    let longest = rows.clone().chain(columns.clone()).map(|member| corpus.member_len(member)).max().unwrap_or(0);
    let k = (k as usize).min(longest);
    with_corpus_symbols!(corpus, |symbols| Join { corpus, symbols, rows, columns, k, max_pairs, cpu, run }.solve())
}

/// Estimates the time of [`within`] on one core, in nanoseconds.
pub(crate) fn expected_ns(corpus: &Corpus, rows: Range<usize>, columns: Range<usize>, k: u32, cpu: &Cpu, run: &Run) -> f64 {
    let longest = rows.clone().chain(columns.clone()).map(|member| corpus.member_len(member)).max().unwrap_or(0);
    let k = (k as usize).min(longest);
    with_corpus_symbols!(corpus, |symbols| Join { corpus, symbols, rows, columns, k, max_pairs: 0, cpu, run }.expected_ns())
}

/// The parameters of a join.
struct Join<'j, T> {
    corpus: &'j Corpus,
    symbols: &'j [T],
    rows: Range<usize>,
    columns: Range<usize>,
    k: usize,
    max_pairs: u64,
    cpu: &'j Cpu,
    run: &'j Run<'j>,
}

/// Estimated time of a candidate without edits, in nanoseconds.
const CANDIDATE_NS: f64 = 12.0;

/// Estimated time of a diagonal of a candidate, in nanoseconds. About k² / 2 diagonals are followed.
const DIAGONAL_NS: f64 = 3.0;

/// Estimated time of a score in lanes in addition to its cells, in nanoseconds.
const LANE_SCORE_NS: f64 = 3.0;

/// Estimated number of cells a nanosecond for each lane.
const CELLS_NS_LANE: f64 = 0.8;

/// Number of pairs for each allowed one above which equal pairs are removed.
const REPEATED_PAIRS: u64 = 4;

/// Minimum number of allowed pairs for which equal pairs are counted.
const MIN_COMPACTED: u64 = 1 << 18;

/// Maximum number of scores of a tile in lanes.
const MAX_TILE: usize = 1 << 24;

impl<T: Symbol> Join<'_, T> {
    fn solve(&self) -> Result<Vec<NearPair>, Halt> {
        if self.rows.is_empty() || self.columns.is_empty() {
            return Ok(Vec::new());
        }
        let by_lanes = self.lanes_ns();
        let by_deletions = self.deletions_ns();
        let other = by_deletions.map_or(by_lanes, |ns| ns.min(by_lanes));
        let budget = (other / self.candidate_ns()) as u64;
        if self.expected_candidates() < budget as f64
            && let Some(pairs) = self.solve_by_pieces(budget)?
        {
            return Ok(pairs);
        }
        match by_deletions {
            Some(ns) if ns < by_lanes => self.solve_by_deletions(),
            _ => self.solve_by_lanes(),
        }
    }

    /// Estimates the time to check a candidate, in nanoseconds.
    fn candidate_ns(&self) -> f64 {
        let k = self.k as f64;
        CANDIDATE_NS + DIAGONAL_NS * k * k / 2.0
    }

    fn expected_ns(&self) -> f64 {
        if self.rows.is_empty() || self.columns.is_empty() {
            return 0.0;
        }
        let by_pieces = self.expected_candidates() * self.candidate_ns();
        self.deletions_ns().into_iter().chain([self.lanes_ns(), by_pieces]).fold(f64::INFINITY, f64::min)
    }

    /// Returns whether both sides are the same members.
    fn is_one_sided(&self) -> bool {
        self.rows == self.columns
    }

    fn member(&self, member: u32) -> &[T] {
        &self.symbols[self.corpus.range(member as usize)]
    }

    fn len_of(&self, member: u32) -> usize {
        self.corpus.member_len(member as usize)
    }

    /// Returns the members of a side, sorted by length and then by number.
    fn sorted(&self, side: &Range<usize>) -> Vec<u32> {
        let mut members: Vec<u32> = side.clone().map(|member| member as u32).collect();
        members.sort_by_key(|&member| self.len_of(member));
        members
    }

    /// Returns the number of symbols of the members of `side`.
    fn symbols_of(&self, side: &Range<usize>) -> u64 {
        side.clone().map(|member| self.corpus.member_len(member) as u64).sum()
    }

    /// Estimates the time of the scores of all pairs in lanes, in nanoseconds.
    fn lanes_ns(&self) -> f64 {
        let pairs = self.rows.len() as f64 * self.columns.len() as f64 / if self.is_one_sided() { 2.0 } else { 1.0 };
        let [m, n] = [&self.rows, &self.columns].map(|side| self.symbols_of(side) as f64 / side.len() as f64);
        let cells = m * n.min(2.0 * self.k as f64 + 8.0);
        let filled = self.rows.len().max(self.columns.len()).min(lanes()) as f64;
        pairs * (LANE_SCORE_NS + cells / (CELLS_NS_LANE * filled))
    }

    /// Computes all scores and keeps the low ones.
    fn solve_by_lanes(&self) -> Result<Vec<NearPair>, Halt> {
        let score = PairScore::EditDistance { within: Some(self.k as u32) };
        let height = (MAX_TILE / self.columns.len().max(1)).max(1);
        let mut near = Vec::new();
        for first in self.rows.clone().step_by(height) {
            let rows = first..(first + height).min(self.rows.end);
            let columns = if self.is_one_sided() { first..self.columns.end } else { self.columns.clone() };
            let scores = scores(self.corpus, &Tile { rows: rows.clone(), columns: columns.clone() }, &score, self.cpu, self.run)?;
            for (row, scores) in rows.zip(scores.chunks_exact(columns.len().max(1))) {
                for (column, &distance) in columns.clone().zip(scores) {
                    if distance as usize <= self.k && (!self.is_one_sided() || row < column) {
                        near.push((row as u32, column as u32, distance as u32));
                    }
                }
                self.check_count(near.len())?;
            }
        }
        Ok(near)
    }

    /// Checks the pair of the members `row` and `column`, and appends it to `near` if it has at most `k` edits. With one
    /// side, orders the members. Removes equal pairs if there are many.
    fn check(&self, row: u32, column: u32, distance: &mut BoundedDistance, near: &mut Vec<NearPair>) -> Result<(), Halt> {
        let [a, b] = [row, column].map(|member| self.corpus.range(member as usize));
        if let Some(edits) = distance.of(self.symbols, a, b) {
            let (row, column) = if self.is_one_sided() { (row.min(column), row.max(column)) } else { (row, column) };
            near.push((row, column, edits));
            if near.len() as u64 >= REPEATED_PAIRS * self.max_pairs.max(MIN_COMPACTED) {
                self.compact(near)?;
            }
        }
        Ok(())
    }

    /// Sorts pairs and removes equal ones.
    ///
    /// # Errors
    /// Returns `TooLarge` if too many pairs are left.
    fn compact(&self, near: &mut Vec<NearPair>) -> Result<(), Halt> {
        *near = unique(std::mem::take(near));
        self.check_count(near.len())
    }

    fn check_count(&self, pairs: usize) -> Result<(), Halt> {
        let (got, limit) = (pairs as u64, self.max_pairs);
        if got > limit { Err(JobFailure::TooLarge { what: large::KEPT_PAIRS.into(), got, limit }.into()) } else { Ok(()) }
    }
}

/// Sorts pairs and removes equal ones.
fn unique(mut near: Vec<NearPair>) -> Vec<NearPair> {
    near.sort_unstable();
    near.dedup();
    near
}

#[cfg(test)]
mod tests;
