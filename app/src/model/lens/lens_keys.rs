//! Translations of all keys of the lenses (views that show an algorithm step by step): sentences, names, headings,
//! counts and marks. A key is an English text. A key without a translation, such as program code, is shown as it is. A
//! test checks that no key of a lens lacks a translation that it needs.

use explain::lens::frame::LensMark;
use explain::lens::question::QuestionKind;
use explain::lens::{LensName, StepUnit};

use crate::model::text::humanize::grouped;
use crate::tr;
use crate::tr::t;

pub use self::sentences::sentence;

mod sentences;

/// Formats the position `step` of `all` in a lens, in the lens's unit of steps, for example "round 3 of 9". Callers
/// format [`StepUnit::Step`] themselves.
pub fn step_progress(unit: StepUnit, step: usize, all: usize) -> String {
    let (step, all) = (grouped(step as u64), grouped(all as u64));
    match unit {
        StepUnit::Step | StepUnit::Round => tr!("round {step} of {all}", step = step, all = all),
        StepUnit::Comparison => tr!("comparison {step} of {all}", step = step, all = all),
        StepUnit::TimeUnit => tr!("time unit {step} of {all}", step = step, all = all),
    }
}

/// Translates the key of a heading, of a row's name, of a count or of a choice.
pub fn label(key: &'static str) -> &'static str {
    match key {
        "access" => t("kind of access"),
        "additions" => t("additions"),
        "aid-thread" => t("aid"),
        "alignment-backwards" => t("The alignment, from its end"),
        "bits-kept" => t("bits kept"),
        "bits-of-d" => t("bits in D"),
        "block" => t("block"),
        "carries" => t("carries"),
        "cells-at-once" => t("cells at once"),
        "cells-by-level" => t("Cells computed, level by level"),
        "cells-computed" => t("cells computed"),
        "cells-visited" => t("cells visited"),
        "cells-of-matrix" => t("cells of the matrix"),
        "coalesced" => t("coalesced"),
        "column" => t("column"),
        "columns-found" => t("columns found"),
        "comparisons" => t("comparisons"),
        "comparisons-naive" => t("comparisons at every place"),
        "depth" => t("depth"),
        "dmm" => t("DMM: banks"),
        "dmm-answered" => t("answered, DMM"),
        "dmm-pipeline" => t("Pipeline of the DMM"),
        "dmm-time" => t("Time units on the DMM"),
        "dmm-time-units" => t("time units, DMM"),
        "dmm.passing" => t("from word to word"),
        "dmm.selecting" => t("by selection"),
        "edits-found" => t("edits found"),
        "entries-made" => t("numbers made"),
        "failure-table" => t("Failure table"),
        "found" => t("found"),
        "from" => t("first address"),
        "furthest-rows" => t("Furthest rows of the waves"),
        "given" => t("as given"),
        "group" => t("group"),
        "groups" => t("Groups of words"),
        "hmm" => t("Time units on the HMM"),
        "hmm.1" => t("1, copy"),
        "hmm.2" => t("2, search"),
        "hmm.3" => t("3, write"),
        "hmm.4" => t("4, minimum"),
        "hmm.counted" => t("counted"),
        "hmm.formula" => t("by formula"),
        "input.above" => t("above"),
        "input.corner" => t("diagonal"),
        "input.left" => t("left"),
        "input.start" => t("start here"),
        "input.two-back" => t("two back"),
        "layer-d" => t("D: the last column is a gap in b"),
        "layer-i" => t("I: the last column is a gap in a"),
        "layer-m" => t("M: the last column is a pair"),
        "layer.d" => t("from D"),
        "layer.i" => t("from I"),
        "layer.m" => t("from M"),
        "lens.kmp" => t("Knuth, Morris, Pratt"),
        "lens.naive" => t("at every place"),
        "masks-kept" => t("masks kept"),
        "match-counts" => t("Match counts"),
        "matrix" => t("The table"),
        "minima" => t("The least of each block"),
        "occurrences" => t("Occurrences"),
        "pattern" => t("pattern"),
        "pattern-on-itself" => t("The pattern on itself"),
        "pieces" => t("Parts of the text"),
        "positions" => t("position in the text"),
        "processors" => t("processors"),
        "random" => t("random"),
        "reply.both" => t("both stay"),
        "reply.cut" => t("the cut"),
        "reply.from-above" => t("a row from above"),
        "reply.from-below" => t("a row from below"),
        "reply.nothing" => t("nothing: a part is empty"),
        "reply.single" => t("a part of one row"),
        "reply.no" => t("no"),
        "reply.one" => t("1"),
        "reply.with" => t("with a carry"),
        "reply.without" => t("without a carry"),
        "reply.yes" => t("yes"),
        "reply.zero" => t("0"),
        "requests" => t("Requests of the warps"),
        "rounds" => t("rounds"),
        "seed" => t("seed"),
        "selections" => t("selections"),
        "shifts-and-additions" => t("shifts and additions"),
        "slices" => t("Slices of the text"),
        "slide-by" => t("slide by"),
        "steps-of-threads" => t("steps of the threads"),
        "steps-word-by-word" => t("steps word by word"),
        "streams" => t("A stream for each symbol"),
        "stride" => t("with a stride"),
        "sums-d" => t("Where the value in D comes from"),
        "sums-i" => t("Where the value in I comes from"),
        "sums-m" => t("Where the value in M comes from"),
        "swap-apart" => t("Two symbols swapped, others between them"),
        "swaps-found" => t("swaps found"),
        "subsequence" => t("The subsequence so far"),
        "symbols-found" => t("symbols found"),
        "symbols-taken" => t("symbols taken in"),
        "text" => t("The text"),
        "thread" => t("thread"),
        "threads" => t("Threads over the rounds"),
        "threads-at-work" => t("threads at work"),
        "three-rows" => t("What the block keeps: three rows"),
        "time-units" => t("time units"),
        "turns-of-threads" => t("symbols compared by all threads"),
        "umm" => t("UMM: address groups"),
        "umm-answered" => t("answered, UMM"),
        "umm-pipeline" => t("Pipeline of the UMM"),
        "umm-time" => t("Time units on the UMM"),
        "umm-time-units" => t("time units, UMM"),
        "umm.streams" => t("streams"),
        "umm.sums" => t("sums"),
        "values-read" => t("values read"),
        "wave" => t("wave"),
        "waves" => t("waves"),
        "which-row" => t("Which way leads furthest"),
        "which-sum" => t("Where the value comes from"),
        "words" => t("Words of bits"),
        "words-computed" => t("words computed"),
        "words-kept" => t("words kept"),
        "words-of-table" => t("words of the whole table"),
        "w" => t("width w"),
        "l" => t("latency l"),
        "L" => t("global latency L"),
        other => other,
    }
}

/// Translates the name of a lens.
pub fn name(name: LensName) -> &'static str {
    match name.name() {
        "band" => t("Band"),
        "bit-vectors" => t("Words of bits"),
        "carry-select" => t("Carry select"),
        "column" => t("Column by column"),
        "cut-off" => t("Cut-off"),
        "diag" => t("Anti-diagonals"),
        "failure-table" => t("Failure table"),
        "furthest-rows" => t("Furthest rows"),
        "gotoh" => t("Gotoh"),
        "hirschberg" => t("Hirschberg"),
        "kmp" => t("Knuth, Morris, Pratt"),
        "kmp-blocks" => t("Parts and threads"),
        "machine" => t("Banks and groups"),
        "naive" => t("At every place"),
        "needleman-wunsch" => t("Needleman–Wunsch"),
        "offset" => t("Diagonals"),
        "osa" => t("With swaps"),
        "parallel-shift-add" => t("Parallel Shift-Add"),
        "row" => t("Row by row"),
        "shift-add" => t("Shift-Add"),
        "shift-and" => t("Shift-And"),
        "slices" => t("Slices and threads"),
        "smith-waterman" => t("Smith–Waterman"),
        "traceback" => t("The way back"),
        "two-rows" => t("Two rows"),
        other => other,
    }
}

