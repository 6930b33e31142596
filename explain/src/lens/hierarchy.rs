//! Time of the lens [`slices`](super::slices), round by round: [`HierarchyTime`]. The machine is the hierarchical
//! memory machine (HMM) of paper 000, sections 2 and 6. It models a GPU: each of its discrete memory machines (DMMs)
//! has shared memory of its own, and all have a common global memory.
//!
//! A block has `m` threads, as in the second version of papers 000 and 003. Row 0 of the matrix, which the lens shows
//! as thread 0, is always 0 and is written before the first round. Block `b` runs on DMM `b mod d`, and blocks on one
//! DMM share the latency of a round. [`kernels::machine::search`] counts every access.

use std::ops::Range;

use kernels::machine::HierarchicalMachine;
use kernels::machine::search::{SliceMapping, SliceSearchResult, slices, slices_steps};

use super::frame::{BarChart, ChartBar, LensLabel, LensMark, LensSentence, SentenceValue};
use super::settings::{LensParameter, LensSettings};
use super::{LensTexts, SentenceTemplate};

/// Parameters of the machine: the number of DMMs, the latency of shared memory, and the latency of global memory.
pub(super) const PARAMETERS: [LensParameter; 3] =
    [LensParameter::number("d", 1, 8, 2), LensParameter::number("l", 1, 20, 5), LensParameter::number("L", 1, 100, 20)];

/// The sentences about the time: for each, its key in the catalogue of translated sentences, and the names of the
/// values to insert.
pub(super) const SAYS: [SentenceTemplate; 4] = [
    ("hmm.copy", &["units", "d"]),
    ("hmm.step", &["units", "over", "total"]),
    ("hmm.end", &["total", "formula"]),
    ("hmm.counted", &["total"]),
];

/// Translation keys of the names of the four steps of the search in slices (papers 000 and 003, section 6).
const STEPS: [&str; 4] = ["hmm.1", "hmm.2", "hmm.3", "hmm.4"];

/// The time of a search in slices, in time units of the machine: counted access by access, and by the formula of the
/// papers.
pub(super) struct HierarchyTime {
    machine: HierarchicalMachine,
    counted: SliceSearchResult,
    /// Time by the formula of papers 000 and 003, which assumes equal slices that begin at multiples of `w`. `None` if
    /// the DMMs have unequal numbers of blocks.
    formula: Option<u64>,
}

impl HierarchyTime {
    /// Counts the time of a search on the machine that `settings` describe. `cut` has the slices of the text, as
    /// half-open ranges of `b`. Returns `None` if a text is empty.
    pub(super) fn new(texts: &LensTexts, cut: &[Range<usize>], settings: &LensSettings) -> Option<Self> {
        if texts.a.is_empty() || texts.b.is_empty() {
            return None;
        }
        let number = |key: &str| settings.number(key);
        let (dmms, width) = (number("d"), number("w"));
        let machine = HierarchicalMachine { dmms, width, shared_latency: number("l") as u64, global_latency: number("L") as u64 };
        let symbols = |text: &[u32]| text.iter().copied().map(u64::from).collect::<Vec<_>>();
        let threads = texts.a.len();
        let counted = slices(&machine, &symbols(&texts.a), &symbols(&texts.b), SliceMapping { slices: cut, threads });
        let longest = cut.iter().map(Range::len).max().unwrap_or_default();
        let (m, n, blocks) = (threads as u64, longest as u64, cut.len() as u64);
        let is_even = cut.len().is_multiple_of(dmms);
        let formula = is_even.then(|| slices_steps(&machine, m, n, blocks, m).iter().sum());
        Some(Self { machine, counted, formula })
    }

    /// Returns the time units spent up to the end of step `step` of the lens.
    pub(super) fn elapsed(&self, step: usize) -> u64 {
        self.counted.elapsed.get(step).copied().unwrap_or(self.counted.time_units)
    }

    /// Returns the time units of the whole search.
    pub(super) fn total(&self) -> u64 {
        self.counted.time_units
    }

