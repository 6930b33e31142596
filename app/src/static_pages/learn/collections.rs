//! A lesson about collections: from one distance to a tree of a class's sentences, in three questions.
//!
//! The questions follow from a seed in the address, which also contains the answers, as in the lesson of five stations. The
//! distances are those of the page `/collections`, and the right answers are recomputed for each request. No script runs in
//! the page.
//!
//! - [`sentences`]: the sentences of a seed, their distances and the questions
//! - `english`, `german`, `spanish`, `french`, `japanese`, `chinese`: the texts of the page

use leptos::prelude::*;

use self::sentences::{ClassSentences, TREE_STATIONS, TreeQuestion};
use super::answers::{QuestionAttempts, StationQuestion, answers, score, unanswered};
use super::{CHECK, LearnTexts, LessonStation, PATH as LEARN, page_texts as lesson_texts};
use crate::static_pages::{StaticPageFrame, StaticPageRequest, document};
use crate::tr::{Language, fill, language};
use crate::view::widgets::prose::prose;

mod chinese;
mod english;
mod french;
mod german;
mod japanese;
pub mod sentences;
mod spanish;

/// Path of the page.
pub const PATH: &str = "/learn/collections";

/// The texts of the page in one language. In them `*m*` is a name in italics, and `{m}` is replaced by a value of the
/// question.
pub(super) struct TreeTexts {
    pub(super) title: &'static str,
    about: &'static str,
    stations: [LessonStation; TREE_STATIONS],
    /// The name of a pair of two sentences, {a} and {b}.
    pair: &'static str,
    /// The caption of the table of distances.
    table: &'static str,
    open: &'static str,
    back: &'static str,
}

pub(super) fn page_texts(language: Language) -> &'static TreeTexts {
    told_in!(language)
}

/// A lesson with a student's answers, as the query of an address encodes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TreeLesson {
    seed: u32,
    answers: [Option<u64>; TREE_STATIONS],
    retries: [Option<u64>; TREE_STATIONS],
    is_checked: bool,
}

impl TreeLesson {
    /// Parses the query of an address. Ignores values that are not numbers, so that a truncated link shows a lesson too.
    pub fn read(query: &str) -> Self {
        let value = |name: &str| query.split('&').filter_map(|part| part.split_once('=')).find(|(known, _)| *known == name);
        let number = |name: &str| value(name).and_then(|(_, value)| value.trim().parse::<u64>().ok());
        Self {
            seed: number("seed").and_then(|seed| u16::try_from(seed).ok()).unwrap_or_default().into(),
            answers: std::array::from_fn(|at| number(&format!("q{}", at + 1))),
            retries: std::array::from_fn(|at| number(&format!("r{}", at + 1))),
            is_checked: value(CHECK).is_some(),
        }
    }

    /// Returns the address of the lesson. If `with_answers` is set, the address contains the first answers.
    fn address(&self, with_answers: bool) -> String {
        let answers = self.answers.iter().enumerate().filter(|_| with_answers);
        let parts = answers.filter_map(|(at, answer)| Some(format!("&q{}={}", at + 1, (*answer)?)));
        format!("{PATH}?seed={}{}", self.seed, parts.collect::<String>())
    }

    /// Returns the number of questions whose first answer is right.
    fn score(&self, questions: &[TreeQuestion; TREE_STATIONS]) -> usize {
        questions.iter().zip(&self.answers).filter(|(question, answer)| **answer == Some(question.right)).count()
    }
}

/// Returns the HTML of the page of `lesson`. Links to hand in begin with the origin of the request `reader`.
pub fn page(reader: StaticPageRequest, lesson: TreeLesson) -> String {
    let told = page_texts(reader.language);
    let title = || page_texts(language()).title;
    let frame = StaticPageFrame { reader, title, about: told.about, languages_of: Some(PATH), styles: &["lens.css"] };
    let origin = frame.reader.origin.clone();
    document(frame, move || text(told, &lesson, &origin).into_any())
}

fn text(told: &'static TreeTexts, lesson: &TreeLesson, origin: &str) -> impl IntoView + use<> {
    let common = lesson_texts(language());
    let class = ClassSentences::of_seed(lesson.seed);
    let questions = class.questions();
    let answered = lesson.answers.iter().flatten().count();
    let tried = |at: usize, right: u64| QuestionAttempts::new(lesson.answers[at], lesson.retries[at], right);
    let stations: Vec<_> = questions
        .iter()
        .enumerate()
        .map(|(at, question)| station((told, common), at, question, tried(at, question.right), table(told, &class, at)))
        .collect();
    let (of_class, mine) = (format!("{origin}{}", lesson.address(false)), format!("{origin}{}", lesson.address(true)));
    let other = TreeLesson { seed: lesson.seed.wrapping_add(1) % 10_000, ..TreeLesson::default() }.address(false);
    let result = (answered > 0).then(|| score(common, lesson.score(&questions), TREE_STATIONS, mine));
    let unanswered = (lesson.is_checked && answered == 0).then(|| unanswered(common));
    view! {
        {unanswered}
        <form class="lesson" method="get" action=PATH>
            <input type="hidden" name="seed" value=lesson.seed />
            {stations}
            <div class="section">
                <button class="btn main" type="submit" name=CHECK value="1">{common.check}</button>
                {result}
                <p class="hand">{common.share} " " <a href=of_class.clone()>{of_class.clone()}</a></p>
                <p class="hand"><a href=other>{common.others}</a></p>
                <p class="hand"><a href=LEARN>{told.back}</a></p>
            </div>
        </form>
    }
}

