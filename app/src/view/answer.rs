//! The answer: the number, what it means, what else there is to say.

use leptos::prelude::*;

use super::prose::prose;

/// What an answer says; `*a*` and `*b*` are names of the texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meaning {
    /// The number.
    pub number: String,
    /// What it means: a sentence that begins with the number.
    pub says: String,
    /// What else there is to say.
    pub aside: String,
}

impl Meaning {
    /// All of it as plain text.
    pub fn plain(&self) -> String {
        format!("{} {} {}", self.number, self.says, self.aside).replace('*', "").trim_end().to_owned()
    }
}

/// Number and sentences.
#[component]
pub fn Answer(#[prop(into)] meaning: Signal<Meaning>) -> impl IntoView {
    view! {
        <div class="answer">
            // Said by the page's own region, which is there before there is an answer.
            <output class="big" for="text-a text-b" aria-live="off">
                {move || meaning.with(|meaning| meaning.number.clone())}
            </output>
            <p class="say">
                {move || meaning.with(|meaning| prose(&meaning.says))} " " <span>{move || meaning.with(|meaning| prose(&meaning.aside))}</span>
            </p>
        </div>
    }
}
