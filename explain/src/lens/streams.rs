//! The lens of the parallel form of Shift-Add (section 4.2 of paper 002). A step computes the score of one offset, that
//! is, the number of matches of the pattern with the text there.
//!
//! Each distinct symbol of the pattern has a stream of bits and a processor of its own. The number `fp` has ones at the
//! positions of the symbol in the pattern, and `ft` at its positions in the last m symbols of the text. Ones at the
//! same position of `fp` and `ft` are matches of this symbol, and the sum of the matches over all streams is the score.
//! No field needs more than one bit.
//!
//! On a unified memory machine (UMM, a model of global memory), adding the ones of all streams takes longer than the
//! streams themselves, unless the pattern is long; [`sums`] counts the time.

use super::frame::{
    CellTape, LensCount, LensFrame, LensLabel, LensMark, LensOutcome, LensPanel, LensSentence, PanelBody, PanelCell, PanelPosition,
    SentenceValue, ShownValue, TapeTable,
};
use super::question::{LensQuestion, QuestionKind, QuestionTurn};
use super::settings::LensSettings;
use super::sums::{self, StreamTime};
use super::{CodeLine, Lens, LensTexts, SentenceTemplate, line};

/// The sentences that this lens can show: for each, its key in the catalogue of translated sentences, and the names of
/// the values to insert.
pub(super) const SAYS: &[SentenceTemplate] = &[
    ("streams.begin", &["streams", "m"]),
    ("streams.score", &["k", "score", "ones"]),
    ("streams.why", &["streams"]),
    ("streams.end", &["offsets"]),
    ("streams.ones", &["ones"]),
    ("question.ones", &["a", "b"]),
    ("question.score", &["k"]),
    ("question.ones-of-text", &["a", "b"]),
    ("question.taken-next", &["k", "m"]),
    ("question.turns-of-one", &["m"]),
    ("why.turns-of-one", &["streams", "m"]),
    sums::SAYS[0],
    sums::SAYS[1],
    sums::SAYS[2],
    sums::SAYS[3],
];

const CODE: &[CodeLine] = &[
    line("1", "for 1 ≤ i ≤ n-m+1 do c_i := 0"),
    line("2", "for a ∈ Σ_p do {"),
    line("3", "  ft := 0, fp := 0"),
    line("4", "  for 1 ≤ i ≤ m do {"),
    line("5", "    ft := P(Sl(ft), M(t_i, a))"),
    line("6", "    fp := P(Sl(fp), M(p_i, a))"),
    line("7", "  }"),
    line("8", "  for 1 ≤ i ≤ n-m+1 do {"),
    line("9", "    c_i := P(c_i, R(A(ft, fp)))"),
    line("10", "    ft := P(Sl(ft), M(t_(m+i), a))"),
    line("11", "  }"),
    line("12", "}"),
];

pub(super) struct StreamsLens {
    texts: LensTexts,
    /// For each distinct symbol of the pattern, the position of its first occurrence in the pattern.
    first: Vec<usize>,
    sums: Option<StreamTime>,
}

impl StreamsLens {
    pub(super) fn new(texts: &LensTexts, settings: &LensSettings) -> Self {
        let first: Vec<usize> = (0..texts.a.len()).filter(|i| !texts.a[..*i].contains(&texts.a[*i])).collect();
        Self { texts: texts.clone(), sums: StreamTime::new(texts, first.len(), settings), first }
    }

    fn size(&self) -> (usize, usize) {
        (self.texts.a.len(), self.texts.b.len())
    }

    /// Returns the part of the text that lies under the pattern at offset `step − 1`, the offset of step `step`, as a
    /// half-open range. The range is empty for step 0.
    fn window(&self, step: usize) -> std::ops::Range<usize> {
        let from = step.saturating_sub(1);
        from..if step == 0 { 0 } else { from + self.size().0 }
    }

    /// Returns, for each distinct symbol of the pattern, the number of its matches with the text at the offset
    /// `offset`.
    fn ones(&self, offset: usize) -> Vec<u32> {
        let is_match = |first: usize, j: usize| self.texts.a[j] == self.texts.a[first] && self.texts.equal(j, offset + j);
        self.first.iter().map(|first| (0..self.size().0).filter(|j| is_match(*first, *j)).count() as u32).collect()
    }

    fn score(&self, offset: usize) -> u32 {
        self.ones(offset).iter().sum()
    }

    fn text(&self, step: usize) -> TapeTable {
        let (m, n) = self.size();
        let window = self.window(step);
        let text = (0..n).map(|i| {
            PanelCell::new(ShownValue::B(i)).mark_if(window.contains(&i), LensMark::Open).mark_if(i + 1 == window.end, LensMark::Read)
        });
        let cell = |j: usize| {
            let is_equal = step > 0 && self.texts.equal(j, window.start + j);
            PanelCell::new(ShownValue::A(j)).mark_if(is_equal, LensMark::Equal).mark_if(step > 0 && !is_equal, LensMark::Different)
        };
        let tapes = vec![
            CellTape { label: LensLabel::code("t"), cells: text.collect(), ..CellTape::default() },
            CellTape { label: LensLabel::code("p"), offset: window.start, cells: (0..m).map(cell).collect(), ..CellTape::default() },
        ];
        TapeTable { columns: n.max(m), numbered: Some(1), tapes, arrows: Vec::new() }
    }

