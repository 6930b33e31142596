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
pub fn Answer(meaning: Meaning) -> impl IntoView {
    view! {
        <div class="answer">
            <output class="big" for="text-a text-b" aria-live="polite">
                {meaning.number}
            </output>
            <p class="say">{prose(&meaning.says)} " " <span>{prose(&meaning.aside)}</span></p>
        </div>
    }
}