/// Returns a sentence about what a lens shows.
pub fn shows(name: LensName) -> &'static str {
    match name {
        LensName::BitVectors => t("Columns as words, and the carries between them."),
        LensName::CarrySelect => t("How threads add the words of a column."),
        LensName::FailureTable => t("How the table of Knuth, Morris and Pratt is made."),
        LensName::Furthest => t("How far each number of edits leads on a diagonal."),
        LensName::Gotoh => t("Three layers know whether a gap is open."),
        LensName::Hirschberg => t("The subsequence itself, in linear memory."),
        LensName::Kmp => t("The pattern slides by what a table says."),
        LensName::Machine => t("Requests to memory, counted in time units."),
        LensName::Naive => t("The pattern is compared at every place."),
        LensName::NeedlemanWunsch => t("The greatest sum of points of whole texts."),
        LensName::SmithWaterman => t("The best piece: no cell is below 0."),
        LensName::Osa => t("A fourth sum for two swapped symbols."),
        LensName::ParallelShiftAdd => t("A stream of bits for each distinct symbol."),
        LensName::Pieces => t("A thread for each part of the text."),
        LensName::ShiftAdd => t("A counter for each symbol of the pattern."),
        LensName::ShiftAnd => t("A bit for each beginning of the pattern."),
        LensName::Slices => t("Blocks of threads, and which of them wait."),
        LensName::Traceback => t("Which cells the alignment comes from."),
        LensName::TwoRows => t("The score with two rows in memory."),
        // The matrix offers these methods as fill orders.
        LensName::Rows | LensName::Columns | LensName::Diagonals | LensName::Band | LensName::CutOff | LensName::Offsets => {
            self::name(name)
        }
    }
}

/// Translates the name of a kind of questions, such as those for a value.
pub fn kind(kind: QuestionKind) -> &'static str {
    match kind {
        QuestionKind::Value => t("a value"),
        QuestionKind::Inputs => t("what it is made of"),
        QuestionKind::Next => t("what comes next"),
        QuestionKind::TimeUnits => t("how long it takes"),
    }
}

