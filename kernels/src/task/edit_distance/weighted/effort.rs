//! Expected cost of an edit distance with any costs, as numbers of cells at the rate of the unit-cost engines.

use super::{CellCosts, is_narrow};
use crate::pair::cpu::affix::CommonAffix;
use crate::pair::effort::{PairEfforts, PairMethod, efforts as unit_cost_efforts};
use crate::pair::sample::{MIN_SAMPLED_SYMBOLS, estimate_distance};
use crate::plan::EngineEffort;
use crate::symbol::Symbol;

/// Number of unit-cost cells that take as long on the processor as one cell with differences of 8 bits, and of 16 or 32
/// bits.
const CPU_CELLS: [u64; 2] = [40, 80];
/// The same for one cell of an optimal string alignment with costs of 1, without an alignment.
const OSA_CELLS: u64 = 20;
/// The same for a GPU.
const CUDA_CELLS: u64 = 12;

/// Time of a cell with transpositions, as a percentage of that of a cell without them.
const TRANSPOSE_PERCENT: u64 = 150;

/// Maximum height and width of the tiles that a corridor consists of.
const CORRIDOR_TILE: u64 = 1 << 12;

/// Nanoseconds on one thread to trace an alignment, per symbol of both texts.
const TRACED_NS: u64 = 500;

/// The properties of a job on which the cost of its matrix depends.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct EffortRequest {
    pub(in super::super) cells: CellCosts,
    /// Whether an alignment is requested.
    pub(in super::super) aligned: bool,
    /// Greatest sum of costs of interest, or `None` if every sum is of interest.
    pub(in super::super) limit: Option<u64>,
}

/// Estimates the cost of solving `a` and `b`, whose symbols are below `alphabet`, as `request` says. Samples the texts.
pub(in super::super) fn efforts<T: Symbol>(a: &[T], b: &[T], alphabet: u32, request: EffortRequest) -> PairEfforts {
    let EffortRequest { cells, aligned, limit } = request;
    let (_, a, b) = CommonAffix::cut(a, b);
    let (m, n) = (a.len() as u64, b.len() as u64);
    let whole = m.saturating_mul(n);
    let mut computed = whole;
    // The difference of the texts' lengths makes the exact number of gaps a little greater or smaller.
    let most_gaps = limit.map_or(u64::MAX, |limit| limit.saturating_mul(2) / u64::from(cells.divisor) / u64::from(cells.gap));
    let mut cpu = EngineEffort::default();
    if a.len().min(b.len()) >= MIN_SAMPLED_SYMBOLS {
        let (shorter, longer) = if m <= n { (a, b) } else { (b, a) };
        let gaps =
            u64::from((2 * cells.substitute).max(cells.gap)) * estimate_distance(shorter, longer, true).distance / u64::from(cells.gap);
        computed = whole.min(m.max(n).saturating_mul(gaps.min(most_gaps) + 2 * CORRIDOR_TILE));
        let method = PairMethod {
            substitutes: true,
            compares_equal: true,
            aligned: false,
            max_searched_edits: super::super::cpu::few_edits,
            diagonals: 1.0,
            limit: None,
        };
        cpu = unit_cost_efforts(a, b, alphabet, method).cpu;
    }
    let traced_ns = if aligned { TRACED_NS * (m + n) } else { 0 };
    let percent = if cells.transpose.is_some() { TRANSPOSE_PERCENT } else { 100 };
    let cost = |cells: u64, each: u64| cells.saturating_mul(each).saturating_mul(percent) / 100;
    let cpu_cost = if !aligned && cells.is_unit_osa() {
        computed.saturating_mul(OSA_CELLS)
    } else {
        cost(computed, CPU_CELLS[usize::from(!is_narrow(&cells, alphabet))])
    };
    PairEfforts {
        cpu: EngineEffort {
            cells: cpu.cells.saturating_add(computed),
            cost_cells: cpu.cost_cells.saturating_add(cpu_cost),
            overhead_ns: cpu.overhead_ns + traced_ns,
        },
        cuda: EngineEffort { cells: whole, cost_cells: cost(whole, CUDA_CELLS), overhead_ns: traced_ns },
    }
}

/// Returns the number of unit-cost cells that take as long as one cell with the costs `cells`, if nothing is known about
/// the texts.
pub(crate) fn cost_per_cell(cells: &CellCosts) -> u64 {
    CPU_CELLS[usize::from(!is_narrow(cells, 1))]
}
