//! Sequence alignment: every engine that each machine has agrees with the oracle, and options that do not fit are
//! refused.

use std::collections::HashSet;

use kernels::alignment::{Alignment, ScoredColumns, SymbolRange};
use kernels::engine::{Cpu, Engine};
use kernels::event::TaskAnswer;
use kernels::job::{
    AlignmentMode, CustomMatrix, FreeEnds, GapPlacement, GapPoints, JobOptions, JobRequest, Points, PublishedMatrix, Scoring,
    ScoringMatrix, Task, Unit,
};
use kernels::run::{NoObserver, Run};
use kernels::task::Solution;
use kernels::text::{Pair, Text, TextSymbols};
use oracle::serial::sequence_alignment::align_positions;
use oracle::{agree, bytes, mutated, processors, random};
use proptest::prelude::*;

use crate::tasks::EDGES;

const PLAIN: JobOptions = JobOptions::DEFAULT;

/// Returns options with the points of equal and of different symbols, and the costs of gaps.
fn points(equal: i32, different: i32, open: i32, extend: i32) -> JobOptions {
    JobOptions { equal: equal.into(), different: different.into(), gap: GapPoints::whole(open, extend), ..PLAIN }
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
    let most = Scoring::MAX as i32;
    let table = [
        PLAIN,
        points(5, -4, 10, 1),
        points(1, 0, 0, 0),
        points(-1, 2, 3, 1),
        points(0, 0, 0, 1),
        points(most, -most, most, most),
        points(-most, most, 0, 0),
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
        for options in modes(JobOptions { matrix: Some(matrix.into()), gap: GapPoints::whole(11, 1), ..PLAIN }) {
            check(&bytes(&a, &b), &options);
        }
    }
}

/// Rows and columns of the matrices differ, so that an engine that exchanges the texts gives another answer.
#[test]
fn custom_matrices_agree_with_the_oracle_in_every_mode() {
    let letters: Vec<u8> = (b'!'..=b'~').filter(|letter| *letter != b'#').collect();
    for (seed, (size, most)) in (0..).zip([(1, 5), (2, 9), (4, 1_000), (8, 3), (9, 60), (26, 20), (33, 1_000), (64, 7), (93, 130)]) {
        let letters = &letters[..size];
        let points: Vec<i32> = random(&(-most..=most).collect::<Vec<i32>>(), size * size, seed);
        let matrix = CustomMatrix::new(String::from_utf8(letters.to_vec()).unwrap(), points.iter().copied()).unwrap();
        let tenths = points.into_iter().map(|tenths| Points::from_tenths(tenths.into()));
        let with_decimals = CustomMatrix::new(String::from_utf8(letters.to_vec()).unwrap(), tenths).unwrap();
        let a = random(letters, 70, seed + 100);
        let b = mutated(&a, letters, 0.3, seed + 200);
        for gap in [GapPoints::whole(11, 1), GapPoints::whole(0, 40), GapPoints::whole(1_000, 0)] {
            for options in modes(JobOptions { matrix: Some(matrix.clone().into()), gap, ..PLAIN }) {
                check(&bytes(&a, &b), &options);
            }
        }
        for gap in [GapPoints::whole(11, 1), GapPoints { open: Points::ZERO, extend: Points::from_tenths(5) }] {
            for options in modes(JobOptions { matrix: Some(with_decimals.clone().into()), gap, ..PLAIN }) {
                check(&bytes(&a, &b), &options);
            }
        }
    }
}

/// EMBOSS counts 10 and 0.5 for the first and each further symbol of a gap, the tutorial of Biopython 0.5 and 0.1.
#[test]
fn points_with_decimals_agree_with_the_oracle_in_every_mode() {
    let tenths = |[equal, different, open, extend]: [i64; 4]| {
        let gap = GapPoints { open: Points::from_tenths(open), extend: Points::from_tenths(extend) };
        JobOptions { equal: Points::from_tenths(equal), different: Points::from_tenths(different), gap, ..PLAIN }
    };
    let numbers = [[50, -40, 95, 5], [10, 0, 4, 1], [12, -8, 0, 6], [1_000, -999, 1_000, 1], [-3, 7, 15, 0]];
    for (seed, options) in (0..).zip(numbers.map(tenths)) {
        let a = random(b"ACGT", 60, seed);
        let b = mutated(&a, b"ACGT", 0.3, seed + 50);
        let matrices =
            [ScoringMatrix::BLOSUM62, ScoringMatrix::NUC_4_4].map(|matrix| JobOptions { matrix: Some(matrix), gap: options.gap, ..PLAIN });
        for options in matrices.into_iter().chain([options]).flat_map(modes) {
            check(&bytes(&a, &b), &options);
        }
    }
    let options = tenths([50, -40, 95, 5]);
    let options = JobOptions { mode: AlignmentMode::Local, pieces: 4, ..options };
    let repeated = random(b"ACGT", 30, 7);
    let (a, b) = ([&repeated[..], b"TTTTTTTT", &repeated[3..]].concat(), [&repeated[..20], b"GGGGGGGG", &repeated[..28]].concat());
    assert!(check_pieces(&bytes(&a, &b), &Engine::Cpu(Cpu::SINGLE), &options) > 1);
}

