//! The score of a link that a student handed in, computed from the answers in the link: [`HandInScore`].

use explain::lens::open;
use explain::lens::question::QuestionKind;
use explain::lens::settings::LensSettings;
use explain::matrix::document::MatrixSymbols;
use explain::matrix::{MAX_GRID_SYMBOLS, MatrixNode};
use kernels::job::{JobOptions, Task};
use kernels::text::Pair;

use super::links::HandInRefusal;
use crate::model::form::{FormSide, FormState};
use crate::model::lens::methods::{MethodChoice, methods};
use crate::model::lens::quiz::LensQuiz;
use crate::model::lens::sentence_parts::plain;
use crate::model::lens::{LensInput, lens_keys, parse_lens};
use crate::model::link::link_view::LinkView;
use crate::model::matrix::{BoardView, MatrixBoard, quiz as cells};
use crate::model::text::humanize::grouped;
use crate::static_pages::learn::Lesson;
use crate::tr;
use crate::tr::t;

/// Maximum size of a text about which questions are asked, in bytes. The limit allows symbols with many combining
/// marks.
const MAX_BYTES: usize = 16 * MAX_GRID_SYMBOLS;

/// The answers of a student to the questions of an exercise, each marked as right or wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandInScore {
    /// Title of the exercise: the texts, the method and the kind of questions.
    pub exercise: String,
    /// The answers, in the order of the questions.
    pub answers: Vec<ScoredAnswer>,
}

/// A question and whether it was answered correctly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScoredAnswer {
    /// The question: the name of a cell, or a sentence with the number of its step.
    pub question: String,
    /// Whether the first answer was right.
    pub is_right: bool,
}

impl HandInScore {
    /// Returns the number of questions that were answered correctly.
    pub fn right(&self) -> usize {
        self.answers.iter().filter(|answer| answer.is_right).count()
    }

    /// Scores a lesson, the page of five questions. A question without an answer is regarded as answered wrongly.
    pub fn of_lesson(lesson: &Lesson) -> Self {
        let is_right = lesson.is_right();
        let answer = |(at, is_right): (usize, bool)| ScoredAnswer { question: tr!("question {n}", n = at + 1), is_right };
        let exercise = match lesson.given.texts() {
            Some(texts) => tr!("{a}, {b} · five questions", a = texts.a, b = texts.b),
            None => tr!("Learn: five questions, set {n}", n = lesson.seed + 1),
        };
        Self { exercise, answers: is_right.into_iter().enumerate().map(answer).collect() }
    }

    /// Scores the answers in `look`, a view of the texts in `form`.
    ///
    /// # Errors
    /// Returns a refusal if the texts are too long for questions, or if the view has no answers.
    pub fn of_form(form: &FormState, look: &LinkView) -> Result<Self, HandInRefusal> {
        let [a, b] = FormSide::BOTH.map(|which| form.side(which).text().unwrap_or_default().as_bytes().to_vec());
        if a.len().max(b.len()) > MAX_BYTES {
            return Err(HandInRefusal::TooLong);
        }
        let options = form.job_options();
        let pair = Pair::parse(a, b, &options.reading()).map_err(|_| HandInRefusal::Damaged)?;
        Self::of_pair(form.task, &options, &pair, look)
    }

