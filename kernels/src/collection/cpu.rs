//! The CPU engine of collections: computes the scores of a tile of pairs.
//!
//! - [`lanes`]: one text with many members at a time

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::Corpus;
use super::tile::{PairScore, Tile};
use crate::cpu::{Cpu, try_spread};
use crate::pair::cpu::{PairOutput, PairRequest};
use crate::run::{Halt, Run};
use crate::symbol::Symbol;
use crate::task::sequence_alignment::engine as alignment;
use crate::task::{edit_distance, lcs};
use crate::with_corpus_symbols;
use lanes::{EditRule, LaneGroup, LaneRule, LaneScratch, LcsRule};

mod lanes;

/// Minimum number of members of a group, because one pair at a time is faster with fewer lanes.
const MIN_LANES: usize = 16;

/// Maximum memory of the masks of a group, in bytes.
const MAX_MASK_BYTES: usize = 1 << 26;

/// Number of cells between two progress reports.
const TICK: u64 = 1 << 26;

/// Number of parts of the rows for each thread, because parts take unequal times.
const PARTS: usize = 8;

/// Computes the score of each pair of `tile`, row by row.
///
/// Edit distance and LCS take O(rows · columns · m · n / lanes) time for members of m and n symbols, if both ranges have
/// many members. A vector has a lane for each of its bits. Working memory is up to 64 MiB for the masks of a group of
/// columns, and 16 bytes a lane of 64 bits and symbol of a row's member for each thread. Columns are sorted by length,
/// so that members of all lengths may stand in one tile. A tile is best a multiple of 512 columns wide.
///
/// Reports the cells of the matrices of all pairs to `run`.
///
/// # Errors
/// Returns `Stopped` if the run is stopped.
pub(crate) fn scores(corpus: &Corpus, tile: &Tile, score: &PairScore, cpu: &Cpu, run: &Run) -> Result<Vec<i32>, Halt> {
    with_corpus_symbols!(corpus, |symbols| {
        let [rows, columns] = [&tile.rows, &tile.columns].map(|range| members(corpus, symbols, range));
        TileSolver { alphabet: corpus.alphabet(), score, cpu, run }.solve(&rows, &columns)
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
    cpu: &'t Cpu,
    run: &'t Run<'t>,
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
                self.solve_by_lanes::<T, EditRule, 2>(rows, columns, limit, &mut scores)?;
            }
            PairScore::Lcs => self.solve_by_lanes::<T, LcsRule, 1>(rows, columns, None, &mut scores)?,
            PairScore::Alignment(_) => self.solve_by_pair(rows, columns, |_, _| true, &mut scores)?,
        }
        Ok(scores)
    }

    /// Writes the scores of all pairs by the rule `R`, whose scores do not depend on the order of both members. The
    /// members of the side with better filled lanes become lanes.
    fn solve_by_lanes<T: Symbol, R: LaneRule<K>, const K: usize>(
        &self,
        rows: &[&[T]],
        columns: &[&[T]],
        limit: Option<usize>,
        scores: &mut [i32],
    ) -> Result<(), Halt> {
        // Numbers of sweeps with either side as lanes. Turning the scores costs some time, too.
        let sweeps = |texts: usize, lanes: usize| texts * lanes.div_ceil(lanes::lanes());
        if 4 * sweeps(rows.len(), columns.len()) <= 5 * sweeps(columns.len(), rows.len()) {
            return self.solve_with_column_lanes::<T, R, K>(rows, columns, limit, scores);
        }
        let mut turned = vec![0; scores.len()];
        self.solve_with_column_lanes::<T, R, K>(columns, rows, limit, &mut turned)?;
        transpose(&turned, columns.len(), rows.len(), scores);
        Ok(())
    }

    fn solve_with_column_lanes<T: Symbol, R: LaneRule<K>, const K: usize>(
        &self,
        rows: &[&[T]],
        columns: &[&[T]],
        limit: Option<usize>,
        scores: &mut [i32],
    ) -> Result<(), Halt> {
        let mut sorted: Vec<usize> = (0..columns.len()).collect();
        sorted.sort_by_key(|&column| columns[column].len());
        // The members of the incomplete group are the shortest.
        let (groups, alone): (Vec<&[usize]>, Vec<&[usize]>) = sorted.rchunks(lanes::lanes()).partition(|group| {
            let longest = group.last().map_or(0, |&column| columns[column].len());
            group.len() >= MIN_LANES && LaneGroup::max_bytes(longest, self.alphabet) <= MAX_MASK_BYTES
        });
        let is_text = |row: usize| rows[row].len() <= lanes::MAX_TEXT;
        for group in &groups {
            let members: Vec<(usize, &[T])> = group.iter().map(|&column| (column, columns[column])).collect();
            self.solve_group::<T, R, K>(rows, &members, limit, &is_text, columns.len(), scores)?;
        }
        let mut is_alone = vec![false; columns.len()];
        alone.iter().copied().flatten().for_each(|&column| is_alone[column] = true);
        if !alone.is_empty() || !(0..rows.len()).all(is_text) {
            self.solve_by_pair(rows, columns, |row, column| is_alone[column] || !is_text(row), scores)?;
        }
        Ok(())
    }

    /// Writes the scores of each row for which `is_text` with each of `members`.
    fn solve_group<T: Symbol, R: LaneRule<K>, const K: usize>(
        &self,
        rows: &[&[T]],
        members: &[(usize, &[T])],
        limit: Option<usize>,
        is_text: &(impl Fn(usize) -> bool + Sync),
        width: usize,
        scores: &mut [i32],
    ) -> Result<(), Halt> {
        let lens = members.iter().map(|(_, member)| member.len());
        let lens = lens.clone().min().unwrap_or(0)..=lens.max().unwrap_or(0);
        let group = LaneGroup::new(members, self.alphabet);
        let cells = |row: usize| group.symbols() * rows[row].len() as u64;
        self.run.raise_expected((0..rows.len()).filter(|&row| is_text(row)).map(cells).sum());
        self.for_each_block(rows.len(), width, scores, |rows_of_block, scores| {
            let mut scratch = LaneScratch::default();
            let mut pending = 0;
            for (row, scores) in rows_of_block.zip(scores.chunks_exact_mut(width)).filter(|(row, _)| is_text(*row)) {
                let text = rows[row];
                match limit {
                    Some(limit) if text.len() + limit < *lens.start() || lens.end() + limit < text.len() => {
                        members.iter().for_each(|(place, member)| scores[*place] = member.len().abs_diff(text.len()) as i32);
                    }
                    _ => lanes::score::<T, R, K>(&group, text, limit, &mut scratch, scores),
                }
                pending += cells(row);
                if pending >= TICK {
                    self.run.tick(std::mem::take(&mut pending))?;
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

/// Writes the transposed matrix of `from`, which has `rows` and `columns`, to `to`.
fn transpose(from: &[i32], rows: usize, columns: usize, to: &mut [i32]) {
    /// Edge of the blocks, whose lines stay in the cache.
    const BLOCK: usize = 16;
    for top in (0..rows).step_by(BLOCK) {
        for left in (0..columns).step_by(BLOCK) {
            for row in top..(top + BLOCK).min(rows) {
                for column in left..(left + BLOCK).min(columns) {
                    to[column * rows + row] = from[row * columns + column];
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
