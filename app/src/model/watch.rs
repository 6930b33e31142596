//! A method that is watched step by step, as the page shows it: frames become one drawing, keys become sentences. Nothing here knows a
//! method.
//!
//! - [`draw`]: a panel of a frame as a drawing; [`places`]: where panels lie; [`compose`]: all panels of a frame in one, and, on a projector and on
//!   paper, [`fitted`] into the room there
//! - [`says`]: sentences with their values; [`words`]: what every key is called
//! - [`marks`]: how a cell looks that is marked
//! - [`glossary`]: terms that can be looked up
//! - [`methods`]: what the picker offers; [`quiz`]: what is asked, and what was answered

use explain::lens::{Name, Texts};
use explain::matrix::document::Sheet;
use kernels::job::Task;

use crate::model::alignment::rows::visible;

pub mod compose;
pub mod draw;
pub mod fitted;
pub mod glossary;
pub mod marks;
pub mod methods;
pub mod places;
pub mod quiz;
pub mod says;
pub mod words;

/// Both texts of a lens: the numbers that it compares, and the symbols that are shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Watched {
    /// What is computed of them.
    pub task: Option<Task>,
    /// Numbers that are equal where the symbols are.
    pub texts: Texts,
    /// The symbols of `a`, made visible.
    pub a: Vec<String>,
    /// Those of `b`.
    pub b: Vec<String>,
}

impl Watched {
    /// The texts of a matrix.
    pub fn of(sheet: &Sheet) -> Self {
        let shown = |symbols: &[String]| symbols.iter().map(|symbol| shown(symbol)).collect();
        Self {
            task: Some(sheet.task),
            texts: Texts { a: sheet.a_numbers.clone(), b: sheet.b_numbers.clone() },
            a: shown(&sheet.a),
            b: shown(&sheet.b),
        }
    }

    /// The lenses of its task.
    pub fn lenses(&self) -> &'static [Name] {
        self.task.map_or(&[], Name::of)
    }

    /// Those that are offered beside the orders of the matrix.
    pub fn offered(&self) -> impl Iterator<Item = Name> {
        self.lenses().iter().copied().filter(|name| !is_order(*name))
    }
}

/// Whether the matrix itself has the lens as an order, with more to see in it.
fn is_order(name: Name) -> bool {
    matches!(name, Name::Rows | Name::Columns | Name::Diagonals | Name::Band | Name::CutOff | Name::Offsets)
}

/// The lens of a name in an address, where its task has it.
pub fn named(name: &str, task: Task) -> Option<Name> {
    Name::parse(name).filter(|name| Name::of(task).contains(name))
}

/// A symbol as it is drawn: what is invisible as a picture.
fn shown(symbol: &str) -> String {
    if symbol == " " { "␣".into() } else { visible(symbol) }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Two strings as a lens gets them.
    pub(crate) fn watched(task: Task, a: &str, b: &str) -> Watched {
        let symbols = |text: &str| text.chars().map(|symbol| shown(&symbol.to_string())).collect();
        Watched { task: Some(task), texts: Texts::of(a, b), a: symbols(a), b: symbols(b) }
    }

    /// Texts with something to see in every lens.
    pub(crate) fn samples() -> Vec<Watched> {
        vec![
            watched(Task::EditDistance, "SUNDAY", "SATURDAY"),
            watched(Task::Lcs, "TEACHING", "LEARNING"),
            watched(Task::ApproximateSearch, "read", "the word we write are the"),
            watched(Task::MatchCount, "abbac", "acbabbaccb"),
            watched(Task::ExactSearch, "abacabad", "abacabacabadabacababacabad"),
            watched(Task::Lcs, "", "ab"),
            watched(Task::ExactSearch, "abc", "xy z<&"),
        ]
    }

    #[test]
    fn a_lens_is_of_its_task() {
        assert_eq!(named("two-rows", Task::Lcs), Some(Name::TwoRows));
        assert_eq!(named("two-rows", Task::ExactSearch), None);
        assert_eq!(named("zigzag", Task::Lcs), None);
        assert_eq!(shown(" "), "␣");
    }
}
