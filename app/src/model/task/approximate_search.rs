//! Approximate search: the parts of a text that are nearest to a pattern.

use super::edit_distance::OF_EDITS;
use super::samples::{LOG, SONNET, STRAND, SampleEntry, SamplePair, entries, entry, letters};
use super::{AnswerSentences, CellSentences, MatrixSentences, TaskDescription, TaskOption, t};
use crate::model::text::humanize::WorkUnit;

pub(super) static FORM: TaskDescription = TaskDescription {
    title: t("Approximate search"),
    short: t("Approx. search"),
    lead: t("Find where the pattern occurs in the text, allowing a few edits."),
    roles: Some([t("Pattern"), t("Text")]),
    example: ["annual", "annealing"],
    takes: &[
        TaskOption::MaxDistance,
        TaskOption::LocalMinima,
        TaskOption::Ambiguity,
        TaskOption::Strands,
        TaskOption::CountOnly,
        TaskOption::Gaps,
    ],
    work_unit: WorkUnit::Cells,
    found: t("Matches"),
    has_dots: true,
    menu: &MENU,
};

pub(super) static ANSWER: AnswerSentences = AnswerSentences {
    verified_property: t("this match"),
    best: Some(t("Closest so far: {edits}.")),
    bounds: None,
    heads: [t("{a} in {b}, cell by cell"), t("{a} in {b}, step by step")],
};

pub(super) static MATRIX: MatrixSentences = MatrixSentences {
    meaning: t(
        "*D*[*i*, *j*] is the smallest number of edits between the first *i* symbols of *a* and any part of *b* that ends at position *j*. A match can start anywhere, so the first row is 0.",
    ),
    borders: [
        t("{cell}: a match can start anywhere in *b*."),
        t("{cell}: a match can start anywhere in *b*."),
        t("{cell}: {xs} is deleted, symbol by symbol."),
    ],
    asks: t("{cell}: how far is {xs} from the closest ending of {ys}?"),
    inside: CellSentences::Each(t("{cell}: {xs} and the closest ending of {ys} are {edits} apart, the smallest of three sums.")),
    score: t("Fewest edits"),
    sheet: t("{task} of {a} in {b}"),
    // The sums and the inputs of a cell are those of the edit distance.
    ..OF_EDITS
};

static MENU: [SampleEntry; SAMPLES.len()] = entries(SAMPLES);

/// Pairs of a pattern and a text in which it occurs with a few edits.
pub(super) const SAMPLES: [SamplePair; 4] = [
    SamplePair {
        within: Some(2),
        points: None,
        b: ("Sonnet 18", SONNET),
        ..letters(entry(t("winter in Sonnet 18"), t("The word is not there; what comes near is.")), "winter", "")
    },
    SamplePair {
        within: Some(3),
        points: None,
        b: ("service.log", LOG),
        ..letters(
            entry(t("A log line with typing errors"), t("“request timed out”, also where it is misspelt.")),
            "timed out after 2000 ms",
            "",
        )
    },
    SamplePair {
        within: Some(2),
        points: None,
        ..letters(entry(t("A motif in DNA"), t("Twice in 300 bases, with up to two mutations.")), "GAGAGGGTG", STRAND)
    },
    letters(entry(t("annual in annealing"), t("The textbook’s example: one edit away.")), "annual", "annealing"),
];
