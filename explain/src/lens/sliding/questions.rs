//! Questions of the lens of the sliding pattern, about a comparison of the pattern with the text. They ask for the
//! distance by which the pattern slides, the entry of the failure table that is read, and the number of comparisons at
//! a position.

use super::super::frame::{LensSentence, SentenceValue};
use super::super::question::{LensQuestion, QuestionKind};
use super::SlidingLens;

impl SlidingLens {
    pub(super) fn build_questions(&self, step: usize) -> Vec<LensQuestion> {
        let Some(next) = self.compared.get(step) else { return Vec::new() };
        let number = SentenceValue::number;
        let (a, b) = (("a", SentenceValue::a(next.j)), ("b", SentenceValue::b(next.i)));
        let (i, j) = (("i", number(next.i)), ("j", number(next.j)));
        let moves_on = next.at() != next.then();
        let pair = [a, b, i.clone(), j];
        let (read, other) = (next.next.0 as u64, (next.at() + self.m) as u64);
        let mut all = vec![match (moves_on, &self.next) {
            (true, Some(_)) => {
                let by = (next.then() - next.at()) as u64;
                LensQuestion::number(QuestionKind::Next, LensSentence::new("question.slide", pair), by, &[1, next.j as u64, self.m as u64])
            }
            _ => LensQuestion::number(
                QuestionKind::Next,
                LensSentence::new("question.read-next", pair),
                read,
                &[next.i as u64, next.i as u64 + 1, other],
            ),
        }];
        // Number of equal symbols before the table is read; the table has an entry for the last of them.
        let equal = next.j + usize::from(next.is_equal);
        let table = self.next.as_ref().filter(|_| moves_on && equal > 0);
        if let Some(table) = table {
            let entry = equal - 1;
            let says = LensSentence::new("question.entry-read", [("equal", number(equal))]);
            let why = LensSentence::new("why.entry-read", [("equal", number(equal)), ("entry", number(entry))]);
            all.push(LensQuestion::number(QuestionKind::Inputs, says, entry as u64, &[equal as u64, entry as u64 + 2]).with_reason(why));
            let says = LensSentence::new("question.entry-says", [("known", SentenceValue::A(0..equal))]);
            let why =
                LensSentence::new("why.entry-says", [("border", SentenceValue::A(0..table[entry])), ("known", SentenceValue::A(0..equal))]);
            all.push(LensQuestion::number(QuestionKind::Value, says, table[entry] as u64, &[0, entry as u64]).with_reason(why));
        } else {
            let says = LensSentence::new("question.compared-with", [i]);
            let why = LensSentence::new("why.compared-with", [("at", number(next.at())), ("j", number(next.j))]);
            all.push(LensQuestion::number(QuestionKind::Inputs, says, next.j as u64, &[next.i as u64, 0]).with_reason(why));
        }
        if next.j == 0 && self.next.is_none() {
            let here = self.compared[step..].iter().take_while(|one| one.at() == next.at()).count();
            let says = LensSentence::new("question.comparisons-at", [("at", number(next.at()))]);
            let why = LensSentence::new(
                if here == self.m && self.is_found(&self.compared[step + here - 1]) { "why.all-equal" } else { "why.equal-first" },
                [("equal", number(here - 1))],
            );
            all.push(LensQuestion::number(QuestionKind::TimeUnits, says, here as u64, &[1, self.m as u64]).with_reason(why));
        }
        if let (Some(_), true) = (&self.next, moves_on) {
            // The number of comparisons that the naive search makes at this position.
            let at = next.at();
            let here = self.naive.iter().filter(|one| (at..next.then()).contains(*one)).count();
            let says = LensSentence::new("question.naive-between", [("from", number(at)), ("to", number(next.then()))]);
            all.push(LensQuestion::number(QuestionKind::TimeUnits, says, here as u64, &[1, equal as u64, self.m as u64]));
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use kernels::job::Task;

    use super::super::super::LensName;
    use super::super::super::question::QuestionReply;
    use super::super::super::tests::{cases, questions};
    use super::*;

    /// Returns the length of the longest proper prefix that is also a suffix, by its definition.
    fn border(text: &[u8]) -> usize {
        (0..text.len()).rev().find(|length| text.ends_with(&text[..*length])).unwrap_or_default()
    }

    #[test]
    fn expected_answers_agree_with_the_definition() {
        for case in cases(30, 60) {
            for name in [LensName::Kmp, LensName::Naive] {
                let lens = case.open(name, Task::ExactSearch, "");
                let m = case.a.len();
                // Number of comparisons at a position, from the first symbol on.
                let at_place = |at: usize| (0..m).find(|j| case.a[*j] != case.b[at + j]).map_or(m, |j| j + 1);
                for question in (0..lens.len()).flat_map(|step| questions(&*lens, step)) {
                    let number = |key| match question.prompt.values.iter().find(|(name, _)| *name == key) {
                        Some((_, SentenceValue::Number(number))) => *number as usize,
                        other => panic!("{other:?}"),
                    };
                    let expected = match question.prompt.key {
                        "question.slide" | "question.read-next" => {
                            let (i, j) = (number("i"), number("j"));
                            let is_equal = case.a[j] == case.b[i];
                            let is_found = is_equal && j + 1 == m;
                            // The known part of the text at the pattern's position: j equal symbols, and the one that
                            // differs.
                            let read = &case.b[i - j..i + usize::from(is_equal)];
                            let by =
                                (1..=read.len().max(1)).find(|by| read.get(*by..).is_none_or(|rest| case.a.starts_with(rest))).unwrap();
                            match (question.prompt.key, name) {
                                ("question.slide", _) => by,
                                (_, LensName::Naive) if !is_equal || is_found => i - j + 1,
                                _ => i + 1,
                            }
                        }
                        "question.entry-read" => number("equal") - 1,
                        "question.entry-says" => {
                            let SentenceValue::A(known) = &question.prompt.values[0].1 else { panic!("expected a text") };
                            border(&case.a[known.clone()])
                        }
                        "question.compared-with" => match question.reason.as_ref().map(|why| &why.values[0].1) {
                            Some(SentenceValue::Number(at)) => number("i") - *at as usize,
                            other => panic!("{other:?}"),
                        },
                        "question.comparisons-at" => at_place(number("at")),
                        "question.naive-between" => (number("from")..number("to")).filter(|at| at + m <= case.b.len()).map(at_place).sum(),
                        other => panic!("{other}"),
                    };
                    assert_eq!(question.expected, QuestionReply::Number(expected as u64), "{:?}", question.prompt);
                }
            }
        }
    }
}
