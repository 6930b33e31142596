//! Time of the carries in one column of the lens [`carry_select`](super::carry_select), step by step: [`CarryTime`].
//! The machine is a discrete memory machine (DMM), a model of shared memory. The threads work as in `plus()` of Listing
//! 5 of paper 001. [`kernels::machine::carries`] counts every access.

use kernels::machine::MemoryMachine;
use kernels::machine::carries::{passed, selected};

use super::SentenceTemplate;
use super::frame::{BarChart, ChartBar, LensLabel, LensMark, LensSentence, SentenceValue};

/// Number of threads of a warp of the machine. The lens has at most as many words, each with a thread.
const WIDTH: usize = 32;

/// The sentences about the time: for each, its key in the catalogue of translated sentences, and the names of the
/// values to insert.
pub(super) const SAYS: [SentenceTemplate; 3] =
    [("carry-time.begin", &["l"]), ("carry-time.step", &["units", "over", "total"]), ("carry-time.end", &["total", "passed"])];

/// The time of an addition by carry select, in time units of the machine, and for comparison the time of a plain
/// addition.
pub(super) struct CarryTime {
    latency: u64,
    /// Time units spent up to the end of each step, from step 1 on.
    elapsed_by_step: Vec<u64>,
    /// Time units of a plain addition of the same words, in which carries pass from word to word.
    passed: u64,
}

impl CarryTime {
    /// Counts the time to add `words`, the lowest word first. An element has two flags about the word's sum: whether it
    /// has a carry out of the word without a carry from below, and with one. `latency` is the latency of shared memory,
    /// in time units.
    pub(super) fn new(words: &[(bool, bool)], latency: u64) -> Self {
        let machine = MemoryMachine::dmm(WIDTH, latency);
        let passed = passed(machine, words).elapsed.last().copied().unwrap_or_default();
        Self { latency, elapsed_by_step: selected(machine, words).elapsed, passed }
    }

    fn elapsed(&self, step: usize) -> u64 {
        step.checked_sub(1).map_or(0, |step| self.elapsed_by_step[step])
    }

    fn total(&self) -> u64 {
        self.elapsed(self.elapsed_by_step.len())
    }

    /// Returns two bars: the time of carry select, filled up to `step`, and the time of a plain addition.
    pub(super) fn bars(&self, step: usize) -> BarChart {
        let bar = |key, now, total, mark| ChartBar { label: LensLabel::key(key), from: 0, now, total, mark };
        let selecting = bar("dmm.selecting", self.elapsed(step), self.total(), None);
        BarChart { bars: vec![selecting, bar("dmm.passing", self.passed, self.passed, Some(LensMark::Ahead))], ticks: Vec::new() }
    }

    /// Returns the sentence about the time of step `step`.
    pub(super) fn sentence(&self, step: usize) -> LensSentence {
        let total = ("total", SentenceValue::Number(self.total()));
        if step == 0 {
            return LensSentence::new("carry-time.begin", [("l", SentenceValue::Number(self.latency))]);
        }
        if step == self.elapsed_by_step.len() {
            return LensSentence::new("carry-time.end", [total, ("passed", SentenceValue::Number(self.passed))]);
        }
        let units = ("units", SentenceValue::Number(self.elapsed(step) - self.elapsed(step - 1)));
        LensSentence::new("carry-time.step", [units, ("over", SentenceValue::Number(self.elapsed(step))), total])
    }
}

#[cfg(test)]
mod tests {
    use kernels::job::Task;
    use kernels::machine::carries::{passed_time, selected_time};

    use super::super::LensName;
    use super::super::frame::PanelBody;
    use super::super::tests::{Case, cases, said};
    use super::*;

    #[test]
    fn steps_take_the_simulated_time_and_all_steps_the_formula() {
        for case in cases(60, 12).into_iter().filter(|case| !case.a.is_empty() && !case.b.is_empty()) {
            for (w, l) in [(2, 1), (3, 5), (8, 20)] {
                let lens = case.open(LensName::CarrySelect, Task::Lcs, &format!("w:{w},l:{l}"));
                let (machine, words) = (MemoryMachine::dmm(WIDTH, l), case.a.len().div_ceil(w) as u64);
                let mut before = 0;
                for step in 0..=lens.len() {
                    let frame = lens.frame(step);
                    let Some(PanelBody::Bars(bars)) = frame.panels.last().map(|panel| &panel.body) else {
                        panic!("expected the time as bars")
                    };
                    let [selecting, passing] = &bars.bars[..] else { panic!("expected two bars") };
                    assert_eq!((selecting.total, passing.total), (selected_time(&machine, words), passed_time(&machine, words)));
                    // Both carries are written first; later steps read both and write both.
                    let units = l * [0, 2, 4][step.min(2)];
                    assert_eq!(selecting.now, before + units, "step {step}");
                    if frame.sentences[2].key == "carry-time.step" {
                        assert_eq!(said(&frame.sentences[2], "units") as u64, units);
                    }
                    before = selecting.now;
                }
                assert_eq!(before, selected_time(&machine, words));
            }
        }
    }

    #[test]
    fn carry_selection_is_first_faster_at_eight_words() {
        let says = |words: usize| {
            let lens = Case::new("A".repeat(2 * words), "A").open(LensName::CarrySelect, Task::Lcs, "w:2,l:1");
            let says = lens.frame(lens.len()).sentences[2].clone();
            (said(&says, "total"), said(&says, "passed"))
        };
        assert_eq!([4, 8].map(says), [(10, 7), (14, 15)]);
    }
}
