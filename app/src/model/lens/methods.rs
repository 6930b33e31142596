//! The methods of a task for the picker: the orders in which the matrix can be filled, and the lenses (views that show
//! another algorithm step by step). [`methods`] returns each with a name, its number of steps for the form's texts, a
//! picture, and a sentence.
//!
//! - `sketches`: the pictures of lenses

use std::fmt::Write as _;

use explain::lens::settings::LensSettings;
use explain::lens::{LensName, StepUnit, open};
use explain::matrix::order::{self, FillOrder, FillSteps};
use explain::matrix::{DpMatrix, MatrixCell};
use kernels::job::Task;

use super::{LensInput, lens_keys};
use crate::model::text::humanize::{count, grouped};
use crate::tr;
use crate::tr::t;

mod sketches;

/// Maximum number of columns and of rows of a fill order's picture. Larger matrices are sampled.
const MAX_SKETCH_CELLS: (usize, usize) = (10, 8);

/// A method that the picker offers for a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MethodChoice {
    /// The matrix, whose cells are filled in this order.
    Order(FillOrder),
    /// A lens: a view that shows another method for the task step by step.
    Lens(LensName),
}

impl MethodChoice {
    /// Returns the name of the method in addresses.
    pub fn name(self) -> &'static str {
        match self {
            Self::Order(order) => order.name(),
            Self::Lens(name) => name.name(),
        }
    }
}

/// A method as the picker shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PickerMethod {
    pub choice: MethodChoice,
    /// Translated name.
    pub name: String,
    /// Number of steps with the method's noun for a step, for example "9 rounds".
    pub steps: String,
    /// A sentence about what the method shows.
    pub shows: String,
    /// Name and sentence to show while the visitor answers questions, if `name` or `shows` would reveal a value.
    pub hidden: Option<(&'static str, &'static str)>,
    /// SVG picture, followed by its width and height. For a fill order, cells that are filled later are darker. For a
    /// lens, the picture is a sketch.
    pub picture: (String, usize, usize),
}

/// Returns all methods that can show the texts of `matrix` and `watched`: the orders in which the matrix can be filled,
/// then the lenses. Lenses for which the texts are too long are left out.
pub fn methods(matrix: &DpMatrix, watched: &LensInput) -> Vec<PickerMethod> {
    let orders = FillOrder::for_task(matrix.task(), matrix.costs()).iter().map(|order| of_order(matrix, *order));
    let lens = |name: LensName| {
        let lens = watched.task.and_then(|task| open(name, task, &watched.texts, &LensSettings::defaults(name)).ok())?;
        let (shows, steps) = (lens_keys::shows(name).to_owned(), steps(name.unit(), lens.len()));
        let picture = sketches::draw(name);
        Some(PickerMethod { choice: MethodChoice::Lens(name), name: lens_keys::name(name).to_owned(), steps, shows, hidden: None, picture })
    };
    orders.chain(watched.offered().filter_map(lens)).collect()
}

/// Formats the number of steps of a lens in the unit of the lens, for example "3 rounds".
pub fn steps(unit: StepUnit, number: usize) -> String {
    let number = number as u64;
    match unit {
        StepUnit::Step => count(number, "step", "steps"),
        StepUnit::Round => count(number, "round", "rounds"),
        StepUnit::Comparison => count(number, "comparison", "comparisons"),
        StepUnit::TimeUnit => count(number, "time unit", "time units"),
    }
}

fn of_order(matrix: &DpMatrix, order: FillOrder) -> PickerMethod {
    let steps = order.steps(matrix);
    let last = matrix.last();
    let cells = || tr!("{n} of {all} cells", n = grouped(steps.filled() as u64), all = grouped((last.i * last.j) as u64));
    let picture = picture(matrix, &steps);
    let told = |name: &'static str, shows: &'static str| PickerMethod {
        choice: MethodChoice::Order(order),
        name: name.to_owned(),
        steps: self::steps(StepUnit::Step, steps.len()),
        shows: shows.to_owned(),
        hidden: None,
        picture: picture.clone(),
    };
    match order {
        FillOrder::Row => told(t("Row by row"), t("One cell each step, a row after the other.")),
        FillOrder::Column => told(t("Column by column"), t("One cell each step, a column after the other.")),
        FillOrder::Diagonal => told(t("Anti-diagonals"), t("A whole diagonal at once, as a GPU does it.")),
        FillOrder::Band => {
            let value = matrix.value(last).count();
            let name = match matrix.task() {
                Task::Lcs => t("Band").to_owned(),
                // With costs, the value is not the number of diagonals.
                Task::EditDistance if !matrix.costs().is_levenshtein() => t("Band").to_owned(),
                Task::EditDistance | Task::ApproximateSearch | Task::MatchCount | Task::ExactSearch | Task::SequenceAlignment => {
                    tr!("Band, *k* = {k}", k = value)
                }
            };
            let shows = t("No better path leaves this band.").to_owned();
            let hidden = Some((t("Band"), t("Only the cells that the answer needs.")));
            PickerMethod { name, shows, hidden, steps: cells(), ..told("", "") }
        }
        FillOrder::CutOff => {
            let k = order::nearest(matrix);
            let name = tr!("Cut-off, *k* = {k}", k = k);
            let shows = t("The other cells cannot lead to a match.").to_owned();
            let hidden = Some((t("Cut-off"), t("Only the cells that the answer needs.")));
            PickerMethod { name, shows, hidden, steps: cells(), ..told("", "") }
        }
        FillOrder::Bits => told(t("Bit vectors"), t("A whole column at once, in one machine word.")),
        FillOrder::Offset => told(t("Diagonals"), t("One offset of the pattern each step.")),
    }
}

