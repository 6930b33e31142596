//! Check: verifies an answer before timing, with plain code that is independent of the engines, and by scoring
//! alignments again.
//!
//! - For texts of bytes with up to [`MAX_CHECKED_CELLS`] cells, [`plain`] solves the task with single symbols or words
//!   of 64 rows.
//!   It checks the distance or length, the minimum distance and every end of an approximate search, the best score and
//!   its offsets, and every position of an exact search.
//! - An alignment is traversed over both texts, and its edits or equal columns are counted. This shows that the score
//!   is attainable, but not that it is optimal.
//! - If neither check is complete, the answers of other programs are compared while they are timed.

use anyhow::ensure;
use kernels::alignment::{Alignment, AlignmentSummary, EditKind};
use kernels::event::TaskAnswer;
use kernels::job::{AlignmentMode, EditCosts, JobOptions, Scoring};
use kernels::task::Solution;

#[path = "../peers/src/scalar.rs"]
mod plain;

/// Maximum number of cells for plain code, which takes some seconds.
const MAX_CHECKED_CELLS: u64 = 200_000_000_000;

/// Maximum number of cells for plain code with costs, which computes one cell at a time.
const MAX_CHECKED_WEIGHTED_CELLS: u64 = 20_000_000_000;

/// The checks of an answer that were made and that the answer has passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PassedChecks {
    /// Whether plain code found the same answer.
    pub(crate) plain: bool,
    /// Whether the alignment was scored again.
    pub(crate) scored: bool,
}

impl PassedChecks {
    /// Describes the checks in words, for the output of the benchmark.
    pub(crate) fn words(self) -> &'static str {
        match (self.plain, self.scored) {
            (true, true) => "plain code and the alignment",
            (true, false) => "plain code",
            (false, true) => "the alignment only",
            (false, false) => "nothing of ours",
        }
    }
}

/// Checks an engine's solution for two texts whose symbols are their bytes.
///
/// # Errors
/// Returns an error if the check finds a difference.
pub(crate) fn bytes((a, b): (&[u8], &[u8]), options: &JobOptions, solution: &Solution) -> anyhow::Result<PassedChecks> {
    let most = if options.costs.is_levenshtein() { MAX_CHECKED_CELLS } else { MAX_CHECKED_WEIGHTED_CELLS };
    let plain = a.len() as u64 * b.len() as u64 <= most;
    if plain {
        by_plain_code((a, b), options, solution)?;
    }
    Ok(PassedChecks { plain, scored: alignment(&solution.answer, solution.alignment.as_ref(), options, a, b)? })
}

/// Checks an engine's solution for two texts of characters, by the alignment alone. The job must have the usual costs and
/// points.
///
/// # Errors
/// Returns an error if the check finds a difference, or if the texts are not UTF-8.
pub(crate) fn chars((a, b): (&[u8], &[u8]), solution: &Solution) -> anyhow::Result<PassedChecks> {
    let [a, b] = [a, b].map(|text| std::str::from_utf8(text).map(|text| text.chars().collect::<Vec<_>>()));
    Ok(PassedChecks { plain: false, scored: alignment(&solution.answer, solution.alignment.as_ref(), &JobOptions::DEFAULT, &a?, &b?)? })
}

