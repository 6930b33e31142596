//! One view a task: the answer in words, then what there is to look at.
//!
//! - [`edit_distance`], [`lcs`]: an alignment of both whole texts
//! - [`approximate_search`], [`match_count`], [`exact_search`]: hits in pages, each with its own alignment
//! - [`kpick`]: how many edits, with what each number would give

pub mod approximate_search;
pub mod edit_distance;
pub mod exact_search;
pub mod kpick;
pub mod lcs;
pub mod match_count;

use kernels::event::Answer;
use kernels::job::Options;

use crate::tr;
use crate::view::answer::Meaning;
use crate::words::grouped;

/// What an answer means, for texts of so many symbols.
pub fn meaning(answer: &Answer, symbols: (u64, u64), options: &Options) -> Meaning {
    let meaning = match answer {
        Answer::EditDistance { distance, alignment } => edit_distance::meaning(*distance, symbols, *alignment, options.unit),
        Answer::ApproximateSearch { distance, total, .. } => approximate_search::meaning(*distance, *total, options),
        Answer::Lcs { length, .. } => lcs::meaning(*length, symbols, options.unit),
        Answer::MatchCount { best, total_best, within, .. } => {
            match_count::meaning(*best, *total_best, options.max_mismatches.zip(*within), symbols, options.unit)
        }
        Answer::ExactSearch { total, .. } => exact_search::meaning(*total, symbols),
    };
    let (Answer::ApproximateSearch { reverse, total, .. } | Answer::ExactSearch { reverse, total, .. }) = answer else { return meaning };
    match reverse {
        Some(reverse) if *total > 0 => {
            Meaning { aside: format!("{} {}", meaning.aside, on_strands(*total, *reverse)).trim().into(), ..meaning }
        }
        _ => meaning,
    }
}

/// How many of so many hits lie on the other strand.
fn on_strands(total: u64, reverse: u64) -> String {
    tr!("{n} on the strand as it stands, {m} on the other.", n = grouped(total - reverse), m = grouped(reverse))
}
