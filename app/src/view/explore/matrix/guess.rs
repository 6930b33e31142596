//! The quiz of the matrix ([`Guess`]). The visitor types the value of the next cell, or selects the neighbours that
//! give the value, or the next cell itself. A verdict says whether the reply is right, or why not.

use explain::lens::question::QuestionReply;
use explain::matrix::CellInput;
use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlInputElement;

use super::pieces;
use super::scene::MatrixScene;
use super::sums::Sum;
use crate::model::lens::lens_keys;
use crate::model::lens::sentence_parts::parts;
use crate::model::matrix::cell_sentences::{self, CellSentencePart};
use crate::model::matrix::quiz::{CellGuess, GuessFeedback, GuessVerdict, MatrixQuestionKind};
use crate::model::points::PointsNumber;
use crate::model::text::humanize::cell_value;
use crate::model::visit::CLASS_SCORES;
use crate::tr;
use crate::tr::t;
use crate::view::explore::lens_view::{question, step_texts};
use crate::view::widgets::copy_button::CopyButton;
use crate::view::widgets::icon::{Icon, icon};

/// Element id of the field in which the visitor types the value.
const FIELD: &str = "guess";

/// Gives the focus to the field in which the visitor types the value.
pub(super) fn focus() {
    if let Some(field) = field() {
        let _ = field.focus();
    }
}

fn field() -> Option<HtmlInputElement> {
    document().get_element_by_id(FIELD)?.dyn_into().ok()
}

/// Renders the switch between reading the matrix and predicting its cells in a quiz.
#[component]
pub fn Predict() -> impl IntoView {
    let scene = expect_context::<MatrixScene>();
    view! {
        <label class="check predict">
            <input type="checkbox" prop:checked=move || scene.quiz.with(Option::is_some) on:change:target=move |event| scene.set_quiz(event.target().checked()) />
            <span>{t("Hide values and let me predict")}</span>
        </label>
    }
}

/// Renders the question, the verdict on the last reply, and the score.
#[component]
pub fn Guess() -> impl IntoView {
    let scene = expect_context::<MatrixScene>();
    let asks = Memo::new(move |_| scene.quiz.with(Option::is_some));
    // Gives the focus to the field when the quiz begins.
    Effect::new(move |_| {
        if asks.get() && kind_now(scene) == MatrixQuestionKind::Value {
            request_animation_frame(focus);
        }
    });
    move || asks.get().then(|| view! { <Question /> })
}