    /// Returns three rows of bits for each stream after `step` steps: `ft`, `fp`, and the bits that are 1 in both.
    fn streams(&self, step: usize) -> TapeTable {
        let (m, _) = self.size();
        let window = self.window(step);
        let ones = if step > 0 { self.ones(step - 1) } else { vec![0; self.first.len()] };
        let mut tapes = Vec::new();
        for ((number, first), ones) in self.first.iter().enumerate().zip(ones) {
            let symbol = self.texts.a[*first];
            let ft: Vec<bool> = (0..m).map(|j| step > 0 && self.texts.b[window.start + j] == symbol).collect();
            let fp: Vec<bool> = self.texts.a.iter().map(|other| *other == symbol).collect();
            let both: Vec<bool> = ft.iter().zip(&fp).map(|(one, other)| *one && *other).collect();
            let tape = |label, bits: &[bool], mark: LensMark| {
                let cell = |bit: &bool| PanelCell { owner: Some(number as u16), ..PanelCell::new(ShownValue::Bit(*bit)) }.with_mark(mark);
                CellTape {
                    label: LensLabel::code(label).with_index(ShownValue::A(*first)),
                    cells: bits.iter().map(cell).collect(),
                    ..CellTape::default()
                }
            };
            let mut ft = tape("ft", &ft, LensMark::Kept);
            if let (Some(last), true) = (ft.cells.last_mut(), step > 0) {
                last.add(LensMark::Read);
            }
            let mut both = tape("A(ft, fp)", &both, LensMark::New);
            both.ends_group = true;
            both.note = Some(LensSentence::new("streams.ones", [("ones", SentenceValue::Number(ones.into()))]));
            tapes.extend([ft, tape("fp", &fp, LensMark::Kept), both]);
        }
        TapeTable { columns: m, numbered: Some(1), tapes, arrows: Vec::new() }
    }

    fn scores(&self, step: usize) -> TapeTable {
        let cell = |offset: usize| match offset < step {
            true => PanelCell::number(self.score(offset)).mark_if(offset + 1 == step, LensMark::New),
            false => PanelCell::default().with_mark(LensMark::Ahead),
        };
        let cells = (0..self.len()).map(cell).collect();
        TapeTable {
            columns: self.len(),
            numbered: Some(1),
            tapes: vec![CellTape { label: LensLabel::code("c"), cells, ..CellTape::default() }],
            arrows: Vec::new(),
        }
    }
}

impl Lens for StreamsLens {
    fn len(&self) -> usize {
        let (m, n) = self.size();
        if m == 0 { 0 } else { (n + 1).saturating_sub(m) }
    }

    fn frame(&self, step: usize) -> LensFrame {
        let (m, n) = self.size();
        let (all, streams) = (self.len(), self.first.len());
        let step = step.min(all);
        let happens = match step.checked_sub(1) {
            None => LensSentence::new("streams.begin", [("streams", SentenceValue::number(streams)), ("m", SentenceValue::number(m))]),
            Some(offset) => {
                let ones = self.ones(offset).into_iter().map(u64::from).collect();
                let score = SentenceValue::Number(self.score(offset).into());
                LensSentence::new(
                    "streams.score",
                    [("k", SentenceValue::number(step)), ("score", score), ("ones", SentenceValue::Numbers(ones))],
                )
            }
        };
        let why = match step == all {
            true => LensSentence::new("streams.end", [("offsets", SentenceValue::number(all))]),
            false => LensSentence::new("streams.why", [("streams", SentenceValue::number(streams))]),
        };
        // Number of text symbols that each stream has read, including the symbols before the first score.
        let taken = |step: usize| if step == 0 { 0 } else { step + m - 1 };
        let scores = || if m == 0 { vec![0; n + 1] } else { (0..all).map(|offset| self.score(offset)).collect() };
        let mut panels = vec![
            LensPanel::new("text", PanelPosition::Main, PanelBody::Tapes(self.text(step))),
            LensPanel::new("streams", PanelPosition::Main, PanelBody::Tapes(self.streams(step))),
            LensPanel::new("match-counts", PanelPosition::Below, PanelBody::Tapes(self.scores(step))),
        ];
        let mut says = vec![happens, why];
        let counts = vec![
            LensCount::without_total("processors", streams),
            LensCount::without_total("bits-kept", 2 * m * streams),
            LensCount::new("symbols-taken", streams * taken(step), streams * taken(all)),
            LensCount::new("comparisons-naive", step * m, all * m),
        ];
        if let Some(sums) = &self.sums {
            panels.push(LensPanel::new("umm-time", PanelPosition::Below, PanelBody::Bars(sums.bars(step))));
            says.push(sums.sentence(step, step == all));
        }
        LensFrame {
            panels,
            sentences: says,
            counts,
            line: Some(if step == 0 { 0 } else { 8 }),
            outcome: (step == all).then(|| LensOutcome::Scores(scores())),
        }
    }

