//! The question about the next step of a lens ([`Ask`]). The visitor chooses a reply, and a verdict says whether the
//! reply is right.

use explain::lens::question::{LensQuestion, QuestionKind, QuestionReply};
use leptos::prelude::*;

use super::scene::{LensScene, ReplyReason};
use super::step_texts::sentence;
use crate::model::lens::lens_keys;
use crate::model::lens::quiz::{AnsweredStep, SEEDS};
use crate::model::lens::sentence_parts::{self, parts, plain};
use crate::model::text::humanize::{grouped, signed};
use crate::model::visit::CLASS_SCORES;
use crate::tr;
use crate::tr::t;
use crate::view::widgets::copy_button::CopyButton;
use crate::view::widgets::icon::{Icon, icon};

/// Renders the switch between watching the steps and predicting them in a quiz.
#[component]
pub fn Predict() -> impl IntoView {
    let scene = expect_context::<LensScene>();
    view! {
        <label class="check predict">
            <input type="checkbox" prop:checked=move || scene.quiz_state.with(Option::is_some) on:change:target=move |event| scene.set_quiz(event.target().checked()) />
            <span>{t("Predict the next step")}</span>
        </label>
    }
}

/// Formats a reply to a question for display.
pub fn reply_text(reply: &QuestionReply) -> String {
    match reply {
        QuestionReply::Number(number) => grouped(*number),
        QuestionReply::Signed(number) => signed(*number),
        QuestionReply::Cells(cells) => cells.iter().map(|(i, j)| format!("[{i}, {j}]")).collect::<Vec<_>>().join(", "),
        QuestionReply::Key(key) => lens_keys::label(key).to_owned(),
    }
}

/// Renders the question about the next step, the verdict on the last reply, and the score.
#[component]
pub fn Ask() -> impl IntoView {
    let scene = expect_context::<LensScene>();
    let asks = Memo::new(move |_| scene.quiz_state.with(Option::is_some));
    move || asks.get().then(|| view! { <Questions /> })
}

#[component]
fn Questions() -> impl IntoView {
    let scene = expect_context::<LensScene>();
    let question = move || {
        let question = scene.question.get();
        match question {
            Some(question) => {
                let says = scene.watched.with_value(|watched| parts(&question.prompt, watched));
                let answer = Callback::new(move |reply| scene.answer(reply));
                view! {
                    <p class="cellname">{sentence(says)}</p>
                    <Choices question answer />
                }
                .into_any()
            }
            None => view! { <p class="cellname">{t("Nothing is asked at this step.")}</p> }.into_any(),
        }
    };
    let last = move || scene.quiz_state.with(|asks| asks.as_ref().and_then(|asks| asks.last.clone()));
    let verdict = move || {
        last().map(|(reply, is_right)| {
            let answer = reply_text(&reply);
            let (sign, class) = if is_right { (Icon::Check, "say right") } else { (Icon::Cross, "say wrong") };
            let says = if is_right { tr!("Right: {answer}.", answer = answer) } else { tr!("Not {answer}. Try again.", answer = answer) };
            view! { <p class=class>{icon(sign)} <span>{says}</span></p> }
        })
    };
    view! {
        <section class="stack quiz" aria-label=t("Predict")>
            <Which />
            <div role="status">
                {verdict}
                {move || scene.why().map(|why| view! { <Because why /> })}
            </div>
            {question}
            <Score />
        </section>
    }
}

/// Renders the choice which kind of questions the quiz asks.
#[component]
fn Which() -> impl IntoView {
    let scene = expect_context::<LensScene>();
    let kind = move || scene.quiz_state.with(|asks| asks.as_ref().and_then(|asks| asks.quiz.kind));
    let options = scene.kinds().into_iter().map(|one| {
        view! { <option value=one.name() selected=move || kind() == Some(one)>{lens_keys::kind(one)}</option> }
    });
    let options = options.collect::<Vec<_>>();
    view! {
        <div class="row which">
            <label for="ask-for">{t("Ask for")}</label>
            <span class="select">
                <select id="ask-for" on:change:target=move |event| {
                    let kind = QuestionKind::parse(&event.target().value());
                    scene.ask_for(|quiz| quiz.kind = kind);
                }>
                    <option value="on" selected=move || kind().is_none()>{t("everything in turn")}</option>
                    {options}
                </select>
                {icon(Icon::Chevron)}
            </span>
            <button class="btn" type="button" on:click=move |_| scene.ask_for(|quiz| quiz.seed = (quiz.seed + 1) % SEEDS)>
                {t("Other questions")}
            </button>
        </div>
    }
}

