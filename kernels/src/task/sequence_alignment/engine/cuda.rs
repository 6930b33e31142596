//! The passes over large matrices on a GPU.
//!
//! Global and semi-global alignments are computed by differences, and the best end of a local alignment by values
//! ([`cells::cuda`](crate::pair::cells::cuda)). The rows of the matrix are usually the symbols of the longer text, so that
//! more warps have work.

use super::coded::Direction;
use super::differences::{self, FreeEdges, LastEdge};
use super::{AlignmentModel, BestEnd, CellWidth, SymbolPoints};
use crate::alignment::Alignment;
use crate::cpu::Cpu;
use crate::event::RunStage;
use crate::gpu::Gpu;
use crate::gpu::compile::KernelSource;
use crate::gpu::session::{DeviceSymbol, GpuSession};
use crate::job::{EditCosts, GapCosts};
use crate::pair::cells::cuda::shape::{GapKind, SweepKind, SymbolCode};
use crate::pair::cells::cuda::{
    DeviceGaps, DeviceMatrix, DevicePoints, MAX_KEPT_BYTES, OuterEdge, SweepOptions, SweptMatrix, check_lengths, values_fit_halves,
    variants as kernel_variants,
};
use crate::pair::cpu::PairOutput;
use crate::run::{Halt, Run};
use crate::symbol::Symbol;
use crate::task::edit_distance::{self, weighted};
use crate::task::lcs;

/// Minimum number of cells of a matrix that is computed on a GPU. A smaller one takes less time than a launch.
const MIN_DEVICE_CELLS: u64 = 1 << 23;

/// Maximum number of symbols whose points by equality are read from a table. More symbols leave too little shared memory.
const MAX_EQUALITY_CLASSES: usize = 16;

/// Maximum number of these symbols if the values of two cells share a register. It is higher, because without a table each
/// value has a register of its own.
const MAX_HALF_EQUALITY_CLASSES: usize = 64;

/// Upper bound of the values of cells, and of their negatives.
const MAX_VALUE: u64 = 1 << 29;

/// Lists every variant of the kernels, and those of edit distances, which linear gaps need.
pub(in super::super) fn variants() -> impl Iterator<Item = KernelSource> {
    let kinds = [(GapKind::Affine, false), (GapKind::Affine, true), (GapKind::Values, false), (GapKind::Values, true)];
    let unit_costs = edit_distance::cuda::variants().into_iter().chain(lcs::cuda::variants());
    kinds.into_iter().flat_map(|(gaps, has_table)| kernel_variants(gaps, has_table)).chain(weighted::cuda::variants()).chain(unit_costs)
}

/// A GPU that computes large matrices.
#[derive(Clone, Copy)]
pub(crate) struct DevicePasses<'g> {
    gpu: &'g Gpu,
    /// Minimum number of cells of a matrix.
    min_cells: u64,
}

/// What a GPU computes for each cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DeviceCells {
    Differences,
    Values,
}

/// Two texts with symbols as a GPU reads them, the longer one as the rows of the matrix.
struct DevicePair<D> {
    rows: Vec<D>,
    columns: Vec<D>,
    points: DevicePoints,
    /// Whether the rows are the symbols of `b`.
    is_swapped: bool,
}

/// A pair with symbols of the width that it needs.
enum AnyDevicePair {
    Bytes(DevicePair<u8>),
    Words(DevicePair<u32>),
}

/// Evaluates an expression with the pair of either width.
macro_rules! with_pair {
    ($pair:expr, |$typed:ident| $body:expr) => {
        match $pair {
            AnyDevicePair::Bytes($typed) => $body,
            AnyDevicePair::Words($typed) => $body,
        }
    };
}

/// Returns the numbers of the symbols in `text`, read in `direction`.
fn numbers<T: Symbol>(text: &[T], direction: Direction) -> Vec<u32> {
    let numbers = text.iter().map(|symbol| symbol.number());
    if direction == Direction::Forwards { numbers.collect() } else { numbers.rev().collect() }
}

