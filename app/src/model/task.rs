//! Sentences of the page about each task, as data. A task has one file, which views look up.
//!
//! A file has one constant for each part of the page, so that a visitor downloads no more than is shown:
//! [`FORM`](lcs::FORM) for the form, [`ANSWER`](lcs::ANSWER) for a result, [`MATRIX`](lcs::MATRIX) for its matrix, and
//! the samples. Sentences are English texts, which are keys of the catalogues of translations. The functions of this
//! module translate them into the visitor's language.
//!
//! - [`approximate_search`], [`edit_distance`], [`exact_search`], [`lcs`], [`match_count`], [`sequence_alignment`]: the tasks
//! - [`mod@samples`]: sample texts that several tasks share

use explain::matrix::{CellInput, DpMatrix, MatrixCell};
use kernels::alignment::EditKind;
use kernels::job::{EditCosts, Task};

use self::samples::{SampleEntry, SamplePair};
use crate::model::text::humanize::{self, WorkUnit, grouped};
use crate::tr::{self, fill};

pub mod approximate_search;
pub mod edit_distance;
pub mod exact_search;
pub mod lcs;
pub mod match_count;
pub(crate) mod samples;
pub mod sequence_alignment;

/// Returns the constant `$name`, such as `FORM`, from the module of the task `$task`.
macro_rules! of_task {
    ($task:expr, $name:ident) => {
        match $task {
            Task::EditDistance => &edit_distance::$name,
            Task::ApproximateSearch => &approximate_search::$name,
            Task::Lcs => &lcs::$name,
            Task::MatchCount => &match_count::$name,
            Task::ExactSearch => &exact_search::$name,
            Task::SequenceAlignment => &sequence_alignment::$name,
        }
    };
}

/// Marks a sentence as a key of the catalogues of translations. Returns it unchanged, because it is translated when it
/// is shown.
const fn t(english: &'static str) -> &'static str {
    english
}

/// Sentence about how bit vectors fill a whole column of distances in one step.
const COLUMN_OF_EDITS: &str = t(
    "Down column {j} the value rises by one, falls by one or stays. One bit for each rise (*VP*) and one for each fall (*VN*) are enough, so a 64-letter column is two machine words, made of those before by a dozen operations.",
);

/// An option that only some tasks take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskOption {
    /// Whether to compute an alignment in addition to the score.
    Alignment,
    /// Cost of each kind of edit.
    Costs,
    /// Points of columns and gaps, and the parts of the texts that are aligned.
    Points,
    /// Maximum number of edits of a hit, or the greatest distance of interest.
    MaxDistance,
    /// Whether to report only the hit with the smallest distance of several hits with adjacent ends.
    LocalMinima,
    /// Maximum number of unequal symbols between the pattern and the text at an offset.
    MaxMismatches,
    /// Whether letters stand for sets of bases.
    Ambiguity,
    /// The strands of DNA to search.
    Strands,
    /// Whether to return only the number of hits, without the hits.
    CountOnly,
    /// The side at which gaps of an alignment stand.
    Gaps,
}

/// The description of a task for the form: its sentences, options and samples.
#[derive(Clone, Copy, Debug)]
pub struct TaskDescription {
    title: &'static str,
    short: &'static str,
    lead: &'static str,
    /// Names of the two texts, such as "pattern" and "text", if the task treats them differently.
    roles: Option<[&'static str; 2]>,
    /// Examples of both texts, shown in empty fields.
    pub example: [&'static str; 2],
    /// Options that this task takes in addition to those that all tasks take.
    pub takes: &'static [TaskOption],
    /// The unit of work in which progress is counted.
    pub work_unit: WorkUnit,
    /// Label of the view that shows the answer.
    found: &'static str,
    /// Whether a dot plot is useful for this task.
    pub has_dots: bool,
    /// Menu entries of the samples, in the order of the menu.
    pub menu: &'static [SampleEntry],
}

impl TaskDescription {
    /// All tasks, in the order of the tabs: tasks that align whole texts, then tasks that search.
    pub const ORDER: [Task; 6] =
        [Task::EditDistance, Task::SequenceAlignment, Task::ApproximateSearch, Task::Lcs, Task::MatchCount, Task::ExactSearch];

    /// Returns the description of `task`.
    pub fn of(task: Task) -> &'static Self {
        of_task!(task, FORM)
    }

    /// Returns the translated name of the task.
    pub fn title(&self) -> &'static str {
        tr::t(self.title)
    }

