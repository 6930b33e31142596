//! A lesson of five stations: the matrix, its diagonals, bit vectors, slices, and the reason for a GPU. Each has a
//! text, a method to watch in a frame, and one question.
//!
//! The questions follow from a seed in the address, which also contains the answers. A teacher shares one link, and
//! each student hands one in. After a wrong answer there is a hint and a second try, but the score is the number of
//! right first answers. A teacher may give two small texts, which the link contains too. Every method then runs on
//! these texts, and questions follow from them. The right answers are recomputed whenever a link is opened, so that a
//! link cannot claim a false score. No script runs in the page.
//!
//! - [`questions`](mod@questions): the questions of a seed; [`texts`]: the texts that a teacher gives
//! - [`mod@answers`]: the choices of a question, and the verdict
//! - [`costs`]: another lesson, two words under five cost models
//! - [`collections`]: another lesson, from one distance to a tree of sentences
//! - `english`, `german`, `spanish`, `french`, `japanese`, `chinese`: the texts of the page

use leptos::prelude::*;

use self::answers::{QuestionAttempts, StationQuestion, answers, score, unanswered};
use self::questions::{LessonQuestion, STATIONS, questions};
use self::texts::{MAX_A_SYMBOLS, MAX_B_SYMBOLS, TeacherTexts};
use super::{StaticPageFrame, StaticPageRequest, document};
use crate::model::link::percent::decode;
use crate::model::text::humanize::grouped;
use crate::model::visit::CLASS_SCORES;
use crate::tr::{Language, fill, language, t};
use crate::view::widgets::prose::prose;

mod answers;
mod chinese;
pub mod collections;
pub mod costs;
mod english;
mod french;
mod german;
mod japanese;
pub mod questions;
mod spanish;
pub mod texts;

/// Path of the page.
pub const PATH: &str = "/learn";

/// Name of the button *Check* in the query of the address. The query contains it after the button was pressed.
const CHECK: &str = "check";

/// The texts of the page in one language. In them `*m*` is a name in italics, and `{m}` is replaced by a value of the
/// question.
struct LearnTexts {
    about: &'static str,
    stations: [LessonStation; STATIONS],
    watch: &'static str,
    check: &'static str,
    /// Message after *Check* at a question without an answer.
    unanswered: &'static str,
    right: &'static str,
    /// Message after a wrong first answer, before the hint.
    again: &'static str,
    second: &'static str,
    wrong: &'static str,
    open: &'static str,
    score: &'static str,
    counted: &'static str,
    hand_in: &'static str,
    share: &'static str,
    others: &'static str,
    own: &'static str,
    own_note: &'static str,
    own_use: &'static str,
    own_refused: &'static str,
    own_without: &'static str,
}

/// The texts of a station (a section of the lesson) in one language.
struct LessonStation {
    title: &'static str,
    text: &'static str,
    asks: &'static str,
    /// A hint at the way to the answer that does not contain the numbers of the answer.
    hint: &'static str,
    /// The reason why the right answer is right.
    why: &'static str,
}

fn page_texts(language: Language) -> &'static LearnTexts {
    told_in!(language)
}

/// A lesson with a student's answers, as the query of an address encodes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lesson {
    pub seed: u32,
    /// The texts of a teacher, if the address has any.
    pub given: TeacherTexts,
    /// The first answer to each question; the score depends only on these.
    pub answers: [Option<u64>; STATIONS],
    /// The second answer to each question whose first answer was wrong.
    pub retries: [Option<u64>; STATIONS],
    /// Whether the button *Check* was pressed.
    pub is_checked: bool,
}