impl<'g> DevicePasses<'g> {
    /// Creates the passes on `gpu`.
    pub(crate) fn new(gpu: &'g Gpu) -> Self {
        Self { gpu, min_cells: MIN_DEVICE_CELLS }
    }

    /// Creates passes that compute even the smallest matrix on `gpu`.
    #[cfg(test)]
    pub(super) fn for_all(gpu: &'g Gpu) -> Self {
        Self { gpu, min_cells: 1 }
    }

    /// Prepares two texts for the GPU. An alignment may end along the edges in `ends`. Returns `None` if the matrix is small,
    /// or if the GPU cannot tell the symbols or their points apart.
    fn pair<T: Symbol>(
        &self,
        [a, b]: [&[T]; 2],
        model: &AlignmentModel,
        direction: Direction,
        cells: DeviceCells,
        ends: FreeEdges,
    ) -> Result<Option<AnyDevicePair>, Halt> {
        if (a.len() as u64) * (b.len() as u64) < self.min_cells {
            return Ok(None);
        }
        check_lengths([a.len(), b.len()])?;
        let is_swapped = are_rows_of_b([a.len(), b.len()], ends);
        let [rows, columns] = (if is_swapped { [b, a] } else { [a, b] }).map(|text| numbers(text, direction));
        let GapCosts { open, extend } = model.gap;
        let raise = 2 * (open + extend) as i32;
        let value = |points: i32| match cells {
            DeviceCells::Differences => (points + raise).max(0),
            DeviceCells::Values => points,
        };
        let max_symbols = match model.points {
            SymbolPoints::Equality { equal, different }
                if cells == DeviceCells::Values && values_fit_halves(open + extend, [equal, different]) =>
            {
                MAX_HALF_EQUALITY_CLASSES
            }
            _ => MAX_EQUALITY_CLASSES,
        };
        Ok(by_table(&rows, &columns, model, max_symbols, is_swapped, value)
            .filter(|pair| self.fits(&pair.points, cells))
            .map(AnyDevicePair::Bytes)
            .or_else(|| by_equality(rows, columns, model, T::BYTES, value).map(|pair| pair.swapped_if(is_swapped))))
    }

    /// Returns whether the points of a table fit into the shared memory of a multiprocessor, and into its bytes.
    fn fits(&self, points: &DevicePoints, cells: DeviceCells) -> bool {
        let DevicePoints::Table { classes, points } = points else { return true };
        let (halves, gaps) = if cells == DeviceCells::Values { (1, GapKind::Values) } else { (2, GapKind::Affine) };
        let is_positive = cells == DeviceCells::Values || points.iter().all(|points| *points >= 0);
        is_positive && SweepKind { halves, gaps, classes: Some(*classes) }.fits(self.gpu.shared_bytes())
    }

    /// Finds the best end of an alignment like `Search::edge_end`.
    ///
    /// # Errors
    /// Returns `Stopped` if the run is stopped, and `Engine` if the GPU fails. Returns `TooLarge` if a text is too long or
    /// needs more memory than the GPU has.
    pub(super) fn edge_end<T: Symbol>(
        &self,
        pieces: [&[T]; 2],
        model: &AlignmentModel,
        direction: Direction,
        [starts, ends]: [FreeEdges; 2],
        run: &Run,
    ) -> Result<Option<BestEnd>, Halt> {
        let Some(pair) = self.pair(pieces, model, direction, DeviceCells::Differences, ends)? else { return Ok(None) };
        let (m, n) = (pieces[0].len(), pieces[1].len());
        let open = i64::from(model.gap.open);
        let (swept, is_swapped) = with_pair!(pair, |pair| {
            let [along_rows, along_columns] = if pair.is_swapped { [ends.columns, ends.rows] } else { [ends.rows, ends.columns] };
            let options = SweepOptions { keeps_last_column: along_rows, keeps_last_row: along_columns, ..SweepOptions::default() };
            let mut session = GpuSession::new(self.gpu, run)?;
            (pair.sweep(self.gpu, &mut session, model, starts, options, run)?, pair.is_swapped)
        });
        run.release(swept.bytes);
        let extend = i64::from(model.gap.extend);
        let edge = |is_free: bool, len: usize| if is_free { extend * len as i64 } else { -open };
        let (top, left) = (edge(starts.columns, n), edge(starts.rows, m));
        let rows = if is_swapped { n } else { m };
        let sum = swept.sum as i64 - open * rows as i64;
        let corner = if is_swapped { left + sum } else { top + sum };
        let differences = |edge: Vec<u32>| edge.into_iter().map(|difference| i64::from(difference) - open).collect();
        let [right, bottom] =
            if is_swapped { [swept.last_row, swept.last_column] } else { [swept.last_column, swept.last_row] }.map(differences);
        Ok(Some(LastEdge { top, left, corner, right, bottom }.best_end([m, n], extend, ends)))
    }

