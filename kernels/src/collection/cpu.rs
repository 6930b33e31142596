//! The CPU engine of collections: computes the scores of a tile of pairs.
//!
//! - [`bit_lanes`]: distances and LCS lengths of one text and many members, with one bit a pair
//! - [`number_lanes`]: scores of alignments of one text and some members, with one number of 16 bits a pair
//! - [`words`]: memory at the border of cache lines

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::Corpus;
use super::tile::{PairScore, Tile};
use crate::cpu::{Cpu, spread, try_spread};
use crate::job::EditCosts;
use crate::pair::cpu::{PairOutput, PairRequest};
use crate::run::{Halt, Run};
use crate::symbol::Symbol;
use crate::task::sequence_alignment::engine as alignment;
use crate::task::{edit_distance, lcs};
use crate::with_corpus_symbols;
pub(super) use bit_lanes::lanes;
use bit_lanes::{BitLanes, EditRule, ExchangeRule, LcsRule};
use number_lanes::NumberLanes;

mod bit_lanes;
mod number_lanes;
mod words;

/// Number of cells between two progress reports.
const TICK: u64 = 1 << 26;

/// Maximum memory of the groups that are computed together, in bytes.
const MAX_GROUP_BYTES: usize = 1 << 26;

/// Number of scores that stay in the cache.
const CACHED_SCORES: usize = 1 << 16;

/// Maximum number of rows with which all groups are compared before the next rows.
const MAX_CACHED_ROWS: usize = 64;

/// Number of parts of the rows for each thread, because parts take unequal times.
const PARTS: usize = 8;

/// An engine that computes the scores of one text with a group of members at a time, each member in a lane of a vector.
trait LaneEngine<T>: Sync {
    /// The members in the lanes, with a place in a row of scores for each.
    type Group: Send + Sync;
    /// Buffers that a thread reuses for every text.
    type Scratch: Default;

    /// Minimum average length of members whose scores are mirrored at the diagonal. Shorter ones are computed faster.
    const MIN_MIRRORED: usize;

    /// Returns the maximum number of members of a group.
    fn lanes(&self) -> usize;

    /// Returns the minimum number of members of a group with a longest member of `longest` symbols. With fewer members, one
    /// pair at a time is faster.
    fn min_lanes(&self, longest: usize) -> usize;

    /// Returns whether a member can be in a lane.
    fn takes_member(&self, member: &[T]) -> bool;

    /// Returns the maximum memory of a group with a longest member of `longest` symbols, in bytes.
    fn max_bytes(&self, longest: usize) -> usize;

    /// Returns whether a member can be the text.
    fn takes_text(&self, text: &[T]) -> bool;

    /// Creates a group of members, each with its place in a row of scores. They are sorted by length.
    fn group(&self, members: &[(usize, &[T])]) -> Self::Group;

    /// Writes the score of `text` and each member into `scores`, at the place of the member.
    fn score(&self, group: &Self::Group, text: &[T], scratch: &mut Self::Scratch, scores: &mut [i32]);
}

/// Computes the score of each pair of `tile`, row by row.
///
/// If both ranges have many members, edit distance and LCS take O(rows · columns · m · n / lanes) time for members of m
/// and n symbols, where a vector has a lane for each of its bits. The best width of a tile is a multiple of 512 columns.
/// The scores of short members should take at most 32 MiB, because larger results are allocated in new pages each time.
/// Scores of alignments have a lane for 16 bits. Columns are sorted by length, so that members of all lengths may be in
/// one tile. Working memory is up to 64 MiB for groups of columns, and up to 256 bytes a symbol of a row's member for
/// each thread.
///
/// Reports the cells of the matrices of all pairs to `run`.
///
/// # Errors
/// Returns `Stopped` if the run is stopped.
pub(crate) fn scores(corpus: &Corpus, tile: &Tile, score: &PairScore, cpu: &Cpu, run: &Run) -> Result<Vec<i32>, Halt> {
    with_corpus_symbols!(corpus, |symbols| {
        let [rows, columns] = [&tile.rows, &tile.columns].map(|range| members(corpus, symbols, range));
        let is_square = tile.rows == tile.columns;
        TileSolver { alphabet: corpus.alphabet(), score, is_square, cpu, run }.solve(&rows, &columns)
    })
}

/// Returns the symbols of each member in `range`.
fn members<'s, T>(corpus: &Corpus, symbols: &'s [T], range: &Range<usize>) -> Vec<&'s [T]> {
    range.clone().map(|member| &symbols[corpus.range(member)]).collect()
}