#[component]
fn Question() -> impl IntoView {
    let scene = expect_context::<MatrixScene>();
    let is_number = RwSignal::new(true);
    let send = move |event: ev::SubmitEvent| {
        event.prevent_default();
        let Some(field) = field() else { return };
        let has_decimals = scene.board.with_value(|board| board.matrix.scoring().is_some_and(|scoring| scoring.scale > 1));
        let guess = PointsNumber::parse(&field.value(), tr::language().marks()).filter(|guess| has_decimals || guess.is_whole());
        is_number.set(guess.is_some());
        if let Some(guess) = guess {
            scene.guess(guess);
        }
        field.set_value("");
        focus();
    };
    let question = move || {
        scene.question().filter(|_| kind_now(scene) == MatrixQuestionKind::Value).map(|cell| {
            let named = ("cell", scene.board.with_value(|board| cell_sentences::cell_name(board, cell, None)));
            pieces(&cell_sentences::sentence(t("What is {cell}?"), &[named]))
        })
    };
    let last = move || scene.quiz.with(|quiz| quiz.as_ref().and_then(|quiz| quiz.feedback.clone()));
    let said = move || {
        if !is_number.get() {
            return Some((Icon::Cross, "say wrong", pieces(&cell_sentences::sentence(t("Type a number, such as 2."), &[]))));
        }
        last().map(|said| match said.verdict {
            GuessVerdict::Right => (Icon::Check, "say right", pieces(&verdict(scene, &said))),
            GuessVerdict::Better(_) | GuessVerdict::TooGood | GuessVerdict::Other | GuessVerdict::Told => {
                (Icon::Cross, "say wrong", pieces(&verdict(scene, &said)))
            }
        })
    };
    let said = move || said().map(|(sign, class, said)| view! { <p class=class>{icon(sign)} <span>{said}</span></p> });
    // After a wrong guess, shows the sums that were hidden during the question.
    let missed = move || {
        let cell = last().filter(|said| said.missed && is_number.get()).map(|said| said.cell)?;
        let lines = scene.board.with_value(|board| cell_sentences::lines(board, cell));
        Some(view! { <ul class="sums">{lines.into_iter().map(|line| view! { <Sum line told=true /> }).collect_view()}</ul> })
    };
    let count = move || {
        let (right, asked) = scene.quiz.with(|quiz| quiz.as_ref().map_or((0, 0), |quiz| (quiz.right, quiz.finished_questions)));
        if asked == 0 { String::new() } else { tr!("{right} of {asked} right on the first try", right = right, asked = asked) }
    };
    let over = move || scene.question().is_none();
    let kind = Memo::new(move |_| scene.quiz.with(|quiz| quiz.as_ref().map(|quiz| quiz.kind).unwrap_or_default()));
    let choices = Memo::new(move |_| scene.choices());
    let choices = move || {
        choices.get().map(|question| {
            let says = scene.board.with_value(|board| parts(&question.prompt, &board.watched));
            let answer = Callback::new(move |reply| scene.choose(&reply));
            view! {
                <p class="cellname">{step_texts::sentence(says)}</p>
                <question::Choices question answer />
            }
        })
    };
    let link = Signal::derive(|| web_sys::window().and_then(|window| window.location().href().ok()).unwrap_or_default());
    let kinds = scene.board.with_value(|board| board.question_kinds()).iter().map(|&one| {
        view! { <option value=one.name() selected=move || kind.get() == one>{lens_keys::kind(one.to_question_kind())}</option> }
    });
    view! {
        <section class="stack quiz" aria-label=t("Predict")>
            <div class="row which">
                <label for="ask-for">{t("Ask for")}</label>
                <span class="select">
                    <select id="ask-for" on:change:target=move |event| scene.ask_for(MatrixQuestionKind::parse(&event.target().value()).unwrap_or_default())>
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
            <form class="row" on:submit=send hidden=move || over() || kind.get() != MatrixQuestionKind::Value>
                <label class="cellname" for=FIELD>{question}</label>
                <input class="text number" id=FIELD inputmode="numeric" autocomplete="off" />
                <button class="btn main" type="submit">{t("Check")}</button>
            </form>
            <p class="cellname" hidden=move || !over()>{t("All cells are filled.")}</p>
            <div class="row" hidden=move || scene.quiz.with(|quiz| quiz.as_ref().is_none_or(|quiz| quiz.finished_questions == 0))>
                <CopyButton text=link label=t("Copy the link to hand in") />
                <a class="go" href=CLASS_SCORES>{t("Class scores")}</a>
            </div>
        </section>
    }
}

/// Returns the kind of questions that the quiz asks now.
fn kind_now(scene: MatrixScene) -> MatrixQuestionKind {
    scene.quiz.with(|quiz| quiz.as_ref().map(|quiz| quiz.kind).unwrap_or_default())
}

/// Returns a sentence about the last reply, whose outcome is `said`: it says whether the reply was right, or why not.
fn verdict(scene: MatrixScene, said: &GuessFeedback) -> Vec<CellSentencePart> {
    let board = scene.board.get_value();
    let GuessFeedback { cell, guess, verdict, .. } = said;
    let text = |text: String| CellSentencePart::Text(text);
    let guess = match guess {
        CellGuess::Value(value) => cell_value(*value),
        CellGuess::Cells(cells) => question::reply_text(&QuestionReply::Cells(cells.clone())),
    };
    let mut values = vec![("cell", cell_sentences::cell_name(&board, *cell, Some(board.matrix.value(*cell)))), ("guess", text(guess))];
    let template = match verdict {
        GuessVerdict::Right => t("Right: {cell}."),
        GuessVerdict::Other => t("Not {guess}. Try again."),
        GuessVerdict::Told => t("Not {guess}: {cell}. Its sums are:"),
        GuessVerdict::TooGood => t("Not {guess}: no input gives it. Try again."),
        GuessVerdict::Better(sum) => {
            values.extend([
                ("from", cell_sentences::cell_name(&board, sum.origin(), Some(sum.value))),
                ("total", text(sum.total.to_string())),
            ]);
            match sum.input {
                CellInput::Corner => t("Not {guess}: the diagonal gives something better, as {from}. Try again."),
                CellInput::Above => t("Not {guess}: the cell above gives something better, as {from}. Try again."),
                CellInput::Left => t("Not {guess}: the cell on the left gives something better, as {from}. Try again."),
                CellInput::TwoBack => t("Not {guess}: the cell two back gives something better, as {from}. Try again."),
            }
        }
    };
    cell_sentences::sentence(template, &values)
}
