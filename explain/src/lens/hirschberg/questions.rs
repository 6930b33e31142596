//! Questions of the lens of Hirschberg's method: about a row of one half of a part, about a cut, and about a part with
//! one row. A part is a rectangle of the matrix that the method cuts into halves.

use std::cmp::Ordering;
use std::ops::Range;

use super::super::LensTexts;
use super::super::frame::{LensSentence, SentenceValue};
use super::super::question::{LensQuestion, QuestionKind};
use super::{HirschbergLens, StepWork};

impl HirschbergLens {
    pub(super) fn build_questions(&self, step: usize) -> Vec<LensQuestion> {
        let Some(next) = self.steps.get(step) else { return Vec::new() };
        let number = SentenceValue::number;
        let (a, b) = (("a", SentenceValue::A(next.rows.clone())), ("b", SentenceValue::B(next.columns.clone())));
        let mut all = match &next.does {
            StepWork::Split { first, second, k } => {
                let sum = (first[*k] + second[second.len() - 1 - k]) as usize;
                // Likely wrong answers: the middle column, and the last column, which has the greatest value of the
                // upper half's last row.
                let others = [next.columns.len() as u64 / 2, second.len() as u64 - 1];
                let (upper, lower) = (next.middle() - next.rows.start, next.rows.end - next.middle());
                let (left, right) = (*k, next.columns.len() - k);
                let cells = upper * left + lower * right;
                let whole = next.rows.len() * next.columns.len();
                let of_halves = LensSentence::new("question.cells-of-halves", [a.clone(), b.clone(), ("k", number(*k))]);
                let [upper, lower, left, right] = [upper, lower, left, right].map(number);
                let why = LensSentence::new("why.cells-of-halves", [("upper", upper), ("left", left), ("lower", lower), ("right", right)]);
                vec![
                    LensQuestion::number(
                        QuestionKind::Next,
                        LensSentence::new("question.split", [a.clone(), b.clone()]),
                        *k as u64,
                        &others,
                    ),
                    LensQuestion::number(
                        QuestionKind::Value,
                        LensSentence::new("question.greatest-sum", [a.clone(), b.clone()]),
                        sum as u64,
                        &[],
                    ),
                    LensQuestion::number(QuestionKind::TimeUnits, of_halves, cells as u64, &[whole as u64, whole as u64 / 2])
                        .with_reason(why),
                ]
            }
            StepWork::One(found) => {
                vec![LensQuestion::yes_no(
                    QuestionKind::Value,
                    LensSentence::new("question.common", [a.clone(), b.clone()]),
                    found.is_some(),
                )]
            }
            StepWork::Forward { row, before, now } => {
                let i = next.rows.start + row;
                of_row(&self.texts, next.rows.start..i, &next.columns, (i - 1, next.columns.end - 1), before, now)
            }
            StepWork::Backward { row, before, now } => {
                let i = next.rows.end - row;
                of_row(&self.texts, i..next.rows.end, &next.columns, (i, next.columns.start), before, now)
            }
            StepWork::Nothing => Vec::new(),
        };
        if all.iter().all(|question| question.kind != QuestionKind::Next) {
            let does = match next.does {
                StepWork::Forward { .. } => "reply.from-above",
                StepWork::Backward { .. } => "reply.from-below",
                StepWork::Split { .. } => "reply.cut",
                StepWork::One(_) => "reply.single",
                StepWork::Nothing => "reply.nothing",
            };
            all.push(LensQuestion::key(
                QuestionKind::Next,
                LensSentence { key: "question.does-next", values: Vec::new() },
                does,
                &["reply.from-above", "reply.from-below", "reply.cut", "reply.single", "reply.nothing"],
            ));
        }
        all
    }
}