    fn questions(&self, step: usize, turn: QuestionTurn) -> Vec<LensQuestion> {
        if step >= self.len() {
            return Vec::new();
        }
        let (m, ones, number) = (self.size().0, self.ones(step), SentenceValue::number);
        let score = u64::from(self.score(step));
        let stream = turn.place(self.first.len());
        let (a, window) = (("a", SentenceValue::a(self.first[stream])), ("b", SentenceValue::B(step..step + m)));
        let in_window = (step..step + m).filter(|i| self.texts.b[*i] == self.texts.a[self.first[stream]]).count() as u64;
        let one = u64::from(ones[stream]);
        let value = match turn.place(2) {
            0 => LensQuestion::number(
                QuestionKind::Value,
                LensSentence::new("question.ones", [a.clone(), window.clone()]),
                one,
                &[score, in_window],
            ),
            _ => LensQuestion::number(
                QuestionKind::Value,
                LensSentence::new("question.score", [("k", number(step + 1))]),
                score,
                &[m as u64 - score],
            ),
        };
        let taken = (step + m) as u64;
        let streams = self.first.len() as u64;
        let why = LensSentence::new("why.turns-of-one", [("streams", SentenceValue::Number(streams)), ("m", number(m))]);
        vec![
            value,
            LensQuestion::number(
                QuestionKind::Inputs,
                LensSentence::new("question.ones-of-text", [a, window]),
                in_window,
                &[one, m as u64 - in_window],
            ),
            LensQuestion::number(
                QuestionKind::Next,
                LensSentence::new("question.taken-next", [("k", number(step + 1)), ("m", number(m))]),
                taken,
                &[step as u64 + 1, taken + 1],
            ),
            LensQuestion::number(
                QuestionKind::TimeUnits,
                LensSentence::new("question.turns-of-one", [("m", number(m))]),
                streams,
                &[m as u64, 1],
            )
            .with_reason(why),
        ]
    }

    fn code(&self) -> &'static [CodeLine] {
        CODE
    }
}

#[cfg(test)]
mod tests {
    use kernels::methods::match_count::parallel_shift_add::parallel_shift_add;

    use super::super::LensName;
    use super::super::question::QuestionReply;
    use super::super::tests::{Case, cases, questions};
    use super::*;

    fn opened(case: &Case) -> StreamsLens {
        StreamsLens::new(&case.texts(), &LensSettings::parse(LensName::ParallelShiftAdd, "").unwrap())
    }

    #[test]
    fn each_stream_reads_the_symbols_of_the_method() {
        for case in cases(16, 60).into_iter().filter(|case| !case.a.is_empty() && case.a.len() <= case.b.len()) {
            let lens = opened(&case);
            let mut ticks = 0;
            let scores = parallel_shift_add(&case.a, &case.b, &mut |words| {
                ticks += words;
                Ok(())
            });
            // All streams together take |Σ_p|·⌈m/64⌉·n words, because each adds a word for each symbol.
            assert_eq!(lens.frame(lens.len()).counts[2].total, Some(ticks));
            assert_eq!(lens.frame(lens.len()).outcome, Some(LensOutcome::Scores(scores.unwrap())));
        }
    }

    #[test]
    fn expected_answers_agree_with_the_definition() {
        for case in cases(16, 60) {
            let lens = opened(&case);
            for (step, question) in (0..lens.len()).flat_map(|step| questions(&lens, step).into_iter().map(move |one| (step, one))) {
                let pairs = case.a.iter().zip(&case.b[step..]).filter(|(a, b)| a == b);
                let symbol = || match question.prompt.values[0].1.clone() {
                    SentenceValue::A(a) => case.a[a.start],
                    other => panic!("{other:?}"),
                };
                let expected = match question.prompt.key {
                    "question.ones" => pairs.filter(|(one, _)| **one == symbol()).count(),
                    "question.score" => pairs.count(),
                    "question.ones-of-text" => case.b[step..step + case.a.len()].iter().filter(|one| **one == symbol()).count(),
                    "question.taken-next" => step + case.a.len(),
                    "question.turns-of-one" => case.a.iter().collect::<std::collections::BTreeSet<_>>().len(),
                    other => panic!("{other}"),
                };
                assert_eq!(question.expected, QuestionReply::Number(expected as u64), "{:?}", question.prompt);
            }
        }
    }

    #[test]
    fn streams_of_figure_1_are_reproduced() {
        let lens = opened(&Case::new("abbac", "acbabbaccb"));
        assert_eq!(lens.len(), 6);
        assert_eq!((0..6).map(|offset| lens.ones(offset)).collect::<Vec<_>>()[3], [2, 2, 1]);
    }
}