/// The parameters of a tile.
struct TileSolver<'t> {
    alphabet: u32,
    score: &'t PairScore,
    /// Whether rows and columns are the same members.
    is_square: bool,
    cpu: &'t Cpu,
    run: &'t Run<'t>,
}

/// The members of a group, each with its place in a row of scores.
type PlacedMembers<'s, T> = Vec<(usize, &'s [T])>;

/// Groups that are computed together.
struct GroupBatch<'s, T> {
    /// The members of each group with their places, and the rank of the first one among all columns.
    members: Vec<(usize, PlacedMembers<'s, T>)>,
    bytes: usize,
}

/// Some rows of a tile and their scores.
struct RowBlock<'s> {
    rows: Range<usize>,
    scores: Mutex<&'s mut [i32]>,
}

impl TileSolver<'_> {
    /// Returns the scores of all pairs of a member in `rows` and a member in `columns`, row by row.
    fn solve<T: Symbol>(&self, rows: &[&[T]], columns: &[&[T]]) -> Result<Vec<i32>, Halt> {
        let mut scores = vec![0; rows.len() * columns.len()];
        if scores.is_empty() {
            return Ok(scores);
        }
        match self.score {
            PairScore::EditDistance { within } => {
                let limit = within.map(|within| within as usize);
                self.solve_symmetric(&BitLanes::<EditRule, 2>::new(self.alphabet, limit), rows, columns, &mut scores)?;
            }
            PairScore::Weighted(_) if self.is_square && self.score.is_symmetric() => {
                // A text has no distance to itself.
                self.solve_by_pair(rows, columns, |row, column| column > row, &mut scores)?;
                mirror(rows.len(), |row, column| column < row, &mut scores);
            }
            PairScore::Weighted(_) => self.solve_by_pair(rows, columns, |_, _| true, &mut scores)?,
            PairScore::StringAlignment => {
                self.solve_symmetric(&BitLanes::<ExchangeRule, 4>::new(self.alphabet, None), rows, columns, &mut scores)?;
            }
            PairScore::Lcs => self.solve_symmetric(&BitLanes::<LcsRule, 1>::new(self.alphabet, None), rows, columns, &mut scores)?,
            PairScore::Alignment(model) => match NumberLanes::new(model, self.alphabet) {
                Some(engine) if self.score.is_symmetric() => self.solve_symmetric(&engine, rows, columns, &mut scores)?,
                Some(engine) => self.solve_by_lanes(&engine, rows, columns, false, &mut scores)?,
                None => self.solve_by_pair(rows, columns, |_, _| true, &mut scores)?,
            },
        }
        Ok(scores)
    }

    /// Writes scores that do not depend on the order of both members. The members of the side that fills lanes better
    /// become lanes.
    fn solve_symmetric<T: Symbol, E: LaneEngine<T>>(
        &self,
        engine: &E,
        rows: &[&[T]],
        columns: &[&[T]],
        scores: &mut [i32],
    ) -> Result<(), Halt> {
        // Numbers of texts and groups with either side as lanes. Transposing the scores costs some time, too.
        let sweeps = |texts: usize, members: usize| texts * members.div_ceil(engine.lanes());
        let symbols: usize = columns.iter().map(|column| column.len()).sum();
        if self.is_square && symbols >= E::MIN_MIRRORED * columns.len() {
            return self.solve_by_lanes(engine, rows, columns, true, scores);
        }
        if 4 * sweeps(rows.len(), columns.len()) <= 5 * sweeps(columns.len(), rows.len()) {
            return self.solve_by_lanes(engine, rows, columns, false, scores);
        }
        let mut transposed = vec![0; scores.len()];
        self.solve_by_lanes(engine, columns, rows, false, &mut transposed)?;
        transpose(&transposed, columns.len(), rows.len(), scores);
        Ok(())
    }

    /// Writes scores with the columns as lanes. Pairs that do not suit `engine` are computed one by one. With
    /// `is_mirrored`, rows and columns are the same members, the order of two members does not matter, and scores on one
    /// side of the diagonal are copies of those on the other side.
    fn solve_by_lanes<T: Symbol, E: LaneEngine<T>>(
        &self,
        engine: &E,
        rows: &[&[T]],
        columns: &[&[T]],
        is_mirrored: bool,
        scores: &mut [i32],
    ) -> Result<(), Halt> {
        let mut sorted: Vec<usize> = (0..columns.len()).filter(|&column| engine.takes_member(columns[column])).collect();
        sorted.sort_by_key(|&column| columns[column].len());
        let is_text: Vec<bool> = rows.iter().map(|row| engine.takes_text(row)).collect();
        // Rows that come before a group in the order of lengths are mirrored: the group's members have been their lanes.
        let mut ranks = vec![usize::MAX; rows.len()];
        if is_mirrored {
            sorted.iter().enumerate().for_each(|(rank, &member)| ranks[member] = rank);
        }
        // Rank of the first member in the group of each column. `None` if the column is in no group.
        let mut firsts = vec![None; columns.len()];
        let mut end = sorted.len();
        let mut batch = GroupBatch { members: Vec::new(), bytes: 0 };
        // The incomplete group has the shortest members.
        for group in sorted.rchunks(engine.lanes()) {
            let first = end - group.len();
            end = first;
            let longest = group.last().map_or(0, |&column| columns[column].len());
            if group.len() < engine.min_lanes(longest) {
                continue;
            }
            group.iter().for_each(|&column| firsts[column] = Some(first));
            let bytes = engine.max_bytes(longest);
            if batch.bytes + bytes > MAX_GROUP_BYTES {
                let full = std::mem::replace(&mut batch, GroupBatch { members: Vec::new(), bytes: 0 });
                self.solve_batch(engine, rows, |row, first| is_text[row] && first <= ranks[row], &full, columns.len(), scores)?;
            }
            batch.bytes += bytes;
            batch.members.push((first, group.iter().map(|&column| (column, columns[column])).collect()));
        }
        self.solve_batch(engine, rows, |row, first| is_text[row] && first <= ranks[row], &batch, columns.len(), scores)?;
        if firsts.contains(&None) || is_text.contains(&false) {
            self.solve_by_pair(rows, columns, |row, column| firsts[column].is_none() || !is_text[row], scores)?;
        }
        if is_mirrored {
            mirror(columns.len(), |row, column| is_text[row] && firsts[column].is_some_and(|first| ranks[row] < first), scores);
        }
        Ok(())
    }

    /// Writes the scores of the groups in `batch` with each row for which `is_wanted`, from the row and the rank of the
    /// group's first member. All groups take some rows before the next ones, because members that follow each other in
    /// the order of lengths have scattered scores, which stay in the cache.
    fn solve_batch<T: Symbol, E: LaneEngine<T>>(
        &self,
        engine: &E,
        rows: &[&[T]],
        is_wanted: impl Fn(usize, usize) -> bool + Sync,
        batch: &GroupBatch<T>,
        width: usize,
        scores: &mut [i32],
    ) -> Result<(), Halt> {
        let groups = spread(&batch.members, self.cpu.threads, |(_, members)| engine.group(members));
        let symbols = |members: &[(usize, &[T])]| members.iter().map(|(_, member)| member.len() as u64).sum::<u64>();
        let groups: Vec<(usize, u64, E::Group)> =
            batch.members.iter().zip(groups).map(|((first, members), group)| (*first, symbols(members), group)).collect();
        let cells = |row: usize, symbols: u64| symbols * rows[row].len() as u64;
        let expected = |(first, symbols, _): &(usize, u64, E::Group)| -> u64 {
            (0..rows.len()).filter(|&row| is_wanted(row, *first)).map(|row| cells(row, *symbols)).sum()
        };
        self.run.raise_expected(groups.iter().map(expected).sum());
        let height = (CACHED_SCORES / width).clamp(1, MAX_CACHED_ROWS);
        self.for_each_block(rows.len(), width, scores, |block, scores| {
            let mut scratch = E::Scratch::default();
            let mut pending = 0;
            for (top, scores) in block.clone().step_by(height).zip(scores.chunks_mut(height * width)) {
                for (first, symbols, group) in &groups {
                    for (row, scores) in (top..).zip(scores.chunks_exact_mut(width)).filter(|(row, _)| is_wanted(*row, *first)) {
                        engine.score(group, rows[row], &mut scratch, scores);
                        pending += cells(row, *symbols);
                        if pending >= TICK {
                            self.run.tick(std::mem::take(&mut pending))?;
                        }
                    }
                }
            }
            self.run.tick(pending)
        })
    }

    /// Writes the scores of the pairs of a row and a column for which `is_wanted`, one pair at a time.
    fn solve_by_pair<T: Symbol>(
        &self,
        rows: &[&[T]],
        columns: &[&[T]],
        is_wanted: impl Fn(usize, usize) -> bool + Sync,
        scores: &mut [i32],
    ) -> Result<(), Halt> {
        self.for_each_block(rows.len(), columns.len(), scores, |block, scores| {
            for (row, scores) in block.zip(scores.chunks_exact_mut(columns.len())) {
                for (column, score) in scores.iter_mut().enumerate().filter(|(column, _)| is_wanted(row, *column)) {
                    *score = self.solve_pair(rows[row], columns[column])?;
                }
            }
            Ok(())
        })
    }

    /// Computes the score of one pair by the engine of its task.
    fn solve_pair<T: Symbol>(&self, a: &[T], b: &[T]) -> Result<i32, Halt> {
        let cpu = &Cpu::SINGLE;
        let number = match self.score {
            PairScore::EditDistance { within: Some(within) } if a.len().abs_diff(b.len()) > *within as usize => {
                a.len().abs_diff(b.len()) as i64
            }
            PairScore::EditDistance { within } => {
                let request = PairRequest { want: PairOutput::Distance, limit: within.map(u64::from) };
                edit_distance::cpu::solve(a, b, self.alphabet, request, cpu, self.run)?.0 as i64
            }
            PairScore::StringAlignment => {
                edit_distance::weighted::solve(a, b, self.alphabet, &EditCosts::OSA, PairOutput::Distance.into(), cpu, self.run)?.0 as i64
            }
            PairScore::Weighted(costs) => {
                edit_distance::weighted::solve(a, b, self.alphabet, costs, PairOutput::Distance.into(), cpu, self.run)?.0 as i64
            }
            PairScore::Lcs => lcs::solve(a, b, self.alphabet, PairOutput::Distance.into(), cpu, self.run)?.0 as i64,
            PairScore::Alignment(model) => alignment::solve(a, b, model, PairOutput::Distance, cpu, self.run)?.score,
        };
        // Members and points are bounded, so that every score fits.
        Ok(number as i32)
    }

    /// Calls `work` with blocks of rows and their scores, on several threads. A row has `width` scores.
    fn for_each_block(
        &self,
        rows: usize,
        width: usize,
        scores: &mut [i32],
        work: impl Fn(Range<usize>, &mut [i32]) -> Result<(), Halt> + Sync,
    ) -> Result<(), Halt> {
        let parts = if self.cpu.threads == 1 { 1 } else { PARTS * self.cpu.threads };
        let height = rows.div_ceil(parts).max(1);
        let blocks: Vec<RowBlock> = scores
            .chunks_mut(height * width)
            .zip((0..rows).step_by(height))
            .map(|(scores, first)| RowBlock { rows: first..(first + height).min(rows), scores: Mutex::new(scores) })
            .collect();
        try_spread(&blocks, self.cpu.threads, |block| {
            work(block.rows.clone(), &mut block.scores.lock().unwrap_or_else(PoisonError::into_inner))
        })?;
        Ok(())
    }
}

