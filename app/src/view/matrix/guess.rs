//! The question: the visitor types the value of the next cell, and is told whether it is right, or why not.

use explain::matrix::Input;
use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlInputElement;

use super::pieces;
use super::scene::Scene;
use super::sums::Sum;
use crate::matrix::quiz::{Said, Verdict};
use crate::matrix::say::{self, Piece};
use crate::tr;
use crate::tr::t;
use crate::view::icon::{Icon, icon};

/// Id of the field.
const FIELD: &str = "guess";

/// The field takes what is typed from now on.
pub(super) fn focus() {
    if let Some(field) = field() {
        let _ = field.focus();
    }
}

fn field() -> Option<HtmlInputElement> {
    document().get_element_by_id(FIELD)?.dyn_into().ok()
}

/// The switch between reading and predicting.
#[component]
pub fn Predict() -> impl IntoView {
    let scene = expect_context::<Scene>();
    view! {
        <label class="check predict">
            <input type="checkbox" prop:checked=move || scene.quiz.with(Option::is_some) on:change:target=move |event| scene.set_quiz(event.target().checked()) />
            <span>{t("Hide values and let me predict")}</span>
        </label>
    }
}

/// The question, what was said of the last guess, and the count.
#[component]
pub fn Guess() -> impl IntoView {
    let scene = expect_context::<Scene>();
    let asks = Memo::new(move |_| scene.quiz.with(Option::is_some));
    // The field takes the focus when the questions begin.
    Effect::new(move |_| {
        if asks.get() {
            request_animation_frame(focus);
        }
    });
    move || asks.get().then(|| view! { <Question /> })
}

#[component]
fn Question() -> impl IntoView {
    let scene = expect_context::<Scene>();
    let is_number = RwSignal::new(true);
    let send = move |event: ev::SubmitEvent| {
        event.prevent_default();
        let Some(field) = field() else { return };
        let guess = field.value().trim().parse::<u16>();
        is_number.set(guess.is_ok());
        if let Ok(guess) = guess {
            scene.guess(guess);
        }
        field.set_value("");
        focus();
    };
    let question = move || {
        scene.question().map(|cell| {
            let named = ("cell", scene.board.with_value(|board| say::named(board, cell, None)));
            pieces(&say::sentence(t("What is {cell}?"), &[named]))
        })
    };
    let last = move || scene.quiz.with(|quiz| quiz.as_ref().and_then(|quiz| quiz.said.clone()));
    let said = move || {
        if !is_number.get() {
            return Some((Icon::Cross, "say wrong", pieces(&say::sentence(t("A whole number is asked for, such as 2."), &[]))));
        }
        last().map(|said| match said.verdict {
            Verdict::Right => (Icon::Check, "say right", pieces(&verdict(scene, &said))),
            Verdict::Better(_) | Verdict::TooGood | Verdict::Told => (Icon::Cross, "say wrong", pieces(&verdict(scene, &said))),
        })
    };
    let said = move || said().map(|(sign, class, said)| view! { <p class=class>{icon(sign)} <span>{said}</span></p> });
    // Of a cell that was missed the sums, which were not shown while it was asked.
    let missed = move || {
        let cell = last().filter(|said| said.missed && is_number.get()).map(|said| said.cell)?;
        let lines = scene.board.with_value(|board| say::lines(board, cell));
        Some(view! { <ul class="sums">{lines.into_iter().map(|line| view! { <Sum line told=true /> }).collect_view()}</ul> })
    };
    let count = move || {
        let (right, asked) = scene.quiz.with(|quiz| quiz.as_ref().map_or((0, 0), |quiz| (quiz.right, quiz.asked)));
        if asked == 0 { String::new() } else { tr!("{right} of {asked} right at once", right = right, asked = asked) }
    };
    let over = move || scene.question().is_none();
    view! {
        <section class="stack quiz" aria-label=t("Predict")>
            <form class="row" on:submit=send hidden=over>
                <label class="cellname" for=FIELD>{question}</label>
                <input class="text number" id=FIELD inputmode="numeric" autocomplete="off" />
                <button class="btn main" type="submit">{t("Check")}</button>
            </form>
            <p class="cellname" hidden=move || !over()>{t("All cells are filled.")}</p>
            <div role="status">
                {said}
                <p class="score">{count}</p>
            </div>
            {missed}
        </section>
    }
}

/// Whether the last guess was right, or why not.
fn verdict(scene: Scene, said: &Said) -> Vec<Piece> {
    let board = scene.board.get_value();
    let Said { cell, guess, verdict, .. } = said;
    let text = |text: String| Piece::Text(text);
    let mut values = vec![("cell", say::named(&board, *cell, Some(board.matrix.value(*cell)))), ("guess", text(guess.to_string()))];
    let template = match verdict {
        Verdict::Right => t("Right: {cell}."),
        Verdict::Told => t("Not {guess}: {cell}. Its sums are:"),
        Verdict::TooGood => t("Not {guess}: no input gives it. Try again."),
        Verdict::Better(sum) => {
            values.extend([("from", say::named(&board, sum.from, Some(sum.value))), ("total", text(sum.total.to_string()))]);
            match sum.input {
                Input::Corner => t("Not {guess}: the corner gives something better, as {from}. Try again."),
                Input::Above => t("Not {guess}: the cell above gives something better, as {from}. Try again."),
                Input::Left => t("Not {guess}: the cell on the left gives something better, as {from}. Try again."),
            }
        }
    };
    say::sentence(template, &values)
}
