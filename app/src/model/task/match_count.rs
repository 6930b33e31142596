//! Match count: the number of equal symbols at each offset of a pattern in a text.

use kernels::alignment::EditKind;

use super::samples::{SONNET, STRAND, SampleEntry, SamplePair, entries, entry, letters};
use super::{AnswerSentences, CellSentences, MatrixSentences, TaskDescription, TaskOption, t};
use crate::model::text::humanize::WorkUnit;

pub(super) static FORM: TaskDescription = TaskDescription {
    title: t("Match count"),
    short: t("Match count"),
    lead: t("How many symbols of *a* match at each offset in *b*; the others are the Hamming distance there."),
    roles: Some([t("Pattern"), t("Text")]),
    example: ["abba", "acbabaccb"],
    takes: &[TaskOption::MaxMismatches, TaskOption::Ambiguity, TaskOption::CountOnly],
    work_unit: WorkUnit::Cells,
    found: t("Profile"),
    has_dots: false,
    menu: &MENU,
};

pub(super) static ANSWER: AnswerSentences = AnswerSentences {
    verified_property: t("this match"),
    best: Some(t("Best so far: {n} equal.")),
    bounds: None,
    heads: [t("{a} in {b}, cell by cell"), t("{a} in {b}, step by step")],
};

pub(super) static MATRIX: MatrixSentences = MatrixSentences {
    letter: "S",
    meaning: t(
        "*S*[*i*, *j*] counts matching symbols along a diagonal. The last row has the count for each offset of *a* in *b*; the symbols that do not match are the Hamming distance there.",
    ),
    label: t("Matrix of equal symbols, rows {a}, columns {b}"),
    edits: &[(EditKind::Equal, t("equal")), (EditKind::Substitute, t("not equal"))],
    any: t("at some best offset"),
    sign: "+",
    is_least: false,
    bits: None,
    borders: [
        t("{cell}: a diagonal starts here; nothing has been compared yet."),
        t("{cell}: a diagonal starts here; nothing has been compared yet."),
        t("{cell}: this diagonal starts inside *a*, so *a* does not fit there as a whole."),
    ],
    asks: t("{cell}: how many symbols match where {xs} lies under the end of {ys}?"),
    inside: CellSentences::Each(t("{cell}: so many symbols match where {xs} lies under the end of {ys}.")),
    corner: [t("diagonal: {x} = {y}, one more match"), t("diagonal: {x} ≠ {y}, no match")],
    weighted: None,
    sides: None,
    score: t("Most equal symbols"),
    ways: Some(t("Offsets with this count")),
    sheet: t("{task} of {a} in {b}"),
};

static MENU: [SampleEntry; SAMPLES.len()] = entries(SAMPLES);

/// Samples of a pattern to compare with a text at every offset.
pub(super) const SAMPLES: [SamplePair; 4] = [
    letters(entry(t("abba over acbabaccb"), t("Six offsets, the best has three of four equal.")), "abba", "acbabaccb"),
    SamplePair {
        within: Some(3),
        points: None,
        ..letters(entry(t("A motif in DNA"), t("Where at most three of nine bases differ.")), "GAGAGGGTG", STRAND)
    },
    letters(
        entry(t("A text over itself"), t("Repeats show as peaks at their distance.")),
        "abracadabra",
        "abracadabra abracadabra abracadabra",
    ),
    SamplePair {
        b: ("Sonnet 18", SONNET),
        ..letters(entry(t("summer’s over Sonnet 18"), t("Chance alone makes one or two letters agree.")), "summer's", "")
    },
];
