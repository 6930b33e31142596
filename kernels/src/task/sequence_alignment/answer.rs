//! The answer for an alignment, and the check of both.

use super::super::{Solution, failed_check};
use super::engine::{AlignmentModel, BestAlignment};
use crate::alignment::{Alignment, AlignmentScore, GapPlacement, ScoredColumns, SymbolRange};
use crate::event::TaskAnswer;
use crate::failure::JobFailure;
use crate::job::{Points, Scoring};
use crate::run::Halt;
use crate::symbol::Symbol;
use crate::text::Pair;
use crate::with_symbols;

/// Returns the answer for `best`, and its alignment after it is checked, with its gaps placed as in `gaps`, or left where
/// they are. `model` has the points of `scoring` in units.
///
/// # Errors
/// Returns the errors of [`check_and_move_gaps`].
pub(super) fn solution(
    best: BestAlignment,
    pair: &Pair,
    gaps: Option<GapPlacement>,
    (scoring, model): (&Scoring, &AlignmentModel),
) -> Result<Solution, Halt> {
    let BestAlignment { score: units, a, b, alignment } = best;
    let score = scoring.points(units);
    let (in_a, in_b) = (SymbolRange::from(a), SymbolRange::from(b));
    let mut solution = Solution {
        answer: TaskAnswer::SequenceAlignment { score, a: in_a, b: in_b, alignment: None, scored: None, next: Vec::new() },
        alignment: None,
        found: None,
    };
    if let Some(alignment) = alignment {
        let alignment = alignment.starting_at(in_a.start, in_b.start);
        solution = check_and_move_gaps((units, score), [in_a, in_b], alignment, gaps, (pair, model))?;
    }
    Ok(solution)
}

/// Replaces the alignment by the equally good one that users see ([`Alignment::with_scored_gaps`]), and checks that it
/// aligns the ranges of the answer and has the score of the answer. Adds the counts of columns to the answer.
///
/// # Errors
/// Returns `Engine` if the alignment does not fit the ranges or the score.
fn check_and_move_gaps(
    (units, score): (i64, Points),
    [in_a, in_b]: [SymbolRange; 2],
    alignment: Alignment,
    gaps: Option<GapPlacement>,
    (pair, model): (&Pair, &AlignmentModel),
) -> Result<Solution, JobFailure> {
    let (alignment, sum) = with_symbols!(pair, |a, b| {
        let (Some(a), Some(b)) = (a.get(in_a.indices()), b.get(in_b.indices())) else {
            return Err(failed_check("the ranges exceed the texts"));
        };
        move_gaps_checked(alignment, gaps, [a, b], model)?
    });
    if sum.score != units {
        return Err(failed_check(format!("the score is {units} units, that of the alignment {}", sum.score)));
    }
    let (summary, scored) = (Some(alignment.summary()), Some(sum.columns));
    let answer = TaskAnswer::SequenceAlignment { score, a: in_a, b: in_b, alignment: summary, scored, next: Vec::new() };
    Ok(Solution { answer, alignment: Some(alignment), found: None })
}

/// Checks that `alignment` aligns `a` to `b`, and returns the equally good alignment that users see, with its score. With
/// `gaps`, no gap moves over a pair of symbols whose points would change.
fn move_gaps_checked<T: Symbol>(
    alignment: Alignment,
    gaps: Option<GapPlacement>,
    [a, b]: [&[T]; 2],
    model: &AlignmentModel,
) -> Result<(Alignment, AlignmentScore), JobFailure> {
    alignment.check_match(a, b, model.symbol_match).map_err(failed_check)?;
    let points = |x: T, y: T| model.points.of(x.number(), y.number());
    let column = |[x, y]: [&T; 2]| (model.symbol_match.matches(x.number(), y.number()), points(*x, *y));
    let alignment = match gaps {
        Some(gaps) => alignment.with_scored_gaps(gaps, a, b, |before, after| column(before) == column(after)),
        None => alignment,
    };
    let sum = alignment.score(a, b, |len| model.gap.of(len), points);
    Ok((alignment, sum))
}

impl Alignment {
    /// Returns the score of this alignment of pieces of the texts of `pair`, computed from its columns by `scoring`, and the
    /// counts that belong to the score.
    ///
    /// # Errors
    /// Returns `Engine` if the alignment does not fit the texts, and `BadInput` if a matrix has no row for a symbol.
    pub fn score_in(&self, pair: &Pair, scoring: &Scoring) -> Result<(Points, ScoredColumns), JobFailure> {
        let model = AlignmentModel::new(scoring, pair)?;
        let summary = self.summary();
        let range = |start: u64, len: u64| start as usize..(start + len) as usize;
        let in_a = range(self.a_start(), summary.columns - summary.insertions);
        let in_b = range(self.b_start(), summary.columns - summary.deletions);
        with_symbols!(pair, |a, b| {
            let (Some(a), Some(b)) = (a.get(in_a), b.get(in_b)) else { return Err(failed_check("the alignment exceeds the texts")) };
            self.check_match(a, b, model.symbol_match).map_err(failed_check)?;
            let sum = self.score(a, b, |len| model.gap.of(len), |x, y| model.points.of(x.number(), y.number()));
            Ok((scoring.points(sum.score), sum.columns))
        })
    }
}
