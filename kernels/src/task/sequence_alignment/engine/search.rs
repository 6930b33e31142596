//! The search for the best alignment: its end, its start, and the alignment of the pieces between them.

use std::ops::Range;

use super::coded::Direction;
use super::constrained::ConstrainedAlignment;
#[cfg(not(target_family = "wasm"))]
use super::cuda::DevicePasses;
use super::differences::{self, FreeEdges};
use super::excluded::{ExcludedCells, ExcludedPairs};
use super::values::{self, ValueMatrix};
use super::{AlignmentModel, BestAlignment, BestEnd, CellWidth, SymbolPoints};
use crate::alignment::{Alignment, CigarOp, EditKind};
use crate::base_set::SymbolMatch;
use crate::cpu::Cpu;
use crate::event::RunStage;
use crate::failure::JobFailure;
use crate::job::{AlignmentMode, EditCosts, FreeEnds, GapCosts};
use crate::pair::cells::Corridor;
use crate::pair::cpu::PairOutput;
use crate::pair::cpu::affix::CommonAffix;
use crate::run::{Halt, Run};
use crate::symbol::Symbol;
use crate::task::edit_distance;
use crate::task::edit_distance::weighted;
use crate::task::progress_only::ProgressObserver;

/// Minimum length of the shorter text at which a corridor of diagonals is computed, because it may narrow the matrix.
const MIN_CORRIDOR_TEXT: usize = 1 << 11;

/// Minimum number of symbols before the end of an alignment that are searched for its start.
const MIN_WINDOW: usize = 64;

/// The search for an alignment with a model.
pub(super) struct Search<'s, 'r> {
    pub(super) model: &'s AlignmentModel,
    pub(super) threads: usize,
    pub(super) run: &'s Run<'r>,
    /// The pairs that a local alignment must not have.
    pub(super) excluded: &'s ExcludedPairs,
    /// The GPU that computes large matrices, if there is one.
    #[cfg(not(target_family = "wasm"))]
    pub(super) device: Option<DevicePasses<'s>>,
}

impl Search<'_, '_> {
    /// Finds the best alignment, and its columns if `want` requests them.
    ///
    /// # Errors
    /// Returns an error if the run is stopped, or if the GPU fails.
    pub(super) fn best<T: Symbol>(&self, [a, b]: [&[T]; 2], want: PairOutput) -> Result<BestAlignment, Halt> {
        let model = self.model;
        self.run.stage(RunStage::Compute)?;
        let whole = BestEnd { score: 0, rows: a.len(), columns: b.len() };
        let (end, len) = match model.mode {
            AlignmentMode::Global => (whole, whole),
            AlignmentMode::SemiGlobal => self.semi_global([a, b], model.free_ends)?,
            AlignmentMode::Local => self.local([a, b])?,
        };
        let (a_range, b_range) = (end.rows - len.rows..end.rows, end.columns - len.columns..end.columns);
        let range = |range: &Range<usize>| range.start as u64..range.end as u64;
        let mut best = BestAlignment { score: len.score, a: range(&a_range), b: range(&b_range), alignment: None };
        let excluded: Vec<_> = self.excluded.within(&a_range, &b_range).map(|(i, j)| (i - a_range.start, j - b_range.start)).collect();
        let pieces = [&a[a_range], &b[b_range]];
        match want {
            PairOutput::Distance if model.mode == AlignmentMode::Global => best.score = self.global_score(pieces)?,
            PairOutput::Distance => {}
            PairOutput::Alignment => {
                let known = (model.mode != AlignmentMode::Global).then_some(best.score);
                let (score, alignment) =
                    if excluded.is_empty() { self.align(pieces, known)? } else { self.align_constrained(pieces, excluded)? };
                if model.mode != AlignmentMode::Global && score != best.score {
                    return Err(JobFailure::engine("The pieces of an alignment have another score than the whole texts.").into());
                }
                (best.score, best.alignment) = (score, Some(alignment));
            }
        }
        Ok(best)
    }

