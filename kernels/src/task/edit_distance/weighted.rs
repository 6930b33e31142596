//! Edit distance with any costs, and with transpositions (optimal string alignment).
//!
//! ```text
//! D[i, j] = min(D[i−1, j−1] + s·(a[i] ≠ b[j]),  D[i−1, j] + delete,  D[i, j−1] + insert,
//!               D[i−2, j−2] + transpose  if a[i] = b[j−1] and a[i−1] = b[j])
//! ```
//!
//! An alignment of texts of m and n symbols has n − m more insertions than deletions. So only the substitution cost s
//! and the sum g = insert + delete decide which alignments are optimal ([`CostModel`]). If 2s = g, the alignments of
//! Levenshtein are optimal. If s ≥ g, those of a longest common subsequence are. Otherwise the cells are computed as
//! differences between neighbours, which stay small for texts of any length (after Suzuki and Kasahara 2018):
//!
//! ```text
//! v = D[i, j] − D[i−1, j] + insert        from 0 to g
//! h = D[i, j] − D[i, j−1] + delete        from 0 to g
//! z = D[i, j] − D[i−1, j−1] = min(s·(a[i] ≠ b[j]),  v[i, j−1],  h[i−1, j],  transpose − z[i−1, j−1])
//! v = g + z − h[i−1, j]
//! h = g + z − v[i, j−1]
//! ```
//!
//! - [`tile`]: computes a rectangle of cells along its anti-diagonals, in SIMD lanes
//! - [`sweep`]: computes the tiles of a matrix on several threads
//! - [`trace`]: finds an alignment in little memory
//! - [`osa`]: the distance with transpositions and costs of 1, in bit vectors
//! - [`effort`]: the expected cost for a planner
//! - `cuda`: the CUDA engine

use crate::alignment::Alignment;
use crate::cpu::Cpu;
use crate::event::{PartialAnswer, RunStage};
use crate::job::EditCosts;
use crate::pair::cells::{Cell, Corridor};
use crate::pair::cpu::affix::CommonAffix;
use crate::pair::cpu::{PairOutput, PairRequest};
use crate::run::{Halt, Run};
use crate::symbol::Symbol;
pub(crate) use crate::task::cost_model::{CellCosts, CostModel};
use crate::task::lcs;
pub(super) use effort::{EffortRequest, cost_per_cell, efforts};
use sweep::Matrix;

#[cfg(not(target_family = "wasm"))]
pub(crate) mod cuda;
mod effort;
mod osa;
mod sweep;
mod tile;
mod trace;

/// Minimum length of the shorter text at which the edit distance of Levenshtein is computed first, because it may
/// narrow the matrix.
const MIN_CORRIDOR_TEXT: usize = 1 << 11;

impl EditCosts {
    /// Returns the sum of costs of an alignment with `distance` edits, for texts of `m` and `n` symbols. An insertion and a
    /// deletion together must cost as much as two other edits ([`CostModel::Levenshtein`]).
    pub(crate) fn of_levenshtein(&self, distance: u64, m: usize, n: usize) -> u64 {
        self.of_halves(distance * u64::from(self.insert + self.delete), m, n)
    }

    /// Returns the sum of costs of an alignment that costs `halves` in halves, for texts of `m` and `n` symbols. This is the
    /// inverse of [`halves_within`](Self::halves_within).
    pub(crate) fn of_halves(&self, halves: u64, m: usize, n: usize) -> u64 {
        // Both parts of this sum are even or both are odd.
        let more_insertions = (i64::from(self.insert) - i64::from(self.delete)) * (n as i64 - m as i64);
        halves.saturating_add_signed(more_insertions) / 2
    }

    /// Returns the sum of costs of an alignment that deletes and inserts all symbols but a common subsequence of
    /// `length` symbols, for texts of `m` and `n` symbols.
    pub(crate) fn of_subsequence(&self, length: u64, m: usize, n: usize) -> u64 {
        u64::from(self.delete) * (m as u64 - length) + u64::from(self.insert) * (n as u64 - length)
    }