/// Solves the task for the texts `a` and `b` without any engine, and compares the result with `solution`.
fn by_plain_code((a, b): (&[u8], &[u8]), options: &JobOptions, solution: &Solution) -> anyhow::Result<()> {
    let found = || solution.found.as_ref().into_iter().flat_map(|found| found.positions.iter());
    match solution.answer {
        TaskAnswer::EditDistance { distance, .. } if options.costs.is_levenshtein() => {
            same("distance", distance, Some(plain::distance(a, b)))
        }
        TaskAnswer::EditDistance { distance, .. } => same("distance", distance, Some(least_sum(a, b, &options.costs))),
        TaskAnswer::Lcs { length, .. } => same("length", length, plain::lcs(a, b)),
        TaskAnswer::SequenceAlignment { score, .. } => {
            same("score", score, options.scoring().points(highest_score(a, b, &options.scoring())))
        }
        TaskAnswer::ApproximateSearch { distance, total, .. } => {
            let mut distances = Vec::with_capacity(b.len() + 1);
            plain::ends(a, b, |distance| distances.push(distance));
            let least = distances.iter().copied().min();
            let most = options.max_distance.or(least);
            same("least distance", distance, least.filter(|&least| Some(least) <= most))?;
            let ends = (0..).zip(distances).filter(|&(_, distance)| Some(distance) <= most).map(|(end, _)| end);
            same_places(total, found(), ends)
        }
        TaskAnswer::MatchCount { best, total_best, .. } => {
            let scores = match_counts(a, b);
            let most = scores.iter().copied().max();
            same("best score", best, most.map(u64::from))?;
            same_places(total_best, found(), (0..).zip(scores).filter(|&(_, score)| Some(score) == most).map(|(offset, _)| offset))
        }
        TaskAnswer::ExactSearch { total, .. } => {
            let places = (0..).zip(b.windows(a.len().max(1))).filter(|(_, window)| *window == a).map(|(at, _)| at);
            same_places(total, found(), places)
        }
    }
}

/// Returns the highest score of an alignment without a matrix of points, by rows of the plain recurrence with affine gaps.
fn highest_score(a: &[u8], b: &[u8], scoring: &Scoring) -> i64 {
    const NONE: i64 = i64::MIN / 2;
    let (is_local, free) = (scoring.mode == AlignmentMode::Local, scoring.free());
    let (open, extend) = (i64::from(scoring.gap.open), i64::from(scoring.gap.extend));
    let start = |is_free: bool, len: usize| match len {
        _ if is_free || len == 0 => 0,
        _ => -open - extend * len as i64,
    };
    let mut row: Vec<i64> = (0..=b.len()).map(|j| start(is_local || free.b_start, j)).collect();
    let (mut deleted, mut highest) = (vec![NONE; row.len()], NONE);
    let mut end = |i: usize, j: usize, value: i64| {
        let is_end = (i, j) == (a.len(), b.len()) || i == a.len() && free.b_end || j == b.len() && free.a_end;
        if is_local || is_end {
            highest = highest.max(value);
        }
    };
    (0..row.len()).for_each(|j| end(0, j, row[j]));
    for i in 1..=a.len() {
        let (mut corner, mut inserted) = (row[0], NONE);
        row[0] = start(is_local || free.a_start, i);
        end(i, 0, row[0]);
        for j in 1..=b.len() {
            deleted[j] = (row[j] - open).max(deleted[j]) - extend;
            inserted = (row[j - 1] - open).max(inserted) - extend;
            let points = if a[i - 1] == b[j - 1] { scoring.equal } else { scoring.different };
            let value = (corner + i64::from(points)).max(deleted[j]).max(inserted);
            corner = row[j];
            row[j] = if is_local { value.max(0) } else { value };
            end(i, j, row[j]);
        }
    }
    highest
}

/// Returns the least sum of `costs`, by three rows of the plain recurrence.
pub(crate) fn least_sum(a: &[u8], b: &[u8], costs: &EditCosts) -> u64 {
    let [insert, delete, substitute] = [costs.insert, costs.delete, costs.substitute].map(u64::from);
    let mut above: Vec<u64> = (0..=b.len() as u64).map(|j| j * insert).collect();
    let (mut two_above, mut row) = (above.clone(), above.clone());
    for i in 1..=a.len() {
        row[0] = i as u64 * delete;
        for j in 1..=b.len() {
            let pair = above[j - 1] + if a[i - 1] == b[j - 1] { 0 } else { substitute };
            row[j] = pair.min(above[j] + delete).min(row[j - 1] + insert);
            if let Some(cost) = costs.transpose
                && i > 1
                && j > 1
                && a[i - 1] == b[j - 2]
                && a[i - 2] == b[j - 1]
            {
                row[j] = row[j].min(two_above[j - 2] + u64::from(cost));
            }
        }
        std::mem::swap(&mut two_above, &mut above);
        std::mem::swap(&mut above, &mut row);
    }
    above[b.len()]
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, said: T, plain: T) -> anyhow::Result<()> {
    ensure!(said == plain, "the engine's {what} is {said:?}, plain code's {plain:?}");
    Ok(())
}

