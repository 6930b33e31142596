use kernels::cpu::Cpu;
use kernels::event::TaskAnswer;
use kernels::job::{AlignmentMode, GapCosts, JobOptions, PublishedMatrix, Task};
use kernels::run::{NoObserver, Run};
use kernels::task::solver;
use kernels::text::ReadingOptions;

use super::*;

fn pair(a: &str, b: &str) -> Pair {
    Pair::parse(a.as_bytes(), b.as_bytes(), &ReadingOptions::default()).unwrap()
}

/// Scoring as EMBOSS calls 12 and 1.
fn blosum() -> Scoring {
    Scoring { matrix: Some(ScoringMatrix::BLOSUM62), gap: GapCosts { open: 11, extend: 1 }, ..Scoring::default() }
}

fn window(a: &str, b: &str, cigar: &str, scoring: &Scoring, from: u64, len: u64) -> PointsWindow {
    PointsWindow::new(&cigar.parse().unwrap(), &pair(a, b), scoring, from, len)
}

#[test]
fn gap_opens_in_its_first_column() {
    let scoring = Scoring { equal: 2, different: -3, gap: GapCosts { open: 5, extend: 2 }, ..Scoring::default() };
    let all = window("GATTACA", "GCTAGA", "1=1X2D1I1=1X1=", &scoring, 0, 99);
    assert_eq!(all, PointsWindow { from: 0, before: Points::ZERO, points: [2, -3, -7, -2, -7, 2, -3, 2].map(Points::whole).into() });
    let rest = window("GATTACA", "GCTAGA", "1=1X2D1I1=1X1=", &scoring, 3, 2);
    assert_eq!(rest, PointsWindow { from: 3, before: Points::whole(-8), points: [-2, -7].map(Points::whole).into() });
    assert_eq!(
        window("GATTACA", "GCTAGA", "1=1X2D1I1=1X1=", &scoring, 9, 2),
        PointsWindow { from: 8, before: Points::whole(-16), points: vec![] }
    );
}

#[test]
fn letters_score_by_the_matrix() {
    // X stands for the letter J, which has no row.
    let columns = window("LKWJ", "IRAW", "4X", &blosum(), 0, 9);
    assert_eq!(columns.points, [2, 2, -3, -2].map(Points::whole));
    let summary = PointsSummary::new(&"4X".parse().unwrap(), &pair("LKWJ", "IRAW"), &blosum());
    let sums = [summary.similar, summary.different, summary.a_itself, summary.b_itself];
    assert_eq!(sums, [4, -5, 4 + 5 + 11 - 1, 4 + 5 + 4 + 11].map(Points::whole));
    let said: Vec<_> = summary.pairs.iter().map(|pair| (&*pair.a, &*pair.b, pair.points.tenths(), pair.count, &pair.columns[..])).collect();
    assert_eq!(said, [("K", "R", 20, 1, &[1][..]), ("L", "I", 20, 1, &[0]), ("W", "A", -30, 1, &[2]), ("X", "W", -20, 1, &[3])]);
}

#[test]
fn pairs_list_their_first_columns() {
    let (text, scoring) = ("W".repeat(150), blosum());
    let summary = PointsSummary::new(&"150=".parse().unwrap(), &pair(&text, &text), &scoring);
    let [ww] = &summary.pairs[..] else { panic!("{:?}", summary.pairs) };
    assert_eq!((ww.count, ww.columns.len(), ww.columns.last()), (150, 100, Some(&99)));
    assert_eq!([summary.equal, summary.a_itself], [Points::whole(1_650); 2]);
}

/// Random texts over some letters of proteins and bases.
fn random(rng: &mut fastrand::Rng, letters: &[u8]) -> String {
    (0..rng.usize(0..60)).map(|_| char::from(letters[rng.usize(0..letters.len())])).collect()
}

#[test]
fn points_add_up_to_the_score_of_the_engine() {
    let mut rng = fastrand::Rng::with_seed(38);
    for round in 0..300 {
        let matrix =
            [None, Some(ScoringMatrix::BLOSUM62), Some(ScoringMatrix::NUC_4_4), Some(PublishedMatrix::PAM250.into())][round % 4].clone();
        let letters: &[u8] = if round % 3 == 0 { b"ACGTU" } else { b"LIVKRWJx" };
        let (a, b) = (random(&mut rng, letters), random(&mut rng, letters));
        let mode = [AlignmentMode::Global, AlignmentMode::Local][round % 2];
        let mut tenths = |most: i64| Points::from_tenths(rng.i64(0..most) * [10, 5, 1][round % 3]);
        let gap = GapPoints { open: tenths(12), extend: tenths(3) };
        let options = JobOptions { mode, matrix, gap, ..JobOptions::default() };
        let (pair, scoring) = (pair(&a, &b), options.scoring());
        let solution = solver(Task::SequenceAlignment).cpu(&Cpu::SINGLE, &pair, &options, &Run::new(&NoObserver)).unwrap();
        let alignment = solution.alignment.unwrap();
        let TaskAnswer::SequenceAlignment { score, .. } = solution.answer else { panic!("{:?}", solution.answer) };
        let summary = PointsSummary::new(&alignment, &pair, &scoring);
        let case = format!("{a} {b} {options:?} {alignment}");
        assert_eq!(summary.by_kind().into_iter().sum::<Points>(), score, "{case}");
        let from = rng.u64(0..=alignment.summary().columns);
        let rest = PointsWindow::new(&alignment, &pair, &scoring, from, u64::MAX);
        assert_eq!(rest.before + rest.points.iter().sum::<Points>(), score, "{case} from {from}");
    }
}