impl Lesson {
    /// Parses the query of an address. Ignores values that are not numbers, so that a truncated link shows a lesson
    /// too.
    pub fn read(query: &str) -> Self {
        let parts: Vec<(&str, String)> =
            query.split('&').filter_map(|part| part.split_once('=')).map(|(name, value)| (name, decode(value))).collect();
        let value = |name: &str| parts.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str());
        let number = |name: &str| value(name).and_then(|value| value.trim().parse::<u64>().ok());
        let seed = number("seed").and_then(|seed| u16::try_from(seed).ok()).unwrap_or_default().into();
        let answers = std::array::from_fn(|at| number(&format!("q{}", at + 1)));
        let retries = std::array::from_fn(|at| number(&format!("r{}", at + 1)));
        let is_checked = value(CHECK).is_some();
        Self { seed, given: TeacherTexts::read(value("a"), value("b")), answers, retries, is_checked }
    }

    /// Returns the answers to the question of station number `at` (from 0). `right` is the right answer.
    fn tried(&self, at: usize, right: u64) -> QuestionAttempts {
        QuestionAttempts::new(self.answers[at], self.retries[at], right)
    }

    /// Returns, for each question, whether its first answer is right. A question without an answer is regarded as
    /// answered wrongly.
    pub fn is_right(&self) -> [bool; STATIONS] {
        let questions = self.questions();
        std::array::from_fn(|at| self.answers[at] == Some(questions[at].right))
    }

    /// Returns the number of right first answers.
    pub fn score(&self) -> usize {
        self.is_right().into_iter().filter(|is_right| *is_right).count()
    }

    /// Returns the questions of this lesson.
    fn questions(&self) -> [LessonQuestion; STATIONS] {
        questions(self.seed, self.given.texts())
    }

    /// Returns the address of the lesson. If `with_answers` is set, the address contains the first answers, but never
    /// the second ones.
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

/// Returns the HTML of the page of `lesson`. Links to hand in begin with the origin of the request `reader`.
pub fn page(reader: StaticPageRequest, lesson: Lesson) -> String {
    let told = page_texts(reader.language);
    let frame = StaticPageFrame { reader, title: || t("Learn"), about: told.about, languages_of: Some(PATH), styles: &["lens.css"] };
    let origin = frame.reader.origin.clone();
    document(frame, move || text(told, &lesson, &origin).into_any())
}

fn text(told: &'static LearnTexts, lesson: &Lesson, origin: &str) -> impl IntoView + use<> {
    let asked = lesson.questions();
    let stations: Vec<_> =
        asked.iter().enumerate().map(|(at, question)| station(told, at, question, lesson.tried(at, question.right))).collect();
    let answered = lesson.answers.iter().flatten().count();
    let (class, mine) = (format!("{origin}{}", lesson.address(false)), format!("{origin}{}", lesson.address(true)));
    let other = Lesson { seed: lesson.seed.wrapping_add(1) % 10_000, given: lesson.given.clone(), ..Lesson::default() };
    let result = (answered > 0).then(|| score(told, lesson.score(), STATIONS, mine));
    let kept = lesson.given.texts().cloned().map(|texts| {
        view! {
            <input type="hidden" name="a" value=texts.a />
            <input type="hidden" name="b" value=texts.b />
        }
    });
    let unanswered = (lesson.is_checked && answered == 0).then(|| unanswered(told));
    let without = Lesson { seed: lesson.seed, ..Lesson::default() }.address(false);
    let form = OwnTextsForm { note: told.own_note, path: PATH, seed: Some(lesson.seed), given: &lesson.given, without };
    view! {
        {own(told, form)}
        {unanswered}
        <form class="lesson" method="get" action=PATH>
            <input type="hidden" name="seed" value=lesson.seed />
            {kept}
            {stations}
            <div class="section">
                <button class="btn main" type="submit" name=CHECK value="1">{told.check}</button>
                {result}
                <p class="hand">{told.share} " " <a href=class.clone()>{class.clone()}</a></p>
                <p class="hand"><a href=other.address(false)>{told.others}</a></p>
                <p class="hand"><a href=CLASS_SCORES>{t("Class scores")}</a></p>
                <p class="hand"><a href=costs::PATH>{costs::page_texts(language()).title}</a></p>
                <p class="hand"><a href=collections::PATH>{collections::page_texts(language()).title}</a></p>
            </div>
        </form>
    }
}

