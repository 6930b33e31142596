//! The title of a lens (the view of a method step by step), with the texts of the form.

use crate::model::alignment::rows::visible_text;
use crate::model::form::{FormSide, FormState};
use crate::model::task::AnswerSentences;
use crate::tr::fill;
use crate::tr::t;

/// Maximum number of letters of a text in the title.
const MAX_TITLE_LETTERS: usize = 20;

/// Returns the title of a lens on the texts of `form`, such as "SUNDAY to SATURDAY, cell by cell" for the matrix. If
/// `is_watched` is set, returns the title of another method, which ends with "step by step". Long texts are shortened.
/// If a text is empty, the title contains none.
pub fn of_lens(form: &FormState, is_watched: bool) -> String {
    let (Some(a), Some(b)) = (brief(form, FormSide::A), brief(form, FormSide::B)) else {
        return if is_watched { t("A method, step by step").into() } else { t("Every cell of the matrix").into() };
    };
    let [cell_by_cell, step_by_step] = AnswerSentences::of(form.task).heads;
    fill(t(if is_watched { step_by_step } else { cell_by_cell }), &[("a", a), ("b", b)])
}

fn brief(form: &FormState, which: FormSide) -> Option<String> {
    let text = form.side(which).text()?.trim_start();
    let line = text.lines().next().filter(|line| !line.is_empty())?;
    let is_whole = line.len() == text.len() && line.chars().nth(MAX_TITLE_LETTERS).is_none();
    if is_whole {
        return Some(visible_text(line));
    }
    let cut: String = line.chars().take(MAX_TITLE_LETTERS - 1).collect();
    Some(format!("{}…", visible_text(cut.trim_end())))
}

#[cfg(test)]
mod tests {
    use kernels::job::Task;

    use super::*;
    use crate::model::form::FormText;

    #[test]
    fn title_names_texts_that_are_short_enough() {
        let of =
            |task, a: &str, b: &str| of_lens(&FormState { a: FormText::typed(a), b: FormText::typed(b), ..FormState::new(task) }, false);
        assert_eq!(of(Task::EditDistance, "SUNDAY", "SATURDAY"), "SUNDAY to SATURDAY, cell by cell");
        assert_eq!(of(Task::Lcs, "TEACHING", "LEARNING"), "TEACHING and LEARNING, cell by cell");
        assert_eq!(of(Task::ExactSearch, "ana", "bananas"), "ana in bananas, cell by cell");
        assert_eq!(of(Task::Lcs, "two\nlines", "b"), "two… and b, cell by cell");
        assert_eq!(of(Task::Lcs, "a text that is longer than a title", "b"), "a text that is long… and b, cell by cell");
        assert_eq!(of(Task::Lcs, "", "b"), "Every cell of the matrix");
        let form = FormState { a: FormText::typed(""), b: FormText::typed("b"), ..FormState::new(Task::Lcs) };
        assert_eq!(of_lens(&form, true), "A method, step by step");
    }
}