    /// Finds the end of the best semi-global alignment, and the lengths of both pieces.
    fn semi_global<T: Symbol>(&self, pieces: [&[T]; 2], free: FreeEnds) -> Result<(BestEnd, BestEnd), Halt> {
        let starts = FreeEdges { rows: free.a_start, columns: free.b_start };
        let ends = FreeEdges { rows: free.a_end, columns: free.b_end };
        if ends == FreeEdges::NONE {
            let whole = BestEnd { score: 0, rows: pieces[0].len(), columns: pieces[1].len() };
            return Ok((whole, self.edge_end(pieces, Direction::Backwards, FreeEdges::NONE, starts)?));
        }
        let end = self.edge_end(pieces, Direction::Forwards, starts, ends)?;
        if starts == FreeEdges::NONE {
            return Ok((end, end));
        }
        let (a, b) = (&pieces[0][..end.rows], &pieces[1][..end.columns]);
        // Each text whose start is free is searched in growing windows before the end. The other is needed as a whole.
        let is_windowed = starts.rows != starts.columns;
        let mut window = 2 * if starts.rows { b.len() } else { a.len() } + MIN_WINDOW;
        loop {
            let rows = if is_windowed && starts.rows { in_window(window, a.len()) } else { a.len() };
            let columns = if is_windowed && starts.columns { in_window(window, b.len()) } else { b.len() };
            let len = self.edge_end([&a[a.len() - rows..], &b[b.len() - columns..]], Direction::Backwards, FreeEdges::NONE, starts)?;
            if len.score == end.score {
                return Ok((end, len));
            }
            if rows == a.len() && columns == b.len() {
                return Err(no_start());
            }
            window = window.saturating_mul(2);
        }
    }

    /// Finds the end of the best local alignment, and the lengths of both pieces.
    fn local<T: Symbol>(&self, pieces: [&[T]; 2]) -> Result<(BestEnd, BestEnd), Halt> {
        let end = self.local_end(pieces, Direction::Forwards, [0, 0])?;
        if end.score == 0 {
            return Ok((end, end));
        }
        let (a, b) = (&pieces[0][..end.rows], &pieces[1][..end.columns]);
        let before_end = |rows: usize, columns: usize| {
            self.local_end([&a[a.len() - rows..], &b[b.len() - columns..]], Direction::Backwards, [a.len(), b.len()])
        };
        let points = i64::from(self.model.points.max());
        let mut window = (2 * end.score / points) as usize + MIN_WINDOW;
        loop {
            let (rows, columns) = (in_window(window, a.len()), in_window(window, b.len()));
            let len = before_end(rows, columns)?;
            if len.score == end.score {
                // An alignment with fewer symbols of b may have more symbols of a than the window.
                let columns = len.columns - 1;
                let reach = self.reach(columns, end.score).min(a.len());
                if reach > rows && points * columns as i64 >= end.score {
                    let other = before_end(reach, columns)?;
                    if other.score == end.score {
                        return Ok((end, other));
                    }
                }
                return Ok((end, len));
            }
            if rows == a.len() && columns == b.len() {
                return Err(no_start());
            }
            window = window.saturating_mul(2);
        }
    }

    /// Returns an upper bound of the number of symbols of `a` in an alignment with `columns` symbols of `b` and at least
    /// the score `score`.
    fn reach(&self, columns: usize, score: i64) -> usize {
        let left = i64::from(self.model.points.max()) * columns as i64 - i64::from(self.model.gap.open) - score;
        match i64::from(self.model.gap.extend) {
            _ if left < 0 => columns,
            0 => usize::MAX,
            extend => columns.saturating_add((left / extend) as usize),
        }
    }

    /// Finds the best end of an alignment in the last row or column, if gaps along `starts` and `ends` are free.
    fn edge_end<T: Symbol>(&self, pieces: [&[T]; 2], direction: Direction, starts: FreeEdges, ends: FreeEdges) -> Result<BestEnd, Halt> {
        #[cfg(not(target_family = "wasm"))]
        if let Some(device) = self.device
            && let Some(end) = device.edge_end(pieces, self.model, direction, [starts, ends], self.run)?
        {
            return Ok(end);
        }
        with_differences!(pieces, self.model, |C| {
            differences::Matrix::<C>::new(pieces[0], pieces[1], self.model, direction).best_end(starts, ends, self.threads, self.run)
        })
    }

