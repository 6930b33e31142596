//! What the page says of each task, as data: one file a task, which views look up and which is all that a new one adds beside what is drawn for it.
//!
//! A file has one constant for each part of the page that shows it, since a visitor downloads no more than what is to be seen: [`FORM`](lcs::FORM) for the
//! form, [`ANSWER`](lcs::ANSWER) for a result, [`MATRIX`](lcs::MATRIX) for its matrix, and its samples. Sentences are keys of the catalogues, said in the
//! visitor's language by the functions here.
//!
//! - [`approximate_search`], [`edit_distance`], [`exact_search`], [`lcs`], [`match_count`]: the tasks
//! - [`mod@samples`]: texts that several of them begin with

use explain::matrix::Input;
use kernels::alignment::Edit;
use kernels::job::Task;

use self::samples::{Entry, Sample};
use crate::model::text::words::{self, Counted, grouped};
use crate::tr::{self, fill};

pub mod approximate_search;
pub mod edit_distance;
pub mod exact_search;
pub mod lcs;
pub mod match_count;
pub(crate) mod samples;

/// The constant of this name in the file of a task.
macro_rules! of_task {
    ($task:expr, $name:ident) => {
        match $task {
            Task::EditDistance => &edit_distance::$name,
            Task::ApproximateSearch => &approximate_search::$name,
            Task::Lcs => &lcs::$name,
            Task::MatchCount => &match_count::$name,
            Task::ExactSearch => &exact_search::$name,
        }
    };
}

/// Marks a key of the catalogues, which is said in the visitor's language when it is shown.
const fn t(english: &'static str) -> &'static str {
    english
}

/// How a column of distances is filled at once.
const COLUMN_OF_EDITS: &str = t(
    "Down column {j} the value rises by one, falls by one or stays. One bit for each rise (*VP*) and one for each fall (*VN*) are enough, so a 64-letter column is two machine words, made of those before by a dozen operations.",
);

/// An option that some tasks take and others do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// The alignment beside the score.
    Alignment,
    /// Most edits of a hit.
    MaxDistance,
    /// Only the nearest of neighbouring ends.
    LocalMinima,
    /// Most symbols of an offset that are not equal.
    MaxMismatches,
    /// Both strands of DNA.
    Strands,
    /// The number of hits alone.
    CountOnly,
}

/// What the form shows of a task, and what it takes.
#[derive(Clone, Copy, Debug)]
pub struct Described {
    title: &'static str,
    short: &'static str,
    lead: &'static str,
    /// What the texts are to the task, where both are not the same to it.
    roles: Option<[&'static str; 2]>,
    /// What one might type: both together have an answer that is worth a look.
    pub example: [&'static str; 2],
    /// The options that it takes beside those that all take.
    pub takes: &'static [Takes],
    /// What it counts while it works.
    pub counted: Counted,
    /// What shows its answer.
    found: &'static str,
    /// Whether a dot plot shows anything of its answer.
    pub has_dots: bool,
    /// What the menu of its samples says, in their order.
    pub menu: &'static [Entry],
}

impl Described {
    /// That of a task.
    pub fn of(task: Task) -> &'static Self {
        of_task!(task, FORM)
    }

    /// Name of the task.
    pub fn title(&self) -> &'static str {
        tr::t(self.title)
    }

    /// A shorter name, for the tabs of phones.
    pub(crate) fn short(&self) -> &'static str {
        tr::t(self.short)
    }

    /// What it computes, in a sentence with names in italics.
    pub(crate) fn lead(&self) -> &'static str {
        tr::t(self.lead)
    }

    /// What each text is to it; nothing where both are the same.
    pub(crate) fn roles(&self) -> [&'static str; 2] {
        self.roles.map_or([""; 2], |roles| roles.map(tr::t))
    }

    /// Label of what shows its answer.
    pub(crate) fn found(&self) -> &'static str {
        tr::t(self.found)
    }
}

/// The samples of a task, in the order of the menu. Apart from what the menu says: their texts are much more, and not in a first view.
pub(crate) fn samples(task: Task) -> &'static [Sample] {
    of_task!(task, SAMPLES)
}