/// Scores of `needle` (with costs of end gaps) and of `water`, of EMBOSS 6.6 with `-gapopen 10 -gapextend 0.5`.
#[test]
fn scores_are_those_of_emboss() {
    let gap = GapPoints { open: Points::from_tenths(95), extend: Points::from_tenths(5) };
    let protein = JobOptions { matrix: Some(ScoringMatrix::BLOSUM62), gap, ..PLAIN };
    let score = |options: &JobOptions, [a, b]: [&[u8]; 2]| match solve(&bytes(a, b), options).answer {
        TaskAnswer::SequenceAlignment { score, .. } => score.to_string(),
        other => panic!("{other:?}"),
    };
    let proteins: [&[u8]; 2] = [b"MKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQ", b"MKTAYIRQRQISFVKSHFSGQLERLGLIEVQAPILSRV"];
    let dna: [&[u8]; 2] = [b"GATTACAGATTACAGGGATTACA", b"GATACAGATTTACAGATTACCA"];
    let bases = JobOptions { matrix: Some(ScoringMatrix::NUC_4_4), ..protein.clone() };
    let local = |options: &JobOptions| JobOptions { mode: AlignmentMode::Local, ..options.clone() };
    assert_eq!([score(&protein, proteins), score(&bases, dna)], ["108", "59.5"]);
    assert_eq!([score(&local(&protein), proteins), score(&local(&bases), dna)], ["121", "64.5"]);
}

/// Lists the pairs of positions of an alignment.
fn pairs_of(alignment: &Alignment) -> Vec<(usize, usize)> {
    let (mut a, mut b) = (alignment.a_start() as usize, alignment.b_start() as usize);
    let mut pairs = Vec::new();
    for stretch in alignment.cigar_ops() {
        let (rows, columns) = stretch.edit.consumed_symbols();
        for _ in 0..stretch.len {
            if rows + columns == 2 {
                pairs.push((a, b));
            }
            (a, b) = (a + rows as usize, b + columns as usize);
        }
    }
    pairs
}

/// Checks that each piece is the best one without the pairs of all better pieces.
fn check_pieces(pair: &Pair, engine: &Engine, options: &JobOptions) -> usize {
    let scoring = options.scoring();
    let solution = agree(engine, Task::SequenceAlignment, pair, options);
    let TaskAnswer::SequenceAlignment { next, .. } = solution.answer else { panic!("{:?}", solution.answer) };
    let mut taken: HashSet<(usize, usize)> = pairs_of(&solution.alignment.unwrap()).into_iter().collect();
    let number = |text: &TextSymbols, at: usize| text.symbol_at(at);
    let is_equal = |i: usize, j: usize| number(pair.a_symbols(), i) == number(pair.b_symbols(), j);
    let letters = |text: &Text, at: usize| text.display_unit(at).chars().next().unwrap();
    for number in 0..options.pieces as usize - 1 {
        let points = |i: usize, j: usize| {
            let points = match &scoring.matrix {
                Some(matrix) => scoring.units(matrix.points(letters(&pair.a, i), letters(&pair.b, j))),
                None if is_equal(i, j) => scoring.equal,
                None => scoring.different,
            };
            (!taken.contains(&(i, j))).then_some(i64::from(points))
        };
        let expected = align_positions([pair.a_symbols().len(), pair.b_symbols().len()], &points, &is_equal, &scoring);
        let Some(piece) = next.get(number) else {
            assert_eq!(expected.score, 0, "{number} of {options:?}");
            return number;
        };
        assert_eq!(
            (piece.score, piece.a, piece.b),
            (scoring.points(expected.score), expected.a.into(), expected.b.into()),
            "{number} of {options:?}"
        );
        let alignment = piece.cigar.as_ref().unwrap().parse::<Alignment>().unwrap().starting_at(piece.a.start, piece.b.start);
        let (sum, columns) = alignment.score_in(pair, &scoring).unwrap();
        assert_eq!((sum, columns, alignment.summary()), (piece.score, piece.scored, piece.alignment), "{number}");
        for pair in pairs_of(&alignment) {
            assert!(taken.insert(pair), "{pair:?} belongs to two pieces: {number} of {options:?}");
        }
    }
    next.len()
}

