//! Questions of the lens of furthest rows.

use kernels::job::Points;

use super::super::frame::{LensSentence, SentenceValue};
use super::super::question::{LensQuestion, QuestionKind};
use super::{FurthestLens, WaveStep};

/// Returns the questions about the step `next`, which follows `last`.
pub(super) fn all(lens: &FurthestLens, next: &WaveStep, last: Option<&WaveStep>) -> Vec<LensQuestion> {
    let number = SentenceValue::number;
    let equal = next.to - next.row;
    let (e, x) = (("e", number(next.e)), ("x", SentenceValue::signed(next.x)));
    let rows: Vec<u64> = next.inputs.iter().map(|input| input.row as u64).collect();
    let why = LensSentence::new("why.furthest-row", [("row", number(next.row)), ("equal", number(equal))]);
    let value = LensQuestion::number(
        QuestionKind::Value,
        LensSentence::new("question.furthest-row", [e.clone(), x.clone()]),
        next.to as u64,
        &rows,
    );
    let mut all = vec![value.with_sums(FurthestLens::sums(next)).with_reason(why)];
    if !next.inputs.is_empty() {
        let best = next.inputs.iter().filter(|input| input.row == next.row).map(|input| input.from).collect();
        let among = next.inputs.iter().map(|input| input.from).collect();
        let says = LensSentence::new("question.furthest-from", [e.clone(), x.clone()]);
        all.push(LensQuestion::cells(QuestionKind::Inputs, says, best, among).with_sums(FurthestLens::sums(next)));
    }
    if let Some(last) = last {
        let says = LensSentence::new("question.furthest-next", [("e", number(last.e))]);
        let others = [last.x + 1, last.x + 2, -(last.e as i64 + 1), last.x - 1].map(Points::from);
        let question = LensQuestion::signed(QuestionKind::Next, says, next.x.into(), &others);
        all.push(question.with_reason(LensSentence::new("why.furthest-next", [])));
    }
    let says = LensSentence::new("question.furthest-compared", [x, ("row", number(next.row))]);
    let is_at_border = next.compared == equal;
    let key = if is_at_border { "why.furthest-border" } else { "why.furthest-compared" };
    let why = LensSentence::new(key, [("equal", number(equal))]);
    let others = [equal as u64, equal as u64 + 1, lens.m as u64];
    all.push(LensQuestion::number(QuestionKind::TimeUnits, says, next.compared as u64, &others).with_reason(why));
    all
}

#[cfg(test)]
mod tests {
    use kernels::job::Task;

    use super::super::super::LensName;
    use super::super::super::frame::PanelBody;
    use super::super::super::question::QuestionReply;
    use super::super::super::tests::{cases, questions, said, value};
    use super::*;

    #[test]
    fn expected_answers_agree_with_the_recurrence() {
        for case in cases(12, 12) {
            let (m, n) = (case.a.len() as i64, case.b.len() as i64);
            let lens = case.open(LensName::Furthest, Task::EditDistance, "");
            for (step, question) in (0..lens.len()).flat_map(|step| questions(&*lens, step).into_iter().map(move |one| (step, one))) {
                let signed = |key: &str| match question.prompt.values.iter().find(|(name, _)| *name == key) {
                    Some((_, SentenceValue::Signed(number))) => number.tenths() / 10,
                    other => panic!("{key}: {other:?}"),
                };
                // The greatest row of a diagonal whose distance is within e.
                let furthest = |e: usize, x: i64| {
                    let rows = (0..=m).filter(|i| (0..=n).contains(&(i + x)));
                    rows.filter(|i| value(Task::EditDistance, &case, *i as usize, (i + x) as usize) <= e as u64).max().unwrap()
                };
                match (question.prompt.key, &question.expected) {
                    ("question.furthest-row", QuestionReply::Number(row)) => {
                        assert_eq!(*row as i64, furthest(said(&question.prompt, "e"), signed("x")));
                    }
                    ("question.furthest-from", QuestionReply::Cells(cells)) => {
                        let e = said(&question.prompt, "e") as u64;
                        let within = |(i, j): &(usize, usize)| value(Task::EditDistance, &case, *i, *j) < e;
                        assert!(cells.iter().all(within), "{question:?}");
                    }
                    ("question.furthest-next", QuestionReply::Signed(x)) => {
                        let PanelBody::Grid(grid) = &lens.frame(step + 1).panels[2].body else { panic!("expected a grid") };
                        let low = grid.columns.first().map(|head| head.value);
                        let new = grid.cells.iter().position(|cell| cell.marks.has(super::super::LensMark::New)).unwrap();
                        let at = (new % grid.columns.len()) as i64;
                        assert_eq!(low, Some(super::super::ShownValue::Signed(*x - at.into())));
                    }
                    ("question.furthest-compared", QuestionReply::Number(compared)) => {
                        let row = said(&question.prompt, "row") as i64;
                        let both = |i: i64| (case.a.get(i as usize), case.b.get((i + signed("x")) as usize));
                        let slid = (row..).take_while(|i| matches!(both(*i), (Some(a), Some(b)) if a == b)).count() as u64;
                        let ends = matches!(both(row + slid as i64), (Some(_), Some(_)));
                        assert_eq!(*compared, slid + u64::from(ends));
                    }
                    other => panic!("{other:?}"),
                }
            }
        }
    }
}
