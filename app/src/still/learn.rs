//! A lesson of five stations: the matrix, its diagonals, words of bits, slices, and why a GPU. Each has a text, a method to be watched in a
//! frame, and one question. The questions follow from a number, the seed, which stands in the address with the answers: a teacher shares
//! one link, and each of a class hands one in. What is right is worked out again whenever a link is opened, so that no link can say a score
//! that its answers have not. No script runs in the page.
//!
//! - [`questions`](mod@questions): what is asked for a seed
//! - `english`, `german`, `spanish`, `french`, `japanese`, `chinese`: the texts

use leptos::prelude::*;

use self::questions::{Question, STATIONS, questions};
use super::{Frame, Reader, document};
use crate::tr::{Language, fill, t};
use crate::view::prose::prose;
use crate::words::grouped;

mod chinese;
mod english;
mod french;
mod german;
mod japanese;
pub mod questions;
mod spanish;

/// Address of the page.
pub const PATH: &str = "/learn";

/// What the page says in a language. `*m*` is a name, `{m}` a value of the question.
struct Told {
    about: &'static str,
    stations: [Station; STATIONS],
    watch: &'static str,
    check: &'static str,
    right: &'static str,
    wrong: &'static str,
    open: &'static str,
    score: &'static str,
    hand_in: &'static str,
    share: &'static str,
    others: &'static str,
}

/// What is said at a station.
struct Station {
    title: &'static str,
    text: &'static str,
    asks: &'static str,
    /// Why the answer is what it is.
    why: &'static str,
}

fn told(language: Language) -> &'static Told {
    told_in!(language)
}

/// A lesson as an address says it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lesson {
    /// Which questions.
    pub seed: u32,
    /// What was answered.
    pub answers: [Option<u64>; STATIONS],
}

impl Lesson {
    /// Answers that are right.
    pub fn score(&self) -> usize {
        questions(self.seed).iter().zip(self.answers).filter(|(question, answer)| *answer == Some(question.right)).count()
    }

    /// Its address, without or with what was answered.
    fn address(&self, with_answers: bool) -> String {
        let mut address = format!("{PATH}?seed={}", self.seed);
        for (at, answer) in self.answers.iter().enumerate().filter(|_| with_answers) {
            if let Some(answer) = answer {
                address.push_str(&format!("&q{}={answer}", at + 1));
            }
        }
        address
    }
}

/// The page. `origin` is where the server was asked, for links that are handed on.
pub fn page(reader: Reader, lesson: Lesson) -> String {
    let told = told(reader.language);
    let frame = Frame { reader, title: || t("Learn"), about: told.about, languages_of: Some(PATH), styles: &["lens.css"] };
    let origin = frame.reader.origin.clone();
    document(frame, move || text(told, &lesson, &origin).into_any())
}

fn text(told: &'static Told, lesson: &Lesson, origin: &str) -> impl IntoView + use<> {
    let asked = questions(lesson.seed);
    let stations: Vec<_> = asked.iter().enumerate().map(|(at, question)| station(told, at, question, lesson.answers[at])).collect();
    let answered = lesson.answers.iter().flatten().count();
    let score = fill(told.score, &[("right", lesson.score().to_string()), ("all", STATIONS.to_string())]);
    let (class, mine) = (format!("{origin}{}", lesson.address(false)), format!("{origin}{}", lesson.address(true)));
    let other = Lesson { seed: lesson.seed.wrapping_add(1) % 10_000, ..Lesson::default() };
    let result = (answered > 0).then(|| {
        view! {
            <p class="say score" role="status">{score}</p>
            <p class="hand">{told.hand_in} " " <a href=mine.clone()>{mine.clone()}</a></p>
        }
    });
    view! {
        <form class="lesson" method="get" action=PATH>
            <input type="hidden" name="seed" value=lesson.seed />
            {stations}
            <div class="section">
                <button class="btn main" type="submit">{told.check}</button>
                {result}
                <p class="hand">{told.share} " " <a href=class.clone()>{class.clone()}</a></p>
                <p class="hand"><a href=other.address(false)>{told.others}</a></p>
            </div>
        </form>
    }
}

fn station(told: &'static Told, at: usize, question: &Question, answer: Option<u64>) -> impl IntoView + use<> {
    let Station { title, text, asks, why } = &told.stations[at];
    let values: Vec<(&str, String)> = question.values.iter().map(|(name, value)| (*name, value.clone())).collect();
    let name = format!("q{}", at + 1);
    let frame = format!("/embed/{}#{}", question.live.0, question.live.1);
    let whole = format!("/{}#{}", question.live.0, question.live.1);
    let verdict = answer.map(|answer| {
        let is_right = answer == question.right;
        let why = fill(why, &values);
        let said = if is_right { told.right.to_owned() } else { fill(told.wrong, &[("answer", grouped(question.right))]) };
        view! { <p class="say verdict" class:right=is_right>{said} " " {prose(&why)}</p> }
    });
    let choices: Vec<_> = question
        .choices
        .iter()
        .map(|choice| {
            view! {
                <label class="check">
                    <input type="radio" name=name.clone() value=*choice checked={answer == Some(*choice)} />
                    <span>{grouped(*choice)}</span>
                </label>
            }
        })
        .collect();
    view! {
        <section class="section station" id=format!("station-{}", at + 1)>
            <h2>{format!("{}. ", at + 1)} {*title}</h2>
            <p class="say">{prose(text)}</p>
            <details>
                <summary>{told.watch}</summary>
                {leptos::html::iframe().attr("loading", "lazy").attr("src", frame).attr("title", *title)}
                <a href=whole>{told.open}</a>
            </details>
            <fieldset>
                <legend>{prose(&fill(asks, &values))}</legend>
                <div class="row">{choices}</div>
            </fieldset>
            {verdict}
        </section>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn html(language: Language, lesson: Lesson) -> String {
        page(Reader { pkg: "/pkg/0".into(), language, origin: "http://x".into(), ..Reader::default() }, lesson)
    }

    #[test]
    fn every_language_asks_the_same_questions() {
        for language in Language::ALL {
            let html = html(language, Lesson { seed: 7, ..Lesson::default() });
            assert_eq!(html.matches("<fieldset").count(), STATIONS);
            assert_eq!(html.matches("<iframe").count(), STATIONS);
            assert!(!html.contains('{') && !html.contains("*<") && !html.contains("<script"), "{language:?}: {html}");
            assert!(html.contains("http://x/learn?seed=7\"") && !html.contains("role=\"status\""), "{html}");
        }
    }

    #[test]
    fn a_score_is_worked_out_of_the_answers_and_stands_in_the_link() {
        for seed in 0..50 {
            let asked = questions(seed);
            let mut lesson = Lesson { seed, answers: std::array::from_fn(|at| Some(asked[at].right)) };
            assert_eq!(lesson.score(), STATIONS);
            lesson.answers[2] = asked[2].choices.iter().copied().find(|choice| *choice != asked[2].right);
            lesson.answers[4] = None;
            assert_eq!(lesson.score(), 3);
            let html = html(Language::English, lesson.clone());
            assert!(html.contains("3 of 5"), "{html}");
            assert_eq!(html.matches("verdict right").count(), 3);
            assert!(html.contains(&lesson.address(true).replace('&', "&amp;")), "{html}");
        }
    }
}
