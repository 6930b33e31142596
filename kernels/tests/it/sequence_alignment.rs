//! Sequence alignment: every engine that each machine has agrees with the oracle, and options that do not fit are
//! refused.

use kernels::alignment::{Alignment, ScoredColumns, SymbolRange};
use kernels::engine::{Cpu, Engine};
use kernels::event::TaskAnswer;
use kernels::job::{
    AlignmentMode, CustomMatrix, FreeEnds, GapCosts, GapPlacement, JobOptions, JobRequest, PublishedMatrix, Scoring, ScoringMatrix, Task,
    Unit,
};
use kernels::run::{NoObserver, Run};
use kernels::task::Solution;
use kernels::text::Pair;
use oracle::{agree, bytes, mutated, processors, random};
use proptest::prelude::*;

use crate::tasks::EDGES;

const PLAIN: JobOptions = JobOptions::DEFAULT;

/// Returns options with the points of equal and of different symbols, and the costs of gaps.
fn points(equal: i32, different: i32, open: u32, extend: u32) -> JobOptions {
    JobOptions { equal, different, gap: GapCosts { open, extend }, ..PLAIN }
}

/// Returns all modes of `options`, with every choice of free ends.
fn modes(options: JobOptions) -> Vec<JobOptions> {
    let free = (0..16).map(|ends| {
        let has = |end: u32| ends >> end & 1 == 1;
        FreeEnds { a_start: has(0), a_end: has(1), b_start: has(2), b_end: has(3) }
    });
    let semi = free.map(|free_ends| JobOptions { mode: AlignmentMode::SemiGlobal, free_ends, ..options.clone() });
    semi.chain([options.clone(), JobOptions { mode: AlignmentMode::Local, ..options.clone() }]).collect()
}

fn check(pair: &Pair, options: &JobOptions) {
    for alignment in [false, true] {
        let options = JobOptions { alignment, ..options.clone() };
        processors().iter().for_each(|engine| drop(agree(engine, Task::SequenceAlignment, pair, &options)));
    }
}

fn solve(pair: &Pair, options: &JobOptions) -> Solution {
    Engine::Cpu(Cpu::SINGLE).run(Task::SequenceAlignment, options, pair, &Run::new(&NoObserver)).unwrap()
}

#[test]
fn edge_cases_agree_with_the_oracle_in_every_mode() {
    let most = Scoring::MAX;
    let table = [
        PLAIN,
        points(5, -4, 10, 1),
        points(1, 0, 0, 0),
        points(-1, 2, 3, 1),
        points(0, 0, 0, 1),
        points(most as i32, -(most as i32), most, most),
        points(-(most as i32), most as i32, 0, 0),
    ];
    for options in table.into_iter().flat_map(modes) {
        EDGES.iter().for_each(|(a, b)| check(&bytes(a, b), &options));
    }
}

#[test]
fn wide_symbols_agree_with_the_oracle() {
    let letters: Vec<char> = ('\u{4e00}'..).take(900).collect();
    let text: Vec<char> = random(&letters, 130, 1);
    let edited = mutated(&text, &letters, 0.2, 2);
    let [a, b] = [text, edited].map(|text| text.into_iter().collect::<String>().into_bytes());
    for options in modes(points(2, -3, 4, 1)) {
        let options = JobOptions { unit: Unit::Chars, ..options };
        check(&Pair::parse(a.clone(), b.clone(), &options.reading()).unwrap(), &options);
    }
}

#[test]
fn matrices_agree_with_the_oracle_in_every_mode() {
    let residues = b"ARNDCQEGHILKMFPSTWYVBZX*arndUJ1";
    for (seed, matrix) in (0..).zip(PublishedMatrix::all()) {
        let letters: &[u8] = if matrix == PublishedMatrix::NUC_4_4 { b"ACGTUNRYacgt-" } else { residues };
        let a = random(letters, 50, seed);
        let b = mutated(&a, letters, 0.3, seed + 1);
        for options in modes(JobOptions { matrix: Some(matrix.into()), gap: GapCosts { open: 11, extend: 1 }, ..PLAIN }) {
            check(&bytes(&a, &b), &options);
        }
    }
}