    /// Scores the answers in `look`, a view of a stored result of `task` with the texts `pair` and its
    /// `options`.
    ///
    /// # Errors
    /// Returns a refusal under the same conditions as [`Self::of_form`].
    pub fn of_pair(task: Task, options: &JobOptions, pair: &Pair, look: &LinkView) -> Result<Self, HandInRefusal> {
        if pair.a.len().max(pair.b.len()) > MAX_GRID_SYMBOLS {
            return Err(HandInRefusal::TooLong);
        }
        let (sheet, _) = MatrixSymbols::from_pair(task, options, pair).map_err(|_| HandInRefusal::TooLong)?;
        let board = MatrixBoard::new(sheet).map_err(|_| HandInRefusal::TooLong)?;
        let scored = match look.detail("lens").and_then(|name| parse_lens(name, task, options.costs, &options.scoring())) {
            Some(_) => of_lens(&board.watched, look),
            None => of_matrix(&board, look),
        };
        let MethodAnswers { method, kind, answers } = scored?;
        if answers.is_empty() {
            return Err(HandInRefusal::NoAnswers);
        }
        let text = |symbols: &[String]| symbols.concat();
        let (a, b) = (text(&board.watched.a), text(&board.watched.b));
        let exercise = match kind {
            Some(kind) => tr!("{a}, {b} · {method} · {kind}", a = a, b = b, method = method, kind = lens_keys::kind(kind)),
            None => tr!("{a}, {b} · {method}", a = a, b = b, method = method),
        };
        Ok(Self { exercise, answers })
    }
}

/// A student's answers to the questions about a method, which is an order of filling the matrix or a lens.
struct MethodAnswers {
    method: String,
    kind: Option<QuestionKind>,
    answers: Vec<ScoredAnswer>,
}

fn of_lens(watched: &LensInput, look: &LinkView) -> Result<MethodAnswers, HandInRefusal> {
    let (task, name) = watched.task.zip(look.detail("lens")).ok_or(HandInRefusal::NoAnswers)?;
    let name = parse_lens(name, task, watched.texts.costs, &watched.texts.scoring).ok_or(HandInRefusal::NoAnswers)?;
    let settings = LensSettings::parse(name, look.detail("with").unwrap_or_default()).unwrap_or_else(|_| LensSettings::defaults(name));
    let lens = open(name, task, &watched.texts, &settings).map_err(|_| HandInRefusal::TooLong)?;
    let quiz = LensQuiz::read(look.detail("ask"), look.detail("seed"), look.detail("answers")).ok_or(HandInRefusal::NoAnswers)?;
    let answers = quiz.answered(&*lens).into_iter().map(|answered| ScoredAnswer {
        question: tr!("{n}. {question}", n = grouped(answered.step as u64 + 1), question = plain(&answered.question.prompt, watched)),
        is_right: answered.is_right,
    });
    Ok(MethodAnswers { method: lens_keys::name(name).to_owned(), kind: quiz.kind, answers: answers.collect() })
}