    /// Finds the best end of an alignment in any cell. An alignment may start in any cell if the texts are read forwards,
    /// otherwise only in the first one. `origin` is the position in both texts where `pieces` begin in this direction.
    fn local_end<T: Symbol>(&self, pieces: [&[T]; 2], direction: Direction, origin: [usize; 2]) -> Result<BestEnd, Halt> {
        #[cfg(not(target_family = "wasm"))]
        if self.excluded.is_empty()
            && let Some(device) = self.device
            && let Some(end) = device.local_end(pieces, self.model, direction, self.run)?
        {
            return Ok(end);
        }
        let [a, b] = pieces;
        let is_local = direction == Direction::Forwards;
        let width = CellWidth::of_symbols(a, b, &self.model.points);
        let excluded = ExcludedCells { pairs: self.excluded, direction, origin };
        match values::max_tile(self.model.points.max(), self.model.gap, i16::MAX.into()) {
            Some(tile) if width <= CellWidth::Bits16 => {
                ValueMatrix::<i16>::new(a, b, self.model, direction, is_local, tile).without(excluded).best_end(self.threads, self.run)
            }
            _ => {
                let matrix = ValueMatrix::<i32>::new(a, b, self.model, direction, is_local, values::MAX_TILE);
                matrix.without(excluded).best_end(self.threads, self.run)
            }
        }
    }

    /// Computes the score of the best alignment of both whole texts.
    fn global_score<T: Symbol>(&self, pieces: [&[T]; 2]) -> Result<i64, Halt> {
        if let Some(costs) = self.linear_costs(pieces) {
            return Ok(self.solve_linear(pieces, &costs, PairOutput::Distance)?.0);
        }
        let (ends, a, b) = self.cut(pieces);
        let middle = [a, b];
        #[cfg(not(target_family = "wasm"))]
        if let Some((score, _)) = self.on_device(middle, PairOutput::Distance)? {
            return Ok(score + self.points_of(ends));
        }
        let (corridor, threads, run) = (self.corridor(middle, None)?, self.threads, self.run);
        let score = with_differences!(middle, self.model, |C| {
            differences::Matrix::<C>::new(a, b, self.model, Direction::Forwards).score(corridor, threads, run)?
        });
        Ok(score + self.points_of(ends))
    }

    /// Finds the best alignment of both whole texts, and its score, which may be `known`.
    fn align<T: Symbol>(&self, pieces: [&[T]; 2], known: Option<i64>) -> Result<(i64, Alignment), Halt> {
        if known.is_none()
            && let Some(costs) = self.linear_costs(pieces)
            && let (score, Some(alignment)) = self.solve_linear(pieces, &costs, PairOutput::Alignment)?
        {
            return Ok((score, alignment));
        }
        let (ends, a, b) = self.cut(pieces);
        let middle = [a, b];
        #[cfg(not(target_family = "wasm"))]
        if let Some((score, Some(pairs))) = self.on_device(middle, PairOutput::Alignment)? {
            return Ok((score + self.points_of(ends), ends.around(self.distinguish(&pairs, middle))));
        }
        let corridor = self.corridor(middle, known.map(|score| score - self.points_of(ends)))?;
        let (threads, run) = (self.threads, self.run);
        let (score, pairs) = with_differences!(middle, self.model, |C| {
            differences::Matrix::<C>::new(a, b, self.model, Direction::Forwards).align(corridor, threads, run)?
        });
        Ok((score + self.points_of(ends), ends.around(self.distinguish(&pairs, middle))))
    }

    /// Finds the best alignment of both whole texts without the pairs in `excluded`, and its score.
    fn align_constrained<T: Symbol>(&self, [a, b]: [&[T]; 2], mut excluded: Vec<(usize, usize)>) -> Result<(i64, Alignment), Halt> {
        excluded.sort_unstable();
        let alignment = ConstrainedAlignment { a, b, model: self.model, excluded, run: self.run }.align()?;
        let points = |x: T, y: T| self.model.points.of(x.number(), y.number());
        Ok((alignment.score(a, b, |len| self.model.gap.of(len), points).score, alignment))
    }

