//! The choice of the arrows in the matrix, and the meaning of the colours.

use explain::matrix::big_uint::BigUint;
use leptos::either::Either;
use leptos::prelude::*;

use super::scene::MatrixScene;
use crate::model::matrix::{ArrowSelection, ink};
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
    let described = scene.board.with_value(|board| MatrixSentences::of(board.task()));
    let edits: Vec<_> = scene.board.with_value(|board| described.edits(&board.matrix).collect());
    let words = edits.into_iter().map(|(edit, word)| view! { <li>{chip(edit)} {word}</li> });
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
    let (has_layers, is_local) = scene.board.with_value(|board| (board.has_layers(), board.matrix.is_local()));
    let has_piece = scene.board.with_value(|board| board.path(&BigUint::ZERO).is_some_and(|path| ink::piece(board, &path).is_some()));
    let origins = if has_layers {
        let same = view! { <li>{icon(Icon::Corner)} {t("from the same layer")}</li> };
        Either::Left(view! { {same} <li><span class="layer-letter" aria-hidden="true">"M"</span> {t("from that layer")}</li> })
    } else {
        Either::Right(view! { <li>{icon(Icon::Corner)} {t("where a value came from")}</li> })
    };
    let piece = has_piece.then(|| view! { <li><span class="chip piece" aria-hidden="true"></span> {t("the aligned pieces")}</li> });
    let start = is_local.then(|| view! { <li><span class="chip zero" aria-hidden="true">"0"</span> {t("start here")}</li> });
    view! {
        <ul class="legend projector-off" aria-label=t("Legend")>
            {words.collect_view()}
            {origins}
            {other}
            {piece}
            {start}
            <li><span class="chip any" aria-hidden="true"></span> {any}</li>
        </ul>
    }
}