/// Renders what a station shows: the sentences at the first one, and the table of their distances at the others. The second
/// one marks the joined pair.
fn table(told: &'static TreeTexts, class: &ClassSentences, station: usize) -> AnyView {
    let letter = |sentence: usize| char::from(b'A' + sentence as u8).to_string();
    if station == 0 {
        let rows = class.sentences().iter().map(|sentence| view! { <li>{*sentence}</li> }).collect::<Vec<_>>();
        return view! { <ol class="sentences">{rows}</ol> }.into_any();
    }
    let count = class.sentences().len();
    let head = (0..count).map(|column| view! { <th scope="col" class="r">{letter(column)}</th> }).collect::<Vec<_>>();
    let joined = class.nearest();
    let rows: Vec<_> = (0..count)
        .map(|row| {
            let cells: Vec<_> = (0..count)
                .map(|column| {
                    let says = if row == column { "–".to_owned() } else { class.distance(row, column).to_string() };
                    let is_joined = (row.min(column), row.max(column)) == joined;
                    if is_joined {
                        view! { <td class="r"><mark>{says}</mark></td> }.into_any()
                    } else {
                        view! { <td class="r">{says}</td> }.into_any()
                    }
                })
                .collect();
            view! { <tr><th scope="row">{letter(row)}</th> {cells}</tr> }
        })
        .collect();
    view! {
        <div class="scroll">
            <table class="figures">
                <caption>{told.table}</caption>
                <thead><tr><td></td> {head}</tr></thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}

fn station(
    (told, common): (&'static TreeTexts, &'static LearnTexts),
    at: usize,
    question: &TreeQuestion,
    tried: QuestionAttempts,
    shown: AnyView,
) -> impl IntoView + use<> {
    let texts = &told.stations[at];
    let label = |answer: u64| match question.pair_of(answer) {
        Some((a, b)) => fill(told.pair, &[("a", a.to_string()), ("b", b.to_string())]),
        None => answer.to_string(),
    };
    let mut values = question.values.clone();
    values.push(("answer", label(question.right)));
    let TreeQuestion { right, choices, .. } = question;
    let asked = StationQuestion { texts, at, tried, right: *right, choices, values: &values, label: &label };
    view! {
        <section class="section station" id=format!("station-{}", at + 1)>
            <h2>{format!("{}. ", at + 1)} {texts.title}</h2>
            <p class="say">{prose(&fill(texts.text, &values))}</p>
            {shown}
            <p class="hand"><a href=question.address.clone()>{told.open}</a></p>
            {answers(common, asked)}
        </section>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn html(language: Language, query: &str) -> String {
        let reader = StaticPageRequest { pkg: "/pkg/0".into(), language, origin: "http://x".into(), ..StaticPageRequest::default() };
        page(reader, TreeLesson::read(query))
    }

    #[test]
    fn every_language_has_the_same_questions() {
        for language in Language::ALL {
            let html = html(language, "seed=7");
            assert_eq!(html.matches("<fieldset").count(), TREE_STATIONS);
            assert_eq!(html.matches("/collections#unit=words").count(), TREE_STATIONS, "{html}");
            assert!(!html.contains('{') && !html.contains("*<") && !html.contains("<script"), "{language:?}: {html}");
            assert!(html.contains("http://x/learn/collections?seed=7\"") && !html.contains("role=\"status\""), "{html}");
        }
    }

    #[test]
    fn score_counts_first_answers_and_the_link_has_no_second_ones() {
        for seed in 0..20 {
            let questions = ClassSentences::of_seed(seed).questions();
            let wrong = questions[1].choices.iter().find(|choice| **choice != questions[1].right).unwrap();
            let query = format!("seed={seed}&q1={}&q2={wrong}&r2={}&check=1", questions[0].right, questions[1].right);
            let html = html(Language::English, &query);
            assert!(html.contains("1 of 3 right."), "{html}");
            assert_eq!((html.matches("verdict right").count(), html.matches("verdict second").count()), (1, 1));
            assert!(html.contains(&format!("?seed={seed}&amp;q1={}&amp;q2={wrong}\"", questions[0].right)) && !html.contains("&amp;r2="));
        }
    }

    #[test]
    fn wrong_answer_gets_a_hint_and_check_without_an_answer_is_reported() {
        let questions = ClassSentences::of_seed(7).questions();
        let wrong = questions[0].choices.iter().find(|choice| **choice != questions[0].right).unwrap();
        for language in Language::ALL {
            let first = html(language, &format!("seed=7&q1={wrong}"));
            assert!(first.contains(lesson_texts(language).again) && first.contains("name=\"r1\""), "{language:?}");
            assert!(html(language, "seed=7&check=1").contains("role=\"alert\""), "{language:?}");
        }
        assert_eq!(TreeLesson::read("seed=70000&q1=x&q9=1&tea"), TreeLesson::default());
    }
}
