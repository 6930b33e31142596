//! Questions of the lens of bit-parallel algorithms, about a word of a column. They ask for the carry that leaves or
//! enters the word, the last value of the column, the first row of the word, and the number of words.

use super::super::Lens;
use super::super::frame::{LensSentence, SentenceValue};
use super::super::question::{LensQuestion, QuestionKind};
use super::super::sums_of;
use super::BitVectorLens;
use crate::matrix::MatrixCell;

impl BitVectorLens {
    pub(super) fn build_questions(&self, step: usize) -> Vec<LensQuestion> {
        let at = if step < self.len() { self.at(step + 1) } else { None };
        let Some((j, word)) = at else { return Vec::new() };
        let number = SentenceValue::number;
        let carries = |out_of: usize| if self.carry(j, out_of) { "reply.one" } else { "reply.zero" };
        let values = |word: usize| [("word", number(word)), ("j", number(j)), ("b", SentenceValue::b(j - 1))];
        let bits: &[&'static str] = &["reply.zero", "reply.one"];
        let mut all = Vec::new();
        if word + 1 < self.words() {
            all.push(LensQuestion::key(QuestionKind::Value, LensSentence::new("question.carry", values(word)), carries(word), bits));
        } else {
            let says = LensSentence::new("question.value", [("i", number(self.size().0)), ("j", number(j))]);
            let value = LensQuestion::number(QuestionKind::Value, says, self.value(j) as u64, &[self.value(j - 1) as u64]);
            let sums = sums_of(&self.matrix, MatrixCell { i: self.size().0, j });
            all.push(value.with_sums(sums));
        }
        if word > 0 {
            all.push(LensQuestion::key(
                QuestionKind::Inputs,
                LensSentence::new("question.carry-in", values(word)),
                carries(word - 1),
                bits,
            ));
        }
        let rows = self.rows(word);
        let says = LensSentence::new("question.first-row", [("w", number(self.w))]);
        let others = [rows.end as u64 + 1, 1, (word + 1) as u64];
        all.push(LensQuestion::number(QuestionKind::Next, says, rows.start as u64 + 1, &others));
        let says = LensSentence::new("question.words", [("m", number(self.size().0)), ("w", number(self.w))]);
        let (m, w) = (self.size().0 as u64, self.w as u64);
        all.push(LensQuestion::number(QuestionKind::TimeUnits, says, self.words() as u64, &[m, m / w, w]));
        all
    }
}

#[cfg(test)]
mod tests {
    use kernels::job::Task;

    use super::super::super::LensName;
    use super::super::super::question::QuestionReply;
    use super::super::super::settings::LensSettings;
    use super::super::super::tests::{cases, questions, said};
    use super::*;
    use crate::matrix::bits;

    #[test]
    fn expected_answers_agree_with_the_definition() {
        for case in cases(60, 60) {
            for task in [Task::EditDistance, Task::ApproximateSearch, Task::Lcs] {
                let lens = BitVectorLens::new(task, &case.texts(), &LensSettings::defaults(LensName::BitVectors).with("w", "3").unwrap());
                let m = case.a.len();
                for (step, question) in (0..lens.len()).flat_map(|step| questions(&lens, step).into_iter().map(move |one| (step, one))) {
                    let number = |key| said(&question.prompt, key);
                    let words = m.div_ceil(3);
                    match question.prompt.key {
                        "question.value" => {
                            assert_eq!(
                                question.expected,
                                QuestionReply::Number(lens.matrix.value(MatrixCell { i: m, j: number("j") }).count().into())
                            );
                        }
                        "question.words" => assert_eq!(question.expected, QuestionReply::Number(words as u64)),
                        "question.first-row" => assert_eq!(question.expected, QuestionReply::Number((step % words * 3 + 1) as u64)),
                        key => {
                            // The whole column in one number.
                            let j = number("j");
                            let of = |j: usize, name: &str| {
                                bits::column(&lens.matrix, j).into_iter().find(|word| word.name == name).map(|word| word.bits)
                            };
                            let before = of(j - 1, if task == Task::Lcs { "V" } else { "VP" }).unwrap_or((1 << m) - 1);
                            let other = before & of(j, "EQ").unwrap();
                            let border = number("word") + usize::from(key == "question.carry");
                            let carry = ((before + other) ^ before ^ other) >> (3 * border) & 1;
                            assert_eq!(question.expected, QuestionReply::Key(if carry == 1 { "reply.one" } else { "reply.zero" }));
                            if task == Task::Lcs {
                                // A carry means that the length of the rows up to here rises with this column.
                                let of = |j: usize| lens.matrix.value(MatrixCell { i: 3 * border, j });
                                assert_eq!(carry == 1, of(j) > of(j - 1));
                            }
                        }
                    }
                }
            }
        }
    }
}
