//! Compares matrices of scores with the oracle and the engine, and their optimal alignments with all alignments.

use std::collections::BTreeSet;

use kernels::alignment::EditKind;
use kernels::engine::{Cpu, Engine};
use kernels::event::TaskAnswer;
use kernels::job::{FreeEnds, JobOptions};
use kernels::run::{NoObserver, Run};
use oracle::{bytes, mutated, random, serial};

use super::*;
use crate::matrix::START_BIT;
use crate::matrix::big_uint::BigUint;
use crate::matrix::optimal::{self, OptimalAlignmentCounts};
use crate::matrix::order::FillOrder;

fn numbers(text: &[u8]) -> Vec<u32> {
    text.iter().copied().map(u32::from).collect()
}

fn filled(scoring: Scoring, a: &[u8], b: &[u8]) -> DpMatrix {
    DpMatrix::with_scoring(scoring, SymbolMatch::Equal, numbers(a), numbers(b), |symbol| char::from(symbol as u8)).unwrap()
}

/// Returns the points of two bytes.
fn points(scoring: &Scoring, x: u8, y: u8) -> i64 {
    i64::from(match &scoring.matrix {
        Some(matrix) => scoring.units(matrix.points(char::from(x), char::from(y))),
        None if x == y => scoring.equal,
        None => scoring.different,
    })
}

/// Returns the scoring of the case `seed`: all modes and free ends, linear and affine gaps, and matrices.
fn scoring_of(seed: u64) -> Scoring {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mode = [AlignmentMode::Global, AlignmentMode::Local, AlignmentMode::SemiGlobal][seed as usize % 3];
    let free_ends = FreeEnds { a_start: rng.bool(), a_end: rng.bool(), b_start: rng.bool(), b_end: rng.bool() };
    let free_ends = if mode == AlignmentMode::SemiGlobal { free_ends } else { FreeEnds::NONE };
    let gap = GapCosts { open: [0, 0, 1, 2, 5][rng.usize(..5)], extend: [0, 1, 1, 2][rng.usize(..4)] };
    let (equal, different) = [(1, -1), (2, -1), (3, -3), (1, 0), (-1, 2), (1000, -1000)][rng.usize(..6)];
    let matrix = [None, None, None, Some(ScoringMatrix::BLOSUM62), Some(ScoringMatrix::NUC_4_4)][rng.usize(..5)].clone();
    // Halves and tenths of points must be at most 100.
    let scale = if equal == 1000 { 1 } else { [1, 1, 2, 10][rng.usize(..4)] };
    let scoring = Scoring { mode, free_ends, gap, scale, ..Scoring::DEFAULT };
    if matrix.is_some() {
        Scoring { matrix, equal: scale as i32, different: -(scale as i32), ..scoring }
    } else {
        Scoring { equal, different, ..scoring }
    }
}

/// Returns the texts of the case `seed`, with at most `most` symbols.
fn texts_of(seed: u64, most: usize) -> (Vec<u8>, Vec<u8>) {
    let letters: &[u8] = [&b"AC"[..], b"ACGT", b"ARNDCQEGHILKMFPSTWYV", b"aAxZ?*"][seed as usize / 3 % 4];
    let len = |at: u64| (seed / 5 + 7 * at) as usize % (most + 1);
    let a = random(letters, len(seed % 3), seed);
    let b = if seed.is_multiple_of(2) { mutated(&a, letters, 0.3, seed) } else { random(letters, len(1), seed + 1) };
    let b = b[..b.len().min(most)].to_vec();
    (a, b)
}

fn options(scoring: &Scoring) -> JobOptions {
    let mut options = JobOptions::default();
    options.set_scoring(scoring.clone());
    options
}

/// The first alignment is the answer of the engine, with its score and ranges.
#[test]
fn first_alignment_is_that_of_the_engine() {
    for seed in 0..3_000 {
        let (scoring, (a, b)) = (scoring_of(seed), texts_of(seed, 40));
        let who = format!("b\"{}\" and b\"{}\" with {scoring:?}", a.escape_ascii(), b.escape_ascii());
        let matrix = filled(scoring.clone(), &a, &b);
        let path = optimal::first(&matrix).unwrap();
        let pair = bytes(&a, &b);
        let engine = Engine::Cpu(Cpu::SINGLE);
        let solution = engine.run(Task::SequenceAlignment, &options(&scoring), &pair, &Run::new(&NoObserver)).unwrap();
        let TaskAnswer::SequenceAlignment { score, a: in_a, b: in_b, .. } = solution.answer else { panic!("{who}") };
        let (end, start) = (*path.cells.last().unwrap(), path.cells[0]);
        assert_eq!(matrix.value(matrix.best_of(end)).number(), Some(score), "{who}");
        assert_eq!([start.i, end.i, start.j, end.j].map(|at| at as u64), [in_a.start, in_a.end, in_b.start, in_b.end], "{who}");
        assert_eq!(path.alignment(), solution.alignment.unwrap(), "{who}");
    }
}