    /// Returns the sum of costs `limit` in halves, for texts of `m` and `n` symbols. In halves, a substitution costs twice
    /// its cost, and every insertion and every deletion costs the sum of both costs. The sums of all alignments differ from
    /// their numbers of halves by the same number, because n − m is the difference of insertions and deletions. Returns
    /// `None` if every alignment costs more.
    fn halves_within(&self, limit: u64, m: usize, n: usize) -> Option<u64> {
        let more_insertions = (i128::from(self.insert) - i128::from(self.delete)) * (n as i128 - m as i128);
        u64::try_from((2 * i128::from(limit) - more_insertions).min(u64::MAX.into())).ok()
    }

    /// Returns the sum of costs whose matrix of `m` rows and `n` columns has the sum `sum` of differences v and h along a
    /// path to its last cell.
    fn of_differences(&self, sum: u64, m: usize, n: usize) -> u64 {
        // Sums of v and h exceed those of D by the cost of an insertion for each row and of a deletion for each column.
        sum.saturating_sub(u64::from(self.insert) * m as u64 + u64::from(self.delete) * n as u64)
    }
}

/// Computes the least sum of `costs` that turns `a` into `b`, whose symbols are below `alphabet`, and an optimal
/// alignment if `request` contains it. If the sum exceeds the limit in `request`, returns a number above the limit, with
/// an alignment or without.
///
/// Takes O(|a||b|) time, or less if the texts are similar; a vector computes up to 64 cells at once. Takes O(|a| + |b|)
/// memory for the distance, and for OSA with costs of 1 up to [`osa::MAX_MASK_BYTES`] more. The edges of tiles that an
/// alignment needs take at most about 256 MB, if texts have at most 2²¹ symbols.
///
/// # Errors
/// Returns an error if the run is stopped.
pub(crate) fn solve<T: Symbol>(
    a: &[T],
    b: &[T],
    alphabet: u32,
    costs: &EditCosts,
    request: PairRequest,
    cpu: &Cpu,
    run: &Run,
) -> Result<(u64, Option<Alignment>), Halt> {
    let (m, n) = (a.len(), b.len());
    let PairRequest { want, limit } = request;
    let above = (u64::MAX, None);
    let most_halves = limit.map(|limit| costs.halves_within(limit, m, n));
    // Not even an alignment of no halves is within the limit.
    if most_halves == Some(None) {
        return Ok(above);
    }
    let most_halves = most_halves.flatten();
    // Every insertion, deletion and, in the first case, substitution costs `gap` halves. Without any cost, no sum
    // exceeds a limit.
    let gap = u64::from(costs.insert + costs.delete);
    let edits = PairRequest { want, limit: most_halves.and_then(|halves| halves.checked_div(gap)) };
    let exceeds = |distance: u64| edits.limit.is_some_and(|limit| distance > limit);
    let cells = match CostModel::of(costs) {
        CostModel::Levenshtein => {
            let (distance, alignment) = super::cpu::solve(a, b, alphabet, edits, cpu, run)?;
            return Ok(if exceeds(distance) { above } else { (costs.of_levenshtein(distance, m, n), alignment) });
        }
        CostModel::Subsequence => {
            let (length, alignment) = lcs::solve(a, b, alphabet, edits, cpu, run)?;
            let distance = (m + n) as u64 - 2 * length;
            return Ok(if exceeds(distance) { above } else { (costs.of_subsequence(length, m, n), alignment) });
        }
        CostModel::Weighted(cells) => cells,
    };
    run.stage(RunStage::Compute)?;
    let (ends, a, b) = CommonAffix::cut(a, b);
    let most_halves = most_halves.map(|halves| halves / u64::from(cells.divisor));
    let limited = LimitedCosts { costs, cells: &cells, most_halves };
    let Some(corridor) = corridor(a, b, alphabet, &limited, cpu, run)? else { return Ok(above) };
    if want == PairOutput::Distance && cells.is_unit_osa() && osa::suits(a.len().min(b.len()), alphabet) {
        let edits = osa::distance(a, b, alphabet, corridor, cpu.threads, run)?;
        return Ok((costs.of_levenshtein(edits, m, n), None));
    }
    let (sum, middle) = if is_narrow(&cells, alphabet) {
        solve_cells::<i8, T>(a, b, cells, corridor, want, cpu, run)?
    } else if alphabet <= 1 << 16 {
        solve_cells::<i16, T>(a, b, cells, corridor, want, cpu, run)?
    } else {
        solve_cells::<i32, T>(a, b, cells, corridor, want, cpu, run)?
    };
    let distance = costs.of_differences(sum * u64::from(cells.divisor), a.len(), b.len());
    Ok((distance, middle.map(|middle| ends.around(middle))))
}

