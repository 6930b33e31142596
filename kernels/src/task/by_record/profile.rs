//! Scores of a text of several records, combined from the records: at positions, in spans, and as a histogram.
//!
//! A position has a score if `a` placed there lies inside one record. Spans refer to the whole text, so that several
//! records may share a span. The part of each record in a span is summarized separately, and the parts are then joined.

use std::ops::Range;

use crate::failure::{JobFailure, large};
use crate::found::{PositionSet, ScoreProfile, ScoreSpan, SearchResult, in_spans};
use crate::job::JobOptions;
use crate::run::{Halt, NoObserver, Run};
use crate::task::{FinishedSearch, SearchTask, Solution};
use crate::text::Pair;

/// Number of offsets whose scores are computed in one step, if the pattern is not long.
const RECORD_OFFSETS_AT_ONCE: u64 = 1 << 16;

/// Maximum number of matrix cells that one request for scores may compute again.
const MAX_RECOMPUTED_CELLS: u64 = 1 << 32;

/// Returns the number of offsets at which `a` fits into the whole text. Offsets at which `a` lies across the border of
/// two records are included.
pub(super) fn offsets_of(pair: &Pair) -> u64 {
    (pair.b.len() as u64 + 1).saturating_sub(pair.a.len() as u64)
}

/// Returns the summaries of the scores of `record`, which begins at position `from` of the whole text `pair`. An
/// element is the number of a span of the whole text's profile, and the summary of the record's scores in this span.
/// The result is empty if the task stores no scores.
pub(super) fn spans_of_record(
    search: &dyn SearchTask,
    pair: &Pair,
    (record, from): (&Pair, u64),
    solution: &Solution,
    options: &JobOptions,
) -> Result<Vec<(usize, ScoreSpan)>, Halt> {
    let Solution { answer, found: Some(found), .. } = solution else { return Ok(Vec::new()) };
    let Some(profile) = &found.profile else { return Ok(Vec::new()) };
    let offsets: u64 = profile.spans.iter().map(|span| span.offsets).sum();
    let width = ScoreProfile::width_for(offsets_of(pair));
    let searched = FinishedSearch { pair: record, options, answer, found };
    let mut spans = Vec::new();
    // The part up to the first border of a span, whole spans, and the remainder.
    let head = from.next_multiple_of(width).min(from + offsets);
    let tail = ((from + offsets) / width * width).max(head);
    for (start, end, points) in [(from, head, 1), (head, tail, (tail - head) / width), (tail, from + offsets, 1)] {
        if start < end {
            let made = search.profile(&searched, start - from..end - from, points as usize, &Run::new(&NoObserver))?;
            spans.extend((start / width..).map(|number| number as usize).zip(made));
        }
    }
    Ok(spans)
}

/// Returns the profile of `offsets` in the whole text, in at most `points` spans. `all` is the number of offsets of the
/// whole text. Uses the spans that the search has stored. Computes scores again if a stored span lies only partly in a
/// span of the result.
pub(super) fn profile(
    search: &dyn SearchTask,
    searched: &FinishedSearch,
    all: u64,
    (offsets, points): (Range<u64>, usize),
    run: &Run,
) -> Result<Vec<ScoreSpan>, Halt> {
    let (from, end) = (offsets.start.min(all), offsets.end.min(all).max(offsets.start.min(all)));
    let width = (end - from).div_ceil(points.max(1) as u64).max(1);
    let spans = match &searched.found.profile {
        None => in_spans(from..end, points, |range, take| for_each_score(search, searched, range, take, run))?,
        Some(kept) => {
            let mut spans = vec![ScoreSpan::EMPTY; (end - from).div_ceil(width) as usize];
            let span_at = |at: u64| ((at - from) / width) as usize;
            let mut again: Vec<Range<u64>> = Vec::new();
            let mut at = from;
            while at < end {
                let number = at / kept.width;
                let (begin, next) = (number * kept.width, ((number + 1) * kept.width).min(end));
                let is_whole = at == begin && (next == begin + kept.width || next == all) && span_at(at) == span_at(next - 1);
                match kept.spans.get(number as usize).filter(|_| is_whole) {
                    Some(whole) => spans[span_at(at)] = spans[span_at(at)].join(*whole),
                    None => match again.last_mut().filter(|last| last.end == at) {
                        Some(last) => last.end = next,
                        None => again.push(at..next),
                    },
                }
                at = next;
            }
            for range in again {
                let mut take = |at, score| spans[span_at(at)] = spans[span_at(at)].join(ScoreSpan::of(score));
                for_each_score(search, searched, range, &mut take, run)?;
            }
            spans
        }
    };
    // A span that several records share keeps its full width. It includes offsets at which `a` would cross a border,
    // without a score.
    let covered = |number: usize| width.min(end - from - number as u64 * width);
    let wide = |(number, span): (usize, ScoreSpan)| ScoreSpan {
        offsets: covered(number),
        least: if span.offsets == 0 { 0 } else { span.least },
        ..span
    };
    Ok(spans.into_iter().enumerate().map(wide).collect())
}

/// Calls `take` for each offset in `range` that has a score, with the offset in the whole text and the score.
fn for_each_score(
    search: &dyn SearchTask,
    searched: &FinishedSearch,
    range: Range<u64>,
    take: &mut dyn FnMut(u64, u64),
    run: &Run,
) -> Result<(), Halt> {
    let FinishedSearch { pair, options, answer, .. } = *searched;
    let m = pair.a.len() as u64;
    within_limit(range.end.saturating_sub(range.start).saturating_mul(m))?;
    let mut part = pair.of_record();
    let at_once = RECORD_OFFSETS_AT_ONCE.max(4 * m);
    // Scores are computed again, because no profile of the whole text belongs to one record.
    let found = SearchResult { positions: PositionSet::default(), profile: Some(ScoreProfile { width: 1, spans: Vec::new() }) };
    for record in pair.b.records_within(range.start as usize..range.end as usize) {
        part.select_record(pair, record);
        let (from, len) = (pair.b.record_range(record).start as u64, pair.b.record_range(record).len() as u64);
        let (mut at, end) = (range.start.max(from), range.end.min(from + len + 1));
        while at < end {
            let next = end.min(at + at_once);
            let searched = FinishedSearch { pair: &part, options, answer, found: &found };
            let scores = search.profile(&searched, at - from..next - from, (next - at) as usize, run)?;
            (at..).zip(scores).for_each(|(at, score)| take(at, score.sum));
            at = next;
        }
    }
    Ok(())
}

/// Returns a histogram of all records together: the element at index d is the number of offsets with the distance d.
pub(super) fn counts(search: &dyn SearchTask, searched: &FinishedSearch, run: &Run) -> Result<Vec<u64>, Halt> {
    let FinishedSearch { pair, options, answer, found } = *searched;
    within_limit(pair.cells())?;
    let mut part = pair.of_record();
    let mut counts = Vec::new();
    for record in 0..pair.b.record_count() {
        part.select_record(pair, record);
        let here = search.counts(&FinishedSearch { pair: &part, options, answer, found }, run)?;
        if counts.len() < here.len() {
            counts.resize(here.len(), 0);
        }
        counts.iter_mut().zip(here).for_each(|(sum, count)| *sum += count);
    }
    Ok(counts)
}

fn within_limit(cells: u64) -> Result<(), JobFailure> {
    if cells <= MAX_RECOMPUTED_CELLS {
        Ok(())
    } else {
        Err(JobFailure::TooLarge { what: large::DISTANCES.into(), got: cells, limit: MAX_RECOMPUTED_CELLS })
    }
}