    /// Finds the best alignment of both whole texts on the GPU. Returns `None` without a GPU, or if the matrix does not suit
    /// it.
    #[cfg(not(target_family = "wasm"))]
    fn on_device<T: Symbol>(&self, pieces: [&[T]; 2], want: PairOutput) -> Result<Option<(i64, Option<Alignment>)>, Halt> {
        self.device.map_or(Ok(None), |device| device.global(pieces, self.model, want, self.threads, self.run))
    }

    /// Returns costs of edits whose least sum belongs to the best global alignment of long texts, if gaps have no opening
    /// cost. With m + n = 2 · pairs + gaps, twice the score is equal · (m + n) less the sum of these costs.
    fn linear_costs<T: Symbol>(&self, [a, b]: [&[T]; 2]) -> Option<EditCosts> {
        let (SymbolPoints::Equality { equal, different }, GapCosts { open: 0, extend }) = (&self.model.points, self.model.gap) else {
            return None;
        };
        let substitute = u32::try_from(2 * (equal - different)).ok()?;
        let gap = u32::try_from(equal + 2 * extend as i32).ok()?;
        (a.len().min(b.len()) >= MIN_CORRIDOR_TEXT).then_some(EditCosts { substitute, insert: gap, delete: gap, transpose: None })
    }

    /// Finds the best global alignment as the one with the least sum of `costs` ([`linear_costs`](Self::linear_costs)).
    fn solve_linear<T: Symbol>(&self, [a, b]: [&[T]; 2], costs: &EditCosts, want: PairOutput) -> Result<(i64, Option<Alignment>), Halt> {
        let alphabet = alphabet(a, b);
        let observer = ProgressObserver::of(self.run);
        let inner = Run::new(&observer);
        let cpu = Cpu { threads: self.threads };
        #[cfg(not(target_family = "wasm"))]
        let found = self.device.map_or(Ok(None), |device| device.least_sum([a, b], alphabet, costs, want, &cpu, &inner))?;
        #[cfg(target_family = "wasm")]
        let found = None;
        let (sum, alignment) = match found {
            Some(found) => found,
            None => weighted::solve(a, b, alphabet, costs, want.into(), &cpu, &inner)?,
        };
        self.run.hold(inner.peak_bytes());
        self.run.release(inner.peak_bytes());
        let equal = i64::from(self.model.points.of(0, 0));
        Ok(((equal * (a.len() as i64 + b.len() as i64) - sum as i64) / 2, alignment))
    }

    /// Returns the diagonals that a best alignment of both whole texts can reach. Its score may be `known`. Otherwise the
    /// edit distance of Levenshtein gives a lower bound of the score, because equal symbols match by every rule.
    fn corridor<T: Symbol>(&self, [a, b]: [&[T]; 2], known: Option<i64>) -> Result<Corridor, Halt> {
        if a.len().min(b.len()) < MIN_CORRIDOR_TEXT {
            return Ok(Corridor::everything());
        }
        let (gap, symbols) = (self.model.gap, a.len() as u64 + b.len() as u64);
        let twice = match (known, self.model.match_points()) {
            (Some(score), _) => 2 * score,
            (None, None) => return Ok(Corridor::everything()),
            (None, Some([equal, different])) => {
                let alphabet = alphabet(a, b);
                let observer = ProgressObserver::of(self.run);
                let inner = Run::new(&observer);
                let cpu = Cpu { threads: self.threads };
                let (edits, _) = edit_distance::cpu::solve(a, b, alphabet, PairOutput::Distance.into(), &cpu, &inner)?;
                twice_score_of_edits(equal, different, gap, symbols, edits)
            }
        };
        let gaps = max_gap_symbols(self.model.points.max(), gap, symbols, twice);
        Ok(gaps.map_or(Corridor::everything(), |gaps| Corridor::with_gaps(a.len(), b.len(), gaps)))
    }

