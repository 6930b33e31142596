//! Questions of the lens of memory machines, about a time unit: stages and time, banks and address groups, the warp
//! that enters the pipeline, and the number of answered requests.

use super::super::Lens;
use super::super::frame::{LensSentence, SentenceValue};
use super::super::question::{LensQuestion, QuestionKind, QuestionTurn};
use super::MachineLens;

impl MachineLens {
    pub(super) fn build_questions(&self, step: usize, turn: QuestionTurn) -> Vec<LensQuestion> {
        if step >= self.len() {
            return Vec::new();
        }
        let number = SentenceValue::number;
        let [dmm, umm] = &self.sides;
        let is_dmm = if step.is_multiple_of(2) { turn.place(2) == 0 } else { turn.place(2) == 1 };
        let side = if is_dmm { dmm } else { umm };
        let of = |on_dmm: &'static str, on_umm: &'static str| if is_dmm { on_dmm } else { on_umm };
        let (w, l, stages) = (self.width(), side.latency(), side.stages.len());
        let warp = turn.place(self.warps());
        let time = if turn.place(4) < 2 {
            // Number of stages that the requests of a warp need.
            let addresses: Vec<u64> = self.addresses(warp).iter().map(|address| *address as u64).collect();
            let says = LensSentence::new(
                of("question.dmm-stages", "question.umm-stages"),
                [("warp", number(warp)), ("addresses", SentenceValue::Numbers(addresses))],
            );
            let why = LensSentence::new(of("why.dmm-stages", "why.umm-stages"), [("w", number(w))]);
            LensQuestion::number(QuestionKind::TimeUnits, says, side.stages_of(warp) as u64, &[1, w as u64]).with_reason(why)
        } else {
            let says = LensSentence::new(of("question.dmm-time", "question.umm-time"), [("l", number(l))]);
            let others = [stages, stages + l, self.warps() + l - 1];
            let why = LensSentence::new("why.time", [("stages", number(stages)), ("l", number(l))]);
            LensQuestion::number(QuestionKind::TimeUnits, says, side.time as u64, &others.map(|other| other as u64)).with_reason(why)
        };
        let address = self.requests[turn.place(self.requests.len())];
        let (bank, group) = (address % w, address / w);
        let (right, other) = if is_dmm { (bank, group) } else { (group, bank) };
        let says = LensSentence::new(of("question.bank", "question.group"), [("address", number(address)), ("w", number(w))]);
        let why = LensSentence::new(of("why.bank", "why.group"), [("address", number(address)), ("w", number(w)), ("is", number(right))]);
        let inputs = LensQuestion::number(QuestionKind::Inputs, says, right as u64, &[other as u64]).with_reason(why);
        let (answered, now) = (side.answered(step + 1) as u64, side.answered(step) as u64);
        let says = LensSentence::new(of("question.dmm-answered", "question.umm-answered"), [("unit", number(step + 1))]);
        let why = LensSentence::new("why.answered", [("l", number(l)), ("unit", number(step + 1))]);
        let value = LensQuestion::number(QuestionKind::Value, says, answered, &[now, self.requests.len() as u64]).with_reason(why);
        let mut all = vec![time, inputs, value];
        if let Some(stage) = side.stages.get(step) {
            let says = LensSentence::new(of("question.dmm-enters", "question.umm-enters"), [("unit", number(step + 1))]);
            let why = LensSentence::new("why.enters", [("warp", number(stage.warp)), ("stages", number(side.stages_of(stage.warp)))]);
            let others: Vec<u64> = (0..self.warps() as u64).collect();
            all.push(LensQuestion::number(QuestionKind::Next, says, stage.warp as u64, &others).with_reason(why));
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::super::LensName;
    use super::super::super::question::QuestionReply;
    use super::super::super::settings::LensSettings;
    use super::super::super::tests::{questions, said};
    use super::*;

    #[test]
    fn expected_answers_agree_with_the_definition() {
        for seed in 0..40 {
            let text = format!("access:random,seed:{seed},p:{},w:{},l:{}", 1 + seed % 32, 1 + seed % 9, 1 + seed % 6);
            let machine = MachineLens::new(&LensSettings::parse(LensName::Machine, &text).unwrap());
            let (w, l) = (machine.width(), 1 + seed % 6);
            let stages = |addresses: &[usize], is_dmm: bool| -> usize {
                let lines: Vec<usize> = addresses.iter().map(|address| if is_dmm { address % w } else { address / w }).collect();
                let distinct = |list: &[usize]| list.iter().collect::<BTreeSet<_>>().len();
                if !is_dmm {
                    return distinct(&lines);
                }
                let of_bank = |bank: usize| addresses.iter().copied().filter(|address| address % w == bank).collect::<Vec<_>>();
                (0..w).map(|bank| distinct(&of_bank(bank))).max().unwrap()
            };
            // The stages of each warp, one after the other.
            let all = |is_dmm| machine.requests.chunks(w).map(|warp| stages(warp, is_dmm)).collect::<Vec<_>>();
            for question in (0..machine.len()).flat_map(|step| questions(&machine, step)) {
                let (says, is_dmm) = (&question.prompt, question.prompt.key.starts_with("question.dmm"));
                let expected = match says.key {
                    "question.dmm-stages" | "question.umm-stages" => {
                        stages(machine.requests.chunks(w).nth(said(says, "warp")).unwrap(), is_dmm)
                    }
                    "question.dmm-time" | "question.umm-time" => all(is_dmm).iter().sum::<usize>() + said(says, "l") - 1,
                    "question.bank" => said(says, "address") % w,
                    "question.group" => said(says, "address") / w,
                    "question.dmm-enters" | "question.umm-enters" => {
                        let mut stage = 0;
                        let entered = |more: &usize| {
                            stage += more;
                            stage >= said(says, "unit")
                        };
                        all(is_dmm).iter().position(entered).unwrap()
                    }
                    "question.dmm-answered" | "question.umm-answered" => {
                        // Answered requests are those of all warps whose stages have passed, and some of the warp whose
                        // stages are passing.
                        let passed = (said(says, "unit") + 1).saturating_sub(l as usize);
                        let (mut before, mut answered) = (0, 0);
                        for (warp, count) in machine.requests.chunks(w).zip(all(is_dmm)) {
                            let here = passed.saturating_sub(before).min(count);
                            let side = &machine.sides[usize::from(!is_dmm)];
                            let stages = side.stages[before..before + here].iter();
                            let of_stages: usize = stages.map(|stage| stage.threads.len()).sum();
                            answered += if here == count { warp.len() } else { of_stages };
                            before += count;
                        }
                        answered
                    }
                    other => panic!("{other}"),
                };
                assert_eq!(question.expected, QuestionReply::Number(expected as u64), "{says:?}");
            }
        }
    }
}