/// What is said of an answer, and of a run on its way to one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answered {
    /// What was walked through when it was checked.
    walked: &'static str,
    /// The best hit so far, `{n}` as a number and `{edits}` as edits; nothing where no hit is better than another.
    best: Option<&'static str>,
    /// Of tasks that know their answer's bounds before the answer.
    bounds: Option<Bounds>,
    /// What stands above its matrix, with `{a}` and `{b}`: cell by cell, and step by step.
    pub heads: [&'static str; 2],
}

/// How the bounds of an answer are said.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    label: &'static str,
    /// `{n}`.
    exactly: &'static str,
    /// `{low}`, `{high}`.
    between: &'static str,
}

impl Answered {
    /// That of a task.
    pub(crate) fn of(task: Task) -> &'static Self {
        of_task!(task, ANSWER)
    }

    /// What was walked through when an answer was checked.
    pub(crate) fn walked(&self) -> &'static str {
        tr::t(self.walked)
    }

    /// The best hit so far: "Closest so far: 2 edits."
    pub(crate) fn best(&self, score: u64) -> Option<String> {
        let values = [("n", grouped(score)), ("edits", words::count(score, "edit", "edits"))];
        self.best.map(|best| fill(tr::t(best), &values))
    }

    /// What an interval of bounds is called.
    pub(crate) fn interval(&self) -> Option<&'static str> {
        self.bounds.map(|bounds| tr::t(bounds.label))
    }

    /// Bounds in words: "between 13,910,873 and 46,709,983 edits."
    pub(crate) fn bounds(&self, (low, high): (u64, u64)) -> Option<String> {
        let Bounds { exactly, between, .. } = self.bounds?;
        let sentence = if low == high { exactly } else { between };
        Some(fill(tr::t(sentence), &[("n", grouped(low)), ("low", grouped(low)), ("high", grouped(high))]))
    }
}

/// What the matrix of a task is called, and what is said of its cells. `{cell}`, `{x}`, `{y}`, `{xs}`, `{ys}`, `{edits}` and `{symbols}` are put in by
/// [`say`](crate::model::matrix::say).
#[derive(Clone, Copy, Debug)]
pub(crate) struct InMatrix {
    /// Its letter.
    pub letter: &'static str,
    /// What a value says, for the head of the view.
    meaning: &'static str,
    /// What its table is called, with `{a}` and `{b}`.
    pub label: &'static str,
    /// The edits that the task has, each with what it is called in a legend.
    edits: &'static [(Edit, &'static str)],
    /// What a light line is on.
    any: &'static str,
    /// What joins a value and what is added to it.
    pub sign: &'static str,
    /// Whether the best value is the least.
    pub is_least: bool,
    /// How a column is filled at once, where it is shown as bits.
    bits: Option<&'static str>,
    /// Of the first cell, the first row, the first column.
    borders: [&'static str; 3],
    /// What is asked of a cell inside, whose value is not told.
    asks: &'static str,
    /// Of a cell inside.
    inside: Inside,
    /// Why the sum from the corner is what it is: where the symbols are equal, where they are not.
    corner: [&'static str; 2],
    /// The same of those from above and from the left, where there are such.
    sides: Option<[&'static str; 2]>,
    /// What its answer is called on paper.
    score: &'static str,
    /// How many optimal alignments there are, as they are called; nothing where the answer is their number.
    ways: Option<&'static str>,
    /// What the sheet is called, with `{task}`, `{a}` and `{b}`.
    pub sheet: &'static str,
}

/// What is said of a cell that has neighbours above and on the left.
#[derive(Clone, Copy, Debug)]
enum Inside {
    /// The same of each.
    Each(&'static str),
    /// By whether its symbols are equal: where they are, where they are not.
    ByEquality([&'static str; 2]),
    /// By whether its value is 1: where it is, where it is not.
    ByValue([&'static str; 2]),
}

impl InMatrix {
    /// That of a task.
    pub(crate) fn of(task: Task) -> &'static Self {
        of_task!(task, MATRIX)
    }

    /// What a value says, with names in italics.
    pub(crate) fn meaning(&self) -> &'static str {
        tr::t(self.meaning)
    }

    /// The edits of a legend.
    pub(crate) fn edits(&self) -> impl Iterator<Item = (Edit, &'static str)> {
        self.edits.iter().map(|&(edit, word)| (edit, tr::t(word)))
    }

    /// What a light line is on.
    pub(crate) fn any(&self) -> &'static str {
        tr::t(self.any)
    }

    /// How a column is filled at once; nothing where it is not shown as bits.
    pub(crate) fn bits(&self) -> Option<&'static str> {
        self.bits.map(tr::t)
    }

    /// What is said of the cell in row `i` and column `j`.
    pub(crate) fn cell(&self, (i, j): (usize, usize), value: u16, is_equal: bool) -> &'static str {
        let [corner, row, column] = self.borders;
        tr::t(match (i, j) {
            (0, 0) => corner,
            (0, _) => row,
            (_, 0) => column,
            _ => match self.inside {
                Inside::Each(sentence) => sentence,
                Inside::ByEquality([equal, other]) => {
                    if is_equal {
                        equal
                    } else {
                        other
                    }
                }
                Inside::ByValue([one, other]) => {
                    if value == 1 {
                        one
                    } else {
                        other
                    }
                }
            },
        })
    }

    /// What is asked of a cell that is not filled.
    pub(crate) fn asks(&self) -> &'static str {
        tr::t(self.asks)
    }

    /// Why a sum is what it is.
    pub(crate) fn why(&self, input: Input, is_equal: bool) -> &'static str {
        let [equal, other] = self.corner;
        let corner = if is_equal { equal } else { other };
        tr::t(match (input, self.sides) {
            (Input::Corner, _) | (_, None) => corner,
            (Input::Above, Some([above, _])) => above,
            (Input::Left, Some([_, left])) => left,
        })
    }

    /// What its answer is called on paper.
    pub(crate) fn score(&self) -> &'static str {
        tr::t(self.score)
    }

    /// How the number of optimal alignments is called on paper.
    pub(crate) fn ways(&self) -> Option<&'static str> {
        self.ways.map(tr::t)
    }
}

