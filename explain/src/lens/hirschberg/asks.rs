//! Questions about a row of one half, about a cut, and about a part of one row.

use std::cmp::Ordering;
use std::ops::Range;

use super::super::Texts;
use super::super::frame::{Said, Value};
use super::super::question::{Asked, Question};
use super::{Does, Hirschberg};

impl Hirschberg {
    pub(super) fn ask(&self, step: usize) -> Vec<Question> {
        let Some(next) = self.steps.get(step) else { return Vec::new() };
        let number = Value::number;
        let (a, b) = (("a", Value::A(next.rows.clone())), ("b", Value::B(next.columns.clone())));
        let mut all = match &next.does {
            Does::Split { first, second, k } => {
                let sum = (first[*k] + second[second.len() - 1 - k]) as usize;
                // Likely wrong answers: the middle, and the column with the best value of the last row alone.
                let others = [next.columns.len() as u64 / 2, second.len() as u64 - 1];
                let (upper, lower) = (next.middle() - next.rows.start, next.rows.end - next.middle());
                let (left, right) = (*k, next.columns.len() - k);
                let cells = upper * left + lower * right;
                let whole = next.rows.len() * next.columns.len();
                let of_halves = Said::new("question.cells-of-halves", [a.clone(), b.clone(), ("k", number(*k))]);
                let [upper, lower, left, right] = [upper, lower, left, right].map(number);
                let why = Said::new("why.cells-of-halves", [("upper", upper), ("left", left), ("lower", lower), ("right", right)]);
                vec![
                    Question::number(Asked::Next, Said::new("question.split", [a.clone(), b.clone()]), *k as u64, &others),
                    Question::number(Asked::Value, Said::new("question.greatest-sum", [a.clone(), b.clone()]), sum as u64, &[]),
                    Question::number(Asked::TimeUnits, of_halves, cells as u64, &[whole as u64, whole as u64 / 2]).because(why),
                ]
            }
            Does::One(found) => {
                vec![Question::whether(Asked::Value, Said::new("question.common", [a.clone(), b.clone()]), found.is_some())]
            }
            Does::Forward { row, before, now } => {
                let i = next.rows.start + row;
                of_row(&self.texts, next.rows.start..i, &next.columns, (i - 1, next.columns.end - 1), before, now)
            }
            Does::Backward { row, before, now } => {
                let i = next.rows.end - row;
                of_row(&self.texts, i..next.rows.end, &next.columns, (i, next.columns.start), before, now)
            }
            Does::Nothing => Vec::new(),
        };
        if all.iter().all(|question| question.asked != Asked::Next) {
            let does = match next.does {
                Does::Forward { .. } => "reply.from-above",
                Does::Backward { .. } => "reply.from-below",
                Does::Split { .. } => "reply.cut",
                Does::One(_) => "reply.single",
                Does::Nothing => "reply.nothing",
            };
            all.push(Question::key(
                Asked::Next,
                Said { key: "question.does-next", values: Vec::new() },
                does,
                &["reply.from-above", "reply.from-below", "reply.cut", "reply.single", "reply.nothing"],
            ));
        }
        all
    }
}

/// Asks for the last value of a row and, if unique, for the neighbour that this value comes from. `(i, j)` are the
/// symbols of `a` and `b` that meet in the last cell.
fn of_row(texts: &Texts, row: Range<usize>, b: &Range<usize>, (i, j): (usize, usize), before: &[u32], now: &[u32]) -> Vec<Question> {
    let ([.., left, value], [.., above]) = (now, before) else { return Vec::new() };
    let values = [("row", Value::A(row)), ("b", Value::B(b.clone()))];
    let mut all = vec![Question::number(Asked::Value, Said::new("question.row-last", values.clone()), u64::from(*value), &[])];
    let from = match (texts.equal(i, j), above.cmp(left)) {
        (true, _) => "input.corner",
        (false, Ordering::Greater) => "input.above",
        (false, Ordering::Less) => "input.left",
        // Both neighbours are equally good.
        (false, Ordering::Equal) => return all,
    };
    let why = match from {
        "input.corner" => Said::new("why.equal-ends", [("a", Value::a(i))]),
        _ => Said::new("why.greater-neighbour", [("above", Value::Number(u64::from(*above))), ("left", Value::Number(u64::from(*left)))]),
    };
    let says = Said::new("question.from-neighbour", values);
    all.push(Question::key(Asked::Inputs, says, from, &["input.corner", "input.above", "input.left"]).because(why));
    all
}

#[cfg(test)]
mod tests {
    use kernels::job::Task;
    use kernels::methods::lcs::hirschberg::length;

    use super::super::super::Name;
    use super::super::super::question::Reply;
    use super::super::super::tests::{cases, questions, said};
    use super::*;

    #[test]
    fn questions_are_answered_as_the_definition_does() {
        for case in cases(12, 12) {
            let lens = case.open(Name::Hirschberg, Task::Lcs, "");
            let own = Hirschberg::new(&case.texts());
            let of = |value: &Value| -> Vec<u8> {
                match value {
                    Value::A(range) => case.a[range.clone()].to_vec(),
                    Value::B(range) => case.b[range.clone()].to_vec(),
                    other => panic!("no text: {other:?}"),
                }
            };
            let common = |a: &[u8], b: &[u8]| u64::from(length(a, b, &mut |_| Ok(())).unwrap());
            for (step, question) in (0..lens.len()).flat_map(|step| questions(&*lens, step).into_iter().map(move |one| (step, one))) {
                if question.says.key == "question.does-next" {
                    let expected = match lens.frame(step + 1).says[0].key {
                        "hirschberg.forward" => "reply.from-above",
                        "hirschberg.backward" => "reply.from-below",
                        "hirschberg.found" | "hirschberg.absent" => "reply.single",
                        "hirschberg.empty" => "reply.nothing",
                        other => panic!("{other}"),
                    };
                    assert_eq!(question.expected, Reply::Key(expected));
                    continue;
                }
                let (one, b) = (of(&question.says.values[0].1), of(&question.says.values[1].1));
                let (upper, lower) = one.split_at(one.len() / 2);
                let expected = match question.says.key {
                    "question.row-last" => Reply::Number(common(&one, &b)),
                    "question.common" => Reply::Key(if b.contains(&one[0]) { "reply.yes" } else { "reply.no" }),
                    "question.greatest-sum" => Reply::Number(common(&one, &b)),
                    "question.split" => {
                        let whole = common(&one, &b);
                        let k = (0..=b.len()).find(|k| common(upper, &b[..*k]) + common(lower, &b[*k..]) == whole);
                        Reply::Number(k.unwrap() as u64)
                    }
                    "question.cells-of-halves" => {
                        let k = said(&question.says, "k");
                        Reply::Number((upper.len() * k + lower.len() * (b.len() - k)) as u64)
                    }
                    "question.from-neighbour" => {
                        // A row from below is read backwards.
                        let is_forward = matches!(own.steps[step].does, Does::Forward { .. });
                        let ends = |text: &[u8]| {
                            if is_forward { (text[..text.len() - 1].to_vec(), text[text.len() - 1]) } else { (text[1..].to_vec(), text[0]) }
                        };
                        let ((a_rest, a_last), (b_rest, b_last)) = (ends(&one), ends(&b));
                        let (above, left) = (common(&a_rest, &b), common(&one, &b_rest));
                        Reply::Key(match a_last == b_last {
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
                assert_eq!(question.expected, expected, "{:?}", question.says);
            }
        }
    }
}
