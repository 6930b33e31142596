//! Time of the lens [`streams`](super::streams), offset by offset: [`StreamTime`]. The machine is a unified memory
//! machine (UMM), a model of global memory. The method is the parallel form of Shift-Add (section 4.2 of paper 002),
//! with one stream of bits per distinct symbol of the pattern. The time includes the addition of the matches of all
//! streams, which the paper leaves open. [`kernels::machine::streams`] counts every access.

use kernels::machine::MemoryMachine;
use kernels::machine::streams::{StreamCountResult, count, time};

use super::frame::{BarChart, ChartBar, LensLabel, LensMark, LensSentence, SentenceValue};
use super::settings::{LensParameter, LensSettings};
use super::{LensTexts, SentenceTemplate};

/// Parameters of the machine: the number of threads of a warp, and the latency of global memory.
pub(super) const PARAMETERS: &[LensParameter] = &[LensParameter::number("w", 1, 16, 4), LensParameter::number("L", 1, 100, 20)];

/// Number of bits of a word. A pattern of the lens fits in one word.
const BITS: usize = 64;

/// The sentences about the time: for each, its key in the catalogue of translated sentences, and the names of the
/// values to insert.
pub(super) const SAYS: [SentenceTemplate; 4] = [
    ("umm.begin", &["units", "before"]),
    ("umm.step", &["units", "sum", "over", "total"]),
    ("umm.end", &["total", "sum", "formula"]),
    ("umm.counted", &["total", "sum"]),
];

/// The time of the parallel form of Shift-Add, in time units of the machine: counted access by access, and by a
/// formula.
pub(super) struct StreamTime {
    counted: StreamCountResult,
    /// Number of text symbols that each stream reads before the first score, without the symbol that completes it.
    before: usize,
    /// Time by the formula of [`kernels::machine::streams`]; `None` unless the number of streams and the width `w` are
    /// powers of two.
    formula: Option<u64>,
}

impl StreamTime {
    /// Counts the time of a run with `streams` streams (one per distinct symbol of the pattern) on the machine that
    /// `settings` describe. Returns `None` if the pattern is empty or longer than the text.
    pub(super) fn new(texts: &LensTexts, streams: usize, settings: &LensSettings) -> Option<Self> {
        let (m, n) = (texts.a.len(), texts.b.len());
        if m == 0 || m > n {
            return None;
        }
        let machine = MemoryMachine::umm(settings.number("w"), settings.number("L") as u64);
        let [a, b] = [&texts.a, &texts.b].map(|text| text.iter().copied().map(u64::from).collect::<Vec<_>>());
        let has_formula = streams.is_power_of_two() && machine.width.is_power_of_two();
        let formula = has_formula.then(|| time(&machine, m.div_ceil(BITS) as u64, m as u64, n as u64, streams as u64));
        Some(Self { counted: count(machine, BITS, &a, &b), before: m - 1, formula })
    }

    /// Returns the time units spent up to the end of the first `offsets` offsets as two numbers: the time of the
    /// streams, and the time to add their matches.
    fn parts(&self, offsets: usize) -> [u64; 2] {
        self.counted.elapsed.get(offsets).or(self.counted.elapsed.last()).copied().unwrap_or_default()
    }

    /// Returns the time units spent up to the end of the first `offsets` offsets.
    fn elapsed(&self, offsets: usize) -> u64 {
        self.parts(offsets).iter().sum()
    }

    /// Returns the time units spent on all offsets.
    fn total(&self) -> u64 {
        self.counted.spent.time_units
    }

    /// Returns bars for the time of the streams, of the additions, of both together, and by the formula. The first
    /// three are filled up to the end of the first `offsets` offsets.
    pub(super) fn bars(&self, offsets: usize) -> BarChart {
        let (now, all) = (self.parts(offsets), self.parts(usize::MAX));
        let bar = |key, now, total, mark| ChartBar { label: LensLabel::key(key), from: 0, now, total, mark };
        let mut bars = vec![
            bar("umm.streams", now[0], all[0], None),
            bar("umm.sums", now[1], all[1], None),
            bar("hmm.counted", self.elapsed(offsets), self.total(), None),
        ];
        bars.extend(self.formula.map(|total| bar("hmm.formula", total, total, Some(LensMark::Ahead))));
        BarChart { bars, ticks: Vec::new() }
    }

