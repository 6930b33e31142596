//! The meaning of answers in sentences: one file per task, and [`alike`] for texts that look alike.
//!
//! The sentences are part of the model, so that pictures, previews and pages without scripts use the same ones as the
//! view.

pub mod alike;
pub mod approximate_search;
pub mod edit_distance;
pub mod exact_search;
pub mod lcs;
pub mod match_count;
pub mod quote;
pub mod sequence_alignment;

use kernels::event::TaskAnswer;
use kernels::job::{JobOptions, Unit};
use kernels::reading::{ReadWarning, WarningKind};

use self::sequence_alignment::AlignmentAnswer;
use crate::model::alignment::rows::visible_text;
use crate::model::form::{FormSide, FormState};
use crate::model::text::humanize::{self, grouped};
use crate::tr;
use crate::tr::t;

/// The sentences about an answer. In them, `*a*` and `*b*` stand for the names of the texts, and `*quote*` for a quoted
/// text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnswerMeaning {
    /// The number that answers the task, or a word such as "none" in its place.
    pub number: String,
    /// The rest of the sentence that begins with `number`.
    pub says: String,
    /// Whether `says` is a whole sentence, which does not continue `number`.
    pub is_apart: bool,
    /// An additional short line, or an empty string.
    pub aside: String,
    /// A sentence about the error rate, or an empty string. Summaries of the answer leave it out.
    pub rate: String,
    /// The text that stands for `*quote*` in the sentence.
    pub quote: Option<String>,
}

/// Names of the texts `a` and `b` within a sentence. `None` for a text that the sentence calls `a` or `b`.
pub type TextNames = [Option<String>; 2];

impl AnswerMeaning {
    /// Returns the name or quote to show in place of a part of a sentence. Returns `None` if the part is shown as it
    /// is.
    ///
    /// A sentence is split at its asterisks; `part` is part number `nth`, from 0. Parts with odd numbers are between
    /// asterisks.
    pub fn named<'a>(&'a self, nth: usize, part: &str, names: &'a TextNames) -> Option<&'a str> {
        match (nth % 2, part) {
            (1, "a") => names[0].as_deref(),
            (1, "b") => names[1].as_deref(),
            (1, quote::PLACE) => self.quote.as_deref(),
            _ => None,
        }
    }

    /// Returns all sentences as plain text, in which the texts are called `a` and `b`.
    pub fn plain(&self) -> String {
        self.plain_with(&[None, None])
    }

    /// Returns all sentences as plain text, in which the texts have the names `names`.
    pub fn plain_with(&self, names: &TextNames) -> String {
        let number = if self.is_apart { "" } else { &self.number };
        let whole = format!("{number} {} {}", self.says, self.aside);
        let named = |(nth, part): (usize, &str)| self.named(nth, part, names).unwrap_or(part).to_owned();
        whole.split('*').enumerate().map(named).collect::<String>().trim().to_owned()
    }
}

/// Maximum number of letters of a text that serves as its own name.
const MAX_NAMED_LETTERS: usize = 16;

/// Maximum number of letters of a file name within a sentence.
const MAX_FILE_NAME_LETTERS: usize = 40;

/// Returns names for the texts of a form: a short text itself, and the file name of a longer one. If both texts would
/// have the same name, neither gets one.
pub fn text_names(form: &FormState) -> TextNames {
    let name = |which: FormSide| {
        let side = form.side(which);
        // Invisible characters would make the name unreadable.
        let is_short =
            |text: &&str| !text.trim().is_empty() && !text.contains(is_line_end_or_unseen) && text.chars().nth(MAX_NAMED_LETTERS).is_none();
        let is_brief = |name: &&String| name.chars().nth(MAX_FILE_NAME_LETTERS).is_none();
        side.text().filter(is_short).map(visible_text).or_else(|| side.name.as_ref().filter(is_brief).cloned())
    };
    let names = [name(FormSide::A), name(FormSide::B)];
    if names[0] == names[1] { [None, None] } else { names }
}

