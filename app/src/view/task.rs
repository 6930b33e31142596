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

use crate::view::answer::Meaning;

/// What an answer means, for texts of so many symbols.
pub fn meaning(answer: &Answer, symbols: (u64, u64), options: &Options) -> Meaning {
    match answer {
        Answer::EditDistance { distance, alignment } => edit_distance::meaning(*distance, symbols, *alignment, options.unit),
        Answer::ApproximateSearch { distance, total, .. } => approximate_search::meaning(*distance, *total, options.max_distance),
        Answer::Lcs { length, .. } => lcs::meaning(*length, symbols, options.unit),
        Answer::MatchCount { best, total_best, within, .. } => {
            match_count::meaning(*best, *total_best, options.max_mismatches.zip(*within), symbols, options.unit)
        }
        Answer::ExactSearch { total, .. } => exact_search::meaning(*total, symbols),
    }
}