#[test]
fn each_piece_is_the_best_without_the_pairs_of_better_ones() {
    let mut found = 0;
    for seed in 0..150u64 {
        let letters = &b"ACGT"[..2 + seed as usize % 3];
        let repeated = random(letters, 5 + seed as usize % 20, seed);
        let a = [random(letters, seed as usize % 15, seed + 1), repeated.clone(), random(letters, 9, seed + 2), repeated.clone()].concat();
        let b = [mutated(&repeated, letters, 0.2, seed + 3), random(letters, seed as usize % 11, seed + 4), repeated].concat();
        let gap = [GapPoints::whole(2, 1), GapPoints::whole(0, 2), GapPoints::whole(20, 0)][seed as usize % 3];
        let matrix = (seed % 5 == 0).then_some(ScoringMatrix::NUC_4_4);
        let points = if matrix.is_some() { PLAIN } else { JobOptions { equal: Points::whole(2), different: Points::whole(-3), ..PLAIN } };
        let gaps = if seed % 2 == 0 { GapPlacement::Leftmost } else { GapPlacement::Rightmost };
        let options = JobOptions { mode: AlignmentMode::Local, pieces: 7, gap, matrix, gaps, ..points };
        found += check_pieces(&bytes(&a, &b), &Engine::Cpu(Cpu { threads: 1 + seed as usize % 2 }), &options);
    }
    assert!(found > 500, "{found}");
}

/// The matrices have many tiles, and the pieces cross their edges.
#[test]
fn pieces_of_long_texts_agree_with_the_oracle() {
    for (seed, equal) in [(1, 2), (2, 900)] {
        let repeated = random(b"ACGT", 300, seed);
        let a = [&repeated[..], &random(b"ACGT", 100, seed + 1), &mutated(&repeated, b"ACGT", 0.05, seed + 2)].concat();
        let b = [mutated(&repeated, b"ACGT", 0.1, seed + 3), repeated].concat();
        let options = JobOptions { mode: AlignmentMode::Local, pieces: 5, ..points(equal, -3, 5, 2) };
        assert_eq!(check_pieces(&bytes(&a, &b), &Engine::Cpu(Cpu { threads: 2 }), &options), 4);
    }
}

/// The gap of `a` could move over a pair of different symbols, but not without other points.
#[test]
fn gaps_move_only_over_pairs_with_equal_points() {
    let left = |has_equal_points: bool| {
        let alignment: Alignment = "1=1X1D1=".parse().unwrap();
        let keeps_column = |[x, y]: [&u8; 2], [u, v]: [&u8; 2]| (x == y) == (u == v) && (x == y || has_equal_points);
        alignment.with_scored_gaps(GapPlacement::Leftmost, b"ABCD", b"AXD", keeps_column).to_string()
    };
    assert_eq!((left(true).as_str(), left(false).as_str()), ("1=1D1X1=", "1=1X1D1="));
}

/// A gap in one text may follow a gap in the other, and each is opened.
#[test]
fn neighbouring_gaps_in_both_texts_are_counted_twice() {
    let Solution { answer, alignment, .. } = solve(&bytes(b"ACCCT", b"AGGGT"), &points(5, -9, 2, 1));
    let TaskAnswer::SequenceAlignment { score, scored, .. } = answer else { panic!("{answer:?}") };
    assert_eq!((score, alignment.unwrap().to_string().as_str()), (Points::ZERO, "1=3I3D1="));
    assert_eq!(scored, Some(ScoredColumns { positives: 2, gaps: 6, gap_openings: 2 }));
}