/// Returns questions about the last cell of a row of a half: its value and, if only one neighbour gives this value, the
/// neighbour. `row` and `b` are the ranges of symbols that the cell is about. `(i, j)` are the positions of the symbols
/// of `a` and `b` that meet in the cell. `before` has the values of the previous row, and `now` the values of the row
/// itself.
fn of_row(
    texts: &LensTexts,
    row: Range<usize>,
    b: &Range<usize>,
    (i, j): (usize, usize),
    before: &[u32],
    now: &[u32],
) -> Vec<LensQuestion> {
    let ([.., left, value], [.., above]) = (now, before) else { return Vec::new() };
    let values = [("row", SentenceValue::A(row)), ("b", SentenceValue::B(b.clone()))];
    let mut all =
        vec![LensQuestion::number(QuestionKind::Value, LensSentence::new("question.row-last", values.clone()), u64::from(*value), &[])];
    let from = match (texts.equal(i, j), above.cmp(left)) {
        (true, _) => "input.corner",
        (false, Ordering::Greater) => "input.above",
        (false, Ordering::Less) => "input.left",
        // Both neighbours give the value, so there is no question about one of them.
        (false, Ordering::Equal) => return all,
    };
    let why = match from {
        "input.corner" => LensSentence::new("why.equal-ends", [("a", SentenceValue::a(i))]),
        _ => LensSentence::new(
            "why.greater-neighbour",
            [("above", SentenceValue::Number(u64::from(*above))), ("left", SentenceValue::Number(u64::from(*left)))],
        ),
    };
    let says = LensSentence::new("question.from-neighbour", values);
    all.push(LensQuestion::key(QuestionKind::Inputs, says, from, &["input.corner", "input.above", "input.left"]).with_reason(why));
    all
}

#[cfg(test)]
mod tests {
    use kernels::job::Task;
    use kernels::methods::lcs::hirschberg::length;

    use super::super::super::LensName;
    use super::super::super::question::QuestionReply;
    use super::super::super::tests::{cases, questions, said};
    use super::*;

    #[test]
    fn expected_answers_agree_with_the_definition() {
        for case in cases(12, 12) {
            let lens = case.open(LensName::Hirschberg, Task::Lcs, "");
            let own = HirschbergLens::new(&case.texts());
            let of = |value: &SentenceValue| -> Vec<u8> {
                match value {
                    SentenceValue::A(range) => case.a[range.clone()].to_vec(),
                    SentenceValue::B(range) => case.b[range.clone()].to_vec(),
                    other => panic!("expected a text: {other:?}"),
                }
            };
            let common = |a: &[u8], b: &[u8]| u64::from(length(a, b, &mut |_| Ok(())).unwrap());
            for (step, question) in (0..lens.len()).flat_map(|step| questions(&*lens, step).into_iter().map(move |one| (step, one))) {
                if question.prompt.key == "question.does-next" {
                    let expected = match lens.frame(step + 1).sentences[0].key {
                        "hirschberg.forward" => "reply.from-above",
                        "hirschberg.backward" => "reply.from-below",
                        "hirschberg.found" | "hirschberg.absent" => "reply.single",
                        "hirschberg.empty" => "reply.nothing",
                        other => panic!("{other}"),
                    };
                    assert_eq!(question.expected, QuestionReply::Key(expected));
                    continue;
                }
                let (one, b) = (of(&question.prompt.values[0].1), of(&question.prompt.values[1].1));
                let (upper, lower) = one.split_at(one.len() / 2);
                let expected = match question.prompt.key {
                    "question.row-last" => QuestionReply::Number(common(&one, &b)),
                    "question.common" => QuestionReply::Key(if b.contains(&one[0]) { "reply.yes" } else { "reply.no" }),
                    "question.greatest-sum" => QuestionReply::Number(common(&one, &b)),
                    "question.split" => {
                        let whole = common(&one, &b);
                        let k = (0..=b.len()).find(|k| common(upper, &b[..*k]) + common(lower, &b[*k..]) == whole);
                        QuestionReply::Number(k.unwrap() as u64)
                    }
                    "question.cells-of-halves" => {
                        let k = said(&question.prompt, "k");
                        QuestionReply::Number((upper.len() * k + lower.len() * (b.len() - k)) as u64)
                    }
                    "question.from-neighbour" => {
                        // A row from below is read backwards.
                        let is_forward = matches!(own.steps[step].does, StepWork::Forward { .. });
                        let ends = |text: &[u8]| {
                            if is_forward { (text[..text.len() - 1].to_vec(), text[text.len() - 1]) } else { (text[1..].to_vec(), text[0]) }
                        };
                        let ((a_rest, a_last), (b_rest, b_last)) = (ends(&one), ends(&b));
                        let (above, left) = (common(&a_rest, &b), common(&one, &b_rest));
                        QuestionReply::Key(match a_last == b_last {
                            true => "input.corner",
                            false if above > left => "input.above",
                            false => {
                                assert!(left > above);
                                "input.left"
                            }
                        })
                    }
                    other => panic!("{other}"),
                };
                assert_eq!(question.expected, expected, "{:?}", question.prompt);
            }
        }
    }
}