/// The form in which a teacher enters two texts.
struct OwnTextsForm<'f> {
    /// Note about the texts, with the values {a} and {b}: the maximum numbers of symbols.
    note: &'static str,
    /// Path of the page that the form requests.
    path: &'static str,
    /// Seed that the form sends along.
    seed: Option<u32>,
    given: &'f TeacherTexts,
    /// Address of the page without these texts.
    without: String,
}

/// Renders `form`. `told` are the texts of the page.
fn own(told: &'static LearnTexts, form: OwnTextsForm) -> impl IntoView + use<> {
    let OwnTextsForm { note, path, seed, given, without } = form;
    let (a, b) = given.texts().map_or_else(Default::default, |texts| (texts.a.clone(), texts.b.clone()));
    let limits = [("a", MAX_A_SYMBOLS.to_string()), ("b", MAX_B_SYMBOLS.to_string())];
    let refused =
        (*given == TeacherTexts::Refused).then(|| view! { <p class="say" role="alert">{prose(&fill(told.own_refused, &limits))}</p> });
    let without = given.texts().map(|_| view! { <a href=without>{told.own_without}</a> });
    view! {
        <details class="own" open={*given != TeacherTexts::Nothing}>
            <summary>{told.own}</summary>
            <p class="note">{prose(&fill(note, &limits))}</p>
            {refused}
            <form class="row" method="get" action=path>
                {seed.map(|seed| view! { <input type="hidden" name="seed" value=seed /> })}
                <label for="own-a"><var>"a"</var></label>
                <input class="text" id="own-a" name="a" value=a maxlength=MAX_A_SYMBOLS required=true autocomplete="off" spellcheck="false" />
                <label for="own-b"><var>"b"</var></label>
                <input class="text" id="own-b" name="b" value=b maxlength=MAX_B_SYMBOLS required=true autocomplete="off" spellcheck="false" />
                <button class="btn" type="submit">{told.own_use}</button>
                {without}
            </form>
        </details>
    }
}