    /// Finds the best end of an alignment like `Search::local_end`.
    ///
    /// # Errors
    /// Returns the errors of [`edge_end`](Self::edge_end).
    pub(super) fn local_end<T: Symbol>(
        &self,
        pieces: [&[T]; 2],
        model: &AlignmentModel,
        direction: Direction,
        run: &Run,
    ) -> Result<Option<BestEnd>, Halt> {
        let [m, n] = pieces.map(|text| text.len() as u64);
        let GapCosts { open, extend } = model.gap;
        let least = 3 * u64::from(open) + u64::from(extend) * (m + n);
        if least.max(m.min(n) * u64::from(model.points.max().unsigned_abs())) > MAX_VALUE {
            return Ok(None);
        }
        let Some(pair) = self.pair(pieces, model, direction, DeviceCells::Values, FreeEdges::NONE)? else { return Ok(None) };
        let is_local = direction == Direction::Forwards;
        let (swept, is_swapped) = with_pair!(pair, |pair| {
            let gaps = DeviceGaps::Values { open, extend, is_local, by_row: pair.is_swapped };
            let mut session = GpuSession::new(self.gpu, run)?;
            let swept = pair.matrix(gaps, [OuterEdge::default(); 2]).sweep_all(self.gpu, &mut session, SweepOptions::default(), run)?;
            (swept, pair.is_swapped)
        });
        run.release(swept.bytes);
        let mut best = BestEnd { score: 0, rows: 0, columns: 0 };
        for end in swept.ends.iter().filter(|end| end.value > 0) {
            let (row, column) = (end.row as usize + 1, end.column as usize + 1);
            let (rows, columns) = if is_swapped { (column, row) } else { (row, column) };
            best.improve(BestEnd { score: end.value.into(), rows, columns });
        }
        Ok(Some(best))
    }

    /// Computes the score of the best alignment of both whole texts, and its columns if `want` requests them. In these
    /// columns, `Equal` stands for all pairs.
    ///
    /// # Errors
    /// Returns the errors of [`edge_end`](Self::edge_end).
    pub(super) fn global<T: Symbol>(
        &self,
        pieces: [&[T]; 2],
        model: &AlignmentModel,
        want: PairOutput,
        threads: usize,
        run: &Run,
    ) -> Result<Option<(i64, Option<Alignment>)>, Halt> {
        let Some(pair) = self.pair(pieces, model, Direction::Forwards, DeviceCells::Differences, FreeEdges::NONE)? else { return Ok(None) };
        let max_kept_bytes = (want == PairOutput::Alignment).then_some(MAX_KEPT_BYTES);
        let options = SweepOptions { max_kept_bytes, ..SweepOptions::default() };
        let mut session = GpuSession::new(self.gpu, run)?;
        let (swept, is_swapped) =
            with_pair!(pair, |pair| { (pair.sweep(self.gpu, &mut session, model, FreeEdges::NONE, options, run)?, pair.is_swapped) });
        let (m, n) = (pieces[0].len(), pieces[1].len());
        let (open, extend) = (i64::from(model.gap.open), i64::from(model.gap.extend));
        // The first row of the matrix is a gap, and all values are raised.
        let score = swept.sum as i64 - open * (m.max(n) as i64 + 1) - extend * (m as i64 + n as i64);
        let alignment = match swept.kept {
            None => None,
            Some(_) if is_swapped => {
                let swapped = model.swapped();
                let alignment = trace([pieces[1], pieces[0]], &swapped, &session, &swept, threads, run)?;
                Some(alignment.swapped())
            }
            Some(_) => Some(trace(pieces, model, &session, &swept, threads, run)?),
        };
        run.release(swept.bytes);
        Ok(Some((score, alignment)))
    }

