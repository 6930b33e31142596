//! The recurrence of the task beside the matrix ([`Rules`]), with its base cases first. The lines that determine the
//! value of the selected cell are marked.

use explain::matrix::MatrixLayer;
use leptos::prelude::*;

use super::pieces;
use super::scene::MatrixScene;
use super::sums::arrow;
use crate::model::matrix::recurrence::{RecurrenceRule, RecurrenceText, RuleSubject};
use crate::model::matrix::{cell_sentences, scores};
use crate::model::task::MatrixSentences;
use crate::tr::t;
use crate::view::widgets::icon::{Icon, icon};
use crate::view::widgets::prose::{formula, prose};

/// Renders the lines of the recurrence.
#[component]
pub fn Rules() -> impl IntoView {
    let scene = expect_context::<MatrixScene>();
    let (task, costs) = scene.board.with_value(|board| (board.task(), board.matrix.costs()));
    let RecurrenceText { base, head, sums } = scene.board.with_value(|board| RecurrenceText::of(&board.matrix));
    let described = MatrixSentences::of(task);
    let meaning = scene.board.with_value(|board| match board.matrix.scoring() {
        Some(_) => scores::meaning(&board.matrix),
        None => described.meaning(costs),
    });
    let swaps = described.swap_note(costs).map(|note| view! { <p class="note">{prose(note)}</p> });
    let line = |rule: RecurrenceRule| {
        let (about, written, says) = (rule.about, formula(&rule.formula).into_any(), prose(&rule.says).into_any());
        // No line is marked as long as the visitor has to find the value.
        let makes = move || {
            let cell = scene.explained_cell();
            scene.is_value_visible(cell) && scene.board.with_value(|board| rule.makes(&board.matrix, cell))
        };
        let direction = match about {
            RuleSubject::Input(input) => Some(icon(arrow(input))),
            RuleSubject::Layer(MatrixLayer::Main) => Some(icon(Icon::Corner)),
            RuleSubject::Layer(MatrixLayer::Deletions) => Some(icon(Icon::Above)),
            RuleSubject::Layer(MatrixLayer::Insertions) => Some(icon(Icon::LeftOf)),
            RuleSubject::FirstRow | RuleSubject::FirstColumn | RuleSubject::Start => None,
        };
        view! {
            <li aria-current=move || makes().then_some("true")>
                <span class="dir">{direction}</span>
                <span class="formula">{written}</span>
                <span class="why">{says}</span>
            </li>
        }
    };
    view! {
        <section class="rules" aria-labelledby="rules-title">
            <h2 id="rules-title">{t("The recurrence")}</h2>
            <ul>
                {base.map(line).into_iter().collect_view()}
                {(!head.is_empty()).then(|| view! { <li class="head"><span class="formula">{prose(head)}</span></li> })}
                {sums.into_iter().map(line).collect_view()}
            </ul>
            <p class="note">{pieces(&cell_sentences::sentence(meaning, &[]))}</p>
            {swaps}
        </section>
    }
}
