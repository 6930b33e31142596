//! Edit distance: the fewest edits that turn one text into the other.

use kernels::alignment::EditKind;

use super::samples::{DAFFODILS, ESSAY, KITTEN, SETTINGS, STRANDS, SampleEntry, SamplePair, entries, entry, letters};
use super::{
    AnswerSentences, BoundSentences, COLUMN_OF_EDITS, CellSentences, MatrixSentences, TaskDescription, TaskOption, WeightedSentences, t,
};
use crate::model::text::humanize::WorkUnit;

pub(super) static FORM: TaskDescription = TaskDescription {
    title: t("Edit distance"),
    short: t("Edit distance"),
    lead: t(
        "The smallest number of edits (substitute, insert or delete one symbol) that turn *a* into *b*: the Levenshtein distance, and where the edits are.",
    ),
    roles: None,
    example: ["kitten", "sitting"],
    takes: &[TaskOption::Alignment, TaskOption::Costs, TaskOption::MaxDistance, TaskOption::Ambiguity, TaskOption::Gaps],
    work_unit: WorkUnit::Cells,
    found: t("Alignment"),
    has_dots: true,
    menu: &MENU,
};

pub(super) static ANSWER: AnswerSentences = AnswerSentences {
    verified_property: t("the edits turn a into b"),
    best: None,
    bounds: Some(BoundSentences {
        label: t("Interval of possible distances"),
        exactly: t("exactly {n} edits."),
        between: t("between {low} and {high} edits."),
        sums: Some([t("a sum of costs of {n}."), t("a sum of costs between {low} and {high}.")]),
    }),
    heads: [t("{a} to {b}, cell by cell"), t("{a} to {b}, step by step")],
};

pub(super) static MATRIX: MatrixSentences = MatrixSentences { weighted: Some(WEIGHTED), ..OF_EDITS };

/// The sentences about a matrix of edits with costs.
const WEIGHTED: WeightedSentences = WeightedSentences {
    meaning: t("*D*[*i*, *j*] is the least sum of costs of edits that turn the first *i* symbols of *a* into the first *j* of *b*."),
    asks: t("{cell}: what does it cost to turn {xs} into {ys}?"),
    inside: t("{cell}: {xs} becomes {ys} at this cost, the smallest of the sums."),
    swap: t("swap"),
    two_back: t("two back: swap {x} and {y}"),
    swap_note: t(
        "No other edit changes swapped symbols (optimal string alignment). So *CA* becomes *ABC* without a swap, because *B* would have to come between *A* and *C*.",
    ),
};

/// The sentences about the matrix of the edit distance. Approximate search has the same matrix except for its first row
/// and its answer.
pub(super) const OF_EDITS: MatrixSentences = MatrixSentences {
    letter: "D",
    meaning: t(
        "*D*[*i*, *j*] is the smallest number of edits (the Levenshtein distance) between the first *i* symbols of *a* and the first *j* of *b*.",
    ),
    label: t("Matrix of distances, rows {a}, columns {b}"),
    edits: &[
        (EditKind::Equal, t("equal")),
        (EditKind::Substitute, t("substitute")),
        (EditKind::Insert, t("insert")),
        (EditKind::Delete, t("delete")),
    ],
    any: t("on some optimal alignment"),
    sign: "+",
    is_least: true,
    bits: Some(COLUMN_OF_EDITS),
    borders: [
        t("{cell}: two empty texts need no edit."),
        t("{cell}: {ys} is inserted, symbol by symbol."),
        t("{cell}: {xs} is deleted, symbol by symbol."),
    ],
    asks: t("{cell}: how far is {xs} from {ys}?"),
    inside: CellSentences::Each(t("{cell}: {xs} and {ys} are {edits} apart, the smallest of three sums.")),
    corner: [t("diagonal: {x} = {y}, costs nothing"), t("diagonal: substitute {x} by {y}")],
    weighted: None,
    sides: Some([t("above: delete {x}"), t("left: insert {y}")]),
    score: t("Distance"),
    ways: Some(t("Number of optimal alignments")),
    sheet: t("{task} of {a} and {b}"),
};

static MENU: [SampleEntry; SAMPLES.len()] = entries(SAMPLES);

const INTENTION: SamplePair =
    letters(entry(t("intention → execution"), t("Five edits, and more than one way to do it.")), "intention", "execution");
const EMOJI: SamplePair = letters(
    entry(t("👩‍🚀 → 👨‍🚀"), t("One character to readers, three code points, eleven bytes: try the units.")),
    "👩‍🚀 über 🇯🇵",
    "👨‍🚀 u\u{308}ber 🇰🇷",
);
const LOG_LINE: SamplePair = letters(
    entry(t("Two log lines"), t("The same message, another number, another address.")),
    "09:14:03 error request 7f3d from 10.0.4.31 timed out after 2000 ms",
    "09:14:08 error request 7f40 from 10.0.4.17 timed out after 2500 ms",
);

/// Samples of two texts to compare as a whole.
pub(super) const SAMPLES: [SamplePair; 8] = [KITTEN, INTENTION, STRANDS, DAFFODILS, ESSAY, SETTINGS, LOG_LINE, EMOJI];
