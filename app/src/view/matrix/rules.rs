//! The recurrence beside the matrix, with its base cases first. The lines that determine the value of the selected cell
//! are marked.

use leptos::prelude::*;

use super::pieces;
use super::scene::Scene;
use super::sums::arrow;
use crate::model::matrix::recurrence::{About, Recurrence, Rule};
use crate::model::matrix::say;
use crate::model::task::InMatrix;
use crate::tr::t;
use crate::view::icon::icon;
use crate::view::prose::{formula, prose};

/// Renders the lines.
#[component]
pub fn Rules() -> impl IntoView {
    let scene = expect_context::<Scene>();
    let task = scene.board.with_value(|board| board.task());
    let Recurrence { base, head, sums } = Recurrence::of(task);
    let line = |rule: Rule| {
        // Nothing is marked while the visitor is to find the value.
        let makes = move || {
            let cell = scene.looked();
            scene.is_told(cell) && scene.board.with_value(|board| rule.makes(board, cell))
        };
        let direction = match rule.about {
            About::Input(input) => Some(icon(arrow(input))),
            About::FirstRow | About::FirstColumn => None,
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
            <p class="note">{pieces(&say::sentence(InMatrix::of(task).meaning(), &[]))}</p>
        </section>
    }
}
