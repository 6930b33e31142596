//! Texts of base sets: two symbols match if their sets of bases overlap ([`SymbolMatch::Overlap`]).
//!
//! The recurrences need to know only which pairs of symbols match, and a tile computes this from the bit planes of both
//! texts. All proofs about bands hold, because they count edits. Searches that compare runs of equal symbols are left out,
//! such as few edits and seeds, because symbols that match may differ.

use super::grid::StripGrid;
use super::tiling::Tiling;
use super::{BitPlanes, KnownDistance, PairOutput, PairRequest, Recurrence};
use crate::alignment::{Alignment, EditKind};
use crate::base_set::SymbolMatch;
use crate::cpu::Cpu;
use crate::event::{PartialAnswer, RunStage};
use crate::pair::sample::{MIN_SAMPLED_SYMBOLS, estimate_distance};
use crate::run::{Halt, Run};
use crate::symbol::Symbol;

/// Computes the distance of `a` and `b` by the recurrence `R`, and an optimal alignment if `request` contains it. If the
/// distance exceeds the limit in `request`, returns a number above the limit, and no alignment. `part` converts a lower and
/// an upper bound on the distance to a partial result. Takes O(|b| · d / 64) word operations for texts of the lengths
/// |a| ≤ |b| and a distance d, or a limit d below it.
///
/// # Errors
/// Returns an error if the run is stopped.
pub(crate) fn solve<T: Symbol, R: Recurrence<K>, const K: usize>(
    [a, b]: [&[T]; 2],
    request: PairRequest,
    cpu: &Cpu,
    part: &dyn Fn(u64, u64) -> PartialAnswer,
    run: &Run,
) -> Result<(u64, Option<Alignment>), Halt> {
    run.stage(RunStage::Compute)?;
    let PairRequest { want, limit } = request;
    // Rows belong to the longer text, so that padding to whole tiles wastes the least.
    let is_swapped = a.len() < b.len();
    let (rows, columns) = if is_swapped { (b, a) } else { (a, b) };
    let (distance, alignment) = if columns.is_empty() {
        let mut alignment = Alignment::default();
        alignment.push(EditKind::Delete, rows.len() as u64);
        (rows.len() as u64, (want == PairOutput::Alignment).then_some(alignment))
    } else {
        let planes = BitPlanes::new_with_checks(rows, columns, SymbolMatch::Overlap, &mut || run.tick(0))?;
        let grid = StripGrid::<T, R, K>::of((rows, columns), planes, Tiling::fitting::<R, K>(columns.len(), want, None), cpu.threads);
        let about = (columns.len() >= MIN_SAMPLED_SYMBOLS).then(|| estimate_distance(columns, rows, R::SUBSTITUTES).distance);
        grid.solve(want, KnownDistance { about, limit, bound: None }, part, run)?
    };
    Ok((distance, if is_swapped { alignment.map(Alignment::swapped) } else { alignment }))
}
