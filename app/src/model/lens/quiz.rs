//! Questions about a lens (a view that shows an algorithm step by step) and the visitor's answers: [`LensQuiz`]. A link
//! stores the kind of questions, a seed that selects them, and the first answer of each step as a letter.
//!
//! The score is computed again whenever a link is opened, so that no link can claim a score that its answers do not
//! have.

use explain::lens::Lens;
use explain::lens::question::{LensQuestion, QuestionKind, QuestionReply, select_question};

/// Names of the kind of questions, the seed and the answers in an address.
pub const NAMES: [&str; 3] = ["ask", "seed", "answers"];

/// Maximum number of steps whose answers are stored, so that links stay short.
pub const MAX_STORED_STEPS: usize = 180;

/// Number of possible seeds. A seed is below this number.
pub const SEEDS: u32 = 10_000;

/// The letters that encode sets of up to six choices. The index of a letter has one bit for each choice.
const LETTERS: &[u8; 64] = b".ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";

/// Encodes sets of choices, or other numbers below 64, as one letter each for a link.
pub fn letters(sets: &[u8]) -> String {
    sets.iter().map(|set| char::from(LETTERS[usize::from(*set) % LETTERS.len()])).collect()
}

/// Decodes the sets of choices in a link, one per letter. Returns `None` if the text is malformed or has more than
/// [`MAX_STORED_STEPS`] letters.
pub fn sets(text: &str) -> Option<Vec<u8>> {
    let set = |letter: u8| LETTERS.iter().position(|one| *one == letter).map(|set| set as u8);
    Some(text).filter(|text| text.len() <= MAX_STORED_STEPS)?.bytes().map(set).collect()
}

/// Questions about a lens, and the visitor's answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LensQuiz {
    /// The only kind of questions, or `None` for all kinds in turn.
    pub kind: Option<QuestionKind>,
    /// Seed that selects the questions, below [`SEEDS`]; 0 is the default.
    pub seed: u32,
    /// For each step, the first answer to the question after it, as a set of choices with one bit each. 0 if there is
    /// no answer.
    answers: Vec<u8>,
}

/// The first answer of the visitor at one step, with its question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnsweredStep {
    pub step: usize,
    pub question: LensQuestion,
    /// The first answer of the visitor.
    pub reply: QuestionReply,
    pub is_right: bool,
}

impl LensQuiz {
    /// Parses the kind of questions (`ask`), the `seed` and the `answers` of an address. Returns `None` if the kind is
    /// missing or malformed. A malformed seed is replaced by 0, and malformed answers are ignored.
    pub fn read(ask: Option<&str>, seed: Option<&str>, answers: Option<&str>) -> Option<Self> {
        let kind = ask.filter(|ask| *ask == "on").map(|_| None).or_else(|| ask.and_then(QuestionKind::parse).map(Some))?;
        let seed = seed.and_then(|seed| seed.parse().ok()).filter(|seed| *seed < SEEDS).unwrap_or_default();
        let answers: Option<Vec<u8>> = answers.and_then(sets);
        Some(Self { kind, seed, answers: answers.unwrap_or_default() })
    }

    /// Returns the kind, the seed and the answers for an address, in the order of [`NAMES`]. The seed 0 and an empty
    /// list of answers are left out (`None`).
    pub fn write(&self) -> [Option<String>; 3] {
        let answers = letters(&self.answers);
        let ask = self.kind.map_or("on", QuestionKind::name);
        [Some(ask.to_owned()), (self.seed > 0).then(|| self.seed.to_string()), Some(answers).filter(|answers| !answers.is_empty())]
    }

    /// Returns the question that is asked after `step` steps of the lens, or `None` if there is none.
    pub fn question(&self, lens: &dyn Lens, step: usize) -> Option<LensQuestion> {
        select_question(lens, step, self.seed, self.kind)
    }

