//! Further pieces of a local alignment (Waterman and Eggert 1987): their search, and its expected cost.

use std::ops::Range;

use super::answer::solution;
use super::engine::excluded::ExcludedPairs;
use super::engine::{self, AlignmentModel};

use crate::alignment::SymbolRange;
use crate::cpu::Cpu;
use crate::event::{LocalPiece, TaskAnswer};
use crate::job::{JobOptions, Scoring};
use crate::pair::cpu::PairOutput;
use crate::plan::EngineEffort;
use crate::run::{Halt, Run};
use crate::task::Solution;
use crate::text::Pair;
use crate::with_symbols;

/// Number of cells of a global score with linear gaps that a host with four cores computes in a nanosecond.
const HOST_CELLS_PER_NS: u64 = 40;

/// Number of nanoseconds in which one core computes a cell of a tile with excluded pairs, or a cell of a piece without them.
const EXCLUDED_CELL_NS: u64 = 2;

/// Number of pieces whose pairs are in about all tiles of a matrix.
const FILLING_PIECES: u64 = 16;

/// Returns the effort of all pieces on a CPU, if `effort` is that of one and a piece has up to `cells` cells. The tiles with
/// the pairs of better pieces are computed cell by cell.
pub(super) fn of_all_pieces(effort: EngineEffort, cells: u64, options: &JobOptions) -> EngineEffort {
    let (pieces, next) = (u64::from(options.pieces), u64::from(options.pieces.saturating_sub(1)));
    // The sum of min(1, piece / FILLING_PIECES) over all further pieces.
    let first = next.min(FILLING_PIECES);
    let matrices = first * (first + 1) / (2 * FILLING_PIECES) + (next - first);
    let slow_cells = cells.saturating_mul(matrices);
    EngineEffort {
        cells: effort.cells.saturating_mul(pieces).saturating_add(slow_cells),
        cost_cells: effort.cost_cells.saturating_mul(pieces),
        overhead_ns: effort.overhead_ns.saturating_mul(pieces).saturating_add(EXCLUDED_CELL_NS.saturating_mul(slow_cells)),
    }
}

/// Returns the effort of a GPU for the first piece and of its host for the further ones. `host` is the effort of all pieces
/// on a CPU.
pub(super) fn with_next_on_host(device: EngineEffort, host: EngineEffort, options: &JobOptions) -> EngineEffort {
    if options.pieces < 2 {
        return device;
    }
    let host_ns = (host.cost_cells / HOST_CELLS_PER_NS).saturating_add(host.overhead_ns);
    EngineEffort { cells: device.cells.saturating_add(host.cells), overhead_ns: device.overhead_ns.saturating_add(host_ns), ..device }
}

/// Adds the further pieces of a local alignment that `options` request to the solution `first`. They are computed on the CPU.
///
/// # Errors
/// Returns an error if the run is stopped, and `Engine` if a piece fails its check.
pub(super) fn with_next_pieces(
    mut first: Solution,
    pair: &Pair,
    (scoring, model): (&Scoring, &AlignmentModel),
    options: &JobOptions,
    cpu: &Cpu,
    run: &Run,
) -> Result<Solution, Halt> {
    let (Some(alignment), TaskAnswer::SequenceAlignment { next, .. }) = (&first.alignment, &mut first.answer) else {
        return Ok(first);
    };
    if options.pieces < 2 || alignment.summary().columns == 0 {
        return Ok(first);
    }
    let mut excluded = ExcludedPairs::default();
    excluded.add(alignment);
    let mut cigars = 0;
    for _ in 1..options.pieces {
        let best = with_symbols!(pair, |a, b| engine::solve_without(&excluded, [a, b], model, PairOutput::Alignment, cpu, run)?);
        if best.score == 0 {
            break;
        }
        // Moved gaps could bring excluded pairs together.
        let in_range = |range: &Range<u64>| SymbolRange::from(range.clone()).indices();
        let is_alone = excluded.within(&in_range(&best.a), &in_range(&best.b)).next().is_none();
        let piece = solution(best, pair, is_alone.then_some(options.gaps), (scoring, model))?;
        let (Some(alignment), TaskAnswer::SequenceAlignment { score, a, b, alignment: Some(summary), scored: Some(scored), .. }) =
            (piece.alignment, piece.answer)
        else {
            break;
        };
        excluded.add(&alignment);
        let cigar = Some(alignment.to_string()).filter(|cigar| cigars + cigar.len() <= LocalPiece::MAX_CIGARS);
        cigars += cigar.as_ref().map_or(0, String::len);
        next.push(LocalPiece { score, a, b, alignment: summary, scored, cigar });
    }
    Ok(first)
}
