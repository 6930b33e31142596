//! Placement of hits: shifts a hit from its record to the whole text, and adds the number of the record that contains
//! the hit.

use crate::event::TaskAnswer;
use crate::found::Hit;
use crate::task::Solution;
use crate::text::{Pair, Text};

/// Returns `hit` with `by` added to its start and to its end.
pub(super) fn shift_hit(hit: Hit, by: u64) -> Hit {
    Hit { start: hit.start + by, end: hit.end + by, ..hit }
}

/// Adds to `hit` the record of `b` that contains it, if `b` has several records.
pub(super) fn add_hit_record(hit: Hit, b: &Text) -> Hit {
    Hit { record: b.in_record(hit.start, hit.end), ..hit }
}

/// Adds to each hit in the answer of `solution` the record that contains the hit, if the searched text has several
/// records.
pub(super) fn add_hit_records(mut solution: Solution, pair: &Pair) -> Solution {
    let (b, m) = (&pair.b, pair.a.len() as u64);
    if !b.has_separate_records() {
        return solution;
    }
    let starting = |starts: &[u64]| starts.iter().filter_map(|&start| b.in_record(start, start + m)).collect();
    let place = |hits: &mut Vec<Hit>| hits.iter_mut().for_each(|hit| *hit = add_hit_record(*hit, b));
    match &mut solution.answer {
        TaskAnswer::ApproximateSearch { hits, .. } => place(hits),
        TaskAnswer::MatchCount { offsets, top, records, .. } => {
            place(top);
            *records = starting(offsets);
        }
        TaskAnswer::ExactSearch { positions, records, .. } => *records = starting(positions),
        TaskAnswer::EditDistance { .. } | TaskAnswer::Lcs { .. } | TaskAnswer::SequenceAlignment { .. } => {}
    }
    solution
}