/// Checks that `said`, the positions from the engine, equal `plain`, the positions from plain code. Also checks that
/// their number is `total`.
fn same_places(total: u64, mut said: impl Iterator<Item = u64>, plain: impl Iterator<Item = u64>) -> anyhow::Result<()> {
    let mut count = 0;
    for place in plain {
        same("place", said.next(), Some(place))?;
        count += 1;
    }
    same("last place", said.next(), None)?;
    same("number of places", total, count)
}

/// Counts equal bytes at every offset of `a` in `b`, row by row over a few thousand offsets.
fn match_counts(a: &[u8], b: &[u8]) -> Vec<u16> {
    let offsets = (b.len() + 1).saturating_sub(a.len());
    let mut counts = vec![0u16; offsets];
    for (part, counts) in counts.chunks_mut(4096).enumerate() {
        for (row, &symbol) in a.iter().enumerate() {
            for (count, &other) in counts.iter_mut().zip(&b[part * 4096 + row..]) {
                *count += u16::from(other == symbol);
            }
        }
    }
    counts
}

/// Checks `alignment` by traversing both texts, and its score by `answer`. Returns whether there is an alignment.
fn alignment<T: PartialEq>(
    answer: &TaskAnswer,
    alignment: Option<&Alignment>,
    options: &JobOptions,
    a: &[T],
    b: &[T],
) -> anyhow::Result<bool> {
    let Some(alignment) = alignment else { return Ok(false) };
    let (i_start, j_start) = answer.alignment_start();
    let (mut i, mut j) = (i_start as usize, j_start as usize);
    let (mut openings, mut last) = (0, EditKind::Equal);
    let mut counted = AlignmentSummary::default();
    let mut exchanged = 0;
    for stretch in alignment.cigar_ops() {
        for at in 0..stretch.len {
            let pair = a.get(i).zip(b.get(j)).map(|(a, b)| a == b);
            let fits = match stretch.edit {
                EditKind::Equal => pair == Some(true),
                EditKind::Substitute => pair == Some(false),
                // Columns of an exchange come in pairs from the start of the run.
                EditKind::Transpose => {
                    let other = if at.is_multiple_of(2) { (i + 1, j + 1) } else { (i.wrapping_sub(1), j.wrapping_sub(1)) };
                    pair == Some(false) && a.get(other.0) == b.get(j) && a.get(i) == b.get(other.1)
                }
                EditKind::Insert => j < b.len(),
                EditKind::Delete => i < a.len(),
            };
            ensure!(fits, "{:?} does not fit at {i}, {j}", stretch.edit);
            openings += i64::from(matches!(stretch.edit, EditKind::Insert | EditKind::Delete) && stretch.edit != last);
            last = stretch.edit;
            i += usize::from(stretch.edit != EditKind::Insert);
            j += usize::from(stretch.edit != EditKind::Delete);
            *match stretch.edit {
                EditKind::Equal => &mut counted.matches,
                EditKind::Substitute => &mut counted.mismatches,
                EditKind::Insert => &mut counted.insertions,
                EditKind::Delete => &mut counted.deletions,
                EditKind::Transpose => &mut exchanged,
            } += 1;
        }
    }
    let ends = match answer {
        TaskAnswer::SequenceAlignment { a, b, .. } => (a.end as usize, b.end as usize),
        _ => (a.len(), b.len()),
    };
    ensure!((i, j) == ends, "the alignment ends at {i}, {j}");
    match *answer {
        TaskAnswer::EditDistance { distance, .. } => {
            same("score", distance, Some(options.costs.sum(&AlignmentSummary { transpositions: exchanged / 2, ..counted })))?
        }
        TaskAnswer::Lcs { length, .. } => same("score", (length, 0), (counted.matches, counted.mismatches))?,
        TaskAnswer::SequenceAlignment { score, .. } => {
            let JobOptions { equal, different, gap, .. } = options;
            let points = equal.tenths() * counted.matches as i64 + different.tenths() * counted.mismatches as i64;
            let gaps = gap.extend.tenths() * (counted.insertions + counted.deletions) as i64;
            same("score", score.tenths(), points - gaps - gap.open.tenths() * openings)?;
        }
        _ => anyhow::bail!("an alignment that nobody asked for"),
    }
    Ok(true)
}
