//! Exact search: every position at which a pattern occurs in a text.

use kernels::alignment::EditKind;

use super::samples::{DAFFODILS_1815, LOG, SONNET, STRAND, SampleEntry, SamplePair, entries, entry, letters};
use super::{AnswerSentences, CellSentences, MatrixSentences, TaskDescription, TaskOption, t};
use crate::model::text::humanize::WorkUnit;

pub(super) static FORM: TaskDescription = TaskDescription {
    title: t("Exact search"),
    short: t("Exact search"),
    lead: t("Every occurrence of *a* in *b*, overlaps included."),
    roles: Some([t("Pattern"), t("Text")]),
    example: ["ana", "bananas"],
    takes: &[TaskOption::Ambiguity, TaskOption::Strands, TaskOption::CountOnly],
    work_unit: WorkUnit::Symbols,
    found: t("Matches"),
    has_dots: false,
    menu: &MENU,
};

pub(super) static ANSWER: AnswerSentences = AnswerSentences {
    verified_property: t("this match"),
    best: None,
    bounds: None,
    heads: [t("{a} in {b}, cell by cell"), t("{a} in {b}, step by step")],
};

pub(super) static MATRIX: MatrixSentences = MatrixSentences {
    letter: "P",
    meaning: t("*P*[*i*, *j*] is 1 if the first *i* symbols of *a* end at position *j* of *b*. Each 1 in the last row is an occurrence."),
    label: t("Matrix of prefixes, rows {a}, columns {b}"),
    edits: &[(EditKind::Equal, t("equal"))],
    any: t("in some occurrence"),
    sign: "∧",
    is_least: false,
    bits: Some(t(
        "Column {j} is a word of its own: the word before, shifted by one, where the symbol is the column’s. The last bit is an occurrence.",
    )),
    borders: [
        t("{cell}: the empty prefix of *a* ends everywhere."),
        t("{cell}: the empty prefix of *a* ends everywhere."),
        t("{cell}: no symbol of *a* can end before *b* begins."),
    ],
    asks: t("{cell}: does {ys} end with {xs}?"),
    inside: CellSentences::ByValue([t("{cell}: {ys} ends with {xs}."), t("{cell}: {ys} does not end with {xs}.")]),
    corner: [t("diagonal: {x} = {y}, the match goes on"), t("diagonal: {x} ≠ {y}, no match")],
    weighted: None,
    sides: None,
    score: t("Occurrences"),
    ways: None,
    sheet: t("{task} of {a} in {b}"),
};

static MENU: [SampleEntry; SAMPLES.len()] = entries(SAMPLES);

/// Pairs of a pattern and a text in which it occurs without changes.
pub(super) const SAMPLES: [SamplePair; 5] = [
    letters(entry(t("aba in ababababa"), t("Occurrences overlap, and all of them count.")), "aba", "ababababa"),
    SamplePair {
        b: ("Sonnet 18", SONNET),
        ..letters(entry(t("fair in Sonnet 18"), t("A word in fourteen lines of Shakespeare.")), "fair", "")
    },
    SamplePair { b: ("service.log", LOG), ..letters(entry(t("An address in a log"), t("Every line of one machine.")), "10.0.4.31", "") },
    letters(entry(t("A motif in DNA"), t("Exact copies among 300 bases.")), "GAGAGGGTG", STRAND),
    SamplePair { b: DAFFODILS_1815, ..letters(entry(t("dancing in the daffodils"), t("Wordsworth, 1815.")), "dancing", "") },
];