/// Renders `why`, the reason why a reply is right: the sums, a sentence, or the description of the next step.
#[component]
fn Because(why: ReplyReason) -> impl IntoView {
    let scene = expect_context::<LensScene>();
    let sums = why.sums.into_iter().map(|sum| {
        let (i, j) = sum.from;
        view! {
            <li class:win=sum.mark.is_some()>
                <span aria-hidden="true"></span>
                <span class="eqn">
                    {sentence_parts::sum(&sum)} " = " <span class="res">{signed(sum.total())}</span>
                </span>
                <span class="why">{lens_keys::label(sum.key)} {format!(" [{i}, {j}]")}</span>
            </li>
        }
    });
    let sums = sums.collect::<Vec<_>>();
    let says: Vec<_> = scene.watched.with_value(|watched| why.says.iter().map(|said| parts(said, watched)).collect());
    let says = says.into_iter().map(|says| view! { <p class="why">{sentence(says)}</p> }).collect::<Vec<_>>();
    view! {
        {(!sums.is_empty()).then(|| view! { <ul class="sums">{sums}</ul> })}
        {says}
    }
}

/// Renders the score (the number of right first replies out of all first replies), and the link to hand in, which
/// contains all replies.
#[component]
fn Score() -> impl IntoView {
    let scene = expect_context::<LensScene>();
    let answered = Memo::new(move |_| scene.answered());
    let score = move || {
        answered.with(|answered| {
            let right = answered.iter().filter(|one| one.is_right).count();
            tr!("{right} of {asked} right on the first try", right = right, asked = answered.len())
        })
    };
    let entries = move || {
        let entry = |one: AnsweredStep| {
            let says = scene.watched.with_value(|watched| plain(&one.question.prompt, watched));
            let sign = if one.is_right { Icon::Check } else { Icon::Cross };
            let answer = if one.is_right {
                tr!("Right: {answer}.", answer = reply_text(&one.reply))
            } else {
                tr!("Not {answer}: {right}.", answer = reply_text(&one.reply), right = reply_text(&one.question.expected))
            };
            view! { <li value=one.step + 1>{says} " " <b>{icon(sign)} {answer}</b></li> }
        };
        answered.get().into_iter().map(entry).collect_view()
    };
    let link = Signal::derive(|| web_sys::window().and_then(|window| window.location().href().ok()).unwrap_or_default());
    let is_any = Memo::new(move |_| answered.with(|answered| !answered.is_empty()));
    move || {
        is_any.get().then(|| {
            view! {
                <details class="replies">
                    <summary class="score">{score}</summary>
                    <ol>{entries}</ol>
                </details>
                <div class="row">
                    <CopyButton text=link label=t("Copy the link to hand in") />
                    <a class="go" href=CLASS_SCORES>{t("Class scores")}</a>
                    <button class="btn" type="button" on:click=move |_| scene.begin()>
                        {t("Forget the answers")}
                    </button>
                </div>
            }
        })
    }
}

/// Renders the replies to choose from for `question`, and calls `answer` with the chosen reply. If several cells are
/// right, the visitor must select all of them.
#[component]
pub fn Choices(question: LensQuestion, answer: Callback<QuestionReply>) -> impl IntoView {
    let several = matches!(&question.expected, QuestionReply::Cells(cells) if cells.len() > 1);
    let picked = RwSignal::new(Vec::<(usize, usize)>::new());
    let entries = question.choices.into_iter().map(|reply| {
        let name = reply_text(&reply);
        let cell = if let QuestionReply::Cells(cells) = &reply { cells.first().copied() } else { None };
        let is_picked = move || cell.is_some_and(|cell| picked.with(|picked| picked.contains(&cell)));
        let press = move |_| match (several, cell) {
            (true, Some(cell)) => picked.update(|picked| {
                if picked.contains(&cell) { picked.retain(|other| *other != cell) } else { picked.push(cell) }
            }),
            _ => answer.run(reply.clone()),
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
                on:click=move |_| answer.run(QuestionReply::Cells(picked.get_untracked()))
            >
                {t("Check")}
            </button>
        }
    });
    view! { <div class="row answers">{entries.collect_view()} {check}</div> }
}
