//! Sequence alignment: the alignment with the highest score.

use kernels::alignment::EditKind;

use super::samples::{KITTEN, SampleEntry, SamplePair, entries, entry, letters};
use super::{AnswerSentences, CellSentences, MatrixSentences, TaskDescription, TaskOption, t};
use crate::model::points::PointsPreset;
use crate::model::text::humanize::WorkUnit;

pub(super) static FORM: TaskDescription = TaskDescription {
    title: t("Sequence alignment"),
    short: t("Alignment"),
    lead: t("The alignment of *a* and *b* with the most points: equal symbols earn, differences and gaps cost."),
    roles: None,
    example: ["HEAGAWGHEE", "PAWHEAE"],
    takes: &[TaskOption::Alignment, TaskOption::Points, TaskOption::Ambiguity, TaskOption::Gaps],
    work_unit: WorkUnit::Cells,
    found: t("Alignment"),
    has_dots: true,
    menu: &MENU,
};

pub(super) static ANSWER: AnswerSentences = AnswerSentences {
    verified_property: t("the columns add up to the score"),
    best: None,
    bounds: None,
    heads: [t("{a} and {b}, cell by cell"), t("{a} and {b}, step by step")],
};

pub(super) static MATRIX: MatrixSentences = MatrixSentences {
    letter: "H",
    meaning: t("*H*[*i*, *j*] is the highest score of an alignment of the first *i* symbols of *a* and the first *j* of *b*."),
    label: t("Matrix of scores, rows {a}, columns {b}"),
    edits: &[
        (EditKind::Equal, t("equal")),
        (EditKind::Substitute, t("substitute")),
        (EditKind::Insert, t("insert")),
        (EditKind::Delete, t("delete")),
    ],
    any: t("on some optimal alignment"),
    sign: "+",
    is_least: false,
    bits: None,
    borders: [t("{cell}: two empty texts have the score 0."), t("{cell}: {ys} is one gap in *a*."), t("{cell}: {xs} is one gap in *b*.")],
    asks: t("{cell}: what is the highest score of an alignment of {xs} and {ys}?"),
    inside: CellSentences::Each(t("{cell}: no alignment of {xs} and {ys} has a higher score.")),
    corner: [t("diagonal: points of {x} and {y}"); 2],
    weighted: None,
    sides: Some([t("above: {x} in a gap"), t("left: {y} in a gap")]),
    score: t("Score"),
    ways: Some(t("Number of optimal alignments")),
    sheet: t("{task} of {a} and {b}"),
};

static MENU: [SampleEntry; SAMPLES.len()] = entries(SAMPLES);

/// Samples of two sequences to align.
pub(super) const SAMPLES: [SamplePair; 4] = [DNA, HEMOGLOBINS, PROTEINS, KITTEN];

const DNA: SamplePair = SamplePair {
    points: Some(PointsPreset::Blastn),
    ..letters(entry(t("Two pieces of DNA"), t("The best piece of each, with points as in BLAST.")), "TTGATTACATTCAGC", "CAGATTCATTCTGGA")
};

const HEMOGLOBINS: SamplePair = SamplePair {
    points: Some(PointsPreset::Blosum62),
    ..letters(
        entry(t("Two hemoglobins"), t("The alpha and the beta chain of humans, with the points of BLOSUM62.")),
        include_str!("samples/hemoglobin-alpha.fasta"),
        include_str!("samples/hemoglobin-beta.fasta"),
    )
};

const PROTEINS: SamplePair =
    letters(entry(t("HEAGAWGHEE and PAWHEAE"), t("Two short proteins that textbooks align.")), "HEAGAWGHEE", "PAWHEAE");
