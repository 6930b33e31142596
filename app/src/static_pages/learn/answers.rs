//! The answers to the questions of a lesson: the choices of a station and the verdict ([`answers`]), and the score of the
//! lesson ([`score`]).

use leptos::prelude::*;

use super::{LearnTexts, LessonStation};
use crate::tr::fill;
use crate::view::widgets::prose::prose;

/// The answers to a question so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum QuestionAttempts {
    /// No answer yet.
    Nothing,
    /// The first answer (the value) is right.
    Right(u64),
    /// The first answer (the value) is wrong, and there is no second answer yet.
    Wrong(u64),
    /// The first answer (the first value) is wrong. The second value is the second answer.
    Twice(u64, u64),
}

impl QuestionAttempts {
    /// Creates the answers to a question from its first and its second answer. `right` is the right answer.
    pub(super) fn new(first: Option<u64>, second: Option<u64>, right: u64) -> Self {
        match (first, second) {
            (None, _) => Self::Nothing,
            (Some(first), _) if first == right => Self::Right(first),
            (Some(first), None) => Self::Wrong(first),
            (Some(first), Some(second)) => Self::Twice(first, second),
        }
    }

    /// Lists the answers that are given.
    fn answers(self) -> Vec<u64> {
        match self {
            Self::Nothing => Vec::new(),
            Self::Right(answer) | Self::Wrong(answer) => vec![answer],
            Self::Twice(first, second) => vec![first, second],
        }
    }

    /// Returns the latest answer, which is selected in the form.
    fn marked(self) -> Option<u64> {
        match self {
            Self::Nothing => None,
            Self::Right(answer) | Self::Wrong(answer) | Self::Twice(_, answer) => Some(answer),
        }
    }
}

/// The question of a station, with the answers to it so far.
pub(super) struct StationQuestion<'q> {
    pub(super) texts: &'static LessonStation,
    /// Number of the station, from 0.
    pub(super) at: usize,
    pub(super) tried: QuestionAttempts,
    pub(super) right: u64,
    pub(super) choices: &'q [u64],
    /// Names and values of the placeholders in the texts.
    pub(super) values: &'q [(&'static str, String)],
    /// Returns the text of an answer.
    pub(super) label: &'q dyn Fn(u64) -> String,
}

/// Renders the choices of `question`, and the verdict on the answers. `told` are the texts that all lessons share.
pub(super) fn answers(told: &'static LearnTexts, question: StationQuestion) -> impl IntoView + use<> {
    let StationQuestion { texts, at, tried, right, choices, values, label } = question;
    let (said, then) = match tried {
        QuestionAttempts::Nothing => ("", ""),
        QuestionAttempts::Right(_) => (told.right, texts.why),
        QuestionAttempts::Wrong(_) => (told.again, texts.hint),
        QuestionAttempts::Twice(_, answer) => (if answer == right { told.second } else { told.wrong }, texts.why),
    };
    let class = match tried {
        QuestionAttempts::Right(_) => "say verdict right",
        QuestionAttempts::Twice(_, answer) if answer == right => "say verdict second",
        QuestionAttempts::Nothing | QuestionAttempts::Wrong(_) | QuestionAttempts::Twice(..) => "say verdict",
    };
    let said = fill(said, &[("answer", label(right))]);
    let then = fill(then, values);
    let verdict = (tried != QuestionAttempts::Nothing).then(|| view! { <p class=class>{said} " " {prose(&then)}</p> });
    // Answers given before stay in the form and cannot be changed.
    let (first, second) = (format!("q{}", at + 1), format!("r{}", at + 1));
    let kept = tried.answers().into_iter().zip([first.clone(), second.clone()]);
    let kept: Vec<_> = kept.map(|(value, name)| view! { <input type="hidden" name=name value=value /> }).collect();
    let choices: Vec<_> = choices
        .iter()
        .map(|choice| {
            let is_marked = tried.marked() == Some(*choice);
            let name = match tried {
                QuestionAttempts::Nothing => Some(first.clone()),
                QuestionAttempts::Wrong(_) if !is_marked => Some(second.clone()),
                QuestionAttempts::Right(_) | QuestionAttempts::Wrong(_) | QuestionAttempts::Twice(..) => None,
            };
            let is_settled = name.is_none();
            view! {
                <label class="check choice">
                    <input type="radio" name=name value=*choice checked=is_marked disabled=is_settled />
                    <span>{label(*choice)}</span>
                </label>
            }
        })
        .collect();
    view! {
        <fieldset>
            <legend>{prose(&fill(texts.asks, values))}</legend>
            <div class="row">{kept} {choices}</div>
        </fieldset>
        {verdict}
    }
}

/// Renders the number of right first answers to `all` questions, and the link `mine`, which a student hands in.
pub(super) fn score(told: &'static LearnTexts, right: usize, all: usize, mine: String) -> impl IntoView {
    let score = fill(told.score, &[("right", right.to_string()), ("all", all.to_string())]);
    view! {
        <p class="say score" role="status">{score}</p>
        <p class="note">{told.counted}</p>
        <p class="hand">{told.hand_in} " " <a href=mine.clone()>{mine.clone()}</a></p>
    }
}

/// Renders the message after *Check* without an answer.
pub(super) fn unanswered(told: &'static LearnTexts) -> impl IntoView {
    let said = fill(told.unanswered, &[("check", told.check.to_owned())]);
    view! { <p class="say" role="alert">{prose(&said)}</p> }
}
