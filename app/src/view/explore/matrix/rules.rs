//! The recurrence of the task beside the matrix ([`Rules`]), with its base cases first. The lines that determine the
//! value of the selected cell are marked.

use leptos::prelude::*;

use super::pieces;
use super::scene::MatrixScene;
use super::sums::arrow;
use crate::model::matrix::cell_sentences;
use crate::model::matrix::recurrence::{RecurrenceRule, RecurrenceText, RuleSubject};
use crate::model::task::MatrixSentences;
use crate::tr::t;
use crate::view::widgets::icon::icon;
use crate::view::widgets::prose::{formula, prose};

/// Renders the lines of the recurrence.
#[component]
pub fn Rules() -> impl IntoView {
    let scene = expect_context::<MatrixScene>();
    let task = scene.board.with_value(|board| board.task());
    let RecurrenceText { base, head, sums } = RecurrenceText::of(task);
    let line = |rule: RecurrenceRule| {
        // No line is marked as long as the visitor has to find the value.
        let makes = move || {
            let cell = scene.explained_cell();
            scene.is_value_visible(cell) && scene.board.with_value(|board| rule.makes(board, cell))
        };
        let direction = match rule.about {
            RuleSubject::Input(input) => Some(icon(arrow(input))),
            RuleSubject::FirstRow | RuleSubject::FirstColumn => None,
        };
        view! {
            <li aria-current=move || makes().then_some("true")>
                <span class="dir">{direction}</span>
                <span class="formula">{formula(rule.formula)}</span>
                <span class="why">{prose(rule.says)}</span>
            </li>
        }
    };
    view! {
        <section class="rules" aria-labelledby="rules-title">
            <h2 id="rules-title">{t("The recurrence")}</h2>
            <ul>
                {base.map(line).into_iter().collect_view()}
                <li class="head"><span class="formula">{prose(head)}</span></li>
                {sums.into_iter().map(line).collect_view()}
            </ul>
            <p class="note">{pieces(&cell_sentences::sentence(MatrixSentences::of(task).meaning(), &[]))}</p>
        </section>
    }
}