/// Returns the score of an alignment of `a` with `b`, from its edits.
fn score(scoring: &Scoring, edits: &[EditKind], a: &[u8], b: &[u8]) -> i64 {
    let (mut i, mut j, mut sum) = (0, 0, 0);
    let mut last = None;
    for &edit in edits {
        let opening = if last == Some(edit) { 0 } else { i64::from(scoring.gap.open) };
        sum += match edit {
            EditKind::Insert | EditKind::Delete => -opening - i64::from(scoring.gap.extend),
            EditKind::Equal | EditKind::Substitute | EditKind::Transpose => points(scoring, a[i], b[j]),
        };
        let (of_a, of_b) = edit.consumed_symbols();
        (i, j, last) = (i + of_a as usize, j + of_b as usize, Some(edit));
    }
    sum
}

/// Returns the best of all alignments that the mode allows: start in `a` and `b`, and edits.
fn best_ways(scoring: &Scoring, a: &[u8], b: &[u8]) -> (i64, BTreeSet<(usize, usize, String)>) {
    let (free, is_local) = (scoring.free(), scoring.mode == AlignmentMode::Local);
    let (m, n) = (a.len(), b.len());
    let begins = |i: usize, j: usize| is_local || (i, j) == (0, 0) || (i == 0 && free.b_start) || (j == 0 && free.a_start);
    let ends = |i: usize, j: usize| is_local || (i, j) == (m, n) || (i == m && free.b_end) || (j == n && free.a_end);
    let mut ways = Vec::new();
    let cells = || (0..=m).flat_map(|i| (0..=n).map(move |j| (i, j)));
    for (i, j) in cells().filter(|&(i, j)| begins(i, j)) {
        for (to_i, to_j) in cells().filter(|&(to_i, to_j)| to_i >= i && to_j >= j && ends(to_i, to_j)) {
            let (x, y) = (&a[i..to_i], &b[j..to_j]);
            let all = crate::matrix::tests::alignments(x, y, false).into_iter();
            ways.extend(all.map(|edits| (score(scoring, &edits, x, y), i, j, edits)));
        }
    }
    let best = ways.iter().map(|way| way.0).max().unwrap();
    if is_local && best == 0 {
        return (0, BTreeSet::from([(0, 0, String::new())]));
    }
    let letters = |edits: Vec<EditKind>| edits.iter().map(|edit| edit.letter()).collect();
    (best, ways.into_iter().filter(|way| way.0 == best).map(|(_, i, j, edits)| (i, j, letters(edits))).collect())
}

#[test]
fn every_alignment_of_the_highest_score_is_found_once() {
    for seed in 0..400 {
        let (scoring, (a, b)) = (scoring_of(seed * 7), texts_of(seed * 3, 4));
        let who = format!("b\"{}\" and b\"{}\" with {scoring:?}", a.escape_ascii(), b.escape_ascii());
        let matrix = filled(scoring.clone(), &a, &b);
        let (best, expected) = best_ways(&scoring, &a, &b);
        let ends = matrix.ends();
        assert_eq!(ends.first().and_then(|end| matrix.value(*end).number()), Some(scoring.points(best)), "{who}");
        let all = OptimalAlignmentCounts::new(&matrix).unwrap();
        assert_eq!(all.total().to_string(), expected.len().to_string(), "{who}");
        assert_eq!(optimal::count(&matrix, usize::MAX).as_ref(), Some(all.total()), "{who}");
        let mut visits = vec![0u32; matrix.nodes().count()];
        let mut found = BTreeSet::new();
        for number in 0..expected.len() as u32 {
            let path = all.path(&matrix, &BigUint::from(number)).unwrap();
            path.nodes().for_each(|node| visits[matrix.index(node)] += 1);
            let MatrixCell { i, j } = path.cells[0];
            found.insert((i, j, path.edits.iter().map(|edit| edit.letter()).collect::<String>()));
            assert_eq!((path.alignment().a_start(), path.alignment().b_start()), (i as u64, j as u64));
        }
        assert_eq!(found, expected, "{who}");
        assert_eq!(all.path(&matrix, all.total()), None, "{who}");
        let on = optimal::any(&matrix);
        for node in matrix.nodes() {
            let at = matrix.index(node);
            assert_eq!((all.is_on(&matrix, node), on[at]), (visits[at] > 0, visits[at] > 0), "{node:?} of {who}");
            assert_eq!(all.count_through(&matrix, node), BigUint::from(visits[at]), "{node:?} of {who}");
        }
    }
}

