//! A lesson of five stations: the matrix, its diagonals, words of bits, slices, and why a GPU. Each has a text, a method to be watched in a
//! frame, and one question. The questions follow from a number, the seed, which stands in the address with the answers: a teacher shares
//! one link, and each of a class hands one in. A teacher may give two small texts, which stand in the link too: every method is watched on them
//! and questions follow from them. What is right is worked out again whenever a link is opened, so that no link can say a score
//! that its answers have not. No script runs in the page.
//!
//! - [`questions`](mod@questions): what is asked for a seed; [`texts`]: the texts that a teacher gives
//! - `english`, `german`, `spanish`, `french`, `japanese`, `chinese`: the texts

use leptos::prelude::*;

use self::questions::{Question, STATIONS, questions};
use self::texts::{Given, MOST_A, MOST_B};
use super::{Frame, Reader, document, hand_ins};
use crate::model::link::percent::decode;
use crate::model::text::words::grouped;
use crate::tr::{Language, fill, t};
use crate::view::prose::prose;

mod chinese;
mod english;
mod french;
mod german;
mod japanese;
pub mod questions;
mod spanish;
pub mod texts;

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
    own: &'static str,
    own_note: &'static str,
    own_use: &'static str,
    own_refused: &'static str,
    own_without: &'static str,
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
    /// The texts of a teacher.
    pub given: Given,
    /// What was answered.
    pub answers: [Option<u64>; STATIONS],
}

impl Lesson {
    /// Reads the query of an address. Ignores values that are no numbers, so that a link that was cut off shows the lesson too.
    pub fn read(query: &str) -> Self {
        let parts: Vec<(&str, String)> =
            query.split('&').filter_map(|part| part.split_once('=')).map(|(name, value)| (name, decode(value))).collect();
        let value = |name: &str| parts.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str());
        let number = |name: &str| value(name).and_then(|value| value.trim().parse::<u64>().ok());
        let seed = number("seed").and_then(|seed| u16::try_from(seed).ok()).unwrap_or_default().into();
        let answers = std::array::from_fn(|at| number(&format!("q{}", at + 1)));
        Self { seed, given: Given::read(value("a"), value("b")), answers }
    }

    /// Returns whether each answer is right. An open question is not.
    pub fn is_right(&self) -> [bool; STATIONS] {
        let questions = self.questions();
        std::array::from_fn(|at| self.answers[at] == Some(questions[at].right))
    }

    /// Returns how many answers are right.
    pub fn score(&self) -> usize {
        self.is_right().into_iter().filter(|is_right| *is_right).count()
    }

    /// What it asks.
    fn questions(&self) -> [Question; STATIONS] {
        questions(self.seed, self.given.texts())
    }

    /// Its address, without or with what was answered.
    fn address(&self, with_answers: bool) -> String {
        let mut address = format!("{PATH}?seed={}", self.seed);
        if let Some(texts) = self.given.texts() {
            address.push_str(&format!("&{}", texts.address()));
        }
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
    let asked = lesson.questions();
    let stations: Vec<_> = asked.iter().enumerate().map(|(at, question)| station(told, at, question, lesson.answers[at])).collect();
    let answered = lesson.answers.iter().flatten().count();
    let score = fill(told.score, &[("right", lesson.score().to_string()), ("all", STATIONS.to_string())]);
    let (class, mine) = (format!("{origin}{}", lesson.address(false)), format!("{origin}{}", lesson.address(true)));
    let other = Lesson { seed: lesson.seed.wrapping_add(1) % 10_000, given: lesson.given.clone(), ..Lesson::default() };
    let result = (answered > 0).then(|| {
        view! {
            <p class="say score" role="status">{score}</p>
            <p class="hand">{told.hand_in} " " <a href=mine.clone()>{mine.clone()}</a></p>
        }
    });
    let kept = lesson.given.texts().cloned().map(|texts| {
        view! {
            <input type="hidden" name="a" value=texts.a />
            <input type="hidden" name="b" value=texts.b />
        }
    });
    view! {
        {own(told, lesson)}
        <form class="lesson" method="get" action=PATH>
            <input type="hidden" name="seed" value=lesson.seed />
            {kept}
            {stations}
            <div class="section">
                <button class="btn main" type="submit">{told.check}</button>
                {result}
                <p class="hand">{told.share} " " <a href=class.clone()>{class.clone()}</a></p>
                <p class="hand"><a href=other.address(false)>{told.others}</a></p>
                <p class="hand"><a href=hand_ins::PATH>{t("Class scores")}</a></p>
            </div>
        </form>
    }
}