/// Returns whether differences of matrices with `costs`, and symbols below `alphabet`, fit into bytes.
fn is_narrow(costs: &CellCosts, alphabet: u32) -> bool {
    costs.gap < i8::MAX as u32 && alphabet <= 1 << 8
}

/// The costs of a job, with the greatest sum of interest.
struct LimitedCosts<'c> {
    costs: &'c EditCosts,
    cells: &'c CellCosts,
    /// The greatest number of halves of `cells` of interest ([`EditCosts::halves_within`]), if any.
    most_halves: Option<u64>,
}

/// Returns the diagonals that an optimal alignment of `a` and `b` can reach, derived from their edit distance of
/// Levenshtein, and reports bounds of the distance to the run. For short texts, returns all diagonals within the limit
/// in `limited`. Returns `None` if it is already certain that every alignment costs more than the limit.
fn corridor<T: Symbol>(a: &[T], b: &[T], alphabet: u32, limited: &LimitedCosts, cpu: &Cpu, run: &Run) -> Result<Option<Corridor>, Halt> {
    let LimitedCosts { costs, cells, most_halves } = *limited;
    let (m, n) = (a.len(), b.len());
    let most_gaps = most_halves.map(|halves| halves / u64::from(cells.gap));
    if most_gaps.is_some_and(|gaps| m.abs_diff(n) as u64 > gaps) {
        return Ok(None);
    }
    if m.min(n) < MIN_CORRIDOR_TEXT {
        return Ok(Some(most_gaps.map_or(Corridor::everything(), |gaps| Corridor::with_gaps(m, n, gaps))));
    }
    // A transposition is two edits of Levenshtein and costs `2 * transpose` halves.
    let least_halves = cells.gap.min(2 * cells.substitute).min(cells.transpose.unwrap_or(u32::MAX));
    let limit = most_halves.and_then(|halves| halves.checked_div(least_halves.into()));
    let request = PairRequest { want: PairOutput::Distance, limit };
    let (edits, _) = super::cpu::solve(a, b, alphabet, request, cpu, run)?;
    if limit.is_some_and(|limit| edits > limit) {
        return Ok(None);
    }
    // Each edit of Levenshtein costs at most max(2s, g) halves. The insertions and deletions of an optimal alignment
    // cost g halves each and not more in sum. The difference of their numbers costs the same in all alignments.
    let halves = u64::from((2 * cells.substitute).max(cells.gap)) * edits;
    let twice = cells.divisor as i64 * halves as i64 + (i64::from(costs.insert) - i64::from(costs.delete)) * (n as i64 - m as i64);
    run.partial(PartialAnswer::Bounds { at_least: 0, at_most: twice.max(0) as u64 / 2 })?;
    let gaps = halves / u64::from(cells.gap);
    Ok(Some(Corridor::with_gaps(m, n, most_gaps.map_or(gaps, |most| most.min(gaps)))))
}

fn solve_cells<C: Cell, T: Symbol>(
    a: &[T],
    b: &[T],
    costs: CellCosts,
    corridor: Corridor,
    want: PairOutput,
    cpu: &Cpu,
    run: &Run,
) -> Result<(u64, Option<Alignment>), Halt> {
    let matrix = Matrix::<C>::new(a, b, costs);
    match want {
        PairOutput::Distance => Ok((matrix.distance(corridor, cpu.threads, run)?, None)),
        PairOutput::Alignment => {
            let (sum, alignment) = trace::align(&matrix, corridor, cpu.threads, run)?;
            Ok((sum, Some(alignment)))
        }
    }
}

#[cfg(test)]
mod tests;
