//! Questions of the lenses of Shift-And and Shift-Add, about the next symbol of the text. They ask for a bit or
//! counter, the values that move in and out, and the numbers of words and bits.

use super::super::Lens;
use super::super::frame::{LensSentence, SentenceValue};
use super::super::question::{LensQuestion, QuestionKind, QuestionTurn};
use super::ShiftLens;

impl ShiftLens {
    pub(super) fn build_questions(&self, step: usize, turn: QuestionTurn) -> Vec<LensQuestion> {
        if step >= self.len() {
            return Vec::new();
        }
        let (next, m, number) = (&self.d[step + 1], self.m, SentenceValue::number);
        let j = turn.place(m);
        let (b, i) = (("b", SentenceValue::b(step)), ("i", number(step + 1)));
        let values = [b, i, ("a", SentenceValue::A(0..j + 1))];
        let leaves = step + 1 >= m;
        let value = match self.is_and() {
            true => {
                let key = if next[j] == 1 { "reply.one" } else { "reply.zero" };
                LensQuestion::key(QuestionKind::Value, LensSentence::new("question.bit", values.clone()), key, &["reply.zero", "reply.one"])
            }
            false if leaves => {
                let says = LensSentence::new("question.score", [("k", number(step + 2 - m))]);
                LensQuestion::number(QuestionKind::Value, says, next[m - 1].into(), &[u64::from(self.d[step][m - 1]), m as u64])
            }
            false => LensQuestion::number(
                QuestionKind::Value,
                LensSentence::new("question.field", values.clone()),
                next[j].into(),
                &[self.d[step][j].into()],
            ),
        };
        // The new value combines the value that moves in and the bit of the mask.
        let entering = if j == 0 { u32::from(self.is_and()) } else { self.d[step][j - 1] };
        let mask = u32::from(self.equal[step][j]);
        let of_word = [("entering", SentenceValue::Number(entering.into())), ("mask", SentenceValue::Number(mask.into()))];
        let why = LensSentence::new(if self.is_and() { "why.bit" } else { "why.field" }, of_word);
        let value = if value.prompt.key == "question.score" { value } else { value.with_reason(why) };
        let mut all = vec![value];
        if j > 0 {
            let says = LensSentence::new("question.moves-in", [("a", SentenceValue::A(0..j + 1)), ("m", number(m))]);
            all.push(LensQuestion::number(QuestionKind::Inputs, says, j as u64, &[j as u64 + 1, j as u64 - 1, m as u64]));
        }
        let says = LensSentence::new(
            if leaves { "question.leaves-next" } else { "question.first-leaves" },
            [("m", number(m)), ("i", number(step + 1))],
        );
        let (right, others) = if leaves { (step + 1 - m, [step, step + 1]) } else { (m, [m + 1, self.n]) };
        all.push(LensQuestion::number(QuestionKind::Next, says, right as u64, &others.map(|other| other as u64)));
        if self.is_and() {
            let says = LensSentence::new("question.words", [("m", number(m)), ("w", number(self.word))]);
            all.push(LensQuestion::number(
                QuestionKind::TimeUnits,
                says,
                m.div_ceil(self.word) as u64,
                &[m as u64, (m / self.word) as u64],
            ));
        } else {
            let says = LensSentence::new("question.bits-of-field", [("m", number(m))]);
            let why = LensSentence::new("why.bits-of-field", [("m", number(m)), ("bits", number(self.field))]);
            all.push(
                LensQuestion::number(QuestionKind::TimeUnits, says, (m * self.field) as u64, &[m as u64, self.field as u64])
                    .with_reason(why),
            );
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use kernels::job::Task;

    use super::super::super::LensName;
    use super::super::super::question::QuestionReply;
    use super::super::super::tests::{cases, questions, said};
    use super::*;

    #[test]
    fn expected_answers_agree_with_the_definition() {
        for case in cases(16, 60) {
            let m = case.a.len();
            for (name, task) in [(LensName::ShiftAnd, Task::ExactSearch), (LensName::ShiftAdd, Task::MatchCount)] {
                let lens = case.open(name, task, "");
                for (step, question) in (0..lens.len()).flat_map(|step| questions(&*lens, step).into_iter().map(move |one| (step, one))) {
                    let of = |key| match question.prompt.values.iter().find(|(name, _)| *name == key) {
                        Some((_, SentenceValue::A(range))) => range.len(),
                        other => panic!("{other:?}"),
                    };
                    // Number of equal symbols between the first `len` of the pattern and the last `len` that were read.
                    let equal = |len: usize| {
                        let missing = len.saturating_sub(step + 1);
                        (missing..len).filter(|j| case.a[*j] == case.b[step + 1 + j - len]).count()
                    };
                    let expected = match question.prompt.key {
                        "question.score" => {
                            let at = said(&question.prompt, "k") - 1;
                            case.a.iter().zip(&case.b[at..]).filter(|(a, b)| a == b).count()
                        }
                        "question.bit" => {
                            let bit = if equal(of("a")) == of("a") { "reply.one" } else { "reply.zero" };
                            assert_eq!(question.expected, QuestionReply::Key(bit));
                            continue;
                        }
                        "question.field" => equal(of("a")),
                        "question.moves-in" => of("a") - 1,
                        "question.leaves-next" => step + 1 - m,
                        "question.first-leaves" => m,
                        "question.words" => m.div_ceil(said(&question.prompt, "w")),
                        // Each of the m fields has as many bits as the number m.
                        "question.bits-of-field" => m * (usize::BITS - m.leading_zeros()) as usize,
                        other => panic!("{other}"),
                    };
                    assert_eq!(question.expected, QuestionReply::Number(expected as u64), "{:?}", question.prompt);
                }
            }
        }
    }
}