/// Rows and columns of the matrices differ, so that an engine that exchanges the texts gives another answer.
#[test]
fn custom_matrices_agree_with_the_oracle_in_every_mode() {
    let letters: Vec<u8> = (b'!'..=b'~').collect();
    for (seed, (size, most)) in (0..).zip([(1, 5), (2, 9), (4, 1_000), (8, 3), (9, 60), (26, 20), (33, 1_000), (64, 7), (94, 130)]) {
        let letters = &letters[..size];
        let points: Vec<i16> = random(&(-most..=most).collect::<Vec<i16>>(), size * size, seed);
        let matrix = CustomMatrix::new(String::from_utf8(letters.to_vec()).unwrap(), points).unwrap();
        let a = random(letters, 70, seed + 100);
        let b = mutated(&a, letters, 0.3, seed + 200);
        for gap in [GapCosts { open: 11, extend: 1 }, GapCosts { open: 0, extend: 40 }, GapCosts { open: 1_000, extend: 0 }] {
            for options in modes(JobOptions { matrix: Some(matrix.clone().into()), gap, ..PLAIN }) {
                check(&bytes(&a, &b), &options);
            }
        }
    }
}

/// The gap of `a` could move over a pair of different symbols, but not without other points.
#[test]
fn gaps_move_only_over_pairs_with_equal_points() {
    let left = |has_equal_points: bool| {
        let alignment: Alignment = "1=1X1D1=".parse().unwrap();
        alignment.with_scored_gaps(GapPlacement::Leftmost, b"ABCD", b"AXD", |_, _| has_equal_points).to_string()
    };
    assert_eq!((left(true).as_str(), left(false).as_str()), ("1=1D1X1=", "1=1X1D1="));
}

/// A gap in one text may follow a gap in the other, and each is opened.
#[test]
fn neighbouring_gaps_in_both_texts_are_counted_twice() {
    let Solution { answer, alignment, .. } = solve(&bytes(b"ACCCT", b"AGGGT"), &points(5, -9, 2, 1));
    let TaskAnswer::SequenceAlignment { score, scored, .. } = answer else { panic!("{answer:?}") };
    assert_eq!((score, alignment.unwrap().to_string().as_str()), (0, "1=3I3D1="));
    assert_eq!(scored, Some(ScoredColumns { positives: 2, gaps: 6, gap_openings: 2 }));
}

#[test]
fn pieces_have_their_positions() {
    let pair = bytes(b"TTTGATTACAGG", b"CCGATACACC");
    let local = JobOptions { mode: AlignmentMode::Local, ..points(2, -3, 2, 1) };
    let Solution { answer, alignment, .. } = solve(&pair, &local);
    let alignment = alignment.unwrap();
    let TaskAnswer::SequenceAlignment { score, a, b, .. } = answer else { panic!("{answer:?}") };
    assert_eq!((score, a, b), (9, SymbolRange { start: 3, end: 10 }, SymbolRange { start: 2, end: 8 }));
    assert_eq!((alignment.to_string().as_str(), alignment.a_start(), alignment.b_start()), ("2=1D4=", 3, 2));
    let unequal = solve(&bytes(b"AAAA", b"CCCC"), &local);
    let TaskAnswer::SequenceAlignment { score, a, b, .. } = unequal.answer else { panic!("{:?}", unequal.answer) };
    assert_eq!((score, a.len(), b.len(), unequal.alignment), (0, 0, 0, Some(Alignment::default())));
}

#[test]
fn score_is_computed_again_from_columns() {
    let pair = bytes(b"GATTACA", b"GATACA");
    let scoring = points(5, -4, 10, 1).scoring();
    let of = |cigar: &str| cigar.parse::<Alignment>().unwrap().score_in(&pair, &scoring).map(|sum| sum.score);
    assert_eq!(of("2=1D4="), Ok(19));
    assert!(of("7=").is_err() && of("3=1D3=1=").is_err());
}

