//! The CUDA engine: edit distance with any costs, and with transpositions.
//!
//! A sweep of differences ([`cells::cuda`](crate::pair::cells::cuda)) stores each difference of `weighted` as the cost of
//! a gap minus the difference. For an alignment, the host traces from the last tile to the first, and fetches the edges of
//! those tiles that the alignment crosses.

use super::sweep::{Edges, Matrix};
use super::{CellCosts, CostModel, is_narrow, trace};
use crate::alignment::Alignment;
use crate::cpu::Cpu;
use crate::event::RunStage;
use crate::gpu::Gpu;
use crate::gpu::compile::KernelSource;
use crate::gpu::session::{DeviceSymbol, GpuSession};
use crate::job::EditCosts;
use crate::pair::cells::Cell;
use crate::pair::cells::cuda::kept_edges::{KeptTiles, TileWords};
#[cfg(test)]
use crate::pair::cells::cuda::shape::SweepShape;
use crate::pair::cells::cuda::shape::{GapKind, SymbolCode};
use crate::pair::cells::cuda::{
    DeviceGaps, DeviceMatrix, DevicePoints, MAX_KEPT_BYTES, OuterEdge, SweepOptions, SweptMatrix, check_lengths,
    variants as kernel_variants,
};
use crate::pair::cpu::PairOutput;
use crate::pair::cpu::affix::CommonAffix;
use crate::pair::cuda as unit_cost;
use crate::run::{Halt, Run};
use crate::task::edit_distance::cuda::DeviceEditDistance;
use crate::task::lcs::cuda::DeviceLcs;

/// Maximum number of symbols whose costs are read from a table. More symbols leave too little shared memory.
const MAX_TABLE_SYMBOLS: u32 = 16;

/// Maximum points in a table.
const MAX_TABLE_POINTS: u32 = i8::MAX as u32;

/// Lists every variant of the kernels.
pub(crate) fn variants() -> impl Iterator<Item = KernelSource> {
    let kinds = [(GapKind::Linear, false), (GapKind::Linear, true), (GapKind::Exchanges, false)];
    kinds.into_iter().flat_map(|(gaps, has_table)| kernel_variants(gaps, has_table))
}

/// Computes the least sum of `costs` that turns `a` into `b` on a GPU, like [`super::solve`], and an optimal alignment if
/// `want` requests it. `host` limits the processor cores that may help.
///
/// Takes O(|a||b|) time, and O(|a| + |b|) memory of the GPU for the distance.
///
/// # Errors
/// Returns `Stopped` if the run is stopped, and `Engine` if the GPU fails. Returns `TooLarge` if a text is too long or
/// needs more memory than the GPU has.
pub(crate) fn solve<T: DeviceSymbol>(
    gpu: &Gpu,
    host: &Cpu,
    [a, b]: [&[T]; 2],
    alphabet: u32,
    costs: &EditCosts,
    want: PairOutput,
    run: &Run,
) -> Result<(u64, Option<Alignment>), Halt> {
    let (m, n) = (a.len(), b.len());
    let cells = match CostModel::of(costs) {
        CostModel::Levenshtein => {
            let (distance, alignment) = unit_cost::solve::<DeviceEditDistance, T>(gpu, [a, b], alphabet, want, run)?;
            return Ok((costs.of_levenshtein(distance.unsigned_abs(), m, n), alignment));
        }
        CostModel::Subsequence => {
            let (length, alignment) = unit_cost::solve::<DeviceLcs, T>(gpu, [a, b], alphabet, want, run)?;
            return Ok((costs.of_subsequence(length.unsigned_abs(), m, n), alignment));
        }
        CostModel::Weighted(cells) => cells,
    };
    check_lengths([m, n])?;
    let (ends, a_middle, b_middle) = CommonAffix::cut(a, b);
    let swapped = a_middle.len() < b_middle.len();
    let [rows, columns] = if swapped { [b_middle, a_middle] } else { [a_middle, b_middle] };
    let pair = WeightedPair::new([rows, columns], alphabet, cells).filter(|_| !columns.is_empty());
    // The GPU has no numbers for more symbols at such costs.
    let Some(pair) = pair else { return super::solve(a, b, alphabet, costs, want.into(), host, run) };
    let (sum, alignment) = pair.solve(gpu, host, want, run)?;
    let distance = costs.of_differences(sum * u64::from(cells.divisor), a_middle.len(), b_middle.len());
    let alignment = alignment.map(|middle| ends.around(if swapped { middle.swapped() } else { middle }));
    Ok((distance, alignment))
}

/// Two texts that are not empty, without their common ends: the longer one as the rows of the matrix, and the shorter
/// one as its columns.
struct WeightedPair<'t, T> {
    matrix: DeviceMatrix<'t, T>,
    alphabet: u32,
    cells: CellCosts,
}

