//! Longest common subsequence: the most symbols that both texts share in the same order.

use kernels::alignment::EditKind;

use super::samples::{DAFFODILS, ESSAY, KITTEN, SETTINGS, STRANDS, SampleEntry, SamplePair, entries, entry, letters};
use super::{AnswerSentences, BoundSentences, CellSentences, MatrixSentences, TaskDescription, TaskOption, t};
use crate::model::text::humanize::WorkUnit;

pub(super) static FORM: TaskDescription = TaskDescription {
    title: t("Longest common subsequence"),
    short: t("Subsequence"),
    lead: t("The longest sequence of symbols that *a* and *b* share in the same order."),
    roles: None,
    example: ["nematode", "empty bottle"],
    takes: &[TaskOption::Alignment, TaskOption::Ambiguity, TaskOption::Gaps],
    work_unit: WorkUnit::Cells,
    found: t("Alignment"),
    has_dots: true,
    menu: &MENU,
};

pub(super) static ANSWER: AnswerSentences = AnswerSentences {
    verified_property: t("in this order in both"),
    best: None,
    bounds: Some(BoundSentences {
        label: t("Interval of possible lengths"),
        exactly: t("exactly {n} in common."),
        between: t("between {low} and {high} in common."),
        sums: None,
    }),
    heads: [t("{a} and {b}, cell by cell"), t("{a} and {b}, step by step")],
};

pub(super) static MATRIX: MatrixSentences = MatrixSentences {
    letter: "L",
    meaning: t("*L*[*i*, *j*] is the length of the longest common subsequence of the first *i* symbols of *a* and the first *j* of *b*."),
    label: t("Matrix of lengths, rows {a}, columns {b}"),
    edits: &[(EditKind::Equal, t("equal")), (EditKind::Insert, t("insert")), (EditKind::Delete, t("delete"))],
    any: t("on some optimal alignment"),
    sign: "+",
    is_least: false,
    bits: Some(t(
        "Down column {j} the value rises by one or stays. A zero in *V* is a rise; one addition moves all of them at once, its carries run up to the next match.",
    )),
    borders: [t("{cell}: nothing is in common with an empty text."); 3],
    asks: t("{cell}: how long is the longest common subsequence of {xs} and {ys}?"),
    inside: CellSentences::ByEquality([
        t("{cell}: {xs} and {ys} have {symbols} in common, the largest of three values."),
        t("{cell}: {xs} and {ys} have {symbols} in common. {x} and {y} differ, so the larger of two values counts."),
    ]),
    corner: [t("diagonal: {x} is in both"); 2],
    weighted: None,
    sides: Some([t("above: leave out {x} of *a*"), t("left: leave out {y} of *b*")]),
    score: t("Length"),
    ways: Some(t("Number of optimal alignments")),
    sheet: t("{task} of {a} and {b}"),
};

static MENU: [SampleEntry; SAMPLES.len()] = entries(SAMPLES);

/// Samples of two texts with an instructive common subsequence.
pub(super) const SAMPLES: [SamplePair; 6] = [
    letters(entry(t("nematode knowledge"), t("What two phrases share, in the same order.")), "nematode knowledge", "empty bottle"),
    ESSAY,
    DAFFODILS,
    STRANDS,
    SETTINGS,
    KITTEN,
];