    /// Returns a shorter translated name of the task, for tabs on phones.
    pub(crate) fn short(&self) -> &'static str {
        tr::t(self.short)
    }

    /// Returns a sentence about what the task computes. Names in italics stand between asterisks.
    pub(crate) fn lead(&self) -> &'static str {
        tr::t(self.lead)
    }

    /// Returns the names of the two texts, or empty strings if the task treats both alike.
    pub(crate) fn roles(&self) -> [&'static str; 2] {
        self.roles.map_or([""; 2], |roles| roles.map(tr::t))
    }

    /// Returns the label of the view that shows the answer.
    pub(crate) fn found(&self) -> &'static str {
        tr::t(self.found)
    }
}

/// Returns the samples of a task, in the order of the menu.
///
/// They are separate from the entries of the menu, because their texts are long and the first download does not need
/// them.
pub(crate) fn samples(task: Task) -> &'static [SamplePair] {
    of_task!(task, SAMPLES)
}

/// The sentences about the answer of a task, and about the progress towards the answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AnswerSentences {
    /// The property that was verified when the answer was checked, as a part of a sentence, such as "the edits turn a
    /// into b".
    verified_property: &'static str,
    /// Sentence about the best hit so far, with `{n}` for its score and `{edits}` for the score as a number of edits.
    /// `None` if all hits are equally good.
    best: Option<&'static str>,
    /// Sentences about bounds of the answer, or `None` if a run of the task reports no bounds before it ends.
    bounds: Option<BoundSentences>,
    /// Headings with `{a}` and `{b}`: of the matrix ("cell by cell"), and of a lens ("step by step").
    pub heads: [&'static str; 2],
}

/// The sentences about the lower and the upper bound of an answer.
#[derive(Clone, Copy, Debug)]
struct BoundSentences {
    label: &'static str,
    /// Words used if both bounds are equal, with `{n}` for their value.
    exactly: &'static str,
    /// Words used if the bounds differ, with `{low}` and `{high}`.
    between: &'static str,
    /// Words used instead of `exactly` and `between` if the answer is a sum of costs, or `None` if the task has no costs.
    sums: Option<[&'static str; 2]>,
}

impl AnswerSentences {
    /// Returns the sentences about an answer of `task`.
    pub(crate) fn of(task: Task) -> &'static Self {
        of_task!(task, ANSWER)
    }

    /// Returns the property that was verified when the answer was checked, as a part of a sentence.
    pub(crate) fn verified_property(&self) -> &'static str {
        tr::t(self.verified_property)
    }

    /// Formats the sentence about the best hit so far, for example "Closest so far: 2 edits." `score` is the score of
    /// the hit. Returns `None` if all hits of the task are equally good.
    pub(crate) fn best(&self, score: u64) -> Option<String> {
        let values = [("n", grouped(score)), ("edits", humanize::count(score, "edit", "edits"))];
        self.best.map(|best| fill(tr::t(best), &values))
    }

    /// Returns the label of the interval between the bounds of the answer, or `None` if the task has no bounds.
    pub(crate) fn interval(&self) -> Option<&'static str> {
        self.bounds.map(|bounds| tr::t(bounds.label))
    }

    /// Formats the lower and upper bound of the answer in words, for example "between 13,910,873 and 46,709,983 edits."
    /// With other `costs` than 1, the bounds are those of a sum. Returns `None` if the task has no bounds.
    pub(crate) fn bounds(&self, (low, high): (u64, u64), costs: EditCosts) -> Option<String> {
        let BoundSentences { exactly, between, sums, .. } = self.bounds?;
        let [exactly, between] = sums.filter(|_| !costs.is_levenshtein()).unwrap_or([exactly, between]);
        let sentence = if low == high { exactly } else { between };
        Some(fill(tr::t(sentence), &[("n", grouped(low)), ("low", grouped(low)), ("high", grouped(high))]))
    }
}