/// Edge of the blocks of a matrix that are copied together, because their lines stay in the cache.
const COPY_BLOCK: usize = 16;

/// Copies the score of a column and a row to each row and column for which `is_mirrored`, in a square matrix.
fn mirror(size: usize, is_mirrored: impl Fn(usize, usize) -> bool, scores: &mut [i32]) {
    for top in (0..size).step_by(COPY_BLOCK) {
        for left in (0..size).step_by(COPY_BLOCK) {
            for row in top..(top + COPY_BLOCK).min(size) {
                for column in left..(left + COPY_BLOCK).min(size) {
                    if is_mirrored(row, column) {
                        scores[row * size + column] = scores[column * size + row];
                    }
                }
            }
        }
    }
}

/// Writes the transposed matrix of `from`, which has `rows` and `columns`, to `to`.
fn transpose(from: &[i32], rows: usize, columns: usize, to: &mut [i32]) {
    for top in (0..rows).step_by(COPY_BLOCK) {
        for left in (0..columns).step_by(COPY_BLOCK) {
            for row in top..(top + COPY_BLOCK).min(rows) {
                for column in left..(left + COPY_BLOCK).min(columns) {
                    to[column * rows + row] = from[row * columns + column];
                }
            }
        }
    }
}

#[cfg(test)]
pub(super) mod tests;
