//! The question about the next step: the visitor chooses, and is told whether it is right.

use explain::lens::question::{Question, Reply};
use leptos::prelude::*;

use super::scene::Scene;
use super::told::sentence;
use crate::tr;
use crate::tr::t;
use crate::watch::says::parts;
use crate::watch::words;
use crate::words::grouped;

/// The switch between watching and predicting.
#[component]
pub fn Predict() -> impl IntoView {
    let scene = expect_context::<Scene>();
    view! {
        <label class="check predict">
            <input type="checkbox" prop:checked=move || scene.quiz.with(Option::is_some) on:change:target=move |event| scene.set_quiz(event.target().checked()) />
            <span>{t("Predict the next step")}</span>
        </label>
    }
}

/// An answer as it is read.
fn said(reply: &Reply) -> String {
    match reply {
        Reply::Number(number) => grouped(*number),
        Reply::Cells(cells) => cells.iter().map(|(i, j)| format!("[{i}, {j}]")).collect::<Vec<_>>().join(", "),
        Reply::Key(key) => words::label(key).to_owned(),
    }
}

/// The question, what was said of the last answer, and the count.
#[component]
pub fn Ask() -> impl IntoView {
    let scene = expect_context::<Scene>();
    let asks = Memo::new(move |_| scene.quiz.with(Option::is_some));
    move || asks.get().then(|| view! { <Questions /> })
}

#[component]
fn Questions() -> impl IntoView {
    let scene = expect_context::<Scene>();
    let question = move || {
        let question = scene.question.get();
        match question {
            Some(question) => {
                let says = scene.watched.with_value(|watched| parts(&question.says, watched));
                view! {
                    <p class="cellname">{sentence(says)}</p>
                    <Choices question />
                }
                .into_any()
            }
            None => view! { <p class="cellname">{t("Nothing is asked at this step.")}</p> }.into_any(),
        }
    };
    let verdict = move || {
        let last = scene.quiz.with(|quiz| quiz.as_ref().and_then(|quiz| quiz.last.clone()));
        last.map(|(reply, is_right)| {
            let answer = said(&reply);
            if is_right { tr!("Right: {answer}.", answer = answer) } else { tr!("Not {answer}. Try again.", answer = answer) }
        })
    };
    let score = move || {
        let (right, asked) = scene.quiz.with(|quiz| quiz.as_ref().map_or((0, 0), |quiz| (quiz.right, quiz.asked)));
        if asked == 0 { String::new() } else { tr!("{right} of {asked} right at once", right = right, asked = asked) }
    };
    view! {
        <section class="stack quiz" aria-label=t("Predict")>
            {question}
            <div role="status">
                <p class="say">{verdict}</p>
                <p class="score">{score}</p>
            </div>
        </section>
    }
}

/// Answers to choose from. Of several cells all that are right are to be found.
#[component]
fn Choices(question: Question) -> impl IntoView {
    let scene = expect_context::<Scene>();
    let several = matches!(&question.expected, Reply::Cells(cells) if cells.len() > 1);
    let picked = RwSignal::new(Vec::<(usize, usize)>::new());
    let entries = question.choices.into_iter().map(|reply| {
        let name = said(&reply);
        let cell = if let Reply::Cells(cells) = &reply { cells.first().copied() } else { None };
        let is_picked = move || cell.is_some_and(|cell| picked.with(|picked| picked.contains(&cell)));
        let press = move |_| match (several, cell) {
            (true, Some(cell)) => picked.update(|picked| {
                if picked.contains(&cell) { picked.retain(|other| *other != cell) } else { picked.push(cell) }
            }),
            _ => scene.answer(reply.clone()),
        };
        view! {
            <button class="btn" type="button" aria-pressed=move || several.then(|| if is_picked() { "true" } else { "false" }) on:click=press>
                {name}
            </button>
        }
    });
    let check = several.then(|| {
        view! {
            <button
                class="btn main"
                type="button"
                disabled=move || picked.with(Vec::is_empty)
                on:click=move |_| scene.answer(Reply::Cells(picked.get_untracked()))
            >
                {t("Check")}
            </button>
        }
    });
    view! { <div class="row answers">{entries.collect_view()} {check}</div> }
}