    /// Cuts the common prefix and suffix off two texts, if an optimal alignment may pair their symbols.
    fn cut<'t, T: Symbol>(&self, [a, b]: [&'t [T]; 2]) -> (CommonAffix, &'t [T], &'t [T]) {
        match self.model.match_points() {
            // A pair of the first symbols has at least as many points as any other pair, or as two symbols in gaps.
            Some([equal, different]) if equal >= different && equal + 2 * self.model.gap.extend as i32 >= 0 => CommonAffix::cut(a, b),
            _ => (CommonAffix { prefix: 0, suffix: 0 }, a, b),
        }
    }

    /// Returns the points of the pairs of a common prefix and suffix.
    fn points_of(&self, ends: CommonAffix) -> i64 {
        self.model.match_points().map_or(0, |[equal, _]| i64::from(equal) * (ends.prefix + ends.suffix) as i64)
    }

    /// Returns `pairs`, an alignment of `a` and `b` in which `Equal` stands for all pairs, with pairs of symbols that do not
    /// match as substitutions.
    fn distinguish<T: Symbol>(&self, pairs: &Alignment, [a, b]: [&[T]; 2]) -> Alignment {
        let symbol_match = self.model.symbol_match;
        let matches = |x: &T, y: &T| symbol_match.matches(x.number(), y.number());
        let mut alignment = Alignment::with_capacity(pairs.cigar_ops().len());
        let (mut i, mut j) = (0, 0);
        for &CigarOp { edit, len } in pairs.cigar_ops() {
            let len = len as usize;
            if edit == EditKind::Equal {
                let (mut x, mut y) = (&a[i..i + len], &b[j..j + len]);
                while !x.is_empty() {
                    let equal = match symbol_match {
                        SymbolMatch::Equal => T::common_prefix(x, y),
                        SymbolMatch::Overlap => x.iter().zip(y).take_while(|(x, y)| matches(x, y)).count(),
                    };
                    alignment.push(EditKind::Equal, equal as u64);
                    let different = x[equal..].iter().zip(&y[equal..]).take_while(|(x, y)| !matches(x, y)).count();
                    alignment.push(EditKind::Substitute, different as u64);
                    (x, y) = (&x[equal + different..], &y[equal + different..]);
                }
            } else {
                alignment.push(edit, len as u64);
            }
            let (rows, columns) = edit.consumed_symbols();
            (i, j) = (i + rows as usize * len, j + columns as usize * len);
        }
        alignment
    }
}

/// Returns the number of symbols in a window, or `len` if the next window would have that many.
fn in_window(window: usize, len: usize) -> usize {
    if window.saturating_mul(2) > len { len } else { window }
}

/// Returns a lower bound of twice the score of the best alignment. The texts have `symbols` symbols in all, and an
/// alignment with `edits` substitutions, insertions and deletions.
pub(super) fn twice_score_of_edits(equal: i32, different: i32, gap: GapCosts, symbols: u64, edits: u64) -> i64 {
    let (equal, different) = (i64::from(equal), i64::from(different));
    let per_gap = equal + 2 * i64::from(gap.extend) + 2 * i64::from(gap.open);
    let per_edit = (2 * (equal - different)).max(per_gap).max(0);
    equal * symbols as i64 - per_edit * edits as i64
}

/// Returns the maximum number of symbols in gaps that a best alignment has, or `None` if there is no bound. Twice its score
/// is at least `twice`, and no pair has more than `points` points.
///
/// An alignment of texts with s symbols in all, g of them in gaps, has (s − g) / 2 pairs. So it has at most
/// points · (s − g) / 2 − extend · g points.
pub(super) fn max_gap_symbols(points: i32, gap: GapCosts, symbols: u64, twice: i64) -> Option<u64> {
    let per_gap = i64::from(points) + 2 * i64::from(gap.extend);
    (per_gap > 0).then(|| ((i64::from(points) * symbols as i64 - twice).max(0) / per_gap) as u64)
}

/// Returns a number above the numbers of all symbols.
fn alphabet<T: Symbol>(a: &[T], b: &[T]) -> u32 {
    a.iter().chain(b).map(|symbol| symbol.number()).max().map_or(1, |most| most.saturating_add(1))
}

fn no_start() -> Halt {
    JobFailure::engine("An alignment has an end but no start.").into()
}
