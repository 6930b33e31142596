//! Sample texts to start from. Each shows what its task is good for.
//!
//! The texts are in the public domain or our own. Samples of several tasks are in this file.

use explain::matrix::MAX_GRID_SYMBOLS;
use kernels::job::Unit;

use super::t;
use crate::model::points::PointsPreset;

/// The entry of a sample in the menu.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SampleEntry {
    pub title: &'static str,
    /// One line about what the sample shows.
    pub about: &'static str,
}

/// A sample: a pair of texts to start from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SamplePair {
    pub entry: SampleEntry,
    /// The unit (such as words or lines) in which the texts are compared.
    pub unit: Unit,
    /// Option that limits the hits: the maximum number of edits or of unequal symbols of a hit. `None` for no limit.
    pub within: Option<u64>,
    /// Points of sequence alignment. `None` for the usual points.
    pub points: Option<PointsPreset>,
    /// Name and content of the first text.
    pub a: (&'static str, &'static str),
    /// Name and content of the second text.
    pub b: (&'static str, &'static str),
}

impl SamplePair {
    /// Returns whether the sample is short enough for a matrix with a value in each cell.
    pub fn is_grid(&self) -> bool {
        let symbols = |text: &str| match self.unit {
            Unit::Words => text.split_whitespace().count(),
            Unit::Lines => text.lines().count(),
            Unit::Bytes | Unit::Chars | Unit::Graphemes => text.chars().count(),
        };
        symbols(self.a.1).max(symbols(self.b.1)) <= MAX_GRID_SYMBOLS
    }
}

pub(super) const fn entry(title: &'static str, about: &'static str) -> SampleEntry {
    SampleEntry { title, about }
}

/// Creates a sample in graphemes whose texts have no names.
pub(super) const fn letters(entry: SampleEntry, a: &'static str, b: &'static str) -> SamplePair {
    SamplePair { entry, unit: Unit::Graphemes, within: None, points: None, a: ("", a), b: ("", b) }
}

pub(super) const KITTEN: SamplePair =
    letters(entry(t("kitten → sitting"), t("The classic: two substitutions and an insertion.")), "kitten", "sitting");
pub(super) const STRAND: &str = include_str!("samples/strand.fasta");
pub(super) const STRANDS: SamplePair =
    letters(entry(t("Two strands of DNA"), t("FASTA with names, 300 bases, a few mutations.")), STRAND, include_str!("samples/copy.fasta"));
pub(super) const DAFFODILS: SamplePair = SamplePair {
    entry: entry(t("Daffodils, 1807 → 1815"), t("Two editions of Wordsworth’s poem, by words.")),
    unit: Unit::Words,
    within: None,
    points: None,
    a: ("Daffodils, 1807", include_str!("samples/1807.txt")),
    b: ("Daffodils, 1815", include_str!("samples/1815.txt")),
};
pub(super) const ESSAY: SamplePair = SamplePair {
    entry: entry(t("A borrowed paragraph"), t("Darwin, 1859, and an essay that follows him closely: what stayed shows.")),
    unit: Unit::Words,
    within: None,
    points: None,
    a: ("Darwin, 1859", include_str!("samples/essay-source.txt")),
    b: ("an essay", include_str!("samples/essay-copy.txt")),
};
pub(super) const SETTINGS: SamplePair = SamplePair {
    entry: entry(t("A settings file, then and now"), t("By lines, as programmers compare; words that changed in a line are marked.")),
    unit: Unit::Lines,
    within: None,
    points: None,
    a: ("then", include_str!("samples/then.toml")),
    b: ("now", include_str!("samples/now.toml")),
};
pub(super) const LOG: &str = include_str!("samples/service.log");
pub(super) const SONNET: &str = include_str!("samples/sonnet18.txt");

pub(super) const DAFFODILS_1815: (&str, &str) = ("Daffodils, 1815", include_str!("samples/1815.txt"));

/// Returns the menu entries of `samples`.
pub(super) const fn entries<const COUNT: usize>(samples: [SamplePair; COUNT]) -> [SampleEntry; COUNT] {
    let mut entries = [entry("", ""); COUNT];
    let mut at = 0;
    while at < COUNT {
        entries[at] = samples[at].entry;
        at += 1;
    }
    entries
}

#[cfg(test)]
mod tests {
    use kernels::engine::{Cpu, Engine};
    use kernels::event::TaskAnswer;
    use kernels::run::{NoObserver, Run};
    use kernels::text::Pair;

    use kernels::job::Task;

    use super::*;
    use crate::model::form::{FormState, FormText};
    use crate::model::task::samples;

    fn answer(sample: &SamplePair, task: Task) -> TaskAnswer {
        let form = FormState::of_sample(task, sample);
        let text = |side: &FormText| side.text().unwrap_or_default().as_bytes().to_vec();
        let pair = Pair::parse(text(&form.a), text(&form.b), &form.job_options().reading()).unwrap();
        Engine::Cpu(Cpu::SINGLE).run(task, &form.job_options(), &pair, &Run::new(&NoObserver)).unwrap().answer
    }

    #[test]
    fn every_sample_has_a_non_trivial_answer() {
        for task in Task::ALL {
            for sample in samples(task) {
                let shows = match answer(sample, task) {
                    TaskAnswer::EditDistance { distance, .. } => distance > Some(0),
                    TaskAnswer::Lcs { length, .. } => length > 0,
                    TaskAnswer::SequenceAlignment { alignment, .. } => alignment.is_some_and(|summary| summary.matches > 1),
                    TaskAnswer::ApproximateSearch { total, .. } | TaskAnswer::ExactSearch { total, .. } => total > 0,
                    TaskAnswer::MatchCount { best, .. } => best > Some(1),
                };
                assert!(shows && !sample.entry.about.is_empty() && sample.entry.about.ends_with('.'), "{} of {task:?}", sample.entry.title);
            }
        }
    }

    #[test]
    fn only_short_samples_have_a_grid() {
        let grids = |task| samples(task).iter().map(SamplePair::is_grid).collect::<Vec<_>>();
        assert_eq!(grids(Task::EditDistance)[..2], [true, true]);
        assert!(grids(Task::ApproximateSearch).contains(&false));
    }

    #[test]
    fn samples_have_the_answers_that_the_menu_states() {
        let answer = |task, number: usize| answer(&samples(task)[number], task);
        assert!(matches!(answer(Task::EditDistance, 0), TaskAnswer::EditDistance { distance: Some(3), .. }));
        assert!(matches!(answer(Task::EditDistance, 1), TaskAnswer::EditDistance { distance: Some(5), .. }));
        assert!(matches!(answer(Task::ExactSearch, 0), TaskAnswer::ExactSearch { total: 4, .. }));
        assert!(matches!(answer(Task::MatchCount, 0), TaskAnswer::MatchCount { best: Some(3), .. }));
        assert!(matches!(answer(Task::ApproximateSearch, 3), TaskAnswer::ApproximateSearch { distance: Some(1), .. }));
    }
}
