//! What is asked of a method, and what was answered, as a link carries it: the kind of questions, a seed that chooses among them, and the first
//! answer at each step as a letter. What is right is worked out again whenever a link is opened, so that no link can say a score that
//! its answers have not.

use explain::lens::Lens;
use explain::lens::question::{Asked, Question, Reply, asked};

/// Names of its parts in an address.
pub const NAMES: [&str; 3] = ["ask", "seed", "answers"];

/// Steps whose answers are kept, at most: a link stays short.
pub const MOST_STEPS: usize = 180;

/// Seeds are below this.
pub const SEEDS: u32 = 10_000;

/// A set of at most six choices as a letter.
const LETTERS: &[u8; 64] = b".ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";

/// Sets, or other numbers below 64, as a part of a link.
pub fn letters(sets: &[u8]) -> String {
    sets.iter().map(|set| char::from(LETTERS[usize::from(*set) % LETTERS.len()])).collect()
}

/// The sets of a part of a link; `None` where it is none, or too long.
pub fn sets(text: &str) -> Option<Vec<u8>> {
    let set = |letter: u8| LETTERS.iter().position(|one| *one == letter).map(|set| set as u8);
    Some(text).filter(|text| text.len() <= MOST_STEPS)?.bytes().map(set).collect()
}

/// Questions and answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Quiz {
    /// Questions of this kind alone; of every kind in turn where there is none.
    pub kind: Option<Asked>,
    /// What chooses among them; 0 for none.
    pub seed: u32,
    /// The set of choices that was answered first after so many steps; 0 for none.
    answers: Vec<u8>,
}

/// What was answered at a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// The step.
    pub step: usize,
    /// The question.
    pub question: Question,
    /// The first answer.
    pub reply: Reply,
    /// Whether it is right.
    pub is_right: bool,
}

impl Quiz {
    /// Reads the parts of an address; nothing where it does not ask. What is none is passed over.
    pub fn read(ask: Option<&str>, seed: Option<&str>, answers: Option<&str>) -> Option<Self> {
        let kind = ask.filter(|ask| *ask == "on").map(|_| None).or_else(|| ask.and_then(Asked::parse).map(Some))?;
        let seed = seed.and_then(|seed| seed.parse().ok()).filter(|seed| *seed < SEEDS).unwrap_or_default();
        let answers: Option<Vec<u8>> = answers.and_then(sets);
        Some(Self { kind, seed, answers: answers.unwrap_or_default() })
    }

    /// The parts of an address, by [`NAMES`].
    pub fn write(&self) -> [Option<String>; 3] {
        let answers = letters(&self.answers);
        let ask = self.kind.map_or("on", Asked::name);
        [Some(ask.to_owned()), (self.seed > 0).then(|| self.seed.to_string()), Some(answers).filter(|answers| !answers.is_empty())]
    }

    /// The question after so many steps.
    pub fn question(&self, lens: &dyn Lens, step: usize) -> Option<Question> {
        asked(lens, step, self.seed, self.kind)
    }

    /// Keeps an answer, if it is the first one at its step.
    pub fn take(&mut self, step: usize, question: &Question, reply: &Reply) {
        let Some(set) = question.picked(reply).filter(|_| step < MOST_STEPS) else { return };
        if self.answers.len() <= step {
            self.answers.resize(step + 1, 0);
        }
        if self.answers[step] == 0 {
            self.answers[step] = set;
        }
    }

    /// Forgets what was answered.
    pub fn begin(&mut self) {
        self.answers.clear();
    }

    /// What was answered, step by step.
    pub fn answered(&self, lens: &dyn Lens) -> Vec<Answered> {
        let of = |(step, set): (usize, &u8)| {
            let question = self.question(lens, step).filter(|_| *set > 0)?;
            let reply = question.reply(*set)?;
            Some(Answered { step, is_right: question.is_right(&reply), question, reply })
        };
        self.answers.iter().enumerate().filter_map(of).collect()
    }
}

#[cfg(test)]
mod tests {
    use explain::lens::settings::Settings;
    use explain::lens::{Name, Texts, open};
    use kernels::job::Task;

    use super::*;

    fn lens() -> Box<dyn Lens> {
        open(Name::TwoRows, Task::EditDistance, &Texts::of("SUNDAY", "SATURDAY"), &Settings::usual(Name::TwoRows)).unwrap()
    }

    #[test]
    fn answers_come_back_from_their_link_with_their_score() {
        let lens = lens();
        for (kind, seed) in [(None, 0), (None, 77), (Some(Asked::Inputs), 77), (Some(Asked::Value), 9_999)] {
            let mut quiz = Quiz { kind, seed, ..Quiz::default() };
            for step in [0, 1, 4] {
                let question = quiz.question(&*lens, step).unwrap();
                // The second one is wrong, and its second try does not count.
                let wrong = (1..64).filter_map(|set| question.reply(set)).find(|reply| !question.is_right(reply)).unwrap();
                if step == 1 {
                    quiz.take(step, &question, &wrong);
                }
                quiz.take(step, &question, &question.expected);
            }
            let [ask, written, answers] = quiz.write();
            assert!(answers.as_ref().is_some_and(|answers| answers.len() == 5 && answers[2..4] == *".."), "{answers:?}");
            let read = Quiz::read(ask.as_deref(), written.as_deref(), answers.as_deref()).unwrap();
            assert_eq!(read, quiz);
            let answered = read.answered(&*lens);
            assert_eq!(answered.iter().map(|one| (one.step, one.is_right)).collect::<Vec<_>>(), [(0, true), (1, false), (4, true)]);
        }
    }

    #[test]
    fn what_is_no_answer_is_passed_over() {
        let lens = lens();
        assert_eq!(Quiz::read(None, Some("7"), Some("A")), None);
        assert_eq!(Quiz::read(Some("off"), None, None), None);
        assert_eq!(Quiz::read(Some("on"), Some("10000"), Some("A!")), Some(Quiz::default()));
        assert_eq!(Quiz::read(Some("on"), Some("-1"), Some(&"A".repeat(181))), Some(Quiz::default()));
        assert_eq!(Quiz::read(Some("on"), None, None).map(|quiz| quiz.write()), Some([Some("on".into()), None, None]));
        // Sets that are none of the question, and steps that there are not.
        let quiz = Quiz::read(Some("value"), None, Some("__________________")).unwrap();
        assert_eq!(quiz.answered(&*lens), []);
        // A link is never longer than the address keeps.
        let mut long = Quiz { kind: Some(Asked::Value), ..Quiz::default() };
        let question = long.question(&*lens, 0).unwrap();
        (0..500).for_each(|step| long.take(step, &question, &question.expected));
        assert_eq!(long.write()[2].as_ref().map(String::len), Some(MOST_STEPS));
        long.begin();
        assert_eq!(long.write()[2], None);
    }
}
