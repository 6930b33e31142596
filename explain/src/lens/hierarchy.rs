//! What the search in slices takes on the HMM, round by round: paper 000, sections 2 and 6. The lens [`slices`](super::slices) shows it.
//!
//! A block has `m` threads, as in the papers' second version: row 0, which the lens shows as thread 0, always is 0 and is written before. Block
//! `b` is on DMM `b mod d`; blocks on one DMM share the latency of a round. Every access is counted by [`kernels::machine::search`].

use std::ops::Range;

use kernels::machine::HierarchicalMachine;
use kernels::machine::search::{Counted, Mapping, slices, slices_steps};

use super::frame::{Bar, Bars, Label, Mark, Said, Value};
use super::settings::{Parameter, Settings};
use super::{Phrase, Texts};

/// Number of DMMs, latency of shared and of global memory.
pub(super) const PARAMETERS: [Parameter; 3] =
    [Parameter::number("d", 1, 8, 2), Parameter::number("l", 1, 20, 5), Parameter::number("L", 1, 100, 20)];

/// What it says.
pub(super) const SAYS: [Phrase; 4] = [
    ("hmm.copy", &["units", "d"]),
    ("hmm.step", &["units", "over", "total"]),
    ("hmm.end", &["total", "formula"]),
    ("hmm.counted", &["total"]),
];

/// Names of the papers' four steps.
const STEPS: [&str; 4] = ["hmm.1", "hmm.2", "hmm.3", "hmm.4"];

/// A counted run.
pub(super) struct Hierarchy {
    machine: HierarchicalMachine,
    counted: Counted,
    /// What the formula says for equal slices that begin at multiples of `w`; none where DMMs have unequal numbers of blocks.
    formula: Option<u64>,
}

impl Hierarchy {
    /// Of a search in these slices of `b`; none where a text is empty.
    pub(super) fn new(texts: &Texts, cut: &[Range<usize>], settings: &Settings) -> Option<Self> {
        if texts.a.is_empty() || texts.b.is_empty() {
            return None;
        }
        let number = |key: &str| settings.number(key);
        let (dmms, width) = (number("d"), number("w"));
        let machine = HierarchicalMachine { dmms, width, shared_latency: number("l") as u64, global_latency: number("L") as u64 };
        let symbols = |text: &[u32]| text.iter().copied().map(u64::from).collect::<Vec<_>>();
        let threads = texts.a.len();
        let counted = slices(&machine, &symbols(&texts.a), &symbols(&texts.b), Mapping { slices: cut, threads });
        let longest = cut.iter().map(Range::len).max().unwrap_or_default();
        let (m, n, blocks) = (threads as u64, longest as u64, cut.len() as u64);
        let is_even = cut.len().is_multiple_of(dmms);
        let formula = is_even.then(|| slices_steps(&machine, m, n, blocks, m).iter().sum());
        Some(Self { machine, counted, formula })
    }

    /// Time units that are over after so many steps of the lens.
    pub(super) fn over(&self, step: usize) -> u64 {
        self.counted.over.get(step).copied().unwrap_or(self.counted.time_units)
    }

    /// Time units of the whole run.
    pub(super) fn total(&self) -> u64 {
        self.counted.time_units
    }

    /// The papers' four steps one after the other, their sum, and the formula's.
    pub(super) fn bars(&self, step: usize) -> Bars {
        let over = self.over(step);
        let mut from = 0;
        let mut bars = Vec::new();
        for (name, total) in STEPS.into_iter().zip(self.counted.steps) {
            bars.push(Bar { label: Label::key(name), from, now: over.saturating_sub(from).min(total), total, mark: None });
            from += total;
        }
        bars.push(Bar { label: Label::key("hmm.counted"), from: 0, now: over, total: self.total(), mark: None });
        let by_formula = |total: u64| Bar { label: Label::key("hmm.formula"), from: 0, now: total, total, mark: Some(Mark::Ahead) };
        bars.extend(self.formula.map(by_formula));
        Bars { bars, ticks: Vec::new() }
    }

    /// What the last of so many steps takes.
    pub(super) fn says(&self, step: usize, last: usize) -> Said {
        let (over, total) = (self.over(step), ("total", Value::Number(self.total())));
        match (step, self.formula) {
            (0, _) => Said::new("hmm.copy", [("units", Value::Number(over)), ("d", Value::number(self.machine.dmms))]),
            (step, Some(formula)) if step == last => Said::new("hmm.end", [total, ("formula", Value::Number(formula))]),
            (step, None) if step == last => Said::new("hmm.counted", [total]),
            _ => {
                let units = over - self.over(step - 1);
                Said::new("hmm.step", [("units", Value::Number(units)), ("over", Value::Number(over)), total])
            }
        }
    }
}