    /// Returns a bar for each of the four [`STEPS`], one after the other on the axis, a bar for their sum, and a bar
    /// for the result of the formula. The bars of the steps and of their sum are filled up to `step` of the lens.
    pub(super) fn bars(&self, step: usize) -> BarChart {
        let over = self.elapsed(step);
        let mut from = 0;
        let mut bars = Vec::new();
        for (name, total) in STEPS.into_iter().zip(self.counted.steps) {
            bars.push(ChartBar { label: LensLabel::key(name), from, now: over.saturating_sub(from).min(total), total, mark: None });
            from += total;
        }
        bars.push(ChartBar { label: LensLabel::key("hmm.counted"), from: 0, now: over, total: self.total(), mark: None });
        let by_formula =
            |total: u64| ChartBar { label: LensLabel::key("hmm.formula"), from: 0, now: total, total, mark: Some(LensMark::Ahead) };
        bars.extend(self.formula.map(by_formula));
        BarChart { bars, ticks: Vec::new() }
    }

    /// Returns the sentence about the time of step `step` of the lens. `last` is the number of the last step.
    pub(super) fn sentence(&self, step: usize, last: usize) -> LensSentence {
        let (over, total) = (self.elapsed(step), ("total", SentenceValue::Number(self.total())));
        match (step, self.formula) {
            (0, _) => {
                LensSentence::new("hmm.copy", [("units", SentenceValue::Number(over)), ("d", SentenceValue::number(self.machine.dmms))])
            }
            (step, Some(formula)) if step == last => LensSentence::new("hmm.end", [total, ("formula", SentenceValue::Number(formula))]),
            (step, None) if step == last => LensSentence::new("hmm.counted", [total]),
            _ => {
                let units = over - self.elapsed(step - 1);
                LensSentence::new("hmm.step", [("units", SentenceValue::Number(units)), ("over", SentenceValue::Number(over)), total])
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use kernels::job::Task;
    use kernels::methods::approximate_search::slices::cut;

    use super::super::LensName;
    use super::super::frame::LensOutcome;
    use super::super::tests::{Case, cases, said};
    use super::*;

    #[test]
    fn time_units_agree_with_the_machine_and_the_formula() {
        // Slices begin at multiples of w: each has 8 symbols of its own.
        let case = Case::new("read", "the_words_we_write_are_the_world_we_read");
        let lens = case.open(LensName::Slices, Task::ApproximateSearch, "");
        let machine = HierarchicalMachine { dmms: 2, width: 4, shared_latency: 5, global_latency: 20 };
        let formula: u64 = slices_steps(&machine, 4, 16, 4, 4).iter().sum();
        let of = |step: usize| lens.frame(step).counts[3];
        let says = |step: usize| lens.frame(step).sentences[2].clone();
        assert_eq!(of(lens.len()).total, Some(formula));
        // In a full round, each of two blocks on a DMM reads five values, writes a cell, and reads the least value.
        assert_eq!((of(10).now - of(9).now, said(&says(10), "units")), (7 * (2 + 5 - 1), 42));
        assert_eq!((says(0).key, said(&says(0), "units") as u64), ("hmm.copy", of(0).now));
        assert_eq!((says(lens.len()).key, said(&says(lens.len()), "formula") as u64), ("hmm.end", formula));
        // With three DMMs for four blocks, the formula does not apply.
        let uneven = case.open(LensName::Slices, Task::ApproximateSearch, "d:3");
        assert_eq!(uneven.frame(uneven.len()).sentences[2].key, "hmm.counted");
    }

    #[test]
    fn times_of_all_steps_add_up_to_the_total() {
        for case in cases(16, 60) {
            let lens = case.open(LensName::Slices, Task::ApproximateSearch, "D:3");
            let slices = cut(case.a.len(), case.b.len(), 3);
            let settings = LensSettings::parse(LensName::Slices, "D:3").unwrap();
            let Some(hierarchy) = HierarchyTime::new(&case.texts(), &slices, &settings) else { continue };
            assert_eq!(hierarchy.counted.elapsed.len(), lens.len() + 1);
            assert_eq!((hierarchy.elapsed(lens.len()), hierarchy.counted.steps.iter().sum()), (hierarchy.total(), hierarchy.total()));
            assert_eq!(lens.frame(lens.len()).outcome, Some(LensOutcome::Distance(hierarchy.counted.least)));
            let bars = hierarchy.bars(lens.len());
            assert!(bars.bars.iter().all(|bar| bar.now == bar.total));
        }
    }
}