    /// Returns the sentence about the time of offset `offsets − 1`, the latest one, or of the whole run if `is_last` is
    /// set.
    pub(super) fn sentence(&self, offsets: usize, is_last: bool) -> LensSentence {
        let (over, total) = (self.elapsed(offsets), ("total", SentenceValue::Number(self.total())));
        let sum = ("sum", SentenceValue::Number(self.parts(offsets)[1]));
        match (offsets, self.formula) {
            (0, _) => {
                LensSentence::new("umm.begin", [("units", SentenceValue::Number(over)), ("before", SentenceValue::number(self.before))])
            }
            (_, Some(formula)) if is_last => LensSentence::new("umm.end", [total, sum, ("formula", SentenceValue::Number(formula))]),
            (_, None) if is_last => LensSentence::new("umm.counted", [total, sum]),
            _ => {
                let [streams, sum] = [0, 1].map(|part| self.parts(offsets)[part] - self.parts(offsets - 1)[part]);
                let units = ("units", SentenceValue::Number(streams + sum));
                LensSentence::new("umm.step", [units, ("sum", SentenceValue::Number(sum)), ("over", SentenceValue::Number(over)), total])
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use kernels::job::Task;

    use super::super::frame::PanelBody;
    use super::super::tests::{Case, cases, said};
    use super::super::{Lens, LensName};
    use super::*;

    /// Returns the time units after a step, and those of the whole run.
    fn counted(lens: &dyn Lens, step: usize) -> (u64, u64) {
        let panels = lens.frame(step).panels;
        let Some(PanelBody::Bars(bars)) = panels.last().map(|panel| &panel.body) else { panic!("expected the time as bars") };
        let [streams, sums, both] = &bars.bars[..3] else { panic!("expected three bars") };
        assert_eq!((streams.now + sums.now, streams.total + sums.total), (both.now, both.total));
        (both.now, both.total)
    }

    #[test]
    fn time_units_agree_with_the_machine_and_the_formula() {
        // Four distinct symbols in one warp: a round takes 1 + 20 − 1.
        let case = Case::new("ACGT", "TACGTTACG");
        let lens = case.open(LensName::ParallelShiftAdd, Task::MatchCount, "");
        let formula = time(&MemoryMachine::umm(4, 20), 1, 4, 9, 4);
        let says = |step: usize| lens.frame(step).sentences[2].clone();
        assert_eq!(counted(&*lens, lens.len()), (formula, formula));
        assert_eq!((says(0).key, said(&says(0), "units") as u64), ("umm.begin", 3 * 4 * 20));
        // A symbol, `ft`, `fp` and `ft` again; the matches; two levels of three rounds each; the sum is read and
        // written.
        assert_eq!((said(&says(2), "units"), said(&says(2), "sum")), (260, 180));
        assert_eq!(counted(&*lens, 2).0 - counted(&*lens, 1).0, 260);
        assert_eq!((says(lens.len()).key, said(&says(lens.len()), "formula") as u64), ("umm.end", formula));
        // With three streams, the formula does not apply.
        let odd = Case::new("ACG", "TACGTTACG").open(LensName::ParallelShiftAdd, Task::MatchCount, "");
        assert_eq!(odd.frame(odd.len()).sentences[2].key, "umm.counted");
    }

    #[test]
    fn times_of_all_offsets_add_up_to_the_total() {
        for case in cases(16, 60).into_iter().filter(|case| !case.a.is_empty() && case.a.len() <= case.b.len()) {
            for settings in ["", "w:3,L:1", "w:16,L:100"] {
                let lens = case.open(LensName::ParallelShiftAdd, Task::MatchCount, settings);
                let over: Vec<u64> = (0..=lens.len()).map(|step| counted(&*lens, step).0).collect();
                assert!(over.is_sorted());
                assert_eq!(over.last().copied(), Some(counted(&*lens, 0).1));
            }
        }
    }
}