    /// Stores `reply`, the answer to the `question` after `step` steps, if the step has no answer yet. Ignores answers
    /// whose step is not below [`MAX_STORED_STEPS`].
    pub fn take(&mut self, step: usize, question: &LensQuestion, reply: &QuestionReply) {
        let Some(set) = question.picked(reply).filter(|_| step < MAX_STORED_STEPS) else { return };
        if self.answers.len() <= step {
            self.answers.resize(step + 1, 0);
        }
        if self.answers[step] == 0 {
            self.answers[step] = set;
        }
    }

    /// Removes all answers.
    pub fn begin(&mut self) {
        self.answers.clear();
    }

    /// Returns the steps that have an answer, with their questions and answers.
    pub fn answered(&self, lens: &dyn Lens) -> Vec<AnsweredStep> {
        let of = |(step, set): (usize, &u8)| {
            let question = self.question(lens, step).filter(|_| *set > 0)?;
            let reply = question.reply(*set)?;
            Some(AnsweredStep { step, is_right: question.is_right(&reply), question, reply })
        };
        self.answers.iter().enumerate().filter_map(of).collect()
    }
}

#[cfg(test)]
mod tests {
    use explain::lens::settings::LensSettings;
    use explain::lens::{LensName, LensTexts, open};
    use kernels::job::Task;

    use super::*;

    fn lens() -> Box<dyn Lens> {
        open(LensName::TwoRows, Task::EditDistance, &LensTexts::from_strs("SUNDAY", "SATURDAY"), &LensSettings::defaults(LensName::TwoRows))
            .unwrap()
    }

    #[test]
    fn answers_and_score_are_restored_from_a_link() {
        let lens = lens();
        for (kind, seed) in [(None, 0), (None, 77), (Some(QuestionKind::Inputs), 77), (Some(QuestionKind::Value), 9_999)] {
            let mut quiz = LensQuiz { kind, seed, ..LensQuiz::default() };
            for step in [0, 1, 4] {
                let question = quiz.question(&*lens, step).unwrap();
                // The second answer is wrong, and its second try does not count.
                let wrong = (1..64).filter_map(|set| question.reply(set)).find(|reply| !question.is_right(reply)).unwrap();
                if step == 1 {
                    quiz.take(step, &question, &wrong);
                }
                quiz.take(step, &question, &question.expected);
            }
            let [ask, written, answers] = quiz.write();
            assert!(answers.as_ref().is_some_and(|answers| answers.len() == 5 && answers[2..4] == *".."), "{answers:?}");
            let read = LensQuiz::read(ask.as_deref(), written.as_deref(), answers.as_deref()).unwrap();
            assert_eq!(read, quiz);
            let answered = read.answered(&*lens);
            assert_eq!(answered.iter().map(|one| (one.step, one.is_right)).collect::<Vec<_>>(), [(0, true), (1, false), (4, true)]);
        }
    }

    #[test]
    fn invalid_answers_are_ignored() {
        let lens = lens();
        assert_eq!(LensQuiz::read(None, Some("7"), Some("A")), None);
        assert_eq!(LensQuiz::read(Some("off"), None, None), None);
        assert_eq!(LensQuiz::read(Some("on"), Some("10000"), Some("A!")), Some(LensQuiz::default()));
        assert_eq!(LensQuiz::read(Some("on"), Some("-1"), Some(&"A".repeat(181))), Some(LensQuiz::default()));
        assert_eq!(LensQuiz::read(Some("on"), None, None).map(|quiz| quiz.write()), Some([Some("on".into()), None, None]));
        // The link has answers that the question does not offer, and more steps than there are.
        let quiz = LensQuiz::read(Some("value"), None, Some("__________________")).unwrap();
        assert_eq!(quiz.answered(&*lens), []);
        // A link has at most the answers that an address can store.
        let mut long = LensQuiz { kind: Some(QuestionKind::Value), ..LensQuiz::default() };
        let question = long.question(&*lens, 0).unwrap();
        (0..500).for_each(|step| long.take(step, &question, &question.expected));
        assert_eq!(long.write()[2].as_ref().map(String::len), Some(MAX_STORED_STEPS));
        long.begin();
        assert_eq!(long.write()[2], None);
    }
}