fn station(told: &'static LearnTexts, at: usize, question: &LessonQuestion, tried: QuestionAttempts) -> impl IntoView + use<> {
    let texts = &told.stations[at];
    let LessonQuestion { values, right, choices, live } = question;
    let frame = format!("/embed/{}#{}", live.0, live.1);
    let whole = format!("/{}#{}", live.0, live.1);
    let question = StationQuestion { texts, at, tried, right: *right, choices, values, label: &grouped };
    view! {
        <section class="section station" id=format!("station-{}", at + 1)>
            <h2>{format!("{}. ", at + 1)} {texts.title}</h2>
            <p class="say">{prose(texts.text)}</p>
            <details>
                <summary>{told.watch}</summary>
                {leptos::html::iframe().attr("loading", "lazy").attr("src", frame).attr("title", texts.title)}
                <a href=whole>{told.open}</a>
            </details>
            {answers(told, question)}
        </section>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn html(language: Language, lesson: Lesson) -> String {
        page(StaticPageRequest { pkg: "/pkg/0".into(), language, origin: "http://x".into(), ..StaticPageRequest::default() }, lesson)
    }

    #[test]
    fn address_of_a_lesson_is_read_without_loss() {
        let lesson = Lesson {
            seed: 7,
            given: TeacherTexts::read(Some("a&b"), Some("c d")),
            answers: [Some(3), None, Some(0), None, None],
            ..Lesson::default()
        };
        let address = lesson.address(true);
        assert_eq!(Lesson::read(address.split_once('?').unwrap().1), lesson);
        assert_eq!(Lesson::read("seed=70000&q1=x&q2=&q9=1&tea"), Lesson::default());
    }

    #[test]
    fn every_language_has_the_same_questions() {
        for language in Language::ALL {
            let html = html(language, Lesson { seed: 7, ..Lesson::default() });
            assert_eq!(html.matches("<fieldset").count(), STATIONS);
            assert_eq!(html.matches("<iframe").count(), STATIONS);
            assert!(!html.contains('{') && !html.contains("*<") && !html.contains("<script"), "{language:?}: {html}");
            assert!(html.contains("http://x/learn?seed=7\"") && !html.contains("role=\"status\""), "{html}");
        }
    }

    #[test]
    fn check_without_an_answer_is_reported() {
        for language in Language::ALL {
            let said = |query| html(language, Lesson::read(query)).contains("role=\"alert\"");
            assert!(said("seed=7&check=1") && !said("seed=7") && !said("seed=7&check=1&q1=2"), "{language:?}");
        }
    }

    #[test]
    fn score_is_computed_from_the_answers_and_is_in_the_link() {
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
    fn wrong_answer_gets_a_hint_and_a_second_try_before_the_solution() {
        let asked = questions(7, None);
        let wrong = asked.each_ref().map(|question| question.choices.iter().copied().find(|choice| *choice != question.right));
        for language in Language::ALL {
            let told = page_texts(language);
            let lesson = Lesson { seed: 7, answers: wrong, ..Lesson::default() };
            let first = html(language, lesson.clone());
            assert!(!first.contains('{') && !first.contains("*<"), "{language:?}: {first}");
            assert_eq!(first.matches(told.again).count(), STATIONS, "{language:?}");
            for (at, question) in asked.iter().enumerate() {
                assert!(!first.contains(&fill(told.wrong, &[("answer", grouped(question.right))])), "{language:?} {at}");
                assert!(
                    first.contains(&format!("name=\"r{}\"", at + 1)) && first.contains(&format!("type=\"hidden\" name=\"q{}\"", at + 1))
                );
            }
            // The second tries do not change the score, and the link to hand in contains none of them.
            let retries = std::array::from_fn(|at| Some(if at == 0 { asked[0].right } else { wrong[at].unwrap() }));
            let lesson = Lesson { retries, ..lesson };
            assert_eq!(lesson.score(), 0);
            assert!(!lesson.address(true).contains("&r1="));
            let second = html(language, lesson);
            assert_eq!(second.matches("verdict second").count(), 1, "{language:?}");
            assert!(second.contains(&fill(told.wrong, &[("answer", grouped(asked[1].right))])), "{second}");
            assert_eq!(second.matches("type=\"radio\"").count(), second.matches(" disabled").count());
        }
    }

    #[test]
    fn second_try_of_an_open_or_right_answer_is_ignored() {
        let right = questions(7, None)[0].right;
        let read = |query: &str| Lesson::read(query).tried(0, right);
        assert_eq!(read("seed=7&r1=3"), QuestionAttempts::Nothing);
        assert_eq!(read(&format!("seed=7&q1={right}&r1=99")), QuestionAttempts::Right(right));
    }

    #[test]
    fn texts_of_a_teacher_are_in_every_link_of_the_lesson() {
        for language in Language::ALL {
            let given = TeacherTexts::read(Some("a<b"), Some("x & \"y\""));
            let lesson = Lesson { seed: 7, given, answers: [Some(9), None, None, None, None], ..Lesson::default() };
            let html = html(language, lesson.clone());
            // The forms, the links for class, student and other questions, and five frames with a method each plus
            // their full views.
            assert!(html.matches("a=a%3Cb&amp;b=x+%26+%22y%22").count() >= 3 + 10, "{html}");
            assert!(!html.contains("a<b") && html.contains("name=\"a\" value=\"a&lt;b\""), "{html}");
            assert!(html.contains("seed=8&amp;a=a%3Cb") && html.contains("&amp;q1=9"), "{html}");
            assert!(!html.contains("<script") && !html.contains("role=\"alert\""));
        }
    }

    #[test]
    fn invalid_texts_of_a_teacher_are_replaced_by_the_default_texts() {
        let refused = html(Language::English, Lesson { given: TeacherTexts::Refused, seed: 7, ..Lesson::default() });
        assert!(refused.contains("role=\"alert\"") && refused.contains("<details open class=\"own\""), "{refused}");
        assert!(refused.contains("http://x/learn?seed=7\""));
    }
}
