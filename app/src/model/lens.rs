//! Lenses as the page shows them. A lens shows an algorithm step by step; each step is a frame of panels such as
//! matrices, strings and sentences. This module knows no particular algorithm. It turns a frame into one drawing, and
//! keys into sentences. [`LensInput`] has the texts that a lens shows.
//!
//! - [`draw`]: a panel of a frame as a drawing; [`places`]: positions of panels; [`compose`]: all panels of a frame in
//!   one drawing; [`fitted`]: layouts for projectors and paper
//! - [`sentence_parts`]: sentences with their values; [`lens_keys`]: translations of all keys
//! - [`marks`]: the look of a marked cell
//! - [`glossary`]: terms that can be looked up
//! - [`methods`]: the methods in the picker; [`quiz`]: questions and answers

use explain::lens::{LensName, LensTexts};
use explain::matrix::document::MatrixSymbols;
use kernels::job::{EditCosts, Scoring, Task};

use crate::model::alignment::rows::visible;

pub mod compose;
pub mod draw;
pub mod fitted;
pub mod glossary;
pub mod lens_keys;
pub mod marks;
pub mod methods;
pub mod places;
pub mod quiz;
pub mod sentence_parts;

/// Both texts of a lens (a view that shows an algorithm step by step): numbers to compare, and symbols to show.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LensInput {
    /// The task that compares the texts.
    pub task: Option<Task>,
    /// A number for each symbol of both texts, and the costs of edits. Equal symbols have equal numbers.
    pub texts: LensTexts,
    /// Symbols of `a`, with invisible characters replaced by glyphs.
    pub a: Vec<String>,
    /// Symbols of `b`, with invisible characters replaced by glyphs.
    pub b: Vec<String>,
}

impl LensInput {
    /// Returns the texts of `sheet`, which has the symbols of a matrix, as input of a lens.
    pub fn of(sheet: &MatrixSymbols) -> Self {
        let shown = |symbols: &[String]| symbols.iter().map(|symbol| shown(symbol)).collect();
        Self {
            task: Some(sheet.task),
            texts: LensTexts {
                a: sheet.a_numbers.clone(),
                b: sheet.b_numbers.clone(),
                symbol_match: sheet.symbol_match,
                costs: sheet.costs,
                scoring: sheet.scoring.clone().map_or(Scoring::DEFAULT, Scoring::from),
                letters: sheet.letters(),
            },
            a: shown(&sheet.a),
            b: shown(&sheet.b),
        }
    }

    /// Iterates over the lenses (views that show an algorithm step by step) for the task with its costs or points. There
    /// is none without a task, or if letters stand for sets of bases.
    pub fn lenses(&self) -> impl Iterator<Item = LensName> {
        let (costs, scoring) = (self.texts.costs, &self.texts.scoring);
        let task = self.task.filter(|_| self.texts.symbol_match.is_equality());
        task.map_or(&[] as &[LensName], LensName::for_task).iter().copied().filter(move |name| name.suits(costs, scoring))
    }

    /// Iterates over the lenses that the page offers. Leaves out lenses whose method is a fill order of the matrix.
    pub fn offered(&self) -> impl Iterator<Item = LensName> {
        self.lenses().filter(|name| !is_order(*name))
    }
}

/// Returns whether the method of the lens `name` is also a fill order of the matrix, where the page shows more of it.
fn is_order(name: LensName) -> bool {
    matches!(name, LensName::Rows | LensName::Columns | LensName::Diagonals | LensName::Band | LensName::CutOff | LensName::Offsets)
}

/// Parses the name of a lens in an address. Returns `None` if no lens of `task` has this name, or if the lens does not
/// explain a method for these `costs` of edits, or for the points of `scoring`.
pub fn parse_lens(name: &str, task: Task, costs: EditCosts, scoring: &Scoring) -> Option<LensName> {
    LensName::parse(name).filter(|name| name.suits(costs, scoring) && LensName::for_task(task).contains(name))
}

/// Formats a symbol for display. Spaces and invisible characters are replaced by glyphs.
fn shown(symbol: &str) -> String {
    if symbol == " " { "␣".into() } else { visible(symbol) }
}

#[cfg(test)]
pub(crate) mod tests {
    use kernels::job::{AlignmentMode, GapCosts};

    use super::*;

    /// Returns two strings as input of a lens, for tests.
    pub(crate) fn watched(task: Task, a: &str, b: &str) -> LensInput {
        let symbols = |text: &str| text.chars().map(|symbol| shown(&symbol.to_string())).collect();
        LensInput { task: Some(task), texts: LensTexts::from_strs(a, b), a: symbols(a), b: symbols(b) }
    }

    /// Returns two strings as input of a lens of edit distance with swaps.
    pub(crate) fn swapped(a: &str, b: &str) -> LensInput {
        let watched = watched(Task::EditDistance, a, b);
        LensInput { texts: LensTexts { costs: EditCosts::OSA, ..watched.texts }, ..watched }
    }

    /// Returns two strings as input of a lens of sequence alignment.
    pub(crate) fn scored(scoring: Scoring, a: &str, b: &str) -> LensInput {
        let watched = watched(Task::SequenceAlignment, a, b);
        LensInput { texts: LensTexts { scoring, ..watched.texts }, ..watched }
    }

    /// Returns texts with something to see in every lens, for tests.
    pub(crate) fn samples() -> Vec<LensInput> {
        let local = Scoring { mode: AlignmentMode::Local, equal: 2, ..Scoring::DEFAULT };
        let layers = Scoring { gap: GapCosts { open: 2, extend: 1 }, equal: 2, ..Scoring::DEFAULT };
        vec![
            watched(Task::EditDistance, "SUNDAY", "SATURDAY"),
            watched(Task::Lcs, "TEACHING", "LEARNING"),
            watched(Task::ApproximateSearch, "read", "the word we write are the"),
            watched(Task::MatchCount, "abbac", "acbabbaccb"),
            watched(Task::ExactSearch, "abacabad", "abacabacabadabacababacabad"),
            watched(Task::Lcs, "", "ab"),
            watched(Task::ExactSearch, "abc", "xy z<&"),
            swapped("freind", "friends"),
            swapped("CA", "ABC"),
            scored(Scoring::DEFAULT, "GATTACA", "GCATGCU"),
            scored(local, "TGTTACGG", "GGTTGACTA"),
            scored(layers, "GCTTAGC", "GCAGTC"),
        ]
    }

    #[test]
    fn lens_name_is_valid_only_for_its_tasks() {
        let with_costs = |name, costs| parse_lens(name, Task::EditDistance, costs, &Scoring::DEFAULT);
        let parse = |name, task| parse_lens(name, task, EditCosts::LEVENSHTEIN, &Scoring::DEFAULT);
        assert_eq!(parse("two-rows", Task::Lcs), Some(LensName::TwoRows));
        assert_eq!(parse("two-rows", Task::ExactSearch), None);
        assert_eq!(parse("zigzag", Task::Lcs), None);
        assert_eq!(with_costs("two-rows", EditCosts::OSA), None);
        assert_eq!(with_costs("osa", EditCosts::OSA), Some(LensName::Osa));
        assert_eq!(parse("needleman-wunsch", Task::SequenceAlignment), Some(LensName::NeedlemanWunsch));
        assert_eq!(parse("gotoh", Task::SequenceAlignment), None);
        assert_eq!(parse("osa", Task::EditDistance), None);
        assert_eq!(shown(" "), "␣");
    }
}