/// The form for texts of one's own.
fn own(told: &'static Told, lesson: &Lesson) -> impl IntoView + use<> {
    let (a, b) = lesson.given.texts().map_or_else(Default::default, |texts| (texts.a.clone(), texts.b.clone()));
    let limits = [("a", MOST_A.to_string()), ("b", MOST_B.to_string())];
    let refused =
        (lesson.given == Given::Refused).then(|| view! { <p class="say" role="alert">{prose(&fill(told.own_refused, &limits))}</p> });
    let without = Lesson { seed: lesson.seed, ..Lesson::default() };
    let without = lesson.given.texts().map(|_| view! { <a href=without.address(false)>{told.own_without}</a> });
    view! {
        <details class="own" open={lesson.given != Given::Nothing}>
            <summary>{told.own}</summary>
            <p class="note">{prose(&fill(told.own_note, &limits))}</p>
            {refused}
            <form class="row" method="get" action=PATH>
                <input type="hidden" name="seed" value=lesson.seed />
                <label for="own-a"><var>"a"</var></label>
                <input class="text" id="own-a" name="a" value=a maxlength=MOST_A required=true autocomplete="off" spellcheck="false" />
                <label for="own-b"><var>"b"</var></label>
                <input class="text" id="own-b" name="b" value=b maxlength=MOST_B required=true autocomplete="off" spellcheck="false" />
                <button class="btn" type="submit">{told.own_use}</button>
                {without}
            </form>
        </details>
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
    fn address_of_a_lesson_is_read_again() {
        let lesson = Lesson { seed: 7, given: Given::read(Some("a&b"), Some("c d")), answers: [Some(3), None, Some(0), None, None] };
        let address = lesson.address(true);
        assert_eq!(Lesson::read(address.split_once('?').unwrap().1), lesson);
        assert_eq!(Lesson::read("seed=70000&q1=x&q2=&q9=1&tea"), Lesson::default());
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
            let asked = questions(seed, None);
            let mut lesson = Lesson { seed, answers: std::array::from_fn(|at| Some(asked[at].right)), ..Lesson::default() };
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

    #[test]
    fn texts_of_a_teacher_stand_in_every_link_of_the_lesson() {
        for language in Language::ALL {
            let given = Given::read(Some("a<b"), Some("x & \"y\""));
            let lesson = Lesson { seed: 7, given, answers: [Some(9), None, None, None, None] };
            let html = html(language, lesson.clone());
            // Of the form, the class, oneself, other questions, and of a method that is watched in each of five frames and in full.
            assert!(html.matches("a=a%3Cb&amp;b=x+%26+%22y%22").count() >= 3 + 10, "{html}");
            assert!(!html.contains("a<b") && html.contains("name=\"a\" value=\"a&lt;b\""), "{html}");
            assert!(html.contains("seed=8&amp;a=a%3Cb") && html.contains("&amp;q1=9"), "{html}");
            assert!(!html.contains("<script") && !html.contains("role=\"alert\""));
        }
    }

    #[test]
    fn texts_that_are_none_are_refused_and_the_lesson_has_its_own() {
        let refused = html(Language::English, Lesson { given: Given::Refused, seed: 7, ..Lesson::default() });
        assert!(refused.contains("role=\"alert\"") && refused.contains("<details open class=\"own\""), "{refused}");
        assert!(refused.contains("http://x/learn?seed=7\""));
    }
}
