//! What answers mean, in sentences: one file a task. Models, so that pictures, previews and pages without scripts say the same as the view.

pub mod approximate_search;
pub mod edit_distance;
pub mod exact_search;
pub mod lcs;
pub mod match_count;

use kernels::event::Answer;
use kernels::job::Options;
use kernels::reading::{Warning, WarningKind};

use crate::model::text::words::grouped;
use crate::tr;
use crate::tr::t;

/// What an answer says; `*a*` and `*b*` are names of the texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meaning {
    /// The number.
    pub number: String,
    /// What it means: a sentence that begins with the number.
    pub says: String,
    /// What else there is to say.
    pub aside: String,
}

impl Meaning {
    /// All of it as plain text.
    pub fn plain(&self) -> String {
        format!("{} {} {}", self.number, self.says, self.aside).replace('*', "").trim_end().to_owned()
    }
}

impl Meaning {
    /// Says of equal lines that the texts differ in how they end, where that was told when they were read.
    pub fn apart_from(self, answer: &Answer, warnings: &[Warning]) -> Self {
        let is_equal = matches!(answer, Answer::EditDistance { distance: 0, .. });
        let is_told = warnings.iter().any(|warning| warning.kind == WarningKind::OnlyLineEnds);
        if is_equal && is_told {
            Self { says: t("differences, apart from the line ends.").into(), aside: String::new(), ..self }
        } else {
            self
        }
    }
}

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