#[test]
fn pieces_have_their_positions() {
    let pair = bytes(b"TTTGATTACAGG", b"CCGATACACC");
    let local = JobOptions { mode: AlignmentMode::Local, ..points(2, -3, 2, 1) };
    let Solution { answer, alignment, .. } = solve(&pair, &local);
    let alignment = alignment.unwrap();
    let TaskAnswer::SequenceAlignment { score, a, b, .. } = answer else { panic!("{answer:?}") };
    assert_eq!((score, a, b), (Points::from(9), SymbolRange { start: 3, end: 10 }, SymbolRange { start: 2, end: 8 }));
    assert_eq!((alignment.to_string().as_str(), alignment.a_start(), alignment.b_start()), ("2=1D4=", 3, 2));
    let unequal = solve(&bytes(b"AAAA", b"CCCC"), &local);
    let TaskAnswer::SequenceAlignment { score, a, b, .. } = unequal.answer else { panic!("{:?}", unequal.answer) };
    assert_eq!((score, a.len(), b.len(), unequal.alignment), (Points::ZERO, 0, 0, Some(Alignment::default())));
}

#[test]
fn score_is_computed_again_from_columns() {
    let pair = bytes(b"GATTACA", b"GATACA");
    let scoring = points(5, -4, 10, 1).scoring();
    let of = |cigar: &str| cigar.parse::<Alignment>().unwrap().score_in(&pair, &scoring).map(|(sum, _)| sum);
    assert_eq!(of("2=1D4="), Ok(Points::from(19)));
    assert!(of("7=").is_err() && of("3=1D3=1=").is_err());
}

#[test]
fn options_that_do_not_fit_are_refused() {
    let refused = |options: JobOptions, task: Task| options.check(task).map_err(|failure| failure.to_string()).unwrap_err();
    let sequence = |options| refused(options, Task::SequenceAlignment);
    let blosum = JobOptions { matrix: Some(ScoringMatrix::BLOSUM62), ..PLAIN };
    assert_eq!(blosum.check(Task::SequenceAlignment), Ok(()));
    for (options, expected) in [
        (JobOptions { equal: Points::whole(1_001), ..PLAIN }, "match is 1001; it must be from -1000 to 1000."),
        (JobOptions { different: Points::whole(-1_001), ..PLAIN }, "mismatch is -1001; it must be from -1000 to 1000."),
        (points(1, -1, 1_001, 0), "gap.open is 1001; it must be from 0 to 1000."),
        (points(1, -1, 0, -1), "gap.extend is -1; it must be from 0 to 1000."),
        (
            JobOptions { equal: Points::from_tenths(1_005), ..PLAIN },
            "match is 100.5; it must be from -100 to 100, because some points have decimals.",
        ),
        (
            JobOptions { gap: GapPoints { open: Points::from(101), extend: Points::from_tenths(5) }, ..PLAIN },
            "gap.open is 101; it must be from 0 to 100, because some points have decimals.",
        ),
        (
            JobOptions {
                matrix: Some(CustomMatrix::new("A".into(), vec![-101]).unwrap().into()),
                gap: GapPoints { open: Points::ZERO, extend: Points::from_tenths(5) },
                ..PLAIN
            },
            "The matrix has 101 points; they must be from -100 to 100, because some points have decimals.",
        ),
        (
            JobOptions {
                matrix: Some(CustomMatrix::new("A".into(), [Points::from_tenths(5)]).unwrap().into()),
                gap: GapPoints::whole(101, 1),
                ..PLAIN
            },
            "gap.open is 101; it must be from 0 to 100, because some points have decimals.",
        ),
        (
            JobOptions { equal: Points::whole(2), ..blosum.clone() },
            "The matrix has the points of all pairs. Leave out match and mismatch, or matrix.",
        ),
        (JobOptions { pieces: 2, ..PLAIN }, "pieces is an option of the mode local."),
        (JobOptions { pieces: 0, mode: AlignmentMode::Local, ..PLAIN }, "pieces is 0; it must be from 1 to 100."),
        (JobOptions { pieces: 101, mode: AlignmentMode::Local, ..PLAIN }, "pieces is 101; it must be from 1 to 100."),
        (
            JobOptions { pieces: 2, mode: AlignmentMode::Local, alignment: false, ..PLAIN },
            "pieces needs alignment, because each piece leaves out the pairs of better ones. Leave out pieces, or set alignment to true.",
        ),
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
        (JobOptions { equal: Points::whole(2), ..PLAIN }, "match"),
        (JobOptions { different: Points::whole(2), ..PLAIN }, "mismatch"),
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
        a in "[abcd]{0,40}", b in "[abcd]{0,40}", equal in -3i32..6, different in -6i32..3, open in 0i32..8, extend in 0i32..4, kind in 0usize..18,
    ) {
        check(&bytes(a.as_bytes(), b.as_bytes()), &modes(points(equal, different, open, extend))[kind]);
    }
}
