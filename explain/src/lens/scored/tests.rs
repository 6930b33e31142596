//! Tests of the lenses of scores.

use kernels::alignment::Alignment;
use kernels::job::{FreeEnds, GapCosts, Scoring};
use oracle::serial::sequence_alignment;

use super::super::question::QuestionReply;
use super::super::tests::{Case, cases, questions, said};
use super::*;

fn scorings() -> Vec<Scoring> {
    let semi_global = |free_ends| Scoring { mode: AlignmentMode::SemiGlobal, free_ends, ..Scoring::DEFAULT };
    let modes = [
        Scoring::DEFAULT,
        Scoring { mode: AlignmentMode::Local, ..Scoring::DEFAULT },
        semi_global(FreeEnds::FIT),
        semi_global(FreeEnds::OVERLAP),
    ];
    let gaps = [GapCosts { open: 0, extend: 2 }, GapCosts { open: 2, extend: 1 }];
    let whole = modes.into_iter().flat_map(|mode| gaps.map(|gap| Scoring { equal: 2, different: -1, gap, ..mode.clone() }));
    // In halves of points.
    let with_decimals = Scoring { equal: 3, different: -1, gap: GapCosts { open: 5, extend: 1 }, scale: 2, ..Scoring::DEFAULT };
    whole.chain([with_decimals]).collect()
}

fn lens(case: &Case, scoring: Scoring) -> ScoredLens {
    ScoredLens::new(&LensTexts { scoring, ..case.texts() }).unwrap()
}

#[test]
fn outcome_is_that_of_the_oracle_in_every_mode() {
    for case in cases(12, 12) {
        for scoring in scorings() {
            let LensTexts { a, b, .. } = case.texts();
            let points = |x: u32, y: u32| i64::from(if x == y { scoring.equal } else { scoring.different });
            let expected = sequence_alignment::align(&a, &b, &points, &scoring);
            let lens = lens(&case, scoring.clone());
            let LensOutcome::Scored { score, a, b, edits } = lens.outcome() else { panic!("expected a score") };
            let range = |range: std::ops::Range<usize>| range.start as u64..range.end as u64;
            assert_eq!(
                (score, range(a), range(b)),
                (scoring.points(expected.score), expected.a.clone(), expected.b.clone()),
                "{scoring:?}"
            );
            let mut alignment = Alignment::default();
            edits.iter().for_each(|edit| alignment.push(*edit, 1));
            let alignment = alignment.starting_at(expected.a.start, expected.b.start);
            assert_eq!(alignment.score_in(&case.pair(), &scoring).map(|(sum, _)| sum), Ok(score), "{scoring:?}");
        }
    }
}

#[test]
fn expected_answers_follow_from_the_sums() {
    for case in cases(8, 8).into_iter().take(60) {
        for scoring in scorings() {
            let lens = lens(&case, scoring);
            for (step, question) in (0..lens.len()).flat_map(|step| questions(&lens, step).into_iter().map(move |one| (step, one))) {
                let node = |layer: MatrixLayer| layer.at(MatrixCell { i: said(&question.prompt, "i"), j: said(&question.prompt, "j") });
                let value = |layer| lens.matrix.value(node(layer)).number().unwrap();
                let best = || question.sums.iter().map(PanelSum::total).max();
                match question.prompt.key {
                    "question.value" | "question.value-m" => assert_eq!(best(), Some(value(MatrixLayer::Main))),
                    "question.value-d" => assert_eq!(best(), Some(value(MatrixLayer::Deletions))),
                    "question.value-i" => assert_eq!(best(), Some(value(MatrixLayer::Insertions))),
                    "question.which-sum" | "question.layer-m" | "question.layer-d" | "question.layer-i" => {
                        let winners: Vec<_> = question.sums.iter().filter(|sum| Some(sum.total()) == best()).map(|sum| sum.key).collect();
                        assert_eq!(vec![question.expected.clone()], winners.into_iter().map(QuestionReply::Key).collect::<Vec<_>>());
                    }
                    "question.next-cell" | "question.from-layer" => {
                        let frame = lens.frame(step);
                        let PanelBody::Tapes(before) = &frame.panels.last().unwrap().body else { panic!("expected rows") };
                        assert_eq!(before.tapes[0].cells.len(), lens.columns(step));
                        assert!(question.sums.iter().filter(|sum| sum.mark == Some(LensMark::Chosen)).count() == 1);
                    }
                    "question.best-end" => {
                        let QuestionReply::Cells(cells) = &question.expected else { panic!("expected cells") };
                        let end = MatrixCell { i: cells[0].0, j: cells[0].1 };
                        assert!(lens.matrix.cells().all(|cell| cell == end || lens.matrix.value(cell) < lens.matrix.value(end)));
                    }
                    other => panic!("{other}"),
                }
            }
        }
    }
}

#[test]
fn worked_example_has_the_layers_of_its_drawing() {
    let scoring = Scoring { equal: 2, different: -1, gap: GapCosts { open: 2, extend: 1 }, ..Scoring::DEFAULT };
    let lens = lens(&Case::new("GCTTAGC", "GCAGTC"), scoring);
    // The cell [4, 2], in row 4 of 6 columns.
    let frame = lens.frame(3 * 6 + 2);
    assert_eq!(said_signed(&frame.sentences[0], "delete"), Points::ZERO);
    let PanelBody::Sums(sums) = &frame.panels[4].body else { panic!("expected sums") };
    let shown: Vec<_> = sums.iter().map(|sum| (sum.key, sum.total(), sum.mark)).collect();
    let expected = [("layer.m", -5, None), ("layer.i", -8, None), ("layer.d", 0, Some(LensMark::Chosen))];
    assert_eq!(shown, expected.map(|(key, sum, mark)| (key, Points::whole(sum), mark)));
    assert_eq!(lens.score(), Points::whole(3));
}

fn said_signed(said: &LensSentence, key: &str) -> Points {
    match said.values.iter().find(|(name, _)| *name == key) {
        Some((_, SentenceValue::Signed(number))) => *number,
        other => panic!("{key}: {other:?}"),
    }
}