impl<'t, T: DeviceSymbol> WeightedPair<'t, T> {
    /// Returns the matrix of two texts whose symbols are below `alphabet`, or `None` if the GPU has no numbers for them.
    fn new([rows, columns]: [&'t [T]; 2], alphabet: u32, cells: CellCosts) -> Option<Self> {
        let CellCosts { substitute, gap, transpose, .. } = cells;
        let (equal, different) = (gap as i32, (gap - substitute) as i32);
        let points = if transpose.is_none() && T::BYTES == 1 && alphabet <= MAX_TABLE_SYMBOLS && gap <= MAX_TABLE_POINTS {
            let all = (0..alphabet).flat_map(|x| (0..alphabet).map(move |y| if x == y { equal } else { different } as i8));
            DevicePoints::Table { classes: alphabet, points: all.collect() }
        } else {
            let code = SymbolCode::new(alphabet, if transpose.is_some() { 2 * substitute } else { substitute })?;
            DevicePoints::Equality { code, equal, different }
        };
        let gaps = transpose.map_or(DeviceGaps::Linear, |transpose| DeviceGaps::Exchanges { exchange: 2 * gap - transpose, corner: gap });
        let (left, above) = (OuterEdge::default(), OuterEdge::default());
        Some(Self { matrix: DeviceMatrix { rows, columns, points, gaps, left, above }, alphabet, cells })
    }

    /// Computes the sum of the differences along the first row and the last column, and an optimal alignment of the rows
    /// to the columns if `want` requests it.
    fn solve(&self, gpu: &Gpu, host: &Cpu, want: PairOutput, run: &Run) -> Result<(u64, Option<Alignment>), Halt> {
        let max_kept_bytes = (want == PairOutput::Alignment).then_some(MAX_KEPT_BYTES);
        let mut session = GpuSession::new(gpu, run)?;
        let swept = self.matrix.sweep_all(gpu, &mut session, SweepOptions { max_kept_bytes, ..SweepOptions::default() }, run)?;
        self.finish(&session, swept, host, run)
    }

    /// Solves the pair like [`solve`](Self::solve) in the layout `shape`, with fewer warps if memory is short.
    #[cfg(test)]
    fn solve_in(
        &self,
        gpu: &Gpu,
        host: &Cpu,
        shape: SweepShape,
        options: SweepOptions,
        run: &Run,
    ) -> Result<(u64, Option<Alignment>), Halt> {
        let mut session = GpuSession::new(gpu, run)?;
        let swept = self.matrix.sweep(&mut session, shape, options, run)?;
        self.finish(&session, swept, host, run)
    }

    /// Returns the sum of the differences, and an alignment if the sweep has kept edges.
    fn finish(&self, session: &GpuSession, swept: SweptMatrix, host: &Cpu, run: &Run) -> Result<(u64, Option<Alignment>), Halt> {
        let cells = (self.matrix.rows.len() + self.matrix.columns.len()) as u64;
        let sum = u64::from(self.cells.gap) * cells - swept.sum;
        let alignment = if swept.kept.is_some() {
            run.stage(RunStage::Traceback)?;
            Some(session.run_paused(|| {
                if is_narrow(&self.cells, self.alphabet) {
                    self.trace::<i8>(session, &swept, host.threads, run)
                } else if self.alphabet <= 1 << 16 {
                    self.trace::<i16>(session, &swept, host.threads, run)
                } else {
                    self.trace::<i32>(session, &swept, host.threads, run)
                }
            })?)
        } else {
            None
        };
        run.release(swept.bytes);
        Ok((sum, alignment))
    }

    /// Finds an optimal alignment on the host, from the edges that `swept` has kept.
    fn trace<C: Cell>(&self, session: &GpuSession, swept: &SweptMatrix, threads: usize, run: &Run) -> Result<Alignment, Halt> {
        let DeviceMatrix { rows, columns, .. } = self.matrix;
        let matrix = Matrix::<C>::new(rows, columns, self.cells);
        let kept = swept.kept.as_ref().expect("the sweep has kept the edges of tiles");
        let words = kept.words(session, [rows.len(), columns.len()]);
        let edges = |strip, number| Ok(edges_of(&matrix, self.cells.gap, &kept.tiles, [strip, number], &words.tile([strip, number])?));
        trace::align_from_words(&matrix, &words, edges, threads, run)
    }
}

/// Returns the edges of a tile that the GPU has kept as `words`, by the numbers of its row and of its column of tiles.
/// `gap` is the cost of a gap.
fn edges_of<C: Cell>(matrix: &Matrix<C>, gap: u32, tiles: &KeptTiles, place: [usize; 2], words: &TileWords) -> Edges<C> {
    let lower = |word: u32| C::from_number(gap as i32 - (word & 0xffff) as i32);
    let upper = |word: u32| C::from_number(gap as i32 - (word >> 16) as i32);
    let whole = matrix.whole();
    let rectangle = tiles.rectangle([whole.rows.end, whole.columns.end], place);
    let mut edges = matrix.gaps(&rectangle.rows, &rectangle.columns);
    if let Some(words) = &words.above {
        edges.h.iter_mut().rev().zip(words).for_each(|(h, word)| *h = lower(*word));
        edges.above.iter_mut().zip(words).for_each(|(z, word)| *z = upper(*word));
    }
    if let Some(words) = &words.left {
        edges.v.iter_mut().zip(words).for_each(|(v, word)| *v = lower(*word));
        edges.left.iter_mut().zip(words).for_each(|(z, word)| *z = upper(*word));
    }
    edges.corner = words.corner.map_or(edges.corner, upper);
    edges
}

#[cfg(test)]
mod tests;