#[cfg(test)]
mod tests {
    use kernels::job::Options;
    use kernels::strand::Strands;

    use super::*;

    /// What the page offers is what the engine takes.
    #[test]
    fn a_task_takes_what_its_job_may_name() {
        let with = |option| match option {
            Takes::Alignment => None,
            Takes::MaxDistance => Some(Options { max_distance: Some(1), ..Options::default() }),
            Takes::LocalMinima => Some(Options { max_distance: Some(1), local_minima: true, ..Options::default() }),
            Takes::MaxMismatches => Some(Options { max_mismatches: Some(1), ..Options::default() }),
            Takes::Strands => Some(Options { strands: Strands::Both, ..Options::default() }),
            Takes::CountOnly => Some(Options { count_only: true, ..Options::default() }),
        };
        let all = [Takes::Alignment, Takes::MaxDistance, Takes::LocalMinima, Takes::MaxMismatches, Takes::Strands, Takes::CountOnly];
        for task in Task::ALL {
            for option in all {
                let expected = with(option).map_or(!Task::SEARCHES.contains(&task), |options| options.check(task).is_ok());
                assert_eq!(Described::of(task).takes.contains(&option), expected, "{task:?} {option:?}");
            }
        }
    }

    #[test]
    fn every_task_is_described_by_itself() {
        let titles: std::collections::BTreeSet<_> = Task::ALL.map(|task| Described::of(task).title()).into();
        assert_eq!(titles.len(), Task::ALL.len());
        for task in Task::ALL {
            assert!(samples(task).iter().map(|sample| &sample.entry).eq(Described::of(task).menu), "{task:?}");
            assert!(InMatrix::of(task).meaning().contains(&format!("*{}*", InMatrix::of(task).letter)), "{task:?}");
        }
    }

    #[test]
    fn bounds_are_said_of_what_is_counted() {
        let said = |task, bounds| Answered::of(task).bounds(bounds);
        assert_eq!(said(Task::EditDistance, (3, 9_000)).as_deref(), Some("between 3 and 9,000 edits."));
        assert_eq!(said(Task::Lcs, (4, 4)).as_deref(), Some("exactly 4 in common."));
        assert_eq!(said(Task::ExactSearch, (4, 4)), None);
        assert_eq!(Answered::of(Task::ApproximateSearch).best(1).as_deref(), Some("Closest so far: 1 edit."));
        assert_eq!(Answered::of(Task::MatchCount).best(3).as_deref(), Some("Best so far: 3 equal."));
    }
}