#[test]
fn options_that_do_not_fit_are_refused() {
    let refused = |options: JobOptions, task: Task| options.check(task).map_err(|failure| failure.to_string()).unwrap_err();
    let sequence = |options| refused(options, Task::SequenceAlignment);
    let blosum = JobOptions { matrix: Some(ScoringMatrix::BLOSUM62), ..PLAIN };
    assert_eq!(blosum.check(Task::SequenceAlignment), Ok(()));
    for (options, expected) in [
        (JobOptions { equal: 1_001, ..PLAIN }, "match is 1001; it must be from -1000 to 1000."),
        (JobOptions { different: -1_001, ..PLAIN }, "mismatch is -1001; it must be from -1000 to 1000."),
        (points(1, -1, 1_001, 0), "gap.open is 1001; it must be from 0 to 1000."),
        (points(1, -1, 0, u32::MAX), "gap.extend is 4294967295; it must be from 0 to 1000."),
        (JobOptions { equal: 2, ..blosum.clone() }, "The matrix has the points of all pairs. Leave out match and mismatch, or matrix."),
        (JobOptions { free_ends: FreeEnds::FIT, ..PLAIN }, "free_ends is an option of the mode semi-global."),
        (
            JobOptions { unit: Unit::Words, ..blosum.clone() },
            "A matrix has points of letters, not of words. Choose another unit, or leave out matrix.",
        ),
        (
            JobOptions { max_distance: Some(1), ..PLAIN },
            "sequence-alignment has no option max_distance. edit-distance, approximate-search have it.",
        ),
        (
            JobOptions { method: Some(kernels::job::PaperMethod::Hirschberg), ..PLAIN },
            "sequence-alignment has no methods. Leave out the method hirschberg.",
        ),
    ] {
        assert_eq!(sequence(options), expected);
    }
    for (options, name) in [
        (JobOptions { mode: AlignmentMode::Local, ..PLAIN }, "mode"),
        (JobOptions { equal: 2, ..PLAIN }, "match"),
        (JobOptions { different: 2, ..PLAIN }, "mismatch"),
        (blosum, "matrix"),
        (points(1, -1, 5, 1), "gap"),
    ] {
        let expected = format!("edit-distance has no option {name}. sequence-alignment has it.");
        assert_eq!(refused(options, Task::EditDistance), expected);
    }
}

#[test]
fn options_have_the_names_of_the_field() {
    let given = r#"{"task": "sequence-alignment", "options": {"mode": "semi-global", "free_ends": ["b-start", "b-end"], "match": 5,
        "mismatch": -4, "gap": {"open": 10}}, "a": {"text": "a"}, "b": {"text": "b"}}"#;
    let JobRequest { options, .. } = serde_json::from_str(given).unwrap();
    assert_eq!(options, JobOptions { mode: AlignmentMode::SemiGlobal, free_ends: FreeEnds::FIT, ..points(5, -4, 10, 1) });
    let written = serde_json::to_value(options).unwrap();
    assert_eq!(written["free_ends"], serde_json::json!(["b-start", "b-end"]));
    assert_eq!((&written["match"], &written["gap"]["extend"]), (&serde_json::json!(5), &serde_json::json!(1)));
    let plain = serde_json::to_value(PLAIN).unwrap();
    assert!(["mode", "free_ends", "match", "mismatch", "matrix", "gap"].iter().all(|name| plain.get(name).is_none()), "{plain}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn random_texts_agree_with_the_oracle(
        a in "[abcd]{0,40}", b in "[abcd]{0,40}", equal in -3i32..6, different in -6i32..3, open in 0u32..8, extend in 0u32..4, kind in 0usize..18,
    ) {
        check(&bytes(a.as_bytes(), b.as_bytes()), &modes(points(equal, different, open, extend))[kind]);
    }
}