/// The sums of a cell give its value, and only a start or a cell that no alignment reaches has no sum that wins.
#[test]
fn every_value_is_the_greatest_of_its_sums() {
    for seed in 0..600 {
        let (scoring, (a, b)) = (scoring_of(seed), texts_of(seed, 12));
        let matrix = filled(scoring.clone(), &a, &b);
        for node in matrix.nodes() {
            let start = if matrix.may_begin(node) { CellValue::from(0) } else { CellValue::UNREACHABLE };
            let best = matrix.sums(node).map(|sum| sum.total).fold(start, CellValue::max);
            assert_eq!(matrix.value(node), best, "{node:?} with {scoring:?}");
            let is_reached = matrix.value(node) != CellValue::UNREACHABLE;
            assert_eq!(matrix.is_beginning(node) || matrix.sums(node).any(|sum| sum.wins), is_reached, "{node:?} with {scoring:?}");
        }
        let score = matrix.ends().first().map(|end| matrix.value(*end).number());
        let of = |x: u32, y: u32| points(&scoring, x as u8, y as u8);
        let expected = serial::sequence_alignment::align(&numbers(&a), &numbers(&b), &of, &scoring).score;
        assert_eq!(score, Some(Some(scoring.points(expected))), "{scoring:?}");
    }
}

/// Values that textbooks and the drawings of the page show.
#[test]
fn layers_and_zero_floor_have_the_drawn_values() {
    let gotoh = Scoring { equal: 2, different: -1, gap: GapCosts { open: 2, extend: 1 }, ..Scoring::DEFAULT };
    let matrix = filled(gotoh.clone(), b"GCTTAGC", b"GCAGTC");
    let row = |layer, i| matrix.layer_row(layer, i).iter().map(CellValue::to_string).collect::<Vec<_>>().join(" ");
    assert_eq!(row(MatrixLayer::Main, 0), "0 −∞ −∞ −∞ −∞ −∞ −∞");
    assert_eq!(row(MatrixLayer::Deletions, 4), "−6 −3 0 0 −3 −1 −4");
    assert_eq!(row(MatrixLayer::Main, 7), "−∞ −9 −3 −3 −2 3 3");
    assert_eq!(row(MatrixLayer::Insertions, 6), "−∞ −11 −8 −5 −4 1 0");
    let cell = MatrixLayer::Deletions.at(MatrixCell { i: 4, j: 2 });
    let sums: Vec<String> = matrix.sums(cell).map(|sum| format!("{}{}", sum.layer.name(), sum.total)).collect();
    assert_eq!((sums.join(" ").as_str(), matrix.winners(cell)), ("M−5 I−8 D0", MatrixLayer::Deletions.bit()));
    assert_eq!(optimal::first(&matrix).unwrap().alignment().to_string(), "2=2D2=1I1=");
    let local = Scoring { mode: AlignmentMode::Local, equal: 3, different: -3, gap: GapCosts { open: 0, extend: 2 }, ..gotoh.clone() };
    let matrix = filled(local, b"TGTTACGG", b"GGTTGACTA");
    let end = MatrixCell { i: 6, j: 7 };
    assert_eq!((matrix.ends(), matrix.value(end).to_string()), (vec![end.into()], "13".to_owned()));
    assert_eq!((matrix.winners(MatrixCell { i: 5, j: 2 }), matrix.may_begin(end)), (START_BIT, true));
    let first = optimal::first(&matrix).unwrap();
    assert_eq!((first.cells[0], first.alignment().to_string()), (MatrixCell { i: 1, j: 1 }, "3=1I2=".to_owned()));
    assert_eq!(FillOrder::for_task(Task::SequenceAlignment, EditCosts::LEVENSHTEIN).len(), 3);
}

#[test]
fn scoring_out_of_its_ranges_is_refused() {
    let refused =
        |scoring: Scoring, len: usize| DpMatrix::with_scoring(scoring, SymbolMatch::Equal, vec![0; len], vec![0], |_| '\0').unwrap_err();
    assert_eq!(refused(Scoring { equal: 1_001, ..Scoring::DEFAULT }, 1).to_string(), "match is 1001; it must be from -1000 to 1000.");
    let long = refused(Scoring::DEFAULT, MAX_MATRIX_SYMBOLS + 1);
    assert!(matches!(long, JobFailure::TooLarge { limit: 2_000, .. }), "{long}");
}

#[test]
fn greatest_costs_fit_in_a_cell() {
    let gap = GapCosts { open: Scoring::MAX, extend: Scoring::MAX };
    let scoring = Scoring { equal: -1_000, different: -1_000, gap, ..Scoring::DEFAULT };
    let (a, b) = (vec![0; 300], vec![1; 300]);
    let matrix = DpMatrix::with_scoring(scoring, SymbolMatch::Equal, a, b, |_| '\0').unwrap();
    assert_eq!(matrix.value(matrix.best_of(matrix.last())), -300_000);
    assert_eq!(matrix.value(MatrixLayer::Deletions.at(MatrixCell { i: 300, j: 0 })), -301_000);
}