/// Returns whether a character ends a line, or is invisible and affects its neighbours, like joiners and direction
/// marks.
fn is_line_end_or_unseen(char: char) -> bool {
    matches!(char, '\n' | '\r' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

impl AnswerMeaning {
    /// Returns these sentences about `answer`, changed if `warnings` report that the texts differ only in their line
    /// ends. Instead of equal texts, the sentence then tells of texts that are equal apart from the line ends.
    pub fn with_line_ends_note(self, answer: &TaskAnswer, warnings: &[ReadWarning]) -> Self {
        if !warnings.iter().any(|warning| warning.kind == WarningKind::OnlyLineEnds) {
            return self;
        }
        match answer {
            TaskAnswer::EditDistance { distance: Some(0), .. } => {
                Self { says: t("differences, apart from the line ends.").into(), aside: String::new(), ..self }
            }
            // The texts have the same lines, and all of them are common.
            TaskAnswer::Lcs { length, .. } => {
                let symbols = symbols_noun(*length, Unit::Lines);
                let says = tr!("{symbols} in common: *a* and *b* are equal, apart from the line ends.", symbols = symbols);
                Self { says, aside: String::new(), ..self }
            }
            _ => self,
        }
    }
}

/// Returns the sentences about an answer. `symbols` are the lengths of the texts `a` and `b`.
pub fn meaning(answer: &TaskAnswer, symbols: (u64, u64), options: &JobOptions) -> AnswerMeaning {
    let meaning = match answer {
        TaskAnswer::EditDistance { distance: Some(distance), alignment, .. } => {
            edit_distance::meaning(*distance, symbols, *alignment, options)
        }
        TaskAnswer::EditDistance { distance: None, more_than, .. } => edit_distance::above_limit(more_than.unwrap_or_default(), options),
        TaskAnswer::ApproximateSearch { distance, total, hits, .. } => {
            approximate_search::meaning(*distance, approximate_search::MatchEnds::new(*total, hits, options), symbols, options)
        }
        TaskAnswer::SequenceAlignment { score, a, b, alignment, scored, .. } => {
            let answer = AlignmentAnswer { score: *score, pieces: [*a, *b], columns: alignment.zip(*scored) };
            sequence_alignment::meaning(&answer, symbols, options)
        }
        TaskAnswer::Lcs { length, .. } => lcs::meaning(*length, symbols, options),
        TaskAnswer::MatchCount { best, total_best, within, top, .. } => {
            let within = options.max_mismatches.zip(*within);
            let only = top.first().filter(|_| *total_best == 1).map(|hit| hit.start);
            match_count::meaning(*best, (*total_best, only), within, symbols, options.unit)
        }
        TaskAnswer::ExactSearch { total, .. } => exact_search::meaning(*total, symbols),
    };
    let (TaskAnswer::ApproximateSearch { reverse, total, .. } | TaskAnswer::ExactSearch { reverse, total, .. }) = answer else {
        return meaning;
    };
    match reverse {
        Some(reverse) if *total > 0 => {
            AnswerMeaning { aside: format!("{} {}", meaning.aside, on_strands(*total, *reverse)).trim().into(), ..meaning }
        }
        _ => meaning,
    }
}

/// Formats the number of hits on each strand: `reverse` of the `total` hits are on the reverse strand.
fn on_strands(total: u64, reverse: u64) -> String {
    tr!("{n} on the strand as it stands, {m} on the other.", n = grouped(total - reverse), m = grouped(reverse))
}

/// Returns the noun for symbols of `unit`, in singular or plural as required after `number`.
fn symbols_noun(number: u64, unit: Unit) -> &'static str {
    match (unit, humanize::is_one(number)) {
        (Unit::Bytes, true) => t("byte"),
        (Unit::Bytes, false) => t("bytes"),
        (Unit::Chars, true) => t("character"),
        (Unit::Chars, false) => t("characters"),
        (Unit::Graphemes, true) => t("letter"),
        (Unit::Graphemes, false) => t("letters"),
        (Unit::Words, true) => t("word"),
        (Unit::Words, false) => t("words"),
        (Unit::Lines, true) => t("line"),
        (Unit::Lines, false) => t("lines"),
    }
}

#[cfg(test)]
mod tests {
    use kernels::job::Task;

    use super::*;
    use crate::model::form::FormText;

    #[test]
    fn every_task_mentions_line_ends_if_only_line_ends_differ() {
        let warnings = [ReadWarning { kind: WarningKind::OnlyLineEnds, text: None, message: String::new(), line: None, record: None }];
        let said = |answer: TaskAnswer| {
            let options = JobOptions { unit: Unit::Lines, ..JobOptions::default() };
            meaning(&answer, (2, 2), &options).with_line_ends_note(&answer, &warnings).plain()
        };
        assert_eq!(said(TaskAnswer::from_distance(0, None)), "0 differences, apart from the line ends.");
        let lcs = said(TaskAnswer::Lcs { length: 2, alignment: None });
        assert_eq!(lcs, "2 lines in common: a and b are equal, apart from the line ends.");
    }

    #[test]
    fn short_texts_are_quoted_and_long_ones_named_by_their_files() {
        let file = |name: &str, text: &str| FormText { name: Some(name.into()), ..FormText::typed(text) };
        let names = |a: FormText, b: FormText| text_names(&FormState { a, b, ..FormState::new(Task::EditDistance) });
        let some = |name: &str| Some(name.to_owned());
        assert_eq!(names(FormText::typed("kitten"), FormText::typed("sitting")), [some("kitten"), some("sitting")]);
        assert_eq!(names(file("old.c", "one\ntwo"), FormText::typed("a text of more letters")), [some("old.c"), None]);
        assert_eq!(names(file("old.c", "cat"), FormText::typed("")), [some("cat"), None]);
        assert_eq!(names(FormText::typed("same"), FormText::typed("same")), [None, None]);
        assert_eq!(names(FormText::typed("b\u{200d}"), FormText::typed("a\u{202e}b")), [None, None]);
        let said =
            AnswerMeaning { number: "3".into(), says: "edits turn *a* into *b*.".into(), aside: String::new(), ..AnswerMeaning::default() };
        assert_eq!(said.plain_with(&[some("x*y"), None]), "3 edits turn x*y into b.");
        assert_eq!(said.plain(), "3 edits turn a into b.");
    }
}