/// The sentences about the matrix of a task and its cells.
///
/// The module [`cell_sentences`](crate::model::matrix::cell_sentences) fills in `{cell}`, `{x}`, `{y}`, `{xs}`, `{ys}`,
/// `{edits}` and `{symbols}`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MatrixSentences {
    /// The letter that names the matrix in formulas.
    pub letter: &'static str,
    /// The meaning of a cell's value, for the heading of the matrix.
    meaning: &'static str,
    /// Label of the table, with `{a}` and `{b}`.
    pub label: &'static str,
    /// The edits that the matrix shows, each with its name in the legend.
    edits: &'static [(EditKind, &'static str)],
    /// Legend entry for the lighter lines, which mark cells on any optimal alignment.
    any: &'static str,
    /// Operator between the two terms of a sum: the value of the input cell, and the cost or score of the step.
    pub sign: &'static str,
    /// Whether the value of a cell is the smallest of its sums, and not the greatest.
    pub is_least: bool,
    /// Sentence about how bit vectors fill a whole column in one step, or `None` if the matrix cannot be shown as bits.
    bits: Option<&'static str>,
    /// Sentences about the first cell, the first row and the first column.
    borders: [&'static str; 3],
    /// Question for the hidden value of a cell outside of the first row and column.
    asks: &'static str,
    /// Sentences about a cell outside of the first row and column.
    inside: CellSentences,
    /// Reasons for the sum from the cell diagonally above: the first if the symbols are equal, the second if they are
    /// not.
    corner: [&'static str; 2],
    /// Sentences that replace some of the others if edits have other costs than 1, or `None` if the task has no costs.
    weighted: Option<WeightedSentences>,
    /// Reasons for the sums from the cell above and from the cell on the left, or `None` if the task has no such sums.
    sides: Option<[&'static str; 2]>,
    /// Name of the answer on the printed sheet.
    score: &'static str,
    /// Label for the number of optimal alignments, or `None` if that number is the answer of the task.
    ways: Option<&'static str>,
    /// Title of the printed sheet, with `{task}`, `{a}` and `{b}`.
    pub sheet: &'static str,
}

/// The sentences about a matrix of edits with other costs than 1.
#[derive(Clone, Copy, Debug)]
struct WeightedSentences {
    /// The meaning of a cell's value, for the heading of the matrix.
    meaning: &'static str,
    /// Question for the hidden value of a cell outside of the first row and column.
    asks: &'static str,
    /// Sentence about a cell outside of the first row and column.
    inside: &'static str,
    /// Name of the edit of two exchanged symbols in the legend.
    swap: &'static str,
    /// Reason for the sum from the cell two rows above and two columns to the left.
    two_back: &'static str,
    /// Remark on exchanges.
    swap_note: &'static str,
}

/// The sentences about a cell outside of the first row and column.
#[derive(Clone, Copy, Debug)]
enum CellSentences {
    /// One sentence for all such cells.
    Each(&'static str),
    /// One sentence for cells with equal symbols, one for cells with unequal symbols.
    ByEquality([&'static str; 2]),
    /// One sentence for cells with the value 1, one for cells with other values.
    ByValue([&'static str; 2]),
}

impl MatrixSentences {
    /// Returns the sentences about the matrix of `task`.
    pub(crate) fn of(task: Task) -> &'static Self {
        of_task!(task, MATRIX)
    }

    /// Returns the sentences about a matrix with these costs, or `None` if each edit costs 1.
    fn with_costs(&self, costs: EditCosts) -> Option<WeightedSentences> {
        self.weighted.filter(|_| !costs.is_levenshtein())
    }

    /// Returns the meaning of a cell's value for these costs. Names between asterisks are in italics.
    pub(crate) fn meaning(&self, costs: EditCosts) -> &'static str {
        tr::t(self.with_costs(costs).map_or(self.meaning, |weighted| weighted.meaning))
    }

    /// Returns the remark on exchanges, or `None` if they have no cost.
    pub(crate) fn swap_note(&self, costs: EditCosts) -> Option<&'static str> {
        self.with_costs(costs).filter(|_| costs.transpose.is_some()).map(|weighted| tr::t(weighted.swap_note))
    }

    /// Returns the edits of the legend of `matrix`, with their translated names.
    pub(crate) fn edits(&self, matrix: &DpMatrix) -> impl Iterator<Item = (EditKind, &'static str)> {
        let (costs, is_equality) = (matrix.costs(), matrix.symbol_match().is_equality());
        let swap = self.with_costs(costs).filter(|_| costs.transpose.is_some()).map(|weighted| (EditKind::Transpose, weighted.swap));
        let word = move |edit: EditKind, word| if edit == EditKind::Equal && !is_equality { tr::t("matching") } else { tr::t(word) };
        self.edits.iter().copied().chain(swap).map(move |(edit, named)| (edit, word(edit, named)))
    }

    /// Returns the legend entry for the lighter lines, which mark cells on any optimal alignment.
    pub(crate) fn any(&self) -> &'static str {
        tr::t(self.any)
    }

    /// Returns the sentence about how bit vectors fill a whole column in one step. Returns `None` if the matrix is not
    /// shown as bits, as with other costs than 1.
    pub(crate) fn bits(&self, costs: EditCosts) -> Option<&'static str> {
        self.bits.filter(|_| costs.is_levenshtein()).map(tr::t)
    }

    /// Returns the sentence about the cell in row `i` and column `j` of `matrix`.
    pub(crate) fn cell(&self, matrix: &DpMatrix, MatrixCell { i, j }: MatrixCell) -> &'static str {
        let [corner, row, column] = self.borders;
        let (value, is_equal) = (matrix.value(MatrixCell { i, j }), matrix.equal(MatrixCell { i, j }));
        let inside = self.with_costs(matrix.costs()).map_or(self.inside, |weighted| CellSentences::Each(weighted.inside));
        tr::t(match (i, j) {
            (0, 0) => corner,
            (0, _) => row,
            (_, 0) => column,
            _ => match inside {
                CellSentences::Each(sentence) => sentence,
                CellSentences::ByEquality([equal, other]) => {
                    if is_equal {
                        equal
                    } else {
                        other
                    }
                }
                CellSentences::ByValue([one, other]) => {
                    if value == 1 {
                        one
                    } else {
                        other
                    }
                }
            },
        })
    }

    /// Returns the question for the hidden value of a cell, for these costs.
    pub(crate) fn asks(&self, costs: EditCosts) -> &'static str {
        tr::t(self.with_costs(costs).map_or(self.asks, |weighted| weighted.asks))
    }

    /// Returns the reason for the sum of a cell from its input `input`. `is_equal` tells whether the two symbols of the
    /// cell are equal.
    pub(crate) fn why(&self, input: CellInput, is_equal: bool) -> &'static str {
        let [equal, other] = self.corner;
        let corner = if is_equal { equal } else { other };
        tr::t(match (input, self.sides) {
            (CellInput::TwoBack, _) => self.weighted.map_or(corner, |weighted| weighted.two_back),
            (CellInput::Corner, _) | (_, None) => corner,
            (CellInput::Above, Some([above, _])) => above,
            (CellInput::Left, Some([_, left])) => left,
        })
    }

    /// Returns the name of the answer on the printed sheet.
    pub(crate) fn score(&self) -> &'static str {
        tr::t(self.score)
    }

    /// Returns the label for the number of optimal alignments on the printed sheet, or `None` if that number is the
    /// answer of the task.
    pub(crate) fn ways(&self) -> Option<&'static str> {
        self.ways.map(tr::t)
    }
}

