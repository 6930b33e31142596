//! Where a hit lies: moved from its record to the whole text, and told with the record that it is in.

use crate::event::Answer;
use crate::found::Hit;
use crate::task::Solution;
use crate::text::{Pair, Text};

/// A hit `by` symbols further.
pub(super) fn moved(hit: Hit, by: u64) -> Hit {
    Hit { start: hit.start + by, end: hit.end + by, ..hit }
}

/// A hit with the record that it lies in.
pub(super) fn placed_hit(hit: Hit, b: &Text) -> Hit {
    Hit { record: b.in_record(hit.start, hit.end), ..hit }
}

/// An answer whose hits say in which records they lie.
pub(super) fn placed(mut solution: Solution, pair: &Pair) -> Solution {
    let (b, m) = (&pair.b, pair.a.len() as u64);
    if !b.is_apart() {
        return solution;
    }
    let starting = |starts: &[u64]| starts.iter().filter_map(|&start| b.in_record(start, start + m)).collect();
    let place = |hits: &mut Vec<Hit>| hits.iter_mut().for_each(|hit| *hit = placed_hit(*hit, b));
    match &mut solution.answer {
        Answer::ApproximateSearch { hits, .. } => place(hits),
        Answer::MatchCount { offsets, top, records, .. } => {
            place(top);
            *records = starting(offsets);
        }
        Answer::ExactSearch { positions, records, .. } => *records = starting(positions),
        Answer::EditDistance { .. } | Answer::Lcs { .. } => {}
    }
    solution
}
