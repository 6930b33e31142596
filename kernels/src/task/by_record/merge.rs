//! Merge: combines the solutions of all records to one answer for the whole text.
//!
//! If no maximum distance is requested, only the best hits of the whole text are hits. Each record has its own best
//! hits, and those that are worse than the best of another record are dropped. Each thread does so for the records that
//! it has searched, and the last step for all records.

use super::placed::shift_hit;
use super::profile::offsets_of;
use crate::cbor_struct;
use crate::event::{FIRST_PAGE_HITS, TaskAnswer};
use crate::found::{Hit, PositionSet, PositionSetBuilder, ScoreProfile, ScoreSpan, SearchResult};
use crate::job::{JobOptions, Task};
use crate::task::{Solution, match_count};
use crate::text::Pair;

/// The solution of a search in one record of a text, with the position of the record in the text.
pub(super) struct RecordSolution {
    /// Position of the record in the whole text. The positions in `answer` and `found` are relative to it.
    pub(super) from: u64,
    pub(super) answer: TaskAnswer,
    pub(super) found: Option<SearchResult>,
    /// The record's part of the profile of the scores, only for `match-count`. An element is the number of a span of
    /// the whole text's profile, and the summary of the record's scores in this span.
    pub(super) spans: Vec<(usize, ScoreSpan)>,
}

cbor_struct!(RecordSolution { from, answer, found, spans });

/// Returns the quality of the best hits in an answer as a number to compare: the lower, the better. Returns `None` if
/// nothing was found.
fn best_of(answer: &TaskAnswer) -> Option<u64> {
    match answer {
        TaskAnswer::ApproximateSearch { distance, .. } => *distance,
        TaskAnswer::MatchCount { best, .. } => best.map(|best| u64::MAX - best),
        TaskAnswer::EditDistance { .. }
        | TaskAnswer::Lcs { .. }
        | TaskAnswer::ExactSearch { .. }
        | TaskAnswer::SequenceAlignment { .. } => None,
    }
}

/// Drops the hits of records whose best hit is worse than that of another record. Does nothing if the options request a
/// maximum distance or number of unequal symbols.
pub(super) fn keep_best(records: &mut [RecordSolution], options: &JobOptions) {
    if options.max_distance.is_some() || options.max_mismatches.is_some() {
        return;
    }
    let best = records.iter().filter_map(|record| best_of(&record.answer)).min();
    for record in records.iter_mut().filter(|record| best_of(&record.answer) != best) {
        if let Some(found) = &mut record.found {
            found.positions = PositionSet::default();
        }
        match &mut record.answer {
            TaskAnswer::ApproximateSearch { distance, total, hits, .. } => {
                (*distance, *total) = (None, 0);
                hits.clear();
            }
            // The best offsets of all records are ranked together.
            TaskAnswer::MatchCount { best, total_best, offsets, .. } => {
                (*best, *total_best) = (None, 0);
                offsets.clear();
            }
            TaskAnswer::EditDistance { .. }
            | TaskAnswer::Lcs { .. }
            | TaskAnswer::ExactSearch { .. }
            | TaskAnswer::SequenceAlignment { .. } => {}
        }
    }
}

/// Combines the solutions of all records to one solution for the whole text.
pub(super) fn merge_records(pair: &Pair, records: Vec<RecordSolution>, options: &JobOptions) -> Solution {
    let best = records.iter().filter_map(|record| best_of(&record.answer)).min();
    let mut positions = PositionSetBuilder::default();
    let width = ScoreProfile::width_for(offsets_of(pair));
    let keeps_scores = records.iter().any(|record| record.answer.task() == Task::MatchCount) && !options.count_only;
    let mut spans = if keeps_scores { vec![ScoreSpan::EMPTY; offsets_of(pair).div_ceil(width) as usize] } else { Vec::new() };
    let (mut total, mut within, mut hits, mut starts) = (0, None, Vec::new(), Vec::new());
    let task = records.first().map_or(Task::ApproximateSearch, |record| record.answer.task());
    for record in records {
        let is_best = best_of(&record.answer) == best;
        for (at, span) in record.spans {
            spans[at] = spans[at].join(span);
        }
        if let Some(found) = record.found {
            found.positions.iter().for_each(|at| positions.push(record.from + at));
        }
        match record.answer {
            TaskAnswer::ApproximateSearch { total: here, hits: first, .. } => {
                total += here;
                let left = FIRST_PAGE_HITS - hits.len();
                hits.extend(first.into_iter().take(left).map(|hit| shift_hit(hit, record.from)));
            }
            TaskAnswer::MatchCount { total_best, offsets, within: here, top, .. } => {
                if is_best {
                    total += total_best;
                    let left = FIRST_PAGE_HITS - starts.len();
                    starts.extend(offsets.into_iter().take(left).map(|offset| offset + record.from));
                }
                within = here.map(|here| here + within.unwrap_or(0)).or(within);
                hits.extend(top.into_iter().map(|hit| shift_hit(hit, record.from)));
                if hits.len() > 64 * match_count::TOP_OFFSETS {
                    rank(&mut hits);
                }
            }
            TaskAnswer::EditDistance { .. }
            | TaskAnswer::Lcs { .. }
            | TaskAnswer::ExactSearch { .. }
            | TaskAnswer::SequenceAlignment { .. } => {}
        }
    }
    let profile = keeps_scores.then_some(ScoreProfile { width, spans });
    let answer = if task == Task::MatchCount {
        rank(&mut hits);
        TaskAnswer::MatchCount {
            best: best.map(|best| u64::MAX - best),
            total_best: total,
            offsets: starts,
            within,
            top: hits,
            records: Vec::new(),
        }
    } else {
        TaskAnswer::ApproximateSearch { distance: best, total, hits, reverse: None }
    };
    let found = SearchResult { positions: positions.finish(), profile };
    Solution { answer, alignment: None, found: (!options.count_only).then_some(found) }
}

/// Sorts `hits` by distance, and keeps the best [`TOP_OFFSETS`](match_count::TOP_OFFSETS).
fn rank(hits: &mut Vec<Hit>) {
    hits.sort_by_key(|hit| (hit.distance, hit.start));
    hits.truncate(match_count::TOP_OFFSETS);
}