#[cfg(test)]
mod tests {
    use kernels::job::{EditCosts, GapPlacement, JobOptions};
    use kernels::strand::SearchStrands;

    use super::*;

    /// The page offers exactly the options that the engine accepts.
    #[test]
    fn page_offers_exactly_the_options_of_the_engine() {
        let with = |option| match option {
            TaskOption::Alignment => None,
            TaskOption::Costs => Some(JobOptions { costs: EditCosts::INDEL, ..JobOptions::default() }),
            TaskOption::Points => Some(JobOptions { equal: 2.into(), ..JobOptions::default() }),
            TaskOption::MaxDistance => Some(JobOptions { max_distance: Some(1), ..JobOptions::default() }),
            TaskOption::LocalMinima => Some(JobOptions { max_distance: Some(1), local_minima: true, ..JobOptions::default() }),
            TaskOption::MaxMismatches => Some(JobOptions { max_mismatches: Some(1), ..JobOptions::default() }),
            TaskOption::Ambiguity => Some(JobOptions { ambiguity: true, ..JobOptions::default() }),
            TaskOption::Strands => Some(JobOptions { strands: SearchStrands::Both, ..JobOptions::default() }),
            TaskOption::CountOnly => Some(JobOptions { count_only: true, ..JobOptions::default() }),
            TaskOption::Gaps => Some(JobOptions { gaps: GapPlacement::Rightmost, ..JobOptions::default() }),
        };
        let all = [
            TaskOption::Alignment,
            TaskOption::Costs,
            TaskOption::Points,
            TaskOption::MaxDistance,
            TaskOption::LocalMinima,
            TaskOption::MaxMismatches,
            TaskOption::Ambiguity,
            TaskOption::Strands,
            TaskOption::CountOnly,
            TaskOption::Gaps,
        ];
        for task in Task::ALL {
            for option in all {
                let expected = with(option).map_or(!Task::SEARCHES.contains(&task), |options| options.check(task).is_ok());
                assert_eq!(TaskDescription::of(task).takes.contains(&option), expected, "{task:?} {option:?}");
            }
        }
    }

