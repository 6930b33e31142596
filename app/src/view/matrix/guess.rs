//! The quiz: the visitor types the value of the next cell, or selects its inputs or the next cell itself. The verdict
//! says whether the reply is right, or why not.

use explain::lens::question::Reply;
use explain::matrix::Input;
use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlInputElement;

use super::pieces;
use super::scene::Scene;
use super::sums::Sum;
use crate::model::matrix::quiz::{Guess, Kind, Said, Verdict};
use crate::model::matrix::say::{self, Piece};
use crate::model::visit::CLASS_SCORES;
use crate::model::watch::says::parts;
use crate::model::watch::words;
use crate::tr;
use crate::tr::t;
use crate::view::copy_button::CopyButton;
use crate::view::icon::{Icon, icon};
use crate::view::watch::{ask, told};

/// Id of the input field.
const FIELD: &str = "guess";

/// Gives the focus to the input field.
pub(super) fn focus() {
    if let Some(field) = field() {
        let _ = field.focus();
    }
}

fn field() -> Option<HtmlInputElement> {
    document().get_element_by_id(FIELD)?.dyn_into().ok()
}

/// Renders the switch between reading and predicting.
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

/// Renders the question, the verdict on the last guess, and the score.
#[component]
pub fn Guess() -> impl IntoView {
    let scene = expect_context::<Scene>();
    let asks = Memo::new(move |_| scene.quiz.with(Option::is_some));
    // Focuses the field when the questions begin.
    Effect::new(move |_| {
        if asks.get() && kind_now(scene) == Kind::Value {
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
        scene.question().filter(|_| kind_now(scene) == Kind::Value).map(|cell| {
            let named = ("cell", scene.board.with_value(|board| say::named(board, cell, None)));
            pieces(&say::sentence(t("What is {cell}?"), &[named]))
        })
    };
    let last = move || scene.quiz.with(|quiz| quiz.as_ref().and_then(|quiz| quiz.said.clone()));
    let said = move || {
        if !is_number.get() {
            return Some((Icon::Cross, "say wrong", pieces(&say::sentence(t("Type a whole number, such as 2."), &[]))));
        }
        last().map(|said| match said.verdict {
            Verdict::Right => (Icon::Check, "say right", pieces(&verdict(scene, &said))),
            Verdict::Better(_) | Verdict::TooGood | Verdict::Other | Verdict::Told => {
                (Icon::Cross, "say wrong", pieces(&verdict(scene, &said)))
            }
        })
    };
    let said = move || said().map(|(sign, class, said)| view! { <p class=class>{icon(sign)} <span>{said}</span></p> });
    // After a wrong guess, shows the sums that were hidden during the question.
    let missed = move || {
        let cell = last().filter(|said| said.missed && is_number.get()).map(|said| said.cell)?;
        let lines = scene.board.with_value(|board| say::lines(board, cell));
        Some(view! { <ul class="sums">{lines.into_iter().map(|line| view! { <Sum line told=true /> }).collect_view()}</ul> })
    };
    let count = move || {
        let (right, asked) = scene.quiz.with(|quiz| quiz.as_ref().map_or((0, 0), |quiz| (quiz.right, quiz.asked)));
        if asked == 0 { String::new() } else { tr!("{right} of {asked} right on the first try", right = right, asked = asked) }
    };
    let over = move || scene.question().is_none();
    let kind = Memo::new(move |_| scene.quiz.with(|quiz| quiz.as_ref().map(|quiz| quiz.kind).unwrap_or_default()));
    let choices = Memo::new(move |_| scene.choices());
    let choices = move || {
        choices.get().map(|question| {
            let says = scene.board.with_value(|board| parts(&question.says, &board.watched));
            let answer = Callback::new(move |reply| scene.choose(&reply));
            view! {
                <p class="cellname">{told::sentence(says)}</p>
                <ask::Choices question answer />
            }
        })
    };
    let link = Signal::derive(|| web_sys::window().and_then(|window| window.location().href().ok()).unwrap_or_default());
    let kinds =
        Kind::ALL.map(|one| view! { <option value=one.name() selected=move || kind.get() == one>{words::kind(one.asked())}</option> });
    view! {
        <section class="stack quiz" aria-label=t("Predict")>
            <div class="row which">
                <label for="ask-for">{t("Ask for")}</label>
                <span class="select">
                    <select id="ask-for" on:change:target=move |event| scene.ask_for(Kind::parse(&event.target().value()).unwrap_or_default())>
                        {kinds.collect_view()}
                    </select>
                    {icon(Icon::Chevron)}
                </span>
            </div>
            <div role="status">
                {said}
                <p class="score">{count}</p>
            </div>
            {missed}
            {choices}
            <form class="row" on:submit=send hidden=move || over() || kind.get() != Kind::Value>
                <label class="cellname" for=FIELD>{question}</label>
                <input class="text number" id=FIELD inputmode="numeric" autocomplete="off" />
                <button class="btn main" type="submit">{t("Check")}</button>
            </form>
            <p class="cellname" hidden=move || !over()>{t("All cells are filled.")}</p>
            <div class="row" hidden=move || scene.quiz.with(|quiz| quiz.as_ref().is_none_or(|quiz| quiz.asked == 0))>
                <CopyButton text=link label=t("Copy the link to hand in") />
                <a class="go" href=CLASS_SCORES>{t("Class scores")}</a>
            </div>
        </section>
    }
}

/// Returns the kind of the current questions.
fn kind_now(scene: Scene) -> Kind {
    scene.quiz.with(|quiz| quiz.as_ref().map(|quiz| quiz.kind).unwrap_or_default())
}

/// Returns a sentence that says whether the last guess was right, or why not.
fn verdict(scene: Scene, said: &Said) -> Vec<Piece> {
    let board = scene.board.get_value();
    let Said { cell, guess, verdict, .. } = said;
    let text = |text: String| Piece::Text(text);
    let guess = match guess {
        Guess::Value(value) => value.to_string(),
        Guess::Cells(cells) => ask::said(&Reply::Cells(cells.clone())),
    };
    let mut values = vec![("cell", say::named(&board, *cell, Some(board.matrix.value(*cell)))), ("guess", text(guess))];
    let template = match verdict {
        Verdict::Right => t("Right: {cell}."),
        Verdict::Other => t("Not {guess}. Try again."),
        Verdict::Told => t("Not {guess}: {cell}. Its sums are:"),
        Verdict::TooGood => t("Not {guess}: no input gives it. Try again."),
        Verdict::Better(sum) => {
            values.extend([("from", say::named(&board, sum.from, Some(sum.value))), ("total", text(sum.total.to_string()))]);
            match sum.input {
                Input::Corner => t("Not {guess}: the diagonal gives something better, as {from}. Try again."),
                Input::Above => t("Not {guess}: the cell above gives something better, as {from}. Try again."),
                Input::Left => t("Not {guess}: the cell on the left gives something better, as {from}. Try again."),
            }
        }
    };
    say::sentence(template, &values)
}
