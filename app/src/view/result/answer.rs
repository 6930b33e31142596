//! The answer of a run ([`Answer`]): a number, its meaning, and further remarks.

use leptos::either::EitherOf3;
use leptos::prelude::*;

use crate::model::glossary::OF_ANSWERS;
use crate::model::result::meaning::{AnswerMeaning, TextNames, meaning};
use crate::page::ShownResult;
use crate::view::widgets::prose::prose;
use crate::view::widgets::term::with_terms;

/// Renders the number and the sentences of `meaning`. The sentences contain `names`, the names of both texts.
#[component]
pub fn Answer(#[prop(into)] meaning: Signal<AnswerMeaning>, #[prop(into)] names: Signal<TextNames>) -> impl IntoView {
    let said = move |sentence: fn(&AnswerMeaning) -> &str| {
        let part = |meaning: &AnswerMeaning, (nth, part): (usize, &str)| match (meaning.named(nth, part, &names.get()), nth % 2) {
            (Some(name), _) => EitherOf3::A(view! { <code><bdi>{name.to_owned()}</bdi></code> }),
            (None, 1) => EitherOf3::B(view! { <var>{part.to_owned()}</var> }),
            (None, _) => EitherOf3::C(with_terms(part, &OF_ANSWERS)),
        };
        meaning.with(|meaning| sentence(meaning).split('*').enumerate().map(|numbered| part(meaning, numbered)).collect_view())
    };
    view! {
        <div class="answer">
            // Not a live region: the page has its own one, which exists before the answer and announces it.
            <output class="big" for="text-a text-b" aria-live="off">
                {move || meaning.with(|meaning| meaning.number.clone())}
            </output>
            <p class="say" data-takes-focus="">
                {move || said(|meaning| &meaning.says)} " " <span>{move || said(|meaning| &meaning.aside)}</span>
            </p>
        </div>
    }
}

/// Renders the error rate of the answer of `shown`, if it has one. The sentence is long and repeats the counts of the
/// alignment, so that it stands below the alignment.
#[component]
pub fn ErrorRateNote(shown: ShownResult) -> impl IntoView {
    let answer = shown.run.answer.as_ref();
    let rate = answer.map(|answer| meaning(answer, shown.symbols, &shown.form.job_options()).rate);
    rate.filter(|rate| !rate.is_empty()).map(|rate| view! { <p class="note error-rate">{prose(&rate)}</p> })
}