    #[test]
    fn every_task_has_its_own_description() {
        let titles: std::collections::BTreeSet<_> = Task::ALL.map(|task| TaskDescription::of(task).title()).into();
        assert_eq!(titles.len(), Task::ALL.len());
        for task in Task::ALL {
            assert!(samples(task).iter().map(|sample| &sample.entry).eq(TaskDescription::of(task).menu), "{task:?}");
            assert!(
                MatrixSentences::of(task).meaning(EditCosts::LEVENSHTEIN).contains(&format!("*{}*", MatrixSentences::of(task).letter)),
                "{task:?}"
            );
        }
    }

    #[test]
    fn bounds_are_stated_in_the_unit_of_the_task() {
        let said = |task, bounds| AnswerSentences::of(task).bounds(bounds, EditCosts::LEVENSHTEIN);
        assert_eq!(said(Task::EditDistance, (3, 9_000)).as_deref(), Some("between 3 and 9,000 edits."));
        let sum = AnswerSentences::of(Task::EditDistance).bounds((3, 9_000), EditCosts::OSA);
        assert_eq!(sum.as_deref(), Some("a sum of costs between 3 and 9,000."));
        assert_eq!(said(Task::Lcs, (4, 4)).as_deref(), Some("exactly 4 in common."));
        assert_eq!(said(Task::ExactSearch, (4, 4)), None);
        assert_eq!(AnswerSentences::of(Task::ApproximateSearch).best(1).as_deref(), Some("Closest so far: 1 edit."));
        assert_eq!(AnswerSentences::of(Task::MatchCount).best(3).as_deref(), Some("Best so far: 3 equal."));
    }
}