    /// Finds the best global alignment as the one with the least sum of `costs`. All symbols are below `alphabet`. Returns
    /// `None` if the matrix is small.
    ///
    /// # Errors
    /// Returns the errors of [`edge_end`](Self::edge_end).
    pub(super) fn least_sum<T: Symbol>(
        &self,
        [a, b]: [&[T]; 2],
        alphabet: u32,
        costs: &EditCosts,
        want: PairOutput,
        cpu: &Cpu,
        run: &Run,
    ) -> Result<Option<(u64, Option<Alignment>)>, Halt> {
        if (a.len() as u64) * (b.len() as u64) < self.min_cells {
            return Ok(None);
        }
        let [rows, columns] = [a, b].map(|text| numbers(text, Direction::Forwards));
        if T::BYTES == 1 {
            let [rows, columns] = [rows, columns].map(bytes);
            return weighted::cuda::solve(self.gpu, cpu, [&rows, &columns], alphabet, costs, want, run).map(Some);
        }
        weighted::cuda::solve(self.gpu, cpu, [&rows, &columns], alphabet, costs, want, run).map(Some)
    }
}

/// Minimum part of the symbols of one text that the other text must have to be the rows of the matrix.
const MIN_ROWS_PART: usize = 8;

/// Returns whether the rows of the matrix are the symbols of `b`. The last column costs less than the last row, so that the
/// only text whose end is free has the rows, unless it is much shorter. Otherwise the longer one has the rows.
fn are_rows_of_b([m, n]: [usize; 2], ends: FreeEdges) -> bool {
    if ends.rows == ends.columns {
        m < n
    } else if ends.columns {
        n >= m / MIN_ROWS_PART
    } else {
        m < n / MIN_ROWS_PART
    }
}

fn bytes(numbers: Vec<u32>) -> Vec<u8> {
    numbers.into_iter().map(|number| number as u8).collect()
}

/// Returns a pair whose points are read from a table, or `None` if it has too many symbols or points. If points depend on
/// equality, there are at most `max_symbols` symbols.
fn by_table(
    rows: &[u32],
    columns: &[u32],
    model: &AlignmentModel,
    max_symbols: usize,
    is_swapped: bool,
    value: impl Fn(i32) -> i32,
) -> Option<DevicePair<u8>> {
    let (class_of, limit): (&dyn Fn(u32) -> u32, usize) = match &model.points {
        SymbolPoints::Equality { .. } => (&|symbol| symbol, max_symbols),
        SymbolPoints::Table { classes, .. } => (&|symbol| classes[symbol as usize].into(), usize::from(u8::MAX)),
    };
    // Only classes that occur take memory.
    let mut numbers: Vec<Option<u8>> = Vec::new();
    let mut used = Vec::new();
    let mut coded = |text: &[u32]| -> Option<Vec<u8>> {
        let code = |symbol: &u32| {
            let class = class_of(*symbol);
            if numbers.len() <= class as usize {
                numbers.resize(class as usize + 1, None);
            }
            let number = &mut numbers[class as usize];
            if number.is_none() && used.len() < limit {
                *number = Some(used.len() as u8);
                used.push(class);
            }
            *number
        };
        text.iter().map(code).collect()
    };
    let (rows, columns) = (coded(rows)?, coded(columns)?);
    let points = |row: u32, column: u32| {
        let [x, y] = if is_swapped { [column, row] } else { [row, column] };
        let points = match &model.points {
            SymbolPoints::Equality { equal, different } => *if x == y { equal } else { different },
            SymbolPoints::Table { size, points, .. } => points[x as usize * size + y as usize],
        };
        i8::try_from(value(points)).ok()
    };
    let points: Option<Vec<i8>> = used.iter().flat_map(|row| used.iter().map(|column| points(*row, *column))).collect();
    Some(DevicePair { rows, columns, points: DevicePoints::Table { classes: used.len() as u32, points: points? }, is_swapped })
}

