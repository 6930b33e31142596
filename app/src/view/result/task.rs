//! One view per task: the answer in words, then its details.
//!
//! - [`lcs`]: the subsequence; edit distance has no module, because it shows only its alignment
//! - [`sequence_alignment`]: the remark on a score below 0, and further pieces
//! - [`approximate_search`], [`match_count`], [`exact_search`]: hits in pages, each with its own alignment
//! - [`kpick`]: the choice of the maximum number of edits, with the number of matches for each value

use kernels::event::TaskAnswer;
use kernels::job::Task;
use leptos::either::EitherOf5;
use leptos::prelude::*;

use self::approximate_search::ApproximateSearch;
use self::exact_search::ExactSearch;
use self::lcs::Lcs;
use self::match_count::MatchCount;
use self::sequence_alignment::NextPieces;
use crate::model::run::checked::CheckOutcome;
use crate::page::ShownResult;

pub mod approximate_search;
pub mod exact_search;
pub mod kpick;
pub mod lcs;
pub mod match_count;
pub mod sequence_alignment;

/// Renders the details of the answer of any task except edit distance. `checked` receives whether the answer was
/// verified.
#[component]
pub fn Other(shown: ShownResult, checked: RwSignal<CheckOutcome>) -> impl IntoView {
    let task = shown.run.answer.as_ref().map(TaskAnswer::task)?;
    Some(match task {
        Task::EditDistance => return None,
        Task::SequenceAlignment => EitherOf5::E(view! { <NextPieces shown /> }),
        Task::ApproximateSearch => EitherOf5::A(view! { <ApproximateSearch shown checked /> }),
        Task::Lcs => EitherOf5::B(view! { <Lcs shown /> }),
        Task::MatchCount => EitherOf5::C(view! { <MatchCount shown checked /> }),
        Task::ExactSearch => EitherOf5::D(view! { <ExactSearch shown checked /> }),
    })
}