fn of_matrix(board: &MatrixBoard, look: &LinkView) -> Result<MethodAnswers, HandInRefusal> {
    let parts = BoardView::NAMES.into_iter().filter_map(|name| Some((name, look.detail(name)?)));
    let chosen = BoardView::read(parts).fitted(board);
    let (kind, answers) = chosen.question_kind.zip(chosen.answers).ok_or(HandInRefusal::NoAnswers)?;
    let steps = board.steps(chosen.order);
    let quiz = cells::MatrixQuiz::read(kind, &answers, board, &steps, 0);
    let answers = quiz.answered(board, &steps).into_iter();
    let named = |node: MatrixNode| {
        let letter = if board.matrix.scoring().is_some() { board.letter(node.layer) } else { "D" };
        format!("{letter}[{}, {}]", node.cell.i, node.cell.j)
    };
    let answers = answers.map(|(node, is_right)| ScoredAnswer { question: named(node), is_right }).collect();
    let method = methods(&board.matrix, &board.watched).into_iter().find(|method| method.choice == MethodChoice::Order(chosen.order));
    // The usual name of a band would reveal the answer.
    let method = method.map_or_else(|| t("Matrix").to_owned(), |method| method.hidden.map_or(method.name, |(name, _)| name.to_owned()));
    Ok(MethodAnswers { method, kind: Some(kind.to_question_kind()), answers })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::link::fragment;
    use crate::static_pages::hand_ins::links::{LinkTarget, PastedLinks};

    fn score(address: &str) -> Result<HandInScore, HandInRefusal> {
        match PastedLinks::read(address).links.remove(0).target {
            LinkTarget::Texts { form, link_view: look } => HandInScore::of_form(&form, &look),
            LinkTarget::Lesson(lesson) => Ok(HandInScore::of_lesson(&lesson)),
            other => panic!("{other:?}"),
        }
    }

    fn wrong(score: &HandInScore) -> Vec<&str> {
        score.answers.iter().filter(|answer| !answer.is_right).map(|answer| &*answer.question).collect()
    }

    /// Both cells of the matrix of `ab` and `b` are 1, which is letter `B`; `C` is 2.
    #[test]
    fn cells_of_a_matrix_are_scored_by_their_values() {
        let of = |answers: &str| score(&format!("http://x/#a=ab&b=b&view=matrix&ask=on&answers={answers}")).unwrap();
        assert_eq!(of("BB").exercise, "ab, b · Row by row · a value");
        for (answers, right, expected) in
            [("BB", 2, vec![]), ("CB", 1, vec!["D[1, 1]"]), ("BC", 1, vec!["D[2, 1]"]), ("C", 0, vec!["D[1, 1]"])]
        {
            let score = of(answers);
            assert_eq!((score.right(), score.answers.len(), wrong(&score)), (right, answers.len(), expected), "{answers}");
        }
    }

    #[test]
    fn questions_of_a_lens_have_the_score_of_the_lens() {
        let (form, name) = (fragment::read(Task::EditDistance, "a=SUNDAY&b=SATURDAY").unwrap().form.unwrap(), "two-rows");
        let pair = Pair::parse(&b"SUNDAY"[..], &b"SATURDAY"[..], &form.job_options().reading()).unwrap();
        let watched =
            MatrixBoard::new(MatrixSymbols::from_pair(Task::EditDistance, &JobOptions::DEFAULT, &pair).unwrap().0).unwrap().watched;
        let name = parse_lens(name, Task::EditDistance, JobOptions::DEFAULT.costs, &JobOptions::DEFAULT.scoring()).unwrap();
        let lens = open(name, Task::EditDistance, &watched.texts, &LensSettings::defaults(name)).unwrap();
        let mut quiz = LensQuiz::read(Some("on"), Some("77"), None).unwrap();
        let mut rights = Vec::new();
        for step in 0..4 {
            let Some(question) = quiz.question(&*lens, step) else { continue };
            let reply =
                if step == 2 { (1..64).find_map(|set| question.reply(set).filter(|reply| !question.is_right(reply))) } else { None };
            rights.push(reply.is_none());
            quiz.take(step, &question, &reply.unwrap_or_else(|| question.expected.clone()));
        }
        let [ask, seed, answers] = quiz.write().map(Option::unwrap);
        let address = format!("http://x/#a=SUNDAY&b=SATURDAY&view=matrix&lens=two-rows&ask={ask}&seed={seed}&answers={answers}");
        let score = score(&address).unwrap();
        assert_eq!(score.answers.iter().map(|answer| answer.is_right).collect::<Vec<_>>(), rights);
        assert!(score.exercise.starts_with("SUNDAY, SATURDAY · "), "{}", score.exercise);
        assert_eq!(wrong(&score).len(), 1);
    }

    #[test]
    fn unanswered_questions_of_a_lesson_count_as_wrong() {
        let score = score("http://x/learn?seed=7&q1=0").unwrap();
        assert_eq!((score.right(), score.answers.len(), &*score.exercise), (0, 5, "Learn: five questions, set 8"));
    }

    #[test]
    fn long_texts_and_missing_answers_are_refused() {
        let long = format!("http://x/#a={}&b=b&view=matrix&ask=on&answers=B", "a".repeat(MAX_GRID_SYMBOLS + 1));
        assert_eq!(score(&long), Err(HandInRefusal::TooLong));
        assert_eq!(score("http://x/#a=ab&b=b&view=matrix&ask=on&answers=!!"), Err(HandInRefusal::NoAnswers));
        assert_eq!(score("http://x/#a=ab&b=b&view=matrix&ask=tea&answers=BC"), Err(HandInRefusal::NoAnswers));
    }
}
