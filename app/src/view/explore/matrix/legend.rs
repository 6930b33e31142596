//! The choice of the arrows in the matrix, and the meaning of the colours.

use leptos::prelude::*;

use super::scene::MatrixScene;
use crate::model::matrix::ArrowSelection;
use crate::model::task::MatrixSentences;
use crate::tr::t;
use crate::view::widgets::chip::chip;
use crate::view::widgets::icon::{Icon, icon};

/// Renders the choice which arrows are drawn.
#[component]
pub fn Choices() -> impl IntoView {
    let scene = expect_context::<MatrixScene>();
    let choices = ArrowSelection::ALL.map(|arrows| {
        let name = match arrows {
            ArrowSelection::Winning => t("winning"),
            ArrowSelection::Path => t("path only"),
            ArrowSelection::All => t("all inputs"),
        };
        view! {
            <label>
                <input
                    type="radio"
                    name="arrows"
                    value=arrows.name()
                    prop:checked=move || scene.arrows.get() == arrows
                    on:change=move |_| scene.arrows.set(arrows)
                />
                {name}
            </label>
        }
    });
    view! {
        <fieldset class="row choices">
            <legend class="vh">{t("Arrows")}</legend>
            <span class="quiet small" aria-hidden="true">{t("Arrows")}</span>
            <div class="seg">{choices.collect_view()}</div>
        </fieldset>
    }
}

/// Renders the meaning of the colours in the matrix.
#[component]
pub fn Legend() -> impl IntoView {
    let scene = expect_context::<MatrixScene>();
    let (task, costs) = scene.board.with_value(|board| (board.task(), board.matrix.costs()));
    let described = MatrixSentences::of(task);
    let words = described.edits(costs).map(|(edit, word)| view! { <li>{chip(edit)} {word}</li> });
    let any = described.any();
    let other = move || {
        (scene.arrows.get() == ArrowSelection::All).then(|| {
            let dashed = r#"<path d="m4 4 8 8" stroke-dasharray="2.5 2"/><path d="M4 8V4h4"/>"#;
            view! {
                <li>
                    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" inner_html=dashed></svg>
                    {t("an input that does not win")}
                </li>
            }
        })
    };
    view! {
        <ul class="legend projector-off" aria-label=t("Legend")>
            {words.collect_view()}
            <li>{icon(Icon::Corner)} {t("where a value came from")}</li>
            {other}
            <li><span class="chip any" aria-hidden="true"></span> {any}</li>
        </ul>
    }
}