/// Draws the order in which `steps` fills the matrix. Returns the SVG picture, its width and its height.
fn picture(matrix: &DpMatrix, steps: &FillSteps) -> (String, usize, usize) {
    let MatrixCell { i: rows, j: columns } = matrix.last();
    let (across, down) = (columns.min(MAX_SKETCH_CELLS.0), rows.min(MAX_SKETCH_CELLS.1));
    let mut cells = String::new();
    for y in 0..down {
        for x in 0..across {
            let cell = MatrixCell { i: 1 + y * rows / down, j: 1 + x * columns / across };
            let (x, y) = (10 * x, 10 * y);
            let _ = match steps.step_of(cell) {
                None => write!(cells, r#"<rect x="{x}.5" y="{y}.5" width="8" height="8" class="f-none s-line"/>"#),
                Some(at) => {
                    let shade = 0.16 + 0.84 * at as f64 / steps.len().max(1) as f64;
                    write!(cells, r#"<rect x="{x}" y="{y}" width="9" height="9" class="f-pine" opacity="{shade:.2}"/>"#)
                }
            };
        }
    }
    (cells, (10 * across).max(10) - 1, (10 * down).max(10) - 1)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{samples, swapped, watched};
    use super::*;

    fn of(watched: &LensInput) -> Vec<PickerMethod> {
        let matrix = DpMatrix::new(watched.task.unwrap(), watched.texts.costs, watched.texts.a.clone(), watched.texts.b.clone()).unwrap();
        methods(&matrix, watched)
    }

    #[test]
    fn every_method_is_listed_once_with_steps_and_description() {
        for watched in samples() {
            let all = of(&watched);
            let orders = FillOrder::for_task(watched.task.unwrap(), watched.texts.costs).len();
            assert_eq!(all.len(), orders + watched.offered().count(), "every method accepts small texts");
            for (at, one) in all.iter().enumerate() {
                assert!(all[..at].iter().all(|other| other.choice != one.choice && other.choice.name() != one.choice.name()), "{one:?}");
                assert!(!one.name.is_empty() && one.steps.chars().any(|letter| letter.is_ascii_digit()), "{one:?}");
                // The sentence fits into the picker and is not a key.
                assert!(one.shows.ends_with('.') && one.shows.len() <= 64 && one.shows.contains(' '), "{one:?}");
                assert!(one.picture.0.contains("<rect") || watched.texts.a.is_empty(), "{one:?}");
            }
        }
    }

    #[test]
    fn costs_leave_the_orders_of_whole_values_and_the_lens_of_swaps() {
        let watched = swapped("SUNDAY", "SATURDAY");
        let names: Vec<_> = of(&watched).into_iter().map(|method| (method.choice.name(), method.name)).collect();
        assert_eq!(names.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["row", "column", "diag", "band", "osa"]);
        assert_eq!(names[3].1, "Band");
    }

    #[test]
    fn method_list_shows_the_number_of_steps() {
        let all = of(&watched(Task::Lcs, "TEACHING", "LEARNING"));
        let steps = |name: &str| all.iter().find(|one| one.choice.name() == name).map(|one| one.steps.as_str());
        let expected =
            [("row", "64 steps"), ("diag", "15 steps"), ("bits", "8 steps"), ("two-rows", "8 steps"), ("hirschberg", "39 steps")];
        assert!(expected.iter().all(|(name, number)| steps(name) == Some(number)), "{all:?}");
    }

    #[test]
    fn distance_is_hidden_while_a_question_asks_for_it() {
        let all = of(&watched(Task::EditDistance, "SUNDAY", "SATURDAY"));
        let band = all.iter().find(|one| one.choice == MethodChoice::Order(FillOrder::Band)).unwrap();
        assert!(band.name.contains('3'));
        let (name, shows) = band.hidden.unwrap();
        assert!(!name.contains('3') && !shows.contains('3'));
        // No other method reveals a value.
        assert!(all.iter().filter(|one| one.hidden.is_none()).all(|one| !one.shows.contains(|letter: char| letter.is_ascii_digit())));
    }

    #[test]
    fn lens_that_is_too_small_for_the_texts_is_not_offered() {
        let long = "a".repeat(61);
        let all = of(&watched(Task::ApproximateSearch, &long, "abc"));
        let lenses: Vec<MethodChoice> = all.iter().map(|one| one.choice).filter(|choice| matches!(choice, MethodChoice::Lens(_))).collect();
        assert_eq!(lenses, [MethodChoice::Lens(LensName::Machine)]);
    }
}