/// Translates the meaning of a mark (a state of a cell, such as new or compared).
pub fn mark(mark: LensMark) -> &'static str {
    match mark.name() {
        "again" => t("computed again"),
        "ahead" => t("still to come"),
        "also" => t("as good"),
        "carried" => t("changed by a carry"),
        "chosen" => t("chosen"),
        "compared" => t("compared"),
        "conflict" => t("meets another in a bank"),
        "deleted" => t("deleted"),
        "different" => t("compared, different"),
        "dropped" => t("no longer in memory"),
        "earlier" => t("an earlier part"),
        "equal" => t("compared, equal"),
        "found" => t("found"),
        "idle" => t("idle"),
        "inserted" => t("inserted"),
        "kept" => t("still in memory"),
        "known" => t("known to be equal"),
        "leaves" => t("leaves the last field"),
        "new" => t("made in this step"),
        "open" => t("the part under work"),
        "overlap" => t("overlap"),
        "path" => t("on the path"),
        "read" => t("read in this step"),
        "substituted" => t("substituted"),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use explain::lens::frame::{LensFrame, LensLabel, PanelBody};
    use explain::lens::open;
    use explain::lens::question::{QuestionReply, QuestionTurn};
    use explain::lens::settings::{LensSettings, ParameterKind};

    use super::*;
    use crate::model::lens::tests::samples;

    /// Returns the names in braces of a sentence.
    fn values(sentence: &str) -> BTreeSet<&str> {
        let parts = sentence.split('{').skip(1);
        parts.filter_map(|part| part.split_once('}')).map(|(name, _)| name.trim_end_matches('!')).collect()
    }

    #[test]
    fn every_sentence_of_every_lens_has_a_text_with_known_values() {
        for lens in LensName::ALL {
            assert_ne!(name(lens), lens.name(), "{lens:?}");
            for (key, given) in lens.sentence_templates() {
                assert_ne!(sentence(key), *key, "{lens:?} says {key}");
                assert!(values(sentence(key)).iter().all(|name| given.contains(name)), "{key}: {}", sentence(key));
            }
        }
    }

    fn of_label(one: &LensLabel, keys: &mut BTreeSet<&'static str>) {
        if !one.is_code {
            keys.insert(one.text);
        }
    }

    fn of_frame(frame: &LensFrame, keys: &mut BTreeSet<&'static str>) {
        keys.extend(frame.counts.iter().map(|count| count.key));
        for panel in &frame.panels {
            keys.insert(panel.title);
            match &panel.body {
                PanelBody::Grid(grid) => {
                    grid.labels.iter().chain(grid.tapes_below.iter().map(|tape| &tape.label)).for_each(|one| of_label(one, keys))
                }
                PanelBody::Tapes(tapes) => tapes.tapes.iter().for_each(|tape| of_label(&tape.label, keys)),
                PanelBody::Lanes(lanes) => {
                    keys.insert(lanes.axis);
                    lanes.lanes.iter().for_each(|lane| of_label(&lane.label, keys));
                }
                PanelBody::Bars(bars) => {
                    bars.bars.iter().for_each(|bar| of_label(&bar.label, keys));
                    bars.ticks.iter().for_each(|(_, one)| of_label(one, keys));
                }
                PanelBody::Sums(sums) => keys.extend(sums.iter().map(|sum| sum.key)),
            }
        }
    }

    /// Headings, rows, counts and replies of every step of every lens have translations.
    #[test]
    fn every_drawn_key_has_a_text() {
        let mut keys = BTreeSet::new();
        for watched in samples() {
            for name in watched.lenses() {
                let Ok(lens) = open(name, watched.task.unwrap(), &watched.texts, &LensSettings::defaults(name)) else { continue };
                for step in 0..=lens.len() {
                    of_frame(&lens.frame(step), &mut keys);
                    let questions = (0..3).flat_map(|seed| lens.questions(step, QuestionTurn::new(step, seed)));
                    let replies = questions.flat_map(|question| question.choices);
                    keys.extend(replies.filter_map(|reply| if let QuestionReply::Key(key) = reply { Some(key) } else { None }));
                }
                let choices =
                    name.parameters().iter().filter_map(|one| if let ParameterKind::Choice(names) = one.kind { Some(names) } else { None });
                keys.extend(choices.flatten().copied());
            }
        }
        let unsaid: Vec<_> = keys.into_iter().filter(|key| !key.is_empty() && label(key) == *key && !SAME.contains(key)).collect();
        assert!(unsaid.is_empty(), "{unsaid:?}");
    }

    /// Keys that equal their English words.
    const SAME: [&str; 19] = [
        "wave",
        "waves",
        "comparisons",
        "pattern",
        "block",
        "thread",
        "rounds",
        "depth",
        "found",
        "processors",
        "carries",
        "coalesced",
        "random",
        "text",
        "requests",
        "group",
        "additions",
        "selections",
        "column",
    ];

    #[test]
    fn every_mark_has_a_text() {
        for one in LensMark::ALL {
            assert!(!mark(one).is_empty());
        }
        assert_eq!(mark(LensMark::Known), "known to be equal");
    }
}
