//! The answer: the number, what it means, what else there is to say.

use leptos::prelude::*;

use super::prose::prose;
use crate::model::result::meaning::Meaning;

/// Number and sentences.
#[component]
pub fn Answer(#[prop(into)] meaning: Signal<Meaning>) -> impl IntoView {
    view! {
        <div class="answer">
            // Said by the page's own region, which is there before there is an answer.
            <output class="big" for="text-a text-b" aria-live="off">
                {move || meaning.with(|meaning| meaning.number.clone())}
            </output>
            <p class="say" data-takes-focus="">
                {move || meaning.with(|meaning| prose(&meaning.says))} " " <span>{move || meaning.with(|meaning| prose(&meaning.aside))}</span>
            </p>
        </div>
    }
}