/// Returns a pair whose points depend on equality, or `None` if the GPU has no numbers for its symbols.
fn by_equality(
    rows: Vec<u32>,
    columns: Vec<u32>,
    model: &AlignmentModel,
    symbol_bytes: usize,
    value: impl Fn(i32) -> i32,
) -> Option<AnyDevicePair> {
    let SymbolPoints::Equality { equal, different } = model.points else { return None };
    let (equal, different) = (value(equal), value(different));
    let alphabet = rows.iter().chain(&columns).max()?.checked_add(1)?;
    let code = SymbolCode::new(alphabet, u32::try_from(equal - different).ok()?)?;
    let points = DevicePoints::Equality { code, equal, different };
    Some(if symbol_bytes == 1 {
        AnyDevicePair::Bytes(DevicePair { rows: bytes(rows), columns: bytes(columns), points, is_swapped: false })
    } else {
        AnyDevicePair::Words(DevicePair { rows, columns, points, is_swapped: false })
    })
}

impl AnyDevicePair {
    /// Returns the pair with the mark that its rows are the symbols of `b`, if `is_swapped`.
    fn swapped_if(self, is_swapped: bool) -> Self {
        match self {
            Self::Bytes(pair) => Self::Bytes(DevicePair { is_swapped, ..pair }),
            Self::Words(pair) => Self::Words(DevicePair { is_swapped, ..pair }),
        }
    }
}

impl<D: DeviceSymbol> DevicePair<D> {
    fn matrix(&self, gaps: DeviceGaps, [left, above]: [OuterEdge; 2]) -> DeviceMatrix<'_, D> {
        DeviceMatrix { rows: &self.rows, columns: &self.columns, points: self.points.clone(), gaps, left, above }
    }

    /// Computes the differences of the matrix. Gaps along the edges in `starts` are free.
    fn sweep(
        &self,
        gpu: &Gpu,
        session: &mut GpuSession,
        model: &AlignmentModel,
        starts: FreeEdges,
        options: SweepOptions,
        run: &Run,
    ) -> Result<SweptMatrix, Halt> {
        let GapCosts { open, extend } = model.gap;
        let gaps = if open == 0 { DeviceGaps::Linear } else { DeviceGaps::Affine { open } };
        let edge = |is_free: bool| {
            if is_free { OuterEdge { first: open + extend, rest: open + extend } } else { OuterEdge { first: 0, rest: open } }
        };
        let [left, above] = if self.is_swapped { [starts.columns, starts.rows] } else { [starts.rows, starts.columns] };
        self.matrix(gaps, [edge(left), edge(above)]).sweep_all(gpu, session, options, run)
    }
}

/// Finds an optimal alignment of two texts, the rows and the columns of a matrix on the GPU, from the edges in `swept`.
fn trace<T: Symbol>(
    [rows, columns]: [&[T]; 2],
    model: &AlignmentModel,
    session: &GpuSession,
    swept: &SweptMatrix,
    threads: usize,
    run: &Run,
) -> Result<Alignment, Halt> {
    run.stage(RunStage::Traceback)?;
    let kept = swept.kept.as_ref().expect("the sweep has kept the edges of tiles");
    let words = kept.words(session, [rows.len(), columns.len()]);
    session.run_paused(|| {
        with_differences!([rows, columns], model, |C| {
            differences::Matrix::<C>::new(rows, columns, model, Direction::Forwards).align_from_words(&words, threads, run)
        })
    })
}

impl AlignmentModel {
    /// Returns the model of the same alignments with both texts exchanged. Free ends of a semi-global alignment remain.
    fn swapped(&self) -> Self {
        let points = match &self.points {
            SymbolPoints::Equality { .. } => self.points.clone(),
            SymbolPoints::Table { classes, size, points } => {
                let transposed = (0..size * size).map(|at| points[at % size * size + at / size]).collect();
                SymbolPoints::Table { classes: classes.clone(), size: *size, points: transposed }
            }
        };
        Self { points, ..self.clone() }
    }
}
